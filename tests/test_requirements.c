/* A rule states all that it asks of sizes: what it requires of symbols is what it says of the numbers that they become. */
#include "requirement_case.h"
#include "verdict_rows.h"

static void test_requirements_say_what_numbers_say(void **state) {
    (void)state;
    const char *only = getenv("OB_VERDICT"), *trials = getenv("OB_TRIALS");
    requirement_tally tally = {0};
    for (size_t i = 0; i < N_VERDICT_ROWS; i++)
        if (!only || strcmp(only, verdict_rows[i].op_type) == 0)
            run_requirement_row(&verdict_rows[i], trials ? (uint32_t)strtoul(trials, NULL, 10) : 150, &tally);
    printf(
        "%llu trials, %llu of them with something unverified; %llu assignments admitted, %llu excluded, %llu refused behind what "
        "is unverified; %llu sizes stated, %llu open; %llu differ\n",
        (unsigned long long)tally.n_trials, (unsigned long long)tally.n_unverified, (unsigned long long)tally.n_admitted,
        (unsigned long long)tally.n_excluded, (unsigned long long)tally.n_open, (unsigned long long)tally.n_sizes,
        (unsigned long long)tally.n_sizes_open, (unsigned long long)tally.n_differ);
    assert_int_equal(tally.n_differ, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_requirements_say_what_numbers_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
