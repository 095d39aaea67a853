/* Matrix products of kernels/gemm against sums in long double, on every level: packed or not, any distances, edges, cuts. And
 * those of OpenBLAS, where there is one, against both. */
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
    bool at_edge; /* of what can be read */
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
    numbers a, b, c, d;
    bool has_d;
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
    if (draw(8) == 0) c->b_column = c->b_k = 3 * (n + k); /* neither dense; elements shared */
    c->c_row = n + draw(4);
    if (draw(3) == 0) c->alpha = 0.75;
    if (draw(3) == 0) c->beta = -1.5;
    c->adds = draw(4) == 0;
    if (c->adds) c->alpha = 1;
    p.has_d = !c->adds && draw(2) == 0;
    c->d_column = draw(2);
    c->d_row = draw(2) ? n + draw(3) : 0;
    p.a = make_input(is_double, span(m, c->a_row, k, c->a_k));
    p.b = make_input(is_double, span(k, c->b_k, n, c->b_column));
    p.c = make(is_double, m * c->c_row);
    p.d = make_input(is_double, span(m, c->d_row, n, c->d_column));
    c->a = p.a.memory;
    c->b = p.b.memory;
    c->c = p.c.memory;
    c->d = p.has_d ? p.d.memory : NULL;
    return p;
}

static void drop(product *p) {
    discard(&p->a);
    discard(&p->b);
    discard(&p->c);
    discard(&p->d);
}

/* What c[i][j] must be, and how far rounding may lead from it. */
static double expected(const product *p, const numbers *before, int64_t i, int64_t j, double *tolerance) {
    const obk_gemm_call *c = &p->call;
    long double sum = 0, sizes = 0;
    for (int64_t l = 0; l < c->k; l++) {
        long double term =
            (long double)get(&p->a, i * c->a_row + l * c->a_k) * (long double)get(&p->b, l * c->b_k + j * c->b_column);
        sum += term;
        sizes += fabsl(term);
    }
    long double d = p->has_d ? (long double)get(&p->d, i * c->d_row + j * c->d_column) * (long double)c->beta : 0;
    if (c->adds) d = (long double)get(before, i * c->c_row + j);
    *tolerance = (double)(sizes + fabsl(d)) * (double)(c->k + 4) * (p->a.is_double ? 0x1p-53 : 0x1p-24) * 1.5;
    return (double)(sum * (long double)c->alpha + d);
}

static void check_result(const product *p, const numbers *before, const char *what) {
    const obk_gemm_call *c = &p->call;
    for (int64_t i = 0; i < c->m; i++)
        for (int64_t j = 0; j < c->c_row; j++) {
            int64_t here = i * c->c_row + j;
            double tolerance, value = j < c->n ? expected(p, before, i, j, &tolerance) : 0;
            if (j >= c->n ? same(&p->c, here, before, here) : fabs(get(&p->c, here) - value) <= tolerance) continue;
            fail_msg("%s: %lld x %lld x %lld: c[%lld][%lld] is %g, not %g", what, (long long)c->m, (long long)c->n,
                     (long long)c->k, (long long)i, (long long)j, get(&p->c, here), value);
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

/* The result of the product from packed operands, of parts, has the bits of the whole one. */
static void check_cuts(const obk_gemm *gemm, product *p, const numbers *before, const char *what) {
    obk_gemm_call *c = &p->call;
    size_t each = width(&p->a);
    numbers whole = p->c;
    p->c = make(whole.is_double, whole.n);
    memcpy(p->c.memory, whole.memory, (size_t)whole.n * each);
    char *a = aligned((size_t)(up(c->m, gemm->mr) * c->k) * each), *b = aligned((size_t)(up(c->n, gemm->nr) * c->k) * each);
    gemm->pack_a(a, c->a, c->a_row, c->a_k, c->m, c->k);
    gemm->pack_b(b, c->b, c->b_k, c->b_column, c->k, c->n);
    int64_t rows = gemm->mr * (1 + draw(3)), columns = gemm->nr * (1 + draw(5));
    for (int64_t i = 0; i < c->m; i += rows)
        for (int64_t j = 0; j < c->n; j += columns) {
            obk_gemm_call part = *c;
            part.m = c->m - i < rows ? c->m - i : rows;
            part.n = c->n - j < columns ? c->n - j : columns;
            part.a = (const char *)c->a + (size_t)(i * c->a_row) * each;
            part.b = (const char *)c->b + (size_t)(j * c->b_column) * each;
            part.c = at(&p->c, i * c->c_row + j);
            if (p->has_d) part.d = at(&p->d, i * c->d_row + j * c->d_column);
            if (draw(2)) {
                part.a = a + (size_t)(i * c->k) * each;
                part.a_row = 0;
            }
            if (draw(2)) {
                part.b = b + (size_t)(j * c->k) * each;
                part.b_k = 0;
            }
            for (int64_t l = 0; l < part.m; l++)
                for (int64_t o = 0; o < part.n; o++) {
                    int64_t here = (i + l) * c->c_row + j + o;
                    set(&p->c, here, c->adds ? get(before, here) : (double)NAN); /* C is read only to be added to */
                }
            gemm->product(&part);
        }
    if (memcmp(p->c.memory, whole.memory, (size_t)whole.n * each) != 0)
        fail_msg("%s: %lld x %lld x %lld: other bits when cut into %lld x %lld", what, (long long)c->m, (long long)c->n,
                 (long long)c->k, (long long)rows, (long long)columns);
    free(whole.memory);
    free(a);
    free(b);
}

/* The first rows of a packed B give the bits that they give alone. */
static void check_first_rows(const obk_gemm *gemm, const product *p, const char *what) {
    obk_gemm_call c = p->call;
    const size_t each = width(&p->a);
    if (c.adds || c.k < 2) return;
    numbers alone = make(p->c.is_double, p->c.n), of_packed = make(p->c.is_double, p->c.n);
    char *b = aligned((size_t)(up(c.n, gemm->nr) * c.k) * each);
    gemm->pack_b(b, c.b, c.b_k, c.b_column, c.k, c.n);
    memcpy(of_packed.memory, alone.memory, (size_t)alone.n * each);
    c.b_rows = c.k;
    c.k = 1 + draw(c.k - 1);
    c.c = alone.memory;
    gemm->product(&c);
    c.b = b;
    c.b_k = 0;
    c.c = of_packed.memory;
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

/* The same product by OpenBLAS, where it takes it. */
static void check_blas(const product *p, const numbers *before) {
    product theirs = *p;
    obk_gemm_call *c = &theirs.call;
    c->panel = NULL;
    if (blas.n_copies == 0 || !ob__blas_takes(c)) return;
    theirs.c = make(p->c.is_double, p->c.n);
    c->c = theirs.c.memory;
    memcpy(theirs.c.memory, before->memory, (size_t)before->n * width(before));
    for (int64_t i = 0; i < c->m && !c->adds; i++) /* C is read only to be added to */
        for (int64_t j = 0; j < c->n; j++) set(&theirs.c, i * c->c_row + j, (double)NAN);
    ob__blas_product(&blas, p->c.is_double, c);
    check_result(&theirs, before, "OpenBLAS");
    free(theirs.c.memory);
    n_by_blas++;
}

/* What a sum of k products may be off by, in any order: a bound for each element, by OpenBLAS in double. */
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
                                 .c = sums,
                                 .c_row = c->n,
                                 .alpha = each};
    ob__blas_product(&blas, true, &sizes);
    free(a);
    free(b);
    return sums;
}

/* Products too large for sums in long double: our kernels beside OpenBLAS, which add in other orders. */
static void compare_large(const obk_gemm *gemm, bool is_double, int64_t m, int64_t n, int64_t k, const char *what) {
    product p = draw_product(is_double, m, n, k);
    while (!ob__blas_takes(&p.call)) {
        drop(&p);
        p = draw_product(is_double, m, n, k);
    }
    for (int64_t i = 0; i < p.a.n; i++)
        set(&p.a, i, (double)(draw(INT32_MAX) - INT32_MAX / 2) * 0x1p-29); /* many bits: sums round */
    for (int64_t i = 0; i < p.b.n; i++) set(&p.b, i, (double)(draw(INT32_MAX) - INT32_MAX / 2) * 0x1p-29);
    numbers theirs = make(is_double, p.c.n);
    memcpy(theirs.memory, p.c.memory, (size_t)p.c.n * width(&p.c));
    double *bounds = bounds_of(&p);
    p.call.panel = aligned(obk_panel_bytes(gemm, k));
    gemm->product(&p.call);
    free(p.call.panel);
    p.call.c = theirs.memory;
    ob__blas_product(&blas, is_double, &p.call);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double ours = get(&p.c, i * p.call.c_row + j), other = get(&theirs, i * p.call.c_row + j);
            double own = 8 * (is_double ? 0x1p-53 : 0x1p-24) * (fabs(ours) + 8); /* of D, of what C held, and of the end */
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
    assert_true(n_other_bits > 0); /* two different ways */
}

static void check_row(const obk_gemm *gemm, product *p, const char *what) {
    obk_gemm_call *c = &p->call;
    if (c->m != 1 || c->a_k != 1 || c->b_k != 1 || c->adds) return;
    numbers untouched = p->c;
    p->c = make(untouched.is_double, untouched.n);
    memcpy(p->c.memory, untouched.memory, (size_t)untouched.n * width(&untouched));
    gemm->row(p->c.memory, 1, c->a, c->b, c->b_column, c->n, c->k, c->alpha, c->beta, c->d, c->d_column);
    check_result(p, &untouched, what);
    numbers alone = make(untouched.is_double, 2);
    for (int64_t j = 0; j < c->n; j++) { /* each element has its bits wherever it stands, and whatever the steps */
        gemm->row(alone.memory, 2, c->a, (const char *)c->b + (size_t)(j * c->b_column) * width(&alone), 7, 1, c->k, c->alpha,
                  c->beta, p->has_d ? at(&p->d, j * c->d_column) : NULL, 0);
        if (!same(&alone, 0, &p->c, j)) fail_msg("%s: other bits of element %lld when it is alone", what, (long long)j);
    }
    free(alone.memory);
    free(untouched.memory);
}

static void one_round(const obk_table *table, bool is_double, int64_t m, int64_t n, int64_t k) {
    const obk_gemm *gemm = &table->gemm[is_double ? OBK_GEMM_DOUBLE : OBK_GEMM_FLOAT];
    char what[64];
    snprintf(what, sizeof what, "%s, %s", table->name, is_double ? "double" : "float");
    product p = draw_product(is_double, m, n, k);
    numbers untouched = make(is_double, p.c.n);
    memcpy(untouched.memory, p.c.memory, (size_t)p.c.n * width(&p.c));
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
}

static void test_products(void **state) {
    (void)state;
    each_level(products);
}

/* Infinities, NaN and -0 pass as a sum of products has them; where there is nothing to add, the result is 0 or beta * D. */
static void special(const obk_table *table) {
    const obk_gemm *gemm = &table->gemm[OBK_GEMM_FLOAT];
    float a[3] = {INFINITY, NAN, 1}, b[1] = {2}, c[3] = {7, 7, 7}, d = NAN;
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
                          .c = c,
                          .c_row = 1,
                          .alpha = 1,
                          .panel = panel};
    gemm->product(&call);
    assert_true(isinf(c[0]) && isnan(c[1]) && c[2] == 2);
    call.k = 0;
    gemm->product(&call);
    assert_true(c[0] == 0 && c[1] == 0 && c[2] == 0);
    call.d = &d;
    gemm->product(&call);
    assert_true(isnan(c[0]) && isnan(c[2]));
    free(panel);
}

/* The same by OpenBLAS: also NaN of D with a beta of 0, and no look at C. */
static void test_special_by_openblas(void **state) {
    (void)state;
    if (blas.n_copies == 0) skip();
    float a[3] = {INFINITY, NAN, 1}, b[1] = {2}, c[3] = {NAN, NAN, NAN}, d[3] = {1, 1, NAN};
    obk_gemm_call call = {
        .m = 3, .n = 1, .k = 1, .a = a, .a_row = 1, .a_k = 1, .b = b, .b_k = 1, .b_column = 1, .c = c, .c_row = 1, .alpha = 1};
    ob__blas_product(&blas, false, &call);
    assert_true(isinf(c[0]) && isnan(c[1]) && c[2] == 2);
    call.k = 0;
    ob__blas_product(&blas, false, &call);
    assert_true(c[0] == 0 && c[1] == 0 && c[2] == 0);
    call.d = d;
    call.d_row = 1;
    call.beta = 0;
    ob__blas_product(&blas, false, &call);
    assert_true(c[0] == 0 && c[1] == 0 && isnan(c[2]));
    call.alpha = 0; /* of A and B it would not look at, NaN of which our kernels keep */
    assert_false(ob__blas_takes(&call));
}

/* What cblas cannot take is left to our kernels. */
static void test_taken(void **state) {
    (void)state;
    const obk_gemm_call good = {.m = 4, .n = 5, .k = 6, .a_row = 6, .a_k = 1, .b_k = 5, .b_column = 1, .c_row = 5, .alpha = 1};
    obk_gemm_call call = good;
    assert_true(ob__blas_takes(&call));
    call.a_row = 0; /* packed, or a row for all */
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
    call.c_row = 4;
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
