/* The board, for programs on it. main(void) is called after memory and FPU are ready; its result is the exit status. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>
#include <stdnoreturn.h>

enum { BOARD_FAULT = 70 }; /* the exit status after a fault */

void board_print(const char *text);
noreturn void board_exit(int status);

/* The bytes of stack that were in use at once, main's included: paint in main, run, ask. */
void board_paint_stack(void);
uint32_t board_stack_used(void);

#endif
