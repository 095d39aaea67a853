/* core/base/integers.h at 0, 1 and the limits, and compared with plain definitions for small numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/integers.h"

static void small_quotients_are_rounded(void **state) {
    (void)state;
    for (int64_t a = -40; a <= 40; a++)
        for (int64_t b = -9; b <= 9; b++) {
            if (b == 0) continue;
            int64_t low = -100;
            while (b > 0 ? (low + 1) * b <= a : (low + 1) * b >= a) low++; /* the last quotient that is not above a / b */
            assert_int_equal(ob__floor_div(a, b), low);
            assert_int_equal(ob__ceil_div(a, b), low + (low * b != a));
            if (b > 0) assert_int_equal(ob__round_up(a, b), ob__ceil_div(a, b) * b);
            if (a < 0 || b < 0) continue;
            assert_int_equal(ob__ceil_div_u64((uint64_t)a, (uint64_t)b), ob__ceil_div(a, b));
            assert_int_equal(ob__round_up_u64((uint64_t)a, (uint64_t)b), ob__round_up(a, b));
        }
}

static void quotients_at_the_limits(void **state) {
    (void)state;
    assert_true(ob__ceil_div(INT64_MAX, 1) == INT64_MAX);
    assert_true(ob__ceil_div(INT64_MAX, 2) == INT64_MAX / 2 + 1);
    assert_true(ob__ceil_div(INT64_MAX, INT64_MAX) == 1);
    assert_true(ob__ceil_div(1, INT64_MAX) == 1);
    assert_true(ob__ceil_div(0, INT64_MAX) == 0);
    assert_true(ob__ceil_div(-1, INT64_MAX) == 0);
    assert_true(ob__ceil_div(INT64_MIN, 1) == INT64_MIN);
    assert_true(ob__ceil_div(INT64_MIN, INT64_MAX) == -1);
    assert_true(ob__floor_div(INT64_MIN, 1) == INT64_MIN);
    assert_true(ob__floor_div(INT64_MIN, INT64_MAX) == -2);
    assert_true(ob__floor_div(INT64_MAX, INT64_MIN) == -1);
    assert_true(ob__ceil_div_u64(UINT64_MAX, 2) == UINT64_MAX / 2 + 1);
    assert_true(ob__ceil_div_u64(UINT64_MAX, UINT64_MAX) == 1);
    assert_true(ob__round_up(INT64_MAX, INT64_MAX) == INT64_MAX);
    assert_true(ob__round_up(INT64_MAX - 1, INT64_MAX) == INT64_MAX);
    assert_true(ob__round_up_u64(UINT64_MAX - 63, 64) == UINT64_MAX - 63);
    assert_true(ob__round_up_u64(UINT64_MAX - 62, 64) == 0); /* wraps */
}

static void common_divisors(void **state) {
    (void)state;
    assert_int_equal(ob__gcd(0, 0), 0);
    assert_int_equal(ob__gcd(0, 7), 7);
    assert_int_equal(ob__gcd(-7, 0), 7);
    assert_int_equal(ob__gcd(1, INT64_MAX), 1);
    assert_true(ob__gcd(INT64_MAX, -INT64_MAX) == INT64_MAX);
    for (int64_t a = -30; a <= 30; a++)
        for (int64_t b = -30; b <= 30; b++) {
            int64_t greatest = 0;
            for (int64_t d = 1; d <= 30; d++)
                if ((a || b) && a % d == 0 && b % d == 0) greatest = d;
            assert_int_equal(ob__gcd(a, b), greatest);
        }
    for (int64_t mod = 1; mod <= 40; mod++)
        for (int64_t a = 0; a <= 80; a++) {
            int64_t x = ob__inverse(a, mod);
            assert_true(x >= 0 && x < mod);
            assert_int_equal(a * x % mod, ob__gcd(a, mod) % mod);
        }
}

static void overflow_is_told_and_saturates(void **state) {
    (void)state;
    int64_t out;
    size_t size;
    assert_false(ob__mul_overflows(INT64_MAX, 1, &out) || out != INT64_MAX);
    assert_true(ob__mul_overflows(INT64_MAX, 2, &out));
    assert_false(ob__add_overflows(INT64_MAX, 0, &out) || out != INT64_MAX);
    assert_true(ob__add_overflows(INT64_MAX, 1, &out));
    assert_false(ob__size_mul_overflows(SIZE_MAX, 1, &size) || size != SIZE_MAX);
    assert_true(ob__size_mul_overflows(SIZE_MAX / 2 + 1, 2, &size));
    assert_true(ob__mul_sat_i64(INT64_MAX, 0) == 0);
    assert_true(ob__mul_sat_i64(INT64_MAX, 1) == INT64_MAX);
    assert_true(ob__mul_sat_i64(INT64_MAX / 2 + 1, 2) == INT64_MAX);
    assert_true(ob__mul_sat(UINT64_MAX, 1) == UINT64_MAX);
    assert_true(ob__mul_sat(UINT64_MAX / 2 + 1, 2) == UINT64_MAX);
    assert_true(ob__add_sat(UINT64_MAX - 1, 1) == UINT64_MAX);
    assert_true(ob__add_sat(UINT64_MAX, 1) == UINT64_MAX);
}

static void doubles_are_truncated(void **state) {
    (void)state;
    assert_true(ob__int64_from(2.9) == 2 && ob__int64_from(-2.9) == -2 && ob__int64_from(0) == 0);
    assert_true(ob__int64_from(0x1p63) == INT64_MAX && ob__int64_from(-0x1p63) == INT64_MIN);
    assert_true(ob__int64_from(INFINITY) == INT64_MAX && ob__int64_from(-INFINITY) == INT64_MIN && ob__int64_from(NAN) == 0);
    assert_true(ob__int64_from(0x1.fffffffffffffp62) == 0x7ffffffffffffc00);
    assert_true(ob__uint64_from(2.9) == 2 && ob__uint64_from(-0.5) == 0 && ob__uint64_from(-1e300) == 0);
    assert_true(ob__uint64_from(0x1p64) == UINT64_MAX && ob__uint64_from(INFINITY) == UINT64_MAX && ob__uint64_from(NAN) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_quotients_are_rounded),
        cmocka_unit_test(quotients_at_the_limits),
        cmocka_unit_test(common_divisors),
        cmocka_unit_test(overflow_is_told_and_saturates),
        cmocka_unit_test(doubles_are_truncated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
