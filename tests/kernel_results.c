/* Results of kernels as numbers that are the same on every machine at the baseline: one line for each, with a hash of its bits.
 * `./dev cross` runs it on the machine that builds, on a microcontroller and under qemu-user, and compares. Lines that begin with
 * "fused" differ where the baseline rounds a product and its sum once (arm64). Left out are functions of the C library, such as
 * sin, and those that use them at the baseline, such as exp. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef OB_BOARD
#include "board.h"
#else
#include <stdio.h>
#endif

#include "kernels/conv/conv.h"
#include "kernels/convert/convert.h"
#include "kernels/elementwise/chain.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/integer.h"
#include "kernels/kernels.h"
#include "kernels/norm/norm.h"
#include "kernels/pool/pool.h"
#include "kernels/quantize/quantize.h"
#include "kernels/reduce/reduce.h"
#include "kernels/resize/resize.h"

/* ---- lines ---- */

static char line[120];
static size_t length;

static void add(const char *text) {
    for (; *text && length + 2 < sizeof line; text++) line[length++] = *text;
}

static void add_number(int64_t n) {
    char digits[24], *at = digits + sizeof digits;
    uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    *--at = 0;
    do *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (n < 0) *--at = '-';
    add(" ");
    add(at);
}

static void end_line(void) {
    line[length] = '\n';
    line[length + 1] = 0;
    length = 0;
#ifdef OB_BOARD
    board_print(line);
#else
    fputs(line, stdout);
#endif
}

/* The elements as numbers, so that the order of bytes does not matter; all NaNs are one. */
static void add_hash(const void *x, int64_t n, size_t size, bool is_float) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (int64_t i = 0; i < n; i++) {
        const char *from = (const char *)x + (size_t)i * size;
        uint64_t bits = 0;
        if (size == 1) bits = *(const uint8_t *)from;
        if (size == 2) bits = *(const uint16_t *)(const void *)from;
        if (size == 4) bits = *(const uint32_t *)(const void *)from;
        if (size == 8) memcpy(&bits, from, 8);
        if (is_float && size == 4 && (bits & 0x7fffffff) > 0x7f800000) bits = 0x7fc00000;
        if (is_float && size == 8 && (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000)) bits = UINT64_C(0x7ff8000000000000);
        for (int b = 0; b < 64; b += 8) hash = (hash ^ (bits >> b & 0xff)) * UINT64_C(1099511628211);
    }
    add(" ");
    for (int b = 60; b >= 0; b -= 4) add((char[]){"0123456789abcdef"[hash >> b & 15], 0});
}

static void result(const char *what, int64_t of, const void *x, int64_t n, size_t size, bool is_float) {
    add(what);
    add_number(of);
    add_hash(x, n, size, is_float);
    end_line();
}

/* ---- operands ---- */

static uint64_t seed = 1;
static uint64_t draw(void) { /* SplitMix64 */
    uint64_t x = seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

enum { MOST = 4096 };
static _Alignas(64) double memory[8][MOST]; /* of operands and results */

static void fill_f32(void *to, int64_t n) {
    float *x = to;
    for (int64_t i = 0; i < n; i++) x[i] = (float)((double)(int64_t)(draw() >> 24) * 0x1p-38 - 2); /* -2 .. 2 */
}
static void fill_f64(void *to, int64_t n) {
    double *x = to;
    for (int64_t i = 0; i < n; i++) x[i] = (double)(int64_t)(draw() >> 11) * 0x1p-51 - 2;
}
static void fill_integers(void *to, int64_t n, size_t size) {
    for (int64_t i = 0; i < n; i++) {
        const uint64_t x = draw();
        char *at = (char *)to + (size_t)i * size;
        if (size == 1) *(uint8_t *)at = (uint8_t)(x >> 33);
        if (size == 2) *(uint16_t *)(void *)at = (uint16_t)(x >> 33);
        if (size == 4) *(uint32_t *)(void *)at = (uint32_t)(x >> 31);
        if (size == 8) memcpy(at, &x, 8);
    }
}
static bool fill(ob_dtype type, void *to, int64_t n) {
    const bool is_float = type == OB_FLOAT || type == OB_DOUBLE;
    if (type == OB_FLOAT)
        fill_f32(to, n);
    else if (type == OB_DOUBLE)
        fill_f64(to, n);
    else if (type == OB_BOOL)
        for (int64_t i = 0; i < n; i++) ((uint8_t *)to)[i] = draw() >> 40 & 1;
    else
        fill_integers(to, n, ob_dtype_size(type));
    return is_float;
}

/* ---- families ---- */

/* What packed weights and plans depend on: C that another machine emitted relies on it. */
static void numbers(void) {
    const obk_gemm *gemm = OBK_LOOPS(gemm);
    const obk_integer_gemm *pairs = &OBK_LOOPS(integer_gemm)[OBK_INTEGER_PAIRS];
    const obk_convs *conv = OBK_LOOPS(conv);
    for (int i = 0; i < OBK_GEMM_COUNT; i++) {
        add("numbers of gemm");
        add_number(i);
        add_number(gemm[i].mr);
        add_number(gemm[i].nr);
        add_number(gemm[i].panel_k);
        add_number((int64_t)gemm[i].row_bytes);
        end_line();
    }
    add("numbers of integer_gemm");
    add_number(pairs->nr);
    add_number(pairs->each);
    add_number(pairs->panel_pairs);
    add_number(OBK_LOOPS(integer_gemm)[OBK_INTEGER_QUADS].nr);
    end_line();
    for (int i = 0; i <= OBK_CONV_TYPES; i++) {
        const obk_conv_panels *p = i < OBK_CONV_TYPES ? &conv->panels[i] : &conv->winograd;
        add("numbers of conv");
        add_number(i);
        add_number(p->lanes);
        add_number(p->widest);
        add_number(p->along_products);
        end_line();
    }
}

static void products(void) {
    enum { M = 13, N = 21, K = 37 };
    for (int i = 0; i < OBK_GEMM_COUNT; i++) {
        static const ob_dtype types[] = {OB_FLOAT, OB_DOUBLE, OB_INT32, OB_UINT32, OB_INT64, OB_UINT64};
        const obk_gemm *gemm = &OBK_LOOPS(gemm)[i];
        const bool is_float = fill(types[i], memory[0], M * K);
        fill(types[i], memory[1], N * K);
        obk_gemm_call call = {.m = M, .n = N, .k = K, .a = memory[0], .a_row = K, .a_k = 1, .b = memory[1], .b_k = N};
        call.b_column = 1;
        call.y = memory[2];
        call.y_row = N;
        call.alpha = 1;
        call.panel = memory[3];
        gemm->product(&call);
        result(is_float ? "fused product" : "product", i, memory[2], (int64_t)M * N, ob_dtype_size(types[i]), is_float);
        if (!is_float) continue;
        gemm->pack_a(memory[4], 0, ob__round_up(M, gemm->mr), memory[0], K, 1, M, K);
        gemm->pack_b(memory[5], memory[1], N, 1, K, N);
        result("packed rows", i, memory[4], ob__round_up(M, gemm->mr) * K, ob_dtype_size(types[i]), true);
        result("packed columns", i, memory[5], ob__round_up(N, gemm->nr) * K, ob_dtype_size(types[i]), true);
        call.a = memory[4];
        call.a_row = 0;
        call.a_rows = ob__round_up(M, gemm->mr);
        call.b = memory[5];
        call.b_k = 0;
        gemm->product(&call);
        result("fused product of packed operands", i, memory[2], (int64_t)M * N, ob_dtype_size(types[i]), true);
        gemm->row(memory[2], 1, memory[0], memory[1], K, N, K, 1, 1, NULL, 0);
        result("fused row", i, memory[2], N, ob_dtype_size(types[i]), true);
    }
    const obk_integer_gemm *pairs = &OBK_LOOPS(integer_gemm)[OBK_INTEGER_PAIRS];
    static const int16_t zero_a[1] = {3}, zero_b[1] = {-5};
    fill_integers(memory[0], M * K, 1);
    fill_integers(memory[1], N * K, 1);
    const obk_bytes a = {.data = memory[0], .step = K, .along = 1, .zero = zero_a},
                    b = {.data = memory[1], .is_signed = true, .step = 1, .along = N, .zero = zero_b};
    pairs->pack_a((obk_pair *)(void *)memory[2], &a, M, K);
    pairs->pack_b((obk_pair *)(void *)memory[3], &b, K, N);
    obk_integer_call call = {.m = M, .n = N, .k = K, .a = (const obk_pair *)(const void *)memory[2], .y_row = N};
    call.b = (const obk_pair *)(const void *)memory[3];
    call.y = (int32_t *)(void *)memory[4];
    pairs->product(&call);
    result("product of bytes", 0, memory[4], (int64_t)M * N, 4, false);
}

/* 3 x 3, padded, stride 1 and 2. */
static void convolutions(void) {
    enum { CHANNELS = 3, SIZE = 11, OUT = 10 };
    const obk_convs *conv = OBK_LOOPS(conv);
    for (int stride = 1; stride <= 2; stride++)
        for (int type = 0; type < OBK_CONV_QUADS; type++) {
            const int64_t out = (SIZE - 1) / stride + 1;
            const obk_axis axes[2] = {{SIZE, out, 3, stride, 1, 1, 1}, {SIZE, out, 3, stride, 1, 1, 1}};
            obk_conv c = {.window = {2, axes, (int64_t)SIZE * SIZE, out * out, 9}, .channels = CHANNELS, .out_channels = OUT};
            static int64_t tables[512], offset[CHANNELS * 9];
            int64_t n_tables = 0;
            const ob_dtype of = type == OBK_CONV_F32 ? OB_FLOAT : type == OBK_CONV_F64 ? OB_DOUBLE : OB_UINT32;
            const size_t size = ob_dtype_size(of);
            const bool is_float = fill(of, memory[0], (int64_t)CHANNELS * SIZE * SIZE);
            fill(of, memory[1], (int64_t)OUT * CHANNELS * 9);
            fill(of, memory[2], OUT);
            c.tiled = obk_choose_tiling(&c.window, 1 << 20, &c.tiling, &n_tables) && n_tables <= 512;
            if (!c.tiled) {
                result("no tiling", stride, memory[0], 0, 4, false);
                continue;
            }
            obk_fill_tiling(&c.window, &c.tiling, tables);
            c.y_channel = out * out;
            c.pitch = obk_conv_pitch(c.tiling.elems);
            c.k_channels = CHANNELS;
            for (int64_t i = 0; i < (int64_t)CHANNELS * 9; i++) offset[i] = i / 9 * c.pitch + c.tiling.offset[i % 9];
            c.k_offset = offset;
            const obk_conv_panels *p = &conv->panels[type];
            obk_pace pace = {0};
            p->pack(memory[3], memory[1], OUT, CHANNELS * 9);
            result("packed weights", type, memory[3], ob__round_up(OUT, p->lanes) * CHANNELS * 9, size, is_float);
            p->lay_out(&c, memory[0], 0, 0, 0, CHANNELS, memory[4], &pace);
            static _Alignas(64) char lane[8 * (OBK_PANEL_ROOM * 16 + OBK_FINISHED_CHANNELS * OBK_FINISHED_ROW)];
            p->run(&c, memory[4], memory[3], memory[2], memory[5], 0, 0, obk_panels(p->lanes, p->widest, OUT), NULL, lane, &pace);
            result(is_float ? "fused convolution" : "convolution", 10 * stride + type, memory[5], OUT * c.y_channel, size,
                   is_float);
            if (type != OBK_CONV_F32) continue;
            obk_conv by_rows = c;
            by_rows.channels = 1;
            obk_depthwise_blocks(&by_rows);
            conv->depthwise(&by_rows, memory[0], memory[1], memory[2], memory[5], 0, 0, 1, NULL, &pace);
            result("fused depthwise", stride, memory[5], c.y_channel, size, true);
        }
}

static void pools(void) {
    enum { SIZE = 14 };
    const obk_axis axes[2] = {{SIZE, 7, 3, 2, 1, 1, 1}, {SIZE, 7, 3, 2, 1, 1, 1}};
    obk_pool pool = {.window = {2, axes, (int64_t)SIZE * SIZE, 49, 9}, .kind = OBK_POOL_MAX};
    static int64_t tables[512];
    int64_t n_tables = 0;
    pool.tiled = obk_choose_tiling(&pool.window, 1 << 20, &pool.tiling, &n_tables) && n_tables <= 512;
    if (pool.tiled) obk_fill_tiling(&pool.window, &pool.tiling, tables);
    static const ob_dtype types[] = {OB_FLOAT, OB_DOUBLE, OB_INT8, OB_UINT8};
    obk_pace pace = {0};
    for (int i = 0; i < OBK_POOL_TYPES; i++) {
        const bool is_float = fill(types[i], memory[0], pool.window.n_in);
        (pool.tiled ? OBK_LOOPS(pool)->max : OBK_LOOPS(pool)->max_each)[i](&pool, memory[0], memory[1], NULL, 0, memory[2],
                                                                           &pace);
        result("maxima", i, memory[1], 49, ob_dtype_size(types[i]), is_float);
        if (!is_float) continue;
        OBK_LOOPS(pool)->global[i](OBK_POOL_MEAN, 1, memory[0], pool.window.n_in, memory[1]);
        result("mean", i, memory[1], 1, ob_dtype_size(types[i]), true);
    }
}

static void elements(void) {
    enum { N = 67 };
    static const ob_dtype types[] = {OB_FLOAT, OB_DOUBLE, OB_INT8, OB_UINT8, OB_INT16, OB_INT32, OB_UINT32, OB_INT64, OB_BOOL};
    const obk_unary_params params = {.alpha = 0.25, .beta = 0.5, .gamma = 1.5, .positive = true, .negative = true};
    static const obk_unary exact[] = {OBK_U_ABS,        OBK_U_NEG,          OBK_U_CEIL, OBK_U_FLOOR,     OBK_U_ROUND,
                                      OBK_U_SQRT,       OBK_U_RELU,         OBK_U_SIGN, OBK_U_NOT,       OBK_U_BIT_NOT,
                                      OBK_U_LEAKY_RELU, OBK_U_HARD_SIGMOID, OBK_U_CLIP, OBK_U_HARD_SWISH};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const int64_t size = (int64_t)ob_dtype_size(types[t]);
        const bool is_float = fill(types[t], memory[0], N);
        fill(types[t], memory[1], N);
        for (int op = 0; op < OBK_BINARY_COUNT; op++) {
            obk_loop loop = OBK_LOOPS(binary)[op][types[t]];
            const bool to_bool = op == OBK_EQUAL || op == OBK_LESS || op == OBK_LESS_EQUAL;
            if (!loop || (op == OBK_POW && is_float) || op == OBK_SHIFT_LEFT || op == OBK_SHIFT_RIGHT) continue;
            char *const pointers[] = {(char *)memory[0], (char *)memory[1], (char *)memory[2]};
            loop(pointers, (const int64_t[]){size, size}, N, (const int64_t[]){0, 0, 0}, 1, NULL);
            result("binary", 100 * (int64_t)t + op, memory[2], N, to_bool ? 1 : (size_t)size, is_float && !to_bool);
        }
        for (size_t u = 0; u < sizeof exact / sizeof *exact; u++) {
            obk_loop loop = OBK_LOOPS(unary)[exact[u]][types[t]];
            if (!loop) continue;
            char *const pointers[] = {(char *)memory[0], (char *)memory[2]};
            loop(pointers, &size, N, (const int64_t[]){0, 0}, 1, &params);
            result("unary", 100 * (int64_t)t + exact[u], memory[2], N, (size_t)size, is_float);
        }
        for (size_t to = 0; to < sizeof types / sizeof *types; to++) {
            obk_convert convert = OBK_LOOPS(convert)[types[to]][types[t]];
            if (!convert) continue;
            convert(memory[2], memory[0], N);
            result("convert", 100 * (int64_t)t + (int64_t)to, memory[2], N, ob_dtype_size(types[to]),
                   types[to] == OB_FLOAT || types[to] == OB_DOUBLE);
        }
        const obk_reduction sum = {
            .fold = OBK_FOLD_SUM, .inner = N, .n_kept = 1, .kept = {1}, .kept_strides = {N}, .n_folded = N};
        if (size >= 4 && OBK_LOOPS(reduce)->by_type[types[t]]) {
            OBK_LOOPS(reduce)->by_type[types[t]](&sum, memory[2], memory[0], 0, 1, memory[3]);
            result("sum", (int64_t)t, memory[2], 1, (size_t)size, is_float);
        }
        if (OBK_LOOPS(find)->by_type[types[t]]) {
            OBK_LOOPS(find)->by_type[types[t]](&(obk_search){.n = N, .inner = 1}, (int64_t *)(void *)memory[2], memory[0], 0, 1);
            result("largest", (int64_t)t, memory[2], 1, 8, false);
        }
    }
}

static void quantization(void) {
    enum { N = 67 };
    const obk_quantize *q = OBK_LOOPS(quantize);
    const float scale = 0.0137f, zero = 7;
    const obk_scales scales = {.scale = &scale, .zero = &zero, .low = -128, .high = 127};
    fill_f32(memory[0], N);
    q->quantize[OBK_Q_INT8](memory[1], (const float *)(const void *)memory[0], N, &scales);
    result("quantized", 0, memory[1], N, 1, false);
    q->dequantize[OBK_Q_INT8]((float *)(void *)memory[2], memory[1], N, &scales);
    result("dequantized", 0, memory[2], N, 4, true);
    fill_integers(memory[0], N, 4);
    const float factor = 0x1.23456p-26f;
    const obk_requantized to = {.scale = &factor, .zero = -3, .low = -128, .high = 127};
    q->requantize[OBK_Q_INT8](memory[1], (const int32_t *)(const void *)memory[0], N, &to);
    result("requantized", 0, memory[1], N, 1, false);
}

int main(void) {
    numbers();
    products();
    convolutions();
    pools();
    elements();
    quantization();
    return 0;
}
