/* The loops of resampling at every level against the definition: sizes from one result to several vectors, up and down, up to six
 * taps, elements that must not be read. All levels give the same bits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "kernels/resize/resize.h"

enum { MOST = 70, MOST_TAPS = 6, GUARD = 16 };

static const unsigned levels[] = {0, OBK_ISA_AVX2, ~0u};

static int64_t draw(int64_t n) {
    return rand() % n;
}

typedef struct resize_case {
    obk_resize_axis axis;
    int32_t index[MOST * MOST_TAPS];
    double f64[MOST * MOST_TAPS];
    float f32[MOST * MOST_TAPS];
} resize_case;

static void draw_case(resize_case *c, int type) {
    obk_resize_axis *a = &c->axis;
    *a = (obk_resize_axis){.n_in = 1 + draw(MOST),
                           .n_out = 1 + draw(MOST),
                           .taps = 1 + draw(MOST_TAPS),
                           .rises = draw(4) > 0,
                           .index = c->index,
                           .weight = type ? (void *)c->f64 : (void *)c->f32};
    for (int64_t k = 0; k < a->taps; k++)
        for (int64_t i = 0; i < a->n_out; i++) {
            int64_t at = (a->rises ? i : a->n_out - 1 - i) * a->n_in / a->n_out + k - a->taps / 2;
            c->index[k * a->n_out + i] = (int32_t)(at < 0 ? 0 : at >= a->n_in ? a->n_in - 1 : at);
            c->f32[k * a->n_out + i] = draw(4) ? (float)(draw(200) - 60) / 64 : 0;
            c->f64[k * a->n_out + i] = (double)c->f32[k * a->n_out + i] / 3;
        }
}

static double get(int type, const void *x, int64_t i) {
    return type ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

static void *draw_values(int type, int64_t n) {
    char *x = malloc((size_t)n * 8);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) {
        double v = draw(40) ? (double)(draw(2000) - 1000) / 7 : draw(2) ? (double)INFINITY : (double)NAN;
        if (type)
            ((double *)(void *)x)[i] = v;
        else
            ((float *)(void *)x)[i] = (float)v;
    }
    return x;
}

/* Computed in the element type. */
static double expected(const resize_case *c, int type, const void *x, int64_t i, int64_t inner, int64_t s) {
    const obk_resize_axis *a = &c->axis;
    double sum = 0;
    float narrow = 0;
    for (int64_t k = 0; k < a->taps; k++) {
        double w = type ? c->f64[k * a->n_out + i] : (double)c->f32[k * a->n_out + i];
        double v = w == 0 ? 0 : get(type, x, c->index[k * a->n_out + i] * inner + s);
        sum += w * v;
        float product = (float)w * (float)v;
        narrow += product;
    }
    return type ? sum : (double)narrow;
}

static void check(const void *y, int type, int64_t i, double want) {
    double is = get(type, y, i);
    assert_true(is == want || (isnan(is) && isnan(want)));
}

/* Memory followed by guard bytes. */
static char *guarded(size_t n) {
    char *y = malloc(n + GUARD);
    assert_non_null(y);
    memset(y + n, 0x5a, GUARD);
    return y;
}
static void free_guarded(char *y, size_t n) {
    for (int i = 0; i < GUARD; i++) assert_int_equal(y[n + (size_t)i], 0x5a);
    free(y);
}

static void test_rows(void **state) {
    (void)state;
    srand(1);
    for (int round = 0; round < 3000; round++) {
        resize_case c;
        int type = round % 2;
        draw_case(&c, type);
        int64_t rows = 1 + draw(3);
        void *x = draw_values(type, rows * c.axis.n_in);
        size_t n = (size_t)(rows * c.axis.n_out) * (type ? 8 : 4);
        ob__kernels_limit(levels[draw(3)]);
        char *y = guarded(n);
        OBK_LOOPS(resize)->rows[type](&c.axis, rows, x, y);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t i = 0; i < c.axis.n_out; i++)
                check(y, type, r * c.axis.n_out + i,
                      expected(&c, type, (char *)x + (size_t)(r * c.axis.n_in) * (type ? 8 : 4), i, 1, 0));
        free_guarded(y, n);
        free(x);
    }
    ob__kernels_limit(~0u);
}

static void test_along(void **state) {
    (void)state;
    srand(2);
    for (int round = 0; round < 3000; round++) {
        resize_case c;
        int type = round % 2;
        draw_case(&c, type);
        int64_t inner = 1 + draw(40), first = draw(c.axis.n_out), end = first + 1 + draw(c.axis.n_out - first);
        int64_t begin = c.axis.n_in, width = type ? 8 : 4;
        for (int64_t i = first; i < end; i++)
            for (int64_t k = 0; k < c.axis.taps; k++)
                if (c.index[k * c.axis.n_out + i] < begin) begin = c.index[k * c.axis.n_out + i];
        char *x = draw_values(type, c.axis.n_in * inner);
        size_t n = (size_t)((end - first) * inner * width);
        ob__kernels_limit(levels[draw(3)]);
        char *y = guarded(n);
        OBK_LOOPS(resize)->along[type](&c.axis, first, end, inner, x + begin * inner * width, begin, y);
        for (int64_t i = first; i < end; i++)
            for (int64_t s = 0; s < inner; s++) check(y, type, (i - first) * inner + s, expected(&c, type, x, i, inner, s));
        free_guarded(y, n);
        free(x);
    }
    ob__kernels_limit(~0u);
}

/* Memory of picked elements may begin at any byte. */
static void check_pick(const resize_case *c, int64_t bytes) {
    size_t n = (size_t)(c->axis.n_out * bytes), skew = (size_t)draw(2);
    char *x = malloc((size_t)(c->axis.n_in * bytes) + skew), *y = guarded(n + skew);
    assert_non_null(x);
    for (int64_t i = 0; i < c->axis.n_in * bytes; i++) x[(size_t)i + skew] = (char)draw(256);
    ob__kernels_limit(levels[draw(3)]);
    OBK_LOOPS(resize)->pick(&c->axis, bytes, x + skew, y + skew);
    for (int64_t i = 0; i < c->axis.n_out; i++)
        assert_memory_equal(y + skew + i * bytes, x + skew + c->index[i] * bytes, (size_t)bytes);
    free_guarded(y, n + skew);
    free(x);
    ob__kernels_limit(~0u);
}

static void test_pick(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 4, 8, 16, 3, 100};
    srand(3);
    for (int round = 0; round < 2000; round++) {
        resize_case c;
        draw_case(&c, 0);
        check_pick(&c, sizes[draw(7)]);
    }
}

/* Every element one to six times, announced in `times`. */
static void test_repeat(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 4, 8, 16, 3};
    srand(4);
    for (int round = 0; round < 4000; round++) {
        const int64_t times = 1 + round % MOST_TAPS, n_in = 1 + draw(MOST);
        resize_case c;
        c.axis = (obk_resize_axis){n_in, n_in * times, 1, times, true, false, c.index, NULL};
        for (int64_t i = 0; i < c.axis.n_out; i++) c.index[i] = (int32_t)(i / times);
        check_pick(&c, sizes[draw(6)]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_along),
        cmocka_unit_test(test_pick),
        cmocka_unit_test(test_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
