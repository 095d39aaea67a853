/* Loops and scans without an iteration: the shapes in a body that never runs need not fit, neither for the checker nor for a
 * session. The number of iterations is 0 by a constant, a size, or data. */
#include "model_text.h"

#include <stdlib.h>

#include "session_case.h"

typedef struct body_row {
    const char *nodes; /* of s, a state of 2 floats, w of 3 and m of 2 x 2: t, the next state, and u, which is stacked */
    int32_t rank;      /* of the stacked result */
} body_row;

static const body_row bodies[] = {
    {"t = Identity(s) u = Identity(w)", 2},
    {"t = Add(s, w) u = Identity(t)", 2},
    {"t = MatMul(s, m) u = MatMul(w, m)", 2},
    {"t = Reshape(s, five) u = Reshape(w, five)", 2},
    {"t = Unsqueeze(s, zero) u = Identity(s)", 1} /* the rank of u is unknown */,
    {"t = Squeeze(s, zero) u = Identity(s)", 1},
    {"t = Transpose <perm = [1, 0]> (m) u = Identity(s)", 1},
    {"t = Identity(s) q = Div(nothing, nothing) u = Cast <to = 1> (q)", 1},
    {"t = Loop (i, k, s) <body = inner (int64 j, bool l, float[] a) => (bool e, float[] b) { e = Identity(l) b = Add(a, w) }> "
     "u = Identity(w)",
     2},
};
enum { N_BODIES = sizeof bodies / sizeof *bodies };

typedef enum way { BY_CONSTANT, BY_NEGATIVE, BY_FLAG, BY_SIZE, BY_DATA, N_WAYS } way;

static const struct {
    const char *inputs, *weights, *nodes, *count, *flag;
} ways[N_WAYS] = {
    [BY_CONSTANT] = {"float[N] p", ", int64 n = {0}", "", "n", ""},
    [BY_NEGATIVE] = {"float[N] p", ", int64 n = {-3}", "", "n", ""},
    [BY_FLAG] = {"float[N] p", ", bool c = {0}", "", "", "c"},
    [BY_SIZE] = {"float[N] p", "", "sizes = Shape(p) n = Gather(sizes, nothing)", "n", ""},
    [BY_DATA] = {"int64 n", "", "", "n", ""},
};

static void write_loop(char *text, size_t n_bytes, const body_row *row, way how) {
    snprintf(
        text, n_bytes,
        "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x, %s) => (float[] y, float[] z) <float[3] w = {1, 2, 3}, "
        "float[2,2] m = {1, 2, 3, 4}, int64 nothing = {0}, int64[1] zero = {0}, int64[1] five = {5}%s> { %s y, z = Loop (%s, "
        "%s, x) <body = b (int64 i, bool k, float[] s) => (bool o, float[] t, float[] u) { o = Identity(k) %s }> }",
        ways[how].inputs, ways[how].weights, ways[how].nodes, ways[how].count, ways[how].flag, row->nodes);
}

/* The state is the result, and the stacked result is empty. */
static void expect_nothing(const ob_view *outputs, int32_t rank, const char *text) {
    expect_floats(&outputs[0], (const float[]){3, 4}, 2);
    if (outputs[1].rank < 1 || outputs[1].dims[0] != 0) fail_msg("something is stacked: %s", text);
    if (outputs[1].rank != rank) fail_msg("rank %d: %s", (int)outputs[1].rank, text);
}

static void run_loop(const char *text, way how, int32_t rank) {
    float x[] = {3, 4};
    int64_t none = 0;
    ob_view inputs[2], outputs[2];
    ob_model *model = read_text(text);
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        assert_int_equal(ob_view_init(&inputs[0], x, OB_FLOAT, 1, (int64_t[]){2}), OB_OK);
        if (how == BY_DATA)
            assert_int_equal(ob_view_init(&inputs[1], &none, OB_INT64, 0, NULL), OB_OK);
        else
            assert_int_equal(ob_view_init(&inputs[1], x, OB_FLOAT, 1, (int64_t[]){0}), OB_OK);
        for (int twice = 0; twice < 2; twice++) {
            memset(outputs, 0, sizeof outputs); /* the session's memory */
            run_ok(session, inputs, 2, outputs, 2);
            expect_nothing(outputs, rank, text);
        }
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

static void loops(void **state) {
    (void)state;
    char text[1200];
    for (size_t i = 0; i < N_BODIES; i++)
        for (int how = 0; how < N_WAYS; how++) {
            write_loop(text, sizeof text, &bodies[i], (way)how);
            run_loop(text, (way)how, bodies[i].rank);
        }
}

/* Requirements and errors of the body are not reported. */
static void checker_does_not_look(void **state) {
    (void)state;
    char text[1200];
    for (size_t i = 0; i < N_BODIES; i++)
        for (int how = 0; how < BY_SIZE; how++) {
            write_loop(text, sizeof text, &bodies[i], (way)how);
            ob_model *model = read_text(text);
            ob_report *report = check_model(model);
            assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_COMPLETE);
            assert_int_equal(ob_report_contract(report).n_clauses, 0);
            assert_int_equal(ob_report_finding_count(report), 0);
            ob_report_close(&report);
            ob_model_close(&model);
        }
}

/* A scan of length 0: the elements do not fit the state. */
static void scans(void **state) {
    (void)state;
    static const char text[] =
        "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x, float[N,2] q) => (float[] y, float[] z) <float[3] w = {1, 2, "
        "3}> "
        "{ y, z = Scan <num_scan_inputs = 1, body = b (float[2] s, float[2] e) => (float[2] t, float[] u) { t = Identity(s) u = "
        "Add(e, w) }> (x, q) }";
    float x[] = {3, 4, 5, 6};
    ob_view inputs[2], outputs[2] = {{0}};
    ob_error error;
    ob_model *model = read_text(text);
    ob_session *session = open_session(model, true);
    assert_int_equal(ob_view_init(&inputs[0], x, OB_FLOAT, 1, (int64_t[]){2}), OB_OK);
    assert_int_equal(ob_view_init(&inputs[1], x, OB_FLOAT, 2, (int64_t[]){0, 2}), OB_OK);
    run_ok(session, inputs, 2, outputs, 2);
    expect_nothing(outputs, 2, text);
    assert_int_equal(ob_view_init(&inputs[1], x, OB_FLOAT, 2, (int64_t[]){1, 2}), OB_OK);
    memset(outputs, 0, sizeof outputs);
    assert_int_not_equal(ob_session_run(session, inputs, 2, outputs, 2, &error), OB_OK);
    ob_session_close(&session);
    ob_model_close(&model);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(loops), cmocka_unit_test(checker_does_not_look),
                                              cmocka_unit_test(scans)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
