#include "passes/patch.h"

#include <string.h>

#include "core/error.h"

typedef enum edit_kind {
    EDIT_INSERT,
    EDIT_INPUT,
    EDIT_REMOVE,
    EDIT_INITIALIZER,
    EDIT_REMOVE_INITIALIZER,
    EDIT_INT_ATTRIBUTE,
    EDIT_REMOVE_ATTRIBUTE,
    EDIT_IMPORT,
    EDIT_RAISE_OPSET,
    EDIT_ADD_FUNCTION,
    EDIT_IR_VERSION,
    EDIT_TIDY_DOMAIN
} edit_kind;

struct ob_edit {
    edit_kind kind;
    ob_node *node, *before;
    ob_value *value;
    ob_graph *graph;
    ob_function *function;
    const ob_tensor *tensor;
    const char *name;
    int64_t number;
    uint32_t index;
};

void ob__patch_init(ob_patch *patch, ob_model *model) {
    memset(patch, 0, sizeof *patch);
    patch->model = model;
    ob__arena_init(&patch->arena, &model->arena.allocator);
}

void ob__patch_release(ob_patch *patch) {
    ob__arena_release(&patch->arena);
}

static void add(ob_patch *patch, ob_edit edit) {
    if (patch->failed) return;
    if (patch->n == patch->capacity) {
        size_t capacity = patch->capacity ? patch->capacity * 2 : 64;
        ob_edit *edits = OB_ARENA_ARRAY(&patch->arena, ob_edit, capacity);
        if (!edits) {
            patch->failed = true;
            return;
        }
        if (patch->n) memcpy(edits, patch->edits, patch->n * sizeof *edits);
        patch->edits = edits;
        patch->capacity = capacity;
    }
    patch->edits[patch->n++] = edit;
}

/* Local functions that would be called in place of an operator that passes write. */
static bool list_hidden(ob_patch *patch) {
    const ob_model *model = patch->model;
    ob__map_init(&patch->hidden, &patch->arena);
    if (!ob__map_reserve(&patch->hidden, 1)) return false;
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const ob_function *function = model->functions[i];
        bool ours = strcmp(function->domain, "onnx_broadcast") == 0;
        if (function->overload[0] || function->defines || (function->domain[0] && !ours)) continue;
        if (ours != (strncmp(function->name, "Broadcast", 9) == 0)) continue; /* so named is what passes write there */
        ob_map_entry *entry = ob__map_insert_borrowed(&patch->hidden, function->name, strlen(function->name));
        if (!entry) return false;
        entry->value = (void *)(uintptr_t)function->domain;
    }
    return true;
}

void ob__patch_needs(ob_patch *patch, const char *domain, const char *op_type) {
    if (patch->model->n_functions == 0 || patch->hidden_op) return;
    if (!patch->hidden.capacity && !list_hidden(patch)) {
        patch->failed = true;
        return;
    }
    const ob_map_entry *entry = ob__map_find(&patch->hidden, op_type, strlen(op_type));
    if (!entry || strcmp(entry->value, domain) != 0) return;
    patch->hidden_op = op_type;
    patch->hidden_domain = domain[0] ? domain : "ai.onnx";
}

ob_value *ob__patch_value(ob_patch *patch, ob_graph *graph, const char *stem) {
    ob_value *value = patch->failed ? NULL : ob__value_new_unique(graph, stem);
    if (!value) patch->failed = true;
    return value;
}

ob_node *ob__patch_node(ob_patch *patch, ob_graph *graph, ob_node *before, const char *domain, const char *op_type,
                        uint32_t n_inputs, uint32_t n_outputs) {
    ob_model *model = patch->model;
    ob__patch_needs(patch, domain, op_type);
    ob_node *node = patch->failed ? NULL : OB_ARENA_NEW(&model->arena, ob_node);
    ob_value **operands = node ? OB_ARENA_ARRAY(&model->arena, ob_value *, (size_t)n_inputs + n_outputs) : NULL;
    if (!operands) {
        patch->failed = true;
        return NULL;
    }
    node->name = node->overload = node->doc = "";
    node->domain = ob__intern(model, domain, strlen(domain));
    node->op_type = ob__intern(model, op_type, strlen(op_type));
    node->inputs = operands;
    node->outputs = operands + n_inputs;
    node->n_inputs = n_inputs;
    node->n_outputs = n_outputs;
    node->graph = graph;
    if (!node->domain || !node->op_type) {
        patch->failed = true;
        return NULL;
    }
    add(patch, (ob_edit){.kind = EDIT_INSERT, .node = node, .before = before, .graph = graph});
    return patch->failed ? NULL : node;
}

static ob_attribute *new_attribute(ob_patch *patch, const char *name, ob_attribute_type type) {
    ob_attribute *attribute = patch->failed ? NULL : OB_ARENA_NEW(&patch->model->arena, ob_attribute);
    const char *interned = attribute ? ob__intern(patch->model, name, strlen(name)) : NULL;
    if (!interned) {
        patch->failed = true;
        return NULL;
    }
    attribute->name = interned;
    attribute->type = type;
    attribute->n = 1;
    attribute->doc = "";
    return attribute;
}

void ob__patch_strings(ob_patch *patch, ob_node *node, const char *name, const ob_string *strings, uint32_t n) {
    ob_attribute *attribute = new_attribute(patch, name, OB_ATTR_STRINGS);
    ob_string *copies = attribute ? OB_ARENA_ARRAY(&patch->model->arena, ob_string, n) : NULL;
    for (uint32_t i = 0; copies && i < n; i++) {
        char *bytes = ob__arena_strndup(&patch->model->arena, strings[i].data, strings[i].n);
        if (!bytes)
            copies = NULL;
        else
            copies[i] = (ob_string){bytes, strings[i].n};
    }
    if (!copies || !node) {
        patch->failed = true;
        return;
    }
    attribute->n = n;
    attribute->u.strings = copies;
    if (!ob__node_set_attribute(node, attribute)) patch->failed = true;
}

static ob_tensor *new_int64_tensor(ob_patch *patch, const char *name, const int64_t *elements, uint32_t n) {
    ob_arena *arena = &patch->model->arena;
    ob_tensor *tensor = OB_ARENA_NEW(arena, ob_tensor);
    int64_t *data = OB_ARENA_ARRAY(arena, int64_t, n);
    int64_t *dims = OB_ARENA_ARRAY(arena, int64_t, 1);
    if (!tensor || !data || !dims) {
        patch->failed = true;
        return NULL;
    }
    if (n) memcpy(data, elements, n * sizeof *data);
    dims[0] = n;
    *tensor = (ob_tensor){.name = name, .dtype = OB_INT64, .rank = 1, .dims = dims, .n_elems = n, .data = data, .doc = ""};
    return tensor;
}

void ob__patch_int64_tensor(ob_patch *patch, ob_node *node, const char *name, const int64_t *elements, uint32_t n) {
    ob_attribute *attribute = new_attribute(patch, name, OB_ATTR_TENSOR);
    ob_tensor *tensor = new_int64_tensor(patch, "", elements, n);
    if (!attribute || !tensor || !node) {
        patch->failed = true;
        return;
    }
    attribute->u.tensor = tensor;
    if (!ob__node_set_attribute(node, attribute)) patch->failed = true;
}

ob_value *ob__patch_initializer(ob_patch *patch, ob_graph *graph, const char *stem, const int64_t *elements, uint32_t n) {
    ob_value *value = ob__patch_value(patch, graph, stem);
    ob_tensor *tensor = value ? new_int64_tensor(patch, value->name, elements, n) : NULL;
    if (!tensor) return NULL;
    add(patch, (ob_edit){.kind = EDIT_INITIALIZER, .value = value, .tensor = tensor});
    return value;
}

void ob__patch_input(ob_patch *patch, ob_node *node, uint32_t index, ob_value *value) {
    if (!value) patch->failed = true;
    add(patch, (ob_edit){.kind = EDIT_INPUT, .node = node, .index = index, .value = value});
}

void ob__patch_remove(ob_patch *patch, ob_node *node) {
    add(patch, (ob_edit){.kind = EDIT_REMOVE, .node = node});
}

void ob__patch_remove_initializer(ob_patch *patch, ob_value *value) {
    add(patch, (ob_edit){.kind = EDIT_REMOVE_INITIALIZER, .value = value});
}

void ob__patch_int_attribute(ob_patch *patch, ob_node *node, const char *name, int64_t i) {
    add(patch, (ob_edit){.kind = EDIT_INT_ATTRIBUTE, .node = node, .name = name, .number = i});
}

void ob__patch_remove_attribute(ob_patch *patch, ob_node *node, const char *name) {
    add(patch, (ob_edit){.kind = EDIT_REMOVE_ATTRIBUTE, .node = node, .name = name});
}

void ob__patch_import(ob_patch *patch, ob_graph *graph, const char *domain, int64_t version) {
    int64_t imported = graph ? ob__graph_opset(graph, domain) : 0;
    if (imported == 0) imported = ob__model_opset(patch->model, domain);
    if (imported != 0 && imported != version) patch->other_version = imported;
    add(patch, (ob_edit){.kind = EDIT_IMPORT, .graph = graph, .name = domain, .number = version});
}

void ob__patch_raise_opset(ob_patch *patch, const char *domain, int64_t at_least) {
    add(patch, (ob_edit){.kind = EDIT_RAISE_OPSET, .name = domain, .number = at_least});
}

void ob__patch_add_function(ob_patch *patch, ob_function *function) {
    if (!function) patch->failed = true;
    for (const ob_node *node = function ? function->body->first : NULL; node; node = node->next)
        ob__patch_needs(patch, node->domain, node->op_type);
    add(patch, (ob_edit){.kind = EDIT_ADD_FUNCTION, .function = function});
}

void ob__patch_ir_version(ob_patch *patch, int64_t at_least) {
    add(patch, (ob_edit){.kind = EDIT_IR_VERSION, .number = at_least});
}

void ob__patch_tidy_domain(ob_patch *patch, const char *domain) {
    add(patch, (ob_edit){.kind = EDIT_TIDY_DOMAIN, .name = domain});
}

/* ---- Applying ------------------------------------------------------------------------------------------------------- */

static void link_node(ob_node *node, ob_node *before) {
    ob__node_link(node, before);
    for (uint32_t i = 0; i < node->n_outputs; i++) ob__node_set_output(node, i, node->outputs[i]);
}

static void forget_name(ob_value *value) {
    ob_map_entry *entry = ob__map_find(&value->graph->values, value->name, strlen(value->name));
    if (entry && entry->value == value) entry->value = NULL;
}

static void remove_node(ob_node *node) {
    ob__node_unlink(node);
    for (uint32_t i = 0; i < node->n_outputs; i++) /* A new node may have taken the value over. */
        if (node->outputs[i] && !node->outputs[i]->producer) forget_name(node->outputs[i]);
}

static bool import_in_function(ob_model *model, ob_function *function, const char *domain, int64_t version) {
    for (uint32_t i = 0; i < function->n_opsets; i++)
        if (strcmp(function->opsets[i].domain, domain) == 0) return true;
    ob_opset *opsets = OB_ARENA_ARRAY(&model->arena, ob_opset, (size_t)function->n_opsets + 1);
    const char *name = ob__intern(model, domain, strlen(domain));
    if (!opsets || !name) return false;
    if (function->n_opsets) memcpy(opsets, function->opsets, function->n_opsets * sizeof *opsets);
    opsets[function->n_opsets++] = (ob_opset){name, version};
    function->opsets = opsets;
    return true;
}

static bool raise_in_function(ob_model *model, ob_function *function, const char *domain, int64_t at_least) {
    ob_opset *opsets = OB_ARENA_ARRAY(&model->arena, ob_opset, function->n_opsets);
    if (!opsets) return false;
    for (uint32_t i = 0; i < function->n_opsets; i++) {
        opsets[i] = function->opsets[i];
        if (strcmp(opsets[i].domain, domain) == 0 && opsets[i].version < at_least) opsets[i].version = at_least;
    }
    function->opsets = opsets;
    return true;
}

static bool raise_opset(ob_model *model, const char *domain, int64_t at_least) {
    for (uint32_t i = 0; i < model->n_functions; i++)
        if (!raise_in_function(model, model->functions[i], domain, at_least)) return false;
    return ob__model_opset(model, domain) >= at_least || ob__model_set_opset(model, domain, at_least);
}

static bool import(ob_model *model, const ob_edit *edit) {
    if (edit->graph && edit->graph->function && !import_in_function(model, edit->graph->function, edit->name, edit->number))
        return false;
    return ob__model_opset(model, edit->name) != 0 || ob__model_set_opset(model, edit->name, edit->number);
}

/* Ours go first: a definition before its callers. */
static bool add_function(ob_model *model, ob_function *function) {
    ob_function **functions = OB_ARENA_ARRAY(&model->arena, ob_function *, (size_t)model->n_functions + 1);
    if (!functions) return false;
    functions[0] = function;
    if (model->n_functions) memcpy(functions + 1, model->functions, model->n_functions * sizeof *functions);
    model->functions = functions;
    model->n_functions++;
    return true;
}

static ob_status compact_initializers(void *context, ob_graph *graph) {
    (void)context;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < graph->n_initializers; i++)
        if (graph->initializers[i]->is_initializer) graph->initializers[kept++] = graph->initializers[i];
    /* ob__graph_add_initializer grows at powers of two: give it a fresh array of the size that it expects. */
    if (kept != graph->n_initializers && kept > 0) {
        size_t capacity = 1;
        while (capacity < kept) capacity *= 2;
        ob_value **initializers = OB_ARENA_ARRAY(&graph->model->arena, ob_value *, capacity);
        if (!initializers) return OB_E_MEMORY;
        memcpy(initializers, graph->initializers, kept * sizeof *initializers);
        graph->initializers = initializers;
    }
    graph->n_initializers = kept;
    return OB_OK;
}

typedef struct domain_use {
    const char *domain;
    const ob_function *callee; /* NULL: any operator of the domain */
    bool found;
} domain_use;

static ob_status look_for_use(void *context, ob_graph *graph) {
    domain_use *use = context;
    for (const ob_node *node = graph->first; node && !use->found; node = node->next)
        if (strcmp(node->domain, use->domain) == 0 && (!use->callee || (strcmp(node->op_type, use->callee->name) == 0 &&
                                                                        strcmp(node->overload, use->callee->overload) == 0)))
            use->found = true;
    return OB_OK;
}

static ob_status look_for(ob_model *model, const char *domain, const ob_function *callee, bool *found) {
    domain_use use = {.domain = domain, .callee = callee};
    ob_status status = ob__model_each_graph(model, look_for_use, &use);
    *found = use.found;
    return status;
}

static ob_status drop_opset(const ob_opset **opsets, uint32_t *n, const char *domain, ob_arena *arena) {
    ob_opset *kept = OB_ARENA_ARRAY(arena, ob_opset, *n);
    if (!kept) return OB_E_MEMORY;
    uint32_t n_kept = 0;
    for (uint32_t i = 0; i < *n; i++)
        if (strcmp((*opsets)[i].domain, domain) != 0) kept[n_kept++] = (*opsets)[i];
    *opsets = kept;
    *n = n_kept;
    return OB_OK;
}

static bool body_uses(const ob_function *function, const char *domain) {
    for (const ob_node *node = function->body->first; node; node = node->next)
        if (strcmp(node->domain, domain) == 0) return true;
    return false;
}

static ob_status tidy_domain(ob_model *model, const char *domain) {
    uint32_t kept = 0, n = model->n_functions;
    bool others = false, used = true; /* others: functions of the model's own in the domain */
    ob_status status = OB_OK;
    for (uint32_t i = 0; i < n; i++) {
        ob_function *function = model->functions[i];
        bool there = strcmp(function->domain, domain) == 0;
        used = true;
        if (there && function->defines && status == OB_OK) status = look_for(model, domain, function, &used);
        if (!used && status == OB_OK) continue;
        others |= there && !function->defines;
        model->functions[kept++] = function;
    }
    model->n_functions = kept;
    if (status == OB_OK) status = look_for(model, domain, NULL, &used);
    /* The last import stays: without any, a file means opset 1 of ai.onnx. */
    if (status != OB_OK || others || used || model->n_opsets == 1) return status;
    OB_TRY(drop_opset(&model->opsets, &model->n_opsets, domain, &model->arena));
    for (uint32_t i = 0; i < model->n_functions; i++)
        if (!body_uses(model->functions[i], domain))
            OB_TRY(drop_opset(&model->functions[i]->opsets, &model->functions[i]->n_opsets, domain, &model->arena));
    return OB_OK;
}

static bool apply_edit(ob_model *model, const ob_edit *edit, bool *initializers_removed) {
    switch (edit->kind) {
    case EDIT_INSERT: link_node(edit->node, edit->before); return true;
    case EDIT_INPUT: edit->node->inputs[edit->index] = edit->value; return true;
    case EDIT_REMOVE:
    case EDIT_TIDY_DOMAIN: return true; /* see ob__patch_apply */
    case EDIT_INITIALIZER: return ob__graph_add_initializer(edit->value->graph, edit->value, edit->tensor);
    case EDIT_REMOVE_INITIALIZER:
        edit->value->is_initializer = false;
        forget_name(edit->value);
        *initializers_removed = true;
        return true;
    case EDIT_INT_ATTRIBUTE: return ob__node_set_int(edit->node, edit->name, edit->number);
    case EDIT_REMOVE_ATTRIBUTE: ob__node_remove_attribute(edit->node, edit->name); return true;
    case EDIT_IMPORT: return import(model, edit);
    case EDIT_RAISE_OPSET: return raise_opset(model, edit->name, edit->number);
    case EDIT_ADD_FUNCTION: return add_function(model, edit->function);
    case EDIT_IR_VERSION: ob__model_raise_ir_version(model, edit->number); return true;
    }
    return false;
}

ob_status ob__patch_apply(ob_patch *patch, ob_error *error) {
    if (patch->failed) return OB_E_MEMORY;
    OB_FAIL_IF(
        patch->hidden_op, error, OB_E_UNSUPPORTED,
        "the model has a function of its own named %s in domain %s, the operator that this form needs: rename that function",
        patch->hidden_op, patch->hidden_domain);
    OB_FAIL_IF(patch->other_version, error, OB_E_UNSUPPORTED,
               "the model imports version %lld of domain onnx_broadcast, of which version 1 is known: what it means there is not "
               "known",
               (long long)patch->other_version);
    bool initializers_removed = false;
    /* Removals last: new nodes find their place beside the old ones, and may take over their outputs. */
    for (size_t i = 0; i < patch->n; i++)
        if (!apply_edit(patch->model, &patch->edits[i], &initializers_removed)) return OB_E_MEMORY;
    for (size_t i = 0; i < patch->n; i++)
        if (patch->edits[i].kind == EDIT_REMOVE) remove_node(patch->edits[i].node);
    for (size_t i = 0; i < patch->n; i++)
        if (patch->edits[i].kind == EDIT_TIDY_DOMAIN) OB_TRY(tidy_domain(patch->model, patch->edits[i].name));
    patch->n = 0;
    if (initializers_removed) return ob__model_each_graph(patch->model, compact_initializers, NULL);
    return OB_OK;
}
