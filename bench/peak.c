/* The most multiplications and additions of floats that one core does: GFLOP/s of independent sums in registers, the best of many
 * short rounds.
 *
 *     peak [avx2|avx512|baseline] */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>

static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { SUMS = 12, STEPS = 20000, ROUNDS = 400 };

/* `sums` chains hide the latency of the unit. */
#define PEAK(name, target, bytes, fma)                                                                                           \
    target static double name(void) {                                                                                            \
        typedef float vector __attribute__((vector_size(bytes)));                                                                \
        vector s[SUMS] = {{0}}, a = (vector){0} + 0.999f, b = (vector){0} + 0.001f;                                              \
        double best = 0;                                                                                                         \
        for (int round = 0; round < ROUNDS; round++) {                                                                           \
            const double begin = now();                                                                                          \
            for (int l = 0; l < STEPS; l++) {                                                                                    \
                _Pragma("GCC unroll 12") for (int i = 0; i < SUMS; i++) s[i] = fma;                                              \
                __asm__ volatile("" : "+x"(a), "+x"(b));                                                                         \
            }                                                                                                                    \
            const double rate = 2e-9 * SUMS * STEPS * (bytes) / 4 / (now() - begin);                                             \
            if (rate > best) best = rate;                                                                                        \
        }                                                                                                                        \
        for (int i = 1; i < SUMS; i++) s[0] += s[i];                                                                             \
        __asm__ volatile("" : : "x"(s[0]));                                                                                      \
        return best;                                                                                                             \
    }

#ifdef __x86_64__
#include <immintrin.h>
PEAK(avx512, __attribute__((target("avx512f"))), 64, (vector)_mm512_fmadd_ps((__m512)s[i], (__m512)a, (__m512)b))
PEAK(avx2, __attribute__((target("avx2,fma"))), 32, (vector)_mm256_fmadd_ps((__m256)s[i], (__m256)a, (__m256)b))
PEAK(baseline, , 16, s[i] * a + b)
#endif

int main(int argc, char **argv) {
    const char *level = argc > 1 ? argv[1] : "";
#ifdef __x86_64__
    if ((!*level && __builtin_cpu_supports("avx512f")) || strcmp(level, "avx512") == 0) return printf("%.1f\n", avx512()) < 0;
    if ((!*level && __builtin_cpu_supports("avx2")) || strcmp(level, "avx2") == 0) return printf("%.1f\n", avx2()) < 0;
    return printf("%.1f\n", baseline()) < 0;
#else
    fprintf(stderr, "peak%s: not measured on this processor\n", level);
    return 1;
#endif
}
