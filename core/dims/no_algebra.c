/* In a build without terms: what is no number and no symbol is unknown, and only numbers and bounds of symbols decide conditions.
 */
#include "core/dims/algebra.h"

ob_dim ob__terms_add(ob_dims *pool, ob_dim a, ob_dim b, int64_t factor) {
    (void)pool, (void)a, (void)b, (void)factor;
    return OB_DIM_UNKNOWN;
}

ob_dim ob__terms_mul(ob_dims *pool, ob_dim a, ob_dim b) {
    (void)pool, (void)a, (void)b;
    return OB_DIM_UNKNOWN;
}

ob_dim ob__terms_div(ob_dims *pool, ob_dim a, int64_t divisor) {
    (void)pool, (void)a, (void)divisor;
    return OB_DIM_UNKNOWN;
}

ob_dim ob__terms_div_exact(ob_dims *pool, ob_dim a, ob_dim b) {
    (void)pool, (void)a, (void)b;
    return OB_DIM_UNKNOWN;
}

ob_dim ob__terms_quotient(ob_dims *pool, ob_dim a, ob_dim b) {
    (void)pool, (void)a, (void)b;
    return OB_DIM_UNKNOWN;
}

ob_dim ob__terms_bcast(ob_dims *pool, ob_dim a, ob_dim b) {
    (void)pool, (void)a, (void)b;
    return OB_DIM_UNKNOWN;
}

ob_dim ob__terms_extreme(ob_dims *pool, ob_dim_kind kind, ob_dim a, ob_dim b) {
    (void)pool, (void)kind, (void)a, (void)b;
    return OB_DIM_UNKNOWN;
}

ob_status ob__terms_refused(const char **why) {
    *why = "this build has no terms of sizes (OB_WITH_TERMS is off)";
    return OB_E_UNSUPPORTED;
}

void ob__dim_bounds(const ob_dims *pool, ob_dim d, const ob_size_ranges *ranges, int64_t *low, int64_t *high) {
    ob_dim_bounds(pool, d, low, high);
    if (ranges && ranges->of && ob__term(pool, d)) ranges->of(ranges->context, d, low, high);
}

/* The bounds of both decide as much as the difference of a number and a symbol. */
static ob_truth at_least(const ob_dims *pool, ob_dim a, ob_dim b, const ob_size_ranges *ranges) {
    int64_t a_low, a_high, b_low, b_high;
    if (a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return OB_UNDECIDED;
    ob__dim_bounds(pool, a, ranges, &a_low, &a_high);
    ob__dim_bounds(pool, b, ranges, &b_low, &b_high);
    return a_low >= b_high ? OB_TRUE : a_high < b_low ? OB_FALSE : OB_UNDECIDED;
}

ob_truth ob__terms_equal(const ob_dims *pool, ob_dim a, ob_dim b) {
    (void)pool, (void)a, (void)b; /* bounds were compared */
    return OB_UNDECIDED;
}

ob_truth ob__terms_at_least(const ob_dims *pool, ob_dim a, ob_dim b) {
    return at_least(pool, a, b, NULL);
}

ob_truth ob__terms_divisible(const ob_dims *pool, ob_dim a, ob_dim b) {
    (void)pool, (void)a, (void)b;
    return OB_UNDECIDED;
}

ob_truth ob__terms_assumed(const ob_dims *pool, const ob_condition *condition, const ob_size_ranges *ranges) {
    return condition->kind == OB_COND_AT_LEAST ? at_least(pool, condition->a, condition->b, ranges) : OB_UNDECIDED;
}

/* No term is of another kind than a symbol. */

void ob__terms_write(ob_writer *writer, const ob_dims *pool, ob_dim d) {
    (void)pool, (void)d;
    ob__write(writer, "?");
}

ob_status ob__terms_eval(const ob_dims *pool, const ob_term *term, const ob_binding_table *table, int64_t *out) {
    (void)pool, (void)term, (void)table, (void)out;
    return OB_E_NOT_FOUND;
}

ob_dim ob__terms_replaced(ob_dims *pool, const ob_term *term, ob_replacement *by) {
    (void)pool, (void)term, (void)by;
    return OB_DIM_UNKNOWN;
}

ob_dim ob__term_intern(ob_dims *pool, ob_dim_kind kind, const int64_t *words, uint32_t n_words) {
    (void)pool, (void)kind, (void)words, (void)n_words;
    return OB_DIM_UNKNOWN;
}
