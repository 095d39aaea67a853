/* Small models, made in memory, for tests of the executor. Every function fails the test if memory runs out. */
#ifndef OB_TESTS_BUILD_MODEL_H
#define OB_TESTS_BUILD_MODEL_H

#include <stdarg.h>
#include <string.h>

#include "core/graph/graph.h"
#include "onnx_broadcast/view.h"

static inline ob_model *new_model(int64_t opset) {
    ob_model *model = ob__model_new(NULL);
    assert_non_null(model);
    model->path = "test.onnx";
    model->ir_version = 8;
    assert_true(ob__model_set_opset(model, "", opset));
    return model;
}

static inline ob_value **append_value(ob_model *model, ob_value **list, uint32_t *n, ob_value *value) {
    ob_value **longer = OB_ARENA_ARRAY(&model->arena, ob_value *, *n + 1u);
    assert_non_null(longer);
    if (*n) memcpy(longer, list, *n * sizeof *list);
    longer[(*n)++] = value;
    return longer;
}

/* An input; each size is a number, or the name of a symbol, or "?": new_input(model, "x", OB_FLOAT, "N 3"). "..." is an unknown
 * rank. */
static inline ob_value *new_input(ob_model *model, const char *name, ob_dtype dtype, const char *sizes) {
    ob_graph *graph = model->graph;
    ob_value *value = ob__value_new(graph, name);
    assert_non_null(value);
    value->is_input = true;
    ob_dim *dims = OB_ARENA_ARRAY(&model->arena, ob_dim, OB_MAX_RANK);
    assert_non_null(dims);
    int32_t rank = 0;
    char text[200];
    strcpy(text, sizes);
    for (char *size = text; *size;) {
        char *end = size + strcspn(size, " ");
        bool last = *end == '\0';
        *end = '\0';
        if (strcmp(size, "...") == 0)
            rank = OB_RANK_UNKNOWN;
        else if (*size >= '0' && *size <= '9')
            dims[rank++] = strtol(size, NULL, 10);
        else
            dims[rank++] = *size == '?' ? ob_dim_fresh(model->dims) : ob_dim_symbol(model->dims, size);
        size = last ? end : end + 1;
    }
    value->declared = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = dtype, .shape = {rank, dims}};
    graph->inputs = append_value(model, graph->inputs, &graph->n_inputs, value);
    return value;
}

static inline void new_output(ob_model *model, ob_value *value) {
    value->is_output = true;
    model->graph->outputs = append_value(model, model->graph->outputs, &model->graph->n_outputs, value);
}

static inline ob_value *new_weight(ob_model *model, const char *name, ob_dtype dtype, int32_t rank, const int64_t *dims,
                                   const void *data) {
    ob_value *value = ob__value_new(model->graph, name);
    ob_tensor *tensor = OB_ARENA_NEW(&model->arena, ob_tensor);
    int64_t *own_dims = OB_ARENA_ARRAY(&model->arena, int64_t, (size_t)rank);
    assert_true(value && tensor && own_dims);
    *tensor = (ob_tensor){.name = name, .dtype = dtype, .rank = rank, .dims = own_dims, .n_elems = 1, .doc = ""};
    for (int32_t i = 0; i < rank; i++) tensor->n_elems *= own_dims[i] = dims[i];
    size_t n_bytes = (size_t)tensor->n_elems * ob_dtype_size(dtype);
    void *own = ob__arena_alloc(&model->arena, n_bytes);
    assert_non_null(own);
    if (n_bytes && data) memcpy(own, data, n_bytes);
    tensor->data = own;
    assert_true(ob__graph_add_initializer(model->graph, value, tensor));
    return value;
}

/* A node of the graph with one output, without a name. */
static inline ob_value *add_node(ob_graph *graph, const char *op_type, const char *output, int n_inputs, va_list inputs) {
    ob_node *node = ob__node_new(graph, NULL, "", op_type, (uint32_t)n_inputs, 1);
    ob_value *value = ob__value_new(graph, output);
    assert_true(node && value);
    for (int i = 0; i < n_inputs; i++) node->inputs[i] = va_arg(inputs, ob_value *);
    ob__node_set_output(node, 0, value);
    return value;
}

/* A node in a body: new_body_node(body, "Add", "sum", 2, a, b). */
static inline ob_value *new_body_node(ob_graph *body, const char *op_type, const char *output, int n_inputs, ...) {
    va_list inputs;
    va_start(inputs, n_inputs);
    ob_value *value = add_node(body, op_type, output, n_inputs, inputs);
    va_end(inputs);
    return value;
}

/* A node of the main graph, with the name of its output. */
static inline ob_value *new_node(ob_model *model, const char *op_type, const char *output, int n_inputs, ...) {
    va_list inputs;
    va_start(inputs, n_inputs);
    ob_value *value = add_node(model->graph, op_type, output, n_inputs, inputs);
    va_end(inputs);
    value->producer->name = value->name;
    return value;
}

/* A contiguous view: view_of(data, OB_FLOAT, 2, 2, 3). */
static inline ob_view view_of(void *data, ob_dtype dtype, int rank, ...) {
    int64_t dims[OB_MAX_RANK];
    ob_view view;
    char somewhere;
    va_list sizes;
    va_start(sizes, rank);
    for (int i = 0; i < rank; i++) dims[i] = va_arg(sizes, int);
    va_end(sizes);
    assert_int_equal(ob_view_init(&view, data ? data : &somewhere, dtype, rank, dims), OB_OK);
    view.data = data;
    return view;
}

#endif
