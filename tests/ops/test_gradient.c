/* Gradient: every row of the derivatives compared with differences of two runs, in double precision; and its edits of the
 * graph. */
#include <math.h>
#include <stdlib.h>

#include "model_text.h"
#include "ops/body/derivative.h"

enum { MAX_INPUTS = 5, MAX_RESULTS = 12, MAX_ELEMENTS = 200 };

#define HEAD(opset)                                                                                                              \
    "<ir_version: 10, opset_import: [\"\" : " #opset ", \"ai.onnx.preview.training\" : 1, \"onnx_broadcast\" : 1]>\n"

/* ---- Running ---- */

typedef struct run {
    ob_model *model;
    ob_session *session;
    double in[MAX_INPUTS][MAX_ELEMENTS];
    ob_view views[MAX_INPUTS], out[MAX_RESULTS];
    size_t n_in, n_out;
} run;

/* Distinct numbers between low and high, unordered. */
static double number(double low, double high, int64_t i, size_t salt) {
    return low + (high - low) * (double)((i * 37 + (int64_t)salt * 29 + 5) % 101 + 1) / 103;
}

/* A symbol K is 1, L 2 ... */
static int64_t size_of(const ob_dims *dims, ob_dim size) {
    char name[8];
    ob_dim_format(dims, size, name, sizeof name);
    return ob_dim_is_const(size) ? size : name[0] - 'K' + 1;
}

static void open_run(run *r, const char *text, bool optimize, double low, double high) {
    ob_session_config config;
    ob_error error;
    memset(r, 0, sizeof *r);
    r->model = read_text(text);
    ob_session_config_init(&config);
    config.optimize = optimize;
    if (ob_session_create(r->model, &config, &r->session, &error) != OB_OK)
        fail_msg("%s\n%s: %s", text, error.node, error.message);
    r->n_in = ob_session_input_count(r->session);
    r->n_out = ob_session_output_count(r->session);
    assert_true(r->n_in <= MAX_INPUTS && r->n_out <= MAX_RESULTS);
    for (size_t i = 0; i < r->n_in; i++) {
        ob_session_value info;
        int64_t dims[8];
        assert_true(ob_session_input(r->session, i, &info) && info.dtype == OB_DOUBLE && info.shape.rank <= 8);
        for (int32_t k = 0; k < info.shape.rank; k++) dims[k] = size_of(ob_session_dims(r->session), info.shape.dims[k]);
        assert_int_equal(ob_view_init(&r->views[i], r->in[i], OB_DOUBLE, info.shape.rank, dims), OB_OK);
        assert_true(ob_view_count(&r->views[i]) <= MAX_ELEMENTS);
        for (int64_t k = 0; k < ob_view_count(&r->views[i]); k++) r->in[i][k] = number(low, high, k, i);
    }
}

static void close_run(run *r) {
    ob_session_close(&r->session);
    ob_model_close(&r->model);
}

static void compute(run *r) {
    ob_error error;
    memset(r->out, 0, sizeof r->out);
    if (ob_session_run(r->session, r->views, r->n_in, r->out, r->n_out, &error) != OB_OK)
        fail_msg("%s: %s", error.node, error.message);
}

static double sum(const ob_view *view) {
    double total = 0;
    assert_int_equal(view->dtype, OB_DOUBLE);
    for (int64_t i = 0; i < ob_view_count(view); i++) total += ((const double *)view->data)[i];
    return total;
}

/* Output 0 is y, output 1 + i its gradient by input i. */
static void compare_differences(const char *name, run *r, bool narrow) {
    const double step = narrow ? 1e-2 : 1e-5, allowed = narrow ? 2e-3 : 2e-7;
    double got[MAX_INPUTS][MAX_ELEMENTS];
    compute(r);
    for (size_t i = 0; i + 1 < r->n_out; i++) {
        const ob_view *d = &r->out[1 + i];
        if (d->rank != r->views[i].rank || memcmp(d->dims, r->views[i].dims, (size_t)d->rank * sizeof(int64_t)) != 0)
            fail_msg("%s: gradient %d has another shape than its operand", name, (int)i);
        memcpy(got[i], d->data, (size_t)ob_view_count(d) * sizeof(double));
    }
    for (size_t i = 0; i + 1 < r->n_out; i++)
        for (int64_t k = 0; k < ob_view_count(&r->views[i]); k++) {
            const double x = r->in[i][k];
            r->in[i][k] = x + step;
            compute(r);
            const double above = sum(&r->out[0]);
            r->in[i][k] = x - step;
            compute(r);
            const double want = (above - sum(&r->out[0])) / (2 * step);
            r->in[i][k] = x;
            if (!(fabs(got[i][k] - want) <= allowed + allowed * fabs(want)))
                fail_msg("%s: by input %d, element %d: %.12g, by differences %.12g", name, (int)i, (int)k, got[i][k], want);
        }
}

/* ---- Every row ---- */

typedef struct row_case {
    const char *op; /* the operator whose rows are tested */
    int opset;
    double low, high;       /* of operands */
    const char *in, *nodes; /* inputs a, b ...; the result is f */
    int n_xs;               /* the first inputs are differentiated by */
    bool narrow;            /* computed in float: differences are coarse */
} row_case;

#define A34       "double[3,4] a"
#define AB34      "double[3,4] a, double[3,4] b"
#define STRETCHED "double[2,1,4] a, double[3,1] b"
#define UNARY(op, opset, low, high)                                                                                              \
    { #op, opset, low, high, A34, "f = " #op " (a)", 1, false }

static const row_case rows[] = {
    {"Add", 7, -2, 2, STRETCHED, "f = Add (a, b)", 2, false},
    {"Add", 14, -2, 2, "double a, double[2,2] b", "f = Add (a, b)", 2, false},
    {"Sub", 14, -2, 2, STRETCHED, "f = Sub (a, b)", 2, false},
    {"Mul", 14, -2, 2, STRETCHED, "f = Mul (a, b)", 2, false},
    {"Mul", 14, -2, 2, A34, "f = Mul (a, a)", 1, false},
    {"Div", 14, 0.5, 2, STRETCHED, "f = Div (a, b)", 2, false},
    {"Mod", 13, 0.5, 3, AB34, "f = Mod <fmod = 1> (a, b)", 2, false},
    {"Pow", 15, 0.5, 2, STRETCHED, "f = Pow (a, b)", 2, false},
    {"Pow", 15, -2, 2, A34, "e = Constant <value = int64[4] {0, 1, 2, 3}> ()  f = Pow (a, e)", 1, false},
    {"Sum", 13, -2, 2, "double[3,4] a, double[4] b, double[3,1] c", "f = Sum (a, b, c)", 3, false},
    {"Sum", 13, -2, 2, A34, "f = Sum (a)", 1, false},
    {"Max", 13, -2, 2, "double[3,4] a, double[4] b, double[3,1] c", "f = Max (a, b, c)", 3, false},
    {"Min", 13, -2, 2, "double[3,4] a, double[4] b, double[3,1] c", "f = Min (a, b, c)", 3, false},
    {"Where", 16, -2, 2, STRETCHED, "z = Less (a, b)  f = Where (z, a, b)", 2, false},
    {"Cast", 13, -2, 2, A34, "f = Cast <to = 11> (a)", 1, false},
    {"CastLike", 15, -2, 2, AB34, "f = CastLike (a, b)", 2, false},
    {"Clip", 7, -2, 2, A34, "f = Clip <min = -1.0, max = 1.25> (a)", 1, false},
    {"Clip", 13, -2, 2, "double[3,4] a, double b, double c", "l = Min (b, c)  h = Max (b, c)  f = Clip (a, l, h)", 3, false},
    UNARY(Neg, 13, -2, 2),
    UNARY(Abs, 13, -2, 2),
    UNARY(Exp, 13, -2, 2),
    UNARY(Log, 13, 0.5, 3),
    UNARY(Sqrt, 13, 0.5, 3),
    UNARY(Reciprocal, 13, 0.5, 3),
    UNARY(Erf, 13, -2, 2),
    UNARY(Sin, 7, -2, 2),
    UNARY(Cos, 7, -2, 2),
    UNARY(Tan, 7, -1, 1),
    UNARY(Asin, 7, -0.9, 0.9),
    UNARY(Acos, 7, -0.9, 0.9),
    UNARY(Atan, 7, -2, 2),
    UNARY(Sinh, 9, -2, 2),
    UNARY(Cosh, 9, -2, 2),
    UNARY(Tanh, 13, -2, 2),
    UNARY(Asinh, 9, -2, 2),
    UNARY(Acosh, 9, 1.5, 3),
    UNARY(Atanh, 9, -0.9, 0.9),
    {"Floor", 13, -2, 2, A34, "g = Floor (a)  f = Add (a, g)", 1, false},
    {"Ceil", 13, -2, 2, A34, "g = Ceil (a)  f = Mul (a, g)", 1, false},
    {"Round", 11, -2, 2, A34, "g = Round (a)  f = Mul (a, g)", 1, false},
    {"Sign", 13, -2, 2, A34, "g = Sign (a)  f = Mul (a, g)", 1, false},
    UNARY(Sigmoid, 13, -2, 2),
    {"HardSigmoid", 7, -4, 4, A34, "f = HardSigmoid <alpha = 0.3> (a)", 1, false},
    UNARY(Relu, 14, -2, 2),
    {"LeakyRelu", 16, -2, 2, A34, "f = LeakyRelu <alpha = 0.3> (a)", 1, false},
    {"PRelu", 16, -2, 2, "double[3,4] a, double[4] b", "f = PRelu (a, b)", 2, false},
    {"ThresholdedRelu", 10, -2, 2, A34, "g = ThresholdedRelu <alpha = 0.5> (a)  f = Add (g, a)", 1, false},
    {"Elu", 7, -2, 2, A34, "f = Elu <alpha = 0.7> (a)", 1, false},
    UNARY(Selu, 7, -2, 2),
    {"Celu", 12, -2, 2, A34, "h = Cast <to = 1> (a)  g = Celu <alpha = 0.7> (h)  f = Cast <to = 11> (g)", 1, true},
    {"Celu", 28, -2, 2, A34, "f = Celu <alpha = 0.7> (a)", 1, false},
    {"SwiGLU", 28, -2, 2, "double[3,4] a, double[3,4] b", "f = SwiGLU <alpha = 0.7> (a, b)", 2, false},
    UNARY(Softplus, 7, -2, 2),
    UNARY(Softsign, 7, -2, 2),
    UNARY(Mish, 18, -2, 2),
    {"Shrink", 9, -2, 2, A34, "f = Shrink <lambd = 0.5, bias = 0.25> (a)", 1, false},
    {"Expand", 13, -2, 2, "double[3,1] a", "s = Constant <value = int64[3] {2, 1, 4}> ()  f = Expand (a, s)", 1, false},
    {"Broadcast", 14, -2, 2, STRETCHED, "g, h = onnx_broadcast.Broadcast (a, b)  f = Mul (g, h)", 2, false},
    {"BroadcastInDim", 14, -2, 2, "double[2,3] a",
     "f = onnx_broadcast.BroadcastInDim <broadcast_dimensions = [0, 2], shape = [2, 4, 3]> (a)", 1, false},
    {"Transpose", 13, -2, 2, "double[2,3,4] a, double[4,2,3] b", "g = Transpose <perm = [2, 0, 1]> (a)  f = Mul (g, b)", 2,
     false},
    {"Transpose", 13, -2, 2, "double[2,3] a, double[3,2] b", "g = Transpose (a)  f = Mul (g, b)", 2, false},
    {"Concat", 13, -2, 2, "double[2,3] a, double[2,1] b, double[2,2] c", "f = Concat <axis = -1> (a, b, c)", 3, false},
    {"Concat", 13, -2, 2, "double[2,3] a", "f = Concat <axis = 0> (a, a)", 1, false},
    {"Split", 13, -2, 2, "double[2,6] a",
     "s = Constant <value = int64[3] {1, 2, 3}> ()  p, q, r = Split <axis = 1> (a, s)  g = Mul (p, q)  f = Add (g, p)", 1, false},
    {"Slice", 13, -2, 2, "double[4,5] a",
     "b = Constant <value = int64[2] {3, 0}> ()  e = Constant <value = int64[2] {-5, 4}> ()  x = Constant <value = int64[2] {0, "
     "1}> ()"
     "  s = Constant <value = int64[2] {-2, 3}> ()  f = Slice (a, b, e, x, s)",
     1, false},
    {"Slice", 9, -2, 2, "double[4,5] a", "f = Slice <starts = [1], ends = [3], axes = [1]> (a)", 1, false},
    {"Tile", 13, -2, 2, "double[2,3] a, double[4,3] b",
     "s = Constant <value = int64[2] {2, 1}> ()  g = Tile (a, s)  f = Mul (g, b)", 2, false},
    {"Pad", 13, -2, 2, "double[2,3] a",
     "s = Constant <value = int64[4] {1, -1, 0, 2}> ()  v = Constant <value = double {0.5}> ()  f = Pad (a, s, v)", 1, false},
    {"Pad", 18, -2, 2, "double[2,3] a", "s = Constant <value = int64[4] {0, 2, 0, 1}> ()  f = Pad <mode = \"reflect\"> (a, s)", 1,
     false},
    {"DepthToSpace", 13, -2, 2, "double[1,4,2,3] a, double[1,1,4,6] b", "g = DepthToSpace <blocksize = 2> (a)  f = Mul (g, b)", 2,
     false},
    {"SpaceToDepth", 13, -2, 2, "double[1,1,4,6] a, double[1,4,2,3] b", "g = SpaceToDepth <blocksize = 2> (a)  f = Mul (g, b)", 2,
     false},
    {"ReverseSequence", 10, -2, 2, "double[3,2] a, double[3,2] b",
     "l = Constant <value = int64[2] {2, 3}> ()  g = ReverseSequence <time_axis = 0, batch_axis = 1> (a, l)  f = Mul (g, b)", 2,
     false},
    {"Gather", 13, -2, 2, "double[3,4] a, double[3,2,2] b",
     "i = Constant <value = int64[2,2] {1, 1, -1, 0}> ()  g = Gather <axis = 1> (a, i)  f = Mul (g, b)", 2, false},
    {"GatherElements", 13, -2, 2, A34,
     "i = Constant <value = int64[2,4] {1, 1, -1, 0, 1, 2, 0, 0}> ()  f = GatherElements (a, i)", 1, false},
    {"GatherND", 13, -2, 2, A34, "i = Constant <value = int64[3,1] {1, 1, -1}> ()  f = GatherND (a, i)", 1, false},
    {"Compress", 11, -2, 2, A34, "c = Constant <value = bool[3] {1, 0, 1}> ()  f = Compress <axis = 0> (a, c)", 1, false},
    {"Trilu", 14, -2, 2, A34, "f = Trilu (a)", 1, false},
    {"ScatterElements", 18, -2, 2, "double[3,4] a, double[1,4] b",
     "i = Constant <value = int64[1,4] {1, 2, 0, 0}> ()  f = ScatterElements (a, i, b)", 2, false},
    {"ScatterElements", 18, -2, 2, "double[3,4] a, double[2,4] b",
     "i = Constant <value = int64[2,4] {1, 2, 0, 0, 1, 1, 0, 2}> ()  f = ScatterElements <reduction = \"add\"> (a, i, b)", 2,
     false},
    {"ScatterND", 18, -2, 2, "double[3,4] a, double[2,4] b",
     "i = Constant <value = int64[2,1] {2, 0}> ()  f = ScatterND (a, i, b)", 2, false},
    {"ScatterND", 18, -2, 2, "double[3,4] a, double[2,4] b",
     "i = Constant <value = int64[2,1] {2, 2}> ()  f = ScatterND <reduction = \"add\"> (a, i, b)", 2, false},
    {"TopK", 11, -2, 2, A34, "k = Constant <value = int64[1] {2}> ()  f, i = TopK <axis = -1> (a, k)", 1, false},
    {"Identity", 13, -2, 2, A34, "f = Identity (a)", 1, false},
    {"Reshape", 13, -2, 2, "double[3,4] a, double[2,6] b",
     "s = Constant <value = int64[2] {2, -1}> ()  g = Reshape (a, s)  f = Mul (g, b)", 2, false},
    {"Reshape", 1, -2, 2, "double[3,4] a", "f = Reshape <shape = [2, -1]> (a)", 1, false},
    {"Flatten", 13, -2, 2, "double[2,3,2] a", "f = Flatten (a)", 1, false},
    {"Squeeze", 1, -2, 2, "double[2,1,3] a", "f = Squeeze <axes = [1]> (a)", 1, false},
    {"Squeeze", 13, -2, 2, "double[2,1,3] a", "s = Constant <value = int64[1] {1}> ()  f = Squeeze (a, s)", 1, false},
    {"Unsqueeze", 1, -2, 2, "double[2,3] a", "f = Unsqueeze <axes = [1]> (a)", 1, false},
    {"Unsqueeze", 13, -2, 2, "double[2,3] a", "s = Constant <value = int64[1] {1}> ()  f = Unsqueeze (a, s)", 1, false},
    {"EyeLike", 9, -2, 2, "double[3,3] a", "g = EyeLike (a)  f = Mul (g, a)", 1, false},
    {"MatMul", 13, -2, 2, "double[2,3,4] a, double[4,2] b", "f = MatMul (a, b)", 2, false},
    {"MatMul", 13, -2, 2, "double[3,4] a, double[2,1,4,2] b", "f = MatMul (a, b)", 2, false},
    {"MatMul", 13, -2, 2, "double[4] a, double[2,4,3] b", "f = MatMul (a, b)", 2, false},
    {"MatMul", 13, -2, 2, "double[2,3,4] a, double[4] b", "f = MatMul (a, b)", 2, false},
    {"MatMul", 13, -2, 2, "double[4] a, double[4] b", "f = MatMul (a, b)", 2, false},
    {"Gemm", 13, -2, 2, "double[3,4] a, double[4,2] b, double[2] c", "f = Gemm <alpha = 0.5, beta = 1.5> (a, b, c)", 3, false},
    {"Gemm", 13, -2, 2, "double[4,3] a, double[4,2] b, double[3,1] c", "f = Gemm <transA = 1> (a, b, c)", 3, false},
    {"Gemm", 13, -2, 2, "double[3,4] a, double[2,4] b", "f = Gemm <transB = 1> (a, b)", 2, false},
    {"Gemm", 13, -2, 2, "double[4,3] a, double[2,4] b, double c", "f = Gemm <transA = 1, transB = 1> (a, b, c)", 3, false},
    {"ReduceSum", 11, -2, 2, "double[2,3,4] a", "f = ReduceSum <axes = [1], keepdims = 0> (a)", 1, false},
    {"ReduceSum", 13, -2, 2, "double[2,3,4] a", "x = Constant <value = int64[2] {-1, 0}> ()  f = ReduceSum <keepdims = 0> (a, x)",
     1, false},
    {"ReduceSum", 13, -2, 2, "double[2,3] a", "f = ReduceSum <keepdims = 0> (a)", 1, false},
    {"ReduceSum", 13, -2, 2, "double[2,3] a", "f = ReduceSum <noop_with_empty_axes = 1> (a)", 1, false},
    {"ReduceMean", 13, -2, 2, "double[2,3,4] a", "f = ReduceMean <axes = [1]> (a)", 1, false},
    {"ReduceMean", 18, -2, 2, "double[2,3,4] a",
     "x = Constant <value = int64[2] {-1, 0}> ()  f = ReduceMean <keepdims = 0> (a, x)", 1, false},
    {"ReduceMax", 13, -2, 2, "double[2,3,4] a", "f = ReduceMax <axes = [1], keepdims = 0> (a)", 1, false},
    {"ReduceMax", 13, -2, 2, "double[2,3] a", "f = ReduceMax (a)", 1, false},
    {"ReduceMax", 18, -2, 2, "double[2,3,4] a", "x = Constant <value = int64[1] {-1}> ()  f = ReduceMax <keepdims = 0> (a, x)", 1,
     false},
    {"ReduceMin", 13, -2, 2, "double[2,3,4] a", "f = ReduceMin <axes = [1]> (a)", 1, false},
    {"ReduceMin", 18, -2, 2, "double[2,3,4] a", "x = Constant <value = int64[1] {-1}> ()  f = ReduceMin (a, x)", 1, false},
    {"CumSum", 14, -2, 2, A34, "x = Constant <value = int64 {1}> ()  f = CumSum <exclusive = 1> (a, x)", 1, false},
    {"CumSum", 14, -2, 2, A34, "x = Constant <value = int64 {0}> ()  f = CumSum <reverse = 1> (a, x)", 1, false},
    {"Softmax", 11, -2, 2, "double[2,3,2] a", "f = Softmax (a)", 1, false},
    {"Softmax", 13, -2, 2, A34, "f = Softmax <axis = 0> (a)", 1, false},
    {"LogSoftmax", 11, -2, 2, "double[2,3,2] a", "f = LogSoftmax (a)", 1, false},
    {"LogSoftmax", 13, -2, 2, A34, "f = LogSoftmax (a)", 1, false},
    {"BatchNormalization", 15, 0.5, 2, "double[2,3,2] a, double[3] b, double[3] c, double[3] d, double[3] e",
     "f = BatchNormalization <epsilon = 0.1> (a, b, c, d, e)", 5, false},
    {"Dropout", 10, -2, 2, A34, "f = Dropout (a)", 1, false},
    {"Dropout", 13, -2, 2, A34, "f, m = Dropout (a)", 1, false},
    {"MaxPool", 7, -2, 2, "double[1,2,5] a", "f = MaxPool <kernel_shape = [3], strides = [2], pads = [1, 0]> (a)", 1, false},
    {"MaxPool", 12, -2, 2, "double[1,2,4,5] a", "f = MaxPool <kernel_shape = [2, 3]> (a)", 1, false},
    {"GlobalAveragePool", 1, -2, 2, "double[1,2,4,3] a", "f = GlobalAveragePool (a)", 1, false},
    {"GlobalMaxPool", 1, -2, 2, "double[1,2,4,3] a", "f = GlobalMaxPool (a)", 1, false},
    {"Conv", 11, -1, 1, "double[2,4,7] a, double[6,2,3] b, double[6] c",
     "f = Conv <group = 2, strides = [2], pads = [1, 2], dilations = [2]> (a, b, c)", 3, false},
    {"Conv", 11, -1, 1, "double[1,2,6,5] a, double[3,2,3,2] b", "f = Conv <strides = [2, 2]> (a, b)", 2, false},
    {"Conv", 11, -1, 1, "double[2,3,4] a, double[2,3,1] b", "f = Conv (a, b)", 2, false},
};

static const char *letters(int n, const char *prefix, char *text, size_t n_bytes) {
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0; i < n; i++) at += (size_t)snprintf(text + at, n_bytes - at, "%s%s%c", i ? ", " : "", prefix, 'a' + i);
    return text;
}

/* The model that gives y = f * f and its gradients by the first inputs; `sized` false: their sizes are symbols. */
static void write_case(const row_case *c, char *text, size_t n_bytes) {
    char xs[200], quoted[200], results[200];
    letters(c->n_xs, "", xs, sizeof xs);
    letters(c->n_xs, "d", results, sizeof results);
    size_t at = 0;
    for (int i = 0; i < c->n_xs; i++) at += (size_t)snprintf(quoted + at, sizeof quoted - at, "%s\"%c\"", i ? ", " : "", 'a' + i);
    snprintf(text, n_bytes,
             "<ir_version: 10, opset_import: [\"\" : %d, \"ai.onnx.preview.training\" : 1, \"onnx_broadcast\" : 1]>\n"
             "g (%s) => (y, %s) {\n %s\n y = Mul (f, f)\n %s = ai.onnx.preview.training.Gradient <xs = [%s], y = \"y\"> (%s)\n}",
             c->opset, c->in, results, c->nodes, results, quoted, xs);
}

static void test_rows(void **state) {
    (void)state;
    static run r;
    char text[3000];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_case(&rows[i], text, sizeof text);
        for (int optimize = 0; optimize < 2; optimize++) {
            open_run(&r, text, optimize == 1, rows[i].low, rows[i].high);
            compare_differences(rows[i].nodes, &r, rows[i].narrow);
            close_run(&r);
        }
    }
}

/* Each row of the derivatives has a case of an opset in which the row applies. */
static void test_every_row_has_a_case(void **state) {
    (void)state;
    for (size_t i = 0; i < ob__derivative_count(); i++) {
        const ob_derivative *row = ob__derivative_at(i);
        bool found = false;
        for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !found; k++) {
            const ob_op *op = ob__op_find(row->body.domain, rows[k].op, row->body.domain[0] ? 1 : rows[k].opset);
            found = strcmp(rows[k].op, row->body.name) == 0 && op && ob__derivative_of(op) == row;
        }
        if (!found && strncmp(row->body.name, "Random", 6) != 0) fail_msg("no case of %s-%d", row->body.name, row->body.since);
    }
}

/* ---- The graph ---- */

/* Models whose output 0 is y, and output 1 + i its gradient by input i. */
static const char *const graphs[] = {
    /* a chain, a value that is used twice, and sizes known only in a run, where either operand may be stretched */
    HEAD(14) "g (double[N,K] a, double[K,M] b, double[K] c) => (y, da, db, dc) {\n"
             " h = MatMul (a, b)  z = Add (h, c)  t = Tanh (z)  u = Mul (t, z)  y = Sub (u, c)\n"
             " da, db, dc = ai.onnx.preview.training.Gradient <xs = [\"a\", \"b\", \"c\"], y = \"y\"> (a, b, c)\n}",
    /* comes before the nodes that it refers to */
    HEAD(14) "g (double[N] a, double[K] b) => (y, da, db) {\n"
             " da, db = ai.onnx.preview.training.Gradient <xs = [\"a\", \"b\"], y = \"y\"> (a, b)\n"
             " h = Mul (a, b)  y = Mul (h, a)\n}",
    /* through the bodies of operators without a row */
    HEAD(20) "g (double[2,3,4] a, double[4] b, double[4] c) => (y, da, db, dc) {\n"
             " m = MeanVarianceNormalization <axes = [2]> (a)  p = Mul (m, b)  h = Add (p, c)  e = Gelu (h)  y = ReduceL2 (e)\n"
             " da, db, dc = ai.onnx.preview.training.Gradient <xs = [\"a\", \"b\", \"c\"], y = \"y\"> (a, b, c)\n}",
    /* the gradient is 0 if y does not depend on the value, or only through integers */
    HEAD(14) "g (double[2,3] a, double[2] b, double[3] c) => (y, da, db, dc) {\n"
             " i = Cast <to = 7> (c)  f = Cast <to = 11> (i)  h = Mul (a, f)  y = Mul (h, a)\n"
             " da, db, dc = ai.onnx.preview.training.Gradient <xs = [\"a\", \"b\", \"c\"], y = \"y\"> (a, b, c)\n}",
    /* y is one of xs; unused results */
    HEAD(14) "g (double[2,3] a, double[2] b) => (y, da, db) {\n"
             " y = Identity (a)  u, da, v = ai.onnx.preview.training.Gradient <xs = [\"y\", \"a\", \"b\"], y = \"a\"> (y, a, b)\n"
             " , , db = ai.onnx.preview.training.Gradient <xs = [\"y\", \"a\", \"b\"], y = \"a\"> (y, a, b)\n}",
    /* no elements */
    HEAD(14) "g (double[0,3] a, double[3] b, double[1,1] c) => (y, da, db, dc) {\n"
             " h = Mul (a, b)  y = Div (h, c)\n"
             " da, db, dc = ai.onnx.preview.training.Gradient <xs = [\"a\", \"b\", \"c\"], y = \"y\"> (a, b, c)\n}",
    /* the second derivative: y is a gradient itself */
    HEAD(14) "g (double[2,3] a, double[3,2] b) => (y, da, db) {\n"
             " p = MatMul (a, b)  s = Sigmoid (p)  e = Exp (s)  q = ReduceSum <keepdims = 0> (e)\n"
             " y = ai.onnx.preview.training.Gradient <xs = [\"a\"], zs = [\"b\"], y = \"q\"> (a, b)\n"
             " da, db = ai.onnx.preview.training.Gradient <xs = [\"a\", \"b\"], y = \"y\"> (a, b)\n}",
    /* the same through operators whose derivatives select, stretch and sum; the second comes first */
    HEAD(14) "g (double[2,3] a, double[1,3] b) => (y, da, db) {\n"
             " da, db = ai.onnx.preview.training.Gradient <xs = [\"a\", \"b\"], y = \"y\"> (a, b)\n"
             " y = ai.onnx.preview.training.Gradient <xs = [\"a\"], zs = [\"b\"], y = \"q\"> (a, b)\n"
             " i = Constant <value = int64[2] {2, 0}> ()  p = Mul (a, b)  s = Gather <axis = 1> (p, i)  t = Mul (s, s)\n"
             " m = Softmax (t)  r = Concat <axis = 1> (m, p, a)  u = Mul (r, r)  q = ReduceMean <axes = [0]> (u)\n}",
};

static void test_graphs(void **state) {
    (void)state;
    static run r;
    for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++) {
        open_run(&r, graphs[i], true, -1, 1);
        compare_differences(graphs[i], &r, false);
        close_run(&r);
    }
}

/* The value of output i as numbers, "1 2 3". */
static void expect(const char *text, size_t i, const char *want) {
    static run r;
    char got[400] = "";
    open_run(&r, text, true, 0, 1);
    for (size_t k = 0; k < r.n_in; k++)
        for (int64_t n = 0; n < ob_view_count(&r.views[k]); n++) r.in[k][n] = (double)(n + 1);
    compute(&r);
    for (int64_t n = 0; n < ob_view_count(&r.out[i]); n++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%g", n ? " " : "", ((const double *)r.out[i].data)[n]);
    assert_string_equal(got, want);
    close_run(&r);
}

static void test_values(void **state) {
    (void)state;
    /* At 10 and 20 instead of the named values: the intermediate values are computed again. */
    expect(
        HEAD(14) "g (double[2] a) => (y, d) {\n k = Constant <value = double[2] {10, 20}> ()\n h = Mul (a, a)  y = Mul (h, a)\n"
                 " d = ai.onnx.preview.training.Gradient <xs = [\"a\"], y = \"y\"> (k)\n}",
        1, "300 1200");
    /* By a computed value, at a different value of it. */
    expect(HEAD(14) "g (double[2] a) => (y, d) {\n k = Constant <value = double[2] {10, 20}> ()\n h = Exp (a)  y = Mul (h, h)\n"
                    " d = ai.onnx.preview.training.Gradient <xs = [\"h\"], y = \"y\"> (k)\n}",
           1, "20 40");
    /* zs: dependences of a value are not followed. */
    expect(HEAD(14) "g (double[2] a) => (y, d) {\n h = Mul (a, a)  y = Mul (h, a)\n"
                    " d = ai.onnx.preview.training.Gradient <xs = [\"a\"], zs = [\"h\"], y = \"y\"> (a, h)\n}",
           1, "1 4");
    /* Two equal operands get half of the gradient each; a slope is 0 where there are two. */
    expect(HEAD(14) "g (double[2] a) => (d) {\n b = Identity (a)  m = Max (a, b)  k = Sub (a, b)  r = Relu (k)  y = Add (m, r)\n"
                    " d = ai.onnx.preview.training.Gradient <xs = [\"a\"], y = \"y\"> (a)\n}",
           0, "1 1");
    /* In a function, whose names differ from those of the model. */
    expect("<ir_version: 10, opset_import: [\"\" : 14, \"l\" : 1]>\n"
           "g (double[2] x) => (d) {\n y = Neg (x)  d = l.slope (x)\n}\n"
           "<domain: \"l\", opset_import: [\"\" : 14, \"ai.onnx.preview.training\" : 1]>\n"
           "slope (a) => (d) {\n x = Mul (a, a)  y = Mul (x, a)\n"
           " d = ai.onnx.preview.training.Gradient <xs = [\"a\"], y = \"y\"> (a)\n}",
           0, "3 12");
    /* In a branch, of values of the outer graph. */
    expect(HEAD(14) "g (double[2] a) => (d) {\n c = Constant <value = bool {1}> ()  y = Mul (a, a)\n"
                    " d = If <then_branch = t () => (double[2] p) { p = ai.onnx.preview.training.Gradient <xs = [\"a\"], y = "
                    "\"y\"> (a) },"
                    " else_branch = e () => (double[2] q) { q = Identity (a) }> (c)\n}",
           0, "2 4");
}

typedef struct refusal {
    const char *text;
    ob_status status;
    const char *message;
} refusal;

static void test_refusals(void **state) {
    (void)state;
    static const refusal cases[] = {
        {HEAD(14) "g (double[1,3] a) => (d) {\n y = LpNormalization (a)  z = Det (y)\n"
                  " d = ai.onnx.preview.training.Gradient <xs = [\"a\"], y = \"z\"> (a)\n}",
         OB_E_UNSUPPORTED, "the derivative of its version 1 is not known here, and z of Gradient d depends on it"},
        {HEAD(14) "g (double[3] a) => (d) {\n y = Neg (a)\n"
                  " d = ai.onnx.preview.training.Gradient <xs = [\"b\"], y = \"y\"> (a)\n}",
         OB_E_MODEL, "attribute xs names a value that does not exist or whose operand is missing: entry 0"},
        {HEAD(14) "g (double[3] a) => (d) {\n y = Neg (a)\n"
                  " d = ai.onnx.preview.training.Gradient <xs = [\"a\"], y = \"z\"> (a)\n}",
         OB_E_MODEL, "attribute y names z, which the graph does not have"},
        {HEAD(14) "g (double[3] a) => (d) {\n y = Neg (a)\n"
                  " d = ai.onnx.preview.training.Gradient <xs = [\"a\"], zs = [\"y\"], y = \"y\"> (a)\n}",
         OB_E_MODEL,
         "1 operands and 1 results: it needs one operand for each of the 2 names in xs and zs, and at most 1 "
         "results, one for each name in xs"},
        {HEAD(14) "g (double[3] a) => (d) {\n d = ai.onnx.preview.training.Gradient <xs = [\"a\"], y = \"e\"> (a)\n"
                  " e = ai.onnx.preview.training.Gradient <xs = [\"a\"], y = \"d\"> (a)\n}",
         OB_E_MODEL, "its y depends on its own results"},
        {HEAD(14) "g (double[3] a) => (d) {\n c = Constant <value = bool {1}> ()\n"
                  " y = If <then_branch = t () => (double[3] p) { p = Mul (a, a) }, else_branch = e () => (double[3] q) { q = "
                  "Neg (a) }> (c)\n"
                  " d = ai.onnx.preview.training.Gradient <xs = [\"a\"], y = \"y\"> (a)\n}",
         OB_E_UNSUPPORTED, "the derivative of its version 13 is not known here, and y of Gradient d depends on it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ob_session *session = NULL;
        ob_error error;
        ob_model *model = read_text(cases[i].text);
        assert_int_equal(ob_session_create(model, NULL, &session, &error), cases[i].status);
        assert_string_equal(error.message, cases[i].message);
        ob_model_close(&model);
    }
}

/* A gradient has the type of its operand, for the checker, too. */
static void test_checked(void **state) {
    (void)state;
    ob_model *model = read_text(HEAD(14) "g (double[N,3] a, double[3] b) => (double[N,3] d, double[4] e) {\n y = Mul (a, b)\n"
                                         " d, e = ai.onnx.preview.training.Gradient <xs = [\"a\", \"b\"], y = \"y\"> (a, b)\n}");
    ob_report *report = check_model(model);
    ob_finding_info finding;
    assert_int_equal(ob_report_finding_count(report), 1);
    assert_int_equal(ob_report_finding(report, 0, &finding), OB_OK);
    assert_string_equal(finding.value, "e"); /* which is declared with another size */
    assert_int_equal(finding.severity, OB_SEVERITY_ERROR);
    ob_report_close(&report);
    ob_model_close(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),     cmocka_unit_test(test_every_row_has_a_case),
                                       cmocka_unit_test(test_graphs),   cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_refusals), cmocka_unit_test(test_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
