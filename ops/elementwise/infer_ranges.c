/* Elements that are not known: the ranges of the results of elementwise operators. */
#include "core/base/error.h"
#include "ops/elementwise/contents.h"
#include "ops/elementwise/loops.h"
#include "ops/elementwise/params.h"
#include "ops/infer/contents.h"
#include "ops/table/op.h"

static ob_range negative(const ob_infer *infer, ob_range r) {
    return (ob_range){ob_dim_sub(infer->dims, 0, r.highest), ob_dim_sub(infer->dims, 0, r.lowest), r.reached};
}

/* Whether there is only one value. The result then reaches its bounds if the other operand does. */
static bool is_single(ob_range r) {
    return r.lowest == r.highest && r.lowest != OB_DIM_UNKNOWN && r.reached;
}

static ob_range sum(const ob_infer *infer, ob_range a, ob_range b) {
    return (ob_range){ob_dim_add(infer->dims, a.lowest, b.lowest), ob_dim_add(infer->dims, a.highest, b.highest),
                      a.reached && b.reached && (is_single(a) || is_single(b))};
}

static ob_range multiple(const ob_infer *infer, ob_range a, ob_dim by) {
    ob_range r = {ob_dim_mul(infer->dims, a.lowest, by), ob_dim_mul(infer->dims, a.highest, by), a.reached};
    return by >= 0 ? r : (ob_range){r.highest, r.lowest, r.reached};
}

static const ob_range anything = {OB_DIM_UNKNOWN, OB_DIM_UNKNOWN, false};

static ob_range remainder_by(ob_infer *infer, ob_range a, ob_dim by) {
    bool plain = !ob__mod_of_dividend(infer->node) || ob__known_at_least(infer, a.lowest, 0);
    return ob_dim_is_const(by) && by > 0 && plain ? (ob_range){0, by - 1, false} : anything;
}

static ob_range extreme(const ob_infer *infer, ob_range a, ob_range b, bool larger) {
    ob_range r = {0, 0, a.reached && b.reached && (is_single(a) || is_single(b))};
    r.lowest = larger ? ob__term_max(infer, a.lowest, b.lowest) : ob__term_min(infer, a.lowest, b.lowest);
    r.highest = larger ? ob__term_max(infer, a.highest, b.highest) : ob__term_min(infer, a.highest, b.highest);
    /* each lower bound of an operand is a lower bound of the larger of two */
    if (larger && r.lowest == OB_DIM_UNKNOWN) r.lowest = a.lowest != OB_DIM_UNKNOWN ? a.lowest : b.lowest;
    if (!larger && r.highest == OB_DIM_UNKNOWN) r.highest = a.highest != OB_DIM_UNKNOWN ? a.highest : b.highest;
    return r;
}

static ob_range combined(ob_infer *infer, ob_range a, ob_range b) {
    if (infer->op->loop.kind != OB_LOOP_BINARY) return anything;
    switch ((obk_binary)infer->op->loop.number) {
    case OBK_ADD: return sum(infer, a, b);
    case OBK_SUB: return sum(infer, a, negative(infer, b));
    case OBK_MUL:
        if (is_single(b) && ob_dim_is_const(b.lowest)) return multiple(infer, a, b.lowest);
        return is_single(a) && ob_dim_is_const(a.lowest) ? multiple(infer, b, a.lowest) : anything;
    case OBK_MAX: return extreme(infer, a, b, true);
    case OBK_MIN: return extreme(infer, a, b, false);
    case OBK_MOD: return is_single(b) ? remainder_by(infer, a, b.lowest) : anything;
    case OBK_DIV:
        if (!is_single(b) || !ob_dim_is_const(b.lowest) || b.lowest <= 0) return anything;
        return (ob_range){ob__term_truncated(infer, a.lowest, b.lowest), ob__term_truncated(infer, a.highest, b.lowest),
                          a.reached};
    default: return anything;
    }
}

ob_status ob__range_elementwise(ob_infer *infer) {
    uint32_t n = infer->node->n_inputs;
    const ob_op *op = infer->op;
    ob_range all, one;
    OB_TRY(ob__trace_elementwise(infer));
    if (op->broadcast == OB_BCAST_LEGACY || n == 0) return OB_OK;
    if (!ob__in_range(infer, 0, &all)) all = anything;
    for (uint32_t i = 1; i < n; i++) {
        if (!ob__in_range(infer, i, &one)) one = anything;
        all = combined(infer, all, one);
    }
    if (n == 1) return ob__range_share(infer, 0, 0);
    bool moves = ob__applies(op, OBK_ADD) || ob__applies(op, OBK_SUB) || ob__applies(op, OBK_MUL);
    return moves ? ob__out_computed_range(infer, all) : ob__out_range(infer, 0, all);
}

ob_status ob__range_where(ob_infer *infer) {
    OB_TRY(ob__range_join(infer, 1, infer->node->n_inputs));
    infer->out_contents[0].trace = NULL; /* an element that is not chosen may have any value */
    OB_TRY(ob__trace_where(infer));
    const ob_range *either = infer->out_contents[0].range;
    /* the chosen operand is not known */
    return either ? ob__out_range(infer, 0, (ob_range){either->lowest, either->highest, is_single(*either)}) : OB_OK;
}

ob_status ob__range_unary(ob_infer *infer) {
    ob_range r;
    bool known = ob__in_range(infer, 0, &r);
    if (ob__applies_unary(infer->op, OBK_U_NEG)) {
        OB_TRY(ob__trace_negative(infer));
        return known ? ob__out_computed_range(infer, negative(infer, r)) : OB_OK;
    }
    if (ob__applies_unary(infer->op, OBK_U_RELU)) {
        OB_TRY(ob__trace_between(infer, 0, 0, OB_DIM_UNKNOWN));
        return ob__out_range(infer, 0, extreme(infer, known ? r : anything, (ob_range){0, 0, true}, true));
    }
    return OB_OK;
}

/* A bound must be one known element. */
static ob_status trace_clip(ob_infer *infer) {
    ob_dim ends[2];
    for (uint32_t i = 0; i < 2; i++) {
        ends[i] = ob__in_given(infer, i + 1) ? ob__content_exact(ob__in_scalar(infer, i + 1)) : OB_DIM_UNKNOWN;
        if (ob__in_given(infer, i + 1) && ends[i] == OB_DIM_UNKNOWN) return OB_OK;
    }
    return ob__trace_between(infer, 0, ends[0], ends[1]);
}

ob_status ob__range_clip(ob_infer *infer) {
    ob_range r, bound;
    if (ob__since(infer) >= 11) OB_TRY(trace_clip(infer));
    if (ob__since(infer) < 11) return OB_OK;
    if (!ob__in_range(infer, 0, &r)) r = anything;
    if (ob__in_given(infer, 1) && ob__in_range(infer, 1, &bound)) r = extreme(infer, r, bound, true);
    if (ob__in_given(infer, 2)) r = extreme(infer, r, ob__in_range(infer, 2, &bound) ? bound : anything, false);
    return ob__out_range(infer, 0, r);
}

ob_status ob__range_cast(ob_infer *infer, ob_dtype from, ob_dtype to) {
    ob_range r;
    OB_TRY(ob__trace_cast(infer, from, to));
    return ob__in_range(infer, 0, &r) && infer->node->n_outputs ? ob__out_computed_range(infer, r) : OB_OK;
}
