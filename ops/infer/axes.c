#include "ops/infer/axes.h"

#include "ops/infer/legacy.h"

static int32_t rank_of(const ob_type *type) {
    return type->kind == OB_TYPE_TENSOR ? type->shape.rank : OB_RANK_UNKNOWN;
}

static bool is_made(const ob_infer *infer, uint32_t output) {
    return output < infer->node->n_outputs && infer->node->outputs[output];
}

int32_t ob__out_rank_of(const ob_axes *axes, uint32_t output) {
    return is_made(axes->infer, output) ? rank_of(&axes->infer->out_types[output]) : OB_RANK_UNKNOWN;
}

ob_dim ob__out_dim(const ob_axes *axes, uint32_t output, int32_t axis) {
    const int32_t rank = ob__out_rank_of(axes, output);
    return axis >= 0 && axis < rank ? axes->infer->out_types[output].shape.dims[axis] : OB_DIM_UNKNOWN;
}

void ob__link(ob_axes *axes, uint32_t output, int32_t axis, uint32_t input, int32_t input_axis, ob_link_kind kind) {
    const ob_infer *infer = axes->infer;
    if (!is_made(infer, output) || !ob__in_given(infer, input)) return;
    const int32_t rank = rank_of(&infer->out_types[output]), input_rank = ob__in_rank(infer, input);
    if (rank < 0 || axis >= rank || (axis < 0 && kind != OB_LINK_GONE)) return;
    if (input_axis >= input_rank || (input_axis < 0 && kind != OB_LINK_SIZED && kind != OB_LINK_PLACE)) return;
    axes->link(axes, &(ob_link){output, input, axis < 0 ? -1 : axis, input_axis < 0 ? -1 : input_axis, kind});
}

void ob__link_each(ob_axes *axes, uint32_t output, uint32_t input, const bool *marked, ob_link_kind kind) {
    const int32_t rank = ob__in_rank(axes->infer, input);
    if (ob__out_rank_of(axes, output) != rank) return;
    for (int32_t axis = 0; axis < rank; axis++)
        ob__link(axes, output, axis, input, axis, marked && marked[axis] ? kind : OB_LINK_SAME);
}

void ob__link_from(ob_axes *axes, uint32_t output, uint32_t input, int32_t first, ob_link_kind kind) {
    const int32_t rank = ob__in_rank(axes->infer, input);
    for (int32_t axis = 0; axis < rank; axis++)
        if (first + axis >= 0) ob__link(axes, output, first + axis, input, axis, kind);
}

void ob__link_last(ob_axes *axes, uint32_t output, uint32_t input, ob_link_kind kind) {
    const int32_t rank = ob__out_rank_of(axes, output), own = ob__in_rank(axes->infer, input);
    if (rank >= 0 && own >= 0) ob__link_from(axes, output, input, rank - own, kind);
}

void ob__link_gone(ob_axes *axes, uint32_t output, uint32_t input) {
    const int32_t rank = ob__in_rank(axes->infer, input);
    for (int32_t axis = 0; axis < rank; axis++) ob__link(axes, output, -1, input, axis, OB_LINK_GONE);
}

void ob__link_sizes(ob_axes *axes, uint32_t output, uint32_t input) {
    const int32_t rank = ob__out_rank_of(axes, output);
    for (int32_t axis = 0; axis < rank; axis++) ob__link(axes, output, axis, input, -1, OB_LINK_SIZED);
}

/* ---- Reshaping ---- */

typedef struct reshaped {
    ob_axes *axes;
    uint32_t output, input;
    ob_shape from, to;
} reshaped;

/* The first axis at or after `axis` whose size is not the number 1. */
static int32_t skip_ones(ob_shape shape, int32_t axis, int32_t end) {
    while (axis < end && shape.dims[axis] == 1) axis++;
    return axis;
}

/* The end of the shortest part of the shape from `axis` whose product is `product`; -1: there is none before `end`. */
static int32_t part_of_product(ob_dims *dims, ob_shape shape, int32_t axis, int32_t end, ob_dim product) {
    ob_dim so_far = 1;
    for (int32_t k = axis; k < end; k++) {
        so_far = shape.dims[k] == OB_DIM_UNKNOWN ? OB_DIM_UNKNOWN : ob_dim_mul(dims, so_far, shape.dims[k]);
        if (so_far == OB_DIM_UNKNOWN) return -1;
        if (so_far == product) return k + 1;
    }
    return -1;
}

/* Axes of the operand with size 1 end here. */
static void drop_ones(const reshaped *r, int32_t axis, int32_t end) {
    for (; axis < end; axis++)
        if (r->from.dims[axis] == 1) ob__link(r->axes, r->output, -1, r->input, axis, OB_LINK_GONE);
}

/* One axis of the operand to the axes from `first` to `end` of the result that have a size other than 1. */
static void split(const reshaped *r, int32_t axis, int32_t first, int32_t end) {
    for (int32_t k = first; k < end; k++)
        if (r->to.dims[k] != 1) ob__link(r->axes, r->output, k, r->input, axis, OB_LINK_SPLIT);
}

static void merge(const reshaped *r, int32_t axis, int32_t first, int32_t end) {
    for (int32_t k = first; k < end; k++)
        if (r->from.dims[k] != 1)
            ob__link(r->axes, r->output, axis, r->input, k, OB_LINK_MERGED);
        else
            drop_ones(r, k, k + 1);
}

/* Equal sizes at the ends of both shapes, after axes `from` of the operand and `to` of the result. The axes before them then have
 * as many elements on both sides, unless there are none at all. */
static void link_ends(const reshaped *r, int32_t from, int32_t to) {
    for (int32_t i = r->from.rank, j = r->to.rank; i > from && j > to;) {
        const ob_dim own = r->from.dims[i - 1], made = r->to.dims[j - 1];
        if (own == made && own != OB_DIM_UNKNOWN)
            ob__link(r->axes, r->output, --j, r->input, --i, OB_LINK_SAME);
        else if (own == 1) {
            i--;
            drop_ones(r, i, i + 1);
        } else if (made == 1)
            j--;
        else
            return;
    }
}

/* Source: elements keep their order, so sizes whose products are equal hold the same elements. Each round takes the shortest such
 * part from the beginning; the rest is linked from the end as far as its sizes are equal. */
void ob__link_reshaped(ob_axes *axes, uint32_t output, uint32_t input) {
    reshaped r = {axes, output, input, ob__in_shape(axes->infer, input), {OB_RANK_UNKNOWN, NULL}};
    int32_t i = 0, j = 0, end;
    if (ob__out_rank_of(axes, output) < 0 || r.from.rank < 0 || r.from.rank > OB_MAX_RANK) return;
    r.to = axes->infer->out_types[output].shape;
    const int32_t from_end = r.from.rank, to_end = r.to.rank;
    ob_dims *dims = axes->infer->dims;
    for (;;) {
        const bool one = i < from_end && j < to_end && r.from.dims[i] == 1 && r.to.dims[j] == 1;
        if (one) {
            ob__link(axes, output, j++, input, i++, OB_LINK_SAME);
            continue;
        }
        const int32_t after_ones = skip_ones(r.from, i, from_end);
        drop_ones(&r, i, after_ones);
        i = after_ones;
        j = skip_ones(r.to, j, to_end);
        if (i == from_end || j == to_end || r.from.dims[i] == OB_DIM_UNKNOWN || r.to.dims[j] == OB_DIM_UNKNOWN) break;
        if (r.from.dims[i] == r.to.dims[j])
            ob__link(axes, output, j++, input, i++, OB_LINK_SAME);
        else if ((end = part_of_product(dims, r.to, j, to_end, r.from.dims[i])) >= 0) {
            split(&r, i++, j, end);
            j = end;
        } else if ((end = part_of_product(dims, r.from, i, from_end, r.to.dims[j])) >= 0) {
            merge(&r, j++, i, end);
            i = end;
        } else
            break;
    }
    link_ends(&r, i, j);
}

/* ---- Rules that several families share ---- */

void ob__axes_unknown(ob_axes *axes) {
    (void)axes;
}

void ob__axes_same(ob_axes *axes) {
    for (uint32_t output = 0; output < axes->infer->node->n_outputs; output++) ob__link_each(axes, output, 0, NULL, OB_LINK_SAME);
}

void ob__axes_alike(ob_axes *axes) {
    for (uint32_t output = 0; output < axes->infer->node->n_outputs; output++)
        for (uint32_t input = 0; input < axes->infer->node->n_inputs; input++)
            ob__link_each(axes, output, input, NULL, OB_LINK_SAME);
}

/* An explicit broadcast links each result to each operand; of a hostile number of both it states nothing. */
enum { MOST_PAIRS = 1 << 20 };

void ob__axes_broadcast(ob_axes *axes) {
    const ob_infer *infer = axes->infer;
    const ob_legacy_axis placed = infer->op->broadcast == OB_BCAST_LEGACY ? ob__legacy_axis(infer->node) : (ob_legacy_axis){0};
    if ((uint64_t)infer->node->n_outputs * infer->node->n_inputs > MOST_PAIRS) return;
    for (uint32_t output = 0; output < infer->node->n_outputs; output++) {
        const int32_t rank = ob__out_rank_of(axes, output);
        for (uint32_t input = 0; input < infer->node->n_inputs; input++) {
            if (input == 0 || !placed.given)
                ob__link_last(axes, output, input, OB_LINK_SAME);
            else if (placed.axis >= -rank && placed.axis < rank)
                ob__link_from(axes, output, input, (int32_t)(placed.axis < 0 ? placed.axis + rank : placed.axis), OB_LINK_SAME);
        }
    }
}
