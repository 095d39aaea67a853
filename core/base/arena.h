/* A growing arena: everything in it is freed at once. All objects of the library allocate from arenas. */
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
    size_t n_bytes_limit;   /* 0: none; allocations beyond it fail */
    bool failed, hit_limit; /* an allocation failed; hit_limit: because of the limit, not of memory */
} ob_arena;

void ob__arena_init(ob_arena *arena, const ob_allocator *allocator);
/* The first allocations of an empty arena use `memory`, 16-byte aligned. It must outlive them and stays the caller's. */
void ob__arena_lend(ob_arena *arena, void *memory, size_t n_bytes);
void ob__arena_release(ob_arena *arena);
/* Empties the arena; it keeps its allocator and has no limit. */
void ob__arena_restart(ob_arena *arena);
/* Releases an arena at the end of an operation and returns the operation's status: E_MEMORY instead of OB_OK if an allocation
 * failed. */
ob_status ob__arena_finish(ob_arena *arena, ob_status status);
/* 16-byte aligned, uninitialised. NULL if memory or the limit is exhausted; n_bytes 0 gives a valid unique pointer. */
void *ob__arena_alloc(ob_arena *arena, size_t n_bytes);
/* As above, zeroed; count * size is checked for overflow. */
void *ob__arena_calloc(ob_arena *arena, size_t count, size_t n_bytes_each);
char *ob__arena_strndup(ob_arena *arena, const char *text, size_t n);
char *ob__arena_printf(ob_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define OB_ARENA_NEW(arena, type)      ((type *)ob__arena_calloc((arena), 1, sizeof(type)))
#define OB_ARENA_ARRAY(arena, type, n) ((type *)ob__arena_calloc((arena), (n), sizeof(type)))

#endif
