/* The array API's in-place rule on kernels: a result in the memory of an operand of exactly its shape is the same, bit for bit,
 * as a result in separate memory, for any operand that gives its memory and any broadcast of the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "onnx_broadcast/elementwise.h"

enum { MAX_OPERANDS = 20, MAX_ELEMS = 3 * 1100 };

static uint32_t random_state = 7;

static uint32_t next_random(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static float operands[MAX_OPERANDS][MAX_ELEMS];

/* Operand k with one of the shapes that broadcast to rows x columns: scalar, row, column, matrix. */
static void make_operand(ob_view *view, int k, int64_t rows, int64_t columns, bool whole) {
    const int64_t shapes[4][2] = {{1, 1}, {1, columns}, {rows, 1}, {rows, columns}};
    uint32_t form = whole ? 3 : next_random() % 4;
    for (int i = 0; i < MAX_ELEMS; i++) operands[k][i] = (float)(next_random() % 2001) / 100.0f - 10.0f;
    assert_int_equal(ob_view_init(view, operands[k], OB_FLOAT, 2, shapes[form]), OB_OK);
}

static void compare(const char *op, int n, int taken, int64_t rows, int64_t columns) {
    ob_view in[MAX_OPERANDS], out;
    ob_error error;
    static float apart[MAX_ELEMS];
    const int64_t dims[2] = {rows, columns};
    for (int k = 0; k < n; k++) make_operand(&in[k], k, rows, columns, k == taken);
    assert_int_equal(ob_view_init(&out, apart, OB_FLOAT, 2, dims), OB_OK);
    assert_int_equal(ob_elementwise(op, 0, in, (size_t)n, NULL, 0, &out, &error), OB_OK);
    out.data = operands[taken];
    assert_int_equal(ob_elementwise(op, 0, in, (size_t)n, NULL, 0, &out, &error), OB_OK);
    if (memcmp(apart, operands[taken], (size_t)(rows * columns) * sizeof(float)) != 0)
        fail_msg("%s of %d operands in the memory of operand %d, (%lld,%lld), differs", op, n, taken, (long long)rows,
                 (long long)columns);
}

static void folds_take_the_memory_of_any_operand(void **state) {
    (void)state;
    const char *const ops[] = {"Max", "Min", "Sum", "Mean"};
    const int64_t shapes[][2] = {{1, 1}, {1, 7}, {7, 1}, {3, 5}, {2, 64}, {3, 1100}, {1100, 3}};
    const int counts[] = {1, 2, 3, 5, MAX_OPERANDS};
    for (size_t o = 0; o < 4; o++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
                for (int taken = 0; taken < counts[c]; taken++) compare(ops[o], counts[c], taken, shapes[s][0], shapes[s][1]);
}

static void binary_operators_take_the_memory_of_either(void **state) {
    (void)state;
    const char *const ops[] = {"Add", "Sub", "Mul", "Div", "Pow"};
    const int64_t shapes[][2] = {{1, 1}, {1, 7}, {7, 1}, {3, 5}, {2, 64}, {3, 1100}, {1100, 3}};
    for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (int repeat = 0; repeat < 8; repeat++) compare(ops[o], 2, repeat % 2, shapes[s][0], shapes[s][1]);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_take_the_memory_of_any_operand),
        cmocka_unit_test(binary_operators_take_the_memory_of_either),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
