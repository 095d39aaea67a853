/* kernels/quantize at every level, compared with the definition element by element: the same bits. */
#include "kernel_levels.h"
#include "kernels/kernels.h"
#include "kernels/quantize/quantize.h"

static uint64_t seed = 5;

static float rounded(float x) { /* half to even; NaN is the lowest */
    if (x != x) return -INFINITY;
    return fabsf(x) < 0x1p23f ? rintf(x) : x;
}

static float clamped(float x, float low, float high) {
    return x > low ? x < high ? x : high : low;
}

/* Scales and zero points of n elements: one, or one each. */
static obk_scales draw_scales(kl_edges *edges, int64_t n, bool each, float low, float high) {
    int64_t count = each ? n : 1;
    float *scale = kl_in(edges, (size_t)count * sizeof(float)), *zero = kl_in(edges, (size_t)count * sizeof(float));
    for (int64_t i = 0; i < count; i++) {
        scale[i] = (float)kl_uniform(&seed, 0.001, 3);
        zero[i] = kl_random(&seed) % 4 ? rintf((float)kl_uniform(&seed, (double)low, (double)high)) : 0;
    }
    return (obk_scales){scale, zero, each, low, high};
}

static float *draw_floats(kl_edges *edges, int64_t n) {
    float *x = kl_in(edges, (size_t)n * sizeof(float));
    kl_fill_f32(x, n, &seed, -400, 400);
    for (int64_t i = 0; i < n; i++)
        if (kl_random(&seed) % 3 == 0) x[i] = rintf(x[i]) + 0.5f; /* ties */
    if (kl_random(&seed) % 2) kl_special_f32(x, n, &seed);
    return x;
}

static const struct {
    float low, high;
    size_t size;
} types[] = {[OBK_Q_INT8] = {-128, 127, 1},
             [OBK_Q_UINT8] = {0, 255, 1},
             [OBK_Q_INT16] = {-32768, 32767, 2},
             [OBK_Q_UINT16] = {0, 65535, 2},
             [OBK_Q_INT32] = {-1000000, 1000000, 4}};

static int32_t integer_at(const void *x, obk_integer type, int64_t i) {
    switch (type) {
    case OBK_Q_INT8: return ((const int8_t *)x)[i];
    case OBK_Q_UINT8: return ((const uint8_t *)x)[i];
    case OBK_Q_INT16: return ((const int16_t *)x)[i];
    case OBK_Q_UINT16: return ((const uint16_t *)x)[i];
    default: return ((const int32_t *)x)[i];
    }
}

static void quantize(const obk_table *t, kl_edges *edges, int64_t n, size_t offset, bool each) {
    for (int type = 0; type < OBK_Q_INT32; type++) {
        bool narrow = kl_random(&seed) % 4 == 0; /* as of 4 bits */
        float low = narrow ? types[type].low / 16 : types[type].low, high = narrow ? 7 : types[type].high;
        obk_scales s = draw_scales(edges, n, each, low, high);
        const float *x = draw_floats(edges, n);
        kl_out y = kl_out_open((size_t)n * types[type].size, offset * types[type].size);
        t->quantize->quantize[type](y.data, x, n, &s);
        for (int64_t i = 0; i < n; i++) {
            float scale = s.scale[each ? i : 0], zero = s.zero[each ? i : 0];
            float want = clamped(rounded(x[i] / scale) + zero, low, high);
            if ((float)integer_at(y.data, (obk_integer)type, i) != want)
                fail_msg("%s: type %d: %g / %g + %g is %d, not %g", t->name, type, (double)x[i], (double)scale, (double)zero,
                         integer_at(y.data, (obk_integer)type, i), (double)want);
        }
        kl_out_close(&y);
    }
}

static void divide(const obk_table *t, kl_edges *edges, int64_t n, size_t offset, bool each) {
    obk_scales s = draw_scales(edges, n, each, -8, 8);
    const float *x = draw_floats(edges, n);
    kl_out y = kl_out_open((size_t)n * sizeof(float), offset * sizeof(float));
    memcpy(y.data, x, (size_t)n * sizeof *x);
    t->quantize->divide(y.data, kl_random(&seed) % 2 ? x : y.data, n, &s);
    for (int64_t i = 0; i < n; i++) {
        float zero = s.zero[each ? i : 0], want = x[i] / s.scale[each ? i : 0], is = ((float *)y.data)[i];
        if (zero != 0) want += zero;
        if (memcmp(&is, &want, sizeof is) != 0 && (is == is || want == want))
            fail_msg("%s: a quotient is %g, not %g", t->name, (double)is, (double)want);
    }
    kl_out_close(&y);
}

static void dequantize(const obk_table *t, kl_edges *edges, int64_t n, size_t offset, bool each) {
    for (int type = 0; type <= OBK_Q_COUNT; type++) {
        bool from_float = type == OBK_Q_COUNT;
        obk_scales s = draw_scales(edges, n, each, -100, 100);
        size_t size = from_float ? sizeof(float) : types[type].size;
        void *x = kl_in(edges, (size_t)n * size);
        kl_fill_bytes(x, (size_t)n * size, &seed);
        if (from_float) kl_fill_f32(x, n, &seed, -9, 9);
        kl_out y = kl_out_open((size_t)n * sizeof(float), offset * sizeof(float));
        if (from_float)
            t->quantize->dequantize_float(y.data, x, n, &s);
        else
            t->quantize->dequantize[type](y.data, x, n, &s);
        for (int64_t i = 0; i < n; i++) {
            float from = from_float ? ((const float *)x)[i] : (float)integer_at(x, (obk_integer)type, i);
            float want = (from - s.zero[each ? i : 0]) * s.scale[each ? i : 0], is = ((float *)y.data)[i];
            if (is != want) fail_msg("%s: type %d: %g becomes %g, not %g", t->name, type, (double)from, (double)is, (double)want);
        }
        kl_out_close(&y);
    }
}

static void requantize(const obk_table *t, kl_edges *edges, int64_t n, size_t offset, bool each) {
    for (int type = 0; type < 2; type++) {
        int32_t *sums = kl_in(edges, (size_t)n * sizeof(int32_t));
        float *scale = kl_in(edges, (size_t)(each ? n : 1) * sizeof(float));
        kl_fill_bytes(sums, (size_t)n * sizeof *sums, &seed);
        for (int64_t i = 0; i < n; i++)
            if (i % 5) sums[i] >>= 16;
        kl_fill_f32(scale, each ? n : 1, &seed, 0.0001, 0.5);
        obk_requantized q = {.scale = scale, .each = each, .zero = 3, .low = types[type].low, .high = types[type].high};
        kl_out y = kl_out_open((size_t)n, offset);
        t->quantize->requantize[type](y.data, sums, n, &q);
        for (int64_t i = 0; i < n; i++) {
            float want = clamped(rounded((float)sums[i] * scale[each ? i : 0]) + 3, q.low, q.high);
            int32_t is = integer_at(y.data, (obk_integer)type, i);
            if ((float)is != want) fail_msg("%s: %d becomes %d, not %g", t->name, sums[i], is, (double)want);
        }
        kl_out_close(&y);
    }
}

static void accumulate(const obk_table *t, kl_edges *edges, int64_t n, size_t offset, bool each) {
    const obk_scales s = draw_scales(edges, n, each, 0, 0);
    int32_t *sums = kl_in(edges, (size_t)n * sizeof *sums);
    float *before = kl_in(edges, (size_t)n * sizeof *before);
    kl_fill_bytes(sums, (size_t)n * sizeof *sums, &seed);
    kl_fill_f32(before, n, &seed, -1e6, 1e6);
    kl_out y = kl_out_open((size_t)n * sizeof(float), offset * sizeof(float));
    memcpy(y.data, before, (size_t)n * sizeof(float));
    t->quantize->accumulate(y.data, sums, n, &s);
    for (int64_t i = 0; i < n; i++) {
        const float more = (float)sums[i] * s.scale[each ? i : 0], want = before[i] + more, is = ((float *)y.data)[i];
        if (is != want) fail_msg("%s: %g, not %g", t->name, (double)is, (double)want);
    }
    kl_out_close(&y);
}

/* Operands may share the result's memory; scales that are NaN or infinite give the lowest. */
static void qlinear(const obk_table *t, kl_edges *edges, int64_t n, size_t offset) {
    static const float odd[] = {0, INFINITY, NAN, -0.5f, 1e-42f, 3e38f};
    for (int kind = 0; kind < OBK_QLINEAR_COUNT; kind++)
        for (int type = 0; type < 2; type++) {
            const float low = types[type].low, high = types[type].high;
            const int first = kind == OBK_QLINEAR_WHERE;
            float scale[3], zero[3];
            uint8_t *in[3];
            for (int k = 0; k < 3; k++) {
                scale[k] = kl_random(&seed) % 16 ? (float)kl_uniform(&seed, 0.01, 2) : odd[kl_random(&seed) % 6];
                if (kl_random(&seed) % 3 == 0) scale[k] = 0.5f; /* ties */
                zero[k] = kl_random(&seed) % 3   ? rintf((float)kl_uniform(&seed, (double)low, (double)high))
                          : kl_random(&seed) % 2 ? low
                                                 : high;
                in[k] = kl_in(edges, (size_t)n);
                kl_fill_bytes(in[k], (size_t)n, &seed);
                for (int64_t i = 0; first && k == 0 && i < n; i++) in[0][i] &= 1;
            }
            const obk_qlinear q = {{scale[0], scale[1]}, {zero[0], zero[1]}, {&scale[2], &zero[2], false, low, high}};
            kl_out z = kl_out_open((size_t)n, offset);
            const void *operands[3] = {in[0], in[1], in[2]};
            const int in_place = (int)(kl_random(&seed) % 4);
            if (in_place < 2 + first) operands[in_place] = memcpy(z.data, in[in_place], (size_t)n);
            t->quantize->qlinear[kind][type](z.data, operands, n, &q);
            for (int64_t i = 0; i < n; i++) {
                const float x = ((float)integer_at(in[first], (obk_integer)type, i) - zero[0]) * scale[0];
                const float y = ((float)integer_at(in[first + 1], (obk_integer)type, i) - zero[1]) * scale[1];
                const float f = kind == OBK_QLINEAR_ADD ? x + y : kind == OBK_QLINEAR_MUL ? x * y : in[0][i] ? x : y;
                const float want = clamped(rounded(f / scale[2]) + zero[2], low, high);
                const int32_t is = integer_at(z.data, (obk_integer)type, i);
                if ((float)is != want)
                    fail_msg("%s: kind %d, type %d, element %d of %d: %g / %g + %g is %d, not %g", t->name, kind, type, (int)i,
                             (int)n, (double)f, (double)scale[2], (double)zero[2], is, (double)want);
            }
            kl_out_close(&z);
        }
}

/* Sums of rows and of columns. */
static void sums(const obk_table *t, kl_edges *edges, int64_t n) {
    static const int64_t counts[] = {1, 2, 3, 31, 64, 65, 130};
    for (int type = 0; type < 2; type++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            const int64_t length = c % 2 ? counts[c] : n, m = c % 2 ? n : counts[c];
            if (length * (m + 1) > 9000) continue;
            for (int columns = 0; columns < 2; columns++) {
                const int64_t next = columns ? 1 : length, step = columns ? m + 1 : 1,
                              all = columns ? length * step - 1 : m * length;
                const size_t n_bytes = all > 0 && m > 0 ? (size_t)all : 0;
                void *x = kl_in(edges, n_bytes);
                kl_fill_bytes(x, n_bytes, &seed);
                if (c > 3) memset(x, type == OBK_Q_INT8 ? 0x80 : 0xff, n_bytes); /* the largest sums */
                kl_out z = kl_out_open((size_t)m * sizeof(int64_t), 8);
                t->quantize->sums[type](z.data, x, m, next, length, step);
                for (int64_t i = 0; i < m; i++) {
                    int64_t sum = 0;
                    for (int64_t k = 0; k < length; k++) sum += integer_at(x, (obk_integer)type, i * next + k * step);
                    assert_int_equal(((int64_t *)z.data)[i], sum);
                }
                kl_out_close(&z);
            }
        }
}

static void lookup(const obk_table *t, kl_edges *edges, int64_t n, size_t offset) {
    uint8_t *x = kl_in(edges, (size_t)n), *table = kl_in(edges, 256);
    kl_fill_bytes(x, (size_t)n, &seed);
    kl_fill_bytes(table, 256, &seed);
    kl_out z = kl_out_open((size_t)n, offset);
    memcpy(z.data, x, (size_t)n);
    t->quantize->lookup(z.data, kl_random(&seed) % 2 ? x : z.data, n, table);
    for (int64_t i = 0; i < n; i++) assert_int_equal(((uint8_t *)z.data)[i], table[x[i]]);
    kl_out_close(&z);
}

static void range(const obk_table *t, kl_edges *edges, int64_t n) {
    const float *x = draw_floats(edges, n);
    float low, high, least = 0, most = 0;
    for (int64_t i = 0; i < n; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    t->quantize->range(x, n, &low, &high);
    assert_true(low == least && high == most);
}

static void test_loops(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_tables = kl_levels(tables);
    kl_edges edges = kl_open(1 << 14);
    for (size_t l = 0; l < n_tables; l++)
        for (int64_t n = 0; n <= 600; n += n < 4 * KL_LONGEST(2) ? 1 : 61)
            for (int each = 0; each < 2; each++) {
                size_t offset = (size_t)n % 3;
                quantize(tables[l], &edges, n, offset, each);
                divide(tables[l], &edges, n, offset, each);
                dequantize(tables[l], &edges, n, offset, each);
                requantize(tables[l], &edges, n, offset, each);
                accumulate(tables[l], &edges, n, offset, each);
                qlinear(tables[l], &edges, n, offset);
                lookup(tables[l], &edges, n, offset);
                sums(tables[l], &edges, n);
                range(tables[l], &edges, n);
            }
    kl_close(&edges);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
