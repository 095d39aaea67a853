#include "core/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/integers.h"
#include "core/base/sanitizer.h"
#include "core/base/text.h"

/* Under AddressSanitizer only requested bytes are accessible, and memory from malloc has gaps between pieces. Requests to a
 * caller's allocator are the same as in other builds. */
#ifdef OB_ASAN
enum { GAP = 16 };
#else
enum { GAP = 0 };
#endif

/* A test of failing allocations makes them so small that every request is one. */
#ifndef OB_ARENA_BLOCK_MIN
#define OB_ARENA_BLOCK_MIN 1024
#define OB_ARENA_BLOCK_MAX (4 * 1024 * 1024)
#endif

enum { ALIGNMENT = 16, HEADER = 32, BLOCK_MIN = OB_ARENA_BLOCK_MIN, BLOCK_MAX = OB_ARENA_BLOCK_MAX, MUCH = 128 * 1024 };
_Static_assert(sizeof(ob_arena_block) <= HEADER - ALIGNMENT, "the header must fit before the first aligned place");

/* Allocators align as malloc does, which on 32-bit machines may be less. */
static char *first_place(ob_arena_block *block) {
    char *after = (char *)(block + 1);
    return after + (ALIGNMENT - (uintptr_t)after % ALIGNMENT) % ALIGNMENT;
}

static void *default_alloc(void *context, size_t n_bytes) {
    (void)context;
    return malloc(n_bytes);
}
static void *default_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    (void)context;
    (void)old_bytes;
    return realloc(block, new_bytes);
}
static void default_free(void *context, void *block, size_t n_bytes) {
    (void)context;
    (void)n_bytes;
    free(block);
}

const ob_allocator *ob_allocator_default(void) {
    static const ob_allocator allocator = {default_alloc, default_realloc, default_free, NULL};
    return &allocator;
}

void ob__arena_init(ob_arena *arena, const ob_allocator *allocator) {
    memset(arena, 0, sizeof *arena);
    arena->allocator = allocator ? *allocator : *ob_allocator_default();
}

void ob__arena_lend(ob_arena *arena, void *memory, size_t n_bytes) {
    arena->next = memory;
    arena->end = arena->next + n_bytes;
}

void ob__arena_release(ob_arena *arena) {
    ob_arena_block *block = arena->head;
    while (block) {
        ob_arena_block *older = block->older;
        ASAN_UNPOISON_MEMORY_REGION(block, block->n_bytes);
        arena->allocator.free(arena->allocator.context, block, block->n_bytes);
        block = older;
    }
    arena->head = NULL;
    arena->next = arena->end = NULL;
    arena->n_bytes = 0;
}

void ob__arena_restart(ob_arena *arena) {
    ob_allocator allocator = arena->allocator;
    ob__arena_release(arena);
    ob__arena_init(arena, &allocator);
}

ob_status ob__arena_finish(ob_arena *arena, ob_status status) {
    if (status == OB_OK && arena->failed) status = OB_E_MEMORY;
    ob__arena_release(arena);
    return status;
}

static void *alloc_from_new_block(ob_arena *arena, size_t n_bytes) {
    /* Blocks grow with the arena. In a small arena each is a sixteenth of its size, so that little is unused. In a large one each
     * is half of its size, so that there are few blocks. A large request gets a separate block. */
    size_t payload = arena->n_bytes / (arena->n_bytes < MUCH ? 16 : 2);
    payload = payload < BLOCK_MIN ? BLOCK_MIN : payload > BLOCK_MAX ? BLOCK_MAX : payload;
    if (payload < n_bytes) payload = n_bytes;
    if (payload > SIZE_MAX - HEADER) goto fail;
    size_t total = payload + HEADER;
    if (arena->n_bytes_limit && (arena->n_bytes > arena->n_bytes_limit || total > arena->n_bytes_limit - arena->n_bytes)) {
        arena->hit_limit = true;
        goto fail;
    }
    ob_arena_block *block = arena->allocator.alloc(arena->allocator.context, total);
    if (!block) goto fail;
    block->older = arena->head;
    block->n_bytes = total;
    arena->head = block;
    arena->n_bytes += total;
    char *start = first_place(block);
    ASAN_POISON_MEMORY_REGION(start, payload);
    if (payload - n_bytes >= (size_t)(arena->end - arena->next)) { /* else the older block has more room */
        arena->next = start + n_bytes;
        arena->end = start + payload;
    }
    return start;
fail:
    arena->failed = true;
    return NULL;
}

void *ob__arena_alloc(ob_arena *arena, size_t n_bytes) {
    if (n_bytes > SIZE_MAX - ALIGNMENT - GAP) {
        arena->failed = true;
        return NULL;
    }
    size_t rounded = n_bytes == 0 ? ALIGNMENT : (size_t)ob__round_up_u64(n_bytes, ALIGNMENT);
    if (arena->allocator.alloc == default_alloc) rounded += GAP;
    void *result = arena->next;
    if (result && (size_t)(arena->end - arena->next) >= rounded)
        arena->next += rounded;
    else
        result = alloc_from_new_block(arena, rounded);
    if (result) ASAN_UNPOISON_MEMORY_REGION(result, n_bytes);
    return result;
}

void *ob__arena_calloc(ob_arena *arena, size_t count, size_t n_bytes_each) {
    size_t n_bytes;
    if (__builtin_mul_overflow(count, n_bytes_each, &n_bytes)) n_bytes = SIZE_MAX; /* which fails */
    void *result = ob__arena_alloc(arena, n_bytes);
    if (result) memset(result, 0, n_bytes);
    return result;
}

char *ob__arena_strndup(ob_arena *arena, const char *text, size_t n) {
    if (n == SIZE_MAX) n--; /* which fails */
    char *copy = ob__arena_alloc(arena, n + 1);
    if (!copy) return NULL;
    if (n) memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

char *ob__arena_printf(ob_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t n = ob__vformat(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = ob__arena_alloc(arena, n + 1);
    if (!text) return NULL;
    va_start(arguments, format);
    ob__vformat(text, n + 1, format, arguments);
    va_end(arguments);
    return text;
}
