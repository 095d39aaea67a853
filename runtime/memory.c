#include "runtime/memory.h"

#include <stdint.h>

#include "core/graph/copy.h"

void *ob__own_memory(const ob_allocator *allocator, ob_owned_memory **list, uint64_t n_bytes, obk_pace *pace) {
    /* The list entry is before the aligned elements: one allocation each. */
    uint64_t total = n_bytes + 2 * (uint64_t)OB_ALIGNMENT;
    if (total > SIZE_MAX / 2) return NULL;
    ob_owned_memory *block = allocator->alloc(allocator->context, (size_t)total);
    if (!block) return NULL;
    ob__fill(block, (int64_t)total, 1, NULL, pace);
    block->n_bytes = (size_t)total;
    char *after = (char *)(block + 1);
    block->data = after + (OB_ALIGNMENT - (uintptr_t)after % OB_ALIGNMENT) % OB_ALIGNMENT;
    block->next = *list;
    *list = block;
    return block->data;
}

void ob__free_owned(const ob_allocator *allocator, ob_owned_memory **list) {
    while (*list) {
        ob_owned_memory *block = *list;
        *list = block->next;
        allocator->free(allocator->context, block, block->n_bytes);
    }
}
