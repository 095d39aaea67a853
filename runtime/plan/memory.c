/* The memory plan: buffers that are alive at the same time get disjoint places in one block. */
#include "runtime/memory.h"
#include "core/base/integers.h"
#include "runtime/plan/plan.h"

/* Up to this many buffers the largest is placed first, which packs well but looks at all pairs; beyond, buffers are placed in
 * order of time into gaps that earlier ones left. */
enum { PAIRWISE_MAX = 3000 };

static uint64_t aligned(uint64_t n_bytes) {
    return ob__round_up_u64(n_bytes, OB_ALIGNMENT);
}

static bool overlap_in_time(const ob_buffer *a, const ob_buffer *b) {
    return a->first <= b->last && b->first <= a->last;
}

static bool is_larger(const ob_buffer *x, const ob_buffer *y) {
    if (x->n_bytes != y->n_bytes) return x->n_bytes > y->n_bytes;
    if (x->first != y->first) return x->first < y->first;
    return x->last != y->last ? x->last < y->last : x->number < y->number;
}

static bool is_earlier(const ob_buffer *x, const ob_buffer *y) {
    if (x->first != y->first) return x->first < y->first;
    return x->n_bytes != y->n_bytes ? x->n_bytes > y->n_bytes : x->number < y->number;
}

/* qsort may allocate behind the caller's back; a heap sort never does. */
static void sort(ob_buffer **all, size_t n, bool (*comes_first)(const ob_buffer *a, const ob_buffer *b)) {
    size_t start = n / 2, end = n;
    while (end > 1) {
        if (start > 0) {
            start--; /* the heap is built, from its end */
        } else {
            ob_buffer *last = all[--end];
            all[end] = all[0];
            all[0] = last;
        }
        ob_buffer *sinking = all[start];
        size_t at = start;
        for (size_t child; (child = 2 * at + 1) < end; at = child) {
            if (child + 1 < end && comes_first(all[child], all[child + 1])) child++;
            if (!comes_first(sinking, all[child])) break;
            all[at] = all[child];
        }
        all[at] = sinking;
    }
}

/* Inserts `buffer` into the list of placed ones, which is ordered by offset. */
static void insert_by_offset(ob_buffer **placed, size_t n, ob_buffer *buffer) {
    size_t at = n;
    for (; at > 0 && placed[at - 1]->offset > buffer->offset; at--) placed[at] = placed[at - 1];
    placed[at] = buffer;
}

/* The smallest gap that takes the buffer, among those that are alive at the same time. */
static void place_in_best_gap(ob_buffer *const *placed, size_t n, ob_buffer *buffer) {
    uint64_t need = aligned(buffer->n_bytes), end = 0, best = 0, best_size = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        const ob_buffer *other = placed[i];
        if (!overlap_in_time(other, buffer)) continue;
        if (other->offset > end && other->offset - end >= need && other->offset - end < best_size) {
            best = end;
            best_size = other->offset - end;
        }
        uint64_t other_end = other->offset + aligned(other->n_bytes);
        if (other_end > end) end = other_end;
    }
    buffer->offset = best_size == UINT64_MAX ? end : best;
}

static void place_pairwise(ob_buffer **all, size_t n, ob_buffer **placed) {
    sort(all, n, is_larger);
    for (size_t i = 0; i < n; i++) {
        place_in_best_gap(placed, i, all[i]);
        insert_by_offset(placed, i, all[i]);
    }
}

/* `placed` holds only live buffers: dead ones are dropped on the way, so a long chain takes linear time. */
static void place_in_time_order(ob_buffer **all, size_t n, ob_buffer **placed) {
    sort(all, n, is_earlier);
    size_t n_alive = 0;
    for (size_t i = 0; i < n; i++) {
        size_t kept = 0;
        for (size_t k = 0; k < n_alive; k++)
            if (placed[k]->last >= all[i]->first) placed[kept++] = placed[k];
        place_in_best_gap(placed, kept, all[i]);
        insert_by_offset(placed, kept, all[i]);
        n_alive = kept + 1;
    }
}

ob_status ob__plan_memory(ob_arena *scratch, ob_buffer *buffers, uint64_t *total) {
    size_t n = 0;
    uint64_t sum = 0;
    for (const ob_buffer *b = buffers; b; b = b->next) {
        if (b->kind != OB_BUFFER_ARENA || b->same_as) continue;
        if (b->n_bytes > UINT64_MAX / 4 || __builtin_add_overflow(sum, aligned(b->n_bytes), &sum)) return OB_E_LIMIT;
        n++;
    }
    ob_buffer **all = OB_ARENA_ARRAY(scratch, ob_buffer *, n);
    ob_buffer **placed = OB_ARENA_ARRAY(scratch, ob_buffer *, n + 1);
    if (!all || !placed) return OB_E_MEMORY;
    size_t i = 0;
    for (ob_buffer *b = buffers; b; b = b->next)
        if (b->kind == OB_BUFFER_ARENA && !b->same_as) all[i++] = b;
    if (n <= PAIRWISE_MAX)
        place_pairwise(all, n, placed);
    else
        place_in_time_order(all, n, placed);
    *total = 0;
    for (i = 0; i < n; i++) {
        uint64_t end = all[i]->offset + aligned(all[i]->n_bytes);
        if (end > *total) *total = end;
    }
    return OB_OK;
}

bool ob__scratch_of(const ob_kernel_needs *needs, const ob_threads *threads, ob_scratch *out) {
    const uint64_t mask = OB_ALIGNMENT - 1, most = SIZE_MAX / 2;
    if (needs->scratch_bytes > most || needs->lane_bytes > most) return false;
    uint64_t stride = (needs->lane_bytes + mask) & ~mask, all;
    out->lanes = (needs->scratch_bytes + mask) & ~mask;
    out->lane_stride = (size_t)stride;
    if (__builtin_mul_overflow(stride, (uint64_t)ob__lanes(threads), &all)) return false;
    return !__builtin_add_overflow(all, out->lanes, &out->n_bytes) && out->n_bytes <= most;
}
