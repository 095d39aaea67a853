/* Branches and bodies with static shapes are subplans: they run without heap and are not planned again. */
#include <stdlib.h>

#include "model_text.h"
#include "runtime/plan/plan.h"
#include "session_case.h"

#define HEAD "<ir_version: 8, opset_import: [\"\" : 16]>\n"

enum { MOST = 64 };

typedef struct case_ {
    const char *text;
    size_t n_inputs, n_outputs;
    ob_view inputs[4];
    struct {
        int32_t rank;
        int64_t dims[4];
        double want[MOST];
    } outputs[4];
} case_;

static double element(const ob_view *view, int64_t i) {
    switch (view->dtype) {
    case OB_FLOAT: return (double)((const float *)view->data)[i];
    case OB_INT64: return (double)((const int64_t *)view->data)[i];
    case OB_BOOL: return ((const uint8_t *)view->data)[i] != 0;
    default: fail_msg("no such type here"); return 0;
    }
}

static void expect_outputs(const case_ *c, const ob_view *out) {
    for (size_t k = 0; k < c->n_outputs; k++) {
        int64_t n = 1;
        assert_int_equal(out[k].rank, c->outputs[k].rank);
        for (int32_t axis = 0; axis < out[k].rank; axis++) {
            assert_int_equal(out[k].dims[axis], c->outputs[k].dims[axis]);
            n *= out[k].dims[axis];
        }
        for (int64_t i = 0; i < n; i++) {
            double is = element(&out[k], i), want = c->outputs[k].want[i];
            if (is < want || is > want) fail_msg("output %zu, element %d: %g is not %g", k, (int)i, is, want);
        }
    }
}

/* Optimised and not, in the session and in a worker, twice each; the second time without any memory. */
static void expect_case(const case_ *c) {
    ob_model *model = read_text(c->text);
    for (int optimize = 0; optimize < 2; optimize++) {
        counter count = {0};
        ob_allocator allocator = counting(&count);
        ob_session_config config;
        ob_session_config_init(&config);
        config.allocator = &allocator;
        config.optimize = optimize;
        ob_session *session = NULL;
        ob_worker *worker = NULL;
        ob_error error;
        if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
        for (int round = 0; round < 2; round++) {
            ob_view out[4] = {{0}};
            count.forbidden = round == 1;
            run_ok(session, c->inputs, c->n_inputs, out, c->n_outputs);
            expect_outputs(c, out);
            count.forbidden = false;
        }
        assert_int_equal(session->current->memory.n_dynamic, 0);
        if (ob_worker_create(session, NULL, &worker, &error) != OB_OK) fail_msg("%s", error.message);
        for (int round = 0; round < 2; round++) {
            ob_view out[4] = {{0}};
            count.forbidden = true;
            if (ob_worker_run(worker, c->inputs, c->n_inputs, out, c->n_outputs, &error) != OB_OK) fail_msg("%s", error.message);
            expect_outputs(c, out);
            count.forbidden = false;
        }
        ob_worker_close(&worker);
        ob_session_close(&session);
        assert_int_equal(count.n_alive, 0);
    }
    ob_model_close(&model);
}

/* ---- If ---- */

static void test_if(void **state) {
    (void)state;
    uint8_t yes = 1, no = 0;
    float x[] = {1, 2, 3};
    case_ c = {.text = HEAD "g (bool c, float[3] x) => (float[3] y, float[3] z) {\n"
                            " s = Add (x, x)\n"
                            " y, z = If (c) <then_branch = t () => (a, b) { a = Add (s, x) b = Neg (a) },\n"
                            "   else_branch = e () => (s, k) { k = Constant <value = float[3] {7, 8, 9}> () }> }",
               .n_inputs = 2,
               .n_outputs = 2,
               .inputs = {view_of(&yes, OB_BOOL, 0), view_of(x, OB_FLOAT, 1, 3)},
               .outputs = {{1, {3}, {3, 6, 9}}, {1, {3}, {-3, -6, -9}}}};
    expect_case(&c);
    case_ other = c;
    other.inputs[0].data = &no;
    other.outputs[0].want[0] = 2, other.outputs[0].want[1] = 4, other.outputs[0].want[2] = 6;
    other.outputs[1].want[0] = 7, other.outputs[1].want[1] = 8, other.outputs[1].want[2] = 9;
    expect_case(&other);
}

/* A condition that depends on shapes only: the shapes in the other branch need not fit. */
static void test_if_known(void **state) {
    (void)state;
    float x[] = {1, 2, 3};
    case_ c = {.text =
                   HEAD "g (float[N] x) => (float[M] y) {\n"
                        " s = Shape (x)\n k = Constant <value = int64[1] {3}> ()\n e = Equal (s, k)\n"
                        " y = If (e) <then_branch = t () => (a) { b = Neg (x) a = Add (b, b) },\n"
                        "   else_branch = e () => (d) { w = Constant <value = float[5] {1, 2, 3, 4, 5}> () d = Add (x, w) }> }",
               .n_inputs = 1,
               .n_outputs = 1,
               .inputs = {view_of(x, OB_FLOAT, 1, 3)},
               .outputs = {{1, {3}, {-2, -4, -6}}}};
    expect_case(&c);
}

/* ---- Loop ---- */

#define LOOP(body)                                                                                                               \
    HEAD "g (int64 n, bool c, float[2] x) => (float[2] y, float[2] z) {\n y, z = Loop (n, c, x, x) <body = " body "> }"

static case_ loop_case(const char *text, int64_t *n, uint8_t *c, float *x, double y0, double y1, double z0, double z1) {
    return (case_){.text = text,
                   .n_inputs = 3,
                   .n_outputs = 2,
                   .inputs = {view_of(n, OB_INT64, 0), view_of(c, OB_BOOL, 0), view_of(x, OB_FLOAT, 1, 2)},
                   .outputs = {{1, {2}, {y0, y1}}, {1, {2}, {z0, z1}}}};
}

/* Zero trips, one, many; a false condition; state that is computed, kept, or exchanged. */
static void test_loop_state(void **state) {
    (void)state;
    static const char sums[] =
        LOOP("b (int64 i, bool k, float[2] p, float[2] q) => (k2, p2, q) { k2 = Identity (k) p2 = Add (p, q) }");
    static const char swap[] = LOOP("b (int64 i, bool k, float[2] p, float[2] q) => (k, q, p2) { p2 = Add (p, q) }");
    static const char same[] = LOOP("b (int64 i, bool k, float[2] p, float[2] q) => (k, x, p) {}");
    uint8_t yes = 1, no = 0;
    float x[] = {1, 2};
    int64_t trips[] = {0, 1, 2, 3, 6, -4};
    double fibonacci[][2] = {{1, 1}, {1, 2}, {2, 3}, {3, 5}, {13, 21}, {1, 1}};
    for (int k = 0; k < 6; k++) {
        int64_t n = trips[k] < 0 ? 0 : trips[k];
        double s = (double)(1 + n), p = fibonacci[k][0], q = fibonacci[k][1];
        case_ c = loop_case(sums, &trips[k], &yes, x, s, 2 * s, 1, 2);
        expect_case(&c);
        c = loop_case(swap, &trips[k], &yes, x, p, 2 * p, q, 2 * q);
        expect_case(&c);
        c = loop_case(same, &trips[k], &yes, x, 1, 2, 1, 2);
        expect_case(&c);
        c = loop_case(sums, &trips[k], &no, x, 1, 2, 1, 2);
        expect_case(&c);
    }
}

/* The body ends the loop; trip count and condition omitted; captured values of two outer graphs; a loop in a loop. */
static void test_loop_stops(void **state) {
    (void)state;
    float x[] = {1, 2};
    case_ c = {.text = HEAD
               "g (float[2] x) => (float[2] y) {\n"
               " most = Constant <value = float[1] {20}> ()\n"
               " y = Loop (, , x) <body = b (int64 i, bool k, float[2] p) => (go, q) {\n"
               "   two = Constant <value = int64 {2}> ()\n"
               "   q = Loop (two, , p) <body = b2 (int64 i2, bool k2, float[2] r) => (k2, t) { u = Add (r, x) t = Add (u, p) }>\n"
               "   sum = ReduceSum <keepdims = 1> (q)\n go1 = Less (sum, most)\n axes = Constant <value = int64[1] {0}> ()\n"
               "   go = Squeeze (go1, axes) }> }",
               .n_inputs = 1,
               .n_outputs = 1,
               .inputs = {view_of(x, OB_FLOAT, 1, 2)},
               /* 1: 1 + 2 (1 + 1) = 5, sum 15; 5 + 2 (1 + 5) = 17 */
               .outputs = {{1, {2}, {17, 34}}}};
    expect_case(&c);
}

/* Slices are in the memory of the result: computed there, or copied. */
static void test_loop_stacks(void **state) {
    (void)state;
    float x[] = {1, 2};
    case_ c = {
        .text =
            HEAD "g (float[2] x) => (float[2] y, float[3, 2] a, int64[3] b, float[3, 2] d) {\n"
                 " n = Constant <value = int64 {3}> ()\n"
                 " y, a, b, d = Loop (n, , x) <body = b (int64 i, bool k, float[2] p) => (k, q, q, i, p) { q = Add (p, x) }> }",
        .n_inputs = 1,
        .n_outputs = 4,
        .inputs = {view_of(x, OB_FLOAT, 1, 2)},
        .outputs = {{1, {2}, {4, 8}}, {2, {3, 2}, {2, 4, 3, 6, 4, 8}}, {1, {3}, {0, 1, 2}}, {2, {3, 2}, {1, 2, 2, 4, 3, 6}}}};
    expect_case(&c);
}

/* An If in a loop with alternating branches. */
static void test_if_in_loop(void **state) {
    (void)state;
    float x[] = {1, 2};
    case_ c = {.text = HEAD "g (float[2] x) => (float[2] y, float[4, 2] a) {\n"
                            " n = Constant <value = int64 {4}> ()\n two = Constant <value = int64 {2}> ()\n"
                            " y, a = Loop (n, , x) <body = b (int64 i, bool k, float[2] p) => (k, q, q) {\n"
                            "   m = Mod (i, two)\n odd = Cast <to = 9> (m)\n"
                            "   q = If (odd) <then_branch = t () => (u) { u = Mul (p, p) }, else_branch = e () => (v) { w = Add "
                            "(p, x) v = Neg (w) }> }> }",
               .n_inputs = 1,
               .n_outputs = 2,
               .inputs = {view_of(x, OB_FLOAT, 1, 2)},
               .outputs = {{1, {2}, {25, 324}}, {2, {4, 2}, {-2, -4, 4, 16, -5, -18, 25, 324}}}};
    expect_case(&c);
}

/* ---- Scan ---- */

static void test_scan(void **state) {
    (void)state;
    float s[] = {0, 0}, x[] = {1, 2, 3, 4, 5, 6}, z[] = {10, 20, 30};
    /* x by columns from its end, z from its start; stacked along axis 1, and along axis 0 from the end */
    case_ c = {
        .text = HEAD
        "g (float[2] s, float[2, 3] x, float[3] z) => (float[2] y, float[2, 3] a, float[3, 2] b) {\n"
        " y, a, b = Scan <num_scan_inputs = 2, scan_input_axes = [1, 0], scan_input_directions = [1, 0],\n"
        "   scan_output_axes = [-1, 0], scan_output_directions = [0, 1],\n"
        "   body = b (float[2] p, float[2] c, float d) => (q, q, r) { t = Add (c, d) q = Add (p, t) r = Neg (c) }> (s, x, z) }",
        .n_inputs = 3,
        .n_outputs = 3,
        .inputs = {view_of(s, OB_FLOAT, 1, 2), view_of(x, OB_FLOAT, 2, 2, 3), view_of(z, OB_FLOAT, 1, 3)},
        .outputs = {{1, {2}, {66, 75}}, {2, {2, 3}, {13, 35, 66, 16, 41, 75}}, {2, {3, 2}, {-1, -4, -2, -5, -3, -6}}}};
    expect_case(&c);
}

/* Version 8: sequences of a batch, each with its own state and length. */
static void test_scan_8(void **state) {
    (void)state;
    int64_t lengths[] = {3, 1};
    float s[] = {100, 200}, x[] = {1, 2, 3, 4, 5, 6};
    case_ c = {.text = "<ir_version: 8, opset_import: [\"\" : 8]>\n"
                       "g (int64[2] n, float[2, 1] s, float[2, 3, 1] x) => (float[2, 1] y, float[2, 3, 1] a) {\n"
                       " y, a = Scan <num_scan_inputs = 1, body = b (float[1] p, float[1] c) => (q, r) { q = Add (p, c) r = Neg "
                       "(q) }> (n, s, x) }",
               .n_inputs = 3,
               .n_outputs = 2,
               .inputs = {view_of(lengths, OB_INT64, 1, 2), view_of(s, OB_FLOAT, 2, 2, 1), view_of(x, OB_FLOAT, 3, 2, 3, 1)},
               .outputs = {{2, {2, 1}, {106, 204}}, {3, {2, 3, 1}, {-101, -103, -106, -204, 0, 0}}}};
    expect_case(&c);
}

/* ---- Memory ---- */

/* A million steps use the memory of one, and a second run of the session allocates none. */
static void test_flat(void **state) {
    (void)state;
    static const char text[] = HEAD "g (int64 n, float[2] x) => (float[2] y) {\n"
                                    " y = Loop (n, , x) <body = b (int64 i, bool k, float[2] p) => (k, q) { half = Constant "
                                    "<value = float[1] {0.5}> () h = Mul (p, half) q = Add (h, x) }> }";
    ob_model *model = read_text(text);
    counter count = {0};
    ob_allocator allocator = counting(&count);
    ob_session_config config;
    ob_session_config_init(&config);
    config.allocator = &allocator;
    ob_session *session = NULL;
    int64_t n = 1;
    float x[] = {1, 3};
    ob_view in[] = {view_of(&n, OB_INT64, 0), view_of(x, OB_FLOAT, 1, 2)}, out[1] = {{0}};
    ob_error error;
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_OK);
    run_ok(session, in, 2, out, 1);
    size_t n_calls = count.n_calls;
    n = 1000000;
    memset(out, 0, sizeof out);
    run_ok(session, in, 2, out, 1);
    assert_int_equal(count.n_calls, n_calls);
    expect_floats(&out[0], (float[]){2, 6}, 2);
    ob_session_close(&session);
    ob_model_close(&model);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if),         cmocka_unit_test(test_if_known),    cmocka_unit_test(test_loop_state),
        cmocka_unit_test(test_loop_stops), cmocka_unit_test(test_loop_stacks), cmocka_unit_test(test_if_in_loop),
        cmocka_unit_test(test_scan),       cmocka_unit_test(test_scan_8),      cmocka_unit_test(test_flat)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
