#include "passes/rewrite/fit_plan.h"

#include <string.h>

#include "core/base/integers.h"
#include "core/dims/shape.h"

/* ---- Rules ---- */

/* Rules that another form of the node can keep. */
static bool is_about_form(ob_what what) {
    return what == OB_WHAT_RANK || what == OB_WHAT_RANKS || what == OB_WHAT_STRETCH || what == OB_WHAT_AXES;
}

/* Open sizes are for the caller of the compiler to fix: no form changes them. */
static bool is_about_inputs(const ob_target_issue *issue) {
    return issue->what == OB_WHAT_OPEN || (issue->what == OB_WHAT_ZERO && issue->holds == OB_UNDECIDED);
}

static const char *sentence(ob_what what) {
    switch (what) {
    case OB_WHAT_OPERATOR: return "the target has no such operator";
    case OB_WHAT_OLD_FORM: return "the target does not read the broadcasting of opset 1 to 6";
    case OB_WHAT_INPUTS: return "the node has more operands than the target accepts";
    case OB_WHAT_CONSTANT: return "the target needs a constant operand";
    case OB_WHAT_TYPES: return "the target does not accept the element type";
    case OB_WHAT_ZERO: return "the target does not accept a size of 0";
    case OB_WHAT_RANK: return "no form has few enough axes for the target";
    case OB_WHAT_RANKS: return "no form has the ranks that the target needs";
    default: return "the target needs operands of one shape, and it has no operator for that, or the sizes cannot be computed";
    }
}

bool ob__fit_needs_nothing(const ob_target *target, const ob_target_node *node, const char **reason) {
    ob_target_issue issues[OB_WHAT_COUNT];
    bool keeps = true;
    *reason = NULL;
    for (size_t i = 0, n = ob__target_judge(target, node, issues); i < n; i++) {
        if (issues[i].holds == OB_TRUE || is_about_inputs(&issues[i])) continue;
        keeps = false;
        if (!is_about_form(issues[i].what) && !*reason) *reason = sentence(issues[i].what);
    }
    return keeps;
}

/* ---- Forms ---- */

typedef struct choice {
    bool exchange, merge, rows;
    int32_t rank;    /* of all operands that may change; -1: as they are */
    uint32_t expand; /* operands that are stretched */
} choice;

static bool is_product(const ob_target_node *node) {
    return node->of == OB_CLASS_MATMUL;
}

/* The first operand of these is the target of the others and stays. */
static bool is_one_way(const ob_target_node *node) {
    return node->of == OB_CLASS_PRELU || node->of == OB_CLASS_NORM;
}

static void keep(ob_shape *to, ob_dim *dims, const ob_shape *from) {
    if (from->rank > 0) memcpy(dims, from->dims, (size_t)from->rank * sizeof *dims);
    *to = (ob_shape){from->rank, dims};
}

/* Leading ones are added, or dropped. */
static bool with_rank(ob_shape *to, ob_dim *dims, const ob_shape *from, int32_t rank) {
    int32_t more = rank - from->rank;
    if (rank > OB_MAX_RANK) return false;
    for (int32_t i = 0; i < -more; i++)
        if (from->dims[i] != 1) return false;
    for (int32_t i = 0; i < rank; i++) dims[i] = i < more ? 1 : from->dims[i - more];
    *to = (ob_shape){rank, dims};
    return true;
}

/* The operand stretched to the result: of one-way operators along its own axes, of a product along the batch. */
static bool stretch(const ob_target_node *node, ob_fit_operand *operand) {
    const ob_shape *from = &operand->ranked;
    int32_t rank = is_one_way(node) || node->of == OB_CLASS_GEMM ? from->rank : node->result.rank;
    if (rank > node->result.rank) return false;
    for (int32_t i = 0; i < rank; i++) operand->expanded_dims[i] = node->result.dims[node->result.rank - rank + i];
    if (is_product(node))
        for (int32_t i = 1; i <= 2; i++) operand->expanded_dims[rank - i] = from->dims[from->rank - i];
    operand->expanded = (ob_shape){rank, operand->expanded_dims};
    return true;
}

static ob_dim size_at(const ob_shape *shape, int32_t axis, int32_t rank) {
    int32_t own = axis - (rank - shape->rank);
    return own < 0 ? 1 : shape->dims[own];
}

/* Neighbouring axes that all operands have in full or none has become one; axes of size 1 go. All sizes are numbers. */
static bool merge_axes(const ob_target_node *node, ob_fit_plan *plan) {
    int32_t rank = plan->result.rank, n = 0;
    bool full[OB_FIT_OPERANDS] = {false};
    for (int32_t axis = 0; axis < rank; axis++) {
        ob_dim whole = node->result.dims[axis];
        bool same = n > 0;
        if (whole == 1) continue;
        for (uint32_t i = 0; i < node->n; i++) {
            bool here = size_at(&plan->operands[i].expanded, axis, rank) == whole;
            same &= here == full[i];
            full[i] = here;
        }
        n += !same;
        int64_t *sizes[OB_FIT_OPERANDS + 1];
        for (uint32_t i = 0; i < node->n; i++) sizes[i] = full[i] ? &plan->operands[i].merged_dims[n - 1] : NULL;
        sizes[node->n] = &plan->result_dims[n - 1];
        for (uint32_t i = 0; i <= node->n; i++) {
            if (!same && i < node->n) plan->operands[i].merged_dims[n - 1] = 1;
            if (!same && i == node->n) *sizes[i] = 1;
            if (sizes[i] && ob__mul_overflows(*sizes[i], whole, sizes[i])) return false;
        }
    }
    if (n == rank) return false;
    for (uint32_t i = 0; i < node->n; i++) plan->operands[i].merged = (ob_shape){n, plan->operands[i].merged_dims};
    plan->result = (ob_shape){n, plan->result_dims};
    return true;
}

static bool product_of(const ob_dim *dims, int32_t n, int64_t *out) {
    *out = 1;
    for (int32_t i = 0; i < n; i++)
        if (ob__mul_overflows(*out, dims[i], out)) return false;
    return true;
}

/* All batch axes of a product become one. `rows`: the batch of the first operand becomes rows, if the second has none. */
static bool fold_batch(const ob_target_node *node, ob_fit_plan *plan, bool rows) {
    int32_t rank = node->result.rank;
    int64_t batch[3];
    const ob_shape *shapes[3] = {&plan->operands[0].expanded, &plan->operands[1].expanded, &node->result};
    ob_dim *dims[3] = {plan->operands[0].merged_dims, plan->operands[1].merged_dims, plan->result_dims};
    if (node->n != 2 || rank < 2) return false;
    for (int i = 0; i < 3; i++)
        if (shapes[i]->rank < 2 || !product_of(shapes[i]->dims, shapes[i]->rank - 2, &batch[i])) return false;
    if (rows ? batch[1] != 1 || batch[0] == 1 : batch[0] != batch[2] || batch[1] != batch[2]) return false;
    for (int i = 0; i < 3; i++) {
        ob_dim n_rows = shapes[i]->dims[shapes[i]->rank - 2], n_columns = shapes[i]->dims[shapes[i]->rank - 1];
        dims[i][0] = rows ? 1 : batch[i];
        dims[i][1] = n_rows;
        dims[i][2] = n_columns;
        if (rows && i != 1 && ob__mul_overflows(n_rows, batch[i], &dims[i][1])) return false;
        if (i < 2) plan->operands[i].merged = (ob_shape){3, dims[i]};
    }
    plan->result = (ob_shape){3, plan->result_dims};
    return true;
}

static bool all_static(const ob_target_node *node) {
    if (!ob__is_static(&node->result)) return false;
    for (uint32_t i = 0; i < node->n; i++)
        if (!ob__is_static(&node->shapes[i])) return false;
    return true;
}

/* The shapes of a choice. False: it does not apply. */
static bool shapes_of(const ob_fit_request *request, const choice *c, ob_fit_plan *plan) {
    const ob_target_node *node = request->node;
    plan->exchange = c->exchange;
    for (uint32_t i = 0; i < node->n; i++) {
        ob_fit_operand *operand = &plan->operands[i];
        bool fixed = is_one_way(node) && i == 0;
        if (c->rank < 0 || fixed)
            keep(&operand->ranked, operand->ranked_dims, &node->shapes[i]);
        else if (!with_rank(&operand->ranked, operand->ranked_dims, &node->shapes[i], c->rank))
            return false;
        keep(&operand->expanded, operand->expanded_dims, &operand->ranked);
        if (c->expand >> i & 1) {
            if (fixed || !stretch(node, operand)) return false;
            if (!request->can_expand(request->context, i, &operand->ranked, &operand->expanded)) return false;
        }
        keep(&operand->merged, operand->merged_dims, &operand->expanded);
    }
    keep(&plan->result, plan->result_dims, &node->result);
    if (!c->merge) return true;
    if (!request->can_reshape || !all_static(node)) return false;
    return is_product(node) ? fold_batch(node, plan, c->rows) : merge_axes(node, plan);
}

/* The node that the target would see keeps all rules. */
static bool fits(const ob_fit_request *request, const ob_fit_plan *plan) {
    ob_target_node node = *request->node;
    ob_shape shapes[OB_FIT_OPERANDS];
    bool constant[OB_FIT_OPERANDS];
    const char *reason;
    for (uint32_t i = 0; i < node.n; i++) {
        uint32_t from = plan->exchange && i < 2 ? 1 - i : i;
        shapes[i] = plan->operands[from].merged;
        constant[i] = node.constant[from];
    }
    node.shapes = shapes;
    node.constant = constant;
    node.result = plan->result;
    return ob__fit_needs_nothing(request->target, &node, &reason);
}

static bool try(const ob_fit_request *request, choice c, ob_fit_plan *plan) {
    return shapes_of(request, &c, plan) && fits(request, plan);
}

/* All forms with these operands stretched, the cheapest first. */
static bool try_mask(const ob_fit_request *request, uint32_t expand, bool merge, ob_fit_plan *plan) {
    const ob_target_node *node = request->node;
    int32_t rank = node->of == OB_CLASS_NORM && node->n_axes >= 0 ? node->n_axes : node->result.rank;
    choice c = {.rank = -1, .expand = expand};
    for (int exchange = 0; exchange <= request->can_exchange; exchange++)
        for (int ranked = 0; ranked < 2; ranked++) {
            c.exchange = exchange;
            c.rank = ranked ? rank : -1;
            if (try(request, c, plan)) return true;
        }
    if (!merge) return false;
    c = (choice){.rank = -1, .expand = expand, .merge = true, .rows = is_product(node)};
    if (try(request, c, plan)) return true;
    c.rows = false;
    for (int exchange = 0; exchange <= request->can_exchange; exchange++) {
        c.exchange = exchange;
        if (try(request, c, plan)) return true;
    }
    return false;
}

/* Operands that are stretched, or may be: one bit each. */
static uint32_t stretched_operands(const ob_target_node *node) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < node->n; i++)
        for (int32_t axis = 0; axis < node->result.rank - node->n_fixed_axes; axis++) {
            int32_t own = axis - (node->result.rank - node->shapes[i].rank);
            if ((own < 0 ? 1 : node->shapes[i].dims[own]) != node->result.dims[axis]) mask |= 1u << i;
        }
    return mask;
}

static uint32_t n_constants(const ob_target_node *node, uint32_t mask) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < node->n; i++) n += (mask >> i & 1) && node->constant[i];
    return n;
}

bool ob__fit_plan(const ob_fit_request *request, ob_fit_plan *plan, const char **reason) {
    const ob_target_node *node = request->node;
    ob_target_issue issues[OB_WHAT_COUNT];
    bool merge = is_product(node) && node->n_fixed_axes == 2;
    ob_what broken = OB_WHAT_STRETCH;
    for (size_t i = ob__target_judge(request->target, node, issues); i-- > 0;)
        if (issues[i].holds != OB_TRUE && is_about_form(issues[i].what)) broken = issues[i].what;
    const ob_target_rule *rank = ob__target_rule(request->target, OB_WHAT_RANK, node->of);
    bool tensors_too = rank && rank->answer == OB_RANK_ALWAYS && rank->number > 0 && node->result.rank > rank->number;
    merge |= broken == OB_WHAT_RANK;
    *reason = sentence(broken);
    if (node->n > OB_FIT_OPERANDS || tensors_too || node->result.rank == OB_RANK_UNKNOWN)
        return false; /* Reshape would not fit */
    for (uint32_t i = 0; i < node->n; i++)
        if (node->shapes[i].rank == OB_RANK_UNKNOWN) return false;
    merge &= node->of <= OB_CLASS_WHERE || is_product(node);
    if (try_mask(request, 0, merge, plan)) return true;
    if (node->of == OB_CLASS_EXPAND) return false;
    uint32_t all = stretched_operands(node);
    for (int n = 1; n <= __builtin_popcount(all); n++)
        for (int constants = n; constants >= 0; constants--)
            for (uint32_t mask = 1; mask <= all; mask++)
                if ((mask & ~all) == 0 && __builtin_popcount(mask) == n && n_constants(node, mask) == (uint32_t)constants &&
                    try_mask(request, mask, merge, plan))
                    return true;
    return false;
}
