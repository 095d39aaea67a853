/* The facts that propagation finds, and declarations that it must not rely on: claims, defaults, loops, calls. Models as
 * text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_text.h"
#include "onnx_broadcast/model.h"
#include "ops/library/resolve.h"
#include "ops/table/op.h"
#include "passes/check/names.h"
#include "passes/check/propagate.h"

typedef struct run {
    ob_model *model;
    ob_facts facts;
    ob_findings findings;
    char *text;
} run;

/* `graph` and the text after it, preceded by a header: */
static run propagate_as(const char *header, const char *graph) {
    run r = {0};
    size_t n_bytes = strlen(graph) + 200;
    char *text = r.text = malloc(n_bytes);
    assert_non_null(text);
    ob_error error;
    int n = snprintf(text, n_bytes, "%s\n%s", header, graph);
    assert_true(n > 0 && (size_t)n < n_bytes);
    if (ob_model_load_memory(text, (size_t)n, "m.onnxtxt", NULL, &r.model, &error) != OB_OK) fail_msg("%s", error.message);
    ob__facts_init(&r.facts, NULL);
    ob__findings_init(&r.findings, NULL);
    assert_int_equal(ob__model_resolve_ops(r.model), OB_OK);
    assert_int_equal(ob__propagate(r.model, NULL, &r.facts, &r.findings), OB_OK);
    return r;
}

/* IR version 8, opset 17. */
static run propagate(const char *graph) {
    return propagate_as("<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>", graph);
}

static void finish(run *r) {
    ob__facts_release(&r->facts);
    ob__findings_release(&r->findings);
    ob_model_close(&r->model);
    free(r->text);
}

static const ob_fact *fact_in(const run *r, const ob_graph *graph, const char *name) {
    const ob_map_entry *entry = ob__map_find(&graph->values, name, strlen(name));
    if (!entry) fail_msg("no value %s", name);
    return ob__fact(&r->facts, entry->value);
}

static const ob_fact *fact(const run *r, const char *name) {
    return fact_in(r, r->model->graph, name);
}

/* "[N, 3, ?]" */
static const char *shape_text(const run *r, const ob_fact *of) {
    static char text[400];
    write_shape(r->model->dims, &of->type.shape, text);
    return text;
}

#define ASSERT_SHAPE(r, name, expected) assert_string_equal(shape_text(r, fact(r, name)), expected)

static size_t count(const run *r, ob_finding_id id) {
    size_t n = 0;
    for (uint32_t i = 0; i < r->findings.n; i++) n += r->findings.items[i].id == id;
    return n;
}

/* ---- Claims ---- */

static void a_declared_size_proves_no_broadcast(void **state) {
    (void)state;
    run r = propagate("g (float[N] x, float[2, N] k, bool[N] m) => (float[N] y) <float[N] u, float[5] v>\n"
                      "{ u = Compress(x, m)  v = Compress(x, m)  y = Add(u, x)  z = Add(u, v) }");
    ASSERT_SHAPE(&r, "u", "[?]");
    ASSERT_SHAPE(&r, "v", "[?]");
    assert_true(r.facts.n_conditions >= 2); /* u with x, u with v */
    assert_int_equal(r.findings.n, r.facts.n_conditions);
    ob_dim u = fact(&r, "u")->type.shape.dims[0], v = fact(&r, "v")->type.shape.dims[0];
    assert_true(u != v);
    assert_int_equal(ob__as_claimed(&r.facts, r.model->dims, u), ob_dim_symbol(r.model->dims, "N"));
    assert_int_equal(ob__as_claimed(&r.facts, r.model->dims, v), 5);
    ob_dim twice = ob_dim_mul(r.model->dims, 2, v);
    assert_int_equal(ob__as_claimed(&r.facts, r.model->dims, twice), 10);
    finish(&r);
}

/* A plan uses the facts unchanged only if none depends on declarations of the file. */
static void types_that_only_the_file_states_are_counted(void **state) {
    (void)state;
    run inferred = propagate("g (float[2] x) => (float[2] y) <float[2] u> { u = Neg(x)  y = Relu(u) }");
    assert_int_equal(inferred.facts.n_declared, 0);
    finish(&inferred);
    run stated = propagate("g (float[2] x) => (float[2] y) <float[2] u> { u = local.Unknown(x)  y = Relu(u) }");
    assert_true(stated.facts.n_declared > 0);
    finish(&stated);
    run none = propagate("g (float[2] x) => (y) { u = local.Unknown(x)  y = Relu(u) }");
    assert_int_equal(none.facts.n_declared, 0); /* and nothing is known */
    finish(&none);
}

static void a_claim_about_one_size_is_compared_with_the_next(void **state) {
    (void)state;
    run r = propagate("g (float[N] x, bool[N] m) => (float[6] y) <float[5] u> { u = Compress(x, m)  y = Relu(u) }");
    assert_int_equal(count(&r, OB0501), 1);
    assert_non_null(strstr(r.findings.items[0].message, "declared as 6"));
    finish(&r);
}

static void what_rests_on_a_declared_rank_is_marked(void **state) {
    (void)state;
    run r = propagate("g (float[N] x) => (float[N, 4] y) <float[N, 4] u> { u = local.Odd(x)  v = Relu(u)  w = Relu(x)"
                      "  y = Add(v, x) }");
    ASSERT_SHAPE(&r, "v", "[?, ?]");
    assert_true(fact(&r, "u")->assumed && fact(&r, "v")->assumed && fact(&r, "y")->assumed);
    assert_false(fact(&r, "x")->assumed || fact(&r, "w")->assumed);
    finish(&r);
}

static void elements_of_sequences_have_no_declared_sizes(void **state) {
    (void)state;
    run r = propagate("g (float[N] x, int64 i) => (y) <seq(float[5]) s> { s = local.Odd(x)  y = SequenceAt(s, i) }");
    assert_int_equal(fact(&r, "y")->type.dtype, OB_FLOAT);
    ASSERT_SHAPE(&r, "y", "[...]");
    finish(&r);
}

/* ---- Defaults ---- */

static void a_default_is_no_constant(void **state) {
    (void)state;
    static const char graph[] =
        "g (float[N] x, int64[1] target = {4}, float[2] w = {1, 2}) => (y, z) { y = Expand(x, target)  z = Add(x, w) }";
    run r = propagate(graph);
    assert_null(fact(&r, "target")->content.elems);
    ASSERT_SHAPE(&r, "target", "[1]");
    ASSERT_SHAPE(&r, "y", "[?]");
    assert_null(fact(&r, "w")->content.elems);
    ASSERT_SHAPE(&r, "z", "[2]");
    r.model->ir_version = 3; /* weights had to be listed as inputs */
    assert_int_equal(ob__propagate(r.model, NULL, &r.facts, &r.findings), OB_OK);
    ASSERT_SHAPE(&r, "y", "[4]");
    assert_non_null(fact(&r, "w")->content.elems);
    finish(&r);
    r = propagate(graph);
    const ob_propagate_options options = {.fixed_defaults = true};
    assert_int_equal(ob__propagate(r.model, &options, &r.facts, &r.findings), OB_OK);
    ASSERT_SHAPE(&r, "y", "[4]");
    finish(&r);
}

static void a_newer_file_version_keeps_constants(void **state) {
    (void)state;
    run r = propagate("g (float[N] x, int64[1] target = {4}) => (y) { y = Expand(x, target) }");
    r.model->ir_version = 3;
    ob__model_raise_ir_version(r.model, 8);
    assert_int_equal(r.model->graph->n_inputs, 1);
    assert_int_equal(ob__propagate(r.model, NULL, &r.facts, &r.findings), OB_OK);
    ASSERT_SHAPE(&r, "y", "[4]");
    finish(&r);
}

/* ---- Behind errors ---- */

static void an_error_leaves_the_other_axes(void **state) {
    (void)state;
    run r = propagate("g (float[A, 3, 5, 7] x, float[2, 5, 6] w) => (y, z) { y = Add(x, w)  z = MatMul(y, y) }");
    ASSERT_SHAPE(&r, "y", "[A, ?, 5, ?]");
    assert_int_equal(count(&r, OB0101), 2); /* one for each axis */
    finish(&r);
}

/* ---- Loops ---- */

static const ob_graph *body_of(const run *r, const char *output, const char *attribute) {
    const ob_map_entry *entry = ob__map_find(&r->model->graph->values, output, strlen(output));
    assert_non_null(entry);
    return ob__node_attribute(((const ob_value *)entry->value)->producer, attribute)->u.graph;
}

/* Eight states, each with the shape of the next one in the following round, and the last one growing: the growth reaches the
 * first state only after eight rounds. */
static void a_loop_is_followed_to_its_fixed_point(void **state) {
    (void)state;
    char text[4096];
    size_t n = 0;
    n += (size_t)snprintf(text + n, sizeof text - n, "g (int64 t, float[N, 2] x, float[N, 2] k) => (a0) {\n a0");
    for (int i = 1; i < 12; i++) n += (size_t)snprintf(text + n, sizeof text - n, ", a%d", i);
    n += (size_t)snprintf(text + n, sizeof text - n, " = Loop <body = b (int64 i, bool c");
    for (int i = 0; i < 12; i++) n += (size_t)snprintf(text + n, sizeof text - n, ", s%d", i);
    n += (size_t)snprintf(text + n, sizeof text - n, ") => (bool d");
    for (int i = 0; i < 12; i++) n += (size_t)snprintf(text + n, sizeof text - n, ", o%d", i);
    n += (size_t)snprintf(text + n, sizeof text - n, ") { d = Identity(c) z = Add(s0, k)");
    for (int i = 0; i < 11; i++) n += (size_t)snprintf(text + n, sizeof text - n, " o%d = Identity(s%d)", i, i + 1);
    n += (size_t)snprintf(text + n, sizeof text - n, " o11 = Concat<axis = 0>(s11, s11) }> (t, ");
    for (int i = 0; i < 12; i++) n += (size_t)snprintf(text + n, sizeof text - n, ", x");
    n += (size_t)snprintf(text + n, sizeof text - n, ")\n}");
    assert_true(n < sizeof text);
    run r = propagate(text);
    const ob_graph *body = body_of(&r, "a0", "body");
    ob_dim size = fact_in(&r, body, "s0")->type.shape.rank > 0 ? fact_in(&r, body, "s0")->type.shape.dims[0] : OB_DIM_UNKNOWN;
    assert_true(size == OB_DIM_UNKNOWN || ob_dim_is_anonymous(r.model->dims, size));
    finish(&r);
}

/* Sizes that clash only until the first round of the loop was inferred: no error. */
static void rounds_that_do_not_count_report_nothing(void **state) {
    (void)state;
    run r = propagate("g (int64 t, float[1] x, float[3] k) => (a) {\n a = Loop <body = b (int64 i, bool c, s) => (bool d, o)"
                      " { d = Identity(c) o = Add(s, k) }> (t, , x)\n}");
    assert_int_equal(count(&r, OB0101), 0);
    finish(&r);
}

static void a_body_is_guarded_by_its_trips(void **state) {
    (void)state;
    run r =
        propagate("g (float[T, N] x, float[5] k) => (a, b) {\n s = Shape<start = 0, end = 1>(x) one = Constant<value_int = 1>()"
                  " t = Reshape(s, z) z = Constant<value_ints = [0]>()"
                  " first, last = Split<axis = 1>(x)"
                  " a, b = Loop <body = b (int64 i, bool c, v) => (bool d, o, p) { d = Identity(c) o = Identity(v)"
                  " p = Add(x, k) }> (s, , first)\n}");
    bool guarded = false;
    for (uint32_t i = 0; i < r.facts.n_conditions; i++) {
        const ob_guard *guard = r.facts.conditions[i].guard;
        if (!guard) continue;
        guarded = true;
        assert_int_equal(guard->term, ob_dim_symbol(r.model->dims, "T"));
        assert_string_equal(guard->text, "a.body/");
    }
    assert_true(guarded);
    finish(&r);
}

/* ---- Branches ---- */

static void branches_are_guarded_by_their_condition(void **state) {
    (void)state;
    run r =
        propagate("g (float[N] x, float[3] a, float[4] b, bool data) => (y, z) {\n"
                  " s = Shape(x) three = Constant<value_ints = [3]>() is = Equal(s, three)"
                  " y = If (is) <then_branch = t () => (u) { u = Add(x, a) }, else_branch = e () => (v) { v = Add(x, b) }>"
                  " z = If (data) <then_branch = t2 () => (u2) { u2 = Add(a, b) }, else_branch = e2 () => (v2) { v2 = Neg(x) }>"
                  "\n}");
    assert_true(r.facts.n_conditions >= 2);
    const ob_guard *yes = r.facts.conditions[0].guard, *no = r.facts.conditions[1].guard;
    assert_true(yes && no);
    assert_string_equal(yes->text, "y.then_branch/");
    assert_string_equal(no->text, "y.else_branch/");
    assert_int_equal(ob_dim_add(r.model->dims, yes->term, no->term), 1);
    for (int64_t n = 0; n < 6; n++) {
        const ob_binding size = {ob_dim_symbol(r.model->dims, "N"), n};
        int64_t taken;
        assert_int_equal(ob_dim_eval(r.model->dims, yes->term, &size, 1, &taken), OB_OK);
        assert_int_equal(taken, n == 3);
    }
    /* A clash in a branch that data choose is not an error of the model. */
    assert_int_equal(count(&r, OB0101), 1);
    for (uint32_t i = 0; i < r.findings.n; i++)
        if (r.findings.items[i].id == OB0101) {
            assert_int_equal(r.findings.items[i].severity, OB_SEVERITY_WARNING);
            assert_string_equal(r.findings.items[i].call_path, "z.then_branch/");
            assert_non_null(strstr(r.findings.items[i].message, "only if"));
        }
    assert_int_equal(r.facts.n_refuted, 0);
    finish(&r);
}

/* ---- Calls ---- */

static void a_body_holds_for_every_call(void **state) {
    (void)state;
    run r = propagate("g (float[N, 3] x, float[M, 3] z, float[N, 4] w) => (y1, y2, y3) {\n"
                      " y1 = local.f(x) y2 = local.f(z) y3 = local.f(w)\n}\n"
                      "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                      "f (a) => (c) { b = Neg(a) s = Shape(a) c = Add(a, b) }");
    const ob_graph *body = r.model->functions[0]->body;
    const ob_fact *a = fact_in(&r, body, "a"), *b = fact_in(&r, body, "b"), *s = fact_in(&r, body, "s");
    assert_string_equal(shape_text(&r, a), "[?, ?]");
    assert_true(a->type.shape.dims[0] == b->type.shape.dims[0] && a->type.shape.dims[1] == b->type.shape.dims[1]);
    assert_true(s->content.n == 2 && s->content.elems[0] == a->type.shape.dims[0]);
    ASSERT_SHAPE(&r, "y1", "[N, 3]");
    ASSERT_SHAPE(&r, "y2", "[M, 3]");
    finish(&r);
}

/* ---- Errors ---- */

/* After an axis that clashes all others are examined: each error and each condition is reported once. */
static void an_error_does_not_hide_the_next(void **state) {
    (void)state;
    static const struct {
        const char *header, *graph, *shape;
        uint32_t n_errors, n_conditions;
    } cases[] = {
        {NULL, "(float[N,3,M] x, float[K,4,L] z) => (y) { y = Add (x, z) }", "[bcast(N, K), ?, bcast(M, L)]", 1, 2},
        {NULL, "(float[N,3,M,5,2] x, float[K,4,L,6,2] z) => (y) { y = Add (x, z) }", "[bcast(N, K), ?, bcast(M, L), ?, 2]", 2, 2},
        {NULL, "(float[N,3,M,5] x, float[K,4,L,6] z) => (y) { y = PRelu (x, z) }", "[N, 3, M, 5]", 2, 2},
        {NULL, "(float[N,3,M,5] x, float[4,L,6] z) => (y) { y = PRelu (x, z) }", "[N, 3, M, 5]", 2, 1},
        {"<ir_version: 3, opset_import: [\"\" : 6]>",
         "(float[N,3,M,5] x, float[4,L,6] z) => (y) { y = Add <broadcast = 1> (x, z) }", "[N, 3, M, 5]", 2, 1},
        {"<ir_version: 3, opset_import: [\"\" : 6]>",
         "(float[3,M,5,N] x, float[4,L,6] z) => (y) { y = Add <broadcast = 1, axis = 0> (x, z) }", "[3, M, 5, N]", 2, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char graph[300];
        snprintf(graph, sizeof graph, "g %s", cases[i].graph);
        run r = propagate_as(cases[i].header ? cases[i].header : "<ir_version: 8, opset_import: [\"\" : 17]>", graph);
        const char *found = shape_text(&r, fact(&r, "y"));
        uint32_t n_errors = 0, axes = 0;
        for (uint32_t k = 0; k < r.findings.n; k++) {
            if (r.findings.items[k].severity != OB_SEVERITY_ERROR) continue;
            n_errors++;
            axes |= UINT32_C(1) << r.findings.items[k].axis;
        }
        if (n_errors != cases[i].n_errors || r.facts.n_conditions != cases[i].n_conditions)
            fail_msg("case %zu: %u errors, %u conditions, %s", i, n_errors, r.facts.n_conditions, found);
        assert_int_equal(__builtin_popcount(axes), n_errors);
        assert_string_equal(found, cases[i].shape);
        finish(&r);
    }
}

/* ---- Order ---- */

/* A node whose 300 branches read results of later nodes is placed after all of them. */
static void captured_values_are_waited_for_in_any_number(void **state) {
    (void)state;
    enum { N = 300 };
    char *text = malloc(64 * 1024);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "g (float[N] x, bool c) => (y) {\n w = Neg(late0) y = If (c) <then_branch = t () => (u) { ");
    for (int i = 0; i < N; i++)
        n += (size_t)sprintf(text + n,
                             "u%d = If (c) <then_branch = a%d () => (p%d) { p%d = Neg(late%d) },"
                             " else_branch = b%d () => (q%d) { q%d = Neg(x) }> ",
                             i, i, i, i, i, i, i, i);
    n += (size_t)sprintf(text + n, " u = Neg(x) }, else_branch = e () => (v) { v = Neg(x) }>\n");
    for (int i = 0; i < N; i++) n += (size_t)sprintf(text + n, " late%d = Neg(x)\n", i);
    sprintf(text + n, "}");
    run r = propagate(text);
    free(text);
    const ob_graph *then = body_of(&r, "y", "then_branch");
    const ob_graph *inner = ob__node_attribute(then->first, "then_branch")->u.graph;
    assert_string_equal(shape_text(&r, fact_in(&r, inner, "p0")), "[N]");
    finish(&r);
}

static void long_names_keep_both_ends(void **state) {
    (void)state;
    ob_arena arena;
    ob__arena_init(&arena, ob_allocator_default());
    assert_string_equal(ob__shown_name("0123456789", 10, &arena), "0123456789");
    assert_string_equal(ob__shown_name("0123456789A", 10, &arena), "0123...89A");
    /* Not inside a character of two bytes. */
    assert_string_equal(ob__shown_name("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 10, &arena),
                        "\xc3\xa9\xc3\xa9...\xc3\xa9");
    assert_string_equal(ob__shown_name("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 10, &arena), "...");
    enum { FAR = 100000 };
    char *far = malloc(FAR + 1);
    assert_non_null(far);
    memset(far, 'n', FAR);
    far[FAR] = '\0';
    assert_string_equal(ob__shown_name(far, 10, &arena), "nnnnnnn...");
    free(far);
    ob__arena_release(&arena);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_declared_size_proves_no_broadcast),
        cmocka_unit_test(types_that_only_the_file_states_are_counted),
        cmocka_unit_test(a_claim_about_one_size_is_compared_with_the_next),
        cmocka_unit_test(what_rests_on_a_declared_rank_is_marked),
        cmocka_unit_test(elements_of_sequences_have_no_declared_sizes),
        cmocka_unit_test(a_default_is_no_constant),
        cmocka_unit_test(a_newer_file_version_keeps_constants),
        cmocka_unit_test(an_error_leaves_the_other_axes),
        cmocka_unit_test(a_loop_is_followed_to_its_fixed_point),
        cmocka_unit_test(rounds_that_do_not_count_report_nothing),
        cmocka_unit_test(a_body_is_guarded_by_its_trips),
        cmocka_unit_test(branches_are_guarded_by_their_condition),
        cmocka_unit_test(a_body_holds_for_every_call),
        cmocka_unit_test(an_error_does_not_hide_the_next),
        cmocka_unit_test(captured_values_are_waited_for_in_any_number),
        cmocka_unit_test(long_names_keep_both_ends),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
