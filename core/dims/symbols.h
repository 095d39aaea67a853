/* The symbols of terms as a list without repetitions, in memory of the caller. */
#ifndef OB_CORE_DIMS_SYMBOLS_H
#define OB_CORE_DIMS_SYMBOLS_H

#include <stdbool.h>

#include "onnx_broadcast/dim.h"

typedef struct ob_symbol_list {
    ob_dim *at; /* room for `capacity` symbols, in order of first appearance */
    uint32_t n, capacity;
    bool is_full; /* at least one further symbol did not fit; adding more has no effect */
} ob_symbol_list;

/* Adds the symbols of the term that are not in the list yet. */
void ob__symbols_add(ob_symbol_list *list, const ob_dims *dims, ob_dim term);

#endif
