/* Shape rules of sequences and optionals. */
#include <string.h>

#include "core/base/error.h"
#include "ops/infer/body_values.h"
#include "ops/sequence/params.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_RULE(sequence_map);
OB_RULE(sequence_at);
OB_RULE(sequence_construct);
OB_RULE(sequence_empty);
OB_RULE(sequence_insert);
OB_RULE(sequence_erase);
OB_RULE(sequence_length);
OB_RULE(split_to_sequence);
OB_RULE(concat_from_sequence);
OB_RULE(optional);
OB_RULE(optional_get);
OB_RULE(optional_has);

static const ob_type unknown_type = {.shape = {OB_RANK_UNKNOWN, NULL}};

/* ---- Sequences ---- */

static ob_status out_sequence(ob_infer *infer, uint32_t output, const ob_type *element) {
    ob_type type = {.kind = OB_TYPE_SEQUENCE, .shape = unknown_type.shape, .element = ob__keep_type(infer, element)};
    if (!type.element) return OB_E_MEMORY;
    ob__out_type(infer, output, &type);
    return OB_OK;
}

/* The type of the elements of a sequence operand. */
static ob_type element_of(const ob_infer *infer, uint32_t i) {
    const ob_type *type = ob__in_type(infer, i);
    return (type->kind == OB_TYPE_SEQUENCE || type->kind == OB_TYPE_OPTIONAL) && type->element ? *type->element : unknown_type;
}

/* ---- Sequences of known length ---- */

enum { MOST_ITEMS = 64 }; /* the greatest number of elements with a type of their own */

/* `types`: one type for each of `count` elements, which is then a number; NULL: each has the sequence's element type. */
static ob_status out_items(ob_infer *infer, uint32_t output, ob_dim count, const ob_type *types) {
    if (output >= infer->node->n_outputs || count == OB_DIM_UNKNOWN) return OB_OK;
    ob_items *items = OB_ARENA_NEW(infer->arena, ob_items);
    if (!items) return OB_E_MEMORY;
    *items = (ob_items){count, types};
    infer->out_contents[output] = (ob_content){.items = items};
    return OB_OK;
}

/* The types of the elements of operand i, with memory for one more. *types is NULL if there are too many or their number is not
 * known. */
static ob_status list_items(ob_infer *infer, uint32_t i, ob_type **types, uint32_t *n) {
    const ob_items *items = ob__in_content(infer, i).items;
    *types = NULL;
    if (!items || !ob_dim_is_const(items->count) || items->count < 0 || items->count >= MOST_ITEMS) return OB_OK;
    *n = (uint32_t)items->count;
    *types = OB_ARENA_ARRAY(infer->arena, ob_type, *n + 1);
    if (!*types) return OB_E_MEMORY;
    for (uint32_t k = 0; k < *n; k++) (*types)[k] = items->types ? items->types[k] : element_of(infer, i);
    return OB_OK;
}

/* The most precise type that includes all. */
static ob_status common_type(ob_infer *infer, const ob_type *types, uint32_t n, ob_type *out) {
    *out = n ? types[0] : unknown_type;
    for (uint32_t k = 1; k < n; k++) OB_TRY(ob__unify_types(infer, out, &types[k]));
    return OB_OK;
}

/* Requires that the position in operand i is one of `count`; with `behind` (1), the position after the last is valid too. *at is
 * the position from the beginning, or -1 if it is not known. */
static ob_status require_place(ob_infer *infer, uint32_t i, ob_dim count, ob_dim behind, int64_t *at) {
    ob_dim place = ob__in_scalar(infer, i);
    *at = -1;
    OB_TRY(ob__require_one(infer, i));
    if (place == OB_DIM_UNKNOWN) return ob__unverified(infer, (int32_t)i, -1, "a position in a sequence depends on data");
    if (!ob__known_at_least(infer, -1, place))
        OB_TRY(ob__require(infer, OB_COND_AT_LEAST, ob_dim_add(infer->dims, count, behind), ob_dim_add(infer->dims, place, 1),
                           (int32_t)i, -1, OB0601));
    if (!ob__known_at_least(infer, place, 0))
        OB_TRY(ob__require(infer, OB_COND_AT_LEAST, ob_dim_add(infer->dims, place, count), 0, (int32_t)i, -1, OB0601));
    if (!ob_dim_is_const(place) || !ob_dim_is_const(count)) return OB_OK;
    ob_dim from_front = place < 0 ? place + count : place;
    if (from_front >= 0 && from_front < count + behind) *at = from_front;
    return OB_OK;
}

ob_status ob__infer_sequence_at(ob_infer *infer) {
    const ob_items *items = ob__in_content(infer, 0).items;
    ob_type element = element_of(infer, 0), *types;
    uint32_t n;
    int64_t at;
    ob__out_type(infer, 0, &element);
    if (!items) return ob__unverified(infer, 1, -1, "the number of elements of a sequence is not known");
    OB_TRY(require_place(infer, 1, items->count, 0, &at));
    OB_TRY(list_items(infer, 0, &types, &n));
    if (types && at >= 0) ob__out_type(infer, 0, &types[at]);
    return OB_OK;
}

ob_status ob__infer_sequence_construct(ob_infer *infer) {
    uint32_t n = infer->node->n_inputs;
    ob_type element, *types = OB_ARENA_ARRAY(infer->arena, ob_type, n);
    if (!types) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) types[i] = *ob__in_type(infer, i);
    OB_TRY(common_type(infer, types, n, &element));
    OB_TRY(out_sequence(infer, 0, &element));
    return out_items(infer, 0, n, n < MOST_ITEMS ? types : NULL);
}

ob_status ob__infer_sequence_insert(ob_infer *infer) {
    const ob_items *items = ob__in_content(infer, 0).items;
    ob_type element = element_of(infer, 0), *types = NULL;
    uint32_t n = 0;
    int64_t at = -1;
    if (items && items->count == 0)
        element = *ob__in_type(infer, 1);
    else
        OB_TRY(ob__unify_types(infer, &element, ob__in_type(infer, 1)));
    OB_TRY(out_sequence(infer, 0, &element));
    if (!items)
        return ob__in_given(infer, 2) ? ob__unverified(infer, 2, -1, "the number of elements of a sequence is not known") : OB_OK;
    OB_TRY(list_items(infer, 0, &types, &n));
    if (ob__in_given(infer, 2))
        OB_TRY(require_place(infer, 2, items->count, 1, &at));
    else
        at = n;
    if (types && at >= 0) {
        memmove(types + at + 1, types + at, (n - (size_t)at) * sizeof *types);
        types[at] = *ob__in_type(infer, 1);
    }
    return out_items(infer, 0, ob_dim_add(infer->dims, items->count, 1), at >= 0 ? types : NULL);
}

ob_status ob__infer_sequence_erase(ob_infer *infer) {
    const ob_items *items = ob__in_content(infer, 0).items;
    ob_type *types = NULL;
    uint32_t n = 0;
    int64_t at = -1;
    OB_TRY(ob__out_like(infer, 0, 0));
    if (!items)
        return ob__unverified(infer, ob__in_given(infer, 1) ? 1 : 0, -1, "the number of elements of a sequence is not known");
    OB_TRY(list_items(infer, 0, &types, &n));
    if (ob__in_given(infer, 1)) {
        OB_TRY(require_place(infer, 1, items->count, 0, &at));
    } else {
        OB_TRY(ob__require(infer, OB_COND_AT_LEAST, items->count, 1, 0, -1, OB0601));
        at = types && n > 0 ? (int64_t)n - 1 : -1;
    }
    if (items->count == 0) return OB_OK;
    if (types && at >= 0) memmove(types + at, types + at + 1, (n - 1 - (size_t)at) * sizeof *types);
    return out_items(infer, 0, ob_dim_sub(infer->dims, items->count, 1), at >= 0 ? types : NULL);
}

/* ---- SplitToSequence ---- */

typedef struct splitting {
    ob_type element; /* the whole tensor, of known rank */
    int32_t axis;
    ob_dim size; /* along the axis */
} splitting;

static ob_status part_type(ob_infer *infer, const splitting *s, ob_dim size, ob_type *out) {
    int32_t rank = s->element.shape.rank;
    ob_dim *dims = ob__new_dims(infer, (size_t)rank);
    if (!dims) return OB_E_MEMORY;
    memcpy(dims, s->element.shape.dims, (size_t)rank * sizeof *dims);
    dims[s->axis] = size;
    *out = s->element;
    out->shape = (ob_shape){rank, dims};
    return OB_OK;
}

static ob_status out_parts(ob_infer *infer, const splitting *s, const ob_dim *sizes, uint32_t n) {
    ob_type common, *types = OB_ARENA_ARRAY(infer->arena, ob_type, n ? n : 1);
    if (!types) return OB_E_MEMORY;
    for (uint32_t k = 0; k < n; k++) OB_TRY(part_type(infer, s, sizes[k], &types[k]));
    if (n)
        OB_TRY(common_type(infer, types, n, &common));
    else
        OB_TRY(part_type(infer, s, OB_DIM_UNKNOWN, &common));
    OB_TRY(out_sequence(infer, 0, &common));
    return out_items(infer, 0, n, n < MOST_ITEMS ? types : NULL);
}

/* Parts of one element each, which lose their axis unless it is kept. */
static ob_status split_to_ones(ob_infer *infer, const splitting *s, bool drops) {
    ob_type part;
    OB_TRY(part_type(infer, s, 1, &part));
    if (drops) {
        ob_dim dims[OB_MAX_RANK];
        int32_t rank = 0;
        for (int32_t k = 0; k < part.shape.rank; k++)
            if (k != s->axis) dims[rank++] = part.shape.dims[k];
        ob_dim *kept = ob__new_dims(infer, (size_t)rank + 1);
        if (!kept) return OB_E_MEMORY;
        memcpy(kept, dims, (size_t)rank * sizeof *kept);
        part.shape = (ob_shape){rank, kept};
    }
    OB_TRY(out_sequence(infer, 0, &part));
    return out_items(infer, 0, s->size, NULL);
}

/* Parts of equal length; the last may be smaller. */
static ob_status split_evenly(ob_infer *infer, const splitting *s, ob_dim each) {
    ob_type part;
    if (each == OB_DIM_UNKNOWN)
        OB_TRY(ob__unverified(infer, 1, -1, "the length of the parts depends on data"));
    else if (ob_dim_is_const(each) && each < 1)
        ob__problem(infer, OB0601, 1, -1, "parts of length %lld", (long long)each);
    else
        OB_TRY(ob__require(infer, OB_COND_AT_LEAST, each, 1, 1, -1, OB0601));
    bool known = ob_dim_is_const(each) && each > 0;
    ob_dim count = known && s->size != OB_DIM_UNKNOWN ? ob_dim_ceil_div(infer->dims, s->size, each) : OB_DIM_UNKNOWN;
    if (ob_dim_is_const(count) && ob_dim_is_const(s->size) && count >= 0 && count < MOST_ITEMS) {
        ob_dim sizes[MOST_ITEMS];
        for (ob_dim k = 0; k < count; k++) sizes[k] = k + 1 < count ? each : s->size - k * each;
        return out_parts(infer, s, sizes, (uint32_t)count);
    }
    const ob_condition whole = {OB_COND_DIVISIBLE, s->size, each};
    bool alike = known && s->size != OB_DIM_UNKNOWN && ob_condition_decide(infer->dims, &whole) == OB_TRUE;
    OB_TRY(part_type(infer, s, alike ? each : OB_DIM_UNKNOWN, &part));
    OB_TRY(out_sequence(infer, 0, &part));
    return out_items(infer, 0, count, NULL);
}

/* Parts of given lengths; their sum must be the size of the axis. */
static ob_status split_by_lengths(ob_infer *infer, const splitting *s) {
    ob_content lengths = ob__in_content(infer, 1);
    ob_type part;
    ob_dim sum = 0, n = ob__in_dim(infer, 1, 0);
    if (!lengths.elems) {
        OB_TRY(ob__unverified(infer, 1, -1, "lengths depend on data"));
        OB_TRY(part_type(infer, s, OB_DIM_UNKNOWN, &part));
        OB_TRY(out_sequence(infer, 0, &part));
        return out_items(infer, 0, n, NULL);
    }
    for (uint32_t k = 0; k < lengths.n; k++) {
        OB_TRY(ob__require_size(infer, lengths.elems[k], 1, -1, OB0601));
        sum = ob_dim_add(infer->dims, sum, lengths.elems[k]);
    }
    if (ob_dim_is_const(sum) && ob_dim_is_const(s->size) && sum != s->size)
        ob__problem(infer, OB0601, 1, s->axis, "the lengths of the parts make %lld, the axis has %lld", (long long)sum,
                    (long long)s->size);
    else
        OB_TRY(ob__require(infer, OB_COND_EQUAL, sum, s->size, 1, s->axis, OB0601));
    return out_parts(infer, s, lengths.elems, lengths.n);
}

ob_status ob__infer_split_to_sequence(ob_infer *infer) {
    splitting s = {.element = *ob__in_type(infer, 0)};
    ob_sequence_params params;
    ob__sequence_params(infer->node, &params);
    if (s.element.kind != OB_TYPE_TENSOR) return OB_OK;
    OB_TRY(ob__rank_unknown(infer, 0));
    OB_TRY(ob__rank_unknown(infer, 1));
    int32_t rank = s.element.shape.rank, rank_of_lengths = ob__in_given(infer, 1) ? ob__in_rank(infer, 1) : 0;
    if (rank < 0 || rank > OB_MAX_RANK || rank_of_lengths < 0) {
        s.element.shape = rank < 0 || params.drops ? unknown_type.shape : s.element.shape;
        if (s.element.shape.rank < 0 || !ob__axis_in(infer, params.axis, rank, &s.axis))
            return out_sequence(infer, 0, &s.element);
        OB_TRY(part_type(infer, &s, OB_DIM_UNKNOWN, &s.element));
        return out_sequence(infer, 0, &s.element);
    }
    if (!ob__axis_in(infer, params.axis, rank, &s.axis) || (ob__in_given(infer, 1) && !ob__rank_in(infer, 1, 0, 1))) return OB_OK;
    s.size = s.element.shape.dims[s.axis];
    if (!ob__in_given(infer, 1)) return split_to_ones(infer, &s, params.drops);
    return rank_of_lengths == 0 ? split_evenly(infer, &s, ob__in_scalar(infer, 1)) : split_by_lengths(infer, &s);
}

/* ---- ConcatFromSequence ---- */

/* Joins elements with known types, as Concat does: `dims` is the common shape, with the sum along the axis. */
static ob_status join_items(ob_infer *infer, const ob_type *types, uint32_t n, int32_t axis, ob_dim *dims) {
    int32_t rank = types[0].shape.rank;
    if (rank > 0) memcpy(dims, types[0].shape.dims, (size_t)rank * sizeof *dims);
    for (uint32_t k = 1; k < n; k++) {
        if (types[k].shape.rank != rank) {
            ob__problem(infer, OB0601, 0, -1, "element %u of the sequence has rank %d, element 0 has rank %d", k,
                        types[k].shape.rank, rank);
            return OB_OK;
        }
        for (int32_t a = 0; a < rank; a++) {
            ob_dim d = types[k].shape.dims[a];
            if (a == axis) {
                dims[a] = ob__size_add(infer, dims[a], d, a);
                continue;
            }
            OB_TRY(ob__require(infer, OB_COND_EQUAL, d, dims[a], 0, a, OB0601));
            dims[a] = ob__dim_prefer(infer->dims, dims[a], d);
        }
    }
    return OB_OK;
}

static bool ranks_known(const ob_type *types, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (types[k].kind != OB_TYPE_TENSOR || types[k].shape.rank < 0) return false;
    return n > 0;
}

/* Whether all have one shape. */
static bool are_alike(const ob_infer *infer, const ob_items *items, const ob_type *element) {
    if (items->types || element->kind != OB_TYPE_TENSOR || element->shape.rank < 0) return false;
    for (int32_t a = 0; a < element->shape.rank; a++)
        if (element->shape.dims[a] == OB_DIM_UNKNOWN || ob_dim_is_anonymous(infer->dims, element->shape.dims[a])) return false;
    return true;
}

ob_status ob__infer_concat_from_sequence(ob_infer *infer) {
    ob_type element = element_of(infer, 0), *types;
    const ob_items *items = ob__in_content(infer, 0).items;
    ob_sequence_params params;
    int32_t axis = 0;
    uint32_t n;
    ob_dim dims[OB_MAX_RANK], count = items ? items->count : OB_DIM_UNKNOWN;
    ob__sequence_params(infer->node, &params);
    ob__out_dtype(infer, 0, element.kind == OB_TYPE_TENSOR ? element.dtype : OB_NONE);
    OB_TRY(list_items(infer, 0, &types, &n));
    if (items) OB_TRY(ob__require(infer, OB_COND_AT_LEAST, count, 1, 0, -1, OB0601));
    bool listed = types && ranks_known(types, n), alike = items && are_alike(infer, items, &element);
    if (listed) element = types[0];
    if (!listed && !alike) OB_TRY(ob__unverified(infer, 0, -1, "sizes of the elements of a sequence are not known"));
    if (element.kind != OB_TYPE_TENSOR || element.shape.rank < 0 || element.shape.rank > OB_MAX_RANK) return OB_OK;
    int32_t rank = element.shape.rank;
    if (params.stacks) {
        if (listed) OB_TRY(join_items(infer, types, n, -1, dims));
        element.shape.dims = listed ? dims : element.shape.dims;
        return ob__out_stacked(infer, 0, &element, count, params.axis);
    }
    if (!ob__axis_in(infer, params.axis, rank, &axis)) return OB_OK;
    memcpy(dims, element.shape.dims, (size_t)rank * sizeof *dims);
    dims[axis] = alike ? ob_dim_mul(infer->dims, count, dims[axis]) : OB_DIM_UNKNOWN;
    if (listed) OB_TRY(join_items(infer, types, n, axis, dims));
    return ob__out_tensor(infer, 0, OB_NONE, rank, dims);
}

/* ---- SequenceMap ---- */

ob_status ob__infer_sequence_map(ob_infer *infer) {
    ob_graph *body = ob__attribute_graph(infer->node, "body");
    const ob_node *node = infer->node;
    ob_body_values in, out;
    if (!body || body->n_inputs != node->n_inputs || body->n_outputs != node->n_outputs) {
        ob__problem(infer, OB0602, -1, -1, "the body is missing or has another number of inputs or outputs than the node");
        return OB_OK;
    }
    if (!infer->subgraph) return OB_OK;
    if (!ob__make_body_values(infer, body->n_inputs, &in) || !ob__make_body_values(infer, body->n_outputs, &out))
        return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_inputs; i++)
        in.types[i] = ob__in_type(infer, i)->kind == OB_TYPE_SEQUENCE ? element_of(infer, i) : *ob__in_type(infer, i);
    OB_TRY(infer->subgraph(infer, body, OB_DIM_UNKNOWN, in.types, NULL, out.types, out.contents));
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        /* sizes computed in the body may differ between elements */
        ob_type element = out.types[i];
        ob_dim *dims = ob__new_dims(infer, element.shape.rank > 0 ? (size_t)element.shape.rank : 1);
        if (!dims) return OB_E_MEMORY;
        for (int32_t k = 0; k < element.shape.rank; k++)
            dims[k] = ob_dim_is_anonymous(infer->dims, element.shape.dims[k]) ? OB_DIM_UNKNOWN : element.shape.dims[k];
        element.shape.dims = dims;
        OB_TRY(out_sequence(infer, i, &element));
    }
    return OB_OK;
}

ob_status ob__infer_sequence_empty(ob_infer *infer) {
    ob_sequence_params params;
    ob__sequence_params(infer->node, &params);
    if (params.dtype == OB_NONE) ob__problem(infer, OB0602, -1, -1, "attribute dtype names no element type");
    ob_type element = {.kind = OB_TYPE_TENSOR, .dtype = params.dtype, .shape = unknown_type.shape};
    OB_TRY(out_sequence(infer, 0, &element));
    return out_items(infer, 0, 0, NULL);
}

ob_status ob__infer_sequence_length(ob_infer *infer) {
    const ob_items *items = ob__in_content(infer, 0).items;
    OB_TRY(ob__out_tensor(infer, 0, OB_INT64, 0, NULL));
    return items ? ob__out_content(infer, 0, &items->count, 1) : OB_OK;
}

/* ---- Optionals ---- */

ob_status ob__infer_optional_has(ob_infer *infer) {
    return ob__out_tensor(infer, 0, OB_BOOL, 0, NULL);
}

ob_status ob__infer_optional_get(ob_infer *infer) {
    const ob_type *type = ob__in_type(infer, 0);
    ob_type element = type->kind == OB_TYPE_OPTIONAL ? element_of(infer, 0) : *type;
    ob__out_type(infer, 0, &element);
    return OB_OK;
}

ob_status ob__infer_optional(ob_infer *infer) {
    ob_type type = {.kind = OB_TYPE_OPTIONAL, .shape = unknown_type.shape};
    if (ob__in_given(infer, 0))
        type.element = ob__keep_type(infer, ob__in_type(infer, 0));
    else
        type.element = ob__optional_type(infer->node);
    if (ob__in_given(infer, 0) && !type.element) return OB_E_MEMORY;
    ob__out_type(infer, 0, &type);
    return OB_OK;
}
