#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef OB_ISA_AVX2
#include <cpuid.h>
#endif
#if (defined(OB_ISA_NEON) || defined(OB_ISA_RVV)) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "kernels/gemm/eights.h"
#include "kernels/kernels.h"

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

#if defined(OB_ISA_NEON) || defined(OB_ISA_RVV)
/* The processor's features, by the bits of asm/hwcap.h, which older headers lack. */
static bool has_feature(unsigned long kind, unsigned bit) {
#ifdef __linux__
    return getauxval(kind) >> bit & 1;
#else
    (void)kind, (void)bit;
    return false;
#endif
}
#endif

#ifdef OB_ISA_NEON
static bool has_neon(void) {
#ifdef __aarch64__
    return true;
#else
    return has_feature(AT_HWCAP, 12);
#endif
}
#endif

#ifdef OB_ISA_RVV
/* Some systems also report version 0.7.1, whose instructions are others. vsetvli is in both, with another form of the type of
 * vectors: that of version 1.0 is invalid there, which makes vtype negative. The result is the number of bytes of a vector. */
static bool has_rvv(void) {
    if (!has_feature(AT_HWCAP, 'V' - 'A')) return false;
    unsigned long n_bytes;
    long vtype;
    __asm__ volatile(".insn i 0x57, 7, %0, x0, 0xc0\n\tcsrr %1, 0xc21" /* vsetvli %0, zero, e8, m1, ta, ma; csrr %1, vtype */
                     : "=&r"(n_bytes), "=r"(vtype));
    return vtype >= 0 && n_bytes >= 16;
}
#endif

/* Dot products of bytes: at the levels AVX2 and AVX-512, and of NEON on arm64. Products of matrices of bytes: of NEON on arm64.
 */
enum { VNNI_256 = 32, VNNI_512 = 64, SDOT = 128, I8MM = 256 };

static unsigned find_dot8(void) {
    unsigned found = 0;
#if defined(OB_ISA_NEON) && defined(__aarch64__) && defined(__linux__)
    if (has_feature(AT_HWCAP, 20)) found |= SDOT;
    if (has_feature(AT_HWCAP2, 13)) found |= I8MM;
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
#ifdef OB_ISA_NEON
    if (has_neon()) return OBK_ISA_NEON;
#endif
#ifdef OB_ISA_RVV
    if (has_rvv()) return OBK_ISA_RVV;
#endif
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

/* Those that the build has, lowest first. */
enum {
    LEVEL_BASELINE,
#ifdef OB_ISA_AVX2
    LEVEL_AVX2,
#endif
#ifdef OB_ISA_AVX512
    LEVEL_AVX512,
#endif
#ifdef OB_ISA_NEON
    LEVEL_NEON,
#endif
#ifdef OB_ISA_RVV
    LEVEL_RVV,
#endif
};

unsigned ob__kernels_level(void) {
    unsigned usable = atomic_load_explicit(&allowed, memory_order_relaxed) & levels();
    (void)usable;
#ifdef OB_ISA_AVX512
    if (usable & OBK_ISA_AVX512) return LEVEL_AVX512;
#endif
#ifdef OB_ISA_AVX2
    if (usable & OBK_ISA_AVX2) return LEVEL_AVX2;
#endif
#ifdef OB_ISA_NEON
    if (usable & OBK_ISA_NEON) return LEVEL_NEON;
#endif
#ifdef OB_ISA_RVV
    if (usable & OBK_ISA_RVV) return LEVEL_RVV;
#endif
    return LEVEL_BASELINE;
}

const char *ob__kernels_name(unsigned level) {
    static const char *const names[] = {
        [LEVEL_BASELINE] = "baseline",
#ifdef OB_ISA_AVX2
        [LEVEL_AVX2] = "avx2",
#endif
#ifdef OB_ISA_AVX512
        [LEVEL_AVX512] = "avx512",
#endif
#ifdef OB_ISA_NEON
        [LEVEL_NEON] = "neon",
#endif
#ifdef OB_ISA_RVV
        [LEVEL_RVV] = "rvv",
#endif
    };
    return names[level];
}

const char *ob__kernels_level_name(void) {
    return ob__kernels_name(ob__kernels_level());
}

bool ob__kernels_dot8(void) {
    const unsigned limit = atomic_load_explicit(&allowed, memory_order_relaxed), known = levels(), usable = limit & known;
    if (!(limit & OBK_ISA_DOT8)) return false;
    if (usable & OBK_ISA_AVX512) return known & VNNI_512;
    return usable & OBK_ISA_AVX2 && known & (VNNI_256 | SDOT); /* or NEON, which has the same place */
}

bool ob__kernels_i8mm(void) {
    const unsigned limit = atomic_load_explicit(&allowed, memory_order_relaxed), known = levels();
    return limit & OBK_ISA_I8MM && limit & known & OBK_ISA_NEON && known & I8MM;
}
