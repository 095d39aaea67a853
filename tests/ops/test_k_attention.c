/* Operators of attention compared with their definitions, in double. */
#include "kernel_case.h"

/* ---- LinearAttention ---- */

typedef struct linear_case {
    const char *rule; /* NULL: omitted */
    int64_t batch, tokens, heads, group, size, v_size;
    bool past, scalar_decay, one_beta;
    float scale;
} linear_case;

static const linear_case linear_cases[] = {
    {"linear", 2, 3, 2, 1, 4, 3, false, false, false, 0},     {"gated", 1, 4, 3, 2, 5, 17, true, false, false, 0.5f},
    {"gated", 2, 2, 2, 1, 3, 8, false, true, false, 0},       {"delta", 2, 4, 2, 3, 4, 9, true, false, false, 0},
    {"delta", 1, 3, 3, 1, 4, 4, false, false, true, 2},       {"gated_delta", 2, 5, 2, 2, 7, 33, true, false, false, 0},
    {NULL, 1, 3, 2, 1, 4, 5, true, true, true, -1},           {NULL, 2, 1, 1, 4, 16, 16, true, true, false, 0},
    {"gated_delta", 2, 0, 2, 1, 4, 3, true, true, false, 0},  {"linear", 0, 3, 2, 1, 4, 3, false, false, false, 0},
    {"gated_delta", 1, 3, 2, 1, 4, 0, false, true, false, 0},
};

static double rate(const ob_view *x, int64_t b, int64_t t, int64_t tokens, int64_t heads, int64_t head, int64_t size, int64_t i) {
    const int64_t n = x->dims[2], at = n == 1 ? 0 : n == heads ? head : head * size + i;
    return kc_get(x, (b * tokens + t) * n + at);
}

/* One head of keys for all tokens; compares each result. */
static void check_head(const kernel_case *c, const linear_case *l, int64_t b, int64_t head, double tolerance) {
    double state[16][64] = {{0}};
    const bool fades = !l->rule || strncmp(l->rule, "gated", 5) == 0, corrects = !l->rule || strstr(l->rule, "delta");
    const int64_t first = (b * l->heads + head) * l->size * l->v_size;
    for (int64_t i = 0; l->past && i < l->size * l->v_size; i++)
        state[i / l->v_size][i % l->v_size] = kc_get(&c->in[3], first + i);
    for (int64_t t = 0; t < l->tokens; t++) {
        const int64_t token = b * l->tokens + t, key = (token * l->heads + head) * l->size;
        const double beta = corrects ? rate(&c->in[5], b, t, l->tokens, l->heads, head, 1, 0) : 1;
        for (int64_t i = 0; fades && i < l->size; i++)
            for (int64_t j = 0; j < l->v_size; j++)
                state[i][j] *= exp(rate(&c->in[4], b, t, l->tokens, l->heads, head, l->size, i));
        for (int64_t j = 0; j < l->v_size; j++) {
            double value = kc_get(&c->in[2], (token * l->heads + head) * l->v_size + j);
            for (int64_t i = 0; corrects && i < l->size; i++) value -= state[i][j] * kc_get(&c->in[1], key + i);
            for (int64_t i = 0; i < l->size; i++) state[i][j] += kc_get(&c->in[1], key + i) * beta * value;
        }
        for (int64_t q = 0; q < l->group; q++)
            for (int64_t j = 0; j < l->v_size; j++) {
                const int64_t row = token * l->heads * l->group + head * l->group + q;
                double y = 0;
                for (int64_t i = 0; i < l->size; i++) y += kc_get(&c->in[0], row * l->size + i) * state[i][j];
                y *= l->scale != 0 ? (double)l->scale : 1 / sqrt((double)l->size);
                kc_near(kc_get(&c->out[0], row * l->v_size + j), y, tolerance);
            }
    }
    for (int64_t i = 0; i < l->size * l->v_size; i++)
        kc_near(kc_get(&c->out[1], first + i), state[i / l->v_size][i % l->v_size], tolerance);
}

/* Small numbers that all types hold exactly. */
static void fill_eighths(const ob_view *x, int low, int high) {
    for (int64_t i = 0, n = ob__count(x); i < n; i++) kc_set(x, i, (low + rand() % (high - low + 1)) / 8.0);
}

static kernel_case *make_linear(const linear_case *l, ob_dtype dtype, ob_dtype state) {
    kernel_case *c = kc_open("LinearAttention", 27);
    const int64_t q_heads = l->heads * l->group;
    if (l->rule) kc_string(c, "update_rule", l->rule);
    kc_int(c, "q_num_heads", q_heads);
    kc_int(c, "kv_num_heads", l->heads);
    if (l->scale != 0) kc_float(c, "scale", l->scale);
    fill_eighths(kc_in(c, 0, dtype, DIMS(l->batch, l->tokens, q_heads * l->size)), -8, 8);
    fill_eighths(kc_in(c, 1, dtype, DIMS(l->batch, l->tokens, l->heads * l->size)), -4, 4);
    fill_eighths(kc_in(c, 2, dtype, DIMS(l->batch, l->tokens, l->heads * l->v_size)), -8, 8);
    if (l->past) fill_eighths(kc_in(c, 3, state, DIMS(l->batch, l->heads, l->size, l->v_size)), -8, 8);
    fill_eighths(kc_in(c, 4, dtype, DIMS(l->batch, l->tokens, l->heads * (l->scalar_decay ? 1 : l->size))), -8, 0);
    fill_eighths(kc_in(c, 5, dtype, DIMS(l->batch, l->tokens, l->one_beta ? 1 : l->heads)), 0, 8);
    kc_out(c, 0, dtype, DIMS(l->batch, l->tokens, q_heads * l->v_size));
    kc_out(c, 1, state, DIMS(l->batch, l->heads, l->size, l->v_size));
    return c;
}

static void linear_attention_in_every_type(void **state) {
    (void)state;
    srand(31);
    static const ob_dtype types[] = {OB_FLOAT, OB_FLOAT16, OB_BFLOAT16};
    for (size_t k = 0; k < 9; k++)
        for (size_t i = 0; i < sizeof linear_cases / sizeof linear_cases[0]; i++) {
            const linear_case *l = &linear_cases[i];
            const ob_dtype dtype = types[k / 3], other = types[k % 3];
            kernel_case *c = make_linear(l, dtype, other);
            kc_run(c);
            const double tolerance = 4 * fmax(kc_tolerance(dtype), kc_tolerance(other));
            for (int64_t b = 0; b < l->batch; b++)
                for (int64_t head = 0; head < l->heads; head++) check_head(c, l, b, head, tolerance);
            kc_close(c);
        }
}

/* The case's operand i with another shape, or omitted. */
static void expect_refused(kernel_case *c, uint32_t i, bool left_out, int32_t rank, const int64_t *dims, const char *message) {
    if (left_out)
        c->in[i].dtype = OB_NONE;
    else
        kc_in(c, i, OB_FLOAT, rank, dims);
    const ob_status status = kc_try(c);
    if (status == OB_OK || !strstr(c->error.message, message)) fail_msg("input %u: \"%s\"", i, c->error.message);
    kc_close(c);
}

static void linear_attention_refuses(void **state) {
    (void)state;
    expect_refused(make_linear(&linear_cases[5], OB_FLOAT, OB_FLOAT), 0, false, DIMS(2, 5, 27),
                   "27 elements are not 4 heads of 7");
    expect_refused(make_linear(&linear_cases[5], OB_FLOAT, OB_FLOAT), 1, false, DIMS(2, 4, 14), "input 1 axis 1 is 4, not 5");
    expect_refused(make_linear(&linear_cases[5], OB_FLOAT, OB_FLOAT), 2, false, DIMS(5, 66), "input 2 has rank 2");
    expect_refused(make_linear(&linear_cases[5], OB_FLOAT, OB_FLOAT), 3, false, DIMS(2, 2, 33, 7), "input 3 axis 2 is 33, not 7");
    expect_refused(make_linear(&linear_cases[5], OB_FLOAT, OB_FLOAT), 4, false, DIMS(2, 5, 7), "input 4 axis 2 is 7, not 14");
    expect_refused(make_linear(&linear_cases[5], OB_FLOAT, OB_FLOAT), 4, true, SCALAR, "decay is missing");
    expect_refused(make_linear(&linear_cases[5], OB_FLOAT, OB_FLOAT), 5, true, SCALAR, "beta is missing");
    kernel_case *c = make_linear(&linear_cases[5], OB_FLOAT, OB_FLOAT);
    kc_int(c, "kv_num_heads", 3);
    assert_int_equal(kc_try(c), OB_E_MODEL);
    kc_close(c);
}

/* ---- Attention ---- */

enum { NO_MASK = -1 };

/* A mask has the last `rank` axes of the scores; `ones` are the axes of size 1 (bit a for axis a). */
typedef struct mask_case {
    int32_t rank;
    unsigned ones;
    ob_dtype dtype; /* OB_NONE: that of the operands */
    int64_t lacks;  /* of the last axis; the rest is masked */
} mask_case;

typedef struct attention_case {
    int64_t batch, heads, group, queries, keys, past, size, v_size; /* heads of keys */
    bool flat, causal, lengths, presents;
    mask_case mask;
    int mode; /* -1: no qk_matmul_output */
    float scale, softcap;
    ob_dtype precision;
    ob_dtype v_dtype; /* OB_NONE: that of Q and K */
    int64_t opset;    /* 0: 24 */
    bool windows;     /* of version 25: */
    int64_t left, right;
} attention_case;

static const attention_case attention_cases[] = {
    {2, 2, 1, 3, 5, 0, 4, 4, false, false, false, false, {.rank = NO_MASK}, -1, 0, 0, .precision = OB_NONE},
    {1, 2, 3, 100, 37, 0, 8, 19, false, true, false, false, {.rank = NO_MASK}, -1, 0.25f, 0, .precision = OB_NONE},
    {2, 3, 2, 5, 4, 3, 7, 3, true, true, false, true, {.rank = 4}, 0, 0, 0, .precision = OB_NONE},
    {2, 1, 4, 5, 4, 3, 8, 33, true, false, false, false, {2, .dtype = OB_BOOL}, 1, 0, 2, .precision = OB_NONE},
    {1, 2, 1, 1, 1, 40, 16, 16, false, true, false, true, {4, 6, OB_INT16, 2}, 2, 0, 0, .precision = OB_DOUBLE},
    {1, 2, 1, 2, 3, 9, 4, 4, false, false, false, false, {2, .ones = 8}, 3, 1, 0.5f, .precision = OB_FLOAT},
    {3, 2, 2, 4, 6, 0, 3, 5, true, true, true, false, {.rank = 4}, -1, 0, 0, .precision = OB_NONE},
    {3, 2, 1, 4, 6, 0, 3, 5, false, false, true, true, {.rank = NO_MASK}, 2, 0, 0, .precision = OB_NONE},
    {2, 2, 1, 0, 3, 2, 4, 4, false, false, false, true, {.rank = NO_MASK}, -1, 0, 0, .precision = OB_NONE},
    {2, 2, 2, 3, 0, 0, 4, 4, false, true, false, true, {.rank = NO_MASK}, 0, 0, 0, .precision = OB_NONE},
    {1, 2, 1, 3, 4, 0, 4, 0, true, false, false, true, {.rank = 4}, 2, 0, 0, .precision = OB_NONE},
    {1, 2, 1, 3, 0, 0, 4, 2, false, false, false, false, {2, 8, .dtype = OB_INT16}, 2, 0, 0, .precision = OB_NONE},
    {1, 2, 1, 3, 2, 0, 4, 2, true, true, false, false, {2, 8, .dtype = OB_INT16}, 2, 0, 0, .precision = OB_NONE},
    {0, 2, 1, 3, 4, 1, 4, 2, false, false, false, true, {.rank = NO_MASK}, 0, 0, 0, .precision = OB_NONE},
    {1, 2, 1, 3, 4, 0, 4, 2, false, false, false, false, {.rank = 0}, 2, 0, 0, .precision = OB_NONE},
    {1, 1, 1, 2, 4, 0, 4, 2, false, false, false, false, {0, .dtype = OB_BOOL}, 2, 0, 0, .precision = OB_NONE},
    {2, 2, 1, 2, 5, 0, 4, 2, false, false, false, false, {1, 0, OB_BOOL, 2}, 2, 0, 0, .precision = OB_NONE},
#define WINDOWS(left_, right_) .opset = 25, .windows = true, .left = left_, .right = right_
    {1, 2, 2, 100, 37, 0, 8, 19, false, false, false, false, {.rank = NO_MASK}, -1, 0.25f, 0, WINDOWS(2, 1)},
    {1, 2, 2, 30, 57, 0, 8, 3, false, false, false, false, {.rank = NO_MASK}, 3, 0, 0, WINDOWS(0, 0)},
    {1, 2, 1, 4, 6, 0, 8, 3, true, false, false, false, {.rank = NO_MASK}, -1, 0, 0, WINDOWS(-1, 2)},
    {1, 2, 1, 4, 6, 0, 8, 3, true, true, false, false, {.rank = NO_MASK}, 2, 0, 0, WINDOWS(1, 5)},
    {2, 3, 2, 5, 4, 3, 7, 3, true, false, false, true, {.rank = 4}, 0, 0, 0, WINDOWS(2, 0)},
    {2, 1, 4, 5, 4, 3, 8, 33, true, true, false, false, {2, .dtype = OB_BOOL}, 1, 0, 2, WINDOWS(3, -1)},
    {1, 2, 1, 1, 1, 40, 16, 16, false, true, false, true, {4, 6, OB_INT16, 2}, 2, 0, 0, .precision = OB_DOUBLE, WINDOWS(5, 0)},
    {3, 2, 2, 4, 6, 0, 3, 5, true, false, true, false, {.rank = 3}, -1, 0, 0, WINDOWS(1, 1)},
    {3, 2, 1, 4, 6, 0, 3, 5, false, true, true, true, {.rank = NO_MASK}, 2, 0, 0, WINDOWS(0, -1)},
    {1, 2, 1, 3, 4, 2, 4, 2, false, false, false, false, {.rank = 0}, 2, 0, 0, WINDOWS(INT64_MAX, INT64_MAX)},
    {2, 2, 1, 0, 3, 2, 4, 4, false, false, false, true, {.rank = NO_MASK}, -1, 0, 0, WINDOWS(1, 1)},
    {2, 2, 2, 3, 0, 0, 4, 4, false, false, false, true, {.rank = NO_MASK}, 0, 0, 0, WINDOWS(1, 1)},
};

/* Element d of key (or value) `key` of a head; those of the past first. */
static double kept_at(const kernel_case *c, const attention_case *t, int which, int64_t b, int64_t head, int64_t key, int64_t d) {
    const int64_t size = which == 2 ? t->v_size : t->size;
    if (key < t->past) return kc_get(&c->in[which + 3], ((b * t->heads + head) * t->past + key) * size + d);
    key -= t->past;
    return kc_get(&c->in[which], t->flat ? ((b * t->keys + key) * t->heads + head) * size + d
                                         : ((b * t->heads + head) * t->keys + key) * size + d);
}

static double mask_at(const kernel_case *c, const attention_case *t, int64_t b, int64_t head, int64_t q, int64_t key) {
    const int64_t at[4] = {b, head, q, key};
    const ob_view *mask = &c->in[3];
    int64_t flat = 0;
    if (t->mask.rank == NO_MASK) return 0;
    if (key >= t->past + t->keys - t->mask.lacks) return -HUGE_VAL;
    for (int32_t i = 0; i < mask->rank; i++) flat = flat * mask->dims[i] + (mask->dims[i] == 1 ? 0 : at[4 - mask->rank + i]);
    const double value = kc_get(mask, flat);
    return mask->dtype != OB_BOOL ? value : value != 0 ? 0 : -HUGE_VAL;
}

static void check_query(const kernel_case *c, const attention_case *t, int64_t b, int64_t head, int64_t q, double tolerance) {
    double s[64], shown[64], highest = -HUGE_VAL, sum = 0;
    const int64_t n = t->past + t->keys, q_heads = t->heads * t->group, kv = head / t->group;
    const int64_t row = t->flat ? (b * t->queries + q) * q_heads + head : (b * q_heads + head) * t->queries + q;
    for (int64_t k = 0; k < n; k++) {
        double dot = 0;
        for (int64_t d = 0; d < t->size; d++) dot += kc_get(&c->in[0], row * t->size + d) * kept_at(c, t, 1, b, kv, k, d);
        dot *= t->scale != 0 ? (double)t->scale : 1 / sqrt((double)t->size);
        const double capped = t->softcap != 0 ? (double)t->softcap * tanh(dot / (double)t->softcap) : dot;
        s[k] = capped + mask_at(c, t, b, head, q, k);
        const int64_t before = t->lengths ? (1 + b < n ? 1 + b : n) - t->queries : t->past;
        if (t->windows && t->left >= 0 && q + before - k > t->left) s[k] = -HUGE_VAL;
        if (t->windows && t->right >= 0 && k - (q + before) > t->right) s[k] = -HUGE_VAL;
        if ((t->causal && k > q + before) || (t->lengths && k >= 1 + b)) s[k] = -HUGE_VAL;
        shown[k] = t->mode == 0 ? dot : t->mode == 1 ? capped : s[k];
        highest = fmax(highest, s[k]);
    }
    for (int64_t k = 0; k < n; k++) sum += s[k] = isinf(highest) ? 0 : exp(s[k] - highest);
    if (sum == 0) sum = 1; /* no visible key: the result is 0 */
    for (int64_t k = 0; k < n && t->mode >= 0; k++)
        kc_near(kc_get(&c->out[3], ((b * q_heads + head) * t->queries + q) * n + k), t->mode == 3 ? s[k] / sum : shown[k],
                tolerance);
    for (int64_t d = 0; d < t->v_size; d++) {
        double y = 0;
        for (int64_t k = 0; k < n; k++) y += s[k] / sum * kept_at(c, t, 2, b, kv, k, d);
        kc_near(kc_get(&c->out[0], row * t->v_size + d), y, tolerance);
    }
}

static void check_attention(const kernel_case *c, const attention_case *t, double tolerance) {
    for (int64_t b = 0; b < t->batch; b++)
        for (int64_t head = 0; head < t->heads * t->group; head++)
            for (int64_t q = 0; q < t->queries; q++) check_query(c, t, b, head, q, tolerance);
    for (int which = 1; t->presents && which < 3; which++) {
        const int64_t size = which == 2 ? t->v_size : t->size, n = t->past + t->keys;
        for (int64_t i = 0; i < ob__count(&c->out[which]); i++) {
            const int64_t head = i / size / n;
            kc_near(kc_get(&c->out[which], i), kept_at(c, t, which, head / t->heads, head % t->heads, i / size % n, i % size), 0);
        }
    }
}

static void make_mask(kernel_case *c, const attention_case *t, ob_dtype dtype) {
    const mask_case *m = &t->mask;
    int64_t dims[4] = {t->batch, t->heads * t->group, t->queries, t->past + t->keys - m->lacks};
    if (m->rank == NO_MASK) return;
    for (int a = 0; a < 4; a++)
        if (m->ones >> a & 1) dims[a] = 1;
    ob_view *mask = kc_in(c, 3, m->dtype == OB_NONE ? dtype : m->dtype, m->rank, dims + 4 - m->rank);
    if (m->dtype == OB_NONE)
        fill_eighths(mask, -16, 16);
    else
        kc_random(mask, m->dtype == OB_BOOL || strncmp(ob_dtype_name(m->dtype), "u", 1) == 0 ? 0 : -2,
                  m->dtype == OB_BOOL ? 1 : 2);
}

static kernel_case *make_attention(const attention_case *t, ob_dtype dtype) {
    kernel_case *c = kc_open("Attention", t->opset ? t->opset : 24);
    const int64_t q_heads = t->heads * t->group, n = t->past + t->keys;
    const ob_dtype v_dtype = t->v_dtype == OB_NONE ? dtype : t->v_dtype;
    if (t->flat) kc_int(c, "q_num_heads", q_heads);
    if (t->flat) kc_int(c, "kv_num_heads", t->heads);
    if (t->causal) kc_int(c, "is_causal", 1);
    if (t->windows) kc_int(c, "left_window_size", t->left);
    if (t->windows) kc_int(c, "right_window_size", t->right);
    if (t->scale != 0) kc_float(c, "scale", t->scale);
    if (t->softcap != 0) kc_float(c, "softcap", t->softcap);
    if (t->mode >= 0) kc_int(c, "qk_matmul_output_mode", t->mode);
    if (t->precision != OB_NONE) kc_int(c, "softmax_precision", t->precision);
    if (t->flat) {
        fill_eighths(kc_in(c, 0, dtype, DIMS(t->batch, t->queries, q_heads * t->size)), -8, 8);
        fill_eighths(kc_in(c, 1, dtype, DIMS(t->batch, t->keys, t->heads * t->size)), -8, 8);
        fill_eighths(kc_in(c, 2, v_dtype, DIMS(t->batch, t->keys, t->heads * t->v_size)), -8, 8);
        kc_out(c, 0, dtype, DIMS(t->batch, t->queries, q_heads * t->v_size));
    } else {
        fill_eighths(kc_in(c, 0, dtype, DIMS(t->batch, q_heads, t->queries, t->size)), -8, 8);
        fill_eighths(kc_in(c, 1, dtype, DIMS(t->batch, t->heads, t->keys, t->size)), -8, 8);
        fill_eighths(kc_in(c, 2, v_dtype, DIMS(t->batch, t->heads, t->keys, t->v_size)), -8, 8);
        kc_out(c, 0, dtype, DIMS(t->batch, q_heads, t->queries, t->v_size));
    }
    make_mask(c, t, dtype);
    if (t->past) {
        fill_eighths(kc_in(c, 4, dtype, DIMS(t->batch, t->heads, t->past, t->size)), -8, 8);
        fill_eighths(kc_in(c, 5, v_dtype, DIMS(t->batch, t->heads, t->past, t->v_size)), -8, 8);
    }
    if (t->lengths) kc_in_ints(c, 6, (int64_t[]){1, 2, 3}, (uint32_t)t->batch);
    if (t->presents) {
        kc_out(c, 1, dtype, DIMS(t->batch, t->heads, n, t->size));
        kc_out(c, 2, v_dtype, DIMS(t->batch, t->heads, n, t->v_size));
    }
    if (t->mode >= 0) kc_out(c, 3, dtype, DIMS(t->batch, q_heads, t->queries, n));
    return c;
}

static const ob_dtype attention_types[4] = {OB_FLOAT, OB_DOUBLE, OB_FLOAT16, OB_BFLOAT16};

static double attention_tolerance(const attention_case *t, ob_dtype dtype) {
    double widest = kc_tolerance(dtype);
    if (t->v_dtype != OB_NONE) widest = fmax(widest, kc_tolerance(t->v_dtype));
    if (t->precision != OB_NONE) widest = fmax(widest, kc_tolerance(t->precision));
    return 4 * widest;
}

static void try_attention(const attention_case *t, ob_dtype dtype) {
    kernel_case *c = make_attention(t, dtype);
    kc_run(c);
    check_attention(c, t, attention_tolerance(t, dtype));
    kc_close(c);
}

static void attention_in_every_type(void **state) {
    (void)state;
    srand(32);
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < sizeof attention_cases / sizeof attention_cases[0]; i++)
            try_attention(&attention_cases[i], attention_types[k]);
}

static bool once_in(int n) {
    return rand() % n == 0;
}

/* Every attribute, operand and result is present or omitted, independently of the others. */
static attention_case draw_attention(void) {
    static const ob_dtype masks[] = {OB_NONE,  OB_BOOL,  OB_NONE,   OB_BOOL,  OB_INT8,   OB_UINT8,  OB_INT16,   OB_UINT16,
                                     OB_INT32, OB_INT64, OB_UINT32, OB_FLOAT, OB_UINT64, OB_DOUBLE, OB_FLOAT16, OB_BFLOAT16};
    attention_case t = {.batch = 1 + rand() % 3, .heads = 1 + rand() % 3, .group = 1 + rand() % 3, .queries = 1 + rand() % 6};
    t.keys = once_in(3) ? t.queries : 1 + rand() % 7;
    t.past = once_in(2) ? 0 : 1 + rand() % 5;
    t.size = 1 + rand() % 9;
    t.v_size = once_in(2) ? t.size : 1 + rand() % 9;
    t.flat = once_in(2);
    t.causal = once_in(2);
    t.opset = once_in(2) ? 23 : 24;
    t.presents = once_in(2);
    t.lengths = t.opset == 24 && !t.past && once_in(2);
    t.mode = rand() % 5 - 1;
    t.scale = once_in(2) ? 0 : (float)(1 + rand() % 8) / 16;
    t.softcap = once_in(2) ? 0 : (float)(1 + rand() % 8) / 4;
    t.precision = once_in(2) ? OB_NONE : attention_types[rand() % 4];
    t.v_dtype = once_in(2) ? OB_NONE : attention_types[rand() % 4];
    t.mask = (mask_case){.rank = rand() % 6 - 1, .ones = once_in(2) ? 0 : (unsigned)rand() % 16, .dtype = masks[rand() % 16]};
    if (t.opset == 24 && t.mask.rank > 0 && !(t.mask.ones & 8) && once_in(2)) t.mask.lacks = rand() % (t.past + t.keys);
    if (t.mask.lacks == t.past + t.keys - 1) t.mask.lacks = 0; /* one element stretches */
    return t;
}

static void attention_of_everything_with_everything(void **state) {
    (void)state;
    srand(33);
    for (int i = 0; i < 4000; i++) {
        const attention_case t = draw_attention();
        try_attention(&t, attention_types[rand() % 4]);
    }
}

static void attention_refuses(void **state) {
    (void)state;
    expect_refused(make_attention(&attention_cases[2], OB_FLOAT), 0, false, DIMS(2, 5, 41), "6 heads do not divide 41 elements");
    expect_refused(make_attention(&attention_cases[2], OB_FLOAT), 0, false, DIMS(2, 5, 36),
                   "heads of Q have 6 elements, those of K 7");
    expect_refused(make_attention(&attention_cases[2], OB_FLOAT), 1, false, DIMS(1, 4, 21), "input 1 axis 0 is 1, not 2");
    expect_refused(make_attention(&attention_cases[2], OB_FLOAT), 2, false, DIMS(2, 3, 9), "input 2 axis 1 is 3, not 4");
    expect_refused(make_attention(&attention_cases[2], OB_FLOAT), 2, false, DIMS(2, 3, 4, 3), "input 2 has rank 4");
    expect_refused(make_attention(&attention_cases[2], OB_FLOAT), 3, false, DIMS(2, 4, 5, 7),
                   "attn_mask axis 1: 4 does not stretch to 6");
    expect_refused(make_attention(&attention_cases[2], OB_FLOAT), 3, false, DIMS(8), "attn_mask axis 0: 8 does not stretch to 7");
    expect_refused(make_attention(&attention_cases[2], OB_FLOAT), 3, false, DIMS(1, 1, 1, 1, 7), "attn_mask has rank 5");
    expect_refused(make_attention(&attention_cases[2], OB_FLOAT), 4, false, DIMS(2, 3, 3, 8), "input 4 axis 3 is 8, not 7");
    expect_refused(make_attention(&attention_cases[2], OB_FLOAT), 5, true, SCALAR,
                   "past_key and past_value must be given together");
    kernel_case *c = make_attention(&attention_cases[2], OB_FLOAT);
    kc_int(c, "qk_matmul_output_mode", 4);
    assert_int_equal(kc_try(c), OB_E_MODEL);
    kc_int(c, "qk_matmul_output_mode", 0);
    kc_int(c, "softmax_precision", OB_INT32);
    assert_int_equal(kc_try(c), OB_E_MODEL);
    kc_close(c);
}

/* ---- RotaryEmbedding ---- */

typedef struct rotary_case {
    int64_t batch, heads, tokens, size, turned,
        places; /* turned 0: the whole head; places 0: a row of the caches for each token */
    bool flat, interleaved;
} rotary_case;

static const rotary_case rotary_cases[] = {
    {2, 3, 4, 6, 0, 9, false, false}, {2, 3, 4, 6, 0, 0, false, true},    {1, 2, 5, 8, 4, 5, true, false},
    {3, 1, 2, 8, 2, 0, true, true},   {2, 2, 0, 4, 0, 3, false, false},   {2, 2, 3, 0, 0, 1, false, true},
    {0, 2, 3, 4, 0, 0, true, false},  {1, 40, 300, 4, 0, 7, true, false}, {2, 1, 1, 34, 34, 0, false, false},
};

static kernel_case *make_rotary(const rotary_case *r, ob_dtype dtype) {
    kernel_case *c = kc_open("RotaryEmbedding", 23);
    const int64_t half = (r->turned ? r->turned : r->size) / 2;
    const int64_t full[4] = {r->batch, r->heads, r->tokens, r->size}, flat[3] = {r->batch, r->tokens, r->heads * r->size};
    const int64_t tokens[3] = {r->batch, r->tokens, half}, places[2] = {r->places, half};
    if (r->interleaved) kc_int(c, "interleaved", 1);
    if (r->flat) kc_int(c, "num_heads", r->heads);
    if (r->turned) kc_int(c, "rotary_embedding_dim", r->turned);
    fill_eighths(kc_in(c, 0, dtype, r->flat ? 3 : 4, r->flat ? flat : full), -16, 16);
    for (uint32_t i = 1; i < 3; i++) fill_eighths(kc_in(c, i, dtype, r->places ? 2 : 3, r->places ? places : tokens), -8, 8);
    if (r->places) kc_random(kc_in(c, 3, OB_INT64, 2, tokens), 0, (int)r->places - 1);
    kc_out(c, 0, dtype, r->flat ? 3 : 4, r->flat ? flat : full);
    return c;
}

static double rotary_at(const kernel_case *c, const rotary_case *r, int64_t b, int64_t head, int64_t token, int64_t d) {
    const int64_t half = (r->turned ? r->turned : r->size) / 2, line = b * r->tokens + token;
    const int64_t first = (r->flat ? line * r->heads + head : (b * r->heads + head) * r->tokens + token) * r->size;
    if (d >= 2 * half) return kc_get(&c->in[0], first + d);
    const int64_t pair = r->interleaved ? d / 2 : d % half, low = r->interleaved ? 2 * pair : pair;
    const int64_t high = r->interleaved ? low + 1 : low + half, place = r->places ? (int64_t)kc_get(&c->in[3], line) : line;
    const double co = kc_get(&c->in[1], place * half + pair), si = kc_get(&c->in[2], place * half + pair);
    const double x = kc_get(&c->in[0], first + low), y = kc_get(&c->in[0], first + high);
    return d == low ? co * x - si * y : si * x + co * y;
}

static void rotary_in_every_type(void **state) {
    (void)state;
    srand(34);
    static const ob_dtype types[] = {OB_FLOAT, OB_FLOAT16, OB_BFLOAT16};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof rotary_cases / sizeof rotary_cases[0]; i++) {
            const rotary_case *r = &rotary_cases[i];
            kernel_case *c = make_rotary(r, types[k]);
            kc_run(c);
            for (int64_t at = 0; at < ob__count(&c->out[0]); at++) {
                const int64_t d = at % r->size, row = at / r->size, head = r->flat ? row % r->heads : row / r->tokens % r->heads;
                const int64_t token = r->flat ? row / r->heads % r->tokens : row % r->tokens, b = row / r->heads / r->tokens;
                kc_near(kc_get(&c->out[0], at), rotary_at(c, r, b, head, token, d), kc_tolerance(types[k]));
            }
            kc_close(c);
        }
}

static void rotary_refuses(void **state) {
    (void)state;
    const rotary_case *full = &rotary_cases[0], *flat = &rotary_cases[2];
    expect_refused(make_rotary(full, OB_FLOAT), 0, false, DIMS(2, 3), "input 0 has rank 2, not 3 or 4");
    expect_refused(make_rotary(full, OB_FLOAT), 0, false, DIMS(2, 3, 4, 5),
                   "5 of 5 elements of a head cannot be rotated in pairs");
    expect_refused(make_rotary(full, OB_FLOAT), 1, false, DIMS(9, 4), "input 1 axis 1 is 4, not 3");
    expect_refused(make_rotary(full, OB_FLOAT), 2, false, DIMS(8, 3), "input 2 axis 0 is 8, not 9");
    expect_refused(make_rotary(full, OB_FLOAT), 3, true, SCALAR, "input 1 has rank 2, not 3");
    expect_refused(make_rotary(flat, OB_FLOAT), 0, false, DIMS(1, 5, 15), "15 elements in 2 heads");
    expect_refused(make_rotary(flat, OB_FLOAT), 0, false, DIMS(1, 5, 4), "4 of 2 elements of a head cannot be rotated");
    for (int64_t place = -10; place < 11; place++) { /* counted from the end if negative */
        kernel_case *c = make_rotary(full, OB_FLOAT);
        kc_set(&c->in[3], 5, (double)place);
        assert_int_equal(kc_try(c), place < -9 || place > 8 ? OB_E_ARGUMENT : OB_OK);
        kc_close(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_in_every_type),  cmocka_unit_test(attention_of_everything_with_everything),
        cmocka_unit_test(attention_refuses),        cmocka_unit_test(linear_attention_in_every_type),
        cmocka_unit_test(rotary_in_every_type),     cmocka_unit_test(rotary_refuses),
        cmocka_unit_test(linear_attention_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
