/* Terms under bindings: evaluation and substitution. Depth and size of a term are bounded, so both recurse. */
#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/dims/algebra.h"

static ob_status eval_sum(const ob_dims *pool, const ob_term *term, const ob_binding_table *table, int64_t *out) {
    int64_t sum = term->words[0];
    for (uint32_t i = 1; i < term->n_words;) {
        int64_t product = term->words[i], factor;
        uint32_t n_factors = (uint32_t)term->words[i + 1];
        for (uint32_t k = 0; k < n_factors; k++) {
            OB_TRY(ob__dim_eval(pool, term->words[i + 2 + k], table, &factor));
            if (ob__mul_overflows(product, factor, &product)) return OB_E_LIMIT;
        }
        if (ob__add_overflows(sum, product, &sum)) return OB_E_LIMIT;
        i += 2 + n_factors;
    }
    *out = sum;
    return OB_OK;
}

static ob_status eval_bcast(const ob_dims *pool, const ob_term *term, const ob_binding_table *table, int64_t *out) {
    int64_t common = 1, size;
    for (uint32_t i = 0; i < term->n_words; i++) {
        OB_TRY(ob__dim_eval(pool, term->words[i], table, &size));
        if (size == 1 || size == common) continue;
        if (common != 1) return OB_E_SHAPE;
        common = size;
    }
    *out = common;
    return OB_OK;
}

static ob_status eval_extreme(const ob_dims *pool, const ob_term *term, const ob_binding_table *table, int64_t *out) {
    int64_t size;
    OB_TRY(ob__dim_eval(pool, term->words[0], table, out));
    for (uint32_t i = 1; i < term->n_words; i++) {
        OB_TRY(ob__dim_eval(pool, term->words[i], table, &size));
        if (term->kind == OB_DIM_KIND_MIN ? size < *out : size > *out) *out = size;
    }
    return OB_OK;
}

ob_status ob__terms_eval(const ob_dims *pool, const ob_term *term, const ob_binding_table *table, int64_t *out) {
    int64_t divisor;
    switch (term->kind) {
    case OB_DIM_KIND_SUM: return eval_sum(pool, term, table, out);
    case OB_DIM_KIND_DIV:
        OB_TRY(ob__dim_eval(pool, term->words[0], table, out));
        *out = ob__floor_div(*out, term->words[1]);
        return OB_OK;
    case OB_DIM_KIND_QUOTIENT:
        OB_TRY(ob__dim_eval(pool, term->words[0], table, out));
        OB_TRY(ob__dim_eval(pool, term->words[1], table, &divisor));
        if (divisor < 1) return OB_E_SHAPE;
        *out = ob__floor_div(*out, divisor);
        return OB_OK;
    case OB_DIM_KIND_MIN:
    case OB_DIM_KIND_MAX: return eval_extreme(pool, term, table, out);
    default: return eval_bcast(pool, term, table, out);
    }
}

static ob_dim replace_sum(ob_dims *pool, const int64_t *words, uint32_t n_words, ob_replacement *by) {
    ob_dim sum = words[0];
    for (uint32_t i = 1; i < n_words;) {
        ob_dim product = words[i];
        uint32_t n_factors = (uint32_t)words[i + 1];
        for (uint32_t k = 0; k < n_factors; k++)
            product = ob_dim_mul(pool, product, ob__dim_replaced(pool, words[i + 2 + k], by));
        sum = ob_dim_add(pool, sum, product);
        i += 2 + n_factors;
    }
    return sum;
}

static ob_dim replace_bcast(ob_dims *pool, const int64_t *members, uint32_t n, ob_replacement *by) {
    ob_dim common = 1;
    for (uint32_t i = 0; i < n; i++) {
        ob_dim member = ob__dim_replaced(pool, members[i], by);
        if (ob_dim_is_const(common) && common != 1 && ob_dim_is_const(member) && member != 1 && member != common) {
            by->disagrees = true;
            return OB_DIM_UNKNOWN;
        }
        common = ob_dim_bcast(pool, common, member);
    }
    return common;
}

static ob_dim replace_quotient(ob_dims *pool, const int64_t *words, ob_replacement *by) {
    ob_dim numerator = ob__dim_replaced(pool, words[0], by), divisor = ob__dim_replaced(pool, words[1], by);
    by->disagrees |= ob_dim_is_const(divisor) && divisor < 1;
    return ob_dim_quotient(pool, numerator, divisor);
}

ob_dim ob__terms_replaced(ob_dims *pool, const ob_term *term, ob_replacement *by) {
    /* The array of terms may move while new terms are made; their words stay. */
    const int64_t *words = term->words;
    uint32_t n_words = term->n_words;
    ob_dim_kind kind = (ob_dim_kind)term->kind;
    switch (kind) {
    case OB_DIM_KIND_SUM: return replace_sum(pool, words, n_words, by);
    case OB_DIM_KIND_DIV: return ob_dim_div(pool, ob__dim_replaced(pool, words[0], by), words[1]);
    case OB_DIM_KIND_QUOTIENT: return replace_quotient(pool, words, by);
    case OB_DIM_KIND_MIN:
    case OB_DIM_KIND_MAX: {
        ob_dim extreme = ob__dim_replaced(pool, words[0], by);
        for (uint32_t i = 1; i < n_words; i++) {
            ob_dim member = ob__dim_replaced(pool, words[i], by);
            extreme = kind == OB_DIM_KIND_MIN ? ob_dim_min(pool, extreme, member) : ob_dim_max(pool, extreme, member);
        }
        return extreme;
    }
    default: return replace_bcast(pool, words, n_words, by);
    }
}
