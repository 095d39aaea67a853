/* Attention. Compiled once for each instruction-set level. */
#include "kernels/attention/attention.h"
#include "kernels/level.h"

#include "kernels/fma.h"
#include "kernels/vmath/vmath.h"

#define MEMBER attention
#define ROWS   "kernels/attention/attention.def"
#include "kernels/declare.inc.h"

/* y += a * x */
static inline void add_scaled(float *restrict y, float a, const float *restrict x, int64_t n) {
    for (int64_t j = 0; j < n; j++) y[j] = OBK_FMA(a, x[j], y[j]);
}

static inline void multiply(float *y, float a, int64_t n) {
    for (int64_t j = 0; j < n; j++) y[j] *= a;
}

/* y = x . state, summed in the order of the rows. */
static void seen_from(float *y, const float *x, const float *state, int64_t n_rows, int64_t n) {
    for (int64_t j = 0; j < n; j++) y[j] = 0;
    for (int64_t i = 0; i < n_rows; i++) add_scaled(y, x[i], state + i * n, n);
}

static void fade(const obk_linear_attention *c, const float *decay, float *factors) {
    const int64_t n = c->decay_is_one ? 1 : c->key_size;
    vexp_f32(factors, decay, n);
    for (int64_t i = 0; i < c->key_size; i++)
        multiply(c->state + i * c->value_size, factors[c->decay_is_one ? 0 : i], c->value_size);
}

void OBK_FN(attention_linear)(const obk_linear_attention *c) {
    const int64_t n_key = c->key_size, n_value = c->value_size;
    float *added = c->room, *factors = c->room + n_value;
    for (int64_t t = 0; t < c->n_tokens; t++) {
        const float *key = c->key + t * c->key_step, *value = c->value + t * c->value_step;
        if (c->decay && n_key > 0) fade(c, c->decay + t * c->decay_step, factors);
        if (c->corrects) {
            const float beta = c->beta[t * c->beta_step];
            seen_from(added, key, c->state, n_key, n_value);
            for (int64_t j = 0; j < n_value; j++) added[j] = beta * (value[j] - added[j]);
        } else {
            memcpy(added, value, (size_t)n_value * sizeof(float));
        }
        for (int64_t i = 0; i < n_key; i++) add_scaled(c->state + i * n_value, key[i], added, n_value);
        for (int64_t h = 0; h < c->n_queries; h++) {
            float *y = c->y + t * c->y_step + h * n_value;
            seen_from(y, c->query + t * c->query_step + h * n_key, c->state, n_key, n_value);
            multiply(y, c->scale, n_value);
        }
    }
}

/* Multiplications and additions are not fused, so that one head has the same bits as Mul, Sub and Add. */
static void turn_halves(float *restrict y, const float *restrict x, const float *restrict c, const float *restrict s,
                        int64_t half) {
    float *restrict y_high = y + half;
    const float *restrict high = x + half;
    for (int64_t l = 0; l < half; l++) {
        const float a = x[l], b = high[l];
        y[l] = c[l] * a - s[l] * b;
        y_high[l] = s[l] * a + c[l] * b;
    }
}

static void turn_neighbours(float *restrict y, const float *restrict x, const float *restrict c, const float *restrict s,
                            int64_t half) {
    for (int64_t l = 0; l < half; l++) {
        const float a = x[2 * l], b = x[2 * l + 1];
        y[2 * l] = c[l] * a - s[l] * b;
        y[2 * l + 1] = s[l] * a + c[l] * b;
    }
}

void OBK_FN(attention_rotate)(const obk_rotary *call) {
    const int64_t n = call->size, half = call->half;
    for (int64_t h = 0; h < call->n_heads; h++) {
        const float *x = call->x + h * n;
        float *y = call->y + h * n;
        if (call->interleaved)
            turn_neighbours(y, x, call->cos, call->sin, half);
        else
            turn_halves(y, x, call->cos, call->sin, half);
        if (n > 2 * half) memcpy(y + 2 * half, x + 2 * half, (size_t)(n - 2 * half) * sizeof *y);
    }
}

const obk_attention OBK_TABLE(attention) = {
#define ROWS "kernels/attention/attention.def"
#include "kernels/table.inc.h"
};
