/* Traces: the elements of the model's inputs from which elements of a tensor are computed, and the requirements on them. They use
 * exact arithmetic: if an integer wraps, a requirement is sufficient but stricter than necessary. */
#include "core/base/error.h"
#include "ops/infer/contents.h"
#include "ops/table/op.h"

enum { MOST_LINKS = 8 };

bool ob__trace_follows(ob_dtype dtype) {
    return dtype == OB_INT64 || dtype == OB_INT32;
}

const ob_trace *ob__trace_of_input(const ob_value *input, const ob_type *type, ob_arena *arena) {
    const ob_types followed = OB_T(INT64) | OB_T(INT32) | OB_T(INT16) | OB_T(INT8) | OB_T(UINT8) | OB_T(UINT16) | OB_T(UINT32) |
                              OB_T(FLOAT) | OB_T(DOUBLE);
    if (type->kind != OB_TYPE_TENSOR || !(followed >> type->dtype & 1)) return NULL;
    ob_trace *trace = OB_ARENA_NEW(arena, ob_trace);
    if (!trace) return NULL;
    *trace = (ob_trace){
        .input = input, .is_dense = type->shape.rank >= 0, .factor = 1, .lowest = OB_DIM_UNKNOWN, .highest = OB_DIM_UNKNOWN};
    return trace;
}

/* ---- Copying traces ---- */

static bool same_shape(ob_shape a, ob_shape b) {
    if (a.rank != b.rank || a.rank < 0) return false;
    for (int32_t axis = 0; axis < a.rank; axis++)
        if (a.dims[axis] != b.dims[axis] || a.dims[axis] == OB_DIM_UNKNOWN) return false;
    return true;
}

static ob_dim count_of(ob_infer *infer, ob_shape shape) {
    return shape.rank < 0 ? OB_DIM_UNKNOWN : ob__dims_product(infer, shape.dims, 0, shape.rank);
}

static const ob_trace *trace_of(const ob_infer *infer, uint32_t i) {
    return ob__in_given(infer, i) ? ob__in_content(infer, i).trace : NULL;
}

/* Copies the trace of input `input` to output `output`, for the caller to change; *out NULL: there is none. all: the output has
 * the same elements; otherwise its shape decides whether it is broadcast. */
static ob_status follow(ob_infer *infer, uint32_t input, uint32_t output, bool all, ob_trace **out) {
    const ob_trace *from = trace_of(infer, input);
    *out = NULL;
    if (!from || output >= infer->node->n_outputs || infer->out_contents[output].elems) return OB_OK;
    const ob_shape before = ob__in_shape(infer, input), after = infer->out_types[output].shape;
    const bool same = same_shape(before, after);
    const ob_dim n_before = same || all ? 0 : count_of(infer, before), n_after = same || all ? 0 : count_of(infer, after);
    const bool stretched = n_before != n_after || n_after == OB_DIM_UNKNOWN;
    ob_trace *first = NULL, **end = &first;
    for (; from; from = from->next) {
        ob_trace *link = OB_ARENA_NEW(infer->arena, ob_trace);
        if (!link) return OB_E_MEMORY;
        *link = *from;
        link->next = NULL;
        link->is_dense = from->is_dense && same;
        link->is_stretched = from->is_stretched || stretched;
        *end = link;
        end = &link->next;
    }
    infer->out_contents[output].trace = *out = first;
    return OB_OK;
}

ob_status ob__trace_copy(ob_infer *infer, uint32_t input, uint32_t output, ob_trace **chain) {
    return follow(infer, input, output, false, chain);
}

ob_status ob__trace_share(ob_infer *infer, uint32_t input, uint32_t output) {
    ob_trace *chain;
    return follow(infer, input, output, false, &chain);
}

/* Adds a link for elements of which only bounds are known. */
static ob_status add_range(ob_infer *infer, uint32_t i, ob_trace **end, bool *known) {
    ob_range range;
    *known = ob__in_range(infer, i, &range);
    if (!*known) return OB_OK;
    *end = OB_ARENA_NEW(infer->arena, ob_trace);
    if (!*end) return OB_E_MEMORY;
    **end = (ob_trace){.lowest = range.lowest, .highest = range.highest, .reached = range.reached, .factor = 1};
    return OB_OK;
}

ob_status ob__trace_same(ob_infer *infer, uint32_t input, uint32_t output) {
    ob_trace *chain;
    return follow(infer, input, output, true, &chain);
}

ob_status ob__trace_join(ob_infer *infer, uint32_t first, uint32_t end) {
    ob_trace *head = NULL, **tail = &head;
    uint32_t n = 0;
    bool any = false, known = true;
    for (uint32_t i = first; i < end && known; i++) any |= trace_of(infer, i) != NULL;
    if (!any || infer->out_contents[0].elems || !ob__trace_follows(infer->out_types[0].dtype)) return OB_OK;
    for (uint32_t i = first; i < end && known; i++) {
        const ob_trace *from = trace_of(infer, i);
        if (!from) {
            OB_TRY(add_range(infer, i, tail, &known));
            if (*tail) tail = &(*tail)->next;
            n++;
        }
        for (; from && n < MOST_LINKS; from = from->next, n++) {
            ob_trace *link = *tail = OB_ARENA_NEW(infer->arena, ob_trace);
            if (!link) return OB_E_MEMORY;
            *link = *from;
            link->next = NULL;
            link->is_dense = false;
            tail = &link->next;
        }
        known = known && !from && n <= MOST_LINKS;
    }
    if (known) infer->out_contents[0].trace = head;
    return OB_OK;
}

ob_status ob__trace_part(ob_infer *infer, uint32_t input, uint32_t output, const ob_dim *first, const ob_dim *n,
                         bool keeps_axes) {
    const ob_trace *from = trace_of(infer, input);
    const int32_t rank = ob__in_rank(infer, input);
    if (!from || !from->is_dense || from->next || rank < 0 || output >= infer->node->n_outputs) return OB_OK;
    if (infer->out_contents[output].elems) return OB_OK;
    ob_trace *link = OB_ARENA_NEW(infer->arena, ob_trace);
    ob_dim *begin = ob__new_dims(infer, (size_t)rank + 1), *end = ob__new_dims(infer, (size_t)rank + 1);
    if (!link || !begin || !end) return OB_E_MEMORY;
    for (int32_t axis = 0; axis < rank; axis++) {
        begin[axis] = ob_dim_add(infer->dims, first[axis], from->first ? from->first[axis] : 0);
        end[axis] = ob_dim_add(infer->dims, begin[axis], n[axis]);
        if (begin[axis] == OB_DIM_UNKNOWN || end[axis] == OB_DIM_UNKNOWN) return OB_OK;
    }
    *link = *from;
    link->first = begin;
    link->end = end;
    link->is_dense = keeps_axes;
    infer->out_contents[output].trace = link;
    return OB_OK;
}

/* ---- Requirements ---- */

/* The range of an element type; false: it is larger than that of terms. */
static bool held_by(ob_dtype dtype, ob_dim *lowest, ob_dim *highest) {
    switch (dtype) {
    case OB_BOOL: *lowest = 0, *highest = 1; return true;
    case OB_INT8: *lowest = INT8_MIN, *highest = INT8_MAX; return true;
    case OB_INT16: *lowest = INT16_MIN, *highest = INT16_MAX; return true;
    case OB_INT32: *lowest = INT32_MIN, *highest = INT32_MAX; return true;
    case OB_UINT8: *lowest = 0, *highest = UINT8_MAX; return true;
    case OB_UINT16: *lowest = 0, *highest = UINT16_MAX; return true;
    case OB_UINT32: *lowest = 0, *highest = UINT32_MAX; return true;
    default: return false;
    }
}

/* One side of a requirement on a link. An element is min(max(y, lowest), highest) and must not be beyond `asked`. If a bound
 * already ensures that, nothing is required of y (*of_y false); otherwise y must satisfy it. False: sizes decide whether the
 * bound ensures it, so it cannot be stated. */
static bool side_of(const ob_infer *infer, ob_dim saving, ob_dim asked, bool lower, bool *of_y) {
    *of_y = false;
    if (saving == OB_DIM_UNKNOWN) return *of_y = true;
    if (lower ? ob__known_at_least(infer, saving, asked) : ob__known_at_least(infer, asked, saving)) return true;
    *of_y = lower ? ob__known_at_least(infer, asked, ob_dim_add(infer->dims, saving, 1))
                  : ob__known_at_least(infer, saving, ob_dim_add(infer->dims, asked, 1));
    return *of_y;
}

/* The least x with factor * x + summand >= `least`, for a positive factor. */
static ob_dim least_of(const ob_infer *infer, const ob_trace *link, ob_dim least, int64_t factor) {
    const ob_dim apart = ob_dim_sub(infer->dims, least, link->summand);
    return factor == 1 ? apart : ob_dim_ceil_div(infer->dims, apart, factor);
}

static ob_dim most_of(const ob_infer *infer, const ob_trace *link, ob_dim most, int64_t factor) {
    const ob_dim apart = ob_dim_sub(infer->dims, most, link->summand);
    return factor == 1 ? apart : ob_dim_div(infer->dims, apart, factor);
}

/* The bound on x that ensures the bounds on y. False: a term became too large. */
static bool bound_of(const ob_infer *infer, const ob_trace *link, ob_dim least, ob_dim most, ob_bound *out) {
    *out = (ob_bound){link->input, link->first, link->end, link->is_rounded, OB_DIM_UNKNOWN, OB_DIM_UNKNOWN};
    ob_dim lowest = OB_DIM_UNKNOWN, highest = OB_DIM_UNKNOWN, held_lowest, held_highest;
    const int64_t factor = link->factor > 0 ? link->factor : -link->factor;
    ob_trace turned = *link;
    if (link->factor < 0) { /* -y = factor * x - summand */
        const ob_dim was = least;
        least = most == OB_DIM_UNKNOWN ? most : ob_dim_sub(infer->dims, 0, most);
        most = was == OB_DIM_UNKNOWN ? was : ob_dim_sub(infer->dims, 0, was);
        turned.summand = ob_dim_sub(infer->dims, 0, link->summand);
    }
    if (least != OB_DIM_UNKNOWN && (lowest = least_of(infer, &turned, least, factor)) == OB_DIM_UNKNOWN) return false;
    if (most != OB_DIM_UNKNOWN && (highest = most_of(infer, &turned, most, factor)) == OB_DIM_UNKNOWN) return false;
    if (held_by(link->input->declared.dtype, &held_lowest, &held_highest)) {
        if (lowest != OB_DIM_UNKNOWN && ob__known_at_least(infer, held_lowest, lowest)) lowest = OB_DIM_UNKNOWN;
        if (highest != OB_DIM_UNKNOWN && ob__known_at_least(infer, highest, held_highest)) highest = OB_DIM_UNKNOWN;
    }
    out->lowest = lowest;
    out->highest = highest;
    return true;
}

/* Requires that a bound of the link does not itself violate the requirement, unless that is already known. */
static ob_status require_bound(ob_infer *infer, uint32_t i, ob_dim guard, ob_dim larger, ob_dim smaller, int32_t axis) {
    if (larger == OB_DIM_UNKNOWN || smaller == OB_DIM_UNKNOWN || ob__known_at_least(infer, larger, smaller)) return OB_OK;
    return ob__require_where(infer, guard, OB_COND_AT_LEAST, larger, smaller, (int32_t)i, axis, OB0601);
}

/* An element is x + n if x is negative, otherwise x. It is from `lowest` to `highest` exactly if x is from lowest - n to highest,
 * provided that lowest <= 0 and n <= highest + 1. */
static bool around_can_be_stated(const ob_infer *infer, const ob_trace *link, const ob_values_asked *asked, ob_bound *bound) {
    const ob_dim least = ob_dim_sub(infer->dims, asked->lowest, link->around);
    if (least == OB_DIM_UNKNOWN || !ob__known_at_least(infer, 0, asked->lowest)) return false;
    if (!asked->unlimited && !ob__known_at_least(infer, ob_dim_add(infer->dims, asked->highest, 1), link->around)) return false;
    return bound_of(infer, link, least, asked->unlimited ? OB_DIM_UNKNOWN : asked->highest, bound);
}

static bool link_can_be_stated(const ob_infer *infer, const ob_trace *link, const ob_values_asked *asked, ob_bound *bound) {
    bool from_below, from_above;
    if (link->is_sign) return false;
    if (link->around != 0) return around_can_be_stated(infer, link, asked, bound);
    if (!link->input) {
        return (link->reached && !asked->some) ||
               (ob__known_at_least(infer, link->lowest, asked->lowest) &&
                (asked->unlimited || ob__known_at_least(infer, asked->highest, link->highest)));
    }
    if (!side_of(infer, link->lowest, asked->lowest, true, &from_below)) return false;
    from_above = false;
    if (!asked->unlimited && !side_of(infer, link->highest, asked->highest, false, &from_above)) return false;
    return bound_of(infer, link, from_below ? asked->lowest : OB_DIM_UNKNOWN, from_above ? asked->highest : OB_DIM_UNKNOWN,
                    bound);
}

static ob_status state_link(ob_infer *infer, uint32_t i, const ob_trace *link, const ob_values_asked *asked, ob_bound *bound) {
    const ob_dim all = ob_dim_mul(infer->dims, ob__in_count(infer, i), asked->when);
    const bool saved =
        asked->unlimited || (link->highest != OB_DIM_UNKNOWN && ob__known_at_least(infer, asked->highest, link->highest));
    if (!saved) OB_TRY(require_bound(infer, i, all, asked->highest, link->lowest, asked->axis));
    OB_TRY(require_bound(infer, i, all, link->highest, asked->lowest, asked->axis));
    if (!link->input) {
        if (!asked->unlimited) OB_TRY(require_bound(infer, i, all, asked->highest, link->highest, asked->axis));
        return require_bound(infer, i, all, link->lowest, asked->lowest, asked->axis);
    }
    if (bound->lowest == OB_DIM_UNKNOWN && bound->highest == OB_DIM_UNKNOWN) {
        if (infer->decided) infer->decided(infer, true);
        return OB_OK;
    }
    ob_dim guard = link->is_stretched ? all : asked->when;
    if (ob__known_at_least(infer, guard, 1)) guard = 1;
    return infer->bounded ? infer->bounded(infer, bound, guard, (int32_t)i, asked->axis) : OB_OK;
}

/* For a tensor that is a part of an input with all its axes: the elements at one place of the last axis. *out NULL: it is not
 * such a part. */
static ob_status at_place(ob_infer *infer, uint32_t i, const ob_trace *chain, uint32_t place, const ob_trace **out) {
    const ob_shape shape = ob__in_shape(infer, i);
    *out = NULL;
    if (!chain->input || !chain->is_dense || chain->next || shape.rank < 1) return OB_OK;
    ob_trace *link = OB_ARENA_NEW(infer->arena, ob_trace);
    ob_dim *first = ob__new_dims(infer, (size_t)shape.rank), *end = ob__new_dims(infer, (size_t)shape.rank);
    if (!link || !first || !end) return OB_E_MEMORY;
    *link = *chain;
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        const bool last = axis + 1 == shape.rank;
        first[axis] = ob_dim_add(infer->dims, chain->first ? chain->first[axis] : 0, last ? (ob_dim)place : 0);
        end[axis] = ob_dim_add(infer->dims, first[axis], last ? 1 : shape.dims[axis]);
        if (first[axis] == OB_DIM_UNKNOWN || end[axis] == OB_DIM_UNKNOWN) return OB_OK;
    }
    link->first = first;
    link->end = end;
    *out = link;
    return OB_OK;
}

ob_status ob__trace_within(ob_infer *infer, uint32_t i, const ob_values_asked *asked, bool *stated) {
    ob_bound bounds[MOST_LINKS];
    const ob_trace *chain = trace_of(infer, i);
    uint32_t n = 0;
    *stated = false;
    if (chain && asked->some) OB_TRY(at_place(infer, i, chain, asked->place, &chain));
    if (!chain || asked->lowest == OB_DIM_UNKNOWN || (asked->highest == OB_DIM_UNKNOWN && !asked->unlimited)) return OB_OK;
    for (const ob_trace *link = chain; link; link = link->next, n++)
        if (n == MOST_LINKS || !link_can_be_stated(infer, link, asked, &bounds[n])) return OB_OK;
    n = 0;
    for (const ob_trace *link = chain; link; link = link->next, n++) OB_TRY(state_link(infer, i, link, asked, &bounds[n]));
    *stated = true;
    return OB_OK;
}
