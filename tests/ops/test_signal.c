/* DFT, STFT and MelWeightMatrix compared with sums in double. */
#include "kernel_case.h"
#include "kernels/fft/fft.h"
#include "kernels/kernels.h"

enum { MAX_POINTS = 600 };

static const double turn = 6.283185307179586;

/* X[k] of n points: x(t) = 0 beyond n_from. Inverse: divided by n. */
static void oracle(const double (*x)[2], int64_t n_from, int64_t n, bool inverse, int64_t k, double out[2]) {
    long double re = 0, im = 0;
    for (int64_t t = 0; t < n && t < n_from; t++) {
        const double angle = (inverse ? turn : -turn) * (double)(k * t % n) / (double)n;
        re += (long double)(x[t][0] * cos(angle)) - (long double)(x[t][1] * sin(angle));
        im += (long double)(x[t][0] * sin(angle)) + (long double)(x[t][1] * cos(angle));
    }
    out[0] = (double)(inverse ? re / n : re);
    out[1] = (double)(inverse ? im / n : im);
}

typedef struct dft_case {
    int64_t opset, outer, points, inner, axis, length; /* length 0: not given */
    bool is_complex, inverse, onesided;
} dft_case;

/* The points of a line, as input of the transform. */
static int64_t line_of(const dft_case *d, const ob_view *x, int64_t outer, int64_t inner, int64_t n, double (*line)[2]) {
    const int64_t parts = d->is_complex ? 2 : 1;
    const bool mirrored = d->inverse && d->onesided;
    int64_t known = d->points < n ? d->points : n;
    if (mirrored && known > n / 2 + 1) known = n / 2 + 1;
    memset(line, 0, (size_t)n * sizeof *line);
    for (int64_t t = 0; t < known; t++)
        for (int64_t part = 0; part < parts; part++)
            line[t][part] = kc_get(x, ((outer * d->points + t) * d->inner + inner) * parts + part);
    for (int64_t t = n / 2 + 1; mirrored && t < n; t++) {
        line[t][0] = line[n - t][0];
        line[t][1] = -line[n - t][1];
    }
    return n;
}

static void check_dft(const dft_case *d, ob_dtype type) {
    static double line[MAX_POINTS][2];
    kernel_case *c = kc_open("DFT", d->opset);
    const int64_t usual = d->inverse && d->onesided ? 2 * (d->points - 1) : d->points, n = d->length ? d->length : usual;
    const int64_t results = d->onesided && !d->inverse ? n / 2 + 1 : n, parts = d->onesided && d->inverse ? 1 : 2;
    /* shape [outer, points, inner, 1 or 2]: axis 1, or -3 */
    ob_view *x = kc_in(c, 0, type, DIMS(d->outer, d->points, d->inner, d->is_complex ? 2 : 1));
    for (int64_t i = 0; i < ob__count(x); i++) kc_set(x, i, (double)(i * 37 % 41 - 20) / 8);
    if (d->length) kc_set(kc_in(c, 1, d->length % 2 ? OB_INT32 : OB_INT64, SCALAR), 0, (double)d->length);
    if (d->opset < 20) kc_int(c, "axis", d->axis);
    if (d->opset >= 20) kc_set(kc_in(c, 2, OB_INT64, SCALAR), 0, (double)d->axis);
    kc_int(c, "inverse", d->inverse);
    kc_int(c, "onesided", d->onesided);
    ob_view *y = kc_out(c, 0, type, DIMS(d->outer, results, d->inner, parts));
    kc_run(c);
    const double tolerance = type == OB_DOUBLE ? 1e-13 : kc_tolerance(type);
    for (int64_t o = 0; o < d->outer; o++)
        for (int64_t i = 0; i < d->inner; i++) {
            line_of(d, x, o, i, n, line);
            for (int64_t k = 0; k < results; k++) {
                double want[2];
                oracle((const double(*)[2])line, n, n, d->inverse, k, want);
                for (int64_t part = 0; part < parts; part++)
                    kc_near(kc_get(y, ((o * results + k) * d->inner + i) * parts + part), want[part],
                            tolerance * (d->inverse ? 1 : sqrt((double)n)) * 4);
            }
        }
    kc_close(c);
}

static void every_length(void **state) {
    (void)state;
    for (int64_t n = 1; n <= 70; n++)
        for (int form = 0; form < 4; form++) {
            const bool inverse = form & 1, is_complex = form & 2;
            check_dft(&(dft_case){20, 1, n, 1 + n % 6, 1, 0, is_complex, inverse, false}, OB_DOUBLE);
        }
    /* Powers, products of small factors, primes above them, a square of one. */
    const int64_t longer[] = {128, 256, 512, 400, 360, 243, 343, 527, 97, 101, 509, 37 * 4, 31 * 4};
    for (size_t i = 0; i < sizeof longer / sizeof longer[0]; i++)
        for (int inverse = 0; inverse < 2; inverse++)
            check_dft(&(dft_case){17, 3, longer[i], 2, -3, 0, true, inverse, false}, OB_DOUBLE);
}

static void every_form_in_every_type(void **state) {
    static const ob_dtype types[] = {OB_FLOAT16, OB_BFLOAT16, OB_FLOAT, OB_DOUBLE};
    static const dft_case cases[] = {
        {17, 2, 9, 3, 1, 0, false, false, true},  {17, 2, 10, 1, 1, 0, false, false, true},
        {20, 2, 10, 3, 1, 7, false, false, true}, {20, 2, 5, 2, -3, 12, false, false, true},
        {20, 2, 5, 2, 1, 12, true, false, false}, {20, 2, 12, 2, 1, 5, true, true, false},
        {20, 2, 6, 3, 1, 0, true, true, true},    {20, 2, 6, 3, 1, 11, true, true, true},
        {20, 2, 6, 3, 1, 7, true, true, true},    {20, 1, 6, 1, 1, 20, true, true, true},
        {20, 0, 6, 2, 1, 0, true, false, false},  {20, 2, 6, 0, 1, 4, false, false, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int t = 0; t < 4; t++) check_dft(&cases[i], types[t]);
}

static void stft_of(ob_dtype type, int64_t length, int64_t step, int64_t frame, bool windowed, bool is_complex, bool onesided,
                    bool flat) {
    kernel_case *c = kc_open("STFT", 17);
    static double line[MAX_POINTS][2];
    const int64_t frames = (length - frame) / step + 1, bins = onesided ? frame / 2 + 1 : frame, parts = is_complex ? 2 : 1;
    ob_view *x = flat ? kc_in(c, 0, type, DIMS(2, length)) : kc_in(c, 0, type, DIMS(2, length, parts)), *w = NULL;
    for (int64_t i = 0; i < ob__count(x); i++) kc_set(x, i, (double)(i * 29 % 43 - 21) / 8);
    kc_set(kc_in(c, 1, OB_INT64, SCALAR), 0, (double)step);
    if (windowed) w = kc_in(c, 2, type, DIMS(frame));
    for (int64_t t = 0; t < frame && w; t++) kc_set(w, t, (double)(t % 5) / 4);
    if (!windowed || frame % 2) kc_set(kc_in(c, 3, OB_INT32, SCALAR), 0, (double)frame);
    kc_int(c, "onesided", onesided);
    ob_view *y = kc_out(c, 0, type, DIMS(2, frames, bins, 2));
    kc_run(c);
    for (int64_t f = 0; f < 2 * frames; f++) {
        for (int64_t t = 0; t < frame; t++)
            for (int64_t part = 0; part < 2; part++)
                line[t][part] = part < parts ? kc_get(x, ((f / frames) * length + f % frames * step + t) * parts + part) *
                                                   (w ? kc_get(w, t) : 1)
                                             : 0;
        for (int64_t k = 0; k < bins; k++) {
            double want[2];
            oracle((const double(*)[2])line, frame, frame, false, k, want);
            for (int part = 0; part < 2; part++)
                kc_near(kc_get(y, (f * bins + k) * 2 + part), want[part], kc_tolerance(type) * 40);
        }
    }
    kc_close(c);
}

static void stft(void **state) {
    (void)state;
    stft_of(OB_FLOAT, 128, 8, 16, false, false, true, false);
    stft_of(OB_FLOAT, 128, 8, 16, true, false, true, true);
    stft_of(OB_DOUBLE, 100, 7, 25, true, false, true, false);
    stft_of(OB_DOUBLE, 40, 40, 40, false, true, false, false);
    stft_of(OB_DOUBLE, 90, 1, 37, true, true, false, false);
    stft_of(OB_FLOAT16, 64, 16, 16, false, false, true, false);
    stft_of(OB_BFLOAT16, 64, 16, 16, false, false, false, false);
}

/* The matrix by its definition: a triangle from edge to edge, in bins. */
static void mel_of(ob_dtype type, int64_t bands, int64_t points, int64_t rate, double low, double high) {
    kernel_case *c = kc_open("MelWeightMatrix", 17);
    const int64_t bins = points / 2 + 1;
    const double numbers[] = {(double)bands, (double)points, (double)rate, low, high};
    for (uint32_t i = 0; i < 5; i++) kc_set(kc_in(c, i, i < 3 ? OB_INT64 : OB_FLOAT, SCALAR), 0, numbers[i]);
    kc_int(c, "output_datatype", type);
    ob_view *y = kc_out(c, 0, type, DIMS(bins, bands));
    kc_run(c);
    const double from = 2595 * log10(1 + low / 700), step = (2595 * log10(1 + high / 700) - from) / (double)(bands + 2);
    for (int64_t band = 0; band < bands; band++) {
        int64_t edges[3];
        for (int64_t i = 0; i < 3; i++)
            edges[i] = (int64_t)floor((double)(points + 1) * 700 * (pow(10, (from + (double)(band + i) * step) / 2595) - 1) /
                                      (double)rate);
        for (int64_t bin = 0; bin < bins; bin++) {
            double want = 0;
            if (edges[0] == edges[1] ? bin == edges[1] : bin >= edges[0] && bin <= edges[1])
                want = edges[0] == edges[1] ? 1 : (double)(bin - edges[0]) / (double)(edges[1] - edges[0]);
            if (bin >= edges[1] && bin < edges[2]) want = (double)(edges[2] - bin) / (double)(edges[2] - edges[1]);
            if (type == OB_INT32) want = trunc(want);
            kc_near(kc_get(y, bin * bands + band), want, kc_tolerance(type));
        }
    }
    kc_close(c);
}

static void mel(void **state) {
    (void)state;
    mel_of(OB_FLOAT, 8, 16, 8192, 0, 4096);
    mel_of(OB_DOUBLE, 40, 512, 16000, 20, 8000);
    mel_of(OB_FLOAT16, 80, 400, 16000, 0, 8000);
    mel_of(OB_INT32, 10, 256, 16000, 100, 4000);
    mel_of(OB_FLOAT, 6, 64, 4000, 100, 6000); /* beyond the last bin */
    mel_of(OB_FLOAT, 0, 64, 4000, 100, 2000);
}

/* ---- What cannot be ---- */

static void expect_refused(kernel_case *c, const char *message) {
    assert_int_not_equal(kc_try(c), OB_OK);
    if (!strstr(c->error.message, message)) fail_msg("\"%s\" does not say \"%s\"", c->error.message, message);
    kc_close(c);
}

static kernel_case *small_dft(int64_t parts, int64_t axis, int64_t length, bool onesided) {
    kernel_case *c = kc_open("DFT", 20);
    kc_random(kc_in(c, 0, OB_FLOAT, DIMS(2, 4, parts)), 0, 3);
    kc_set(kc_in(c, 1, OB_INT64, SCALAR), 0, (double)length);
    kc_set(kc_in(c, 2, OB_INT64, SCALAR), 0, (double)axis);
    kc_int(c, "onesided", onesided);
    kc_out(c, 0, OB_FLOAT, DIMS(2, 4, 2));
    return c;
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    kernel_case *c = small_dft(1, 1, 4, false);
    kc_run(c);
    kc_close(c);
    expect_refused(small_dft(3, 1, 4, false), "1 or 2");
    expect_refused(small_dft(1, 2, 4, false), "axis 2");
    expect_refused(small_dft(1, -1, 4, false), "axis -1");
    expect_refused(small_dft(1, 3, 4, false), "3");
    expect_refused(small_dft(1, 1, 0, false), "0 points");
    expect_refused(small_dft(1, 1, -4, false), "-4 points");
    expect_refused(small_dft(2, 1, 4, true), "onesided");
    c = kc_open("STFT", 17);
    kc_random(kc_in(c, 0, OB_FLOAT, DIMS(1, 8, 1)), 0, 3);
    kc_set(kc_in(c, 1, OB_INT64, SCALAR), 0, 2);
    kc_out(c, 0, OB_FLOAT, DIMS(1, 1, 5, 2));
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_set(kc_in(c, 3, OB_INT64, SCALAR), 0, 9);
    expect_refused(c, "9 points");
}

/* ---- Levels of instructions ---- */

static void all_levels_give_the_same_bits(void **state) {
    static const int64_t lengths[] = {1, 2, 3, 4, 8, 12, 30, 37, 64, 97, 160};
    static float x[2 * 200 + 8], want[2 * 200 + 8], got[2 * 200 + 8];
    static _Alignas(64) double rooms[2][64 * 512], roots[2 * 512], chirp[2 * 512], filter[2 * 512];
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (unsigned level = 0; level < 3; level++) {
            obk_fft fft;
            bool chirps;
            const int64_t n = lengths[i];
            for (int k = 0; k < 408; k++) x[k] = (float)(k * 37 % 101) - 50, got[k] = -7;
            assert_true(obk_fft_init(&fft, n, &chirps) && fft.length <= 512);
            obk_pace pace = {0};
            obk_fft_roots(fft.length, roots, &pace);
            if (chirps) obk_fft_chirp(n, chirp, &pace);
            fft.roots = roots;
            fft.chirp = chirps ? chirp : NULL;
            ob__kernels_limit(level == 0 ? 0 : level == 1 ? OBK_ISA_AVX2 : ~0u);
            const obk_ffts *functions = OBK_LOOPS(fft);
            if (chirps) functions->filter(&fft, filter, rooms[0], rooms[1], &pace);
            obk_fft_lines l = {.n = 1,
                               .from_complex = true,
                               .to_complex = true,
                               .n_from = n,
                               .n_to = n,
                               .from_step = 8,
                               .to_step = 8,
                               .pace = &pace};
            l.from[0] = (const char *)x;
            l.to[0] = (char *)(got + 2); /* guards before and after */
            functions->lines(&fft, filter, &l, rooms[0], rooms[1]);
            assert_true(got[0] == -7 && got[1] == -7 && got[2 + 2 * n] == -7);
            if (level == 0) memcpy(want, got, sizeof got);
            assert_memory_equal(got, want, sizeof got);
        }
    ob__kernels_limit(~0u);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(every_form_in_every_type),
        cmocka_unit_test(stft),
        cmocka_unit_test(mel),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(all_levels_give_the_same_bits),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
