/* Terms under bindings: evaluation and substitution. Depth and size of a term are bounded, so both recurse. */
#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/dims/terms.h"

typedef struct binding_table {
    const ob_binding *bindings;
    size_t n;
} binding_table;

static const ob_binding *find_binding(const binding_table *table, ob_dim symbol) {
    for (size_t i = 0; i < table->n; i++)
        if (table->bindings[i].symbol == symbol) return &table->bindings[i];
    return NULL;
}

static ob_status eval(const ob_dims *pool, ob_dim d, const binding_table *table, int64_t *out);

static ob_status eval_sum(const ob_dims *pool, const ob_term *term, const binding_table *table, int64_t *out) {
    int64_t sum = term->words[0];
    for (uint32_t i = 1; i < term->n_words;) {
        int64_t product = term->words[i], factor;
        uint32_t n_factors = (uint32_t)term->words[i + 1];
        for (uint32_t k = 0; k < n_factors; k++) {
            OB_TRY(eval(pool, term->words[i + 2 + k], table, &factor));
            if (ob__mul_overflows(product, factor, &product)) return OB_E_LIMIT;
        }
        if (ob__add_overflows(sum, product, &sum)) return OB_E_LIMIT;
        i += 2 + n_factors;
    }
    *out = sum;
    return OB_OK;
}

static ob_status eval_bcast(const ob_dims *pool, const ob_term *term, const binding_table *table, int64_t *out) {
    int64_t common = 1, size;
    for (uint32_t i = 0; i < term->n_words; i++) {
        OB_TRY(eval(pool, term->words[i], table, &size));
        if (size == 1 || size == common) continue;
        if (common != 1) return OB_E_SHAPE;
        common = size;
    }
    *out = common;
    return OB_OK;
}

static ob_status eval_extreme(const ob_dims *pool, const ob_term *term, const binding_table *table, int64_t *out) {
    int64_t size;
    OB_TRY(eval(pool, term->words[0], table, out));
    for (uint32_t i = 1; i < term->n_words; i++) {
        OB_TRY(eval(pool, term->words[i], table, &size));
        if (term->kind == OB_DIM_KIND_MIN ? size < *out : size > *out) *out = size;
    }
    return OB_OK;
}

static ob_status eval(const ob_dims *pool, ob_dim d, const binding_table *table, int64_t *out) {
    if (ob_dim_is_const(d)) {
        *out = d;
        return OB_OK;
    }
    const ob_term *term = ob__term(pool, d);
    if (!term) return OB_E_NOT_FOUND;
    int64_t value = 0;
    if (term->kind == OB_DIM_KIND_SYMBOL) {
        const ob_binding *binding = find_binding(table, d);
        if (!binding) return OB_E_NOT_FOUND;
        if (binding->size < 0 || binding->size > OB_DIM_CONST_MAX) return OB_E_ARGUMENT;
        value = binding->size;
    } else if (term->kind == OB_DIM_KIND_SUM) {
        OB_TRY(eval_sum(pool, term, table, &value));
    } else if (term->kind == OB_DIM_KIND_DIV) {
        OB_TRY(eval(pool, term->words[0], table, &value));
        value = ob__floor_div(value, term->words[1]);
    } else if (term->kind == OB_DIM_KIND_QUOTIENT) {
        int64_t divisor;
        OB_TRY(eval(pool, term->words[0], table, &value));
        OB_TRY(eval(pool, term->words[1], table, &divisor));
        if (divisor < 1) return OB_E_SHAPE;
        value = ob__floor_div(value, divisor);
    } else if (term->kind == OB_DIM_KIND_MIN || term->kind == OB_DIM_KIND_MAX) {
        OB_TRY(eval_extreme(pool, term, table, &value));
    } else {
        OB_TRY(eval_bcast(pool, term, table, &value));
    }
    if (!ob_dim_is_const(value)) return OB_E_LIMIT;
    *out = value;
    return OB_OK;
}

ob_status ob_dim_eval(const ob_dims *pool, ob_dim d, const ob_binding *bindings, size_t n_bindings, int64_t *out) {
    if (!out || (n_bindings && !bindings)) return OB_E_ARGUMENT;
    const binding_table table = {bindings, n_bindings};
    return eval(pool, d, &table, out);
}

/* The replacement of a symbol, and whether members of a broadcast term became two numbers that do not broadcast, or a divisor
 * became a number below 1. */
typedef struct replacement {
    ob_dim (*of)(void *context, ob_dim symbol);
    void *context;
    bool disagrees;
} replacement;

static ob_dim replace(ob_dims *pool, ob_dim d, replacement *by);

static ob_dim replace_sum(ob_dims *pool, const int64_t *words, uint32_t n_words, replacement *by) {
    ob_dim sum = words[0];
    for (uint32_t i = 1; i < n_words;) {
        ob_dim product = words[i];
        uint32_t n_factors = (uint32_t)words[i + 1];
        for (uint32_t k = 0; k < n_factors; k++) product = ob_dim_mul(pool, product, replace(pool, words[i + 2 + k], by));
        sum = ob_dim_add(pool, sum, product);
        i += 2 + n_factors;
    }
    return sum;
}

static ob_dim replace_bcast(ob_dims *pool, const int64_t *members, uint32_t n, replacement *by) {
    ob_dim common = 1;
    for (uint32_t i = 0; i < n; i++) {
        ob_dim member = replace(pool, members[i], by);
        if (ob_dim_is_const(common) && common != 1 && ob_dim_is_const(member) && member != 1 && member != common) {
            by->disagrees = true;
            return OB_DIM_UNKNOWN;
        }
        common = ob_dim_bcast(pool, common, member);
    }
    return common;
}

static ob_dim replace_quotient(ob_dims *pool, const int64_t *words, replacement *by) {
    ob_dim numerator = replace(pool, words[0], by), divisor = replace(pool, words[1], by);
    by->disagrees |= ob_dim_is_const(divisor) && divisor < 1;
    return ob_dim_quotient(pool, numerator, divisor);
}

static ob_dim replace(ob_dims *pool, ob_dim d, replacement *by) {
    const ob_term *term = ob__term(pool, d);
    if (!term) return d;
    /* The array of terms may move while new terms are made; their words stay. */
    const int64_t *words = term->words;
    uint32_t n_words = term->n_words;
    ob_dim_kind kind = (ob_dim_kind)term->kind;
    switch (kind) {
    case OB_DIM_KIND_SYMBOL: return by->of(by->context, d);
    case OB_DIM_KIND_SUM: return replace_sum(pool, words, n_words, by);
    case OB_DIM_KIND_DIV: return ob_dim_div(pool, replace(pool, words[0], by), words[1]);
    case OB_DIM_KIND_QUOTIENT: return replace_quotient(pool, words, by);
    case OB_DIM_KIND_MIN:
    case OB_DIM_KIND_MAX: {
        ob_dim extreme = replace(pool, words[0], by);
        for (uint32_t i = 1; i < n_words; i++) {
            ob_dim member = replace(pool, words[i], by);
            extreme = kind == OB_DIM_KIND_MIN ? ob_dim_min(pool, extreme, member) : ob_dim_max(pool, extreme, member);
        }
        return extreme;
    }
    default: return replace_bcast(pool, words, n_words, by);
    }
}

ob_dim ob__dim_replace(ob_dims *pool, ob_dim d, ob_dim (*of)(void *context, ob_dim symbol), void *context, bool *disagrees) {
    replacement by = {of, context, false};
    ob_dim out = replace(pool, d, &by);
    *disagrees = by.disagrees;
    return by.disagrees ? OB_DIM_UNKNOWN : out;
}

static ob_dim bound_size(void *context, ob_dim symbol) {
    const ob_binding *binding = find_binding(context, symbol);
    return !binding ? symbol : binding->size < 0 || binding->size > OB_DIM_CONST_MAX ? OB_DIM_UNKNOWN : binding->size;
}

ob_dim ob_dim_substitute(ob_dims *pool, ob_dim d, const ob_binding *bindings, size_t n_bindings) {
    if (!bindings) n_bindings = 0;
    binding_table table = {bindings, n_bindings};
    bool disagrees;
    return n_bindings ? ob__dim_replace(pool, d, bound_size, &table, &disagrees) : d;
}
