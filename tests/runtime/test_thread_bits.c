/* The bits of a result do not depend on the number of threads: every operator that divides its work, with sizes at which the
 * parts are unequal. (ONNX's node tests and the real models: conformance.) */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "build_model.h"
#include "onnx_broadcast/onnx_broadcast.h"

typedef struct row {
    const char *name, *graph; /* the graph in ONNX's text form, every size a number */
    int opset;
} row;

static const row rows[] = {
    {"MatMul, few rows", "(float[9,512] a, float[512,512] b) => (float[9,512] y) { y = MatMul(a, b) }", 13},
    {"MatMul, one row", "(float[1,700] a, float[700,2049] b) => (float[1,2049] y) { y = MatMul(a, b) }", 13},
    {"MatMul, one column", "(float[2049,700] a, float[700] b) => (float[2049] y) { y = MatMul(a, b) }", 13},
    {"MatMul, two rows", "(float[2,513] a, float[513,770] b) => (float[2,770] y) { y = MatMul(a, b) }", 13},
    {"MatMul, many rows", "(float[3,333,65] a, float[65,129] b) => (float[3,333,129] y) { y = MatMul(a, b) }", 13},
    {"MatMul, many products", "(float[24,17,64] a, float[24,64,17] b) => (float[24,17,17] y) { y = MatMul(a, b) }", 13},
    {"MatMul, rows of vectors", "(float[31,1,256] a, float[31,256,200] b) => (float[31,1,200] y) { y = MatMul(a, b) }", 13},
    {"MatMul, transposed",
     "(float[4,100,60] a, float[4,90,60] b) => (float[4,100,90] y) { t = Transpose<perm = [0, 2, 1]>(b) y = MatMul(a, t) }", 13},
    {"MatMul, double", "(double[9,512] a, double[512,300] b) => (double[9,300] y) { y = MatMul(a, b) }", 13},
    {"MatMul, float16", "(float16[9,256] a, float16[256,300] b) => (float16[9,300] y) { y = MatMul(a, b) }", 13},
    {"Gemm", "(float[9,512] a, float[512,512] b, float[512] c) => (float[9,512] y) { y = Gemm(a, b, c) }", 13},
    {"Gemm, transposed",
     "(float[300,65] a, float[511,300] b, float[65,1] c) => (float[65,511] y) { y = Gemm<transA = 1, transB = 1, alpha = 0.5>(a, "
     "b, c) }",
     13},
    {"Conv 3x3, a last block of one",
     "(float[1,64,13,5] x, float[64,64,3,3] w, float[64] b) => (float[1,64,13,5] y) { y = Conv<pads = [1, 1, 1, 1]>(x, w, b) }",
     11},
    {"Conv 1x1", "(float[2,48,27,31] x, float[96,48,1,1] w) => (float[2,96,27,31] y) { y = Conv(x, w) }", 11},
    {"Conv 5x5, strided", "(float[1,3,67,61] x, float[24,3,5,5] w) => (float[1,24,32,29] y) { y = Conv<strides = [2, 2]>(x, w) }",
     11},
    {"Conv, groups", "(float[1,24,33,17] x, float[36,6,3,3] w) => (float[1,36,31,15] y) { y = Conv<group = 4>(x, w) }", 11},
    {"Conv, depthwise",
     "(float[1,37,45,33] x, float[37,1,3,3] w) => (float[1,37,45,33] y) { y = Conv<group = 37, pads = [1, 1, 1, 1]>(x, w) }", 11},
    {"Conv, one axis", "(float[1,40,301] x, float[128,40,5] w) => (float[1,128,297] y) { y = Conv(x, w) }", 11},
    {"Conv, one output channel", "(float[1,32,40,40] x, float[1,32,3,3] w) => (float[1,1,38,38] y) { y = Conv(x, w) }", 11},
    {"Conv 3x3, few channels", "(float[1,16,57,55] x, float[64,16,3,3] w) => (float[1,64,55,53] y) { y = Conv(x, w) }", 11},
    {"MatMul, two halves of the rows", "(float[51,250] a, float[250,140] b) => (float[51,140] y) { y = MatMul(a, b) }", 13},
    {"LRN", "(float[1,96,27,25] x) => (float[1,96,27,25] y) { y = LRN<size = 5>(x) }", 13},
    {"Concat", "(float[1,3,101,107] a, float[1,5,101,107] b) => (float[1,8,101,107] y) { y = Concat<axis = 1>(a, b) }", 13},
    {"Concat of slices",
     "(float[1,3,202,211] a) => (float[1,6,101,211] y) { z = Constant<value = int64[1] {0}>() o = Constant<value = int64[1] "
     "{1}>() "
     "e = Constant<value = int64[1] {202}>() t = Constant<value = int64[1] {2}>() p = Slice(a, z, e, t, t) q = Slice(a, o, e, t, "
     "t) y = Concat<axis = 1>(p, q) }",
     13},
    {"Transpose", "(float[3,211,217] x) => (float[217,3,211] y) { y = Transpose<perm = [2, 0, 1]>(x) }", 13},
    {"Transpose, 16 bits", "(float16[2,411,517] x) => (float16[517,411,2] y) { y = Transpose<perm = [2, 1, 0]>(x) }", 13},
    {"Tile", "(float[3,101,97] x) => (float[6,303,97] y) { r = Constant<value = int64[3] {2, 3, 1}>() y = Tile(x, r) }", 13},
    {"DepthToSpace", "(float[1,36,57,53] x) => (float[1,4,171,159] y) { y = DepthToSpace<blocksize = 3>(x) }", 13},
    {"ConvTranspose",
     "(float[1,16,20,21] x, float[16,12,3,3] w) => (float[1,12,41,43] y) { y = ConvTranspose<strides = [2, 2]>(x, w) }", 11},
    {"ConvTranspose, columns beyond the caches",
     "(float[1,8,28,28] x, float[8,32,4,4] w) => (float[1,32,56,56] y) { y = ConvTranspose<strides = [2, 2], pads = [1, 1, 1, "
     "1]>(x, w) }",
     11},
    {"LSTM",
     "(float[19,5,40] x, float[2,256,40] w, float[2,256,64] r) => (float[19,2,5,64] y) { y = LSTM<hidden_size = 64, direction = "
     "\"bidirectional\">(x, w, r) }",
     14},
    {"GRU",
     "(float[19,5,40] x, float[1,192,40] w, float[1,192,64] r) => (float[19,1,5,64] y) { y = GRU<hidden_size = 64>(x, w, r) }",
     14},
    {"RNN",
     "(float[19,1,40] x, float[1,64,40] w, float[1,64,64] r) => (float[19,1,1,64] y) { y = RNN<hidden_size = 64>(x, w, r) }", 14},
    {"Softmax", "(float[7,12,129,131] x) => (float[7,12,129,131] y) { y = Softmax<axis = -1>(x) }", 13},
    {"LogSoftmax, an outer axis", "(float[3,12,129,31] x) => (float[3,12,129,31] y) { y = LogSoftmax<axis = 1>(x) }", 13},
    {"ReduceSum of all", "(float[33,65,129] x) => (float[1,1,1] y) { y = ReduceSum(x) }", 13},
    {"ReduceSum, last axis", "(float[333,1025] x) => (float[333] y) { y = ReduceMean<axes = [1], keepdims = 0>(x) }", 13},
    {"ReduceSum, first axis", "(float[1025,333] x) => (float[333] y) { y = ReduceMean<axes = [0], keepdims = 0>(x) }", 13},
    {"ReduceL2, outer and inner axes", "(float[33,65,129] x) => (float[65] y) { y = ReduceL2<axes = [0, 2], keepdims = 0>(x) }",
     13},
    {"ReduceLogSumExp", "(float[3,65537] x) => (float[3] y) { y = ReduceLogSumExp<axes = [1], keepdims = 0>(x) }", 13},
    {"ArgMax", "(float[33,65,129] x) => (int64[33,129] y) { y = ArgMax<axis = 1, keepdims = 0>(x) }", 13},
    {"CumSum", "(float[65,1290] x) => (float[65,1290] y) { a = Constant<value = int64[1] {1}>() y = CumSum(x, a) }", 14},
    {"LayerNormalization",
     "(float[99,770] x, float[770] s, float[770] b) => (float[99,770] y) { y = LayerNormalization(x, s, b) }", 17},
    {"InstanceNormalization",
     "(float[3,17,41,43] x, float[17] s, float[17] b) => (float[3,17,41,43] y) { y = InstanceNormalization(x, s, b) }", 6},
    {"BatchNormalization",
     "(float[3,17,41,43] x, float[17] s, float[17] b, float[17] m, float[17] v) => (float[3,17,41,43] y) { a = Abs(v) y = "
     "BatchNormalization(x, s, b, m, a) }",
     15},
    {"Attention",
     "(float[2,6,131,20] q, float[2,3,67,20] k, float[2,3,67,9] v) => (float[2,6,131,9] y) { y = Attention<is_causal = 1>(q, k, "
     "v) "
     "}",
     23},
    {"Attention of one block", "(float[3,5,19,20] q, float[3,5,67,20] k) => (float[3,5,19,20] y) { y = Attention(q, k, k) }", 23},
    {"LinearAttention",
     "(float[3,17,120] q, float[3,17,60] k, float[3,17,35] v, float[3,17,60] d, float[3,17,5] b) => (float[3,17,70] y, "
     "float[3,5,12,7] s) { y, s = LinearAttention<q_num_heads = 10, kv_num_heads = 5>(q, k, v, , d, b) }",
     27},
    {"LRN", "(float[1,33,41,43] x) => (float[1,33,41,43] y) { y = LRN<size = 5>(x) }", 13},
    {"LpNormalization", "(float[133,410] x) => (float[133,410] y) { y = LpNormalization(x) }", 1},
    {"Resize, linear",
     "(float[2,3,111,97] x) => (float[2,3,222,194] y) { s = Constant<value = float[4] {1, 1, 2, 2}>() y = Resize<mode = "
     "\"linear\">(x, , s) }",
     13},
    {"Resize, cubic, float16",
     "(float16[3,111,97] x) => (float16[3,333,40] y) { s = Constant<value = int64[3] {3, 333, 40}>() y = Resize<mode = "
     "\"cubic\">(x, , , s) }",
     13},
    {"Resize, nearest",
     "(float[2,3,111,97] x) => (float[2,3,333,194] y) { s = Constant<value = float[4] {1, 1, 3, 2}>() y = Resize(x, , s) }", 13},
    {"MaxPool, large",
     "(float[5,17,41,43] x) => (float[5,17,41,43] y) { y = MaxPool<kernel_shape = [13, 13], pads = [6, 6, 6, 6]>(x) }", 12},
    {"MaxPool, Indices",
     "(float[3,17,41,43] x) => (float[3,17,20,21] y, int64[3,17,20,21] i) { y, i = MaxPool<kernel_shape = [2, 2], strides = [2, "
     "2]>(x) "
     "}",
     12},
    {"Conv, one image, many output channels",
     "(float[1,64,13,13] x, float[193,64,3,3] w) => (float[1,193,13,13] y) { y = Conv<pads = [1, 1, 1, 1]>(x, w) }", 11},
    {"MaxPool", "(float[3,17,41,43] x) => (float[3,17,40,42] y) { y = MaxPool<kernel_shape = [2, 2]>(x) }", 12},
    {"AveragePool",
     "(float[3,17,41,43] x) => (float[3,17,41,43] y) { y = AveragePool<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(x) }", 11},
    {"GlobalAveragePool", "(float[3,170,41,43] x) => (float[3,170,1,1] y) { y = GlobalAveragePool(x) }", 1},
    {"LpPool", "(float[3,17,41,43] x) => (float[3,17,40,42] y) { y = LpPool<kernel_shape = [2, 2]>(x) }", 11},
    {"Resize",
     "(float[1,5,61,67] x) => (float[1,5,122,134] y) { s = Constant<value = float[4] {1, 1, 2, 2}>() y = Resize<mode = "
     "\"linear\">(x, , s) }",
     13},
    {"Exp, Erf, Tanh, Pow",
     "(float[131,1031] x, float[1031] p) => (float[131,1031] y) { e = Exp(x) f = Erf(e) t = Tanh(f) a = Abs(t) y = Pow(a, p) }",
     13},
    {"Add, broadcast", "(float[65,1,131] x, float[1,67,1] b) => (float[65,67,131] y) { y = Add(x, b) }", 13},
    {"Sum of three", "(float[65,1,131] x, float[1,67,1] b, float[131] c) => (float[65,67,131] y) { y = Sum(x, b, c) }", 13},
    {"QuantizeLinear, DequantizeLinear",
     "(float[65,1031] x) => (float[65,1031] y) { s = Constant<value = float {0.01}>() z = Constant<value = uint8 {128}>() q = "
     "QuantizeLinear(x, s, z) y = DequantizeLinear(q, s, z) }",
     13},
    {"QLinearConv",
     "(float[2,6,67,61] x, float[24,6,5,5] w) => (uint8[2,24,32,29] y) { s = Constant<value = float {0.01}>() z = Constant<value "
     "= "
     "uint8 {128}>() t = Constant<value = float {9}>() a = QuantizeLinear(x, s, z) b = QuantizeLinear(w, s, z) y = "
     "QLinearConv<strides = [2, 2]>(a, s, z, b, s, z, t, z) }",
     13},
    {"QLinearMatMul",
     "(float[3,133,65] x, float[65,529] w) => (uint8[3,133,529] y) { s = Constant<value = float {0.01}>() z = Constant<value = "
     "uint8 {128}>() t = Constant<value = float {9}>() a = QuantizeLinear(x, s, z) b = QuantizeLinear(w, s, z) y = "
     "QLinearMatMul(a, s, z, b, s, z, t, z) }",
     13},
    {"MatMulInteger",
     "(float[33,129] x, float[129,257] w) => (int32[33,257] y) { a = Cast<to = 3>(x) b = Cast<to = 3>(w) y = MatMulInteger(a, b) "
     "}",
     13},
};

/* The host changes the rounding mode after its session, with its threads, was made. */
static const row rounded = {"Mul, rounded upwards",
                            "(float[129,1,131] x, float[1,135,1] b) => (float[129,135,131] y) { y = Mul(x, b) }", 13};

static int rounding_of(const row *r) {
    return r == &rounded ? FE_UPWARD : FE_TONEAREST;
}

static ob_model *read_row(const row *r) {
    char text[2000];
    ob_model *model = NULL;
    ob_error error;
    int n = snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : %d]>\ng %s\n", r->opset, r->graph);
    assert_in_range(n, 1, sizeof text - 1);
    if (ob_model_load_memory(text, (size_t)n, r->name, NULL, &model, &error) != OB_OK) fail_msg("%s: %s", r->name, error.message);
    return model;
}

/* Numbers without a pattern that could hide errors of the division. */
static void fill(ob_view *view, uint64_t seed) {
    int64_t n = ob_view_count(view);
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double value = (double)(seed >> 40) / (1 << 22) - 2;
        if (view->dtype == OB_DOUBLE)
            ((double *)view->data)[i] = value;
        else if (view->dtype == OB_FLOAT16) /* magnitudes from 1 to 2, both signs */
            ((uint16_t *)view->data)[i] = (uint16_t)((seed >> 48 & 0x83ff) | 0x3c00);
        else
            ((float *)view->data)[i] = (float)value;
    }
}

enum { MAX_INPUTS = 5 };

/* Runs with this number of threads; NULL if the build has only one. */
static ob_session *run_with(const ob_model *model, const row *r, int n_threads, const ob_view *inputs, size_t n, ob_view *out) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config_init(&config);
    config.n_threads = n_threads;
    ob_status status = ob_session_create(model, &config, &session, &error);
    if (status == OB_E_UNSUPPORTED && n_threads > 1) return NULL; /* built without threads */
    if (status != OB_OK) fail_msg("%s: %s", r->name, error.message);
    *out = (ob_view){0};
    fesetround(rounding_of(r)); /* the threads exist already */
    status = ob_session_run(session, inputs, n, out, 1, &error);
    fesetround(FE_TONEAREST);
    if (status != OB_OK) fail_msg("%s: %s", r->name, error.message);
    return session;
}

static bool same(const ob_view *a, const ob_view *b) {
    return memcmp(a->data, b->data, (size_t)ob_view_count(a) * ob_dtype_size(a->dtype)) == 0;
}

static void check_row(const row *r, int *n_wrong) {
    ob_model *model = read_row(r);
    ob_view inputs[MAX_INPUTS] = {{0}}, want, is;
    ob_session *alone = NULL;
    ob_error error;
    assert_int_equal(ob_session_create(model, NULL, &alone, &error), OB_OK);
    size_t n = ob_session_input_count(alone);
    assert_in_range(n, 1, MAX_INPUTS);
    for (size_t i = 0; i < n; i++) {
        ob_session_value info = {0};
        assert_true(ob_session_input(alone, i, &info));
        int64_t count = 1;
        for (int32_t k = 0; k < info.shape.rank; k++) count *= info.shape.dims[k];
        void *data = malloc((size_t)count * ob_dtype_size(info.dtype));
        assert_non_null(data);
        assert_int_equal(ob_view_init(&inputs[i], data, info.dtype, info.shape.rank, info.shape.dims), OB_OK);
        fill(&inputs[i], i + 1);
    }
    ob_session_close(&alone);
    alone = run_with(model, r, 1, inputs, n, &want);
    for (int n_threads = 2; n_threads <= 5; n_threads++) {
        ob_session *session = run_with(model, r, n_threads, inputs, n, &is);
        if (session && !same(&is, &want))
            print_error("%s: %d threads give other bits than one\n", r->name, n_threads), ++*n_wrong;
        ob_session_close(&session);
    }
    if (r == &rounded) {
        ob_session *nearest = run_with(model, &rows[0], 1, inputs, n, &is);
        assert_false(same(&is, &want)); /* otherwise the test shows nothing */
        ob_session_close(&nearest);
    }
    ob_worker *worker = NULL;
    assert_int_equal(ob_worker_create(alone, NULL, &worker, &error), OB_OK);
    is = (ob_view){0};
    fesetround(rounding_of(r));
    ob_status status = ob_worker_run(worker, inputs, n, &is, 1, &error);
    fesetround(FE_TONEAREST);
    assert_int_equal(status, OB_OK);
    if (!same(&is, &want)) print_error("%s: a worker gives other bits\n", r->name), ++*n_wrong;
    ob_worker_close(&worker);
    ob_session_close(&alone);
    for (size_t i = 0; i < n; i++) free(inputs[i].data);
    ob_model_close(&model);
}

static void bits_do_not_follow_threads(void **state) {
    (void)state;
    int n_wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) check_row(&rows[i], &n_wrong);
    check_row(&rounded, &n_wrong);
    assert_int_equal(n_wrong, 0);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(bits_do_not_follow_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
