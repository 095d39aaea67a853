/* Conditions on terms, decided by their difference as a polynomial. */
#include "core/dims/algebra.h"
#include "core/dims/scratch.h"

/* a - b as a polynomial. */
static bool subtract(const ob_dims *pool, ob_dim a, ob_dim b, ob_poly *difference) {
    OB_POLYS(pool, left, 2);
    ob_poly *right = left + 1;
    if (!left) return false;
    return ob__poly_load(pool, a, left) && ob__poly_load(pool, b, right) && ob__poly_add(left, right, -1, difference);
}

/* Is poly a multiple of divisor (> 0)? */
static ob_truth decide_multiple(const ob_poly *poly, int64_t divisor) {
    int64_t gcd = ob__poly_gcd(poly, divisor);
    if (poly->constant % gcd != 0) return OB_FALSE;
    return gcd == divisor ? OB_TRUE : OB_UNDECIDED;
}

/* Is a a multiple of b, which is a term? With a = b*q + r it is where r is. */
static ob_truth decide_multiple_of_term(const ob_dims *pool, ob_dim a, ob_dim b) {
    int64_t low, high, rest_low, rest_high;
    OB_POLYS(pool, dividend, 4);
    ob_poly *divisor = dividend + 1, *quotient = dividend + 2, *rest = dividend + 3;
    if (!dividend) return OB_UNDECIDED;
    ob_dim_bounds(pool, b, &low, &high);
    if (high < 1) return OB_FALSE;
    if (low < 1 || !ob__poly_load(pool, a, dividend) || !ob__poly_load(pool, b, divisor)) return OB_UNDECIDED;
    if (!ob__poly_divide(pool, dividend, divisor, quotient, rest)) return OB_UNDECIDED;
    if (rest->n == 0 && rest->constant == 0) return OB_TRUE;
    ob__poly_bounds(pool, rest, NULL, &rest_low, &rest_high);
    /* a rest that is not 0 and stays nearer to 0 than b does */
    bool beside = rest_low > 0 || rest_high < 0, near = rest_high < low && rest_low > -low;
    return beside && near ? OB_FALSE : OB_UNDECIDED;
}

static ob_truth decide_zero(const ob_dims *pool, const ob_poly *poly) {
    if (poly->n == 0) return poly->constant == 0 ? OB_TRUE : OB_FALSE;
    int64_t low, high, gcd = ob__poly_gcd(poly, 0);
    ob__poly_bounds(pool, poly, NULL, &low, &high);
    if (low > 0 || high < 0 || poly->constant % gcd != 0) return OB_FALSE;
    return low == 0 && high == 0 ? OB_TRUE : OB_UNDECIDED;
}

ob_truth ob__terms_equal(const ob_dims *pool, ob_dim a, ob_dim b) {
    OB_POLYS(pool, difference, 1);
    if (!difference) return OB_UNDECIDED;
    return subtract(pool, a, b, difference) ? decide_zero(pool, difference) : OB_UNDECIDED;
}

ob_truth ob__terms_divisible(const ob_dims *pool, ob_dim a, ob_dim b) {
    if (!ob_dim_is_const(b)) return decide_multiple_of_term(pool, a, b);
    OB_POLYS(pool, poly, 1);
    return poly && ob__poly_load(pool, a, poly) ? decide_multiple(poly, b) : OB_UNDECIDED;
}

ob_truth ob__terms_at_least(const ob_dims *pool, ob_dim a, ob_dim b) {
    int64_t low, high;
    OB_POLYS(pool, difference, 1);
    if (!difference || !subtract(pool, a, b, difference)) return OB_UNDECIDED;
    ob__poly_bounds(pool, difference, NULL, &low, &high);
    return low >= 0 ? OB_TRUE : high < 0 ? OB_FALSE : OB_UNDECIDED;
}

ob_truth ob__terms_assumed(const ob_dims *pool, const ob_condition *condition, const ob_size_ranges *ranges) {
    int64_t low, high;
    OB_POLYS(pool, poly, 1);
    if (!poly || !subtract(pool, condition->a, condition->b, poly)) return OB_UNDECIDED;
    ob__poly_bounds(pool, poly, ranges, &low, &high);
    switch (condition->kind) {
    case OB_COND_EQUAL: return low > 0 || high < 0 ? OB_FALSE : low == 0 && high == 0 ? OB_TRUE : OB_UNDECIDED;
    case OB_COND_AT_LEAST: return low >= 0 ? OB_TRUE : high < 0 ? OB_FALSE : OB_UNDECIDED;
    default: return OB_UNDECIDED;
    }
}
