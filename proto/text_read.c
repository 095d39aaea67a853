/* ONNX's textual syntax -> ModelProto, which is then read like every other model. A recursive-descent parser for the grammar of
 * ONNX's docs/Syntax.md. It accepts more where the grammar is narrower than the format (names that need quotes, lists of
 * graphs). */
#include "core/base/text.h"
#include "proto/text_parser.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "proto/plain_numbers.h"

static ob_status read_graph(ob_text_parser *parser, char *name, Onnx__GraphProto *out);

static ob_status out_of_memory(ob_text_parser *parser) {
    return ob__scan_out_of_memory(&parser->scan);
}

/* Pushes a new message of a class onto a list of pointers. */
#define PUSH_MESSAGE(parser, list, n, descriptor) push_message((parser), (list), (n), &(descriptor))
static void *push_message(ob_text_parser *parser, void *list, size_t *n, const ProtobufCMessageDescriptor *type) {
    void *message = ob__text_message(parser, type);
    void **slot = message ? ob__text_push(parser, list, n, sizeof *slot) : NULL;
    if (slot) *slot = message;
    return slot ? message : NULL;
}

/* ---- Attributes ---- */

static const struct {
    const char *name;
    ob_attribute_type type, element; /* element: of a list, else UNDEFINED */
} attribute_types[] = {
    {"float", OB_ATTR_FLOAT, OB_ATTR_UNDEFINED},
    {"int", OB_ATTR_INT, OB_ATTR_UNDEFINED},
    {"string", OB_ATTR_STRING, OB_ATTR_UNDEFINED},
    {"tensor", OB_ATTR_TENSOR, OB_ATTR_UNDEFINED},
    {"graph", OB_ATTR_GRAPH, OB_ATTR_UNDEFINED},
    {"sparse_tensor", OB_ATTR_SPARSE_TENSOR, OB_ATTR_UNDEFINED},
    {"type_proto", OB_ATTR_TYPE_PROTO, OB_ATTR_UNDEFINED},
    {"floats", OB_ATTR_FLOATS, OB_ATTR_FLOAT},
    {"ints", OB_ATTR_INTS, OB_ATTR_INT},
    {"strings", OB_ATTR_STRINGS, OB_ATTR_STRING},
    {"tensors", OB_ATTR_TENSORS, OB_ATTR_TENSOR},
    {"graphs", OB_ATTR_GRAPHS, OB_ATTR_GRAPH},
    {"sparse_tensors", OB_ATTR_SPARSE_TENSORS, OB_ATTR_SPARSE_TENSOR},
    {"type_protos", OB_ATTR_TYPE_PROTOS, OB_ATTR_TYPE_PROTO},
};
enum { N_ATTRIBUTE_TYPES = sizeof attribute_types / sizeof attribute_types[0] };

static ob_attribute_type element_type(ob_attribute_type list) {
    for (int i = 0; i < N_ATTRIBUTE_TYPES; i++)
        if (attribute_types[i].type == list) return attribute_types[i].element;
    return OB_ATTR_UNDEFINED;
}

static ob_attribute_type list_type(ob_attribute_type element) {
    for (int i = 0; i < N_ATTRIBUTE_TYPES; i++)
        if (element != OB_ATTR_UNDEFINED && attribute_types[i].element == element) return attribute_types[i].type;
    return OB_ATTR_UNDEFINED;
}

static const char *type_name(ob_attribute_type type) {
    for (int i = 0; i < N_ATTRIBUTE_TYPES; i++)
        if (attribute_types[i].type == type) return attribute_types[i].name;
    return "undefined";
}

static void set_type(Onnx__AttributeProto *out, ob_attribute_type type) {
    out->has_type = 1;
    out->type = (Onnx__AttributeProto__AttributeType)type;
}

static ob_status read_subgraph(ob_text_parser *parser, char *name, Onnx__AttributeProto *out) {
    if (++parser->depth > parser->limits.max_depth)
        return ob__fail(parser->scan.error, OB_E_LIMIT, "graphs nested deeper than the limit of %u", parser->limits.max_depth);
    set_type(out, OB_ATTR_GRAPH);
    out->g = OB_TEXT_MESSAGE(parser, onnx__graph_proto__descriptor);
    if (!out->g) return out_of_memory(parser);
    OB_TRY(read_graph(parser, name, out->g));
    parser->depth--;
    return OB_OK;
}

/* A type alone, or a tensor: type, name?, '='?, data. */
static ob_status read_typed_value(ob_text_parser *parser, Onnx__AttributeProto *out) {
    Onnx__TypeProto *type;
    OB_TRY(ob__text_type(parser, &type));
    const char *start;
    char next = ob__scan_peek(&parser->scan);
    if (next != '{' && next != '=' && next != '"' && ob__scan_peek_identifier(&parser->scan, &start) == 0) {
        set_type(out, OB_ATTR_TYPE_PROTO);
        out->tp = type;
        return OB_OK;
    }
    set_type(out, OB_ATTR_TENSOR);
    out->t = OB_TEXT_MESSAGE(parser, onnx__tensor_proto__descriptor);
    if (!out->t) return out_of_memory(parser);
    OB_TRY(ob__scan_optional_name(&parser->scan, &out->t->name));
    ob__scan_take(&parser->scan, '=');
    return ob__text_tensor_data(parser, type, out->t);
}

static ob_status read_literal_value(ob_text_parser *parser, Onnx__AttributeProto *out) {
    ob_scanner *scan = &parser->scan;
    const char *at = (ob__scan_peek(scan), scan->p);
    ob_literal literal;
    OB_TRY(ob__scan_literal(scan, &literal));
    if (literal.kind == OB_LITERAL_STRING && ob__scan_peek(scan) == '(') {
        if (strlen(literal.text) != literal.n) return ob__scan_fail(scan, at, "the name holds a zero byte");
        return read_subgraph(parser, (char *)(uintptr_t)literal.text, out); /* a graph whose name needs quotes */
    }
    switch (literal.kind) {
    case OB_LITERAL_STRING:
        set_type(out, OB_ATTR_STRING);
        out->has_s = 1;
        out->s = (ProtobufCBinaryData){literal.n, (uint8_t *)(uintptr_t)literal.text};
        return OB_OK;
    case OB_LITERAL_FLOAT:
        set_type(out, OB_ATTR_FLOAT);
        out->has_f = 1;
        out->f = strtof(literal.text, NULL);
        return OB_OK;
    default: {
        ob_scanner number = *scan;
        number.p = at;
        set_type(out, OB_ATTR_INT);
        out->has_i = 1;
        return ob__scan_int64(&number, &out->i);
    }
    }
}

/* One value; `expected` is the annotated type, or UNDEFINED. */
static ob_status read_single(ob_text_parser *parser, ob_attribute_type expected, Onnx__AttributeProto *out) {
    ob_scanner *scan = &parser->scan;
    const char *start, *at = (ob__scan_peek(scan), scan->p);
    if (ob__scan_take(scan, '@')) {
        set_type(out, expected);
        if (expected == OB_ATTR_UNDEFINED) out->has_type = 0;
        return ob__scan_name(scan, "an attribute's name", &out->ref_attr_name);
    }
    if (expected == OB_ATTR_GRAPH) {
        char *name;
        OB_TRY(ob__scan_name(scan, "a graph's name", &name));
        return read_subgraph(parser, name, out);
    }
    if (ob__text_next_is_type(parser))
        OB_TRY(read_typed_value(parser, out));
    else if (ob__scan_peek_identifier(scan, &start) > 0 && !ob__scan_next_is_special_number(scan)) {
        char *name;
        OB_TRY(ob__scan_name(scan, "a value", &name));
        OB_TRY(read_subgraph(parser, name, out));
    } else
        OB_TRY(read_literal_value(parser, out));
    if (expected == OB_ATTR_FLOAT && out->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT) {
        ob_scanner number = *scan;
        number.p = at;
        set_type(out, OB_ATTR_FLOAT);
        out->has_i = 0;
        out->i = 0;
        out->has_f = 1;
        return ob__scan_float(&number, &out->f);
    }
    if (expected != OB_ATTR_UNDEFINED && (int)expected != (int)out->type)
        return ob__scan_fail(scan, at, "the value is of type %s, not %s as declared", type_name((ob_attribute_type)out->type),
                             type_name(expected));
    return OB_OK;
}

/* Moves one value into the list that it is an element of. */
static ob_status append_value(ob_text_parser *parser, const Onnx__AttributeProto *value, Onnx__AttributeProto *out) {
    void *slot = NULL;
    switch ((ob_attribute_type)value->type) {
    case OB_ATTR_INT:
        if ((slot = ob__text_push(parser, &out->ints, &out->n_ints, sizeof value->i))) memcpy(slot, &value->i, sizeof value->i);
        break;
    case OB_ATTR_FLOAT:
        if ((slot = ob__text_push(parser, &out->floats, &out->n_floats, sizeof value->f)))
            memcpy(slot, &value->f, sizeof value->f);
        break;
    case OB_ATTR_STRING:
        if ((slot = ob__text_push(parser, &out->strings, &out->n_strings, sizeof value->s)))
            memcpy(slot, &value->s, sizeof value->s);
        break;
    case OB_ATTR_TENSOR:
        if ((slot = ob__text_push(parser, &out->tensors, &out->n_tensors, sizeof value->t)))
            memcpy(slot, &value->t, sizeof value->t);
        break;
    case OB_ATTR_GRAPH:
        if ((slot = ob__text_push(parser, &out->graphs, &out->n_graphs, sizeof value->g)))
            memcpy(slot, &value->g, sizeof value->g);
        break;
    default:
        if ((slot = ob__text_push(parser, &out->type_protos, &out->n_type_protos, sizeof value->tp)))
            memcpy(slot, &value->tp, sizeof value->tp);
        break;
    }
    return slot ? OB_OK : out_of_memory(parser);
}

static ob_status read_value_list(ob_text_parser *parser, ob_attribute_type declared, Onnx__AttributeProto *out) {
    ob_scanner *scan = &parser->scan;
    ob_attribute_type expected = element_type(declared);
    if (declared != OB_ATTR_UNDEFINED && expected == OB_ATTR_UNDEFINED)
        return ob__scan_fail(scan, scan->p, "a list where one value of type %s is declared", type_name(declared));
    if (ob__scan_take(scan, ']')) {
        if (declared == OB_ATTR_UNDEFINED)
            return ob__scan_fail(scan, scan->p, "an empty list needs its type, such as \": ints\"");
        set_type(out, declared);
        return OB_OK;
    }
    do {
        Onnx__AttributeProto value = ONNX__ATTRIBUTE_PROTO__INIT;
        const char *at = (ob__scan_peek(scan), scan->p);
        OB_TRY(read_single(parser, expected, &value));
        if (value.ref_attr_name) return ob__scan_fail(scan, at, "a list cannot contain a reference");
        if (expected == OB_ATTR_UNDEFINED) expected = (ob_attribute_type)value.type;
        OB_TRY(append_value(parser, &value, out));
    } while (ob__scan_take(scan, ','));
    set_type(out, list_type(expected));
    return ob__scan_expect(scan, ']');
}

static ob_status read_attribute(ob_text_parser *parser, char *name, Onnx__AttributeProto *out) {
    ob_scanner *scan = &parser->scan;
    ob_attribute_type declared = OB_ATTR_UNDEFINED;
    out->name = name;
    if (ob__scan_take(scan, ':')) {
        char *word;
        const char *at = (ob__scan_peek(scan), scan->p);
        OB_TRY(ob__scan_identifier(scan, "an attribute type", &word));
        for (int i = 0; i < N_ATTRIBUTE_TYPES; i++)
            if (strcmp(attribute_types[i].name, word) == 0) declared = attribute_types[i].type;
        if (declared == OB_ATTR_UNDEFINED) return ob__scan_fail(scan, at, "\"%.60s\" is not an attribute type", word);
    }
    OB_TRY(ob__scan_expect(scan, '='));
    if (ob__scan_take(scan, '[')) return read_value_list(parser, declared, out);
    if (element_type(declared) != OB_ATTR_UNDEFINED && ob__scan_peek(scan) != '@')
        return ob__scan_expected(scan, "'[' (a list is declared)");
    return read_single(parser, declared, out);
}

static ob_status read_attributes(ob_text_parser *parser, Onnx__AttributeProto ***list, size_t *n) {
    if (!ob__scan_take(&parser->scan, '<')) return OB_OK;
    do {
        Onnx__AttributeProto *attribute = PUSH_MESSAGE(parser, list, n, onnx__attribute_proto__descriptor);
        if (!attribute) return out_of_memory(parser);
        char *name;
        OB_TRY(ob__scan_name(&parser->scan, "an attribute's name", &name));
        OB_TRY(read_attribute(parser, name, attribute));
    } while (ob__scan_take(&parser->scan, ','));
    return ob__scan_expect(&parser->scan, '>');
}

/* ---- Nodes ---- */

/* Names between commas, each of which may be omitted: "(, x)" has two, "(x,)" one. */
static ob_status read_names(ob_text_parser *parser, char ***list, size_t *n) {
    for (;;) {
        char *name;
        OB_TRY(ob__scan_optional_name(&parser->scan, &name));
        bool more = ob__scan_take(&parser->scan, ',');
        if (!name && !more) return OB_OK;
        char **slot = ob__text_push(parser, list, n, sizeof *slot);
        if (!slot) return out_of_memory(parser);
        *slot = name ? name : (char *)(uintptr_t) "";
        if (!more) return OB_OK;
    }
}

/* domain.of.the.Operator: everything before the last point is the domain. */
static ob_status read_operator(ob_text_parser *parser, Onnx__NodeProto *node) {
    ob_scanner *scan = &parser->scan;
    OB_TRY(ob__scan_name(scan, "an operator", &node->op_type));
    ob_text domain;
    ob__text_init(&domain, &scan->arena->allocator);
    ob_status status = OB_OK;
    bool any = false;
    for (; status == OB_OK && ob__scan_take(scan, '.'); any = true) {
        if (any) ob__text_puts(&domain, ".");
        ob__text_puts(&domain, node->op_type);
        status = ob__scan_name(scan, "an operator", &node->op_type);
    }
    if (status == OB_OK && any) node->domain = ob__arena_strndup(scan->arena, domain.data ? domain.data : "", domain.n);
    bool full = domain.failed || (status == OB_OK && any && !node->domain);
    ob__text_release(&domain);
    OB_TRY(status);
    if (full) return out_of_memory(parser);
    if (!ob__scan_take(scan, ':')) return OB_OK;
    char *overload;
    OB_TRY(ob__scan_name(scan, "an overload", &overload));
    return ob__extra_set_string(&parser->extras, OB_EXTRA_NODE_OVERLOAD, &node->base, overload, scan->arena, scan->error);
}

static ob_status read_node(ob_text_parser *parser, Onnx__NodeProto *node) {
    ob_scanner *scan = &parser->scan;
    if (++parser->n_nodes > parser->limits.max_nodes)
        return ob__fail(scan->error, OB_E_LIMIT, "more nodes than the limit of %llu",
                        (unsigned long long)parser->limits.max_nodes);
    if (ob__scan_take(scan, '[')) {
        OB_TRY(ob__scan_optional_name(scan, &node->name));
        OB_TRY(ob__scan_expect(scan, ']'));
    }
    OB_TRY(read_names(parser, &node->output, &node->n_output));
    OB_TRY(ob__scan_expect(scan, '='));
    OB_TRY(read_operator(parser, node));
    OB_TRY(read_attributes(parser, &node->attribute, &node->n_attribute));
    OB_TRY(ob__scan_expect(scan, '('));
    OB_TRY(read_names(parser, &node->input, &node->n_input));
    OB_TRY(ob__scan_expect(scan, ')'));
    return node->n_attribute == 0 ? read_attributes(parser, &node->attribute, &node->n_attribute) : OB_OK;
}

static ob_status read_nodes(ob_text_parser *parser, Onnx__NodeProto ***list, size_t *n) {
    OB_TRY(ob__scan_expect(&parser->scan, '{'));
    while (!ob__scan_take(&parser->scan, '}')) {
        Onnx__NodeProto *node = PUSH_MESSAGE(parser, list, n, onnx__node_proto__descriptor);
        if (!node) return out_of_memory(parser);
        OB_TRY(read_node(parser, node));
    }
    return OB_OK;
}

/* ---- Graphs ---- */

/* type? name */
static ob_status read_value_info(ob_text_parser *parser, Onnx__ValueInfoProto *out) {
    if (ob__text_next_is_type(parser)) OB_TRY(ob__text_type(parser, &out->type));
    return ob__scan_name(&parser->scan, "a value's name", &out->name);
}

static ob_status read_initializer(ob_text_parser *parser, const Onnx__ValueInfoProto *info, Onnx__GraphProto *graph) {
    Onnx__TensorProto *tensor = PUSH_MESSAGE(parser, &graph->initializer, &graph->n_initializer, onnx__tensor_proto__descriptor);
    if (!tensor) return out_of_memory(parser);
    tensor->name = info->name;
    return ob__text_tensor_data(parser, info->type, tensor);
}

/* ( type name [= data], ... ) */
static ob_status read_inputs(ob_text_parser *parser, Onnx__GraphProto *graph) {
    OB_TRY(ob__scan_expect(&parser->scan, '('));
    if (ob__scan_take(&parser->scan, ')')) return OB_OK;
    do {
        Onnx__ValueInfoProto *info = PUSH_MESSAGE(parser, &graph->input, &graph->n_input, onnx__value_info_proto__descriptor);
        if (!info) return out_of_memory(parser);
        OB_TRY(read_value_info(parser, info));
        if (ob__scan_take(&parser->scan, '=')) OB_TRY(read_initializer(parser, info, graph));
    } while (ob__scan_take(&parser->scan, ','));
    return ob__scan_expect(&parser->scan, ')');
}

static ob_status read_outputs(ob_text_parser *parser, Onnx__GraphProto *graph) {
    OB_TRY(ob__scan_expect(&parser->scan, '('));
    if (ob__scan_take(&parser->scan, ')')) return OB_OK;
    do {
        Onnx__ValueInfoProto *info = PUSH_MESSAGE(parser, &graph->output, &graph->n_output, onnx__value_info_proto__descriptor);
        if (!info) return out_of_memory(parser);
        OB_TRY(read_value_info(parser, info));
    } while (ob__scan_take(&parser->scan, ','));
    return ob__scan_expect(&parser->scan, ')');
}

/* < type name | type name = data, ... > */
static ob_status read_inner_values(ob_text_parser *parser, Onnx__GraphProto *graph) {
    if (!ob__scan_take(&parser->scan, '<') || ob__scan_take(&parser->scan, '>')) return OB_OK;
    do {
        Onnx__ValueInfoProto *info = OB_TEXT_MESSAGE(parser, onnx__value_info_proto__descriptor);
        if (!info) return out_of_memory(parser);
        OB_TRY(read_value_info(parser, info));
        if (ob__scan_take(&parser->scan, '=')) {
            OB_TRY(read_initializer(parser, info, graph));
            continue;
        }
        Onnx__ValueInfoProto **slot = ob__text_push(parser, &graph->value_info, &graph->n_value_info, sizeof *slot);
        if (!slot) return out_of_memory(parser);
        *slot = info;
    } while (ob__scan_take(&parser->scan, ','));
    return ob__scan_expect(&parser->scan, '>');
}

static ob_status expect_arrow(ob_text_parser *parser) {
    ob_scanner *scan = &parser->scan;
    ob__scan_peek(scan);
    if (scan->end - scan->p < 2 || memcmp(scan->p, "=>", 2) != 0) return ob__scan_expected(scan, "'=>'");
    scan->p += 2;
    return OB_OK;
}

static ob_status read_graph(ob_text_parser *parser, char *name, Onnx__GraphProto *graph) {
    graph->name = name;
    OB_TRY(read_inputs(parser, graph));
    OB_TRY(expect_arrow(parser));
    OB_TRY(read_outputs(parser, graph));
    OB_TRY(read_inner_values(parser, graph));
    return read_nodes(parser, &graph->node, &graph->n_node);
}

/* ---- Headers ---- */

static ob_status read_text(ob_text_parser *parser, char **out) {
    const char *at = (ob__scan_peek(&parser->scan), parser->scan.p);
    size_t n;
    OB_TRY(ob__scan_string(&parser->scan, out, &n));
    return strlen(*out) == n ? OB_OK : ob__scan_fail(&parser->scan, at, "the text holds a zero byte");
}

static ob_status read_opsets(ob_text_parser *parser, Onnx__OperatorSetIdProto ***list, size_t *n) {
    OB_TRY(ob__scan_expect(&parser->scan, '['));
    if (ob__scan_take(&parser->scan, ']')) return OB_OK;
    do {
        Onnx__OperatorSetIdProto *opset = PUSH_MESSAGE(parser, list, n, onnx__operator_set_id_proto__descriptor);
        if (!opset) return out_of_memory(parser);
        OB_TRY(read_text(parser, &opset->domain));
        OB_TRY(ob__scan_expect(&parser->scan, ':'));
        opset->has_version = 1;
        OB_TRY(ob__scan_int64(&parser->scan, &opset->version));
    } while (ob__scan_take(&parser->scan, ','));
    return ob__scan_expect(&parser->scan, ']');
}

/* Reads "< key: value, ... >" with `entry` for each key. */
typedef ob_status (*header_entry)(ob_text_parser *parser, const char *key, const char *at, void *message);

static ob_status read_header(ob_text_parser *parser, header_entry entry, void *message) {
    ob_scanner *scan = &parser->scan;
    if (!ob__scan_take(scan, '<')) return OB_OK;
    do {
        char *key;
        const char *at = (ob__scan_peek(scan), scan->p);
        OB_TRY(ob__scan_identifier(scan, "a key such as ir_version", &key));
        OB_TRY(ob__scan_expect(scan, ':'));
        OB_TRY(entry(parser, key, at, message));
    } while (ob__scan_take(scan, ','));
    return ob__scan_expect(scan, '>');
}

static ob_status model_entry(ob_text_parser *parser, const char *key, const char *at, void *message) {
    Onnx__ModelProto *model = message;
    if (strcmp(key, "ir_version") == 0) {
        model->has_ir_version = 1;
        return ob__scan_int64(&parser->scan, &model->ir_version);
    }
    if (strcmp(key, "model_version") == 0) {
        model->has_model_version = 1;
        return ob__scan_int64(&parser->scan, &model->model_version);
    }
    if (strcmp(key, "opset_import") == 0) return read_opsets(parser, &model->opset_import, &model->n_opset_import);
    if (strcmp(key, "producer_name") == 0) return read_text(parser, &model->producer_name);
    if (strcmp(key, "producer_version") == 0) return read_text(parser, &model->producer_version);
    if (strcmp(key, "domain") == 0) return read_text(parser, &model->domain);
    if (strcmp(key, "doc_string") == 0) return read_text(parser, &model->doc_string);
    if (strcmp(key, "metadata_props") == 0) return ob__text_key_values(parser, &model->metadata_props, &model->n_metadata_props);
    return ob__scan_fail(&parser->scan, at, "a model has no \"%.60s\"", key);
}

static ob_status function_entry(ob_text_parser *parser, const char *key, const char *at, void *message) {
    Onnx__FunctionProto *function = message;
    if (strcmp(key, "opset_import") == 0) return read_opsets(parser, &function->opset_import, &function->n_opset_import);
    if (strcmp(key, "domain") == 0) return read_text(parser, &function->domain);
    if (strcmp(key, "doc_string") == 0) return read_text(parser, &function->doc_string);
    if (strcmp(key, "overload") == 0) {
        char *overload;
        OB_TRY(read_text(parser, &overload));
        return ob__extra_set_string(&parser->extras, OB_EXTRA_FUNCTION_OVERLOAD, &function->base, overload, parser->scan.arena,
                                    parser->scan.error);
    }
    return ob__scan_fail(&parser->scan, at, "a function has no \"%.60s\"", key);
}

/* ---- Functions ---- */

/* < name | name: type = default, ... > */
static ob_status read_function_attributes(ob_text_parser *parser, Onnx__FunctionProto *function) {
    ob_scanner *scan = &parser->scan;
    Onnx__AttributeProto **defaults = NULL;
    size_t n = 0;
    if (!ob__scan_take(scan, '<') || ob__scan_take(scan, '>')) return OB_OK;
    do {
        char *name;
        OB_TRY(ob__scan_name(scan, "an attribute's name", &name));
        char next = ob__scan_peek(scan);
        if (next == ':' || next == '=') {
            Onnx__AttributeProto *attribute = PUSH_MESSAGE(parser, &defaults, &n, onnx__attribute_proto__descriptor);
            if (!attribute) return out_of_memory(parser);
            OB_TRY(read_attribute(parser, name, attribute));
            continue;
        }
        char **slot = ob__text_push(parser, &function->attribute, &function->n_attribute, sizeof *slot);
        if (!slot) return out_of_memory(parser);
        *slot = name;
    } while (ob__scan_take(scan, ','));
    OB_TRY(ob__scan_expect(scan, '>'));
    if (n == 0) return OB_OK;
    return ob__extra_set_messages(&parser->extras, OB_EXTRA_FUNCTION_ATTRIBUTES, &function->base, (ProtobufCMessage **)defaults,
                                  n, scan->arena, scan->error);
}

typedef struct info_list {
    Onnx__ValueInfoProto **infos;
    size_t n;
} info_list;

/* ( type? name, ... ): names to the list, typed ones to `infos` too. */
static ob_status read_parameters(ob_text_parser *parser, char ***names, size_t *n, info_list *infos) {
    OB_TRY(ob__scan_expect(&parser->scan, '('));
    if (ob__scan_take(&parser->scan, ')')) return OB_OK;
    do {
        Onnx__ValueInfoProto *info = OB_TEXT_MESSAGE(parser, onnx__value_info_proto__descriptor);
        char **slot = ob__text_push(parser, names, n, sizeof *slot);
        if (!info || !slot) return out_of_memory(parser);
        OB_TRY(read_value_info(parser, info));
        *slot = info->name;
        if (!info->type) continue;
        Onnx__ValueInfoProto **typed = ob__text_push(parser, &infos->infos, &infos->n, sizeof *typed);
        if (!typed) return out_of_memory(parser);
        *typed = info;
    } while (ob__scan_take(&parser->scan, ','));
    return ob__scan_expect(&parser->scan, ')');
}

static ob_status read_function_values(ob_text_parser *parser, info_list *infos) {
    if (!ob__scan_take(&parser->scan, '<') || ob__scan_take(&parser->scan, '>')) return OB_OK;
    do {
        Onnx__ValueInfoProto *info = PUSH_MESSAGE(parser, &infos->infos, &infos->n, onnx__value_info_proto__descriptor);
        if (!info) return out_of_memory(parser);
        OB_TRY(read_value_info(parser, info));
    } while (ob__scan_take(&parser->scan, ','));
    return ob__scan_expect(&parser->scan, '>');
}

static ob_status read_function(ob_text_parser *parser, Onnx__FunctionProto *function) {
    info_list infos = {0};
    OB_TRY(read_header(parser, function_entry, function));
    OB_TRY(ob__scan_name(&parser->scan, "a function's name", &function->name));
    OB_TRY(read_function_attributes(parser, function));
    OB_TRY(read_parameters(parser, &function->input, &function->n_input, &infos));
    OB_TRY(expect_arrow(parser));
    OB_TRY(read_parameters(parser, &function->output, &function->n_output, &infos));
    OB_TRY(read_function_values(parser, &infos));
    if (infos.n > 0)
        OB_TRY(ob__extra_set_messages(&parser->extras, OB_EXTRA_FUNCTION_VALUE_INFO, &function->base,
                                      (ProtobufCMessage **)infos.infos, infos.n, parser->scan.arena, parser->scan.error));
    return read_nodes(parser, &function->node, &function->n_node);
}

/* ---- The model ---- */

static ob_status read_model(ob_text_parser *parser, Onnx__ModelProto *model) {
    char *name;
    const char *start;
    char first = ob__scan_peek(&parser->scan);
    if (first != '<' && first != '"' && ob__scan_peek_identifier(&parser->scan, &start) == 0)
        return ob__scan_fail(&parser->scan, parser->scan.p, "not an ONNX model: neither protobuf nor ONNX text starts like this");
    OB_TRY(read_header(parser, model_entry, model));
    OB_TRY(ob__scan_name(&parser->scan, "the name of the graph", &name));
    model->graph = OB_TEXT_MESSAGE(parser, onnx__graph_proto__descriptor);
    if (!model->graph) return out_of_memory(parser);
    OB_TRY(read_graph(parser, name, model->graph));
    while (ob__scan_peek(&parser->scan), parser->scan.p < parser->scan.end) {
        Onnx__FunctionProto *function =
            PUSH_MESSAGE(parser, &model->functions, &model->n_functions, onnx__function_proto__descriptor);
        if (!function) return out_of_memory(parser);
        OB_TRY(read_function(parser, function));
    }
    return OB_OK;
}

ob_status ob__text_read_model(const char *text, size_t n, const ob_load_limits *limits, ob_arena *arena, Onnx__ModelProto **out,
                              ob_error *error) {
    ob_text_parser parser = {.scan = {text, text, text + n, arena, error}, .limits = *limits};
    if (parser.limits.max_depth > 128) parser.limits.max_depth = 128; /* of the C stack */
    ob__extras_init(&parser.extras);
    Onnx__ModelProto *model = OB_TEXT_MESSAGE(&parser, onnx__model_proto__descriptor);
    if (!model) return out_of_memory(&parser);
    ob_plain_numbers numbers;
    OB_TRY(ob__plain_numbers_begin(&numbers, error));
    ob_status status = read_model(&parser, model);
    ob__plain_numbers_end(&numbers);
    if (status == OB_OK) *out = model;
    return status;
}
