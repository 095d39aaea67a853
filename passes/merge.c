/* What is declared meets what is inferred.
 *
 * Declared sizes of intermediate values and outputs come from exporters and may be stale. A declared constant is a claim that is
 * checked; a declared symbol is a label: it names a size that nothing else is known about, and never wins over an inferred one.
 * The declared types of the main graph's inputs are the definition of the model's symbols. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "passes/groups.h"
#include "passes/propagation.h"

static ob_dim substituted(const ob_propagation *p, ob_dim d) {
    const ob_propagate_options *options = p->options;
    if (!ob_dim_is_term(d) || options->n_bindings == 0) return d;
    return ob_dim_substitute(p->model->dims, d, options->bindings, options->n_bindings);
}

/* A size that a file states: anything negative is no size. */
static ob_dim as_size(ob_dim d) {
    return ob_dim_is_const(d) && d < 0 ? OB_DIM_UNKNOWN : d;
}

/* Gives every unknown size an identity. */
static ob_status name_unknown_sizes(ob_propagation *p, ob_shape *shape) {
    int32_t axis = 0;
    while (axis < shape->rank && as_size(shape->dims[axis]) != OB_DIM_UNKNOWN) axis++;
    if (axis >= shape->rank) return OB_OK;
    ob_dim *dims = ob__arena_alloc(&p->facts->arena, (size_t)shape->rank * sizeof *dims);
    if (!dims) return OB_E_MEMORY;
    memcpy(dims, shape->dims, (size_t)shape->rank * sizeof *dims);
    for (; axis < shape->rank; axis++)
        if (as_size(dims[axis]) == OB_DIM_UNKNOWN) dims[axis] = ob_dim_fresh(p->model->dims);
    shape->dims = dims;
    return OB_OK;
}

static void report(ob_propagation *p, const ob_node *node, const ob_value *value, ob_finding_id id, int32_t axis,
                   const char *text) {
    if (!p->findings) return;
    uint32_t n = p->findings->n;
    ob__report(p, NULL, node, id, -1, axis, text);
    if (p->findings->n > n) p->findings->items[n].value = value;
}

static void report_dims(ob_propagation *p, const ob_node *node, const ob_value *value, int32_t axis, ob_dim declared,
                        ob_dim inferred) {
    char left[96], right[96], text[512];
    ob_dim_format(p->model->dims, declared, left, sizeof left);
    ob_dim_format(p->model->dims, inferred, right, sizeof right);
    snprintf(text, sizeof text, "axis %d of \"%.200s\" is declared as %s and inferred as %s", axis, value->name, left, right);
    report(p, node, value, OB0501, axis, text);
}

/* One size of a value. `label_counts`: a symbol may name what is unknown. */
static ob_status merge_dim(ob_propagation *p, const ob_node *node, const ob_value *value, int32_t axis, ob_dim raw,
                           bool label_counts, ob_dim *inferred) {
    ob_dim declared = as_size(substituted(p, raw)), found = as_size(*inferred);
    *inferred = found;
    if (declared == OB_DIM_UNKNOWN || declared == found) return OB_OK;
    if (ob_dim_is_term(raw)) {
        if (found == OB_DIM_UNKNOWN && label_counts) *inferred = declared;
        return OB_OK;
    }
    if (found == OB_DIM_UNKNOWN) {
        *inferred = declared;
        return OB_OK;
    }
    ob_condition condition = {OB_COND_EQUAL, found, declared};
    ob_truth truth = ob_condition_decide(p->model->dims, &condition);
    if (truth == OB_FALSE) {
        report_dims(p, node, value, axis, declared, found);
        return OB_OK;
    }
    if (truth == OB_TRUE || ob_dim_is_anonymous(p->model->dims, found)) {
        *inferred = declared;
        return OB_OK;
    }
    return ob__record_declared(p, node, value, &condition, axis);
}

static ob_status merge_shape(ob_propagation *p, const ob_node *node, const ob_value *value, bool label_counts,
                             ob_shape *inferred) {
    const ob_shape *declared = &value->declared.shape;
    if (declared->rank < 0 || (declared->dims == inferred->dims && declared->rank == inferred->rank)) return OB_OK;
    bool from_nothing = inferred->rank < 0;
    if (!from_nothing && inferred->rank != declared->rank) {
        char text[400];
        snprintf(text, sizeof text, "\"%.200s\" is declared with rank %d and inferred with rank %d", value->name, declared->rank,
                 inferred->rank);
        report(p, node, value, OB0501, -1, text);
        return OB_OK;
    }
    ob_dim few[16], *dims = few;
    if (declared->rank > 16) {
        dims = ob__arena_alloc(&p->scratch, (size_t)declared->rank * sizeof *dims);
        if (!dims) return OB_E_MEMORY;
    }
    bool changed = from_nothing;
    for (int32_t axis = 0; axis < declared->rank; axis++) {
        dims[axis] = from_nothing ? OB_DIM_UNKNOWN : inferred->dims[axis];
        OB_TRY(merge_dim(p, node, value, axis, declared->dims[axis], label_counts, &dims[axis]));
        changed = changed || dims[axis] != inferred->dims[axis];
    }
    if (!changed) return OB_OK;
    ob_dim *kept = ob__arena_alloc(&p->facts->arena, (size_t)declared->rank * sizeof *kept);
    if (!kept) return OB_E_MEMORY;
    if (declared->rank > 0) memcpy(kept, dims, (size_t)declared->rank * sizeof *kept);
    *inferred = (ob_shape){declared->rank, kept};
    return OB_OK;
}

static const char *kind_name(ob_type_kind kind) {
    static const char *const names[] = {"unknown", "tensor", "sparse tensor", "sequence", "optional", "map"};
    return names[kind];
}

static ob_status merge_declared(ob_propagation *p, const ob_node *node, const ob_value *value, ob_type *type) {
    const ob_type *declared = &value->declared;
    /* Symbols of a function's or subgraph's own values are local names, not sizes of the model. */
    bool label_counts = p->call == NULL && value->graph == p->model->graph;
    if (type->kind == OB_TYPE_UNKNOWN) {
        *type = *declared;
        type->shape = (ob_shape){OB_RANK_UNKNOWN, NULL};
        return merge_shape(p, node, value, label_counts, &type->shape);
    }
    if (declared->kind != type->kind) {
        char text[400];
        snprintf(text, sizeof text, "\"%.200s\" is declared as %s and inferred as %s", value->name, kind_name(declared->kind),
                 kind_name(type->kind));
        report(p, node, value, OB0502, -1, text);
        return OB_OK;
    }
    if (type->kind == OB_TYPE_SEQUENCE || type->kind == OB_TYPE_OPTIONAL) {
        if (!type->element) type->element = declared->element;
        return OB_OK;
    }
    if (type->kind == OB_TYPE_MAP) return OB_OK;
    if (type->dtype == OB_NONE)
        type->dtype = declared->dtype;
    else if (declared->dtype != OB_NONE && declared->dtype != type->dtype) {
        char text[400];
        snprintf(text, sizeof text, "\"%.200s\" is declared as %s and inferred as %s", value->name,
                 ob_dtype_name(declared->dtype), ob_dtype_name(type->dtype));
        report(p, node, value, OB0502, -1, text);
    }
    return merge_shape(p, node, value, label_counts, &type->shape);
}

ob_status ob__set_fact(ob_propagation *p, const ob_node *node, const ob_value *value, ob_type type, ob_content content) {
    if (value->declared.kind != OB_TYPE_UNKNOWN && !p->options->ignore_declared) OB_TRY(merge_declared(p, node, value, &type));
    OB_TRY(name_unknown_sizes(p, &type.shape));
    ob_fact *fact = &p->facts->facts[value->id];
    fact->type = type;
    fact->content = content;
    fact->why_unknown = NULL;
    return OB_OK;
}

/* An operand of unknown rank leaves the result to its declaration; the others must broadcast to it all the same. */
ob_status ob__check_declared_result(ob_propagation *p, const ob_node *node) {
    ob_group group;
    bool found;
    uint32_t i;
    int32_t axis;
    char own[96], whole[96], text[512];
    OB_TRY(ob__group_of(p->facts, p->model->dims, node, &p->scratch, &group, &found));
    if (!found || group.inputs[0] == OB_NOT_AN_INPUT || !ob__group_misfit(&group, &i, &axis)) return OB_OK;
    const ob_value *value = node->outputs[0];
    if (axis < 0) {
        snprintf(text, sizeof text, "\"%.200s\" is declared with rank %d, but an operand has rank %d", value ? value->name : "",
                 group.result.rank, group.shapes[i].rank);
    } else {
        ob_dim_format(p->model->dims, ob__group_dim(&group, i, axis), own, sizeof own);
        ob_dim_format(p->model->dims, group.result.dims[axis], whole, sizeof whole);
        snprintf(text, sizeof text, "axis %d of \"%.200s\" is declared as %s, but an operand has %s there", axis,
                 value ? value->name : "", whole, own);
    }
    if (value) report(p, node, value, OB0501, axis, text);
    return OB_OK;
}

/* ---- What stands at the beginning of a graph ---- */

/* Sizes of stored data; one beyond the constant range would read as a term. */
static ob_status data_shape(ob_propagation *p, const ob_tensor *data, ob_shape *out) {
    *out = (ob_shape){data->rank, data->dims};
    for (int32_t axis = 0; axis < data->rank; axis++) {
        if (data->dims[axis] >= 0 && data->dims[axis] <= OB_DIM_CONST_MAX) continue;
        ob_dim *dims = ob__arena_alloc(&p->facts->arena, (size_t)data->rank * sizeof *dims);
        if (!dims) return OB_E_MEMORY;
        for (int32_t k = 0; k < data->rank; k++)
            dims[k] = data->dims[k] >= 0 && data->dims[k] <= OB_DIM_CONST_MAX ? data->dims[k] : OB_DIM_UNKNOWN;
        out->dims = dims;
        return OB_OK;
    }
    return OB_OK;
}

ob_status ob__set_initializers(ob_propagation *p, const ob_graph *graph) {
    for (uint32_t i = 0; i < graph->n_initializers; i++) {
        const ob_value *value = graph->initializers[i];
        if (value->is_input && graph == p->model->graph) continue; /* see ob__set_main_inputs */
        ob_type type = {.shape = {OB_RANK_UNKNOWN, NULL}};
        ob_content content = {0};
        if (value->data) { /* else sparse: what is declared */
            type = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = value->data->dtype};
            OB_TRY(data_shape(p, value->data, &type.shape));
            OB_TRY(ob__content_of_tensor(value->data, &p->facts->arena, &content));
        }
        OB_TRY(ob__set_fact(p, NULL, value, type, content));
    }
    return OB_OK;
}

/* What is given, by value id: 1 + index, 0 for the rest. NULL: out of memory. */
static const uint32_t *index_given(ob_propagation *p) {
    uint32_t *index = OB_ARENA_ARRAY(&p->scratch, uint32_t, p->options->n_inputs ? p->model->n_values : 0);
    for (size_t i = p->options->n_inputs; index && i-- > 0;) index[p->options->inputs[i].input->id] = (uint32_t)i + 1;
    return index;
}

static ob_status declared_type(ob_propagation *p, const ob_type *declared, ob_type *out) {
    *out = *declared;
    if (declared->shape.rank <= 0) return OB_OK;
    ob_dim *dims = ob__arena_alloc(&p->facts->arena, (size_t)declared->shape.rank * sizeof *dims);
    if (!dims) return OB_E_MEMORY;
    for (int32_t axis = 0; axis < declared->shape.rank; axis++) dims[axis] = substituted(p, declared->shape.dims[axis]);
    out->shape.dims = dims;
    return OB_OK;
}

ob_status ob__set_main_inputs(ob_propagation *p) {
    const ob_graph *graph = p->model->graph;
    const uint32_t *index = index_given(p);
    if (!index) return OB_E_MEMORY;
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_value *input = graph->inputs[i];
        uint32_t place = p->options->n_inputs ? index[input->id] : 0;
        const ob_given_input *given = place ? &p->options->inputs[place - 1] : NULL;
        ob_type type = {.shape = {OB_RANK_UNKNOWN, NULL}};
        ob_content content = {0};
        if (input->data && !given) { /* its default */
            type = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = input->data->dtype};
            OB_TRY(data_shape(p, input->data, &type.shape));
            OB_TRY(ob__content_of_tensor(input->data, &p->facts->arena, &content));
            OB_TRY(ob__set_fact(p, NULL, input, type, content));
            continue;
        }
        if (given) content = given->content;
        if (given && given->type.kind != OB_TYPE_UNKNOWN)
            type = given->type;
        else
            OB_TRY(declared_type(p, &input->declared, &type));
        OB_TRY(name_unknown_sizes(p, &type.shape));
        p->facts->facts[input->id] = (ob_fact){.type = type, .content = content};
    }
    return OB_OK;
}
