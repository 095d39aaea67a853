/* Checks of rules about products of quantized values (checks.h has the conditions). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/integers.h"
#include "ops/table/attributes.h"
#include "passes/optimize/checks.h"

static const double EXACT_SUM = 0x1p24, LARGEST_SUM = 0x1p31;

typedef struct product {
    const ob_match *m;
    const ob_tensor *w; /* NULL: not known */
    ob_dtype w_dtype;
    const ob_shape *w_shape; /* numbers */
    int64_t n_channels, k;   /* output channels; products of a sum */
    bool channels_first;     /* of W: a convolution, or a matrix that is transposed */
    const float *w_scales;   /* n_channels */
    const int *w_zeros;      /* n_channels */
    const double *biases;    /* n_channels, in units of x_scale * w_scale */
    float x_scale, y_scale;
    int x_zero, y_zero;
} product;

static bool is_power_of_two(float scale) {
    int exponent;
    return frexpf(scale, &exponent) == 0.5F;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* ---- Constants ---- */

static float float_at(const ob_tensor *t, int64_t i) {
    float x;
    memcpy(&x, (const char *)t->data + (size_t)i * sizeof x, sizeof x);
    return x;
}

/* An integer of 8 or 32 bits. */
static int32_t whole_at(const ob_tensor *t, int64_t i) {
    int32_t x;
    if (t->dtype == OB_INT8) return ((const int8_t *)t->data)[i];
    if (t->dtype == OB_UINT8) return ((const uint8_t *)t->data)[i];
    memcpy(&x, (const char *)t->data + (size_t)i * sizeof x, sizeof x);
    return x;
}

/* One for all of n, or n in a vector. */
static bool is_for(const ob_tensor *t, int64_t n) {
    return t->n_elems == 1 || (t->n_elems == n && t->rank == 1);
}

/* The bias as float, as DequantizeLinear of constants computes it if it is one. */
static bool bias_at(const ob_match *m, const ob_value *bias, int64_t i, int64_t n, float *out) {
    const ob_tensor *t = ob__constant_of(bias);
    if (t) {
        if (t->dtype != OB_FLOAT || t->rank != 1 || t->n_elems != n) return false;
        *out = float_at(t, i);
        return true;
    }
    const ob_node *from = bias->producer;
    if (!from || strcmp(from->op_type, "DequantizeLinear") != 0 || from->domain[0] || !from->op) return false;
    t = from->inputs[0] ? ob__constant_of(from->inputs[0]) : NULL;
    const ob_tensor *scale = from->inputs[1] ? ob__constant_of(from->inputs[1]) : NULL;
    const ob_value *zero = from->n_inputs > 2 ? from->inputs[2] : NULL;
    const ob_tensor *z = zero ? ob__constant_of(zero) : NULL;
    const bool fits = t && scale && (!zero || z) && t->dtype == OB_INT32 && scale->dtype == OB_FLOAT && t->rank == 1 &&
                      t->n_elems == n && is_for(scale, n) && (!z || (z->dtype == OB_INT32 && is_for(z, n))) &&
                      ob__attribute_int(from, "block_size") == 0 && ob__known_dtype(m, bias) == OB_FLOAT;
    if (!fits) return false;
    if (n > 1 && scale->n_elems > 1) {
        const int64_t axis = ob__attribute_int_or(from, "axis", 1);
        if (axis != 0 && axis != -1) return false;
    }
    if (z && whole_at(z, z->n_elems > 1 ? i : 0) != 0) return false;
    *out = (float)whole_at(t, i) * float_at(scale, scale->n_elems > 1 ? i : 0);
    return true;
}

/* ---- Reading the operands ---- */

static const ob_shape *shape_of(const ob_match *m, const ob_value *value) {
    const ob_type *type = &ob__fact(m->facts, value)->type;
    return type->kind == OB_TYPE_TENSOR && type->shape.rank >= 0 ? &type->shape : NULL;
}

/* Its sizes must be numbers. Those of a constant are bounded by the file, others here. */
static bool measure_w(product *p) {
    enum { MOST = 1 << 20 };
    const ob_shape *w = p->w_shape;
    int64_t n = 1;
    for (int32_t i = 0; i < w->rank; i++)
        if (!ob_dim_is_const(w->dims[i]) || w->dims[i] < 1 || ob__mul_overflows(n, w->dims[i], &n)) return false;
    p->n_channels = w->dims[p->channels_first ? 0 : w->rank - 1];
    p->k = p->channels_first ? n / p->n_channels : w->dims[w->rank - 2];
    return p->w || p->n_channels <= MOST;
}

static bool read_w(product *p) {
    const ob_match *m = p->m;
    const ob_value *scale = ob__matched(m, "w_scale"), *zero = ob__matched(m, "w_zero");
    const ob_tensor *s = ob__constant_of(scale), *z = zero ? ob__constant_of(zero) : NULL;
    const int32_t rank = p->w_shape->rank;
    if (!measure_w(p) || !s || s->dtype != OB_FLOAT || !is_for(s, p->n_channels) || (zero && !z)) return false;
    if (z && (z->dtype != p->w_dtype || z->n_elems != s->n_elems)) return false;
    if (s->n_elems > 1) {
        int64_t axis = 1;
        for (uint32_t i = 0; i < m->pattern->n_nodes; i++)
            if (m->nodes[i]->inputs[0] == ob__matched(m, "w") && m->nodes[i]->inputs[1] == scale)
                axis = ob__attribute_int_or(m->nodes[i], "axis", 1);
        axis = axis < 0 ? axis + rank : axis;
        if (axis != (p->channels_first ? 0 : rank - 1)) return false;
    }
    float *scales = OB_ARENA_ARRAY(m->scratch, float, p->n_channels);
    int *zeros = OB_ARENA_ARRAY(m->scratch, int, p->n_channels);
    if (!scales || !zeros) return false;
    for (int64_t c = 0; c < p->n_channels; c++) {
        scales[c] = float_at(s, s->n_elems > 1 ? c : 0);
        zeros[c] = z ? whole_at(z, z->n_elems > 1 ? c : 0) : 0;
    }
    p->w_scales = scales;
    p->w_zeros = zeros;
    return true;
}

/* The scales lead to normal factors, and the bias fits. */
static bool read_factors(product *p) {
    const ob_value *bias = ob__matched(p->m, "bias");
    double *biases = OB_ARENA_ARRAY(p->m->scratch, double, p->n_channels);
    if (!biases || !ob__is_plain_scale(p->x_scale) || !ob__is_plain_scale(p->y_scale)) return false;
    for (int64_t c = 0; c < p->n_channels; c++) {
        const float unit = p->x_scale * p->w_scales[c];
        float b = 0;
        if (!ob__is_plain_scale(p->w_scales[c]) || unit < 0x1p-100f || unit > 0x1p80f) return false;
        if (unit / p->y_scale < 0x1p-100f || unit / p->y_scale > 0x1p80f) return false;
        if (bias && !bias_at(p->m, bias, c, p->n_channels, &b)) return false;
        biases[c] = (double)b / (double)unit;
        if (!(fabs(biases[c]) <= 0x1p30)) return false;
    }
    p->biases = biases;
    return true;
}

/* The matched node of this operator, or NULL. */
static const ob_node *find(const ob_match *m, const char *op_type) {
    for (uint32_t i = 0; i < m->pattern->n_nodes; i++)
        if (strcmp(m->nodes[i]->op_type, op_type) == 0) return m->nodes[i];
    return NULL;
}

/* True if the matched node has an attribute of the head with another value than 0. */
static bool is_set(const ob_match *m, const char *attribute) {
    const ob_body_head *head = &m->pattern->head;
    for (uint32_t i = 0; i < head->n_attributes; i++)
        if (strcmp(head->attributes[i], attribute) == 0) return m->attributes[i] && m->attributes[i]->u.i != 0;
    return false;
}

static bool read_product(const ob_match *m, bool to_float, product *p) {
    const ob_dtype x = ob__known_dtype(m, ob__matched(m, "x"));
    const ob_value *x_zero = ob__matched(m, "x_zero"), *y_zero = ob__matched(m, "y_zero");
    const ob_node *conv = find(m, "Conv");
    const ob_value *w = ob__matched(m, "w");
    *p = (product){.m = m, .w = ob__constant_of(w), .w_dtype = ob__known_dtype(m, w), .w_shape = shape_of(m, w)};
    p->channels_first = conv || is_set(m, "transB");
    if (!ob__floats_only(m) || !p->w_shape || p->w_shape->rank < (conv ? 3 : 2) || !ob__is_byte(p->w_dtype)) return false;
    if (!ob__is_byte(x) || (x_zero && ob__known_dtype(m, x_zero) != x)) return false;
    if (y_zero && ob__known_dtype(m, y_zero) != ob__result_dtype(m)) return false;
    if (!ob__one_scale(m, "x_scale", &p->x_scale) || !ob__one_zero(m, "x_zero", &p->x_zero)) return false;
    p->y_scale = 1;
    if (!to_float && (!ob__is_byte(ob__result_dtype(m)) || !ob__one_scale(m, "y_scale", &p->y_scale) ||
                      !ob__one_zero(m, "y_zero", &p->y_zero)))
        return false;
    return read_w(p) && read_factors(p);
}

/* ---- The sums ---- */

/* The largest |x - x_zero|. */
static int largest_x(const product *p) {
    const ob_dtype x = ob__known_dtype(p->m, ob__matched(p->m, "x"));
    const int below = p->x_zero - ob__lowest(x), above = ob__highest(x) - p->x_zero;
    return below > above ? below : above;
}

static bool fits_32_bits(const product *p) {
    double most = 0;
    for (int64_t c = 0; c < p->n_channels; c++) most = larger(most, fabs(p->biases[c]));
    return (double)p->k * 255 * largest_x(p) + most < LARGEST_SUM;
}

static bool are_powers_of_two(const product *p) {
    bool all = is_power_of_two(p->x_scale) && is_power_of_two(p->y_scale);
    for (int64_t c = 0; c < p->n_channels && all; c++)
        all = is_power_of_two(p->w_scales[c]) && p->biases[c] == rint(p->biases[c]);
    return all;
}

/* True if the sum of |x w| and |bias| of every output channel is at most 2^24, whatever x is. Several matrices of W count as
 * one. */
static bool sums_are_exact(const product *p) {
    int64_t *sums = p->w ? OB_ARENA_ARRAY(p->m->scratch, int64_t, p->n_channels) : NULL;
    if (!sums) return false;
    for (int64_t i = 0; i < p->w->n_elems; i++) {
        const int64_t c = p->channels_first ? i / p->k : i % p->n_channels;
        const int w = whole_at(p->w, i) - p->w_zeros[c];
        sums[c] += w < 0 ? -w : w;
    }
    for (int64_t c = 0; c < p->n_channels; c++)
        if ((double)sums[c] * largest_x(p) + fabs(p->biases[c]) > EXACT_SUM) return false;
    return true;
}

static bool check(const ob_match *m, product *p, bool *exact) {
    if (!read_product(m, false, p) || !fits_32_bits(p)) return false;
    *exact = are_powers_of_two(p) && sums_are_exact(p);
    return true;
}

bool ob__check_product(const ob_match *m, bool *exact) {
    product p;
    return check(m, &p, exact);
}

bool ob__check_product_low(const ob_match *m, bool *exact) {
    product p;
    return check(m, &p, exact) && p.y_zero == ob__lowest(ob__result_dtype(m));
}

/* A sum of floats may be -0, which no integer is, so bits are not proved to stay. */
bool ob__check_product_to_float(const ob_match *m, bool *exact) {
    product p;
    const ob_shape *x = shape_of(m, ob__matched(m, "x"));
    (void)exact;
    return x && x->rank >= (find(m, "Conv") ? 3 : 2) && x->rank <= 5 && read_product(m, true, &p) && fits_32_bits(&p);
}

static bool read_limits(const ob_match *m, float *low, float *high) {
    return ob__one_scale(m, "low", low) && ob__one_scale(m, "high", high) && !isnan(*low) && !isnan(*high);
}

bool ob__check_product_limits(const ob_match *m, bool *exact) {
    product p;
    float low, high;
    return read_limits(m, &low, &high) && check(m, &p, exact);
}

bool ob__check_product_full(const ob_match *m, bool *exact) {
    product p;
    float low, high;
    if (!read_limits(m, &low, &high) || !check(m, &p, exact)) return false;
    const ob_dtype y = ob__result_dtype(m);
    return rintf(low / p.y_scale) + (float)p.y_zero <= (float)ob__lowest(y) &&
           rintf(high / p.y_scale) + (float)p.y_zero >= (float)ob__highest(y);
}

/* ---- Products that are scaled afterwards ---- */

/* A float, or (n not unknown) n of them in a vector. */
static bool is_scale(const ob_match *m, const ob_value *value, ob_dim n) {
    const ob_shape *shape = shape_of(m, value);
    if (!shape || shape->rank > 1 || ob__known_dtype(m, value) != OB_FLOAT) return false;
    return shape->rank == 0 || shape->dims[0] == 1 || (n != OB_DIM_UNKNOWN && shape->dims[0] == n);
}

bool ob__check_scaled_product(const ob_match *m, bool *exact) {
    const ob_value *a_scale = ob__matched(m, "a_scale"), *a_zero = ob__matched(m, "a_zero");
    const ob_shape *a = shape_of(m, ob__matched(m, "a")), *b = shape_of(m, ob__matched(m, "b"));
    (void)exact;
    if (!a || !b || a->rank < 2 || b->rank < 2) return false;
    const ob_shape *zero = a_zero ? shape_of(m, a_zero) : NULL;
    if (a_zero && !(zero && (zero->rank == 0 || (zero->rank == 1 && zero->dims[0] == 1)))) return false;
    return (!a_scale || is_scale(m, a_scale, OB_DIM_UNKNOWN)) && is_scale(m, ob__matched(m, "b_scale"), b->dims[b->rank - 1]);
}
