/* A growing arena: everything in it dies at once. The only way the library's objects allocate. */
#ifndef OB_CORE_BASE_ARENA_H
#define OB_CORE_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/status.h"

typedef struct ob_arena_block {
    struct ob_arena_block *older;
    size_t n_bytes; /* of the whole block, this header included */
} ob_arena_block;

typedef struct ob_arena {
    ob_allocator allocator;
    ob_arena_block *head;
    char *next, *end;
    size_t n_bytes;         /* taken from the allocator so far */
    size_t n_bytes_limit;   /* 0: none; beyond it allocation fails */
    bool failed, hit_limit; /* an allocation failed; for want of the limit, not of memory */
} ob_arena;

void ob__arena_init(ob_arena *arena, const ob_allocator *allocator);
/* The first allocations of an empty arena come out of `memory`, 16-byte aligned, which outlives them and stays the caller's. */
void ob__arena_lend(ob_arena *arena, void *memory, size_t n_bytes);
void ob__arena_release(ob_arena *arena);
/* Empty again, with the same allocator and no limit. */
void ob__arena_restart(ob_arena *arena);
/* Releases an arena that served one piece of work and gives that work's status: E_MEMORY instead of OB_OK when an allocation
 * failed and was passed over. */
ob_status ob__arena_finish(ob_arena *arena, ob_status status);
/* 16-byte aligned, uninitialised. NULL when memory or the limit ends; n_bytes 0 gives a valid unique pointer. */
void *ob__arena_alloc(ob_arena *arena, size_t n_bytes);
/* As above, zeroed, count * size checked for overflow. */
void *ob__arena_calloc(ob_arena *arena, size_t count, size_t n_bytes_each);
char *ob__arena_strndup(ob_arena *arena, const char *text, size_t n);
char *ob__arena_printf(ob_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define OB_ARENA_NEW(arena, type)      ((type *)ob__arena_calloc((arena), 1, sizeof(type)))
#define OB_ARENA_ARRAY(arena, type, n) ((type *)ob__arena_calloc((arena), (n), sizeof(type)))

#endif
