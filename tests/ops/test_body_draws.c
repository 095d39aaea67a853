/* Operators with random operands and attributes: kernel and body give the same results. */
#include "drawn_call.h"
#include "expanded.h"

enum { N_DRAWS = 300 };

static const int precisions[4] = {OB_FLOAT, OB_DOUBLE, OB_FLOAT16, OB_BFLOAT16};

/* The tolerance, from the type's rounding after each operator of the body. */
static double tolerance_of(int real) {
    static const double of[4] = {2e-5, 2e-7, 2e-2, 1.5e-1}; /* attributes that a body sets are floats */
    return of[real];
}

/* 1 to n, sometimes 0. */
static int seldom_none(int n) {
    return one_of(10) ? 1 + one_of(n) : 0;
}

static void draw_mask(text *t, int opset, const int *scores, int real) {
    static const char *const types[] = {"bool", "bool", "int8", "uint16", "int64", "uint32"};
    const int kind = one_of(10), rank = one_of(5);
    int dims[4];
    for (int a = 0; a < 4; a++) dims[a] = one_of(3) ? scores[a] : 1;
    if (opset > 23 && dims[3] > 2 && one_of(3) == 0) dims[3] -= 1;
    if (one_of(3) == 0)
        operand(t, NULL, "", 0, NULL);
    else
        operand(t, kind < 6 ? types[kind] : reals[real], "m", rank, dims + 4 - rank);
}

static const char *attention(text *t) {
    const int opset = 23 + one_of(2), batch = seldom_none(2), heads = 1 + one_of(2), group = 1 + one_of(3),
              queries = seldom_none(4);
    const int keys = 1 + one_of(5), past = one_of(2) ? 0 : 1 + one_of(3), size = 1 + one_of(6), v_size = 1 + one_of(20);
    const int real = one_of(4), v_real = one_of(3) ? real : one_of(4), total = past + keys, q_heads = heads * group;
    const int full[5][4] = {{batch, q_heads, queries, size},
                            {batch, heads, keys, size},
                            {batch, heads, keys, v_size},
                            {batch, heads, past, size},
                            {batch, heads, past, v_size}};
    const int flat[3][3] = {{batch, queries, q_heads * size}, {batch, keys, heads * size}, {batch, keys, heads * v_size}};
    const bool is_flat = one_of(2), counted = opset == 24 && !past && one_of(3) == 0;
    static const char *const names[] = {"q", "k", "v"};
    for (int i = 0; i < 3; i++) operand(t, reals[i == 2 ? v_real : real], names[i], is_flat ? 3 : 4, is_flat ? flat[i] : full[i]);
    draw_mask(t, opset, (int[]){batch, q_heads, queries, total}, real);
    operand(t, past ? reals[real] : NULL, "a", 4, full[3]);
    operand(t, past ? reals[v_real] : NULL, "b", 4, full[4]);
    if (counted) operand(t, "int64", "n", 1, (int[]){batch});
    t->tolerance = fmax(tolerance_of(real), tolerance_of(v_real));
    if (is_flat) whole_attribute(t, "q_num_heads", q_heads);
    if (is_flat) whole_attribute(t, "kv_num_heads", heads);
    if (one_of(2)) whole_attribute(t, "is_causal", 1);
    if (one_of(2)) attribute(t, "scale", "float", "0.3");
    if (one_of(2)) attribute(t, "softcap", "float", "0.7");
    if (one_of(2)) {
        const int precision = one_of(4);
        whole_attribute(t, "softmax_precision", precisions[precision]);
        t->tolerance = fmax(t->tolerance, tolerance_of(precision));
    }
    if (one_of(4)) {
        t->n_out = 4;
        whole_attribute(t, "qk_matmul_output_mode", one_of(4));
    }
    t->opset = opset;
    t->first = reals[real];
    return "Attention";
}

static const char *rotary(text *t) {
    const int batch = seldom_none(2), heads = 1 + one_of(3), tokens = seldom_none(4), half = 1 + one_of(5),
              size = 2 * (half + one_of(2));
    const int places = 1 + one_of(5), real = (int[]){0, 2, 3}[one_of(3)];
    const bool flat = one_of(2), placed = one_of(2);
    operand(t, reals[real], "x", flat ? 3 : 4, flat ? (int[]){batch, tokens, heads * size} : (int[]){batch, heads, tokens, size});
    for (int i = 0; i < 2; i++)
        operand(t, reals[real], i ? "s" : "c", placed ? 2 : 3, placed ? (int[]){places + 2, half} : (int[]){batch, tokens, half});
    if (placed) operand(t, "int64", "p", 2, (int[]){batch, tokens}); /* 0 to 2 */
    if (flat) whole_attribute(t, "num_heads", heads);
    if (size > 2 * half) whole_attribute(t, "rotary_embedding_dim", 2 * half);
    if (one_of(2)) whole_attribute(t, "interleaved", one_of(2));
    t->tolerance = tolerance_of(real);
    t->opset = 23;
    t->first = reals[real];
    return "RotaryEmbedding";
}

/* Sizes of an operand, possibly 0, but not from axis `folded` on, since an empty mean is undefined. */
static int shape(int *dims, int least, int folded) {
    const int rank = least + one_of(5 - least);
    for (int a = 0; a < rank; a++) dims[a] = a < folded && one_of(12) == 0 ? 0 : 1 + one_of(5);
    return rank;
}

static const char *layer_or_rms(text *t, bool rms) {
    int dims[5];
    const int rank = shape(dims, 1, 0), axis = one_of(2 * rank) - rank, first = axis < 0 ? axis + rank : axis, real = one_of(4);
    const int scale = rms && one_of(2) ? one_of(4) : real, part = one_of(3) ? rank - first : one_of(rank - first + 1);
    if (first > 0 && one_of(8) == 0) dims[0] = 0;
    operand(t, reals[real], "x", rank, dims);
    operand(t, reals[scale], "s", part, dims + rank - part);
    if (!rms && one_of(2)) operand(t, reals[real], "b", part, dims + rank - part);
    if (axis != -1) whole_attribute(t, "axis", axis);
    if (one_of(2)) attribute(t, "epsilon", "float", "0.25");
    if (!rms && one_of(2)) t->n_out = 2 + (uint32_t)one_of(2);
    t->tolerance = fmax(fmax(tolerance_of(real), tolerance_of(scale)), 2e-5); /* the body computes in float */
    t->opset = rms ? 23 : 17;
    t->first = reals[scale];
    return rms ? "RMSNormalization" : "LayerNormalization";
}

static const char *layer(text *t) {
    return layer_or_rms(t, false);
}

static const char *rms(text *t) {
    return layer_or_rms(t, true);
}

static const char *group(text *t) {
    int dims[5];
    const int rank = shape(dims, 3, 0), groups = 1 + one_of(3), real = one_of(4), opset = one_of(2) ? 18 : 21;
    dims[0] = seldom_none(3);
    dims[1] = groups * (1 + one_of(3));
    dims[rank - 1] = seldom_none(3);
    operand(t, reals[real], "x", rank, dims);
    for (int i = 0; i < 2; i++) operand(t, reals[real], i ? "b" : "s", 1, opset == 18 ? &groups : dims + 1);
    whole_attribute(t, "num_groups", groups);
    if (one_of(2)) attribute(t, "epsilon", "float", "0.25");
    t->tolerance = fmax(3 * tolerance_of(real), 2e-5);
    t->opset = opset;
    t->first = reals[real];
    return "GroupNormalization";
}

static const char *mean_variance(text *t) {
    static const char *const axes[] = {"[0]", "[-1]", "[1, 2]", "[-2, 0]", "[0, 1, 2, 3]"};
    int dims[5] = {1 + one_of(3), 2 + one_of(4), 2 + one_of(4), 2 + one_of(3)};
    const int opset = one_of(2) ? 9 : 13, real = opset == 9 ? one_of(2) : (int[]){0, 1, 0, 1}[one_of(4)];
    operand(t, reals[real], "x", 4, dims);
    if (one_of(3)) attribute(t, "axes", "ints", axes[1 + one_of(4)]);
    t->tolerance = 2e-5;
    t->opset = opset;
    t->first = reals[real];
    return "MeanVarianceNormalization";
}

static const char *softmax(text *t) {
    int dims[5];
    static const int opsets[] = {1, 11, 13};
    const int opset = opsets[one_of(3)], rank = shape(dims, 1, 0), real = one_of(opset < 13 ? 3 : 4);
    const int axis = opset < 11 ? one_of(rank) : one_of(2 * rank) - rank;
    operand(t, reals[real], "x", rank, dims);
    whole_attribute(t, "axis", axis);
    t->tolerance = 3 * tolerance_of(real);
    t->opset = opset;
    t->first = reals[real];
    return one_of(2) ? "Softmax" : "LogSoftmax";
}

/* Functions of one operand: their attributes, and the number of types that they accept. */
static const struct {
    const char *name, *attributes[2];
    int opset, n_types;
} activations[] = {
    {"Celu", {"alpha"}, 12, 1},
    {"Elu", {"alpha"}, 22, 4},
    {"HardSigmoid", {"alpha", "beta"}, 22, 4},
    {"HardSwish", {NULL}, 22, 4},
    {"LeakyRelu", {"alpha"}, 16, 4},
    {"Mish", {NULL}, 22, 4},
    {"Selu", {"alpha", "gamma"}, 22, 4},
    {"Shrink", {"lambd", "bias"}, 9, 3},
    {"Softplus", {NULL}, 22, 4},
    {"Softsign", {NULL}, 22, 4},
    {"Swish", {"alpha"}, 24, 4},
    {"ThresholdedRelu", {"alpha"}, 22, 4},
    {"Relu", {NULL}, 14, 4},
    {"Gelu", {NULL}, 20, 4},
    {"ScaledTanh", {"alpha", "beta"}, 9, 3},
    {"Affine", {"alpha", "beta"}, 9, 3},
    {"ParametricSoftplus", {"alpha", "beta"}, 9, 3},
};

static const char *activation(text *t) {
    static const char *const values[] = {"0.25", "0.7", "1.5", "-0.5", "1"};
    const int i = one_of(sizeof activations / sizeof activations[0]), real = one_of(activations[i].n_types);
    const bool above_0 = strcmp(activations[i].name, "Celu") == 0 || strcmp(activations[i].name, "Shrink") == 0;
    int dims[5];
    operand(t, reals[real], "x", shape(dims, 0, 5), dims);
    for (int k = 0; k < 2 && activations[i].attributes[k]; k++)
        if (one_of(4)) attribute(t, activations[i].attributes[k], "float", values[one_of(above_0 ? 3 : 5)]);
    if (strcmp(activations[i].name, "Gelu") == 0 && one_of(3))
        attribute(t, "approximate", "string", one_of(2) ? "\"tanh\"" : "\"none\"");
    t->tolerance = 3 * tolerance_of(real);
    t->opset = activations[i].opset;
    t->first = reals[real];
    return activations[i].name;
}

static const char *reduction(text *t) {
    static const char *const names[] = {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"};
    static const char *const axes[] = {"[0]", "[-1]", "[1, 2]", "[-2, 0]", "[0, 1, 2, 3]", "[-4, -3]"};
    static const int opsets[] = {1, 11, 13};
    int dims[4];
    const int opset = opsets[one_of(3)], real = one_of(opset < 13 ? 3 : 4), first = opset < 11 ? 2 * one_of(3) : one_of(6);
    for (int a = 0; a < 4; a++) dims[a] = 1 + one_of(4);
    operand(t, reals[real], "x", 4, dims);
    if (one_of(4)) attribute(t, "axes", "ints", opset < 11 && first == 2 ? axes[2] : axes[first]);
    if (one_of(2)) whole_attribute(t, "keepdims", one_of(2));
    t->tolerance = 3 * tolerance_of(real);
    t->opset = opset;
    t->first = reals[real];
    return names[one_of(5)];
}

/* Bytes and scales are random; in some calls all scales are equal, as is common for Where. Results must be identical. */
static const char *qlinear(text *t) {
    static const struct {
        const char *name;
        int n; /* operands with scales */
        bool selects;
    } operators[] = {{"com.microsoft.QLinearAdd", 2, false},
                     {"com.microsoft.QLinearMul", 2, false},
                     {"com.microsoft.QLinearWhere", 2, true},
                     {"com.microsoft.QLinearSigmoid", 1, false},
                     {"com.microsoft.QLinearLeakyRelu", 1, false}};
    static const char *const bytes[] = {"uint8", "int8"}, *const names[][3] = {
                                                              {"a", "as", "az"}, {"b", "bs", "bz"}, {"y", "ys", "yz"}};
    const int i = one_of(sizeof operators / sizeof operators[0]), n = operators[i].n;
    const bool selects = operators[i].selects, same = one_of(3) == 0, zeros = selects || one_of(2);
    int dims[4];
    const int rank = one_of(5);
    t->first = bytes[one_of(2)];
    for (int a = 0; a < rank; a++) dims[a] = one_of(20) ? 1 + one_of(a == rank - 1 ? 60 : 4) : 0;
    for (int k = selects ? -1 : 0; k <= n; k++) {
        int own[4]; /* stretched along some axes, or to a higher rank */
        const int own_rank = n > 1 ? one_of(3) ? rank : one_of(rank + 1) : rank;
        for (int a = 0; a < rank; a++) own[a] = n > 1 && one_of(3) == 0 ? 1 : dims[a];
        if (k < 0) operand(t, "bool", "c", own_rank, own + rank - own_rank);
        if (k >= 0 && k < n) operand(t, t->first, names[k][0], own_rank, own + rank - own_rank);
        if (k < 0) continue;
        const int which = k == n ? 2 : k;
        if (same && k > 0)
            append(t->operands, sizeof t->operands, ", as");
        else
            operand(t, "float", names[which][1], one_of(2), (int[]){1});
        if (!zeros)
            operand(t, NULL, "", 0, NULL);
        else if (same && k > 0)
            append(t->operands, sizeof t->operands, ", az");
        else
            operand(t, t->first, names[which][2], one_of(2), (int[]){1});
    }
    if (strstr(operators[i].name, "Leaky") && one_of(2)) attribute(t, "alpha", "float", "-0.3");
    t->any_byte = true;
    t->opset = 21;
    return operators[i].name;
}

static const char *normalizer(text *t) {
    static const char *const types[] = {"float", "double", "int64", "int32"}, *const norms[] = {"\"L1\"", "\"L2\"", "\"MAX\""};
    int dims[2] = {one_of(5), 1 + one_of(40)};
    const int rank = 1 + one_of(2);
    operand(t, types[one_of(4)], "x", rank, dims + 2 - rank);
    if (one_of(4)) attribute(t, "norm", "string", norms[one_of(3)]);
    t->tolerance = 2e-6;
    t->opset = 17;
    t->first = "float";
    return "ai.onnx.ml.Normalizer";
}

static const char *qlinear_mean(text *t) {
    int dims[5];
    const int rank = 2 + one_of(3), channels = one_of(20) ? 1 + one_of(70) : 0;
    const bool last = one_of(2);
    t->first = one_of(2) ? "uint8" : "int8";
    for (int a = 0; a < rank; a++) dims[a] = 1 + one_of(a > 0 ? 4 : 2);
    dims[last ? rank - 1 : 1] = channels;
    operand(t, t->first, "x", rank, dims);
    operand(t, "float", "xs", 0, NULL);
    operand(t, t->first, "xz", 0, NULL);
    if (one_of(2))
        append(t->operands, sizeof t->operands, ", xs");
    else
        operand(t, "float", "ys", 0, NULL);
    operand(t, t->first, "yz", 1, (int[]){1});
    if (last) whole_attribute(t, "channels_last", 1);
    t->any_byte = true;
    t->opset = 21;
    return "com.microsoft.QLinearGlobalAveragePool";
}

/* ---- Both ---- */

static void compare(const text *t, uint32_t i, const ob_view *kernel, const ob_view *body) {
    bool same = kernel->dtype == body->dtype && kernel->rank == body->rank;
    for (int32_t a = 0; same && a < kernel->rank; a++) same = kernel->dims[a] == body->dims[a];
    if (!same) fail_msg("%s\nresult %u: another type or shape", t->whole, i);
    for (int64_t k = 0; k < ob_view_count(kernel); k++) {
        const double a = number_at(kernel, k), b = number_at(body, k);
        if (isnan(b) ? !isnan(a) : !(a == b || fabs(a - b) <= t->tolerance * (1 + fabs(b))))
            fail_msg("%s\nresult %u, element %d: the kernel has %.9g, the body %.9g", t->whole, i, (int)k, a, b);
    }
}

static void agree(const char *(*of)(text *)) {
    static double room[MAX_IN][MAX_ELEMENTS];
    for (int k = 0; k < N_DRAWS; k++) {
        text t;
        ob_view in[MAX_IN], by_kernel[MAX_OUT], by_body[MAX_OUT];
        draw(&t, of);
        ob_model *model = read_text(t.whole), *other = expanded(model);
        const size_t n = make_operands(model, &t, in, room);
        ob_session *a = run(model, &t, in, n, by_kernel), *b = run(other, &t, in, n, by_body);
        for (uint32_t i = 0; i < t.n_out; i++) compare(&t, i, &by_kernel[i], &by_body[i]);
        ob_session_close(&a);
        ob_session_close(&b);
        ob_model_close(&model);
        ob_model_close(&other);
    }
}

static void kernels_and_bodies_agree(void **state) {
    static const char *(*const makers[])(text *) = {attention, rotary,     layer,     rms,     group,      mean_variance,
                                                    softmax,   activation, reduction, qlinear, normalizer, qlinear_mean};
    (void)state;
    srand(41);
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) agree(makers[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_and_bodies_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
