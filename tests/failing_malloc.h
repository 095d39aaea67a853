/* malloc itself fails on purpose: for code without an allocator, and for calls from the C library and other shared libraries.
 * Included by one file of a program. Sanitizers replace malloc: OB_MALLOC_FAILS is then 0. */
#ifndef OB_TESTS_FAILING_MALLOC_H
#define OB_TESTS_FAILING_MALLOC_H

#include <errno.h>

#include "failing.h"

static failing malloc_failing;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define OB_MALLOC_FAILS 1
#define OB_SEEN         __attribute__((visibility("default"))) /* by shared libraries */
void *__libc_malloc(size_t n_bytes);
void *__libc_calloc(size_t n, size_t n_bytes_each);
void *__libc_realloc(void *block, size_t n_bytes);
void *__libc_memalign(size_t alignment, size_t n_bytes);

static bool malloc_refuses(void) {
    if (!refuses(&malloc_failing)) return false;
    errno = ENOMEM;
    return true;
}

OB_SEEN void *malloc(size_t n_bytes) {
    return malloc_refuses() ? NULL : __libc_malloc(n_bytes);
}
OB_SEEN void *calloc(size_t n, size_t n_bytes_each) {
    return malloc_refuses() ? NULL : __libc_calloc(n, n_bytes_each);
}
OB_SEEN void *realloc(void *block, size_t n_bytes) {
    return malloc_refuses() ? NULL : __libc_realloc(block, n_bytes);
}
OB_SEEN void *aligned_alloc(size_t alignment, size_t n_bytes) {
    return malloc_refuses() ? NULL : __libc_memalign(alignment, n_bytes);
}
OB_SEEN int posix_memalign(void **out, size_t alignment, size_t n_bytes) {
    if (malloc_refuses()) return ENOMEM;
    *out = __libc_memalign(alignment, n_bytes);
    return *out ? 0 : ENOMEM;
}
#else
#define OB_MALLOC_FAILS 0
#endif

#endif
