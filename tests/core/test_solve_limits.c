/* The solver with large numbers and many cases: its time does not grow with the numbers. */
#include <time.h>

#include "core/base/integers.h"
#include "core/base/sanitizer.h"
#include "core/solve/solver.h"
#include "solve_case.h"

#if defined(OB_ASAN) || OB_HAS_FEATURE(thread_sanitizer) || defined(__SANITIZE_THREAD__)
#define MOST_SECONDS 5.0
#else
#define MOST_SECONDS 0.5
#endif

/* ---- Numbers ---- */

/* The least x below m1 * m2 that is r1 modulo m1 and r2 modulo m2, or -1. */
static int64_t by_counting(int64_t m1, int64_t r1, int64_t m2, int64_t r2) {
    for (int64_t x = 0; x < m1 * m2; x++)
        if (x % m1 == r1 && x % m2 == r2) return x;
    return -1;
}

static void congruences_meet(void **state) {
    (void)state;
    enum { MOST = 18 };
    for (int64_t m1 = 1; m1 <= MOST; m1++)
        for (int64_t m2 = 1; m2 <= MOST; m2++)
            for (int64_t r1 = 0; r1 < m1; r1++)
                for (int64_t r2 = 0; r2 < m2; r2++) {
                    int64_t m = -7, r = -7, expected = by_counting(m1, r1, m2, r2);
                    ob_truth met = ob__solve_meet(m1, r1, m2, r2, &m, &r);
                    assert_int_equal(met, expected < 0 ? OB_FALSE : OB_TRUE);
                    assert_int_equal(r, expected < 0 ? -7 : expected);
                    assert_int_equal(m, expected < 0 ? -7 : m1 / ob__gcd(m1, m2) * m2);
                }
}

static void large_congruences_meet(void **state) {
    (void)state;
    uint64_t seed = 7;
    unsigned n_met = 0;
    for (int i = 0; i < 200000; i++) {
        static const uint64_t most[] = {46340, INT32_MAX, 1 << 16, 40};
        int64_t m1 = 1 + (int64_t)pick(&seed, most[i % 4]), m2 = 1 + (int64_t)pick(&seed, most[i / 4 % 4]), m = 0, r = 0;
        if (i % 3 == 0) m2 = m1 / (1 + (int64_t)pick(&seed, 9)) + 1;
        int64_t x = (int64_t)pick(&seed, INT32_MAX), r1 = x % m1, r2 = i % 8 ? x % m2 : (int64_t)pick(&seed, (uint64_t)m2);
        int64_t gcd = ob__gcd(m1, m2);
        ob_truth met = ob__solve_meet(m1, r1, m2, r2, &m, &r);
        n_met += met == OB_TRUE;
        if ((r2 - r1) % gcd != 0) {
            assert_int_equal(met, OB_FALSE);
        } else if (m1 / gcd * m2 > INT32_MAX) {
            assert_int_equal(met, OB_UNDECIDED);
        } else {
            assert_int_equal(met, OB_TRUE);
            assert_int_equal(m, m1 / gcd * m2);
            assert_true(r >= 0 && r < m && r % m1 == r1 && r % m2 == r2);
        }
    }
    assert_true(n_met > 50000);
}

/* "N divides the number", by its divisors. */
static void divisors(void **state) {
    (void)state;
    for (int number = 1; number <= 240; number++) {
        char text[32];
        ob_dims *dims;
        ob_arena arena;
        ob_clauses clauses;
        ob_solution solution;
        assert_int_equal(ob_dims_create(NULL, &dims), OB_OK);
        ob__arena_init(&arena, NULL);
        ob__clauses_init(&clauses, &arena);
        snprintf(text, sizeof text, "%d %% N", number);
        add_requirements(&clauses, dims, text);
        ob_dim n = ob_dim_symbol(dims, "N");
        assert_int_equal(ob__solve(dims, clauses.items, clauses.n, &n, 1, &arena, &solution), OB_OK);
        for (int64_t size = 0; size <= number + 1; size++) {
            const ob_binding at = {n, size};
            bool all = true;
            for (uint32_t i = 0; i < solution.n_clauses; i++)
                all = all && ob__clause_eval(dims, solution.clauses[i].literals, solution.clauses[i].n, &at, 1) == OB_TRUE;
            assert_int_equal(all, size > 0 && number % size == 0);
        }
        ob__arena_release(&arena);
        ob_dims_destroy(&dims);
    }
}

/* ---- Time ---- */

static void ends_soon(const char *requirements) {
    ob_dims *dims;
    ob_arena arena;
    ob_clauses clauses;
    ob_solution solution;
    ob_dim inputs[16];
    uint32_t n_inputs;
    assert_int_equal(ob_dims_create(NULL, &dims), OB_OK);
    ob__arena_init(&arena, NULL);
    ob__clauses_init(&clauses, &arena);
    add_requirements(&clauses, dims, requirements);
    collect_inputs(dims, &clauses, inputs, &n_inputs);
    clock_t start = clock();
    assert_int_equal(ob__solve(dims, clauses.items, clauses.n, inputs, n_inputs, &arena, &solution), OB_OK);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (seconds > MOST_SECONDS) fail_msg("%s takes %.1f s", requirements, seconds);
    ob__arena_release(&arena);
    ob_dims_destroy(&dims);
}

static void large_numbers(void **state) {
    (void)state;
    static const char *const rows[] = {
        "N + 1 % 2000000000",
        "N % 2; N + 1 % 2000000000",
        "N + 1 % 2000000000; N % 2",
        "N + 1 % 2147483647; N + 7 % 2",
        "N + 5 % 46337; N + 9 % 46339",
        "N + 5 % 46339; N + 9 % 46337; N % 3",
        "N + 3 % 2000000000; M + 3 % 2000000000; K + 5 % 2000000000; L + 5 % 2000000000",
        "N >= 2000060000; 2000060100 >= N; N * N - 1 % 100003",
        "2 * N - 1 % 100003; N >= 2000000000000; 2000000016000 >= N; M = N",
        "1048573 % N; 1048573 % M; 1048573 % K; 1048573 % L",
        "N * N + 1 % 65521; M * M + 1 % 65521; K * K + 1 % 65521",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) ends_soon(rows[i]);
}

/* A clause with more parts than OB_CLAUSE_SIZE is not stated, and nothing is claimed about it. */
static void too_complex(void **state) {
    (void)state;
    enum { PRODUCTS = 50, FACTORS = 12, MOST = 20 };
    ob_dims *dims;
    ob_arena arena;
    ob_clauses clauses;
    ob_dim symbols[PRODUCTS + FACTORS], sum = 0, guards[MOST];
    assert_int_equal(ob_dims_create(NULL, &dims), OB_OK);
    ob__arena_init(&arena, NULL);
    ob__clauses_init(&clauses, &arena);
    for (int i = 0; i < PRODUCTS + FACTORS; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        symbols[i] = ob_dim_symbol(dims, name);
    }
    for (int i = 0; i < PRODUCTS; i++) {
        ob_dim product = symbols[i];
        for (int k = 1; k < FACTORS; k++) product = ob_dim_mul(dims, product, symbols[i + k]);
        sum = ob_dim_add(dims, sum, product);
    }
    const ob_condition equal = {OB_COND_EQUAL, symbols[0], 7};
    for (uint32_t n = 1; n <= MOST; n++) {
        bool stated;
        uint32_t n_clauses = clauses.n;
        guards[n - 1] = truth_of(dims, sum, ">=", n);
        assert_int_not_equal(guards[n - 1], OB_DIM_UNKNOWN);
        assert_int_equal(ob__clauses_add(&clauses, dims, &equal, guards, n, n, false, &stated), OB_OK);
        assert_int_equal(stated, n * PRODUCTS * FACTORS < OB_CLAUSE_SIZE);
        assert_int_equal(clauses.n, n_clauses + stated);
    }
    ob__arena_release(&arena);
    ob_dims_destroy(&dims);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(congruences_meet), cmocka_unit_test(large_congruences_meet),
                                       cmocka_unit_test(divisors), cmocka_unit_test(large_numbers),
                                       cmocka_unit_test(too_complex)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
