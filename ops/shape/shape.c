/* Shape rules of operators that return shapes, rearrange them or make tensors of a given shape. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "ops/infer/constant.h"
#include "ops/infer/contents.h"
#include "ops/shape/params.h"
#include "ops/table/op.h"

OB_RULE(reshape);
OB_RULE(flatten);
OB_RULE(squeeze);
OB_RULE(unsqueeze);
OB_RULE(identity);
OB_RULE(shape);
OB_RULE(size);
OB_RULE(constant);
OB_RULE(constant_of_shape);
OB_RULE(range);
OB_RULE(eye_like);

/* ---- Reshape ---- */

typedef struct reshape {
    ob_shape from;
    ob_dim dims[OB_MAX_RANK]; /* of the result */
    int32_t rank, hole;       /* the axis of the -1, or -1 */
    bool allow_zero;
    int32_t n_either, either; /* number of axes that copy a size if the target is 0, and one of them */
    ob_dim told[OB_MAX_RANK]; /* the sizes in the target that may be 0; elsewhere 0 */
    bool whole;               /* all sizes except that of the hole are known */
} reshape;

/* If the target's size `told` is 0, the operand's size is copied: then `copied` must be 0 too. */
static ob_status require_told(ob_infer *infer, ob_dim told, ob_dim copied, int32_t axis) {
    if (ob_dim_is_const(copied) && copied != 0) return ob__require(infer, OB_COND_AT_LEAST, told, 1, 1, axis, OB0601);
    return ob__require_where(infer, ob_dim_sub(infer->dims, 1, told), OB_COND_EQUAL, copied, 0, 1, axis, OB0601);
}

/* `d` for the case that `zero` is 0. */
static ob_dim at_zero(ob_infer *infer, ob_dim d, ob_dim zero) {
    const ob_binding binding = {zero, 0};
    if (ob_dim_get_kind(infer->dims, zero) != OB_DIM_KIND_SYMBOL || !ob_dim_is_term(d)) return d;
    return ob_dim_substitute(infer->dims, d, &binding, 1);
}

/* `told` if that is 1 or more, `copied` if it is 0. */
static ob_dim told_or_copied(ob_infer *infer, ob_dim told, ob_dim copied) {
    ob_dim is_zero = ob_dim_sub(infer->dims, 1, ob__term_min(infer, 1, told));
    return ob_dim_add(infer->dims, told, ob_dim_mul(infer->dims, is_zero, at_zero(infer, copied, told)));
}

/* The size for -1 is *above / *below: the product of the operand's sizes and that of the result's, without sizes that are in
 * both. */
static void cancel(ob_infer *infer, const reshape *r, ob_dim *above, ob_dim *below) {
    bool used[OB_MAX_RANK] = {false}; /* cancelled dims of `from` */
    *above = *below = 1;
    for (int32_t axis = 0; axis < r->rank; axis++) {
        if (axis == r->hole) continue;
        int32_t k = 0;
        while (k < r->from.rank && (used[k] || r->from.dims[k] != r->dims[axis] || r->dims[axis] == 0)) k++;
        if (k < r->from.rank)
            used[k] = true;
        else
            *below = ob_dim_mul(infer->dims, *below, r->dims[axis]);
    }
    for (int32_t k = 0; k < r->from.rank; k++)
        if (!used[k]) *above = ob_dim_mul(infer->dims, *above, r->from.dims[k]);
}

/* The size for -1, as a term, if *below divides *above. *below 1: nothing is required. */
static ob_dim hole_size(ob_infer *infer, const reshape *r, ob_dim *above, ob_dim *below) {
    cancel(infer, r, above, below);
    if (*below == 1) return *above;
    ob_dim exact = ob_dim_div_exact(infer->dims, *above, *below);
    if (exact != OB_DIM_UNKNOWN) {
        *below = 1;
        return exact;
    }
    bool divides = ob_dim_is_const(*below) && *below != 0 && (!ob_dim_is_const(*above) || *above % *below == 0);
    return divides ? ob_dim_div(infer->dims, *above, *below) : OB_DIM_UNKNOWN;
}

static ob_status require_divides(ob_infer *infer, ob_dim guard, ob_dim above, ob_dim below) {
    if (below == 1) return OB_OK;
    return ob__require_where(infer, guard, OB_COND_DIVISIBLE, above, below, 0, -1, OB0601);
}

/* Fills the -1 if there are also axes that copy a size where the target is 0. If each of their sizes divides the number of
 * elements, there are no elements as soon as one of them is 0. */
static ob_status fill_either(ob_infer *infer, reshape *r) {
    ob_dim before = ob__dims_product(infer, r->from.dims, 0, r->from.rank), all_told = 1, is_told = 1, above, below;
    bool divide = true;
    reshape told = *r;
    for (int32_t axis = 0; axis < r->rank; axis++) {
        ob_dim size = r->told[axis];
        if (size == 0) continue;
        told.dims[axis] = size;
        all_told = ob_dim_mul(infer->dims, all_told, size);
        is_told = ob_dim_mul(infer->dims, is_told, ob__term_min(infer, 1, size));
        divide &= ob_dim_div_exact(infer->dims, before, size) != OB_DIM_UNKNOWN;
        OB_TRY(
            ob__require_where(infer, ob_dim_sub(infer->dims, 1, size), OB_COND_AT_LEAST, r->from.dims[axis], 1, 0, axis, OB0601));
    }
    ob_dim where_told = hole_size(infer, &told, &above, &below);
    if (divide) {
        if (where_told != OB_DIM_UNKNOWN) r->dims[r->hole] = ob_dim_mul(infer->dims, is_told, where_told);
        return require_divides(infer, all_told, above, below);
    }
    if (r->n_either > 1) {
        cancel(infer, r, &above, &below);
        return require_divides(infer, 1, above, below);
    }
    OB_TRY(require_divides(infer, all_told, above, below));
    told.dims[r->either] = r->from.dims[r->either];
    hole_size(infer, &told, &above, &below);
    return require_divides(infer, ob_dim_sub(infer->dims, 1, all_told), at_zero(infer, above, all_told), below);
}

/* -1 requires that the other sizes are not 0 and that their product divides the number of elements. */
static ob_status fill_hole(ob_infer *infer, reshape *r) {
    ob_dim above, below, *out = &r->dims[r->hole];
    *out = OB_DIM_UNKNOWN;
    if (!r->whole || r->from.rank < 0 || r->from.rank > OB_MAX_RANK) return OB_OK;
    for (int32_t axis = 0; axis < r->rank; axis++)
        if (axis != r->hole && r->told[axis] == 0)
            OB_TRY(ob__require(infer, OB_COND_AT_LEAST, r->dims[axis], 1, 0, axis, OB0601));
    if (r->n_either) return fill_either(infer, r);
    for (int32_t axis = 0; axis < r->rank; axis++)
        if (axis != r->hole && r->dims[axis] == 0) return OB_OK;
    *out = hole_size(infer, r, &above, &below);
    return require_divides(infer, 1, above, below);
}

/* Two requirements for two cases, which are clearer than one with the combined term. */
static ob_status require_either_count(ob_infer *infer, const reshape *r, ob_dim before) {
    ob_dim told = r->told[r->either], copied = r->from.dims[r->either], others = 1;
    for (int32_t axis = 0; axis < r->rank; axis++)
        if (axis != r->either) others = ob_dim_mul(infer->dims, others, r->dims[axis]);
    ob_dim is_zero = ob_dim_sub(infer->dims, 1, told);
    OB_TRY(ob__require_where(infer, told, OB_COND_EQUAL, before, ob_dim_mul(infer->dims, others, told), 0, -1, OB0601));
    return ob__require_where(infer, is_zero, OB_COND_EQUAL, at_zero(infer, before, told),
                             at_zero(infer, ob_dim_mul(infer->dims, others, copied), told), 0, -1, OB0601);
}

static ob_status require_count(ob_infer *infer, const reshape *r) {
    if (r->hole >= 0 || r->from.rank < 0 || !r->whole) return OB_OK;
    if (r->n_either == 1) return require_either_count(infer, r, ob__dims_product(infer, r->from.dims, 0, r->from.rank));
    ob_dim before = ob__dims_product(infer, r->from.dims, 0, r->from.rank), after = ob__dims_product(infer, r->dims, 0, r->rank);
    /* 12*N = 12 implies N = 1. */
    ob_dim ratio = ob_dim_is_const(after) && after > 1 ? ob_dim_div_exact(infer->dims, before, after) : OB_DIM_UNKNOWN;
    if (ob_dim_is_term(ratio)) return ob__require(infer, OB_COND_EQUAL, ratio, 1, 0, -1, OB0601);
    return ob__require(infer, OB_COND_EQUAL, before, after, 0, -1, OB0601);
}

/* A computed size of the target is a size of the result, but 0 copies the operand's size. If that may differ, the result's size
 * is a term of both. Such a term makes later results unclear, so it is not made if the model excludes the case: then the
 * operand's size must be 0 too. */
static ob_status take_term(ob_infer *infer, reshape *r, int32_t axis, ob_dim d) {
    r->dims[axis] = d;
    OB_TRY(ob__require_size(infer, d, 1, axis, OB0601));
    if (r->allow_zero || ob__known_at_least(infer, d, 1)) return OB_OK;
    /* For an operand of unknown rank the copied size is unknown, so 0 is excluded. */
    if (axis >= r->from.rank) return ob__require(infer, OB_COND_AT_LEAST, d, 1, 1, axis, OB0601);
    ob_dim copied = r->from.dims[axis];
    if (copied == d || ob_dim_div_exact(infer->dims, copied, d) != OB_DIM_UNKNOWN) return OB_OK;
    const ob_condition is_nothing = {OB_COND_EQUAL, copied, 0};
    bool excluded;
    OB_TRY(ob__is_excluded(infer, ob_dim_sub(infer->dims, 1, d), &is_nothing, axis, &excluded));
    ob_dim either = excluded ? OB_DIM_UNKNOWN : told_or_copied(infer, d, copied);
    if (either == OB_DIM_UNKNOWN) return require_told(infer, d, copied, axis);
    r->dims[axis] = either;
    r->n_either++;
    r->either = axis;
    r->told[axis] = d;
    return OB_OK;
}

/* False: the target is invalid. */
static ob_status take_size(ob_infer *infer, reshape *r, int32_t axis, ob_dim d, bool *fits) {
    r->dims[axis] = d;
    if (ob_dim_is_term(d)) return take_term(infer, r, axis, d);
    if (d == 0 && !r->allow_zero) {
        r->dims[axis] = axis < r->from.rank ? r->from.dims[axis] : OB_DIM_UNKNOWN;
        if (r->from.rank >= 0 && axis >= r->from.rank)
            ob__problem(infer, OB0601, 1, axis, "axis %d: 0 copies a size, but the operand has rank %d", axis, r->from.rank);
    } else if (d == -1) {
        if (r->hole >= 0) ob__problem(infer, OB0601, 1, axis, "-1 occurs more than once in the target shape");
        *fits = r->hole < 0;
        r->hole = axis;
    } else if (ob_dim_is_const(d) && d < -1) {
        ob__problem(infer, OB0601, 1, axis, "axis %d: the target size %lld is negative", axis, (long long)d);
        r->dims[axis] = OB_DIM_UNKNOWN;
    }
    r->whole = r->whole && r->dims[axis] != OB_DIM_UNKNOWN;
    return d == OB_DIM_UNKNOWN ? ob__unverified(infer, 1, axis, "the target shape depends on data") : OB_OK;
}

/* Source: Reshape-1 (attribute), Reshape-5, Reshape-14 (allowzero). 0 copies a dim, -1 is computed from the others. */
ob_status ob__infer_reshape(ob_infer *infer) {
    ob_shape target = {OB_RANK_UNKNOWN, NULL};
    reshape r = {
        .from = ob__in_shape(infer, 0), .hole = -1, .whole = true, .allow_zero = ob__attribute_flag(infer->node, "allowzero")};
    ob__out_dtype(infer, 0, OB_NONE);
    if (ob__since(infer) < 5) {
        uint32_t n;
        const ob_dim *sizes;
        OB_TRY(ob__attribute_terms(infer, "shape", &sizes, &n));
        if (sizes) target = (ob_shape){(int32_t)n, sizes};
    } else {
        OB_TRY(ob__shape_operand(infer, 1, &target));
        if (ob__in_rank(infer, 1) >= 0 && ob__in_rank(infer, 1) != 1)
            ob__problem(infer, OB0601, 1, -1, "the shape operand has rank %d, it must be a vector", ob__in_rank(infer, 1));
        if (target.rank < 0) OB_TRY(ob__unverified(infer, 1, -1, "the target shape depends on data"));
    }
    OB_TRY(ob__rank_unknown(infer, 0));
    if (target.rank < 0 || !ob__rank_fits(infer, target.rank)) return OB_OK;
    r.rank = target.rank;
    for (int32_t axis = 0; axis < target.rank; axis++) {
        bool fits = true;
        OB_TRY(take_size(infer, &r, axis, target.dims[axis], &fits));
        if (!fits) return ob__out_rank(infer, 0, target.rank);
    }
    if (r.hole >= 0) OB_TRY(fill_hole(infer, &r));
    OB_TRY(require_count(infer, &r));
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, r.rank, r.dims));
    return ob__content_share(infer, 0, 0);
}

ob_status ob__infer_flatten(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0) return ob__out_rank(infer, 0, 2);
    int64_t axis = ob__attribute_int(infer->node, "axis");
    if (axis < 0 && ob__since(infer) >= 11) axis += from.rank;
    if (axis < 0 || axis > from.rank) {
        ob__problem(infer, OB0602, -1, -1, "axis %lld is out of range for rank %d", (long long)axis, from.rank);
        return ob__out_rank(infer, 0, 2);
    }
    const ob_dim dims[2] = {ob__dims_product(infer, from.dims, 0, (int32_t)axis),
                            ob__dims_product(infer, from.dims, (int32_t)axis, from.rank)};
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, 2, dims));
    return ob__content_share(infer, 0, 0);
}

/* ---- Squeeze and Unsqueeze ---- */

ob_status ob__infer_squeeze(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    uint32_t n;
    bool known;
    const int64_t *axes = ob__axes(infer, "axes", 1, &n, &known);
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__content_share(infer, 0, 0));
    if (axes) OB_TRY(ob__rank_unknown(infer, 0));
    if (!known) OB_TRY(ob__unverified(infer, 1, -1, "axes depend on data"));
    if (from.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    bool drop[OB_MAX_RANK] = {false};
    if (!known) {
        ob_dim count = ob__in_count(infer, 1);
        /* An axis may occur twice in a list of several. */
        return (count == 0 || count == 1) && count <= from.rank ? ob__out_rank(infer, 0, from.rank - (int32_t)count) : OB_OK;
    }
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis;
        if (!ob__axis_in(infer, axes[i], from.rank, &axis)) return OB_OK;
        drop[axis] = true;
        OB_TRY(ob__require(infer, OB_COND_EQUAL, from.dims[axis], 1, 0, axis, OB0601));
    }
    ob_dim dims[OB_MAX_RANK];
    int32_t rank = 0;
    for (int32_t axis = 0; axis < from.rank; axis++) {
        if (!axes) {
            /* The rank depends on whether a size is 1. */
            const ob_condition is_one = {OB_COND_EQUAL, from.dims[axis], 1};
            ob_truth truth = from.dims[axis] == OB_DIM_UNKNOWN ? OB_UNDECIDED : ob__condition_assumed(infer->dims, &is_one);
            if (truth == OB_UNDECIDED && infer->is_one) truth = infer->is_one(infer, from.dims[axis]);
            if (truth == OB_UNDECIDED) return OB_OK;
            drop[axis] = truth == OB_TRUE;
        }
        if (!drop[axis]) dims[rank++] = from.dims[axis];
    }
    return ob__out_tensor(infer, 0, OB_NONE, rank, dims);
}

ob_status ob__infer_unsqueeze(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    uint32_t n;
    bool known;
    const int64_t *axes = ob__axes(infer, "axes", 1, &n, &known);
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__content_share(infer, 0, 0));
    if (!axes && known) ob__problem(infer, OB0602, -1, -1, "axes are missing");
    if (!known) OB_TRY(ob__unverified(infer, 1, -1, "axes depend on data"));
    OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0) return OB_OK;
    if (!axes) {
        ob_dim count = ob__in_count(infer, 1);
        bool small = !known && ob_dim_is_const(count) && count >= 0 && from.rank + count <= OB_MAX_RANK;
        return small ? ob__out_rank(infer, 0, from.rank + (int32_t)count) : OB_OK;
    }
    if (!ob__rank_fits(infer, from.rank + (int64_t)n)) return OB_OK;
    int32_t rank = from.rank + (int32_t)n;
    bool added[OB_MAX_RANK] = {false};
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis;
        if (!ob__axis_in(infer, axes[i], rank, &axis)) return OB_OK;
        if (added[axis]) {
            ob__problem(infer, OB0602, -1, axis, "axis %d occurs twice in axes", axis);
            return OB_OK;
        }
        added[axis] = true;
    }
    ob_dim dims[OB_MAX_RANK];
    for (int32_t axis = 0, k = 0; axis < rank; axis++) dims[axis] = added[axis] ? 1 : from.dims[k++];
    return ob__out_tensor(infer, 0, OB_NONE, rank, dims);
}

/* ---- Identity ---- */

ob_status ob__infer_identity(ob_infer *infer) {
    OB_TRY(ob__out_like(infer, 0, 0));
    return ob__content_share(infer, 0, 0);
}

/* ---- Shape and Size ---- */

ob_status ob__infer_shape(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    ob_dim n = OB_DIM_UNKNOWN;
    if (from.rank >= 0) {
        const ob_axes_range axes = ob__shape_axes(infer->node, ob__since(infer), from.rank);
        n = axes.to - axes.from;
        if (from.dims)
            OB_TRY(ob__out_content(infer, 0, from.dims + axes.from, (uint32_t)n));
        else
            OB_TRY(ob__out_content(infer, 0, &n, 0));
    }
    return ob__out_tensor(infer, 0, OB_INT64, 1, &n);
}

ob_status ob__infer_size(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    ob_dim count = from.rank < 0 ? OB_DIM_UNKNOWN : ob__dims_product(infer, from.dims, 0, from.rank);
    OB_TRY(ob__out_tensor(infer, 0, OB_INT64, 0, NULL));
    return count == OB_DIM_UNKNOWN ? OB_OK : ob__out_content(infer, 0, &count, 1);
}

/* ---- Constants ---- */

static ob_status constant_tensor(ob_infer *infer, const ob_tensor *data) {
    ob_content content;
    for (int32_t axis = 0; axis < data->rank; axis++)
        if (data->dims[axis] < 0 || data->dims[axis] > OB_DIM_CONST_MAX) {
            ob__problem(infer, OB0602, -1, axis, "the constant has a size of %lld", (long long)data->dims[axis]);
            return OB_OK;
        }
    OB_TRY(ob__content_of_tensor(data, infer->arena, &content));
    ob__out_shape(infer, 0, data->dtype, (ob_shape){data->rank, data->dims});
    infer->out_contents[0] = content;
    return OB_OK;
}

ob_status ob__infer_constant(ob_infer *infer) {
    if (infer->node->n_outputs != 1) return OB_OK;
    const ob_constant_params params = ob__constant_params(infer->node);
    for (uint32_t i = 0; i < infer->node->n_attributes; i++)
        if (infer->node->attributes[i]->ref) return OB_OK;
    if (params.tensor) return constant_tensor(infer, params.tensor);
    if (!params.given) return OB_OK;
    const ob_tensor tensor = {
        .dtype = params.dtype, .rank = params.rank, .dims = &params.n, .n_elems = params.n, .data = params.elements};
    OB_TRY(ob__out_tensor(infer, 0, params.dtype, params.rank, &params.n));
    if (params.n > OB_CONTENT_MAX || (params.rank ? params.dtype != OB_INT64 : params.dtype == OB_STRING)) return OB_OK;
    return ob__content_of_tensor(&tensor, infer->arena, &infer->out_contents[0]);
}

ob_status ob__infer_constant_of_shape(ob_infer *infer) {
    bool wrong;
    const ob_tensor *fill = ob__fill_of(infer->node, &wrong);
    ob_shape target;
    OB_TRY(ob__shape_operand(infer, 0, &target));
    if (fill && fill->n_elems != 1)
        ob__problem(infer, OB0602, -1, -1, "attribute value has %lld elements, one is needed", (long long)fill->n_elems);
    ob__out_dtype(infer, 0, fill ? fill->dtype : OB_FLOAT);
    if (target.rank < 0) return ob__unverified(infer, 0, -1, "the shape depends on data");
    for (int32_t axis = 0; axis < target.rank; axis++) {
        if (ob_dim_is_const(target.dims[axis]) && target.dims[axis] < 0) {
            ob__problem(infer, OB0601, 0, axis, "axis %d: the size %lld is negative", axis, (long long)target.dims[axis]);
            return ob__out_rank(infer, 0, target.rank);
        }
        OB_TRY(ob__require_size(infer, target.dims[axis], 0, axis, OB0601));
    }
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, target.rank, target.dims));
    uint32_t n;
    ob_content one = {.n = 1};
    ob_dim zero = 0;
    if (fill)
        OB_TRY(ob__content_of_tensor(fill, infer->arena, &one));
    else
        one.elems = &zero;
    if (!one.elems || one.n != 1) return OB_OK;
    if (!ob__small_count(infer, target, &n)) return ob__out_range(infer, 0, (ob_range){one.elems[0], one.elems[0], true});
    if (!fill && n > 16) return OB_OK;
    ob_dim *elems = ob__new_dims(infer, n);
    if (!elems) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) elems[i] = one.elems[0];
    return ob__out_content(infer, 0, elems, n);
}

/* ceil((limit - start) / delta), at least 0. */
static ob_dim range_count(ob_infer *infer, ob_dim start, ob_dim limit, ob_dim delta) {
    start = ob__content_exact(start);
    limit = ob__content_exact(limit);
    delta = ob__content_exact(delta);
    if (delta == OB_DIM_UNKNOWN || delta == 0 || start == OB_DIM_UNKNOWN || limit == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    if (!ob_dim_is_const(delta)) /* of either sign, if it divides */
        return ob__term_max(infer, 0, ob_dim_div_exact(infer->dims, ob_dim_sub(infer->dims, limit, start), delta));
    ob_dim span = delta > 0 ? ob_dim_sub(infer->dims, limit, start) : ob_dim_sub(infer->dims, start, limit);
    return ob__term_max(infer, 0, ob_dim_ceil_div(infer->dims, span, delta > 0 ? delta : -delta));
}

/* The range of elements from the start; the last one is before the limit. */
static ob_status range_range(ob_infer *infer, ob_dim start, ob_dim delta, ob_dim n) {
    if (!ob_dim_is_const(delta)) return OB_OK;
    ob_dim last = ob_dim_add(infer->dims, start, ob_dim_mul(infer->dims, ob_dim_sub(infer->dims, n, 1), delta));
    return ob__out_range(infer, 0, delta > 0 ? (ob_range){start, last, true} : (ob_range){last, start, true});
}

ob_status ob__infer_range(ob_infer *infer) {
    for (uint32_t i = 0; i < 3; i++) OB_TRY(ob__require_one(infer, i));
    ob_dim start = ob__in_scalar(infer, 0), limit = ob__in_scalar(infer, 1);
    ob_dim delta = ob__in_given(infer, 2) ? ob__in_scalar(infer, 2) : 1; /* optional in com.microsoft */
    if (delta == 0) ob__problem(infer, OB0601, 2, -1, "delta is 0");
    bool is_zero_perhaps = !ob__known_at_least(infer, delta, 1) && !ob__known_at_least(infer, -1, delta);
    if (delta == OB_DIM_UNKNOWN)
        OB_TRY(ob__unverified(infer, 2, -1, "whether delta is 0 depends on data"));
    else if (is_zero_perhaps && delta != 0)
        OB_TRY(ob__require(infer, OB_COND_AT_LEAST,
                           ob__known_at_least(infer, delta, 0) ? delta : ob_dim_mul(infer->dims, delta, delta), 1, 2, -1,
                           OB0601));
    ob_dim n = range_count(infer, start, limit, delta);
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, 1, &n));
    if (!ob_dim_is_const(n) || n > (infer->thrifty ? OB_CONTENT_SHORT : OB_CONTENT_MAX))
        return range_range(infer, start, delta, n);
    ob_dim *elems = ob__new_dims(infer, (size_t)n);
    if (!elems) return OB_E_MEMORY;
    for (ob_dim i = 0, at = start; i < n; i++) {
        elems[i] = at;
        at = ob_dim_add(infer->dims, at, delta);
    }
    infer->out_contents[0] = (ob_content){.n = (uint32_t)n, .elems = elems};
    return OB_OK;
}

ob_status ob__infer_eye_like(ob_infer *infer) {
    ob_dtype dtype = (ob_dtype)ob__attribute_int_or(infer->node, "dtype", ob__in_dtype(infer, 0));
    ob__rank_in(infer, 0, 2, 2);
    OB_TRY(ob__out_like(infer, 0, 0));
    if (dtype > OB_NONE && dtype < OB_DTYPE_COUNT) ob__out_dtype(infer, 0, dtype);
    return OB_OK;
}
