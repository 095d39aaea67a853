#include "core/list.h"

#include <string.h>

void *ob__list_grown(const ob_allocator *allocator, void *items, uint32_t *capacity, size_t n_bytes_each) {
    enum { FIRST = 16 };
    if (*capacity == UINT32_MAX) return NULL;
    uint32_t more = *capacity == 0 ? FIRST : *capacity > UINT32_MAX / 2 ? UINT32_MAX : *capacity * 2;
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
