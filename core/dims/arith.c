/* Arithmetic on dimensions: of numbers here, of terms in algebra.c. */
#include "core/base/integers.h"
#include "core/dims/algebra.h"

/* A result of constants, unless it left their range. */
static ob_dim checked(int64_t value) {
    return ob_dim_is_const(value) ? value : OB_DIM_UNKNOWN;
}

ob_dim ob_dim_add(ob_dims *pool, ob_dim a, ob_dim b) {
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) return checked(a + b);
    if (a == 0 && ob__term(pool, b)) return b;
    if (b == 0 && ob__term(pool, a)) return a;
    return ob__terms_add(pool, a, b, 1);
}

ob_dim ob_dim_sub(ob_dims *pool, ob_dim a, ob_dim b) {
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) return checked(a - b);
    if (b == 0 && ob__term(pool, a)) return a;
    return ob__terms_add(pool, a, b, -1);
}

ob_dim ob_dim_mul(ob_dims *pool, ob_dim a, ob_dim b) {
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) {
        int64_t product;
        return ob__mul_overflows(a, b, &product) ? OB_DIM_UNKNOWN : checked(product);
    }
    if (a == 1 && ob__term(pool, b)) return b;
    if (b == 1 && ob__term(pool, a)) return a;
    return ob__terms_mul(pool, a, b);
}

ob_dim ob_dim_div(ob_dims *pool, ob_dim a, int64_t divisor) {
    if (divisor == 0 || !ob_dim_is_const(divisor)) return OB_DIM_UNKNOWN;
    if (ob_dim_is_const(a)) return ob__floor_div(a, divisor);
    if (divisor == 1) return ob__term(pool, a) ? a : OB_DIM_UNKNOWN;
    return ob__terms_div(pool, a, divisor);
}

ob_dim ob_dim_ceil_div(ob_dims *pool, ob_dim a, int64_t divisor) {
    if (divisor <= 0 || !ob_dim_is_const(divisor)) return OB_DIM_UNKNOWN;
    if (ob_dim_is_const(a)) return ob__ceil_div(a, divisor);
    return ob_dim_div(pool, ob_dim_add(pool, a, divisor - 1), divisor);
}

ob_dim ob_dim_div_exact(ob_dims *pool, ob_dim a, ob_dim b) {
    if (b == 0) return OB_DIM_UNKNOWN;
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) return a % b == 0 ? a / b : OB_DIM_UNKNOWN;
    if (b == 1 || b == a) return !ob__term(pool, a) ? OB_DIM_UNKNOWN : b == 1 ? a : 1;
    return ob__terms_div_exact(pool, a, b);
}

ob_dim ob_dim_quotient(ob_dims *pool, ob_dim a, ob_dim b) {
    if (ob_dim_is_const(b)) return b < 1 ? OB_DIM_UNKNOWN : ob_dim_div(pool, a, b);
    return ob__terms_quotient(pool, a, b);
}

ob_dim ob_dim_bcast(ob_dims *pool, ob_dim a, ob_dim b) {
    if (a == b || b == 1) return a;
    if (a == 1) return b;
    if (ob_dim_is_const(a)) return ob_dim_is_const(b) ? OB_DIM_UNKNOWN : a;
    if (ob_dim_is_const(b)) return b;
    if (!ob__term(pool, a) || !ob__term(pool, b)) return OB_DIM_UNKNOWN;
    return ob__terms_bcast(pool, a, b);
}

static ob_dim extreme(ob_dims *pool, ob_dim_kind kind, ob_dim a, ob_dim b) {
    if (a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) return (a < b) == (kind == OB_DIM_KIND_MIN) ? a : b;
    if (!ob_dim_is_const(a) && !ob__term(pool, a)) return OB_DIM_UNKNOWN;
    if (!ob_dim_is_const(b) && !ob__term(pool, b)) return OB_DIM_UNKNOWN;
    return a == b ? a : ob__terms_extreme(pool, kind, a, b);
}

ob_dim ob_dim_min(ob_dims *pool, ob_dim a, ob_dim b) {
    return extreme(pool, OB_DIM_KIND_MIN, a, b);
}

ob_dim ob_dim_max(ob_dims *pool, ob_dim a, ob_dim b) {
    return extreme(pool, OB_DIM_KIND_MAX, a, b);
}
