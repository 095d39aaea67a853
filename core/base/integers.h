/* Arithmetic on integers that C's operators do not have: division with a chosen rounding, common divisors, checked and
 * saturating results. */
#ifndef OB_CORE_BASE_INTEGERS_H
#define OB_CORE_BASE_INTEGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- division ----
 * The divisor is not 0. No sum is formed that could overflow, so any dividend is allowed, except INT64_MIN by -1. */

static inline int64_t ob__least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* a / b rounded down. */
static inline int64_t ob__floor_div(int64_t a, int64_t b) {
    int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
/* a / b rounded up: the number of parts of size b that cover a. */
static inline int64_t ob__ceil_div(int64_t a, int64_t b) {
    int64_t quotient = a / b;
    return a % b != 0 && (a < 0) == (b < 0) ? quotient + 1 : quotient;
}
static inline uint64_t ob__ceil_div_u64(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}
/* The least multiple of `unit` that is n or more. It must fit. */
static inline int64_t ob__round_up(int64_t n, int64_t unit) {
    return ob__ceil_div(n, unit) * unit;
}
/* The same; a multiple that does not fit wraps around. */
static inline uint64_t ob__round_up_u64(uint64_t n, uint64_t unit) {
    return ob__ceil_div_u64(n, unit) * unit;
}

/* ---- divisors ---- */

/* The greatest common divisor, 0 or more; 0 only for two zeros. Neither is INT64_MIN. */
static inline int64_t ob__gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t remainder = a % b;
        a = b;
        b = remainder;
    }
    return a < 0 ? -a : a;
}
/* The x in 0 .. mod - 1 with a * x = gcd(a, mod) modulo mod. a is 0 or more, mod above 0. */
static inline int64_t ob__inverse(int64_t a, int64_t mod) {
    int64_t r0 = mod, r1 = a % mod, t0 = 0, t1 = 1;
    while (r1) {
        int64_t quotient = r0 / r1, r2 = r0 - quotient * r1, t2 = t0 - quotient * t1;
        r0 = r1;
        r1 = r2;
        t0 = t1;
        t1 = t2;
    }
    return t0 < 0 ? t0 + mod : t0;
}

/* ---- checked: true if the result does not fit, *out then wraps around ---- */

static inline bool ob__mul_overflows(int64_t a, int64_t b, int64_t *out) {
    return __builtin_mul_overflow(a, b, out);
}
static inline bool ob__add_overflows(int64_t a, int64_t b, int64_t *out) {
    return __builtin_add_overflow(a, b, out);
}
static inline bool ob__size_mul_overflows(size_t a, size_t b, size_t *out) {
    return __builtin_mul_overflow(a, b, out);
}

/* ---- saturating: a result that does not fit becomes the largest number ---- */

/* Of two numbers that are 0 or more. */
static inline int64_t ob__mul_sat_i64(int64_t a, int64_t b) {
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}
static inline uint64_t ob__mul_sat(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}
static inline uint64_t ob__add_sat(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* ---- integers from doubles: truncated; beyond the range the nearest integer, NaN gives 0 ---- */

static inline int64_t ob__int64_from(double value) {
    return value >= 0x1p63 ? INT64_MAX : value <= -0x1p63 ? INT64_MIN : value == value ? (int64_t)value : 0;
}
static inline uint64_t ob__uint64_from(double value) {
    return value >= 0x1p64 ? UINT64_MAX : value > 0 ? (uint64_t)value : 0;
}

#endif
