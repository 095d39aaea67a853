/* Writes broadcasts in the weakest form that a deployment target accepts.
 *
 * Precondition: facts are there, the model has no errors. Postcondition: every node that can broadcast keeps the rules of the
 * target that its form decides (open sizes stay open), or there is a note with the reason. Results of the model keep their names.
 * Initializers that only one node reads get the new shape or contents themselves. Linear in nodes and operands. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "ops/library/resolve.h"
#include "passes/check/explicit.h"
#include "passes/rewrite/definitions.h"
#include "passes/rewrite/fit_plan.h"
#include "passes/rewrite/patch.h"
#include "passes/rewrite/rewriting.h"
#include "passes/rewrite/shapes_of.h"

enum { OPSET_OF_RESHAPE = 5, OPSET_OF_EXPAND = 8, OPSET_OF_AXES = 13 }; /* Reshape with an operand, Expand, Unsqueeze likewise */
enum { MOST_FOLDED = 1 << 24 };                                         /* bytes of a constant that is stretched in the file */

typedef struct fitter {
    ob_rewriting *rewriting;
    ob_work *work; /* of the rewriting */
    ob_patch patch;
    ob_shape_maker shapes;
    ob_arena arena;
    ob_stretch_types types;
    uint32_t *n_reads; /* by value id: operands and graph outputs */
    uint32_t n_values;
    ob_node *node;              /* that is looked at */
    const ob_target_view *view; /* of it */
    ob_fit_plan *plan;
} fitter;

/* ---- Constants ---- */

static ob_status count_reads(void *context, ob_graph *graph) {
    fitter *f = context;
    for (uint32_t i = 0; i < graph->n_outputs; i++) f->n_reads[graph->outputs[i]->id]++;
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_inputs; i++)
            if (node->inputs[i]) f->n_reads[node->inputs[i]->id]++;
    return OB_OK;
}

/* An initializer of which this node is the only reader, with contents that can be written in another shape. */
static bool is_own_weight(const fitter *f, const ob_value *value) {
    if (!value->is_initializer || value->is_input || value->is_output || !value->data || value->graph->function) return false;
    if (value->id >= f->n_values || f->n_reads[value->id] != 1) return false;
    return value->data->data || value->data->is_external || value->data->n_elems == 0;
}

/* The same, and its elements can be repeated here. */
static bool can_fold(const fitter *f, const ob_value *value, const ob_shape *target) {
    int64_t n = 1, n_bytes;
    if (!is_own_weight(f, value) || !value->data->data || value->data->is_packed || value->data->dtype == OB_STRING) return false;
    for (int32_t i = 0; i < target->rank; i++)
        if (!ob_dim_is_const(target->dims[i]) || ob__mul_overflows(n, target->dims[i], &n)) return false;
    return !ob__mul_overflows(n, (int64_t)ob_dtype_size(value->data->dtype), &n_bytes) && n_bytes <= MOST_FOLDED;
}

/* Elements of `from`, whose rank is that of the target, along stretched axes again and again. */
static void *repeated(fitter *f, const ob_tensor *data, const ob_shape *from, const ob_shape *target, int64_t *n_elems) {
    size_t size = ob_dtype_size(data->dtype);
    int64_t at[OB_MAX_RANK] = {0}, steps[OB_MAX_RANK], step = 1;
    *n_elems = 1;
    for (int32_t i = target->rank - 1; i >= 0; i--) {
        steps[i] = from->dims[i] == 1 ? 0 : step;
        step *= from->dims[i];
        *n_elems *= target->dims[i];
    }
    char *bytes = ob__arena_calloc(&f->work->model->arena, (size_t)*n_elems, size);
    int64_t source = 0;
    for (int64_t k = 0; bytes && k < *n_elems; k++) {
        memcpy(bytes + (size_t)k * size, (const char *)data->data + (size_t)source * size, size);
        for (int32_t i = target->rank - 1; i >= 0; i--) {
            source += steps[i];
            if (++at[i] < target->dims[i]) break;
            source -= steps[i] * target->dims[i];
            at[i] = 0;
        }
    }
    return bytes;
}

/* Gives the initializer its new shape, and its elements again where it is stretched. */
static void change_weight(fitter *f, ob_value *value, const ob_fit_operand *plan) {
    ob_arena *arena = &f->work->model->arena;
    ob_tensor *tensor = OB_ARENA_NEW(arena, ob_tensor);
    int64_t *dims = OB_ARENA_ARRAY(arena, int64_t, (size_t)plan->merged.rank);
    if (!tensor || !dims) {
        f->patch.failed = true;
        return;
    }
    *tensor = *value->data;
    for (int32_t i = 0; i < plan->merged.rank; i++) dims[i] = plan->merged.dims[i];
    if (!ob__same_shape(&plan->ranked, &plan->expanded)) {
        ob_dim from[OB_MAX_RANK];
        int32_t more = plan->expanded.rank - plan->ranked.rank;
        for (int32_t i = 0; i < plan->expanded.rank; i++) from[i] = i < more ? 1 : plan->ranked.dims[i - more];
        const ob_shape aligned = {plan->expanded.rank, from};
        tensor->data = repeated(f, value->data, &aligned, &plan->expanded, &tensor->n_elems);
        tensor->origin = NULL;
        if (!tensor->data) f->patch.failed = true;
    }
    tensor->rank = plan->merged.rank;
    tensor->dims = dims;
    ob__patch_set_tensor(&f->patch, value, tensor);
    f->rewriting->stats.n_weights++;
}

/* ---- Operands ---- */

static bool find_size(const ob_facts *facts, const ob_node *node, ob_dim size) {
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ob_type *type = node->inputs[i] ? &ob__fact(facts, node->inputs[i])->type : NULL;
        for (int32_t k = 0; type && type->kind == OB_TYPE_TENSOR && k < type->shape.rank; k++)
            if (type->shape.dims[k] == size) return true;
    }
    return false;
}

/* The target accepts a node that stretches the operand so. */
static bool accepts_expand(const fitter *f, const ob_shape *from, const ob_shape *target, ob_dtype dtype) {
    const ob_target *of = f->rewriting->target;
    const ob_target_rule *rule = ob__target_rule(of, OB_WHAT_OPERATOR, OB_CLASS_EXPAND);
    if (!rule || rule->answer != OB_ANSWER_YES || rule->confidence == OB_FROM_MEMORY) return false;
    const bool constant = false;
    const ob_target_node node = {
        .of = OB_CLASS_EXPAND, .n = 1, .shapes = from, .constant = &constant, .result = *target, .n_axes = -1, .dtype = dtype};
    const char *reason;
    return ob__fit_needs_nothing(of, &node, &reason);
}

static ob_value *operand_of(const fitter *f, uint32_t i) {
    return f->node->inputs[f->view->group.inputs[i]];
}

static bool can_expand(void *context, uint32_t operand, const ob_shape *ranked, const ob_shape *target) {
    fitter *f = context;
    const ob_value *value = operand_of(f, operand);
    if (can_fold(f, value, target)) return true;
    const ob_graph *graph = f->node->graph;
    ob_dtype dtype = ob__fact(f->work->facts, value)->type.dtype;
    if (ob__graph_opset(graph, "") < OPSET_OF_EXPAND || ob__why_no_expand(&f->types, graph, dtype, ranked, target)) return false;
    for (int32_t i = 0; i < target->rank; i++)
        if (!ob_dim_is_const(target->dims[i]) && !find_size(f->work->facts, f->node, target->dims[i])) return false;
    return accepts_expand(f, ranked, target, dtype);
}

static ob_value *result_of(fitter *f, ob_node *node, const ob_value *operand, const ob_shape *shape) {
    char stem[160];
    ob__copy_text(stem, sizeof stem - 12, operand->name);
    strcat(stem, "_fitted");
    ob_value *value = node ? ob__patch_value(&f->patch, node->graph, stem) : NULL;
    if (!value) return NULL;
    node->outputs[0] = value;
    if (ob__set_tensor_fact(f->work, value, ob__fact(f->work->facts, operand)->type.dtype, shape) != OB_OK)
        f->patch.failed = true;
    f->rewriting->stats.n_inserted++;
    return value;
}

/* A node with the operand and a second one. */
static ob_node *new_node(fitter *f, const char *op_type, ob_value *value, ob_value *second) {
    ob_node *node = ob__patch_node(&f->patch, f->node->graph, f->node, "", op_type, second ? 2 : 1, 1);
    if (!node) return NULL;
    node->inputs[0] = value;
    if (second) node->inputs[1] = second;
    return node;
}

/* Unsqueeze in front, or Squeeze of leading ones. */
static ob_value *change_rank(fitter *f, ob_value *value, int32_t from, const ob_shape *to) {
    int64_t axes[OB_MAX_RANK];
    int32_t n = to->rank > from ? to->rank - from : from - to->rank;
    for (int32_t i = 0; i < n; i++) axes[i] = i;
    bool as_operand = ob__graph_opset(f->node->graph, "") >= OPSET_OF_AXES;
    ob_value *second = as_operand ? ob__shape_constant(&f->shapes, f->node, axes, n) : NULL;
    ob_node *node = new_node(f, to->rank > from ? "Unsqueeze" : "Squeeze", value, second);
    if (node && !as_operand && !ob__node_set_ints(node, "axes", axes, (uint32_t)n)) f->patch.failed = true;
    return result_of(f, node, value, to);
}

/* The operand as the plan wants it. NULL: out of memory. */
static ob_value *change_operand(fitter *f, uint32_t i, const ob_fit_operand *plan) {
    ob_value *value = operand_of(f, i);
    const ob_shape *own = &f->view->node.shapes[i];
    bool expands = !ob__same_shape(&plan->ranked, &plan->expanded), merges = !ob__same_shape(&plan->expanded, &plan->merged);
    if (own->rank == plan->ranked.rank && !expands && !merges) return value;
    if (ob__is_static(&plan->merged) && (expands ? can_fold(f, value, &plan->expanded) : is_own_weight(f, value))) {
        change_weight(f, value, plan);
        return value;
    }
    if (own->rank != plan->ranked.rank) value = change_rank(f, value, own->rank, &plan->ranked);
    if (value && expands) {
        bool possible;
        ob_value *shape = ob__shape_as_operand(&f->shapes, f->node, &plan->expanded, &possible);
        value = shape ? result_of(f, new_node(f, "Expand", value, shape), value, &plan->expanded) : NULL;
    }
    if (value && merges) {
        ob_value *shape = ob__shape_constant(&f->shapes, f->node, plan->merged.dims, plan->merged.rank);
        value = result_of(f, new_node(f, "Reshape", value, shape), value, &plan->merged);
    }
    if (!value) f->patch.failed = true;
    return value;
}

/* ---- The node ---- */

/* Another node in its place, of this type and with a result of this shape, which is reshaped if necessary. */
static void replace_node(fitter *f, const char *op_type, ob_value *const *operands, const ob_fit_plan *plan) {
    ob_node *old = f->node;
    ob_node *node = ob__patch_node(&f->patch, old->graph, old, old->domain, op_type, old->n_inputs, old->n_outputs);
    if (!node) return;
    memcpy(node->inputs, operands, old->n_inputs * sizeof *operands);
    for (uint32_t i = 0; i < old->n_attributes; i++)
        if (!ob__node_set_attribute(node, old->attributes[i])) f->patch.failed = true;
    ob_value *out = old->outputs[0];
    ob__patch_remove(&f->patch, old);
    if (ob__same_shape(&plan->result, &f->view->node.result)) {
        node->outputs[0] = out;
        return;
    }
    ob_value *value = result_of(f, node, out, &plan->result);
    ob_value *shape = ob__shape_constant(&f->shapes, old, f->view->node.result.dims, f->view->node.result.rank);
    ob_node *reshape = value ? new_node(f, "Reshape", value, shape) : NULL;
    if (reshape) reshape->outputs[0] = out;
}

static void carry_out(fitter *f, const ob_fit_plan *plan) {
    ob_node *node = f->node;
    const ob_target_view *view = f->view;
    ob_value **operands = OB_ARENA_ARRAY(&f->arena, ob_value *, node->n_inputs);
    if (!operands) {
        f->patch.failed = true;
        return;
    }
    memcpy(operands, node->inputs, node->n_inputs * sizeof *operands);
    for (uint32_t i = 0; i < view->node.n; i++) operands[view->group.inputs[i]] = change_operand(f, i, &plan->operands[i]);
    const char *op_type = node->op_type;
    if (plan->exchange) {
        ob_value *first = operands[0];
        operands[0] = operands[1];
        operands[1] = first;
        op_type = ob__op_exchanged(node->op);
        f->rewriting->stats.n_exchanged++;
    }
    if (strcmp(op_type, node->op_type) != 0 || !ob__same_shape(&plan->result, &view->node.result)) {
        replace_node(f, op_type, operands, plan);
        return;
    }
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (operands[i] != node->inputs[i]) ob__patch_input(&f->patch, node, i, operands[i]);
}

static bool rests_on_assumption(const fitter *f, const ob_node *node) {
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] && ob__fact(f->work->facts, node->inputs[i])->assumed) return true;
    return false;
}

/* Scales of quantized products belong to the rows and columns of their operand, which then keeps its shape. */
static bool has_scales(const ob_node *node) {
    return node->op->broadcast == OB_BCAST_BATCH && (node->op->stretch.scale_end > 0 || node->n_inputs > 2);
}

static const char *why_left(fitter *f) {
    const ob_node *node = f->node;
    const ob_target_view *view = f->view;
    const char *reason;
    if (ob__fit_needs_nothing(f->rewriting->target, &view->node, &reason)) return NULL;
    if (reason) return reason;
    if (rests_on_assumption(f, node)) return "a rank is only declared";
    if (view->group.mapped || view->node.old_form) return "the node broadcasts by attribute (opset 1 to 6)";
    if (node->n_outputs != 1 && view->node.of != OB_CLASS_NORM) return "the node has several results";
    if (has_scales(node)) return "an operand with scales has to keep its shape";
    const ob_fit_request request = {.target = f->rewriting->target,
                                    .node = &view->node,
                                    .can_exchange = view->node.n == 2 && node->n_inputs == 2 && ob__op_exchanged(node->op),
                                    .can_reshape = ob__graph_opset(node->graph, "") >= OPSET_OF_RESHAPE,
                                    .can_expand = can_expand,
                                    .context = f};
    if (!ob__fit_plan(&request, f->plan, &reason)) return reason;
    ob__touch(&f->rewriting->keeping, node);
    carry_out(f, f->plan);
    return NULL;
}

static ob_status visit_graph(void *context, ob_graph *graph) {
    fitter *f = context;
    ob_target_view view;
    if (ob__is_explicit_definition(graph)) return OB_OK;
    for (ob_node *node = graph->first; node; node = node->next) {
        bool found;
        OB_TRY(ob__target_view(f->work->facts, f->work->model->dims, node, &f->arena, &view, &found));
        if (!found || view.node.of == OB_CLASS_COUNT || node->domain[0] || ob__leaves(f->rewriting, node)) continue;
        f->node = node;
        f->view = &view;
        const char *reason = why_left(f);
        if (reason) ob__note_left(f->rewriting, node, reason);
    }
    return OB_OK;
}

ob_status ob__pass_fit_target(ob_rewriting *rewriting) {
    ob_work *work = rewriting->work;
    fitter f = {.rewriting = rewriting, .work = work, .n_values = work->model->n_values};
    ob__patch_init(&f.patch, work->model, &rewriting->journal);
    f.patch.suffix = "_target";
    ob__shape_maker_init(&f.shapes, work, &f.patch);
    ob__arena_init(&f.arena, &work->model->arena.allocator);
    f.plan = OB_ARENA_NEW(&f.arena, ob_fit_plan); /* too large for the stack */
    f.n_reads = OB_ARENA_ARRAY(&f.arena, uint32_t, f.n_values);
    ob_status status = f.n_reads ? ob__model_each_graph(work->model, count_reads, &f) : OB_E_MEMORY;
    if (status == OB_OK && !f.plan) status = OB_E_MEMORY;
    if (status == OB_OK) status = ob__model_each_graph(work->model, visit_graph, &f);
    if (status == OB_OK) status = ob__patch_apply(&f.patch, work->error);
    if (status == OB_OK) status = ob__model_resolve_ops(work->model);
    status = ob__arena_finish(&f.arena, status);
    ob__shape_maker_release(&f.shapes);
    ob__patch_release(&f.patch);
    return status;
}
