/* Operands without effect: one number is added to all elements along an axis, and a normalisation along it subtracts it again. */
#include "ops/elementwise/params.h"
#include "ops/table/op.h"
#include "passes/accident/suspect.h"

enum { MAX_STEPS = 8 };

/* Where(condition, x, y). */
static bool chooses(const ob_op *op) {
    return op->signature[0] == 'b' && op->in_min == 3;
}

/* Whether the node passes a number that was added to all elements along the axes on as such a number: sums, and products with
 * one number. */
static bool keeps_shift(const ob_suspect *s, const ob_node *node, const ob_value *from) {
    uint32_t factor;
    if (!ob__keeps_summand(node->op, node->inputs[0] == from ? 0 : 1, &factor)) return false;
    if (factor == UINT32_MAX) return true;
    const ob_shape *other = &ob__fact(s->facts, node->inputs[factor])->type.shape;
    bool single = other->rank >= 0;
    for (int32_t i = 0; i < other->rank; i++) single = single && other->dims[i] == 1;
    return single;
}

/* Whether operand i is the same number along all axes over which the reader normalises its first operand. */
static bool is_level(const ob_suspect *s, uint32_t i, const ob_node *reader) {
    ob_links links;
    bool any = false;
    if (ob__links_of(s->work->model, s->facts, reader, s->arena, &links) != OB_OK) return false;
    const int32_t rank = ob__fact(s->facts, reader->inputs[0])->type.shape.rank;
    if (rank != s->group->result.rank) return false;
    for (uint32_t k = 0; k < links.n; k++) {
        const ob_link *link = &links.items[k];
        if (link->input != 0 || link->output != 0 || (link->kind != OB_LINK_ALL && link->kind != OB_LINK_GONE)) continue;
        if (ob__group_dim(s->group, i, link->input_axis) != 1) return false;
        if (s->group->result.dims[link->input_axis] != 1) any = true;
    }
    return any;
}

static bool is_number(const ob_group *group, uint32_t i) {
    for (int32_t axis = 0; axis < group->result.rank; axis++)
        if (ob__group_dim(group, i, axis) != 1) return false;
    return true;
}

/* The normalisation that the node's only reader, or a reader after sums, is; NULL: another. */
static const ob_node *normalisation_after(const ob_suspect *s, const ob_node *node) {
    for (int step = 0; step < MAX_STEPS; step++) {
        const ob_value *value = node->n_outputs ? node->outputs[0] : NULL;
        const ob_node *reader = value ? s->readers[value->id].node : NULL;
        if (!reader || !reader->op || reader->n_inputs < 1) return NULL;
        if (reader->op->centers && reader->inputs[0] == value) return reader;
        if (!keeps_shift(s, reader, value)) return NULL;
        node = reader;
    }
    return NULL;
}

/* The operand has an axis that the other operand has twice, also where the normalisation goes: a mask of keys at the queries. */
static bool repair(const ob_suspect *s, uint32_t i, ob_repair *out) {
    const int32_t rank = s->group->result.rank;
    for (uint32_t x = 0; x < s->group->n; x++)
        for (int32_t r = 0; r < rank && x != i; r++) {
            bool absent;
            const uint32_t root = ob__suspect_axis(s, i, r, &absent)->root;
            for (int32_t p = 0; p < rank && root; p++) {
                if (p == r || ob__group_dim(s->group, i, p) != 1) continue;
                if (ob__suspect_axis(s, x, p, &absent)->root == root && ob__suspect_axis(s, x, r, &absent)->root == root)
                    return ob__repair_exchange(s, i, r, p, out);
            }
        }
    return false;
}

bool ob__suspect_cancelled(const ob_suspect *s, ob_suspicion *out) {
    const ob_group *group = s->group;
    const ob_op *op = s->node->op;
    if (!group || group->kind != OB_BCAST_MULTI) return false;
    const bool sum = ob__adds(op), choice = chooses(op);
    if (!sum && !choice) return false;
    const ob_node *reader = normalisation_after(s, s->node);
    for (uint32_t i = 0; reader && i < group->n; i++) {
        if ((choice && group->inputs[i] != 0) || is_number(group, i) || !is_level(s, i, reader)) continue;
        const char *name = ob__suspect_name(s, i), *label = ob__shown_name(ob__node_label(reader), OB_NAME_IN_TEXT, s->arena);
        const char *type = ob__shown_name(reader->op_type, OB_NAME_IN_TEXT, s->arena);
        *out = (ob_suspicion){.id = OB0409, .a = i, .b = i, .axis = group->result.rank - 1};
        out->has_repair = repair(s, i, &out->repair);
        out->fix = choice ? "a mask of keys belongs to the axis over which the normalisation goes: Unsqueeze it at another axis"
                          : "remove the operand, or Unsqueeze it at another axis";
        if (name && label && type)
            out->text =
                choice ? ob__arena_printf(s->arena,
                                          "%s chooses whole rows of the axes over which %s '%s' normalises: no element of a row "
                                          "is masked",
                                          name, type, label)
                       : ob__arena_printf(s->arena,
                                          "%s is the same along all axes over which %s '%s' normalises, so it changes nothing",
                                          name, type, label);
        return true;
    }
    return false;
}
