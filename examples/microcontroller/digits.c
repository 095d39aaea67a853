/* The digit model on a Cortex-M4: prints the digit that it reads, the bits of its probabilities, and the stack of the run. */
#include <string.h>

#include "board.h"
#include "digits.h"

static _Alignas(digits_ARENA_ALIGN) unsigned char arena[digits_ARENA_BYTES];

/* A handwritten three, 0 .. 16. */
static const uint8_t image[8][8] = {
    {0, 0, 7, 15, 13, 1, 0, 0}, {0, 8, 13, 6, 15, 4, 0, 0}, {0, 2, 1, 13, 13, 0, 0, 0}, {0, 0, 2, 15, 11, 1, 0, 0},
    {0, 0, 0, 1, 12, 12, 1, 0}, {0, 0, 0, 0, 1, 10, 8, 0},  {0, 0, 8, 4, 5, 14, 9, 0},  {0, 0, 7, 13, 13, 9, 0, 0},
};

static void print_number(const char *what, uint32_t number) {
    char text[12];
    int at = 11;
    text[at] = 0;
    do text[--at] = (char)('0' + number % 10);
    while (number /= 10);
    board_print(what);
    board_print(&text[at]);
    board_print("\n");
}

int main(void) {
    float probabilities[10];
    int64_t digit = -1;
    board_paint_stack();
    const int status = digits_run(&(digits_inputs){image[0]}, &(digits_outputs){probabilities, &digit}, arena);
    const uint32_t stack = board_stack_used();
    if (status != 0) return status;
    print_number("digit ", (uint32_t)digit);
    for (int i = 0; i < 10; i++) {
        uint32_t bits;
        memcpy(&bits, &probabilities[i], sizeof bits);
        print_number("bits ", bits);
    }
    print_number("stack ", stack);
    return 0;
}
