/* Products and convolutions of integers that are cast and scaled by the nodes after them, with a bias and Relu: one step with the
 * bits of the nodes one by one, whatever the scales, at every level and with one thread and two. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "quantized_case.h"

/* MatMulInteger, Cast, Mul, and perhaps a bias and Relu. */
static ob_value *scaled_product(ob_model *m, ob_dtype a, ob_dtype b, int64_t k, int64_t n, const float *scales, bool *fits) {
    const bool by_column = pick(2), wide = pick(8) == 0, ready = pick(2);
    const int64_t dims[] = {k, n}, one[] = {1, 1, 1}, *count = by_column ? &n : one;
    uint8_t *w = random_bytes(k * n);
    ob_value *x = m->graph->inputs[0], *y = new_node(m, "MatMulInteger", "product", 4, x, new_weight(m, "w", b, 2, dims, w),
                                                     scalar(m, "za", a, pick(100)), scalar(m, "zb", b, pick(100)));
    free(w);
    ob_value *s = wide ? new_weight(m, "s", OB_FLOAT, 3, one, scales) : new_weight(m, "s", OB_FLOAT, 1, count, scales);
    if (!ready) s = new_node(m, "Mul", "scale", 2, s, m->graph->inputs[1]);
    y = new_node(m, "Cast", "float", 1, y);
    assert_true(ob__node_set_int(y->producer, "to", OB_FLOAT));
    y = pick(2) ? new_node(m, "Mul", "scaled", 2, y, s) : new_node(m, "Mul", "scaled", 2, s, y);
    if (pick(2)) y = new_node(m, "Add", "sum", 2, y, new_weight(m, "bias", OB_FLOAT, 1, &n, scales));
    if (pick(2)) y = new_node(m, "Relu", "relu", 1, y);
    *fits = !wide;
    return y;
}

static void scaled_products(void **state) {
    static const float hostile[] = {0, -0.0F, (float)NAN, INFINITY, -INFINITY, -0.5F, 0x1p-140F, 0x1p120F};
    int n_scaled = 0;
    (void)state;
    srand(17);
    for (int i = 0; i < 120; i++) {
        const int64_t rows = pick(8) ? 1 + pick(40) : 0, k = 1 + pick(90), n = 1 + pick(70);
        const ob_dtype a = pick(2) ? OB_INT8 : OB_UINT8, b = pick(2) ? OB_INT8 : OB_UINT8;
        float scales[80], factor = (float)pick(100) / 37;
        for (int64_t c = 0; c < 80; c++) scales[c] = i % 3 ? (float)pick(1000) / 7919 - 0.02F : hostile[pick(8)];
        char shape[60];
        bool fits;
        ob_model *m = new_model(21);
        snprintf(shape, sizeof shape, "2 %d %d", (int)rows, (int)k);
        new_input(m, "x", a, shape);
        new_input(m, "factor", OB_FLOAT, pick(2) ? "" : "1");
        new_output(m, scaled_product(m, a, b, k, n, scales, &fits));
        uint8_t *x = random_bytes(2 * rows * k);
        if (rows > 0 && pick(2)) memset(x, 0, (size_t)k); /* sums of 0 */
        const ob_view in[] = {view_of(x, a, 3, 2, (int)rows, (int)k),
                              view_of(&factor, OB_FLOAT, m->graph->inputs[1]->declared.shape.rank, 1)};
        for (int l = 0; l < 6; l++) {
            ob__kernels_limit(levels[l / 2]);
            result plain = run_model(m, in, 2, false, OB_NUMERICS_EXACT, 1),
                   exact = run_model(m, in, 2, true, OB_NUMERICS_EXACT, 1 + l % 2);
            assert_int_equal(plain.status, OB_OK);
            expect_same(&plain, &exact);
            assert_int_equal(exact.scaled, fits);
            n_scaled += exact.scaled;
            free(plain.bytes);
            free(exact.bytes);
        }
        free(x);
        ob_model_close(&m);
    }
    ob__kernels_limit(~0u);
    assert_true(n_scaled > 400);
}

/* ConvInteger, Cast and elementwise nodes. */
static ob_model *scaled_conv(ob_dtype a, ob_dtype b, const int64_t *x, const int64_t *w, int64_t group, bool computed,
                             const float *scales) {
    const int64_t pads[] = {pick(2), pick(2), pick(2), pick(2)}, strides[] = {1 + pick(2), 1 + pick(2)}, each[] = {w[0], 1, 1},
                  one[] = {1};
    char shape[80];
    ob_model *m = new_model(21);
    snprintf(shape, sizeof shape, "%d %d %d %d", (int)x[0], (int)x[1], (int)x[2], (int)x[3]);
    ob_value *in = new_input(m, "x", a, shape);
    snprintf(shape, sizeof shape, "%d %d %d %d", (int)w[0], (int)w[1], (int)w[2], (int)w[3]);
    uint8_t *bytes = random_bytes(w[0] * w[1] * w[2] * w[3]);
    ob_value *of_w = computed ? new_input(m, "w", b, shape) : new_weight(m, "w", b, 4, w, bytes);
    free(bytes);
    ob_value *y = new_node(m, "ConvInteger", "product", 4, in, of_w, scalar(m, "za", a, pick(100)),
                           scalar(m, "zb", b, pick(2) ? lowest(b) + 128 : pick(100)));
    assert_true(ob__node_set_ints(y->producer, "pads", pads, 4) && ob__node_set_ints(y->producer, "strides", strides, 2) &&
                ob__node_set_int(y->producer, "group", group));
    if (pick(8) == 0) y = new_node(m, "Add", "whole", 2, y, scalar(m, "one", OB_INT32, 1));
    y = new_node(m, "Cast", "float", 1, y);
    assert_true(ob__node_set_int(y->producer, "to", pick(8) ? OB_FLOAT : OB_DOUBLE));
    if (y->producer->attributes[0]->u.i == OB_FLOAT) {
        y = new_node(m, "Mul", "scaled", 2, y,
                     pick(2) ? new_weight(m, "s", OB_FLOAT, 3, each, scales) : new_weight(m, "s", OB_FLOAT, 1, one, scales));
        if (pick(2)) y = new_node(m, "Add", "sum", 2, y, new_weight(m, "bias", OB_FLOAT, 3, each, scales));
        if (pick(2)) y = new_node(m, "Relu", "relu", 1, y);
    }
    new_output(m, y);
    return m;
}

static void scaled_convolutions(void **state) {
    int n_one = 0;
    (void)state;
    srand(18);
    for (int i = 0; i < 120; i++) {
        const int64_t group = pick(4) ? 1 : 2, channels = 1 + pick(9), out = group * (1 + pick(40));
        const int64_t x[] = {1 + pick(2), group * channels, 3 + pick(40), 3 + pick(40)},
                      w[] = {out, channels, 1 + pick(3), 1 + pick(3)};
        const ob_dtype a = pick(2) ? OB_INT8 : OB_UINT8, b = pick(2) ? OB_INT8 : OB_UINT8;
        const bool computed = pick(4) == 0;
        float scales[80];
        for (int k = 0; k < 80; k++) scales[k] = (float)pick(1000) / 7919 - 0.02F;
        ob_model *m = scaled_conv(a, b, x, w, group, computed, scales);
        uint8_t *of_x = random_bytes(x[0] * x[1] * x[2] * x[3]), *of_w = random_bytes(w[0] * w[1] * w[2] * w[3]);
        const ob_view in[] = {view_of(of_x, a, 4, (int)x[0], (int)x[1], (int)x[2], (int)x[3]),
                              view_of(of_w, b, 4, (int)w[0], (int)w[1], (int)w[2], (int)w[3])};
        for (int l = 0; l < 6; l++) {
            ob__kernels_limit(levels[l / 2]);
            result plain = run_model(m, in, computed ? 2 : 1, false, OB_NUMERICS_EXACT, 1),
                   fast = run_model(m, in, computed ? 2 : 1, true, OB_NUMERICS_EXACT, 1 + l % 2);
            assert_int_equal(plain.status, OB_OK);
            expect_same(&plain, &fast);
            free(plain.bytes);
            free(fast.bytes);
        }
        n_one += steps_of(m, in, computed ? 2 : 1) == 1;
        free(of_x);
        free(of_w);
    }
    ob__kernels_limit(~0u);
    printf("%d of 120 convolutions are one step\n", n_one);
    assert_true(n_one > 20 && n_one < 100);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(scaled_products), cmocka_unit_test(scaled_convolutions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
