#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef OB_ISA_AVX2
#include <cpuid.h>
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "kernels/gemm/gemm.h"
#include "kernels/gemm/integer.h"
#include "kernels/kernels.h"

#define OBK_MEMBER(member, type)                                                                                                 \
    extern const type obk_table_##member##__baseline, obk_table_##member##__avx2, obk_table_##member##__avx512;
#define OBK_MEMBERS(member, type)                                                                                                \
    extern const type obk_table_##member##__baseline[], obk_table_##member##__avx2[], obk_table_##member##__avx512[];
#include "kernels/kernels.def"
#undef OBK_MEMBER
#undef OBK_MEMBERS

#define OBK_MEMBER(member, type)  .member = &OBK_OF_LEVEL(member),
#define OBK_MEMBERS(member, type) .member = OBK_OF_LEVEL(member),

static const obk_table baseline = {
    .name = "baseline",
#define OBK_OF_LEVEL(member) obk_table_##member##__baseline
#include "kernels/kernels.def"
#undef OBK_OF_LEVEL
};
#ifdef OB_ISA_AVX2
static const obk_table avx2 = {
    .name = "avx2",
#define OBK_OF_LEVEL(member) obk_table_##member##__avx2
#include "kernels/kernels.def"
#undef OBK_OF_LEVEL
};
#endif
#ifdef OB_ISA_AVX512
static const obk_table avx512 = {
    .name = "avx512",
#define OBK_OF_LEVEL(member) obk_table_##member##__avx512
#include "kernels/kernels.def"
#undef OBK_OF_LEVEL
};
#endif

/* The compilers' builtins for AVX2 and AVX-512 also check that the system saves the registers. Not all of them know F16C. */
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

/* Dot products of bytes: at the levels AVX2 and AVX-512, and of NEON at the baseline of arm64. */
enum { VNNI_256 = 8, VNNI_512 = 16, SDOT = 32 };

static unsigned find_dot8(void) {
    unsigned found = 0;
#if defined(__aarch64__) && defined(__linux__)
    enum { ASIMDDP = 1 << 20 }; /* HWCAP_ASIMDDP, which older headers lack */
    const char *highest = getenv("OB_ISA");
    if (getauxval(AT_HWCAP) & ASIMDDP && !(highest && strcmp(highest, "baseline") == 0)) found |= SDOT;
#endif
#ifdef OB_ISA_AVX2
    unsigned a, b, c, d;
    if (has_avx2() && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1u << 4)) found |= VNNI_256;
#endif
#ifdef OB_ISA_AVX512
    if (has_avx512() && __builtin_cpu_supports("avx512vnni")) found |= VNNI_512;
#endif
    return found;
}

/* OB_ISA in the environment names the highest level, so that one can compute as another processor would. */
static unsigned find_levels(void) {
    const char *highest = getenv("OB_ISA");
    if (highest && strcmp(highest, "baseline") == 0) return 0;
    if (!has_avx2()) return 0;
    if (highest && strcmp(highest, "avx2") == 0) return OBK_ISA_AVX2;
    return has_avx512() ? OBK_ISA_AVX2 | OBK_ISA_AVX512 : OBK_ISA_AVX2;
}

/* Cached: inside a virtual machine the cpuid instruction takes as long as a small kernel. */
static unsigned levels(void) {
    enum { KNOWN = 1 << 16 };
    static atomic_uint known = 0;
    unsigned answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == 0) {
        answer = find_levels() | find_dot8() | KNOWN;
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

bool ob__kernels_dot8(void) {
    const unsigned limit = atomic_load_explicit(&allowed, memory_order_relaxed), known = levels(), usable = limit & known;
    if (!(limit & OBK_ISA_DOT8)) return false;
    if (known & SDOT) return true;
    if (usable & OBK_ISA_AVX512) return known & VNNI_512;
    return usable & OBK_ISA_AVX2 && known & VNNI_256;
}
