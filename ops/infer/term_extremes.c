/* Terms that shape rules build: minimum and maximum, and booleans as 1 and 0. */
#include "core/dims/terms.h"
#include "ops/infer/contents.h"

/* A term with more symbols, numbers and functions is of no use to a reader, and each node would enlarge it. */
enum { MOST_PARTS = 96 };

static ob_dim small(const ob_infer *infer, ob_dim d) {
    const ob_term *term = ob__term(infer->dims, d);
    return term && term->size > MOST_PARTS ? OB_DIM_UNKNOWN : d;
}

/* The sign of a - b: -1, 0 or 1; also 0 if it is not known. */
static int order(const ob_infer *infer, ob_dim a, ob_dim b) {
    if (ob__known_at_least(infer, a, b)) return 1;
    return ob__known_at_least(infer, b, a) ? -1 : 0;
}

ob_dim ob__term_min(const ob_infer *infer, ob_dim a, ob_dim b) {
    if (a == b) return a;
    if (a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    int sign = order(infer, a, b);
    return sign > 0 ? b : sign < 0 ? a : small(infer, ob_dim_min(infer->dims, a, b));
}

ob_dim ob__term_max(const ob_infer *infer, ob_dim a, ob_dim b) {
    if (a == b) return a;
    if (a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    int sign = order(infer, a, b);
    return sign > 0 ? a : sign < 0 ? b : small(infer, ob_dim_max(infer->dims, a, b));
}

ob_dim ob__term_at_least(const ob_infer *infer, ob_dim a, ob_dim b) {
    if (a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    const ob_condition condition = {OB_COND_AT_LEAST, a, b};
    ob_truth truth = ob__condition_assumed(infer->dims, &condition);
    if (truth != OB_UNDECIDED) return truth == OB_TRUE;
    ob_dim above = ob_dim_add(infer->dims, ob_dim_sub(infer->dims, a, b), 1);
    return ob__term_max(infer, 0, ob__term_min(infer, 1, above));
}

ob_dim ob__term_equal(const ob_infer *infer, ob_dim a, ob_dim b) {
    if (a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    const ob_condition condition = {OB_COND_EQUAL, a, b};
    ob_truth truth = ob__condition_assumed(infer->dims, &condition);
    if (truth != OB_UNDECIDED) return truth == OB_TRUE;
    ob_dim apart = ob__term_max(infer, ob_dim_sub(infer->dims, a, b), ob_dim_sub(infer->dims, b, a));
    return ob_dim_sub(infer->dims, 1, ob__term_min(infer, 1, apart));
}

ob_dim ob__term_not(const ob_infer *infer, ob_dim a) {
    return ob_dim_sub(infer->dims, 1, a);
}

ob_dim ob__term_select(const ob_infer *infer, ob_dim chosen, ob_dim a, ob_dim b) {
    if (chosen == 1 || a == b) return a;
    if (chosen == 0) return b;
    ob_dim more = ob_dim_mul(infer->dims, chosen, ob_dim_sub(infer->dims, a, b));
    return small(infer, ob_dim_add(infer->dims, b, more));
}

ob_dim ob__term_truncated(const ob_infer *infer, ob_dim a, ob_dim b) {
    if (a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN || b == 0) return OB_DIM_UNKNOWN;
    if (ob__known_at_least(infer, -1, b))
        return ob_dim_sub(infer->dims, 0, ob__term_truncated(infer, a, ob_dim_sub(infer->dims, 0, b)));
    if (!ob__known_at_least(infer, b, 0)) return OB_DIM_UNKNOWN;
    ob_dim above = ob_dim_quotient(infer->dims, ob__term_max(infer, a, 0), b);
    ob_dim below = ob_dim_quotient(infer->dims, ob__term_max(infer, ob_dim_sub(infer->dims, 0, a), 0), b);
    ob_dim quotient = ob_dim_sub(infer->dims, above, below);
    return ob_dim_is_const(b) ? quotient : small(infer, quotient);
}
