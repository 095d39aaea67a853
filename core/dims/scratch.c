#include "core/dims/scratch.h"

#include <stdint.h>

#include "core/base/integers.h"

enum { BLOCK_BYTES = 4 * sizeof(ob_poly), ALIGNMENT = 16 };
#define HEADER ((sizeof(ob_scratch_block) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1))

void ob__scratch_init(ob_scratch *scratch, const ob_allocator *allocator) {
    scratch->allocator = *allocator;
    scratch->top = scratch->spare = NULL;
    atomic_init(&scratch->failed, false);
    atomic_flag_clear(&scratch->is_read);
}

static void free_block(ob_scratch *scratch, ob_scratch_block *block) {
    if (block) scratch->allocator.free(scratch->allocator.context, block, HEADER + block->n_bytes);
}

void ob__scratch_release(ob_scratch *scratch) {
    free_block(scratch, scratch->spare);
    while (scratch->top) {
        ob_scratch_block *block = scratch->top;
        scratch->top = block->older;
        free_block(scratch, block);
    }
    scratch->spare = NULL;
}

/* A block with room for so many bytes on top. */
static bool add_block(ob_scratch *scratch, size_t n_bytes) {
    ob_scratch_block *block = scratch->spare;
    scratch->spare = NULL;
    if (block && block->n_bytes < n_bytes) {
        free_block(scratch, block);
        block = NULL;
    }
    if (!block) {
        if (n_bytes < BLOCK_BYTES) n_bytes = BLOCK_BYTES;
        block = scratch->allocator.alloc(scratch->allocator.context, HEADER + n_bytes);
        if (!block) return false;
        block->n_bytes = n_bytes;
    }
    block->used = 0;
    block->older = scratch->top;
    scratch->top = block;
    return true;
}

void ob__dims_give_back(ob_dims *pool) {
    ob_scratch *scratch = pool->scratch;
    if (atomic_flag_test_and_set_explicit(&scratch->is_read, memory_order_acquire)) return; /* another thread uses it */
    if (!scratch->top || (!scratch->top->older && scratch->top->used == 0)) ob__scratch_release(scratch);
    atomic_flag_clear_explicit(&scratch->is_read, memory_order_release);
}

ob_scratch_scope ob__scratch_begin(const ob_dims *pool, size_t n_bytes) {
    ob_scratch_scope scope = {pool, NULL, (size_t)ob__round_up_u64(n_bytes, ALIGNMENT)};
    if (!pool) return scope;
    ob_scratch *scratch = pool->scratch;
    if ((!scratch->top || scratch->top->n_bytes - scratch->top->used < scope.n_bytes) && !add_block(scratch, scope.n_bytes)) {
        atomic_store(&scratch->failed, true);
        return scope;
    }
    scope.memory = (char *)scratch->top + HEADER + scratch->top->used;
    scratch->top->used += scope.n_bytes;
    return scope;
}

void ob__scratch_end(ob_scratch_scope *scope) {
    if (!scope->memory) return;
    ob_scratch *scratch = scope->pool->scratch;
    ob_scratch_block *top = scratch->top;
    top->used -= scope->n_bytes;
    if (top->used > 0 || !top->older) return; /* the last one stays */
    scratch->top = top->older;
    free_block(scratch, scratch->spare);
    scratch->spare = top;
}

void ob__dims_restart(ob_dims *pool) {
    pool->status = OB_OK;
    atomic_store(&pool->scratch->failed, false);
}

void ob__dims_read_begin(ob_dims_reading *reading, const ob_dims *pool) {
    reading->pool = pool;
    reading->given = pool;
    if (!pool || !atomic_flag_test_and_set_explicit(&pool->scratch->is_read, memory_order_acquire)) return;
    ob__scratch_init(&reading->own, &pool->arena.allocator);
    reading->copy = *pool;
    reading->copy.scratch = &reading->own;
    reading->pool = &reading->copy;
}

void ob__dims_read_end(ob_dims_reading *reading) {
    if (!reading->pool) return;
    if (reading->pool == &reading->copy) {
        if (atomic_load(&reading->own.failed)) atomic_store(&reading->given->scratch->failed, true);
        ob__scratch_release(&reading->own);
    } else
        atomic_flag_clear_explicit(&reading->pool->scratch->is_read, memory_order_release);
}
