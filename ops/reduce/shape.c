/* Shape rules of reductions. */
#include <string.h>

#include "core/error.h"
#include "ops/infer/content.h"
#include "ops/table/op.h"

OB_RULE(reduce);
OB_RULE(argreduce);

/* Folds a whole vector or scalar: ReduceProd of a shape is a count. */
static ob_status reduce_content(ob_infer *infer) {
    ob_content content = ob__in_content(infer, 0);
    if (!content.elems || !ob__content_dtype(infer->out_types[0].dtype) || content.n == 0) return OB_OK;
    const char *name = infer->op->name;
    bool product = strcmp(name, "ReduceProd") == 0, sum = strcmp(name, "ReduceSum") == 0;
    bool max = strcmp(name, "ReduceMax") == 0, min = strcmp(name, "ReduceMin") == 0;
    if (!product && !sum && !max && !min) return OB_OK;
    for (uint32_t i = 0; i < content.n; i++)
        if (ob__content_exact(content.elems[i]) != content.elems[i]) return OB_OK;
    ob_dim folded = content.elems[0];
    for (uint32_t i = 1; i < content.n; i++) {
        ob_dim d = content.elems[i];
        if (product)
            folded = d == 0 ? 0 : folded == 0 ? 0 : ob_dim_mul(infer->dims, folded, d);
        else if (sum)
            folded = ob_dim_add(infer->dims, folded, d);
        else
            folded = max ? ob__term_max(infer, folded, d) : ob__term_min(infer, folded, d);
    }
    folded = ob__content_within(folded, infer->out_types[0].dtype);
    return ob__out_content(infer, 0, &folded, 1);
}

/* The output's dims when the marked axes go, or become 1. */
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
    bool known, keep = ob__node_int(infer->node, "keepdims", 1) != 0;
    const int64_t *axes = ob__axes(infer, "axes", 1, &n, &known);
    ob__out_dtype(infer, 0, OB_NONE);
    if (axes) OB_TRY(ob__rank_unknown(infer, 0));
    if (!known) OB_TRY(ob__unverified(infer, 1, -1, "axes depend on data"));
    if (from.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    if (!known) return keep ? ob__out_rank(infer, 0, from.rank) : OB_OK;
    if (n == 0 && ob__reduces_nothing(infer->node, infer->op)) return ob__out_like(infer, 0, 0);
    bool reduced[OB_MAX_RANK];
    for (int32_t axis = 0; axis < from.rank; axis++) reduced[axis] = n == 0;
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis;
        if (!ob__axis_in(infer, axes[i], from.rank, &axis)) return OB_OK;
        reduced[axis] = true;
    }
    OB_TRY(set_reduced(infer, OB_NONE, from, reduced, keep));
    return from.rank == 1 && infer->node->n_outputs == 1 ? reduce_content(infer) : OB_OK;
}

ob_status ob__infer_argreduce(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    bool keep = ob__node_int(infer->node, "keepdims", 1) != 0, reduced[OB_MAX_RANK] = {false};
    int32_t axis;
    ob__out_dtype(infer, 0, OB_INT64);
    OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    if (!ob__axis_in(infer, ob__node_int(infer->node, "axis", 0), from.rank, &axis)) return OB_OK;
    OB_TRY(ob__require(infer, OB_COND_AT_LEAST, from.dims[axis], 1, 0, axis, OB0601)); /* of nothing there is no largest */
    reduced[axis] = true;
    OB_TRY(set_reduced(infer, OB_INT64, from, reduced, keep));
    return ob__out_range(infer, 0, (ob_range){0, ob_dim_sub(infer->dims, from.dims[axis], 1), false});
}
