/* A model of one node for any row of the operator table, with generated operands: for tests over all operators. */
#ifndef OB_TESTS_ROW_CASE_H
#define OB_TESTS_ROW_CASE_H

#include "build_model.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"

static inline ob_dtype first_type(const ob_op *op, uint32_t i) {
    ob_types types = ob__op_input_types(op, i);
    if (types >> OB_FLOAT & 1) return OB_FLOAT;
    for (int dtype = 1; dtype < 32; dtype++)
        if (types >> dtype & 1 && ob_dtype_size((ob_dtype)dtype)) return (ob_dtype)dtype;
    return OB_INT64;
}

static inline void set_attributes(ob_node *node, int32_t rank) {
    static const int64_t ones[OB_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    if (strstr(node->op_type, "Pool") && rank > 2) ob__node_set_ints(node, "kernel_shape", ones, (uint32_t)rank - 2);
    if (strcmp(node->op_type, "Cast") == 0) ob__node_set_int(node, "to", OB_FLOAT);
    /* the dropped elements depend on the name of its first result, which may be omitted */
    if (strcmp(node->op_type, "Dropout") == 0) ob__node_set_int(node, "is_test", 1);
    if (strcmp(node->op_type, "LRN") == 0) ob__node_set_int(node, "size", 1);
    if (strstr(node->op_type, "Depth")) ob__node_set_int(node, "blocksize", 1);
    if (strcmp(node->op_type, "GRU") == 0 || strcmp(node->op_type, "RNN") == 0 || strcmp(node->op_type, "LSTM") == 0)
        ob__node_set_int(node, "hidden_size", 1);
}

/* Inputs after the first: of its shape; or int64 inputs as lists of one element (sizes, axes, indices); or all of one
 * element. */
typedef enum row_operands { ROW_ALIKE, ROW_LISTS, ROW_ONES } row_operands;

/* Every operand is a weight; floats are 1, other types 0. */
static inline ob_model *row_model(const ob_op *op, int32_t rank, const int64_t *dims, row_operands operands, uint32_t n_inputs,
                                  uint32_t n_outputs) {
    static const int64_t one_dim[] = {1};
    char name[20];
    float one = 1;
    ob_model *model = new_model(op->domain[0] ? 14 : op->since);
    if (op->domain[0]) assert_true(ob__model_set_opset(model, op->domain, op->since));
    ob_node *node = ob__node_new(model->graph, NULL, op->domain, op->name, n_inputs, n_outputs);
    assert_non_null(node);
    set_attributes(node, rank);
    for (uint32_t i = 0; i < n_inputs; i++) {
        ob_dtype dtype = first_type(op, i);
        bool single = i > 0 && (operands == ROW_ONES || (operands == ROW_LISTS && dtype == OB_INT64));
        snprintf(name, sizeof name, "i%u", i);
        ob_value *value = new_weight(model, name, dtype, single ? 1 : rank, single ? one_dim : dims, NULL);
        node->inputs[i] = value;
        if (value->data->n_elems == 1) {
            char *bytes = (char *)(uintptr_t)value->data->data;
            memset(bytes, 0, ob_dtype_size(dtype));
            if (dtype == OB_FLOAT) memcpy(bytes, &one, sizeof one);
        }
    }
    for (uint32_t i = 0; i < n_outputs; i++) {
        snprintf(name, sizeof name, "o%u", i);
        ob_value *value = ob__value_new(model->graph, name);
        assert_non_null(value);
        ob__node_set_output(node, i, value);
        new_output(model, value);
    }
    return model;
}

#endif
