/* An allocator that counts allocated bytes and refuses beyond a limit. */
#include <stdatomic.h>

#include "core/base/error.h"
#include "runtime/session.h"
#include "runtime/tally.h"

/* Atomic: workers of other threads take and give back memory that counts for the session. */
struct ob_tally {
    ob_allocator inner;
    atomic_uint_least64_t n_bytes; /* given out by this one */
    ob_tally *sum;                 /* whose `total` and `limit` these bytes count for: the session's */
    atomic_uint_least64_t total;   /* of the sum: of all that count for it */
    uint64_t limit;                /* of the sum */
    uint64_t refused;              /* bytes of the last refusal by the limit; 0: none since the last question */
    uint64_t denied;               /* bytes of the last request that the inner allocator did not serve */
};

/* False, and nothing changes, if the limit does not allow n_bytes more. */
static bool charge(ob_tally *tally, uint64_t n_bytes) {
    ob_tally *sum = tally->sum;
    uint64_t before = atomic_fetch_add(&sum->total, n_bytes);
    if (before <= sum->limit && n_bytes <= sum->limit - before) {
        atomic_fetch_add(&tally->n_bytes, n_bytes);
        return true;
    }
    atomic_fetch_sub(&sum->total, n_bytes);
    tally->refused = n_bytes;
    return false;
}

static void discharge(ob_tally *tally, uint64_t n_bytes) {
    atomic_fetch_sub(&tally->sum->total, n_bytes);
    atomic_fetch_sub(&tally->n_bytes, n_bytes);
}

static void *tally_alloc(void *context, size_t n_bytes) {
    ob_tally *tally = context;
    if (!charge(tally, n_bytes)) return NULL;
    void *block = tally->inner.alloc(tally->inner.context, n_bytes);
    if (!block) discharge(tally, tally->denied = n_bytes);
    return block;
}

/* A block that moves is there twice for a moment, which the inner allocator answers for. */
static void *tally_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    ob_tally *tally = context;
    size_t before = block ? old_bytes : 0, more = new_bytes > before ? new_bytes - before : 0;
    if (!charge(tally, more)) return NULL;
    void *moved = tally->inner.realloc(tally->inner.context, block, old_bytes, new_bytes);
    if (!moved) tally->denied = new_bytes;
    discharge(tally, !moved ? more : new_bytes < before ? before - new_bytes : 0);
    return moved;
}

static void tally_free(void *context, void *block, size_t n_bytes) {
    ob_tally *tally = context;
    if (!block) return;
    discharge(tally, n_bytes);
    tally->inner.free(tally->inner.context, block, n_bytes);
}

ob_tally *ob__tally_create(const ob_allocator *inner, uint64_t limit, ob_tally *sum, ob_allocator *out) {
    if (!inner) inner = ob_allocator_default();
    ob_tally *tally = inner->alloc(inner->context, sizeof *tally);
    if (!tally) return NULL;
    *tally = (ob_tally){.inner = *inner, .sum = sum ? sum : tally, .limit = limit};
    atomic_init(&tally->n_bytes, sizeof *tally);
    atomic_init(&tally->total, 0);
    atomic_fetch_add(&tally->sum->total, sizeof *tally);
    *out = (ob_allocator){tally_alloc, tally_realloc, tally_free, tally};
    return tally;
}

void ob__tally_destroy(ob_tally *tally) {
    ob_allocator inner = tally->inner;
    discharge(tally, sizeof *tally);
    inner.free(inner.context, tally, sizeof *tally);
}

static bool take(void *context, uint64_t n_bytes) {
    return charge(context, n_bytes);
}
static void give_back(void *context, uint64_t n_bytes) {
    discharge(context, n_bytes);
}
ob_account ob__tally_account(ob_tally *tally) {
    return (ob_account){take, give_back, tally};
}

uint64_t ob__tally_bytes(const ob_tally *tally) {
    return atomic_load(&tally->n_bytes);
}

const ob_allocator *ob__tally_inner(const ob_tally *tally) {
    return &tally->inner;
}

bool ob__tally_limited(const ob_tally *tally) {
    return tally->refused > 0;
}

bool ob__tally_refused(ob_tally *tally) {
    bool refused = ob__tally_limited(tally);
    tally->refused = 0;
    return refused;
}

ob_status ob__tally_explain(ob_tally *tally, ob_status status, ob_error *error) {
    uint64_t refused = tally->refused, denied = tally->denied;
    tally->refused = tally->denied = 0;
    if (status != OB_E_MEMORY || (refused == 0 && denied == 0)) return status;
    char what[200] = "out of memory";
    if (error && error->code == OB_E_MEMORY && error->message[0]) ob__copy_text(what, sizeof what, error->message);
    const unsigned long long in_use = atomic_load(&tally->sum->total);
    if (refused == 0)
        return ob__fail(error, status, "%s: the allocator has no %llu bytes beside the %llu in use", what,
                        (unsigned long long)denied, in_use);
    return ob__fail(error, OB_E_LIMIT, "%s: %llu bytes beside the %llu in use are over the limit of %llu: max_memory raises it",
                    what, (unsigned long long)refused, in_use, (unsigned long long)tally->sum->limit);
}
