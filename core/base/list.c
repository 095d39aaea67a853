#include "core/base/list.h"

#include <string.h>

static uint32_t twice(uint32_t capacity) {
    enum { FIRST = 4 };
    return capacity == 0 ? FIRST : capacity > UINT32_MAX / 2 ? UINT32_MAX : capacity * 2;
}

void *ob__list_grown(const ob_allocator *allocator, void *items, uint32_t *capacity, size_t n_bytes_each) {
    if (*capacity == UINT32_MAX) return NULL;
    uint32_t more = twice(*capacity);
    if (more > SIZE_MAX / n_bytes_each) return NULL;
    size_t old_bytes = *capacity * n_bytes_each, n_bytes = more * n_bytes_each;
    char *grown =
        items ? allocator->realloc(allocator->context, items, old_bytes, n_bytes) : allocator->alloc(allocator->context, n_bytes);
    if (!grown) return NULL;
    memset(grown + old_bytes, 0, n_bytes - old_bytes);
    *capacity = more;
    return grown;
}

void ob__list_free(const ob_allocator *allocator, void *items, uint32_t capacity, size_t n_bytes_each) {
    if (items) allocator->free(allocator->context, items, capacity * n_bytes_each);
}

void *ob__list_in_arena(ob_arena *arena, void *items, uint32_t *capacity, uint32_t wanted, size_t n_bytes_each) {
    if (wanted <= *capacity) return items;
    uint32_t more = twice(*capacity);
    if (more < wanted) more = wanted;
    void *grown = ob__arena_calloc(arena, more, n_bytes_each);
    if (!grown) return NULL;
    if (*capacity) memcpy(grown, items, *capacity * n_bytes_each);
    *capacity = more;
    return grown;
}

void *ob__list_for_entry(ob_arena *arena, void *items, size_t n, size_t n_bytes_each) {
    if (n & (n - 1)) return items;
    if (n > SIZE_MAX / 2) return NULL;
    void *grown = ob__arena_calloc(arena, n ? n * 2 : 1, n_bytes_each);
    if (grown && n) memcpy(grown, items, n * n_bytes_each);
    return grown;
}
