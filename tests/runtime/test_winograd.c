/* Convolutions of relaxed sessions by Winograd's F(2 x 2, 3 x 3): within the bound of docs/numerics.md, the same bits for every
 * number of threads, with an epilogue as without, and only where a relaxed session may use it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "session_case.h"

typedef struct conv_case {
    int64_t batch, groups, channels, out_channels; /* channels of a group */
    int64_t size[2], pads[4], out[2];
    bool bias, relu;
    double scale; /* of x */
    int64_t n_x, n_w, n_y;
    float *x, *w, *b;
} conv_case;

static int64_t pick(int64_t n) {
    return rand() % n;
}

static float *draw(int64_t n, double scale) {
    float *data = malloc((size_t)(n + 1) * sizeof *data);
    assert_non_null(data);
    for (int64_t i = 0; i < n; i++) data[i] = (float)(scale * ((double)pick(1 << 24) / (1 << 23) - 1));
    return data;
}

static conv_case draw_case(void) {
    conv_case c = {.batch = 1 + pick(2),
                   .groups = pick(4) ? 1 : 2,
                   .channels = 32 + pick(pick(3) ? 20 : 140),
                   .out_channels = 32 + pick(pick(3) ? 20 : 140),
                   .bias = pick(2),
                   .relu = pick(2),
                   .scale = pick(3) ? 1 : ldexp(1, (int)pick(80) - 40)};
    for (int a = 0; a < 2; a++) {
        c.pads[a] = pick(4);
        c.pads[2 + a] = pick(4);
        c.size[a] = 3 + pick(pick(4) ? 24 : 90);
        c.out[a] = c.size[a] + c.pads[a] + c.pads[2 + a] - 2;
    }
    c.n_x = c.batch * c.groups * c.channels * c.size[0] * c.size[1];
    c.n_w = c.groups * c.out_channels * c.channels * 9;
    c.n_y = c.batch * c.groups * c.out_channels * c.out[0] * c.out[1];
    c.x = draw(c.n_x, c.scale);
    c.w = draw(c.n_w, 1);
    c.b = draw(c.groups * c.out_channels, c.scale);
    return c;
}

static ob_model *build(const conv_case *c) {
    const int64_t w_dims[] = {c->groups * c->out_channels, c->channels, 3, 3};
    char shape[100];
    snprintf(shape, sizeof shape, "%d %d %d %d", (int)c->batch, (int)(c->groups * c->channels), (int)c->size[0], (int)c->size[1]);
    ob_model *model = new_model(22);
    ob_value *x = new_input(model, "x", OB_FLOAT, shape), *w = new_weight(model, "w", OB_FLOAT, 4, w_dims, c->w),
             *b = c->bias ? new_weight(model, "b", OB_FLOAT, 1, w_dims, c->b) : NULL;
    ob_value *y = new_node(model, "Conv", "y", c->bias ? 3 : 2, x, w, b);
    assert_true(ob__node_set_ints(y->producer, "pads", c->pads, 4));
    assert_true(ob__node_set_int(y->producer, "group", c->groups));
    new_output(model, c->relu ? new_node(model, "Relu", "z", 1, y) : y);
    return model;
}

static float *run_case(const conv_case *c, ob_numerics numerics, int threads) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_model *model = build(c);
    float *y = malloc((size_t)(c->n_y + 1) * sizeof *y);
    assert_non_null(y);
    const ob_view x = view_of(c->x, OB_FLOAT, 4, (int)c->batch, (int)(c->groups * c->channels), (int)c->size[0], (int)c->size[1]);
    ob_view to = view_of(y, OB_FLOAT, 4, (int)c->batch, (int)(c->groups * c->out_channels), (int)c->out[0], (int)c->out[1]);
    ob_session_config_init(&config);
    config.numerics = numerics;
    config.n_threads = threads;
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
    run_ok(session, &x, 1, &to, 1);
    ob_session_close(&session);
    ob_model_close(&model);
    return y;
}

/* Result i in double, and the sum of the magnitudes. */
static double exact_result(const conv_case *c, int64_t i, double *magnitude) {
    const int64_t column = i % c->out[1], row = i / c->out[1] % c->out[0], m = i / c->out[1] / c->out[0],
                  channel = m % (c->groups * c->out_channels), group = channel / c->out_channels,
                  plane = m / (c->groups * c->out_channels) * c->groups * c->channels + group * c->channels;
    double sum = c->bias ? (double)c->b[channel] : 0;
    *magnitude = fabs(sum);
    for (int64_t k = 0; k < c->channels; k++)
        for (int64_t t = 0; t < 9; t++) {
            const int64_t y = row + t / 3 - c->pads[0], x = column + t % 3 - c->pads[1];
            if (y < 0 || x < 0 || y >= c->size[0] || x >= c->size[1]) continue;
            const double product =
                (double)c->x[((plane + k) * c->size[0] + y) * c->size[1] + x] * (double)c->w[(channel * c->channels + k) * 9 + t];
            sum += product;
            *magnitude += fabs(product);
        }
    return sum;
}

/* True if another way of adding was used. */
static bool check_case(const conv_case *c, double *worst) {
    float *plain = run_case(c, OB_NUMERICS_EXACT, 1), *one = run_case(c, OB_NUMERICS_RELAXED, 1),
          *two = run_case(c, OB_NUMERICS_RELAXED, 2);
    const bool other = memcmp(plain, one, (size_t)c->n_y * sizeof *one) != 0;
    assert_memory_equal(one, two, (size_t)c->n_y * sizeof *one);
    for (int64_t n = 0, some = c->n_y < 300 ? c->n_y : 300; n < some; n++) {
        const int64_t i = some < 300 ? n : pick(c->n_y);
        double magnitude, want = exact_result(c, i, &magnitude);
        const double bound = 8 * 0x1p-24 * magnitude;
        if (c->relu && want < 0) want = 0;
        const double error = fabs((double)one[i] - want);
        if (error > bound) fail_msg("element %d: %g instead of %g, bound %g", (int)i, (double)one[i], want, bound);
        if (other && magnitude > 0 && error / magnitude * 0x1p24 > *worst) *worst = error / magnitude * 0x1p24;
    }
    free(plain);
    free(one);
    free(two);
    return other;
}

static void random_convolutions(void **state) {
    (void)state;
    const unsigned levels[] = {0, OBK_ISA_AVX2, ~0u};
    int n_other = 0;
    double worst = 0;
    srand(5);
    for (int i = 0; i < 60; i++) {
        conv_case c = draw_case();
        ob__kernels_limit(levels[i % 3]);
        n_other += check_case(&c, &worst);
        free(c.x);
        free(c.w);
        free(c.b);
    }
    ob__kernels_limit(~0u);
    printf("%d of 60 by Winograd; the largest error is %.2f * 2^-24 of the magnitudes\n", n_other, worst);
    assert_true(n_other >= 40);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(random_convolutions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
