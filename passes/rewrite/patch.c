#include "passes/rewrite/patch.h"

#include <string.h>

#include "core/base/list.h"
#include "passes/rewrite/patch_edit.h"

void ob__patch_init(ob_patch *patch, ob_model *model, ob_journal *journal) {
    memset(patch, 0, sizeof *patch);
    patch->model = model;
    patch->journal = journal;
    ob__arena_init(&patch->arena, &model->arena.allocator);
}

void ob__patch_release(ob_patch *patch) {
    ob__arena_release(&patch->arena);
}

static void add(ob_patch *patch, ob_edit edit) {
    if (patch->failed) return;
    ob_edit *edits = patch->n < UINT32_MAX
                         ? ob__list_in_arena(&patch->arena, patch->edits, &patch->capacity, patch->n + 1, sizeof *edits)
                         : NULL;
    patch->failed = !edits;
    if (!edits) return;
    patch->edits = edits;
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
        if (ours != (strncmp(function->name, "Broadcast", 9) == 0)) continue; /* the usual name of such nodes */
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
    ob_model *model = patch->model;
    bool saved = !patch->failed && ob__journal_save(patch->journal, &model->n_values, sizeof model->n_values);
    ob_value *value = saved ? ob__value_new_unique(graph, stem) : NULL;
    if (value && !ob__journal_name(patch->journal, value, false)) {
        ob__value_undefine(value);
        value = NULL;
    }
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
    if (before) node->made_for = before->made_for ? before->made_for : before;
    if (!node->domain || !node->op_type || (before && !ob__patch_describe(patch, node, before))) {
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

static ob_tensor *new_tensor(ob_patch *patch, const char *name, ob_dtype dtype, const int64_t *elements, uint32_t n) {
    ob_arena *arena = &patch->model->arena;
    ob_tensor *tensor = OB_ARENA_NEW(arena, ob_tensor);
    void *data = ob__arena_calloc(arena, n, sizeof *elements);
    int64_t *dims = OB_ARENA_ARRAY(arena, int64_t, 1);
    if (!tensor || !data || !dims) {
        patch->failed = true;
        return NULL;
    }
    if (n && dtype == OB_INT64) memcpy(data, elements, n * sizeof *elements);
    for (uint32_t i = 0; i < n && dtype == OB_DOUBLE; i++) ((double *)data)[i] = (double)elements[i];
    dims[0] = n;
    *tensor = (ob_tensor){.name = name, .dtype = dtype, .rank = 1, .dims = dims, .n_elems = n, .data = data, .doc = ""};
    return tensor;
}

void ob__patch_tensor(ob_patch *patch, ob_node *node, const char *name, ob_dtype dtype, const int64_t *elements, uint32_t n) {
    ob_attribute *attribute = new_attribute(patch, name, OB_ATTR_TENSOR);
    ob_tensor *tensor = new_tensor(patch, "", dtype, elements, n);
    if (!attribute || !tensor || !node) {
        patch->failed = true;
        return;
    }
    attribute->u.tensor = tensor;
    if (!ob__node_set_attribute(node, attribute)) patch->failed = true;
}

ob_value *ob__patch_initializer(ob_patch *patch, ob_graph *graph, const char *stem, const int64_t *elements, uint32_t n) {
    ob_value *value = ob__patch_value(patch, graph, stem);
    ob_tensor *tensor = value ? new_tensor(patch, value->name, OB_INT64, elements, n) : NULL;
    if (!tensor) return NULL;
    add(patch, (ob_edit){.kind = EDIT_INITIALIZER, .value = value, .tensor = tensor});
    return value;
}

ob_value *ob__patch_weight(ob_patch *patch, ob_graph *graph, const char *stem, const ob_tensor *tensor) {
    ob_value *value = ob__patch_value(patch, graph, stem);
    ob_tensor *own = value ? OB_ARENA_NEW(&patch->model->arena, ob_tensor) : NULL;
    if (!own) {
        patch->failed = true;
        return NULL;
    }
    *own = *tensor;
    own->name = value->name;
    add(patch, (ob_edit){.kind = EDIT_INITIALIZER, .value = value, .tensor = own});
    return value;
}

void ob__patch_set_tensor(ob_patch *patch, ob_value *value, const ob_tensor *tensor) {
    add(patch, (ob_edit){.kind = EDIT_TENSOR, .value = value, .tensor = tensor});
}

void ob__patch_declare(ob_patch *patch, ob_value *value, const ob_type *type) {
    add(patch, (ob_edit){.kind = EDIT_DECLARE, .value = value, .type = type});
}

void ob__patch_sorted(ob_patch *patch, ob_graph *graph) {
    add(patch, (ob_edit){.kind = EDIT_SORTED, .graph = graph});
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
