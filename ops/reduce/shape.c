/* Shape rules of reductions. */
#include "core/base/error.h"
#include "core/graph/types.h"
#include "kernels/reduce/reduce.h"
#include "ops/infer/contents.h"
#include "ops/reduce/params.h"

OB_RULE(reduce);
OB_RULE(argreduce);
OB_RULE(cumsum);

/* Reduces a whole vector or scalar: ReduceProd of a shape is the number of elements. */
static ob_status reduce_content(ob_infer *infer, const ob_reduce_params *p) {
    ob_content content = ob__in_content(infer, 0);
    if (!content.elems || !ob__content_dtype(infer->out_types[0].dtype) || content.n == 0) return OB_OK;
    bool product = p->fold == OBK_FOLD_PROD, sum = p->fold == OBK_FOLD_SUM, max = p->fold == OBK_FOLD_MAX;
    if (p->finish != OBK_FINISH_NONE || (!product && !sum && !max && p->fold != OBK_FOLD_MIN)) return OB_OK;
    for (uint32_t i = 0; i < content.n; i++)
        if (ob__content_exact(content.elems[i]) != content.elems[i]) return OB_OK;
    ob_dtype dtype = infer->out_types[0].dtype;
    bool real = ob__dtype_is_real(dtype);
    ob_dim folded = content.elems[0], extent = 0;
    if (!product && !sum) OB_TRY(ob__term_fit(infer, &folded, dtype, 0));
    for (uint32_t i = 1; i < content.n; i++) {
        ob_dim d = content.elems[i];
        /* In any order of float additions, no partial result may exceed the total. */
        if (real && (product || sum) && (!ob__known_at_least(infer, d, 0) || !ob__known_at_least(infer, folded, 0))) return OB_OK;
        if (!product && !sum) OB_TRY(ob__term_fit(infer, &d, dtype, 0));
        if (product)
            folded = d == 0 ? 0 : folded == 0 ? 0 : ob_dim_mul(infer->dims, folded, d);
        else if (sum)
            folded = ob_dim_add(infer->dims, folded, d);
        else
            folded = max ? ob__term_max(infer, folded, d) : ob__term_min(infer, folded, d);
        folded = ob__term_wrapped(folded, dtype);
        if (real && (product || sum)) extent = ob__extent_with(infer, extent, folded);
    }
    folded = ob__content_within(folded, dtype);
    if (extent == OB_DIM_UNKNOWN) return OB_OK;
    OB_TRY(ob__out_content(infer, 0, &folded, 1));
    infer->out_contents[0].extent = extent;
    return OB_OK;
}

/* The dims of the output: marked axes are removed or become 1. */
static ob_status set_reduced(ob_infer *infer, ob_dtype dtype, ob_shape from, const bool *reduced, bool keep) {
    ob_dim dims[OB_MAX_RANK];
    int32_t rank = 0;
    for (int32_t axis = 0; axis < from.rank; axis++) {
        if (!reduced[axis])
            dims[rank++] = from.dims[axis];
        else if (keep)
            dims[rank++] = 1;
    }
    return ob__out_tensor(infer, 0, dtype, rank, dims);
}

ob_status ob__infer_reduce(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    uint32_t n;
    bool known;
    const ob_reduce_params p = ob__reduce_params(infer->node, infer->op);
    bool scaled = ob__op_is(infer, "QLinearReduceMean"); /* its operand 1 is a scale */
    const int64_t *axes = ob__axes(infer, "axes", scaled ? infer->node->n_inputs : 1, &n, &known);
    ob__out_dtype(infer, 0, OB_NONE);
    if (axes) OB_TRY(ob__rank_unknown(infer, 0));
    if (!known) OB_TRY(ob__unverified(infer, 1, -1, "axes depend on data"));
    if (from.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    if (!known) return p.keep_axes ? ob__out_rank(infer, 0, from.rank) : OB_OK;
    if (n == 0 && p.nothing_by_default) return ob__out_like(infer, 0, 0);
    if (n > OB_MAX_RANK) {
        ob__problem(infer, OB0602, -1, -1, "%u axes are given, at most %d are possible", n, OB_MAX_RANK);
        return OB_OK;
    }
    bool reduced[OB_MAX_RANK];
    for (int32_t axis = 0; axis < from.rank; axis++) reduced[axis] = n == 0;
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis;
        if (!ob__axis_in(infer, axes[i], from.rank, &axis)) return OB_OK;
        reduced[axis] = true;
    }
    OB_TRY(set_reduced(infer, OB_NONE, from, reduced, p.keep_axes));
    return from.rank == 1 && infer->node->n_outputs == 1 ? reduce_content(infer, &p) : OB_OK;
}

ob_status ob__infer_argreduce(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    const ob_argreduce_params p = ob__argreduce_params(infer->node, infer->op);
    bool reduced[OB_MAX_RANK] = {false};
    int32_t axis;
    ob__out_dtype(infer, 0, OB_INT64);
    OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    if (!ob__axis_in(infer, p.axis, from.rank, &axis)) return OB_OK;
    OB_TRY(ob__require(infer, OB_COND_AT_LEAST, from.dims[axis], 1, 0, axis, OB0601)); /* an empty axis has no largest element */
    reduced[axis] = true;
    OB_TRY(set_reduced(infer, OB_INT64, from, reduced, p.keep_axes));
    return ob__out_range(infer, 0, (ob_range){0, ob_dim_sub(infer->dims, from.dims[axis], 1), false});
}

/* The elements of the result, for a vector. */
static ob_status cumsum_content(ob_infer *infer) {
    const ob_running_params params = ob__running_params(infer->node, infer->op);
    const ob_content content = ob__in_content(infer, 0);
    if (!content.elems || params.product || ob__in_rank(infer, 0) != 1 || !infer->node->n_outputs) return OB_OK;
    ob_dtype dtype = infer->out_types[0].dtype;
    if (!ob__content_dtype(dtype)) return OB_OK;
    ob_dim *elems = ob__new_dims(infer, content.n);
    if (!elems) return OB_E_MEMORY;
    ob_dim sum = 0, extent = 0;
    for (uint32_t i = 0; i < content.n; i++) {
        uint32_t at = params.reverse ? content.n - 1 - i : i;
        ob_dim next = ob_dim_add(infer->dims, sum, ob__content_exact(content.elems[at]));
        next = ob__content_within(ob__term_wrapped(next, dtype), dtype);
        if (ob__dtype_is_real(dtype)) extent = ob__extent_with(infer, extent, next);
        elems[at] = params.exclusive ? sum : next;
        sum = next;
    }
    if (extent != OB_DIM_UNKNOWN) infer->out_contents[0] = (ob_content){.n = content.n, .elems = elems, .extent = extent};
    return OB_OK;
}

ob_status ob__infer_cumsum(ob_infer *infer) {
    int32_t rank = ob__in_rank(infer, 0), axis;
    int64_t given;
    OB_TRY(ob__require_one(infer, 1));
    bool known = ob__in_const_int(infer, 1, &given);
    if (!known) OB_TRY(ob__unverified(infer, 1, -1, "the axis depends on data"));
    if (ob__rank_in(infer, 0, 1, OB_MAX_RANK) && rank > 0 && known) ob__axis_in(infer, given, rank, &axis);
    OB_TRY(ob__out_like(infer, 0, 0));
    return cumsum_content(infer);
}
