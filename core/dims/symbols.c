#include "core/dims/symbols.h"

static bool add(void *context, ob_dim symbol) {
    ob_symbol_list *list = context;
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i] == symbol) return true;
    list->is_full = list->n == list->capacity;
    if (!list->is_full) list->at[list->n++] = symbol;
    return !list->is_full;
}

void ob__symbols_add(ob_symbol_list *list, const ob_dims *dims, ob_dim term) {
    if (!list->is_full) ob_dim_symbols(dims, term, add, list);
}
