/* Convolutions with constant weights, which a session packs: the bits are those of the weights in place, for random shapes,
 * groups and types, with one thread and with two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/graph/types.h"
#include "kernels/kernels.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "session_case.h"

typedef struct conv_case {
    const char *op;
    ob_dtype dtype;
    int32_t rank;
    int64_t batch, groups, channels, out_channels; /* of a group */
    int64_t size[3], kernel[3], stride[3], pads[6];
    bool bias;
    ob_dtype w_dtype;      /* ConvInteger */
    bool zeros;            /* it has zero points */
    unsigned char zero[2]; /* of x and w, of any sign */
} conv_case;

static int64_t pick(int64_t n) {
    return rand() % n;
}

/* Mostly many products and output channels, because only those are packed. */
static conv_case draw_case(void) {
    static const ob_dtype types[] = {OB_FLOAT, OB_FLOAT, OB_DOUBLE, OB_FLOAT16, OB_BFLOAT16};
    conv_case c = {.op = "Conv", .dtype = types[pick(5)], .rank = 1 + (int32_t)pick(3), .batch = 1 + pick(2), .bias = pick(2)};
    int64_t n_kernel = 1;
    const bool point = pick(3) == 0;
    for (int32_t a = 0; a < c.rank; a++) {
        c.kernel[a] = point ? 1 : 1 + pick(3);
        c.stride[a] = point && pick(2) ? 1 : 1 + pick(2);
        c.size[a] = c.kernel[a] + pick(c.rank == 1 ? 300 : c.rank == 2 ? 20 : 6);
        c.pads[a] = point ? 0 : pick(c.kernel[a]);
        c.pads[c.rank + a] = point ? 0 : pick(c.kernel[a]);
        n_kernel *= c.kernel[a];
    }
    c.groups = pick(3) ? 1 : 1 + pick(3);
    c.channels = 1 + pick(pick(3) ? 300 / n_kernel + 1 : 8);
    c.out_channels = 1 + pick(150);
    if (pick(4) == 0) {
        c.op = "ConvInteger";
        c.dtype = pick(2) ? OB_INT8 : OB_UINT8;
        c.w_dtype = pick(2) ? OB_INT8 : OB_UINT8;
        c.zeros = pick(3);
        c.zero[0] = (unsigned char)pick(256);
        c.zero[1] = (unsigned char)(pick(3) ? c.w_dtype == OB_UINT8 ? 128 : 0 : pick(256));
        c.bias = false;
    }
    return c;
}

static void *draw_elements(ob_dtype dtype, int64_t n) {
    const size_t width = ob_dtype_size(dtype);
    char *data = malloc((size_t)n * width);
    assert_non_null(data);
    for (int64_t i = 0; i < n; i++) {
        const float v = (float)pick(2001) / 1000 - 1;
        if (width == 1)
            data[i] = (char)pick(256);
        else if (dtype == OB_DOUBLE)
            ((double *)(void *)data)[i] = (double)v / 3;
        else if (dtype == OB_FLOAT)
            ((float *)(void *)data)[i] = v / 3;
        else
            OBK_LOOPS(convert)[dtype][OB_FLOAT](data + (size_t)i * width, &v, 1);
    }
    return data;
}

static int64_t count_of(const int64_t *dims, int32_t rank) {
    int64_t n = 1;
    for (int32_t a = 0; a < rank; a++) n *= dims[a];
    return n;
}

static ob_dtype w_type(const conv_case *c) {
    return c->w_dtype ? c->w_dtype : c->dtype;
}

static ob_model *build(const conv_case *c, void *w, void *bias, const int64_t *x_dims) {
    int64_t w_dims[5] = {c->groups * c->out_channels, c->channels};
    char shape[100] = "";
    for (int32_t a = 0; a < c->rank + 2; a++) snprintf(shape + strlen(shape), 20, "%s%lld", a ? " " : "", (long long)x_dims[a]);
    for (int32_t a = 0; a < c->rank; a++) w_dims[2 + a] = c->kernel[a];
    ob_model *model = new_model(22);
    ob_value *x = new_input(model, "x", c->dtype, shape), *of_w = new_weight(model, "w", w_type(c), c->rank + 2, w_dims, w),
             *of_bias = c->bias ? new_weight(model, "b", c->dtype, 1, w_dims, bias) : NULL;
    const int64_t scalar[1] = {1};
    ob_value *x_zero = c->zeros ? new_weight(model, "x_zero", c->dtype, 0, scalar, &c->zero[0]) : NULL,
             *w_zero = c->zeros ? new_weight(model, "w_zero", c->w_dtype, 0, scalar, &c->zero[1]) : NULL;
    ob_value *y = c->zeros ? new_node(model, c->op, "y", 4, x, of_w, x_zero, w_zero)
                           : new_node(model, c->op, "y", c->bias ? 3 : 2, x, of_w, of_bias);
    assert_true(ob__node_set_ints(y->producer, "strides", c->stride, (uint32_t)c->rank));
    assert_true(ob__node_set_ints(y->producer, "pads", c->pads, 2 * (uint32_t)c->rank));
    assert_true(ob__node_set_int(y->producer, "group", c->groups));
    new_output(model, y);
    return model;
}

static uint64_t run_case(const ob_model *model, bool in_place, int threads, const ob_view *x, ob_view *y) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_memory memory;
    ob_session_config_init(&config);
    config.constants_in_place = in_place;
    config.n_threads = threads;
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
    run_ok(session, x, 1, y, 1);
    ob_session_get_memory(session, &memory);
    ob_session_close(&session);
    return memory.constant_bytes;
}

/* True if the weights were packed. */
static bool check_case(const conv_case *c) {
    int64_t dims[5] = {c->batch, c->groups * c->channels}, y_dims[5] = {c->batch, c->groups * c->out_channels};
    for (int32_t a = 0; a < c->rank; a++) {
        dims[2 + a] = c->size[a];
        y_dims[2 + a] = (c->size[a] + c->pads[a] + c->pads[c->rank + a] - c->kernel[a]) / c->stride[a] + 1;
    }
    const ob_dtype out = ob_dtype_size(c->dtype) == 1 ? OB_INT32 : c->dtype;
    const int64_t n_y = count_of(y_dims, c->rank + 2), n_w = y_dims[1] * c->channels * count_of(c->kernel, c->rank);
    void *data = draw_elements(c->dtype, count_of(dims, c->rank + 2)), *w = draw_elements(w_type(c), n_w),
         *bias = draw_elements(c->dtype, y_dims[1]);
    char *y[3];
    ob_model *model = build(c, w, bias, dims);
    uint64_t constants[3];
    for (int i = 0; i < 3; i++) { /* in place; packed, with one thread and with two */
        ob_view in, to;
        y[i] = malloc((size_t)n_y * ob_dtype_size(out));
        assert_non_null(y[i]);
        assert_int_equal(ob_view_init(&in, data, c->dtype, c->rank + 2, dims), OB_OK);
        assert_int_equal(ob_view_init(&to, y[i], out, c->rank + 2, y_dims), OB_OK);
        constants[i] = run_case(model, i == 0, i < 2 ? 1 : 2, &in, &to);
        assert_memory_equal(y[i], y[0], (size_t)n_y * ob_dtype_size(out));
    }
    for (int i = 0; i < 3; i++) free(y[i]);
    free(data);
    free(w);
    free(bias);
    ob_model_close(&model);
    return constants[1] > constants[0];
}

static void random_convolutions(void **state) {
    (void)state;
    const unsigned levels[] = {0, OBK_ISA_AVX2, OBK_ISA_AVX2 | OBK_ISA_DOT8, ~0u & ~OBK_ISA_DOT8, ~0u};
    int n_packed[5] = {0};
    srand(11);
    for (int round = 0; round < 500; round++) {
        const conv_case c = draw_case();
        ob__kernels_limit(levels[round % 5]);
        n_packed[round % 5] += check_case(&c);
    }
    ob__kernels_limit(~0u);
    for (int level = 0; level < 5; level++) assert_true(n_packed[level] > 30);
}

/* Enough work for parts of the output channels, which share a copy of the input. */
static void few_blocks_and_two_threads(void **state) {
    (void)state;
    const conv_case cases[] = {
        {"Conv", OB_FLOAT, 2, 1, 1, 256, 320, {7, 7}, {3, 3}, {1, 1}, {1, 1, 1, 1}, true, OB_NONE, false, {0}},
        {"Conv", OB_FLOAT, 2, 3, 1, 256, 320, {16, 16}, {1, 1}, {1, 1}, {0}, true, OB_NONE, false, {0}}, /* copied: the pitch is a
                                                                                                            power of 2 */
        {"Conv", OB_FLOAT, 2, 1, 2, 128, 200, {15, 14}, {3, 3}, {2, 2}, {1, 1, 1, 1}, false, OB_NONE, false, {0}},
        {"ConvInteger", OB_UINT8, 2, 1, 1, 255, 320, {9, 9}, {3, 3}, {1, 1}, {1, 1, 1, 1}, false, OB_NONE, false, {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) assert_true(check_case(&cases[i]));
}

static void expect_same(const ob_view *a, const ob_view *b) {
    assert_int_equal(ob_view_count(a), ob_view_count(b));
    assert_memory_equal(a->data, b->data, (size_t)ob_view_count(a) * sizeof(float));
}

/* Weights that the model computes: of the packed ones only the packed form is kept, unless something else reads them. A plan for
 * other strides, and a worker, have the same bits. */
static void computed_weights(void **state) {
    (void)state;
    enum { N = 64 * 14 * 14, WEIGHTS = 96 * 64 * 9 * 4 };
    static const char text[] =
        "<ir_version: 8, opset_import: [\"\" : 13]>\ng (float[1, 64, 14, 14] x) => (float[1, 96, 14, 14] y%s)\n"
        "<int64[4] s = {96, 64, 3, 3}> {\n w = ConstantOfShape <value = float[1] {0.25}> (s)\n"
        " c = Conv <pads = [1, 1, 1, 1]> (x, w)\n y = Relu (c)\n%s}";
    static float x[N], turned[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 13) - 6;
    for (int c = 0; c < 64; c++)
        for (int i = 0; i < 14 * 14; i++) turned[i * 64 + c] = x[c * 14 * 14 + i];
    for (int others = 0; others < 3; others++) { /* no other reader; an output; a view of it */
        char whole[1024];
        snprintf(whole, sizeof whole, text,
                 others == 0   ? ""
                 : others == 1 ? ", float[96, 64, 3, 3] w"
                               : ", float[9, 6144] v",
                 others < 2 ? "" : " t = Constant <value_ints = [9, 6144]> ()\n v = Reshape (w, t)\n");
        ob_model *model = NULL;
        ob_error error;
        assert_int_equal(ob_model_load_memory(whole, strlen(whole), "computed", NULL, &model, &error), OB_OK);
        ob_view in = view_of(x, OB_FLOAT, 4, 1, 64, 14, 14), want[2] = {{0}}, is[2] = {{0}};
        const size_t n = others ? 2 : 1;
        ob_session *plain = open_session(model, false), *session = open_session(model, true);
        ob_session_memory memory;
        run_ok(plain, &in, 1, want, n);
        ob_session_get_memory(session, &memory);
        const bool packs = session->prepared != NULL;
        if (packs && !others) assert_true(memory.constant_bytes < WEIGHTS * 3 / 2);
        if (packs && others) assert_true(memory.constant_bytes >= 2 * WEIGHTS);
        run_ok(session, &in, 1, is, n);
        for (size_t i = 0; i < n; i++) expect_same(&is[i], &want[i]);
        ob_worker *worker = NULL;
        assert_int_equal(ob_worker_create(session, NULL, &worker, &error), OB_OK);
        ob_view other = view_of(turned, OB_FLOAT, 4, 1, 64, 14, 14);
        other.strides[1] = 4;
        other.strides[2] = 14 * 64 * 4;
        other.strides[3] = 64 * 4;
        memset(is, 0, sizeof is);
        run_ok(session, &other, 1, is, n);
        for (size_t i = 0; i < n; i++) expect_same(&is[i], &want[i]);
        ob_session_memory after;
        ob_session_get_memory(session, &after);
        assert_int_equal(after.n_plans, 2);
        assert_int_equal(after.constant_bytes, memory.constant_bytes);
        memset(is, 0, sizeof is);
        assert_int_equal(ob_worker_run(worker, &in, 1, is, n, &error), OB_OK);
        for (size_t i = 0; i < n; i++) expect_same(&is[i], &want[i]);
        ob_worker_close(&worker);
        ob_session_close(&plain);
        ob_session_close(&session);
        ob_model_close(&model);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(random_convolutions), cmocka_unit_test(computed_weights),
                                              cmocka_unit_test(few_blocks_and_two_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
