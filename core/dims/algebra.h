/* What of the algebra of terms its front needs (arith.c, condition.c, eval.c, write.c). A build without terms (OB_WITH_TERMS) has
 * no_algebra.c for it: sizes are then numbers, names, or unknown. */
#ifndef OB_CORE_DIMS_ALGEBRA_H
#define OB_CORE_DIMS_ALGEBRA_H

#include "core/dims/terms.h"

/* Each operand is a term or a number, not both are numbers; or unknown. */

/* a + factor * b */
ob_dim ob__terms_add(ob_dims *pool, ob_dim a, ob_dim b, int64_t factor);
ob_dim ob__terms_mul(ob_dims *pool, ob_dim a, ob_dim b);
/* divisor: neither 0 nor 1. */
ob_dim ob__terms_div(ob_dims *pool, ob_dim a, int64_t divisor);
ob_dim ob__terms_div_exact(ob_dims *pool, ob_dim a, ob_dim b);
/* b is no number. */
ob_dim ob__terms_quotient(ob_dims *pool, ob_dim a, ob_dim b);
/* Of two terms. */
ob_dim ob__terms_bcast(ob_dims *pool, ob_dim a, ob_dim b);
/* kind: MIN or MAX. */
ob_dim ob__terms_extreme(ob_dims *pool, ob_dim_kind kind, ob_dim a, ob_dim b);

/* Why a term that was written down is unknown: it is too large (E_LIMIT), or there are none (E_UNSUPPORTED). */
ob_status ob__terms_refused(const char **why);

/* Conditions that numbers, names and their bounds do not decide. */
ob_truth ob__terms_equal(const ob_dims *pool, ob_dim a, ob_dim b);
ob_truth ob__terms_at_least(const ob_dims *pool, ob_dim a, ob_dim b);
/* b: a number above 1, or a term. */
ob_truth ob__terms_divisible(const ob_dims *pool, ob_dim a, ob_dim b);
/* By the ranges that are assumed. */
ob_truth ob__terms_assumed(const ob_dims *pool, const ob_condition *condition, const ob_size_ranges *ranges);

/* Of a term that is no symbol. */
void ob__terms_write(ob_writer *writer, const ob_dims *pool, ob_dim d);
/* The sizes of symbols that a term is evaluated with. */
typedef struct ob_binding_table {
    const ob_binding *bindings;
    size_t n;
} ob_binding_table;
/* eval.c */
ob_status ob__dim_eval(const ob_dims *pool, ob_dim d, const ob_binding_table *table, int64_t *out);
/* The value may be no constant: the caller looks. */
ob_status ob__terms_eval(const ob_dims *pool, const ob_term *term, const ob_binding_table *table, int64_t *out);
/* The replacement of a symbol, and whether members of a broadcast term became two numbers that do not broadcast, or a divisor
 * became a number below 1. */
typedef struct ob_replacement {
    ob_dim (*of)(void *context, ob_dim symbol);
    void *context;
    bool disagrees;
} ob_replacement;
/* eval.c */
ob_dim ob__dim_replaced(ob_dims *pool, ob_dim d, ob_replacement *by);
ob_dim ob__terms_replaced(ob_dims *pool, const ob_term *term, ob_replacement *by);

#endif
