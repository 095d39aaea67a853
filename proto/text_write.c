/* ModelProto -> ONNX's textual syntax. It prints the message, not the graph, so that both forms use the same writer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "proto/message_text.h"
#include "proto/plain_numbers.h"
#include "proto/text_scan.h"
#include "proto/writer.h"

enum { FLUSH_BYTES = 64 * 1024, INDENT = 3 };

typedef struct text_printer {
    ob_text text;
    ob_write_sink sink;
    void *context;
    ob_proto_writer *writer;
    size_t max_elems; /* 0: all */
    int indent;
    int32_t unnamed; /* the first element type that has no name here; 0: none */
    ob_error *error;
} text_printer;

static ob_status print_graph(text_printer *out, const Onnx__GraphProto *graph);

static void put(text_printer *out, const char *text) {
    ob__text_puts(&out->text, text);
}

static ob_status flush(text_printer *out, size_t at_least) {
    OB_FAIL_IF(out->text.failed, out->error, OB_E_MEMORY, "out of memory for the text");
    OB_FAIL_IF(out->unnamed != 0 && out->max_elems == 0, out->error, OB_E_UNSUPPORTED,
               "the text form has no name for element type %ld", (long)out->unnamed);
    if (out->text.n < at_least || out->text.n == 0) return OB_OK;
    ob_status status = out->sink(out->context, out->text.data, out->text.n);
    out->text.n = 0;
    return status == OB_OK ? OB_OK : ob__fail(out->error, status, "writing failed: %s", ob_status_text(status));
}

static void put_indent(text_printer *out) {
    ob__text_printf(&out->text, "%*s", out->indent, "");
}

static void put_quoted(text_printer *out, const void *bytes, size_t n) {
    const char *text = bytes;
    put(out, "\"");
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"' || text[i] == '\\') put(out, "\\");
        ob__text_append(&out->text, &text[i], 1);
    }
    put(out, "\"");
}

static void put_string(text_printer *out, const char *text) {
    put_quoted(out, ob__str(text), strlen(ob__str(text)));
}

/* A name, quoted if it is not an identifier or would be read as something else. */
static void put_name(text_printer *out, const char *name) {
    static const char *const taken[] = {"seq", "map", "optional", "sparse_tensor", "inf", "infinity", "nan", "undefined"};
    name = ob__str(name);
    bool quote = !ob__is_identifier(name) || ob_dtype_from_name(name) != OB_NONE;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) quote |= strcmp(name, taken[i]) == 0;
    if (quote)
        put_string(out, name);
    else
        put(out, name);
}

/* Omitted ones at the end do not count. */
static size_t n_named(char *const *names, size_t n) {
    while (n > 0 && names[n - 1][0] == '\0') n--;
    return n;
}

/* An omitted operand is written as nothing between two commas, which parsers up to onnx 1.17 know, and as "" at the first
 * position. Omitted ones at the end are not written. */
static void put_names(text_printer *out, char *const *names, size_t n) {
    n = n_named(names, n);
    for (size_t i = 0; i < n; i++) {
        if (i) put(out, ", ");
        if (i == 0 || names[i][0]) put_name(out, names[i]);
    }
}

/* ---- Numbers ---- */

static void put_element(text_printer *out, const ob_tensor *tensor, int64_t i) {
    const char *at = (const char *)tensor->data + (size_t)i * ob_dtype_size(tensor->dtype);
    union {
        float f[2];
        double d[2];
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        ob_string s;
    } element;
    memcpy(&element, at, ob_dtype_size(tensor->dtype));
    ob_text *text = &out->text;
    switch (tensor->dtype) {
    case OB_FLOAT: ob__put_real(&out->text, (double)element.f[0], true); break;
    case OB_DOUBLE: ob__put_real(&out->text, element.d[0], false); break;
    case OB_COMPLEX64:
        ob__put_real(&out->text, (double)element.f[0], true);
        put(out, ",");
        ob__put_real(&out->text, (double)element.f[1], true);
        break;
    case OB_COMPLEX128:
        ob__put_real(&out->text, element.d[0], false);
        put(out, ",");
        ob__put_real(&out->text, element.d[1], false);
        break;
    case OB_INT8:
    case OB_INT4:
    case OB_INT2: ob__text_printf(text, "%d", element.i8); break;
    case OB_INT16: ob__text_printf(text, "%d", element.i16); break;
    case OB_INT32: ob__text_printf(text, "%ld", (long)element.i32); break;
    case OB_INT64: ob__text_printf(text, "%lld", (long long)element.i64); break;
    case OB_UINT16:
    case OB_FLOAT16:
    case OB_BFLOAT16: ob__text_printf(text, "%u", element.u16); break;
    case OB_UINT32: ob__text_printf(text, "%lu", (unsigned long)element.u32); break;
    case OB_UINT64: ob__text_printf(text, "%llu", (unsigned long long)element.u64); break;
    case OB_STRING: put_quoted(out, element.s.data, element.s.n); break;
    default: ob__text_printf(text, "%u", element.u8); break; /* one byte: numbers or bit patterns */
    }
}

/* ---- Types ---- */

/* A number without a name would be lost, so only a dump for human readers continues. */
static void put_dtype(text_printer *out, int32_t number) {
    if (number != 0 && ob__read_dtype(number) == OB_NONE && out->unnamed == 0) out->unnamed = number;
    put(out, ob_dtype_name(ob__read_dtype(number)));
}

static void put_shape(text_printer *out, const Onnx__TensorShapeProto *shape) {
    if (!shape) put(out, "[]");
    if (!shape || shape->n_dim == 0) return;
    for (size_t i = 0; i < shape->n_dim; i++) {
        const Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];
        put(out, i ? "," : "[");
        if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
            ob__text_printf(&out->text, "%lld", (long long)dim->dim_value);
        else if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM && ob__str(dim->dim_param)[0]) {
            if (ob__is_identifier(dim->dim_param))
                put(out, dim->dim_param);
            else
                put_string(out, dim->dim_param);
        } else
            put(out, "?");
    }
    put(out, "]");
}

static void put_type(text_printer *out, const Onnx__TypeProto *type) {
    switch (type ? type->value_case : ONNX__TYPE_PROTO__VALUE__NOT_SET) {
    case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
        put_dtype(out, type->tensor_type->elem_type);
        put_shape(out, type->tensor_type->shape);
        break;
    case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
        put(out, "sparse_tensor(");
        put_dtype(out, type->sparse_tensor_type->elem_type);
        put_shape(out, type->sparse_tensor_type->shape);
        put(out, ")");
        break;
    case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
        put(out, "seq(");
        put_type(out, type->sequence_type->elem_type);
        put(out, ")");
        break;
    case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
        put(out, "optional(");
        put_type(out, type->optional_type->elem_type);
        put(out, ")");
        break;
    case ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
        put(out, "map(");
        put_dtype(out, type->map_type->key_type);
        put(out, ", ");
        put_type(out, type->map_type->value_type);
        put(out, ")");
        break;
    default: put(out, "undefined[]"); break;
    }
}

static void put_value_info(text_printer *out, const Onnx__ValueInfoProto *info) {
    if (info->type && info->type->value_case != ONNX__TYPE_PROTO__VALUE__NOT_SET) {
        put_type(out, info->type);
        put(out, " ");
    }
    put_name(out, info->name);
}

/* ---- Tensors ---- */

static void put_key_values(text_printer *out, Onnx__StringStringEntryProto *const *entries, size_t n) {
    put(out, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) put(out, ", ");
        put_string(out, entries[i]->key);
        put(out, ": ");
        put_string(out, entries[i]->value);
    }
    put(out, "]");
}

static ob_status print_elements(text_printer *out, const ob_tensor *tensor) {
    int64_t n = tensor->n_elems;
    bool cut = out->max_elems > 0 && (uint64_t)n > out->max_elems;
    if (cut) n = (int64_t)out->max_elems;
    put(out, "{");
    for (int64_t i = 0; i < n; i++) {
        if (i) put(out, ",");
        put_element(out, tensor, i);
        OB_TRY(flush(out, FLUSH_BYTES));
    }
    put(out, cut ? ", ...}" : "}");
    return OB_OK;
}

/* type name = data */
static ob_status print_tensor(text_printer *out, const Onnx__TensorProto *message) {
    ob_tensor *tensor = NULL;
    ob_arena scratch; /* memory for decoding is freed after each tensor */
    ob__arena_init(&scratch, &out->writer->arena.allocator);
    ob_status status = ob__read_tensor(&scratch, message, UINT32_MAX, "(unnamed)", &tensor, out->error);
    if (status == OB_OK) {
        put_dtype(out, message->data_type);
        for (int32_t i = 0; i < tensor->rank; i++)
            ob__text_printf(&out->text, "%s%lld", i ? "," : "[", (long long)tensor->dims[i]);
        if (tensor->rank > 0) put(out, "]");
        put(out, " ");
        if (tensor->name[0]) put_name(out, tensor->name);
        put(out, tensor->name[0] ? " = " : "= ");
        if (tensor->is_external)
            put_key_values(out, message->external_data, message->n_external_data);
        else if (tensor->data)
            status = print_elements(out, tensor);
        else if (out->max_elems > 0)
            put(out, "{...}");
        else
            status = ob__fail(out->error, OB_E_UNSUPPORTED, "tensor \"%s\" cannot be written as text", tensor->name);
    }
    ob__arena_release(&scratch);
    return status;
}

/* ---- Attributes ---- */

static const char *const attribute_types[] = {
    [OB_ATTR_FLOAT] = "float",
    [OB_ATTR_INT] = "int",
    [OB_ATTR_STRING] = "string",
    [OB_ATTR_TENSOR] = "tensor",
    [OB_ATTR_GRAPH] = "graph",
    [OB_ATTR_FLOATS] = "floats",
    [OB_ATTR_INTS] = "ints",
    [OB_ATTR_STRINGS] = "strings",
    [OB_ATTR_TENSORS] = "tensors",
    [OB_ATTR_GRAPHS] = "graphs",
    [OB_ATTR_SPARSE_TENSOR] = "sparse_tensor",
    [OB_ATTR_SPARSE_TENSORS] = "sparse_tensors",
    [OB_ATTR_TYPE_PROTO] = "type_proto",
    [OB_ATTR_TYPE_PROTOS] = "type_protos",
};
_Static_assert(sizeof attribute_types / sizeof attribute_types[0] == OB_ATTR_COUNT, "a name for each type of attribute");

static ob_status print_subgraph(text_printer *out, const Onnx__GraphProto *graph) {
    out->indent += INDENT;
    ob_status status = print_graph(out, graph);
    out->indent -= INDENT;
    return status;
}

static ob_status print_list(text_printer *out, const Onnx__AttributeProto *a, ob_attribute_type type) {
    size_t n = type == OB_ATTR_FLOATS    ? a->n_floats
               : type == OB_ATTR_INTS    ? a->n_ints
               : type == OB_ATTR_STRINGS ? a->n_strings
               : type == OB_ATTR_TENSORS ? a->n_tensors
               : type == OB_ATTR_GRAPHS  ? a->n_graphs
                                         : a->n_type_protos;
    put(out, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) put(out, ", ");
        if (type == OB_ATTR_FLOATS)
            ob__put_real(&out->text, (double)a->floats[i], true);
        else if (type == OB_ATTR_INTS)
            ob__text_printf(&out->text, "%lld", (long long)a->ints[i]);
        else if (type == OB_ATTR_STRINGS)
            put_quoted(out, a->strings[i].data, a->strings[i].len);
        else if (type == OB_ATTR_TENSORS)
            OB_TRY(print_tensor(out, a->tensors[i]));
        else if (type == OB_ATTR_GRAPHS)
            OB_TRY(print_subgraph(out, a->graphs[i]));
        else
            put_type(out, a->type_protos[i]);
        OB_TRY(flush(out, FLUSH_BYTES));
    }
    put(out, "]");
    return OB_OK;
}

static ob_status print_attribute(text_printer *out, const Onnx__AttributeProto *a) {
    ob_attribute_type type = ob__attribute_type(a);
    put_name(out, a->name);
    if (attribute_types[type]) ob__text_printf(&out->text, ": %s", attribute_types[type]);
    put(out, " = ");
    bool lost = type == OB_ATTR_UNDEFINED && a->has_type && a->type != 0;
    OB_FAIL_IF(lost && out->max_elems == 0, out->error, OB_E_UNSUPPORTED, "attribute \"%s\": the text form has no type %d",
               ob__str(a->name), (int)a->type);
    if (a->ref_attr_name && a->ref_attr_name[0]) {
        put(out, "@");
        put_name(out, a->ref_attr_name);
        return OB_OK;
    }
    switch (type) {
    case OB_ATTR_FLOAT: ob__put_real(&out->text, (double)a->f, true); return OB_OK;
    case OB_ATTR_INT: ob__text_printf(&out->text, "%lld", (long long)a->i); return OB_OK;
    case OB_ATTR_STRING: put_quoted(out, a->s.data, a->s.len); return OB_OK;
    case OB_ATTR_TENSOR: return print_tensor(out, a->t);
    case OB_ATTR_GRAPH: return print_subgraph(out, a->g);
    case OB_ATTR_TYPE_PROTO: put_type(out, a->tp); return OB_OK;
    case OB_ATTR_FLOATS:
    case OB_ATTR_INTS:
    case OB_ATTR_STRINGS:
    case OB_ATTR_TENSORS:
    case OB_ATTR_GRAPHS:
    case OB_ATTR_TYPE_PROTOS: return print_list(out, a, type);
    default: break;
    }
    if (out->max_elems > 0)
        put(out, "...");
    else
        return ob__fail(out->error, OB_E_UNSUPPORTED, "attribute \"%s\": %s", ob__str(a->name),
                        type == OB_ATTR_UNDEFINED ? "neither its type nor its content is known"
                                                  : "the text form has no sparse tensors");
    return OB_OK;
}

static ob_status print_attributes(text_printer *out, Onnx__AttributeProto *const *attributes, size_t n) {
    if (n == 0) return OB_OK;
    for (size_t i = 0; i < n; i++) {
        put(out, i ? ", " : " <");
        OB_TRY(print_attribute(out, attributes[i]));
    }
    put(out, ">");
    return OB_OK;
}

/* ---- Nodes and graphs ---- */

/* domain.of.the.Operator; parts that are not identifiers are quoted. */
static void put_operator(text_printer *out, const Onnx__NodeProto *node) {
    const char *domain = ob__str(node->domain);
    for (bool more = *domain != '\0'; more;) { /* the text after the last point is a part, too */
        size_t n = strcspn(domain, ".");
        char part[256];
        snprintf(part, sizeof part, "%.*s", n < sizeof part ? (int)n : (int)sizeof part - 1, domain);
        if (n < sizeof part && ob__is_identifier(part))
            put(out, part);
        else
            put_quoted(out, domain, n);
        put(out, ".");
        more = domain[n] == '.';
        domain += n + more;
    }
    if (ob__is_identifier(ob__str(node->op_type)))
        put(out, node->op_type);
    else
        put_string(out, node->op_type);
}

static ob_status print_node(text_printer *out, const Onnx__NodeProto *node) {
    put_indent(out);
    if (node->name && node->name[0]) {
        put(out, "[");
        put_name(out, node->name);
        put(out, "] ");
    }
    put_names(out, node->output, node->n_output);
    put(out, n_named(node->output, node->n_output) ? " = " : "= ");
    put_operator(out, node);
    const char *overload = ob__extra_string(&out->writer->extras, OB_EXTRA_NODE_OVERLOAD, &node->base, &out->writer->arena);
    if (!overload) return ob__arena_failure(&out->writer->arena, out->error);
    if (overload[0]) {
        put(out, ":");
        put_name(out, overload);
    }
    bool graphs = false; /* these are easier to read after the operands */
    for (size_t i = 0; i < node->n_attribute; i++) {
        ob_attribute_type type = ob__attribute_type(node->attribute[i]);
        graphs |= type == OB_ATTR_GRAPH || type == OB_ATTR_GRAPHS;
    }
    if (!graphs) OB_TRY(print_attributes(out, node->attribute, node->n_attribute));
    put(out, " (");
    put_names(out, node->input, node->n_input);
    put(out, ")");
    if (graphs) OB_TRY(print_attributes(out, node->attribute, node->n_attribute));
    put(out, "\n");
    return flush(out, FLUSH_BYTES);
}

static ob_status print_nodes(text_printer *out, Onnx__NodeProto *const *nodes, size_t n) {
    put(out, "{\n");
    for (size_t i = 0; i < n; i++) OB_TRY(print_node(out, nodes[i]));
    ob__text_printf(&out->text, "%*s}", out->indent - INDENT, "");
    return OB_OK;
}

static ob_status print_value_infos(text_printer *out, Onnx__ValueInfoProto *const *infos, size_t n) {
    put(out, "(");
    for (size_t i = 0; i < n; i++) {
        if (i) put(out, ", ");
        put_value_info(out, infos[i]);
        OB_TRY(flush(out, FLUSH_BYTES));
    }
    put(out, ")");
    return OB_OK;
}

/* The first on the opening bracket's line, each other on its own. */
static void put_separator(text_printer *out, bool *first) {
    put(out, *first ? "\n" : ",\n");
    put_indent(out);
    put(out, *first ? "<" : " ");
    *first = false;
}

static ob_status print_inner_values(text_printer *out, const Onnx__GraphProto *graph) {
    bool first = true;
    for (size_t i = 0; i < graph->n_initializer; i++) {
        put_separator(out, &first);
        OB_TRY(print_tensor(out, graph->initializer[i]));
    }
    for (size_t i = 0; i < graph->n_value_info; i++) {
        put_separator(out, &first);
        put_value_info(out, graph->value_info[i]);
        OB_TRY(flush(out, FLUSH_BYTES));
    }
    if (!first) ob__text_printf(&out->text, ">\n%*s", out->indent - INDENT, "");
    return OB_OK;
}

static ob_status print_graph(text_printer *out, const Onnx__GraphProto *graph) {
    if (graph->n_sparse_initializer > 0 && out->max_elems == 0)
        return ob__fail(out->error, OB_E_UNSUPPORTED, "graph \"%s\": the text form has no sparse initializers",
                        ob__str(graph->name));
    put_name(out, graph->name);
    put(out, " ");
    OB_TRY(print_value_infos(out, graph->input, graph->n_input));
    put(out, " => ");
    OB_TRY(print_value_infos(out, graph->output, graph->n_output));
    put(out, " ");
    OB_TRY(print_inner_values(out, graph));
    return print_nodes(out, graph->node, graph->n_node);
}

/* ---- Functions and the model ---- */

static void put_opsets(text_printer *out, Onnx__OperatorSetIdProto *const *opsets, size_t n) {
    put(out, "opset_import: [");
    for (size_t i = 0; i < n; i++) {
        if (i) put(out, ", ");
        put_string(out, opsets[i]->domain);
        ob__text_printf(&out->text, " : %lld", (long long)opsets[i]->version);
    }
    put(out, "]");
}

static void put_entry(text_printer *out, const char *key, const char *text) {
    if (!text) return;
    ob__text_printf(&out->text, ",\n%*s%s: ", INDENT, "", key);
    put_string(out, text);
}

static ob_status print_function_attributes(text_printer *out, const Onnx__FunctionProto *function) {
    ProtobufCMessage **defaults;
    size_t n;
    ob_load_limits limits = ob__load_limits(NULL);
    OB_TRY(ob__extra_messages(&out->writer->extras, OB_EXTRA_FUNCTION_ATTRIBUTES, &function->base, &limits, &out->writer->arena,
                              &defaults, &n, out->error));
    if (function->n_attribute + n == 0) return OB_OK;
    put(out, "<");
    put_names(out, function->attribute, function->n_attribute);
    for (size_t i = 0; i < n; i++) {
        if (i + function->n_attribute) put(out, ", ");
        OB_TRY(print_attribute(out, (const Onnx__AttributeProto *)defaults[i]));
    }
    put(out, "> ");
    return OB_OK;
}

static ob_status print_function_values(text_printer *out, const Onnx__FunctionProto *function) {
    ProtobufCMessage **infos;
    size_t n;
    ob_load_limits limits = ob__load_limits(NULL);
    OB_TRY(ob__extra_messages(&out->writer->extras, OB_EXTRA_FUNCTION_VALUE_INFO, &function->base, &limits, &out->writer->arena,
                              &infos, &n, out->error));
    for (size_t i = 0; i < n; i++) {
        put(out, i ? ", " : "<");
        put_value_info(out, (const Onnx__ValueInfoProto *)infos[i]);
    }
    if (n > 0) put(out, "> ");
    return OB_OK;
}

static ob_status print_function(text_printer *out, const Onnx__FunctionProto *function) {
    const char *overload =
        ob__extra_string(&out->writer->extras, OB_EXTRA_FUNCTION_OVERLOAD, &function->base, &out->writer->arena);
    if (!overload) return ob__arena_failure(&out->writer->arena, out->error);
    ob__text_printf(&out->text, "\n<\n%*s", INDENT, "");
    put(out, "domain: ");
    put_string(out, function->domain);
    if (overload[0]) put_entry(out, "overload", overload);
    ob__text_printf(&out->text, ",\n%*s", INDENT, "");
    put_opsets(out, function->opset_import, function->n_opset_import);
    put_entry(out, "doc_string", function->doc_string);
    put(out, "\n>\n");
    put_name(out, function->name);
    put(out, " ");
    OB_TRY(print_function_attributes(out, function));
    put(out, "(");
    put_names(out, function->input, function->n_input);
    put(out, ") => (");
    put_names(out, function->output, function->n_output);
    put(out, ") ");
    OB_TRY(print_function_values(out, function));
    OB_TRY(print_nodes(out, function->node, function->n_node));
    put(out, "\n");
    return OB_OK;
}

static ob_status print_model(text_printer *out, const Onnx__ModelProto *model) {
    ob__text_printf(&out->text, "<\n%*sir_version: %lld,\n%*s", INDENT, "", (long long)model->ir_version, INDENT, "");
    put_opsets(out, model->opset_import, model->n_opset_import);
    put_entry(out, "producer_name", model->producer_name);
    put_entry(out, "producer_version", model->producer_version);
    put_entry(out, "domain", model->domain);
    if (model->has_model_version)
        ob__text_printf(&out->text, ",\n%*smodel_version: %lld", INDENT, "", (long long)model->model_version);
    put_entry(out, "doc_string", model->doc_string);
    if (model->n_metadata_props > 0) {
        ob__text_printf(&out->text, ",\n%*smetadata_props: ", INDENT, "");
        put_key_values(out, model->metadata_props, model->n_metadata_props);
    }
    put(out, "\n>\n");
    OB_TRY(print_graph(out, model->graph));
    put(out, "\n");
    for (size_t i = 0; i < model->n_functions; i++) OB_TRY(print_function(out, model->functions[i]));
    return flush(out, 1);
}

ob_status ob_model_write_text(const ob_model *model, size_t max_elems, ob_write_sink sink, void *context, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!model || !sink, error, OB_E_ARGUMENT, "model and sink must not be NULL");
    ob_plain_numbers numbers;
    OB_TRY(ob__plain_numbers_begin(&numbers, error));
    ob_proto_writer writer;
    ob__proto_writer_init(&writer, model, error);
    text_printer out = {
        .sink = sink, .context = context, .writer = &writer, .max_elems = max_elems, .indent = INDENT, .error = error};
    ob__text_init(&out.text, &model->arena.allocator);
    Onnx__ModelProto *message = NULL;
    ob_status status = ob__write_model(&writer, model, &message);
    if (status == OB_OK) status = print_model(&out, message);
    ob__text_release(&out.text);
    ob__proto_writer_release(&writer);
    ob__plain_numbers_end(&numbers);
    return status;
}
