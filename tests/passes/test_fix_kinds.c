/* Every kind of fix as an edit of the graph, also those that no finding of this file proposes; and the same fixes when memory
 * runs out. */
#include "failing.h"
#include "model_text.h"

#include "passes/check/verify_graph.h"
#include "passes/fix/fixing.h"
#include "passes/report/report.h"

#define HEADER "<ir_version: 8, opset_import: [\"\" : 17]>\n"
#define OLD    "<ir_version: 8, opset_import: [\"\" : 11]>\n"

/* A change of the first node that reads or makes `name`. */
typedef struct change {
    ob_fix_kind kind;
    const char *node; /* its first output */
    int32_t operand, other, axis;
    const char *value;
    int32_t axes[3];
    uint32_t n_axes;
    int64_t to[4];
    int32_t rank; /* of to; -1: not known */
} change;

static const ob_value *value_of(const ob_model *model, const char *name) {
    const ob_value *value = ob__value_find(model->graph, name, strlen(name));
    assert_non_null(value);
    return value;
}

/* Applies the change to the model and back. failure: NULL if it is possible. */
static void apply(const char *text, const change *c, const char *const *lines, const char *failure) {
    ob_model *model = read_text(text);
    ob_report *report = check_model(model);
    ob_text before, after;
    ob__text_init(&before, &model->arena.allocator);
    ob__text_init(&after, &model->arena.allocator);
    write_model(model, OB_FORMAT_TEXT, &before);
    ob_fixing fixing = {.model = model, .now = {report, &report->facts, &report->findings, &report->contract}};
    ob__journal_init(&fixing.journal, &model->arena.allocator);
    ob__arena_init(&fixing.arena, &model->arena.allocator);
    ob_fix step = ob__fix(c->kind, c->node ? value_of(model, c->node)->producer : NULL);
    step.operand = c->operand;
    step.other = c->other;
    step.axis = c->axis;
    step.axes = c->axes;
    step.n_axes = c->n_axes;
    step.value = c->value ? value_of(model, c->value) : NULL;
    step.to = (ob_shape){c->rank, c->to};
    ob_candidate candidate = {.id = OB0401, .node = step.node, .path = "", .text = "", .steps = &step, .n_steps = 1};
    assert_int_equal(ob__apply_fixes(&fixing, fixing.now.facts, &candidate, 1), OB_OK);
    if (failure) {
        assert_non_null(candidate.failure);
        assert_string_equal(candidate.failure, failure);
    } else {
        if (candidate.failure) fail_msg("%s", candidate.failure);
        ob_error error;
        if (ob__verify_graph(model, "a fix", &error) != OB_OK) fail_msg("%s", error.message);
        write_model(model, OB_FORMAT_TEXT, &after);
        for (; lines && *lines; lines++)
            if (!strstr(after.data, *lines)) fail_msg("\"%s\" is not in\n%s", *lines, after.data);
        ob__journal_undo(&fixing.journal, NULL);
    }
    write_model(model, OB_FORMAT_TEXT, &after);
    assert_string_equal(after.data, before.data);
    ob__journal_release(&fixing.journal);
    ob__arena_release(&fixing.arena);
    ob__text_release(&before);
    ob__text_release(&after);
    ob_report_close(&report);
    ob_model_close(&model);
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char net[] =
    HEADER "g (float[N,3] x, float[N] c, int64[2] t) => (float[N] m, float[N,N] y, float[?,?] r, float[2,2] s)\n"
           "<float[4] w = {1, 2, 3, 4}, int64[2] k = {2, 3}, float[2,2] q = {1, 2, 3, 4}> {\n"
           "  m = ReduceMax <axes = [1], keepdims = 0> (x)\n  y = Sub (m, c)\n  r = Reshape (x, k)\n"
           "  s = Add (q, q)\n}\n";

static void kinds_edit_the_graph(void **state) {
    (void)state;
    apply(net, &(change){.kind = OB_FIX_KIND_UNSQUEEZE, .node = "y", .operand = 1, .axes = {1}, .n_axes = 1, .rank = -1},
          LINES("c_axes = Constant <value: tensor = int64[1] = {1}> ()", "c_unsqueezed = Unsqueeze (c, c_axes)",
                "Sub (m, c_unsqueezed)"),
          NULL);
    apply(net, &(change){.kind = OB_FIX_KIND_SQUEEZE, .node = "y", .operand = 0, .axes = {0, 1}, .n_axes = 2, .rank = -1},
          LINES("int64[2] = {0,1}", "m_squeezed = Squeeze (m, m_axes)", "y = Sub (m_squeezed, c)"), NULL);
    apply(OLD "g (float[N,1] x) => (float[N] y) {\n  y = Neg (x)\n}\n",
          &(change){.kind = OB_FIX_KIND_SQUEEZE, .node = "y", .axes = {1}, .n_axes = 1, .rank = -1},
          LINES("x_squeezed = Squeeze <axes: ints = [1]> (x)", "y = Neg (x_squeezed)"), NULL);
    apply(net, &(change){.kind = OB_FIX_KIND_TRANSPOSE, .node = "r", .operand = 0, .axes = {1, 0}, .n_axes = 2, .rank = -1},
          LINES("x_transposed = Transpose <perm: ints = [1, 0]> (x)", "r = Reshape (x_transposed, k)"), NULL);
    apply(net, &(change){.kind = OB_FIX_KIND_SWAP, .node = "y", .operand = 0, .other = 1, .rank = -1}, LINES("y = Sub (c, m)"),
          NULL);
    apply(net, &(change){.kind = OB_FIX_KIND_KEEPDIMS, .node = "m", .operand = -1, .rank = -1}, LINES("keepdims: int = 1"), NULL);
    apply(net, &(change){.kind = OB_FIX_KIND_AXIS, .node = "y", .operand = -1, .other = 1, .rank = -1},
          LINES("y = Sub <axis: int = 1, broadcast: int = 1> (m, c)"), NULL);
    apply(net, &(change){.kind = OB_FIX_KIND_SIZE, .node = "r", .operand = 1, .other = 0, .value = "x", .axis = 0, .rank = -1},
          LINES("x_size = Gather <axis: int = 0> (x_shape, x_axis)", "k_computed = Concat <axis: int = 0> (x_size, k_part)",
                "r = Reshape (x, k_computed)"),
          NULL);
    apply(net, &(change){.kind = OB_FIX_KIND_SIZE, .node = "r", .operand = 1, .other = 1, .value = "m", .axis = 0, .rank = -1},
          LINES("k_computed = Concat <axis: int = 0> (k_part, m_size)"), NULL);
    apply(net, &(change){.kind = OB_FIX_KIND_RESHAPE, .node = "s", .operand = 1, .to = {1, 4}, .rank = 2},
          LINES("float[1,4] q_reshaped = {1.0,2.0,3.0,4.0}", "s = Add (q, q_reshaped)"), NULL); /* its other operand stays */
    apply(HEADER
          "g (float[N] x, int64[1] i) => (float[N] y) <int64 k = {0}> {\n  y = Slice (x, i, i, i)\n  z = Range (k, k, k)\n}\n",
          &(change){.kind = OB_FIX_KIND_SIZE, .node = "z", .operand = 1, .other = 0, .value = "x", .axis = 0, .rank = -1},
          LINES("_scalar = Squeeze (", "z = Range (k, x_size_scalar, k)"), NULL);
    apply(net, &(change){.kind = OB_FIX_KIND_SORT, .operand = -1, .rank = -1}, NULL, NULL);
}

static void what_cannot_be_made_changes_nothing(void **state) {
    (void)state;
    static const char *const absent = "the node has no such operand";
    apply(net, &(change){.kind = OB_FIX_KIND_UNSQUEEZE, .node = "y", .operand = 2, .axes = {1}, .n_axes = 1, .rank = -1}, NULL,
          absent);
    apply(net, &(change){.kind = OB_FIX_KIND_SQUEEZE, .node = "y", .operand = -1, .axes = {1}, .n_axes = 1, .rank = -1}, NULL,
          absent);
    apply(net, &(change){.kind = OB_FIX_KIND_SWAP, .node = "y", .operand = 0, .other = 2, .rank = -1}, NULL, absent);
    apply(net, &(change){.kind = OB_FIX_KIND_UNSQUEEZE, .node = "y", .operand = 1, .axes = {-1}, .n_axes = 1, .rank = -1}, NULL,
          "it has too many axes");
    apply(net, &(change){.kind = OB_FIX_KIND_TRANSPOSE, .node = "r", .axes = {2, 0}, .n_axes = 2, .rank = -1}, NULL,
          "it has no order of axes");
    apply(net, &(change){.kind = OB_FIX_KIND_RESHAPE, .node = "y", .operand = 1, .to = {1, 4}, .rank = 2}, NULL,
          "the operand is not an initializer");
    apply(net, &(change){.kind = OB_FIX_KIND_RESHAPE, .node = "s", .operand = 1, .to = {2, 4}, .rank = 2}, NULL,
          "the new shape has another number of elements");
    apply(net, &(change){.kind = OB_FIX_KIND_RESHAPE, .node = "s", .operand = 1, .to = {INT64_MAX / 2, 8}, .rank = 2}, NULL,
          "the new shape is not known");
    apply(net, &(change){.kind = OB_FIX_KIND_SIZE, .node = "r", .operand = 1, .other = 0, .value = "s", .axis = 0, .rank = -1},
          NULL, "the size is computed after the node");
    apply(net, &(change){.kind = OB_FIX_KIND_SIZE, .node = "r", .operand = 1, .other = 2, .value = "x", .axis = 0, .rank = -1},
          NULL, "the operand has no such element");
    apply(net, &(change){.kind = OB_FIX_KIND_SIZE, .node = "r", .operand = 1, .other = 1, .value = "x", .axis = 2, .rank = -1},
          NULL, "the value has no such axis");
    apply(net, &(change){.kind = OB_FIX_KIND_SIZE, .node = "r", .operand = 0, .other = 1, .value = "x", .axis = 0, .rank = -1},
          NULL, "the operand is not a list of int64");
    apply(HEADER "g (float[N] x) => (float[N] y) {\n  [Unsqueeze] y = Neg (x)\n}\n"
                 "<domain: \"\", opset_import: [\"\" : 17]>\nUnsqueeze (a, b) => (c) { c = Neg (a) }\n",
          &(change){.kind = OB_FIX_KIND_UNSQUEEZE, .node = "y", .operand = 0, .axes = {1}, .n_axes = 1, .rank = -1}, NULL,
          "a function of the model has the name of an operator that it needs");
}

/* ---- Out of memory ---- */

static const char *const models[] = {
    /* fixed together, one behind another, in a function, sorted */
    HEADER "g (float[N,3,8,8] x, float[3] s) => (float[N,3,8,8] y) <float[3] w = {1, 2, 3}> {\n"
           "  y = PRelu (v, w)\n  u = Mul (x, s)\n  v = Add (u, w)\n}\n",
    /* one fails */
    HEADER "g (float[2,3,8,8] x, float[3] s, float[4] q) => (float[2,3,8,?] y, float[2,3,8,8] z) {\n"
           "  a = Mul (x, s)\n  y = Add (a, q)\n  z = Div (x, s)\n}\n",
    HEADER "g (float[N,64] x) => (float[?,8,8] y) <int64[3] t = {8, 8, 8}> {\n  y = Reshape (x, t)\n}\n",
    "<ir_version: 3, opset_import: [\"\" : 6]>\ng (float[2,3,4] a, float[3] b) => (float[2,3,4] y) {\n  y = Add (a, b)\n}\n"};

/* Every allocation fails in turn. The model is then unchanged, and the next call gives the same result as without the failure. */
static void want_of_memory_changes_nothing(void **state) {
    (void)state;
    failing f = {0};
    const ob_allocator allocator = failing_allocator(&f);
    for (size_t which = 0; which < sizeof models / sizeof *models; which++) {
        ob_text was, wanted, text;
        ob__text_init(&was, NULL);
        ob__text_init(&wanted, NULL);
        ob__text_init(&text, NULL);
        ob_fixes *fixes = NULL;
        ob_model *model = read_model(models[which], strlen(models[which]), OB_FORMAT_TEXT, &allocator);
        write_model(model, OB_FORMAT_TEXT, &was);
        assert_int_equal(ob_fix_model(model, NULL, &fixes, NULL), OB_OK);
        assert_true(ob_fixes_count_of(fixes, OB_FIX_APPLIED) > 0);
        ob_fixes_close(&fixes);
        write_model(model, OB_FORMAT_TEXT, &wanted);
        ob_model_close(&model);
        for (size_t at = 0, failed = true; failed; at++) {
            model = read_model(models[which], strlen(models[which]), OB_FORMAT_TEXT, &allocator);
            arm(&f, at, at % 2 == 0);
            ob_status status = ob_fix_model(model, NULL, &fixes, NULL);
            failed = f.failed;
            f.armed = false;
            write_model(model, OB_FORMAT_TEXT, &text);
            if (status == OB_E_MEMORY) {
                assert_null(fixes);
                assert_string_equal(text.data, was.data);
                assert_int_equal(ob_fix_model(model, NULL, &fixes, NULL), OB_OK);
                write_model(model, OB_FORMAT_TEXT, &text);
            } else {
                assert_int_equal(status, OB_OK);
            }
            assert_string_equal(text.data, wanted.data);
            ob_fixes_close(&fixes);
            ob_model_close(&model);
        }
        ob__text_release(&was);
        ob__text_release(&wanted);
        ob__text_release(&text);
    }
    assert_int_equal(f.n_alive, 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_edit_the_graph),
        cmocka_unit_test(what_cannot_be_made_changes_nothing),
        cmocka_unit_test(want_of_memory_changes_nothing),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
