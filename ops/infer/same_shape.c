/* Values with equal shapes because of how they are computed, when inference knows no rank: results of one explicit broadcast, and
 * the standard operators with the same effect, x = Expand(a, Shape(b)) and y = Expand(b, Shape(x)). Requirements stated for those
 * nodes are not stated again. */
#include "ops/infer/infer.h"
#include "ops/table/op.h"

OB_RULE(explicit_broadcast);
OB_RULE(expand);
OB_RULE(shape);

enum { MOST_STEPS = 64 }; /* of a chain; in an invalid file a chain may be a cycle */

static const ob_node *expand_of(const ob_value *value) {
    const ob_node *node = value->producer;
    return node && node->op && node->op->infer == ob__infer_expand && node->n_inputs == 2 && node->inputs[0] && node->inputs[1]
               ? node
               : NULL;
}

bool ob__is_shape(const ob_node *node) {
    return node->op && node->op->infer == ob__infer_shape;
}

const ob_value *ob__shape_is_of(const ob_value *shape) {
    const ob_node *node = shape ? shape->producer : NULL;
    return node && ob__is_shape(node) && node->n_attributes == 0 && node->n_inputs == 1 ? node->inputs[0] : NULL;
}

bool ob__has_taken_in(const ob_value *value, const ob_value *part) {
    for (int step = 0; step < MOST_STEPS; step++) {
        if (value == part) return true;
        const ob_node *expand = expand_of(value);
        if (!expand) return false;
        if (ob__shape_is_of(expand->inputs[1]) == part) return true;
        value = expand->inputs[0];
    }
    return false;
}

static bool is_explicit(const ob_node *node) {
    if (node->function)
        return node->function->defines == OB_DEFINES_BROADCAST && node->n_inputs == node->function->body->n_inputs;
    return node->op && node->op->infer == ob__infer_explicit_broadcast;
}

/* One representative of all values with this shape, found along the chain of nodes; NULL: the chain is too long. */
static const ob_value *source_of(const ob_value *value) {
    for (int step = 0; step < MOST_STEPS; step++) {
        const ob_node *maker = value->producer, *expand = expand_of(value);
        const ob_value *whole = expand ? ob__shape_is_of(expand->inputs[1]) : NULL;
        if (maker && is_explicit(maker)) return maker->n_inputs && maker->inputs[0] ? maker->outputs[0] : NULL;
        if (!whole || !ob__has_taken_in(whole, expand->inputs[0])) return value;
        value = whole;
    }
    return NULL;
}

bool ob__made_same_shape(const ob_infer *infer, const uint32_t *inputs, uint32_t n) {
    const ob_value *first = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const ob_value *source = ob__in_given(infer, inputs[i]) ? source_of(infer->node->inputs[inputs[i]]) : NULL;
        if (!source || (first && source != first)) return false;
        first = source;
    }
    return first != NULL;
}
