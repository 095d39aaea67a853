#define _DEFAULT_SOURCE /* madvise */
#include "memory_limit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

void *bench_allocate(size_t n_bytes) {
    size_t page = (size_t)2 << 20, unit = n_bytes >= 2 * page ? page : 64;
    size_t rounded = (n_bytes + 63 + unit) / unit * unit;
    void *memory = aligned_alloc(unit, rounded);
#ifdef MADV_HUGEPAGE
    if (memory && unit == page) madvise(memory, rounded, MADV_HUGEPAGE); /* a wish: failing does no harm */
#endif
    if (memory) memset(memory, 0, n_bytes);
    return memory;
}

bool memory_limit_init(memory_limit *limit, size_t n_read, size_t n_written) {
    limit->n_read = n_read;
    limit->n_written = n_written;
    limit->from = bench_allocate(n_read);
    limit->to = bench_allocate(n_written);
    if (!limit->from || !limit->to) return false;
    memset(limit->from, 1, n_read);
    memset(limit->to, 1, n_written);
    return true;
}

void memory_limit_release(memory_limit *limit) {
    free(limit->from);
    free(limit->to);
    limit->from = limit->to = NULL;
}

/* Outputs beyond the caches are written past them, as a good kernel does. */
enum { STREAM_BYTES = 24 << 20 };

#ifdef __x86_64__
__attribute__((target("avx2"))) static unsigned char move_avx2(const memory_limit *limit) {
    size_t n_copied = limit->n_read < limit->n_written ? limit->n_read : limit->n_written, i = 0;
    n_copied -= n_copied % 128;
    bool stream = limit->n_written >= STREAM_BYTES;
    __m256i sum = _mm256_setzero_si256();
    /* the second operand is read from the far end, in step with the copy */
    size_t extra = limit->n_read - n_copied, per_step = n_copied ? extra / (n_copied / 128) / 32 * 32 : 0;
    const char *more = limit->from + n_copied;
    for (; i < n_copied; i += 128) {
        for (size_t j = 0; j < 128; j += 32) {
            __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(limit->from + i + j));
            if (stream)
                _mm256_stream_si256((__m256i *)(void *)(limit->to + i + j), x);
            else
                _mm256_storeu_si256((__m256i *)(void *)(limit->to + i + j), x);
        }
        for (size_t j = 0; j < per_step; j += 32, more += 32)
            sum = _mm256_xor_si256(sum, _mm256_loadu_si256((const __m256i *)(const void *)more));
    }
    for (const char *end = limit->from + limit->n_read; more + 32 <= end; more += 32)
        sum = _mm256_xor_si256(sum, _mm256_loadu_si256((const __m256i *)(const void *)more));
    __m256i value = _mm256_set1_epi8(1);
    for (; i + 32 <= limit->n_written; i += 32) {
        if (stream)
            _mm256_stream_si256((__m256i *)(void *)(limit->to + i), value);
        else
            _mm256_storeu_si256((__m256i *)(void *)(limit->to + i), value);
    }
    if (stream) _mm_sfence();
    return (unsigned char)_mm256_extract_epi8(sum, 0);
}
#endif

static unsigned char move_plain(const memory_limit *limit) {
    size_t n_copied = limit->n_read < limit->n_written ? limit->n_read : limit->n_written;
    memcpy(limit->to, limit->from, n_copied);
    memset(limit->to + n_copied, 1, limit->n_written - n_copied);
    uint64_t sum = 0, x;
    for (size_t i = n_copied; i + 8 <= limit->n_read; i += 8) {
        memcpy(&x, limit->from + i, 8);
        sum ^= x;
    }
    return (unsigned char)sum;
}

void memory_limit_run(memory_limit *limit) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        limit->sink = move_avx2(limit);
        return;
    }
#endif
    limit->sink = move_plain(limit);
}
