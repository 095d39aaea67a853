/* The conditions of an `if` in a body. */
#include <string.h>

#include "core/base/error.h"
#include "ops/body/read.h"

static ob_status read_has(ob_body_reader *r, bool *holds) {
    OB_TRY(ob__body_expect(r, "("));
    if (ob__body_next_is(r, "@")) {
        const ob_body_attribute *attribute;
        OB_TRY(ob__body_take_attribute(r, &attribute));
        *holds = ob__node_attribute(r->writer.call, attribute->name) != NULL;
        return ob__body_expect(r, ")");
    }
    char name[OB_BODY_NAME + 1];
    const ob_node *call = r->writer.call;
    OB_TRY(ob__body_take_name(r, name));
    const ob_body_name *known = ob__body_find_name(r, name);
    if (!known || (known->input < 0 && known->output < 0)) return ob__body_wrong(r, "expected an operand or a result");
    *holds = known->input >= 0 ? (uint32_t)known->input < call->n_inputs && call->inputs[known->input]
                               : (uint32_t)known->output < call->n_outputs && call->outputs[known->output];
    return ob__body_expect(r, ")");
}

/* One side of a comparison: a number or a text. */
static ob_status read_side(ob_body_reader *r, int64_t *number, const char **text) {
    *number = 0;
    *text = NULL;
    if (ob__body_next_is(r, "\"")) return ob__body_take_text(r, text);
    if (ob__body_next_is(r, "@")) {
        const ob_body_attribute *attribute;
        ob_term term;
        OB_TRY(ob__body_take_attribute(r, &attribute));
        *text = ob__body_attribute_text(r, attribute);
        OB_TRY(ob__body_attribute_term(r, attribute, &term));
        *number = term.is_whole ? term.whole : term.number != 0;
        return OB_OK;
    }
    if (ob__body_take_word(r, "rank")) return ob__body_operand_rank(r, number);
    if (ob__body_take_word(r, "type")) return ob__body_operand_type(r, number);
    if (ob__body_next_is_name(r)) {
        char name[OB_BODY_NAME + 1];
        OB_TRY(ob__body_take_name(r, name));
        *number = ob_dtype_from_name(name);
        return *number == OB_NONE ? ob__body_wrong(r, "no element type") : OB_OK;
    }
    ob_term term;
    OB_TRY(ob__body_take_number(r, &term));
    *number = term.whole;
    return OB_OK;
}

static ob_status read_comparison(ob_body_reader *r, bool *holds) {
    if (ob__body_take(r, "(")) {
        OB_TRY(ob__body_condition(r, holds));
        return ob__body_expect(r, ")");
    }
    if (ob__body_take_word(r, "not")) {
        OB_TRY(read_comparison(r, holds));
        *holds = !*holds;
        return OB_OK;
    }
    if (ob__body_take_word(r, "has")) return read_has(r, holds);
    int64_t a, b;
    const char *left, *right;
    OB_TRY(read_side(r, &a, &left));
    bool equal = ob__body_take(r, "=="), unequal = !equal && ob__body_take(r, "!="),
         less = !equal && !unequal && ob__body_take(r, "<");
    if (!equal && !unequal && !less) OB_TRY(ob__body_expect(r, ">="));
    OB_TRY(read_side(r, &b, &right));
    bool same = left || right ? left && right && strcmp(left, right) == 0 : a == b;
    *holds = equal ? same : unequal ? !same : less ? a < b : a >= b;
    return OB_OK;
}

static ob_status read_both(ob_body_reader *r, bool *holds) {
    OB_TRY(read_comparison(r, holds));
    while (ob__body_take_word(r, "and")) {
        bool next;
        OB_TRY(read_comparison(r, &next));
        *holds = *holds && next;
    }
    return OB_OK;
}

ob_status ob__body_condition(ob_body_reader *r, bool *holds) {
    OB_TRY(read_both(r, holds));
    while (ob__body_take_word(r, "or")) {
        bool next;
        OB_TRY(read_both(r, &next));
        *holds = *holds || next;
    }
    return OB_OK;
}
