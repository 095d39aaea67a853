/* Inserts explicit operators before every operator that broadcasts.
 *
 * Precondition: facts are there, the model has no errors. Postcondition: every operator has operands of one shape (one way: an
 * operand of the target's shape), or a note if that is not possible. Expand is explicit already and stays. Linear in nodes and
 * operands.
 *
 * - multidirectional: Broadcast of all operands, in order; the operator reads its outputs.
 * - opset 1-6: BroadcastInDim of the second operand with the mapping that `axis` means; `broadcast` and `axis` go.
 * - one way (PRelu slope, Gemm C, scale and bias of the normalizations): BroadcastInDim to the target's shape.
 * - matrix products: BroadcastInDim of the batch axes; the matrix axes stay. */
#include <string.h>

#include "core/base/error.h"
#include "ops/library/resolve.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"
#include "passes/check/groups.h"
#include "passes/rewrite/definitions.h"
#include "passes/rewrite/patch.h"
#include "passes/rewrite/rewriting.h"
#include "passes/rewrite/shapes_of.h"

typedef struct inserter {
    ob_rewriting *rewriting;
    ob_work *work; /* of the rewriting */
    ob_patch patch;
    ob_shape_maker shapes;
    ob_arena arena;
    ob_stretch_types types;
    bool assumed; /* a shape at the node that is looked at rests on a rank that is only declared */
} inserter;

/* In the arena; of a very long one the beginning and "...". NULL: out of memory. */
static char *condition_text(inserter *in, const ob_condition *condition, size_t *length) {
    enum { MANY_BYTES = 4096 };
    const ob_dims *dims = in->work->model->dims;
    size_t n = ob_condition_format(dims, condition, NULL, 0);
    bool cut = n > MANY_BYTES;
    if (cut) n = MANY_BYTES;
    char *text = ob__arena_alloc(&in->arena, n + 1);
    if (!text) return NULL;
    ob_condition_format(dims, condition, text, n + 1);
    if (cut) memcpy(text + n - 3, "...", 3);
    *length = n;
    return text;
}

/* The conditions that remained open at `node`, as attribute `conditions` of the inserted operator. Declared shapes ask for sizes
 * too, but the operator does not need them. */
static void carry_conditions(inserter *in, const ob_node *node, ob_node *made) {
    const ob_required *required = &in->work->required;
    const ob_requirement *conditions = in->work->facts->conditions;
    uint32_t n = 0;
    for (uint32_t i = required->first[node->id]; i; i = required->next[i]) n += !conditions[i - 1].value;
    if (n == 0 || !made) return;
    ob_string *texts = OB_ARENA_ARRAY(&in->arena, ob_string, n);
    if (!texts) {
        in->patch.failed = true;
        return;
    }
    ob_map seen;
    ob__map_init(&seen, &in->arena);
    n = 0;
    for (uint32_t i = required->first[node->id]; i; i = required->next[i]) {
        if (conditions[i - 1].value) continue;
        size_t length;
        char *text = condition_text(in, &conditions[i - 1].condition, &length);
        ob_map_entry *entry = text ? ob__map_insert_borrowed(&seen, text, length) : NULL;
        if (!entry) {
            in->patch.failed = true;
            return;
        }
        if (!entry->value) texts[n++] = (ob_string){text, length};
        entry->value = text;
    }
    ob__patch_strings(&in->patch, made, "conditions", texts, n);
}

/* Type and shape of a result of our own operators, for runtimes that do not know them: numbers and the model's symbols.
 * Function bodies declare no types. */
static void declare(inserter *in, ob_value *value, ob_dtype dtype, const ob_shape *shape) {
    ob_model *model = in->work->model;
    if (!(in->rewriting->goal & OB_GOAL_BROADCAST) || value->graph->function || dtype == OB_NONE) return;
    ob_type type = {.kind = OB_TYPE_TENSOR, .dtype = dtype, .shape = {OB_RANK_UNKNOWN, NULL}};
    if (shape->rank >= 0) {
        ob_dim *dims = OB_ARENA_ARRAY(&model->arena, ob_dim, (size_t)shape->rank + 1);
        if (!dims) {
            in->patch.failed = true;
            return;
        }
        for (int32_t i = 0; i < shape->rank; i++) {
            ob_dim d = shape->dims[i];
            dims[i] = ob_dim_is_const(d) || ob_dim_is_named(model->dims, d) ? d : OB_DIM_UNKNOWN;
        }
        type.shape = (ob_shape){shape->rank, dims};
    }
    value->declared = type;
}

static ob_value *output_like(inserter *in, ob_node *made, uint32_t index, const ob_value *operand, const ob_shape *shape) {
    char stem[160];
    ob__copy_text(stem, sizeof stem - 12, operand->name);
    strcat(stem, "_broadcast");
    ob_value *value = made ? ob__patch_value(&in->patch, made->graph, stem) : NULL;
    if (!value) return NULL;
    made->outputs[index] = value;
    ob_dtype dtype = ob__fact(in->work->facts, operand)->type.dtype;
    if (ob__set_tensor_fact(in->work, value, dtype, shape) != OB_OK)
        in->patch.failed = true;
    else
        in->work->facts->facts[value->id].assumed = in->assumed;
    declare(in, value, dtype, shape);
    return value;
}

static bool all_from_one_broadcast(const ob_node *node, const ob_group *group) {
    const ob_node *maker = NULL;
    for (uint32_t i = 0; i < group->n; i++) {
        const ob_node *producer = node->inputs[group->inputs[i]]->producer;
        if (!producer || !ob__is_explicit_broadcast(producer) || (maker && maker != producer)) return false;
        maker = producer;
    }
    return maker != NULL;
}

/* The form expand gives operands of unknown rank: one is stretched by every other, and these to the shape of the one. */
static bool all_expanded_to_one(const ob_node *node, const ob_group *group) {
    const ob_value *whole = NULL;
    for (uint32_t i = 0; i < group->n; i++) {
        const ob_value *operand = node->inputs[group->inputs[i]];
        if (!operand->producer || !ob__is_expand(operand->producer)) return false;
        const ob_value *shape = operand->producer->inputs[1];
        const ob_node *maker = shape ? shape->producer : NULL;
        if (!maker || !ob__is_standard(maker, "Shape") || maker->n_inputs != 1) return false;
        if (i == 0)
            whole = operand;
        else if (operand != whole && maker->inputs[0] != whole)
            return false;
    }
    return whole != NULL;
}

/* The value is stretched to this very shape, though with an unknown size its own may be known better: 6 expanded to N. */
static bool is_stretched_to(const inserter *in, const ob_value *value, const ob_shape *target) {
    const ob_node *maker = value->producer;
    if (!maker || maker->n_inputs != 2 || !maker->inputs[1]) return false;
    if (!ob__is_expand(maker) && !ob__is_explicit_in_dim(maker)) return false;
    const ob_content *content = &ob__fact(in->work->facts, maker->inputs[1])->content;
    ob_shape shape = {content->elems ? (int32_t)content->n : OB_RANK_UNKNOWN, content->elems};
    return ob__same_shape(&shape, target);
}

/* Every operand has the common shape or is stretched to it. */
static bool all_stretched_to_result(const inserter *in, const ob_node *node, const ob_group *group) {
    for (uint32_t i = 0; i < group->n; i++)
        if (!ob__same_shape(&group->shapes[i], &group->result) &&
            !is_stretched_to(in, node->inputs[group->inputs[i]], &group->result))
            return false;
    return true;
}

/* In a branch that is never taken nothing is inferred. A runtime that does not know our operators could not type their results
 * there either. */
static bool is_obscure(const inserter *in, const ob_node *node, const ob_group *group) {
    if (node->graph->function) return false;
    for (uint32_t i = 0; i < group->n; i++) {
        if (group->inputs[i] == OB_NOT_AN_INPUT) continue;
        const ob_type *type = &ob__fact(in->work->facts, node->inputs[group->inputs[i]])->type;
        if (type->dtype == OB_NONE && type->shape.rank == OB_RANK_UNKNOWN) return true;
    }
    return false;
}

/* NULL when the form can be had for all these operands; else the reason why not. */
static const char *why_not(inserter *in, const ob_node *node, const ob_group *group) {
    if (!(in->rewriting->goal & (OB_GOAL_FUNCTION | OB_GOAL_EXPAND)))
        return is_obscure(in, node, group) ? "neither type nor rank of an operand is known" : NULL;
    for (uint32_t i = 0; i < group->n; i++) {
        if (group->inputs[i] == OB_NOT_AN_INPUT) continue;
        const char *reason =
            ob__why_no_expand(&in->types, node->graph, ob__fact(in->work->facts, node->inputs[group->inputs[i]])->type.dtype,
                              &group->shapes[i], &group->result);
        if (reason) return reason;
    }
    return NULL;
}

static void insert_multi(inserter *in, ob_node *node, const ob_group *group) {
    if (all_from_one_broadcast(node, group) || all_expanded_to_one(node, group) || all_stretched_to_result(in, node, group))
        return;
    const char *reason = why_not(in, node, group);
    if (reason) {
        ob__note_left(in->rewriting, node, reason);
        return;
    }
    ob_node *made = ob__patch_node(&in->patch, node->graph, node, "onnx_broadcast", "Broadcast", group->n, group->n);
    /* With an operand of unknown rank, the rank of the result can only be declared, which is not a fact about the operands. */
    ob_shape whole = group->result;
    for (uint32_t i = 0; i < group->n; i++)
        if (group->shapes[i].rank == OB_RANK_UNKNOWN) whole = group->shapes[i];
    for (uint32_t i = 0; made && i < group->n; i++) {
        ob_value *operand = node->inputs[group->inputs[i]];
        made->inputs[i] = operand;
        ob__patch_input(&in->patch, node, group->inputs[i], output_like(in, made, i, operand, &whole));
    }
    carry_conditions(in, node, made);
    in->rewriting->stats.n_inserted++;
}

/* BroadcastInDim of input `index` of the node to `target`: as an attribute when static, else as an operand. */
static bool insert_in_dim(inserter *in, ob_node *node, uint32_t index, const int64_t *mapping, int32_t n_mapping,
                          const ob_shape *target) {
    ob_value *operand = node->inputs[index], *shape = NULL;
    bool possible = ob__is_static(target);
    if (!possible) shape = ob__shape_as_operand(&in->shapes, node, target, &possible);
    if (!possible) {
        ob__note_left(in->rewriting, node, "the target's sizes cannot be computed from the operands' shapes");
        return false;
    }
    ob_node *made = ob__patch_node(&in->patch, node->graph, node, "onnx_broadcast", "BroadcastInDim", shape ? 2 : 1, 1);
    if (!made) return false;
    made->inputs[0] = operand;
    if (shape) made->inputs[1] = shape;
    if (!ob__node_set_ints(made, "broadcast_dimensions", mapping, (uint32_t)n_mapping)) in->patch.failed = true;
    if (!shape && !ob__node_set_ints(made, "shape", target->dims, (uint32_t)target->rank)) in->patch.failed = true;
    ob__patch_input(&in->patch, node, index, output_like(in, made, 0, operand, target));
    carry_conditions(in, node, made);
    in->rewriting->stats.n_inserted++;
    return true;
}

/* Right-aligned: the suffix of the target's axes. */
static bool insert_aligned(inserter *in, ob_node *node, uint32_t index, const ob_shape *target) {
    const ob_shape *own = &ob__fact(in->work->facts, node->inputs[index])->type.shape;
    int64_t mapping[OB_MAX_RANK];
    if (own->rank == OB_RANK_UNKNOWN || target->rank == OB_RANK_UNKNOWN || own->rank > target->rank ||
        target->rank > OB_MAX_RANK) {
        ob__note_left(in->rewriting, node, "a rank is not known");
        return false;
    }
    if (ob__same_shape(own, target) || is_stretched_to(in, node->inputs[index], target)) return false;
    for (int32_t i = 0; i < own->rank; i++) mapping[i] = target->rank - own->rank + i;
    const char *reason =
        in->rewriting->goal & OB_GOAL_BROADCAST
            ? NULL
            : ob__why_no_expand(&in->types, node->graph, ob__fact(in->work->facts, node->inputs[index])->type.dtype, own, target);
    if (!reason) return insert_in_dim(in, node, index, mapping, own->rank, target);
    ob__note_left(in->rewriting, node, reason);
    return false;
}

static ob_status insert_legacy(inserter *in, ob_node *node, const ob_group *group) {
    if (!group->mapped) {
        ob__note_left(in->rewriting, node, "a rank is not known");
        return OB_OK;
    }
    const char *reason = why_not(in, node, group);
    if (reason) {
        ob__note_left(in->rewriting, node, reason);
        return OB_OK;
    }
    if (!insert_in_dim(in, node, 1, group->mapping, group->n_mapping, &group->result)) return OB_OK;
    ob__patch_remove_attribute(&in->patch, node, "broadcast");
    ob__patch_remove_attribute(&in->patch, node, "axis");
    return OB_OK;
}

/* The axes of operand 0 from attribute `axis` on: runtimes insist on scales without the others. False: there is no such axis.
 * */
static bool cut_to_axes(const ob_node *node, const ob_shape *own, ob_shape *target) {
    if (target->rank == OB_RANK_UNKNOWN || own->rank == OB_RANK_UNKNOWN) return true;
    int64_t axis = ob__attribute_int(node, "axis");
    int32_t n_kept = axis < 0 ? (int32_t)-axis : target->rank - (int32_t)axis;
    if (n_kept < own->rank) n_kept = own->rank;
    if (n_kept < 0 || n_kept > target->rank) return false;
    *target = (ob_shape){n_kept, target->dims + (target->rank - n_kept)};
    return true;
}

static void insert_one_way(inserter *in, ob_node *node, const ob_group *group) {
    const ob_stretch *stretch = &node->op->stretch;
    if (stretch->onto == OB_ONTO_CHANNELS) {
        ob__note_left(in->rewriting, node, "the operator itself spreads a vector over the channels");
        return;
    }
    bool all = true;
    for (uint32_t k = 0; k < group->n; k++) {
        ob_shape target = group->result;
        if ((int32_t)k == group->target) continue;
        if (stretch->onto == OB_ONTO_AXES && !cut_to_axes(node, &group->shapes[k], &target)) continue;
        if (!insert_aligned(in, node, group->inputs[k], &target)) all = false;
    }
    if (all && stretch->asked) ob__patch_remove_attribute(&in->patch, node, "broadcast");
}

static bool is_one_element(const inserter *in, const ob_value *value) {
    if (!value) return true;
    const ob_type *type = &ob__fact(in->work->facts, value)->type;
    if (type->kind != OB_TYPE_TENSOR || type->shape.rank == OB_RANK_UNKNOWN) return false;
    for (int32_t i = 0; i < type->shape.rank; i++)
        if (type->shape.dims[i] != 1) return false;
    return true;
}

/* Scales and zero points for each row or column have the operand's own shape: a vector is for matrices (ONNX, MatMulInteger:
 * "If the input is 2D"). A stretched operand would need others. */
static bool quantized_as_one(const inserter *in, const ob_node *node, uint32_t input) {
    const ob_stretch *stretch = &node->op->stretch;
    for (uint32_t k = input + stretch->scale_from; k < input + stretch->scale_end && k < node->n_inputs; k++)
        if (!is_one_element(in, node->inputs[k])) return false;
    return true;
}

/* Each operand to the whole batch shape, its own matrix axes kept. */
static void insert_batch(inserter *in, ob_node *node, const ob_group *group) {
    ob_dim dims[OB_MAX_RANK];
    if (group->result.rank == OB_RANK_UNKNOWN || group->result.rank > OB_MAX_RANK) {
        ob__note_left(in->rewriting, node, "a rank is not known");
        return;
    }
    int32_t n_batch = group->result.rank - 2;
    for (uint32_t k = 0; k < group->n; k++) {
        const ob_shape *own = &group->shapes[k];
        if (own->rank < 2) continue;
        bool stretched = false;
        for (int32_t axis = 0; axis < n_batch; axis++) stretched |= ob__group_stretched(group, k, axis);
        if (!stretched) continue;
        if (!quantized_as_one(in, node, group->inputs[k])) {
            ob__note_left(in->rewriting, node,
                          "an operand with a scale or zero point for each row or column has to keep its shape");
            continue;
        }
        memcpy(dims, group->result.dims, (size_t)n_batch * sizeof *dims);
        dims[n_batch] = own->dims[own->rank - 2];
        dims[n_batch + 1] = own->dims[own->rank - 1];
        ob_shape target = {group->result.rank, dims};
        insert_aligned(in, node, group->inputs[k], &target);
    }
}

static bool rests_on_assumption(const inserter *in, const ob_node *node) {
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] && ob__fact(in->work->facts, node->inputs[i])->assumed) return true;
    return false;
}

static ob_status visit_node(inserter *in, ob_node *node) {
    ob_group group;
    bool found;
    OB_TRY(ob__group_of(in->work->facts, in->work->model->dims, node, &in->arena, &group, &found));
    if (!found || group.plain || group.kind == OB_BCAST_EXPAND) return OB_OK;
    if (ob__is_explicit_broadcast(node) || ob__is_explicit_in_dim(node) || ob__leaves(in->rewriting, node)) return OB_OK;
    const ob_cost *cost = in->rewriting->cost;
    if (cost && !ob__cost_fits(cost, node->id, in->rewriting->max_ram)) {
        ob__note_left(in->rewriting, node, "explicit copies would need more memory than the limit, or it is not known");
        return OB_OK;
    }
    if (node->domain[0] != '\0' && group.kind != OB_BCAST_MULTI) {
        ob__note_left(in->rewriting, node, "an operator of another domain, which may need the operand unchanged");
        return OB_OK;
    }
    in->assumed = rests_on_assumption(in, node);
    if (in->assumed && group.kind != OB_BCAST_MULTI) {
        ob__note_left(in->rewriting, node, "a rank is only declared");
        return OB_OK;
    }
    size_t n_inserted = in->rewriting->stats.n_inserted;
    switch (group.kind) {
    case OB_BCAST_MULTI: insert_multi(in, node, &group); break;
    case OB_BCAST_LEGACY: OB_TRY(insert_legacy(in, node, &group)); break;
    case OB_BCAST_UNI: insert_one_way(in, node, &group); break;
    case OB_BCAST_BATCH: insert_batch(in, node, &group); break;
    default: break;
    }
    if (in->rewriting->stats.n_inserted == n_inserted) return OB_OK;
    ob__touch(&in->rewriting->keeping, node);
    ob__patch_import(&in->patch, node->graph->function ? node->graph : NULL, "onnx_broadcast", 1);
    return OB_OK;
}

static ob_status visit_graph(void *context, ob_graph *graph) {
    if (ob__is_explicit_definition(graph)) return OB_OK;
    for (ob_node *node = graph->first; node; node = node->next) OB_TRY(visit_node(context, node));
    return OB_OK;
}

ob_status ob__pass_insert_broadcast(ob_rewriting *rewriting) {
    ob_work *work = rewriting->work;
    inserter in = {.rewriting = rewriting, .work = work};
    ob__patch_init(&in.patch, work->model, &rewriting->journal);
    ob__shape_maker_init(&in.shapes, work, &in.patch);
    ob__arena_init(&in.arena, &work->model->arena.allocator);
    if (rewriting->goal &
        OB_GOAL_BROADCAST) { /* a provider of these operators hides functions with their names, as ONNX Runtime does */
        ob__patch_needs(&in.patch, "onnx_broadcast", "Broadcast");
        ob__patch_needs(&in.patch, "onnx_broadcast", "BroadcastInDim");
    }
    ob_status status = rewriting->goal & OB_GOAL_FUNCTION ? ob__has_expand_then(rewriting, &in.types.has_expand) : OB_OK;
    if (status == OB_OK) status = ob__model_each_graph(work->model, visit_graph, &in);
    if (status == OB_OK) status = ob__patch_apply(&in.patch, work->error);
    if (status == OB_OK) status = ob__model_resolve_ops(work->model);
    status = ob__arena_finish(&in.arena, status);
    ob__shape_maker_release(&in.shapes);
    ob__patch_release(&in.patch);
    return status;
}
