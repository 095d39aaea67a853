/* Operators that draw random numbers: the bits equal known answers, the distributions are within fixed bounds, and the numbers
 * do not depend on the type, the part or the number of threads. Nothing here depends on chance: all keys are fixed. */
#include "kernel_case.h"
#include "kernel_levels.h"
#include "kernels/kernels.h"
#include "kernels/random/random.h"
#include "model_text.h"

enum { MANY = 100000 };

static double numbers[MANY];

/* ---- Numbers ---- */

/* As in the paper. */
static void philox(obk_random_key key, const uint32_t counter[4], uint32_t words[4]) {
    uint32_t x[4], k[2] = {key.word[0], key.word[1]};
    memcpy(x, counter, sizeof x);
    for (int round = 0; round < 10; round++) {
        const uint64_t p = UINT64_C(0xD2511F53) * x[0], q = UINT64_C(0xCD9E8D57) * x[2];
        const uint32_t next[4] = {(uint32_t)(q >> 32) ^ x[1] ^ k[0], (uint32_t)q, (uint32_t)(p >> 32) ^ x[3] ^ k[1], (uint32_t)p};
        memcpy(x, next, sizeof x);
        k[0] += 0x9E3779B9;
        k[1] += 0xBB67AE85;
    }
    memcpy(words, x, sizeof x);
}

/* From the known answers of Random123. */
static void philox_gives_the_known_words(void **state) {
    static const struct {
        uint32_t counter[4];
        obk_random_key key;
        uint32_t words[4];
    } cases[] = {
        {{0, 0, 0, 0}, {{0, 0}}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u}, {{~0u, ~0u}}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {{0xa4093822, 0x299f31d0}},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t words[4];
        philox(cases[i].key, cases[i].counter, words);
        assert_memory_equal(words, cases[i].words, sizeof words);
    }
}

static void bits_are_words_of_counters(void **state) {
    static const int64_t firsts[] = {0, 5, (INT64_C(1) << 32) - 7, (INT64_C(1) << 40) + 3};
    const obk_table *tables[KL_LEVELS];
    const size_t levels = kl_levels(tables);
    (void)state;
    for (size_t l = 0; l < levels; l++)
        for (uint32_t k = 0; k < 4; k++)
            for (int64_t n = 0; n <= 3 * OBK_RANDOM_STEP; n += OBK_RANDOM_STEP) {
                const obk_random_key key = {{k * 0x12345678, ~k}};
                kl_out out = kl_out_open((size_t)n * sizeof(uint64_t), 8);
                const uint64_t *bits = out.data;
                tables[l]->random->bits(key, firsts[k], n, out.data);
                for (int64_t i = 0; i < n; i++) {
                    const uint64_t at = (uint64_t)(firsts[k] + i);
                    uint32_t words[4];
                    philox(key, (uint32_t[4]){(uint32_t)at, (uint32_t)(at >> 32), 0, 0}, words);
                    assert_true(bits[i] == ((uint64_t)words[1] << 32 | words[0]));
                }
                kl_out_close(&out);
            }
}

static uint64_t hash_of(const double *x, int64_t n) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325), bits;
    for (int64_t i = 0; i < n; i++) {
        memcpy(&bits, x + i, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Models contain seeds, so the numbers drawn from a seed must never change, on any processor. */
static void numbers_stay_what_they_were(void **state) {
    static const struct {
        obk_random_key key;
        int64_t first;
        double uniform, normal; /* the first ones */
        uint64_t uniforms, normals;
    } cases[] = {
        {{{0, 0}}, 0, 0x1.c2d38b1acc4fdp-1, 0x1.2d769e93cb51fp+0, 0x32877521ec203ed9, 0xfa061f5ad47d17ec},
        {{{0x3f800000, 0}}, 0, 0x1.07bd29f72818p-4, -0x1.84d8f26e61f07p+0, 0xa3c7f63eb6b9d944, 0x451f63ee6689b551},
        {{{0xdeadbeef, 0x12345678}},
         (INT64_C(1) << 32) - 1000,
         0x1.311a8cd0984p-2,
         -0x1.0f83271b9fff2p-1,
         0xd950ad8138362b19,
         0x1ccaddfaee21ff3a},
    };
    enum { N = 200000, CLASSES = 4000 };
    double *x = malloc(N * sizeof *x);
    const obk_table *tables[KL_LEVELS];
    const size_t levels = kl_levels(tables);
    (void)state;
    for (size_t l = 0; l < levels; l++) {
        const obk_randoms *r = tables[l]->random;
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            r->uniform(cases[i].key, cases[i].first, N, x);
            assert_true(x[0] == cases[i].uniform && hash_of(x, N) == cases[i].uniforms);
            r->normal(cases[i].key, cases[i].first, N, x);
            assert_true(x[0] == cases[i].normal && hash_of(x, N) == cases[i].normals);
        }
        for (int64_t i = 0; i < CLASSES; i++) x[i] = -(double)(i * i % 4001) * 0.2;
        x[7] = -INFINITY, x[9] = -740.25, x[11] = -1e300;
        r->classes(x, CLASSES, &(obk_pace){0});
        assert_true(x[CLASSES - 1] == 0x1.b559d11b03952p+2 && hash_of(x, CLASSES) == 0x1dba672b8ba0f084);
    }
    free(x);
}

static void expect_moments(const double *x, int64_t n, double mean, double variance) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i];
    for (int64_t i = 0; i < n; i++) squares += (x[i] - sum / (double)n) * (x[i] - sum / (double)n);
    /* Four standard errors; the variance's is at most that of a normal one. */
    if (!(fabs(sum / (double)n - mean) < 4 * sqrt(variance / (double)n))) fail_msg("mean %g, not %g", sum / (double)n, mean);
    if (!(fabs(squares / (double)n - variance) < 4 * variance * sqrt(2 / (double)n)))
        fail_msg("variance %g, not %g", squares / (double)n, variance);
}

/* Pearson's sum over classes with these shares; its mean is n - 1, its deviation sqrt(2 (n - 1)). */
static void expect_shares(const int64_t *counts, const double *shares, int n, int64_t total) {
    double chi = 0;
    for (int i = 0; i < n; i++) {
        double expected = shares[i] * (double)total;
        if (shares[i] == 0) assert_int_equal(counts[i], 0);
        if (shares[i] > 0) chi += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    }
    if (!(chi < n - 1 + 4 * sqrt(2.0 * (n - 1)))) fail_msg("chi-square %g of %d classes", chi, n);
}

static double below(double z) {
    return 0.5 * erfc(-z / 1.4142135623730951);
}

static void distributions(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 3; seed++)
        for (int normal = 0; normal < 2; normal++) {
            int64_t counts[100] = {0};
            double shares[100];
            (normal ? OBK_LOOPS(random)->normal : OBK_LOOPS(random)->uniform)((obk_random_key){{seed, 77}}, 0, MANY, numbers);
            if (normal)
                expect_moments(numbers, MANY, 0, 1);
            else
                expect_moments(numbers, MANY, 0.5, 1.0 / 12);
            for (int64_t i = 0; i < MANY; i++) {
                double p = normal ? below(numbers[i]) : numbers[i];
                assert_true(p >= 0 && p < 1);
                counts[(int)(p * 100)]++;
            }
            for (int i = 0; i < 100; i++) shares[i] = 0.01;
            expect_shares(counts, shares, 100, MANY);
        }
}

/* A normal number is the quantile of a uniform one: to the last digits, in the tails too. */
static void normal_numbers_are_quantiles(void **state) {
    static double uniform[MANY];
    const obk_random_key key = {{5, 6}};
    double lowest = 1;
    (void)state;
    OBK_LOOPS(random)->uniform(key, 0, MANY, uniform);
    OBK_LOOPS(random)->normal(key, 0, MANY, numbers);
    for (int64_t i = 0; i < MANY; i++) {
        double p = uniform[i] < 0.5 ? below(numbers[i]) : below(-numbers[i]),
               want = uniform[i] < 0.5 ? uniform[i] : 1 - uniform[i];
        if (!(fabs(p - want) < 1e-13 * want + 0x1p-52)) fail_msg("below %.17g lie %.17g, not %.17g", numbers[i], p, want);
        lowest = want < lowest ? want : lowest;
    }
    assert_true(lowest < 1e-4);
}

static void parts_are_the_same_as_the_whole(void **state) {
    const obk_random_key key = {{1, 2}};
    double part[2];
    const obk_table *tables[KL_LEVELS];
    const size_t levels = kl_levels(tables);
    (void)state;
    for (int normal = 0; normal < 2; normal++) {
        const obk_randoms *base = tables[0]->random;
        (normal ? base->normal : base->uniform)(key, 0, 2000, numbers);
        for (size_t l = 0; l < levels; l++)
            for (int64_t n = 0; n < 600; n += 1 + n / 20)
                for (int64_t first = 0; first < 1400; first += 277) {
                    const obk_randoms *r = tables[l]->random;
                    kl_out out = kl_out_open((size_t)n * sizeof(double), 8);
                    (normal ? r->normal : r->uniform)(key, first, n, out.data);
                    if (n) assert_memory_equal(out.data, numbers + first, (size_t)n * sizeof(double));
                    kl_out_close(&out);
                }
    }
    /* Numbers after the first 2^32 differ. */
    OBK_LOOPS(random)->uniform(key, INT64_C(1) << 32, 1, part);
    OBK_LOOPS(random)->uniform(key, 0, 1, part + 1);
    assert_true(part[0] != part[1]);
}

/* ---- Operators ---- */

static const ob_dtype reals[] = {OB_FLOAT16, OB_BFLOAT16, OB_FLOAT, OB_DOUBLE};

static obk_random_key key_of(float seed) {
    obk_random_key key = {{0, 0}};
    memcpy(&key.word[0], &seed, sizeof seed);
    return key;
}

static void normal_and_uniform_in_every_type(void **state) {
    static const char *const names[2][2] = {{"RandomUniform", "RandomUniformLike"}, {"RandomNormal", "RandomNormalLike"}};
    (void)state;
    for (int normal = 0; normal < 2; normal++)
        for (int like = 0; like < 2; like++)
            for (int t = 0; t < 4; t++) {
                kernel_case *c = kc_open(names[normal][like], 22);
                kc_float(c, "seed", 2.5f);
                kc_float(c, normal ? "mean" : "low", -3);
                kc_float(c, normal ? "scale" : "high", 5);
                if (like) kc_in(c, 0, OB_STRING, DIMS(7, 100)); /* only its shape is used */
                ob_view *y = kc_out(c, 0, reals[t], DIMS(7, 100));
                kc_run(c);
                (normal ? OBK_LOOPS(random)->normal : OBK_LOOPS(random)->uniform)(key_of(2.5f), 0, 700, numbers);
                for (int64_t i = 0; i < 700; i++)
                    kc_near(kc_get(y, i), -3 + (normal ? 5 : 8) * numbers[i], t < 2 ? kc_tolerance(reals[t]) : 1e-7);
                kc_close(c);
            }
}

static void bernoulli_draws_with_the_given_chances(void **state) {
    static const ob_dtype results[] = {OB_FLOAT16, OB_BFLOAT16, OB_FLOAT,  OB_DOUBLE, OB_INT8,   OB_INT16, OB_INT32,
                                       OB_INT64,   OB_UINT8,    OB_UINT16, OB_UINT32, OB_UINT64, OB_BOOL};
    static const double chances[] = {0, 1, 0.25, 0.75};
    (void)state;
    for (int t = 0; t < 4; t++)
        for (size_t r = 0; r < sizeof results / sizeof results[0]; r++) {
            kernel_case *c = kc_open("Bernoulli", 22);
            int64_t counts[4] = {0};
            kc_float(c, "seed", 3);
            ob_view *p = kc_in(c, 0, reals[t], DIMS(4000, 4)), *y = kc_out(c, 0, results[r], DIMS(4000, 4));
            for (int64_t i = 0; i < 16000; i++) kc_set(p, i, chances[i % 4]);
            kc_run(c);
            for (int64_t i = 0; i < 16000; i++) {
                assert_true(kc_get(y, i) == 0 || kc_get(y, i) == 1);
                counts[i % 4] += kc_get(y, i) != 0;
            }
            assert_int_equal(counts[0], 0);
            assert_int_equal(counts[1], 4000);
            expect_shares((int64_t[]){counts[2], 4000 - counts[2]}, (double[]){0.25, 0.75}, 2, 4000);
            expect_shares((int64_t[]){counts[3], 4000 - counts[3]}, (double[]){0.75, 0.25}, 2, 4000);
            kc_close(c);
        }
}

static void multinomial_draws_classes_by_weight(void **state) {
    static const double shares[2][5] = {{0.1, 0.2, 0.3, 0, 0.4}, {0.5, 0.125, 0.125, 0.125, 0.125}};
    (void)state;
    for (int t = 0; t < 4; t++)
        for (int wide = 0; wide < 2; wide++) {
            kernel_case *c = kc_open("Multinomial", 22);
            kc_int(c, "sample_size", 5000);
            ob_view *x = kc_in(c, 0, reals[t], DIMS(2, 5)), *y = kc_out(c, 0, wide ? OB_INT64 : OB_INT32, DIMS(2, 5000));
            for (int64_t i = 0; i < 10; i++) kc_set(x, i, log(shares[i / 5][i % 5]) + (double)(i / 5) * 4); /* of no sum of 1 */
            kc_run(c);
            for (int64_t row = 0; row < 2; row++) {
                int64_t counts[5] = {0};
                for (int64_t i = 0; i < 5000; i++) counts[(int)kc_get(y, row * 5000 + i)]++;
                expect_shares(counts, shares[row], 5, 5000);
            }
            kc_close(c);
        }
}

static void multinomial_refuses_what_has_no_class(void **state) {
    const double bad[] = {NAN, INFINITY, -INFINITY};
    (void)state;
    for (int i = 0; i < 3; i++) {
        kernel_case *c = kc_open("Multinomial", 7);
        ob_view *x = kc_in(c, 0, OB_FLOAT, DIMS(2, 2));
        kc_out(c, 0, OB_INT32, DIMS(2, 1));
        for (int64_t k = 0; k < 4; k++) kc_set(x, k, k < 2 ? 0 : bad[i]);
        assert_int_equal(kc_try(c), OB_E_ARGUMENT);
        assert_non_null(strstr(c->error.message, "row 1"));
        kc_close(c);
    }
    kernel_case *c = kc_open("Multinomial", 7);
    kc_in(c, 0, OB_FLOAT, DIMS(2, 0));
    kc_out(c, 0, OB_INT32, DIMS(2, 1));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
}

/* exp of large differences, and a class far below the others, which is never drawn. */
static void weights_are_exponentials(void **state) {
    double sums[] = {-2, 0, -0.5, -800, -30};
    const double x[] = {-2, 0, -0.5, -800, -30};
    double sum = 0;
    (void)state;
    OBK_LOOPS(random)->classes(sums, 5, &(obk_pace){0});
    for (int i = 0; i < 5; i++) {
        sum += exp(x[i]);
        if (!(fabs(sums[i] - sum) < 1e-15 * sum)) fail_msg("sum %d is %.17g, not %.17g", i, sums[i], sum);
    }
    assert_int_equal(obk_random_class(sums, 5, 0), 0);
    assert_int_equal(obk_random_class(sums, 5, 0x1.fffffffffffffp-1), 4);
    assert_int_equal(obk_random_class(sums, 5, 0.5), 1);
}

/* ---- Dropout ---- */

typedef struct dropout_case {
    int64_t opset;
    double ratio; /* below 0: not given */
    bool trains, mask;
} dropout_case;

static void dropout_of_type(const dropout_case *v, ob_dtype type) {
    enum { N = 8000 };
    kernel_case *c = kc_open("Dropout", v->opset);
    const bool operands = v->opset >= 12;
    const double ratio = v->ratio < 0 ? 0.5 : v->ratio, left = 1 - ratio;
    ob_view *x = kc_in(c, 0, type, DIMS(80, 100)), *y = kc_out(c, 0, type, DIMS(80, 100)), *mask = NULL;
    for (int64_t i = 0; i < N; i++) kc_set(x, i, (double)(i % 7) - 8);
    if (operands) kc_int(c, "seed", 9);
    if (!operands && v->opset < 7) kc_int(c, "is_test", !v->trains);
    if (!operands && v->ratio >= 0) kc_float(c, "ratio", (float)v->ratio);
    if (operands && v->ratio >= 0) kc_set(kc_in(c, 1, OB_FLOAT, SCALAR), 0, v->ratio);
    if (operands && v->trains) kc_set(kc_in(c, 2, OB_BOOL, SCALAR), 0, 1);
    if (v->mask) mask = kc_out(c, 1, v->opset < 10 ? type : OB_BOOL, DIMS(80, 100));
    kc_run(c);
    int64_t kept = 0;
    for (int64_t i = 0; i < N; i++) {
        const double value = kc_get(y, i), whole = kc_get(x, i);
        const bool is_kept = value != 0;
        kept += is_kept;
        if (is_kept) kc_near(value, v->trains && ratio > 0 ? whole / left : whole, kc_tolerance(type));
        if (mask) assert_true(kc_get(mask, i) == (double)is_kept);
    }
    if (!v->trains || ratio == 0) {
        assert_int_equal(kept, N);
    } else if (ratio == 1) {
        assert_int_equal(kept, 0);
    } else {
        expect_shares((int64_t[]){kept, N - kept}, (double[]){left, ratio}, 2, N);
    }
    kc_close(c);
}

static void dropout_in_every_version(void **state) {
    static const dropout_case cases[] = {
        {1, 0.25, true, true},  {1, 0.25, false, true},  {6, -1, true, true},     {6, 0.25, true, false},  {6, 0.5, false, false},
        {7, 0.25, false, true}, {10, 0.25, false, true}, {12, 0.25, true, true},  {12, -1, true, true},    {13, 0, true, true},
        {13, 1, true, true},    {22, 0.75, true, true},  {22, 0.75, true, false}, {22, 0.75, false, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int t = 0; t < 4; t++)
            if (reals[t] != OB_BFLOAT16 || cases[i].opset >= 13) dropout_of_type(&cases[i], reals[t]);
}

static void dropout_refuses_a_ratio_that_is_none(void **state) {
    const double bad[] = {-0.25, 1.5, NAN};
    (void)state;
    for (int i = 0; i < 3; i++) {
        kernel_case *c = kc_open("Dropout", 13);
        kc_set(kc_in(c, 0, OB_FLOAT, DIMS(1)), 0, 1);
        kc_set(kc_in(c, 1, OB_DOUBLE, SCALAR), 0, bad[i]);
        kc_set(kc_in(c, 2, OB_BOOL, SCALAR), 0, 1);
        kc_out(c, 0, OB_FLOAT, DIMS(1));
        assert_int_equal(kc_try(c), OB_E_ARGUMENT);
        assert_non_null(strstr(c->error.message, "ratio"));
        kc_close(c);
    }
}

/* ---- In a model ---- */

static const char all_of_them[] =
    "<ir_version: 10, opset_import: [\"\" : 22]>\n"
    "g (float[30,300] x, bool t) => (float[] a, float[] b, double[] c, float[] d, float[] e, int32[] f, float[] h, bool[] m) {\n"
    "a = RandomNormal<shape: ints = [50, 200]>() b = RandomNormal<shape: ints = [50, 200]>()\n"
    "c = RandomUniform<shape: ints = [50, 200], dtype: int = 11, seed: float = 1.5>()\n"
    "d = RandomUniformLike<seed: float = 1.5>(x) e = Bernoulli(d) f = Multinomial<sample_size: int = 500>(x)\n"
    "h, m = Dropout(x, , t)\n}";

static void models_give_the_same_numbers(void **state) {
    static float x[9000];
    bool trains = true;
    ob_view in[2] = {{0}}, want[8] = {{0}}, got[8] = {{0}};
    ob_model *model = read_text(all_of_them);
    ob_session *first = NULL;
    ob_error error;
    (void)state;
    for (int i = 0; i < 9000; i++) x[i] = (float)(i % 11);
    assert_int_equal(ob_view_init(&in[0], x, OB_FLOAT, 2, (int64_t[]){30, 300}), OB_OK);
    assert_int_equal(ob_view_init(&in[1], &trains, OB_BOOL, 0, NULL), OB_OK);
    if (ob_session_create(model, NULL, &first, &error) != OB_OK) fail_msg("%s", error.message);
    if (ob_session_run(first, in, 2, want, 8, &error) != OB_OK) fail_msg("%s", error.message);
    for (int threads = 1; threads <= 4; threads++)
        for (int optimize = 0; optimize < 2; optimize++) {
            ob_session *session = NULL;
            ob_session_config config;
            ob_session_config_init(&config);
            config.n_threads = threads;
            config.optimize = optimize;
            const ob_status status = ob_session_create(model, &config, &session, &error);
            if (status == OB_E_UNSUPPORTED && threads > 1) continue; /* built for one thread */
            if (status != OB_OK) fail_msg("%s", error.message);
            memset(got, 0, sizeof got);
            for (int run = 0; run < 2; run++)
                if (ob_session_run(session, in, 2, got, 8, &error) != OB_OK) fail_msg("%s", error.message);
            for (int i = 0; i < 8; i++)
                assert_memory_equal(got[i].data, want[i].data, (size_t)ob_view_count(&want[i]) * ob_dtype_size(want[i].dtype));
            ob_session_close(&session);
        }
    /* Without a seed two nodes draw different numbers; with the same seed they draw the same ones, in each type. */
    assert_true(memcmp(want[0].data, want[1].data, 10000 * sizeof(float)) != 0);
    for (int i = 0; i < 9000; i++) assert_true((float)((const double *)want[2].data)[i] == ((const float *)want[3].data)[i]);
    ob_session_close(&first);
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_known_words),
        cmocka_unit_test(bits_are_words_of_counters),
        cmocka_unit_test(numbers_stay_what_they_were),
        cmocka_unit_test(distributions),
        cmocka_unit_test(normal_numbers_are_quantiles),
        cmocka_unit_test(parts_are_the_same_as_the_whole),
        cmocka_unit_test(normal_and_uniform_in_every_type),
        cmocka_unit_test(bernoulli_draws_with_the_given_chances),
        cmocka_unit_test(multinomial_draws_classes_by_weight),
        cmocka_unit_test(multinomial_refuses_what_has_no_class),
        cmocka_unit_test(weights_are_exponentials),
        cmocka_unit_test(dropout_in_every_version),
        cmocka_unit_test(dropout_refuses_a_ratio_that_is_none),
        cmocka_unit_test(models_give_the_same_numbers),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
