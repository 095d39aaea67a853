/* Matrix products of kernels/gemm against sums in long double, on every level: packed or not, with any distances, edges and
 * splits. OpenBLAS, if present, is compared with both. */
#include "kernel_levels.h"
#include "kernels/gemm/gemm.h"
#include "kernels/kernels.h"

#include <stdio.h>

#include "ops/product/blas.h"

static uint64_t seed = 3;

static int64_t draw(int64_t n) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)(seed >> 33) % n;
}

static void each_level(void (*test)(const obk_table *table)) {
    const obk_table *tables[KL_LEVELS];
    size_t n = kl_levels(tables);
    for (size_t i = 0; i < n; i++) test(tables[i]);
}

/* ---- numbers of either type ---- */

typedef struct numbers {
    bool is_double;
    int64_t n;
    char *memory;
    bool at_edge; /* at the end of the readable memory */
} numbers;

enum { EDGE_BYTES = 1 << 17 };
static kl_edges edges;

static double get(const numbers *x, int64_t i) {
    return x->is_double ? ((const double *)(void *)x->memory)[i] : (double)((const float *)(void *)x->memory)[i];
}

static void set(numbers *x, int64_t i, double value) {
    if (x->is_double)
        ((double *)(void *)x->memory)[i] = value;
    else
        ((float *)(void *)x->memory)[i] = (float)value;
}

static size_t width(const numbers *x) {
    return x->is_double ? sizeof(double) : sizeof(float);
}

static void *at(const numbers *x, int64_t i) {
    return x->memory + i * (int64_t)width(x);
}

static void fill(numbers *x) {
    for (int64_t i = 0; i < x->n; i++) set(x, i, (double)(draw(2001) - 1000) / 512);
}

static numbers make(bool is_double, int64_t n) {
    numbers x = {is_double, n, NULL, false};
    x.memory = malloc((size_t)n * width(&x) + 1);
    assert_non_null(x.memory);
    fill(&x);
    return x;
}

/* At most four at a time. */
static numbers make_input(bool is_double, int64_t n) {
    numbers x = {is_double, n, NULL, true};
    if ((size_t)n * width(&x) > EDGE_BYTES) return make(is_double, n);
    x.memory = kl_in(&edges, (size_t)n * width(&x));
    fill(&x);
    return x;
}

static void discard(numbers *x) {
    if (!x->at_edge) free(x->memory);
}

static bool same(const numbers *a, int64_t i, const numbers *b, int64_t j) {
    return memcmp(at(a, i), at(b, j), width(a)) == 0;
}

/* ---- one product ---- */

typedef struct product {
    obk_gemm_call call;
    numbers a, b, c, y;
    bool has_c;
} product;

static int64_t span(int64_t n, int64_t step, int64_t m, int64_t other) {
    return n > 0 && m > 0 ? (n - 1) * step + (m - 1) * other + 1 : 0;
}

static product draw_product(bool is_double, int64_t m, int64_t n, int64_t k) {
    product p = {.call = {.m = m, .n = n, .k = k, .alpha = 1, .beta = 1}};
    obk_gemm_call *c = &p.call;
    int64_t gap = draw(3);
    bool transposed = draw(3) == 0;
    c->a_row = transposed ? 1 : (k > 0 ? k : 1) + gap;
    c->a_k = transposed ? m + gap : 1;
    transposed = draw(2) == 0;
    c->b_column = transposed ? (k > 0 ? k : 1) + gap : 1;
    c->b_k = transposed ? 1 : n + gap;
    if (draw(8) == 0) c->b_column = c->b_k = 3 * (n + k); /* not dense in either direction, or elements shared */
    c->y_row = n + draw(4);
    if (draw(3) == 0) c->alpha = 0.75;
    if (draw(3) == 0) c->beta = -1.5;
    c->adds = draw(4) == 0;
    if (c->adds) c->alpha = 1;
    p.has_c = !c->adds && draw(2) == 0;
    c->c_column = draw(2);
    c->c_row = draw(2) ? n + draw(3) : 0;
    p.a = make_input(is_double, span(m, c->a_row, k, c->a_k));
    p.b = make_input(is_double, span(k, c->b_k, n, c->b_column));
    p.y = make(is_double, m * c->y_row);
    p.c = make_input(is_double, span(m, c->c_row, n, c->c_column));
    c->a = p.a.memory;
    c->b = p.b.memory;
    c->y = p.y.memory;
    c->c = p.has_c ? p.c.memory : NULL;
    return p;
}

static void drop(product *p) {
    discard(&p->a);
    discard(&p->b);
    discard(&p->y);
    discard(&p->c);
}

/* The expected y[i][j], and how far rounding may move it. */
static double expected(const product *p, const numbers *before, int64_t i, int64_t j, double *tolerance) {
    const obk_gemm_call *c = &p->call;
    long double sum = 0, sizes = 0;
    for (int64_t l = 0; l < c->k; l++) {
        long double term =
            (long double)get(&p->a, i * c->a_row + l * c->a_k) * (long double)get(&p->b, l * c->b_k + j * c->b_column);
        sum += term;
        sizes += fabsl(term);
    }
    long double added = p->has_c ? (long double)get(&p->c, i * c->c_row + j * c->c_column) * (long double)c->beta : 0;
    if (c->adds) added = (long double)get(before, i * c->y_row + j);
    *tolerance = (double)(sizes + fabsl(added)) * (double)(c->k + 4) * (p->a.is_double ? 0x1p-53 : 0x1p-24) * 1.5;
    return (double)(sum * (long double)c->alpha + added);
}

static void check_result(const product *p, const numbers *before, const char *what) {
    const obk_gemm_call *c = &p->call;
    for (int64_t i = 0; i < c->m; i++)
        for (int64_t j = 0; j < c->y_row; j++) {
            int64_t here = i * c->y_row + j;
            double tolerance, value = j < c->n ? expected(p, before, i, j, &tolerance) : 0;
            if (j >= c->n ? same(&p->y, here, before, here) : fabs(get(&p->y, here) - value) <= tolerance) continue;
            fail_msg("%s: %lld x %lld x %lld: c[%lld][%lld] is %g, not %g", what, (long long)c->m, (long long)c->n,
                     (long long)c->k, (long long)i, (long long)j, get(&p->y, here), value);
        }
}

static void *aligned(size_t bytes) {
    void *memory = NULL;
    assert_int_equal(posix_memalign(&memory, 64, bytes + 1), 0);
    return memory;
}

static int64_t up(int64_t n, int64_t to) {
    return (n + to - 1) / to * to;
}

/* The product of packed operands, computed in parts, has the bits of the whole one. */
static void check_cuts(const obk_gemm *gemm, product *p, const numbers *before, const char *what) {
    obk_gemm_call *c = &p->call;
    size_t each = width(&p->a);
    numbers whole = p->y;
    p->y = make(whole.is_double, whole.n);
    memcpy(p->y.memory, whole.memory, (size_t)whole.n * each);
    char *a = aligned((size_t)(up(c->m, gemm->mr) * c->k) * each), *b = aligned((size_t)(up(c->n, gemm->nr) * c->k) * each);
    const int64_t whole_rows = up(c->m, gemm->mr), first = gemm->mr * draw(c->m / gemm->mr + 1); /* packed in two steps */
    gemm->pack_a(a, 0, whole_rows, c->a, c->a_row, c->a_k, first, c->k);
    if (first < c->m)
        gemm->pack_a(a, first, whole_rows, (const char *)c->a + (size_t)(first * c->a_row) * each, c->a_row, c->a_k, c->m - first,
                     c->k);
    gemm->pack_b(b, c->b, c->b_k, c->b_column, c->k, c->n);
    int64_t rows = gemm->mr * (1 + draw(3)), columns = draw(4) ? gemm->nr * (1 + draw(5)) : up(c->n, gemm->nr);
    for (int64_t i = 0; i < c->m; i += rows)
        for (int64_t j = 0; j < c->n; j += columns) {
            obk_gemm_call part = *c;
            part.m = c->m - i < rows ? c->m - i : rows;
            part.n = c->n - j < columns ? c->n - j : columns;
            part.a = (const char *)c->a + (size_t)(i * c->a_row) * each;
            part.b = (const char *)c->b + (size_t)(j * c->b_column) * each;
            part.y = at(&p->y, i * c->y_row + j);
            if (p->has_c) part.c = at(&p->c, i * c->c_row + j * c->c_column);
            if (draw(2)) {
                part.a = a;
                part.a_row = 0;
                part.a_at = i;
                part.a_rows = whole_rows;
            }
            if (draw(2)) {
                part.b = b + (size_t)(j * c->k) * each;
                part.b_k = 0;
            }
            for (int64_t l = 0; l < part.m; l++)
                for (int64_t o = 0; o < part.n; o++) {
                    int64_t here = (i + l) * c->y_row + j + o;
                    set(&p->y, here, c->adds ? get(before, here) : (double)NAN); /* Y is read only to be added to */
                }
            gemm->product(&part);
        }
    if (memcmp(p->y.memory, whole.memory, (size_t)whole.n * each) != 0)
        fail_msg("%s: %lld x %lld x %lld: other bits when cut into %lld x %lld", what, (long long)c->m, (long long)c->n,
                 (long long)c->k, (long long)rows, (long long)columns);
    free(whole.memory);
    free(a);
    free(b);
}

/* The first rows of a packed B give the same bits as when they are packed alone. */
static void check_first_rows(const obk_gemm *gemm, const product *p, const char *what) {
    obk_gemm_call c = p->call;
    const size_t each = width(&p->a);
    if (c.adds || c.k < 2) return;
    numbers alone = make(p->y.is_double, p->y.n), of_packed = make(p->y.is_double, p->y.n);
    char *b = aligned((size_t)(up(c.n, gemm->nr) * c.k) * each);
    gemm->pack_b(b, c.b, c.b_k, c.b_column, c.k, c.n);
    memcpy(of_packed.memory, alone.memory, (size_t)alone.n * each);
    c.b_rows = c.k;
    c.k = 1 + draw(c.k - 1);
    c.y = alone.memory;
    gemm->product(&c);
    c.b = b;
    c.b_k = 0;
    c.y = of_packed.memory;
    gemm->product(&c);
    if (memcmp(alone.memory, of_packed.memory, (size_t)alone.n * each) != 0)
        fail_msg("%s: %lld x %lld x %lld of %lld: other bits from packed rows", what, (long long)c.m, (long long)c.n,
                 (long long)c.k, (long long)c.b_rows);
    free(alone.memory);
    free(of_packed.memory);
    free(b);
}

/* ---- OpenBLAS ---- */

static ob_blas blas;
static int64_t n_by_blas, n_other_bits;

/* The same product by OpenBLAS, if it can compute it. */
static void check_blas(const product *p, const numbers *before) {
    product theirs = *p;
    obk_gemm_call *c = &theirs.call;
    c->panel = NULL;
    if (blas.n_copies == 0 || !ob__blas_takes(c)) return;
    theirs.y = make(p->y.is_double, p->y.n);
    c->y = theirs.y.memory;
    memcpy(theirs.y.memory, before->memory, (size_t)before->n * width(before));
    for (int64_t i = 0; i < c->m && !c->adds; i++) /* Y is read only to be added to */
        for (int64_t j = 0; j < c->n; j++) set(&theirs.y, i * c->y_row + j, (double)NAN);
    ob__blas_product(&blas, p->y.is_double, c);
    check_result(&theirs, before, "OpenBLAS");
    free(theirs.y.memory);
    n_by_blas++;
}

/* The greatest error of a sum of k products in any order: a bound for each element, from OpenBLAS in double. */
static double *bounds_of(const product *p) {
    const obk_gemm_call *c = &p->call;
    double *a = aligned((size_t)(c->m * c->k) * sizeof *a), *b = aligned((size_t)(c->k * c->n) * sizeof *b);
    double *sums = aligned((size_t)(c->m * c->n) * sizeof *sums);
    for (int64_t i = 0; i < c->m; i++)
        for (int64_t l = 0; l < c->k; l++) a[i * c->k + l] = fabs(get(&p->a, i * c->a_row + l * c->a_k));
    for (int64_t l = 0; l < c->k; l++)
        for (int64_t j = 0; j < c->n; j++) b[l * c->n + j] = fabs(get(&p->b, l * c->b_k + j * c->b_column));
    const double each = (double)(c->k + 4) * (p->a.is_double ? 0x1p-53 : 0x1p-24);
    const obk_gemm_call sizes = {.m = c->m,
                                 .n = c->n,
                                 .k = c->k,
                                 .a = a,
                                 .a_row = c->k,
                                 .a_k = 1,
                                 .b = b,
                                 .b_k = c->n,
                                 .b_column = 1,
                                 .y = sums,
                                 .y_row = c->n,
                                 .alpha = each};
    ob__blas_product(&blas, true, &sizes);
    free(a);
    free(b);
    return sums;
}

/* Products that are too large for sums in long double: our kernels against OpenBLAS, which adds in another order. */
static void compare_large(const obk_gemm *gemm, bool is_double, int64_t m, int64_t n, int64_t k, const char *what) {
    product p = draw_product(is_double, m, n, k);
    while (!ob__blas_takes(&p.call)) {
        drop(&p);
        p = draw_product(is_double, m, n, k);
    }
    for (int64_t i = 0; i < p.a.n; i++)
        set(&p.a, i, (double)(draw(INT32_MAX) - INT32_MAX / 2) * 0x1p-29); /* many significant bits, so that sums are rounded */
    for (int64_t i = 0; i < p.b.n; i++) set(&p.b, i, (double)(draw(INT32_MAX) - INT32_MAX / 2) * 0x1p-29);
    numbers theirs = make(is_double, p.y.n);
    memcpy(theirs.memory, p.y.memory, (size_t)p.y.n * width(&p.y));
    double *bounds = bounds_of(&p);
    p.call.panel = aligned(obk_panel_bytes(gemm, k));
    gemm->product(&p.call);
    free(p.call.panel);
    p.call.y = theirs.memory;
    ob__blas_product(&blas, is_double, &p.call);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double ours = get(&p.y, i * p.call.y_row + j), other = get(&theirs, i * p.call.y_row + j);
            double own =
                8 * (is_double ? 0x1p-53 : 0x1p-24) * (fabs(ours) + 8); /* of C, of Y's old contents, and of the epilogue */
            n_other_bits += ours != other;
            if (!(fabs(ours - other) <= 2 * bounds[i * n + j] + own))
                fail_msg("%s: %lld x %lld x %lld: c[%lld][%lld] is %g, by OpenBLAS %g", what, (long long)m, (long long)n,
                         (long long)k, (long long)i, (long long)j, ours, other);
        }
    free(bounds);
    free(theirs.memory);
    drop(&p);
}

static void large(const obk_table *table) {
    for (int is_double = 0; is_double < 2; is_double++) {
        const obk_gemm *gemm = &table->gemm[is_double ? OBK_GEMM_DOUBLE : OBK_GEMM_FLOAT];
        for (int round = 0; round < 4; round++)
            compare_large(gemm, is_double, 150 + draw(300), 150 + draw(300), 300 + draw(1500), table->name);
    }
}

static void test_large_beside_openblas(void **state) {
    (void)state;
    if (blas.n_copies == 0) skip();
    each_level(large);
    assert_true(n_by_blas > 1000);
    assert_true(n_other_bits > 0); /* the two must really compute differently */
}

static void check_row(const obk_gemm *gemm, product *p, const char *what) {
    obk_gemm_call *c = &p->call;
    if (c->m != 1 || c->a_k != 1 || c->b_k != 1 || c->adds) return;
    numbers untouched = p->y;
    p->y = make(untouched.is_double, untouched.n);
    memcpy(p->y.memory, untouched.memory, (size_t)untouched.n * width(&untouched));
    gemm->row(p->y.memory, 1, c->a, c->b, c->b_column, c->n, c->k, c->alpha, c->beta, c->c, c->c_column);
    check_result(p, &untouched, what);
    numbers alone = make(untouched.is_double, 2);
    for (int64_t j = 0; j < c->n; j++) { /* each element has its bits wherever it is, for all strides */
        gemm->row(alone.memory, 2, c->a, (const char *)c->b + (size_t)(j * c->b_column) * width(&alone), 7, 1, c->k, c->alpha,
                  c->beta, p->has_c ? at(&p->c, j * c->c_column) : NULL, 0);
        if (!same(&alone, 0, &p->y, j)) fail_msg("%s: other bits of element %lld when it is alone", what, (long long)j);
    }
    free(alone.memory);
    free(untouched.memory);
}

static void one_round(const obk_table *table, bool is_double, int64_t m, int64_t n, int64_t k) {
    const obk_gemm *gemm = &table->gemm[is_double ? OBK_GEMM_DOUBLE : OBK_GEMM_FLOAT];
    char what[64];
    snprintf(what, sizeof what, "%s, %s", table->name, is_double ? "double" : "float");
    product p = draw_product(is_double, m, n, k);
    numbers untouched = make(is_double, p.y.n);
    memcpy(untouched.memory, p.y.memory, (size_t)p.y.n * width(&p.y));
    kl_out panel = kl_out_open(obk_panel_bytes(gemm, k), 0);
    p.call.panel = panel.data;
    gemm->product(&p.call);
    check_result(&p, &untouched, what);
    check_blas(&p, &untouched);
    check_cuts(gemm, &p, &untouched, what);
    check_first_rows(gemm, &p, what);
    check_row(gemm, &p, what);
    kl_out_close(&panel);
    free(untouched.memory);
    drop(&p);
}

static void products(const obk_table *table) {
    for (int is_double = 0; is_double < 2; is_double++) {
        for (int64_t m = 0; m <= 26; m++)
            for (int i = 0; i < 6; i++) one_round(table, is_double, m, draw(70), draw(20));
        for (int64_t n = 0; n <= 70; n++)
            for (int64_t m = 1; m <= 3; m++) one_round(table, is_double, m, n, draw(70));
        static const int64_t inner[] = {0, 1, 383, 384, 385, 639, 640, 900};
        for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++)
            for (int round = 0; round < 4; round++) one_round(table, is_double, 1 + draw(20), 1 + draw(90), inner[i]);
    }
    one_round(table, false, 130, 1100, 400); /* several strips of C */
    for (int round = 0; round < 8; round++)  /* one row by a large matrix */
        one_round(table, round % 2, 1, 700 + draw(300), 100 + draw(600));
}

static void test_products(void **state) {
    (void)state;
    each_level(products);
}

/* Infinities, NaN and -0 propagate as in a sum of products; without products, the result is 0 or beta * C. */
static void special(const obk_table *table) {
    const obk_gemm *gemm = &table->gemm[OBK_GEMM_FLOAT];
    float a[3] = {INFINITY, NAN, 1}, b[1] = {2}, y[3] = {7, 7, 7}, c = NAN;
    void *panel = aligned(obk_panel_bytes(gemm, 1));
    obk_gemm_call call = {.m = 3,
                          .n = 1,
                          .k = 1,
                          .a = a,
                          .a_row = 1,
                          .a_k = 1,
                          .b = b,
                          .b_k = 1,
                          .b_column = 1,
                          .y = y,
                          .y_row = 1,
                          .alpha = 1,
                          .panel = panel};
    gemm->product(&call);
    assert_true(isinf(y[0]) && isnan(y[1]) && y[2] == 2);
    call.k = 0;
    gemm->product(&call);
    assert_true(y[0] == 0 && y[1] == 0 && y[2] == 0);
    call.c = &c;
    gemm->product(&call);
    assert_true(isnan(y[0]) && isnan(y[2]));
    free(panel);
}

/* The same by OpenBLAS: also NaN of C with a beta of 0, and Y is not read. */
static void test_special_by_openblas(void **state) {
    (void)state;
    if (blas.n_copies == 0) skip();
    float a[3] = {INFINITY, NAN, 1}, b[1] = {2}, y[3] = {NAN, NAN, NAN}, c[3] = {1, 1, NAN};
    obk_gemm_call call = {
        .m = 3, .n = 1, .k = 1, .a = a, .a_row = 1, .a_k = 1, .b = b, .b_k = 1, .b_column = 1, .y = y, .y_row = 1, .alpha = 1};
    ob__blas_product(&blas, false, &call);
    assert_true(isinf(y[0]) && isnan(y[1]) && y[2] == 2);
    call.k = 0;
    ob__blas_product(&blas, false, &call);
    assert_true(y[0] == 0 && y[1] == 0 && y[2] == 0);
    call.c = c;
    call.c_row = 1;
    call.beta = 0;
    ob__blas_product(&blas, false, &call);
    assert_true(y[0] == 0 && y[1] == 0 && isnan(y[2]));
    call.alpha = 0; /* it would ignore A and B, whose NaN our kernels keep */
    assert_false(ob__blas_takes(&call));
}

/* Products that cblas cannot compute are left to our kernels. */
static void test_taken(void **state) {
    (void)state;
    const obk_gemm_call good = {.m = 4, .n = 5, .k = 6, .a_row = 6, .a_k = 1, .b_k = 5, .b_column = 1, .y_row = 5, .alpha = 1};
    obk_gemm_call call = good;
    assert_true(ob__blas_takes(&call));
    call.a_row = 0; /* packed, or one row for all */
    assert_false(ob__blas_takes(&call));
    call.a_row = 5; /* rows overlap */
    assert_false(ob__blas_takes(&call));
    call.a_row = 1;
    call.a_k = 4;
    assert_true(ob__blas_takes(&call));
    call.a_k = 3;
    assert_false(ob__blas_takes(&call));
    call = good;
    call.b_k = call.b_column = 7;
    assert_false(ob__blas_takes(&call));
    call = good;
    call.y_row = 4;
    assert_false(ob__blas_takes(&call));
    call = good;
    call.m = (int64_t)INT32_MAX + 1;
    assert_false(ob__blas_takes(&call));
    call = good;
    call.a_row = (int64_t)INT32_MAX + 1;
    assert_false(ob__blas_takes(&call));
    call = good;
    call.b_k = (int64_t)INT32_MAX + 1;
    assert_false(ob__blas_takes(&call));
}

static void test_special(void **state) {
    (void)state;
    each_level(special);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_special),
                                       cmocka_unit_test(test_large_beside_openblas), cmocka_unit_test(test_special_by_openblas),
                                       cmocka_unit_test(test_taken)};
    char why[256];
    if (!ob__blas_open(&blas, 1, ob_allocator_default(), why, sizeof why)) print_message("without OpenBLAS: %s\n", why);
    edges = kl_open(EDGE_BYTES);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kl_close(&edges);
    ob__blas_close(&blas);
    return failed;
}
