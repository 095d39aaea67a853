/* Operands of Concat that are computed in the memory of its result.
 *
 * Planning notes each Concat whose operands are side by side in the result. When all steps are known, and with them all reads and
 * all results that take the memory of an operand, operands get their places. Only then is it clear whether that is right, and
 * whether it saves memory: the result has to be there from the first of its operands on. */
#include "core/base/error.h"
#include "core/graph/copy.h"
#include "runtime/plan/builder.h"

/* A Concat. */
typedef struct ob_join {
    ob_step *step;
    const struct ob_join *begin; /* an earlier one whose operands are the first operands of this one; NULL: none */
    bool wanted;
    struct ob_join *next; /* the one before it */
} ob_join;

/* The earlier Concats that are compared with a new one. */
enum { MOST_COMPARED = 8 };

static const ob_slot *result_of(const ob_join *join) {
    return join->step->slots[join->step->n_in];
}

/* True if `join` begins with all operands of `other`. */
static bool begins_with(const ob_join *join, const ob_join *other) {
    const ob_step *step = join->step, *begin = other->step;
    if (begin->n_in >= step->n_in || result_of(other)->buffer->depth != result_of(join)->buffer->depth) return false;
    for (uint32_t i = 0; i < begin->n_in; i++)
        if (step->slots[i] != begin->slots[i] || step->places[i] != begin->places[i]) return false;
    return true;
}

bool ob__has_read_operands(const ob_buffer *buffer) {
    const ob_step *step = buffer->joined;
    for (uint32_t i = 0; step && i < step->n_in; i++)
        if (step->slots[i] && step->slots[i]->buffer->kind == OB_BUFFER_ARENA && step->slots[i]->buffer->uses_left > 0)
            return true;
    return false;
}

ob_status ob__note_join(ob_builder *b, ob_step *step) {
    ob_join *join = OB_ARENA_NEW(&b->scratch, ob_join);
    if (!join) return OB_E_MEMORY;
    *join = (ob_join){.step = step, .next = b->joins};
    int n = 0;
    for (const ob_join *other = b->joins; other && !join->begin && n < MOST_COMPARED; other = other->next, n++)
        if (begins_with(join, other)) join->begin = other;
    b->joins = join;
    result_of(join)->buffer->joined = step;
    b->n_joins++;
    return OB_OK;
}

/* True if the slot is all of a buffer that belongs to the same subplan as the result. */
static bool is_whole_buffer(const ob_slot *slot, const ob_buffer *result) {
    const ob_buffer *buffer = slot->buffer;
    ob_view view;
    uint64_t n_bytes;
    ob__slot_view(slot, &view);
    return buffer->kind == OB_BUFFER_ARENA && !buffer->same_as && !buffer->is_fixed && buffer->depth == result->depth &&
           slot->offset == 0 && ob_view_is_contiguous(&view) && ob__tensor_bytes(view.dtype, view.rank, view.dims, &n_bytes) &&
           n_bytes > 0 && n_bytes == buffer->n_bytes;
}

/* Gives the operand, complete before `step`, its place in the result; unless something is written over it while it is read, or it
 * over something. */
static void place(const ob_slot *operand, ob_buffer *result, int64_t at, uint32_t step) {
    ob_buffer *buffer = operand->buffer;
    if (!is_whole_buffer(operand, result) || buffer->last_taken >= step) return;
    for (const ob_buffer *around = result; around; around = around->same_as)
        if (around == buffer || (around->first_taken != 0 && around->first_taken <= buffer->last)) return;
    buffer->same_as = result;
    buffer->shift = (uint64_t)at;
    for (ob_buffer *around = result; around; around = around->same_as) {
        if (around->first > buffer->first) around->first = buffer->first;
        if (around->last < buffer->last) around->last = buffer->last;
    }
}

/* All operands of the wanted Concats, those of the first ones first. */
static void place_wanted(ob_join *const *joins, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        const ob_step *step = joins[k]->step;
        ob_buffer *result = result_of(joins[k])->buffer;
        if (!joins[k]->wanted) continue;
        const ob_slot *begin = joins[k]->begin ? result_of(joins[k]->begin) : NULL;
        if (begin && begin->buffer->first_taken == 0) place(begin, result, 0, step->number);
        for (uint32_t i = 0; i < step->n_in; i++)
            if (step->slots[i]) place(step->slots[i], result, step->places[i], step->number);
    }
}

/* ---- Memory ---- */

typedef struct kept {
    ob_buffer *buffer, *same_as;
    uint32_t first, last;
} kept;

static kept *keep(ob_builder *b) {
    kept *all = OB_ARENA_ARRAY(&b->scratch, kept, b->plan->n_buffers), *at = all;
    for (ob_buffer *buffer = b->plan->buffers; all && buffer; buffer = buffer->next)
        *at++ = (kept){buffer, buffer->same_as, buffer->first, buffer->last};
    return all;
}

static void restore(const kept *all, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        all[i].buffer->same_as = all[i].same_as;
        all[i].buffer->shift = 0;
        all[i].buffer->first = all[i].first;
        all[i].buffer->last = all[i].last;
    }
}

/* The memory that the plan needs with the wanted ones. */
static ob_status try_wanted(ob_builder *b, const kept *buffers, ob_join *const *joins, uint64_t *n_bytes) {
    restore(buffers, b->plan->n_buffers);
    place_wanted(joins, b->n_joins);
    return ob__plan_memory(&b->scratch, b->plan->buffers, n_bytes);
}

/* All, if that needs no more memory than none; otherwise some after the other, those that need no more. Trials are bounded. */
static ob_status choose(ob_builder *b, ob_join *const *joins) {
    enum { MOST_TRIALS = 32, MOST_PAIRS = 1 << 22 };
    const uint64_t n = b->plan->n_buffers, affordable = MOST_PAIRS / (n * n + 1);
    const uint32_t trials = affordable > MOST_TRIALS ? MOST_TRIALS : (uint32_t)affordable;
    const kept *buffers = keep(b);
    uint64_t best, now;
    if (!buffers) return OB_E_MEMORY;
    OB_TRY(try_wanted(b, buffers, joins, &best));
    for (uint32_t k = 0; k < b->n_joins; k++) joins[k]->wanted = true;
    OB_TRY(try_wanted(b, buffers, joins, &now));
    if (now <= best) return OB_OK;
    for (uint32_t k = 0; k < b->n_joins; k++) joins[k]->wanted = false;
    const uint32_t chunk = trials > 0 ? (b->n_joins + trials - 1) / trials : b->n_joins;
    for (uint32_t from = 0; trials > 0 && from < b->n_joins; from += chunk) {
        const uint32_t end = b->n_joins - from < chunk ? b->n_joins : from + chunk;
        for (uint32_t k = from; k < end; k++) joins[k]->wanted = true;
        OB_TRY(try_wanted(b, buffers, joins, &now));
        for (uint32_t k = from; k < end && now > best; k++) joins[k]->wanted = false;
        if (now < best) best = now;
    }
    restore(buffers, b->plan->n_buffers);
    place_wanted(joins, b->n_joins);
    return OB_OK;
}

ob_status ob__join_places(ob_builder *b) {
    if (b->n_joins == 0 || b->survey) return OB_OK;
    ob_join **joins = OB_ARENA_ARRAY(&b->scratch, ob_join *, b->n_joins);
    if (!joins) return OB_E_MEMORY;
    uint32_t k = b->n_joins;
    for (ob_join *join = b->joins; join; join = join->next) joins[--k] = join;
    const ob_status status = choose(b, joins);
    return status == OB_E_LIMIT ? OB_OK : status; /* laying out says so */
}

/* A step that has nothing to copy is not run. */
static void skip(ob_builder *b, ob_step *step) {
    for (uint32_t i = 0; i < step->n_in; i++) {
        ob_view view;
        if (!step->slots[i]) continue;
        ob__slot_view(step->slots[i], &view);
        if (ob_view_count(&view) > 0 && !ob__is_placed(step, i)) return;
    }
    step->kind = OB_STEP_IN_PLACE;
    b->plan->memory.n_steps--;
    b->plan->memory.n_in_place++;
}

void ob__skip_joined(ob_builder *b) {
    for (const ob_join *join = b->joins; join && !b->survey; join = join->next) skip(b, join->step);
}
