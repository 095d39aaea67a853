/* Lowers explicit operators to calls of model-local functions, or to standard operators.
 *
 * Precondition: facts exist, also for the nodes of insert_broadcast. Postcondition: no Broadcast or BroadcastInDim of domain
 * onnx_broadcast is left, except those that the opset cannot express (noted). Values keep their names. Linear in nodes and
 * operands.
 */
#include <string.h>

#include "ops/broadcast/params.h"
#include "ops/library/resolve.h"
#include "ops/table/op.h"
#include "passes/check/groups.h"
#include "passes/rewrite/definitions.h"
#include "passes/rewrite/patch.h"
#include "passes/rewrite/rewriting.h"
#include "passes/rewrite/shapes_of.h"

typedef struct lowerer {
    ob_rewriting *rewriting;
    ob_work *work; /* of the rewriting */
    ob_patch patch;
    ob_shape_maker shapes;
    ob_arena arena;
    ob_stretch_types types;
    ob_map taken;       /* names of functions of our domain, and of undefined operators there */
    ob_map definitions; /* number of operands, 0 for BroadcastTo -> ours, there or added */
    ob_value **instead; /* by value id: the value that readers use instead, or NULL */
    bool *is_result;    /* by value id: a graph gives it as its output, this one or one within */
    uint32_t n_instead;
    int64_t opset; /* of definitions: the newest opset that the model or one of its functions imports */
} lowerer;

static const ob_shape unknown_shape = {OB_RANK_UNKNOWN, NULL};

/* A body is inferred for one of its calls, so its facts may not hold for others; and a rank that is only declared may be wrong.
 * */
static ob_shape shape_of(const lowerer *l, const ob_value *value) {
    if (!value || value->graph->function) return unknown_shape;
    const ob_fact *fact = ob__fact(l->work->facts, value);
    return fact->type.kind == OB_TYPE_TENSOR && !fact->assumed ? fact->type.shape : unknown_shape;
}

static ob_dtype dtype_of(const lowerer *l, const ob_value *value) {
    return ob__fact(l->work->facts, value)->type.dtype;
}

static ob_value *scratch_value(lowerer *l, ob_node *maker, const char *stem, ob_dtype dtype, const ob_shape *shape) {
    ob_value *value = maker ? ob__patch_value(&l->patch, maker->graph, stem) : NULL;
    if (!value) return NULL;
    maker->outputs[0] = value;
    if (ob__set_tensor_fact(l->work, value, dtype, shape) != OB_OK) l->patch.failed = true;
    return value;
}

/* ---- Pieces ---- */

/* Expand(value, shape) before `before`; the result is `out`, or a new value when NULL. */
static ob_value *expand(lowerer *l, ob_node *before, ob_value *value, ob_value *shape, ob_value *out, const ob_shape *result) {
    ob_node *node = ob__patch_node(&l->patch, before->graph, before, "", "Expand", 2, 1);
    if (!node) return NULL;
    node->inputs[0] = value;
    node->inputs[1] = shape;
    if (out) node->outputs[0] = out;
    return out ? out : scratch_value(l, node, value->name, dtype_of(l, value), result);
}

/* Below opset 8: Reshape to the result's rank and Tile; everything is static there. `aligned` has the result's rank. */
static void reshape_and_tile(lowerer *l, ob_node *before, ob_value *value, const ob_shape *own, const ob_shape *aligned,
                             const ob_shape *result, ob_value *out) {
    int64_t repeats[OB_MAX_RANK];
    if (!ob__same_shape(own, aligned)) {
        ob_value *shape = ob__shape_constant(&l->shapes, before, aligned->dims, aligned->rank);
        ob_node *reshape = ob__patch_node(&l->patch, before->graph, before, "", "Reshape", 2, 1);
        if (!reshape) return;
        reshape->inputs[0] = value;
        reshape->inputs[1] = shape;
        value = scratch_value(l, reshape, value->name, dtype_of(l, value), aligned);
    }
    for (int32_t i = 0; i < result->rank; i++) repeats[i] = aligned->dims[i] == result->dims[i] ? 1 : result->dims[i];
    ob_value *times = ob__shape_constant(&l->shapes, before, repeats, result->rank);
    ob_node *tile = ob__patch_node(&l->patch, before->graph, before, "", "Tile", 2, 1);
    if (!tile) return;
    tile->inputs[0] = value;
    tile->inputs[1] = times;
    tile->outputs[0] = out;
}

/* Unsqueeze so that dimension i goes to mapping[i] of a result of that rank, with ones between; NULL: out of memory. */
static ob_value *spread_axes(lowerer *l, ob_node *before, ob_value *value, const int64_t *mapping, uint32_t n,
                             const ob_shape *aligned) {
    int64_t axes[OB_MAX_RANK];
    uint32_t n_axes = 0;
    for (int32_t axis = 0, k = 0; axis < aligned->rank; axis++) {
        if ((uint32_t)k < n && mapping[k] == axis)
            k++;
        else
            axes[n_axes++] = axis;
    }
    if (n_axes == 0) return value;
    bool as_operand = ob__graph_opset(before->graph, "") >= 13;
    ob_value *operand = as_operand ? ob__shape_constant(&l->shapes, before, axes, (int32_t)n_axes) : NULL;
    ob_node *node = ob__patch_node(&l->patch, before->graph, before, "", "Unsqueeze", as_operand ? 2 : 1, 1);
    if (!node) return NULL;
    node->inputs[0] = value;
    if (as_operand)
        node->inputs[1] = operand;
    else if (!ob__node_set_ints(node, "axes", axes, n_axes))
        l->patch.failed = true;
    return scratch_value(l, node, value->name, dtype_of(l, value), aligned);
}

static bool is_suffix(const int64_t *mapping, uint32_t n, int32_t rank) {
    for (uint32_t i = 0; i < n; i++)
        if (mapping[i] != (int64_t)rank - n + i) return false;
    return true;
}

/* ---- BroadcastInDim, and calls of BroadcastTo ---- */

/* The rank of the result: the length of the operand, or of the attribute `shape`. */
static int32_t result_rank(const lowerer *l, const ob_node *node) {
    const ob_ints stated = ob__in_dim_params(node).shape;
    bool as_operand = node->n_inputs > 1 && node->inputs[1];
    if (!as_operand && stated.at) return stated.n <= OB_MAX_RANK ? (int32_t)stated.n : OB_RANK_UNKNOWN;
    ob_shape shape = shape_of(l, node->outputs[0]);
    return shape.rank <= OB_MAX_RANK ? shape.rank : OB_RANK_UNKNOWN;
}

static ob_value *shape_operand(lowerer *l, ob_node *node) {
    if (node->n_inputs > 1 && node->inputs[1]) return node->inputs[1];
    const ob_ints stated = ob__in_dim_params(node).shape;
    return stated.at ? ob__shape_constant(&l->shapes, node, stated.at, (int32_t)stated.n) : NULL;
}

static void call_broadcast_to(lowerer *l, ob_node *node, ob_value *value, ob_value *shape);

static void lower_in_dim(lowerer *l, ob_node *node) {
    const ob_ints list = ob__in_dim_params(node).dimensions;
    const int64_t *mapping = list.at;
    const uint32_t n = list.n;
    ob_shape own = shape_of(l, node->inputs[0]), result = shape_of(l, node->outputs[0]);
    int32_t rank = result_rank(l, node);
    bool is_call = node->function != NULL;
    const char *reason = ob__why_no_expand(&l->types, node->graph, dtype_of(l, node->inputs[0]), &own, &result);
    if (!reason && !is_call && (!mapping || rank == OB_RANK_UNKNOWN)) reason = "the rank of the result is not known";
    if (reason) {
        ob__note_left(l->rewriting, node, reason);
        return;
    }
    ob_dim dims[OB_MAX_RANK];
    ob_shape aligned = own;
    bool suffix = is_call || is_suffix(mapping, n, rank);
    if (!is_call && (!suffix || ob__graph_opset(node->graph, "") < 8)) {
        aligned = (ob_shape){rank, dims};
        for (int32_t i = 0; i < rank; i++) dims[i] = 1;
        const ob_dim *sizes = own.rank == (int32_t)n ? own.dims : NULL;
        for (uint32_t i = 0; i < n && i < OB_MAX_RANK; i++)
            if (mapping[i] >= 0 && mapping[i] < rank) dims[mapping[i]] = sizes ? sizes[i] : OB_DIM_UNKNOWN;
    }
    l->rewriting->stats.n_lowered++;
    ob__patch_remove(&l->patch, node);
    if (ob__graph_opset(node->graph, "") < 8) {
        reshape_and_tile(l, node, node->inputs[0], &own, &aligned, &result, node->outputs[0]);
        return;
    }
    ob_value *value = suffix ? node->inputs[0] : spread_axes(l, node, node->inputs[0], mapping, n, &aligned);
    ob_value *shape = shape_operand(l, node);
    if (!value || !shape)
        l->patch.failed = true;
    else if (l->rewriting->goal & OB_GOAL_FUNCTION)
        call_broadcast_to(l, node, value, shape);
    else
        expand(l, node, value, shape, node->outputs[0], &result);
}

/* ---- Broadcast to standard operators ---- */

/* Operand i's result: the operand itself for all readers if it already has the common shape. */
static void pass_through(lowerer *l, ob_node *node, uint32_t i) {
    ob_value *out = node->outputs[i];
    if (out->id < l->n_instead && !l->is_result[out->id]) {
        l->instead[out->id] = node->inputs[i];
        return;
    }
    ob_node *identity = ob__patch_node(&l->patch, node->graph, node, "", "Identity", 1, 1);
    if (!identity) return;
    identity->inputs[0] = node->inputs[i];
    identity->outputs[0] = out;
}

/* The common shape as an operand. Without any other means the first operand meets every other one's shape; *made is then its
 * result. */
static ob_value *common_shape(lowerer *l, ob_node *node, const ob_shape *result, ob_value **made) {
    *made = NULL;
    if (ob__is_static(result)) return ob__shape_constant(&l->shapes, node, result->dims, result->rank);
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        ob_shape own = shape_of(l, node->inputs[i]);
        if (ob__same_shape(&own, result)) return ob__shape_of_value(&l->shapes, node, node->inputs[i]);
    }
    ob_value *whole = node->inputs[0];
    for (uint32_t i = 1; i < node->n_inputs && whole; i++) {
        bool last = i + 1 == node->n_inputs;
        whole = expand(l, node, whole, ob__shape_of_value(&l->shapes, node, node->inputs[i]), last ? node->outputs[0] : NULL,
                       last ? result : &unknown_shape);
    }
    *made = whole;
    if (!whole) return NULL;
    return ob__shape_of_value(&l->shapes, node, whole);
}

static void lower_broadcast(lowerer *l, ob_node *node) {
    ob_shape result = unknown_shape;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) result = shape_of(l, node->outputs[i]);
    bool old = ob__graph_opset(node->graph, "") < 8;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        ob_shape own = node->inputs[i] ? shape_of(l, node->inputs[i]) : unknown_shape;
        const char *reason = node->inputs[i] && node->outputs[i]
                                 ? ob__why_no_expand(&l->types, node->graph, dtype_of(l, node->inputs[i]), &own, &result)
                                 : "an operand or result is left out";
        if (reason) {
            ob__note_left(l->rewriting, node, reason);
            return;
        }
    }
    l->rewriting->stats.n_lowered++;
    ob__patch_remove(&l->patch, node);
    ob_value *made = NULL;
    ob_value *shape = old || node->n_inputs == 1 ? NULL : common_shape(l, node, &result, &made);
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        ob_shape own = shape_of(l, node->inputs[i]);
        if (i == 0 && made) continue;
        if (node->n_inputs == 1 || ob__same_shape(&own, &result)) {
            pass_through(l, node, i);
        } else if (old) {
            ob_dim dims[OB_MAX_RANK];
            for (int32_t axis = 0; axis < result.rank; axis++) {
                int32_t k = axis - (result.rank - own.rank);
                dims[axis] = k < 0 ? 1 : own.dims[k];
            }
            ob_shape aligned = {result.rank, dims};
            reshape_and_tile(l, node, node->inputs[i], &own, &aligned, &result, node->outputs[i]);
        } else if (!shape) {
            l->patch.failed = true;
        } else {
            expand(l, node, node->inputs[i], shape, node->outputs[i], &result);
        }
    }
}

/* ---- Broadcast to calls ---- */

/* A new name among the functions of the domain: the usual one unless the model uses it for another function. */
static const char *free_name(lowerer *l, uint32_t n_operands) {
    ob_arena *arena = &l->work->model->arena;
    const char *usual =
        n_operands ? ob__arena_printf(arena, "Broadcast_%u", (unsigned)n_operands) : ob__arena_strndup(arena, "BroadcastTo", 11);
    const char *name = usual;
    for (unsigned i = 2; name && ob__map_find(&l->taken, name, strlen(name)); i++)
        name = ob__arena_printf(arena, "%s_%u", usual, i);
    return name && ob__map_insert(&l->taken, name, strlen(name)) ? name : NULL;
}

static ob_map_entry *definition_entry(lowerer *l, uint32_t n_operands) {
    return ob__map_insert(&l->definitions, (const char *)&n_operands, sizeof n_operands);
}

/* The definition for this number of operands (0: BroadcastTo), made if necessary; NULL: out of memory. */
static const ob_function *need_function(lowerer *l, uint32_t n_operands) {
    ob_map_entry *entry = definition_entry(l, n_operands);
    if (!entry) l->patch.failed = true;
    if (!entry || entry->value) return entry ? entry->value : NULL;
    ob_model *model = l->work->model;
    const char *name = free_name(l, n_operands);
    ob_function *function = !name        ? NULL
                            : n_operands ? ob__define_broadcast(model, name, n_operands, l->opset)
                                         : ob__define_broadcast_to(model, name, l->opset);
    entry->value = function;
    ob__patch_add_function(&l->patch, function);
    ob__patch_ir_version(&l->patch, 8);
    l->rewriting->stats.n_functions++;
    return function;
}

static void keep_conditions(lowerer *l, const ob_node *node, ob_node *made) {
    const ob_attribute *conditions = ob__node_attribute(node, "conditions");
    if (!conditions || conditions->type != OB_ATTR_STRINGS || conditions->n == 0 || !made) return;
    ob_text text;
    ob__text_init(&text, &l->work->model->arena.allocator);
    if (made->doc[0]) ob__text_printf(&text, "%s\n", made->doc); /* of the operator that it serves */
    ob__text_puts(&text, "holds if ");
    for (uint32_t i = 0; i < conditions->n; i++) {
        if (i) ob__text_puts(&text, "; ");
        ob__text_append(&text, conditions->u.strings[i].data, conditions->u.strings[i].n);
    }
    made->doc = text.failed ? NULL : ob__arena_strndup(&l->work->model->arena, text.data, text.n);
    if (!made->doc) {
        made->doc = "";
        l->patch.failed = true;
    }
    ob__text_release(&text);
}

static void call_broadcast_to(lowerer *l, ob_node *node, ob_value *value, ob_value *shape) {
    const ob_function *function = need_function(l, 0);
    ob_node *made = function ? ob__patch_node(&l->patch, node->graph, node, "onnx_broadcast", function->name, 2, 1) : NULL;
    if (!made) return;
    made->inputs[0] = value;
    made->inputs[1] = shape;
    made->outputs[0] = node->outputs[0];
    keep_conditions(l, node, made);
}

static void call_broadcast(lowerer *l, ob_node *node) {
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const char *reason = node->inputs[i] ? ob__why_no_expand(&l->types, node->graph, dtype_of(l, node->inputs[i]),
                                                                 &unknown_shape, &unknown_shape)
                                             : "an operand is left out";
        if (reason) {
            ob__note_left(l->rewriting, node, reason);
            return;
        }
    }
    const ob_function *function = need_function(l, node->n_inputs);
    ob_node *made =
        function ? ob__patch_node(&l->patch, node->graph, node, "onnx_broadcast", function->name, node->n_inputs, node->n_outputs)
                 : NULL;
    if (!made) return;
    memcpy(made->inputs, node->inputs, node->n_inputs * sizeof *made->inputs);
    memcpy(made->outputs, node->outputs, node->n_outputs * sizeof *made->outputs);
    keep_conditions(l, node, made);
    ob__patch_remove(&l->patch, node);
    l->rewriting->stats.n_lowered++;
}

/* ---- The passes ---- */

static ob_status visit_graph(void *context, ob_graph *graph) {
    lowerer *l = context;
    if (ob__is_explicit_definition(graph)) return OB_OK;
    bool to_calls = l->rewriting->goal & OB_GOAL_FUNCTION;
    for (ob_node *node = graph->first; node; node = node->next) {
        if (to_calls && node->function) continue; /* a call already */
        bool in_dim = ob__is_explicit_in_dim(node) && node->inputs[0] && node->outputs[0];
        if ((!in_dim && !ob__is_explicit_broadcast(node)) || ob__leaves(l->rewriting, node)) continue;
        ob__touch(&l->rewriting->keeping, node);
        if (in_dim)
            lower_in_dim(l, node);
        else
            to_calls ? call_broadcast(l, node) : lower_broadcast(l, node);
    }
    return OB_OK;
}

static ob_status find_results(void *context, ob_graph *graph) {
    const lowerer *l = context;
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        if (graph->outputs[i]->id < l->n_instead) l->is_result[graph->outputs[i]->id] = true;
    return OB_OK;
}

static ob_status replace_inputs(void *context, ob_graph *graph) {
    lowerer *l = context;
    for (ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_inputs; i++) {
            ob_value *value = node->inputs[i];
            while (value && value->id < l->n_instead && l->instead[value->id]) value = l->instead[value->id];
            if (value != node->inputs[i]) ob__patch_input(&l->patch, node, i, value);
        }
    return OB_OK;
}

static bool take_name(lowerer *l, const char *name) {
    return ob__map_insert(&l->taken, name, strlen(name)) != NULL;
}

/* Ours, as they would be made now, and the names of all. */
static ob_status find_definitions(lowerer *l) {
    const ob_model *model = l->work->model;
    l->opset = ob__model_opset(model, "");
    for (uint32_t i = 0; i < model->n_functions; i++) {
        int64_t opset = ob__graph_opset(model->functions[i]->body, "");
        if (opset > l->opset && model->functions[i]->defines == OB_DEFINES_NOTHING) l->opset = opset;
    }
    for (uint32_t i = 0; i < model->n_functions; i++) {
        ob_function *function = model->functions[i];
        if (strcmp(function->domain, "onnx_broadcast") != 0) continue;
        if (!take_name(l, function->name)) return OB_E_MEMORY;
        if (function->defines == OB_DEFINES_NOTHING || function->overload[0] || ob__graph_opset(function->body, "") != l->opset)
            continue;
        ob_map_entry *entry = definition_entry(l, function->defines == OB_DEFINES_BROADCAST ? function->body->n_inputs : 0);
        if (!entry) return OB_E_MEMORY;
        if (!entry->value) entry->value = function;
    }
    return OB_OK;
}

/* An unknown operator keeps its name: a definition must not give it a meaning. */
static ob_status find_undefined(void *context, ob_graph *graph) {
    for (const ob_node *node = graph->first; node; node = node->next)
        if (!node->op && !node->function && strcmp(node->domain, "onnx_broadcast") == 0 && !take_name(context, node->op_type))
            return OB_E_MEMORY;
    return OB_OK;
}

static ob_status lower(ob_rewriting *rewriting) {
    ob_work *work = rewriting->work;
    lowerer l = {.rewriting = rewriting, .work = work, .n_instead = work->model->n_values};
    ob__patch_init(&l.patch, work->model, &rewriting->journal);
    ob__shape_maker_init(&l.shapes, work, &l.patch);
    ob__arena_init(&l.arena, &work->model->arena.allocator);
    ob__map_init(&l.taken, &l.arena);
    ob__map_init(&l.definitions, &l.arena);
    l.instead = OB_ARENA_ARRAY(&l.arena, ob_value *, l.n_instead);
    l.is_result = OB_ARENA_ARRAY(&l.arena, bool, l.n_instead);
    ob_status status = l.instead && l.is_result ? find_definitions(&l) : OB_E_MEMORY;
    if (status == OB_OK) status = ob__model_each_graph(work->model, find_results, &l);
    if (status == OB_OK) status = ob__model_each_graph(work->model, find_undefined, &l);
    if (status == OB_OK) status = ob__model_each_graph(work->model, visit_graph, &l);
    if (status == OB_OK) status = ob__patch_apply(&l.patch, work->error);
    /* After the new nodes are in place: some of them read values that have gone, too. */
    if (status == OB_OK) status = ob__model_each_graph(work->model, replace_inputs, &l);
    if (status == OB_OK) ob__patch_tidy_domain(&l.patch, "onnx_broadcast");
    if (status == OB_OK) status = ob__patch_apply(&l.patch, work->error);
    if (status == OB_OK) status = ob__model_resolve_ops(work->model);
    status = ob__arena_finish(&l.arena, status);
    ob__shape_maker_release(&l.shapes);
    ob__patch_release(&l.patch);
    return status;
}

ob_status ob__pass_lower_function(ob_rewriting *rewriting) {
    return lower(rewriting);
}

ob_status ob__pass_lower_expand(ob_rewriting *rewriting) {
    return lower(rewriting);
}
