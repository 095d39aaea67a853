/* An allocator that counts what it gives out. */
#include <stdatomic.h>

#include "runtime/plan.h"

/* Atomic: a worker of another thread may give the last reference to a plan back. */
struct ob_tally {
    ob_allocator inner;
    atomic_uint_least64_t n_bytes;
};

static void *tally_alloc(void *context, size_t n_bytes) {
    ob_tally *tally = context;
    void *block = tally->inner.alloc(tally->inner.context, n_bytes);
    if (block) atomic_fetch_add(&tally->n_bytes, n_bytes);
    return block;
}

static void *tally_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    ob_tally *tally = context;
    void *moved = tally->inner.realloc(tally->inner.context, block, old_bytes, new_bytes);
    if (!moved) return NULL;
    if (block) atomic_fetch_sub(&tally->n_bytes, old_bytes);
    atomic_fetch_add(&tally->n_bytes, new_bytes);
    return moved;
}

static void tally_free(void *context, void *block, size_t n_bytes) {
    ob_tally *tally = context;
    if (!block) return;
    atomic_fetch_sub(&tally->n_bytes, n_bytes);
    tally->inner.free(tally->inner.context, block, n_bytes);
}

ob_tally *ob__tally_create(const ob_allocator *inner, ob_allocator *out) {
    if (!inner) inner = ob_allocator_default();
    ob_tally *tally = inner->alloc(inner->context, sizeof *tally);
    if (!tally) return NULL;
    tally->inner = *inner;
    atomic_init(&tally->n_bytes, sizeof *tally);
    *out = (ob_allocator){tally_alloc, tally_realloc, tally_free, tally};
    return tally;
}

void ob__tally_destroy(ob_tally *tally) {
    ob_allocator inner = tally->inner;
    inner.free(inner.context, tally, sizeof *tally);
}

uint64_t ob__tally_bytes(const ob_tally *tally) {
    return atomic_load(&tally->n_bytes);
}

const ob_allocator *ob__tally_inner(const ob_tally *tally) {
    return &tally->inner;
}
