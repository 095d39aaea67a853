/* ob_model -> ModelProto. Messages of a file are copied shallowly, with changes only where the graph differs, so that
 * everything the graph does not model (unknown fields, annotations, training info) survives. Messages of the file are never
 * changed. */
#include "proto/writer.h"

#include <string.h>

#include "core/base/error.h"

static ob_status write_graph(ob_proto_writer *writer, ob_graph *graph, Onnx__GraphProto **out);

static ob_status out_of_memory(ob_proto_writer *writer) {
    return ob__arena_failure(&writer->arena, writer->error);
}

/* Messages hold char *, the graph const char *; nothing is written through either. */
static char *mutable_text(const char *text) {
    return (char *)(uintptr_t)text;
}

/* The message's text if it is equal, so that an absent one stays absent; otherwise ours. */
static char *choose_text(char *original, const char *text) {
    return strcmp(ob__str(original), text) == 0 ? original : mutable_text(text);
}

static bool same_domain(const char *original, const char *domain) {
    original = ob__str(original);
    return strcmp(original, domain) == 0 || (domain[0] == '\0' && strcmp(original, "ai.onnx") == 0);
}

/* ---- Small things ---- */

static ob_status write_key_values(ob_proto_writer *writer, const ob_key_value *entries, uint32_t n,
                                  Onnx__StringStringEntryProto ***out, size_t *n_out) {
    Onnx__StringStringEntryProto **messages = OB_ARENA_ARRAY(&writer->arena, Onnx__StringStringEntryProto *, n);
    if (!messages) return out_of_memory(writer);
    for (uint32_t i = 0; i < n; i++) {
        messages[i] = OB_COPY_MESSAGE(writer, onnx__string_string_entry_proto__descriptor, NULL);
        if (!messages[i]) return out_of_memory(writer);
        messages[i]->key = mutable_text(entries[i].key);
        messages[i]->value = mutable_text(entries[i].value);
    }
    *out = messages;
    *n_out = n;
    return OB_OK;
}

static bool same_key_values(Onnx__StringStringEntryProto *const *messages, size_t n_messages, const ob_key_value *entries,
                            uint32_t n) {
    if (n_messages != n) return false;
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(ob__str(messages[i]->key), entries[i].key) != 0 || strcmp(ob__str(messages[i]->value), entries[i].value) != 0)
            return false;
    return true;
}

static bool same_opsets(Onnx__OperatorSetIdProto *const *imports, size_t n_imports, const ob_opset *opsets, uint32_t n) {
    if (n_imports != n) return false;
    for (uint32_t i = 0; i < n; i++)
        if (imports[i]->version != opsets[i].version || !same_domain(imports[i]->domain, opsets[i].domain)) return false;
    return true;
}

static ob_status write_opsets(ob_proto_writer *writer, const ob_opset *opsets, uint32_t n, Onnx__OperatorSetIdProto ***list,
                              size_t *n_list) {
    if (same_opsets(*list, *n_list, opsets, n)) return OB_OK;
    Onnx__OperatorSetIdProto **imports = OB_ARENA_ARRAY(&writer->arena, Onnx__OperatorSetIdProto *, n);
    if (!imports) return out_of_memory(writer);
    for (uint32_t i = 0; i < n; i++) {
        const Onnx__OperatorSetIdProto *origin = NULL;
        for (size_t k = 0; k < *n_list && !origin; k++)
            if (same_domain((*list)[k]->domain, opsets[i].domain)) origin = (*list)[k];
        imports[i] = OB_COPY_MESSAGE(writer, onnx__operator_set_id_proto__descriptor, origin);
        if (!imports[i]) return out_of_memory(writer);
        if (!origin) imports[i]->domain = mutable_text(opsets[i].domain);
        imports[i]->has_version = 1;
        imports[i]->version = opsets[i].version;
    }
    *list = imports;
    *n_list = n;
    return OB_OK;
}

/* ---- Values ---- */

/* The type message of a value: the original one if it states the declared type. */
static ob_status write_value_info(ob_proto_writer *writer, const ob_value *value, const Onnx__ValueInfoProto *origin,
                                  Onnx__ValueInfoProto **out) {
    /* An initializer's type comes from its data; further data of its value_info belongs to the file. */
    bool file_decides = value->is_initializer && !value->is_input;
    bool unchanged = origin && (file_decides || ob__same_type(writer->dims, origin->type, &value->declared));
    if (unchanged && strcmp(ob__str(origin->name), value->name) == 0) {
        *out = (Onnx__ValueInfoProto *)(uintptr_t)origin;
        return OB_OK;
    }
    Onnx__ValueInfoProto *message = OB_COPY_MESSAGE(writer, onnx__value_info_proto__descriptor, origin);
    if (!message) return out_of_memory(writer);
    message->name = mutable_text(value->name);
    if (!origin && value->doc[0]) message->doc_string = mutable_text(value->doc);
    *out = message;
    return unchanged ? OB_OK : ob__write_type(writer, &value->declared, &message->type);
}

/* ---- Tensors ---- */

static ob_status write_elements(ob_proto_writer *writer, const ob_tensor *tensor, Onnx__TensorProto *message) {
    if (tensor->dtype == OB_STRING) {
        const ob_string *strings = tensor->data;
        message->string_data = OB_ARENA_ARRAY(&writer->arena, ProtobufCBinaryData, (size_t)tensor->n_elems);
        if (!message->string_data) return out_of_memory(writer);
        message->n_string_data = (size_t)tensor->n_elems;
        for (int64_t i = 0; i < tensor->n_elems; i++)
            message->string_data[i] = (ProtobufCBinaryData){strings[i].n, (uint8_t *)(uintptr_t)strings[i].data};
        return OB_OK;
    }
    uint64_t n_bytes;
    OB_FAIL_IF(!ob__file_bytes(tensor->dtype, tensor->n_elems, &n_bytes) || n_bytes > SIZE_MAX, writer->error, OB_E_LIMIT,
               "tensor \"%s\" is too large to write", tensor->name);
    const void *raw = tensor->data;
    if (!ob__raw_is_memory_form(tensor->dtype) && !tensor->is_packed && n_bytes > 0) {
        void *encoded = ob__arena_alloc(&writer->arena, (size_t)n_bytes);
        if (!encoded) return out_of_memory(writer);
        ob__encode_raw(tensor->dtype, tensor->data, tensor->n_elems, encoded);
        raw = encoded;
    }
    message->has_raw_data = 1;
    message->raw_data = (ProtobufCBinaryData){(size_t)n_bytes, (uint8_t *)(uintptr_t)raw};
    return OB_OK;
}

static ob_status write_new_tensor(ob_proto_writer *writer, const ob_tensor *tensor, const char *name, Onnx__TensorProto **out) {
    Onnx__TensorProto *message = OB_COPY_MESSAGE(writer, onnx__tensor_proto__descriptor, NULL);
    if (!message) return out_of_memory(writer);
    *out = message;
    message->n_dims = (size_t)tensor->rank;
    message->dims = (int64_t *)(uintptr_t)tensor->dims;
    message->has_data_type = 1;
    message->data_type = (int32_t)tensor->dtype;
    if (name[0]) message->name = mutable_text(name);
    if (tensor->doc && tensor->doc[0]) message->doc_string = mutable_text(tensor->doc);
    if (tensor->is_external) {
        message->has_data_location = 1;
        message->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
        return write_key_values(writer, tensor->external, tensor->n_external, &message->external_data, &message->n_external_data);
    }
    OB_FAIL_IF(!tensor->data && tensor->n_elems > 0, writer->error, OB_E_MODEL, "tensor \"%s\" has no data to write", name);
    return write_elements(writer, tensor, message);
}

static const ProtobufCMessageDescriptor *type_of(const void *message) {
    return message ? ((const ProtobufCMessage *)message)->descriptor : NULL;
}

static bool same_dims(const Onnx__TensorProto *message, const ob_tensor *tensor) {
    if (message->n_dims != (size_t)tensor->rank) return false;
    for (int32_t i = 0; i < tensor->rank; i++)
        if (message->dims[i] != tensor->dims[i]) return false;
    return true;
}

/* A tensor that came from a file is its message; only the name and the shape can differ. */
static ob_status write_tensor(ob_proto_writer *writer, const ob_tensor *tensor, const char *name, Onnx__TensorProto **out) {
    const Onnx__TensorProto *origin = tensor->origin;
    if (type_of(origin) != &onnx__tensor_proto__descriptor) return write_new_tensor(writer, tensor, name, out);
    *out = (Onnx__TensorProto *)(uintptr_t)origin;
    if (strcmp(ob__str(origin->name), name) == 0 && same_dims(origin, tensor)) return OB_OK;
    *out = OB_COPY_MESSAGE(writer, onnx__tensor_proto__descriptor, origin);
    if (!*out) return out_of_memory(writer);
    (*out)->name = mutable_text(name);
    (*out)->n_dims = (size_t)tensor->rank;
    (*out)->dims = (int64_t *)(uintptr_t)tensor->dims;
    return OB_OK;
}

static ob_status write_sparse(ob_proto_writer *writer, const ob_tensor *tensor, const char *name, Onnx__SparseTensorProto **out) {
    const Onnx__SparseTensorProto *origin = tensor->origin;
    *out = (Onnx__SparseTensorProto *)(uintptr_t)origin;
    if (!origin->values || strcmp(ob__str(origin->values->name), name) == 0) return OB_OK;
    *out = OB_COPY_MESSAGE(writer, onnx__sparse_tensor_proto__descriptor, origin);
    if (!*out) return out_of_memory(writer);
    (*out)->values = OB_COPY_MESSAGE(writer, onnx__tensor_proto__descriptor, origin->values);
    if (!(*out)->values) return out_of_memory(writer);
    (*out)->values->name = mutable_text(name);
    return OB_OK;
}

static bool is_sparse(const ob_tensor *tensor) {
    return type_of(tensor->origin) == &onnx__sparse_tensor_proto__descriptor;
}

/* ---- Attributes ---- */

static bool same_bytes(const ProtobufCBinaryData *bytes, const ob_string *string) {
    return bytes->len == string->n && (string->n == 0 || memcmp(bytes->data, string->data, string->n) == 0);
}

static bool same_strings(const Onnx__AttributeProto *message, const ob_attribute *attribute) {
    if (message->n_strings != attribute->n) return false;
    for (uint32_t i = 0; i < attribute->n; i++)
        if (!same_bytes(&message->strings[i], &attribute->u.strings[i])) return false;
    return true;
}

/* True if the attribute's original message is still right. Graphs are always written again. */
static bool same_attribute(const ob_attribute *attribute) {
    const Onnx__AttributeProto *m = attribute->origin;
    if (!m || strcmp(ob__str(m->name), attribute->name) != 0) return false;
    if (strcmp(ob__str(m->ref_attr_name), ob__str(attribute->ref)) != 0) return false;
    bool says_type = m->has_type && m->type != 0; /* otherwise the content told the type */
    if (says_type && (int)m->type != (int)attribute->type) return attribute->type == OB_ATTR_UNDEFINED;
    if (attribute->ref) return true;
    switch (attribute->type) {
    case OB_ATTR_FLOAT: return memcmp(&m->f, &attribute->u.f, sizeof(float)) == 0;
    case OB_ATTR_INT: return m->i == attribute->u.i;
    case OB_ATTR_STRING: return same_bytes(&m->s, &attribute->u.s);
    case OB_ATTR_TENSOR: return m->t && attribute->u.tensor->origin == m->t;
    case OB_ATTR_SPARSE_TENSOR: return m->sparse_tensor && attribute->u.tensor->origin == m->sparse_tensor;
    case OB_ATTR_FLOATS: return m->floats == attribute->u.floats && m->n_floats == attribute->n;
    case OB_ATTR_INTS: return m->ints == attribute->u.ints && m->n_ints == attribute->n;
    case OB_ATTR_STRINGS: return same_strings(m, attribute);
    case OB_ATTR_GRAPH:
    case OB_ATTR_GRAPHS: return false;
    default: return true; /* lists of tensors and types: nothing edits these */
    }
}

/* Fills the lists whose elements are messages. */
static ob_status write_message_list(ob_proto_writer *writer, const ob_attribute *attribute, Onnx__AttributeProto *out) {
    void **list = OB_ARENA_ARRAY(&writer->arena, void *, attribute->n);
    if (!list) return out_of_memory(writer);
    for (uint32_t i = 0; i < attribute->n; i++) {
        void *element = NULL;
        switch (attribute->type) {
        case OB_ATTR_GRAPHS: OB_TRY(write_graph(writer, attribute->u.graphs[i], (Onnx__GraphProto **)&element)); break;
        case OB_ATTR_TENSORS:
            OB_TRY(write_tensor(writer, attribute->u.tensors[i], attribute->u.tensors[i]->name, (Onnx__TensorProto **)&element));
            break;
        case OB_ATTR_SPARSE_TENSORS: element = (void *)(uintptr_t)attribute->u.tensors[i]->origin; break;
        default: OB_TRY(ob__write_type(writer, attribute->u.types[i], (Onnx__TypeProto **)&element)); break;
        }
        OB_FAIL_IF(!element, writer->error, OB_E_MODEL, "attribute \"%s\": element %u cannot be written", attribute->name, i);
        list[i] = element;
    }
    switch (attribute->type) {
    case OB_ATTR_GRAPHS: out->graphs = (Onnx__GraphProto **)list, out->n_graphs = attribute->n; break;
    case OB_ATTR_TENSORS: out->tensors = (Onnx__TensorProto **)list, out->n_tensors = attribute->n; break;
    case OB_ATTR_SPARSE_TENSORS:
        out->sparse_tensors = (Onnx__SparseTensorProto **)list, out->n_sparse_tensors = attribute->n;
        break;
    default: out->type_protos = (Onnx__TypeProto **)list, out->n_type_protos = attribute->n; break;
    }
    return OB_OK;
}

static ob_status write_strings(ob_proto_writer *writer, const ob_attribute *attribute, Onnx__AttributeProto *out) {
    out->strings = OB_ARENA_ARRAY(&writer->arena, ProtobufCBinaryData, attribute->n);
    if (!out->strings) return out_of_memory(writer);
    out->n_strings = attribute->n;
    for (uint32_t i = 0; i < attribute->n; i++)
        out->strings[i] = (ProtobufCBinaryData){attribute->u.strings[i].n, (uint8_t *)(uintptr_t)attribute->u.strings[i].data};
    return OB_OK;
}

static ob_status write_content(ob_proto_writer *writer, const ob_attribute *attribute, Onnx__AttributeProto *out) {
    switch (attribute->type) {
    case OB_ATTR_FLOAT: out->has_f = 1, out->f = attribute->u.f; return OB_OK;
    case OB_ATTR_INT: out->has_i = 1, out->i = attribute->u.i; return OB_OK;
    case OB_ATTR_STRING:
        out->has_s = 1;
        out->s = (ProtobufCBinaryData){attribute->u.s.n, (uint8_t *)(uintptr_t)attribute->u.s.data};
        return OB_OK;
    case OB_ATTR_TENSOR: return write_tensor(writer, attribute->u.tensor, attribute->u.tensor->name, &out->t);
    case OB_ATTR_SPARSE_TENSOR:
        out->sparse_tensor = (Onnx__SparseTensorProto *)(uintptr_t)attribute->u.tensor->origin;
        return OB_OK;
    case OB_ATTR_GRAPH: return write_graph(writer, attribute->u.graph, &out->g);
    case OB_ATTR_TYPE_PROTO: return ob__write_type(writer, attribute->u.type, &out->tp);
    case OB_ATTR_FLOATS: out->floats = (float *)(uintptr_t)attribute->u.floats, out->n_floats = attribute->n; return OB_OK;
    case OB_ATTR_INTS: out->ints = (int64_t *)(uintptr_t)attribute->u.ints, out->n_ints = attribute->n; return OB_OK;
    case OB_ATTR_STRINGS: return write_strings(writer, attribute, out);
    case OB_ATTR_TENSORS:
    case OB_ATTR_GRAPHS:
    case OB_ATTR_SPARSE_TENSORS:
    case OB_ATTR_TYPE_PROTOS: return write_message_list(writer, attribute, out);
    default: return OB_OK;
    }
}

static ob_status write_attribute(ob_proto_writer *writer, const ob_attribute *attribute, Onnx__AttributeProto **out) {
    const Onnx__AttributeProto *origin = attribute->origin;
    *out = (Onnx__AttributeProto *)(uintptr_t)origin;
    if (same_attribute(attribute)) return OB_OK;
    /* A changed kind of content must not keep the old content. */
    bool same_kind = origin && origin->has_type && (int)origin->type == (int)attribute->type && !attribute->ref;
    Onnx__AttributeProto *message = OB_COPY_MESSAGE(writer, onnx__attribute_proto__descriptor, same_kind ? origin : NULL);
    if (!message) return out_of_memory(writer);
    *out = message;
    message->name = mutable_text(attribute->name);
    message->has_type = 1;
    message->type = (Onnx__AttributeProto__AttributeType)attribute->type;
    if (!same_kind && attribute->doc && attribute->doc[0]) message->doc_string = mutable_text(attribute->doc);
    message->ref_attr_name = attribute->ref ? mutable_text(attribute->ref) : NULL;
    return attribute->ref ? OB_OK : write_content(writer, attribute, message);
}

/* `list` is the original list: kept when every element is its own original. */
static ob_status write_attributes(ob_proto_writer *writer, ob_attribute *const *attributes, uint32_t n,
                                  Onnx__AttributeProto ***list, size_t *n_list, bool *changed) {
    bool same = *n_list == n;
    for (uint32_t i = 0; same && i < n; i++) same = attributes[i]->origin == (*list)[i] && same_attribute(attributes[i]);
    *changed = !same;
    if (same) return OB_OK;
    Onnx__AttributeProto **messages = OB_ARENA_ARRAY(&writer->arena, Onnx__AttributeProto *, n);
    if (!messages) return out_of_memory(writer);
    for (uint32_t i = 0; i < n; i++) OB_TRY(write_attribute(writer, attributes[i], &messages[i]));
    *list = messages;
    *n_list = n;
    return OB_OK;
}

/* ---- Nodes ---- */

static bool same_names(char *const *names, size_t n_names, ob_value *const *values, uint32_t n) {
    if (n_names != n) return false;
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(names[i], values[i] ? values[i]->name : "") != 0) return false;
    return true;
}

static ob_status write_names(ob_proto_writer *writer, ob_value *const *values, uint32_t n, char ***names, size_t *n_names) {
    if (same_names(*names, *n_names, values, n)) return OB_OK;
    char **list = OB_ARENA_ARRAY(&writer->arena, char *, n);
    if (!list) return out_of_memory(writer);
    for (uint32_t i = 0; i < n; i++) list[i] = mutable_text(values[i] ? values[i]->name : "");
    *names = list;
    *n_names = n;
    return OB_OK;
}

/* Fields that the graph holds and an older NodeProto has no member for. */
static ob_status write_node_extras(ob_proto_writer *writer, const ob_node *node, Onnx__NodeProto *message) {
    const char *overload = "";
    if (node->origin) {
        overload = ob__extra_string(&writer->extras, OB_EXTRA_NODE_OVERLOAD, node->origin, &writer->arena);
        if (!overload) return out_of_memory(writer);
    }
    if (strcmp(overload, node->overload) != 0)
        OB_TRY(ob__extra_set_string(&writer->extras, OB_EXTRA_NODE_OVERLOAD, &message->base, node->overload, &writer->arena,
                                    writer->error));
    if (node->origin || node->n_metadata == 0) return OB_OK;
    Onnx__StringStringEntryProto **entries = NULL;
    size_t n = 0;
    OB_TRY(write_key_values(writer, node->metadata, node->n_metadata, &entries, &n));
    return ob__extra_set_messages(&writer->extras, OB_EXTRA_NODE_METADATA, &message->base, (ProtobufCMessage **)entries, n,
                                  &writer->arena, writer->error);
}

static bool same_node(ob_proto_writer *writer, const ob_node *node) {
    const Onnx__NodeProto *m = node->origin;
    if (!m || strcmp(ob__str(m->op_type), node->op_type) != 0 || strcmp(ob__str(m->name), node->name) != 0) return false;
    if (!same_domain(m->domain, node->domain) || !same_names(m->input, m->n_input, node->inputs, node->n_inputs)) return false;
    if (!same_names(m->output, m->n_output, node->outputs, node->n_outputs) || m->n_attribute != node->n_attributes) return false;
    for (uint32_t i = 0; i < node->n_attributes; i++)
        if (node->attributes[i]->origin != m->attribute[i] || !same_attribute(node->attributes[i])) return false;
    if (!writer->extras.fields[OB_EXTRA_NODE_OVERLOAD] && m->base.n_unknown_fields == 0) return node->overload[0] == '\0';
    const char *overload = ob__extra_string(&writer->extras, OB_EXTRA_NODE_OVERLOAD, &m->base, &writer->arena);
    return overload && strcmp(overload, node->overload) == 0;
}

static ob_status write_node(ob_proto_writer *writer, const ob_node *node, Onnx__NodeProto **out) {
    *out = (Onnx__NodeProto *)(uintptr_t)node->origin;
    if (same_node(writer, node)) return OB_OK;
    Onnx__NodeProto *message = OB_COPY_MESSAGE(writer, onnx__node_proto__descriptor, node->origin);
    if (!message) return out_of_memory(writer);
    *out = message;
    message->name = choose_text(message->name, node->name);
    message->op_type = mutable_text(node->op_type);
    if (!same_domain(message->domain, node->domain)) message->domain = mutable_text(node->domain);
    if (!node->origin && node->doc[0]) message->doc_string = mutable_text(node->doc);
    bool changed;
    OB_TRY(write_names(writer, node->inputs, node->n_inputs, &message->input, &message->n_input));
    OB_TRY(write_names(writer, node->outputs, node->n_outputs, &message->output, &message->n_output));
    OB_TRY(write_attributes(writer, node->attributes, node->n_attributes, &message->attribute, &message->n_attribute, &changed));
    return write_node_extras(writer, node, message);
}

static ob_status write_nodes(ob_proto_writer *writer, const ob_graph *graph, Onnx__NodeProto ***list, size_t *n_list) {
    Onnx__NodeProto **messages = OB_ARENA_ARRAY(&writer->arena, Onnx__NodeProto *, graph->n_nodes);
    if (!messages) return out_of_memory(writer);
    size_t n = 0;
    for (const ob_node *node = graph->first; node; node = node->next) OB_TRY(write_node(writer, node, &messages[n++]));
    *list = messages;
    *n_list = n;
    return OB_OK;
}

/* ---- Graphs ---- */

static bool is_alive(const ob_value *value) {
    return value->producer || value->is_input || value->is_initializer;
}

static ob_status write_initializers(ob_proto_writer *writer, const ob_graph *graph, Onnx__GraphProto *message) {
    message->initializer = OB_ARENA_ARRAY(&writer->arena, Onnx__TensorProto *, graph->n_initializers);
    message->sparse_initializer = OB_ARENA_ARRAY(&writer->arena, Onnx__SparseTensorProto *, graph->n_initializers);
    if (!message->initializer || !message->sparse_initializer) return out_of_memory(writer);
    message->n_initializer = message->n_sparse_initializer = 0;
    for (uint32_t i = 0; i < graph->n_initializers; i++) {
        const ob_value *value = graph->initializers[i];
        if (!value->data) continue;
        if (is_sparse(value->data))
            OB_TRY(write_sparse(writer, value->data, value->name, &message->sparse_initializer[message->n_sparse_initializer++]));
        else
            OB_TRY(write_tensor(writer, value->data, value->name, &message->initializer[message->n_initializer++]));
    }
    return OB_OK;
}

static ob_status write_inputs(ob_proto_writer *writer, const ob_graph *graph, Onnx__GraphProto *message) {
    Onnx__ValueInfoProto **list = OB_ARENA_ARRAY(&writer->arena, Onnx__ValueInfoProto *, graph->n_inputs);
    if (!list) return out_of_memory(writer);
    for (uint32_t i = 0; i < graph->n_inputs; i++)
        OB_TRY(write_value_info(writer, graph->inputs[i], graph->inputs[i]->origin, &list[i]));
    message->input = list;
    message->n_input = graph->n_inputs;
    return OB_OK;
}

/* An output that is not the value's own declaration (an input handed through, an outer value, a repeated output) keeps its
 * message. */
static ob_status write_outputs(ob_proto_writer *writer, const ob_graph *graph, Onnx__GraphProto *message) {
    Onnx__ValueInfoProto *const *original = message->output;
    size_t n_original = message->n_output;
    Onnx__ValueInfoProto **list = OB_ARENA_ARRAY(&writer->arena, Onnx__ValueInfoProto *, graph->n_outputs);
    if (!list) return out_of_memory(writer);
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        const ob_value *value = graph->outputs[i];
        bool same_place = i < n_original && strcmp(ob__str(original[i]->name), value->name) == 0;
        if (same_place && value->origin != original[i])
            list[i] = original[i];
        else
            OB_TRY(write_value_info(writer, value, value->origin, &list[i]));
    }
    message->output = list;
    message->n_output = graph->n_outputs;
    return OB_OK;
}

/* Names that the file's graph defined: if one was removed, its value_info is removed too. */
static ob_status collect_defined(ob_proto_writer *writer, const Onnx__GraphProto *origin, ob_map *defined) {
    ob__map_init(defined, &writer->arena);
    for (size_t i = 0; i < origin->n_node; i++)
        for (size_t k = 0; k < origin->node[i]->n_output; k++) {
            const char *name = origin->node[i]->output[k];
            if (!ob__map_insert_borrowed(defined, name, strlen(name))) return out_of_memory(writer);
        }
    for (size_t i = 0; i < origin->n_initializer; i++) {
        const char *name = ob__str(origin->initializer[i]->name);
        if (!ob__map_insert_borrowed(defined, name, strlen(name))) return out_of_memory(writer);
    }
    return OB_OK;
}

static ob_status keep_value_info(ob_proto_writer *writer, const ob_graph *graph, const Onnx__GraphProto *origin,
                                 Onnx__ValueInfoProto **list, size_t *n) {
    ob_map defined = {0};
    for (size_t i = 0; origin && i < origin->n_value_info; i++) {
        Onnx__ValueInfoProto *info = origin->value_info[i];
        const char *name = ob__str(info->name);
        ob_map_entry *entry = ob__map_find(&graph->values, name, strlen(name));
        const ob_value *value = entry ? entry->value : NULL;
        if (value && is_alive(value)) {
            list[(*n)++] = info;
            if (value->origin == info) OB_TRY(write_value_info(writer, value, info, &list[*n - 1]));
            continue;
        }
        if (!value && !defined.arena) OB_TRY(collect_defined(writer, origin, &defined));
        if (!value && !ob__map_find(&defined, name, strlen(name))) list[(*n)++] = info; /* it never was about anything */
    }
    return OB_OK;
}

static bool needs_value_info(const ob_value *value) {
    return value && !value->origin && value->declared.kind != OB_TYPE_UNKNOWN && !value->is_input && !value->is_output &&
           !value->is_initializer;
}

static ob_status write_value_infos(ob_proto_writer *writer, const ob_graph *graph, Onnx__GraphProto *message) {
    const Onnx__GraphProto *origin = graph->origin;
    size_t n_new = 0, n = 0;
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++) n_new += needs_value_info(node->outputs[i]);
    Onnx__ValueInfoProto **list =
        OB_ARENA_ARRAY(&writer->arena, Onnx__ValueInfoProto *, n_new + (origin ? origin->n_value_info : 0));
    if (!list) return out_of_memory(writer);
    OB_TRY(keep_value_info(writer, graph, origin, list, &n));
    for (const ob_node *node = n_new ? graph->first : NULL; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (needs_value_info(node->outputs[i])) OB_TRY(write_value_info(writer, node->outputs[i], NULL, &list[n++]));
    message->value_info = list;
    message->n_value_info = n;
    return OB_OK;
}

static ob_status write_graph(ob_proto_writer *writer, ob_graph *graph, Onnx__GraphProto **out) {
    Onnx__GraphProto *message = OB_COPY_MESSAGE(writer, onnx__graph_proto__descriptor, graph->origin);
    if (!message) return out_of_memory(writer);
    *out = message;
    message->name = choose_text(message->name, graph->name);
    if (!graph->origin && graph->doc[0]) message->doc_string = mutable_text(graph->doc);
    OB_TRY(write_nodes(writer, graph, &message->node, &message->n_node));
    OB_TRY(write_initializers(writer, graph, message));
    OB_TRY(write_inputs(writer, graph, message));
    OB_TRY(write_outputs(writer, graph, message));
    return write_value_infos(writer, graph, message);
}

/* ---- Functions ---- */

static ob_status write_function_attributes(ob_proto_writer *writer, const ob_function *function, Onnx__FunctionProto *message) {
    bool same = message->n_attribute == function->n_attributes;
    for (uint32_t i = 0; same && i < function->n_attributes; i++)
        same = strcmp(message->attribute[i], function->attributes[i]) == 0;
    if (!same) {
        message->attribute = OB_ARENA_ARRAY(&writer->arena, char *, function->n_attributes);
        if (!message->attribute) return out_of_memory(writer);
        for (uint32_t i = 0; i < function->n_attributes; i++) message->attribute[i] = mutable_text(function->attributes[i]);
        message->n_attribute = function->n_attributes;
    }
    if (function->origin || function->n_attribute_defaults == 0) return OB_OK;
    Onnx__AttributeProto **defaults = NULL;
    size_t n = 0;
    bool changed;
    OB_TRY(write_attributes(writer, function->attribute_defaults, function->n_attribute_defaults, &defaults, &n, &changed));
    return ob__extra_set_messages(&writer->extras, OB_EXTRA_FUNCTION_ATTRIBUTES, &message->base, (ProtobufCMessage **)defaults, n,
                                  &writer->arena, writer->error);
}

static ob_status write_function(ob_proto_writer *writer, const ob_function *function, Onnx__FunctionProto **out) {
    Onnx__FunctionProto *message = OB_COPY_MESSAGE(writer, onnx__function_proto__descriptor, function->origin);
    if (!message) return out_of_memory(writer);
    *out = message;
    const ob_graph *body = function->body;
    message->name = choose_text(message->name, function->name);
    if (!same_domain(message->domain, function->domain)) message->domain = mutable_text(function->domain);
    if (!function->origin) {
        if (function->doc[0]) message->doc_string = mutable_text(function->doc);
        if (function->overload[0])
            OB_TRY(ob__extra_set_string(&writer->extras, OB_EXTRA_FUNCTION_OVERLOAD, &message->base, function->overload,
                                        &writer->arena, writer->error));
    }
    OB_TRY(write_function_attributes(writer, function, message));
    OB_TRY(write_opsets(writer, function->opsets, function->n_opsets, &message->opset_import, &message->n_opset_import));
    OB_TRY(write_names(writer, body->inputs, body->n_inputs, &message->input, &message->n_input));
    OB_TRY(write_names(writer, body->outputs, body->n_outputs, &message->output, &message->n_output));
    return write_nodes(writer, body, &message->node, &message->n_node);
}

/* ---- The model ---- */

static ob_status write_header(ob_proto_writer *writer, const ob_model *model, Onnx__ModelProto *message) {
    if (message->ir_version != model->ir_version) message->has_ir_version = 1, message->ir_version = model->ir_version;
    if (message->model_version != model->model_version)
        message->has_model_version = 1, message->model_version = model->model_version;
    message->producer_name = choose_text(message->producer_name, model->producer_name);
    message->producer_version = choose_text(message->producer_version, model->producer_version);
    message->domain = choose_text(message->domain, model->model_domain);
    message->doc_string = choose_text(message->doc_string, model->doc);
    if (!same_key_values(message->metadata_props, message->n_metadata_props, model->metadata, model->n_metadata))
        OB_TRY(
            write_key_values(writer, model->metadata, model->n_metadata, &message->metadata_props, &message->n_metadata_props));
    bool implied = message->n_opset_import == 0 && model->ir_version < 3 && model->n_opsets == 1 &&
                   model->opsets[0].version == 1 && model->opsets[0].domain[0] == '\0';
    if (implied) return OB_OK; /* from before there were imports */
    return write_opsets(writer, model->opsets, model->n_opsets, &message->opset_import, &message->n_opset_import);
}

void ob__proto_writer_init(ob_proto_writer *writer, const ob_model *model, ob_error *error) {
    memset(writer, 0, sizeof *writer);
    ob__arena_init(&writer->arena, &model->arena.allocator);
    ob__extras_init(&writer->extras);
    writer->dims = model->dims;
    writer->error = error;
}

void ob__proto_writer_release(ob_proto_writer *writer) {
    ob__arena_release(&writer->arena);
}

ob_status ob__write_model(ob_proto_writer *writer, const ob_model *model, Onnx__ModelProto **out) {
    Onnx__ModelProto *message = OB_COPY_MESSAGE(writer, onnx__model_proto__descriptor, model->origin);
    if (!message) return out_of_memory(writer);
    OB_TRY(write_header(writer, model, message));
    OB_TRY(write_graph(writer, model->graph, &message->graph));
    message->functions = OB_ARENA_ARRAY(&writer->arena, Onnx__FunctionProto *, model->n_functions);
    if (!message->functions) return out_of_memory(writer);
    message->n_functions = model->n_functions;
    for (uint32_t i = 0; i < model->n_functions; i++) OB_TRY(write_function(writer, model->functions[i], &message->functions[i]));
    *out = message;
    return OB_OK;
}
