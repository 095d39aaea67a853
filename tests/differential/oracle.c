/* The naive oracle: elementwise operators and reductions, an element at a time, in double or in 64-bit integers. */
#include <math.h>
#include <string.h>

#include "judge.h"
#include "number.h"
#include "ops/kernel/kernel.h"

static double attribute(const case_node *node, const char *name, double otherwise) {
    const case_attribute *a = case_attribute_find(node, name);
    return !a ? otherwise : a->type == OB_ATTR_FLOAT ? (double)a->floats[0] : (double)a->ints[0];
}

static const ob_view *operand(const graph_case *c, const case_node *node, uint32_t i) {
    return i < node->n_in && node->in[i] >= 0 ? &c->values[node->in[i]].view : NULL;
}

/* ---- Elementwise ---- */

static double relu(double x) {
    return x < 0 ? 0 : x;
}
static double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}
static double reciprocal(double x) {
    return 1 / x;
}
static double sign(double x) {
    return isnan(x) ? x : (double)((x > 0) - (x < 0));
}
static double softplus(double x) {
    return x > 40 ? x : log1p(exp(x));
}
static double softsign(double x) {
    return x / (1 + fabs(x));
}

typedef struct real_unary {
    const char *name;
    double (*function)(double);
    double lowest, highest; /* where the oracle is sure */
} real_unary;

static const real_unary real_unaries[] = {
    {"Abs", fabs, -1e300, 1e300},
    {"Ceil", ceil, -1e300, 1e300},
    {"Floor", floor, -1e300, 1e300},
    {"Round", nearbyint, -1e300, 1e300},
    {"Sqrt", sqrt, 0, 1e300},
    {"Exp", exp, -80, 80},
    {"Log", log, 1e-6, 1e300},
    {"Sin", sin, -100, 100},
    {"Cos", cos, -100, 100},
    {"Tan", tan, -1.4, 1.4},
    {"Asin", asin, -1, 1},
    {"Acos", acos, -1, 1},
    {"Atan", atan, -1e300, 1e300},
    {"Sinh", sinh, -10, 10},
    {"Cosh", cosh, -10, 10},
    {"Tanh", tanh, -1e300, 1e300},
    {"Asinh", asinh, -1e6, 1e6},
    {"Acosh", acosh, 1, 1e6},
    {"Atanh", atanh, -0.99, 0.99},
    {"Sigmoid", sigmoid, -80, 1e300},
    {"Relu", relu, -1e300, 1e300},
    {"Erf", erf, -1e300, 1e300},
    {"Reciprocal", reciprocal, 1e-3, 1e300},
    {"Sign", sign, -1e300, 1e300},
    {"Softplus", softplus, -80, 1e6},
    {"Softsign", softsign, -1e30, 1e30},
};

static bool oracle_unary(const graph_case *c, const case_node *node, ob_view *out) {
    const ob_view *x = operand(c, node, 0);
    if (!is_float_type(x->dtype) || ob_dtype_size(x->dtype) < 2) return false;
    for (size_t f = 0; f < sizeof real_unaries / sizeof real_unaries[0]; f++) {
        const real_unary *row = &real_unaries[f];
        if (strcmp(row->name, node->op->name) != 0) continue;
        for (int64_t i = 0; i < ob_view_count(x); i++) {
            double value = number_get(x, i);
            if (!(value >= row->lowest && value <= row->highest)) return false;
            number_set(out, i, row->function(value));
        }
        return true;
    }
    return false;
}

static bool real_binary(const char *name, double a, double b, double *out) {
    if (strcmp(name, "Add") == 0 || strcmp(name, "Sum") == 0)
        *out = a + b;
    else if (strcmp(name, "Sub") == 0)
        *out = a - b;
    else if (strcmp(name, "Mul") == 0 || strcmp(name, "PRelu") == 0)
        *out = strcmp(name, "PRelu") == 0 && a >= 0 ? a : a * b;
    else if (strcmp(name, "Div") == 0)
        *out = a / b;
    else if (strcmp(name, "Max") == 0)
        *out = a > b ? a : b;
    else if (strcmp(name, "Min") == 0)
        *out = a < b ? a : b;
    else
        return false;
    return !isnan(a) && !isnan(b);
}

static bool compare_numbers(const char *name, int order, bool *out) { /* order: -1, 0, 1 */
    static const char *const names[] = {"Less", "LessOrEqual", "Equal", "GreaterOrEqual", "Greater"};
    static const bool holds[5][3] = {{1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}};
    for (int i = 0; i < 5; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = holds[i][order + 1];
            return true;
        }
    return false;
}

static bool whole_binary(const char *name, ob_dtype dtype, int64_t a, int64_t b, int64_t *out) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    bool less = is_signed_type(dtype) ? a < b : x < y, test;
    if (compare_numbers(name, a == b ? 0 : less ? -1 : 1, &test))
        *out = test;
    else if (strcmp(name, "Add") == 0)
        *out = (int64_t)(x + y);
    else if (strcmp(name, "Sub") == 0)
        *out = (int64_t)(x - y);
    else if (strcmp(name, "Mul") == 0)
        *out = (int64_t)(x * y);
    else if (strcmp(name, "Max") == 0)
        *out = less ? b : a;
    else if (strcmp(name, "Min") == 0)
        *out = less ? a : b;
    else if (strcmp(name, "And") == 0 || strcmp(name, "BitwiseAnd") == 0)
        *out = a & b;
    else if (strcmp(name, "Or") == 0 || strcmp(name, "BitwiseOr") == 0)
        *out = a | b;
    else if (strcmp(name, "Xor") == 0 || strcmp(name, "BitwiseXor") == 0)
        *out = a ^ b;
    else
        return false;
    return true;
}

/* The element of a broadcast operand for element `flat` of the result. */
static int64_t stretched(const ob_view *from, const ob_view *to, int64_t flat) {
    int64_t index = 0, step = 1;
    for (int32_t k = to->rank - 1, j = from->rank - 1; j >= 0; k--, j--) {
        int64_t at = flat % to->dims[k];
        flat /= to->dims[k];
        index += (from->dims[j] == 1 ? 0 : at) * step;
        step *= from->dims[j];
    }
    return index;
}

static bool one_element(const case_node *node, const ob_view *a, int64_t i, const ob_view *b, int64_t j, const ob_view *out,
                        int64_t at) {
    bool test;
    if (is_float_type(a->dtype)) {
        double x = number_get(a, i), y = number_get(b, j), value;
        if (isnan(x) || isnan(y)) return false;
        if (compare_numbers(node->op->name, (x > y) - (x < y), &test)) {
            integer_set(out, at, test);
            return true;
        }
        if (!real_binary(node->op->name, x, y, &value)) return false;
        number_set(out, at, value);
        return true;
    }
    int64_t whole;
    if (!whole_binary(node->op->name, a->dtype, integer_get(a, i), integer_get(b, j), &whole)) return false;
    integer_set(out, at, whole);
    return true;
}

/* The common shape by the rules of Broadcasting.md, an axis at a time. */
static bool common_shape(const graph_case *c, const case_node *node, int32_t *rank, int64_t *dims) {
    *rank = 0;
    for (uint32_t i = 0; i < node->n_in; i++)
        if (operand(c, node, i) && operand(c, node, i)->rank > *rank) *rank = operand(c, node, i)->rank;
    for (int32_t k = 0; k < *rank; k++) {
        dims[k] = 1;
        for (uint32_t i = 0; i < node->n_in; i++) {
            const ob_view *x = operand(c, node, i);
            int32_t axis = x->rank - *rank + k;
            if (axis < 0 || x->dims[axis] == 1) continue;
            if (dims[k] != 1 && dims[k] != x->dims[axis]) return false;
            dims[k] = x->dims[axis];
        }
    }
    return true;
}

static bool oracle_binary(const graph_case *c, const case_node *node, ob_view *out) {
    const ob_view *a = operand(c, node, 0), *b = operand(c, node, 1);
    if (!a || !b || a->dtype != b->dtype || a->dtype == OB_STRING || a->dtype == OB_COMPLEX64 || a->dtype == OB_COMPLEX128)
        return false;
    for (int64_t i = 0; i < ob_view_count(out); i++)
        if (!one_element(node, a, stretched(a, out, i), b, stretched(b, out, i), out, i)) return false;
    return true;
}

/* ---- Reductions ---- */

typedef struct sums {
    double sum, product, largest, lowest, ones, squares, exponents;
    int64_t n;
} sums;

static bool reduced(const char *name, const sums *s, double *out) {
    const struct {
        const char *name;
        double value;
    } all[] = {{"ReduceSum", s->sum},          {"ReduceMean", s->sum / (double)s->n},
               {"ReduceProd", s->product},     {"ReduceMax", s->largest},
               {"ReduceMin", s->lowest},       {"ReduceL1", s->ones},
               {"ReduceL2", sqrt(s->squares)}, {"ReduceSumSquare", s->squares},
               {"ReduceLogSum", log(s->sum)},  {"ReduceLogSumExp", log(s->exponents)}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, name) == 0) {
            *out = all[i].value;
            return true;
        }
    return false;
}

static bool reduced_axes(const graph_case *c, const case_node *node, int32_t rank, bool *is_reduced) {
    const case_attribute *a = case_attribute_find(node, "axes");
    const ob_view *axes = operand(c, node, 1);
    int64_t n = a ? a->n : axes ? ob_view_count(axes) : 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t axis = a ? a->ints[i] : integer_get(axes, i);
        is_reduced[axis < 0 ? axis + rank : axis] = true;
    }
    if (n == 0 && attribute(node, "noop_with_empty_axes", 0) != 0) return false;
    for (int32_t k = 0; n == 0 && k < rank; k++) is_reduced[k] = true;
    return true;
}

static bool oracle_reduce(const graph_case *c, const case_node *node, pool *p, ob_view *out) {
    const ob_view *x = operand(c, node, 0);
    bool is_reduced[OB_MAX_RANK] = {false}, keep = attribute(node, "keepdims", 1) != 0;
    int64_t dims[OB_MAX_RANK];
    int32_t rank = 0;
    if (!is_float_type(x->dtype) || ob_view_count(x) == 0 || !reduced_axes(c, node, x->rank, is_reduced)) return false;
    for (int32_t k = 0; k < x->rank; k++)
        if (!is_reduced[k] || keep) dims[rank++] = is_reduced[k] ? 1 : x->dims[k];
    *out = pool_view(p, x->dtype, rank, dims);
    sums *all = pool_alloc(p, (size_t)ob_view_count(out) * sizeof *all);
    for (int64_t i = 0; i < ob_view_count(x); i++) {
        int64_t left = i, index = 0, step = 1;
        for (int32_t k = x->rank - 1; k >= 0; k--) {
            if (!is_reduced[k]) index += left % x->dims[k] * step, step *= x->dims[k];
            left /= x->dims[k];
        }
        sums *s = &all[index];
        double value = number_get(x, i);
        bool first = s->n++ == 0;
        s->sum += value, s->ones += fabs(value), s->squares += value * value, s->exponents += exp(value);
        s->product = (first ? 1 : s->product) * value;
        s->largest = first || value > s->largest ? value : s->largest;
        s->lowest = first || value < s->lowest ? value : s->lowest;
    }
    for (int64_t i = 0; i < ob_view_count(out); i++) {
        double value;
        if (!reduced(node->op->name, &all[i], &value)) return false;
        number_set(out, i, value);
    }
    return true;
}

bool oracle_node(const graph_case *c, const case_node *node, pool *p, ob_view *out) {
    const ob_view *x = operand(c, node, 0);
    if (!x || node->op->domain[0] || x->dtype == OB_STRING) return false;
    if (strncmp(node->op->name, "Reduce", 6) == 0) return oracle_reduce(c, node, p, out);
    ob_dtype dtype = node->op->signature[strlen(node->op->signature) - 1] == 'b' ? OB_BOOL : x->dtype;
    int64_t dims[OB_MAX_RANK];
    int32_t rank;
    const char *kernel = node->op->kernel->name;
    if (node->n_in == 1 && strcmp(kernel, "unary") == 0) {
        *out = pool_view(p, dtype, x->rank, x->dims);
        return oracle_unary(c, node, out);
    }
    bool is_binary = strcmp(kernel, "binary") == 0 || strcmp(kernel, "prelu") == 0 || strcmp(kernel, "variadic") == 0 ||
                     strcmp(kernel, "mean") == 0;
    if (!is_binary || node->n_in != 2 || !common_shape(c, node, &rank, dims)) return false;
    *out = pool_view(p, dtype, rank, dims);
    return oracle_binary(c, node, out);
}
