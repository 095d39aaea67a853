/* Shape rules of sequences and optionals. */
#include <string.h>

#include "core/error.h"
#include "ops/control/ends.h"
#include "ops/control/params.h"
#include "ops/sequence/params.h"
#include "ops/table/op.h"

OB_RULE(sequence);
OB_RULE(optional);

static const ob_type unknown_type = {.shape = {OB_RANK_UNKNOWN, NULL}};

/* ---- Sequences ---- */

static ob_status out_sequence(ob_infer *infer, uint32_t output, const ob_type *element) {
    ob_type type = {.kind = OB_TYPE_SEQUENCE, .shape = unknown_type.shape, .element = ob__keep_type(infer, element)};
    if (!type.element) return OB_E_MEMORY;
    ob__out_type(infer, output, &type);
    return OB_OK;
}

/* Type of the elements of a sequence operand. */
static ob_type element_of(const ob_infer *infer, uint32_t i) {
    const ob_type *type = ob__in_type(infer, i);
    return (type->kind == OB_TYPE_SEQUENCE || type->kind == OB_TYPE_OPTIONAL) && type->element ? *type->element : unknown_type;
}

static ob_status split_to_sequence(ob_infer *infer) {
    ob_type element = *ob__in_type(infer, 0);
    ob_sequence_params params;
    int32_t axis;
    ob__sequence_params(infer->node, &params);
    if (element.kind != OB_TYPE_TENSOR) return OB_OK;
    OB_TRY(ob__rank_unknown(infer, 0));
    if (ob__in_given(infer, 1)) OB_TRY(ob__unverified(infer, 1, -1, "sizes of the elements of a sequence are not followed"));
    if (element.shape.rank >= 0 && element.shape.rank <= OB_MAX_RANK) {
        ob_shape from = element.shape;
        if (!ob__axis_in(infer, params.axis, from.rank, &axis)) return OB_OK;
        ob_dim *dims = ob__new_dims(infer, (size_t)from.rank), part = ob__in_given(infer, 1) ? OB_DIM_UNKNOWN : 1;
        ob_content split = ob__in_content(infer, 1);
        if (!dims) return OB_E_MEMORY;
        /* A scalar cuts equal parts, the last may be smaller. */
        if (split.elems && split.n == 1 && ob_dim_is_const(split.elems[0]) && split.elems[0] > 0 &&
            ob_dim_is_const(from.dims[axis]) && from.dims[axis] % split.elems[0] == 0)
            part = split.elems[0];
        int32_t rank = 0;
        for (int32_t k = 0; k < from.rank; k++)
            if (k != axis || !params.drops) dims[rank++] = k == axis ? part : from.dims[k];
        element.shape = (ob_shape){rank, dims};
    }
    return out_sequence(infer, 0, &element);
}

static ob_status concat_from_sequence(ob_infer *infer) {
    ob_type element = element_of(infer, 0);
    ob_sequence_params params;
    int32_t axis;
    ob__sequence_params(infer->node, &params);
    ob__out_dtype(infer, 0, element.kind == OB_TYPE_TENSOR ? element.dtype : OB_NONE);
    OB_TRY(ob__unverified(infer, 0, -1, "sizes of the elements of a sequence are not followed"));
    if (element.kind != OB_TYPE_TENSOR || element.shape.rank < 0 || element.shape.rank > OB_MAX_RANK) return OB_OK;
    if (params.stacks) return ob__out_stacked(infer, 0, &element, OB_DIM_UNKNOWN, params.axis);
    if (!ob__axis_in(infer, params.axis, element.shape.rank, &axis)) return OB_OK;
    ob_dim dims[OB_MAX_RANK];
    memcpy(dims, element.shape.dims, (size_t)element.shape.rank * sizeof *dims);
    dims[axis] = OB_DIM_UNKNOWN;
    return ob__out_tensor(infer, 0, OB_NONE, element.shape.rank, dims);
}

static ob_status sequence_map(ob_infer *infer) {
    ob_graph *body = ob__node_graph(infer->node, "body");
    const ob_node *node = infer->node;
    ob_ends in, out;
    if (!body || body->n_inputs != node->n_inputs || body->n_outputs != node->n_outputs) {
        ob__problem(infer, OB0602, -1, -1, "the body is missing or has another number of inputs or outputs than the node");
        return OB_OK;
    }
    if (!infer->subgraph) return OB_OK;
    if (!ob__make_ends(infer, body->n_inputs, &in) || !ob__make_ends(infer, body->n_outputs, &out)) return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_inputs; i++)
        in.types[i] = ob__in_type(infer, i)->kind == OB_TYPE_SEQUENCE ? element_of(infer, i) : *ob__in_type(infer, i);
    OB_TRY(infer->subgraph(infer, body, OB_DIM_UNKNOWN, in.types, NULL, out.types, out.contents));
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        /* Sizes made in the body differ between elements. */
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

ob_status ob__infer_sequence(ob_infer *infer) {
    if (ob__op_is(infer, "SequenceAt")) {
        ob_type element = element_of(infer, 0);
        ob__out_type(infer, 0, &element);
        return ob__unverified(infer, 1, -1, "positions in a sequence are not followed");
    }
    if (ob__op_is(infer, "SequenceConstruct")) {
        ob_type element = *ob__in_type(infer, 0);
        for (uint32_t i = 1; i < infer->node->n_inputs; i++) OB_TRY(ob__unify_types(infer, &element, ob__in_type(infer, i)));
        return out_sequence(infer, 0, &element);
    }
    if (ob__op_is(infer, "SequenceEmpty")) {
        ob_sequence_params params;
        ob__sequence_params(infer->node, &params);
        if (params.dtype == OB_NONE) ob__problem(infer, OB0602, -1, -1, "attribute dtype names no element type");
        ob_type element = {.kind = OB_TYPE_TENSOR, .dtype = params.dtype, .shape = unknown_type.shape};
        return out_sequence(infer, 0, &element);
    }
    if (ob__op_is(infer, "SequenceInsert")) {
        ob_type element = element_of(infer, 0);
        OB_TRY(ob__unify_types(infer, &element, ob__in_type(infer, 1)));
        if (ob__in_given(infer, 2)) OB_TRY(ob__unverified(infer, 2, -1, "positions in a sequence are not followed"));
        return out_sequence(infer, 0, &element);
    }
    if (ob__op_is(infer, "SequenceErase")) {
        OB_TRY(ob__unverified(infer, ob__in_given(infer, 1) ? 1 : 0, -1, "positions in a sequence are not followed"));
        return ob__out_like(infer, 0, 0);
    }
    if (ob__op_is(infer, "SequenceLength")) return ob__out_tensor(infer, 0, OB_INT64, 0, NULL);
    if (ob__op_is(infer, "SplitToSequence")) return split_to_sequence(infer);
    if (ob__op_is(infer, "ConcatFromSequence")) return concat_from_sequence(infer);
    return sequence_map(infer);
}

/* ---- Optionals ---- */

ob_status ob__infer_optional(ob_infer *infer) {
    if (ob__op_is(infer, "OptionalHasElement")) return ob__out_tensor(infer, 0, OB_BOOL, 0, NULL);
    if (ob__op_is(infer, "OptionalGetElement")) {
        const ob_type *type = ob__in_type(infer, 0);
        ob_type element = type->kind == OB_TYPE_OPTIONAL ? element_of(infer, 0) : *type;
        ob__out_type(infer, 0, &element);
        return OB_OK;
    }
    ob_type type = {.kind = OB_TYPE_OPTIONAL, .shape = unknown_type.shape};
    if (ob__in_given(infer, 0))
        type.element = ob__keep_type(infer, ob__in_type(infer, 0));
    else
        type.element = ob__optional_type(infer->node);
    if (ob__in_given(infer, 0) && !type.element) return OB_E_MEMORY;
    ob__out_type(infer, 0, &type);
    return OB_OK;
}
