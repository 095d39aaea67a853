/* Sequences whose number of elements the checker knows: the sizes that it admits, compared with runs, and the shapes that it
 * infers. */
#include "model_text.h"

#include <stdlib.h>

#include "session_case.h"

typedef struct sequence_row {
    const char *nodes; /* of x, N by 2: y */
    const char *shape; /* of y; NULL: not compared */
    bool partial;
} sequence_row;

static const sequence_row rows[] = {
    {"s = SplitToSequence <axis = 1> (x) y = SequenceAt(s, one)", "[N, 1]", false},
    {"s = SplitToSequence <axis = 1, keepdims = 0> (x) y = SequenceAt(s, last)", "[N]", false},
    {"s = SplitToSequence <axis = 1> (x) y = SequenceAt(s, two)", NULL, false},
    {"s = SplitToSequence <axis = 0> (x) y = SequenceAt(s, two)", "[1, 2]", false},
    {"s = SplitToSequence <axis = 0> (x, two) y = ConcatFromSequence <axis = 1> (s)", NULL, true},
    {"s = SplitToSequence <axis = 0> (x, one) y = ConcatFromSequence <axis = 1> (s)", "[1, 2*N]", false},
    {"s = SplitToSequence <axis = 0> (x, parts) y = SequenceAt(s, one)", "[2, 2]", false},
    {"h = Sub(n, two) t = Unsqueeze(h, zero) p = Concat <axis = 0> (pair, t) s = SplitToSequence <axis = 0> (x, p) y = "
     "SequenceAt(s, last)",
     "[N - 2, 2]", false},
    {"s = SequenceConstruct(x, x, w) y = SequenceAt(s, two)", "[3, 2]", false},
    {"s = SequenceConstruct(x, w) y = ConcatFromSequence <axis = 0> (s)", "[N + 3, 2]", false},
    {"s = SequenceConstruct(x, w) y = ConcatFromSequence <axis = 0, new_axis = 1> (s)", NULL, false},
    {"s = SequenceConstruct(x, w) y = ConcatFromSequence <axis = 1> (s)", NULL, false},
    {"e = SequenceEmpty() a = SequenceInsert(e, x) b = SequenceInsert(a, w, zeroth) y = SequenceAt(b, one)", "[N, 2]", false},
    {"s = SequenceConstruct(x, w, x) a = SequenceErase(s, zeroth) y = SequenceAt(a, zeroth)", "[3, 2]", false},
    {"s = SplitToSequence <axis = 0> (x) a = SequenceErase(s) l = SequenceLength(a) t = Unsqueeze(l, zero) y = Expand(one_f, t)",
     NULL, false},
    {"e = SequenceEmpty() y = SequenceAt(e, zeroth)", NULL, false},
    {"e = SequenceEmpty() y = ConcatFromSequence <axis = 0> (e)", NULL, false},
    {"s = SequenceConstruct(x, w) y = SequenceAt(s, n)", NULL, false},
};

static ob_model *model_of_row(const sequence_row *row) {
    char text[1500];
    snprintf(
        text, sizeof text,
        "<ir_version: 8, opset_import: [\"\" : 17]> g (float[N,2] x) => (float[] y) <float[3,2] w = {1, 2, 3, 4, 5, 6}, int64 "
        "zeroth = {0}, int64 one = {1}, int64 two = {2}, int64 last = {-1}, int64[1] zero = {0}, int64[2] parts = {1, 2}, "
        "int64[1] pair = {2}, float[1] one_f = {1}> { sizes = Shape(x) n = Gather(sizes, zeroth) %s }",
        row->nodes);
    return read_text(text);
}

static bool runs(const ob_model *model, int64_t n, ob_view *y) {
    static float data[64];
    ob_view x, out = {0};
    ob_error error;
    ob_session *session = NULL;
    ob_session_config config;
    ob_session_config_init(&config);
    assert_int_equal(ob_view_init(&x, data, OB_FLOAT, 2, (int64_t[]){n, 2}), OB_OK);
    bool works =
        ob_session_create(model, &config, &session, &error) == OB_OK && ob_session_run(session, &x, 1, &out, 1, &error) == OB_OK;
    *y = out;
    ob_session_close(&session);
    return works;
}

static void expect_shape(ob_report *report, const sequence_row *row, int64_t n, const ob_view *y) {
    ob_value_info value;
    char text[400];
    for (size_t i = 0; i < ob_report_value_count(report); i++) {
        assert_int_equal(ob_report_value(report, i, &value), OB_OK);
        if (strcmp(value.name, "y") != 0) continue;
        write_shape(ob_report_dims(report), &value.shape, text);
        if (row->shape) assert_string_equal(text, row->shape);
        if (!y || value.shape.rank < 0) return;
        assert_int_equal(value.shape.rank, y->rank);
        const ob_binding at = {ob_dim_find(ob_report_dims(report), "N"), n};
        for (int32_t axis = 0; axis < y->rank; axis++) {
            int64_t size;
            if (ob_dim_eval(ob_report_dims(report), value.shape.dims[axis], &at, 1, &size) == OB_OK)
                assert_int_equal(size, y->dims[axis]);
        }
    }
}

static void verdicts_are_what_runs_do(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ob_model *model = model_of_row(&rows[i]);
        ob_report *report = check_model(model);
        bool refused = ob_report_get_summary(report).n_errors > 0;
        for (int64_t n = 0; n <= 6; n++) {
            const ob_named_size given = {"N", n};
            ob_truth truth;
            size_t clause;
            ob_view y;
            assert_int_equal(ob_report_contract_holds(report, &given, 1, &truth, &clause), OB_OK);
            bool works = runs(model, n, &y);
            if (refused) truth = OB_FALSE;
            if (truth != OB_FALSE) expect_shape(report, &rows[i], n, works ? &y : NULL);
            if (truth == OB_UNDECIDED && rows[i].partial) continue;
            if (works != (truth == OB_TRUE) || truth == OB_UNDECIDED)
                fail_msg("row %zu at N = %lld: verdict %d, and it %s", i, (long long)n, (int)truth, works ? "runs" : "fails");
        }
        ob_report_close(&report);
        ob_model_close(&model);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts_are_what_runs_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
