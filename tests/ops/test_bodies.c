/* Bodies of operators: each is run and compared with the kernel, or else with equivalent operators. */
#include "body_case.h"
#include "contrib_case.h"
#include "expanded.h"
#include "ops/body/body.h"

/* ---- Bodies beside kernels ---- */

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
    {"", "Celu", 12, 28, "float[3,4] x", "float[] y", "y = Celu<alpha: float = 0.7>(x)"},
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
    {"", "QLinearMatMul", 21, 21, "uint8[2,3] a, float s, uint8 z, int8[3,4] b, float[4] t, int8[4] w, float[1] u, uint8[1] v",
     "uint8[] y", "y = QLinearMatMul(a, s, z, b, t, w, u, v)"},
    {"", "QLinearMatMul", 21, 21, "int8[3] a, float[1] s, int8[1] z, int8[2,3,4] b, float t, int8 w", "int8[] y",
     "y = QLinearMatMul(a, s, z, b, t, w, t, w)"},
    {"", "QLinearMatMul", 21, 21, "uint8[2,3] a, float[2] s, uint8[2] z, uint8[3,4] b, float t, uint8 w", "uint8[] y",
     "y = QLinearMatMul(a, s, z, b, t, w, t, w)"},
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

/* ---- Bodies without kernels: equivalent operators ---- */

typedef struct alike_case {
    const char *domain, *name;
    int16_t since;
    int64_t opset;
    const char *in, *out, *nodes, *other;
} alike_case;

static const alike_case alikes[] = {
    {"", "SwiGLU", 28, 28, "float[3,4] x", "float[] y, float[] z",
     "y = SwiGLU<alpha: float = 1.5>(x, x) m = Neg(x) z = SwiGLU(x, m)",
     "a = Swish<alpha: float = 1.5>(x) y = Mul(a, x) m = Neg(x) b = Swish(x) z = Mul(b, m)"},
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

/* ---- Operators of com.microsoft ---- */

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

/* ---- The table ---- */

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_and_bodies_agree),
        cmocka_unit_test(bodies_say_what_others_say),
        cmocka_unit_test(contrib_operators_say_what_others_say),
        cmocka_unit_test(every_body_is_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
