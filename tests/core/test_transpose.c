/* Transposing matrices, compared with a loop over elements; memory around the result does not change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/graph/transpose.h"

enum { GUARD = 0x5A };

static void check(size_t width, int64_t rows, int64_t columns, int64_t to_gap, int64_t from_gap) {
    const int64_t size = (int64_t)width, to_row = columns * size + to_gap, from_row = rows * size + from_gap;
    const size_t n_to = (size_t)(rows * to_row) + 1, n_from = (size_t)(columns * from_row);
    /* A read beyond the matrix is beyond the block, so the sanitizer finds it. */
    unsigned char *from = malloc(n_from - (n_from ? (size_t)from_gap : 0) + 1), *to = malloc(n_to), *want = malloc(n_to);
    assert_non_null(from);
    assert_non_null(to);
    assert_non_null(want);
    for (size_t i = 0; i + (size_t)from_gap < n_from; i++) from[i] = (unsigned char)(i * 2654435761u >> 7);
    memset(to, GUARD, n_to);
    memset(want, GUARD, n_to);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) memcpy(want + i * to_row + j * size, from + j * from_row + i * size, width);
    ob__transpose(width, rows, columns, (char *)to, to_row, (const char *)from, from_row);
    assert_memory_equal(to, want, n_to);
    free(from);
    free(to);
    free(want);
}

static void test_all_sizes(void **state) {
    (void)state;
    static const size_t widths[] = {1, 2, 3, 4, 8, 16};
    static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 63, 64, 65, 130};
    enum { N = sizeof sizes / sizeof sizes[0] };
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                check(widths[w], sizes[i], sizes[j], 0, 0);
                check(widths[w], sizes[i], sizes[j], 5, 3);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
