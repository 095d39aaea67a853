/* Elements computed from those of the model's inputs: the steps that elementwise operators add to the trace. */
#include "core/base/error.h"
#include "core/graph/types.h"
#include "ops/elementwise/contents.h"
#include "ops/elementwise/loops.h"
#include "ops/elementwise/params.h"
#include "ops/infer/contents.h"
#include "ops/table/op.h"

/* Replaces y by y * factor + summand in every link; false if a number becomes too large. */
static bool scale(const ob_infer *infer, ob_trace *chain, ob_dim factor, ob_dim summand) {
    ob_dims *dims = infer->dims;
    for (ob_trace *link = chain; link; link = link->next) {
        if (link->around != 0) return false;
        ob_dim *const ends[2] = {&link->lowest, &link->highest};
        link->factor = ob_dim_mul(dims, link->factor, factor);
        link->summand = ob_dim_add(dims, ob_dim_mul(dims, link->summand, factor), summand);
        if (!ob_dim_is_const(link->factor) || link->factor == 0 || link->summand == OB_DIM_UNKNOWN) return false;
        for (int k = 0; k < 2; k++) {
            if (*ends[k] == OB_DIM_UNKNOWN) continue;
            *ends[k] = ob_dim_add(dims, ob_dim_mul(dims, *ends[k], factor), summand);
            if (*ends[k] == OB_DIM_UNKNOWN) return false;
        }
        if (factor > 0) continue;
        const ob_dim lowest = link->lowest;
        link->lowest = link->highest;
        link->highest = lowest;
    }
    return true;
}

static ob_dim no_less(const ob_infer *infer, ob_dim bound, ob_dim lowest) {
    return bound == OB_DIM_UNKNOWN ? lowest : lowest == OB_DIM_UNKNOWN ? bound : ob__term_max(infer, bound, lowest);
}

static ob_dim no_more(const ob_infer *infer, ob_dim bound, ob_dim highest) {
    return bound == OB_DIM_UNKNOWN ? highest : highest == OB_DIM_UNKNOWN ? bound : ob__term_min(infer, bound, highest);
}

/* Whether factor * x + summand may exceed the type upwards or downwards for some x, and so wrap to the other end. */
static bool may_wrap(const ob_trace *link, bool upwards) {
    if (link->factor != 1 || !ob_dim_is_const(link->summand)) return link->factor != 1 || link->summand != 0;
    return upwards ? link->summand > 0 : link->summand < 0;
}

/* max(min(max(y, l), h), l2) is min(max(y, max(l, l2)), max(h, l2)); at most h2 likewise. False: the bound would hide that the
 * number may have wrapped before. */
static bool limit(const ob_infer *infer, ob_trace *chain, ob_dim lowest, ob_dim highest) {
    for (ob_trace *link = chain; link; link = link->next) {
        if (link->around != 0) return false;
        if (lowest != OB_DIM_UNKNOWN) {
            if (link->input && link->lowest == OB_DIM_UNKNOWN && may_wrap(link, false)) return false;
            link->lowest = no_less(infer, link->lowest, lowest);
            if (link->highest != OB_DIM_UNKNOWN) link->highest = no_less(infer, link->highest, lowest);
        }
        if (highest != OB_DIM_UNKNOWN) {
            if (link->input && link->highest == OB_DIM_UNKNOWN && may_wrap(link, true)) return false;
            link->highest = no_more(infer, link->highest, highest);
            if (link->lowest != OB_DIM_UNKNOWN) link->lowest = no_more(infer, link->lowest, highest);
        }
    }
    return true;
}

static const ob_trace *trace_of(const ob_infer *infer, uint32_t i) {
    return ob__in_content(infer, i).trace;
}

static void forget(ob_infer *infer) {
    infer->out_contents[0].trace = NULL;
}

static bool is_integer(const ob_infer *infer) {
    return ob__trace_follows(infer->out_types[0].dtype);
}

ob_status ob__trace_negative(ob_infer *infer) {
    ob_trace *chain;
    if (!is_integer(infer)) return OB_OK;
    OB_TRY(ob__trace_copy(infer, 0, 0, &chain));
    if (chain && !scale(infer, chain, -1, 0)) forget(infer);
    return OB_OK;
}

ob_status ob__trace_between(ob_infer *infer, uint32_t input, ob_dim lowest, ob_dim highest) {
    ob_trace *chain;
    if (!is_integer(infer)) return OB_OK;
    OB_TRY(ob__trace_copy(infer, input, 0, &chain));
    if (chain && !limit(infer, chain, lowest, highest)) forget(infer);
    return OB_OK;
}

/* The value of input i, if all its elements are equal. */
static bool is_one_value(const ob_infer *infer, uint32_t i, ob_dim *out) {
    ob_range range;
    if (!ob__in_range(infer, i, &range) || range.lowest != range.highest || range.lowest == OB_DIM_UNKNOWN) return false;
    *out = range.lowest;
    return true;
}

static bool combine(const ob_infer *infer, ob_trace *chain, uint32_t traced, ob_dim by) {
    if (infer->op->loop.kind != OB_LOOP_BINARY) return false;
    switch ((obk_binary)infer->op->loop.number) {
    case OBK_ADD: return scale(infer, chain, 1, by);
    case OBK_SUB: return traced == 0 ? scale(infer, chain, 1, ob_dim_sub(infer->dims, 0, by)) : scale(infer, chain, -1, by);
    case OBK_MUL: return ob_dim_is_const(by) && by != 0 && scale(infer, chain, by, 0);
    case OBK_MAX: return limit(infer, chain, by, OB_DIM_UNKNOWN);
    case OBK_MIN: return limit(infer, chain, OB_DIM_UNKNOWN, by);
    default: return false;
    }
}

/* Ends the trace; is_mixed is kept to explain why a requirement cannot be stated. */
static ob_status mix(ob_infer *infer) {
    ob_trace *link = infer->out_contents[0].elems ? NULL : OB_ARENA_NEW(infer->arena, ob_trace);
    if (!link) return infer->out_contents[0].elems ? OB_OK : OB_E_MEMORY;
    *link = (ob_trace){.is_mixed = true, .factor = 1, .lowest = OB_DIM_UNKNOWN, .highest = OB_DIM_UNKNOWN};
    infer->out_contents[0].trace = link;
    return OB_OK;
}

/* Less(x, 0) or GreaterOrEqual(x, 0). */
static ob_status trace_sign(ob_infer *infer) {
    ob_trace *chain;
    ob_dim bound;
    if (!ob__trace_follows(ob__in_dtype(infer, 0)) || !is_one_value(infer, 1, &bound) || bound != 0) return OB_OK;
    OB_TRY(ob__trace_copy(infer, 0, 0, &chain));
    for (; chain; chain = chain->next) {
        if (chain->around != 0) {
            forget(infer);
            return OB_OK;
        }
        chain->is_sign = true;
    }
    return OB_OK;
}

/* One link for elements without bounds. */
static bool is_plain(const ob_trace *link) {
    return link && !link->next && link->input && link->lowest == OB_DIM_UNKNOWN && link->highest == OB_DIM_UNKNOWN &&
           link->around == 0;
}

static const ob_node *maker_of(const ob_value *value) {
    const ob_node *node = value ? value->producer : NULL;
    return node && node->op && node->n_inputs == 2 ? node : NULL;
}

/* Whether `value` is a < b with a = `of`. */
static bool is_less(const ob_value *value, const ob_value *of) {
    const ob_node *node = maker_of(value);
    return node && ob__applies(node->op, OBK_LESS) && !node->op->loop.swapped && node->inputs[0] == of;
}

/* Whether `value` is a >= b with a = `of`. */
static bool is_at_least(const ob_value *value, const ob_value *of) {
    const ob_node *node = maker_of(value);
    return node && ob__applies(node->op, OBK_LESS_EQUAL) && node->op->loop.swapped && node->inputs[0] == of;
}

static bool is_sum(const ob_value *value, const ob_value *of) {
    const ob_node *node = maker_of(value);
    return node && ob__applies(node->op, OBK_ADD) && (node->inputs[0] == of || node->inputs[1] == of);
}

/* Where(x < 0, x + n, x), also as Where(x >= 0, x, x + n). */
ob_status ob__trace_where(ob_infer *infer) {
    const ob_value *const *inputs = (const ob_value *const *)infer->node->inputs;
    const ob_trace *sign = trace_of(infer, 0);
    ob_trace *chain;
    if (!is_integer(infer) || !is_plain(sign) || !sign->is_sign) return OB_OK;
    const uint32_t kept = is_less(inputs[0], inputs[2]) ? 2 : 1, other = 3 - kept;
    if (kept == 1 && !is_at_least(inputs[0], inputs[1])) return OB_OK;
    const ob_trace *x = trace_of(infer, kept), *moved = trace_of(infer, other);
    if (!is_plain(x) || !is_plain(moved)) return OB_OK;
    if (!is_sum(inputs[other], inputs[kept])) return OB_OK;
    const ob_dim around = ob_dim_sub(infer->dims, moved->summand, x->summand);
    if (moved->factor != x->factor || around == OB_DIM_UNKNOWN) return OB_OK;
    OB_TRY(ob__trace_copy(infer, kept, 0, &chain));
    if (chain) chain->around = around;
    return OB_OK;
}

ob_status ob__trace_elementwise(ob_infer *infer) {
    const uint32_t n = infer->node->n_inputs;
    ob_trace *chain;
    ob_dim by = 0;
    const ob_op *op = infer->op;
    if (op->broadcast == OB_BCAST_LEGACY) return OB_OK;
    if (op->loop.swapped ? ob__applies(op, OBK_LESS_EQUAL) : ob__applies(op, OBK_LESS)) return trace_sign(infer);
    if (!is_integer(infer)) return OB_OK;
    if (n == 1) return ob__trace_share(infer, 0, 0);
    if (n != 2) return OB_OK;
    const uint32_t traced = trace_of(infer, 0) ? 0 : 1;
    if (!is_one_value(infer, 1 - traced, &by)) return trace_of(infer, 1 - traced) ? mix(infer) : OB_OK;
    OB_TRY(ob__trace_copy(infer, traced, 0, &chain));
    if (chain && !combine(infer, chain, traced, by)) forget(infer);
    return OB_OK;
}

ob_status ob__trace_cast(ob_infer *infer, ob_dtype from, ob_dtype to) {
    ob_trace *chain;
    if (!ob__trace_follows(to) || from == OB_BOOL) return OB_OK;
    OB_TRY(ob__trace_copy(infer, 0, 0, &chain));
    for (; chain && ob__dtype_is_real(from); chain = chain->next) chain->is_rounded = true;
    return OB_OK;
}
