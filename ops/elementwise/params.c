#include "ops/elementwise/params.h"

#include "ops/elementwise/loops.h"
#include "ops/table/attributes.h"

ob_dtype ob__cast_target(const ob_node *node, int32_t since) {
    if (since >= 6) {
        int64_t to = ob__attribute_int(node, "to");
        return to > OB_NONE && to < OB_DTYPE_COUNT ? (ob_dtype)to : OB_NONE;
    }
    const char *name = ob__attribute_text(node, "to");
    char lower[24] = "";
    for (size_t i = 0; i + 1 < sizeof lower && name[i]; i++)
        lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
    return ob_dtype_from_name(lower);
}

bool ob__commutes(const ob_op *op) {
    return ob__applies(op, OBK_ADD) || ob__applies(op, OBK_MUL) || ob__applies(op, OBK_AND) || ob__applies(op, OBK_OR) ||
           ob__applies(op, OBK_XOR) || ob__applies(op, OBK_EQUAL);
}

bool ob__sets_against(const ob_op *op) {
    return ob__applies(op, OBK_SUB) || ob__applies(op, OBK_EQUAL) || ob__applies(op, OBK_LESS) || ob__applies(op, OBK_LESS_EQUAL);
}

bool ob__adds(const ob_op *op) {
    return ob__applies(op, OBK_ADD) || ob__applies(op, OBK_SUB);
}

bool ob__keeps_summand(const ob_op *op, uint32_t input, uint32_t *factor) {
    *factor = UINT32_MAX;
    if (ob__adds(op)) return true;
    if (!ob__applies(op, OBK_MUL) && !(ob__applies(op, OBK_DIV) && input == 0)) return false;
    *factor = 1 - input;
    return input < 2;
}
