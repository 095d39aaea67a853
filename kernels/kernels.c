#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef OB_ISA_AVX2
#include <cpuid.h>
#endif

#include "kernels/kernels.h"
#include "kernels/tables.h"

/* clang-format off */
#define TABLE(isa)                                          \
    {                                                       \
        .name = #isa,                                       \
        .binary = obk_binary_loops__##isa,                  \
        .unary = obk_unary_loops__##isa,                    \
        .where = obk_where_loops__##isa,                    \
        .convert = obk_conversions__##isa,                  \
        .move = &obk_move_functions__##isa,                 \
        .gemm = obk_gemm_functions__##isa,                  \
        .clip = obk_clip_loops__##isa,                      \
        .pool = &obk_pool_functions__##isa,                 \
        .conv = &obk_conv_functions__##isa,                 \
        .fft = &obk_fft_functions__##isa,                   \
        .softmax = &obk_softmax_functions__##isa,           \
        .reduce = obk_reduce_loops__##isa,                  \
        .find = obk_find_loops__##isa,                      \
        .run_up = obk_run_up_loops__##isa,                  \
        .integer_gemm = &obk_integer_gemm_functions__##isa, \
        .quantize = &obk_quantize_functions__##isa,         \
        .boxes = &obk_box_functions__##isa,                 \
        .sample = &obk_sample_functions__##isa,             \
        .norm = &obk_norm_functions__##isa, .recurrent = &obk_recurrent_functions__##isa,                 \
        .resize = &obk_resize_functions__##isa,             \
        .ml = &obk_ml_functions__##isa,                     \
        .random = &obk_random_functions__##isa,             \
        .attention = &obk_attention_functions__##isa,       \
    }
/* clang-format on */

static const obk_table baseline = TABLE(baseline);
#ifdef OB_ISA_AVX2
static const obk_table avx2 = TABLE(avx2);
#endif
#ifdef OB_ISA_AVX512
static const obk_table avx512 = TABLE(avx512);
#endif

/* The compilers' builtins for AVX2 and AVX-512 have asked whether the system saves the registers. Not all of them know F16C. */
static bool has_avx2(void) {
#ifdef OB_ISA_AVX2
    unsigned a, b, c, d;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
#else
    return false;
#endif
}

static bool has_avx512(void) {
#ifdef OB_ISA_AVX512
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
#else
    return false;
#endif
}

/* What another processor would compute can be seen on this one: OB_ISA in the environment names the highest level. */
static unsigned find_levels(void) {
    const char *highest = getenv("OB_ISA");
    if (highest && strcmp(highest, "baseline") == 0) return 0;
    if (!has_avx2()) return 0;
    if (highest && strcmp(highest, "avx2") == 0) return OBK_ISA_AVX2;
    return has_avx512() ? OBK_ISA_AVX2 | OBK_ISA_AVX512 : OBK_ISA_AVX2;
}

/* Asked once: inside a virtual machine the cpuid instruction leaves it, which takes as long as a small kernel does. */
static unsigned levels(void) {
    enum { KNOWN = 1 << 16 };
    static atomic_uint known = 0;
    unsigned answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == 0) {
        answer = find_levels() | KNOWN;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer;
}

static atomic_uint allowed = ~0u;

void ob__kernels_limit(unsigned isa_mask) {
    atomic_store(&allowed, isa_mask);
}

const obk_table *ob__kernels(void) {
    unsigned usable = atomic_load_explicit(&allowed, memory_order_relaxed) & levels();
    (void)usable;
#ifdef OB_ISA_AVX512
    if (usable & OBK_ISA_AVX512) return &avx512;
#endif
#ifdef OB_ISA_AVX2
    if (usable & OBK_ISA_AVX2) return &avx2;
#endif
    return &baseline;
}
