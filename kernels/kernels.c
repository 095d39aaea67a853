#include <stdatomic.h>
#include <stdbool.h>
#ifdef OB_ISA_AVX2
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
#endif

#include "kernels/kernels.h"
#include "kernels/tables.h"

#define TABLE(isa)                                                                                                               \
    {                                                                                                                            \
        .name = #isa, .binary = obk_binary_loops__##isa, .unary = obk_unary_loops__##isa, .where = obk_where_loops__##isa,       \
        .convert = obk_conversions__##isa, .move = &obk_move_functions__##isa, .clip = obk_clip_loops__##isa                     \
    }

static const obk_table baseline = TABLE(baseline);
#ifdef OB_ISA_AVX2
static const obk_table avx2 = TABLE(avx2);
#endif

#ifdef OB_ISA_AVX2
/* Not all compilers' __builtin_cpu_supports knows F16C. The builtin for AVX2 has asked whether the system saves the registers. */
static bool find_avx2(void) {
    unsigned a, b, c, d;
    /* What another processor would compute can be seen on this one: OB_ISA=baseline in the environment is the answer "no". */
    const char *isa = getenv("OB_ISA");
    if (isa && strcmp(isa, "baseline") == 0) return false;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

/* Asked once: inside a virtual machine the cpuid instruction leaves it, which takes as long as a small kernel does. */
static bool has_avx2(void) {
    enum { UNKNOWN, NO, YES };
    static atomic_int known = UNKNOWN;
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == UNKNOWN) {
        answer = find_avx2() ? YES : NO;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == YES;
}
#endif

static atomic_uint allowed = ~0u;

void ob__kernels_limit(unsigned isa_mask) {
    atomic_store(&allowed, isa_mask);
}

const obk_table *ob__kernels(void) {
    unsigned mask = atomic_load_explicit(&allowed, memory_order_relaxed);
    (void)mask;
#ifdef OB_ISA_AVX2
    if ((mask & OBK_ISA_AVX2) && has_avx2()) return &avx2;
#endif
    return &baseline;
}
