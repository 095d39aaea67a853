/* Runs one kernel KERNEL_RUNS times, for tests/count.sh: the difference of two numbers of runs is the kernel alone. KERNEL: 0
 * product of floats, 1 product of bytes, 2 convolution of floats, 3 of bytes as pairs, 4 depthwise convolution, 5 addition of
 * floats, 6 sum of floats, 7 rows of sums. KERNEL_LEVELS: those of ob__kernels_limit; the baseline if it is not given. */
#include <stdint.h>

#include "kernels/conv/conv.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/integer.h"
#include "kernels/kernels.h"
#include "kernels/reduce/reduce.h"

#ifndef KERNEL
#define KERNEL 0
#endif
#ifndef KERNEL_RUNS
#define KERNEL_RUNS 1
#endif

#ifndef KERNEL_LEVELS
#define KERNEL_LEVELS 0
#endif

enum { M = 16, N = 32, K = 64, CHANNELS = 8, SIZE = 16, ELEMENTS = 4096 };
static _Alignas(64) float memory[5][16384];
static _Alignas(64) float lane[OBK_PANEL_ROOM * 16 + OBK_FINISHED_CHANNELS * OBK_FINISHED_ROW];
static int64_t tables[512], offset[CHANNELS * 9];

static void product(void) {
    const obk_gemm *gemm = &OBK_LOOPS(gemm)[OBK_GEMM_FLOAT];
    const obk_gemm_call call = {
        .m = M, .n = N, .k = K, .a = memory[0], .a_row = K, .a_k = 1, .b = memory[1], .y = memory[2], .y_row = N, .alpha = 1};
    gemm->product(&call);
}

static void product_of_bytes(void) {
    const obk_integer_gemm *pairs = &OBK_LOOPS(integer_gemm)[OBK_INTEGER_PAIRS];
    const obk_integer_call call = {.m = M,
                                   .n = N,
                                   .k = K,
                                   .a = (const obk_pair *)(const void *)memory[0],
                                   .b = (const obk_pair *)(const void *)memory[1],
                                   .y = (int32_t *)(void *)memory[2],
                                   .y_row = N};
    pairs->product(&call);
}

/* 3 x 3 with padding, 8 to 8 channels of 16 x 16. */
static void convolution(int type, bool depthwise) {
    static const obk_axis axes[2] = {{SIZE, SIZE, 3, 1, 1, 1, 1}, {SIZE, SIZE, 3, 1, 1, 1, 1}};
    static obk_conv c = {.window = {2, axes, (int64_t)SIZE * SIZE, (int64_t)SIZE * SIZE, 9}};
    int64_t n_tables = 0;
    obk_pace pace = {0};
    const obk_convs *conv = OBK_LOOPS(conv);
    c.channels = depthwise ? 1 : CHANNELS;
    c.out_channels = c.k_channels = CHANNELS;
    c.y_channel = (int64_t)SIZE * SIZE;
    if (depthwise) {
        obk_depthwise_blocks(&c);
        conv->depthwise(&c, memory[0], memory[1], NULL, memory[2], 0, 0, CHANNELS, NULL, &pace);
        return;
    }
    c.tiled = obk_choose_tiling(&c.window, 1 << 20, &c.tiling, &n_tables) && n_tables <= 512;
    if (!c.tiled) return;
    obk_fill_tiling(&c.window, &c.tiling, tables);
    c.pitch = obk_conv_pitch(c.tiling.elems);
    for (int64_t i = 0; i < (int64_t)CHANNELS * 9; i++) offset[i] = i / 9 * c.pitch + c.tiling.offset[i % 9];
    c.k_offset = offset;
    const obk_conv_panels *p = &conv->panels[type];
    p->lay_out(&c, memory[0], 0, 0, 0, CHANNELS, memory[3], &pace);
    p->run(&c, memory[3], memory[1], NULL, memory[2], 0, 0, obk_panels(p->lanes, p->widest, CHANNELS), NULL, lane, &pace);
}

static void addition(void) {
    static const int64_t step[2] = {4, 4}, row[3] = {0, 0, 0};
    char *const pointers[3] = {(char *)memory[0], (char *)memory[1], (char *)memory[2]};
    OBK_LOOPS(binary)[OBK_ADD][OB_FLOAT](pointers, step, ELEMENTS, row, 1, NULL);
}

/* Of all elements, or of each column of ELEMENTS / 64 rows. */
static void sum(bool columns) {
    const int64_t n = columns ? 64 : ELEMENTS, n_rows = ELEMENTS / n;
    obk_reduction r = {.fold = OBK_FOLD_SUM, .columns = columns, .inner = n, .n_reduced = 1, .n_folded = columns ? n_rows : n};
    r.reduced[0] = columns ? n_rows : 1;
    r.reduced_strides[0] = n;
    OBK_LOOPS(reduce)->by_type[OB_FLOAT](&r, memory[2], memory[0], 0, 1, memory[3]);
}

int main(void) {
    ob__kernels_limit(KERNEL_LEVELS);
    for (int i = 0; i < KERNEL_RUNS; i++) switch (KERNEL) {
        case 0: product(); break;
        case 1: product_of_bytes(); break;
        case 2: convolution(OBK_CONV_F32, false); break;
        case 3: convolution(OBK_CONV_PAIRS, false); break;
        case 4: convolution(OBK_CONV_F32, true); break;
        case 5: addition(); break;
        case 6: sum(false); break;
        default: sum(true); break;
        }
    return 0;
}
