/* Start-up code for a Cortex-M4 with FPU: Arm's board MPS2 with the image AN386, as qemu-system-arm -M mps2-an386 models it. It
 * needs no C library. main runs once, and its result is the exit status of QEMU. For a board of your own replace the memory map
 * in link.ld, and exit_with() by what ends or restarts a program there. */
#include <stdint.h>
#include <stdnoreturn.h>

#include "board.h"

extern uint32_t board_stack_top[], board_data_load[], board_data[], board_data_end[], board_bss[], board_bss_end[];
int main(void);
noreturn void board_reset(void);
noreturn void board_fault(void);

#define CPACR (*(volatile uint32_t *)0xE000ED88u) /* who may use coprocessors; 10 and 11 are the FPU */
enum { FPU_FOR_ALL = 0xF << 20 };

/* ---- what a debugger, or QEMU, does for a program ("semihosting") ---- */

enum { WRITE0 = 0x04, EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };

static int semihosting(int operation, const void *argument) {
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void board_print(const char *text) {
    semihosting(WRITE0, text);
}

noreturn void board_exit(int status) {
    const uint32_t why[2] = {APPLICATION_EXIT, (uint32_t)status};
    semihosting(EXIT_EXTENDED, why);
    for (;;) {
    }
}

/* ---- stack ---- */

enum { PAINT = 0xA5A5A5A5 };

void board_paint_stack(void) {
    uint32_t *here = __builtin_frame_address(0);
    for (uint32_t *at = board_bss_end; at < here - 16; at++) *(volatile uint32_t *)at = (uint32_t)PAINT;
}

uint32_t board_stack_used(void) {
    const uint32_t *at = board_bss_end;
    while (at < board_stack_top && *(const volatile uint32_t *)at == (uint32_t)PAINT) at++;
    return (uint32_t)((const char *)board_stack_top - (const char *)at);
}

/* ---- start ---- */

noreturn void board_reset(void) {
    CPACR |= FPU_FOR_ALL; /* before the first instruction with floats */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    const uint32_t *from = board_data_load;
    for (uint32_t *to = board_data; to < board_data_end;) *to++ = *from++;
    for (uint32_t *to = board_bss; to < board_bss_end;) *to++ = 0;
    board_exit(main());
}

/* Every fault and every interrupt that nobody expects. */
noreturn void board_fault(void) {
    board_print("fault\n");
    board_exit(BOARD_FAULT);
}

/* Where the processor starts: the stack's end, then one address for each exception: NMI, HardFault, MemManage, BusFault,
 * UsageFault, four unused ones, SVCall, Debug, unused, PendSV, SysTick. */
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack_top;
    void (*reset)(void);
    void (*faults[14])(void);
} vectors = {board_stack_top,
             board_reset,
             {board_fault, board_fault, board_fault, board_fault, board_fault, 0, 0, 0, 0, board_fault, board_fault, 0,
              board_fault, board_fault}};
