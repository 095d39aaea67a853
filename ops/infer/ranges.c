/* What the integers of a tensor lie between, where they are too many, or their number is open: positions, mostly. */
#include "ops/infer/content.h"

#include "core/base/error.h"
#include "ops/elementwise/params.h"
#include "ops/table/op.h"

/* Of more elements that are terms the least would be a term that tells nobody anything. */
enum { MOST_TERMS = 8 };

static bool range_of_elements(const ob_infer *infer, ob_content content, ob_dtype dtype, ob_range *out) {
    uint32_t n_terms = 0;
    for (uint32_t i = 0; i < content.n; i++) {
        if (ob__content_exact(content.elems[i]) == OB_DIM_UNKNOWN || !ob__term_fits(infer, content.elems[i], dtype)) return false;
        n_terms += ob_dim_is_term(content.elems[i]);
    }
    if (content.n == 0 || (n_terms > 0 && content.n > MOST_TERMS)) return false;
    *out = (ob_range){content.elems[0], content.elems[0], true};
    for (uint32_t i = 1; i < content.n; i++) {
        out->lowest = ob__term_min(infer, out->lowest, content.elems[i]);
        out->highest = ob__term_max(infer, out->highest, content.elems[i]);
    }
    return true;
}

/* What narrow types hold, whatever the elements are. */
static bool range_of_type(ob_dtype dtype, ob_range *out) {
    switch (dtype) {
    case OB_BOOL: *out = (ob_range){0, 1, false}; return true;
    case OB_INT8: *out = (ob_range){INT8_MIN, INT8_MAX, false}; return true;
    case OB_INT16: *out = (ob_range){INT16_MIN, INT16_MAX, false}; return true;
    case OB_UINT8: *out = (ob_range){0, UINT8_MAX, false}; return true;
    case OB_UINT16: *out = (ob_range){0, UINT16_MAX, false}; return true;
    default: return false;
    }
}

bool ob__in_range(const ob_infer *infer, uint32_t i, ob_range *out) {
    ob_content content = ob__in_content(infer, i);
    if (content.elems) return range_of_elements(infer, content, ob__in_dtype(infer, i), out);
    if (!content.range) return ob__in_given(infer, i) && range_of_type(ob__in_dtype(infer, i), out);
    *out = *content.range;
    return true;
}

ob_status ob__out_range(ob_infer *infer, uint32_t i, ob_range range) {
    if (i >= infer->node->n_outputs || infer->out_contents[i].elems) return OB_OK;
    ob_dtype dtype = infer->out_types[i].dtype;
    if (dtype != OB_INT64 && dtype != OB_INT32) return OB_OK;
    if (range.lowest == OB_DIM_UNKNOWN && range.highest == OB_DIM_UNKNOWN) return OB_OK;
    range.reached = range.reached && range.lowest != OB_DIM_UNKNOWN && range.highest != OB_DIM_UNKNOWN;
    ob_range *kept = OB_ARENA_NEW(infer->arena, ob_range);
    if (!kept) return OB_E_MEMORY;
    *kept = range;
    infer->out_contents[i].range = kept;
    return OB_OK;
}

ob_status ob__range_share(ob_infer *infer, uint32_t input, uint32_t output) {
    ob_range range;
    OB_TRY(ob__trace_share(infer, input, output));
    return ob__in_range(infer, input, &range) ? ob__out_range(infer, output, range) : OB_OK;
}

ob_status ob__range_part(ob_infer *infer, uint32_t input, uint32_t output) {
    ob_range range;
    if (!ob__in_range(infer, input, &range)) return OB_OK;
    range.reached = range.reached && range.lowest == range.highest;
    return ob__out_range(infer, output, range);
}

ob_status ob__range_join(ob_infer *infer, uint32_t first, uint32_t end) {
    ob_range all = {0}, one;
    OB_TRY(ob__trace_join(infer, first, end));
    for (uint32_t i = first; i < end; i++) {
        if (!ob__in_range(infer, i, &one)) return OB_OK;
        /* An operand without elements has none of its bounds. */
        all = i == first ? one
                         : (ob_range){ob__term_min(infer, all.lowest, one.lowest), ob__term_max(infer, all.highest, one.highest),
                                      all.lowest == one.lowest && all.highest == one.highest && all.reached && one.reached};
    }
    return end > first ? ob__out_range(infer, 0, all) : OB_OK;
}

/* What was computed: where one end is beyond the type, elements there come around to anywhere. */
ob_status ob__out_computed_range(ob_infer *infer, ob_range range) {
    ob_dtype dtype = infer->out_types[0].dtype;
    if (range.lowest == OB_DIM_UNKNOWN || range.highest == OB_DIM_UNKNOWN) return OB_OK;
    if (ob__content_within(range.lowest, dtype) != range.lowest || ob__content_within(range.highest, dtype) != range.highest)
        return OB_OK;
    OB_TRY(ob__term_fit(infer, &range.lowest, dtype, 0));
    OB_TRY(ob__term_fit(infer, &range.highest, dtype, 0));
    if (range.lowest == OB_DIM_UNKNOWN || range.highest == OB_DIM_UNKNOWN) return OB_OK;
    return ob__out_range(infer, 0, range);
}

/* ---- Elementwise ---- */

static ob_range negative(const ob_infer *infer, ob_range r) {
    return (ob_range){ob_dim_sub(infer->dims, 0, r.highest), ob_dim_sub(infer->dims, 0, r.lowest), r.reached};
}

/* One value only: then what the other operand reaches, the result does. */
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
    /* Of the larger of two, either's least is a least. */
    if (larger && r.lowest == OB_DIM_UNKNOWN) r.lowest = a.lowest != OB_DIM_UNKNOWN ? a.lowest : b.lowest;
    if (!larger && r.highest == OB_DIM_UNKNOWN) r.highest = a.highest != OB_DIM_UNKNOWN ? a.highest : b.highest;
    return r;
}

static ob_range combined(ob_infer *infer, ob_range a, ob_range b) {
    if (ob__op_is(infer, "Add") || ob__op_is(infer, "Sum")) return sum(infer, a, b);
    if (ob__op_is(infer, "Sub")) return sum(infer, a, negative(infer, b));
    if (ob__op_is(infer, "Mul") && is_single(b) && ob_dim_is_const(b.lowest)) return multiple(infer, a, b.lowest);
    if (ob__op_is(infer, "Mul") && is_single(a) && ob_dim_is_const(a.lowest)) return multiple(infer, b, a.lowest);
    if (ob__op_is(infer, "Max")) return extreme(infer, a, b, true);
    if (ob__op_is(infer, "Min")) return extreme(infer, a, b, false);
    if (ob__op_is(infer, "Mod") && is_single(b)) return remainder_by(infer, a, b.lowest);
    if (ob__op_is(infer, "Div") && is_single(b) && ob_dim_is_const(b.lowest) && b.lowest > 0)
        return (ob_range){ob__term_truncated(infer, a.lowest, b.lowest), ob__term_truncated(infer, a.highest, b.lowest),
                          a.reached};
    return anything;
}

ob_status ob__range_elementwise(ob_infer *infer) {
    uint32_t n = infer->node->n_inputs;
    ob_range all, one;
    OB_TRY(ob__trace_elementwise(infer));
    if (infer->op->broadcast == OB_BCAST_LEGACY || n == 0) return OB_OK;
    if (ob__op_is(infer, "Where")) {
        OB_TRY(ob__range_join(infer, 1, n));
        infer->out_contents[0].trace = NULL; /* an element that is not chosen may be any */
        OB_TRY(ob__trace_where(infer));
        if (infer->out_contents[0].range) /* which of the two is chosen where, nobody knows */
            return ob__out_range(infer, 0,
                                 (ob_range){infer->out_contents[0].range->lowest, infer->out_contents[0].range->highest,
                                            is_single(*infer->out_contents[0].range)});
        return OB_OK;
    }
    if (!ob__in_range(infer, 0, &all)) all = anything;
    for (uint32_t i = 1; i < n; i++) {
        if (!ob__in_range(infer, i, &one)) one = anything;
        all = combined(infer, all, one);
    }
    if (n == 1) return ob__range_share(infer, 0, 0);
    bool moves = ob__op_is(infer, "Add") || ob__op_is(infer, "Sub") || ob__op_is(infer, "Sum") || ob__op_is(infer, "Mul");
    return moves ? ob__out_computed_range(infer, all) : ob__out_range(infer, 0, all);
}

ob_status ob__range_unary(ob_infer *infer) {
    ob_range r;
    bool known = ob__in_range(infer, 0, &r);
    if (ob__op_is(infer, "Neg")) {
        OB_TRY(ob__trace_negative(infer));
        return known ? ob__out_computed_range(infer, negative(infer, r)) : OB_OK;
    }
    if (ob__op_is(infer, "Relu")) {
        OB_TRY(ob__trace_between(infer, 0, 0, OB_DIM_UNKNOWN));
        return ob__out_range(infer, 0, extreme(infer, known ? r : anything, (ob_range){0, 0, true}, true));
    }
    return OB_OK;
}

/* A bound is one element, which must be known. */
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
