/* The difference of two texts, applied by a naive reading of the format, gives the second text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "line_diff.h"

static uint64_t state_of_draw = 1;

static uint32_t draw(uint32_t n) {
    state_of_draw = state_of_draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state_of_draw >> 33) % n;
}

static char *diff_of(const char *a, const char *b, size_t *n_hunks) {
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    assert_non_null(file);
    const diff_text from = {"a", a, strlen(a)}, to = {"b", b, strlen(b)};
    assert_true(line_diff(file, &from, &to, n_hunks));
    assert_int_equal(fclose(file), 0);
    return text;
}

static size_t line_length(const char *text) {
    const char *end = strchr(text, '\n');
    return end ? (size_t)(end - text) + 1 : strlen(text);
}

/* Applies the hunks to `a`; every line of context and every removed line must be there. Returns owned. */
static char *applied(const char *a, const char *diff) {
    char *out = malloc(strlen(a) + strlen(diff) + 1), *end = out;
    long at = 1;
    assert_non_null(out);
    if (!*diff) return strcpy(out, a);
    assert_int_equal(strncmp(diff, "--- a\n+++ b\n", 12), 0);
    for (diff += 12; *diff;) {
        long first, n_old = 1, n_new = 1, second;
        if (sscanf(diff, "@@ -%ld,%ld", &first, &n_old) < 2) n_old = 1;
        const char *plus = strchr(diff, '+');
        if (sscanf(plus, "+%ld,%ld", &second, &n_new) < 2) n_new = 1;
        const long start = n_old ? first : first + 1;
        for (; at < start; at++, a += line_length(a)) end = memcpy(end, a, line_length(a)), end += line_length(a);
        for (diff += line_length(diff); n_old > 0 || n_new > 0;) {
            const char sign = *diff;
            size_t n = line_length(diff) - 1;
            const char *line = diff + 1;
            diff += n + 1;
            if (*diff == '\\') {
                n--;
                diff += line_length(diff);
            }
            if (sign != '+') {
                assert_int_equal(line_length(a), n);
                assert_memory_equal(a, line, n);
                a += n;
                at++;
                n_old--;
            }
            if (sign != '-') {
                memcpy(end, line, n);
                end += n;
                n_new--;
            }
        }
        assert_true(n_old == 0 && n_new == 0);
    }
    strcpy(end, a);
    return out;
}

static void check(const char *a, const char *b) {
    size_t n_hunks;
    char *diff = diff_of(a, b, &n_hunks), *result = applied(a, diff);
    assert_string_equal(result, b);
    assert_int_equal(n_hunks == 0, strcmp(a, b) == 0);
    if (n_hunks == 0) assert_string_equal(diff, "");
    free(diff);
    free(result);
}

static void random_texts(void **state) {
    (void)state;
    static const uint32_t kinds[] = {2, 5, 60};
    for (int round = 0; round < 4000; round++) {
        char a[400] = "", b[800] = "";
        const uint32_t n_kinds = kinds[draw(3)];
        for (uint32_t i = draw(30); i > 0; i--) {
            char line[16];
            snprintf(line, sizeof line, "%u\n", (unsigned)draw(n_kinds));
            const uint32_t change = draw(8);
            if (change != 0) strcat(a, line);
            if (change != 1) strcat(b, line);
            if (change == 2) strcat(b, "new\n");
        }
        if (a[0] && draw(4) == 0) a[strlen(a) - 1] = '\0'; /* no newline at the end */
        if (b[0] && draw(4) == 0) b[strlen(b) - 1] = '\0';
        check(a, b);
    }
    check("", "");
    check("", "a\n");
    check("a", "");
    check("\n\n\n", "\n");
}

static void the_format_is_that_of_patch(void **state) {
    (void)state;
    char *diff = diff_of("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nfive\n6\n7\n8", NULL);
    assert_string_equal(diff,
                        "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n-8\n+8\n\\ No newline at end of file\n");
    free(diff);
    diff = diff_of("", "x\n", NULL);
    assert_string_equal(diff, "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
    free(diff);
}

/* 10^5 lines, of which a tenth change; and a stretch that differs beyond the limit. */
static void long_texts(void **state) {
    (void)state;
    enum { LINES = 100000 };
    char *a = malloc(LINES * 16), *b = malloc(LINES * 32), *x = a, *y = b;
    assert_true(a && b);
    for (int i = 0; i < LINES; i++) {
        x += sprintf(x, "node %d\n", i);
        y += sprintf(y, i % 10 ? "node %d\n" : "axes\nnew\nnode %d changed\n", i);
    }
    check(a, b);
    x = a;
    y = b;
    for (int i = 0; i < 6000; i++) { /* no line occurs once */
        x += sprintf(x, "%d\n", i % 7);
        y += sprintf(y, "%d\n", i % 5 + 10);
    }
    check(a, b);
    free(a);
    free(b);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_texts),
        cmocka_unit_test(the_format_is_that_of_patch),
        cmocka_unit_test(long_texts),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
