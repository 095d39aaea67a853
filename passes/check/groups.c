#include "passes/check/groups.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/broadcast/params.h"
#include "ops/infer/legacy.h"
#include "passes/check/explicit.h"

ob_dim ob__group_dim(const ob_group *group, uint32_t i, int32_t axis) {
    const ob_shape *shape = &group->shapes[i];
    if (shape->rank == OB_RANK_UNKNOWN || group->result.rank == OB_RANK_UNKNOWN) return OB_DIM_UNKNOWN;
    int32_t own = axis - (group->result.rank - shape->rank);
    return own < 0 || own >= shape->rank ? 1 : shape->dims[own];
}

bool ob__group_stretched(const ob_group *group, uint32_t i, int32_t axis) {
    if (group->result.rank == OB_RANK_UNKNOWN || axis < 0 || axis >= group->result.rank - group->n_fixed_axes) return false;
    ob_dim own = ob__group_dim(group, i, axis), whole = group->result.dims[axis];
    if (own == OB_DIM_UNKNOWN) return true;
    return own != whole && (own == 1 || !ob_dim_is_const(own)); /* other constants do not fit, which is another matter */
}

bool ob__group_fits(const ob_group *group) {
    uint32_t operand;
    int32_t misfit;
    return !ob__group_misfit(group, &operand, &misfit);
}

bool ob__group_misfit(const ob_group *group, uint32_t *operand, int32_t *misfit) {
    for (uint32_t i = 0; i < group->n && group->result.rank != OB_RANK_UNKNOWN && group->n_fixed_axes == 0; i++) {
        if (group->shapes[i].rank <= group->result.rank) continue;
        *operand = i;
        *misfit = -1;
        return true;
    }
    for (int32_t axis = 0; axis < group->result.rank - group->n_fixed_axes; axis++) {
        ob_dim whole = group->result.dims[axis];
        for (uint32_t i = 0; i < group->n; i++) {
            ob_dim own = ob__group_dim(group, i, axis);
            if (!ob_dim_is_const(own) || own == 1) continue;
            if (!ob_dim_is_const(whole)) whole = own; /* not known, perhaps because the operands do not fit each other */
            if (own == whole) continue;
            *operand = i;
            *misfit = axis;
            return true;
        }
    }
    return false;
}

static ob_shape shape_of(const ob_facts *facts, const ob_node *node, uint32_t input) {
    ob_shape unknown = {OB_RANK_UNKNOWN, NULL};
    if (input >= node->n_inputs || !node->inputs[input]) return unknown;
    const ob_fact *fact = ob__fact(facts, node->inputs[input]);
    return fact->type.kind == OB_TYPE_TENSOR ? fact->type.shape : unknown;
}

static ob_shape shape_of_output(const ob_facts *facts, const ob_node *node) {
    ob_shape unknown = {OB_RANK_UNKNOWN, NULL};
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) {
            const ob_fact *fact = ob__fact(facts, node->outputs[i]);
            return fact->type.kind == OB_TYPE_TENSOR ? fact->type.shape : unknown;
        }
    return unknown;
}

static ob_status reserve(ob_group *group, uint32_t n, ob_arena *arena) {
    group->inputs = group->inline_inputs;
    group->shapes = group->inline_shapes;
    if (n <= OB_GROUP_INLINE) return OB_OK;
    group->inputs = OB_ARENA_ARRAY(arena, uint32_t, n);
    group->shapes = OB_ARENA_ARRAY(arena, ob_shape, n);
    return group->inputs && group->shapes ? OB_OK : OB_E_MEMORY;
}

static void take(ob_group *group, const ob_facts *facts, const ob_node *node, uint32_t input) {
    if (input >= node->n_inputs || !node->inputs[input]) return;
    group->inputs[group->n] = input;
    group->shapes[group->n++] = shape_of(facts, node, input);
}

/* Aligns operand `i` of the group by the mapping; leaves its shape as it is when the mapping does not fit (reported elsewhere).
 */
static void align(ob_group *group, uint32_t i, int32_t rank) {
    ob_broadcast_result aligned;
    if (rank == OB_RANK_UNKNOWN || group->shapes[i].rank == OB_RANK_UNKNOWN) return;
    if (ob_align_in_dim(&group->shapes[i], group->mapping, (size_t)group->n_mapping, rank, &aligned, NULL) != OB_OK) return;
    memcpy(group->aligned, aligned.dims, (size_t)rank * sizeof *group->aligned);
    group->shapes[i] = (ob_shape){rank, group->aligned};
    group->mapped = true;
}

static void map_legacy(ob_group *group, const ob_node *node, ob_dims *dims) {
    const ob_shape *a = &group->shapes[0], *b = &group->shapes[1];
    if (a->rank == OB_RANK_UNKNOWN || b->rank == OB_RANK_UNKNOWN || b->rank > OB_MAX_RANK) return;
    const ob_legacy_axis placed = ob__legacy_axis(node);
    if (ob_broadcast_legacy(a, b, placed.given, placed.axis, dims, NULL, NULL, group->mapping, NULL) != OB_OK) return;
    group->n_mapping = b->rank;
    align(group, 1, a->rank);
}

/* As in the operator's row. A target that is not an operand is the result. */
static void take_one_way(ob_group *group, const ob_facts *facts, ob_dims *dims, const ob_node *node) {
    const ob_stretch *stretch = &node->op->stretch;
    if (stretch->onto != OB_ONTO_PRODUCT) {
        take(group, facts, node, 0);
        group->target = 0;
        if (group->kind == OB_BCAST_UNI) group->result = shape_of(facts, node, 0);
    }
    for (uint32_t i = stretch->first; i <= stretch->last; i++) take(group, facts, node, i);
    if (stretch->placed && group->n == 2) map_legacy(group, node, dims);
}

static void take_expand_target(ob_group *group, const ob_facts *facts, const ob_node *node) {
    ob_shape target = {OB_RANK_UNKNOWN, NULL};
    if (node->n_inputs > 1 && node->inputs[1]) {
        const ob_content *content = &ob__fact(facts, node->inputs[1])->content;
        if (content->elems && content->n <= OB_MAX_RANK) target = (ob_shape){(int32_t)content->n, content->elems};
    }
    group->inputs[group->n] = OB_NOT_AN_INPUT;
    group->shapes[group->n++] = target;
}

static void map_in_dim(ob_group *group, const ob_node *node) {
    const ob_ints list = ob__in_dim_params(node).dimensions;
    const int64_t *mapping = list.at;
    const uint32_t n = list.n;
    group->target = -1;
    if (!mapping || n > OB_MAX_RANK) return;
    if (n) memcpy(group->mapping, mapping, n * sizeof *mapping);
    group->n_mapping = (int32_t)n;
    align(group, 0, group->result.rank);
}

/* Operands of a two-way broadcast that have the shape of the result, whatever the declaration says. A value has its own shape,
 * and all results of one explicit broadcast have the same shape, known or not. */
static bool have_one_shape(const ob_group *group, const ob_node *node) {
    const ob_value *first = node->inputs[group->inputs[0]];
    bool broadcast = first->producer && ob__is_explicit_broadcast(first->producer);
    for (uint32_t i = 1; i < group->n; i++) {
        const ob_value *value = node->inputs[group->inputs[i]];
        bool same = value == first || (broadcast && value->producer == first->producer);
        if (!same && !ob__same_shape(&group->shapes[i], &group->shapes[0])) return false;
    }
    return true;
}

static bool is_plain(const ob_group *group, const ob_node *node) {
    if (group->kind == OB_BCAST_MULTI && have_one_shape(group, node)) return true;
    for (uint32_t i = 0; i < group->n; i++) {
        if (group->n_fixed_axes == 0) {
            if (!ob__same_shape(&group->shapes[i], &group->result)) return false;
            continue;
        }
        /* Batch axes only; an operand of rank 2 or less has none and meets a result without any. */
        if (group->shapes[i].rank == OB_RANK_UNKNOWN || group->result.rank == OB_RANK_UNKNOWN) return false;
        int32_t n_batch = group->result.rank - group->n_fixed_axes;
        for (int32_t axis = 0; axis < n_batch; axis++)
            if (ob__group_stretched(group, i, axis)) return false;
    }
    return true;
}

static bool is_domain(const ob_node *node, const char *domain) {
    return strcmp(node->domain, domain) == 0;
}

/* Also for calls of the functions that define the explicit operators. */
static ob_broadcast_kind kind_of(const ob_node *node) {
    if (node->op) return node->op->broadcast;
    if (!node->function) return OB_BCAST_NONE;
    return ob__is_explicit_broadcast(node) ? OB_BCAST_MULTI : ob__is_explicit_in_dim(node) ? OB_BCAST_EXPAND : OB_BCAST_NONE;
}

ob_status ob__group_of(const ob_facts *facts, ob_dims *dims, const ob_node *node, ob_arena *arena, ob_group *group, bool *found) {
    *found = false;
    group->kind = kind_of(node);
    if (group->kind == OB_BCAST_NONE || node->n_outputs == 0) return OB_OK;
    group->n = 0;
    group->n_fixed_axes = 0;
    group->target = -1;
    group->mapped = false;
    group->n_mapping = 0;
    group->result = shape_of_output(facts, node);
    OB_TRY(reserve(group, node->n_inputs + 1, arena));
    switch (group->kind) {
    case OB_BCAST_MULTI:
        for (uint32_t i = 0; i < node->n_inputs; i++) take(group, facts, node, i);
        break;
    case OB_BCAST_LEGACY:
    case OB_BCAST_UNI:
        if (!ob__stretch_asked(node, node->op)) return OB_OK;
        take_one_way(group, facts, dims, node);
        break;
    case OB_BCAST_BATCH:
        take(group, facts, node, 0);
        take(group, facts, node, node->op->stretch.first);
        if (group->n == 2 && (group->shapes[0].rank == 1 || group->shapes[1].rank == 1)) return OB_OK; /* vectors have no batch */
        group->n_fixed_axes = 2;
        break;
    case OB_BCAST_EXPAND:
        take(group, facts, node, 0);
        if (is_domain(node, "onnx_broadcast"))
            map_in_dim(group, node);
        else
            take_expand_target(group, facts, node);
        break;
    case OB_BCAST_NONE:
    case OB_BCAST_REPEAT: return OB_OK;
    }
    bool one_is_enough = group->kind == OB_BCAST_UNI || group->kind == OB_BCAST_EXPAND;
    if (group->n < (one_is_enough ? 1u : 2u)) return OB_OK;
    group->plain = is_plain(group, node);
    *found = true;
    return OB_OK;
}
