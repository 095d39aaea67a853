/* Decides whether all shapes of a node with bodies are known during planning. */
#include "core/dims/shape.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"
#include "runtime/plan/builder.h"
#include "runtime/weights.h"

static const ob_type *type_of(const ob_builder *b, const ob_value *value) {
    return &ob__fact(b->facts, value)->type;
}

/* Both static, and the same. */
static bool are_same(const ob_builder *b, const ob_value *x, const ob_value *y) {
    const ob_type *s = type_of(b, x), *t = type_of(b, y);
    return ob__is_static_type(s) && ob__is_static_type(t) && s->dtype == t->dtype && ob__same_shape(&s->shape, &t->shape);
}

static bool control_is_static(const ob_builder *b, const ob_node *node);

static bool is_at_hand(const ob_builder *b, const ob_value *value) {
    return !value || (b->sources[value->id] == OB_SOURCE_PLAN && ob__is_static_type(type_of(b, value)));
}

bool ob__node_is_static(const ob_builder *b, const ob_node *node) {
    if (b->doubtful && b->doubtful[node->id]) return false;
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (!is_at_hand(b, node->inputs[i])) return false;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] && !ob__is_static_type(type_of(b, node->outputs[i]))) return false;
    const ob_kernel *kernel = node->op ? node->op->kernel : NULL;
    return kernel && (!(kernel->flags & OB_KERNEL_CONTROL) || control_is_static(b, node));
}

static bool graph_is_static(const ob_builder *b, const ob_graph *graph) {
    for (const ob_node *node = graph->first; node; node = node->next)
        if (b->session->live[node->id] && !ob__node_is_static(b, node)) return false;
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        if (!is_at_hand(b, graph->outputs[i])) return false;
    return true;
}

int ob__known_truth(const ob_builder *b, const ob_value *value) {
    ob_view constant;
    if (ob__constant_view(b->session, value, &constant) && constant.dtype == OB_BOOL && ob_view_count(&constant) == 1)
        return *(const uint8_t *)constant.data != 0;
    const ob_content *content = &ob__fact(b->facts, value)->content;
    bool is_known = content->elems && content->n == 1 && ob_dim_is_const(content->elems[0]);
    return is_known ? content->elems[0] != 0 : -1;
}

static bool branch_is_static(const ob_builder *b, const ob_node *node, const ob_graph *branch) {
    ob_control_problem problem;
    if (!ob__branch_fits(node, branch, &problem) || !graph_is_static(b, branch)) return false;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (!are_same(b, node->outputs[i], branch->outputs[i])) return false;
    return true;
}

/* One element, in any rank. */
static bool is_single(const ob_type *type, ob_dtype dtype) {
    bool single = ob__is_static_type(type) && type->dtype == dtype;
    for (int32_t axis = 0; single && axis < type->shape.rank; axis++) single = type->shape.dims[axis] == 1;
    return single;
}

static bool if_is_static(const ob_builder *b, const ob_node *node) {
    ob_if_params params;
    ob_control_problem problem;
    if (!ob__if_params(node, &params, &problem)) return false;
    int truth = ob__known_truth(b, node->inputs[0]);
    const ob_type *condition = type_of(b, node->inputs[0]);
    if (truth < 0 && !is_single(condition, OB_BOOL)) return false;
    return (truth == 0 || branch_is_static(b, node, params.branches[0])) &&
           (truth == 1 || branch_is_static(b, node, params.branches[1]));
}

/* `value` has the shape of `item` and, before it, `n` axes more. */
static bool is_behind(const ob_builder *b, const ob_value *value, const ob_value *item, int32_t n) {
    const ob_type *whole = type_of(b, value), *part = type_of(b, item);
    if (!ob__is_static_type(whole) || !ob__is_static_type(part) || whole->dtype != part->dtype) return false;
    if (whole->shape.rank != part->shape.rank + n) return false;
    ob_shape behind = {part->shape.rank, whole->shape.dims + n};
    return ob__same_shape(&behind, &part->shape);
}

bool ob__count_trips(const ob_builder *b, const ob_node *node, const ob_loop_params *params, int64_t *trips, int64_t *batches) {
    *trips = INT64_MAX;
    *batches = 1;
    for (uint32_t i = 0; i < params->n_scanned; i++) {
        const ob_shape *shape = &type_of(b, node->inputs[params->first + params->n_state + i])->shape;
        int64_t axis = ob__scan_axis(node, false, i);
        int32_t rank = shape->rank - params->has_batch;
        if (axis < 0) axis += rank;
        if (axis < 0 || axis >= rank) return false;
        int64_t n = shape->dims[axis + params->has_batch], m = params->has_batch ? shape->dims[0] : 1;
        if (i > 0 && (n != *trips || m != *batches)) return false;
        *trips = n;
        *batches = m;
    }
    if (!params->is_scan && params->n_stacked > 0) {
        const ob_shape *shape = &type_of(b, node->outputs[params->n_state])->shape;
        if (shape->rank < 1) return false;
        *trips = shape->dims[0];
    }
    return true;
}

/* Stacked result i has the shape of `batches` times `trips` slices. */
static bool stacks(const ob_builder *b, const ob_node *node, const ob_loop_params *params, uint32_t i, int64_t trips,
                   int64_t batches) {
    const ob_type *whole = type_of(b, node->outputs[params->n_state + i]);
    const ob_type *item = type_of(b, params->body->outputs[params->own_outputs + params->n_state + i]);
    int32_t rank = whole->shape.rank - params->has_batch;
    int64_t axis = params->is_scan ? ob__scan_axis(node, true, i) : 0;
    if (whole->dtype != item->dtype || rank != item->shape.rank + 1) return false;
    if (params->has_batch && whole->shape.dims[0] != batches) return false;
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return false;
    for (int32_t k = 0, from = 0; k < rank; k++)
        if (whole->shape.dims[k + params->has_batch] != (k == axis ? trips : item->shape.dims[from++])) return false;
    return true;
}

static bool state_fits(const ob_builder *b, const ob_node *node, const ob_loop_params *params, uint32_t i, int64_t batches) {
    const ob_value *in = params->body->inputs[params->own_inputs + i], *out = params->body->outputs[params->own_outputs + i];
    const ob_value *initial = node->inputs[params->first + i];
    if (!are_same(b, in, out) || !are_same(b, initial, node->outputs[i]) || !is_behind(b, initial, in, params->has_batch))
        return false;
    return !params->has_batch || type_of(b, initial)->shape.dims[0] == batches;
}

static int64_t known_number(const ob_builder *b, const ob_value *value, int64_t otherwise) {
    const ob_content *content = value ? &ob__fact(b->facts, value)->content : NULL;
    bool is_known = content && content->elems && content->n == 1 && ob_dim_is_const(content->elems[0]);
    return is_known ? content->elems[0] : otherwise;
}

bool ob__never_iterates(const ob_builder *b, const ob_node *node, const ob_loop_params *params) {
    int64_t trips, batches;
    if (params->is_scan) return ob__count_trips(b, node, params, &trips, &batches) && (trips == 0 || batches == 0);
    if (node->inputs[0] && known_number(b, node->inputs[0], 1) < 1) return true;
    return node->inputs[1] && ob__known_truth(b, node->inputs[1]) == 0;
}

/* Results without an iteration: the states as they are, and nothing stacked. */
static bool knows_beginnings(const ob_builder *b, const ob_node *node, const ob_loop_params *params) {
    for (uint32_t i = 0; i < params->n_state; i++)
        if (!are_same(b, node->inputs[params->first + i], node->outputs[i])) return false;
    for (uint32_t i = 0; i < params->n_stacked; i++) {
        const ob_type *type = type_of(b, node->outputs[params->n_state + i]);
        bool is_empty = false;
        if (!ob__is_static_type(type)) return false;
        for (int32_t axis = 0; axis < type->shape.rank; axis++) is_empty |= type->shape.dims[axis] == 0;
        if (!is_empty) return false;
    }
    return true;
}

static bool loop_is_static(const ob_builder *b, const ob_node *node) {
    ob_loop_params params;
    ob_control_problem problem;
    int64_t trips, batches;
    if (!ob__loop_params(node, &params, &problem)) return false;
    if (ob__never_iterates(b, node, &params)) return knows_beginnings(b, node, &params);
    if (!graph_is_static(b, params.body)) return false;
    const ob_graph *body = params.body;
    for (uint32_t i = 0; i < body->n_inputs; i++)
        if (!ob__is_static_type(type_of(b, body->inputs[i]))) return false;
    if (!ob__count_trips(b, node, &params, &trips, &batches)) return false;
    for (uint32_t i = 0; i < params.n_state; i++)
        if (!state_fits(b, node, &params, i, batches)) return false;
    for (uint32_t i = 0; i < params.n_stacked; i++)
        if (!stacks(b, node, &params, i, trips, batches)) return false;
    if (params.is_scan) {
        const ob_type *lengths = params.has_batch && node->inputs[0] ? type_of(b, node->inputs[0]) : NULL;
        return !lengths || (lengths->dtype == OB_INT64 && lengths->shape.rank == 1 && lengths->shape.dims[0] == batches);
    }
    bool counted = !node->inputs[0] || is_single(type_of(b, node->inputs[0]), OB_INT64);
    bool asked = !node->inputs[1] || is_single(type_of(b, node->inputs[1]), OB_BOOL);
    return counted && asked && is_single(type_of(b, body->outputs[0]), OB_BOOL);
}

/* Bytes that an iteration makes for strings go with it only where it is run node by node (runtime/run/interpret.c). Recursion
 * is as deep as subgraphs are nested, which the loader bounds. */
static bool makes_strings(const ob_builder *b, const ob_graph *graph) {
    for (const ob_node *node = graph->first; node; node = node->next) {
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i] && type_of(b, node->outputs[i])->dtype == OB_STRING) return true;
        for (uint32_t i = 0; i < node->n_attributes; i++)
            if (node->attributes[i]->type == OB_ATTR_GRAPH && makes_strings(b, node->attributes[i]->u.graph)) return true;
    }
    return false;
}

static bool control_is_static(const ob_builder *b, const ob_node *node) {
    if (ob__is_if(node)) return if_is_static(b, node);
    return loop_is_static(b, node) && !makes_strings(b, ob__attribute_graph(node, "body"));
}
