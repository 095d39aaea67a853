/* The lines of tests/values; a line that names several types counts once for each. */
#ifndef OB_TESTS_VALUE_FILES_H
#define OB_TESTS_VALUE_FILES_H

#include <dirent.h>
#include <limits.h>

#include "value_case.h"

typedef int visit_line(char *line, const char *place, void *context);

static inline ob_dtype type_named(const char *name, size_t n) {
    for (int i = 1; i < OB_DTYPE_COUNT; i++)
        if (strlen(ob_dtype_name((ob_dtype)i)) == n && strncmp(ob_dtype_name((ob_dtype)i), name, n) == 0) return (ob_dtype)i;
    return OB_NONE;
}

/* Once for each type of the last field. */
static inline int visit_types(const char *line, const char *types, const char *place, visit_line *visit, void *context) {
    ob_text text;
    int sum = 0;
    ob__text_init(&text, NULL);
    for (types += strspn(types, " "); *types && *types != '\n'; types += strspn(types, " ")) {
        char typed_place[400];
        const size_t n = strcspn(types, " \n");
        const ob_dtype type = type_named(types, n);
        assert_int_not_equal(type, OB_NONE);
        write_typed(line, type, &text);
        snprintf(typed_place, sizeof typed_place, "%s of %.*s", place, (int)n, types);
        sum += visit(text.data, typed_place, context);
        types += n;
    }
    ob__text_release(&text);
    return sum;
}

static inline int visit_file(const char *folder, const char *name, visit_line *visit, void *context) {
    static char line[VALUE_LINE];
    char path[PATH_MAX];
    int sum = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        char place[300], *types = line;
        if (line[0] == '#' || line[0] == '\n') continue;
        assert_true(strlen(line) + 1 < sizeof line);
        snprintf(place, sizeof place, "%s:%d", name, number);
        for (int field = 1; types && field < VALUE_FIELDS; field++) types = strchr(types + (field > 1), '|');
        sum += types ? visit_types(line, types + 1, place, visit, context) : visit(line, place, context);
    }
    fclose(file);
    return sum;
}

/* Visits the files whose name contains `only` (NULL: all) and returns the sum of the results of `visit`. */
static inline int visit_lines(const char *only, visit_line *visit, void *context) {
    struct dirent **entries = NULL;
    const char *folder = OB_SOURCE_DIR "/tests/values";
    int sum = 0, n = scandir(folder, &entries, NULL, alphasort);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        if (strstr(name, ".txt") && (!only || strstr(name, only))) sum += visit_file(folder, name, visit, context);
        free(entries[i]);
    }
    free(entries);
    return sum;
}

#endif
