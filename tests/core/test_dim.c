/* Dimension terms: normal form, division, broadcast terms, evaluation, text, limits. */
#include "core/dims/terms.h"
#include "shapes.h"

static void constants_need_no_pool(void **state) {
    (void)state;
    assert_int_equal(ob_dim_add(NULL, 2, 3), 5);
    assert_int_equal(ob_dim_sub(NULL, 2, 3), -1);
    assert_int_equal(ob_dim_mul(NULL, -4, 3), -12);
    assert_int_equal(ob_dim_div(NULL, 7, 2), 3);
    assert_int_equal(ob_dim_div(NULL, -7, 2), -4);
    assert_int_equal(ob_dim_div(NULL, 7, -2), -4);
    assert_int_equal(ob_dim_div(NULL, 6, -2), -3);
    assert_int_equal(ob_dim_div(NULL, 0, 5), 0);
    assert_true(ob_dim_div(NULL, 7, 0) == OB_DIM_UNKNOWN);
    assert_int_equal(ob_dim_ceil_div(NULL, 7, 2), 4);
    assert_int_equal(ob_dim_ceil_div(NULL, -7, 2), -3);
    assert_int_equal(ob_dim_ceil_div(NULL, 8, 2), 4);
    assert_true(ob_dim_ceil_div(NULL, 8, 0) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_ceil_div(NULL, 8, -1) == OB_DIM_UNKNOWN);
    assert_int_equal(ob_dim_div_exact(NULL, 12, 4), 3);
    assert_true(ob_dim_div_exact(NULL, 13, 4) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_div_exact(NULL, 0, 0) == OB_DIM_UNKNOWN);
    assert_int_equal(ob_dim_get_kind(NULL, 7), OB_DIM_KIND_CONST);
    assert_int_equal(ob_dim_get_kind(NULL, OB_DIM_UNKNOWN), OB_DIM_KIND_UNKNOWN);
    assert_text(NULL, 4, "4");
    assert_text(NULL, -1, "-1");
    assert_text(NULL, OB_DIM_UNKNOWN, "?");
}

static void constants_that_leave_their_range_are_unknown(void **state) {
    (void)state;
    assert_true(ob_dim_add(NULL, OB_DIM_CONST_MAX, 1) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_add(NULL, OB_DIM_CONST_MAX, OB_DIM_CONST_MAX) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_sub(NULL, -OB_DIM_CONST_MAX, OB_DIM_CONST_MAX) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_mul(NULL, OB_DIM_CONST_MAX, OB_DIM_CONST_MAX) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_mul(NULL, OB_DIM_CONST_MAX, 2) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_add(NULL, OB_DIM_UNKNOWN, 0) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_mul(NULL, OB_DIM_UNKNOWN, 1) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_mul(NULL, OB_DIM_UNKNOWN, 0) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_div(NULL, OB_DIM_UNKNOWN, 1) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_div_exact(NULL, OB_DIM_UNKNOWN, OB_DIM_UNKNOWN) == OB_DIM_UNKNOWN);
}

static void symbols_are_equal_by_name(void **state) {
    fixture *f = *state;
    assert_true(ob_dim_symbol(f->pool, "N") == f->n);
    assert_true(f->n != f->h);
    assert_true(ob_dim_is_term(f->n));
    assert_true(ob_dim_is_named(f->pool, f->n));
    assert_false(ob_dim_is_anonymous(f->pool, f->n));
    assert_true(ob_dim_symbol(f->pool, "") == OB_DIM_UNKNOWN);
    assert_true(ob_dim_symbol(f->pool, NULL) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_find(f->pool, "M") == f->m);
    assert_true(ob_dim_find(f->pool, "absent") == OB_DIM_UNKNOWN);
    assert_true(ob_dim_find(f->pool, "absent") == OB_DIM_UNKNOWN); /* the lookup does not create the symbol */
    assert_true(ob_dim_find(f->pool, "") == OB_DIM_UNKNOWN);
    assert_true(ob_dim_find(f->pool, NULL) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_find(NULL, "N") == OB_DIM_UNKNOWN);
    ob_dim a = ob_dim_fresh(f->pool), b = ob_dim_fresh(f->pool);
    assert_true(a != b);
    assert_text(f->pool, a, "?1");
    assert_text(f->pool, b, "?2");
    assert_true(ob_dim_is_anonymous(f->pool, a));
    assert_false(ob_dim_is_named(f->pool, a));
    assert_true(ob_dim_is_anonymous(f->pool, ob_dim_add(f->pool, f->n, a)));
    assert_true(ob_dim_is_anonymous(f->pool, OB_DIM_UNKNOWN));
    assert_false(ob_dim_is_anonymous(f->pool, 3));
    assert_int_equal(ob_dim_get_kind(f->pool, a), OB_DIM_KIND_SYMBOL);
    assert_int_equal(ob_dim_get_kind(f->pool, INT64_MAX), OB_DIM_KIND_UNKNOWN);
}

static void sums_and_products_have_one_form(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim n = f->n, h = f->h;
    assert_true(ob_dim_add(p, n, h) == ob_dim_add(p, h, n));
    assert_true(ob_dim_mul(p, n, h) == ob_dim_mul(p, h, n));
    assert_true(ob_dim_add(p, n, n) == ob_dim_mul(p, 2, n));
    assert_int_equal(ob_dim_sub(p, n, n), 0);
    assert_int_equal(ob_dim_mul(p, n, 0), 0);
    assert_true(ob_dim_sub(p, ob_dim_add(p, n, h), h) == n);
    assert_true(ob_dim_add(p, n, 0) == n);
    assert_true(ob_dim_add(p, 0, n) == n);
    assert_true(ob_dim_mul(p, n, 1) == n);
    /* (N + 1)(H + 2) = N*H + 2N + H + 2 */
    ob_dim product = ob_dim_mul(p, ob_dim_add(p, n, 1), ob_dim_add(p, h, 2));
    ob_dim sum = ob_dim_add(p, ob_dim_add(p, ob_dim_mul(p, n, h), ob_dim_mul(p, 2, n)), ob_dim_add(p, h, 2));
    assert_true(product == sum);
    assert_text(p, product, "N*H + 2*N + H + 2");
    assert_text(p, ob_dim_add(p, ob_dim_mul(p, 2, n), 1), "2*N + 1");
    assert_text(p, ob_dim_sub(p, 4, n), "4 - N");
    assert_text(p, ob_dim_sub(p, -4, n), "-N - 4");
    assert_text(p, ob_dim_sub(p, h, n), "H - N");
    assert_text(p, ob_dim_mul(p, n, n), "N*N");
    assert_text(p, ob_dim_mul(p, ob_dim_mul(p, n, h), -3), "-3*N*H");
    assert_int_equal(ob_dim_get_kind(p, sum), OB_DIM_KIND_SUM);
    /* (N - H)(N + H) loses the mixed product */
    assert_text(p, ob_dim_mul(p, ob_dim_sub(p, n, h), ob_dim_add(p, n, h)), "N*N - H*H");
}

static void broadcast_terms_are_sets(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim n = f->n, h = f->h, m = f->m, nh = ob_dim_bcast(p, n, h);
    assert_true(ob_dim_bcast(p, n, n) == n);
    assert_true(ob_dim_bcast(p, n, 1) == n);
    assert_true(ob_dim_bcast(p, 1, n) == n);
    assert_true(nh == ob_dim_bcast(p, h, n));
    assert_true(ob_dim_bcast(p, nh, n) == nh);
    assert_true(ob_dim_bcast(p, h, nh) == nh);
    assert_true(ob_dim_bcast(p, nh, m) == ob_dim_bcast(p, n, ob_dim_bcast(p, m, h)));
    assert_true(ob_dim_bcast(p, nh, ob_dim_bcast(p, h, m)) == ob_dim_bcast(p, nh, m));
    assert_int_equal(ob_dim_bcast(p, nh, 5), 5);
    assert_int_equal(ob_dim_bcast(p, 0, n), 0);
    assert_int_equal(ob_dim_bcast(p, 0, 1), 0);
    assert_int_equal(ob_dim_bcast(p, 0, 0), 0);
    assert_true(ob_dim_bcast(p, 0, 5) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_bcast(p, 4, 5) == OB_DIM_UNKNOWN);
    assert_int_equal(ob_dim_bcast(p, 4, OB_DIM_UNKNOWN), 4);
    assert_true(ob_dim_bcast(p, n, OB_DIM_UNKNOWN) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_bcast(p, OB_DIM_UNKNOWN, 1) == OB_DIM_UNKNOWN);
    assert_text(p, ob_dim_bcast(p, nh, m), "bcast(N, H, M)");
    assert_text(p, ob_dim_add(p, ob_dim_mul(p, nh, 2), 1), "2*bcast(N, H) + 1");
    assert_int_equal(ob_dim_get_kind(p, nh), OB_DIM_KIND_BCAST);
}

static void bounds_are_sound(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    const int64_t max = OB_DIM_CONST_MAX;
    assert_bounds(p, 5, 5, 5);
    assert_bounds(p, f->n, 0, max);
    assert_bounds(p, OB_DIM_UNKNOWN, -max, max);
    assert_bounds(p, ob_dim_add(p, f->n, 3), 3, max);
    assert_bounds(p, ob_dim_sub(p, 3, f->n), -max, 3);
    assert_bounds(p, ob_dim_sub(p, f->h, f->n), -max, max);
    assert_bounds(p, ob_dim_mul(p, f->h, f->n), 0, max);
    assert_bounds(p, ob_dim_div(p, ob_dim_add(p, f->n, 5), 2), 2, max);
    assert_bounds(p, ob_dim_div(p, ob_dim_sub(p, f->n, 1), 2), -1, max);
    assert_bounds(p, ob_dim_bcast(p, f->n, ob_dim_add(p, f->h, 2)), 0, max);
    assert_bounds(p, ob_dim_bcast(p, ob_dim_add(p, f->n, 4), ob_dim_add(p, f->h, 2)), 4, max);
    /* 2N may pass the range of constants, so taking a huge constant away proves nothing about the other side */
    assert_bounds(p, ob_dim_sub(p, ob_dim_mul(p, 2, f->n), max), -max, max);
}

static void minima_and_maxima_are_sets(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim n = f->n, h = f->h, m = f->m, nh = ob_dim_min(p, n, h), capped = ob_dim_min(p, n, 512);
    assert_int_equal(ob_dim_min(NULL, 3, -4), -4);
    assert_int_equal(ob_dim_max(NULL, 3, -4), 3);
    assert_true(ob_dim_min(p, n, n) == n);
    assert_true(nh == ob_dim_min(p, h, n));
    assert_true(nh != ob_dim_max(p, h, n));
    assert_true(ob_dim_min(p, nh, m) == ob_dim_min(p, n, ob_dim_min(p, m, h)));
    assert_true(ob_dim_min(p, ob_dim_min(p, n, 7), ob_dim_min(p, 5, h)) == ob_dim_min(p, nh, 5));
    assert_int_equal(ob_dim_get_kind(p, nh), OB_DIM_KIND_MIN);
    assert_int_equal(ob_dim_get_kind(p, ob_dim_max(p, n, h)), OB_DIM_KIND_MAX);
    assert_text(p, capped, "min(N, 512)");
    assert_text(p, ob_dim_max(p, ob_dim_max(p, h, 3), n), "max(N, H, 3)");
    /* members that another member or a bound makes superfluous */
    assert_true(ob_dim_min(p, n, ob_dim_add(p, n, h)) == n);
    assert_true(ob_dim_max(p, n, ob_dim_add(p, n, h)) == ob_dim_add(p, n, h));
    assert_int_equal(ob_dim_min(p, n, -1), -1);
    assert_true(ob_dim_max(p, n, 0) == n);
    assert_true(ob_dim_min(p, n, OB_DIM_CONST_MAX) == n);
    assert_true(ob_dim_min(p, n, ob_dim_max(p, n, h)) == n);
    assert_true(ob_dim_max(p, n, ob_dim_min(p, n, h)) == n);
    assert_int_equal(ob_dim_max(p, capped, 600), 600);
    /* a common part is moved outside */
    assert_text(p, ob_dim_min(p, ob_dim_add(p, n, 2), ob_dim_add(p, m, 5)), "min(N, M + 3) + 2");
    assert_true(ob_dim_sub(p, ob_dim_min(p, ob_dim_add(p, n, h), ob_dim_add(p, m, h)), h) == ob_dim_min(p, n, m));
    assert_true(ob_dim_add(p, ob_dim_min(p, ob_dim_sub(p, 5, n), m), n) == ob_dim_min(p, 5, ob_dim_add(p, m, n)));
    assert_true(ob_dim_min(p, ob_dim_mul(p, 2, n), 8) == ob_dim_mul(p, 2, ob_dim_min(p, n, 4)));
    ob_dim turned = ob_dim_max(p, ob_dim_sub(p, 0, n), -9); /* -min(N, 9) in another form: bounds see it */
    assert_bounds(p, ob_dim_add(p, turned, ob_dim_min(p, n, 9)), 0, 0);
    assert_true(ob_dim_min(p, ob_dim_sub(p, capped, 3), m) == ob_dim_min(p, ob_dim_min(p, ob_dim_sub(p, n, 3), 509), m));
    assert_true(ob_dim_min(p, n, OB_DIM_UNKNOWN) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_max(p, OB_DIM_UNKNOWN, 3) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_max(NULL, n, 3) == OB_DIM_UNKNOWN);
    /* a comparison as a number: 1 where N >= M, else 0 */
    ob_dim at_least = ob_dim_max(p, 0, ob_dim_min(p, 1, ob_dim_add(p, ob_dim_sub(p, n, m), 1)));
    for (int64_t a = 0; a < 5; a++)
        for (int64_t b = 0; b < 5; b++) {
            const ob_binding bindings[] = {{n, a}, {m, b}};
            int64_t value = -1;
            assert_int_equal(ob_dim_eval(p, at_least, bindings, 2, &value), OB_OK);
            assert_int_equal(value, a >= b);
            assert_int_equal(ob_dim_substitute(p, at_least, bindings, 2), a >= b);
        }
    assert_bounds(p, at_least, 0, 1);
}

static void bounds_see_what_monomials_share(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    const int64_t max = OB_DIM_CONST_MAX;
    ob_dim n = f->n, h = f->h, m = f->m, half = ob_dim_div(p, h, 2);
    assert_bounds(p, ob_dim_sub(p, h, ob_dim_mul(p, 2, half)), 0, 1);
    assert_bounds(p, ob_dim_sub(p, ob_dim_mul(p, 8, ob_dim_ceil_div(p, m, 8)), m), 0, 7);
    assert_bounds(p, ob_dim_sub(p, h, half), 0, max);
    /* floor((h + 1)/8) - 4*floor((h + 1)/32), the inner one of two roundings */
    ob_dim next = ob_dim_add(p, h, 1);
    assert_bounds(p, ob_dim_sub(p, ob_dim_div(p, next, 8), ob_dim_mul(p, 4, ob_dim_div(p, next, 32))), 0, 3);
    assert_bounds(p, ob_dim_mul(p, n, ob_dim_sub(p, h, ob_dim_mul(p, 2, half))), 0, max);
    assert_bounds(p, ob_dim_sub(p, n, ob_dim_min(p, n, 512)), 0, max);
    assert_bounds(p, ob_dim_sub(p, ob_dim_max(p, n, 5), n), 0, 5);
    assert_bounds(p, ob_dim_sub(p, ob_dim_min(p, n, h), ob_dim_max(p, n, h)), -max, 0);
    assert_bounds(p, ob_dim_min(p, n, 512), 0, 512);
    assert_bounds(p, ob_dim_max(p, ob_dim_sub(p, n, 7), -2), -2, max);
    assert_bounds(p, ob_dim_min(p, ob_dim_sub(p, 3, n), 5), -max, 3); /* not 5: one member has no low bound */
    ob_dim wide = ob_dim_bcast(p, ob_dim_add(p, n, 4), ob_dim_add(p, h, 2));
    assert_bounds(p, ob_dim_sub(p, wide, n), 4, max);
    assert_bounds(p, ob_dim_sub(p, ob_dim_bcast(p, n, h), n), -max, max); /* 0 wins over 1 */
}

static void evaluation_follows_the_bindings(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    const ob_binding bindings[] = {{f->n, 3}, {f->h, 7}, {f->m, 1}};
    int64_t value = -99;
    assert_int_equal(ob_dim_eval(p, ob_dim_mul(p, ob_dim_add(p, f->n, 1), f->h), bindings, 3, &value), OB_OK);
    assert_int_equal(value, 28);
    assert_int_equal(ob_dim_eval(p, ob_dim_div(p, ob_dim_sub(p, f->n, f->h), 3), bindings, 3, &value), OB_OK);
    assert_int_equal(value, -2);
    assert_int_equal(ob_dim_eval(p, ob_dim_bcast(p, f->n, f->m), bindings, 3, &value), OB_OK);
    assert_int_equal(value, 3);
    assert_int_equal(ob_dim_eval(p, 12, NULL, 0, &value), OB_OK);
    assert_int_equal(value, 12);
    assert_int_equal(ob_dim_eval(p, ob_dim_bcast(p, f->n, f->h), bindings, 3, &value), OB_E_SHAPE);
    assert_int_equal(ob_dim_eval(p, f->m, bindings, 2, &value), OB_E_NOT_FOUND);
    assert_int_equal(ob_dim_eval(p, OB_DIM_UNKNOWN, bindings, 3, &value), OB_E_NOT_FOUND);
    const ob_binding huge[] = {{f->n, OB_DIM_CONST_MAX}, {f->h, OB_DIM_CONST_MAX}, {f->m, -1}};
    assert_int_equal(ob_dim_eval(p, ob_dim_mul(p, f->n, f->h), huge, 3, &value), OB_E_LIMIT);
    assert_int_equal(ob_dim_eval(p, ob_dim_add(p, f->n, 1), huge, 3, &value), OB_E_LIMIT);
    assert_int_equal(ob_dim_eval(p, f->m, huge, 3, &value), OB_E_ARGUMENT);
    assert_int_equal(ob_dim_eval(p, f->n, NULL, 1, &value), OB_E_ARGUMENT);
    assert_int_equal(ob_dim_eval(p, f->n, bindings, 3, NULL), OB_E_ARGUMENT);
    assert_int_equal(value, 12); /* failures do not change the result */
}

static void broadcast_terms_of_size_0_follow_numpy(void **state) {
    fixture *f = *state;
    ob_dim nh = ob_dim_bcast(f->pool, f->n, f->h);
    static const struct {
        int64_t n, h, common; /* common -1: does not broadcast */
    } rows[] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}, {0, 5, -1}, {5, 0, -1}, {1, 5, 5}, {5, 5, 5}, {4, 5, -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ob_binding bindings[] = {{f->n, rows[i].n}, {f->h, rows[i].h}};
        int64_t value = -1;
        ob_status status = ob_dim_eval(f->pool, nh, bindings, 2, &value);
        assert_int_equal(status, rows[i].common < 0 ? OB_E_SHAPE : OB_OK);
        assert_int_equal(value, rows[i].common);
    }
}

static void substitution_normalises_again(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    const ob_binding n4[] = {{f->n, 4}};
    assert_true(ob_dim_substitute(p, ob_dim_add(p, f->n, f->h), n4, 1) == ob_dim_add(p, f->h, 4));
    assert_int_equal(ob_dim_substitute(p, ob_dim_div(p, ob_dim_add(p, f->n, 3), 2), n4, 1), 3);
    assert_int_equal(ob_dim_substitute(p, ob_dim_bcast(p, f->n, f->h), n4, 1), 4);
    assert_true(ob_dim_substitute(p, f->h, n4, 1) == f->h);
    assert_true(ob_dim_substitute(p, f->h, NULL, 0) == f->h);
    const ob_binding n1[] = {{f->n, 1}};
    assert_true(ob_dim_substitute(p, ob_dim_bcast(p, f->n, f->h), n1, 1) == f->h);
    const ob_binding clash[] = {{f->n, 4}, {f->h, 5}};
    assert_true(ob_dim_substitute(p, ob_dim_bcast(p, f->n, f->h), clash, 2) == OB_DIM_UNKNOWN);
    const ob_binding negative[] = {{f->n, -4}};
    assert_true(ob_dim_substitute(p, f->n, negative, 1) == OB_DIM_UNKNOWN);
}

typedef struct symbol_list {
    ob_dim items[8];
    size_t n, n_max;
} symbol_list;

static bool collect(void *context, ob_dim symbol) {
    symbol_list *list = context;
    list->items[list->n++] = symbol;
    return list->n < list->n_max;
}

static void symbols_come_once_each(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim d = ob_dim_add(p, ob_dim_mul(p, f->n, f->h), ob_dim_div(p, ob_dim_bcast(p, f->n, f->m), 2));
    symbol_list list = {.n_max = 8};
    ob_dim_symbols(p, d, collect, &list);
    assert_int_equal(list.n, 3);
    assert_true(list.items[0] == f->n && list.items[1] == f->h && list.items[2] == f->m);
    list = (symbol_list){.n_max = 2};
    ob_dim_symbols(p, d, collect, &list);
    assert_int_equal(list.n, 2);
    list = (symbol_list){.n_max = 8};
    ob_dim_symbols(p, 5, collect, &list);
    ob_dim_symbols(p, OB_DIM_UNKNOWN, collect, &list);
    assert_int_equal(list.n, 0);
}

/* Enough terms that the pool moves. */
static bool make_terms(void *context, ob_dim symbol) {
    fixture *f = context;
    ob_dim product = symbol;
    for (int i = 2; i < 2000; i++) product = ob_dim_add(f->pool, symbol, i);
    return product != OB_DIM_UNKNOWN;
}

static void terms_may_be_made_on_the_way(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim d = ob_dim_bcast(p, ob_dim_add(p, ob_dim_mul(p, f->n, f->h), 1), ob_dim_div(p, ob_dim_add(p, f->m, 1), 2));
    ob_dim_symbols(p, d, make_terms, f);
    symbol_list list = {.n_max = 8};
    ob_dim_symbols(p, d, collect, &list);
    assert_int_equal(list.n, 3);
}

static void odd_names_are_quoted(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    assert_text(p, ob_dim_symbol(p, "batch_size"), "batch_size");
    assert_text(p, ob_dim_symbol(p, "x[0]"), "x[0]"); /* a size without a name, by its place */
    assert_text(p, ob_dim_symbol(p, "x[]"), "\"x[]\"");
    /* words of the notation, and names that only begin like them */
    static const char *const words[] = {"and", "or",  "not", "if",   "in",    "is",   "never",
                                        "mod", "min", "max", "ceil", "floor", "bcast"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char quoted[20], longer[20];
        snprintf(quoted, sizeof quoted, "\"%s\"", words[i]);
        snprintf(longer, sizeof longer, "%s_", words[i]);
        assert_text(p, ob_dim_symbol(p, words[i]), quoted);
        assert_text(p, ob_dim_symbol(p, longer), longer);
    }
    assert_text(p, ob_dim_symbol(p, "x[0]y"), "\"x[0]y\"");
    assert_text(p, ob_dim_symbol(p, "a/b"), "\"a/b\""); /* otherwise "floor(a/2)" would be ambiguous */
    assert_text(p, ob_dim_symbol(p, "past + 1"), "\"past + 1\"");
    assert_text(p, ob_dim_symbol(p, "7"), "\"7\"");
    assert_text(p, ob_dim_symbol(p, "?1"), "\"?1\"");
    assert_text(p, ob_dim_symbol(p, "a\"b\\c"), "\"a\\\"b\\\\c\"");
    assert_text(p, ob_dim_symbol(p, "a\n\x1b[31m"), "\"a\\x0A\\x1B[31m\"");
    assert_text(p,
                ob_dim_symbol(p, "gr\xC3\xB6\xC3\x9F"
                                 "e"),
                "gr\xC3\xB6\xC3\x9F"
                "e");
    assert_text(p, ob_dim_symbol(p, "cut\xC3"), "\"cut\\xC3\"");
    assert_text(p, ob_dim_symbol(p, "\xED\xA0\x80"), "\"\\xED\\xA0\\x80\"");
}

static void text_is_cut_and_counted(void **state) {
    fixture *f = *state;
    ob_dim d = ob_dim_add(f->pool, f->n, 12345);
    char text[6];
    memset(text, 'x', sizeof text);
    assert_int_equal(ob_dim_format(f->pool, d, text, sizeof text), 9);
    assert_string_equal(text, "N + 1");
    assert_int_equal(ob_dim_format(f->pool, d, NULL, 0), 9);
    assert_int_equal(ob_dim_format(f->pool, d, text, 1), 9);
    assert_string_equal(text, "");
}

static void terms_stay_small(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    /* products of many sums, powers, nested quotients, many members: each ends in OB_DIM_UNKNOWN, and none grows without
     * limit */
    ob_dim power = f->n, product = 1, sum = 0, common = 1, nested = f->n, doubled = f->n, least = f->n, stacked = f->n;
    char name[16];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "s%d", i);
        ob_dim s = ob_dim_symbol(p, name);
        power = ob_dim_mul(p, power, f->n);
        product = ob_dim_mul(p, product, ob_dim_add(p, s, 1));
        sum = ob_dim_add(p, sum, s);
        common = ob_dim_bcast(p, common, s);
        nested = ob_dim_div(p, ob_dim_add(p, ob_dim_mul(p, nested, f->h), s), 2);
        doubled = ob_dim_mul(p, doubled, 2);
        least = ob_dim_min(p, least, s);
        stacked = i % 2 ? ob_dim_min(p, stacked, s) : ob_dim_max(p, stacked, s);
        if (i == 10) assert_true(ob_dim_is_term(least) && ob_dim_is_term(stacked));
        if (i == 31) assert_true(ob_dim_is_term(common));
        if (i == 32) assert_true(common == OB_DIM_UNKNOWN); /* an unknown size is never a member */
        if (i == 50) assert_true(ob_dim_is_term(sum));
    }
    assert_true(power == OB_DIM_UNKNOWN);
    assert_true(product == OB_DIM_UNKNOWN);
    assert_true(sum == OB_DIM_UNKNOWN);
    assert_true(common == OB_DIM_UNKNOWN);
    assert_true(nested == OB_DIM_UNKNOWN);
    assert_true(doubled == OB_DIM_UNKNOWN);
    assert_true(least == OB_DIM_UNKNOWN);
    assert_true(stacked == OB_DIM_UNKNOWN);
    assert_int_equal(ob_dims_status(p), OB_OK); /* too large is not a failure of the pool */
}

static void many_terms_keep_their_identity(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    enum { COUNT = 20000 };
    ob_dim *terms = malloc(COUNT * sizeof *terms);
    assert_non_null(terms);
    for (int64_t i = 0; i < COUNT; i++) terms[i] = ob_dim_add(p, ob_dim_mul(p, f->n, i + 1), i);
    for (int64_t i = 0; i < COUNT; i++) assert_true(ob_dim_add(p, ob_dim_mul(p, f->n, i + 1), i) == terms[i]);
    free(terms);
}

/* ---- Memory ---- */

typedef struct failing {
    int n_left;
} failing;

static void *failing_alloc(void *context, size_t n_bytes) {
    failing *f = context;
    return f->n_left-- > 0 ? malloc(n_bytes) : NULL;
}
static void *failing_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    (void)old_bytes;
    failing *f = context;
    return f->n_left-- > 0 ? realloc(block, new_bytes) : NULL;
}
static void failing_free(void *context, void *block, size_t n_bytes) {
    (void)context;
    (void)n_bytes;
    free(block);
}

static void want_of_memory_gives_unknown(void **state) {
    (void)state;
    bool succeeded = false;
    for (int n_allowed = 0; !succeeded && n_allowed < 100; n_allowed++) {
        failing context = {n_allowed};
        const ob_allocator allocator = {failing_alloc, failing_realloc, failing_free, &context};
        ob_dims *pool = NULL;
        if (ob_dims_create(&allocator, &pool) != OB_OK) {
            assert_null(pool);
            continue;
        }
        bool unknown = false;
        char name[16];
        for (int i = 0; i < 500; i++) {
            snprintf(name, sizeof name, "s%d", i);
            ob_dim s = ob_dim_symbol(pool, name), sum = ob_dim_add(pool, s, 1);
            unknown |= s == OB_DIM_UNKNOWN || sum == OB_DIM_UNKNOWN;
        }
        assert_int_equal(ob_dims_status(pool), unknown ? OB_E_MEMORY : OB_OK);
        succeeded = !unknown;
        ob_dims_destroy(&pool);
        assert_null(pool);
    }
    assert_true(succeeded);
    assert_int_equal(ob_dims_create(NULL, NULL), OB_E_ARGUMENT);
    ob_dims_destroy(NULL);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_need_no_pool),   cmocka_unit_test(constants_that_leave_their_range_are_unknown),
        WITH_POOL(symbols_are_equal_by_name),       WITH_POOL(sums_and_products_have_one_form),
        WITH_POOL(broadcast_terms_are_sets),        WITH_POOL(bounds_are_sound),
        WITH_POOL(minima_and_maxima_are_sets),      WITH_POOL(bounds_see_what_monomials_share),
        WITH_POOL(evaluation_follows_the_bindings), WITH_POOL(broadcast_terms_of_size_0_follow_numpy),
        WITH_POOL(substitution_normalises_again),   WITH_POOL(symbols_come_once_each),
        WITH_POOL(terms_may_be_made_on_the_way),    WITH_POOL(odd_names_are_quoted),
        WITH_POOL(text_is_cut_and_counted),         WITH_POOL(terms_stay_small),
        WITH_POOL(many_terms_keep_their_identity),  cmocka_unit_test(want_of_memory_gives_unknown),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
