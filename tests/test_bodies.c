/* Bodies of operators: each is run, beside the kernel where there is one, else against loops that say the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contrib_case.h"
#include "model_text.h"
#include "ops/body/body.h"
#include "ops/kernel/common.h"
#include "passes/propagate.h"
#include "runtime/session.h"

enum { MAX_VALUES = 9, MAX_ELEMENTS = 600 };

/* ---- Models and operands -------------------------------------------------------------------------------------------- */

typedef struct operands {
    double room[MAX_VALUES][MAX_ELEMENTS];
    ob_view views[MAX_VALUES];
    uint32_t n;
} operands;

/* Made of the element's number: floats between -2 and 2, integers from 0 to 2, every third bool true. */
static void fill(const ob_view *view, int salt) {
    int64_t n = ob_view_count(view);
    assert_true(n <= MAX_ELEMENTS);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = (i * 37 + salt * 11) % 41;
        char *at = (char *)view->data + i * (int64_t)ob_dtype_size(view->dtype);
        switch (view->dtype) {
        case OB_FLOAT: *(float *)at = (float)(k - 20) / 10; break;
        case OB_DOUBLE: *(double *)at = (double)(k - 20) / 10; break;
        case OB_FLOAT16: *(uint16_t *)at = ob__half_from_float((float)(k - 20) / 8); break;
        case OB_INT64: *(int64_t *)at = k % 3; break;
        case OB_INT32: *(int32_t *)at = (int32_t)(k % 3); break;
        case OB_UINT8: *(uint8_t *)at = (uint8_t)(k * 5); break;
        case OB_INT8: *(int8_t *)at = (int8_t)(k * 6 - 120); break;
        case OB_UINT16: *(uint16_t *)at = (uint16_t)(k * 1600); break;
        case OB_INT16: *(int16_t *)at = (int16_t)(k * 1600 - 32000); break;
        case OB_BOOL: *(bool *)at = k % 3 == 0; break;
        default: fail_msg("no elements of %s", ob_dtype_name(view->dtype));
        }
    }
}

/* Operands as the model declares them, sizes being numbers. */
static void make_operands(const ob_model *model, operands *in) {
    in->n = 0;
    for (uint32_t i = 0; i < model->graph->n_inputs; i++) {
        const ob_type *type = &model->graph->inputs[i]->declared;
        ob_view *view = &in->views[in->n];
        assert_true(in->n < MAX_VALUES && type->shape.rank >= 0);
        assert_int_equal(ob_view_init(view, in->room[in->n], type->dtype, type->shape.rank, type->shape.dims), OB_OK);
        fill(view, (int)in->n++);
    }
}

static ob_model *model_of(const char *domain, int64_t opset, const char *in, const char *out, const char *nodes) {
    char text[3000];
    snprintf(text, sizeof text, "<ir_version: 10, opset_import: [\"\" : %d%s%s%s]>\ng (%s) => (%s) {\n%s\n}",
             domain[0] ? 24 : (int)opset, domain[0] ? ", \"" : "", domain, domain[0] ? "\" : 1" : "", in, out, nodes);
    return read_text(text);
}

/* The model with every node that has a body written out. */
static ob_model *expanded(const ob_model *model) {
    ob_model *copy = NULL;
    ob_error error;
    ob_facts facts;
    bool any = false;
    assert_int_equal(ob_model_clone(model, &copy, &error), OB_OK);
    assert_int_equal(ob__model_resolve_ops(copy), OB_OK);
    ob__facts_init(&facts, NULL);
    assert_int_equal(ob__propagate(copy, NULL, &facts, NULL), OB_OK);
    if (ob__expand_bodies(copy, &facts, NULL, true, 1000, &any, &error) != OB_OK) fail_msg("%s", error.message);
    assert_true(any);
    assert_true(ob__model_set_opset(copy, "", OB_BODY_OPSET)); /* sessions look operators up again */
    ob__facts_release(&facts);
    return copy;
}

static void run(const ob_model *model, bool optimize, const operands *in, ob_session **session, ob_view *out) {
    ob_session_config config;
    ob_error error;
    ob_session_config_init(&config);
    config.optimize = optimize;
    memset(out, 0, MAX_VALUES * sizeof *out);
    if (ob_session_create(model, &config, session, &error) != OB_OK) fail_msg("%s: %s", error.node, error.message);
    if (ob_session_run(*session, in->views, in->n, out, model->graph->n_outputs, &error) != OB_OK)
        fail_msg("%s: %s", error.node, error.message);
}

static double element(const ob_view *view, int64_t i) {
    const char *at = (const char *)view->data + i * (int64_t)ob_dtype_size(view->dtype);
    switch (view->dtype) {
    case OB_FLOAT: return (double)*(const float *)at;
    case OB_DOUBLE: return *(const double *)at;
    case OB_FLOAT16: return (double)ob__float_from_half(*(const uint16_t *)at);
    case OB_INT64: return (double)*(const int64_t *)at;
    case OB_INT32: return (double)*(const int32_t *)at;
    case OB_UINT8: return *(const uint8_t *)at;
    case OB_INT8: return *(const int8_t *)at;
    case OB_UINT16: return *(const uint16_t *)at;
    case OB_INT16: return *(const int16_t *)at;
    case OB_BOOL: return *(const bool *)at;
    default: fail_msg("no elements of %s", ob_dtype_name(view->dtype)); return 0;
    }
}

static void expect_within(const char *what, const ob_view *got, const ob_view *want, double absolute, double relative) {
    if (got->dtype != want->dtype || got->rank != want->rank) fail_msg("%s: another type or rank", what);
    for (int32_t i = 0; i < want->rank; i++)
        if (got->dims[i] != want->dims[i]) fail_msg("%s: axis %d has another size", what, i);
    for (int64_t i = 0; i < ob_view_count(want); i++) {
        double a = element(got, i), b = element(want, i);
        if (isnan(b) ? !isnan(a) : !(a == b || fabs(a - b) <= absolute + relative * fabs(b)))
            fail_msg("%s, element %d: %.9g instead of %.9g", what, (int)i, a, b);
    }
}

static void expect_close(const char *what, const ob_view *got, const ob_view *want) {
    expect_within(what, got, want, 1e-6, 4e-6);
}

/* ---- Bodies beside kernels ------------------------------------------------------------------------------------------ */

typedef struct pair_case {
    const char *domain, *name;
    int16_t since; /* of the body */
    int64_t opset;
    const char *in, *out, *nodes;
} pair_case;

static const pair_case pairs[] = {
    {"", "Affine", 1, 1, "float[3,4] x", "float[] y", "y = Affine<alpha: float = 0.5, beta: float = 2.0>(x)"},
    {"", "ParametricSoftplus", 1, 1, "float[3,4] x", "float[] y",
     "y = ParametricSoftplus<alpha: float = 0.5, beta: float = 2.0>(x)"},
    {"", "ScaledTanh", 1, 1, "float[3,4] x", "float[] y", "y = ScaledTanh<alpha: float = 0.5, beta: float = 2.0>(x)"},
    {"", "Bernoulli", 15, 15, "float[3,4] x", "float[] y, int32[] z",
     "y = Bernoulli<seed: float = 4.0>(x) z = Bernoulli<seed: float = 5.0, dtype: int = 6>(x)"},
    {"", "CastLike", 15, 19, "float[3,4] x, uint8[1] t", "uint8[] y", "y = CastLike(x, t)"},
    {"", "Celu", 12, 12, "float[3,4] x", "float[] y", "y = Celu<alpha: float = 0.7>(x)"},
    {"", "Clip", 6, 6, "float[3,4] x", "float[] y", "y = Clip<min: float = -0.5, max: float = 0.6>(x)"},
    {"", "Clip", 6, 6, "float[3,4] x", "float[] y", "y = Clip<min: float = -0.5>(x)"},
    {"", "Clip", 11, 13, "float[3,4] x, float a, float b", "float[] y, float[] z", "y = Clip(x, a, b) z = Clip(x, , b)"},
    {"", "Elu", 1, 22, "float[3,4] x", "float[] y", "y = Elu<alpha: float = 0.3>(x)"},
    {"", "Gelu", 20, 20, "float[3,4] x", "float[] y, float[] z", "y = Gelu(x) z = Gelu<approximate: string = \"tanh\">(x)"},
    {"", "GreaterOrEqual", 12, 16, "float[3,4] x, float[4] b", "bool[] y", "y = GreaterOrEqual(x, b)"},
    {"", "HardSigmoid", 1, 22, "float[3,4] x", "float[] y", "y = HardSigmoid<alpha: float = 0.4>(x)"},
    {"", "HardSwish", 14, 14, "float[3,4] x", "float[] y", "y = HardSwish(x)"},
    {"", "LeakyRelu", 1, 16, "float[3,4] x", "float[] y", "y = LeakyRelu<alpha: float = 0.1>(x)"},
    {"", "LessOrEqual", 12, 16, "float[3,4] x, float[4] b", "bool[] y", "y = LessOrEqual(x, b)"},
    {"", "Mish", 18, 22, "float[3,4] x", "float[] y", "y = Mish(x)"},
    {"", "PRelu", 7, 16, "float[3,4] x, float[4] b", "float[] y", "y = PRelu(x, b)"},
    {"", "Relu", 1, 14, "float[3,4] x, int32[3] i", "float[] y, int32[] z", "y = Relu(x) z = Relu(i)"},
    {"", "Selu", 6, 22, "float[3,4] x", "float[] y", "y = Selu<gamma: float = 2.0>(x)"},
    {"", "Shrink", 9, 9, "float[3,4] x", "float[] y", "y = Shrink<lambd: float = 0.6, bias: float = 0.25>(x)"},
    {"", "Softplus", 1, 22, "float[3,4] x", "float[] y", "y = Softplus(x)"},
    {"", "Softsign", 1, 22, "float[3,4] x", "float[] y", "y = Softsign(x)"},
    {"", "Swish", 24, 24, "float[3,4] x", "float[] y", "y = Swish<alpha: float = 1.5>(x)"},
    {"", "ThresholdedRelu", 10, 22, "float[3,4] x", "float[] y", "y = ThresholdedRelu<alpha: float = 0.3>(x)"},
    {"", "GroupNormalization", 18, 18, "float[2,4,3] x, float[2] s, float[2] b", "float[] y",
     "y = GroupNormalization<num_groups: int = 2>(x, s, b)"},
    {"", "GroupNormalization", 21, 21, "float[2,4,3] x, float[4] s, float[4] b", "float[] y",
     "y = GroupNormalization<num_groups: int = 2, epsilon: float = 0.01>(x, s, b)"},
    {"", "LayerNormalization", 17, 17, "float[2,3,4] x, float[4] s, float[4] b", "float[] y, float[] m, float[] d, float[] z",
     "y, m, d = LayerNormalization(x, s, b) z = LayerNormalization<axis: int = 1>(x, s)"},
    {"", "LogSoftmax", 1, 11, "float[2,3,4] x", "float[] y", "y = LogSoftmax<axis: int = 2>(x)"},
    {"", "LogSoftmax", 13, 13, "float[2,3,4] x", "float[] y", "y = LogSoftmax<axis: int = 1>(x)"},
    {"", "MeanVarianceNormalization", 9, 13, "float[2,3,4,2] x", "float[] y", "y = MeanVarianceNormalization(x)"},
    {"", "RMSNormalization", 23, 23, "float[2,3,4] x, float[4] s", "float[] y, float[] z",
     "y = RMSNormalization(x, s) z = RMSNormalization<axis: int = 1>(x, s)"},
    {"", "Softmax", 1, 11, "float[2,3,4] x", "float[] y", "y = Softmax(x)"},
    {"", "Softmax", 13, 13, "float[2,3,4] x", "float[] y", "y = Softmax<axis: int = 0>(x)"},
    {"", "Attention", 23, 24, "float[2,4,3,4] q, float[2,2,5,4] k, float[2,2,5,3] v, bool[3,4] m, float[1,1,3,1] f",
     "float[] y, float[] z, float[] s, float[] w, float[] t, float[] r",
     "y = Attention(q, k, v) z, , , s = Attention<scale: float = 0.3, softcap: float = 0.7, qk_matmul_output_mode: int = 1>(q, "
     "k, "
     "v, m) w, , , t = Attention<qk_matmul_output_mode: int = 2, is_causal: int = 1>(q, k, v, f) "
     "r = Attention<softmax_precision: int = 10>(q, k, v)"},
    {"", "Attention", 23, 24,
     "float[2,3,8] q, float[2,2,4] k, float[2,2,6] v, int32[3,7] m, float[2,1,5,4] a, float[2,1,5,6] b, int64[2] n",
     "float[] y, float[] c, float[] d, float[] s, float[] z, float[] w",
     "y, c, d, s = Attention<q_num_heads: int = 2, kv_num_heads: int = 1, qk_matmul_output_mode: int = 3>(q, k, v, m, a, b) "
     "z = Attention<q_num_heads: int = 2, kv_num_heads: int = 1, is_causal: int = 1>(q, k, v, , a, b) "
     "o = Constant<value: tensor = int64 {1}>() l = Min(n, o) h = Max(l, o) "
     "w = Attention<q_num_heads: int = 2, kv_num_heads: int = 1>(q, k, v, , , , h)"},
    {"", "Attention", 23, 23, "double[1,2,3,4] q, double[1,2,3,4] k, float[1,2,3,2] v, double[3,1] m", "double[] y, float[] w",
     "y, , w = Attention<is_causal: int = 1>(q, k, v, m)"},
    {"", "RotaryEmbedding", 23, 23, "float[2,2,3,4] x, float[3,2] c, float[3,2] s, int64[2,3] p, float[2,3,1] d, float[2,3,8] f",
     "float[] y, float[] z, float[] w, float[] v",
     "y = RotaryEmbedding(x, c, s, p) z = RotaryEmbedding<interleaved: int = 1>(x, c, s, p) "
     "w = RotaryEmbedding<rotary_embedding_dim: int = 2>(x, d, d) v = RotaryEmbedding<num_heads: int = 2, interleaved: int = 1, "
     "rotary_embedding_dim: int = 2>(f, d, d)"},
    {"", "RotaryEmbedding", 23, 23, "float16[1,3,8] x, float16[4,2] c, float16[4,2] s, int64[1,3] p", "float16[] y",
     "y = RotaryEmbedding<num_heads: int = 2>(x, c, s, p)"},
    {"", "DynamicQuantizeLinear", 11, 11, "float[3,4] x", "uint8[] y, float s, uint8 z", "y, s, z = DynamicQuantizeLinear(x)"},
    {"", "ReduceL1", 1, 13, "float[3,4] x", "float[] y, float[] z", "y = ReduceL1<axes: ints = [1]>(x) z = ReduceL1(x)"},
    {"", "ReduceL1", 18, 18, "float[2,3,4] x, int64[1] a", "float[] y, float[] z",
     "y = ReduceL1<keepdims: int = 0>(x, a) z = ReduceL1<noop_with_empty_axes: int = 1>(x)"},
    {"", "ReduceL2", 1, 13, "float[3,4] x, int32[3,4] i", "float[] y, int32[] z",
     "y = ReduceL2<axes: ints = [1]>(x) z = ReduceL2(i)"},
    {"", "ReduceL2", 18, 18, "float[2,3,4] x, int64[1] a", "float[] y", "y = ReduceL2<keepdims: int = 0>(x, a)"},
    {"", "ReduceLogSum", 1, 13, "float[3,4] x", "float[] y, float[] z",
     "p = Abs(x) y = ReduceLogSum<axes: ints = [1]>(p) z = ReduceLogSum(p)"},
    {"", "ReduceLogSum", 18, 18, "float[2,3,4] x, int64[1] a", "float[] y",
     "p = Abs(x) y = ReduceLogSum<keepdims: int = 0>(p, a)"},
    {"", "ReduceLogSumExp", 1, 13, "float[3,4] x", "float[] y, float[] z",
     "y = ReduceLogSumExp<axes: ints = [1]>(x) z = ReduceLogSumExp(x)"},
    {"", "ReduceLogSumExp", 18, 18, "float[2,3,4] x, int64[1] a", "float[] y", "y = ReduceLogSumExp<keepdims: int = 0>(x, a)"},
    {"", "ReduceSumSquare", 1, 13, "float[3,4] x, int32[3,4] i", "float[] y, int32[] z",
     "y = ReduceSumSquare<axes: ints = [1]>(x) z = ReduceSumSquare(i)"},
    {"", "ReduceSumSquare", 18, 18, "float[2,3,4] x, int64[1] a", "float[] y", "y = ReduceSumSquare<keepdims: int = 0>(x, a)"},
};

/* The same results as the kernel's, of the model with kernels and of that with its bodies, optimised and plain. */
static void compare_pair(const ob_model *model, const ob_model *other, const char *what) {
    static operands in;
    ob_view want[MAX_VALUES], got[MAX_VALUES];
    make_operands(model, &in);
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *a = NULL, *b = NULL;
        run(model, optimize, &in, &a, want);
        run(other, optimize, &in, &b, got);
        for (uint32_t i = 0; i < model->graph->n_outputs; i++) expect_close(what, &got[i], &want[i]);
        ob_session_close(&a);
        ob_session_close(&b);
    }
}

static void kernels_and_bodies_agree(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const pair_case *c = &pairs[i];
        ob_model *model = model_of(c->domain, c->opset, c->in, c->out, c->nodes), *other = expanded(model);
        bool left = false;
        for (const ob_node *node = other->graph->first; node; node = node->next)
            left = left || (node->op->since == c->opset && strcmp(node->op_type, c->name) == 0);
        if (left && strcmp(c->name, "Softmax") != 0 && strcmp(c->name, "LogSoftmax") != 0) fail_msg("%s is still there", c->name);
        compare_pair(model, other, c->name);
        ob_model_close(&model);
        ob_model_close(&other);
    }
}

/* ---- Bodies without kernels: other operators that say the same ------------------------------------------------------ */

typedef struct alike_case {
    const char *domain, *name;
    int16_t since;
    int64_t opset;
    const char *in, *out, *nodes, *other;
} alike_case;

static const alike_case alikes[] = {
    {"", "ConstantFill", 1, 9, "float[3,4] x", "int32[] y, float[] z, double[] w",
     "y = ConstantFill<extra_shape: ints = [2], dtype: int = 6, value: float = 2.5>(x) z = ConstantFill<shape: ints = [2]>() "
     "s = Constant<value: tensor = int64[2] {1, 3}>() w = ConstantFill<input_as_shape: int = 1, dtype: int = 11, value: float = "
     "0.5>(s)",
     "y = Constant<value: tensor = int32[3,4,2] {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}>() "
     "z = Constant<value: tensor = float[2] {0, 0}>() w = Constant<value: tensor = double[1,3] {0.5, 0.5, 0.5}>()"},
    {"", "GivenTensorFill", 1, 9, "double[3,1] x", "double[] y, float[] z",
     "y = GivenTensorFill<values: floats = [1.0, 2.5, 3.0]>(x) z = GivenTensorFill<values: floats = [1.0, 2.0], shape: ints = "
     "[2], "
     "extra_shape: ints = [1]>()",
     "y = Constant<value: tensor = double[3,1] {1, 2.5, 3}>() z = Constant<value: tensor = float[2,1] {1, 2}>()"},
    {"", "Crop", 1, 9, "float[2,1,4,6] x", "float[] y, float[] z, float[] w",
     "y = Crop<border: ints = [1, 2, 3, 1]>(x) z = Crop<border: ints = [1, 2, 0, 0], scale: ints = [2, 3]>(x) "
     "w = Crop<scale: ints = [3, 2]>(x)",
     "y = Slice<axes: ints = [2, 3], starts: ints = [2, 1], ends: ints = [3, 3]>(x) "
     "z = Slice<axes: ints = [2, 3], starts: ints = [2, 1], ends: ints = [4, 4]>(x) "
     "w = Slice<axes: ints = [2, 3], starts: ints = [0, 0], ends: ints = [3, 2]>(x)"},
    {"", "DynamicSlice", 1, 9, "float[3,4] x", "float[] y, float[] z",
     "s = Constant<value: tensor = int32[1] {-3}>() e = Constant<value: tensor = int32[1] {100}>() a = Constant<value: tensor = "
     "int32[1] {1}>() y = DynamicSlice(x, s, e, a) b = Constant<value: tensor = int64[2] {0, 0}>() "
     "f = Constant<value: tensor = int64[2] {3, 9}>() z = DynamicSlice(x, b, f)",
     "y = Slice<axes: ints = [1], starts: ints = [1], ends: ints = [4]>(x) z = Identity(x)"},
    {"", "ImageScaler", 1, 9, "float[2,3,2,2] x", "float[] y, float[] z",
     "y = ImageScaler<scale: float = 2.0, bias: floats = [0.5, -1.0, 2.0]>(x) z = ImageScaler(x)",
     "b = Constant<value: tensor = float[3,1,1] {0.5, -1, 2}>() d = Add(x, x) y = Add(d, b) z = Identity(x)"},
    {"", "Scale", 1, 9, "float[3,4] x", "float[] y", "y = Scale<scale: float = 2.0>(x)", "y = Add(x, x)"},
    {"", "GRUUnit", 1, 9, "float[1,2,3] h, float[1,2,9] g", "float[] y, float[] z",
     "n = Constant<value: tensor = float[2] {4, 3}>() t = Constant<value: tensor = float[1] {3}>() y = GRUUnit(h, g, n, t) "
     "z = GRUUnit<drop_states: int = 1>(h, g, n, t)",
     "r, u, o = Split<axis: int = 2>(g) s = Sigmoid(u) k = Mul(s, h) one = Constant<value: tensor = float "
     "{1}>() "
     "m = Sub(one, s) c = Tanh(o) d = Mul(m, c) next = Add(k, d) l = Constant<value: tensor = bool[2,1] {1, 0}>() "
     "y = Where(l, next, h) nought = Constant<value: tensor = float {0}>() z = Where(l, next, nought)"},
    {"", "NegativeLogLikelihoodLoss", 12, 13, "float[2,3,5] x, int64[2,5] t, float[3] w", "float[] y, float[] z, float v",
     "y = NegativeLogLikelihoodLoss<reduction: string = \"none\">(x, t, w) "
     "z = NegativeLogLikelihoodLoss<reduction: string = \"none\", ignore_index: int = 1>(x, t, w) v = "
     "NegativeLogLikelihoodLoss(x, t, w)",
     "d = Constant<value: tensor = int64[3] {0, 1, 2}>() one = Constant<value: tensor = int64[1] {1}>() "
     "c = Constant<value: tensor = int64[3,1] {0, 1, 2}>() tt = Unsqueeze(t, one) same = Equal(tt, c) f = Cast<to: int = "
     "1>(same) "
     "ww = Unsqueeze(w, one) fw = Mul(f, ww) p = Mul(fw, x) q = ReduceSum<keepdims: int = 0>(p, one) y = Neg(q) "
     "i = Equal(t, one) nought = Sub(w, w) axis = Constant<value: tensor = int64[1] {0}>() "
     "nil = ReduceSum<keepdims: int = 0>(nought) z = Where(i, nil, y) "
     "a = ReduceSum<keepdims: int = 0>(y) b = ReduceSum<keepdims: int = 0>(fw) v = Div(a, b)"},
    {"", "SoftmaxCrossEntropyLoss", 12, 13, "float[2,3,5] x, int64[2,5] t", "float y, float[] l",
     "y, l = SoftmaxCrossEntropyLoss(x, t)", "l = LogSoftmax<axis: int = 1>(x) y = NegativeLogLikelihoodLoss(l, t)"},
    {"", "CausalConvWithState", 27, 27, "float[2,3,5] x, float[3,1,3] w, float[3] b, float[2,3,2] p",
     "float[] y, float[] s, float[] z, float[] r",
     "y, s = CausalConvWithState(x, w, b, p) z, r = CausalConvWithState<activation: string = \"silu\">(x, w)",
     "c = Concat<axis: int = 2>(p, x) y = Conv<group: int = 3>(c, w, b) from = Constant<value: tensor = int64[1] {-2}>() "
     "to = Constant<value: tensor = int64[1] {100}>() a = Constant<value: tensor = int64[1] {2}>() s = Slice(c, from, to, a) "
     "v = Conv<group: int = 3, pads: ints = [2, 0]>(x, w) z = Swish(v) r = Slice(x, from, to, a)"},
    {"", "CenterCropPad", 18, 18, "float[3,4,5] x", "float[] y, float[] z",
     "s = Constant<value: tensor = int64[2] {1, 7}>() y = CenterCropPad<axes: ints = [0, -1]>(x, s) "
     "r = Constant<value: tensor = int32[3] {4, 3, 5}>() z = CenterCropPad(x, r)",
     "a = Constant<value: tensor = int64[1] {1}>() b = Constant<value: tensor = int64[1] {2}>() o = Constant<value: tensor = "
     "int64[1] {0}>() "
     "c = Constant<value: tensor = int64[1] {3}>() m = Slice(x, a, b, o) p = Constant<value: tensor = int64[6] {0, 0, 1, 0, 0, "
     "1}>() "
     "y = Pad(m, p) n = Slice(x, o, c, a) q = Constant<value: tensor = int64[6] {0, 0, 0, 1, 0, 0}>() z = Pad(n, q)"},
    {"", "HannWindow", 17, 17, "float[1] x", "float[] y", "n = Constant<value: tensor = int64 {4}>() y = HannWindow(n)",
     "y = Constant<value: tensor = float[4] {0.0, 0.5, 1.0, 0.5}>()"},
    {"", "HammingWindow", 17, 17, "float[1] x", "double[] y",
     "n = Constant<value: tensor = int32 {3}>() y = HammingWindow<periodic: int = 0, output_datatype: int = 11>(n)",
     "y = Constant<value: tensor = double[3] {0.08695652173913038, 1.0, 0.08695652173913038}>()"},
    {"", "BlackmanWindow", 17, 17, "float[1] x", "float[] y", "n = Constant<value: tensor = int64 {4}>() y = BlackmanWindow(n)",
     "y = Constant<value: tensor = float[4] {0.0, 0.34, 1.0, 0.34}>()"},
    {"", "AffineGrid", 20, 20, "float[1] x", "float[] y, float[] z",
     "t = Constant<value: tensor = float[1,2,3] {1, 0, 0, 0, 1, 0.5}>() s = Constant<value: tensor = int64[4] {1, 1, 2, 2}>() "
     "y = AffineGrid(t, s) z = AffineGrid<align_corners: int = 1>(t, s)",
     "y = Constant<value: tensor = float[1,2,2,2] {-0.5, 0.0, 0.5, 0.0, -0.5, 1.0, 0.5, 1.0}>() "
     "z = Constant<value: tensor = float[1,2,2,2] {-1.0, -0.5, 1.0, -0.5, -1.0, 1.5, 1.0, 1.5}>()"},
    {"ai.onnx.preview", "FlexAttention", 1, 0, "float[2,4,3,4] q, float[2,2,5,4] k, float[2,2,5,3] v", "float[] y, float[] z",
     "y = ai.onnx.preview.FlexAttention(q, k, v) z = ai.onnx.preview.FlexAttention<scale: float = 0.3, softmax_precision: int = "
     "11, score_mod: graph = capped (double[2,4,3,5] s) => (double[2,4,3,5] t) { c = Constant<value: tensor = double {0.7}>() "
     "a = Div(s, c) b = Tanh(a) t = Mul(b, c) }, prob_mod: graph = doubled (p) => (r) { r = Add(p, p) }>(q, k, v)",
     "y = Attention(q, k, v) a = Attention<scale: float = 0.3, softcap: float = 0.7>(q, k, v) z = Add(a, a)"},
    {"ai.onnx.ml", "ArrayFeatureExtractor", 1, 0, "float[3,4] x, int64[1,2] i", "float[] y",
     "y = ai.onnx.ml.ArrayFeatureExtractor(x, i)", "r = Squeeze(i) y = Gather<axis: int = 1>(x, r)"},
    {"ai.onnx.ml", "Binarizer", 1, 0, "float[3,4] x", "float[] y", "y = ai.onnx.ml.Binarizer<threshold: float = 0.4>(x)",
     "t = Constant<value: tensor = float {0.4}>() g = Greater(x, t) y = Cast<to: int = 1>(g)"},
    {"ai.onnx.ml", "Normalizer", 1, 0, "float[3,4] x", "float[] y, float[] z, float[] w",
     "y = ai.onnx.ml.Normalizer<norm: string = \"L2\">(x) z = ai.onnx.ml.Normalizer<norm: string = \"L1\">(x) w = "
     "ai.onnx.ml.Normalizer(x)",
     "y = LpNormalization<axis: int = 1>(x) z = LpNormalization<axis: int = 1, p: int = 1>(x) "
     "a = Constant<value: tensor = int64[1] {1}>() m = ReduceMax(x, a) w = Div(x, m)"},
    {"ai.onnx.ml", "Scaler", 1, 0, "int64[3,2] x", "float[] y",
     "y = ai.onnx.ml.Scaler<offset: floats = [1.0, 0.5], scale: floats = [2.0, 3.0]>(x)",
     "f = Cast<to: int = 1>(x) o = Constant<value: tensor = float[2] {1.0, 0.5}>() s = Constant<value: tensor = float[2] {2.0, "
     "3.0}>() "
     "d = Sub(f, o) y = Mul(d, s)"},
};

static void bodies_say_what_others_say(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof alikes / sizeof alikes[0]; i++) {
        const alike_case *c = &alikes[i];
        ob_model *model = model_of(c->domain, c->opset, c->in, c->out, c->nodes),
                 *other = model_of(c->domain, c->opset, c->in, c->out, c->other);
        compare_pair(model, other, c->name);
        ob_model_close(&model);
        ob_model_close(&other);
    }
}

/* ---- Operators of com.microsoft ------------------------------------------------------------------------------------ */

static void try_contrib(const contrib_case *c, const char *type) {
    static operands in;
    char text[8000], what[200];
    ob_view want[MAX_VALUES], got[MAX_VALUES];
    ob_session *a = NULL, *b = NULL;
    snprintf(what, sizeof what, "%s of %s: %.100s", c->name, type, c->nodes);
    assert_true(contrib_text(c, c->nodes, type, text, sizeof text));
    ob_model *model = read_text(text);
    assert_true(contrib_text(c, c->other, type, text, sizeof text));
    ob_model *other = read_text(text);
    make_operands(model, &in);
    for (int optimize = 0; optimize < 2; optimize++) {
        run(model, optimize, &in, &a, got);
        run(other, optimize, &in, &b, want);
        for (uint32_t i = 0; i < model->graph->n_outputs; i++) {
            bool quantized = want[i].dtype != OB_FLOAT && want[i].dtype != OB_FLOAT16 && want[i].dtype != OB_DOUBLE;
            double least = want[i].dtype == OB_FLOAT16 ? 2e-3 : 4e-6, tolerance = c->tolerance > least ? c->tolerance : least;
            expect_within(what, &got[i], &want[i], quantized ? c->steps : tolerance, quantized ? 0 : tolerance);
        }
        ob_session_close(&a);
        ob_session_close(&b);
    }
    ob_model_close(&model);
    ob_model_close(&other);
}

static void contrib_operators_say_what_others_say(void **state) {
    (void)state;
    for (int i = 0; i < N_CONTRIB_CASES; i++) {
        char type[32];
        for (int k = 0; contrib_type(contrib_cases[i].types, k, type, sizeof type), type[0]; k++)
            try_contrib(&contrib_cases[i], type);
    }
}

/* ---- Attention: loops ---------------------------------------------------------------------------------------------- */

enum { BATCH = 2, HEADS = 4, KEY_HEADS = 2, QUERIES = 3, KEYS = 2, PAST = 3, SIZE = 4, ALL_KEYS = PAST + KEYS };

typedef struct attention_case {
    const char *attributes;
    bool causal, mask_is_bool, cut; /* cut: only n_valid keys count, and there is no past */
    double scale, softcap;
    int mode;
} attention_case;

static double at4(const ob_view *view, int64_t a, int64_t b, int64_t c, int64_t d) {
    return element(view, ((a * view->dims[1] + b) * view->dims[2] + c) * view->dims[3] + d);
}

/* Keys of the past first. `which`: 1 of keys, 2 of values. */
static double key_at(const operands *in, const attention_case *c, int which, int64_t b, int64_t head, int64_t key, int64_t d) {
    if (c->cut) return at4(&in->views[which], b, head, key, d);
    return key < PAST ? at4(&in->views[3 + which], b, head, key, d) : at4(&in->views[which], b, head, key - PAST, d);
}

static void attend(const operands *in, const attention_case *c, int64_t b, int64_t h, int64_t q, double *y, double *shown) {
    double s[ALL_KEYS], highest = -HUGE_VAL, sum = 0;
    int64_t n_past = c->cut ? 0 : PAST, n = c->cut ? KEYS : ALL_KEYS, head = h / (HEADS / KEY_HEADS);
    for (int64_t k = 0; k < n; k++) {
        double dot = 0;
        for (int64_t d = 0; d < SIZE; d++) dot += at4(&in->views[0], b, h, q, d) * key_at(in, c, 1, b, head, k, d);
        s[k] = dot * c->scale;
        if (c->mode == 0) shown[k] = s[k];
        if (c->softcap != 0) s[k] = c->softcap * tanh(s[k] / c->softcap);
        if (c->mode == 1) shown[k] = s[k];
        /* A mask of one key less than there are: what it lacks is masked. */
        const ob_view *mask = &in->views[3];
        double m = c->cut ? 0 : k < n - 1 ? element(mask, q * (n - 1) + k) : c->mask_is_bool ? 0 : -HUGE_VAL;
        if (!c->cut && c->mask_is_bool) m = m != 0 ? 0 : -HUGE_VAL;
        if (c->causal && k > q + n_past) m = -HUGE_VAL;
        if (c->cut && k >= 1 + b) m = -HUGE_VAL;
        s[k] += m;
        if (c->mode == 2) shown[k] = s[k];
        highest = fmax(highest, s[k]);
    }
    for (int64_t k = 0; k < n; k++) sum += s[k] = exp(s[k] - highest);
    for (int64_t d = 0; d < SIZE; d++) y[d] = 0;
    for (int64_t k = 0; k < n; k++) {
        if (c->mode == 3) shown[k] = s[k] / sum;
        for (int64_t d = 0; d < SIZE; d++) y[d] += s[k] / sum * key_at(in, c, 2, b, head, k, d);
    }
}

static void check_attention(const operands *in, const attention_case *c, const ob_view *out) {
    int64_t n = c->cut ? KEYS : ALL_KEYS;
    for (int64_t row = 0; row < BATCH * HEADS * QUERIES; row++) {
        double y[SIZE], shown[ALL_KEYS];
        attend(in, c, row / QUERIES / HEADS, row / QUERIES % HEADS, row % QUERIES, y, shown);
        for (int64_t d = 0; d < SIZE; d++) {
            double got = element(&out[0], row * SIZE + d);
            if (!(fabs(got - y[d]) < 1e-5)) fail_msg("%s: row %d is %g, not %g", c->attributes, (int)row, got, y[d]);
        }
        for (int64_t k = 0; k < n; k++) {
            double got = element(&out[1], row * n + k);
            if (got != shown[k] && !(fabs(got - shown[k]) < 1e-5))
                fail_msg("%s: product %d is %g, not %g", c->attributes, (int)(row * n + k), got, shown[k]);
        }
    }
}

static void attention(void **state) {
    static const attention_case cases[] = {
        {"qk_matmul_output_mode: int = 0", .scale = 0.5, .mask_is_bool = true},
        {"qk_matmul_output_mode: int = 1, softcap: float = 0.7, scale: float = 0.3", .scale = 0.3, .softcap = 0.7, .mode = 1},
        {"qk_matmul_output_mode: int = 2, is_causal: int = 1", .scale = 0.5, .mode = 2, .causal = true, .mask_is_bool = true},
        {"qk_matmul_output_mode: int = 3, softmax_precision: int = 11", .scale = 0.5, .mode = 3},
        {"qk_matmul_output_mode: int = 2, is_causal: int = 1", .scale = 0.5, .mode = 2, .causal = true, .cut = true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const attention_case *c = &cases[i];
        static operands in;
        char inputs[400], node[600];
        ob_view out[MAX_VALUES];
        ob_session *session = NULL;
        snprintf(inputs, sizeof inputs, "float[2,4,3,4] q, float[2,2,2,4] k, float[2,2,2,4] v%s%s%s",
                 c->cut            ? ""
                 : c->mask_is_bool ? ", bool"
                                   : ", float",
                 c->cut ? "" : "[3,4] m, float[2,2,3,4] pk, float[2,2,3,4] pv", "");
        snprintf(node, sizeof node, "%s y, , , p = Attention<%s>(q, k, v%s)",
                 c->cut ? "n = Constant<value: tensor = int64[2] {1, 2}>()" : "", c->attributes,
                 c->cut ? ", , , , n" : ", m, pk, pv");
        ob_model *model = model_of("", 24, inputs, "float[] y, float[] p", node);
        make_operands(model, &in);
        run(model, i % 2, &in, &session, out);
        check_attention(&in, c, out);
        ob_session_close(&session);
        ob_model_close(&model);
    }
}

/* Operands of rank 3 hold the heads side by side. */
static void attention_of_rank_3(void **state) {
    (void)state;
    ob_model *model = model_of("", 23, "float[2,3,16] q, float[2,5,8] k, float[2,5,8] v", "float[] y, float[] pk",
                               "y, pk = Attention<q_num_heads: int = 4, kv_num_heads: int = 2>(q, k, v)"),
             *other = model_of(
                 "", 23, "float[2,3,16] q, float[2,5,8] k, float[2,5,8] v", "float[] y, float[] pk",
                 "a = Constant<value: tensor = int64[4] {2, 3, 4, 4}>() b = Constant<value: tensor = int64[4] {2, 5, 2, 4}>() "
                 "c = Constant<value: tensor = int64[3] {2, 3, 16}>() qr = Reshape(q, a) kr = Reshape(k, b) vr = Reshape(v, b) "
                 "qt = Transpose<perm: ints = [0, 2, 1, 3]>(qr) pk = Transpose<perm: ints = [0, 2, 1, 3]>(kr) "
                 "vt = Transpose<perm: ints = [0, 2, 1, 3]>(vr) yt = Attention(qt, pk, vt) "
                 "yr = Transpose<perm: ints = [0, 2, 1, 3]>(yt) y = Reshape(yr, c)");
    compare_pair(model, other, "Attention of rank 3");
    ob_model_close(&model);
    ob_model_close(&other);
}

/* ---- The table ------------------------------------------------------------------------------------------------------ */

static bool is_tried(const ob_body *body) {
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i].since == body->since && strcmp(pairs[i].name, body->name) == 0 && strcmp(pairs[i].domain, body->domain) == 0)
            return true;
    for (size_t i = 0; i < sizeof alikes / sizeof alikes[0]; i++)
        if (alikes[i].since == body->since && strcmp(alikes[i].name, body->name) == 0 &&
            strcmp(alikes[i].domain, body->domain) == 0)
            return true;
    for (int i = 0; i < N_CONTRIB_CASES; i++)
        if ((strcmp(body->domain, "com.microsoft") == 0 || strncmp(body->name, "Simplified", 10) == 0) &&
            strcmp(contrib_cases[i].name, body->name) == 0)
            return true;
    return false;
}

static void every_body_is_tried(void **state) {
    (void)state;
    assert_true(ob__body_count() > 50);
    for (size_t i = 0; i < ob__body_count(); i++) {
        const ob_body *body = ob__body_at(i);
        const ob_op *op = ob__op_find(body->domain, body->name, body->since);
        if (!op || ob__body_of(op) != body) fail_msg("%s-%d: no row that the body is of", body->name, body->since);
        if (!is_tried(body)) fail_msg("%s-%d: no test of the body", body->name, body->since);
    }
}

/* ---- What goes wrong ------------------------------------------------------------------------------------------------ */

static ob_status create(const ob_model *model, uint64_t max_nodes, ob_error *error) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_session_config_init(&config);
    config.max_nodes = max_nodes;
    ob_status status = ob_session_create(model, &config, &session, error);
    ob_session_close(&session);
    return status;
}

static void a_rank_must_be_known(void **state) {
    (void)state;
    ob_error error;
    ob_model *model = model_of("com.microsoft", 1, "float[] x, int64[2,3] p, float[3,2] c", "float[] y",
                               "y = com.microsoft.RotaryEmbedding(x, p, c, c)");
    assert_int_equal(create(model, 0, &error), OB_E_UNSUPPORTED);
    assert_string_equal(error.op_type, "RotaryEmbedding");
    assert_non_null(strstr(error.message, "the rank of operand 0 must be known"));
    ob_model_close(&model);
}

static void nodes_are_limited(void **state) {
    (void)state;
    ob_error error;
    ob_model *model =
        model_of("", 27, "float[2,3,4] x, float[3,1,2] w", "float[] y, float[] z", "y, z = CausalConvWithState(x, w)");
    assert_int_equal(create(model, 5, &error), OB_E_LIMIT);
    assert_non_null(strstr(error.message, "max_nodes"));
    assert_int_equal(create(model, 100, &error), OB_OK);
    ob_model_close(&model);
}

/* A modifier of FlexAttention has one operand and one result of one type and shape: the checker says it, and no run goes on. */
static void modifiers_keep_what_they_take(void **state) {
    static const struct {
        const char *graph, *says;
    } cases[] = {
        {"m (s) => (t) { t = Cast<to: int = 11>(s) }", "score_mod gives double: it must give what it takes, float"},
        {"m (s) => (t) { t = ReduceSum<keepdims: int = 0>(s) }", "score_mod gives rank 0"},
        {"m (s) => (t) { t = ReduceMax(s) }", "1 must equal 2"},
        {"m (s, r) => (t) { t = Add(s, r) }", "score_mod has 2 inputs and 1 outputs"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char node[300];
        ob_error error;
        ob_report *report = NULL;
        ob_finding_info finding;
        ob_session *session = NULL;
        snprintf(node, sizeof node, "y = ai.onnx.preview.FlexAttention<score_mod: graph = %s>(q, q, q)", cases[i].graph);
        ob_model *model = model_of("ai.onnx.preview", 1, "float[2,2,3,4] q", "float[] y", node);
        assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
        assert_int_equal(ob_report_finding(report, 0, &finding), OB_OK);
        if (!strstr(finding.message, cases[i].says)) fail_msg("%s: %s", cases[i].graph, finding.message);
        if (ob_session_create(model, NULL, &session, &error) == OB_OK) fail_msg("%s", cases[i].graph);
        if (!strstr(error.message, cases[i].says)) fail_msg("%s: %s", cases[i].graph, error.message);
        ob_session_close(&session);
        ob_report_close(&report);
        ob_model_close(&model);
    }
}

/* What an operator asks of its attributes and operands is asked though the nodes of its body would not. */
static void the_operator_is_asked(void **state) {
    static const struct {
        const char *in, *node, *says;
        int64_t size; /* of N in the run; 0: refused before */
    } cases[] = {
        {"float[2,4,6] x, float[6,18] w, float[18] b", "y = com.microsoft.Attention(x, w, b)", "num_heads must be a positive", 0},
        {"float[2,4,6] x, float[6,18] w, float[18] b", "y = com.microsoft.Attention<num_heads = 4>(x, w, b)", "4", 0},
        {"float[2,4,N] x, float[N,18] w, float[18] b", "y = com.microsoft.Attention<num_heads = 2>(x, w, b)", NULL, 6},
        {"float[2,4,6] x, float[6,N] w, float[N] b", "y = com.microsoft.Attention<num_heads = 2>(x, w, b)", "N", 15},
        {"float[2,4] x, float[N] b", "y = com.microsoft.BiasGelu(x, b)", "N", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static operands in;
        ob_error error;
        ob_session *session = NULL;
        ob_view out[MAX_VALUES] = {{0}};
        ob_model *model = model_of("com.microsoft", 1, cases[i].in, "float[] y", cases[i].node);
        ob_status status = ob_session_create(model, NULL, &session, &error);
        if (cases[i].size == 0) {
            assert_int_not_equal(status, OB_OK);
        } else {
            if (status != OB_OK) fail_msg("%s: %s", cases[i].node, error.message);
            in.n = 0;
            for (uint32_t k = 0; k < model->graph->n_inputs; k++) {
                const ob_shape *shape = &model->graph->inputs[k]->declared.shape;
                int64_t dims[3];
                for (int32_t axis = 0; axis < shape->rank; axis++)
                    dims[axis] = ob_dim_is_const(shape->dims[axis]) ? shape->dims[axis] : cases[i].size;
                assert_int_equal(ob_view_init(&in.views[k], in.room[k], OB_FLOAT, shape->rank, dims), OB_OK);
                fill(&in.views[k], (int)in.n++);
            }
            status = ob_session_run(session, in.views, in.n, out, 1, &error);
        }
        assert_int_equal(status == OB_OK, cases[i].says == NULL);
        if (cases[i].says && !strstr(error.message, cases[i].says)) fail_msg("%s: %s", cases[i].node, error.message);
        ob_session_close(&session);
        ob_model_close(&model);
    }
}

/* Texts that are no bodies, of one operand and one result. */
static void wrong_texts_are_refused(void **state) {
    static const char *const texts[] = {
        "",
        "(X) -> (Y) {",
        "(X) -> (Y) { Y = X }",
        "(X) -> (Y) { }",
        "(X) -> (Y) { Z = X; }",
        "(X) -> (Y) { Y = Z; }",
        "(X) -> (Y) { Y = NoSuchOperator(X); }",
        "(X) -> (Y) { Y = Add(X); }",
        "(X) -> (Y) { Y = X + @alpha; }",
        "<alpha>(X) -> (Y) { Y = X + @alpha; }",
        "(X) -> (Y) { Y = X + ; }",
        "(X) -> (Y) { Y = X; } more",
        "(X) -> (Y) { if (has(Z)) { Y = X; } }",
        "(X) -> (Y) { if (type(X) == nothing) { Y = X; } }",
        "(X) -> (Y) { Y = Cast(X, to = nothing); }",
        "(X) -> (Y) { Y = [1, 2] + [3]; }",
        "(X) -> (Y) { Y = X * \"x\"; }",
        "(X) -> (Y) { Y = Transpose(X, perm = moved(X, 0, 1)); }",
        "(X) -> (Y) { Y = Transpose(X, perm = moved(X, -2, 0)); }",
        "(X) -> (Y) { Y = Transpose(X, perm = moved(Z, 0, 0)); }",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ob_error error;
        ob_arena scratch;
        ob_model *model = model_of("", 13, "float[2] x", "float[] y", "y = Relu(x)");
        ob_node *call = model->graph->first;
        ob_body body = {"", "Relu", 1, texts[i]};
        ob__arena_init(&scratch, NULL);
        ob_status status = ob__body_expand(&body, call, &model->graph->inputs[0]->declared, &scratch, &error);
        if (status != OB_E_INTERNAL) fail_msg("\"%s\": %s", texts[i], ob_status_text(status));
        ob__arena_release(&scratch);
        ob_model_close(&model);
    }
}

static void what_a_body_refuses_is_told(void **state) {
    (void)state;
    ob_error error;
    ob_arena scratch;
    ob_model *model = model_of("", 13, "float[2] x", "float[] y", "y = Relu(x)");
    ob_body body = {"", "Relu", 1, "<a = 1>(X) -> (Y) { if (@a == 2) { refuse \"no\"; } refuse \"a of 1\"; }"};
    ob__arena_init(&scratch, NULL);
    ob_status status = ob__body_expand(&body, model->graph->first, &model->graph->inputs[0]->declared, &scratch, &error);
    assert_int_equal(status, OB_E_UNSUPPORTED);
    assert_string_equal(error.message, "Relu: a of 1");
    ob__arena_release(&scratch);
    ob_model_close(&model);
}

/* An attribute of another type is an error of the model, not of the body that reads it. */
static void attributes_have_their_types(void **state) {
    (void)state;
    ob_error error;
    ob_model *model =
        model_of("", 13, "float[2,3] x, int64[2] t", "y", "y = NegativeLogLikelihoodLoss <ignore_index = \"none\"> (x, t)");
    assert_int_equal(create(model, 0, &error), OB_E_MODEL);
    assert_string_equal(error.message, "NegativeLogLikelihoodLoss: attribute ignore_index is no number");
    ob_model_close(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_and_bodies_agree),
        cmocka_unit_test(bodies_say_what_others_say),
        cmocka_unit_test(contrib_operators_say_what_others_say),
        cmocka_unit_test(attention),
        cmocka_unit_test(attention_of_rank_3),
        cmocka_unit_test(every_body_is_tried),
        cmocka_unit_test(a_rank_must_be_known),
        cmocka_unit_test(nodes_are_limited),
        cmocka_unit_test(modifiers_keep_what_they_take),
        cmocka_unit_test(the_operator_is_asked),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(what_a_body_refuses_is_told),
        cmocka_unit_test(attributes_have_their_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
