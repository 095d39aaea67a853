/* Elements known as terms: the results of elementwise operators. */
#include <math.h>

#include "core/base/error.h"
#include "core/dims/shape.h"
#include "core/graph/types.h"
#include "ops/elementwise/contents.h"
#include "ops/elementwise/loops.h"
#include "ops/elementwise/params.h"
#include "ops/infer/contents.h"
#include "ops/table/op.h"

/* ---- Elements ---- */

/* Integer division truncates; float division is exact only without a remainder. */
static ob_dim divide(ob_infer *infer, ob_dim a, ob_dim b, bool real) {
    if (b == 0 || a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) return real && a % b != 0 ? OB_DIM_UNKNOWN : a / b;
    ob_dim exact = ob_dim_div_exact(infer->dims, a, b);
    if (exact != OB_DIM_UNKNOWN || real) return exact;
    return ob__term_truncated(infer, a, b);
}

/* For floats, a divisor of 0 is not excluded. */
static ob_dim modulo(ob_infer *infer, ob_dim a, ob_dim b, bool real) {
    if (b == 0 || a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    bool of_dividend = ob__mod_of_dividend(infer->node);
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) {
        int64_t remainder = a % b;
        return !of_dividend && remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
    }
    if (!ob__known_at_least(infer, b, 0) || (real && !ob_dim_is_const(b))) return OB_DIM_UNKNOWN;
    ob_dim quotient = of_dividend ? ob__term_truncated(infer, a, b) : ob_dim_quotient(infer->dims, a, b);
    return ob_dim_sub(infer->dims, a, ob_dim_mul(infer->dims, quotient, b));
}

static ob_dim power(ob_infer *infer, ob_dim a, ob_dim b) {
    if (!ob_dim_is_const(b) || b < 0 || b > 62) return OB_DIM_UNKNOWN;
    ob_dim product = 1;
    for (ob_dim i = 0; i < b; i++) product = ob_dim_mul(infer->dims, product, a);
    return product;
}

/* Whether results of the loop are computed as terms. */
static bool is_followed(const ob_op_loop *loop) {
    switch (loop->kind == OB_LOOP_BINARY ? loop->number : OBK_BINARY_COUNT) {
    case OBK_ADD:
    case OBK_SUB:
    case OBK_MUL:
    case OBK_DIV:
    case OBK_MOD:
    case OBK_POW:
    case OBK_MAX:
    case OBK_MIN:
    case OBK_AND:
    case OBK_OR:
    case OBK_XOR:
    case OBK_EQUAL:
    case OBK_LESS:
    case OBK_LESS_EQUAL: return true;
    default: return false;
    }
}

/* Whether the result is a boolean. */
static bool decides(obk_binary loop) {
    return loop == OBK_EQUAL || loop == OBK_LESS || loop == OBK_LESS_EQUAL || loop == OBK_AND || loop == OBK_OR ||
           loop == OBK_XOR;
}

static ob_dim compute(ob_infer *infer, obk_binary loop, ob_dim a, ob_dim b, bool real) {
    if (loop != OBK_MAX && loop != OBK_MIN && (ob__content_exact(a) != a || ob__content_exact(b) != b)) {
        if (!decides(loop) || ob__content_exact(a) == ob__content_exact(b))
            return OB_DIM_UNKNOWN; /* one huge number can be compared, but not two */
    }
    switch (loop) {
    case OBK_ADD: return ob_dim_add(infer->dims, a, b);
    case OBK_SUB: return ob_dim_sub(infer->dims, a, b);
    case OBK_MUL: return !real && (a == 0 || b == 0) ? 0 : ob_dim_mul(infer->dims, a, b);
    case OBK_DIV: return divide(infer, a, b, real);
    case OBK_MOD: return modulo(infer, a, b, real);
    case OBK_POW: return power(infer, a, b);
    case OBK_MAX: return ob__term_max(infer, a, b);
    case OBK_MIN: return ob__term_min(infer, a, b);
    case OBK_EQUAL: return ob__term_equal(infer, a, b);
    case OBK_LESS: return ob__term_not(infer, ob__term_at_least(infer, a, b));
    case OBK_LESS_EQUAL: return ob__term_at_least(infer, b, a);
    case OBK_AND: return a == 0 || b == 0 ? 0 : ob__term_min(infer, a, b);
    case OBK_OR: return a == 1 || b == 1 ? 1 : ob__term_max(infer, a, b);
    case OBK_XOR: return ob__term_not(infer, ob__term_equal(infer, a, b));
    default: return OB_DIM_UNKNOWN;
    }
}

/* Sums, differences and products wrap as their terms do, so operands need to be exact only for other operators. */
static ob_status apply(ob_infer *infer, ob_dim *folded, ob_dim b, ob_dtype dtype, int32_t operand) {
    const obk_binary loop = infer->op->loop.number;
    ob_dim a = *folded;
    bool wraps_alike = loop == OBK_ADD || loop == OBK_SUB || loop == OBK_MUL || loop == OBK_POW;
    if (!wraps_alike) {
        OB_TRY(ob__term_fit(infer, &a, dtype, 0));
        OB_TRY(ob__term_fit(infer, &b, dtype, operand));
    }
    const bool real = ob__dtype_is_real(dtype), swapped = infer->op->loop.swapped;
    *folded = ob__term_wrapped(compute(infer, loop, swapped ? b : a, swapped ? a : b, real), dtype);
    return OB_OK;
}

/* ---- Whole contents ---- */

/* Whether every input has an element for every position of `to`. */
static bool all_readable(const ob_infer *infer, ob_shape to) {
    for (uint32_t i = 0; i < infer->node->n_inputs; i++) {
        const ob_shape shape = ob__in_shape(infer, i);
        if (infer->op->broadcast == OB_BCAST_LEGACY && !ob__same_shape(&shape, &to)) return false;
        if (!ob__content_readable(infer, i, to)) return false;
    }
    return true;
}

ob_status ob__content_elementwise(ob_infer *infer) {
    uint32_t n, n_inputs = infer->node->n_inputs;
    const obk_binary loop = infer->op->loop.number;
    if (!is_followed(&infer->op->loop) || infer->node->n_outputs != 1) return OB_OK;
    ob_shape to = infer->out_types[0].shape;
    ob_dtype dtype = infer->out_types[0].dtype, in_dtype = ob__in_dtype(infer, 0);
    if (!ob__small_count(infer, to, &n) || !ob__content_dtype(dtype) || !all_readable(infer, to)) return OB_OK;
    bool real = ob__dtype_is_real(in_dtype);
    for (uint32_t i = 0; i < n_inputs && real && decides(loop); i++) {
        bool exact;
        OB_TRY(ob__fractions_leave(infer, i, &exact));
        if (!exact) return OB_OK;
    }
    ob_dim *elems = ob__new_dims(infer, n), extent = 0;
    if (!elems) return OB_E_MEMORY;
    for (uint32_t at = 0; at < n; at++) {
        ob_dim folded = ob__content_element(infer, 0, to, at);
        for (uint32_t i = 1; i < n_inputs; i++) {
            ob_dim other = ob__content_element(infer, i, to, at);
            OB_TRY(apply(infer, &folded, other, in_dtype, (int32_t)i));
            if (real && !decides(loop)) extent = ob__extent_with(infer, extent, folded);
            if (real && loop == OBK_DIV) extent = ob__extent_of_divisor(infer, extent, other);
        }
        elems[at] = ob__content_within(folded, dtype);
    }
    if (extent == OB_DIM_UNKNOWN) return OB_OK;
    infer->out_contents[0] = (ob_content){.n = n, .elems = elems, .extent = extent};
    return OB_OK;
}

ob_status ob__content_where(ob_infer *infer) {
    uint32_t n;
    if (infer->node->n_outputs != 1) return OB_OK;
    ob_shape to = infer->out_types[0].shape;
    if (!ob__small_count(infer, to, &n) || !ob__content_dtype(infer->out_types[0].dtype) || !all_readable(infer, to))
        return OB_OK;
    ob_dim *elems = ob__new_dims(infer, n);
    if (!elems) return OB_E_MEMORY;
    for (uint32_t at = 0; at < n; at++)
        elems[at] = ob__term_select(infer, ob__content_element(infer, 0, to, at), ob__content_element(infer, 1, to, at),
                                    ob__content_element(infer, 2, to, at));
    infer->out_contents[0] = (ob_content){.n = n, .elems = elems};
    return OB_OK;
}

ob_status ob__content_cast(ob_infer *infer, ob_dtype from, ob_dtype to) {
    ob_content content = ob__in_content(infer, 0);
    if (!content.elems && content.parts) return ob__fractions_cast(infer, from, to);
    if (!content.elems) return ob__range_cast(infer, from, to);
    if (!ob__content_dtype(to) || !ob__content_dtype(from) || !infer->node->n_outputs) return OB_OK;
    bool from_real = ob__dtype_is_real(from), to_real = ob__dtype_is_real(to);
    bool exact = true;
    if (from_real && !to_real) OB_TRY(ob__fractions_leave(infer, 0, &exact));
    if (!exact) return OB_OK;
    ob_dim *elems = ob__new_dims(infer, content.n), extent = 0;
    if (!elems) return OB_E_MEMORY;
    for (uint32_t i = 0; i < content.n; i++) {
        ob_dim d = content.elems[i];
        if (from == OB_INT64 && to == OB_INT32) { /* the lower half */
            elems[i] = ob__term_wrapped(ob__content_exact(d), to);
            continue;
        }
        OB_TRY(ob__term_fit(infer, &d, from_real ? to : from, 0));
        elems[i] =
            to == OB_BOOL && from != OB_BOOL ? ob__term_not(infer, ob__term_equal(infer, d, 0)) : ob__content_within(d, to);
        if (to_real) extent = ob__extent_with(infer, extent, elems[i]);
    }
    if (extent != OB_DIM_UNKNOWN) infer->out_contents[0] = (ob_content){.n = content.n, .elems = elems, .extent = extent};
    return ob__fractions_cast(infer, from, to);
}

ob_status ob__content_clip(ob_infer *infer) {
    ob_content content = ob__in_content(infer, 0), low = ob__in_content(infer, 1), high = ob__in_content(infer, 2);
    bool has_low = ob__in_given(infer, 1), has_high = ob__in_given(infer, 2);
    if (!content.elems) return ob__range_clip(infer);
    if (ob__since(infer) < 11 || (has_low && low.n != 1) || (has_high && high.n != 1)) return OB_OK;
    if ((has_low && !low.elems) || (has_high && !high.elems)) return OB_OK;
    ob_dim *elems = ob__new_dims(infer, content.n), bounds[2] = {has_low ? low.elems[0] : 0, has_high ? high.elems[0] : 0};
    if (!elems) return OB_E_MEMORY;
    for (uint32_t i = 0; i < 2; i++) OB_TRY(ob__term_fit(infer, &bounds[i], infer->out_types[0].dtype, (int32_t)i + 1));
    for (uint32_t i = 0; i < content.n; i++) {
        ob_dim d = content.elems[i];
        OB_TRY(ob__term_fit(infer, &d, infer->out_types[0].dtype, 0));
        if (has_low) d = ob__term_max(infer, d, bounds[0]);
        if (has_high) d = ob__term_min(infer, d, bounds[1]);
        elems[i] = d;
    }
    return ob__out_content(infer, 0, elems, content.n);
}

/* ---- One operand ---- */

static ob_dim exact_root(int64_t number) {
    if (number < 0 || number >= 1 << 24) return OB_DIM_UNKNOWN;
    ob_dim root = (ob_dim)sqrt((double)number);
    return root * root == number ? root : OB_DIM_UNKNOWN;
}

static ob_dim apply_unary(ob_infer *infer, ob_dim d) {
    if (d == OB_DIM_UNKNOWN || infer->op->loop.kind != OB_LOOP_UNARY) return OB_DIM_UNKNOWN;
    const obk_unary loop = infer->op->loop.number;
    bool lowest_perhaps = d == -OB_DIM_CONST_MAX; /* saturated: the least number has no negation */
    switch (loop) {
    case OBK_U_NEG: return lowest_perhaps ? OB_DIM_UNKNOWN : ob_dim_sub(infer->dims, 0, d);
    case OBK_U_ABS: return lowest_perhaps ? OB_DIM_UNKNOWN : ob__term_max(infer, d, ob_dim_sub(infer->dims, 0, d));
    case OBK_U_NOT: return ob__term_not(infer, d);
    case OBK_U_CEIL:
    case OBK_U_FLOOR:
    case OBK_U_ROUND: return d;
    case OBK_U_SIGN: return ob_dim_sub(infer->dims, ob__term_at_least(infer, d, 1), ob__term_at_least(infer, -1, d));
    case OBK_U_RELU: return ob__term_max(infer, d, 0);
    case OBK_U_SQRT: return ob_dim_is_const(d) ? exact_root(d) : OB_DIM_UNKNOWN;
    default: return OB_DIM_UNKNOWN;
    }
}

ob_status ob__content_unary(ob_infer *infer) {
    ob_content content = ob__in_content(infer, 0);
    if (!infer->node->n_outputs || !ob__content_dtype(infer->out_types[0].dtype) || infer->node->n_inputs != 1) return OB_OK;
    ob_dtype dtype = infer->out_types[0].dtype;
    ob_dim *elems = ob__new_dims(infer, content.n);
    if (!elems) return OB_E_MEMORY;
    bool any = content.n == 0;
    for (uint32_t i = 0; i < content.n; i++) {
        ob_dim d = content.elems[i];
        if (!ob__applies_unary(infer->op, OBK_U_NEG)) OB_TRY(ob__term_fit(infer, &d, dtype, 0));
        elems[i] = ob__content_within(ob__term_wrapped(apply_unary(infer, d), dtype), dtype);
        any = any || elems[i] != OB_DIM_UNKNOWN;
    }
    if (any) infer->out_contents[0] = (ob_content){.n = content.n, .elems = elems};
    return OB_OK;
}
