/* Fixes as data: which ones follow from the shapes of a finding, and their sentences. */
#include <stdlib.h>

#include "model_text.h"

#include "core/dims/terms.h"
#include "core/graph/graph.h"
#include "passes/check/fix.h"

#define HEADER "<ir_version: 8, opset_import: [\"\" : 17]>\n"

/* The fix of the only error of the model. */
static void check_advice(const char *text, const char *expected) {
    ob_model *model = read_text(text);
    ob_report *report = check_model(model);
    ob_finding_info info;
    size_t i = 0;
    while (ob_report_finding(report, i, &info) == OB_OK && info.severity != OB_SEVERITY_ERROR) i++;
    assert_int_equal(info.severity, OB_SEVERITY_ERROR);
    assert_string_equal(info.fix, expected);
    ob_report_close(&report);
    ob_model_close(&model);
}

static void axes_follow_from_shapes(void **state) {
    (void)state;
    static const struct {
        const char *x, *y, *fix; /* y = Add(x, y) */
    } cases[] = {
        {"N,64,8,8", "64", "insert Unsqueeze(axes=[1,2]) before operand 1 'b': (64) -> (64,1,1)"},
        {"N,2,3,8", "2,3", "insert Unsqueeze(axes=[2]) before operand 1 'b': (2,3) -> (2,3,1)"},
        {"4,5,8", "4,8", "insert Unsqueeze(axes=[1]) before operand 1 'b': (4,8) -> (4,1,8)"}, /* a gap inside */
        {"2,3,4,5", "2,4", "insert Unsqueeze(axes=[1,3]) before operand 1 'b': (2,4) -> (2,1,4,1)"},
        {"64", "N,64,8,8", "insert Unsqueeze(axes=[1,2]) before operand 0 'a': (64) -> (64,1,1)"},
        {"2,3,4", "5", ""},
        {"2,3", "3,2", ""},
        {"0,3,4", "0", "insert Unsqueeze(axes=[1,2]) before operand 1 'b': (0) -> (0,1,1)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, HEADER "g (float[%s] a, float[%s] b) => (float[?] y) {\n  [add] y = Add (a, b)\n}\n",
                 cases[i].x, cases[i].y);
        check_advice(text, cases[i].fix);
    }
    check_advice(HEADER "g (float[1,3,8,8] x) => (float[1,3,8,8] y) <float[3] w = {1, 2, 3}> {\n  y = PRelu (x, w)\n}\n",
                 "reshape the initializer at operand 1 'w': (3) -> (3,1,1)");
    check_advice(HEADER "g (float[2,3] p, float[3,4] q, float[2] c) => (float[2,4] y) {\n  y = Gemm (p, q, c)\n}\n",
                 "insert Unsqueeze(axes=[1]) before operand 2 'c': (2) -> (2,1)");
    /* The matrices of a product stay last. */
    check_advice(HEADER "g (float[2,3,4,5] a, float[2,5,6] b) => (float[?,?,?,?] y) {\n  y = MatMul (a, b)\n}\n",
                 "insert Unsqueeze(axes=[1]) before operand 1 'b': (2,5,6) -> (2,1,5,6)");
}

/* Where several places fit, only a reader can decide. */
static void ambiguous_places_are_guesses(void **state) {
    (void)state;
    static const struct {
        ob_dim to[4];
        int32_t rank;
        bool is_guess;
    } cases[] = {{{64, 7, 8, 0}, 3, false}, {{64, 64, 8, 0}, 3, true}, {{64, 8, 64, 8}, 4, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ob_model *model = read_text(HEADER "g (float[N] a, float[64] b) => (float[N] y) {\n  y = Add (a, b)\n}\n");
        ob_report *report = check_model(model); /* finds the operators */
        ob_dim from = 64;
        const ob_shape shapes[] = {{cases[i].rank, cases[i].to}, {1, &from}};
        const ob_finding finding = {.id = OB0101, .node = model->graph->first, .operands = shapes, .n_operands = 2};
        const ob_fix *fixes;
        ob_arena arena;
        uint32_t n;
        ob__arena_init(&arena, &model->arena.allocator);
        assert_int_equal(ob__fixes_of(&finding, &arena, &fixes, &n), OB_OK);
        assert_int_equal(n, 1);
        assert_int_equal(fixes->is_guess, cases[i].is_guess);
        ob__arena_release(&arena);
        ob_report_close(&report);
        ob_model_close(&model);
    }
}

static void each_kind_has_a_sentence(void **state) {
    (void)state;
    ob_model *model = read_text(HEADER "g (float[N,1] x, float[N] c) => (float[N,N] y) {\n  [mean] m = ReduceMean (x)\n"
                                       "  [add] y = Add (m, c)\n}\n");
    ob_node *mean = model->graph->first, *add = mean->next;
    const ob_dim n = ob_dim_symbol(model->dims, "N"), n1[] = {n, 1};
    const int32_t axis[] = {1}, perm[] = {1, 0};
    ob_dim dims[OB_MAX_RANK];
    const ob_shape column = {2, n1}, line = {1, n1};
    ob_findings findings;
    ob__findings_init(&findings, &model->arena.allocator);
    static const char *const expected[OB_FIX_KIND_COUNT] = {
        [OB_FIX_KIND_UNSQUEEZE] = "insert Unsqueeze(axes=[1]) before operand 1 'c': (N) -> (N,1)",
        [OB_FIX_KIND_SQUEEZE] = "insert Squeeze(axes=[1]) before operand 1 'c': (N,1) -> (N)",
        [OB_FIX_KIND_RESHAPE] = "reshape the initializer at operand 1 'c': (N,1) -> (N)",
        [OB_FIX_KIND_TRANSPOSE] = "insert Transpose(perm=[1,0]) before operand 1 'c': (N,1) -> (N)",
        [OB_FIX_KIND_SWAP] = "swap operands 0 and 1",
        [OB_FIX_KIND_KEEPDIMS] = "set keepdims=1 of ReduceMean 'mean': (N,1) -> (N)",
        [OB_FIX_KIND_SIZE] = "compute element 2 of operand 1 'c' from axis 0 of 'x' (Shape, Gather)",
        [OB_FIX_KIND_AXIS] = "set axis=2",
        [OB_FIX_KIND_SORT] = "sort the nodes, each after those whose results it reads",
    };
    for (int kind = 0; kind < OB_FIX_KIND_COUNT; kind++) {
        ob_finding *finding = ob__findings_add(&findings, OB0401, "about");
        ob_fix fix = ob__fix((ob_fix_kind)kind, kind == OB_FIX_KIND_KEEPDIMS ? mean : add);
        fix.operand = kind == OB_FIX_KIND_SWAP ? 0 : 1;
        fix.other = kind == OB_FIX_KIND_SWAP ? 1 : 2;
        fix.axes = kind == OB_FIX_KIND_TRANSPOSE ? perm : axis;
        fix.n_axes = kind == OB_FIX_KIND_TRANSPOSE ? 2 : 1;
        fix.value = model->graph->inputs[0];
        fix.axis = 0;
        if (kind == OB_FIX_KIND_UNSQUEEZE)
            fix = ob__fix_new_axes(add, 1, &line, axis, 1, dims);
        else if (kind != OB_FIX_KIND_AXIS && kind != OB_FIX_KIND_SWAP)
            fix.from = column, fix.to = line;
        assert_non_null(finding);
        assert_true(ob__fix_add(&findings, finding, &fix));
        memset(dims, 0, sizeof dims); /* the finding has its own copy */
        assert_string_equal(ob__fix_text(model->dims, finding->fixes, finding->n_fixes, add, &findings.arena), expected[kind]);
        assert_true(ob__fix_name((ob_fix_kind)kind)[0] != '\0');
    }
    ob__findings_release(&findings);
    ob_model_close(&model);
}

static void a_way_may_have_several_changes(void **state) {
    (void)state;
    ob_model *model = read_text(HEADER "g (float[N,1] x) => (float[N,N] y) {\n  [add] y = Add (x, x)\n}\n");
    ob_findings findings;
    ob__findings_init(&findings, &model->arena.allocator);
    ob_finding *finding = ob__findings_add(&findings, OB0401, "about");
    for (int i = 0; i < 8; i++) {
        ob_fix fix = ob__fix(OB_FIX_KIND_AXIS, model->graph->first);
        fix.other = i;
        fix.way = i < 6 ? 0 : 1;
        assert_true(ob__fix_add(&findings, finding, &fix));
    }
    assert_string_equal(ob__fix_text(model->dims, finding->fixes, finding->n_fixes, finding->node, &findings.arena),
                        "set axis=0 of Add 'add'; set axis=1 of Add 'add'; set axis=2 of Add 'add'; set axis=3 of Add 'add'; "
                        "and 2 more");
    ob__findings_release(&findings);
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_follow_from_shapes),
        cmocka_unit_test(ambiguous_places_are_guesses),
        cmocka_unit_test(each_kind_has_a_sentence),
        cmocka_unit_test(a_way_may_have_several_changes),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
