/* Calls of local functions: each is inferred with its operands; calls that cannot differ are inferred once. Models as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "onnx_broadcast/onnx_broadcast.h"
#include "ops/table/op.h"
#include "passes/check/propagate.h"

#define HEADER   "<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n"
#define FUNCTION "<domain: \"local\", opset_import: [\"\" : 17, \"local\" : 1]>\n"

static ob_model *model_of(const char *text) {
    ob_model *model = NULL;
    ob_error error;
    if (ob_model_load_memory(text, strlen(text), "m.onnxtxt", NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    return model;
}

typedef struct checked {
    ob_model *model;
    ob_report *report;
} checked;

static checked check_with(const char *text, const ob_check_options *options) {
    checked c = {model_of(text), NULL};
    ob_error error;
    if (ob_check(c.model, options, &c.report, &error) != OB_OK) fail_msg("%s", error.message);
    return c;
}

static checked check(const char *text) {
    return check_with(text, NULL);
}

static void finish(checked *c) {
    ob_report_close(&c->report);
    ob_model_close(&c->model);
}

/* "path node operand axis xCALLS;" of every finding with that id. */
static const char *findings_of(const checked *c, const char *id) {
    static char text[2000];
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < ob_report_finding_count(c->report); i++) {
        ob_finding_info info;
        assert_int_equal(ob_report_finding(c->report, i, &info), OB_OK);
        if (strcmp(info.id, id) != 0) continue;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %d %d x%d;", info.path, info.node, (int)info.operand,
                              (int)info.axis, (int)info.n_calls);
        assert_true(n < sizeof text);
    }
    return text;
}

/* "path node [a][b]->[result] xCALLS;" of every broadcast. */
static const char *broadcasts_of(const checked *c) {
    static char text[4000];
    char shape[100];
    size_t n = 0;
    const ob_dims *dims = ob_report_dims(c->report);
    text[0] = '\0';
    for (size_t i = 0; i < ob_report_broadcast_count(c->report); i++) {
        ob_broadcast_info info;
        assert_int_equal(ob_report_broadcast(c->report, i, &info), OB_OK);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s ", info.path, info.node);
        for (size_t k = 0; k < info.n_operands; k++) {
            ob_shape_format(dims, &info.operands[k], shape, sizeof shape);
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", shape);
        }
        ob_shape_format(dims, &info.result, shape, sizeof shape);
        n += (size_t)snprintf(text + n, sizeof text - n, "->%s x%d;", shape, (int)info.n_calls);
        assert_true(n < sizeof text);
    }
    return text;
}

static const char differences[] = HEADER
    "g (float[N] p, float[N,1] t, float[N,7] u, float[8] v, float[8,8] w, float[K] q, float[K,1] r) => (a, b, c, d, e, h) {\n"
    " [one] a = local.difference (p, t)\n [two] b = local.difference (t, u)\n [three] c = local.difference (v, w)\n"
    " [four] d = local.difference (u, u)\n [five] e = local.outer (q, r)\n [six] h = local.outer (q, r)\n}\n" FUNCTION
    "difference (x, y) => (z) { [minus] z = Sub (x, y) }\n" FUNCTION "outer (x, y) => (z) { [in] z = local.difference (x, y) }";

static void every_call_has_its_broadcasts(void **state) {
    (void)state;
    checked c = check(differences);
    assert_string_equal(broadcasts_of(&c), "one/minus [N][N, 1]->[N, N] x1;two/minus [N, 1][N, 7]->[N, 7] x1;"
                                           "three/minus [8][8, 8]->[8, 8] x1;five/in/minus [K][K, 1]->[K, K] x2;");
    ob_report_summary summary = ob_report_get_summary(c.report);
    assert_int_equal(summary.n_broadcasts, 4);
    assert_int_equal(summary.n_plain, 1);
    ob_alike alike;
    assert_int_equal(ob_report_broadcast_group(c.report, 3, &alike), OB_OK);
    assert_int_equal(alike.first, 3);
    assert_int_equal(alike.n, 2); /* the calls of a pattern are all counted */
    char copied[100];
    ob_dim_format(ob_report_dims(c.report), summary.copied_term, copied, sizeof copied);
    assert_string_equal(copied, "8*N*N + 16*K*K + 28*N + 256");
    finish(&c);
}

static void every_call_has_its_accidents(void **state) {
    (void)state;
    checked c = check(differences);
    assert_string_equal(findings_of(&c, "OB0401"), "one/minus 1 0 x1;two/minus 0 1 x1;three/minus 0 1 x1;five/in/minus 1 0 x2;");
    finish(&c);
    c = check(HEADER "g (float[N,M] x, float[M,K] y, float[N,N] z) => (a, b) {\n"
                     " [fits] a = local.add (z, z)\n [crosses] b = local.add (x, y)\n}\n" FUNCTION
                     "add (x, y) => (z) { [plus] z = Add (x, y) }");
    assert_string_equal(findings_of(&c, "OB0403"), "crosses/plus 1 0 x1;");
    finish(&c);
}

/* A broadcast that the caller prepared is not reported as accidental, unless another call with these operands did not prepare
 * it. */
static void intent_is_looked_for_outside(void **state) {
    (void)state;
    static const char body[] = "\n}\n" FUNCTION "difference (x, y) => (z) { n = Neg (y) [minus] z = Sub (x, n) }\n" FUNCTION
                               "around (x, y) => (z) { [in] z = local.difference (x, y) }";
    static const struct {
        const char *calls, *expected;
    } cases[] = {
        {"[one] a = local.difference (p, wide)", ""},
        {"[one] a = local.around (p, wide)", ""},
        {"[one] a = local.difference (p, t)", "one/minus 1 0 x1;"},
        {"[one] a = local.around (p, t)", "one/in/minus 1 0 x1;"},
        {"[one] a = local.difference (p, wide) [two] b = local.difference (p, t)", "one/minus 1 0 x2;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 HEADER "g (float[N] p, float[N,1] t) => (a) { axes = Constant <value = int64[1] {1}> ()\n"
                        " wide = Unsqueeze (p, axes)\n %s %s",
                 cases[i].calls, body);
        checked c = check(text);
        assert_string_equal(findings_of(&c, "OB0401"), cases[i].expected);
        finish(&c);
    }
}

static void every_call_is_under_the_rule_book(void **state) {
    (void)state;
    ob_check_options options;
    ob_check_options_init(&options);
    options.rules = OB_RULES_XLA;
    checked c = check_with(differences, &options);
    assert_string_equal(findings_of(&c, "OB0311"), "one/minus 0 -1 x1;three/minus 0 -1 x1;five/in/minus 0 -1 x2;");
    finish(&c);
}

static void a_body_within_a_body_has_its_path(void **state) {
    (void)state;
    checked c = check(HEADER "g (bool c, float[N,3] x, float[3] y) => (a) { [call] a = local.choose (c, x, y) }\n" FUNCTION
                             "choose (c, x, y) => (z) { [if] z = If (c) <\n"
                             "  then_branch = t () => (u) { [plus] u = Add (x, y) },\n"
                             "  else_branch = e () => (v) { [minus] v = Sub (x, y) }> }");
    assert_string_equal(broadcasts_of(&c), "call/if.then_branch/plus [N, 3][3]->[N, 3] x1;"
                                           "call/if.else_branch/minus [N, 3][3]->[N, 3] x1;");
    finish(&c);
}

/* ---- Work ---- */

/* n calls of a function with `body` nodes, on x and y alternately; every `apart` calls with a separate size. */
static char *many_calls(int n, int body, int apart) {
    size_t room = 1000 + (size_t)n * 120 + (size_t)body * 60, at = 0;
    char *text = malloc(room);
    assert_non_null(text);
#define PUT(...) at += (size_t)snprintf(text + at, room - at, __VA_ARGS__)
    PUT(HEADER "g (float[N,8] x, float[8] y");
    for (int i = 0; apart && i < n; i += apart) PUT(", float[N%d,8] x%d", i, i);
    PUT(") => (r0) {\n");
    for (int i = 0; i < n; i++) {
        char operand[24] = "x";
        if (apart && i % apart == 0) snprintf(operand, sizeof operand, "x%d", i);
        PUT(" [c%d] r%d = local.f (%s, y)\n", i, i, operand);
    }
    PUT("}\n" FUNCTION "f (a, b) => (v%d) {\n [n0] v0 = Add (a, b)\n", body - 1);
    for (int i = 1; i < body; i++) PUT(" [n%d] v%d = Neg (v%d)\n", i, i, i - 1);
    PUT("}");
#undef PUT
    assert_true(at < room);
    return text;
}

/* Does this limit of nodes suffice for the whole model? */
static bool suffice(const char *text, uint64_t max_nodes) {
    ob_check_options options;
    ob_check_options_init(&options);
    options.max_nodes = max_nodes;
    checked c = check_with(text, &options);
    bool stopped = findings_of(&c, "OB0805")[0] != '\0';
    ob_contract_info contract = ob_report_contract(c.report);
    assert_int_equal(contract.status, stopped ? OB_CONTRACT_PARTIAL : OB_CONTRACT_COMPLETE); /* never silently */
    finish(&c);
    return !stopped;
}

static void equal_calls_are_inferred_once(void **state) {
    (void)state;
    enum { CALLS = 10000, BODY = 100 };
    char *text = many_calls(CALLS, BODY, 0);
    assert_true(suffice(text, CALLS + BODY));
    checked c = check(text);
    assert_int_equal(ob_report_broadcast_count(c.report), 1);
    ob_broadcast_info info;
    assert_int_equal(ob_report_broadcast(c.report, 0, &info), OB_OK);
    assert_int_equal(info.n_calls, CALLS);
    finish(&c);
    free(text);
    /* In proportion to the calls that differ: 1 and 20 of 100. */
    text = many_calls(100, BODY, 5);
    assert_true(suffice(text, 100 + 21 * BODY));
    assert_false(suffice(text, 20 * BODY));
    free(text);
}

/* Each level calls the next twice: 2^30 calls of the last, of one kind. */
static void nested_calls_are_counted(void **state) {
    (void)state;
    enum { LEVELS = 30 };
    char text[8000];
    size_t at = (size_t)snprintf(text, sizeof text, HEADER "g (float[N,3] x, float[3] y) => (r) { [top] r = local.f0 (x, y) }\n");
    for (int i = 0; i < LEVELS; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               FUNCTION "f%d (a, b) => (d) { [p] c = local.f%d (a, b) [q] d = local.f%d (c, b) }\n", i, i + 1,
                               i + 1);
    snprintf(text + at, sizeof text - at, FUNCTION "f%d (a, b) => (c) { [plus] c = Add (a, b) }\n", LEVELS);
    assert_true(suffice(text, 2 * LEVELS + 2));
    checked c = check(text);
    ob_broadcast_info info;
    assert_int_equal(ob_report_broadcast_count(c.report), 1);
    assert_int_equal(ob_report_broadcast(c.report, 0, &info), OB_OK);
    assert_int_equal(info.n_calls, 1 << LEVELS);
    finish(&c);
}

/* 70 nested calls exceed the limit. */
static void what_nests_too_deep_is_unverified(void **state) {
    (void)state;
    enum { LEVELS = 70 };
    char text[12000];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 HEADER "g (float[N,3] x, float[3] y) => (r, s) {\n"
                                        " [top] r = local.f0 (x, y) [last] s = local.f69 (x, y) }\n");
    for (int i = 0; i < LEVELS; i++)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, FUNCTION "f%d (a, b) => (c) { [in] c = local.f%d (a, b) }\n", i, i + 1);
    snprintf(text + at, sizeof text - at, FUNCTION "f%d (a, b) => (c) { [plus] c = Add (a, b) }\n", LEVELS);
    checked c = check(text);
    ob_contract_info contract = ob_report_contract(c.report);
    assert_int_equal(contract.status, OB_CONTRACT_PARTIAL);
    assert_int_equal(contract.n_open, 1);
    /* A call below the limit is not affected by calls beyond it. */
    assert_string_equal(broadcasts_of(&c), "last/in/plus [N, 3][3]->[N, 3] x1;");
    finish(&c);
}

/* ---- Facts that calls share, and facts that they do not ---- */

static void sizes_made_within_are_each_calls_own(void **state) {
    (void)state;
    checked c =
        check(HEADER "g (float[N] x, float[N] y) => (a, b, s, t) {\n"
                     " [one] a = local.pick (x)\n [two] b = local.pick (y)\n s = Add (a, a)\n [sum] t = Add (a, b)\n}\n" FUNCTION
                     "pick (x) => (z) { i = NonZero (x) z = Neg (i) }");
    ob_contract_info contract = ob_report_contract(c.report);
    assert_int_equal(contract.status, OB_CONTRACT_PARTIAL); /* whether both select the same number is unknown */
    assert_int_equal(ob_report_broadcast_count(c.report), 1);
    ob_broadcast_info info;
    assert_int_equal(ob_report_broadcast(c.report, 0, &info), OB_OK);
    assert_string_equal(info.node, "sum");
    finish(&c);
}

/* A requirement on a size created in the body applies to each call's size. */
static void requirements_of_sizes_made_within_are_not_shared(void **state) {
    (void)state;
    checked c = check(HEADER "g (float[N] x, float[N] y) => (a, b) {\n"
                             " [one] a = local.pick (x)\n [two] b = local.pick (y)\n}\n" FUNCTION
                             "pick (x) => (z) { i = NonZero (x) five = Constant <value = float[5] {1, 2, 3, 4, 5}> ()\n"
                             " k = Cast <to = 1> (i) z = Add (k, five) }");
    assert_int_equal(ob_report_contract(c.report).n_open, 2);
    finish(&c);
}

static void attributes_tell_calls_apart(void **state) {
    (void)state;
    checked c = check(HEADER "g (float[N,3] x, float[N,3] y) => (a, b, d, e) {\n"
                             " [one] a = local.join <along = 0> (x)\n [two] b = local.join <along = 1> (x)\n"
                             " [three] d = local.join <along = 1> (y)\n e = Add (b, y)\n}\n"
                             "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                             "join <along> (x) => (z) { z = Concat <axis: int = @along> (x, x) }");
    assert_int_equal(ob_report_get_summary(c.report).n_errors, 1); /* 6 against 3 */
    finish(&c);
}

/* All rounds of a loop except the last are discarded, including the results of calls in them. */
static void a_round_of_a_loop_leaves_no_calls_behind(void **state) {
    (void)state;
    checked c = check(HEADER "g (int64 n, bool go, float[1,3] x, float[M] y) => (r) {\n"
                             " [loop] r = Loop (n, go, x) <body = b (int64 i, bool c, float[?,3] s) => (c2, s2) {\n"
                             "  c2 = Identity (c) [call] t = local.f (s, y) s2 = Concat <axis = 0> (s, x) }>\n}\n" FUNCTION
                             "f (a, b) => (c) { [plus] c = Add (a, b) }");
    ob_broadcast_info info;
    assert_int_equal(ob_report_broadcast_count(c.report), 1);
    assert_int_equal(ob_report_broadcast(c.report, 0, &info), OB_OK);
    assert_string_equal(info.path, "loop.body/call/");
    assert_int_equal(info.n_calls, 1);
    /* and the condition of the body remains */
    assert_true(ob_report_contract(c.report).n_conditions > 0);
    finish(&c);
}

/* Equal calls in branches matter under different guards. */
static void guards_tell_calls_apart(void **state) {
    (void)state;
    checked c = check(HEADER "g (float[N] x, float[M] y) => (r) {\n"
                             " s = Shape (x) three = Constant <value = int64[1] {3}> () e = Equal (s, three) k = Squeeze (e)\n"
                             " [if] r = If (k) <then_branch = t () => (u) { [one] u = local.f (x, y) },\n"
                             "  else_branch = o () => (v) { [two] w = Neg (x) v = local.g (w, y) }>\n}\n" FUNCTION
                             "f (a, b) => (c) { [plus] c = Add (a, b) }\n" FUNCTION
                             "g (a, b) => (c) { [in] d = local.f (a, b) c = Neg (d) }");
    static const struct {
        int64_t n, m;
        ob_truth expected;
    } points[] = {{3, 3, OB_TRUE}, {3, 4, OB_FALSE}, {4, 4, OB_TRUE}, {4, 3, OB_FALSE}, {4, 1, OB_TRUE}, {1, 9, OB_TRUE}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const ob_named_size sizes[] = {{"N", points[i].n}, {"M", points[i].m}};
        ob_truth holds;
        assert_int_equal(ob_report_contract_holds(c.report, sizes, 2, &holds, NULL), OB_OK);
        assert_int_equal(holds, points[i].expected);
    }
    finish(&c);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_has_its_broadcasts),
        cmocka_unit_test(every_call_has_its_accidents),
        cmocka_unit_test(intent_is_looked_for_outside),
        cmocka_unit_test(every_call_is_under_the_rule_book),
        cmocka_unit_test(a_body_within_a_body_has_its_path),
        cmocka_unit_test(equal_calls_are_inferred_once),
        cmocka_unit_test(nested_calls_are_counted),
        cmocka_unit_test(what_nests_too_deep_is_unverified),
        cmocka_unit_test(sizes_made_within_are_each_calls_own),
        cmocka_unit_test(requirements_of_sizes_made_within_are_not_shared),
        cmocka_unit_test(attributes_tell_calls_apart),
        cmocka_unit_test(a_round_of_a_loop_leaves_no_calls_behind),
        cmocka_unit_test(guards_tell_calls_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
