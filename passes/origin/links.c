#include "passes/origin/links.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/table/operands.h"

enum { MAX_OPERANDS = 4096 /* of a node: its links take memory for each */ };

/* The context of a rule, and the list that it fills. `axes` must be the first member: the callback gets a pointer to it. */
typedef struct collector {
    ob_axes axes;
    ob_infer infer;
    ob_error trial;
    ob_arena *arena;
    ob_link *items;
    uint32_t n, capacity;
    bool failed;
} collector;

static void collect(ob_axes *axes, const ob_link *link) {
    collector *c = (collector *)axes;
    if (c->n == c->capacity) {
        const uint32_t capacity = c->capacity ? 2 * c->capacity : 16;
        ob_link *items = OB_ARENA_ARRAY(c->arena, ob_link, capacity);
        if (!items) {
            c->failed = true;
            return;
        }
        if (c->n) memcpy(items, c->items, c->n * sizeof *items);
        c->items = items;
        c->capacity = capacity;
    }
    c->items[c->n++] = *link;
}

/* Propagation reported it already. */
static void ignore_problem(ob_infer *infer, ob_finding_id id, int32_t operand, int32_t axis, const char *text) {
    (void)infer, (void)id, (void)operand, (void)axis, (void)text;
}

static ob_status ignore_condition(ob_infer *infer, const ob_condition *condition, ob_dim guard, int32_t operand, int32_t axis,
                                  const char *reason) {
    (void)infer, (void)condition, (void)guard, (void)operand, (void)axis, (void)reason;
    return OB_OK;
}

/* Attributes of a body that refer to those of a call differ between calls. */
static bool refers(const ob_node *node) {
    for (uint32_t i = 0; i < node->n_attributes; i++)
        if (node->attributes[i]->ref) return true;
    return false;
}

ob_status ob__links_of(ob_model *model, const ob_facts *facts, const ob_node *node, ob_arena *arena, ob_links *out) {
    *out = (ob_links){0};
    if (!node->op || !node->op->axes || refers(node) || node->n_inputs + node->n_outputs > MAX_OPERANDS) return OB_OK;
    ob_type *in_types = OB_ARENA_ARRAY(arena, ob_type, node->n_inputs),
            *out_types = OB_ARENA_ARRAY(arena, ob_type, node->n_outputs);
    ob_content *contents = OB_ARENA_ARRAY(arena, ob_content, node->n_inputs + node->n_outputs);
    if (!in_types || !out_types || !contents) return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        in_types[i] = ob__fact(facts, node->inputs[i])->type;
        contents[i] = ob__fact(facts, node->inputs[i])->content;
    }
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        out_types[i] = ob__fact(facts, node->outputs[i])->type;
        contents[node->n_inputs + i] = ob__fact(facts, node->outputs[i])->content;
    }
    collector c = {.axes.link = collect,
                   .infer = {.model = model,
                             .node = node,
                             .op = node->op,
                             .dims = model->dims,
                             .arena = arena,
                             .in_types = in_types,
                             .in_contents = contents,
                             .out_types = out_types,
                             .out_contents = contents + node->n_inputs,
                             .condition = ignore_condition,
                             .problem = ignore_problem},
                   .arena = arena};
    c.axes.infer = &c.infer;
    c.infer.trial = &c.trial;
    ob_misfit why;
    if (!ob__op_fits(node->op, node, in_types, &why)) return OB_OK;
    node->op->axes(&c.axes);
    if (c.failed) return OB_E_MEMORY;
    *out = (ob_links){c.n, c.items};
    return OB_OK;
}
