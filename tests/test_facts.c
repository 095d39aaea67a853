/* What propagation knows, and what it must not believe: claims, defaults, loops, calls. Models as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "onnx_broadcast/model.h"
#include "ops/op.h"
#include "passes/propagate.h"

typedef struct run {
    ob_model *model;
    ob_facts facts;
    ob_findings findings;
} run;

/* `graph` and what follows it, IR version 8, opset 17. */
static run propagate(const char *graph) {
    run r = {0};
    char text[4096];
    ob_error error;
    int n = snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n%s", graph);
    assert_true(n > 0 && (size_t)n < sizeof text);
    if (ob_model_load_memory(text, (size_t)n, "m.onnxtxt", NULL, &r.model, &error) != OB_OK) fail_msg("%s", error.message);
    ob__facts_init(&r.facts, NULL);
    ob__findings_init(&r.findings, NULL);
    assert_int_equal(ob__model_resolve_ops(r.model), OB_OK);
    assert_int_equal(ob__propagate(r.model, NULL, &r.facts, &r.findings), OB_OK);
    return r;
}

static void finish(run *r) {
    ob__facts_release(&r->facts);
    ob__findings_release(&r->findings);
    ob_model_close(&r->model);
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
    const ob_shape *shape = &of->type.shape;
    strcpy(text, shape->rank < 0 ? "[..." : "[");
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        char size[64];
        ob_dim_format(r->model->dims, shape->dims[axis], size, sizeof size);
        if (axis) strcat(text, ", ");
        strcat(text, size[0] == '?' ? "?" : size);
    }
    strcat(text, "]");
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

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_declared_size_proves_no_broadcast),
        cmocka_unit_test(a_claim_about_one_size_is_compared_with_the_next),
        cmocka_unit_test(what_rests_on_a_declared_rank_is_marked),
        cmocka_unit_test(elements_of_sequences_have_no_declared_sizes),
        cmocka_unit_test(a_default_is_no_constant),
        cmocka_unit_test(a_newer_file_version_keeps_constants),
        cmocka_unit_test(an_error_leaves_the_other_axes),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
