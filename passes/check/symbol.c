/* Symbols of a model by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "passes/check/propagate.h"

typedef struct symbol_search {
    const ob_dims *dims;
    ob_dim wanted;
    bool found;
} symbol_search;

static bool is_wanted(void *context, ob_dim symbol) {
    symbol_search *search = context;
    search->found = symbol == search->wanted;
    return !search->found;
}

/* The symbols of a model are in its declared shapes. */
static ob_status search_graph(void *context, ob_graph *graph) {
    symbol_search *search = context;
    for (size_t i = 0; i < graph->values.capacity && !search->found; i++) {
        const ob_value *value = graph->values.entries[i].key ? graph->values.entries[i].value : NULL;
        if (!value || value->declared.kind != OB_TYPE_TENSOR) continue;
        const ob_shape *shape = &value->declared.shape;
        for (int32_t axis = 0; axis < shape->rank && !search->found; axis++)
            if (ob_dim_is_term(shape->dims[axis])) ob_dim_symbols(search->dims, shape->dims[axis], is_wanted, search);
    }
    return OB_OK;
}

/* ---- Sizes without a name ---- */

/* Is the symbol one that a shape of an input declares? */
static bool is_declared(const ob_model *model, ob_dim symbol) {
    for (uint32_t i = 0; i < model->graph->n_inputs; i++) {
        const ob_shape *shape = &model->graph->inputs[i]->declared.shape;
        for (int32_t axis = 0; axis < shape->rank; axis++)
            if (shape->dims[axis] == symbol) return true;
    }
    return false;
}

ob_dim ob__input_size(ob_model *model, uint32_t input, int32_t axis) {
    enum { LONG = 200, /* bytes of a name that is not repeated for each axis */ MANY = 1000 };
    const char *name = model->graph->inputs[input]->name;
    char text[LONG + 40];
    if (model->graph->n_inputs > MANY) return ob_dim_fresh(model->dims); /* too many to look through for each size */
    int n = strlen(name) <= LONG ? snprintf(text, sizeof text - 8, "%s[%d]", name, (int)axis)
                                 : snprintf(text, sizeof text - 8, "input %u[%d]", input, (int)axis);
    if (n < 0) return OB_DIM_UNKNOWN;
    ob_dim symbol = ob_dim_find(model->dims, text);
    if (symbol == OB_DIM_UNKNOWN) return ob_dim_symbol(model->dims, text);
    /* A file may use this name for its own symbol, which is another size. */
    for (int tries = 0; tries < 7 && symbol != OB_DIM_UNKNOWN && is_declared(model, symbol); tries++) {
        text[n++] = '\'';
        text[n] = '\0';
        symbol = ob_dim_find(model->dims, text);
    }
    if (symbol != OB_DIM_UNKNOWN && is_declared(model, symbol)) return ob_dim_fresh(model->dims);
    return symbol != OB_DIM_UNKNOWN ? symbol : ob_dim_symbol(model->dims, text);
}

static bool has_name(const ob_model *model, ob_dim size) {
    return ob_dim_is_const(size) ? size >= 0 : !ob_dim_is_anonymous(model->dims, size);
}

ob_dim ob__input_symbol(ob_model *model, uint32_t input, int32_t axis) {
    ob_dim size = model->graph->inputs[input]->declared.shape.dims[axis];
    return has_name(model, size) ? size : ob__input_size(model, input, axis);
}

ob_status ob__name_input_sizes(ob_model *model) {
    for (uint32_t i = 0; i < model->graph->n_inputs; i++)
        for (int32_t axis = 0; axis < model->graph->inputs[i]->declared.shape.rank; axis++)
            if (ob__input_symbol(model, i, axis) == OB_DIM_UNKNOWN) return OB_E_MEMORY;
    return OB_OK;
}

/* ---- A size for a symbol ---- */

/* Is the symbol that of a size without a name? */
static bool is_place(ob_model *model, ob_dim symbol) {
    for (uint32_t i = 0; i < model->graph->n_inputs; i++) {
        const ob_shape *shape = &model->graph->inputs[i]->declared.shape;
        for (int32_t axis = 0; axis < shape->rank; axis++)
            if (!has_name(model, shape->dims[axis]) && ob__input_size(model, i, axis) == symbol) return true;
    }
    return false;
}

/* The input that "x[3]" speaks of, and the axis as it is written; or NULL. */
static const ob_value *find_spoken_of(const ob_model *model, const char *name, long long *axis) {
    const char *bracket = strrchr(name, '[');
    size_t n = bracket ? strspn(bracket + 1, "0123456789") : 0;
    if (n == 0 || n > 9 || strcmp(bracket + 1 + n, "]") != 0) return NULL;
    *axis = strtoll(bracket + 1, NULL, 10);
    for (uint32_t i = 0; i < model->graph->n_inputs; i++) {
        const char *input = model->graph->inputs[i]->name;
        if (strlen(input) == (size_t)(bracket - name) && memcmp(input, name, (size_t)(bracket - name)) == 0)
            return model->graph->inputs[i];
    }
    return NULL;
}

static ob_status refuse_symbol(const ob_model *model, const char *name, ob_error *error) {
    long long axis;
    char size[150];
    const ob_value *input = find_spoken_of(model, name, &axis);
    OB_FAIL_IF(!input, error, OB_E_NOT_FOUND, "the model has no symbol '%.200s'", name);
    const ob_shape *shape = &input->declared.shape;
    OB_FAIL_IF(shape->rank < 0, error, OB_E_NOT_FOUND, "there is no size '%.200s': the model declares no rank of that input",
               name);
    OB_FAIL_IF(axis >= shape->rank, error, OB_E_NOT_FOUND, "there is no size '%.200s': that input has rank %d", name,
               (int)shape->rank);
    ob_dim_format(model->dims, shape->dims[axis], size, sizeof size);
    OB_FAIL_IF(ob_dim_is_const(shape->dims[axis]), error, OB_E_NOT_FOUND, "the size '%.200s' is not open: the model declares %s",
               name, size);
    return ob__fail(error, OB_E_NOT_FOUND, "the size '%.200s' has a name: give a size for %s", name, size);
}

ob_status ob__bind_symbol(ob_model *model, const char *name, int64_t size, ob_binding *out, ob_error *error) {
    OB_FAIL_IF(!name || !*name, error, OB_E_ARGUMENT, "a size is given without the name of a symbol");
    OB_FAIL_IF(size < 0 || size > OB_DIM_CONST_MAX, error, OB_E_ARGUMENT, "symbol '%s' cannot be %lld: a size is 0 or more", name,
               (long long)size);
    symbol_search search = {model->dims, ob_dim_symbol(model->dims, name), false};
    if (search.wanted == OB_DIM_UNKNOWN) return OB_E_MEMORY;
    OB_TRY(ob__model_each_graph(model, search_graph, &search));
    if (!search.found && !is_place(model, search.wanted)) return refuse_symbol(model, name, error);
    *out = (ob_binding){search.wanted, size};
    return OB_OK;
}
