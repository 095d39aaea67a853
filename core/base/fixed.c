/* An allocator in one buffer: first fit; adjacent free blocks are merged. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/base/integers.h"
#include "onnx_broadcast/allocator.h"

/* Before each block's bytes. Blocks follow each other without gaps, so the next one is n_bytes further on. */
typedef struct header {
    size_t n_bytes; /* of the block, this header included; a multiple of UNIT, the lowest bit is set while it is in use */
    size_t before;  /* bytes of the block before, 0 for the first */
} header;

enum { UNIT = 16, HEADER = 16 };
_Static_assert(sizeof(header) <= HEADER, "what is behind a header must stay aligned");

static size_t size_of(const header *block) {
    return block->n_bytes & ~(size_t)1;
}

static bool in_use(const header *block) {
    return block->n_bytes & 1;
}

static header *end_of(const ob_fixed_memory *memory) {
    return (header *)(void *)((char *)memory->first + memory->capacity);
}

static header *behind(const header *block) {
    return (header *)(void *)((char *)(uintptr_t)block + size_of(block));
}

static void set_size(const ob_fixed_memory *memory, header *block, size_t n_bytes, bool used) {
    block->n_bytes = n_bytes | used;
    if (behind(block) < end_of(memory)) behind(block)->before = n_bytes;
}

/* Keeps the first n_bytes of a block that is at least as large; the rest becomes free if it is large enough for a block. */
static void cut(ob_fixed_memory *memory, header *block, size_t n_bytes) {
    size_t rest = size_of(block) - n_bytes;
    if (rest < HEADER + UNIT) {
        set_size(memory, block, size_of(block), true);
        return;
    }
    block->n_bytes = n_bytes | 1;
    header *free_part = behind(block);
    free_part->before = n_bytes;
    header *after = (header *)(void *)((char *)free_part + rest);
    if (after < end_of(memory) && !in_use(after)) rest += size_of(after);
    set_size(memory, free_part, rest, false);
}

/* Bytes of a block that holds n_bytes for the caller; 0: more than there can be. */
static size_t block_bytes(const ob_fixed_memory *memory, size_t n_bytes) {
    if (n_bytes > memory->capacity) return 0;
    return HEADER + (size_t)ob__round_up_u64(n_bytes, UNIT);
}

static void *take(ob_fixed_memory *memory, header *block, size_t n_bytes) {
    cut(memory, block, n_bytes);
    const size_t reached = (size_t)((char *)behind(block) - (char *)memory->buffer);
    if (reached > memory->reached) memory->reached = reached;
    memory->used += size_of(block);
    if (memory->used > memory->peak) memory->peak = memory->used;
    return (char *)block + HEADER;
}

static void *refuse(ob_fixed_memory *memory, size_t n_bytes) {
    memory->refused = n_bytes;
    return NULL;
}

static void *fixed_alloc(void *context, size_t n_bytes) {
    ob_fixed_memory *memory = context;
    size_t need = block_bytes(memory, n_bytes);
    if (!memory->first || need == 0) return refuse(memory, n_bytes);
    for (header *block = memory->first; block < end_of(memory); block = behind(block))
        if (!in_use(block) && size_of(block) >= need) return take(memory, block, need);
    return refuse(memory, n_bytes);
}

static void fixed_free(void *context, void *bytes, size_t n_bytes) {
    (void)n_bytes;
    ob_fixed_memory *memory = context;
    if (!bytes) return;
    header *block = (header *)(void *)((char *)bytes - HEADER), *after = behind(block);
    size_t total = size_of(block);
    memory->used -= total;
    if (after < end_of(memory) && !in_use(after)) total += size_of(after);
    if (block->before > 0) {
        header *before = (header *)(void *)((char *)block - block->before);
        if (!in_use(before)) {
            total += size_of(before);
            block = before;
        }
    }
    set_size(memory, block, total, false);
}

static void *fixed_realloc(void *context, void *bytes, size_t old_bytes, size_t new_bytes) {
    ob_fixed_memory *memory = context;
    if (!bytes) return fixed_alloc(context, new_bytes);
    header *block = (header *)(void *)((char *)bytes - HEADER), *after = behind(block);
    size_t need = block_bytes(memory, new_bytes), has = size_of(block);
    if (need == 0) return refuse(memory, new_bytes);
    size_t reach = has + (after < end_of(memory) && !in_use(after) ? size_of(after) : 0);
    if (need <= reach) {
        memory->used -= has;
        if (need > has) set_size(memory, block, reach, true);
        return take(memory, block, need);
    }
    void *moved = fixed_alloc(context, new_bytes);
    if (!moved) return NULL;
    memcpy(moved, bytes, old_bytes < new_bytes ? old_bytes : new_bytes);
    fixed_free(context, bytes, old_bytes);
    return moved;
}

ob_allocator ob_fixed_allocator(ob_fixed_memory *memory, void *buffer, size_t n_bytes) {
    *memory = (ob_fixed_memory){.buffer = buffer, .n_bytes = n_bytes};
    size_t skipped = (UNIT - (uintptr_t)buffer % UNIT) % UNIT;
    if (buffer && n_bytes >= skipped + HEADER + UNIT) {
        memory->first = (char *)buffer + skipped;
        memory->capacity = (n_bytes - skipped) / UNIT * UNIT;
        header *block = memory->first;
        block->before = 0;
        block->n_bytes = memory->capacity;
    }
    return (ob_allocator){fixed_alloc, fixed_realloc, fixed_free, memory};
}
