/* Results that were worked out apart from the library, from the text of each operator: every line of tests/values. */
#include <dirent.h>
#include <limits.h>

#include "value_case.h"

static ob_dtype type_named(const char *name, size_t n) {
    for (int i = 1; i < OB_DTYPE_COUNT; i++)
        if (strlen(ob_dtype_name((ob_dtype)i)) == n && strncmp(ob_dtype_name((ob_dtype)i), name, n) == 0) return (ob_dtype)i;
    return OB_NONE;
}

static int run_line(char *line, const char *place, int *n_cases) {
    value_case c;
    (*n_cases)++;
    if (read_case(line, &c)) return run_case(&c, place, BODIES);
    print_error("%s: not a case\n", place);
    return 1;
}

/* Once for each type of the last field. */
static int run_types(const char *line, const char *types, const char *place, int *n_cases) {
    ob_text text;
    int n_wrong = 0;
    ob__text_init(&text, NULL);
    for (types += strspn(types, " "); *types && *types != '\n'; types += strspn(types, " ")) {
        char typed_place[400];
        const size_t n = strcspn(types, " \n");
        const ob_dtype type = type_named(types, n);
        assert_int_not_equal(type, OB_NONE);
        write_typed(line, type, &text);
        snprintf(typed_place, sizeof typed_place, "%s of %.*s", place, (int)n, types);
        n_wrong += run_line(text.data, typed_place, n_cases);
        types += n;
    }
    ob__text_release(&text);
    return n_wrong;
}

static int run_file(const char *folder, const char *name, int *n_cases) {
    static char line[VALUE_LINE];
    char path[PATH_MAX];
    int n_wrong = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        char place[300], *types = line;
        if (line[0] == '#' || line[0] == '\n') continue;
        assert_true(strlen(line) + 1 < sizeof line);
        snprintf(place, sizeof place, "%s:%d", name, number);
        for (int field = 1; types && field < VALUE_FIELDS; field++) types = strchr(types + (field > 1), '|');
        n_wrong += types ? run_types(line, types + 1, place, n_cases) : run_line(line, place, n_cases);
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
