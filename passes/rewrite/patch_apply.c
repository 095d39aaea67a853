/* Applies the edits of a patch. Every change is saved in the journal first, so a patch is applied as a whole or not at all. */
#include <stddef.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "passes/rewrite/patch_edit.h"

/* ---- Saving changes in the journal ---- */

#define SAVE(journal, place) ob__journal_save((journal), &(place), sizeof(place))

static bool save_nodes(ob_journal *j, ob_graph *graph) {
    return SAVE(j, graph->first) && SAVE(j, graph->last) && SAVE(j, graph->n_nodes);
}

static bool save_producer(ob_journal *j, ob_value *value) {
    return !value || (SAVE(j, value->producer) && SAVE(j, value->producer_index));
}

static bool save_producers(ob_journal *j, const ob_node *node) {
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (!save_producer(j, node->outputs[i])) return false;
    return true;
}

static bool save_attributes(ob_journal *j, ob_node *node) {
    return SAVE(j, node->attributes) && SAVE(j, node->n_attributes) &&
           (node->n_attributes == 0 || ob__journal_save(j, node->attributes, node->n_attributes * sizeof *node->attributes));
}

static bool save_opsets(ob_journal *j, ob_model *model) {
    return SAVE(j, model->opsets) && SAVE(j, model->n_opsets);
}

static bool save_function_opsets(ob_journal *j, ob_function *function) {
    return SAVE(j, function->opsets) && SAVE(j, function->n_opsets);
}

static bool save_functions(ob_journal *j, ob_model *model) {
    return SAVE(j, model->functions) && SAVE(j, model->n_functions) &&
           (model->n_functions == 0 || ob__journal_save(j, model->functions, model->n_functions * sizeof *model->functions));
}

static bool save_initializers(ob_journal *j, ob_graph *graph) {
    return SAVE(j, graph->initializers) && SAVE(j, graph->n_initializers) &&
           (graph->n_initializers == 0 ||
            ob__journal_save(j, graph->initializers, graph->n_initializers * sizeof *graph->initializers));
}

/* ---- Nodes ---- */

static bool link_node(ob_journal *j, ob_node *node, ob_node *before) {
    ob_node *after = before ? before->prev : node->graph->last;
    if (!save_nodes(j, node->graph) || !save_producers(j, node)) return false;
    if ((before && !SAVE(j, before->prev)) || (after && !SAVE(j, after->next))) return false;
    ob__node_link(node, before);
    for (uint32_t i = 0; i < node->n_outputs; i++) ob__node_set_output(node, i, node->outputs[i]);
    return true;
}

static bool forget_name(ob_journal *j, ob_value *value) {
    if (!ob__journal_name(j, value, true)) return false;
    ob__value_forget(value);
    return true;
}

static bool remove_node(ob_journal *j, ob_node *node) {
    if (!save_nodes(j, node->graph) || !save_producers(j, node) || !SAVE(j, node->prev) || !SAVE(j, node->next)) return false;
    if ((node->prev && !SAVE(j, node->prev->next)) || (node->next && !SAVE(j, node->next->prev))) return false;
    ob__node_unlink(node);
    for (uint32_t i = 0; i < node->n_outputs; i++) /* A new node may have taken the value over. */
        if (node->outputs[i] && !node->outputs[i]->producer && !forget_name(j, node->outputs[i])) return false;
    return true;
}

/* ---- Initializers ---- */

/* ob__graph_add_initializer writes after the last one: the saved part of the array does not change. */
static bool add_initializer(ob_journal *j, ob_value *value, const ob_tensor *tensor) {
    return SAVE(j, value->graph->initializers) && SAVE(j, value->graph->n_initializers) && SAVE(j, value->is_initializer) &&
           SAVE(j, value->data) && SAVE(j, value->declared) && ob__graph_add_initializer(value->graph, value, tensor);
}

static bool set_tensor(ob_journal *j, ob_value *value, const ob_tensor *tensor) {
    if (!SAVE(j, value->data) || !SAVE(j, value->declared)) return false;
    value->data = tensor;
    value->declared = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = tensor->dtype, .shape = {tensor->rank, tensor->dims}};
    return true;
}

static bool declare(ob_journal *j, ob_value *value, const ob_type *type) {
    if (!SAVE(j, value->declared)) return false;
    value->declared = *type;
    return true;
}

static bool mark_sorted(ob_journal *j, ob_graph *graph) {
    if (!SAVE(j, graph->n_early)) return false;
    graph->n_early = 0;
    return true;
}

static bool remove_initializer(ob_journal *j, ob_value *value) {
    if (!SAVE(j, value->is_initializer) || !forget_name(j, value)) return false;
    value->is_initializer = false;
    return true;
}

static ob_status compact_initializers(void *context, ob_graph *graph) {
    ob_journal *j = context;
    uint32_t kept = 0, n = graph->n_initializers;
    for (uint32_t i = 0; i < n; i++) kept += graph->initializers[i]->is_initializer;
    if (kept == n) return OB_OK;
    if (!save_initializers(j, graph)) return OB_E_MEMORY;
    ob_value **initializers = NULL; /* a new list, so that undoing can restore the old one */
    kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!graph->initializers[i]->is_initializer) continue;
        initializers = ob__list_for_entry(&graph->model->arena, initializers, kept, sizeof *initializers);
        if (!initializers) return OB_E_MEMORY;
        initializers[kept++] = graph->initializers[i];
    }
    graph->initializers = initializers;
    graph->n_initializers = kept;
    return OB_OK;
}

/* ---- Imports and functions ---- */

static bool import_in_function(ob_journal *j, ob_model *model, ob_function *function, const char *domain, int64_t version) {
    for (uint32_t i = 0; i < function->n_opsets; i++)
        if (strcmp(function->opsets[i].domain, domain) == 0) return true;
    if (!save_function_opsets(j, function)) return false;
    ob_opset *opsets = OB_ARENA_ARRAY(&model->arena, ob_opset, (size_t)function->n_opsets + 1);
    const char *name = ob__intern(model, domain, strlen(domain));
    if (!opsets || !name) return false;
    if (function->n_opsets) memcpy(opsets, function->opsets, function->n_opsets * sizeof *opsets);
    opsets[function->n_opsets++] = (ob_opset){name, version};
    function->opsets = opsets;
    return true;
}

static bool raise_in_function(ob_journal *j, ob_model *model, ob_function *function, const char *domain, int64_t at_least) {
    if (!save_function_opsets(j, function)) return false;
    ob_opset *opsets = OB_ARENA_ARRAY(&model->arena, ob_opset, function->n_opsets);
    if (!opsets) return false;
    for (uint32_t i = 0; i < function->n_opsets; i++) {
        opsets[i] = function->opsets[i];
        if (strcmp(opsets[i].domain, domain) == 0 && opsets[i].version < at_least) opsets[i].version = at_least;
    }
    function->opsets = opsets;
    return true;
}

static bool raise_opset(ob_journal *j, ob_model *model, const char *domain, int64_t at_least) {
    if (!save_opsets(j, model)) return false;
    for (uint32_t i = 0; i < model->n_functions; i++)
        if (!raise_in_function(j, model, model->functions[i], domain, at_least)) return false;
    return ob__model_opset(model, domain) >= at_least || ob__model_set_opset(model, domain, at_least);
}

static bool import(ob_journal *j, ob_model *model, const ob_edit *edit) {
    if (!save_opsets(j, model)) return false;
    if (edit->graph && edit->graph->function && !import_in_function(j, model, edit->graph->function, edit->name, edit->number))
        return false;
    return ob__model_opset(model, edit->name) != 0 || ob__model_set_opset(model, edit->name, edit->number);
}

/* Ours go first: a definition before its callers. */
static bool add_function(ob_journal *j, ob_model *model, ob_function *function) {
    if (!save_functions(j, model)) return false;
    ob_function **functions = OB_ARENA_ARRAY(&model->arena, ob_function *, (size_t)model->n_functions + 1);
    if (!functions) return false;
    functions[0] = function;
    if (model->n_functions) memcpy(functions + 1, model->functions, model->n_functions * sizeof *functions);
    model->functions = functions;
    model->n_functions++;
    return true;
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

static ob_status tidy_domain(ob_journal *j, ob_model *model, const char *domain) {
    if (!save_functions(j, model) || !save_opsets(j, model)) return OB_E_MEMORY;
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
        if (!body_uses(model->functions[i], domain)) {
            if (!save_function_opsets(j, model->functions[i])) return OB_E_MEMORY;
            OB_TRY(drop_opset(&model->functions[i]->opsets, &model->functions[i]->n_opsets, domain, &model->arena));
        }
    return OB_OK;
}

/* Everything that ob__model_raise_ir_version may touch: initializers may cease to be inputs. */
static bool raise_ir_version(ob_journal *j, ob_model *model, int64_t at_least) {
    ob_graph *graph = model->graph;
    if (!SAVE(j, model->ir_version) || !SAVE(j, graph->n_inputs)) return false;
    if (graph->n_inputs && !ob__journal_save(j, graph->inputs, graph->n_inputs * sizeof *graph->inputs)) return false;
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        ob_value *input = graph->inputs[i];
        if (!input->is_initializer) continue;
        if (!SAVE(j, input->is_input) || !SAVE(j, input->origin) || !SAVE(j, input->declared)) return false;
    }
    ob__model_raise_ir_version(model, at_least);
    return true;
}

/* ---- The whole ---- */

static bool apply_edit(ob_journal *j, ob_model *model, const ob_edit *edit) {
    switch (edit->kind) {
    case EDIT_INSERT: return link_node(j, edit->node, edit->before);
    case EDIT_INPUT:
        if (!SAVE(j, edit->node->inputs[edit->index])) return false;
        edit->node->inputs[edit->index] = edit->value;
        return true;
    case EDIT_REMOVE:
    case EDIT_TIDY_DOMAIN: return true; /* see apply */
    case EDIT_INITIALIZER: return add_initializer(j, edit->value, edit->tensor);
    case EDIT_REMOVE_INITIALIZER: return remove_initializer(j, edit->value);
    case EDIT_INT_ATTRIBUTE: return save_attributes(j, edit->node) && ob__node_set_int(edit->node, edit->name, edit->number);
    case EDIT_REMOVE_ATTRIBUTE:
        if (!save_attributes(j, edit->node)) return false;
        ob__node_remove_attribute(edit->node, edit->name);
        return true;
    case EDIT_IMPORT: return import(j, model, edit);
    case EDIT_RAISE_OPSET: return raise_opset(j, model, edit->name, edit->number);
    case EDIT_ADD_FUNCTION: return add_function(j, model, edit->function);
    case EDIT_IR_VERSION: return raise_ir_version(j, model, edit->number);
    case EDIT_TENSOR: return set_tensor(j, edit->value, edit->tensor);
    case EDIT_DECLARE: return declare(j, edit->value, edit->type);
    case EDIT_SORTED: return mark_sorted(j, edit->graph);
    }
    return false;
}

static ob_status apply(ob_patch *patch) {
    ob_journal *j = patch->journal;
    bool initializers_removed = false;
    if (!SAVE(j, patch->model->n_nodes)) return OB_E_MEMORY;
    /* Removals last: new nodes find their place beside the old ones, and may take over their outputs. */
    for (size_t i = 0; i < patch->n; i++) {
        if (!apply_edit(j, patch->model, &patch->edits[i])) return OB_E_MEMORY;
        initializers_removed |= patch->edits[i].kind == EDIT_REMOVE_INITIALIZER;
    }
    for (size_t i = 0; i < patch->n; i++)
        if (patch->edits[i].kind == EDIT_REMOVE && !remove_node(j, patch->edits[i].node)) return OB_E_MEMORY;
    for (size_t i = 0; i < patch->n; i++)
        if (patch->edits[i].kind == EDIT_TIDY_DOMAIN) OB_TRY(tidy_domain(j, patch->model, patch->edits[i].name));
    return initializers_removed ? ob__model_each_graph(patch->model, compact_initializers, j) : OB_OK;
}

ob_status ob__patch_apply(ob_patch *patch, ob_error *error) {
    if (patch->failed) return OB_E_MEMORY;
    OB_FAIL_IF(
        patch->hidden_op, error, OB_E_UNSUPPORTED,
        "the model has a function of its own named %s in domain %s, the operator that this form needs: rename that function",
        patch->hidden_op, patch->hidden_domain);
    OB_FAIL_IF(patch->other_version, error, OB_E_UNSUPPORTED,
               "the model imports version %lld of domain onnx_broadcast; only version 1 is "
               "known",
               (long long)patch->other_version);
    const ob_journal_entry *before = patch->journal->last;
    ob_status status = apply(patch);
    if (status == OB_OK)
        patch->n = 0;
    else
        ob__journal_undo(patch->journal, before);
    return status;
}
