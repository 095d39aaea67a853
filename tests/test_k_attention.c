/* Operators of attention against their definitions, in double. */
#include "kernel_case.h"

/* ---- LinearAttention ---- */

typedef struct linear_case {
    const char *rule; /* NULL: left out */
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

/* One head of keys through all tokens; compares as it goes. */
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

/* Operand i with another shape, or left out. */
static void expect_refused(uint32_t i, bool left_out, int32_t rank, const int64_t *dims, const char *message) {
    kernel_case *c = make_linear(&linear_cases[5], OB_FLOAT, OB_FLOAT);
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
    expect_refused(0, false, DIMS(2, 5, 27), "27 elements are not 4 heads of 7");
    expect_refused(1, false, DIMS(2, 4, 14), "input 1 axis 1 is 4, not 5");
    expect_refused(2, false, DIMS(5, 66), "input 2 has rank 2");
    expect_refused(3, false, DIMS(2, 2, 33, 7), "input 3 axis 2 is 33, not 7");
    expect_refused(4, false, DIMS(2, 5, 7), "input 4 axis 2 is 7, not 14");
    expect_refused(4, true, SCALAR, "decay is missing");
    expect_refused(5, true, SCALAR, "beta is missing");
    kernel_case *c = make_linear(&linear_cases[5], OB_FLOAT, OB_FLOAT);
    kc_int(c, "kv_num_heads", 3);
    assert_int_equal(kc_try(c), OB_E_MODEL);
    kc_close(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_attention_in_every_type),
        cmocka_unit_test(linear_attention_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
