/* Quotients of terms: normal form, remainders, exact division, bounds. */
#include "core/dims/terms.h"
#include "shapes.h"

static void quotients_pull_out_what_divides(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim n = f->n, h = f->h;
    ob_dim twice_plus_1 = ob_dim_add(p, ob_dim_mul(p, 2, n), 1);
    assert_true(ob_dim_div(p, twice_plus_1, 2) == n);
    assert_true(ob_dim_div(p, n, 1) == n);
    assert_text(p, ob_dim_div(p, ob_dim_add(p, h, 1), 2), "ceil(H/2)");
    assert_text(p, ob_dim_div(p, h, 2), "floor(H/2)");
    /* floor((3N + 5)/2) = N + 2 + floor((N + 1)/2) */
    assert_text(p, ob_dim_div(p, ob_dim_add(p, ob_dim_mul(p, 3, n), 5), 2), "N + ceil(N/2) + 2");
    assert_true(ob_dim_add(p, ob_dim_div(p, ob_dim_sub(p, h, 1), 2), 1) == ob_dim_div(p, ob_dim_add(p, h, 1), 2));
    assert_true(ob_dim_ceil_div(p, h, 2) == ob_dim_div(p, ob_dim_add(p, h, 1), 2));
    /* floor((2N + 1)/4) = floor(N/2) */
    assert_true(ob_dim_div(p, twice_plus_1, 4) == ob_dim_div(p, n, 2));
    /* nested: floor(floor(H/2)/3) = floor(H/6); floor((floor(H/2) + 1)/2) = floor((H + 2)/4) */
    assert_true(ob_dim_div(p, ob_dim_div(p, h, 2), 3) == ob_dim_div(p, h, 6));
    assert_true(ob_dim_div(p, ob_dim_add(p, ob_dim_div(p, h, 2), 1), 2) == ob_dim_div(p, ob_dim_add(p, h, 2), 4));
    /* floor(2*floor(H/3)/4) = floor(H/6) */
    assert_true(ob_dim_div(p, ob_dim_mul(p, 2, ob_dim_div(p, h, 3)), 4) == ob_dim_div(p, h, 6));
    assert_true(ob_dim_div(p, n, -2) == ob_dim_div(p, ob_dim_sub(p, 0, n), 2));
    assert_int_equal(ob_dim_get_kind(p, ob_dim_div(p, h, 2)), OB_DIM_KIND_DIV);
    assert_true(ob_dim_div(p, h, 0) == OB_DIM_UNKNOWN);
}

static void quotients_have_one_form(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim n = f->n, h = f->h, m = f->m;
    /* two forms of rounding up: ceil(H/7) = -floor(-H/7) = H - floor(6*H/7) */
    ob_dim six_sevenths = ob_dim_div(p, ob_dim_mul(p, 6, h), 7), up = ob_dim_ceil_div(p, h, 7);
    assert_true(ob_dim_sub(p, h, six_sevenths) == up);
    assert_true(ob_dim_sub(p, 0, ob_dim_div(p, h, -7)) == up);
    assert_text(p, ob_dim_mul(p, 7, up), "7*ceil(H/7)");
    assert_text(p, six_sevenths, "H - ceil(H/7)");
    /* a quotient in a sum: floor((floor(x/2) + x)/2) = floor(3*x/4); floor((x - floor(x/3))/5) = floor(2*(x + 1)/15) */
    assert_true(ob_dim_div(p, ob_dim_add(p, ob_dim_div(p, h, 2), h), 2) == ob_dim_div(p, ob_dim_mul(p, 3, h), 4));
    assert_true(ob_dim_div(p, ob_dim_sub(p, h, ob_dim_div(p, h, 3)), 5) ==
                ob_dim_div(p, ob_dim_mul(p, 2, ob_dim_add(p, h, 1)), 15));
    assert_true(ob_dim_ceil_div(p, up, 2) == ob_dim_ceil_div(p, h, 14));
    assert_true(ob_dim_div(p, ob_dim_add(p, ob_dim_mul(p, 3, ob_dim_div(p, h, 2)), n), 2) ==
                ob_dim_add(p, ob_dim_div(p, h, 2), ob_dim_div(p, ob_dim_add(p, h, ob_dim_mul(p, 2, n)), 4)));
    /* rounding is monotone */
    assert_text(p, ob_dim_div(p, ob_dim_min(p, n, 512), 3), "min(floor(N/3), 170)");
    assert_true(ob_dim_div(p, ob_dim_max(p, n, h), 4) == ob_dim_max(p, ob_dim_div(p, h, 4), ob_dim_div(p, n, 4)));
    assert_true(ob_dim_div(p, ob_dim_sub(p, m, ob_dim_min(p, n, 9)), 2) ==
                ob_dim_max(p, ob_dim_div(p, ob_dim_sub(p, m, n), 2), ob_dim_div(p, ob_dim_sub(p, m, 9), 2)));
    /* below 0 too */
    const ob_binding h5[] = {{h, 5}};
    assert_int_equal(ob_dim_substitute(p, ob_dim_div(p, ob_dim_sub(p, 2, h), 2), h5, 1), -2);
}

static void quotients_by_terms_have_one_form(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim n = f->n, h = f->h, m = f->m, by_m = ob_dim_quotient(p, n, m), twice_m = ob_dim_mul(p, 2, m);
    assert_int_equal(ob_dim_get_kind(p, by_m), OB_DIM_KIND_QUOTIENT);
    assert_text(p, by_m, "floor(N/M)");
    /* constants */
    assert_int_equal(ob_dim_quotient(NULL, 7, 2), 3);
    assert_int_equal(ob_dim_quotient(NULL, -7, 2), -4);
    assert_true(ob_dim_quotient(p, n, 4) == ob_dim_div(p, n, 4));
    assert_true(ob_dim_quotient(p, n, 1) == n);
    assert_true(ob_dim_quotient(p, n, 0) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_quotient(p, n, -2) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_quotient(p, OB_DIM_UNKNOWN, m) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_quotient(p, n, OB_DIM_UNKNOWN) == OB_DIM_UNKNOWN);
    assert_int_equal(ob_dim_quotient(p, 0, m), 0);
    assert_int_equal(ob_dim_quotient(p, -1, m), -1);
    /* multiples of the divisor leave the quotient */
    assert_int_equal(ob_dim_quotient(p, n, n), 1);
    assert_true(ob_dim_quotient(p, ob_dim_mul(p, n, m), m) == n);
    assert_true(ob_dim_quotient(p, ob_dim_add(p, n, twice_m), m) == ob_dim_add(p, by_m, 2));
    assert_true(ob_dim_quotient(p, ob_dim_sub(p, n, ob_dim_mul(p, h, m)), m) == ob_dim_sub(p, by_m, h));
    assert_true(ob_dim_quotient(p, ob_dim_mul(p, 6, n), ob_dim_mul(p, 6, m)) == by_m);
    assert_true(ob_dim_quotient(p, ob_dim_mul(p, h, n), ob_dim_mul(p, h, m)) == by_m);
    assert_true(ob_dim_quotient(p, ob_dim_mul(p, 3, ob_dim_mul(p, n, m)), twice_m) == ob_dim_div(p, ob_dim_mul(p, 3, n), 2));
    assert_text(p, ob_dim_quotient(p, ob_dim_add(p, ob_dim_mul(p, 4, n), 7), twice_m), "floor((2*N + 3)/M)");
    assert_text(p, ob_dim_quotient(p, 7, twice_m), "floor(3/M)");
    ob_dim sum = ob_dim_add(p, h, m), by_sum = ob_dim_quotient(p, h, sum);
    assert_text(p, by_sum, "floor(H/(H + M))");
    assert_true(ob_dim_quotient(p, ob_dim_add(p, h, ob_dim_mul(p, 3, sum)), sum) == ob_dim_add(p, by_sum, 3));
    assert_true(ob_dim_quotient(p, ob_dim_mul(p, ob_dim_add(p, n, 2), sum), sum) == ob_dim_add(p, n, 2));
    /* quotients with only one value */
    assert_int_equal(ob_dim_quotient(p, n, ob_dim_add(p, n, 1)), 0);
    assert_int_equal(ob_dim_quotient(p, ob_dim_sub(p, n, 1), n), 0);
    assert_int_equal(ob_dim_quotient(p, ob_dim_min(p, n, 3), ob_dim_add(p, m, 4)), 0);
    assert_int_equal(ob_dim_quotient(p, ob_dim_sub(p, ob_dim_min(p, n, 3), 4), ob_dim_add(p, m, 4)), -1);
    /* nested */
    assert_true(ob_dim_quotient(p, by_m, h) == ob_dim_quotient(p, n, ob_dim_mul(p, m, h)));
    assert_true(ob_dim_div(p, by_m, 2) == ob_dim_quotient(p, n, twice_m));
    assert_true(ob_dim_quotient(p, ob_dim_div(p, n, 2), m) == ob_dim_quotient(p, n, twice_m));
    assert_true(ob_dim_quotient(p, ob_dim_add(p, by_m, 1), h) == ob_dim_quotient(p, ob_dim_add(p, n, m), ob_dim_mul(p, m, h)));
    /* remainders */
    assert_text(p, ob_dim_sub(p, n, ob_dim_mul(p, m, by_m)), "N % M");
    assert_text(p, ob_dim_add(p, h, ob_dim_mul(p, 2, ob_dim_sub(p, n, ob_dim_mul(p, m, by_m)))), "2*(N % M) + H");
    assert_text(p, ob_dim_sub(p, n, ob_dim_mul(p, twice_m, ob_dim_quotient(p, n, twice_m))), "N % (2*M)");
}

static void quotients_by_terms_are_undefined_below_1(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim ratio = ob_dim_quotient(p, f->n, f->m), apart = ob_dim_quotient(p, f->n, ob_dim_sub(p, f->h, f->m));
    ob_binding at[] = {{f->n, 17}, {f->m, 4}, {f->h, 6}};
    int64_t value = 0;
    assert_int_equal(ob_dim_eval(p, ratio, at, 3, &value), OB_OK);
    assert_int_equal(value, 4);
    assert_int_equal(ob_dim_eval(p, apart, at, 3, &value), OB_OK);
    assert_int_equal(value, 8);
    assert_true(ob_dim_substitute(p, ratio, &at[1], 1) == ob_dim_div(p, f->n, 4));
    assert_true(ob_dim_substitute(p, ratio, &at[0], 1) == ob_dim_quotient(p, 17, f->m));
    assert_int_equal(ob_dim_substitute(p, ratio, at, 3), 4);
    at[1].size = 0;
    assert_int_equal(ob_dim_eval(p, ratio, at, 3, &value), OB_E_SHAPE);
    assert_true(ob_dim_substitute(p, ratio, &at[1], 1) == OB_DIM_UNKNOWN);
    at[1].size = 9;
    assert_int_equal(ob_dim_eval(p, apart, at, 3, &value), OB_E_SHAPE);
    assert_true(ob_dim_substitute(p, apart, &at[1], 2) == OB_DIM_UNKNOWN);
    /* both sides of a quotient may be negative, and a common factor is not cancelled */
    const ob_binding and_1[] = {at[0], at[1], at[2], {ob_dim_symbol(p, "K"), 1}};
    ob_dim below = ob_dim_quotient(p, ob_dim_sub(p, f->h, 9), and_1[3].symbol);
    ob_dim product = ob_dim_mul(p, below, f->n), other = ob_dim_mul(p, below, ob_dim_sub(p, 1, f->m));
    assert_int_equal(ob_dim_eval(p, ob_dim_quotient(p, product, other), and_1, 4, &value), OB_OK);
    assert_int_equal(value, -3);
    at[1].symbol = f->n;
    assert_int_equal(ob_dim_eval(p, ratio, at, 2, &value), OB_E_NOT_FOUND);
}

static void bounds_of_quotients_by_terms(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    const int64_t max = OB_DIM_CONST_MAX;
    ob_dim n = f->n, m = f->m, ratio = ob_dim_quotient(p, n, m), few = ob_dim_min(p, n, 20), many = ob_dim_add(p, m, 3);
    assert_bounds(p, ratio, 0, max);
    assert_bounds(p, ob_dim_quotient(p, few, m), 0, 20);
    assert_bounds(p, ob_dim_quotient(p, few, many), 0, 6);
    assert_bounds(p, ob_dim_quotient(p, ob_dim_add(p, n, 20), ob_dim_add(p, ob_dim_min(p, m, 4), 1)), 4, max);
    assert_bounds(p, ob_dim_quotient(p, ob_dim_sub(p, few, 30), many), -10, -1);
    assert_bounds(p, ob_dim_quotient(p, ob_dim_sub(p, few, 10), many), -4, 3);
    /* common factors */
    assert_bounds(p, ob_dim_sub(p, n, ratio), 0, max);
    assert_bounds(p, ob_dim_sub(p, n, ob_dim_mul(p, m, ratio)), 0, max);
    assert_bounds(p, ob_dim_sub(p, ob_dim_sub(p, n, ob_dim_mul(p, m, ratio)), m), -max, -1);
}

static void remainders_and_roundings_have_names(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim n = f->n, h = f->h, next = ob_dim_add(p, h, 1);
    ob_dim even = ob_dim_sub(p, h, ob_dim_mul(p, 2, ob_dim_div(p, h, 2)));
    ob_dim arc = ob_dim_sub(p, next, ob_dim_mul(p, 32, ob_dim_div(p, next, 32)));
    assert_text(p, even, "H % 2");
    assert_text(p, arc, "(H + 1) % 32");
    assert_text(p, ob_dim_add(p, ob_dim_mul(p, 3, arc), n), "3*((H + 1) % 32) + N");
    assert_text(p, ob_dim_sub(p, even, 5), "(H % 2) - 5");
    assert_text(p, ob_dim_sub(p, ob_dim_mul(p, 8, ob_dim_ceil_div(p, n, 8)), n), "8*ceil(N/8) - N");
    assert_text(p, ob_dim_ceil_div(p, ob_dim_add(p, n, h), 7), "ceil((N + H)/7)");
    assert_text(p, ob_dim_div(p, ob_dim_mul(p, 2, n), 5), "floor(2*N/5)");
    assert_text(p, ob_dim_div(p, ob_dim_add(p, n, 1), 5), "floor((N + 1)/5)");
    assert_text(p, ob_dim_sub(p, n, ob_dim_mul(p, 4, ob_dim_div(p, h, 2))), "N - 4*floor(H/2)");
}

static void exact_division_finds_factors(void **state) {
    fixture *f = *state;
    ob_dims *p = f->pool;
    ob_dim n = f->n, h = f->h, nh = ob_dim_mul(p, n, h);
    assert_true(ob_dim_div_exact(p, nh, n) == h);
    assert_true(ob_dim_div_exact(p, nh, h) == n);
    assert_int_equal(ob_dim_div_exact(p, nh, nh), 1);
    assert_true(ob_dim_div_exact(p, nh, 1) == nh);
    assert_int_equal(ob_dim_div_exact(p, ob_dim_mul(p, nh, 768), ob_dim_mul(p, nh, 12)), 64);
    assert_true(ob_dim_div_exact(p, ob_dim_mul(p, nh, 768), 64) == ob_dim_mul(p, nh, 12));
    assert_true(ob_dim_div_exact(p, n, h) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_div_exact(p, ob_dim_mul(p, nh, 10), 3) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_div_exact(p, n, 0) == OB_DIM_UNKNOWN);
    assert_true(ob_dim_div_exact(p, 6, n) == OB_DIM_UNKNOWN);
    assert_int_equal(ob_dim_div_exact(p, 0, n), 0);
    ob_dim sum = ob_dim_add(p, n, 1), other = ob_dim_sub(p, h, 3);
    assert_true(ob_dim_div_exact(p, ob_dim_mul(p, sum, other), sum) == other);
    assert_true(ob_dim_div_exact(p, ob_dim_add(p, ob_dim_mul(p, sum, other), 1), sum) == OB_DIM_UNKNOWN);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        WITH_POOL(quotients_pull_out_what_divides),  WITH_POOL(quotients_have_one_form),
        WITH_POOL(quotients_by_terms_have_one_form), WITH_POOL(quotients_by_terms_are_undefined_below_1),
        WITH_POOL(bounds_of_quotients_by_terms),     WITH_POOL(remainders_and_roundings_have_names),
        WITH_POOL(exact_division_finds_factors),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
