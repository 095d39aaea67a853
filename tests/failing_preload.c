/* malloc that fails on purpose, for whole programs: LD_PRELOAD. Environment variables: OB_FAIL_AT is the call that fails,
 * counted from the start of main (0 is the first); with OB_FAIL_FROM all later calls fail too; the file OB_FAIL_FILE is created
 * after the first failure. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t n_bytes);
void *__libc_calloc(size_t n, size_t n_bytes_each);
void *__libc_realloc(void *block, size_t n_bytes);

#define OB_SEEN __attribute__((visibility("default")))

static long n_left = -1; /* calls that succeed; -1: all */
static int from_then_on;
static const char *said_in;

/* Allocations of libraries while they are loaded are not counted: this library is loaded first and initialised last. */
__attribute__((constructor)) static void start(void) {
    const char *at = getenv("OB_FAIL_AT");
    from_then_on = getenv("OB_FAIL_FROM") != NULL;
    said_in = getenv("OB_FAIL_FILE");
    n_left = at ? strtol(at, NULL, 10) : -1;
}

static int refuses(void) {
    if (n_left < 0) return 0;
    if (n_left > 0) return n_left--, 0;
    if (!from_then_on) n_left = -1;
    int file = said_in ? open(said_in, O_CREAT | O_WRONLY, 0600) : -1;
    if (file >= 0) close(file);
    said_in = NULL;
    errno = ENOMEM;
    return 1;
}

OB_SEEN void *malloc(size_t n_bytes) {
    return refuses() ? NULL : __libc_malloc(n_bytes);
}
OB_SEEN void *calloc(size_t n, size_t n_bytes_each) {
    return refuses() ? NULL : __libc_calloc(n, n_bytes_each);
}
OB_SEEN void *realloc(void *block, size_t n_bytes) {
    return refuses() ? NULL : __libc_realloc(block, n_bytes);
}
