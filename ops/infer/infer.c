#include "ops/infer/infer.h"
#include "core/base/text.h"
#include "ops/table/attributes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "ops/infer/constant.h"
#include "ops/table/op.h"

OB_RULE(none);

ob_status ob__infer_none(ob_infer *infer) {
    (void)infer;
    return OB_OK;
}

static const ob_type nothing = {.shape = {OB_RANK_UNKNOWN, NULL}};

/* ---- Inputs ---- */

void *ob__rule_room(ob_infer *infer, size_t n_bytes) {
    if (n_bytes > OB_INFER_ROOM) return NULL;
    return infer->room ? infer->room : ob__arena_alloc(infer->arena, n_bytes);
}

bool ob__in_given(const ob_infer *infer, uint32_t i) {
    return i < infer->node->n_inputs && infer->node->inputs[i];
}

const ob_type *ob__in_type(const ob_infer *infer, uint32_t i) {
    return ob__in_given(infer, i) ? &infer->in_types[i] : &nothing;
}

ob_shape ob__in_shape(const ob_infer *infer, uint32_t i) {
    const ob_type *type = ob__in_type(infer, i);
    return type->kind == OB_TYPE_TENSOR || type->kind == OB_TYPE_SPARSE_TENSOR ? type->shape : nothing.shape;
}

int32_t ob__in_rank(const ob_infer *infer, uint32_t i) {
    return ob__in_shape(infer, i).rank;
}

ob_dim ob__in_dim(const ob_infer *infer, uint32_t i, int64_t axis) {
    ob_shape shape = ob__in_shape(infer, i);
    if (axis < 0) axis += shape.rank;
    return shape.rank >= 0 && axis >= 0 && axis < shape.rank ? shape.dims[axis] : OB_DIM_UNKNOWN;
}

ob_dtype ob__in_dtype(const ob_infer *infer, uint32_t i) {
    const ob_type *type = ob__in_type(infer, i);
    return type->kind == OB_TYPE_TENSOR || type->kind == OB_TYPE_SPARSE_TENSOR ? type->dtype : OB_NONE;
}

ob_content ob__in_content(const ob_infer *infer, uint32_t i) {
    if (!ob__in_given(infer, i)) return (ob_content){0};
    return infer->in_contents[i];
}

bool ob__in_const_int(const ob_infer *infer, uint32_t i, int64_t *out) {
    ob_content content = ob__in_content(infer, i);
    if (!content.elems || content.n != 1 || !ob_dim_is_const(content.elems[0])) return false;
    *out = content.elems[0];
    return true;
}

const int64_t *ob__in_const_ints(const ob_infer *infer, uint32_t i, uint32_t *n) {
    ob_content content = ob__in_content(infer, i);
    *n = 0;
    if (!content.elems) return NULL;
    for (uint32_t k = 0; k < content.n; k++)
        if (!ob_dim_is_const(content.elems[k])) return NULL;
    *n = content.n;
    return content.elems;
}

const int64_t *ob__axes(const ob_infer *infer, const char *name, uint32_t i, uint32_t *n, bool *known) {
    *known = true;
    const int64_t *ints = ob__attribute_list(infer->node, name, n);
    if (ints || !ob__in_given(infer, i)) return ints;
    ints = ob__in_const_ints(infer, i, n);
    *known = ints != NULL;
    return ints;
}

/* The tensor of a constant input, or NULL. An input with a default is not constant, because the caller may replace its data. */
static const ob_tensor *constant_tensor(const ob_infer *infer, uint32_t i) {
    if (!ob__in_given(infer, i)) return NULL;
    const ob_value *value = infer->node->inputs[i];
    if (value->is_initializer && !value->is_input) return value->data;
    const ob_node *producer = value->producer;
    return producer && ob__is_constant(producer) ? ob__constant_params(producer).tensor : NULL;
}

bool ob__in_const_without_0(const ob_infer *infer, uint32_t i) {
    const ob_tensor *tensor = constant_tensor(infer, i);
    size_t width = tensor ? ob_dtype_size(tensor->dtype) : 0;
    if (!tensor || !tensor->data || tensor->is_external || width == 0 || width > sizeof(uint64_t)) return false;
    for (int64_t k = 0; k < tensor->n_elems; k++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)tensor->data + (size_t)k * width, width);
        if (bits == 0) return false;
    }
    return true;
}

const float *ob__in_const_floats(ob_infer *infer, uint32_t i, uint32_t *n) {
    *n = 0;
    const ob_tensor *tensor = constant_tensor(infer, i);
    float *floats = NULL;
    if (tensor && tensor->dtype == OB_FLOAT && tensor->data && tensor->n_elems <= OB_CONTENT_MAX) {
        floats = ob__arena_alloc(infer->arena, (size_t)tensor->n_elems * sizeof *floats);
        if (!floats) return NULL;
        if (tensor->n_elems) memcpy(floats, tensor->data, (size_t)tensor->n_elems * sizeof *floats);
        *n = (uint32_t)tensor->n_elems;
        return floats;
    }
    const ob_value *value = ob__in_given(infer, i) ? infer->node->inputs[i] : NULL;
    const ob_node *producer = value ? value->producer : NULL;
    if (producer && ob__is_constant(producer)) {
        const ob_constant_params params = ob__constant_params(producer);
        if (params.dtype == OB_FLOAT && params.rank == 1 && !params.tensor && params.n <= OB_CONTENT_MAX) {
            *n = (uint32_t)params.n;
            return params.elements;
        }
    }
    uint32_t n_ints;
    const int64_t *ints = ob__in_const_ints(infer, i, &n_ints);
    if (!ints || ob__in_dtype(infer, i) != OB_FLOAT) return NULL;
    floats = ob__arena_alloc(infer->arena, n_ints * sizeof *floats);
    if (!floats) return NULL;
    for (uint32_t k = 0; k < n_ints; k++) floats[k] = (float)ints[k];
    *n = n_ints;
    return floats;
}

/* ---- Outputs ---- */

void ob__out_type(ob_infer *infer, uint32_t i, const ob_type *type) {
    if (i < infer->node->n_outputs) infer->out_types[i] = *type;
}

void ob__out_dtype(ob_infer *infer, uint32_t i, ob_dtype dtype) {
    if (i >= infer->node->n_outputs) return;
    infer->out_types[i].kind = OB_TYPE_TENSOR;
    if (dtype != OB_NONE) infer->out_types[i].dtype = dtype;
}

void ob__out_shape(ob_infer *infer, uint32_t i, ob_dtype dtype, ob_shape shape) {
    if (i >= infer->node->n_outputs) return;
    ob__out_dtype(infer, i, dtype);
    infer->out_types[i].shape = shape;
}

ob_dim *ob__new_dims(ob_infer *infer, size_t n) {
    if (n > SIZE_MAX / sizeof(ob_dim)) return NULL;
    return ob__arena_alloc(infer->arena, n * sizeof(ob_dim));
}

ob_status ob__out_tensor(ob_infer *infer, uint32_t i, ob_dtype dtype, int32_t rank, const ob_dim *dims) {
    if (i >= infer->node->n_outputs) return OB_OK;
    ob_dim *copy = NULL;
    if (rank > 0) {
        copy = ob__new_dims(infer, (size_t)rank);
        if (!copy) return OB_E_MEMORY;
        memcpy(copy, dims, (size_t)rank * sizeof *copy);
    }
    ob__out_shape(infer, i, dtype, (ob_shape){rank, copy});
    return OB_OK;
}

ob_status ob__out_like(ob_infer *infer, uint32_t i, uint32_t input) {
    if (i >= infer->node->n_outputs) return OB_OK;
    const ob_type *type = ob__in_type(infer, input);
    if (type->kind == OB_TYPE_UNKNOWN) return OB_OK;
    ob_dtype dtype = infer->out_types[i].dtype;
    infer->out_types[i] = *type;
    if (dtype != OB_NONE && type->kind == OB_TYPE_TENSOR) infer->out_types[i].dtype = dtype;
    return OB_OK;
}

ob_status ob__out_rank(ob_infer *infer, uint32_t i, int32_t rank) {
    if (i >= infer->node->n_outputs) return OB_OK;
    if (rank < 0) {
        ob__out_dtype(infer, i, OB_NONE);
        return OB_OK;
    }
    ob_dim *dims = ob__new_dims(infer, (size_t)rank);
    if (!dims) return OB_E_MEMORY;
    for (int32_t axis = 0; axis < rank; axis++) dims[axis] = OB_DIM_UNKNOWN;
    ob__out_shape(infer, i, OB_NONE, (ob_shape){rank, dims});
    return OB_OK;
}

ob_status ob__out_content(ob_infer *infer, uint32_t i, const ob_dim *elems, uint32_t n) {
    if (i >= infer->node->n_outputs || n > OB_CONTENT_MAX || !elems) return OB_OK;
    ob_dim *copy = ob__new_dims(infer, n);
    if (!copy) return OB_E_MEMORY;
    if (n) memcpy(copy, elems, n * sizeof *copy);
    infer->out_contents[i] = (ob_content){.n = n, .elems = copy};
    return OB_OK;
}

const ob_type *ob__keep_type(ob_infer *infer, const ob_type *type) {
    ob_type *copy = OB_ARENA_NEW(infer->arena, ob_type);
    if (copy) *copy = *type;
    return copy;
}

/* ---- Requirements and findings ---- */

void ob__problem(ob_infer *infer, ob_finding_id id, int32_t operand, int32_t axis, const char *format, ...) {
    if (!infer->problem || (infer->misread && id == OB0602)) return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    ob__vsentence(text, sizeof text, format, arguments);
    va_end(arguments);
    infer->problem(infer, id, operand, axis, text);
}

ob_status ob__require_where(ob_infer *infer, ob_dim guard, ob_condition_kind kind, ob_dim a, ob_dim b, int32_t operand,
                            int32_t axis, ob_finding_id id) {
    ob_condition condition = {kind, a, b};
    if (a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN)
        return infer->condition ? infer->condition(infer, &condition, guard, operand, axis, "a size is not known") : OB_OK;
    const ob_condition matters = {OB_COND_AT_LEAST, guard, 1};
    ob_truth truth = a == b && kind != OB_COND_DIVISIBLE ? OB_TRUE : ob_condition_decide(infer->dims, &condition);
    ob_truth guarded = guard == OB_DIM_UNKNOWN ? OB_UNDECIDED : ob_condition_decide(infer->dims, &matters);
    if (guarded == OB_FALSE) truth = OB_TRUE;
    if (truth == OB_UNDECIDED || (truth == OB_FALSE && guarded != OB_TRUE))
        return infer->condition ? infer->condition(infer, &condition, guard, operand, axis, NULL) : OB_OK;
    if (infer->decided) infer->decided(infer, truth == OB_TRUE);
    if (truth == OB_TRUE) return OB_OK;
    char left[96], right[96];
    ob__dim_shown(infer->dims, a, left, sizeof left);
    ob__dim_shown(infer->dims, b, right, sizeof right);
    static const char *const words[] = {"must equal", "must broadcast with", "must broadcast to", "must be a multiple of",
                                        "must be at least"};
    if (axis >= 0)
        ob__problem(infer, id, operand, axis, "axis %d: %s %s %s", axis, left, words[kind], right);
    else
        ob__problem(infer, id, operand, axis, "%s %s %s", left, words[kind], right);
    return OB_OK;
}

ob_status ob__require(ob_infer *infer, ob_condition_kind kind, ob_dim a, ob_dim b, int32_t operand, int32_t axis,
                      ob_finding_id id) {
    return ob__require_where(infer, 1, kind, a, b, operand, axis, id);
}

ob_status ob__is_excluded(ob_infer *infer, ob_dim guard, const ob_condition *condition, int32_t axis, bool *excluded) {
    *excluded = false;
    return infer->excludes ? infer->excludes(infer, condition, guard, axis, excluded) : OB_OK;
}

ob_status ob__unverified(ob_infer *infer, int32_t operand, int32_t axis, const char *reason) {
    const ob_condition unknown = {OB_COND_EQUAL, OB_DIM_UNKNOWN, OB_DIM_UNKNOWN};
    return infer->condition ? infer->condition(infer, &unknown, 1, operand, axis, reason) : OB_OK;
}

ob_status ob__require_shape(ob_infer *infer, uint32_t input, ob_shape shape, ob_finding_id id) {
    ob_shape given = ob__in_shape(infer, input);
    if (!ob__in_given(infer, input) || (given.rank == shape.rank && given.dims == shape.dims && given.rank >= 0)) return OB_OK;
    if (given.rank < 0 || shape.rank < 0) return ob__unverified(infer, (int32_t)input, -1, "the rank of an operand is not known");
    if (given.rank != shape.rank) {
        ob__problem(infer, id, (int32_t)input, -1, "operand %u has rank %d, rank %d is needed", input, given.rank, shape.rank);
        return OB_OK;
    }
    for (int32_t axis = 0; axis < shape.rank; axis++)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, given.dims[axis], shape.dims[axis], (int32_t)input, axis, id));
    return OB_OK;
}

/* ---- More for rules ---- */

ob_status ob__attribute_terms(ob_infer *infer, const char *name, const ob_dim **out, uint32_t *n) {
    const int64_t *ints = *out = ob__attribute_list(infer->node, name, n);
    uint32_t i = 0;
    while (i < *n && ob_dim_is_const(ints[i])) i++;
    if (i == *n) return OB_OK;
    ob_dim *terms = ob__new_dims(infer, *n);
    if (!terms) return OB_E_MEMORY;
    for (i = 0; i < *n; i++) terms[i] = ob__saturated(ints[i]);
    *out = terms;
    return OB_OK;
}

int32_t ob__since(const ob_infer *infer) {
    return infer->op->since;
}

bool ob__op_is(const ob_infer *infer, const char *name) {
    return strcmp(infer->op->name, name) == 0;
}

bool ob__axis_in(ob_infer *infer, int64_t axis, int32_t rank, int32_t *out) {
    int64_t counted = axis < 0 ? axis + rank : axis;
    if (counted < 0 || counted >= rank) {
        ob__problem(infer, OB0602, -1, -1, "axis %lld is out of range for rank %d", (long long)axis, rank);
        return false;
    }
    *out = (int32_t)counted;
    return true;
}

ob_dim ob__dims_product(ob_infer *infer, const ob_dim *dims, int32_t from, int32_t to) {
    ob_dim product = 1;
    for (int32_t axis = from; axis < to; axis++)
        if (dims[axis] == 0) return 0;
    for (int32_t axis = from; axis < to; axis++) product = ob_dim_mul(infer->dims, product, dims[axis]);
    return product;
}

ob_dim ob__dim_prefer(const ob_dims *dims, ob_dim a, ob_dim b) {
    if (a == b || ob_dim_is_const(a)) return a;
    if (ob_dim_is_const(b)) return b;
    if (a == OB_DIM_UNKNOWN) return b;
    if (b == OB_DIM_UNKNOWN) return a;
    return ob_dim_is_anonymous(dims, a) && !ob_dim_is_anonymous(dims, b) ? b : a;
}

ob_status ob__rank_unknown(ob_infer *infer, uint32_t i) {
    bool unknown = ob__in_given(infer, i) && ob__in_rank(infer, i) < 0;
    return unknown ? ob__unverified(infer, (int32_t)i, -1, "the rank of an operand is not known") : OB_OK;
}

bool ob__rank_in(ob_infer *infer, uint32_t i, int32_t least, int32_t most) {
    int32_t rank = ob__in_rank(infer, i);
    if (rank < 0) (void)ob__rank_unknown(infer, i); /* the arena remembers a failed allocation */
    if (rank < 0 || (rank >= least && rank <= most)) return true;
    if (most == OB_MAX_RANK)
        ob__problem(infer, OB0601, (int32_t)i, -1, "operand %u has rank %d, at least %d is needed", i, rank, least);
    else if (least == most)
        ob__problem(infer, OB0601, (int32_t)i, -1, "operand %u has rank %d, rank %d is needed", i, rank, least);
    else
        ob__problem(infer, OB0601, (int32_t)i, -1, "operand %u has rank %d, rank %d to %d is needed", i, rank, least, most);
    return false;
}

ob_status ob__unify_types(ob_infer *infer, ob_type *into, const ob_type *other) {
    if (into->kind != other->kind) {
        *into = nothing;
        return OB_OK;
    }
    if (into->dtype != other->dtype) into->dtype = OB_NONE;
    if (into->element && other->element) {
        ob_type element = *into->element;
        if (element.kind == OB_TYPE_TENSOR)
            OB_TRY(ob__unify_types(infer, &element, other->element)); /* one level of nesting is enough */
        into->element = ob__keep_type(infer, &element);
        if (!into->element) return OB_E_MEMORY;
    } else
        into->element = NULL;
    if (into->shape.rank != other->shape.rank) into->shape = nothing.shape;
    int32_t axis = 0, rank = into->shape.rank;
    while (axis < rank && into->shape.dims[axis] == other->shape.dims[axis]) axis++;
    if (axis >= rank) return OB_OK;
    ob_dim *dims = ob__new_dims(infer, (size_t)rank);
    if (!dims) return OB_E_MEMORY;
    for (axis = 0; axis < rank; axis++)
        dims[axis] = into->shape.dims[axis] == other->shape.dims[axis] ? into->shape.dims[axis] : OB_DIM_UNKNOWN;
    into->shape.dims = dims;
    return OB_OK;
}

bool ob__rank_fits(ob_infer *infer, int64_t rank) {
    if (rank <= OB_MAX_RANK) return true;
    ob__problem(infer, OB0606, -1, -1, "the result has rank %lld, at most %d is supported", (long long)rank, OB_MAX_RANK);
    return false;
}

static ob_dim size_of(ob_infer *infer, ob_dim a, char sign, ob_dim b, ob_dim found, int32_t axis) {
    if (found == OB_DIM_UNKNOWN && ob_dim_is_const(a) && ob_dim_is_const(b))
        ob__problem(infer, OB0606, -1, axis, "axis %d: %lld %c %lld is too large for a size", axis, (long long)a, sign,
                    (long long)b);
    return found;
}

ob_dim ob__size_add(ob_infer *infer, ob_dim a, ob_dim b, int32_t axis) {
    return size_of(infer, a, '+', b, ob_dim_add(infer->dims, a, b), axis);
}

ob_dim ob__size_mul(ob_infer *infer, ob_dim a, ob_dim b, int32_t axis) {
    return size_of(infer, a, '*', b, ob_dim_mul(infer->dims, a, b), axis);
}

ob_dim ob__in_count(ob_infer *infer, uint32_t i) {
    ob_shape shape = ob__in_shape(infer, i);
    return shape.rank < 0 ? OB_DIM_UNKNOWN : ob__dims_product(infer, shape.dims, 0, shape.rank);
}

ob_status ob__require_one(ob_infer *infer, uint32_t i) {
    ob_shape shape = ob__in_shape(infer, i);
    OB_TRY(ob__rank_unknown(infer, i));
    if (shape.rank <= 0) return OB_OK;
    for (int32_t axis = 0; axis < shape.rank; axis++)
        if (ob_dim_is_const(shape.dims[axis]) && shape.dims[axis] != 1) {
            ob__problem(infer, OB0601, (int32_t)i, -1, "operand %u must be one element", i);
            return OB_OK;
        }
    for (int32_t axis = 0; axis < shape.rank; axis++)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, shape.dims[axis], 1, (int32_t)i, axis, OB0601));
    return OB_OK;
}

ob_status ob__require_lengths(ob_infer *infer, uint32_t i, ob_dim most) {
    return ob__require_values(infer, i,
                              &(ob_values_asked){.highest = most, .when = 1, .axis = -1, .reason = "lengths depend on data"});
}

ob_status ob__require_size(ob_infer *infer, ob_dim size, int32_t operand, int32_t axis, ob_finding_id id) {
    if (size == OB_DIM_UNKNOWN) return ob__unverified(infer, operand, axis, "a size depends on data");
    return ob__require(infer, OB_COND_AT_LEAST, size, 0, operand, axis, id);
}

ob_dim ob__in_scalar(const ob_infer *infer, uint32_t i) {
    ob_content content = ob__in_content(infer, i);
    return content.elems && content.n == 1 ? content.elems[0] : OB_DIM_UNKNOWN;
}

bool ob__known_at_least(const ob_infer *infer, ob_dim a, ob_dim b) {
    const ob_condition condition = {OB_COND_AT_LEAST, a, b};
    return a != OB_DIM_UNKNOWN && b != OB_DIM_UNKNOWN && ob__condition_assumed(infer->dims, &condition) == OB_TRUE;
}

ob_dtype ob__dtype_attribute(const ob_infer *infer, const char *name, ob_dtype otherwise) {
    int64_t n = ob__attribute_int(infer->node, name);
    return n > 0 && n < OB_DTYPE_COUNT ? (ob_dtype)n : otherwise;
}

bool ob__small_count(const ob_infer *infer, ob_shape shape, uint32_t *count) {
    const int64_t most = infer->thrifty ? OB_CONTENT_SHORT : OB_CONTENT_MAX;
    if (shape.rank < 0) return false;
    int64_t product = 1;
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        if (!ob_dim_is_const(shape.dims[axis]) || shape.dims[axis] < 0) return false;
        if (shape.dims[axis] == 0) return *count = 0, true;
    }
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        if (shape.dims[axis] > most) return false;
        product *= shape.dims[axis];
        if (product > most) return false;
    }
    *count = (uint32_t)product;
    return true;
}
