/* kernels/reduce at every level: folds, indices and running sums against the definitions and the baseline. */
#include "kernel_levels.h"
#include "kernels/kernels.h"
#include "kernels/reduce/reduce.h"

enum { MOST = 4096 };

typedef struct layout {
    int64_t outer, n, inner;
} layout;

/* Short and long runs, in all positions of parts; narrow and wide columns. */
static const layout layouts[] = {{3, 1, 1},   {2, 7, 1},   {1, 15, 1},  {1, 16, 1},  {2, 17, 1},   {3, 49, 1},  {1, 257, 1},
                                 {1, 999, 1}, {2, 5, 2},   {1, 300, 3}, {2, 9, 17},  {1, 200, 8},  {1, 3, 255}, {1, 5, 256},
                                 {1, 4, 257}, {2, 3, 515}, {11, 2, 1},  {1, 40, 33}, {1, 3, 1030}, {1, 2, 2048}};
enum { N_LAYOUTS = sizeof layouts / sizeof layouts[0] };

static obk_reduction reduction_of(layout l, obk_fold fold, obk_finish finish) {
    obk_reduction r = {.fold = fold, .finish = finish, .columns = l.inner > 1, .n_folded = l.n};
    r.inner = l.inner > 1 ? l.inner : l.n;
    r.n_kept = 1;
    r.kept[0] = l.outer;
    r.kept_strides[0] = l.n * l.inner;
    if (l.inner > 1) {
        r.n_reduced = 1;
        r.reduced[0] = l.n;
        r.reduced_strides[0] = l.inner;
    }
    return r;
}

static const struct {
    obk_fold fold;
    obk_finish finish;
} kinds[] = {{OBK_FOLD_SUM, OBK_FINISH_NONE},    {OBK_FOLD_SUM, OBK_FINISH_MEAN},  {OBK_FOLD_ABS, OBK_FINISH_NONE},
             {OBK_FOLD_SQUARE, OBK_FINISH_SQRT}, {OBK_FOLD_PROD, OBK_FINISH_NONE}, {OBK_FOLD_MAX, OBK_FINISH_NONE},
             {OBK_FOLD_MIN, OBK_FINISH_NONE},    {OBK_FOLD_EXP, OBK_FINISH_EXP}};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static long double folded(obk_fold fold, obk_finish finish, const float *x, int64_t n, int64_t stride) {
    long double sum = 0, product = 1, high = (long double)x[0], low = high, exps = 0;
    for (int64_t i = 0; i < n; i++) {
        long double v = (long double)x[i * stride];
        sum += fold == OBK_FOLD_ABS ? fabsl(v) : fold == OBK_FOLD_SQUARE ? v * v : v;
        product *= v;
        exps += expl(v);
        if (v > high || v != v) high = v;
        if (v < low || v != v) low = v;
    }
    if (fold == OBK_FOLD_MAX) return high;
    if (fold == OBK_FOLD_MIN) return low;
    if (fold == OBK_FOLD_PROD) return product;
    if (fold == OBK_FOLD_EXP) return logl(exps);
    return finish == OBK_FINISH_MEAN ? sum / (long double)n : finish == OBK_FINISH_SQRT ? sqrtl(sum) : sum;
}

/* All parts in one call, and each part in its own call: the same bits. */
static void reduce_both_ways(const obk_table *table, ob_dtype dtype, const obk_reduction *r, layout l, const void *x, void *z,
                             void *alone) {
    int64_t columns = r->columns ? r->inner : 1, n_parts = l.outer * ((columns + OBK_REDUCE_COLUMNS - 1) / OBK_REDUCE_COLUMNS);
    const size_t n_bytes = (size_t)obk_reduce_bytes(r); /* exactly the needed bytes, so that AddressSanitizer sees an overrun */
    assert_in_range(n_bytes, 16, OBK_REDUCE_BYTES);
    void *memory = aligned_alloc(16, n_bytes);
    assert_non_null(memory);
    table->reduce->by_type[dtype](r, z, x, 0, n_parts, memory);
    for (int64_t part = 0; part < n_parts; part++) table->reduce->by_type[dtype](r, alone, x, part, part + 1, memory);
    free(memory);
}

static void floats_are_folded(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(MOST * sizeof(float));
    uint64_t seed = 3;
    for (size_t l = 0; l < n_levels; l++)
        for (size_t i = 0; i < N_LAYOUTS; i++)
            for (size_t k = 0; k < N_KINDS; k++) {
                const layout at = layouts[i];
                const obk_reduction r = reduction_of(at, kinds[k].fold, kinds[k].finish);
                int64_t n_out = at.outer * at.inner, n_in = n_out * at.n;
                bool product = kinds[k].fold == OBK_FOLD_PROD;
                float *x = kl_in(&edges, (size_t)n_in * sizeof *x);
                kl_fill_f32(x, n_in, &seed, product ? 0.9 : -3, product ? 1.1 : 3);
                kl_out z = kl_out_open((size_t)n_out * sizeof *x, sizeof *x), alone = kl_out_open((size_t)n_out * sizeof *x, 0);
                reduce_both_ways(tables[l], OB_FLOAT, &r, at, x, z.data, alone.data);
                assert_memory_equal(z.data, alone.data, z.n_bytes);
                for (int64_t o = 0; o < n_out; o++) {
                    const float *from = x + o / at.inner * at.n * at.inner + o % at.inner, got = ((float *)z.data)[o];
                    double exact = (double)folded(kinds[k].fold, kinds[k].finish, from, at.n, at.inner);
                    if (!(fabs((double)got - exact) <= 1e-7 * (1 + fabs(exact)))) /* summed as doubles, rounded once */
                        fail_msg("%s: fold %d of [%lld, %lld, %lld] gives %a, expected %a", tables[l]->name, (int)kinds[k].fold,
                                 (long long)at.outer, (long long)at.n, (long long)at.inner, (double)got, exact);
                }
                kl_out_close(&z);
                kl_out_close(&alone);
            }
    kl_close(&edges);
}

/* Integers, and the largest and smallest of anything, give the baseline's bits. */
static void levels_agree(void **state) {
    (void)state;
    static const ob_dtype types[] = {OB_INT8, OB_UINT8, OB_INT32, OB_UINT32, OB_INT64, OB_UINT64, OB_FLOAT, OB_DOUBLE};
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(MOST * sizeof(double));
    uint64_t seed = 5;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (size_t i = 0; i < N_LAYOUTS; i++)
            for (size_t k = 0; k < N_KINDS; k++) {
                const layout at = layouts[i];
                const obk_reduction r = reduction_of(at, kinds[k].fold, kinds[k].finish);
                const size_t width = ob_dtype_size(types[t]);
                int64_t n_out = at.outer * at.inner, n_in = n_out * at.n;
                bool extreme = r.fold == OBK_FOLD_MAX || r.fold == OBK_FOLD_MIN,
                     is_float = types[t] == OB_FLOAT || types[t] == OB_DOUBLE;
                if (!extreme && (width == 1 || is_float || r.finish != OBK_FINISH_NONE)) continue;
                void *x = kl_in(&edges, (size_t)n_in * width);
                kl_fill_bytes(x, (size_t)n_in * width, &seed);
                kl_out expected = kl_out_open((size_t)n_out * width, 0), alone = kl_out_open((size_t)n_out * width, 0);
                reduce_both_ways(tables[0], types[t], &r, at, x, expected.data, alone.data);
                for (size_t l = 0; l < n_levels; l++) {
                    kl_out z = kl_out_open((size_t)n_out * width, width);
                    reduce_both_ways(tables[l], types[t], &r, at, x, z.data, alone.data);
                    if (is_float)
                        assert_true(kl_same(z.data, expected.data, n_out, types[t] == OB_DOUBLE));
                    else
                        assert_memory_equal(z.data, expected.data, z.n_bytes);
                    kl_out_close(&z);
                }
                kl_out_close(&expected);
                kl_out_close(&alone);
            }
    kl_close(&edges);
}

/* The greatest of zeros with both signs and the like: the baseline takes one by one, the levels whole vectors. */
static void equal_elements_keep_their_order(void **state) {
    (void)state;
    static const float values[] = {0, -0.0f, -0.0f, -1, 1, -INFINITY, INFINITY, 0x1p-149f, NAN};
    static const layout runs[] = {{9, 64, 1}, {5, 128, 1}, {3, 192, 1}, {2, 500, 1}, {1, 1024, 1}, {20, 65, 1}};
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(MOST * sizeof(float));
    uint64_t seed = 17;
    for (int round = 0; round < 600; round++) {
        const layout at = runs[round % 6];
        const obk_reduction r = reduction_of(at, round / 6 % 2 ? OBK_FOLD_MAX : OBK_FOLD_MIN, OBK_FINISH_NONE);
        const uint64_t some = 2 + kl_random(&seed) % 8;
        float *x = kl_in(&edges, (size_t)(at.outer * at.n) * sizeof *x), expected[32], got[32], alone[32];
        for (int64_t i = 0; i < at.outer * at.n; i++) {
            const uint64_t drawn = kl_random(&seed);
            x[i] = values[drawn % (drawn >> 32 & 31 ? 2 : some)];
        }
        reduce_both_ways(tables[0], OB_FLOAT, &r, at, x, expected, alone);
        for (size_t l = 1; l < n_levels; l++) {
            reduce_both_ways(tables[l], OB_FLOAT, &r, at, x, got, alone);
            assert_true(kl_same(got, expected, at.outer, false));
        }
    }
    kl_close(&edges);
}

/* ---- indices ---- */

static int64_t place_of(const float *x, int64_t n, int64_t stride, bool smallest, bool last) {
    int64_t at = 0;
    for (int64_t i = 1; i < n; i++) {
        float value = x[i * stride], best = x[at * stride];
        bool equal = value == best || (value != value && best != best);
        bool better = best == best && (value != value || (smallest ? value < best : value > best));
        if (better || (equal && last)) at = i;
    }
    return at;
}

static void places_are_found(void **state) {
    (void)state;
    static const ob_dtype types[] = {OB_INT8,   OB_UINT8, OB_INT16,  OB_UINT16, OB_INT32,
                                     OB_UINT32, OB_INT64, OB_UINT64, OB_FLOAT,  OB_DOUBLE};
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(MOST * sizeof(double));
    uint64_t seed = 11;
    static float numbers[MOST];
    for (size_t l = 0; l < n_levels; l++)
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
            for (size_t i = 0; i < N_LAYOUTS; i++)
                for (unsigned form = 0; form < 4; form++) {
                    const layout at = layouts[i];
                    const obk_search s = {.n = at.n, .inner = at.inner, .smallest = form & 1, .last = form & 2};
                    int64_t n_out = at.outer * at.inner, n_in = n_out * at.n;
                    for (int64_t k = 0; k < n_in; k++) numbers[k] = (float)(kl_random(&seed) % (types[t] == OB_FLOAT ? 5 : 100));
                    if (types[t] == OB_FLOAT) kl_special_f32(numbers, n_in, &seed);
                    void *x = kl_in(&edges, (size_t)n_in * ob_dtype_size(types[t]));
                    if (types[t] == OB_FLOAT)
                        memcpy(x, numbers, (size_t)n_in * sizeof(float));
                    else
                        tables[0]->convert[types[t]][OB_FLOAT](x, numbers, n_in);
                    kl_out z = kl_out_open((size_t)n_out * sizeof(int64_t), 0);
                    int64_t blocks = (at.inner + OBK_REDUCE_COLUMNS - 1) / OBK_REDUCE_COLUMNS;
                    (at.inner == 1 ? tables[l]->find->by_type : tables[l]->find->columns)[types[t]](&s, z.data, x, 0,
                                                                                                    at.outer * blocks);
                    for (int64_t o = 0; o < n_out; o++) {
                        const float *from = numbers + o / at.inner * at.n * at.inner + o % at.inner;
                        assert_int_equal(((int64_t *)z.data)[o], place_of(from, at.n, at.inner, s.smallest, s.last));
                    }
                    kl_out_close(&z);
                }
    kl_close(&edges);
}

/* ---- running sums: in order, so that the bits are those of the definition ---- */

static void sums_run_up(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(MOST * sizeof(float));
    uint64_t seed = 13;
    for (size_t l = 0; l < n_levels; l++)
        for (size_t i = 0; i < N_LAYOUTS; i++)
            for (unsigned form = 0; form < 16; form++) {
                const layout at = layouts[i];
                const obk_running r = {
                    .n = at.n, .inner = at.inner, .exclusive = form & 1, .reverse = form & 2, .product = form & 4};
                const bool is_int = form & 8;
                int64_t n_in = at.outer * at.n * at.inner, blocks = (at.inner + OBK_RUNNING_COLUMNS - 1) / OBK_RUNNING_COLUMNS;
                float *x = kl_in(&edges, (size_t)n_in * sizeof *x);
                if (is_int)
                    kl_fill_bytes(x, (size_t)n_in * sizeof *x, &seed);
                else
                    kl_fill_f32(x, n_in, &seed, 0.5, 1.5);
                kl_out z = kl_out_open((size_t)n_in * sizeof *x, sizeof *x), alone = kl_out_open((size_t)n_in * sizeof *x, 0);
                tables[l]->run_up->by_type[is_int ? OB_INT32 : OB_FLOAT](&r, z.data, x, 0, at.outer * blocks);
                for (int64_t part = 0; part < at.outer * blocks; part++)
                    tables[l]->run_up->by_type[is_int ? OB_INT32 : OB_FLOAT](&r, alone.data, x, part, part + 1);
                assert_memory_equal(z.data, alone.data, z.n_bytes);
                for (int64_t v = 0; v < at.outer * at.inner; v++) {
                    float sum = r.product ? 1 : 0;
                    uint32_t count = r.product ? 1 : 0;
                    for (int64_t k = 0; k < at.n; k++) {
                        int64_t place = (v / at.inner * at.n + (r.reverse ? at.n - 1 - k : k)) * at.inner + v % at.inner;
                        float next = r.product ? sum * x[place] : sum + x[place], got = ((float *)z.data)[place];
                        uint32_t next_count = ((uint32_t *)(void *)x)[place], got_count = ((uint32_t *)z.data)[place];
                        next_count = r.product ? count * next_count : count + next_count;
                        if (is_int)
                            assert_int_equal(got_count, r.exclusive ? count : next_count);
                        else
                            assert_true(got == (r.exclusive ? sum : next));
                        sum = next;
                        count = next_count;
                    }
                }
                kl_out_close(&z);
                kl_out_close(&alone);
            }
    kl_close(&edges);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(floats_are_folded), cmocka_unit_test(levels_agree),
                                       cmocka_unit_test(equal_elements_keep_their_order), cmocka_unit_test(places_are_found),
                                       cmocka_unit_test(sums_run_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
