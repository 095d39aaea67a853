/* Compares two models by their graphs. */
#ifndef OB_TESTS_SAME_MODEL_H
#define OB_TESTS_SAME_MODEL_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/graph/graph.h"
#include "core/graph/tensor_data.h"

static bool same_graph(const ob_graph *a, const ob_graph *b, const char **why);

#define SAME_OR(condition, text)                                                                                                 \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            *why = (text);                                                                                                       \
            return false;                                                                                                        \
        }                                                                                                                        \
    } while (0)

/* Byte i of the elements in memory form. */
static uint8_t element_byte(const ob_tensor *tensor, size_t i) {
    const uint8_t *data = tensor->data;
    int per_byte = tensor->is_packed ? 8 / ob_dtype_file_bits(tensor->dtype) : 1;
    return tensor->is_packed ? ob__unpack_bits(tensor->dtype, data[i / (size_t)per_byte], (int)(i % (size_t)per_byte)) : data[i];
}

static bool same_tensor(const ob_tensor *a, const ob_tensor *b, const char **why) {
    SAME_OR(strcmp(a->name, b->name) == 0 && a->dtype == b->dtype && a->rank == b->rank && a->n_elems == b->n_elems,
            "a tensor's name, type or rank");
    for (int32_t i = 0; i < a->rank; i++) SAME_OR(a->dims[i] == b->dims[i], "a tensor's size");
    SAME_OR(a->is_external == b->is_external && a->n_external == b->n_external && !a->data == !b->data, "a tensor's place");
    for (uint32_t i = 0; i < a->n_external; i++)
        SAME_OR(strcmp(a->external[i].key, b->external[i].key) == 0 && strcmp(a->external[i].value, b->external[i].value) == 0,
                "external data");
    for (int64_t i = 0; a->data && a->dtype == OB_STRING && i < a->n_elems; i++) {
        const ob_string *s = (const ob_string *)a->data + i, *t = (const ob_string *)b->data + i;
        SAME_OR(s->n == t->n && (s->n == 0 || memcmp(s->data, t->data, s->n) == 0), "a string");
    }
    for (size_t i = 0; a->data && a->dtype != OB_STRING && i < (size_t)a->n_elems * ob_dtype_size(a->dtype); i++)
        SAME_OR(element_byte(a, i) == element_byte(b, i), "a tensor's elements");
    return true;
}

static bool same_attribute(const ob_attribute *a, const ob_attribute *b, const char **why) {
    SAME_OR(strcmp(a->name, b->name) == 0 && a->type == b->type, "an attribute's name or type");
    SAME_OR(!a->ref == !b->ref, "a reference");
    if (a->ref) return strcmp(a->ref, b->ref) == 0;
    SAME_OR(a->n == b->n, "a list's length");
    switch (a->type) {
    case OB_ATTR_FLOAT: SAME_OR(memcmp(&a->u.f, &b->u.f, sizeof(float)) == 0, "a float"); break;
    case OB_ATTR_INT: SAME_OR(a->u.i == b->u.i, "an int"); break;
    case OB_ATTR_STRING: SAME_OR(a->u.s.n == b->u.s.n && memcmp(a->u.s.data, b->u.s.data, a->u.s.n) == 0, "a string"); break;
    case OB_ATTR_TENSOR: return same_tensor(a->u.tensor, b->u.tensor, why);
    case OB_ATTR_GRAPH: return same_graph(a->u.graph, b->u.graph, why);
    case OB_ATTR_FLOATS: SAME_OR(!a->n || memcmp(a->u.floats, b->u.floats, a->n * sizeof(float)) == 0, "floats"); break;
    case OB_ATTR_INTS: SAME_OR(!a->n || memcmp(a->u.ints, b->u.ints, a->n * sizeof(int64_t)) == 0, "ints"); break;
    case OB_ATTR_STRINGS:
        for (uint32_t i = 0; i < a->n; i++)
            SAME_OR(a->u.strings[i].n == b->u.strings[i].n &&
                        memcmp(a->u.strings[i].data, b->u.strings[i].data, a->u.strings[i].n) == 0,
                    "strings");
        break;
    case OB_ATTR_GRAPHS:
        for (uint32_t i = 0; i < a->n; i++)
            if (!same_graph(a->u.graphs[i], b->u.graphs[i], why)) return false;
        break;
    case OB_ATTR_TENSORS:
        for (uint32_t i = 0; i < a->n; i++)
            if (!same_tensor(a->u.tensors[i], b->u.tensors[i], why)) return false;
        break;
    default: break;
    }
    return true;
}

static bool same_type(const ob_graph *g, const ob_type *a, const ob_graph *h, const ob_type *b) {
    if (a->kind != b->kind || a->dtype != b->dtype || a->shape.rank != b->shape.rank || !a->element != !b->element) return false;
    for (int32_t i = 0; i < a->shape.rank; i++) {
        char s[128], t[128];
        ob_dim_format(g->model->dims, a->shape.dims[i], s, sizeof s);
        ob_dim_format(h->model->dims, b->shape.dims[i], t, sizeof t);
        if (strcmp(s, t) != 0) return false;
    }
    return !a->element || same_type(g, a->element, h, b->element);
}

static bool same_values(const ob_graph *g, ob_value *const *a, uint32_t n, const ob_graph *h, ob_value *const *b, uint32_t m,
                        const char **why) {
    SAME_OR(n == m, "the number of operands");
    for (uint32_t i = 0; i < n; i++) {
        SAME_OR(!a[i] == !b[i], "an omitted operand");
        if (!a[i]) continue;
        SAME_OR(strcmp(a[i]->name, b[i]->name) == 0, "an operand's name");
        SAME_OR(same_type(g, &a[i]->declared, h, &b[i]->declared), "a declared type");
    }
    return true;
}

static bool same_node(const ob_node *a, const ob_node *b, const char **why) {
    SAME_OR(strcmp(a->name, b->name) == 0 && strcmp(a->op_type, b->op_type) == 0 && strcmp(a->domain, b->domain) == 0 &&
                strcmp(a->overload, b->overload) == 0,
            "a node's name or operator");
    uint32_t n = a->n_inputs, m = b->n_inputs;
    while (n > 0 && !a->inputs[n - 1]) n--; /* trailing omitted inputs mean nothing */
    while (m > 0 && !b->inputs[m - 1]) m--;
    if (!same_values(a->graph, a->inputs, n, b->graph, b->inputs, m, why)) return false;
    n = a->n_outputs, m = b->n_outputs;
    while (n > 0 && !a->outputs[n - 1]) n--;
    while (m > 0 && !b->outputs[m - 1]) m--;
    if (!same_values(a->graph, a->outputs, n, b->graph, b->outputs, m, why)) return false;
    SAME_OR(a->n_attributes == b->n_attributes, "the number of attributes");
    for (uint32_t i = 0; i < a->n_attributes; i++)
        if (!same_attribute(a->attributes[i], b->attributes[i], why)) return false;
    return true;
}

static bool same_graph(const ob_graph *a, const ob_graph *b, const char **why) {
    SAME_OR(a->n_nodes == b->n_nodes && strcmp(a->name, b->name) == 0, "the graph's name or number of nodes");
    if (!same_values(a, a->inputs, a->n_inputs, b, b->inputs, b->n_inputs, why)) return false;
    if (!same_values(a, a->outputs, a->n_outputs, b, b->outputs, b->n_outputs, why)) return false;
    if (!same_values(a, a->initializers, a->n_initializers, b, b->initializers, b->n_initializers, why)) return false;
    for (uint32_t i = 0; i < a->n_initializers; i++)
        if (!same_tensor(a->initializers[i]->data, b->initializers[i]->data, why)) return false;
    for (const ob_node *n = a->first, *m = b->first; n; n = n->next, m = m->next)
        if (!same_node(n, m, why)) return false;
    return true;
}

static bool same_function(const ob_function *a, const ob_function *b, const char **why) {
    SAME_OR(strcmp(a->name, b->name) == 0 && strcmp(a->domain, b->domain) == 0 && strcmp(a->overload, b->overload) == 0,
            "a function's name");
    SAME_OR(a->n_attributes == b->n_attributes && a->n_attribute_defaults == b->n_attribute_defaults, "function attributes");
    for (uint32_t i = 0; i < a->n_attributes; i++)
        SAME_OR(strcmp(a->attributes[i], b->attributes[i]) == 0, "a function attribute");
    for (uint32_t i = 0; i < a->n_attribute_defaults; i++)
        if (!same_attribute(a->attribute_defaults[i], b->attribute_defaults[i], why)) return false;
    return same_graph(a->body, b->body, why);
}

/* True, or false with the difference. */
static bool same_model(const ob_model *a, const ob_model *b, const char **why) {
    SAME_OR(a->ir_version == b->ir_version && a->n_opsets == b->n_opsets && a->n_functions == b->n_functions, "the header");
    for (uint32_t i = 0; i < a->n_opsets; i++)
        SAME_OR(a->opsets[i].version == b->opsets[i].version && strcmp(a->opsets[i].domain, b->opsets[i].domain) == 0,
                "an opset");
    SAME_OR(a->n_metadata == b->n_metadata && a->model_version == b->model_version, "the metadata");
    for (uint32_t i = 0; i < a->n_metadata; i++)
        SAME_OR(strcmp(a->metadata[i].key, b->metadata[i].key) == 0 && strcmp(a->metadata[i].value, b->metadata[i].value) == 0,
                "metadata");
    SAME_OR(strcmp(a->producer_name, b->producer_name) == 0 && strcmp(a->doc, b->doc) == 0, "the producer or doc string");
    for (uint32_t i = 0; i < a->n_functions; i++)
        if (!same_function(a->functions[i], b->functions[i], why)) return false;
    return same_graph(a->graph, b->graph, why);
}

#endif
