#include "ops/table/operands.h"

#include "core/base/text.h"

ob_types ob__type_bit(const ob_type *type) {
    switch (type->kind) {
    case OB_TYPE_SEQUENCE: return OB_T_SEQUENCE;
    case OB_TYPE_OPTIONAL: return OB_T_OPTIONAL;
    case OB_TYPE_MAP: return OB_T_MAP;
    default: return UINT64_C(1) << type->dtype;
    }
}

static bool is_tensor(const ob_type *type) {
    return type->kind == OB_TYPE_TENSOR || type->kind == OB_TYPE_SPARSE_TENSOR;
}

#define MISFIT(why, finding, place, ...)                                                                                         \
    do {                                                                                                                         \
        (why)->id = (finding);                                                                                                   \
        (why)->operand = (int32_t)(place);                                                                                       \
        ob__sentence((why)->text, sizeof(why)->text, __VA_ARGS__);                                                               \
        return false;                                                                                                            \
    } while (0)

static bool count_fits(const ob_op *op, const ob_node *node, ob_misfit *why) {
    if (!ob__op_takes(op, node->n_inputs))
        MISFIT(why, OB0603, -1, "%u inputs, the operator takes %d to %d", node->n_inputs, op->in_min, op->in_max);
    if (!ob__op_gives(op, node->n_outputs))
        MISFIT(why, OB0603, -1, "%u outputs, the operator has %d to %d", node->n_outputs, op->out_min, op->out_max);
    return true;
}

/* The types of the operands checked so far, by letter. */
typedef struct letters {
    ob_dtype first[4];
} letters;

static bool type_fits(const ob_op *op, uint32_t i, const ob_type *type, letters *known, ob_misfit *why) {
    const bool tensor = is_tensor(type);
    if (type->kind == OB_TYPE_UNKNOWN || (tensor && type->dtype == OB_NONE)) return true;
    if (!(ob__op_input_types(op, i) & ob__type_bit(type)))
        MISFIT(why, OB0604, i, "operand %u is %s, which %s-%d does not take", i,
               tensor ? ob_dtype_name(type->dtype) : "not a tensor", op->name, op->since);
    bool homogeneous;
    const char letter = ob__op_input_letter(op, i, &homogeneous);
    if (!tensor || !homogeneous || letter < 'T' || letter > 'W') return true;
    ob_dtype *first = &known->first[letter - 'T'];
    if (*first == OB_NONE) *first = type->dtype;
    if (*first != type->dtype)
        MISFIT(why, OB0604, i, "operand %u is %s, but operands of %s must share a type with %s", i, ob_dtype_name(type->dtype),
               op->name, ob_dtype_name(*first));
    return true;
}

bool ob__op_fits(const ob_op *op, const ob_node *node, const ob_type *in_types, ob_misfit *why) {
    letters known = {{OB_NONE, OB_NONE, OB_NONE, OB_NONE}};
    ob_misfit unheard;
    if (!why) why = &unheard;
    if (!count_fits(op, node, why)) return false;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        if (!node->inputs[i] && !ob__op_input_optional(op, i))
            MISFIT(why, OB0603, i, "operand %u is left out, but %s-%d needs it", i, op->name, op->since);
        if (in_types && !type_fits(op, i, &in_types[i], &known, why)) return false;
    }
    return true;
}
