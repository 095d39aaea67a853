/* Contents of floats that are not integers: sums, products and rounding of fractions (ops/infer/fractions.c). */
#include "core/base/error.h"
#include "core/graph/types.h"
#include "ops/elementwise/contents.h"
#include "ops/elementwise/loops.h"
#include "ops/elementwise/params.h"
#include "ops/infer/contents.h"
#include "ops/table/op.h"

/* An operand as fractions; elements may be integers. `extent`: the greatest absolute value of a numerator in the computation. */
typedef struct fractions {
    uint32_t n;
    const ob_dim *parts;
    int64_t denominator;
    ob_dim extent;
} fractions;

static bool read_input(const ob_infer *infer, uint32_t i, fractions *out) {
    ob_content content = ob__in_content(infer, i);
    if (!ob__dtype_is_real(ob__in_dtype(infer, i)) || ob__in_rank(infer, i) < 0 || ob__in_rank(infer, i) > 1) return false;
    *out = content.parts ? (fractions){content.n, content.parts, content.denominator, content.extent}
                         : (fractions){content.n, content.elems, 1, content.extent};
    return out->parts != NULL;
}

ob_dim ob__extent_of_divisor(ob_infer *infer, ob_dim extent, ob_dim divisor) {
    if (ob__known_at_least(infer, divisor, 1)) return extent;
    ob_dim is_zero = ob__term_equal(infer, divisor, 0);
    return ob_dim_max(infer->dims, extent, ob_dim_mul(infer->dims, is_zero, ob__exact_limit(OB_DOUBLE) + 1));
}

static ob_dim combine(ob_infer *infer, const fractions *a, const fractions *b, uint32_t at) {
    ob_dim left = a->parts[a->n == 1 ? 0 : at], right = b->parts[b->n == 1 ? 0 : at];
    const obk_binary loop = infer->op->loop.number;
    if (loop == OBK_MUL) return ob_dim_mul(infer->dims, left, right);
    if (loop == OBK_DIV) return left; /* a power of two, see below */
    int64_t common = a->denominator > b->denominator ? a->denominator : b->denominator;
    left = ob_dim_mul(infer->dims, left, common / a->denominator);
    right = ob_dim_mul(infer->dims, right, common / b->denominator);
    return loop == OBK_ADD ? ob_dim_add(infer->dims, left, right) : ob_dim_sub(infer->dims, left, right);
}

/* The inverse of a divisor, since x / 2 is x * 0.5. False if it is not a power of two. */
static bool inverse(const fractions *divisor, int64_t *denominator) {
    if (divisor->denominator != 1 || divisor->n != 1) return false;
    ob_dim by = divisor->parts[0];
    *denominator = by;
    return ob_dim_is_const(by) && by >= 1 && by <= OB_MAX_DENOMINATOR && (by & (by - 1)) == 0;
}

ob_status ob__fractions_elementwise(ob_infer *infer) {
    fractions a, b;
    const bool scales = ob__applies(infer->op, OBK_MUL), divides = ob__applies(infer->op, OBK_DIV);
    const bool adds = ob__applies(infer->op, OBK_ADD) || ob__applies(infer->op, OBK_SUB);
    if ((!adds && !scales && !divides) || infer->node->n_inputs != 2 || infer->node->n_outputs != 1) return OB_OK;
    if (!ob__in_content(infer, 0).parts && !ob__in_content(infer, 1).parts) return OB_OK;
    if (infer->op->broadcast == OB_BCAST_LEGACY || !read_input(infer, 0, &a) || !read_input(infer, 1, &b)) return OB_OK;
    if (a.n == 0 || b.n == 0 || (a.n != b.n && a.n != 1 && b.n != 1)) return OB_OK;
    int64_t denominator = b.denominator;
    if (divides && !inverse(&b, &denominator)) return OB_OK;
    if (scales || divides)
        denominator *= a.denominator;
    else if (a.denominator > denominator)
        denominator = a.denominator;
    uint32_t n = a.n > b.n ? a.n : b.n;
    if (denominator > OB_MAX_DENOMINATOR) return OB_OK;
    ob_dim *parts = ob__new_dims(infer, n), extent = ob_dim_max(infer->dims, a.extent, b.extent);
    if (!parts) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = combine(infer, &a, &b, i);
        if (parts[i] == OB_DIM_UNKNOWN) return OB_OK;
        extent = ob__extent_with(infer, ob__extent_with(infer, extent, a.parts[a.n == 1 ? 0 : i]), parts[i]);
    }
    if (extent == OB_DIM_UNKNOWN) return OB_OK; /* too large for a term */
    ob_content *out = &infer->out_contents[0];
    out->n = n;
    out->parts = parts;
    out->denominator = denominator;
    out->extent = extent;
    return OB_OK;
}

typedef ob_dim rounding(ob_infer *infer, ob_dim part, int64_t denominator);

static ob_dim round_down(ob_infer *infer, ob_dim part, int64_t denominator) {
    return ob_dim_div(infer->dims, part, denominator);
}

static ob_dim round_up(ob_infer *infer, ob_dim part, int64_t denominator) {
    return ob_dim_ceil_div(infer->dims, part, denominator);
}

static ob_dim round_to_0(ob_infer *infer, ob_dim part, int64_t denominator) {
    return ob__term_truncated(infer, part, denominator);
}

/* Rounds elements to integers, provided that float arithmetic was exact so far. */
static ob_status round_all(ob_infer *infer, rounding *rounded) {
    ob_content content = ob__in_content(infer, 0);
    const ob_condition exact = {OB_COND_AT_LEAST, ob__exact_limit(ob__in_dtype(infer, 0)), content.extent};
    ob_truth truth = ob_condition_decide(infer->dims, &exact);
    if (truth == OB_FALSE) return OB_OK;
    ob_dim *elems = ob__new_dims(infer, content.n);
    if (!elems) return OB_E_MEMORY;
    if (truth != OB_TRUE) OB_TRY(ob__require(infer, exact.kind, exact.a, exact.b, 0, -1, OB0203));
    for (uint32_t i = 0; i < content.n; i++) elems[i] = rounded(infer, content.parts[i], content.denominator);
    infer->out_contents[0] = (ob_content){.n = content.n, .elems = elems};
    return OB_OK;
}

ob_status ob__fractions_leave(ob_infer *infer, uint32_t input, bool *exact) {
    ob_content content = ob__in_content(infer, input);
    ob_dtype dtype = ob__in_dtype(infer, input);
    ob_dim extent = content.extent;
    *exact = true;
    if (!content.elems || !ob__dtype_is_real(dtype)) return OB_OK;
    for (uint32_t i = 0; i < content.n; i++)
        if (ob_dim_is_term(content.elems[i])) extent = ob__extent_with(infer, extent, content.elems[i]);
    const ob_condition condition = {OB_COND_AT_LEAST, ob__exact_limit(dtype), extent};
    ob_truth truth = extent == OB_DIM_UNKNOWN ? OB_FALSE : ob_condition_decide(infer->dims, &condition);
    *exact = truth != OB_FALSE;
    return truth != OB_UNDECIDED ? OB_OK
                                 : ob__require(infer, condition.kind, condition.a, condition.b, (int32_t)input, -1, OB0203);
}

ob_status ob__fractions_round(ob_infer *infer) {
    if (!ob__in_content(infer, 0).parts || !ob__dtype_is_real(ob__in_dtype(infer, 0)) || infer->node->n_outputs != 1)
        return OB_OK;
    if (ob__applies_unary(infer->op, OBK_U_FLOOR)) return round_all(infer, round_down);
    if (ob__applies_unary(infer->op, OBK_U_CEIL)) return round_all(infer, round_up);
    return OB_OK;
}

ob_status ob__fractions_cast(ob_infer *infer, ob_dtype from, ob_dtype to) {
    if (!ob__in_content(infer, 0).parts || !ob__dtype_is_real(from) || infer->node->n_outputs != 1) return OB_OK;
    return to == OB_INT64 || (to == OB_INT32 && from == OB_FLOAT) ? round_all(infer, round_to_0) : OB_OK;
}
