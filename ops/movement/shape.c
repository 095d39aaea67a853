/* Shape rules of operators that slice, join, pick and repeat. */
#include <string.h>

#include "core/base/error.h"
#include "ops/infer/contents.h"
#include "ops/movement/params.h"
#include "ops/table/op.h"

OB_RULE(concat);
OB_RULE(split);
OB_RULE(slice);
OB_RULE(pad);
OB_RULE(tile);
OB_RULE(center_crop_pad);
OB_RULE(depth_space);
OB_RULE(reverse_sequence);
OB_RULE(transpose);

/* ---- Concat ---- */

/* Joins contents if there is one row before the axis: vectors, and tensors whose leading sizes are 1. */
static ob_status concat_content(ob_infer *infer, int32_t axis) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < infer->node->n_inputs; i++) {
        ob_content content = ob__in_content(infer, i);
        for (int32_t k = 0; k < axis; k++)
            if (ob__in_dim(infer, i, k) != 1) return OB_OK;
        if (!content.elems || content.n > OB_CONTENT_MAX - n) return OB_OK;
        n += content.n;
    }
    ob_dim *elems = ob__new_dims(infer, n);
    if (!elems) return OB_E_MEMORY;
    n = 0;
    for (uint32_t i = 0; i < infer->node->n_inputs; i++) {
        ob_content content = ob__in_content(infer, i);
        if (content.n) memcpy(elems + n, content.elems, content.n * sizeof *elems);
        n += content.n;
    }
    infer->out_contents[0] = (ob_content){.n = n, .elems = elems};
    return OB_OK;
}

/* `is_first`: there are no earlier sizes to compare with. */
static ob_status concat_operand(ob_infer *infer, uint32_t i, bool is_first, int32_t axis, ob_dim *dims, int32_t rank) {
    for (int32_t k = 0; k < rank; k++) {
        ob_dim d = ob__in_dim(infer, i, k);
        if (ob__in_rank(infer, i) < 0) {
            if (k == axis) dims[k] = OB_DIM_UNKNOWN;
            continue;
        }
        if (k == axis) {
            dims[k] = ob__size_add(infer, dims[k], d, k);
            continue;
        }
        if (!is_first) OB_TRY(ob__require(infer, OB_COND_EQUAL, d, dims[k], (int32_t)i, k, OB0601));
        dims[k] = ob__dim_prefer(infer->dims, dims[k], d);
    }
    return OB_OK;
}

ob_status ob__infer_concat(ob_infer *infer) {
    int32_t rank = OB_RANK_UNKNOWN, axis = 0;
    uint32_t n = infer->node->n_inputs;
    ob__out_dtype(infer, 0, OB_NONE);
    for (uint32_t i = 0; i < n; i++) {
        int32_t other = ob__in_rank(infer, i);
        if (rank >= 0 && other >= 0 && other != rank) {
            ob__problem(infer, OB0601, (int32_t)i, -1, "operand %u has rank %d, others have rank %d", i, other, rank);
            return OB_OK;
        }
        if (other >= 0) rank = other;
        if (n > 1) OB_TRY(ob__rank_unknown(infer, i));
    }
    if (rank < 0 || rank > OB_MAX_RANK) return OB_OK;
    if (!ob__axis_in(infer, ob__concat_axis(infer->node), rank, &axis)) return ob__out_rank(infer, 0, rank);
    ob_dim dims[OB_MAX_RANK];
    for (int32_t k = 0; k < rank; k++) dims[k] = k == axis ? 0 : OB_DIM_UNKNOWN;
    bool is_first = true;
    for (uint32_t i = 0; i < n; i++) {
        OB_TRY(concat_operand(infer, i, is_first, axis, dims, rank));
        is_first &= ob__in_rank(infer, i) < 0;
    }
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, rank, dims));
    OB_TRY(concat_content(infer, axis));
    return ob__range_join(infer, 0, n);
}

/* ---- Transpose ---- */

static ob_status transpose_content(ob_infer *infer, ob_shape from, const int32_t *order) {
    ob_content content = ob__in_content(infer, 0);
    uint32_t n;
    if (!content.elems || !infer->node->n_outputs || !ob__small_count(infer, from, &n) || n != content.n)
        return ob__range_share(infer, 0, 0);
    if (from.rank <= 1) return ob__content_share(infer, 0, 0);
    ob_dim *elems = ob__new_dims(infer, n);
    if (!elems) return OB_E_MEMORY;
    uint32_t steps[OB_MAX_RANK], step = 1;
    for (int32_t axis = from.rank - 1; axis >= 0; axis--) {
        steps[axis] = step;
        step *= (uint32_t)from.dims[axis];
    }
    for (uint32_t at = 0; at < n; at++) {
        uint32_t rest = at, position = 0;
        for (int32_t axis = from.rank - 1; axis >= 0; axis--) {
            uint32_t size = (uint32_t)from.dims[order[axis]];
            position += rest % size * steps[order[axis]];
            rest /= size;
        }
        elems[at] = content.elems[position];
    }
    infer->out_contents[0] = (ob_content){.n = n, .elems = elems};
    return OB_OK;
}

ob_status ob__infer_transpose(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    const ob_ints given = ob__transpose_order(infer->node);
    const int64_t *perm = given.at;
    uint32_t n = given.n;
    ob__out_dtype(infer, 0, OB_NONE);
    if (perm) OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0) return perm && n <= OB_MAX_RANK ? ob__out_rank(infer, 0, (int32_t)n) : OB_OK;
    if (from.rank > OB_MAX_RANK) return OB_OK;
    if (perm && n != (uint32_t)from.rank) {
        ob__problem(infer, OB0602, 0, -1, "perm has %u entries for rank %d", n, from.rank);
        return OB_OK;
    }
    ob_dim dims[OB_MAX_RANK];
    int32_t order[OB_MAX_RANK];
    bool used[OB_MAX_RANK] = {false};
    for (int32_t axis = 0; axis < from.rank; axis++) {
        int64_t source = perm ? perm[axis] : from.rank - 1 - axis;
        if (source < 0) source += from.rank;
        if (source < 0 || source >= from.rank || used[source]) {
            ob__problem(infer, OB0602, 0, axis, "perm is not a permutation of 0 to %d", from.rank - 1);
            return ob__out_rank(infer, 0, from.rank);
        }
        used[source] = true;
        order[axis] = (int32_t)source;
        dims[axis] = from.dims[source];
    }
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, from.rank, dims));
    return transpose_content(infer, from, order);
}

/* ---- Split ---- */

/* The size of part i if no sizes are given; since Split-18 the last part may be smaller. */
static ob_dim even_part(ob_infer *infer, ob_dim whole, uint32_t i, uint32_t n) {
    if (ob__since(infer) < 18) return ob_dim_div(infer->dims, whole, n);
    ob_dim part = ob_dim_ceil_div(infer->dims, whole, n);
    ob_dim rest = ob_dim_sub(infer->dims, whole, ob_dim_mul(infer->dims, part, i));
    return ob__term_max(infer, 0, ob__term_min(infer, part, rest));
}

static ob_status split_content(ob_infer *infer, const ob_dim *sizes) {
    ob_content content = ob__in_content(infer, 0);
    ob_dim from = 0;
    if (!content.elems || ob__in_rank(infer, 0) != 1) return OB_OK;
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) {
        if (!ob_dim_is_const(sizes[i]) || sizes[i] < 0 || sizes[i] > content.n - from) return OB_OK;
        OB_TRY(ob__out_content(infer, i, content.elems + from, (uint32_t)sizes[i]));
        from += sizes[i];
    }
    return OB_OK;
}

static ob_status split_traces(ob_infer *infer, ob_shape from, int32_t axis, const ob_dim *sizes) {
    ob_dim first[OB_MAX_RANK] = {0}, n[OB_MAX_RANK];
    memcpy(n, from.dims, (size_t)from.rank * sizeof *n);
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) {
        n[axis] = sizes[i];
        OB_TRY(ob__trace_part(infer, 0, i, first, n, true));
        OB_TRY(ob__range_part(infer, 0, i));
        first[axis] = ob_dim_add(infer->dims, first[axis], sizes[i]);
    }
    return OB_OK;
}

ob_status ob__infer_split(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    uint32_t n_outputs = infer->node->n_outputs, n;
    int32_t axis;
    bool known;
    for (uint32_t i = 0; i < n_outputs; i++) ob__out_dtype(infer, i, ob__in_dtype(infer, 0));
    OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0 || from.rank > OB_MAX_RANK || n_outputs == 0) return OB_OK;
    if (!ob__axis_in(infer, ob__split_axis(infer->node), from.rank, &axis)) return OB_OK;
    const int64_t *split = ob__axes(infer, "split", 1, &n, &known);
    if (!ob__rank_in(infer, 1, 1, 1)) return OB_OK;
    if (!split && ob__in_rank(infer, 1) == 1)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 1, 0), n_outputs, 1, 0, OB0601));
    ob_content terms = ob__in_content(infer, 1);
    ob_dim *sizes = ob__new_dims(infer, n_outputs), sum = 0;
    if (!sizes) return OB_E_MEMORY;
    int64_t n_parts = ob__since(infer) >= 18 ? ob__split_parts(infer->node, n_outputs) : n_outputs;
    if (!ob__in_given(infer, 1) && n_parts != n_outputs) {
        ob__problem(infer, OB0602, -1, axis, "num_outputs is %lld, the node has %u outputs", (long long)n_parts, n_outputs);
        return OB_OK;
    }
    if (split && n != n_outputs) {
        ob__problem(infer, OB0601, -1, axis, "%u sizes are given for %u outputs", n, n_outputs);
        return OB_OK;
    }
    for (uint32_t i = 0; i < n_outputs; i++) {
        if (split)
            sizes[i] = ob__saturated(split[i]);
        else if (!known)
            sizes[i] = terms.elems && terms.n == n_outputs ? terms.elems[i] : OB_DIM_UNKNOWN;
        else
            sizes[i] = even_part(infer, from.dims[axis], i, n_outputs);
        sum = ob_dim_add(infer->dims, sum, sizes[i]);
        if (ob_dim_is_const(sizes[i]) && sizes[i] < 0) {
            ob__problem(infer, OB0601, -1, axis, "the size %lld is negative", (long long)sizes[i]);
            return OB_OK;
        }
        if (!split && !known) OB_TRY(ob__require_size(infer, sizes[i], 1, axis, OB0601));
    }
    if (split || !known)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, from.dims[axis], sum, 0, axis, OB0601));
    else if (ob__since(infer) < 18)
        OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, from.dims[axis], n_outputs, 0, axis, OB0601));
    for (uint32_t i = 0; i < n_outputs; i++) {
        ob_dim dims[OB_MAX_RANK];
        memcpy(dims, from.dims, (size_t)from.rank * sizeof *dims);
        dims[axis] = sizes[i];
        OB_TRY(ob__out_tensor(infer, i, OB_NONE, from.rank, dims));
    }
    OB_TRY(split_content(infer, sizes));
    return split_traces(infer, from, axis, sizes);
}

/* ---- Slice ---- */

typedef struct cut {
    ob_dim start, end, step; /* as given in the model */
} cut;

/* The position of a bound: negative bounds count from the end, and very large ones are the ends. */
static ob_dim place(ob_infer *infer, ob_dim given, ob_dim size) {
    if (given == OB_DIM_UNKNOWN || size == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    ob_dim from_end = ob_dim_add(infer->dims, given, size);
    /* size - 1 is -1 for an axis without elements, and means the same there */
    if (ob__known_at_least(infer, given, 0) || given == ob_dim_sub(infer->dims, size, 1)) return given;
    return ob__term_select(infer, ob__term_at_least(infer, given, 0), given, from_end);
}

static bool is_huge(ob_dim given) {
    return ob_dim_is_const(given) && (given >= OB_DIM_CONST_MAX / 2 || given <= -OB_DIM_CONST_MAX / 2);
}

/* The number of elements from `start` (at most `last_start`) to before `end`: the least of the differences, since x[:k] has
 * min(k, size) elements. */
static ob_dim span_of(ob_infer *infer, const ob_dim *ends, const ob_dim *starts) {
    ob_dim span = OB_DIM_UNKNOWN;
    for (int e = 0; e < 2; e++)
        for (int s = 0; s < 2; s++) {
            ob_dim apart = ob_dim_sub(infer->dims, ends[e], starts[s]);
            span = e + s == 0 ? apart : ob__term_min(infer, span, apart);
        }
    return span;
}

/* The number of elements from start to end by step, and the first position. */
static ob_dim cut_size(ob_infer *infer, const cut *c, ob_dim size, ob_dim *first) {
    *first = OB_DIM_UNKNOWN;
    if (!ob_dim_is_const(c->step) || c->step == 0 || size == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    ob_dims *dims = infer->dims;
    ob_dim last = ob_dim_sub(dims, size, 1), span;
    if (c->step > 0) {
        /* A start after the end, or an end before the beginning, would give a negative number. */
        ob_dim start = is_huge(c->start) ? (c->start > 0 ? size : 0) : place(infer, c->start, size);
        ob_dim end = is_huge(c->end) ? (c->end > 0 ? size : 0) : place(infer, c->end, size);
        const ob_dim starts[2] = {start, 0}, ends[2] = {end, size};
        *first = ob__term_min(infer, ob__term_max(infer, start, 0), size);
        span = span_of(infer, ends, starts);
    } else {
        ob_dim start = is_huge(c->start) ? (c->start > 0 ? last : 0) : place(infer, c->start, size);
        ob_dim end = is_huge(c->end) ? (c->end > 0 ? last : -1) : place(infer, c->end, size);
        *first = start = ob__term_min(infer, ob__term_max(infer, start, 0), last);
        span = ob_dim_sub(dims, start, ob__term_max(infer, end, -1));
    }
    if (span == OB_DIM_UNKNOWN) return span;
    span = ob__term_max(infer, 0, span);
    return ob_dim_ceil_div(dims, span, c->step > 0 ? c->step : -c->step);
}

static ob_dim slice_element(ob_infer *infer, uint32_t input, uint32_t i) {
    ob_content content = ob__in_content(infer, input);
    return content.elems && i < content.n ? content.elems[i] : OB_DIM_UNKNOWN;
}

/* Along each axis: dims[axis] elements from begins[axis] on, every steps[axis]-th. */
static ob_status slice_content(ob_infer *infer, ob_shape from, const ob_dim *dims, const ob_dim *begins, const ob_dim *steps) {
    const ob_content content = ob__in_content(infer, 0);
    const ob_shape to = {from.rank, dims};
    uint32_t n, n_from;
    int64_t first = 0, strides[OB_MAX_RANK], stride = 1;
    if (!content.elems || !infer->node->n_outputs) return OB_OK;
    if (!ob__small_count(infer, from, &n_from) || n_from != content.n || !ob__small_count(infer, to, &n)) return OB_OK;
    for (int32_t axis = from.rank - 1; axis >= 0; axis--) {
        if (!ob_dim_is_const(begins[axis]) || !ob_dim_is_const(steps[axis])) return OB_OK;
        const ob_dim last = dims[axis] <= 1 ? begins[axis] : begins[axis] + (dims[axis] - 1) * steps[axis];
        if (n > 0 && (begins[axis] < 0 || begins[axis] >= from.dims[axis] || last < 0 || last >= from.dims[axis])) return OB_OK;
        first += begins[axis] * stride;
        strides[axis] = steps[axis] * stride;
        stride *= from.dims[axis];
    }
    ob_dim *elems = ob__new_dims(infer, n);
    if (!elems) return OB_E_MEMORY;
    for (uint32_t at = 0; at < n; at++) {
        int64_t position = first;
        uint32_t rest = at;
        for (int32_t axis = from.rank - 1; axis >= 0; axis--) {
            position += rest % (uint32_t)dims[axis] * strides[axis];
            rest /= (uint32_t)dims[axis];
        }
        elems[at] = content.elems[position];
    }
    infer->out_contents[0] = (ob_content){.n = n, .elems = elems};
    return OB_OK;
}

/* The number of axes that a slice names; -1 if it is not known. */
static int64_t slice_count(ob_infer *infer, const int64_t *starts, uint32_t n_starts) {
    if (starts) return n_starts;
    ob_dim n = ob__in_count(infer, 1);
    return ob_dim_is_const(n) ? n : -1;
}

/* Starts, ends, axes and steps have one entry for each sliced axis. */
static ob_status require_one_length(ob_infer *infer) {
    for (uint32_t i = 2; i < 5; i++)
        if (ob__in_given(infer, i))
            OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_count(infer, i), ob__in_count(infer, 1), (int32_t)i, -1, OB0602));
    return OB_OK;
}

ob_status ob__infer_slice(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    bool attributes = ob__since(infer) < 10 && !ob__op_is(infer, "DynamicSlice"), known_axes = true;
    ob_slice_params given = ob__slice_params(infer->node);
    uint32_t n_starts = given.starts.n, n_ends = given.ends.n, n_axes;
    const int64_t *starts = given.starts.at, *ends = given.ends.at;
    const int64_t *axes = ob__axes(infer, "axes", attributes ? UINT32_MAX : 3, &n_axes, &known_axes);
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    int64_t n = attributes && !starts ? 0 : slice_count(infer, starts, n_starts);
    if (!attributes) OB_TRY(require_one_length(infer));
    if ((attributes && (!starts || !ends || n_starts != n_ends)) || (axes && n >= 0 && (int64_t)n_axes != n)) {
        if (attributes) ob__problem(infer, OB0602, -1, -1, "starts, ends and axes differ in length");
        return ob__out_rank(infer, 0, from.rank);
    }
    if (n > from.rank) ob__problem(infer, OB0602, -1, -1, "%lld axes to slice for rank %d", (long long)n, from.rank);
    if (n < 0 || !known_axes) OB_TRY(ob__unverified(infer, 3, -1, "axes depend on data"));
    if (n < 0 || n > from.rank || !known_axes) return ob__out_rank(infer, 0, from.rank);
    bool cut_before[OB_MAX_RANK] = {false}, is_part = true; /* no gaps between elements along any axis */
    ob_dim dims[OB_MAX_RANK], firsts[OB_MAX_RANK] = {0}, begins[OB_MAX_RANK] = {0}, steps[OB_MAX_RANK];
    if (from.rank) memcpy(dims, from.dims, (size_t)from.rank * sizeof *dims);
    for (int32_t axis = 0; axis < from.rank; axis++) steps[axis] = 1;
    for (uint32_t i = 0; i < (uint64_t)n; i++) {
        int32_t axis;
        if (!ob__axis_in(infer, axes ? axes[i] : (int64_t)i, from.rank, &axis)) return ob__out_rank(infer, 0, from.rank);
        if (cut_before[axis]) {
            ob__problem(infer, OB0602, -1, axis, "axis %d occurs twice in axes", axis);
            return ob__out_rank(infer, 0, from.rank);
        }
        cut_before[axis] = true;
        cut c = {attributes ? ob__saturated(starts[i]) : slice_element(infer, 1, i),
                 attributes ? ob__saturated(ends[i]) : slice_element(infer, 2, i), 1};
        if (ob__in_given(infer, 4)) c.step = slice_element(infer, 4, i);
        if (c.step == 0) ob__problem(infer, OB0601, 4, axis, "axis %d: the step is 0", axis);
        if (!ob_dim_is_const(c.step)) OB_TRY(ob__unverified(infer, 4, axis, "a step depends on data"));
        dims[axis] = cut_size(infer, &c, from.dims[axis], &begins[axis]);
        steps[axis] = c.step;
        firsts[axis] = dims[axis] == from.dims[axis] ? 0 : begins[axis];
        is_part = is_part && c.step == 1;
    }
    bool same = from.rank == 0 || memcmp(dims, from.dims, (size_t)from.rank * sizeof *dims) == 0;
    if (same)
        ob__out_shape(infer, 0, OB_NONE, from);
    else
        OB_TRY(ob__out_tensor(infer, 0, OB_NONE, from.rank, dims));
    OB_TRY(slice_content(infer, from, dims, begins, steps));
    if (same && is_part && ob__in_count(infer, 0) != OB_DIM_UNKNOWN) return ob__range_share(infer, 0, 0);
    if (is_part) OB_TRY(ob__trace_part(infer, 0, 0, firsts, dims, true));
    return ob__range_part(infer, 0, 0);
}

/* ---- Pad, Tile ---- */

/* Element i of the padding: from an attribute (version 1: `paddings`) or operand 1. */
static ob_dim padding(const int64_t *ints, ob_content terms, uint32_t i) {
    return ints ? ob__saturated(ints[i]) : terms.elems ? terms.elems[i] : OB_DIM_UNKNOWN;
}

/* Every mode except constant repeats elements, so padding needs an element. */
static ob_status require_elements(ob_infer *infer, ob_dim size, ob_dim added, int32_t axis) {
    if (ob__pad_params(infer->node, ob__since(infer)).mode == OB_PAD_CONSTANT) return OB_OK;
    return ob__require_where(infer, added, OB_COND_AT_LEAST, size, 1, 0, axis, OB0601);
}

ob_status ob__infer_pad(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    bool attributes = ob__since(infer) < 11, known;
    const ob_ints pads = ob__pad_params(infer->node, ob__since(infer)).pads;
    uint32_t n_ints = pads.n, n_axes;
    const int64_t *ints = pads.at;
    ob_content terms = attributes ? (ob_content){0} : ob__in_content(infer, 1);
    const int64_t *axes = ob__axes(infer, "axes", 3, &n_axes, &known);
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__require_one(infer, 2));
    OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    uint32_t n = axes ? n_axes : (uint32_t)from.rank, n_given = ints ? n_ints : terms.n;
    if (known && !ints && !terms.elems)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_count(infer, 1), 2 * (ob_dim)n, 1, -1, OB0601));
    if (!attributes && (!known || !terms.elems)) OB_TRY(ob__unverified(infer, 1, -1, "paddings depend on data"));
    if (!known || (!ints && !terms.elems)) return ob__out_rank(infer, 0, from.rank);
    if (n_given != 2 * n) {
        ob__problem(infer, OB0601, attributes ? -1 : 1, -1, "%u paddings are given for %u axes", n_given, n);
        return ob__out_rank(infer, 0, from.rank);
    }
    ob_dim dims[OB_MAX_RANK];
    bool padded[OB_MAX_RANK] = {false};
    if (from.rank) memcpy(dims, from.dims, (size_t)from.rank * sizeof *dims);
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis;
        if (!ob__axis_in(infer, axes ? axes[i] : (int64_t)i, from.rank, &axis)) return ob__out_rank(infer, 0, from.rank);
        if (padded[axis]) {
            ob__problem(infer, OB0602, -1, axis, "axis %d occurs twice in axes", axis);
            return ob__out_rank(infer, 0, from.rank);
        }
        padded[axis] = true;
        ob_dim added = ob__size_add(infer, padding(ints, terms, i), padding(ints, terms, i + n), axis);
        OB_TRY(require_elements(infer, from.dims[axis], added, axis));
        dims[axis] = ob__size_add(infer, dims[axis], added, axis);
        if (ob_dim_is_const(dims[axis]) && dims[axis] < 0 && dims[axis] != OB_DIM_UNKNOWN) {
            ob__problem(infer, OB0601, 0, axis, "axis %d: negative paddings cut more than there is", axis);
            dims[axis] = OB_DIM_UNKNOWN;
        } else if (!ob__known_at_least(infer, added, 0))
            OB_TRY(ob__require_size(infer, dims[axis], 0, axis, OB0601));
    }
    return ob__out_tensor(infer, 0, OB_NONE, from.rank, dims);
}

static ob_status tile_content(ob_infer *infer, ob_dim times) {
    ob_content content = ob__in_content(infer, 0);
    if (!content.elems || ob__in_rank(infer, 0) != 1 || !ob_dim_is_const(times) || times < 0 || times > OB_CONTENT_MAX)
        return OB_OK;
    if (content.n * (uint64_t)times > OB_CONTENT_MAX) return OB_OK;
    ob_dim *elems = ob__new_dims(infer, content.n * (size_t)times);
    if (!elems) return OB_E_MEMORY;
    for (uint32_t i = 0; i < content.n * (uint32_t)times; i++) elems[i] = content.elems[i % content.n];
    infer->out_contents[0] = (ob_content){.n = content.n * (uint32_t)times, .elems = elems};
    return OB_OK;
}

/* Tile-1 repeats along one axis, with operands tiles and axis. */
static ob_status tile_one_axis(ob_infer *infer, ob_shape from) {
    int64_t at;
    int32_t axis;
    OB_TRY(ob__rank_unknown(infer, 0));
    OB_TRY(ob__require_size(infer, ob__in_scalar(infer, 1), 1, -1, OB0601));
    if (from.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    if (!ob__in_const_int(infer, 2, &at)) {
        OB_TRY(ob__unverified(infer, 2, -1, "the axis depends on data"));
        return ob__out_rank(infer, 0, from.rank);
    }
    if (!ob__axis_in(infer, at, from.rank, &axis)) return OB_OK;
    ob_dim dims[OB_MAX_RANK];
    memcpy(dims, from.dims, (size_t)from.rank * sizeof *dims);
    dims[axis] = ob_dim_mul(infer->dims, dims[axis], ob__in_scalar(infer, 1));
    return ob__out_tensor(infer, 0, OB_NONE, from.rank, dims);
}

ob_status ob__infer_tile(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0), repeats;
    ob__out_dtype(infer, 0, OB_NONE);
    if (ob__since(infer) < 6) return tile_one_axis(infer, from);
    OB_TRY(ob__shape_operand(infer, 1, &repeats));
    OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    if (repeats.rank < 0) OB_TRY(ob__unverified(infer, 1, -1, "repeats depend on data"));
    if (repeats.rank < 0) return ob__out_rank(infer, 0, from.rank);
    if (repeats.rank != from.rank) {
        ob__problem(infer, OB0601, 1, -1, "%d repeats are given for rank %d", repeats.rank, from.rank);
        return OB_OK;
    }
    ob_dim dims[OB_MAX_RANK];
    for (int32_t axis = 0; axis < from.rank; axis++) {
        if (ob_dim_is_const(repeats.dims[axis]) && repeats.dims[axis] < 0)
            ob__problem(infer, OB0601, 1, axis, "axis %d: the repeat %lld is negative", axis, (long long)repeats.dims[axis]);
        else
            OB_TRY(ob__require_size(infer, repeats.dims[axis], 1, axis, OB0601));
        dims[axis] = ob__size_mul(infer, from.dims[axis], repeats.dims[axis], axis);
    }
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, from.rank, dims));
    if (from.rank == 1) OB_TRY(tile_content(infer, repeats.dims[0]));
    return ob__range_share(infer, 0, 0);
}

/* ---- CenterCropPad, DepthToSpace, SpaceToDepth ---- */

ob_status ob__infer_center_crop_pad(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0), target;
    uint32_t n_axes;
    const int64_t *axes = ob__attribute_list(infer->node, "axes", &n_axes);
    OB_TRY(ob__shape_operand(infer, 1, &target));
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    uint32_t n = axes ? n_axes : (uint32_t)from.rank;
    if (target.rank < 0) OB_TRY(ob__unverified(infer, 1, -1, "the target shape depends on data"));
    if (target.rank >= 0 && (uint32_t)target.rank != n) {
        ob__problem(infer, OB0601, 1, -1, "%d sizes are given for %u axes", target.rank, n);
        return ob__out_rank(infer, 0, from.rank);
    }
    ob_dim dims[OB_MAX_RANK];
    if (from.rank) memcpy(dims, from.dims, (size_t)from.rank * sizeof *dims);
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis;
        if (!ob__axis_in(infer, axes ? axes[i] : (int64_t)i, from.rank, &axis)) return ob__out_rank(infer, 0, from.rank);
        dims[axis] = target.rank < 0 ? OB_DIM_UNKNOWN : target.dims[i];
        if (target.rank >= 0) OB_TRY(ob__require_size(infer, dims[axis], 1, axis, OB0601));
    }
    return ob__out_tensor(infer, 0, OB_NONE, from.rank, dims);
}

ob_status ob__infer_depth_space(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    const ob_depth_params params = ob__depth_params(infer->node);
    int64_t block = params.block;
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0) return ob__out_rank(infer, 0, 4);
    if (from.rank != 4 || block <= 0 || block > INT32_MAX) {
        if (from.rank != 4)
            ob__problem(infer, OB0601, 0, -1, "operand 0 has rank %d, rank 4 is needed", from.rank);
        else
            ob__problem(infer, OB0602, -1, -1, "blocksize must be positive");
        return OB_OK;
    }
    ob_dim dims[4] = {from.dims[0], from.dims[1], from.dims[2], from.dims[3]};
    if (params.to_space) {
        OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, dims[1], block * block, 0, 1, OB0601));
        dims[1] = ob_dim_div(infer->dims, dims[1], block * block);
        for (int axis = 2; axis < 4; axis++) dims[axis] = ob__size_mul(infer, dims[axis], block, axis);
    } else {
        for (int axis = 2; axis < 4; axis++) {
            OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, dims[axis], block, 0, axis, OB0601));
            dims[axis] = ob_dim_div(infer->dims, dims[axis], block);
        }
        dims[1] = ob__size_mul(infer, dims[1], block * block, 1);
    }
    return ob__out_tensor(infer, 0, OB_NONE, 4, dims);
}

/* There is one length for each sequence of the batch, at most the size of the time axis. */
ob_status ob__infer_reverse_sequence(ob_infer *infer) {
    ob_reverse_params params;
    ob_error *error = infer->trial;
    if (ob__reverse_params(infer->node, &params, error) != OB_OK)
        ob__problem(infer, OB0602, -1, -1, "%s", error->message);
    else if (ob__rank_in(infer, 0, 2, OB_MAX_RANK)) {
        ob_dim n = ob__in_dim(infer, 0, params.batch_axis);
        if (ob__in_rank(infer, 0) >= 0) OB_TRY(ob__require_shape(infer, 1, (ob_shape){1, &n}, OB0601));
        OB_TRY(ob__require_lengths(infer, 1, ob__in_dim(infer, 0, params.time_axis)));
    }
    return ob__out_like(infer, 0, 0);
}
