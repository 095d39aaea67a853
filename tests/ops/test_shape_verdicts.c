/* The checker and the executor agree: a session refuses shapes if and only if the checker reports an error. One row for each
 * operator whose kernel can refuse shapes; random shapes around valid ones. An operator that is replaced by its body refuses
 * the same shapes as the nodes of the body. */
#include "ops/kernel/kernel.h"
#include "verdict_rows.h"

static void test_verdicts_agree(void **state) {
    (void)state;
    const char *only = getenv("OB_VERDICT");
    const char *trials = getenv("OB_TRIALS");
    verdict_tally tally = {0};
    for (size_t i = 0; i < N_VERDICT_ROWS; i++)
        if (ob__has_kernel(row_op(&verdict_rows[i])) && (!only || strcmp(only, verdict_rows[i].op_type) == 0))
            run_verdict_row(&verdict_rows[i], trials ? (uint32_t)strtoul(trials, NULL, 10) : 200, &tally);
    printf("%llu ran, %llu refused, %llu not supported, %llu differ\n", (unsigned long long)tally.n_sound,
           (unsigned long long)tally.n_refused, (unsigned long long)tally.n_unsupported, (unsigned long long)tally.n_differ);
    assert_int_equal(tally.n_differ, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_verdicts_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
