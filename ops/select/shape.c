/* Shape rules of operators that select elements by index, value or rank. */
#include <string.h>

#include "core/base/error.h"
#include "ops/infer/contents.h"
#include "ops/select/params.h"
#include "ops/table/op.h"

OB_RULE(gather);
OB_RULE(gather_elements);
OB_RULE(gather_nd);
OB_RULE(scatter_elements);
OB_RULE(scatter_nd);
OB_RULE(one_hot);
OB_RULE(compress);
OB_RULE(non_zero);
OB_RULE(unique);
OB_RULE(topk);
OB_RULE(non_max_suppression);
OB_RULE(tensor_scatter);
OB_RULE(trilu);

/* Checks a known index against a known size. For an open size, *need becomes the least size that the index requires. */
static ob_status require_index(ob_infer *infer, uint32_t i, int32_t axis, ob_dim at, ob_dim size, ob_dim guard, bool *inside) {
    if (at == OB_DIM_UNKNOWN) return ob__unverified(infer, (int32_t)i, axis, "indices depend on data");
    if (ob_dim_is_const(at) && ob_dim_is_const(size) && guard == 1) {
        if (at >= -size && at < size) return OB_OK;
        if (*inside && size > 0)
            ob__problem(infer, OB0601, (int32_t)i, axis, "index %lld is outside axis %d of size %lld", (long long)at, axis,
                        (long long)size);
        else if (*inside)
            ob__problem(infer, OB0601, (int32_t)i, axis, "an index into axis %d of size 0", axis);
        *inside = false;
        return OB_OK;
    }
    /* -1 on an axis of N is N - 1. */
    if (!ob_dim_is_const(at) || at >= 0)
        OB_TRY(ob__require_where(infer, guard, OB_COND_AT_LEAST, size, ob_dim_add(infer->dims, at, 1), 0, axis, OB0601));
    if (!ob__known_at_least(infer, at, 0))
        OB_TRY(ob__require_where(infer, guard, OB_COND_AT_LEAST, size, ob_dim_sub(infer->dims, 0, at), 0, axis, OB0601));
    return OB_OK;
}

/* Requires that indices with unknown elements are in range; they are used if `when`. They are at place k of the `depth` indices
 * that select together. */
static ob_status require_some(ob_infer *infer, uint32_t i, int32_t axis, ob_dim size, ob_dim when, int32_t k, int32_t depth) {
    const ob_dim n = ob_dim_mul(infer->dims, ob__in_count(infer, i), when);
    OB_TRY(ob__require_where(infer, n, OB_COND_AT_LEAST, size, 1, 0, axis, OB0601));
    const ob_values_asked asked = {.lowest = ob_dim_sub(infer->dims, 0, size),
                                   .highest = ob_dim_sub(infer->dims, size, 1),
                                   .when = when,
                                   .some = depth > 1,
                                   .place = (uint32_t)k,
                                   .axis = axis,
                                   .reason = "indices depend on data"};
    return ob__require_values(infer, i, &asked);
}

/* Indices in input i select from axes `first` on of the data, `depth` of them together, blocks of `block` elements. *inside is
 * false if a known index is out of range. */
static ob_status require_indices(ob_infer *infer, uint32_t i, ob_shape data, int32_t first, int32_t depth, ob_dim block,
                                 bool *inside) {
    ob_content indices = ob__in_content(infer, i);
    *inside = true;
    if (ob__in_count(infer, i) == 0 || block == 0 || depth == 0) return OB_OK;
    ob_dim guard = ob__known_at_least(infer, block, 1) ? 1 : block;
    if (!indices.elems) {
        for (int32_t k = 0; k < depth; k++) OB_TRY(require_some(infer, i, first + k, data.dims[first + k], guard, k, depth));
        return OB_OK;
    }
    for (int32_t k = 0; k < depth; k++) {
        ob_dim size = data.dims[first + k], most = 0, least = 0;
        for (uint32_t at = (uint32_t)k; at < indices.n; at += (uint32_t)depth) {
            ob_dim index = indices.elems[at];
            if (ob_dim_is_const(index) && !ob_dim_is_const(size)) { /* the farthest index decides for all */
                most = index > most ? index : most;
                least = index < least ? index : least;
            } else
                OB_TRY(require_index(infer, i, first + k, index, size, guard, inside));
        }
        if (ob_dim_is_const(size) || (most == 0 && least == 0 && indices.n == 0)) continue;
        OB_TRY(require_index(infer, i, first + k, most, size, guard, inside));
        if (least < 0) OB_TRY(require_index(infer, i, first + k, least, size, guard, inside));
    }
    return OB_OK;
}

/* Requires that indices are not larger than the data along every axis except the picked one. */
static ob_status require_within(ob_infer *infer, int32_t picked) {
    for (int32_t axis = 0; axis < ob__in_rank(infer, 1); axis++)
        if (axis != picked)
            OB_TRY(ob__require(infer, OB_COND_AT_LEAST, ob__in_dim(infer, 0, axis), ob__in_dim(infer, 1, axis), 1, axis, OB0601));
    return OB_OK;
}

/* The elements of a vector at known indices. */
static ob_status gather_content(ob_infer *infer) {
    ob_content data = ob__in_content(infer, 0), indices = ob__in_content(infer, 1);
    if (!data.elems || !indices.elems || ob__in_rank(infer, 0) != 1) return OB_OK;
    ob_dim *elems = ob__new_dims(infer, indices.n);
    if (!elems) return OB_E_MEMORY;
    for (uint32_t i = 0; i < indices.n; i++) {
        ob_dim at = indices.elems[i];
        if (!ob_dim_is_const(at))
            elems[i] = OB_DIM_UNKNOWN;
        else if (at < -(ob_dim)data.n || at >= data.n)
            return OB_OK;
        else
            elems[i] = data.elems[at < 0 ? at + data.n : at];
    }
    infer->out_contents[0] = (ob_content){.n = indices.n, .elems = elems};
    return OB_OK;
}

/* A known index selects a part of the data, usually a column. */
static ob_status trace_picked(ob_infer *infer, ob_shape data, int32_t axis) {
    ob_dim first[OB_MAX_RANK] = {0}, n[OB_MAX_RANK], at = ob__in_scalar(infer, 1);
    const int32_t rank = ob__in_rank(infer, 1);
    if (at == OB_DIM_UNKNOWN || !ob_dim_is_const(at) || rank < 0 || rank > 1) return OB_OK;
    memcpy(n, data.dims, (size_t)data.rank * sizeof *n);
    first[axis] = at < 0 ? ob_dim_add(infer->dims, data.dims[axis], at) : at;
    n[axis] = 1;
    return ob__trace_part(infer, 0, 0, first, n, rank == 1);
}

ob_status ob__infer_gather(ob_infer *infer) {
    ob_shape data = ob__in_shape(infer, 0), indices = ob__in_shape(infer, 1);
    int32_t axis;
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__rank_unknown(infer, 0));
    if (data.rank == 0) ob__problem(infer, OB0601, 0, -1, "the data must have at least one axis");
    if (data.rank < 1 || !ob__axis_in(infer, ob__gather_axis(infer->node), data.rank, &axis)) return OB_OK;
    bool inside;
    OB_TRY(ob__rank_unknown(infer, 1));
    OB_TRY(require_indices(infer, 1, data, axis, 1, 1, &inside));
    if (indices.rank < 0 || !ob__rank_fits(infer, data.rank - 1 + (int64_t)indices.rank)) return OB_OK;
    ob_dim dims[OB_MAX_RANK];
    int32_t rank = 0;
    for (int32_t k = 0; k < axis; k++) dims[rank++] = data.dims[k];
    for (int32_t k = 0; k < indices.rank; k++) dims[rank++] = indices.dims[k];
    for (int32_t k = axis + 1; k < data.rank; k++) dims[rank++] = data.dims[k];
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, rank, dims));
    if (inside) OB_TRY(gather_content(infer));
    OB_TRY(trace_picked(infer, data, axis));
    return ob__range_part(infer, 0, 0);
}

/* The result has the shape of the indices. */
ob_status ob__infer_gather_elements(ob_infer *infer) {
    int32_t data = ob__in_rank(infer, 0), indices = ob__in_rank(infer, 1), axis;
    ob__out_dtype(infer, 0, OB_NONE);
    if (data >= 0 && indices >= 0 && data != indices) {
        ob__problem(infer, OB0601, 1, -1, "the indices have rank %d, the data have rank %d", indices, data);
        return OB_OK;
    }
    ob__out_shape(infer, 0, OB_NONE, ob__in_shape(infer, 1));
    for (uint32_t i = 0; i < 2; i++) OB_TRY(ob__rank_unknown(infer, i));
    if (data < 0 || indices < 0) return OB_OK;
    if (!ob__axis_in(infer, ob__gather_axis(infer->node), data, &axis)) return OB_OK;
    bool inside;
    OB_TRY(require_within(infer, axis));
    OB_TRY(require_indices(infer, 1, ob__in_shape(infer, 0), axis, 1, 1, &inside));
    if (inside && data == 1) OB_TRY(gather_content(infer));
    return ob__range_part(infer, 0, 0);
}

ob_status ob__infer_gather_nd(ob_infer *infer) {
    ob_shape data = ob__in_shape(infer, 0), indices = ob__in_shape(infer, 1);
    int64_t batch = ob__gather_batch(infer->node);
    ob_dim last = ob__in_dim(infer, 1, -1);
    ob__out_dtype(infer, 0, OB_NONE);
    for (uint32_t i = 0; i < 2; i++) OB_TRY(ob__rank_unknown(infer, i));
    if (data.rank < 0 || indices.rank < 0) return OB_OK;
    if (indices.rank > 0 && !ob_dim_is_const(last)) return ob__unverified(infer, 1, -1, "the length of an index is open");
    if (data.rank < 1 || indices.rank < 1 || batch < 0 || batch >= indices.rank || batch >= data.rank || last < 0 ||
        last + batch > data.rank) {
        ob__problem(infer, OB0601, 1, -1, "an index has %lld entries for data of rank %d and %lld batch axes", (long long)last,
                    data.rank, (long long)batch);
        return OB_OK;
    }
    int64_t rank = indices.rank - 1 + data.rank - last - batch;
    bool inside;
    ob_dim block = ob__dims_product(infer, data.dims, (int32_t)(batch + last), data.rank);
    OB_TRY(require_indices(infer, 1, data, (int32_t)batch, (int32_t)last, block, &inside));
    if (!inside || !ob__rank_fits(infer, rank)) return OB_OK;
    ob_dim dims[OB_MAX_RANK];
    int32_t n = 0;
    for (int32_t k = 0; k < indices.rank - 1; k++) {
        ob_dim d = indices.dims[k];
        if (k < batch) {
            OB_TRY(ob__require(infer, OB_COND_EQUAL, d, data.dims[k], 1, k, OB0601));
            d = ob__dim_prefer(infer->dims, d, data.dims[k]);
        }
        dims[n++] = d;
    }
    for (int64_t k = batch + last; k < data.rank; k++) dims[n++] = data.dims[k];
    return ob__out_tensor(infer, 0, OB_NONE, n, dims);
}

/* For a vector: ScatterND with indices (k,1), ScatterElements with indices (k). */
static ob_status scatter_content(ob_infer *infer) {
    uint32_t n;
    const ob_content content = ob__in_content(infer, 0), updates = ob__in_content(infer, 2);
    const int64_t *indices = ob__in_const_ints(infer, 1, &n);
    if (!content.elems || !infer->node->n_outputs || !ob__content_dtype(infer->out_types[0].dtype)) return OB_OK;
    if (ob__in_rank(infer, 0) != 1 || !indices || !updates.elems || updates.n != n ||
        ob__scatter_reduction(infer->node) != OB_REPLACE)
        return OB_OK;
    for (uint32_t i = 0; i < n; i++)
        if (indices[i] < -(int64_t)content.n || indices[i] >= content.n) return OB_OK;
    ob_dim *elems = ob__new_dims(infer, content.n);
    if (!elems) return OB_E_MEMORY;
    if (content.n) memcpy(elems, content.elems, content.n * sizeof *elems);
    for (uint32_t i = 0; i < n; i++) elems[indices[i] < 0 ? indices[i] + content.n : indices[i]] = updates.elems[i];
    infer->out_contents[0] = (ob_content){.n = content.n, .elems = elems};
    return OB_OK;
}

/* The output has the type of the data; updates have the shape of the indices. */
ob_status ob__infer_scatter_elements(ob_infer *infer) {
    int32_t data = ob__in_rank(infer, 0), axis;
    OB_TRY(ob__out_like(infer, 0, 0));
    OB_TRY(ob__require_shape(infer, 2, ob__in_shape(infer, 1), OB0601));
    if (data >= 0 && (!ob__rank_in(infer, 1, data, data) || !ob__axis_in(infer, ob__gather_axis(infer->node), data, &axis)))
        return OB_OK;
    OB_TRY(ob__rank_unknown(infer, 0));
    if (data >= 0 && ob__in_rank(infer, 1) >= 0) {
        bool inside;
        OB_TRY(require_within(infer, axis));
        OB_TRY(require_indices(infer, 1, ob__in_shape(infer, 0), axis, 1, 1, &inside));
    }
    return scatter_content(infer);
}

/* Updates have the shape of the indices without their last axis, followed by the axes of the data after an index. */
ob_status ob__infer_scatter_nd(ob_infer *infer) {
    ob_shape data = ob__in_shape(infer, 0), indices = ob__in_shape(infer, 1);
    ob_dim depth = ob__in_dim(infer, 1, -1);
    OB_TRY(ob__out_like(infer, 0, 0));
    for (uint32_t i = 0; i < 3; i++) OB_TRY(ob__rank_unknown(infer, i));
    if (data.rank >= 0 && indices.rank > 0 && !ob_dim_is_const(depth))
        OB_TRY(ob__unverified(infer, 1, -1, "the length of an index is open"));
    if (data.rank >= 0 && indices.rank >= 0 && (indices.rank == 0 || ob_dim_is_const(depth))) {
        if (indices.rank < 1 || depth < 0 || depth > data.rank) {
            ob__problem(infer, OB0601, 1, -1, "an index has %lld entries for data of rank %d", (long long)depth, data.rank);
            return OB_OK;
        }
        ob_dim dims[OB_MAX_RANK];
        int64_t rank = indices.rank - 1 + data.rank - depth;
        bool inside;
        ob_dim block = ob__dims_product(infer, data.dims, (int32_t)depth, data.rank);
        OB_TRY(require_indices(infer, 1, data, 0, (int32_t)depth, block, &inside));
        if (!inside || !ob__rank_fits(infer, rank)) return OB_OK;
        int32_t n = 0;
        for (int32_t k = 0; k < indices.rank - 1; k++) dims[n++] = indices.dims[k];
        for (int64_t k = depth; k < data.rank; k++) dims[n++] = data.dims[k];
        OB_TRY(ob__require_shape(infer, 2, (ob_shape){n, dims}, OB0601));
    }
    return scatter_content(infer);
}

ob_status ob__infer_one_hot(ob_infer *infer) {
    ob_shape indices = ob__in_shape(infer, 0);
    ob_dim depth = ob__in_scalar(infer, 1);
    int32_t axis;
    const ob_dim two = 2;
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__require_one(infer, 1));
    OB_TRY(ob__require_shape(infer, 2, (ob_shape){1, &two}, OB0601));
    if (ob_dim_is_const(depth) && depth < 0) {
        ob__problem(infer, OB0601, 1, -1, "the depth is %lld", (long long)depth);
        return OB_OK;
    }
    OB_TRY(ob__require_size(infer, depth, 1, -1, OB0601));
    OB_TRY(ob__rank_unknown(infer, 0));
    if (indices.rank < 0 || !ob__rank_fits(infer, (int64_t)indices.rank + 1)) return OB_OK;
    if (!ob__axis_in(infer, ob__one_hot_axis(infer->node), indices.rank + 1, &axis)) return OB_OK;
    ob_dim dims[OB_MAX_RANK];
    for (int32_t k = 0, i = 0; k <= indices.rank; k++) dims[k] = k != axis ? indices.dims[i++] : depth;
    return ob__out_tensor(infer, 0, OB_NONE, indices.rank + 1, dims);
}

ob_status ob__infer_compress(ob_infer *infer) {
    ob_shape data = ob__in_shape(infer, 0);
    ob_content condition = ob__in_content(infer, 1);
    ob_dim kept = condition.elems ? 0 : OB_DIM_UNKNOWN, last = 0;
    const ob_slices_params params = ob__slices_params(infer->node);
    bool flat = params.flat;
    int32_t axis = -1;
    ob__out_dtype(infer, 0, OB_NONE);
    if (!ob__rank_in(infer, 1, 1, 1)) return OB_OK;
    OB_TRY(ob__rank_unknown(infer, 0));
    if (data.rank > OB_MAX_RANK) return OB_OK;
    if (data.rank >= 0 && !flat && !ob__axis_in(infer, params.axis, data.rank, &axis)) return OB_OK;
    ob_dim size = data.rank < 0 ? OB_DIM_UNKNOWN : flat ? ob__in_count(infer, 0) : data.dims[axis];
    for (uint32_t i = 0; condition.elems && i < condition.n; i++) {
        ob_dim d = condition.elems[i];
        kept = ob_dim_add(infer->dims, kept, d);
        if (ob_dim_is_const(d) && d != 0) last = i + 1;
        if (!ob_dim_is_const(d) && data.rank >= 0) /* selects if true */
            OB_TRY(ob__require_where(infer, d, OB_COND_AT_LEAST, size, (ob_dim)i + 1, 0, axis, OB0601));
    }
    if (data.rank >= 0) /* the last selected element must exist */
        OB_TRY(ob__require(infer, OB_COND_AT_LEAST, size, last, 0, axis, OB0601));
    if (!condition.elems && !ob__known_at_least(infer, size, ob__in_dim(infer, 1, 0)))
        OB_TRY(ob__unverified(infer, 1, axis, "what is taken depends on data"));
    if (flat) return ob__out_tensor(infer, 0, OB_NONE, 1, &kept);
    if (data.rank < 0) return OB_OK;
    ob_dim dims[OB_MAX_RANK];
    memcpy(dims, data.dims, (size_t)data.rank * sizeof *dims);
    dims[axis] = kept;
    return ob__out_tensor(infer, 0, OB_NONE, data.rank, dims);
}

ob_status ob__infer_non_zero(ob_infer *infer) {
    int32_t rank = ob__in_rank(infer, 0);
    const ob_dim dims[2] = {rank < 0 ? OB_DIM_UNKNOWN : rank, OB_DIM_UNKNOWN};
    OB_TRY(ob__out_tensor(infer, 0, OB_INT64, 2, dims));
    if (rank != 1) return OB_OK; /* with several axes there is one count for each */
    return ob__out_range(infer, 0, (ob_range){0, ob_dim_sub(infer->dims, ob__in_dim(infer, 0, 0), 1), false});
}

ob_status ob__infer_unique(ob_infer *infer) {
    ob_shape data = ob__in_shape(infer, 0);
    const ob_dim open[1] = {OB_DIM_UNKNOWN};
    ob_dim n[1] = {OB_DIM_UNKNOWN}; /* slices, or elements */
    const ob_slices_params params = ob__slices_params(infer->node);
    for (uint32_t i = 1; i < infer->node->n_outputs; i++) OB_TRY(ob__out_tensor(infer, i, OB_INT64, 1, open));
    if (params.flat) {
        OB_TRY(ob__out_tensor(infer, 0, OB_NONE, 1, open));
        n[0] = ob__in_count(infer, 0);
    } else {
        int32_t axis;
        OB_TRY(ob__rank_unknown(infer, 0));
        if (data.rank < 0 || data.rank > OB_MAX_RANK) return OB_OK;
        if (!ob__axis_in(infer, params.axis, data.rank, &axis)) return OB_OK;
        ob_dim dims[OB_MAX_RANK];
        memcpy(dims, data.dims, (size_t)data.rank * sizeof *dims);
        n[0] = dims[axis];
        dims[axis] = OB_DIM_UNKNOWN;
        OB_TRY(ob__out_tensor(infer, 0, OB_NONE, data.rank, dims));
    }
    return infer->node->n_outputs > 2 ? ob__out_tensor(infer, 2, OB_INT64, 1, n) : OB_OK;
}

ob_status ob__infer_topk(ob_infer *infer) {
    ob_shape data = ob__in_shape(infer, 0);
    const ob_topk_params params = ob__topk_params(infer->node, ob__since(infer));
    ob_dim k = OB_DIM_UNKNOWN;
    int32_t axis;
    for (uint32_t i = 0; i < 2; i++) ob__out_dtype(infer, i, OB_NONE);
    OB_TRY(ob__require_one(infer, 1));
    if (ob__since(infer) < 10)
        k = params.has_k ? ob__saturated(params.k) : OB_DIM_UNKNOWN;
    else
        k = ob__in_scalar(infer, 1);
    OB_TRY(ob__rank_unknown(infer, 0));
    if (data.rank < 0 || data.rank > OB_MAX_RANK) return OB_OK;
    if (!ob__axis_in(infer, params.axis, data.rank, &axis)) return OB_OK;
    if (ob_dim_is_const(k) && k < 0) {
        ob__problem(infer, OB0601, 1, axis, "k is %lld", (long long)k);
        k = OB_DIM_UNKNOWN;
    } else
        OB_TRY(ob__require_size(infer, k, 1, axis, OB0601));
    if (k != OB_DIM_UNKNOWN) OB_TRY(ob__require(infer, OB_COND_AT_LEAST, data.dims[axis], k, 0, axis, OB0601));
    ob_dim dims[OB_MAX_RANK];
    memcpy(dims, data.dims, (size_t)data.rank * sizeof *dims);
    dims[axis] = k;
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, data.rank, dims));
    OB_TRY(ob__out_tensor(infer, 1, OB_INT64, data.rank, dims));
    return ob__out_range(infer, 1, (ob_range){0, ob_dim_sub(infer->dims, data.dims[axis], 1), false});
}

ob_status ob__infer_non_max_suppression(ob_infer *infer) {
    const ob_dim dims[2] = {OB_DIM_UNKNOWN, 3};
    /* Boxes (batch, box, 4) and scores (batch, class, box); limits have one element each. */
    for (uint32_t i = 0; i < 2; i++)
        if (!ob__rank_in(infer, i, 3, 3)) return ob__out_tensor(infer, 0, OB_INT64, 2, dims);
    if (ob__in_rank(infer, 0) == 3) OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 0, 2), 4, 0, 2, OB0601));
    if (ob__in_rank(infer, 0) == 3 && ob__in_rank(infer, 1) == 3) {
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 1, 0), ob__in_dim(infer, 0, 0), 1, 0, OB0601));
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 1, 2), ob__in_dim(infer, 0, 1), 1, 2, OB0601));
    }
    for (uint32_t i = 2; i < 5; i++) OB_TRY(ob__require_one(infer, i));
    return ob__out_tensor(infer, 0, OB_INT64, 2, dims);
}

ob_status ob__infer_trilu(ob_infer *infer) {
    ob__rank_in(infer, 0, 2, OB_MAX_RANK);
    OB_TRY(ob__require_one(infer, 1));
    return ob__out_like(infer, 0, 0);
}

ob_status ob__infer_tensor_scatter(ob_infer *infer) {
    ob_shape cache = ob__in_shape(infer, 0), update = ob__in_shape(infer, 1);
    ob_cache_params params;
    ob_error *error = infer->trial;
    int32_t axis;
    OB_TRY(ob__out_like(infer, 0, 0));
    if (ob__read_cache(infer->node, &params, error) != OB_OK) {
        ob__problem(infer, OB0602, -1, -1, "%s", error->message);
        return OB_OK;
    }
    for (uint32_t i = 0; i < 2; i++) OB_TRY(ob__rank_unknown(infer, i));
    if (cache.rank < 0 || cache.rank > OB_MAX_RANK || !ob__rank_in(infer, 1, cache.rank, cache.rank)) return OB_OK;
    if (!ob__axis_in(infer, params.axis, cache.rank, &axis)) return OB_OK;
    if (axis == 0) ob__problem(infer, OB0602, -1, -1, "axis 0 is the batch");
    if (ob__in_given(infer, 2)) OB_TRY(ob__require_shape(infer, 2, (ob_shape){1, cache.dims}, OB0601));
    if (update.rank != cache.rank || axis == 0) return OB_OK;
    for (int32_t a = 0; a < cache.rank; a++)
        OB_TRY(ob__require(infer, a == axis ? OB_COND_AT_LEAST : OB_COND_EQUAL, cache.dims[a], update.dims[a], 1, a, OB0601));
    if (params.is_circular) return OB_OK; /* a circular update may begin anywhere */
    const ob_dim most = ob_dim_sub(infer->dims, cache.dims[axis], update.dims[axis]);
    return ob__require_values(infer, 2,
                              &(ob_values_asked){.highest = most, .when = 1, .axis = -1, .reason = "indices depend on data"});
}
