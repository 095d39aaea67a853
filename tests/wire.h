/* Models written byte by byte, including ones that no exporter writes: protobuf's wire form, and the messages of onnx.proto
 * that the tests need. */
#ifndef OB_TESTS_WIRE_H
#define OB_TESTS_WIRE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"

/* Numbers of fields. */
enum {
    MODEL_IR_VERSION = 1,
    MODEL_GRAPH = 7,
    MODEL_OPSET_IMPORT = 8,
    MODEL_FUNCTIONS = 25,
    OPSET_DOMAIN = 1,
    OPSET_VERSION = 2,
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    GRAPH_VALUE_INFO = 13,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP_TYPE = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOMAIN = 7,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_S = 4,
    ATTRIBUTE_T = 5,
    ATTRIBUTE_G = 6,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_TYPE = 20,
    ATTRIBUTE_REF = 21,
    TENSOR_DIMS = 1,
    TENSOR_DATA_TYPE = 2,
    TENSOR_INT64_DATA = 7,
    TENSOR_NAME = 8,
    TENSOR_RAW_DATA = 9,
    TENSOR_DATA_LOCATION = 14,
    VALUE_INFO_NAME = 1,
    VALUE_INFO_TYPE = 2,
    FUNCTION_NAME = 1,
    FUNCTION_INPUT = 4,
    FUNCTION_OUTPUT = 5,
    FUNCTION_NODE = 7,
    FUNCTION_OPSET_IMPORT = 9,
    FUNCTION_DOMAIN = 10
};

static inline void put_varint(bytes *out, uint64_t value) {
    uint8_t buffer[10];
    size_t n = 0;
    do {
        buffer[n] = (uint8_t)(value & 0x7f);
        value >>= 7;
        if (value) buffer[n] |= 0x80;
        n++;
    } while (value);
    collect(out, buffer, n);
}

static inline void put_number(bytes *out, uint32_t field, int64_t value) {
    put_varint(out, (uint64_t)field << 3);
    put_varint(out, (uint64_t)value);
}

static inline void put_bytes(bytes *out, uint32_t field, const void *data, size_t n) {
    put_varint(out, (uint64_t)field << 3 | 2);
    put_varint(out, n);
    if (n) collect(out, data, n);
}

static inline void put_text(bytes *out, uint32_t field, const char *text) {
    put_bytes(out, field, text, strlen(text));
}

/* Ends `inner` and frees its memory. */
static inline void put_message(bytes *out, uint32_t field, bytes *inner) {
    put_bytes(out, field, inner->data, inner->n);
    free(inner->data);
    *inner = (bytes){0};
}

/* A tensor type; sizes: "N 3", numbers and names of symbols; "" is a scalar, NULL no shape. */
static inline void put_tensor_type(bytes *out, uint32_t field, int64_t elem_type, const char *sizes) {
    bytes tensor = {0}, type = {0}, shape = {0};
    put_number(&tensor, 1, elem_type);
    for (const char *at = sizes; at && *at;) {
        size_t n = strcspn(at, " ");
        bytes dim = {0};
        if (*at >= '0' && *at <= '9')
            put_number(&dim, 1, strtoll(at, NULL, 10));
        else
            put_bytes(&dim, 2, at, n);
        put_message(&shape, 1, &dim);
        at += n + (at[n] == ' ');
    }
    if (sizes) put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_message(out, field, &type);
}

/* A graph's input, output or value_info. */
static inline void put_value(bytes *graph, uint32_t field, const char *name, int64_t elem_type, const char *sizes) {
    bytes info = {0};
    put_text(&info, VALUE_INFO_NAME, name);
    put_tensor_type(&info, VALUE_INFO_TYPE, elem_type, sizes);
    put_message(graph, field, &info);
}

/* operands, results: "a b". The node's bytes, to be given attributes before put_message(graph, GRAPH_NODE, &node). */
static inline bytes node_of(const char *domain, const char *op_type, const char *operands, const char *results) {
    bytes node = {0};
    const char *const lists[2] = {operands, results};
    for (uint32_t k = 0; k < 2; k++)
        for (const char *at = lists[k]; *at;) {
            size_t n = strcspn(at, " ");
            put_bytes(&node, k ? NODE_OUTPUT : NODE_INPUT, at, n);
            at += n + (at[n] == ' ');
        }
    put_text(&node, NODE_OP_TYPE, op_type);
    if (domain[0]) put_text(&node, NODE_DOMAIN, domain);
    return node;
}

static inline void put_node(bytes *graph, const char *op_type, const char *operands, const char *results) {
    bytes node = node_of("", op_type, operands, results);
    put_message(graph, GRAPH_NODE, &node);
}

static inline void put_opset(bytes *out, uint32_t field, const char *domain, int64_t version) {
    bytes opset = {0};
    put_text(&opset, OPSET_DOMAIN, domain);
    put_number(&opset, OPSET_VERSION, version);
    put_message(out, field, &opset);
}

/* A model with the graph, which is ended and freed. Imports opset 18 of ONNX and 1 of "local". */
static inline bytes model_around(bytes *graph) {
    bytes model = {0};
    put_number(&model, MODEL_IR_VERSION, 8);
    put_opset(&model, MODEL_OPSET_IMPORT, "", 18);
    put_opset(&model, MODEL_OPSET_IMPORT, "local", 1);
    put_text(graph, GRAPH_NAME, "g");
    put_message(&model, MODEL_GRAPH, graph);
    return model;
}

#endif
