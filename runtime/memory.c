#include "runtime/memory.h"

#include <stdint.h>

#include "core/graph/copy.h"

/* Where the elements of a block begin: the list entry is before them, so that each needs one allocation. */
static void *place(ob_owned_memory *block, ob_owned_memory **list) {
    char *after = (char *)(block + 1);
    block->data = after + (OB_ALIGNMENT - (uintptr_t)after % OB_ALIGNMENT) % OB_ALIGNMENT;
    block->next = *list;
    *list = block;
    return block->data;
}

static uint64_t total_of(uint64_t n_bytes) {
    return n_bytes + 2 * (uint64_t)OB_ALIGNMENT;
}

void *ob__own_memory(const ob_allocator *allocator, ob_owned_memory **list, uint64_t n_bytes, obk_pace *pace) {
    const uint64_t total = total_of(n_bytes);
    if (total > SIZE_MAX / 2) return NULL;
    ob_owned_memory *block = allocator->alloc(allocator->context, (size_t)total);
    if (!block) return NULL;
    ob__fill(block, (int64_t)total, 1, NULL, pace);
    block->n_bytes = (size_t)total;
    return place(block, list);
}

static ob_owned_memory *take_spare(ob_owned_memory **spare, uint64_t total) {
    for (ob_owned_memory **at = spare; *at; at = &(*at)->next) {
        ob_owned_memory *block = *at;
        if (block->n_bytes < total || block->n_bytes / 2 > total) continue;
        *at = block->next;
        return block;
    }
    return NULL;
}

void *ob__own_result(const ob_allocator *allocator, ob_owned_memory **list, ob_owned_memory **spare, uint64_t n_bytes) {
    const uint64_t total = total_of(n_bytes);
    if (total > SIZE_MAX / 2) return NULL;
    ob_owned_memory *block = take_spare(spare, total);
    if (block) return place(block, list);
    block = allocator->alloc(allocator->context, (size_t)total);
    if (!block && *spare) {
        ob__free_owned(allocator, spare);
        block = allocator->alloc(allocator->context, (size_t)total);
    }
    if (!block) return NULL;
    block->n_bytes = (size_t)total;
    return place(block, list);
}

void ob__free_owned(const ob_allocator *allocator, ob_owned_memory **list) {
    while (*list) {
        ob_owned_memory *block = *list;
        *list = block->next;
        allocator->free(allocator->context, block, block->n_bytes);
    }
}
