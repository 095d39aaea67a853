/* The memory limit: a loop that only reads and writes the bytes that an operation must move. */
#ifndef BENCH_MEMORY_LIMIT_H
#define BENCH_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct memory_limit {
    char *from, *to;
    size_t n_read, n_written;
    volatile unsigned char sink;
} memory_limit;

/* Zeroed and aligned; large arrays ask for huge pages, as NumPy's do. NULL: out of memory. Released by free. */
void *bench_allocate(size_t n_bytes);

bool memory_limit_init(memory_limit *limit, size_t n_read, size_t n_written);
void memory_limit_run(memory_limit *limit);
void memory_limit_release(memory_limit *limit);

#endif
