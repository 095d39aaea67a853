/* Precondition: facts of the whole model; calls of functions are inlined. Changes nothing. Each node is visited once, with its
 * links (ops/infer/axes.h). Only links SAME, MERGED and SPLIT keep elements of the batch apart. */
#include "passes/independence/marks.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/graph/types.h"
#include "ops/table/op.h"
#include "passes/origin/links.h"

/* The marks of a node's operands. */
typedef struct operand_marks {
    const ob_value *worst; /* broken or unknown; NULL: none is */
    uint32_t n_broken, n_unknown, n_sizes, n_along;
    uint32_t first_size, first_along; /* operands */
} operand_marks;

/* One node and one of its results. */
typedef struct visit {
    ob_marks *marks;
    const ob_node *node;
    operand_marks operands;
    const ob_links *links; /* of this result, in the order of operands */
    uint32_t output;
} visit;

bool ob__marks_mention(const ob_marks *marks, ob_dim d) {
    const ob_binding binding = {marks->symbol, 1};
    return d == marks->symbol || (ob_dim_is_term(d) && ob_dim_substitute(marks->model->dims, d, &binding, 1) != d);
}

static ob_mark *mark_of(const ob_marks *marks, const ob_value *value) {
    return &marks->of[value->id];
}

static ob_shape shape_of(const ob_marks *marks, const ob_value *value) {
    const ob_type *type = &ob__fact(marks->facts, value)->type;
    return type->kind == OB_TYPE_TENSOR ? type->shape : (ob_shape){OB_RANK_UNKNOWN, NULL};
}

static ob_dim dim_of(const ob_marks *marks, const ob_value *value, int32_t axis) {
    const ob_shape shape = shape_of(marks, value);
    return axis >= 0 && axis < shape.rank ? shape.dims[axis] : OB_DIM_UNKNOWN;
}

static ob_mark unknown(const visit *v, const char *reason) {
    return (ob_mark){
        .kind = OB_MARK_UNKNOWN, .reason = reason, .node = v->node, .value = v->node->outputs[v->output], .from = NULL};
}

static ob_mark broken(const visit *v, ob_mixing mixing, bool live, const char *reason) {
    return (ob_mark){.kind = OB_MARK_BROKEN,
                     .mixing = mixing,
                     .live = live,
                     .reason = reason,
                     .node = v->node,
                     .stops = live ? NULL : v->node,
                     .value = v->node->outputs[v->output]};
}

static bool is_given(const ob_node *node, uint32_t i) {
    return i < node->n_inputs && node->inputs[i];
}

/* ---- Integers that are computed from sizes ---- */

/* Whether all elements are known terms of named symbols. *mentions: the batch is one of them. */
static bool is_counted(const ob_marks *marks, const ob_value *value, bool *mentions) {
    const ob_content content = ob__fact(marks->facts, value)->content;
    *mentions = false;
    if (!content.elems) return false;
    for (uint32_t i = 0; i < content.n; i++) {
        const ob_dim d = content.elems[i];
        if (d == OB_DIM_UNKNOWN || ob_dim_is_anonymous(marks->model->dims, d)) return false;
        *mentions = *mentions || ob__marks_mention(marks, d);
    }
    return true;
}

bool ob__marks_differ(const ob_marks *marks, const ob_value *value) {
    const ob_content content = ob__fact(marks->facts, value)->content;
    for (uint32_t i = 0; content.elems && i < content.n; i++) {
        const ob_binding one = {marks->symbol, 1}, three = {marks->symbol, 3};
        const ob_dim a = ob_dim_substitute(marks->model->dims, content.elems[i], &one, 1),
                     b = ob_dim_substitute(marks->model->dims, content.elems[i], &three, 1);
        if (a != b && ob_dim_is_const(a) && ob_dim_is_const(b)) return true;
    }
    return false;
}

/* ---- Links of a result ---- */

/* A link of operand `input` (and its axis, unless it is -2) to the result, of that kind. */
static const ob_link *find_link(const visit *v, uint32_t input, int32_t input_axis, ob_link_kind kind) {
    uint32_t low = 0, high = v->links->n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (v->links->items[middle].input < input)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < v->links->n && v->links->items[low].input == input; low++) {
        const ob_link *link = &v->links->items[low];
        if (link->kind == kind && (input_axis == -2 || link->input_axis == input_axis)) return link;
    }
    return NULL;
}

/* Elements of the operand only state sizes. */
static bool states_sizes(const visit *v, uint32_t input) {
    return find_link(v, input, -1, OB_LINK_SIZED) != NULL && !find_link(v, input, -1, OB_LINK_PLACE);
}

/* ---- Elements that mix ---- */

static const struct {
    ob_link_kind kind;
    ob_mixing mixing;
    const char *reason;
} mixing_links[] = {
    {OB_LINK_LEFT, OB_MIXING_REDUCTION, "all elements along the axis are combined"},
    {OB_LINK_GONE, OB_MIXING_REDUCTION, "all elements along the axis are combined, or one is picked"},
    {OB_LINK_ALL, OB_MIXING_NORMALIZATION, "each element along the axis is computed with all others"},
    {OB_LINK_BEFORE, OB_MIXING_RECURRENCE, "each element along the axis is computed with those before it"},
    {OB_LINK_NEAR, OB_MIXING_WINDOW, "each element along the axis is computed with others around it"},
    {OB_LINK_PICKED, OB_MIXING_MOVE, "data decide which elements along the axis are taken"},
    {OB_LINK_MOVED, OB_MIXING_MOVE, "elements along the axis are cut, joined or moved"},
    {OB_LINK_PLACE, OB_MIXING_PLACE, "the place of an element along the axis decides its value"},
};

/* Whether operand `input` alone decides the result, apart from operands of integers that do not depend on the batch: axes, k. */
static bool is_only_data(const visit *v, uint32_t input) {
    for (uint32_t i = 0; i < v->node->n_inputs; i++) {
        if (i == input || !is_given(v->node, i)) continue;
        const ob_type *type = &ob__fact(v->marks->facts, v->node->inputs[i])->type;
        if (mark_of(v->marks, v->node->inputs[i])->kind != OB_MARK_FREE || ob__dtype_is_float(type->dtype)) return false;
    }
    return true;
}

/* The operand has the batch along an axis whose elements do not stay apart. */
static ob_mark mixed(const visit *v, uint32_t input) {
    const ob_mark *mark = mark_of(v->marks, v->node->inputs[input]);
    for (size_t i = 0; i < sizeof mixing_links / sizeof mixing_links[0]; i++) {
        const ob_link *link = find_link(v, input, mark->axis, mixing_links[i].kind);
        if (!link) continue;
        const ob_mixing mixing = mixing_links[i].mixing;
        const bool combines =
            mixing == OB_MIXING_REDUCTION || mixing == OB_MIXING_NORMALIZATION || mixing == OB_MIXING_RECURRENCE;
        bool is_product = false; /* two operands lose an axis */
        for (uint32_t p = 0; p < v->node->n_inputs && link->kind == OB_LINK_GONE; p++)
            is_product = is_product || (p != input && find_link(v, p, -2, OB_LINK_GONE));
        const bool live = combines && mark->source && !mark->uniform && is_only_data(v, input);
        if (is_product) return broken(v, OB_MIXING_PRODUCT, false, "a product sums along the axis");
        return broken(v, mixing, live, mixing_links[i].reason);
    }
    for (uint32_t i = 0; i < v->links->n; i++)
        if (v->links->items[i].kind == OB_LINK_SIZED)
            return broken(v, OB_MIXING_RESHAPE, false, "the axis is not proved to stay apart when the shape changes");
    return unknown(v, "no rule says how the operator treats elements along the axis");
}

/* ---- Elements that stay apart ---- */

/* The part of an axis of size whole that the batch has after an axis was divided: *d is a factor of outer * n * inner. */
static bool split_along(const visit *v, uint32_t input, const ob_mark *mark, ob_mark *out) {
    ob_dims *dims = v->marks->model->dims;
    ob_dim before = 1, after = 1, at = OB_DIM_UNKNOWN;
    for (uint32_t i = 0; i < v->links->n; i++) {
        const ob_link *link = &v->links->items[i];
        if (link->input != input || link->input_axis != mark->axis || link->kind != OB_LINK_SPLIT) continue;
        const ob_dim d = dim_of(v->marks, v->node->outputs[v->output], link->axis);
        if (d == OB_DIM_UNKNOWN) return false;
        if (ob__marks_mention(v->marks, d)) {
            if (at != OB_DIM_UNKNOWN) return false;
            at = d;
            out->axis = link->axis;
        } else if (at == OB_DIM_UNKNOWN)
            before = ob_dim_mul(dims, before, d);
        else
            after = ob_dim_mul(dims, after, d);
    }
    if (at == OB_DIM_UNKNOWN || before == OB_DIM_UNKNOWN || after == OB_DIM_UNKNOWN) return false;
    out->outer = before == 1 ? mark->outer : ob_dim_div_exact(dims, mark->outer, before);
    out->inner = after == 1 ? mark->inner : ob_dim_div_exact(dims, mark->inner, after);
    if (out->outer == OB_DIM_UNKNOWN || out->inner == OB_DIM_UNKNOWN) return false;
    return ob_dim_mul(dims, ob_dim_mul(dims, out->outer, v->marks->symbol), out->inner) == at;
}

static bool merge_along(const visit *v, uint32_t input, const ob_mark *mark, int32_t axis, ob_mark *out) {
    ob_dims *dims = v->marks->model->dims;
    out->axis = axis;
    out->outer = mark->outer;
    out->inner = mark->inner;
    for (uint32_t i = 0; i < v->links->n; i++) {
        const ob_link *link = &v->links->items[i];
        if (link->input != input || link->axis != axis || link->kind != OB_LINK_MERGED || link->input_axis == mark->axis)
            continue;
        const ob_dim d = dim_of(v->marks, v->node->inputs[input], link->input_axis);
        ob_dim *side = link->input_axis < mark->axis ? &out->outer : &out->inner;
        *side = d == OB_DIM_UNKNOWN ? d : link->input_axis < mark->axis ? ob_dim_mul(dims, d, *side) : ob_dim_mul(dims, *side, d);
        if (*side == OB_DIM_UNKNOWN) return false;
    }
    return true;
}

/* Where the batch of an operand goes. False: its elements do not stay apart, or it is not known. */
static bool follow(const visit *v, uint32_t input, ob_mark *out) {
    const ob_mark *mark = mark_of(v->marks, v->node->inputs[input]);
    const ob_link *link = find_link(v, input, mark->axis, OB_LINK_SAME);
    *out = (ob_mark){.kind = OB_MARK_ALONG, .axis = -1, .outer = mark->outer, .inner = mark->inner};
    if (link) {
        out->axis = link->axis;
        return true;
    }
    link = find_link(v, input, mark->axis, OB_LINK_MERGED);
    if (link) return merge_along(v, input, mark, link->axis, out);
    return find_link(v, input, mark->axis, OB_LINK_SPLIT) != NULL && split_along(v, input, mark, out);
}

/* All other operands with elements along the axis of the result: they have one element there, or the batch. *is_number: the size
 * of one that has neither is a number. */
static bool others_fit(const visit *v, const ob_mark *out, bool *is_number) {
    for (uint32_t i = 0; i < v->links->n; i++) {
        const ob_link *link = &v->links->items[i];
        if (link->axis != out->axis || link->kind != OB_LINK_SAME) continue;
        const ob_value *operand = v->node->inputs[link->input];
        const ob_mark *mark = mark_of(v->marks, operand);
        if (mark->kind == OB_MARK_ALONG && mark->axis == link->input_axis) continue;
        const ob_dim d = dim_of(v->marks, operand, link->input_axis);
        *is_number = ob_dim_is_const(d) && d > 1;
        if (d != 1) return false;
    }
    return true;
}

/* Whether the sizes that operands state give the result the batch along one axis and nowhere else. */
static bool sizes_fit(const visit *v, const ob_mark *out) {
    const ob_value *result = v->node->outputs[v->output];
    const ob_shape shape = shape_of(v->marks, result);
    ob_dims *dims = v->marks->model->dims;
    const ob_dim size = ob_dim_mul(dims, ob_dim_mul(dims, out->outer, v->marks->symbol), out->inner);
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        const ob_dim d = shape.dims[axis];
        if (axis == out->axis ? d != size : ob__marks_mention(v->marks, d) || ob_dim_is_anonymous(dims, d)) return false;
    }
    return shape.rank >= 0;
}

/* Whether the result has the size of the batch along its axis: a stated size may stretch it. */
static bool size_fits(const visit *v, const ob_mark *out) {
    ob_dims *dims = v->marks->model->dims;
    const ob_dim size = ob_dim_mul(dims, ob_dim_mul(dims, out->outer, v->marks->symbol), out->inner),
                 d = dim_of(v->marks, v->node->outputs[v->output], out->axis);
    bool is_stated = false;
    for (uint32_t i = 0; i < v->links->n; i++) is_stated = is_stated || v->links->items[i].kind == OB_LINK_SIZED;
    return d == size || (!is_stated && ob_dim_is_anonymous(dims, d));
}

/* The input from which the result follows in a way that can be inverted. */
static uint32_t source_of(const visit *v) {
    uint32_t source = 0;
    if (!v->node->op->keeps) return 0;
    for (uint32_t i = 0; i < v->node->n_inputs; i++) {
        if (!is_given(v->node, i)) continue;
        const ob_mark *mark = mark_of(v->marks, v->node->inputs[i]);
        if (mark->kind != OB_MARK_ALONG || mark->uniform) continue;
        if (!mark->source || mark->source == source) return 0;
        source = source ? source : mark->source;
    }
    return source;
}

static ob_mark along(const visit *v, bool any_size) {
    ob_mark out = {.axis = -1};
    bool uniform = true, reshapes = false, is_number = false;
    uint32_t n = 0;
    for (uint32_t i = v->operands.first_along; i < v->node->n_inputs; i++) {
        if (!is_given(v->node, i)) continue;
        const ob_mark *mark = mark_of(v->marks, v->node->inputs[i]);
        ob_mark next;
        if (mark->kind != OB_MARK_ALONG) continue;
        if (!follow(v, i, &next)) return mixed(v, i);
        uniform = uniform && mark->uniform;
        reshapes = reshapes || !find_link(v, i, mark->axis, OB_LINK_SAME);
        if (n++ == 0)
            out = next;
        else if (next.axis != out.axis)
            return broken(v, OB_MIXING_PRODUCT, true, "the result has the elements along two axes");
        else if (next.outer != out.outer || next.inner != out.inner)
            return unknown(v, "operands have the elements in different orders along the axis");
    }
    if (reshapes && n > 1) return unknown(v, "several operands have the elements where the shape changes");
    if (!others_fit(v, &out, &is_number))
        return broken(v, OB_MIXING_CONSTANT, is_number && source_of(v) != 0,
                      "an operand that does not come from these elements has its own size along their axis");
    if (!size_fits(v, &out))
        return broken(v, OB_MIXING_CONSTANT, false, "the size along the axis does not come from these elements");
    if (any_size && !sizes_fit(v, &out))
        return broken(v, OB_MIXING_RESHAPE, false, "the computed sizes are not proved to keep the elements apart");
    out.kind = OB_MARK_ALONG;
    out.uniform = uniform;
    out.source = source_of(v);
    return out;
}

/* ---- Results of sizes alone ---- */

/* Why the elements along an axis with the size of the batch differ, if they do. */
static ob_mark made_along(const visit *v, int32_t axis) {
    ob_dims *dims = v->marks->model->dims;
    const ob_value *result = v->node->outputs[v->output];
    const ob_dim count = ob_dim_div_exact(dims, dim_of(v->marks, result, axis), v->marks->symbol);
    for (uint32_t i = 0; i < v->links->n; i++) {
        const ob_link *link = &v->links->items[i];
        if (link->axis != axis || link->kind == OB_LINK_SIZED) continue;
        if (link->kind == OB_LINK_PLACE)
            return broken(v, OB_MIXING_PLACE, false, "the place of an element along the axis decides its value");
        if (link->kind != OB_LINK_SAME || dim_of(v->marks, v->node->inputs[link->input], link->input_axis) != 1)
            return broken(v, OB_MIXING_CONSTANT, false, "an operand has its own elements along the axis");
    }
    if (count == OB_DIM_UNKNOWN || ob__marks_mention(v->marks, count))
        return unknown(v, "the size of an axis is another function of the size");
    return (ob_mark){.kind = OB_MARK_ALONG, .axis = axis, .outer = count, .inner = 1, .uniform = true};
}

static ob_mark made_of_sizes(const visit *v) {
    const ob_shape shape = shape_of(v->marks, v->node->outputs[v->output]);
    int32_t at = -1;
    if (shape.rank < 0) return unknown(v, "the rank of a value is not known");
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        if (ob_dim_is_anonymous(v->marks->model->dims, shape.dims[axis])) return unknown(v, "a size is not known");
        if (!ob__marks_mention(v->marks, shape.dims[axis])) continue;
        if (at >= 0) return unknown(v, "a value has the size along two axes");
        at = axis;
    }
    return at < 0 ? (ob_mark){.kind = OB_MARK_FREE} : made_along(v, at);
}

/* Whether the first two rows of a weight differ. */
static bool has_rows(const ob_value *value) {
    const ob_tensor *data = value->is_input ? NULL : value->data;
    if (!data || !data->data || data->is_packed || data->rank < 1 || data->dims[0] < 2) return false;
    const size_t n_bytes = (size_t)(data->n_elems / data->dims[0]) * ob_dtype_size(data->dtype);
    return data->dtype != OB_STRING && memcmp(data->data, (const char *)data->data + n_bytes, n_bytes) != 0;
}

/* An operand whose elements are sizes of the batch, and that are used for more than sizes. */
static ob_mark used_as_number(const visit *v, uint32_t input) {
    const ob_shape shape = shape_of(v->marks, v->node->outputs[v->output]);
    for (uint32_t i = 0; i < v->links->n; i++) {
        const ob_link *link = &v->links->items[i];
        if (link->axis < 0 || link->axis >= shape.rank) continue;
        if (!ob__marks_mention(v->marks, shape.dims[link->axis])) continue;
        if (link->kind == OB_LINK_PLACE) return broken(v, OB_MIXING_PLACE, false, "the places in the batch are used as numbers");
        if (link->kind == OB_LINK_MOVED && mark_of(v->marks, v->node->inputs[link->input])->kind == OB_MARK_FREE)
            return broken(v, OB_MIXING_SLICE,
                          v->operands.n_sizes == 1 && v->operands.n_along == 0 && link->input_axis == 0 &&
                              has_rows(v->node->inputs[link->input]),
                          "a table has as many rows as the batch has elements");
    }
    const bool live = v->node->op->keeps && v->operands.n_sizes == 1 && ob__marks_differ(v->marks, v->node->inputs[input]);
    return broken(v, OB_MIXING_SIZE, live, "the size is used as a number");
}

/* ---- Nodes ---- */

static operand_marks count_operands(const ob_marks *marks, const ob_node *node) {
    operand_marks out = {.worst = NULL};
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        if (!is_given(node, i)) continue;
        const ob_mark_kind kind = mark_of(marks, node->inputs[i])->kind;
        out.n_unknown += kind == OB_MARK_UNKNOWN;
        if (kind == OB_MARK_BROKEN && out.n_broken++ == 0) out.worst = node->inputs[i];
        if (kind == OB_MARK_UNKNOWN && !out.worst) out.worst = node->inputs[i];
        if (kind == OB_MARK_SIZE && out.n_sizes++ == 0) out.first_size = i;
        if (kind == OB_MARK_ALONG && out.n_along++ == 0) out.first_along = i;
    }
    return out;
}

/* A value that is broken or unknown makes the result so. */
static bool inherit(const visit *v, ob_mark *out) {
    const operand_marks *operands = &v->operands;
    if (!operands->worst) return false;
    *out = *mark_of(v->marks, operands->worst);
    out->from = operands->worst;
    const bool alone = operands->n_broken == 1 && operands->n_unknown == 0;
    if (out->kind == OB_MARK_BROKEN && out->live && (!alone || !v->node->op || !v->node->op->keeps)) {
        out->live = false;
        out->stops = v->node;
    }
    return true;
}

/* Values of the graph around them that subgraphs of the node read. */
static ob_status captured(void *context, ob_graph *graph) {
    ob_mark *out = ((void **)context)[0];
    const ob_marks *marks = ((void **)context)[1];
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_inputs; i++)
            if (node->inputs[i] && mark_of(marks, node->inputs[i])->kind != OB_MARK_FREE) out->kind = OB_MARK_UNKNOWN;
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        if (mark_of(marks, graph->outputs[i])->kind != OB_MARK_FREE) out->kind = OB_MARK_UNKNOWN;
    return OB_OK;
}

static ob_status subgraphs_mark(const visit *v, bool *any, bool *reads_batch) {
    ob_mark worst = {.kind = OB_MARK_FREE};
    void *context[2] = {&worst, v->marks};
    *any = false;
    for (uint32_t i = 0; i < v->node->n_attributes; i++) {
        const ob_attribute *attribute = v->node->attributes[i];
        if (attribute->type == OB_ATTR_GRAPHS) *any = *reads_batch = true;
        if (attribute->type != OB_ATTR_GRAPH) continue;
        *any = true;
        OB_TRY(ob__graph_each(attribute->u.graph, captured, context));
    }
    *reads_batch = worst.kind != OB_MARK_FREE;
    return OB_OK;
}

static ob_mark mark_result(const visit *v, bool has_body, bool body_reads) {
    const ob_value *result = v->node->outputs[v->output];
    const bool any_along = v->operands.n_along > 0, any_size = v->operands.n_sizes > 0;
    bool mentions;
    ob_mark out;
    if (is_counted(v->marks, result, &mentions)) return (ob_mark){.kind = mentions ? OB_MARK_SIZE : OB_MARK_FREE};
    if (inherit(v, &out)) return out;
    if (v->node->op && v->node->op->varies) return unknown(v, "the operator gives random numbers");
    if (has_body && (body_reads || any_along || any_size)) return unknown(v, "a subgraph decides how elements are used");
    if (!any_along && !any_size) return (ob_mark){.kind = OB_MARK_FREE};
    if (!v->node->op) return unknown(v, "the operator is not known");
    for (uint32_t i = v->operands.first_size; i < v->node->n_inputs && any_size; i++)
        if (is_given(v->node, i) && mark_of(v->marks, v->node->inputs[i])->kind == OB_MARK_SIZE && !states_sizes(v, i))
            return used_as_number(v, i);
    return any_along ? along(v, any_size) : made_of_sizes(v);
}

/* Whether the value may have elements. */
static bool has_elements(const ob_marks *marks, const ob_value *value) {
    const ob_shape shape = shape_of(marks, value);
    for (int32_t axis = 0; axis < shape.rank; axis++)
        if (shape.dims[axis] == 0) return false;
    return true;
}

/* By result, by operand, by axes. */
static int compare_links(const void *a, const void *b) {
    const ob_link *x = a, *y = b;
    if (x->output != y->output) return x->output < y->output ? -1 : 1;
    if (x->input != y->input) return x->input < y->input ? -1 : 1;
    if (x->axis != y->axis) return x->axis < y->axis ? -1 : 1;
    return x->input_axis == y->input_axis ? 0 : x->input_axis < y->input_axis ? -1 : 1;
}

static ob_status mark_node(ob_marks *marks, const ob_node *node) {
    ob_links all, links;
    bool has_body, body_reads = false;
    visit v = {.marks = marks, .node = node, .links = &links, .operands = count_operands(marks, node)};
    ob__arena_restart(&marks->scratch);
    OB_TRY(ob__links_of(marks->model, marks->facts, node, &marks->scratch, &all));
    ob_link *sorted = OB_ARENA_ARRAY(&marks->scratch, ob_link, all.n);
    if (!sorted) return OB_E_MEMORY;
    if (all.n) memcpy(sorted, all.items, all.n * sizeof *sorted);
    if (all.n) qsort(sorted, all.n, sizeof *sorted, compare_links);
    OB_TRY(subgraphs_mark(&v, &has_body, &body_reads));
    uint32_t at = 0;
    for (v.output = 0; v.output < node->n_outputs; v.output++) {
        uint32_t end = at;
        while (end < all.n && sorted[end].output == v.output) end++;
        links = (ob_links){end - at, sorted + at};
        at = end;
        if (!node->outputs[v.output]) continue;
        ob_mark *mark = mark_of(marks, node->outputs[v.output]);
        *mark = mark_result(&v, has_body, body_reads);
        if (!mark->live || has_elements(marks, node->outputs[v.output])) continue;
        mark->live = false;
        mark->stops = node;
    }
    return OB_OK;
}

static ob_mark mark_input(const ob_marks *marks, const ob_value *input, uint32_t index) {
    const ob_shape shape = shape_of(marks, input);
    ob_mark out = {.kind = OB_MARK_FREE, .axis = -1, .outer = 1, .inner = 1, .value = input};
    if (shape.rank < 0) {
        out.kind = OB_MARK_UNKNOWN;
        out.reason = "the model declares no rank of an input";
    }
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        if (!ob__marks_mention(marks, shape.dims[axis])) continue;
        if (out.kind == OB_MARK_FREE && shape.dims[axis] == marks->symbol) {
            out.kind = OB_MARK_ALONG;
            out.axis = axis;
            out.source = has_elements(marks, input) ? index + 1 : 0;
        } else {
            out.kind = OB_MARK_UNKNOWN;
            out.reason = "an input has the symbol along two axes";
        }
    }
    if (out.kind == OB_MARK_ALONG && input->data) {
        out.kind = OB_MARK_UNKNOWN;
        out.reason = "an input with a default has the symbol";
    }
    return out;
}

ob_status ob__mark_values(ob_marks *marks) {
    ob_graph *graph = marks->model->graph;
    for (uint32_t i = 0; i < graph->n_inputs; i++) *mark_of(marks, graph->inputs[i]) = mark_input(marks, graph->inputs[i], i);
    for (const ob_node *node = graph->first; node; node = node->next) OB_TRY(mark_node(marks, node));
    return OB_OK;
}
