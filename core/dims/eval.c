/* Dims under bindings: evaluation and substitution; of other terms than symbols in eval_terms.c. */
#include "core/base/error.h"
#include "core/dims/algebra.h"

static const ob_binding *find_binding(const ob_binding_table *table, ob_dim symbol) {
    for (size_t i = 0; i < table->n; i++)
        if (table->bindings[i].symbol == symbol) return &table->bindings[i];
    return NULL;
}

ob_status ob__dim_eval(const ob_dims *pool, ob_dim d, const ob_binding_table *table, int64_t *out) {
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
    } else
        OB_TRY(ob__terms_eval(pool, term, table, &value));
    if (!ob_dim_is_const(value)) return OB_E_LIMIT;
    *out = value;
    return OB_OK;
}

ob_status ob_dim_eval(const ob_dims *pool, ob_dim d, const ob_binding *bindings, size_t n_bindings, int64_t *out) {
    if (!out || (n_bindings && !bindings)) return OB_E_ARGUMENT;
    const ob_binding_table table = {bindings, n_bindings};
    return ob__dim_eval(pool, d, &table, out);
}

ob_dim ob__dim_replaced(ob_dims *pool, ob_dim d, ob_replacement *by) {
    const ob_term *term = ob__term(pool, d);
    if (!term) return d;
    return term->kind == OB_DIM_KIND_SYMBOL ? by->of(by->context, d) : ob__terms_replaced(pool, term, by);
}

ob_dim ob__dim_replace(ob_dims *pool, ob_dim d, ob_dim (*of)(void *context, ob_dim symbol), void *context, bool *disagrees) {
    ob_replacement by = {of, context, false};
    ob_dim out = ob__dim_replaced(pool, d, &by);
    *disagrees = by.disagrees;
    return by.disagrees ? OB_DIM_UNKNOWN : out;
}

static ob_dim bound_size(void *context, ob_dim symbol) {
    const ob_binding *binding = find_binding(context, symbol);
    return !binding ? symbol : binding->size < 0 || binding->size > OB_DIM_CONST_MAX ? OB_DIM_UNKNOWN : binding->size;
}

ob_dim ob_dim_substitute(ob_dims *pool, ob_dim d, const ob_binding *bindings, size_t n_bindings) {
    if (!bindings) n_bindings = 0;
    ob_binding_table table = {bindings, n_bindings};
    bool disagrees;
    return n_bindings ? ob__dim_replace(pool, d, bound_size, &table, &disagrees) : d;
}
