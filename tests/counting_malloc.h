/* malloc, replaced: n_mallocs counts its calls while counts_mallocs is set, also those from inside shared libraries and the C
 * library. Included by one file of a program. Sanitizers replace malloc themselves: OB_COUNTS is then 0. */
#ifndef OB_TESTS_COUNTING_MALLOC_H
#define OB_TESTS_COUNTING_MALLOC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_size_t n_mallocs;
static volatile bool counts_mallocs;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define OB_COUNTS 1
#define OB_SEEN   __attribute__((visibility("default"))) /* by shared libraries */
void *__libc_malloc(size_t n_bytes);
void *__libc_calloc(size_t n, size_t n_bytes_each);
void *__libc_realloc(void *block, size_t n_bytes);
void *__libc_memalign(size_t alignment, size_t n_bytes);

static void count_malloc(void) {
    if (counts_mallocs) atomic_fetch_add(&n_mallocs, 1);
}

OB_SEEN void *malloc(size_t n_bytes) {
    count_malloc();
    return __libc_malloc(n_bytes);
}
OB_SEEN void *calloc(size_t n, size_t n_bytes_each) {
    count_malloc();
    return __libc_calloc(n, n_bytes_each);
}
OB_SEEN void *realloc(void *block, size_t n_bytes) {
    count_malloc();
    return __libc_realloc(block, n_bytes);
}
OB_SEEN void *aligned_alloc(size_t alignment, size_t n_bytes) {
    count_malloc();
    return __libc_memalign(alignment, n_bytes);
}
OB_SEEN int posix_memalign(void **out, size_t alignment, size_t n_bytes) {
    count_malloc();
    *out = __libc_memalign(alignment, n_bytes);
    return *out ? 0 : 12;
}
#else
#define OB_COUNTS 0
#endif

#endif
