/* Functions of kernels/ at every level that the build and the processor have, on memory with guards.
 *
 *     for (size_t l = 0; l < kl_levels(tables); l++) ...       tables[0] is the baseline
 *     kl_edges edges = kl_open(1 << 16);
 *     for (int64_t n = 0; n <= KL_LONGEST(sizeof(float)); n++)
 *         for (int64_t offset = 0; offset < 3; offset++) {
 *             float *x = kl_in(&edges, n * sizeof *x);         ends where memory ends: a read past it is a fault
 *             kl_out z = kl_out_open(n * sizeof(float), offset * sizeof(float));
 *             tables[l]->...(z.data, x, n);
 *             kl_out_close(&z);                                no byte before or behind has changed; the next one gets other
 * memory
 *         }
 *     kl_close(&edges);
 */
#ifndef OB_TESTS_KERNEL_LEVELS_H
#define OB_TESTS_KERNEL_LEVELS_H

#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/kernels.h"

enum { KL_LEVELS = 3, KL_GUARD = 64 };
/* Three of the widest vectors and one element more. */
#define KL_LONGEST(element_bytes) ((int64_t)(3 * 64 / (element_bytes) + 1))

/* The loops of one level. */
typedef struct obk_table {
    const char *name;
#define OBK_MEMBER(member, type)  const type *member;
#define OBK_MEMBERS(member, type) const type *member;
#include "kernels/kernels.def"
#undef OBK_MEMBER
#undef OBK_MEMBERS
} obk_table;

static inline obk_table kl_table(void) {
    return (obk_table){
        .name = ob__kernels_level_name(),
#define OBK_MEMBER(member, type)  .member = OBK_LOOPS(member),
#define OBK_MEMBERS(member, type) .member = OBK_LOOPS(member),
#include "kernels/kernels.def"
#undef OBK_MEMBER
#undef OBK_MEMBERS
    };
}

/* The tables of this build and processor, lowest level first; returns their number. All levels may be chosen afterwards. */
static inline size_t kl_levels(const obk_table *tables[KL_LEVELS]) {
    static const unsigned masks[KL_LEVELS] = {0, OBK_ISA_AVX2, OBK_ISA_AVX2 | OBK_ISA_AVX512};
    static obk_table all[KL_LEVELS];
    size_t n = 0;
    for (size_t i = 0; i < KL_LEVELS; i++) {
        ob__kernels_limit(masks[i]);
        if (n > ob__kernels_level()) continue;
        all[n] = kl_table();
        tables[n] = &all[n];
        n++;
    }
    ob__kernels_limit(~0u);
    return n;
}

/* ---- memory ---- */

/* Inputs: two ranges of memory, each ending at the last readable byte. */
typedef struct kl_edges {
    char *memory[4];
    size_t n_bytes, page;
    unsigned next;
} kl_edges;

static inline kl_edges kl_open(size_t most_bytes) {
    kl_edges e = {.page = (size_t)sysconf(_SC_PAGESIZE)};
    e.n_bytes = (most_bytes + e.page) / e.page * e.page;
    int zero = open("/dev/zero", O_RDWR);
    assert_true(zero >= 0);
    for (size_t i = 0; i < 4; i++) {
        void *memory = mmap(NULL, e.n_bytes + e.page, PROT_READ | PROT_WRITE, MAP_PRIVATE, zero, 0);
        assert_true(memory != MAP_FAILED);
        assert_int_equal(mprotect((char *)memory + e.n_bytes, e.page, PROT_NONE), 0);
        e.memory[i] = memory;
    }
    close(zero);
    return e;
}

/* n_bytes of undefined contents; the fourth call after it gets the same memory again. */
static inline void *kl_in(kl_edges *e, size_t n_bytes) {
    assert_true(n_bytes <= e->n_bytes);
    char *memory = e->memory[e->next++ % 4];
    memset(memory, 0xff, e->n_bytes); /* NaN or -1, so that a use of bytes before the input is visible */
    return memory + e->n_bytes - n_bytes;
}

static inline void kl_close(kl_edges *e) {
    for (size_t i = 0; i < 4; i++) munmap(e->memory[i], e->n_bytes + e->page);
}

/* An output between guard bytes, `offset` bytes after a multiple of 64. Also for results that are computed in place. */
typedef struct kl_out {
    void *data;
    char *block;
    size_t n_bytes, offset;
} kl_out;

static inline kl_out kl_out_open(size_t n_bytes, size_t offset) {
    kl_out z = {.n_bytes = n_bytes, .offset = offset};
    size_t all = (KL_GUARD + offset + n_bytes + KL_GUARD + 63) / 64 * 64;
    z.block = aligned_alloc(64, all);
    assert_non_null(z.block);
    memset(z.block, 0xC7, all);
    z.data = z.block + KL_GUARD + offset;
    return z;
}

static inline void kl_out_close(kl_out *z) {
    size_t before = KL_GUARD + z->offset;
    for (size_t i = 0; i < before; i++)
        if ((unsigned char)z->block[i] != 0xC7) fail_msg("byte %zu before the output was written", before - i);
    for (size_t i = 0; i < KL_GUARD; i++)
        if ((unsigned char)z->block[before + z->n_bytes + i] != 0xC7) fail_msg("byte %zu behind the output was written", i);
    free(z->block);
    z->block = NULL;
}

/* ---- numbers ---- */

static inline uint64_t kl_random(uint64_t *seed) { /* SplitMix64 */
    uint64_t x = *seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Evenly between low and high. */
static inline double kl_uniform(uint64_t *seed, double low, double high) {
    return low + (high - low) * (double)(kl_random(seed) >> 11) * 0x1p-53;
}

static inline void kl_fill_f32(float *x, int64_t n, uint64_t *seed, double low, double high) {
    for (int64_t i = 0; i < n; i++) x[i] = (float)kl_uniform(seed, low, high);
}

static inline void kl_fill_f64(double *x, int64_t n, uint64_t *seed, double low, double high) {
    for (int64_t i = 0; i < n; i++) x[i] = kl_uniform(seed, low, high);
}

static inline void kl_fill_bytes(void *x, size_t n_bytes, uint64_t *seed) {
    for (size_t i = 0; i < n_bytes; i++) ((unsigned char *)x)[i] = (unsigned char)(kl_random(seed) >> 32);
}

/* Some elements become NaN, infinities, zeros of both signs, denormals and the ends of the range. */
static inline void kl_special_f32(float *x, int64_t n, uint64_t *seed) {
    static const float special[] = {NAN, INFINITY, -INFINITY, 0, -0.0f, FLT_MAX, -FLT_MAX, FLT_MIN, 0x1p-149f, -0x1.8p-140f};
    for (int64_t i = 0; i < n; i++)
        if (kl_random(seed) % 4 == 0) x[i] = special[kl_random(seed) % (sizeof special / sizeof special[0])];
}

static inline void kl_special_f64(double *x, int64_t n, uint64_t *seed) {
    static const double special[] = {(double)NAN, (double)INFINITY, (double)-INFINITY, 0,         -0.0,
                                     DBL_MAX,     -DBL_MAX,         DBL_MIN,           0x1p-1074, -0x1.8p-1060};
    for (int64_t i = 0; i < n; i++)
        if (kl_random(seed) % 4 == 0) x[i] = special[kl_random(seed) % (sizeof special / sizeof special[0])];
}

/* Do all n floats (doubles) have the same bits? Every NaN equals every NaN, since its sign and payload depend on the operand
 * order that the compiler chose. */
static inline bool kl_same(const void *a, const void *b, int64_t n, bool is_double) {
    for (int64_t i = 0; i < n; i++) {
        double x = is_double ? ((const double *)a)[i] : (double)((const float *)a)[i];
        double y = is_double ? ((const double *)b)[i] : (double)((const float *)b)[i];
        if (!(x == y && !signbit(x) == !signbit(y)) && !(x != x && y != y)) return false;
    }
    return true;
}

/* Distance from `expected` in units of the last place of a float (double) of that size; 0 for two NaN; infinite for two
 * different numbers of which one is infinite or NaN. */
static inline double kl_ulps(double got, double expected, int digits, int least_exponent) {
    if (got == expected || (got != got && expected != expected)) return 0;
    if (got != got || expected != expected || isinf(got) || isinf(expected)) return (double)INFINITY;
    int exponent = 0;
    frexp(expected, &exponent);
    if (exponent < least_exponent) exponent = least_exponent;
    return fabs(got - expected) / ldexp(1, exponent - digits);
}
static inline double kl_ulps_f32(float got, double expected) {
    return kl_ulps((double)got, fabs(expected) > (double)FLT_MAX ? (double)(float)expected : expected, FLT_MANT_DIG, FLT_MIN_EXP);
}
static inline double kl_ulps_f64(double got, double expected) {
    return kl_ulps(got, expected, DBL_MANT_DIG, DBL_MIN_EXP);
}

#endif
