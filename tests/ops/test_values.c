/* Results worked out without the library from the specification of each operator: every line of tests/values. */
#include "value_files.h"

static int run_line(char *line, const char *place, void *n_cases) {
    value_case c;
    ++*(int *)n_cases;
    if (read_case(line, &c)) return run_case(&c, place, BODIES);
    print_error("%s: not a case\n", place);
    return 1;
}

static const char *only;

static void results_are_those_of_the_text(void **state) {
    int n_cases = 0;
    (void)state;
    const int n_wrong = visit_lines(only, run_line, &n_cases);
    print_message("%d cases\n", n_cases);
    assert_true(n_cases > 0);
    assert_int_equal(n_wrong, 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_those_of_the_text)};
    if (argc > 1) only = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
