/* Merges declared and inferred types.
 *
 * Declared types of intermediate values and outputs come from exporters and may be stale. They are claims: a known size is
 * compared with its claim; an unknown size stays an anonymous symbol, with the claim beside it (claims.c). An unknown rank is
 * taken from the claim, so that reports can describe later nodes; everything that depends on it is marked (ob_fact.assumed). The
 * declared types of the main graph's inputs are the definition of the model's symbols. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "ops/infer/contents.h"
#include "passes/check/groups.h"
#include "passes/check/propagation.h"

static ob_dim substituted(const ob_propagation *p, ob_dim d) {
    const ob_propagate_options *options = p->options;
    if (!ob_dim_is_term(d) || options->n_bindings == 0) return d;
    return ob_dim_substitute(p->model->dims, d, options->bindings, options->n_bindings);
}

/* A declared size: a negative number is not a size. */
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

static void report_rank(ob_propagation *p, const ob_node *node, const ob_value *value, int32_t declared, int32_t inferred) {
    char text[400];
    ob__sentence(text, sizeof text, "\"%.200s\" is declared with rank %d and inferred with rank %d", value->name, declared,
                 inferred);
    report(p, node, value, OB0501, -1, text);
}

static void report_dims(ob_propagation *p, const ob_node *node, const ob_value *value, int32_t axis, ob_dim declared,
                        ob_dim inferred) {
    char left[96], right[96], text[512];
    ob__dim_shown(p->model->dims, declared, left, sizeof left);
    ob__dim_shown(p->model->dims, inferred, right, sizeof right);
    ob__sentence(text, sizeof text, "axis %d of \"%.200s\" is declared as %s and inferred as %s", axis, value->name, left, right);
    report(p, node, value, OB0501, axis, text);
}

/* The caller chooses the size of that name: a declaration of an input of the main graph has it. */
static bool is_size_of_input(const ob_graph *graph, ob_dim symbol) {
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_shape *shape = &graph->inputs[i]->declared.shape;
        for (int32_t axis = 0; axis < shape->rank; axis++)
            if (shape->dims[axis] == symbol) return true;
    }
    return false;
}

/* An output of the main graph that is declared with the name of another size than the operators give. */
static void compare_name(ob_propagation *p, const ob_node *node, const ob_value *value, int32_t axis, ob_dim raw, ob_dim declared,
                         ob_dim found) {
    char left[96], right[96], text[512];
    ob_dims *dims = p->model->dims;
    const ob_condition same = {OB_COND_EQUAL, found, declared};
    if (!value->is_output || value->graph != p->model->graph || found == OB_DIM_UNKNOWN || ob_dim_is_anonymous(dims, found))
        return;
    if (!is_size_of_input(value->graph, raw) || ob_condition_decide(dims, &same) == OB_TRUE) return;
    ob__dim_shown(dims, raw, left, sizeof left);
    ob__dim_shown(dims, found, right, sizeof right);
    ob__sentence(text, sizeof text, "axis %d of \"%.200s\" is declared as %s, a size of the inputs, and inferred as %s", axis,
                 value->name, left, right);
    report(p, node, value, OB0505, axis, text);
}

/* Compares one size of a value with its declaration. `label_counts`: a symbol may name an unknown size. */
static ob_status compare_dim(ob_propagation *p, const ob_node *node, const ob_value *value, int32_t axis, ob_dim raw,
                             bool label_counts, ob_dim found) {
    ob_dims *dims = p->model->dims;
    ob_dim declared = as_size(substituted(p, raw));
    if (declared == OB_DIM_UNKNOWN || declared == found) return OB_OK;
    bool open = ob_dim_is_anonymous(dims, found), number = !ob_dim_is_term(raw);
    if (!number) compare_name(p, node, value, axis, raw, declared, found);
    if (!number && !label_counts) return OB_OK;
    if (open && ob_dim_get_kind(dims, found) == OB_DIM_KIND_SYMBOL && !ob__claim_of(p->facts, dims, found)) {
        const ob_claim claim = {found, declared, value, axis};
        return ob__claim_add(p->facts, dims, &claim);
    }
    if (!number) return OB_OK; /* a different label means nothing */
    ob_condition condition = {OB_COND_EQUAL, ob__as_claimed(p->facts, dims, found), declared};
    ob_truth truth = ob_condition_decide(dims, &condition);
    if (truth == OB_FALSE) report_dims(p, node, value, axis, declared, condition.a);
    if (truth != OB_UNDECIDED || open) return OB_OK;
    return ob__record_declared(p, node, value, &condition, axis);
}

/* Sizes that nothing is known of, as many as are declared. */
static ob_status assume_rank(ob_propagation *p, const ob_value *value, ob_shape *shape) {
    const ob_claim claim = {OB_DIM_UNKNOWN, value->declared.shape.rank, value, -1};
    p->facts->n_declared++;
    int32_t rank = value->declared.shape.rank;
    ob_dim *dims = ob__arena_alloc(&p->facts->arena, (size_t)rank * sizeof *dims);
    if (!dims) return OB_E_MEMORY;
    for (int32_t axis = 0; axis < rank; axis++) dims[axis] = OB_DIM_UNKNOWN;
    *shape = (ob_shape){rank, dims};
    return ob__claim_add(p->facts, p->model->dims, &claim);
}

static ob_status compare_shape(ob_propagation *p, const ob_node *node, const ob_value *value, bool label_counts,
                               ob_shape *inferred, bool *assumed) {
    const ob_shape *declared = &value->declared.shape;
    if (declared->rank < 0 || (declared->dims == inferred->dims && declared->rank == inferred->rank)) return OB_OK;
    if (inferred->rank < 0) {
        OB_TRY(assume_rank(p, value, inferred));
        *assumed = true;
    }
    if (inferred->rank != declared->rank) {
        report_rank(p, node, value, declared->rank, inferred->rank);
        return OB_OK;
    }
    OB_TRY(name_unknown_sizes(p, inferred));
    for (int32_t axis = 0; axis < declared->rank; axis++)
        OB_TRY(compare_dim(p, node, value, axis, declared->dims[axis], label_counts, inferred->dims[axis]));
    return OB_OK;
}

/* The elements of a sequence or an optional, as far as declared: kinds and element types, without sizes. */
static ob_status element_without_sizes(ob_propagation *p, const ob_type *declared, const ob_type **out) {
    for (; declared; declared = declared->element) {
        ob_type *copy = OB_ARENA_NEW(&p->facts->arena, ob_type);
        if (!copy) return OB_E_MEMORY;
        *copy = *declared;
        copy->shape = (ob_shape){OB_RANK_UNKNOWN, NULL};
        copy->element = NULL;
        *out = copy;
        out = &copy->element;
    }
    return OB_OK;
}

static const char *kind_name(ob_type_kind kind) {
    static const char *const names[] = {"unknown", "tensor", "sparse tensor", "sequence", "optional", "map"};
    return names[kind];
}

static ob_status merge_declared(ob_propagation *p, const ob_node *node, const ob_value *value, ob_type *type, bool *assumed) {
    const ob_type *declared = &value->declared;
    /* Symbols of a function's or subgraph's own values are local names, not sizes of the model. */
    bool label_counts = p->call == NULL && value->graph == p->model->graph;
    if (type->kind == OB_TYPE_UNKNOWN) {
        p->facts->n_declared++;
        *type = *declared;
        type->shape = (ob_shape){OB_RANK_UNKNOWN, NULL};
        type->element = NULL;
        OB_TRY(element_without_sizes(p, declared->element, &type->element));
        return compare_shape(p, node, value, label_counts, &type->shape, assumed);
    }
    if (declared->kind != type->kind) {
        char text[400];
        ob__sentence(text, sizeof text, "\"%.200s\" is declared as %s and inferred as %s", value->name, kind_name(declared->kind),
                     kind_name(type->kind));
        report(p, node, value, OB0502, -1, text);
        return OB_OK;
    }
    if (type->kind == OB_TYPE_SEQUENCE || type->kind == OB_TYPE_OPTIONAL) {
        if (type->element) return OB_OK;
        p->facts->n_declared++;
        return element_without_sizes(p, declared->element, &type->element);
    }
    if (type->kind == OB_TYPE_MAP) return OB_OK;
    if (type->dtype == OB_NONE) {
        p->facts->n_declared++;
        type->dtype = declared->dtype;
    } else if (declared->dtype != OB_NONE && declared->dtype != type->dtype) {
        char text[400];
        ob__sentence(text, sizeof text, "\"%.200s\" is declared as %s and inferred as %s", value->name,
                     ob_dtype_name(declared->dtype), ob_dtype_name(type->dtype));
        report(p, node, value, OB0502, -1, text);
    }
    return compare_shape(p, node, value, label_counts, &type->shape, assumed);
}

ob_status ob__set_fact(ob_propagation *p, const ob_node *node, const ob_value *value, ob_type type, ob_content content) {
    bool assumed = p->assumed;
    if (value->declared.kind != OB_TYPE_UNKNOWN && !p->options->ignore_declared)
        OB_TRY(merge_declared(p, node, value, &type, &assumed));
    OB_TRY(name_unknown_sizes(p, &type.shape));
    p->facts->facts[value->id] = (ob_fact){.type = type, .content = content, .assumed = assumed};
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
    if (!found || group.inputs[0] == OB_NOT_AN_INPUT || group.result.rank < 0) return OB_OK;
    ob_dim *claimed = OB_ARENA_ARRAY(&p->scratch, ob_dim, (size_t)group.result.rank);
    if (!claimed) return OB_E_MEMORY;
    for (int32_t k = 0; k < group.result.rank; k++) claimed[k] = ob__as_claimed(p->facts, p->model->dims, group.result.dims[k]);
    group.result.dims = claimed;
    if (!ob__group_misfit(&group, &i, &axis)) return OB_OK;
    const ob_value *value = node->outputs[0];
    if (axis < 0) {
        ob__sentence(text, sizeof text, "\"%.200s\" is declared with rank %d, but an operand has rank %d",
                     value ? value->name : "", group.result.rank, group.shapes[i].rank);
    } else {
        ob__dim_shown(p->model->dims, ob__group_dim(&group, i, axis), own, sizeof own);
        ob__dim_shown(p->model->dims, group.result.dims[axis], whole, sizeof whole);
        ob__sentence(text, sizeof text, "axis %d of \"%.200s\" is declared as %s, but an operand has %s there", axis,
                     value ? value->name : "", whole, own);
    }
    if (value) report(p, node, value, OB0501, axis, text);
    return OB_OK;
}

/* ---- Inputs and initializers of a graph ---- */

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
        if (value->data) { /* otherwise sparse: the declaration */
            type = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = value->data->dtype};
            OB_TRY(data_shape(p, value->data, &type.shape));
            OB_TRY(ob__content_of_tensor(value->data, &p->facts->arena, &content));
        }
        OB_TRY(ob__set_fact(p, NULL, value, type, content));
    }
    return OB_OK;
}

/* Given inputs, by value id: 1 + index; 0: not given. NULL: out of memory. */
static const uint32_t *index_given(ob_propagation *p) {
    uint32_t *index = OB_ARENA_ARRAY(&p->scratch, uint32_t, p->options->n_inputs ? p->model->n_values : 0);
    for (size_t i = p->options->n_inputs; index && i-- > 0;) index[p->options->inputs[i].input->id] = (uint32_t)i + 1;
    return index;
}

/* Sizes that the caller chooses. Unnamed sizes are named by place if conditions on them are reported.
 */
static ob_status name_input_sizes(ob_propagation *p, uint32_t input, ob_shape *shape) {
    if (!p->options->solved || shape->rank <= 0) return name_unknown_sizes(p, shape);
    ob_dim *dims = ob__arena_alloc(&p->facts->arena, (size_t)shape->rank * sizeof *dims);
    if (!dims) return OB_E_MEMORY;
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        ob_dim d = as_size(shape->dims[axis]);
        bool named = d != OB_DIM_UNKNOWN && !ob_dim_is_anonymous(p->model->dims, d);
        dims[axis] = named ? d : substituted(p, ob__input_size(p->model, input, axis));
        if (dims[axis] == OB_DIM_UNKNOWN) return OB_E_MEMORY;
    }
    shape->dims = dims;
    return OB_OK;
}

/* With the sizes that are given, also in the elements of sequences; the file's reader limits how deep these nest. */
static ob_status declared_type(ob_propagation *p, const ob_type *declared, ob_type *out) {
    *out = *declared;
    if (declared->element) {
        ob_type *element = OB_ARENA_NEW(&p->facts->arena, ob_type);
        if (!element) return OB_E_MEMORY;
        out->element = element;
        OB_TRY(declared_type(p, declared->element, element));
    }
    if (declared->shape.rank <= 0) return OB_OK;
    ob_dim *dims = ob__arena_alloc(&p->facts->arena, (size_t)declared->shape.rank * sizeof *dims);
    if (!dims) return OB_E_MEMORY;
    for (int32_t axis = 0; axis < declared->shape.rank; axis++) dims[axis] = substituted(p, declared->shape.dims[axis]);
    out->shape.dims = dims;
    return OB_OK;
}

/* From IR version 4 on the caller may give an input another value than its default. */
static bool has_fixed_default(const ob_propagation *p) {
    return p->options->fixed_defaults || p->model->ir_version < 4;
}

/* An input with a default that need not be used: of the type that is declared, the default is one example of it. */
static ob_status set_overridable(ob_propagation *p, uint32_t index) {
    const ob_value *input = p->model->graph->inputs[index];
    ob_type type = {.shape = {OB_RANK_UNKNOWN, NULL}};
    OB_TRY(declared_type(p, &input->declared, &type));
    if (type.kind == OB_TYPE_UNKNOWN) type = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = input->data->dtype, .shape = type.shape};
    const ob_shape *own = &type.shape;
    if (own->rank >= 0 && own->rank != input->data->rank) report_rank(p, NULL, input, own->rank, input->data->rank);
    for (int32_t axis = 0; axis < own->rank && own->rank == input->data->rank; axis++)
        if (ob_dim_is_const(as_size(own->dims[axis])) && own->dims[axis] != input->data->dims[axis])
            report_dims(p, NULL, input, axis, own->dims[axis], input->data->dims[axis]);
    OB_TRY(name_input_sizes(p, index, &type.shape));
    const ob_content content = {.trace = ob__trace_of_input(input, &type, &p->facts->arena)};
    p->facts->facts[input->id] =
        (ob_fact){.type = type, .content = content, .why_unknown = "the caller may give another value than the default"};
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
        if (input->data && !given) {
            if (!has_fixed_default(p)) {
                OB_TRY(set_overridable(p, i));
                continue;
            }
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
        OB_TRY(name_input_sizes(p, i, &type.shape));
        if (!content.elems) content.trace = ob__trace_of_input(input, &type, &p->facts->arena);
        p->facts->facts[input->id] = (ob_fact){.type = type, .content = content};
    }
    return OB_OK;
}
