/* A case as a model file. */
#include <stdlib.h>
#include <string.h>

#include "case.h"

/* The lowest IR version that has the types and the opset's rules; ONNX Runtime reads no newer one than it must. */
static int64_t ir_version(int64_t opset) {
    return opset < 15 ? 4 : opset < 19 ? 8 : opset < 21 ? 9 : 10;
}

static const struct {
    const char *name;
    int64_t opset;
} domains[] = {{"onnx_broadcast", 1}, {"ai.onnx.ml", 3}};

int64_t case_opset(const char *domain) {
    for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++)
        if (strcmp(domains[i].name, domain) == 0) return domains[i].opset;
    return 0;
}

static bool imports(const graph_case *c, const char *domain) {
    for (uint32_t n = 0; n < c->n_nodes; n++)
        if (strcmp(c->nodes[n].op->domain, domain) == 0) return true;
    return false;
}

typedef struct builder {
    const graph_case *c;
    ob_model *model;
    ob_value *values[MAX_VALUES];
} builder;

static bool append(ob_model *model, ob_value ***list, uint32_t *n, ob_value *value) {
    ob_value **longer = OB_ARENA_ARRAY(&model->arena, ob_value *, *n + 1u);
    if (!longer) return false;
    if (*n) memcpy(longer, *list, *n * sizeof *longer);
    longer[(*n)++] = value;
    *list = longer;
    return true;
}

static bool declare(builder *b, ob_value *value, const case_value *from) {
    ob_dim *dims = OB_ARENA_ARRAY(&b->model->arena, ob_dim, OB_MAX_RANK);
    if (!dims) return false;
    for (int32_t k = 0; k < from->view.rank; k++) {
        char name[8] = {'d', (char)('a' + from->symbols[k] % 26), (char)('a' + from->symbols[k] / 26), '\0'};
        dims[k] = from->symbols[k] ? ob_dim_symbol(b->model->dims, name) : from->view.dims[k];
    }
    value->declared = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = from->view.dtype, .shape = {from->view.rank, dims}};
    return true;
}

static ob_tensor *make_tensor(ob_model *model, const char *name, const ob_view *view) {
    ob_tensor *tensor = OB_ARENA_NEW(&model->arena, ob_tensor);
    int64_t *dims = OB_ARENA_ARRAY(&model->arena, int64_t, OB_MAX_RANK);
    if (!tensor || !dims) return NULL;
    memcpy(dims, view->dims, (size_t)view->rank * sizeof *dims);
    *tensor = (ob_tensor){.name = name, .dtype = view->dtype, .rank = view->rank, .dims = dims, .doc = ""};
    tensor->n_elems = ob_view_count(view);
    tensor->data = view->data;
    return tensor;
}

static bool build_value(builder *b, uint32_t index) {
    const case_value *from = &b->c->values[index];
    ob_graph *graph = b->model->graph;
    char name[16] = "v";
    size_t n = 1;
    if (index >= 100) name[n++] = (char)('0' + index / 100);
    if (index >= 10) name[n++] = (char)('0' + index / 10 % 10);
    name[n] = (char)('0' + index % 10);
    if (from->role == ROLE_GONE) return true;
    ob_value *value = b->values[index] = ob__value_new(graph, name);
    if (!value) return false;
    if (from->role == ROLE_COMPUTED) return true;
    if (from->role != ROLE_WEIGHT) {
        value->is_input = true;
        if (!declare(b, value, from) || !append(b->model, &graph->inputs, &graph->n_inputs, value)) return false;
    }
    if (from->role == ROLE_INPUT) return true;
    ob_tensor *tensor = make_tensor(b->model, value->name, &from->view);
    return tensor && ob__graph_add_initializer(graph, value, tensor);
}

static bool set_attribute(builder *b, ob_node *node, const case_attribute *from) {
    ob_arena *arena = &b->model->arena;
    ob_attribute *a = OB_ARENA_NEW(arena, ob_attribute);
    ob_string *strings = OB_ARENA_ARRAY(arena, ob_string, MAX_LIST);
    if (!a || !strings) return false;
    a->name = from->name;
    a->type = from->type;
    a->n = from->n;
    a->doc = "";
    for (uint32_t i = 0; i < from->n && i < MAX_LIST; i++)
        if (from->strings[i]) strings[i] = (ob_string){from->strings[i], strlen(from->strings[i])};
    switch (from->type) {
    case OB_ATTR_FLOAT: a->u.f = from->floats[0]; break;
    case OB_ATTR_INT: a->u.i = from->ints[0]; break;
    case OB_ATTR_STRING: a->u.s = strings[0]; break;
    case OB_ATTR_FLOATS: a->u.floats = from->floats; break;
    case OB_ATTR_INTS: a->u.ints = from->ints; break;
    case OB_ATTR_STRINGS: a->u.strings = strings; break;
    default: a->u.tensor = make_tensor(b->model, "", &from->tensor); break;
    }
    return (a->type != OB_ATTR_TENSOR || a->u.tensor) && ob__node_set_attribute(node, a);
}

static bool build_node(builder *b, uint32_t index) {
    const case_node *from = &b->c->nodes[index];
    ob_node *node = ob__node_new(b->model->graph, NULL, from->op->domain, from->op->name, from->n_in, from->n_out);
    if (!node) return false;
    char name[] = "n0";
    name[1] = (char)('0' + index);
    node->name = ob__intern(b->model, name, 2);
    for (uint32_t i = 0; i < from->n_in; i++) node->inputs[i] = from->in[i] < 0 ? NULL : b->values[from->in[i]];
    for (uint32_t i = 0; i < from->n_out; i++)
        if (from->out[i] >= 0) ob__node_set_output(node, i, b->values[from->out[i]]);
    for (uint32_t i = 0; i < from->n_attributes; i++)
        if (!set_attribute(b, node, &from->attributes[i])) return false;
    return node->name != NULL;
}

static bool build_all(builder *b) {
    const graph_case *c = b->c;
    b->model->path = "case";
    b->model->ir_version = ir_version(c->opset);
    if (!ob__model_set_opset(b->model, "", c->opset)) return false;
    for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++)
        if (imports(c, domains[i].name) && !ob__model_set_opset(b->model, domains[i].name, domains[i].opset)) return false;
    for (uint32_t v = 0; v < c->n_values; v++)
        if (!build_value(b, v)) return false;
    for (uint32_t n = 0; n < c->n_nodes; n++)
        if (!build_node(b, n)) return false;
    int outputs[MAX_VALUES];
    size_t n_outputs = case_outputs(c, outputs);
    for (size_t i = 0; i < n_outputs; i++) {
        ob_value *value = b->values[outputs[i]];
        ob_dtype dtype = c->values[outputs[i]].view.dtype;
        value->is_output = true;
        if (dtype != OB_NONE)
            value->declared = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = dtype, .shape = {OB_RANK_UNKNOWN, NULL}};
        if (!append(b->model, &b->model->graph->outputs, &b->model->graph->n_outputs, value)) return false;
    }
    return true;
}

ob_status case_build(const graph_case *c, byte_buffer *bytes, ob_model **out, ob_error *error) {
    builder b = {.c = c, .model = ob__model_new(NULL)};
    bool built = b.model && build_all(&b);
    ob_status status = built ? ob_model_write(b.model, OB_FORMAT_PROTOBUF, append_bytes, bytes, error) : OB_E_MEMORY;
    ob_model_close(&b.model);
    if (status == OB_OK) status = ob_model_load_memory(bytes->data, bytes->n, "case", NULL, out, error);
    return status;
}
