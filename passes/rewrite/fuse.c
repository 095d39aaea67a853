/* Groups of nodes that a session computes in one step (passes/optimize/groups.h) become calls of model-local functions, whose
 * bodies are these nodes. Every runtime that knows functions can run the model, and one that wants to can fuse each body.
 *
 * Precondition: facts are there, no errors. Postcondition: every value that stays has the type that it had; only results that
 * nobody outside a group read are gone. Bodies that are equal are one function. Linear in nodes and operands. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "ops/library/resolve.h"
#include "passes/rewrite/fused.h"
#include "passes/rewrite/patch.h"
#include "passes/rewrite/rewriting.h"

static const char own_domain[] = "onnx_broadcast", program_attribute[] = "program";

typedef struct fuser {
    ob_rewriting *rewriting;
    ob_work *work; /* of the rewriting */
    ob_patch patch;
    ob_arena arena;
    uint32_t *uses; /* by value id: operands of nodes and outputs of graphs */
    bool *live;     /* by node id */
    ob_group **groups;
    ob_worth *worth;
    ob_map taken;     /* names of functions of our domain, and of undefined operators there */
    ob_map functions; /* body as text -> function */
    uint32_t n_named;
} fuser;

/* ---- Functions ---- */

/* "Fused_1", or the next number that is free. */
static const char *free_name(fuser *f) {
    const char *name;
    do name = ob__arena_printf(&f->work->model->arena, "Fused_%u", (unsigned)++f->n_named);
    while (name && ob__map_find(&f->taken, name, strlen(name)));
    return name && ob__map_insert(&f->taken, name, strlen(name)) ? name : NULL;
}

static ob_value *body_value(ob_graph *body, const char *letter, int64_t index) {
    const char *name = ob__arena_printf(&body->model->arena, index < 0 ? "%s" : "%s%lld", letter, (long long)index);
    return name ? ob__value_new(body, name) : NULL;
}

/* The domains that the nodes come from, each with the version that their graph imports. */
static bool import_domains(const ob_fused *m, ob_function *function) {
    const ob_graph *graph = m->nodes[0]->graph;
    ob_opset *opsets = OB_ARENA_ARRAY(&graph->model->arena, ob_opset, m->n);
    for (uint32_t i = 0; i < m->n && opsets; i++) {
        const char *domain = m->nodes[i]->domain;
        uint32_t k = 0;
        while (k < function->n_opsets && strcmp(opsets[k].domain, domain) != 0) k++;
        if (k == function->n_opsets) opsets[function->n_opsets++] = (ob_opset){domain, ob__graph_opset(graph, domain)};
    }
    function->opsets = opsets;
    return opsets != NULL;
}

/* A copy of node i in the body. made: the results before it. */
static bool copy_node(const ob_fused *m, uint32_t i, ob_graph *body, ob_value **made) {
    const ob_node *from = m->nodes[i];
    ob_node *node = ob__node_new(body, NULL, from->domain, from->op_type, from->n_inputs, 1);
    made[i] = i + 1 < m->n ? body_value(body, "t", i) : body_value(body, "y", -1);
    if (!node || !made[i]) return false;
    for (uint32_t k = 0; k < from->n_inputs; k++) {
        const ob_value *value = from->inputs[k];
        const int32_t maker = value ? ob__fused_maker(m, value) : OB_FUSED_OUTSIDE;
        if (value) node->inputs[k] = maker != OB_FUSED_OUTSIDE ? made[maker] : body->inputs[ob__fused_operand(m, value)];
    }
    node->overload = from->overload;
    node->n_attributes = from->n_attributes;
    node->attributes = from->attributes; /* neither changes after this pass */
    ob__node_set_output(node, 0, made[i]);
    return true;
}

static ob_function *define(fuser *f, ob_fused *m) {
    ob_model *model = f->work->model;
    ob_arena *arena = &model->arena;
    const char *name = free_name(f);
    ob_group named = {.nodes = m->nodes, .n = m->n};
    if (ob__name_group(&f->arena, &named) != OB_OK) return NULL;
    ob_function *function = OB_ARENA_NEW(arena, ob_function);
    ob_graph *body = ob__graph_new(model, NULL, NULL);
    ob_value *made[OB_GROUP_NODES], **ends = OB_ARENA_ARRAY(arena, ob_value *, (size_t)m->n_operands + 1);
    if (!name || !function || !body || !ends || !import_domains(m, function)) return NULL;
    function->name = ob__intern(model, name, strlen(name));
    function->domain = ob__intern(model, own_domain, strlen(own_domain));
    function->overload = "";
    function->doc = ob__arena_printf(arena, "%s, which can be computed in one step.", named.ops);
    function->body = body;
    static const char *attributes[] = {program_attribute};
    function->attributes = attributes;
    function->n_attributes = 1;
    if (!function->name || !function->domain || !function->doc) return NULL;
    body->function = function;
    body->name = function->name;
    body->inputs = ends;
    body->outputs = ends + m->n_operands;
    body->n_outputs = 1;
    for (uint32_t k = 0; k < m->n_operands; k++) {
        ends[k] = body_value(body, "x", k);
        if (!ends[k]) return NULL;
        ends[k]->is_input = true;
        body->n_inputs++;
    }
    for (uint32_t i = 0; i < m->n; i++)
        if (!copy_node(m, i, body, made)) return NULL;
    ends[m->n_operands] = made[m->n - 1];
    made[m->n - 1]->is_output = true;
    ob__patch_add_function(&f->patch, function);
    f->rewriting->stats.n_functions++;
    return function;
}

/* An equal function, or a new one. NULL: out of memory. */
static const ob_function *need_function(fuser *f, ob_fused *m, const ob_text *body) {
    ob_map_entry *entry = ob__map_insert(&f->functions, body->data, body->n);
    if (entry && !entry->value) entry->value = define(f, m);
    return entry ? entry->value : NULL;
}

/* ---- The pass ---- */

/* The type of a result of ours, which runtimes that have a kernel for the call cannot infer: numbers and the model's symbols. */
static bool declare(fuser *f, ob_value *value) {
    ob_model *model = f->work->model;
    const ob_type *known = &ob__fact(f->work->facts, value)->type;
    if (value->declared.kind == OB_TYPE_TENSOR && value->declared.dtype != OB_NONE) return true;
    ob_type *type = OB_ARENA_NEW(&model->arena, ob_type);
    ob_dim *dims = OB_ARENA_ARRAY(&model->arena, ob_dim, (size_t)known->shape.rank + 1);
    if (!type || !dims) return false;
    for (int32_t a = 0; a < known->shape.rank; a++) {
        const ob_dim d = known->shape.dims[a];
        dims[a] = ob_dim_is_const(d) || ob_dim_is_named(model->dims, d) ? d : OB_DIM_UNKNOWN;
    }
    *type = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = known->dtype, .shape = {known->shape.rank, dims}};
    ob__patch_declare(&f->patch, value, type);
    return true;
}

static bool call_group(fuser *f, ob_fused *m, const ob_text *body, ob_text *program) {
    ob_node *last = m->nodes[m->n - 1];
    if (!ob__fused_program(m, f->work->facts, body->data, program)) return false;
    const ob_function *function = need_function(f, m, body);
    ob_node *call = function ? ob__patch_node(&f->patch, last->graph, last, own_domain, function->name, m->n_operands, 1) : NULL;
    if (!call || !ob__node_set_string(call, program_attribute, program->data) || !declare(f, last->outputs[0])) return false;
    memcpy(call->inputs, m->operands, m->n_operands * sizeof *call->inputs);
    call->outputs[0] = last->outputs[0];
    for (uint32_t i = 0; i < m->n; i++) {
        ob__touch(&f->rewriting->keeping, m->nodes[i]);
        ob__patch_remove(&f->patch, m->nodes[i]);
    }
    ob__patch_import(&f->patch, last->graph, own_domain, 1);
    f->rewriting->stats.n_inserted++;
    f->rewriting->stats.n_removed += m->n;
    return true;
}

/* Products and convolutions before a group, and attention, are left to the runtime. */
static void fuse_group(fuser *f, const ob_group *group) {
    ob_fused m;
    if (group->head) group = group->rest;
    if (!group || !ob__worth_fusing(f->worth, group, &m)) return;
    for (uint32_t i = 0; i < m.n; i++)
        if (ob__leaves(f->rewriting, m.nodes[i])) return;
    ob_text body, program;
    ob__text_init(&body, &f->arena.allocator);
    ob__text_init(&program, &f->arena.allocator);
    const bool exact = ob__fused_body(&m, &body);
    if (body.failed || (exact && !call_group(f, &m, &body, &program))) f->patch.failed = true;
    ob__text_release(&program);
    ob__text_release(&body);
}

/* A group is visited at its last node. Bodies of functions stay as they are. */
static ob_status visit_graph(void *context, ob_graph *graph) {
    fuser *f = context;
    for (ob_node *node = graph->first; node && !graph->function; node = node->next) {
        const ob_group *group = f->groups[node->id];
        if (group && ob__group_last(group) == node) fuse_group(f, group);
    }
    return OB_OK;
}

static ob_status count_uses(void *context, ob_graph *graph) {
    fuser *f = context;
    for (const ob_node *node = graph->first; node; node = node->next) {
        f->live[node->id] = true;
        for (uint32_t i = 0; i < node->n_inputs; i++)
            if (node->inputs[i]) f->uses[node->inputs[i]->id]++;
        if (!node->op && !node->function && strcmp(node->domain, own_domain) == 0 &&
            !ob__map_insert(&f->taken, node->op_type, strlen(node->op_type))) /* a definition must not give it a meaning */
            return OB_E_MEMORY;
    }
    for (uint32_t i = 0; i < graph->n_outputs; i++) f->uses[graph->outputs[i]->id]++;
    return OB_OK;
}

static ob_status find_names(fuser *f) {
    const ob_model *model = f->work->model;
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const ob_function *function = model->functions[i];
        if (strcmp(function->domain, own_domain) == 0 && !ob__map_insert(&f->taken, function->name, strlen(function->name)))
            return OB_E_MEMORY;
    }
    return OB_OK;
}

static ob_status fuse(fuser *f) {
    ob_model *model = f->work->model;
    OB_TRY(find_names(f));
    OB_TRY(ob__model_each_graph(model, count_uses, f));
    OB_TRY(ob__find_groups(model, f->work->facts, f->uses, f->live, &f->arena, &f->groups));
    OB_TRY(ob__worth_new(model, f->work->facts, f->uses, &f->arena, &f->worth, f->work->error));
    OB_TRY(ob__model_each_graph(model, visit_graph, f));
    if (f->rewriting->stats.n_inserted > 0) ob__patch_ir_version(&f->patch, 8);
    OB_TRY(ob__patch_apply(&f->patch, f->work->error));
    return ob__model_resolve_ops(model);
}

ob_status ob__pass_fuse(ob_rewriting *rewriting) {
    ob_work *work = rewriting->work;
    fuser f = {.rewriting = rewriting, .work = work};
    ob__patch_init(&f.patch, work->model, &rewriting->journal);
    f.patch.suffix = "_fused";
    ob__arena_init(&f.arena, &work->model->arena.allocator);
    ob__map_init(&f.taken, &f.arena);
    ob__map_init(&f.functions, &f.arena);
    f.uses = OB_ARENA_ARRAY(&f.arena, uint32_t, work->model->n_values);
    f.live = OB_ARENA_ARRAY(&f.arena, bool, work->model->n_nodes);
    ob_status status = f.uses && f.live ? fuse(&f) : OB_E_MEMORY;
    ob__worth_release(f.worth);
    status = ob__arena_finish(&f.arena, status);
    ob__patch_release(&f.patch);
    return status;
}
