/* ModelProto -> ob_model. First every graph's definitions (inputs, initializers, node outputs), subgraphs included, then the
 * uses: a name may be used before its definition; the verifier tests the order. The depth of the recursion is limited by the
 * earlier walk over the file. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "proto/proto.h"

enum { MAX_OPSETS = 1024 }; /* of a model or function: they are searched one by one */

static ob_status read_graph(ob_reader *reader, const Onnx__GraphProto *message, ob_graph *graph);

static ob_status out_of_memory(const ob_reader *reader) {
    return ob__arena_failure(&reader->model->arena, reader->error);
}

/* Where in the model an error is. */
static ob_status at(ob_reader *reader, const ob_node *node, const char *value, ob_status status) {
    if (!reader->error) return status;
    if (node) {
        ob__copy_text(reader->error->node, sizeof reader->error->node, node->name);
        ob__copy_text(reader->error->op_type, sizeof reader->error->op_type, node->op_type);
    }
    if (value) ob__copy_text(reader->error->value, sizeof reader->error->value, value);
    return status;
}

/* ---- Small things ---- */

static ob_status read_key_values(ob_reader *reader, Onnx__StringStringEntryProto *const *entries, size_t n,
                                 const ob_key_value **out, uint32_t *n_out) {
    if (n == 0) return OB_OK;
    ob_key_value *copy = OB_ARENA_ARRAY(&reader->model->arena, ob_key_value, n);
    if (!copy) return out_of_memory(reader);
    for (size_t i = 0; i < n; i++) copy[i] = (ob_key_value){ob__str(entries[i]->key), ob__str(entries[i]->value)};
    *out = copy;
    *n_out = (uint32_t)n;
    return OB_OK;
}

static const char *normal_domain(const char *domain) {
    domain = ob__str(domain);
    return strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

static ob_status read_opsets(ob_reader *reader, Onnx__OperatorSetIdProto *const *imports, size_t n, const ob_opset **out,
                             uint32_t *n_out) {
    OB_FAIL_IF(n > MAX_OPSETS, reader->error, OB_E_LIMIT, "%zu imports of operator sets, the limit is %d", n, MAX_OPSETS);
    ob_opset *opsets = OB_ARENA_ARRAY(&reader->model->arena, ob_opset, n);
    if (!opsets) return out_of_memory(reader);
    for (size_t i = 0; i < n; i++) opsets[i] = (ob_opset){normal_domain(imports[i]->domain), imports[i]->version};
    *out = opsets;
    *n_out = (uint32_t)n;
    return OB_OK;
}

static const char *intern(ob_reader *reader, const char *text) {
    return ob__intern(reader->model, text, strlen(text));
}

/* ---- Values ---- */

static const char *graph_label(const ob_graph *graph) {
    return graph->name[0] ? graph->name : "(unnamed)";
}

/* Defines a value; `how` names the definition in messages. */
static ob_status define(ob_reader *reader, ob_graph *graph, const ob_node *node, const char *name, const char *how,
                        ob_value **out) {
    OB_FAIL_IF(name[0] == '\0', reader->error, OB_E_MODEL, "graph \"%s\": %s has no name", graph_label(graph), how);
    bool exists = false;
    ob_value *value = ob__value_define(graph, name, strlen(name), &exists);
    if (exists) {
        ob__fail(reader->error, OB_E_MODEL, "graph \"%s\": value \"%s\" is defined twice, the second time by %s",
                 graph_label(graph), name, how);
        return at(reader, node, name, OB_E_MODEL);
    }
    if (!value) return out_of_memory(reader);
    *out = value;
    return OB_OK;
}

static ob_status read_inputs(ob_reader *reader, Onnx__ValueInfoProto *const *infos, size_t n, ob_graph *graph) {
    graph->inputs = OB_ARENA_ARRAY(&reader->model->arena, ob_value *, n);
    if (!graph->inputs) return out_of_memory(reader);
    for (size_t i = 0; i < n; i++) {
        ob_value *value = NULL;
        OB_TRY(define(reader, graph, NULL, ob__str(infos[i]->name), "a graph input", &value));
        value->is_input = true;
        value->origin = infos[i];
        value->doc = ob__str(infos[i]->doc_string);
        OB_TRY(at(reader, NULL, value->name, ob__read_type(reader, infos[i]->type, value->name, &value->declared)));
        graph->inputs[graph->n_inputs++] = value;
    }
    return OB_OK;
}

/* The value that an initializer fills: an input of that name gets it as its default. */
static ob_status initializer_value(ob_reader *reader, ob_graph *graph, const char *name, ob_value **out) {
    ob_map_entry *entry = ob__map_find(&graph->values, name, strlen(name));
    ob_value *value = entry ? entry->value : NULL;
    if (!value || value->is_initializer) OB_TRY(define(reader, graph, NULL, name, "an initializer", &value));
    *out = value;
    return OB_OK;
}

static ob_status read_sparse(ob_reader *reader, const Onnx__SparseTensorProto *message, ob_tensor **out) {
    return ob__read_sparse(&reader->model->arena, message, &reader->limits, out, reader->error);
}

static ob_status add_initializer(ob_reader *reader, ob_graph *graph, const ob_tensor *tensor) {
    ob_value *value = NULL;
    OB_TRY(initializer_value(reader, graph, tensor->name, &value));
    return ob__graph_add_initializer(graph, value, tensor) ? OB_OK : out_of_memory(reader);
}

static ob_status read_initializers(ob_reader *reader, const Onnx__GraphProto *message, ob_graph *graph) {
    for (size_t i = 0; i < message->n_initializer; i++) {
        const Onnx__TensorProto *initializer = message->initializer[i];
        ob_tensor *tensor = NULL;
        OB_TRY(at(reader, NULL, ob__str(initializer->name),
                  ob__read_initializer(&reader->model->arena, initializer, reader->limits.max_rank, &tensor, reader->error)));
        OB_TRY(add_initializer(reader, graph, tensor));
    }
    for (size_t i = 0; i < message->n_sparse_initializer; i++) {
        ob_tensor *tensor = NULL;
        OB_TRY(read_sparse(reader, message->sparse_initializer[i], &tensor));
        OB_TRY(add_initializer(reader, graph, tensor));
    }
    return OB_OK;
}

static ob_status read_value_info(ob_reader *reader, Onnx__ValueInfoProto *const *infos, size_t n, ob_graph *graph) {
    for (size_t i = 0; i < n; i++) {
        const char *name = ob__str(infos[i]->name);
        ob_map_entry *entry = ob__map_find(&graph->values, name, strlen(name));
        ob_value *value = entry ? entry->value : NULL;
        if (!value || value->origin)
            continue; /* about no value, or already declared by an input or output: kept in the file's message */
        value->origin = infos[i];
        value->doc = ob__str(infos[i]->doc_string);
        if (value->declared.kind == OB_TYPE_UNKNOWN)
            OB_TRY(at(reader, NULL, name, ob__read_type(reader, infos[i]->type, name, &value->declared)));
    }
    return OB_OK;
}

/* ---- Attributes ---- */

/* In files older than the `type` field the filled member tells the type. A number newer than this program stays in the message.
 * */
ob_attribute_type ob__attribute_type(const Onnx__AttributeProto *message) {
    int number = (int)message->type; /* the file's: any number */
    if (message->has_type && number != 0)
        return number > 0 && number < OB_ATTR_COUNT ? (ob_attribute_type)number : OB_ATTR_UNDEFINED;
    if (message->has_f) return OB_ATTR_FLOAT;
    if (message->has_i) return OB_ATTR_INT;
    if (message->has_s) return OB_ATTR_STRING;
    if (message->t) return OB_ATTR_TENSOR;
    if (message->g) return OB_ATTR_GRAPH;
    if (message->n_floats) return OB_ATTR_FLOATS;
    if (message->n_ints) return OB_ATTR_INTS;
    if (message->n_strings) return OB_ATTR_STRINGS;
    if (message->n_tensors) return OB_ATTR_TENSORS;
    if (message->n_graphs) return OB_ATTR_GRAPHS;
    return OB_ATTR_UNDEFINED;
}

static ob_status read_string(ob_reader *reader, const ProtobufCBinaryData *bytes, ob_string *out) {
    /* Copied to add a NUL. */
    const char *copy = ob__arena_strndup(&reader->model->arena, (const char *)bytes->data, bytes->len);
    if (!copy) return out_of_memory(reader);
    *out = (ob_string){copy, bytes->len};
    return OB_OK;
}

static ob_status read_subgraph(ob_reader *reader, const Onnx__GraphProto *message, ob_graph *graph, ob_node *node,
                               const char *attribute, ob_graph **out) {
    ob_graph *subgraph = ob__graph_new(reader->model, graph, node);
    if (!subgraph) return out_of_memory(reader);
    subgraph->attribute = attribute;
    *out = subgraph;
    return read_graph(reader, message, subgraph);
}

static ob_status read_attribute_tensor(ob_reader *reader, const Onnx__TensorProto *message, const char *name, ob_tensor **out) {
    return ob__read_tensor(&reader->model->arena, message, reader->limits.max_rank, name, out, reader->error);
}

/* The lists whose elements have to be built. */
static ob_status read_list(ob_reader *reader, const Onnx__AttributeProto *message, ob_graph *graph, ob_node *node,
                           ob_attribute *out) {
    ob_arena *arena = &reader->model->arena;
    size_t n = out->type == OB_ATTR_STRINGS          ? message->n_strings
               : out->type == OB_ATTR_TENSORS        ? message->n_tensors
               : out->type == OB_ATTR_GRAPHS         ? message->n_graphs
               : out->type == OB_ATTR_SPARSE_TENSORS ? message->n_sparse_tensors
                                                     : message->n_type_protos;
    out->n = (uint32_t)n;
    if (out->type == OB_ATTR_STRINGS) {
        ob_string *strings = OB_ARENA_ARRAY(arena, ob_string, n);
        if (!strings) return out_of_memory(reader);
        out->u.strings = strings;
        for (size_t i = 0; i < n; i++) OB_TRY(read_string(reader, &message->strings[i], &strings[i]));
        return OB_OK;
    }
    void **elements = OB_ARENA_ARRAY(arena, void *, n);
    if (!elements) return out_of_memory(reader);
    if (out->type == OB_ATTR_GRAPHS) {
        out->u.graphs = (ob_graph **)elements;
        for (size_t i = 0; i < n; i++)
            OB_TRY(read_subgraph(reader, message->graphs[i], graph, node, out->name, &out->u.graphs[i]));
    } else if (out->type == OB_ATTR_TYPE_PROTOS) {
        out->u.types = (ob_type **)elements;
        for (size_t i = 0; i < n; i++) {
            out->u.types[i] = OB_ARENA_NEW(arena, ob_type);
            if (!out->u.types[i]) return out_of_memory(reader);
            OB_TRY(ob__read_type(reader, message->type_protos[i], out->name, out->u.types[i]));
        }
    } else {
        out->u.tensors = (ob_tensor **)elements;
        for (size_t i = 0; i < n; i++)
            OB_TRY(out->type == OB_ATTR_TENSORS
                       ? read_attribute_tensor(reader, message->tensors[i], out->name, &out->u.tensors[i])
                       : read_sparse(reader, message->sparse_tensors[i], &out->u.tensors[i]));
    }
    return OB_OK;
}

static ob_status missing_content(ob_reader *reader, const ob_attribute *attribute, const char *what) {
    return ob__fail(reader->error, OB_E_MODEL, "attribute \"%s\" is declared as %s but holds none", attribute->name, what);
}

static ob_status read_content(ob_reader *reader, const Onnx__AttributeProto *message, ob_graph *graph, ob_node *node,
                              ob_attribute *out) {
    switch (out->type) {
    case OB_ATTR_FLOAT: out->u.f = message->f; return OB_OK;
    case OB_ATTR_INT: out->u.i = message->i; return OB_OK;
    case OB_ATTR_STRING: return read_string(reader, &message->s, &out->u.s);
    case OB_ATTR_FLOATS: out->u.floats = message->floats, out->n = (uint32_t)message->n_floats; return OB_OK;
    case OB_ATTR_INTS: out->u.ints = message->ints, out->n = (uint32_t)message->n_ints; return OB_OK;
    case OB_ATTR_TENSOR:
        if (!message->t) return missing_content(reader, out, "a tensor");
        return read_attribute_tensor(reader, message->t, out->name, &out->u.tensor);
    case OB_ATTR_SPARSE_TENSOR:
        if (!message->sparse_tensor) return missing_content(reader, out, "a sparse tensor");
        return read_sparse(reader, message->sparse_tensor, &out->u.tensor);
    case OB_ATTR_GRAPH:
        if (!message->g) return missing_content(reader, out, "a graph");
        return read_subgraph(reader, message->g, graph, node, out->name, &out->u.graph);
    case OB_ATTR_TYPE_PROTO:
        out->u.type = OB_ARENA_NEW(&reader->model->arena, ob_type);
        if (!out->u.type) return out_of_memory(reader);
        return ob__read_type(reader, message->tp, out->name, out->u.type);
    case OB_ATTR_STRINGS:
    case OB_ATTR_TENSORS:
    case OB_ATTR_GRAPHS:
    case OB_ATTR_SPARSE_TENSORS:
    case OB_ATTR_TYPE_PROTOS: return read_list(reader, message, graph, node, out);
    default: return OB_OK; /* UNDEFINED: a kind that is newer than this program */
    }
}

static ob_status read_attribute(ob_reader *reader, const Onnx__AttributeProto *message, ob_graph *graph, ob_node *node,
                                ob_attribute **out) {
    ob_attribute *attribute = OB_ARENA_NEW(&reader->model->arena, ob_attribute);
    if (!attribute) return out_of_memory(reader);
    attribute->name = intern(reader, ob__str(message->name));
    if (!attribute->name) return out_of_memory(reader);
    attribute->type = ob__attribute_type(message);
    attribute->ref = message->ref_attr_name && message->ref_attr_name[0] ? message->ref_attr_name : NULL;
    attribute->n = 1;
    attribute->doc = ob__str(message->doc_string);
    attribute->origin = message;
    *out = attribute;
    if (attribute->ref) return OB_OK;
    return read_content(reader, message, graph, node, attribute);
}

static bool has_duplicates(ob_arena *arena, ob_attribute *const *attributes, uint32_t n, const char **name) {
    enum { FEW = 16 };
    if (n <= FEW) {
        for (uint32_t i = 1; i < n; i++)
            for (uint32_t k = 0; k < i; k++)
                if (attributes[i]->name == attributes[k]->name) return *name = attributes[i]->name, true;
        return false;
    }
    ob_map seen;
    ob__map_init(&seen, arena);
    for (uint32_t i = 0; i < n; i++) {
        ob_map_entry *entry = ob__map_insert_borrowed(&seen, attributes[i]->name, strlen(attributes[i]->name));
        if (entry && entry->value) return *name = attributes[i]->name, true;
        if (entry) entry->value = attributes[i];
    }
    return false;
}

static ob_status read_attributes(ob_reader *reader, Onnx__AttributeProto *const *messages, size_t n, ob_graph *graph,
                                 ob_node *node, ob_attribute ***out, uint32_t *n_out) {
    if (n == 0) return OB_OK;
    ob_attribute **attributes = OB_ARENA_ARRAY(&reader->model->arena, ob_attribute *, n);
    if (!attributes) return out_of_memory(reader);
    for (size_t i = 0; i < n; i++) OB_TRY(read_attribute(reader, messages[i], graph, node, &attributes[i]));
    const char *name;
    OB_FAIL_IF(has_duplicates(&reader->model->arena, attributes, (uint32_t)n, &name), reader->error, OB_E_MODEL,
               "attribute \"%s\" occurs twice", name);
    *out = attributes;
    *n_out = (uint32_t)n;
    return OB_OK;
}

/* ---- Nodes ---- */

static ob_status read_node(ob_reader *reader, const Onnx__NodeProto *message, ob_graph *graph) {
    const char *op_type = ob__str(message->op_type);
    if (op_type[0] == '\0') {
        if (reader->error) ob__copy_text(reader->error->node, sizeof reader->error->node, message->name);
        return ob__fail(reader->error, OB_E_MODEL, "graph \"%s\": node %u \"%s\" has no operator type", graph_label(graph),
                        graph->n_nodes, ob__str(message->name));
    }
    ob_node *node = ob__node_new(graph, NULL, normal_domain(message->domain), op_type, (uint32_t)message->n_input,
                                 (uint32_t)message->n_output);
    if (!node) return out_of_memory(reader);
    node->name = ob__str(message->name);
    node->doc = ob__str(message->doc_string);
    node->origin = message;
    for (size_t i = 0; i < message->n_output; i++) {
        if (message->output[i][0] == '\0') continue;
        ob_value *value = NULL;
        OB_TRY(define(reader, graph, node, message->output[i], "a node's output", &value));
        ob__node_set_output(node, (uint32_t)i, value);
    }
    ProtobufCMessage **metadata = NULL;
    size_t n_metadata = 0;
    if (message->base.n_unknown_fields || reader->extras.fields[OB_EXTRA_NODE_OVERLOAD]) {
        node->overload = ob__extra_string(&reader->extras, OB_EXTRA_NODE_OVERLOAD, &message->base, &reader->model->arena);
        if (!node->overload) return out_of_memory(reader);
        OB_TRY(ob__extra_messages(&reader->extras, OB_EXTRA_NODE_METADATA, &message->base, &reader->limits, &reader->model->arena,
                                  &metadata, &n_metadata, reader->error));
    }
    OB_TRY(
        read_key_values(reader, (Onnx__StringStringEntryProto *const *)metadata, n_metadata, &node->metadata, &node->n_metadata));
    ob_status status =
        read_attributes(reader, message->attribute, message->n_attribute, graph, node, &node->attributes, &node->n_attributes);
    if (status != OB_OK && reader->error && reader->error->node[0] == '\0') at(reader, node, NULL, status);
    return status;
}

static ob_status read_nodes(ob_reader *reader, Onnx__NodeProto *const *nodes, size_t n, ob_graph *graph) {
    enum { AHEAD = 6 };
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n && nodes[i + AHEAD]->n_output > 0) {
            const char *name = nodes[i + AHEAD]->output[0];
            ob__map_prefetch(&graph->values, name, strlen(name));
        }
        OB_TRY(read_node(reader, nodes[i], graph));
    }
    return OB_OK;
}

/* Everything of a graph but the uses of values. */
static ob_status read_graph(ob_reader *reader, const Onnx__GraphProto *message, ob_graph *graph) {
    graph->name = ob__str(message->name);
    graph->doc = ob__str(message->doc_string);
    graph->origin = message;
    size_t n_expected = message->n_node + message->n_input + message->n_initializer;
    if (!ob__map_reserve(&graph->values, n_expected)) return out_of_memory(reader);
    OB_TRY(read_inputs(reader, message->input, message->n_input, graph));
    OB_TRY(read_initializers(reader, message, graph));
    return read_nodes(reader, message->node, message->n_node, graph);
}

/* ---- Functions ---- */

static ob_map_entry *function_entry(ob_reader *reader, const char *domain, const char *name, const char *overload, bool insert) {
    char room[256];
    size_t n;
    const char *key = ob__function_key(room, sizeof room, &reader->model->arena, domain, name, overload, &n);
    if (!key) return NULL;
    return insert ? ob__map_insert(&reader->functions, key, n) : ob__map_find(&reader->functions, key, n);
}

static ob_status read_function_attributes(ob_reader *reader, const Onnx__FunctionProto *message, ob_function *function) {
    ob_arena *arena = &reader->model->arena;
    function->attributes = OB_ARENA_ARRAY(arena, const char *, message->n_attribute);
    if (!function->attributes) return out_of_memory(reader);
    for (size_t i = 0; i < message->n_attribute; i++) function->attributes[i] = message->attribute[i];
    function->n_attributes = (uint32_t)message->n_attribute;
    ProtobufCMessage **defaults;
    size_t n;
    OB_TRY(ob__extra_messages(&reader->extras, OB_EXTRA_FUNCTION_ATTRIBUTES, &message->base, &reader->limits, arena, &defaults,
                              &n, reader->error));
    return read_attributes(reader, (Onnx__AttributeProto *const *)defaults, n, function->body, NULL,
                           &function->attribute_defaults, &function->n_attribute_defaults);
}

static ob_status read_function_inputs(ob_reader *reader, const Onnx__FunctionProto *message, ob_graph *body) {
    body->inputs = OB_ARENA_ARRAY(&reader->model->arena, ob_value *, message->n_input);
    if (!body->inputs) return out_of_memory(reader);
    for (size_t i = 0; i < message->n_input; i++) {
        ob_value *value = NULL;
        OB_TRY(define(reader, body, NULL, message->input[i], "a function input", &value));
        value->is_input = true;
        body->inputs[body->n_inputs++] = value;
    }
    return OB_OK;
}

static ob_status read_function(ob_reader *reader, const Onnx__FunctionProto *message, ob_function **out) {
    ob_arena *arena = &reader->model->arena;
    ob_function *function = OB_ARENA_NEW(arena, ob_function);
    ob_graph *body = ob__graph_new(reader->model, NULL, NULL);
    if (!function || !body) return out_of_memory(reader);
    function->name = ob__str(message->name);
    function->domain = normal_domain(message->domain);
    function->overload = ob__extra_string(&reader->extras, OB_EXTRA_FUNCTION_OVERLOAD, &message->base, arena);
    if (!function->overload) return out_of_memory(reader);
    function->doc = ob__str(message->doc_string);
    function->origin = message;
    function->body = body;
    body->function = function;
    body->name = function->name;
    body->origin = message;
    OB_FAIL_IF(function->name[0] == '\0', reader->error, OB_E_MODEL, "a function has no name");
    ob_map_entry *entry = function_entry(reader, function->domain, function->name, function->overload, true);
    if (!entry) return out_of_memory(reader);
    OB_FAIL_IF(entry->value, reader->error, OB_E_MODEL, "function \"%s\" of domain \"%s\" is defined twice", function->name,
               function->domain);
    entry->value = function;
    OB_TRY(read_opsets(reader, message->opset_import, message->n_opset_import, &function->opsets, &function->n_opsets));
    OB_TRY(read_function_attributes(reader, message, function));
    OB_TRY(read_function_inputs(reader, message, body));
    OB_TRY(read_nodes(reader, message->node, message->n_node, body));
    *out = function;
    return OB_OK;
}

static ob_status read_functions(ob_reader *reader, const Onnx__ModelProto *message) {
    ob_model *model = reader->model;
    if (message->n_functions == 0) return OB_OK;
    model->functions = OB_ARENA_ARRAY(&model->arena, ob_function *, message->n_functions);
    if (!model->functions) return out_of_memory(reader);
    for (size_t i = 0; i < message->n_functions; i++) {
        OB_TRY(read_function(reader, message->functions[i], &model->functions[i]));
        model->n_functions++;
    }
    return OB_OK;
}

/* ---- Uses ---- */

static ob_status undefined_name(ob_reader *reader, const ob_graph *graph, const ob_node *node, const char *name) {
    if (node)
        ob__fail(reader->error, OB_E_MODEL, "graph \"%s\": node \"%s\" (%s) uses \"%s\", which nothing defines",
                 graph_label(graph), node->name, node->op_type, name);
    else
        ob__fail(reader->error, OB_E_MODEL, "graph \"%s\": the output \"%s\" is not defined by anything", graph_label(graph),
                 name);
    return at(reader, node, name, OB_E_MODEL);
}

/* Most names were defined a few nodes ago: a small table of the latest outputs spares the large map's cache misses. */
static ob_value **recent_slot(ob_reader *reader, const char *name, size_t n) {
    return &reader->recent[ob__hash_bytes(name, n) % OB_READER_RECENT];
}

static ob_value *find_value(ob_reader *reader, const ob_graph *graph, const char *name) {
    size_t n = strlen(name);
    ob_value **slot = recent_slot(reader, name, n);
    if (*slot && (*slot)->graph == graph && strcmp((*slot)->name, name) == 0) return *slot;
    return *slot = ob__value_find(graph, name, n);
}

static ob_status resolve_node(ob_reader *reader, ob_graph *graph, ob_node *node) {
    const Onnx__NodeProto *message = node->origin;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) *recent_slot(reader, node->outputs[i]->name, strlen(node->outputs[i]->name)) = node->outputs[i];
    for (size_t i = 0; i < message->n_input; i++) {
        const char *name = message->input[i];
        if (name[0] == '\0') continue;
        node->inputs[i] = find_value(reader, graph, name);
        if (!node->inputs[i]) return undefined_name(reader, graph, node, name);
    }
    if (reader->model->n_functions == 0) return OB_OK;
    ob_map_entry *entry = function_entry(reader, node->domain, node->op_type, node->overload, false);
    node->function = entry ? entry->value : NULL;
    return OB_OK;
}

static ob_status resolve_output(ob_reader *reader, ob_graph *graph, const char *name, const Onnx__ValueInfoProto *info) {
    ob_value *value = ob__value_find(graph, name, strlen(name));
    if (!value) return undefined_name(reader, graph, NULL, name);
    graph->outputs[graph->n_outputs++] = value;
    if (value->graph != graph) return OB_OK;
    value->is_output = true;
    if (!info || value->origin) return OB_OK; /* an input that is also an output has its type already */
    value->origin = info;
    value->doc = ob__str(info->doc_string);
    ob_type type;
    OB_TRY(at(reader, NULL, name, ob__read_type(reader, info->type, name, &type)));
    if (type.kind != OB_TYPE_UNKNOWN) value->declared = type;
    return OB_OK;
}

static ob_status resolve_outputs(ob_reader *reader, ob_graph *graph) {
    const Onnx__FunctionProto *function = graph->function && !graph->parent ? graph->origin : NULL;
    const Onnx__GraphProto *message = function ? NULL : graph->origin;
    size_t n = function ? function->n_output : message->n_output;
    graph->outputs = OB_ARENA_ARRAY(&reader->model->arena, ob_value *, n);
    if (!graph->outputs) return out_of_memory(reader);
    for (size_t i = 0; i < n; i++)
        OB_TRY(function ? resolve_output(reader, graph, function->output[i], NULL)
                        : resolve_output(reader, graph, ob__str(message->output[i]->name), message->output[i]));
    if (message) return read_value_info(reader, message->value_info, message->n_value_info, graph);
    ProtobufCMessage **infos;
    size_t n_infos;
    OB_TRY(ob__extra_messages(&reader->extras, OB_EXTRA_FUNCTION_VALUE_INFO, &function->base, &reader->limits,
                              &reader->model->arena, &infos, &n_infos, reader->error));
    return read_value_info(reader, (Onnx__ValueInfoProto *const *)infos, n_infos, graph);
}

static ob_status resolve_graph(void *context, ob_graph *graph) {
    ob_reader *reader = context;
    for (ob_node *node = graph->first; node; node = node->next) OB_TRY(resolve_node(reader, graph, node));
    return resolve_outputs(reader, graph);
}

/* ---- The model ---- */

static ob_status read_header(ob_reader *reader, const Onnx__ModelProto *message) {
    ob_model *model = reader->model;
    model->origin = message;
    model->ir_version = message->ir_version;
    model->producer_name = ob__str(message->producer_name);
    model->producer_version = ob__str(message->producer_version);
    model->model_domain = ob__str(message->domain);
    model->model_version = message->model_version;
    model->doc = ob__str(message->doc_string);
    OB_TRY(read_key_values(reader, message->metadata_props, message->n_metadata_props, &model->metadata, &model->n_metadata));
    if (message->n_opset_import == 0 && message->ir_version < 3) {
        /* Before IR version 3 there was one operator set and no import. */
        return ob__model_set_opset(model, "", 1) ? OB_OK : out_of_memory(reader);
    }
    return read_opsets(reader, message->opset_import, message->n_opset_import, &model->opsets, &model->n_opsets);
}

static ob_status read_model(ob_model *model, const Onnx__ModelProto *message, const ob_load_limits *limits, ob_value **recent,
                            ob_error *error) {
    ob_reader reader = {.model = model, .limits = *limits, .recent = recent, .error = error};
    ob__extras_init(&reader.extras);
    ob__map_init(&reader.functions, &model->arena);
    OB_FAIL_IF(!message->graph, error, OB_E_FORMAT, "not an ONNX model: it holds no graph");
    OB_TRY(read_header(&reader, message));
    OB_TRY(read_functions(&reader, message));
    OB_TRY(read_graph(&reader, message->graph, model->graph));
    ob_status status = ob__model_each_graph(model, resolve_graph, &reader);
    if (status == OB_OK) status = ob__model_sort(model);
    if (status == OB_E_MEMORY && error && error->code != OB_E_MEMORY) out_of_memory(&reader);
    OB_TRY(status);
    status = ob_dims_status(model->dims);
    return status == OB_OK ? OB_OK : ob__fail(error, status, "too many symbolic dimensions");
}

ob_status ob__read_model(ob_model *model, const Onnx__ModelProto *message, const ob_load_limits *limits, ob_error *error) {
    ob_arena arena; /* for data that only reading needs */
    ob__arena_init(&arena, &model->arena.allocator);
    ob_value **recent = OB_ARENA_ARRAY(&arena, ob_value *, OB_READER_RECENT);
    ob_status status = recent ? read_model(model, message, limits, recent, error) : OB_E_MEMORY;
    if (!recent) ob__fail(error, OB_E_MEMORY, "out of memory");
    ob__arena_release(&arena);
    return status;
}
