/* The allowed difference of two correct results. Elements that are moved, compared, counted, rounded to whole numbers or
 * computed in integers agree exactly. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "judge.h"
#include "number.h"
#include "ops/kernel/kernel.h"

typedef enum error_kind {
    EXACT,
    ROUNDED,  /* one rounding per element: two neighbours at most, of the type */
    FUNCTION, /* a library function: implementations differ by a few units, and near 0 by an absolute error */
    SUMMED,   /* sums of products in any order: relative to the largest summand */
    WHOLE,    /* as SUMMED; of integers a real number that is made whole, rounded or cut */
    STEP      /* rounding to integers after a computed scale: one step */
} error_kind;

typedef struct tolerance_row {
    const char *name; /* kernel, or operator */
    error_kind kind;
    double units; /* of the type's epsilon */
    const char *why;
} tolerance_row;

static const tolerance_row tolerances[] = {
    /* Operators, which win over their kernels. */
    {"Abs", EXACT, 0, "no rounding"},
    {"Neg", EXACT, 0, "no rounding"},
    {"Ceil", EXACT, 0, "no rounding"},
    {"Floor", EXACT, 0, "no rounding"},
    {"Round", EXACT, 0, "no rounding"},
    {"Relu", EXACT, 0, "no rounding"},
    {"Sign", EXACT, 0, "no rounding"},
    {"Not", EXACT, 0, "bits"},
    {"BitwiseNot", EXACT, 0, "bits"},
    {"IsNaN", EXACT, 0, "bits"},
    {"IsInf", EXACT, 0, "bits"},
    {"Max", EXACT, 0, "one of the operands"},
    {"Min", EXACT, 0, "one of the operands"},
    {"Pow", FUNCTION, 8, "pow"},
    {"Mod", ROUNDED, 4, "an exact remainder, or fmod in a wider type"},
    {"ReduceMax", EXACT, 0, "one of the operands"},
    {"ReduceMin", EXACT, 0, "one of the operands"},
    {"ReduceMean", WHOLE, 64, "sums in any order; of integers a quotient"},
    {"ReduceL2", WHOLE, 64, "sums in any order; of integers a root"},
    {"ReduceLogSum", WHOLE, 64, "sums in any order; of integers a logarithm"},
    {"ReduceLogSumExp", WHOLE, 64, "sums in any order; of integers a logarithm"},
    {"Hardmax", EXACT, 0, "0 and 1"},
    {"MaxPool", EXACT, 0, "one of the operands"},
    {"GlobalMaxPool", EXACT, 0, "one of the operands"},
    {"MatMulInteger", EXACT, 0, "integers"},
    {"ConvInteger", EXACT, 0, "integers"},
    {"DequantizeLinear", ROUNDED, 2, "a difference and a product"},
    {"QuantizeLinear", STEP, 0, "x / scale or x * (1 / scale), in the type or in float"},
    /* Kernels. */
    {"binary", ROUNDED, 1, "one operation"},
    {"prelu", ROUNDED, 1, "one product"},
    {"clip", EXACT, 0, "one of the operands"},
    {"cast", EXACT, 0, "the text says how to round"},
    {"unary", FUNCTION, 16, "exp, log, tanh ... by vector or scalar code"},
    {"variadic", SUMMED, 8, "sums in any order"},
    {"mean", SUMMED, 8, "sums in any order"},
    {"reduce", SUMMED, 64, "sums in any order; exp and log"},
    {"cumsum", SUMMED, 64, "sums in any order"},
    {"matmul", SUMMED, 64, "sums in any order"},
    {"gemm", SUMMED, 64, "sums in any order"},
    {"grid_sample", SUMMED, 256, "weights of a computed position"},
    {"roi_align", SUMMED, 256, "weights of computed positions"},
    {"col2im", SUMMED, 64, "sums in any order"},
    {"deform_conv", SUMMED, 256, "weights of computed positions, and sums in any order"},
    {"einsum", SUMMED, 64, "sums in any order"},
    {"det", SUMMED, 64, "elimination in any order"},
    {"conv", SUMMED, 128, "sums in any order"},
    {"conv_transpose", SUMMED, 128, "sums in any order"},
    {"pool", SUMMED, 64, "sums in any order; pow"},
    {"global_pool", SUMMED, 64, "sums in any order; pow"},
    {"integer_matmul", STEP, 0, "a quotient that lies between two steps"},
    {"integer_conv", STEP, 0, "a quotient that lies between two steps"},
    {"dynamic_quantize", STEP, 1, "a scale of (max - min) / 255"},
    {"softmax", SUMMED, 64, "exp, and sums in any order"},
    {"batch_norm", SUMMED, 64, "the order of products and sums is free"},
    {"instance_norm", SUMMED, 256, "a mean and a variance"},
    {"group_norm", SUMMED, 256, "a mean and a variance"},
    {"layer_norm", SUMMED, 256, "a mean and a variance"},
    {"rms_norm", SUMMED, 256, "a mean of squares"},
    {"lrn", SUMMED, 64, "pow"},
    {"lp_norm", SUMMED, 256, "a root of sums"},
    {"mean_variance", SUMMED, 256, "a mean and a variance"},
    {"recurrent", SUMMED, 512, "sums, exp and tanh, step after step"},
    {"attention", SUMMED, 512, "two products with exp between them"},
    {"linear_attention", SUMMED, 512, "sums and exp, token after token"},
    {"dft", SUMMED, 256, "a transform in float or in double"},
    {"stft", SUMMED, 256, "transforms in float or in double"},
    {"mel_weight_matrix", FUNCTION, 64, "log10 and pow"},
    {"tfidf", SUMMED, 4, "counts times weights"},
    {"ml_linear", SUMMED, 256, "sums of products, and exp"},
    {"ml_normalizer", SUMMED, 16, "a root of sums"},
    {"trees", SUMMED, 64, "sums in float or in double, and exp"},
    {"svm", SUMMED, 1024, "sums of products, exp, tanh and pow"},
    {"rotary", SUMMED, 4, "a sum of two products"},
    {"resize", WHOLE, 64, "weights of a computed position"},
    {"scatter_elements", SUMMED, 8, "sums in any order"},
    {"scatter_nd", SUMMED, 8, "sums in any order"},
    {"range", SUMMED, 8, "start + i * delta, or a running sum"},
};

static const tolerance_row exactly = {"", EXACT, 0, "elements are moved or counted"};

static const tolerance_row *find_row(const ob_op *op) {
    size_t n = sizeof tolerances / sizeof tolerances[0];
    for (size_t i = 0; i < n; i++)
        if (strcmp(tolerances[i].name, op->name) == 0) return &tolerances[i];
    for (size_t i = 0; i < n; i++)
        if (strcmp(tolerances[i].name, op->kernel->name) == 0) return &tolerances[i];
    return &exactly;
}

/* The largest product of elements that a sum may hold: of every floating-point operand its largest. */
static double largest_summand(const graph_case *c, const case_node *node) {
    double product = 1;
    for (uint32_t i = 0; i < node->n_in; i++) {
        if (node->in[i] < 0) continue;
        const ob_view *view = &c->values[node->in[i]].view;
        double largest = 1;
        if (view->dtype == OB_STRING || view->dtype == OB_COMPLEX64 || view->dtype == OB_COMPLEX128) return 1;
        for (int64_t k = 0; k < ob_view_count(view); k++) {
            double x = fabs(number_get(view, k));
            if (isfinite(x) && x > largest) largest = x;
        }
        if (is_float_type(view->dtype)) product *= largest;
    }
    return product;
}

/* Numbers as text: 1, 1.0 and 1e0 are one number. */
static bool same_texts(const ob_view *got, const ob_view *want) {
    const ob_string *a = got->data, *b = want->data;
    for (int64_t i = 0; i < ob_view_count(got); i++) {
        char text[2][80];
        if (a[i].n >= sizeof text[0] || b[i].n >= sizeof text[1]) return false;
        snprintf(text[0], sizeof text[0], "%.*s", (int)a[i].n, a[i].n ? a[i].data : "");
        snprintf(text[1], sizeof text[1], "%.*s", (int)b[i].n, b[i].n ? b[i].data : "");
        char *end[2];
        double x = strtod(text[0], &end[0]), y = strtod(text[1], &end[1]);
        bool numbers = end[0] > text[0] && end[1] > text[1] && !*end[0] && !*end[1];
        if (strcmp(text[0], text[1]) != 0 && !(numbers && fabs(x - y) <= 1e-7 * fabs(y))) return false;
    }
    return true;
}

/* The type in which the attribute stash_type (default: float) has the mean and variance computed. */
static bool has_stash_type(const ob_op *op) {
    return strcmp(op->name, "LayerNormalization") == 0 || strcmp(op->name, "RMSNormalization") == 0 ||
           strcmp(op->name, "GroupNormalization") == 0;
}

/* Implementations compute the narrower floats in float or in the type. */
static double epsilon_of(const graph_case *c, const case_node *node, ob_dtype dtype) {
    double epsilon = type_epsilon(dtype);
    if (has_stash_type(node->op) && epsilon < type_epsilon(OB_FLOAT)) epsilon = type_epsilon(OB_FLOAT);
    for (uint32_t i = 0; i < node->n_in; i++)
        if (node->in[i] >= 0) {
            double other = type_epsilon(c->values[node->in[i]].view.dtype);
            if (other > epsilon && ob_dtype_size(c->values[node->in[i]].view.dtype) > 1) epsilon = other;
        }
    return epsilon;
}

static bool same_special(double got, double want) {
    return (isnan(got) && isnan(want)) || got == want;
}

bool close_enough(const graph_case *c, const case_node *node, const ob_view *got, const ob_view *want, char *why,
                  size_t n_bytes) {
    const tolerance_row *row = find_row(node->op);
    comparison difference = {.message = ""};
    bool is_float = is_float_type(got->dtype), is_number = is_float || is_integer_type(got->dtype);
    if (compare_tensors(got, want, 0, 0, &difference)) return true;
    snprintf(why, n_bytes, "%s", difference.message);
    if (got->dtype != want->dtype || got->rank != want->rank) return false;
    for (int32_t k = 0; k < got->rank; k++)
        if (got->dims[k] != want->dims[k]) return false;
    if (got->dtype == OB_STRING && strcmp(node->op->kernel->name, "cast") == 0) return same_texts(got, want);
    if (row->kind == EXACT || !is_number) return false;
    double summand = row->kind == SUMMED || row->kind == WHOLE ? largest_summand(c, node) : row->kind == FUNCTION ? 0.25 : 0;
    double epsilon = epsilon_of(c, node, got->dtype), units = row->units < 1 ? 1 : row->units;
    for (int64_t i = 0; i < ob_view_count(got); i++) {
        double a = number_get(got, i), b = number_get(want, i);
        double allowed = is_float ? units * epsilon * (fabs(b) + summand) + type_smallest(got->dtype) : 0;
        if (row->kind == STEP && !is_float) allowed = 1;
        if (row->kind == STEP && is_float) allowed = 2 * type_epsilon(got->dtype) * fabs(b) + type_smallest(got->dtype);
        if (row->kind == WHOLE && !is_float) allowed = 1;
        if (row->kind == SUMMED && !is_float && is_float_type(c->values[node->in[0]].view.dtype)) allowed = 1;
        bool infinite = isinf(a) != isinf(b) && fabs(isinf(a) ? b : a) >= type_highest(got->dtype) * (1 - 4 * epsilon);
        if (same_special(a, b) || fabs(a - b) <= allowed || infinite) continue;
        snprintf(why, n_bytes, "element %lld is %.9g beside %.9g (allowed: %.3g, %s)", (long long)i, a, b, allowed, row->why);
        return false;
    }
    return true;
}
