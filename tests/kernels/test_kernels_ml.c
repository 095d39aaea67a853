/* kernels/ml at every level, compared with a naive walk, naive sums and norms: all levels give the same bits. */
#include "kernel_levels.h"
#include "kernels/kernels.h"
#include "kernels/ml/ml.h"

enum { DEPTH_MOST = 9, NODES = 1 << DEPTH_MOST, FEATURES = 5, ROWS = 40 };

typedef struct tree_case {
    obk_tree_node_f32 f32[NODES];
    obk_tree_node_f64 f64[NODES];
    uint32_t n;
} tree_case;

static uint32_t draw(uint64_t *seed, uint32_t n) {
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % n;
}

static void put(tree_case *t, uint32_t at, float value, uint32_t feature, uint32_t no, uint32_t yes) {
    t->f32[at] = (obk_tree_node_f32){value, feature, {no, yes}};
    t->f64[at] = (obk_tree_node_f64){(double)value, feature, {no, yes}};
}

static uint32_t grow(tree_case *t, uint32_t depth, uint64_t *seed) {
    const uint32_t at = t->n++;
    const float value = (float)((int)draw(seed, 17) - 8) / 4;
    if (depth == 0 || draw(seed, 6) == 0) {
        put(t, at, value, 0, at, at);
        return at;
    }
    const uint32_t yes = grow(t, depth - 1, seed), no = grow(t, depth - 1, seed);
    put(t, at, value, draw(seed, FEATURES), no, yes);
    return at;
}

static uint32_t least_depth(const tree_case *t, uint32_t at) {
    const uint32_t *child = t->f32[at].child;
    if (child[0] == at) return 0;
    const uint32_t no = least_depth(t, child[0]), yes = least_depth(t, child[1]);
    return 1 + (no < yes ? no : yes);
}

static uint32_t walk(const tree_case *t, uint32_t at, const double *row) {
    while (t->f64[at].child[0] != at) at = t->f64[at].child[row[t->f64[at].feature] <= t->f64[at].value];
    return at;
}

static void check_tree(const obk_table *table, kl_edges *edges, const tree_case *t, uint32_t root, int64_t rows, int64_t stride,
                       bool is_double, uint64_t *seed) {
    static const double special[] = {NAN, INFINITY, -INFINITY, -0.0, 1e-310};
    const size_t width = is_double ? sizeof(double) : sizeof(float);
    /* Memory ends with the features of the last row. */
    const int64_t n = rows ? (rows - 1) * stride + FEATURES : 0;
    double x[ROWS * (FEATURES + 2)];
    char *in = kl_in(edges, (size_t)n * width);
    for (int64_t i = 0; i < n; i++) {
        x[i] = draw(seed, 5) ? (double)((int)draw(seed, 17) - 8) / 4 : special[draw(seed, is_double ? 5 : 4)];
        const float narrow = (float)x[i];
        memcpy(in + (size_t)i * width, is_double ? (const void *)&x[i] : &narrow, width);
    }
    kl_out leaf = kl_out_open((size_t)rows * sizeof(uint32_t), 4), sums = kl_out_open((size_t)rows * width, width);
    const void *nodes = is_double ? (const void *)t->f64 : t->f32;
    uint32_t *at = leaf.data;
    table->ml->leaves[is_double](at, nodes, (obk_tree){root, least_depth(t, root)}, in, stride, rows);
    memset(sums.data, 0, (size_t)rows * width);
    table->ml->add_leaves[is_double](sums.data, nodes, at, rows);
    table->ml->add_leaves[is_double](sums.data, nodes, at, rows);
    for (int64_t i = 0; i < rows; i++) {
        const uint32_t expected = walk(t, root, x + i * stride);
        if (at[i] != expected) fail_msg("%s: row %lld comes to %u, not %u", table->name, (long long)i, at[i], expected);
        const double sum = is_double ? ((double *)sums.data)[i] : (double)((float *)sums.data)[i];
        assert_true(sum == 2 * t->f64[expected].value);
    }
    kl_out_close(&leaf);
    kl_out_close(&sums);
}

static void test_trees(void **state) {
    (void)state;
    static tree_case t;
    const obk_table *tables[KL_LEVELS];
    const size_t levels = kl_levels(tables);
    kl_edges edges = kl_open(1 << 16);
    uint64_t seed = 5;
    for (uint32_t depth = 0; depth < DEPTH_MOST; depth++)
        for (int64_t rows = 0; rows < ROWS; rows += 1 + rows / 18) {
            t.n = 0;
            put(&t, t.n, 0, 0, 0, 0); /* so that no root is node 0 */
            t.n++;
            const uint32_t root = grow(&t, depth, &seed);
            for (size_t l = 0; l < levels; l++)
                for (int k = 0; k < 4; k++) check_tree(tables[l], &edges, &t, root, rows, FEATURES + 2 * (k / 2), k % 2, &seed);
        }
    kl_close(&edges);
}

static void test_sums(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    const size_t levels = kl_levels(tables);
    kl_edges edges = kl_open(1 << 16);
    uint64_t seed = 9;
    for (int64_t n = 0; n < 30; n++)
        for (int64_t blocks = 0; blocks < 4; blocks++)
            for (size_t l = 0; l < levels; l++)
                for (int distance = 0; distance < 2; distance++) {
                    const int64_t wide = blocks * OBK_ML_BLOCK;
                    double *x = kl_in(&edges, (size_t)n * sizeof *x), *v = kl_in(&edges, (size_t)(n * wide) * sizeof *v);
                    for (int64_t i = 0; i < n; i++)
                        x[i] = draw(&seed, 40) ? (double)draw(&seed, 1000) / 7 - 70 : (double)INFINITY;
                    for (int64_t i = 0; i < n * wide; i++) v[i] = (double)draw(&seed, 1000) / 3 - 170;
                    kl_out y = kl_out_open((size_t)wide * sizeof *x, 8);
                    (distance ? tables[l]->ml->distances : tables[l]->ml->products)(y.data, x, v, n, blocks);
                    for (int64_t k = 0; k < wide; k++) {
                        double sum = 0;
                        for (int64_t i = 0; i < n; i++) {
                            const double w = v[(k / OBK_ML_BLOCK * n + i) * OBK_ML_BLOCK + k % OBK_ML_BLOCK];
                            sum += distance ? (x[i] - w) * (x[i] - w) : x[i] * w;
                        }
                        const double got = ((double *)y.data)[k];
                        if (!(got == sum || (isnan(got) && isnan(sum))))
                            fail_msg("%s: sum %lld is %a, not %a", tables[l]->name, (long long)k, got, sum);
                    }
                    kl_out_close(&y);
                }
    kl_close(&edges);
}

/* ---- Norms of rows ---- */

static float norm_of(obk_ml_norm norm, const float *x, int64_t n) {
    double sum = 0;
    float best = x[0];
    for (int64_t i = 0; i < n; i++) {
        const double value = (double)x[i];
        sum += norm == OBK_ML_L2 ? value * value : fabs(value);
        if (x[i] > best || isnan(x[i])) best = x[i];
    }
    return norm == OBK_ML_MAX ? best : (float)(norm == OBK_ML_L2 ? sqrt(sum) : sum);
}

static void draw_rows(float *x, int64_t n, int64_t rows, uint64_t *seed) {
    static const float special[] = {NAN, INFINITY, -INFINITY, -0.0f, 1e-40f, 3e38f};
    for (int64_t i = 0; i < n * rows; i++)
        x[i] = i / n % 3 == 2    ? 0
               : draw(seed, 100) ? (float)((int)draw(seed, 2001) - 1000) / 7
                                 : special[draw(seed, sizeof special / sizeof special[0])];
}

/* `same`: results of the previous level, or NULL. */
static void check_norm(const obk_table *table, obk_ml_norm norm, const float *x, int64_t n, int64_t rows, bool in_place,
                       float *same, bool is_first) {
    const size_t n_bytes = (size_t)(n * rows) * sizeof(float);
    kl_out y = kl_out_open(n_bytes, 4);
    float *got = y.data;
    if (in_place && n_bytes) memcpy(got, x, n_bytes);
    table->ml->normalize[norm](got, in_place ? got : x, n, rows);
    for (int64_t i = 0; i < n * rows; i++) {
        const float by = norm_of(norm, x + i / n * n, n), expected = x[i] / (by == 0 ? 1 : by);
        if (!(got[i] == expected || (isnan(got[i]) && isnan(expected)) || fabsf(got[i] - expected) <= 2e-7f * fabsf(expected)))
            fail_msg("%s: norm %d of %lld: element %lld is %a, not %a", table->name, norm, (long long)n, (long long)i,
                     (double)got[i], (double)expected);
        if (!is_first && same[i] != got[i] && !isnan(got[i])) fail_msg("%s: other bits than the baseline", table->name);
        same[i] = got[i];
    }
    kl_out_close(&y);
}

static void test_norms(void **state) {
    (void)state;
    enum { MOST_ROWS = 4 };
    static float same[MOST_ROWS * 64];
    const obk_table *tables[KL_LEVELS];
    const size_t levels = kl_levels(tables);
    kl_edges edges = kl_open(1 << 16);
    uint64_t seed = 17;
    for (int64_t n = 0; n <= KL_LONGEST(sizeof(float)); n++)
        for (int64_t rows = 0; rows < MOST_ROWS; rows++)
            for (int norm = 0; norm < OBK_ML_NORMS; norm++)
                for (int in_place = 0; in_place < 2; in_place++) {
                    float *x = kl_in(&edges, (size_t)(n * rows) * sizeof *x);
                    draw_rows(x, n, rows, &seed);
                    for (size_t l = 0; l < levels; l++)
                        check_norm(tables[l], (obk_ml_norm)norm, x, n, rows, in_place, same, l == 0);
                }
    kl_close(&edges);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trees), cmocka_unit_test(test_sums), cmocka_unit_test(test_norms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
