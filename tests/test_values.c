/* Results that were worked out apart from the library, from the text of each operator: every line of tests/values. */
#include <dirent.h>
#include <limits.h>

#include "value_case.h"

static int run_file(const char *folder, const char *name, int *n_cases) {
    static char line[VALUE_LINE];
    char path[PATH_MAX];
    int n_wrong = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        value_case c;
        char place[300];
        if (line[0] == '#' || line[0] == '\n') continue;
        snprintf(place, sizeof place, "%s:%d", name, number);
        (*n_cases)++;
        if (strlen(line) + 1 == sizeof line || !read_case(line, &c)) {
            print_error("%s: not a case\n", place);
            n_wrong++;
            continue;
        }
        n_wrong += run_case(&c, place);
    }
    fclose(file);
    return n_wrong;
}

static const char *only;

static void results_are_those_of_the_text(void **state) {
    struct dirent **entries = NULL;
    const char *folder = OB_SOURCE_DIR "/tests/values";
    int n_wrong = 0, n_cases = 0, n = scandir(folder, &entries, NULL, alphasort);
    (void)state;
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        if (strstr(name, ".txt") && (!only || strstr(name, only))) n_wrong += run_file(folder, name, &n_cases);
        free(entries[i]);
    }
    free(entries);
    print_message("%d cases\n", n_cases);
    assert_true(n_cases > 0);
    assert_int_equal(n_wrong, 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_those_of_the_text)};
    if (argc > 1) only = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
