/* Rules that replace nodes (passes/optimize/rules.def), in random quantized blocks beside the nodes one by one: the same bits in
 * exact sessions, at most one quantisation step beside them in relaxed ones, and the same bits at every level and number of
 * threads. Hostile scales and zero points leave the nodes as they are. */
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

typedef struct outcome {
    int exact, relaxed;    /* models that were changed */
    int64_t n, off_by_one; /* elements of relaxed results */
} outcome;

/* Everything that holds for a model with one block: its result is of bytes. */
static void check_block(ob_model *model, const ob_view *in, size_t n_in, outcome *o) {
    ob__kernels_limit(~0u);
    result plain = run_model(model, in, n_in, false, OB_NUMERICS_EXACT, 1), relaxed = {0};
    for (int i = 0; i < 6; i++) {
        ob__kernels_limit(levels[i / 2]);
        result exact = run_model(model, in, n_in, true, OB_NUMERICS_EXACT, 1 + i % 2),
               other = run_model(model, in, n_in, true, OB_NUMERICS_RELAXED, 1 + i % 2);
        if (i % 2 == 0) { /* floats may differ between levels */
            result same_level = run_model(model, in, n_in, false, OB_NUMERICS_EXACT, 1);
            expect_same(&exact, &same_level);
            free(same_level.bytes);
        }
        if (i == 0) {
            o->exact += exact.integers > 0;
            o->relaxed += other.integers > 0;
            relaxed = other;
        } else if (other.integers > 0) {
            expect_same(&other, &relaxed);
        }
        for (int64_t k = 0; k < other.n && i == 0; k++) {
            const int step = abs(at(plain.dtype, plain.bytes, k) - at(other.dtype, other.bytes, k));
            if (step > 1) fail_msg("element %d: %d steps", (int)k, step);
            o->off_by_one += step;
            o->n++;
        }
        free(exact.bytes);
        if (i > 0) free(other.bytes);
    }
    ob__kernels_limit(~0u);
    free(plain.bytes);
    free(relaxed.bytes);
}

/* ---- Products ---- */

/* Small weights keep sums below 2^24. */
static ob_value *weights(ob_model *m, ob_dtype dtype, int32_t rank, const int64_t *dims, int zero, bool small) {
    int64_t n = 1;
    for (int32_t i = 0; i < rank; i++) n *= dims[i];
    uint8_t *data = random_bytes(n);
    for (int64_t i = 0; i < n && small; i++) {
        int w = zero + (int)pick(9) - 4;
        data[i] = (uint8_t)(w < lowest(dtype) ? lowest(dtype) : w > lowest(dtype) + 255 ? lowest(dtype) + 255 : w);
    }
    ob_value *value = new_weight(m, "w", dtype, rank, dims, data);
    free(data);
    return value;
}

typedef struct way {
    bool powers, by_channel, small;
    quantized x, w, y;
    int64_t n; /* channels, or columns */
    float scales[80];
} way;

static way draw_way(int64_t n) {
    way v = {.powers = pick(2), .by_channel = pick(2), .small = pick(4) != 0, .n = n};
    v.x = draw(v.powers);
    v.w = draw(v.powers);
    v.y = draw(v.powers);
    v.y.scale = v.powers ? ldexpf(1, (int)pick(4) - 1) : (float)(0.3 + 0.01 * (double)pick(300));
    for (int64_t i = 0; i < n; i++) v.scales[i] = v.by_channel ? draw(v.powers).scale : v.w.scale;
    return v;
}

static ob_value *dequantized_w(ob_model *m, ob_value *w, const way *v, int64_t axis) {
    uint8_t zeros[80];
    if (!v->by_channel) return dequantize(m, w, &v->w);
    memset(zeros, (uint8_t)v->w.zero, sizeof zeros);
    ob_value *value = new_node(m, "DequantizeLinear", "wf", 3, w, new_weight(m, "ws", OB_FLOAT, 1, &v->n, v->scales),
                               new_weight(m, "wz", v->w.dtype, 1, &v->n, zeros));
    assert_true(ob__node_set_int(value->producer, "axis", axis));
    return value;
}

/* None, dequantized integers, or floats. */
static ob_value *bias_of(ob_model *m, const way *v) {
    int32_t whole[80];
    float units[80], real[80];
    const int64_t kind = pick(3);
    if (kind == 0) return NULL;
    for (int64_t i = 0; i < v->n; i++) {
        whole[i] = (int32_t)pick(4000) - 2000;
        units[i] = v->x.scale * v->scales[i];
        real[i] = units[i] * ((float)whole[i] + (v->powers ? 0 : 0.25f));
    }
    if (kind == 1) return new_weight(m, "b", OB_FLOAT, 1, &v->n, real);
    ob_value *value = new_node(m, "DequantizeLinear", "bf", 2, new_weight(m, "b", OB_INT32, 1, &v->n, whole),
                               new_weight(m, "bs", OB_FLOAT, 1, &v->n, units));
    assert_true(ob__node_set_int(value->producer, "axis", 0));
    return value;
}

static ob_value *activated(ob_model *m, ob_value *y, bool may_clip) {
    switch (pick(may_clip ? 4 : 2)) {
    case 0: return y;
    case 1: return new_node(m, "Relu", "relu", 1, y);
    case 2: return new_node(m, "Clip", "clip", 3, y, scalar(m, "low", OB_FLOAT, 0), scalar(m, "high", OB_FLOAT, 6));
    default: return new_node(m, "Clip", "clip", 3, y, scalar(m, "low", OB_FLOAT, -1e6), scalar(m, "high", OB_FLOAT, 1e6));
    }
}

static void check_conv(outcome *o) {
    const int64_t group = pick(4) ? 1 : 2, channels = 1 + pick(20), out = group * (1 + pick(36));
    const int64_t dims[] = {out, channels, 1 + pick(3), 1 + pick(3)}, stride[] = {1 + pick(2), 1 + pick(2)},
                  pads[] = {pick(2), pick(2), pick(2), pick(2)};
    const way v = draw_way(out);
    ob_model *m = new_model(21);
    char shape[60];
    snprintf(shape, sizeof shape, "2 %d 9 10", (int)(group * channels));
    ob_value *x = new_input(m, "x", v.x.dtype, shape), *w = weights(m, v.w.dtype, 4, dims, v.w.zero, v.small);
    ob_value *xf = dequantize(m, x, &v.x), *wf = dequantized_w(m, w, &v, 0), *bias = bias_of(m, &v);
    ob_value *y = new_node(m, "Conv", "conv", bias ? 3 : 2, xf, wf, bias);
    assert_true(ob__node_set_int(y->producer, "group", group) && ob__node_set_ints(y->producer, "strides", stride, 2) &&
                ob__node_set_ints(y->producer, "pads", pads, 4));
    new_output(m, quantize(m, activated(m, y, true), &v.y));
    void *data = random_bytes(2 * group * channels * 90);
    const ob_view in = view_of(data, v.x.dtype, 4, 2, (int)(group * channels), 9, 10);
    check_block(m, &in, 1, o);
    free(data);
    ob_model_close(&m);
}

static void check_matmul(outcome *o) {
    const int64_t rows = 1 + pick(9), k = 1 + pick(pick(3) ? 60 : 400), columns = 1 + pick(70);
    const int64_t dims[] = {k, columns};
    const way v = draw_way(columns);
    ob_model *m = new_model(21);
    char shape[60];
    snprintf(shape, sizeof shape, "2 %d %d", (int)rows, (int)k);
    ob_value *x = new_input(m, "x", v.x.dtype, shape), *w;
    const bool computed = pick(4) == 0; /* W is an input */
    snprintf(shape, sizeof shape, "%d %d", (int)k, (int)columns);
    w = computed ? new_input(m, "w", v.w.dtype, shape) : weights(m, v.w.dtype, 2, dims, v.w.zero, v.small);
    ob_value *xf = dequantize(m, x, &v.x), *wf = dequantized_w(m, w, &v, pick(2) ? 1 : -1);
    new_output(m, quantize(m, activated(m, new_node(m, "MatMul", "product", 2, xf, wf), false), &v.y));
    void *data = random_bytes(2 * rows * k), *of_w = random_bytes(k * columns);
    const ob_view in[] = {view_of(data, v.x.dtype, 3, 2, (int)rows, (int)k), view_of(of_w, v.w.dtype, 2, (int)k, (int)columns)};
    check_block(m, in, computed ? 2 : 1, o);
    free(data);
    free(of_w);
    ob_model_close(&m);
}

static void check_gemm(outcome *o) {
    const int64_t rows = 1 + pick(9), k = 1 + pick(pick(3) ? 60 : 400), columns = 1 + pick(70), turned = pick(2);
    const int64_t dims[] = {turned ? columns : k, turned ? k : columns};
    const way v = draw_way(columns);
    ob_model *m = new_model(21);
    char shape[60];
    snprintf(shape, sizeof shape, "%d %d", (int)rows, (int)k);
    ob_value *x = new_input(m, "x", v.x.dtype, shape), *w = weights(m, v.w.dtype, 2, dims, v.w.zero, v.small);
    ob_value *xf = dequantize(m, x, &v.x), *wf = dequantized_w(m, w, &v, turned ? 0 : 1), *bias = bias_of(m, &v);
    ob_value *y = new_node(m, "Gemm", "product", bias ? 3 : 2, xf, wf, bias);
    assert_true(ob__node_set_int(y->producer, "transB", turned));
    new_output(m, quantize(m, activated(m, y, false), &v.y));
    void *data = random_bytes(rows * k);
    const ob_view in = view_of(data, v.x.dtype, 2, (int)rows, (int)k);
    check_block(m, &in, 1, o);
    free(data);
    ob_model_close(&m);
}

static void random_products(void **state) {
    outcome o = {0};
    (void)state;
    srand(11);
    for (int i = 0; i < 40; i++) check_conv(&o);
    for (int i = 0; i < 40; i++) check_matmul(&o);
    for (int i = 0; i < 40; i++) check_gemm(&o);
    printf("products: %d of 120 in integers exactly, %d relaxed; %d of %d elements one step away\n", o.exact, o.relaxed,
           (int)o.off_by_one, (int)o.n);
    assert_true(o.exact >= 20 && o.exact <= 90);
    assert_int_equal(o.relaxed, 120);
    assert_true(o.off_by_one > 0);
}

/* A sum that passes 2^24 on its way loses ones in floats: exact sessions leave it alone, however small it is at its end. With
 * a quarter of the products it stays below, and is one of integers. */
static void sums_of_24_bits(void **state) {
    enum { K = 2048, ROWS = 4, COLUMNS = 32 };
    static uint8_t x[ROWS * K];
    static int8_t w[K * COLUMNS];
    const quantized one = {OB_UINT8, 1, 0}, of_w = {OB_INT8, 1, 0}, to = {OB_UINT8, 4, 0};
    (void)state;
    srand(16);
    for (int n = K; n >= K / 4; n /= 4) {
        for (int i = 0; i < n; i++) {
            const bool middle = i >= n / 2 - 8 && i < n / 2 + 8;
            for (int k = 0; k < ROWS; k++) x[k * n + i] = middle ? 1 : 255;
            for (int k = 0; k < COLUMNS; k++) w[i * COLUMNS + k] = (int8_t)(middle ? pick(33) : i < n / 2 ? 127 : -127);
        }
        const int64_t dims[] = {n, COLUMNS};
        char shape[20];
        snprintf(shape, sizeof shape, "%d %d", ROWS, n);
        ob_model *m = new_model(21);
        ob_value *f = dequantize(m, new_input(m, "x", OB_UINT8, shape), &one),
                 *wf = dequantize(m, new_weight(m, "w", OB_INT8, 2, dims, w), &of_w);
        new_output(m, quantize(m, new_node(m, "MatMul", "product", 2, f, wf), &to));
        const ob_view in = view_of(x, OB_UINT8, 2, ROWS, n);
        result plain = run_model(m, &in, 1, false, OB_NUMERICS_EXACT, 1),
               exact = run_model(m, &in, 1, true, OB_NUMERICS_EXACT, 1),
               relaxed = run_model(m, &in, 1, true, OB_NUMERICS_RELAXED, 1);
        expect_same(&plain, &exact);
        assert_int_equal(exact.integers, n < K);
        int n_other = 0;
        for (int k = 0; k < COLUMNS; k++) {
            int sum = 0;
            for (int i = 0; i < n; i++) sum += x[i] * w[i * COLUMNS + k];
            assert_int_equal(at(OB_UINT8, relaxed.bytes, k), (int)lrint(sum / 4.0));
            n_other += at(OB_UINT8, plain.bytes, k) != at(OB_UINT8, relaxed.bytes, k);
        }
        assert_int_equal(n_other > 0, n == K);
        free(plain.bytes), free(exact.bytes), free(relaxed.bytes);
        ob_model_close(&m);
    }
}

/* ---- Elementwise and moves: exact ---- */

static ob_value *new_block(ob_model *m, int kind, ob_value *x, ob_value *other, const quantized *q, const quantized *y) {
    static const int64_t perm[] = {0, 2, 3, 1}, shape[] = {2, -1}, axes[] = {1, 2}, two[] = {2, 2}, four[] = {4},
                         wide[] = {3, 1, 1, 1, 1};
    const int64_t one[] = {1};
    ob_value *f = kind == 14 || kind >= 17 ? NULL : dequantize(m, x, q), *places, *g = kind < 3 ? dequantize(m, other, q) : NULL;
    switch (kind) {
    case 0: return quantize(m, new_node(m, "Add", "f", 2, f, g), y);
    case 1: return quantize(m, new_node(m, "Mul", "f", 2, g, f), y);
    case 2: return quantize(m, new_node(m, "Relu", "r", 1, new_node(m, "Add", "f", 2, f, g)), y);
    case 3: return quantize(m, new_node(m, "Relu", "r", 1, new_node(m, "Mul", "f", 2, f, f)), y);
    case 4: return quantize(m, new_node(m, "Sigmoid", "f", 1, f), y);
    case 5: return quantize(m, new_node(m, "LeakyRelu", "f", 1, f), y);
    case 6: return quantize(m, new_node(m, "Relu", "f", 1, f), q);
    case 7: return quantize(m, f, q);
    case 8: f = new_node(m, "Transpose", "f", 1, f); break;
    case 9: f = new_node(m, "Reshape", "f", 2, f, new_weight(m, "shape", OB_INT64, 1, (int64_t[]){2}, shape)); break;
    case 10: f = new_node(m, "MaxPool", "f", 1, f); break;
    case 11: f = new_node(m, "Flatten", "f", 1, f); break;
    case 12:
        f = new_node(m, "Slice", "f", 4, f, new_weight(m, "from", OB_INT64, 1, one, one),
                     new_weight(m, "to", OB_INT64, 1, one, four), new_weight(m, "axes", OB_INT64, 1, one, axes));
        break;
    case 13: f = new_node(m, "Unsqueeze", "f", 2, f, new_weight(m, "axes", OB_INT64, 1, one, axes)); break;
    case 14:
        places = new_weight(m, "axes", OB_INT64, 1, one, axes);
        f = dequantize(m, new_node(m, "Unsqueeze", "wide", 2, x, places), q);
        f = new_node(m, "Squeeze", "f", 2, f, places);
        break;
    case 15: f = new_node(m, "Gather", "f", 2, f, new_weight(m, "places", OB_INT64, 1, (int64_t[]){2}, axes)); break;
    case 16: f = new_node(m, "Expand", "f", 2, f, new_weight(m, "shape", OB_INT64, 1, (int64_t[]){5}, wide)); break;
    case 17:
        f = new_node(m, "SpaceToDepth", "f", 1,
                     dequantize(m,
                                new_node(m, "Slice", "even", 4, x, new_weight(m, "from", OB_INT64, 1, one, (int64_t[]){0}),
                                         new_weight(m, "to", OB_INT64, 1, one, (int64_t[]){6}),
                                         new_weight(m, "axes", OB_INT64, 1, one, (int64_t[]){3})),
                                q));
        break;
    default:
        f = new_node(m, "DepthToSpace", "f", 1,
                     dequantize(m,
                                new_node(m, "Slice", "four", 4, x, new_weight(m, "from", OB_INT64, 1, one, (int64_t[]){0}),
                                         new_weight(m, "to", OB_INT64, 1, one, (int64_t[]){4}),
                                         new_weight(m, "axes", OB_INT64, 1, one, (int64_t[]){1})),
                                q));
        break;
    }
    if (kind >= 17) assert_true(ob__node_set_int(f->producer, "blocksize", 2));
    if (kind == 15) assert_true(ob__node_set_int(f->producer, "axis", 2));
    if (kind == 8) assert_true(ob__node_set_ints(f->producer, "perm", perm, 4));
    if (kind == 10)
        assert_true(ob__node_set_ints(f->producer, "kernel_shape", two, 2) && ob__node_set_ints(f->producer, "strides", two, 2));
    return quantize(m, f, q);
}

static void exact_blocks(void **state) {
    enum { KINDS = 19, N = 2 * 5 * 6 * 7 };
    int n_changed[KINDS] = {0};
    (void)state;
    srand(12);
    for (int i = 0; i < 4 * KINDS; i++) {
        const int kind = i % KINDS;
        const quantized q = draw(false);
        quantized to = draw(false);
        to.dtype = q.dtype;
        to.zero = pick(2) ? lowest(q.dtype) : lowest(q.dtype) + (int)pick(256);
        ob_model *m = new_model(21);
        ob_value *x = new_input(m, "x", q.dtype, "2 5 6 7"), *other = new_input(m, "other", q.dtype, pick(2) ? "2 5 6 7" : "6 1");
        const bool is_small = other->declared.shape.rank == 2;
        new_output(m, new_block(m, kind, x, other, &q, &to));
        void *a = random_bytes(N), *b = random_bytes(N);
        const ob_view in[] = {view_of(a, q.dtype, 4, 2, 5, 6, 7),
                              is_small ? view_of(b, q.dtype, 2, 6, 1) : view_of(b, q.dtype, 4, 2, 5, 6, 7)};
        for (int k = 0; k < 6; k++) {
            ob__kernels_limit(levels[k / 2]);
            result plain = run_model(m, in, 2, false, OB_NUMERICS_EXACT, 1 + k % 2),
                   exact = run_model(m, in, 2, true, OB_NUMERICS_EXACT, 1 + k % 2);
            assert_int_equal(plain.status, OB_OK);
            expect_same(&plain, &exact);
            n_changed[kind] += exact.quantizers == 0;
            free(plain.bytes);
            free(exact.bytes);
        }
        ob__kernels_limit(~0u);
        free(a);
        free(b);
        ob_model_close(&m);
    }
    for (int kind = 0; kind < KINDS; kind++)
        if (n_changed[kind] != 24) fail_msg("kind %d: %d of 24", kind, n_changed[kind]);
}

/* ---- Products that stay floats: within the bound of docs/numerics.md ---- */

static void float_products(void **state) {
    (void)state;
    srand(19);
    for (int i = 0; i < 40; i++) {
        const int64_t k = 1 + pick(200), n = 1 + pick(40), rank = 2 + pick(4); /* MatMul, or Conv with one position */
        const bool conv = rank > 2;
        const int64_t dims[] = {conv ? n : k, conv ? k : n, 1, 1, 1};
        const way v = draw_way(n);
        ob_model *m = new_model(21);
        char shape[60];
        snprintf(shape, sizeof shape, rank == 2 ? "6 %d" : rank == 3 ? "3 %d 2" : rank == 4 ? "3 %d 2 1" : "3 %d 2 1 1", (int)k);
        ob_value *x = new_input(m, "x", v.x.dtype, shape), *w = weights(m, v.w.dtype, (int32_t)rank, dims, v.w.zero, v.small);
        ob_value *xf = dequantize(m, x, &v.x), *wf = dequantized_w(m, w, &v, conv ? 0 : 1);
        ob_value *bias = conv ? bias_of(m, &v) : NULL;
        new_output(m, new_node(m, conv ? "Conv" : "MatMul", "y", bias ? 3 : 2, xf, wf, bias));
        void *data = random_bytes(6 * k);
        const ob_view in =
            conv ? view_of(data, v.x.dtype, (int)rank, 3, (int)k, 2, 1, 1) : view_of(data, v.x.dtype, 2, 6, (int)k);
        result plain = run_model(m, &in, 1, false, OB_NUMERICS_EXACT, 1),
               exact = run_model(m, &in, 1, true, OB_NUMERICS_EXACT, 1), one = run_model(m, &in, 1, true, OB_NUMERICS_RELAXED, 1),
               two = run_model(m, &in, 1, true, OB_NUMERICS_RELAXED, 2);
        expect_same(&plain, &exact);
        expect_same(&one, &two);
        assert_int_equal(one.quantizers, bias && bias->producer ? 1 : 0); /* that of the bias */
        for (int64_t e = 0; e < plain.n; e++) {
            const int64_t c = conv ? e / 2 % n : e % n;
            const double most = (double)k * 255 * 255 * (double)v.x.scale * (double)v.scales[c] + 4000 * (double)v.x.scale;
            const double error = fabs((double)((float *)(void *)plain.bytes)[e] - (double)((float *)(void *)one.bytes)[e]);
            if (error > (double)(k + 9) * 0x1p-24 * most) fail_msg("element %d: %g apart", (int)e, error);
        }
        free(plain.bytes), free(exact.bytes), free(one.bytes), free(two.bytes), free(data);
        ob_model_close(&m);
    }
}

/* The mean of integers, multiplied once: one step at most beside the mean of floats. */
static void means(void **state) {
    outcome o = {0};
    (void)state;
    srand(20);
    for (int i = 0; i < 12; i++) {
        const quantized q = draw(false);
        quantized to = draw(false);
        to.dtype = q.dtype;
        ob_model *m = new_model(21);
        ob_value *x = new_input(m, "x", q.dtype, "3 20 9 7");
        new_output(m, quantize(m, new_node(m, "GlobalAveragePool", "mean", 1, dequantize(m, x, &q)), &to));
        void *data = random_bytes(3 * 20 * 63);
        const ob_view in = view_of(data, q.dtype, 4, 3, 20, 9, 7);
        check_block(m, &in, 1, &o);
        free(data);
        ob_model_close(&m);
    }
    assert_int_equal(o.exact, 0);
    assert_int_equal(o.relaxed, 12);
}

/* ---- What stays ---- */

enum { PLAIN, OTHER_READER, GRAPH_OUTPUT, INPUT_SCALE, OVERRIDABLE, OTHER_SCALE, OTHER_ZERO, SHARED_DQ, N_TRAPS };

/* x -> DQ -> MaxPool -> Q with a trap; one result, the bytes. */
static ob_model *trap_model(int trap, float scale, bool product, int *n_in) {
    static const int64_t two[] = {2, 2}, dims[] = {3, 2, 1, 1};
    static const int8_t w[] = {1, -2, 3, -4, 5, 127};
    const quantized q = {OB_INT8, scale, 3};
    quantized to = {OB_INT8, trap == OTHER_SCALE ? 2 * scale : scale, trap == OTHER_ZERO ? 4 : 3};
    ob_model *m = new_model(21);
    ob_value *x = new_input(m, "x", OB_INT8, "1 2 4 4"), *z = scalar(m, "zero", OB_INT8, 3);
    ob_value *s = trap == INPUT_SCALE ? new_input(m, "s", OB_FLOAT, "1") : scalar(m, "s", OB_FLOAT, (double)scale);
    *n_in = trap == INPUT_SCALE ? 2 : 1;
    if (trap == OVERRIDABLE) {
        s->is_input = true;
        s->declared = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = OB_FLOAT, .shape = {0, NULL}};
        m->graph->inputs = append_value(m, m->graph->inputs, &m->graph->n_inputs, s);
    }
    ob_value *f = new_node(m, "DequantizeLinear", "dq", 3, x, s, z), *y;
    if (product) {
        y = new_node(m, "Conv", "y", 2, f, dequantize(m, new_weight(m, "w", OB_INT8, 4, dims, w), &q));
    } else {
        y = new_node(m, "MaxPool", "y", 1, f);
        assert_true(ob__node_set_ints(y->producer, "kernel_shape", two, 2));
    }
    ob_value *out =
        trap == OTHER_SCALE || trap == OTHER_ZERO ? quantize(m, y, &to) : new_node(m, "QuantizeLinear", "out", 3, y, s, z);
    if (trap == OTHER_READER) out = new_node(m, "Concat", "both", 2, new_node(m, "Cast", "c", 1, out), y);
    if (trap == OTHER_READER) {
        assert_true(ob__node_set_int(out->producer, "axis", 0));
        assert_true(ob__node_set_int(out->producer->inputs[0]->producer, "to", OB_FLOAT));
    }
    if (trap == SHARED_DQ) {
        ob_value *c = new_node(m, "Cast", "c", 1, out), *d = new_node(m, "ReduceMax", "d", 1, f);
        assert_true(ob__node_set_int(c->producer, "to", OB_FLOAT));
        out = new_node(m, "Add", "sum", 2, c, d);
    }
    new_output(m, out);
    if (trap == GRAPH_OUTPUT) new_output(m, y);
    return m;
}

static int quantizers_left(int trap, float scale, bool product, ob_numerics numerics) {
    int n_in;
    int8_t x[32];
    for (int i = 0; i < 32; i++) x[i] = (int8_t)pick(256);
    float one = scale;
    ob_model *m = trap_model(trap, scale, product, &n_in);
    const ob_view in[] = {view_of(x, OB_INT8, 4, 1, 2, 4, 4), view_of(&one, OB_FLOAT, 1, 1)};
    if (trap == GRAPH_OUTPUT) m->graph->n_outputs = 2;
    ob_session_config config;
    ob_session *sessions[2] = {NULL};
    ob_view out[2][2] = {{{0}}};
    ob_error error;
    int left = 0;
    for (int i = 0; i < 2; i++) {
        ob_session_config_init(&config);
        config.optimize = i == 1;
        config.numerics = i == 1 ? numerics : OB_NUMERICS_EXACT;
        if (ob_session_create(m, &config, &sessions[i], &error) != OB_OK) fail_msg("%s", error.message);
        run_ok(sessions[i], in, (size_t)n_in, out[i], ob_session_output_count(sessions[i]));
    }
    for (const ob_node *node = sessions[1]->model->graph->first; node; node = node->next)
        left += strstr(node->op_type, "uantizeLinear") != NULL;
    const ob_dtype dtype = out[0][0].dtype;
    for (int64_t i = 0; i < ob_view_count(&out[0][0]); i++) {
        const size_t k = (size_t)i * ob_dtype_size(dtype);
        if (!same_element(dtype, (char *)out[0][0].data + k, (char *)out[1][0].data + k))
            fail_msg("trap %d, scale %g", trap, (double)scale);
    }
    for (int i = 0; i < 2; i++) ob_session_close(&sessions[i]);
    ob_model_close(&m);
    return left;
}

static void traps(void **state) {
    (void)state;
    srand(13);
    const int moved[N_TRAPS] = {[OTHER_READER] = 2, [GRAPH_OUTPUT] = 2, [INPUT_SCALE] = 2, [OVERRIDABLE] = 2,
                                [OTHER_SCALE] = 2,  [OTHER_ZERO] = 2,   [SHARED_DQ] = 1};
    for (int trap = 0; trap < N_TRAPS; trap++) {
        assert_int_equal(quantizers_left(trap, 0.25F, false, OB_NUMERICS_EXACT), moved[trap]);
        /* with other scales of the result a product is one all the same */
        const bool stays = moved[trap] == 2 && trap != OTHER_SCALE && trap != OTHER_ZERO;
        assert_int_equal(quantizers_left(trap, 0.25F, true, OB_NUMERICS_EXACT), stays ? 3 : moved[trap] == 1 ? 1 : 0);
    }
}

static void hostile_scales(void **state) {
    const float scales[] = {0, -0.0F, -0.25F, (float)NAN, INFINITY, -INFINITY, 0x1p-140F, 0x1p120F};
    (void)state;
    srand(14);
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        assert_int_equal(quantizers_left(PLAIN, scales[i], false, OB_NUMERICS_EXACT), 2);
        assert_int_equal(quantizers_left(PLAIN, scales[i], true, OB_NUMERICS_EXACT), 3);
        assert_int_equal(quantizers_left(PLAIN, scales[i], false, OB_NUMERICS_RELAXED), 2);
        assert_int_equal(quantizers_left(PLAIN, scales[i], true, OB_NUMERICS_RELAXED), 3);
    }
}

/* Scales for channels whose number or axis is wrong, and zero points of another type: refused as without rules, or left alone. */
static void hostile_parameters(void **state) {
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        static const int64_t dims[] = {3, 2, 1, 1};
        static const float scales[] = {1, 0.5F, 0.25F, 2};
        const int64_t n_scales = kind == 0 ? 4 : kind == 1 ? 2 : 3;
        const quantized q = {OB_INT8, 0.5F, 0};
        int8_t x[32] = {1, 2, 3, 100, -100};
        ob_model *m = new_model(21);
        ob_value *in = new_input(m, "x", OB_INT8, "1 2 4 4"), *w = new_weight(m, "w", OB_INT8, 4, dims, "\1\2\3\4\5\6");
        ob_value *s = new_weight(m, "s", OB_FLOAT, 1, &n_scales, scales);
        ob_value *z = new_weight(m, "z", kind == 3 ? OB_UINT8 : OB_INT8, 1, kind == 4 ? (int64_t[]){1} : &n_scales, "\1\0\2\3");
        ob_value *wf = new_node(m, "DequantizeLinear", "wf", 3, w, s, z);
        assert_true(ob__node_set_int(wf->producer, "axis", kind == 1 ? 1 : 0));
        new_output(m, quantize(m, new_node(m, "Conv", "y", 2, dequantize(m, in, &q), wf), &q));
        const ob_view view = view_of(x, OB_INT8, 4, 1, 2, 4, 4);
        for (int i = 0; i < 2; i++) {
            result plain = run_model(m, &view, 1, false, OB_NUMERICS_EXACT, 1),
                   changed = run_model(m, &view, 1, true, i ? OB_NUMERICS_RELAXED : OB_NUMERICS_EXACT, 1);
            expect_same(&plain, &changed);
            assert_int_equal(changed.integers, kind == 2);
            free(plain.bytes);
            free(changed.bytes);
        }
        ob_model_close(&m);
    }
}

/* Weights that two products read, and one block after the other: the same bits for every number of threads. */
static void shared_weights(void **state) {
    static const int64_t dims[] = {4, 4, 3, 3}, pads[] = {1, 1, 1, 1};
    const quantized q = {OB_UINT8, 0.07F, 120}, w_scale = {OB_INT8, 0.011F, 0}, to = {OB_UINT8, 0.3F, 128};
    (void)state;
    srand(15);
    ob_model *m = new_model(21);
    void *x = random_bytes(4 * 64), *w = random_bytes(144);
    ob_value *in = new_input(m, "x", OB_UINT8, "1 4 8 8"), *wf = dequantize(m, new_weight(m, "w", OB_INT8, 4, dims, w), &w_scale),
             *xf = dequantize(m, in, &q);
    ob_value *a = new_node(m, "Conv", "a", 2, xf, wf);
    ob_value *b = new_node(m, "Conv", "b", 2, dequantize(m, quantize(m, a, &to), &to), wf);
    ob_value *c = new_node(m, "Add", "c", 2, dequantize(m, quantize(m, b, &to), &to), xf);
    assert_true(ob__node_set_ints(a->producer, "pads", pads, 4) && ob__node_set_ints(b->producer, "pads", pads, 4));
    new_output(m, quantize(m, new_node(m, "Relu", "r", 1, c), &to));
    const ob_view view = view_of(x, OB_UINT8, 4, 1, 4, 8, 8);
    result plain = run_model(m, &view, 1, false, OB_NUMERICS_EXACT, 1),
           exact = run_model(m, &view, 1, true, OB_NUMERICS_EXACT, 2), one = run_model(m, &view, 1, true, OB_NUMERICS_RELAXED, 1),
           two = run_model(m, &view, 1, true, OB_NUMERICS_RELAXED, 2);
    expect_same(&plain, &exact);
    expect_same(&one, &two);
    assert_int_equal(one.integers, 3);
    assert_int_equal(one.quantizers, 0);
    free(plain.bytes), free(exact.bytes), free(one.bytes), free(two.bytes), free(x), free(w);
    ob_model_close(&m);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_products), cmocka_unit_test(sums_of_24_bits),    cmocka_unit_test(float_products),
        cmocka_unit_test(means),           cmocka_unit_test(exact_blocks),       cmocka_unit_test(traps),
        cmocka_unit_test(hostile_scales),  cmocka_unit_test(hostile_parameters), cmocka_unit_test(shared_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
