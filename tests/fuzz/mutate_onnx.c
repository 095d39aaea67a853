/* Typical errors of models from people and exporters, and typical attacks: other operators, sizes, names, types,
 * versions; nodes put inside If, Loop and local functions. */
#include <string.h>

#include "mutate.h"
#include "onnx.pb-c.h"
#include "ops/table/op.h"

#define MODEL     (&onnx__model_proto__descriptor)
#define GRAPH     (&onnx__graph_proto__descriptor)
#define NODE      (&onnx__node_proto__descriptor)
#define ATTRIBUTE (&onnx__attribute_proto__descriptor)
#define TENSOR    (&onnx__tensor_proto__descriptor)
#define VALUE     (&onnx__value_info_proto__descriptor)
#define TYPE      (&onnx__type_proto__descriptor)
#define IN_TYPE   (&onnx__type_proto__tensor__descriptor)
#define SHAPE     (&onnx__tensor_shape_proto__descriptor)
#define DIMENSION (&onnx__tensor_shape_proto__dimension__descriptor)
#define OPSET     (&onnx__operator_set_id_proto__descriptor)
#define FUNCTION  (&onnx__function_proto__descriptor)

/* Field numbers of onnx.proto. */
enum { MODEL_GRAPH = 7, MODEL_OPSET = 8, MODEL_FUNCTION = 25 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12, GRAPH_VALUE = 13 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_OP = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };
enum { ATTR_NAME = 1, ATTR_F = 2, ATTR_I = 3, ATTR_S = 4, ATTR_T = 5, ATTR_G = 6, ATTR_INTS = 8, ATTR_TYPE = 20, ATTR_REF = 21 };
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9, VALUE_NAME = 1, VALUE_TYPE = 2 };
enum { TYPE_TENSOR = 1, IN_ELEMENT = 1, IN_SHAPE = 2, SHAPE_DIM = 1, DIM_NUMBER = 1, DIM_NAME = 2 };
enum { OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum { FUNCTION_NAME = 1, FUNCTION_INPUT = 4, FUNCTION_OUTPUT = 5, FUNCTION_NODE = 7, FUNCTION_OPSET = 9, FUNCTION_DOMAIN = 10 };

static void set_text(tree *field, const char *text) {
    field->bytes = (const uint8_t *)text;
    field->n = strlen(text);
}

static void set_bytes(tree *field, const tree *from) {
    field->bytes = from->bytes;
    field->n = from->n;
}

/* The field of a message, made when it is not there. */
static tree *number_of(mutator *m, tree *message, uint32_t id) {
    tree *field = tree_find(message, id);
    return field ? field : tree_add_number(m->pool, message, id, 0);
}

static tree *text_of(mutator *m, tree *message, uint32_t id) {
    tree *field = tree_find(message, id);
    return field ? field : tree_add_text(m->pool, message, id, "");
}

/* ---- Operators and attributes ---- */

static bool other_operator(mutator *m) {
    tree *node = mutate_field_of(m, GRAPH, GRAPH_NODE);
    tree *name = node && node->type ? text_of(m, node, NODE_OP) : NULL, *domain;
    if (!name) return false;
    const ob_op *op = ob__op_at(mutate_pick(m, ob__op_count()));
    set_text(name, op->name);
    domain = op->domain[0] || tree_find(node, NODE_DOMAIN) ? text_of(m, node, NODE_DOMAIN) : NULL;
    if (domain) set_text(domain, op->domain);
    return true;
}

static const char *const attribute_names[] = {"axis",
                                              "axes",
                                              "keepdims",
                                              "perm",
                                              "pads",
                                              "strides",
                                              "dilations",
                                              "group",
                                              "kernel_shape",
                                              "ceil_mode",
                                              "blocksize",
                                              "split",
                                              "num_outputs",
                                              "starts",
                                              "ends",
                                              "shape",
                                              "k",
                                              "hidden_size",
                                              "to",
                                              "dtype",
                                              "broadcast",
                                              "batch_dims",
                                              "sample_size",
                                              "output_shape",
                                              "allowzero",
                                              "layout",
                                              "output_padding",
                                              "value",
                                              "value_int",
                                              "value_ints",
                                              "value_float",
                                              "value_floats",
                                              "value_string",
                                              "value_strings",
                                              "sparse_value",
                                              "transA",
                                              "transB",
                                              "alpha",
                                              "beta",
                                              "epsilon",
                                              "mode",
                                              "auto_pad",
                                              "direction",
                                              "equation",
                                              "reduction",
                                              "saturate",
                                              "noop_with_empty_axes",
                                              "count_include_pad",
                                              "select_last_index",
                                              "largest",
                                              "sorted",
                                              "broadcast_dimensions",
                                              "conditions",
                                              "clip",
                                              "activations",
                                              "linear_before_reset",
                                              "then_branch",
                                              "else_branch",
                                              "body",
                                              "num_scan_inputs",
                                              "scan_input_axes",
                                              "scan_output_axes",
                                              "fmod",
                                              "detect_negative",
                                              "upper",
                                              "size",
                                              "bias",
                                              "block_size",
                                              "coordinate_transformation_mode",
                                              "nearest_mode",
                                              "antialias",
                                              "stash_type",
                                              "training_mode",
                                              "exclusive",
                                              "reverse",
                                              "time_axis",
                                              "batch_axis",
                                              "q_num_heads",
                                              "kv_num_heads",
                                              "num_groups",
                                              "precision",
                                              "start",
                                              "end",
                                              "keep_aspect_ratio_policy"};
static const char *const attribute_texts[] = {"",
                                              "SAME_UPPER",
                                              "SAME_LOWER",
                                              "VALID",
                                              "NOTSET",
                                              "bidirectional",
                                              "reverse",
                                              "forward",
                                              "add",
                                              "mul",
                                              "max",
                                              "min",
                                              "none",
                                              "constant",
                                              "reflect",
                                              "edge",
                                              "wrap",
                                              "linear",
                                              "nearest",
                                              "cubic",
                                              "DCR",
                                              "CRD",
                                              "tanh",
                                              "asymmetric",
                                              "align_corners",
                                              "ij,jk->ik",
                                              "...a,b...->...",
                                              "ii->i",
                                              "->",
                                              "LEFT",
                                              "RIGHT",
                                              "tf_crop_and_resize"};
#define ONE_OF(m, list) ((list)[mutate_pick((m), sizeof(list) / sizeof(list)[0])])

static bool fill_attribute(mutator *m, tree *attribute) {
    tree *type = number_of(m, attribute, ATTR_TYPE), *field;
    if (!type) return false;
    switch (mutate_pick(m, 8)) {
    case 0: type->value = mutate_pick(m, 16) ? mutate_pick(m, 16) : mutate_number(m); return true;
    case 1:
        field = tree_add_bytes(m->pool, attribute, ATTR_F, NULL, 0);
        if (!field) return false;
        static const uint32_t floats[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                          0xff800000, 0x7fc00000, 1,          0x3f000000};
        field->wire = WIRE_32;
        field->value = ONE_OF(m, floats);
        type->value = 1;
        return true;
    case 2: type->value = 3; return tree_add_text(m->pool, attribute, ATTR_S, ONE_OF(m, attribute_texts)) != NULL;
    case 3:
    case 4:
        field = number_of(m, attribute, ATTR_I);
        if (field) field->value = mutate_number(m);
        type->value = 2;
        return field != NULL;
    default:
        type->value = 7;
        field = mutate_field_of(m, ATTRIBUTE, ATTR_INTS);
        if (field && field->parent == attribute && mutate_pick(m, 2)) {
            if (mutate_pick(m, 3))
                field->value = mutate_number(m);
            else
                tree_remove(field);
            return true;
        }
        for (uint64_t i = mutate_pick(m, 3); i-- > 0;)
            if (!tree_add_number(m->pool, attribute, ATTR_INTS, mutate_pick(m, 2) ? mutate_pick(m, 4) : mutate_number(m)))
                return false;
        return tree_add_number(m->pool, attribute, ATTR_INTS, mutate_number(m)) != NULL;
    }
}

static bool other_attribute(mutator *m) {
    tree *attribute = mutate_field_of(m, NODE, NODE_ATTRIBUTE);
    if (!attribute || !attribute->type) return false;
    if (mutate_pick(m, 4)) return fill_attribute(m, attribute);
    tree *name = text_of(m, attribute, mutate_pick(m, 8) ? ATTR_NAME : ATTR_REF);
    if (name) set_text(name, ONE_OF(m, attribute_names));
    return name != NULL;
}

static bool new_attribute(mutator *m) {
    tree *node = mutate_field_of(m, GRAPH, GRAPH_NODE);
    if (!node || !node->type) return false;
    tree *attribute = tree_add_message(m->pool, node, NODE_ATTRIBUTE);
    return attribute && tree_add_text(m->pool, attribute, ATTR_NAME, ONE_OF(m, attribute_names)) && fill_attribute(m, attribute);
}

/* ---- Sizes, types, versions ---- */

static bool other_size(mutator *m) {
    if (mutate_pick(m, 2)) {
        tree *size = mutate_field_of(m, TENSOR, TENSOR_DIMS);
        if (size) size->value = mutate_number(m);
        return size != NULL;
    }
    tree *dim = mutate_field_of(m, SHAPE, SHAPE_DIM);
    if (!dim || !dim->type) return false;
    switch (mutate_pick(m, 4)) {
    case 0: /* another symbol */
        dim->first = NULL;
        return tree_add_text(m->pool, dim, DIM_NAME,
                             ((const char *const[]){"N", "M", "N + 1", "2 * N", "", "?"})[mutate_pick(m, 6)]);
    case 1:
        if (mutate_pick(m, 2)) {
            tree *copy = tree_copy(m->pool, dim);
            if (copy) tree_insert(dim, copy);
        } else {
            tree_remove(dim);
        }
        return true;
    default:
        dim->first = NULL;
        return tree_add_number(m->pool, dim, DIM_NUMBER, mutate_pick(m, 2) ? mutate_pick(m, 5) : mutate_number(m)) != NULL;
    }
}

static bool other_type(mutator *m) {
    bool tensor = mutate_pick(m, 2);
    tree *type = tensor ? mutate_field_of(m, TENSOR, TENSOR_TYPE) : mutate_field_of(m, IN_TYPE, IN_ELEMENT);
    if (type) type->value = mutate_pick(m, 32) ? mutate_pick(m, 28) : mutate_number(m);
    return type != NULL;
}

/* All of them at once: a model of another element type, which may still be right. */
static bool all_types(mutator *m) {
    tree *type = mutate_field_of(m, IN_TYPE, IN_ELEMENT);
    if (!type) return false;
    uint64_t from = type->value, to = mutate_pick(m, 27);
    for (tree *field = m->root; (field = tree_walk(m->root, field));)
        if (field->parent->type == IN_TYPE && field->id == IN_ELEMENT && field->value == from) field->value = to;
    return true;
}

static bool forget_type(mutator *m) {
    tree *type = mutate_pick(m, 2) ? mutate_field_of(m, VALUE, VALUE_TYPE) : mutate_field_of(m, IN_TYPE, IN_SHAPE);
    if (type) tree_remove(type);
    return type != NULL;
}

static bool other_version(mutator *m) {
    tree *opset = mutate_field_of(m, MODEL, MODEL_OPSET);
    tree *version = opset && opset->type ? number_of(m, opset, OPSET_VERSION) : NULL;
    if (version) version->value = mutate_pick(m, 16) ? 1 + mutate_pick(m, 26) : mutate_number(m);
    return version != NULL;
}

/* ---- Names ---- */

static bool is_value_name(const tree *field) {
    const ProtobufCMessageDescriptor *type = field->parent->type;
    return (type == NODE && (field->id == NODE_INPUT || field->id == NODE_OUTPUT)) ||
           (type == VALUE && field->id == VALUE_NAME) || (type == TENSOR && field->id == TENSOR_NAME) ||
           (type == FUNCTION && (field->id == FUNCTION_INPUT || field->id == FUNCTION_OUTPUT));
}

static bool other_name(mutator *m) {
    tree *to = mutate_pick(m, 3) ? mutate_field_of(m, NODE, NODE_INPUT) : mutate_field(m, is_value_name);
    tree *from = mutate_field(m, is_value_name);
    if (!to || !from) return false;
    if (mutate_pick(m, 8) == 0)
        set_text(to, ""); /* omitted */
    else
        set_bytes(to, from);
    return true;
}

static bool more_operands(mutator *m) {
    tree *node = mutate_field_of(m, GRAPH, GRAPH_NODE), *from = mutate_field(m, is_value_name);
    if (!node || !node->type || !from) return false;
    return tree_add_bytes(m->pool, node, mutate_pick(m, 4) ? NODE_INPUT : NODE_OUTPUT, from->bytes, from->n) != NULL;
}

/* An inner value that the outside asks for. */
static bool new_output(mutator *m) {
    tree *name = mutate_field_of(m, NODE, NODE_OUTPUT), *graph = name ? name->parent->parent : NULL;
    if (!graph || graph->type != GRAPH) return false;
    tree *value = tree_add_message(m->pool, graph, GRAPH_OUTPUT);
    return value && tree_add_bytes(m->pool, value, VALUE_NAME, name->bytes, name->n);
}

/* ---- Nesting ---- */

static bool copy_names(mutator *m, const tree *node, uint32_t from_id, tree *to, uint32_t to_id) {
    for (const tree *field = node->first; field; field = field->next)
        if (field->id == from_id && !tree_add_bytes(m->pool, to, to_id, field->bytes, field->n)) return false;
    return true;
}

/* A graph without inputs that holds the node and gives its outputs. */
static bool branch(mutator *m, tree *to, const char *name, const tree *node) {
    tree *attribute = tree_add_message(m->pool, to, NODE_ATTRIBUTE), *copy = tree_copy(m->pool, node), *graph;
    if (!attribute || !copy || !tree_add_text(m->pool, attribute, ATTR_NAME, name)) return false;
    if (!tree_add_number(m->pool, attribute, ATTR_TYPE, 5)) return false;
    graph = tree_add_message(m->pool, attribute, ATTR_G);
    if (!graph || !tree_add_text(m->pool, graph, GRAPH_NAME, name)) return false;
    copy->id = GRAPH_NODE;
    tree_append(graph, copy);
    for (const tree *field = node->first; field; field = field->next) {
        if (field->id != NODE_OUTPUT) continue;
        tree *value = tree_add_message(m->pool, graph, GRAPH_OUTPUT);
        if (!value || !tree_add_bytes(m->pool, value, VALUE_NAME, field->bytes, field->n)) return false;
    }
    return true;
}

/* The node becomes one that computes it in branches, or in a loop's body. */
static bool nest(mutator *m) {
    tree *node = mutate_field_of(m, GRAPH, GRAPH_NODE), *name = mutate_field(m, is_value_name);
    if (!node || !node->type || !name) return false;
    tree *outer = tree_alloc(m->pool, sizeof *outer);
    if (!outer) return false;
    *outer = (tree){.type = NODE, .id = node->id, .wire = WIRE_BYTES};
    bool loop = mutate_pick(m, 3) == 0, made = tree_add_text(m->pool, outer, NODE_OP, loop ? "Loop" : "If") != NULL;
    made = made && tree_add_bytes(m->pool, outer, NODE_INPUT, name->bytes, name->n);
    if (loop)
        made = made && tree_add_text(m->pool, outer, NODE_INPUT, "") && branch(m, outer, "body", node);
    else
        made = made && branch(m, outer, "then_branch", node) && branch(m, outer, "else_branch", node);
    if (!made || !copy_names(m, node, NODE_OUTPUT, outer, NODE_OUTPUT)) return false;
    tree_insert(node, outer);
    tree_remove(node);
    return true;
}

static bool is_text(const tree *field, const char *text) {
    size_t n = strlen(text);
    return field && field->n == n && (n == 0 || memcmp(field->bytes, text, n) == 0);
}

/* Version 1 of the domain, where the model imports none. */
static bool import(mutator *m, const char *domain) {
    for (const tree *field = m->root->first; field; field = field->next) {
        const tree *known = field->id == MODEL_OPSET && field->type ? tree_find(field, OPSET_DOMAIN) : NULL;
        if (is_text(known, domain)) return true;
    }
    tree *opset = domain[0] ? tree_add_message(m->pool, m->root, MODEL_OPSET) : NULL;
    return !domain[0] ||
           (opset && tree_add_text(m->pool, opset, OPSET_DOMAIN, domain) && tree_add_number(m->pool, opset, OPSET_VERSION, 1));
}

/* A local function that does what the node does. */
static bool define(mutator *m, const tree *node, const char *name, const char *domain) {
    tree *function = tree_add_message(m->pool, m->root, MODEL_FUNCTION), *copy = tree_copy(m->pool, node);
    if (!function || !function->type || !copy) return false;
    bool made =
        tree_add_text(m->pool, function, FUNCTION_NAME, name) && tree_add_text(m->pool, function, FUNCTION_DOMAIN, domain);
    if (!made || !copy_names(m, node, NODE_INPUT, function, FUNCTION_INPUT)) return false;
    if (!copy_names(m, node, NODE_OUTPUT, function, FUNCTION_OUTPUT)) return false;
    copy->id = FUNCTION_NODE;
    tree_append(function, copy);
    for (const tree *field = m->root->first; field; field = field->next) {
        tree *opset = field->id == MODEL_OPSET ? tree_copy(m->pool, field) : NULL;
        if (!opset) continue;
        opset->id = FUNCTION_OPSET;
        tree_append(function, opset);
    }
    return true;
}

/* The node becomes a call of a new local function, or of one that there is. */
static bool call(mutator *m) {
    static const char *const names[] = {"F", "G", "Broadcast_2", "BroadcastInDim", "Add", "Relu", "Broadcast"};
    static const char *const domains[] = {"local", "local", "", "onnx_broadcast"};
    const char *name = ONE_OF(m, names), *domain = ONE_OF(m, domains);
    tree *node = mutate_field_of(m, mutate_pick(m, 3) ? GRAPH : FUNCTION, mutate_pick(m, 3) ? GRAPH_NODE : FUNCTION_NODE);
    if (!node || node->type != NODE || m->root->type != MODEL) return false;
    if (!import(m, domain) || (mutate_pick(m, 4) && !define(m, node, name, domain))) return false;
    tree *op = text_of(m, node, NODE_OP), *in = text_of(m, node, NODE_DOMAIN);
    if (!op || !in) return false;
    set_text(op, name);
    set_text(in, domain);
    return true;
}

bool mutate_onnx(mutator *m) {
    static bool (*const changes[])(mutator *) = {other_operator,
                                                 other_operator,
                                                 other_attribute,
                                                 other_attribute,
                                                 new_attribute,
                                                 other_size,
                                                 other_size,
                                                 other_type,
                                                 all_types,
                                                 forget_type,
                                                 other_version,
                                                 other_name,
                                                 other_name,
                                                 more_operands,
                                                 new_output,
                                                 nest,
                                                 call};
    return ONE_OF(m, changes)(m);
}
