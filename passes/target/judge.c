/* Judges one node by the rules of one target. Pure functions of the node's shapes. */
#include "core/dims/shape.h"
#include "passes/target/target.h"

/* ---- Sizes ---- */

static ob_truth both(ob_truth a, ob_truth b) {
    return a == OB_FALSE || b == OB_FALSE ? OB_FALSE : a == OB_TRUE && b == OB_TRUE ? OB_TRUE : OB_UNDECIDED;
}

static ob_truth not_truth(ob_truth a) {
    return a == OB_TRUE ? OB_FALSE : a == OB_FALSE ? OB_TRUE : OB_UNDECIDED;
}

static ob_dim dim_of(const ob_target_node *node, uint32_t operand, int32_t axis) {
    const ob_shape *shape = &node->shapes[operand];
    if (shape->rank == OB_RANK_UNKNOWN) return OB_DIM_UNKNOWN;
    int32_t own = axis - (node->result.rank - shape->rank);
    return own < 0 ? 1 : own < shape->rank ? shape->dims[own] : OB_DIM_UNKNOWN;
}

/* Axes of the result that can be stretched. */
static int32_t n_axes(const ob_target_node *node) {
    return node->result.rank - node->n_fixed_axes;
}

/* Whether the operand is stretched there. A size of 1 against an open one is: it is for all sizes but one. */
static ob_truth is_stretched_at(const ob_target_node *node, uint32_t operand, int32_t axis) {
    ob_dim own = dim_of(node, operand, axis), whole = node->result.dims[axis];
    if (own != OB_DIM_UNKNOWN && own == whole) return OB_FALSE;
    if (own == 1) return whole == OB_DIM_UNKNOWN ? OB_UNDECIDED : OB_TRUE;
    return ob_dim_is_const(own) && own != OB_DIM_UNKNOWN ? OB_FALSE : OB_UNDECIDED;
}

/* Of all axes: is it stretched anywhere? *axis is one where it is, or may be. */
static ob_truth is_stretched(const ob_target_node *node, uint32_t operand, int32_t *axis) {
    ob_truth found = OB_FALSE;
    *axis = -1;
    for (int32_t i = 0; i < n_axes(node); i++) {
        ob_truth here = is_stretched_at(node, operand, i);
        if (here == OB_FALSE || (here == OB_UNDECIDED && found != OB_FALSE)) continue;
        found = here;
        *axis = i;
        if (found == OB_TRUE) break;
    }
    return found;
}

/* Everything that can be stretched has a known rank. */
static bool has_ranks(const ob_target_node *node) {
    if (node->result.rank == OB_RANK_UNKNOWN) return false;
    for (uint32_t i = 0; i < node->n; i++)
        if (node->shapes[i].rank == OB_RANK_UNKNOWN) return false;
    return true;
}

/* ---- Most axes ---- */

enum { MOST_PATTERNS = 32 }; /* operands of which the merging of axes is followed */

void ob__merged_axes(const ob_target_node *node, int32_t *least, int32_t *most) {
    uint32_t last = 0, last_decided = 0;
    bool any = false, any_decided = false, last_open = false;
    *least = *most = 0;
    for (int32_t axis = 0; axis < node->result.rank; axis++) {
        uint32_t pattern = 0;
        bool open = node->n > MOST_PATTERNS;
        if (node->result.dims[axis] == 1) continue; /* all operands have 1: the axis goes */
        for (uint32_t i = 0; i < node->n && !open; i++) {
            ob_truth here = is_stretched_at(node, i, axis);
            open |= here == OB_UNDECIDED;
            if (here == OB_TRUE) pattern |= 1u << i;
        }
        *most += !any || open || last_open || pattern != last;
        any = true;
        last = pattern;
        last_open = open;
        if (open) continue; /* it may be as the axis before it or after it */
        *least += !any_decided || pattern != last_decided;
        any_decided = true;
        last_decided = pattern;
    }
    if (any && *least == 0) *least = 1;
}

static ob_truth judge_rank(const ob_target_rule *rule, const ob_target_node *node, ob_truth stretched, ob_target_issue *issue) {
    int32_t least = node->result.rank, most = least;
    for (uint32_t i = 0; i < node->n; i++)
        if (node->shapes[i].rank > least) least = most = node->shapes[i].rank;
    if (rule->number == 0) return OB_TRUE;
    if (rule->answer == OB_RANK_STRETCHING || rule->answer == OB_RANK_MERGED) {
        if (stretched == OB_FALSE) return OB_TRUE;
        if (rule->answer == OB_RANK_MERGED) ob__merged_axes(node, &least, &most);
    } else if (rule->answer == OB_RANK_LARGER) {
        least = most = 0;
        for (int32_t axis = 0; axis < node->result.rank; axis++) {
            ob_dim size = node->result.dims[axis];
            most += size != 1;
            least += ob_dim_is_const(size) && size != OB_DIM_UNKNOWN && size > 1;
        }
    }
    issue->found = most;
    if (most <= rule->number) return OB_TRUE;
    if (least <= rule->number) return OB_UNDECIDED;
    return rule->answer == OB_RANK_STRETCHING || rule->answer == OB_RANK_MERGED ? not_truth(stretched) : OB_FALSE;
}

/* ---- Ranks ---- */

static ob_truth judge_ranks(const ob_target_rule *rule, const ob_target_node *node, ob_target_issue *issue) {
    for (uint32_t i = 0; i < node->n; i++) {
        int32_t rank = node->shapes[i].rank, wanted = node->result.rank;
        if (rule->answer == OB_RANKS_FREE) return OB_TRUE;
        if (rule->answer == OB_RANKS_SCALAR_CONDITION && i == 0 && rank == 0) continue;
        if (rule->answer == OB_RANKS_EXACTLY) wanted = rule->number;
        if (rule->answer == OB_RANKS_AXES) {
            if (i == 0) continue;
            if (node->n_axes < 0) return OB_UNDECIDED;
            wanted = node->n_axes;
        }
        if (rank == wanted) continue;
        issue->operand = (int32_t)i;
        issue->found = rank;
        return OB_FALSE;
    }
    return OB_TRUE;
}

/* ---- Which operand is stretched ---- */

/* One of the operands 1 and 2 has the size of the result along each axis. */
static ob_truth branches_cover(const ob_target_node *node, ob_target_issue *issue) {
    ob_truth all = OB_TRUE;
    for (int32_t axis = 0; axis < n_axes(node) && node->n == 3; axis++) {
        ob_truth here = not_truth(both(is_stretched_at(node, 1, axis), is_stretched_at(node, 2, axis)));
        if (here == OB_TRUE || all == OB_FALSE) continue;
        issue->axis = axis;
        issue->operand = 0;
        all = both(all, here);
    }
    return all;
}

static ob_truth judge_stretch(const ob_target_rule *rule, const ob_target_node *node, ob_target_issue *issue) {
    ob_truth holds = OB_TRUE;
    uint32_t n_surely = 0, n_perhaps = 0;
    if (rule->answer == OB_STRETCH_BOTH) return OB_TRUE;
    if (rule->answer == OB_STRETCH_BRANCHES) return branches_cover(node, issue);
    for (uint32_t i = 0; i < node->n; i++) {
        int32_t axis;
        ob_truth stretched = is_stretched(node, i, &axis);
        if (stretched == OB_FALSE) continue;
        n_surely += stretched == OB_TRUE;
        n_perhaps++;
        bool allowed = (rule->answer == OB_STRETCH_ONE && n_perhaps == 1) || (rule->answer == OB_STRETCH_RIGHT && i > 0) ||
                       (rule->answer == OB_STRETCH_SCALAR_CONDITION && i == 0 && node->shapes[0].rank == 0);
        if (allowed || holds == OB_FALSE) continue;
        ob_truth here = rule->answer == OB_STRETCH_ONE ? (n_surely > 1 ? OB_FALSE : OB_UNDECIDED) : not_truth(stretched);
        if (here == OB_UNDECIDED && holds == OB_UNDECIDED) continue;
        holds = here;
        issue->operand = (int32_t)i;
        issue->axis = axis;
    }
    return holds;
}

/* ---- Which axes are stretched ---- */

static bool is_one_element(const ob_shape *shape) {
    for (int32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] != 1) return false;
    return shape->rank != OB_RANK_UNKNOWN;
}

/* Axes where the operand has a size of its own, axes where it is stretched, and axes where that is open; of the others both sizes
 * are 1. One bit each. */
typedef struct pattern {
    uint64_t kept, stretched, open;
} pattern;

static pattern pattern_of(const ob_target_node *node, uint32_t operand) {
    pattern p = {0};
    for (int32_t axis = 0; axis < n_axes(node) && axis < 64; axis++) {
        uint64_t bit = UINT64_C(1) << axis;
        ob_truth here = is_stretched_at(node, operand, axis);
        if (here == OB_UNDECIDED)
            p.open |= bit;
        else if (here == OB_TRUE)
            p.stretched |= bit;
        else if (dim_of(node, operand, axis) != 1)
            p.kept |= bit;
    }
    return p;
}

static uint64_t below(int n) {
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* Of an operand of which these axes are stretched and these are not, `rank` axes in all. */
static bool axes_fit(const ob_target_rule *rule, uint64_t kept, uint64_t stretched, int32_t rank) {
    uint64_t last = rank > 0 ? UINT64_C(1) << (rank - 1) : 0;
    if (!stretched) return true;
    switch (rule->answer) {
    case OB_AXES_SUFFIX: return !kept || stretched < (kept & -kept); /* all stretched axes before the first that stays */
    case OB_AXES_BLOCK: {
        if (!kept) return true;
        int first = __builtin_ctzll(kept), end = 64 - __builtin_clzll(kept);
        return !(stretched & below(end) & ~below(first));
    }
    case OB_AXES_NOT_BATCH: return !(stretched & 1);
    case OB_AXES_SCALAR: return !kept;
    case OB_AXES_CHANNEL: return !(kept & ~UINT64_C(2));
    case OB_AXES_ONE: return !kept || kept == 2 || kept == last;
    case OB_AXES_LAST: return !(stretched & last);
    case OB_AXES_ENDS:
        kept &= ~UINT64_C(1);
        stretched &= ~UINT64_C(1);
        return !stretched || stretched == last || !(kept & ~last);
    default: return true;
    }
}

/* A vector operand as long as axis 1 of the result, which is not the last. */
static ob_truth no_channel_vector(const ob_target_node *node, uint32_t operand) {
    const ob_shape *own = &node->shapes[operand];
    if (own->rank != 1 || node->result.rank < 3 || own->dims[0] == 1) return OB_TRUE;
    ob_dim channels = node->result.dims[1];
    if (own->dims[0] == channels && channels != OB_DIM_UNKNOWN) return OB_FALSE;
    return ob_dim_is_const(own->dims[0]) && ob_dim_is_const(channels) ? OB_TRUE : OB_UNDECIDED;
}

static ob_truth judge_axes(const ob_target_rule *rule, const ob_target_node *node, ob_target_issue *issue) {
    ob_truth holds = OB_TRUE;
    if (rule->answer == OB_AXES_ANY) return OB_TRUE;
    for (uint32_t i = 0; i < node->n && holds != OB_FALSE; i++) {
        ob_truth here = OB_TRUE;
        if (rule->answer == OB_AXES_NO_CHANNEL_VECTOR) {
            here = no_channel_vector(node, i);
        } else if (!is_one_element(&node->shapes[i]) || rule->answer == OB_AXES_NOT_BATCH || rule->answer == OB_AXES_LAST) {
            pattern p = pattern_of(node, i);
            bool fits = axes_fit(rule, p.kept | p.open, p.stretched, n_axes(node)),
                 fits_too = axes_fit(rule, p.kept, p.stretched | p.open, n_axes(node));
            here = fits && fits_too ? OB_TRUE : fits || fits_too ? OB_UNDECIDED : OB_FALSE;
        }
        if (here == OB_TRUE || here == holds) continue;
        holds = here;
        issue->operand = (int32_t)i;
        is_stretched(node, i, &issue->axis);
    }
    return holds;
}

/* ---- Sizes and operands ---- */

static ob_truth judge_open(const ob_target_node *node, ob_target_issue *issue) {
    for (uint32_t i = 0; i < node->n; i++)
        for (int32_t k = 0; k < node->shapes[i].rank; k++) {
            ob_dim size = node->shapes[i].dims[k];
            if (ob_dim_is_const(size) && size != OB_DIM_UNKNOWN) continue;
            issue->operand = (int32_t)i;
            issue->axis = k + node->result.rank - node->shapes[i].rank;
            return OB_FALSE;
        }
    for (int32_t k = 0; k < node->result.rank; k++) {
        issue->axis = k;
        if (!ob_dim_is_const(node->result.dims[k]) || node->result.dims[k] == OB_DIM_UNKNOWN) return OB_FALSE;
    }
    issue->axis = -1;
    return OB_TRUE;
}

static ob_truth judge_zero(const ob_target_node *node, ob_target_issue *issue) {
    ob_truth holds = OB_TRUE;
    for (uint32_t i = 0; i < node->n; i++)
        for (int32_t k = 0; k < node->shapes[i].rank; k++) {
            ob_dim size = node->shapes[i].dims[k];
            bool open = !ob_dim_is_const(size) || size == OB_DIM_UNKNOWN;
            if ((!open && size != 0) || (open && holds != OB_TRUE)) continue;
            holds = open ? OB_UNDECIDED : OB_FALSE;
            issue->operand = (int32_t)i;
            issue->axis = k + node->result.rank - node->shapes[i].rank;
            if (!open) return OB_FALSE;
        }
    return holds;
}

/* A size of 1 meets 0. */
static ob_truth judge_one_and_zero(const ob_target_node *node, ob_target_issue *issue) {
    ob_truth holds = OB_TRUE;
    for (int32_t axis = 0; axis < n_axes(node); axis++)
        for (uint32_t i = 0; i < node->n && holds != OB_FALSE; i++) {
            ob_dim whole = node->result.dims[axis];
            if (dim_of(node, i, axis) != 1 || (ob_dim_is_const(whole) ? whole != 0 : holds != OB_TRUE)) continue;
            holds = ob_dim_is_const(whole) ? OB_FALSE : OB_UNDECIDED;
            issue->operand = (int32_t)i;
            issue->axis = axis;
        }
    return holds;
}

static ob_truth judge_constant(const ob_target_rule *rule, const ob_target_node *node, ob_target_issue *issue) {
    if (rule->answer == OB_CONSTANT_ONE)
        for (uint32_t i = 0; i < node->n; i++)
            if (node->constant[i]) return OB_TRUE;
    if (rule->answer == OB_CONSTANT_RIGHT && (node->n < 2 || node->constant[1])) return OB_TRUE;
    issue->operand = node->n > 1 ? 1 : 0;
    return OB_FALSE;
}

static ob_truth judge_one(const ob_target_rule *rule, const ob_target_node *node, ob_truth stretched, ob_target_issue *issue) {
    switch ((ob_what)rule->what) {
    case OB_WHAT_OPERATOR: return rule->answer == OB_ANSWER_YES ? OB_TRUE : OB_FALSE;
    case OB_WHAT_OLD_FORM: return rule->answer == OB_ANSWER_YES || !node->old_form ? OB_TRUE : OB_FALSE;
    case OB_WHAT_INPUTS: return rule->number == 0 || node->n <= (uint32_t)rule->number ? OB_TRUE : OB_FALSE;
    case OB_WHAT_CONSTANT: return judge_constant(rule, node, issue);
    case OB_WHAT_TYPES: return rule->types >> node->dtype & 1 ? OB_TRUE : OB_FALSE;
    case OB_WHAT_OPEN: return rule->answer == OB_ANSWER_YES ? OB_TRUE : judge_open(node, issue);
    case OB_WHAT_ZERO:
        if (rule->answer == OB_ANSWER_MISHANDLED) return judge_one_and_zero(node, issue);
        return rule->answer == OB_ANSWER_YES ? OB_TRUE : judge_zero(node, issue);
    case OB_WHAT_RANK: return judge_rank(rule, node, stretched, issue);
    case OB_WHAT_RANKS: return judge_ranks(rule, node, issue);
    case OB_WHAT_STRETCH: return judge_stretch(rule, node, issue);
    case OB_WHAT_AXES: return judge_axes(rule, node, issue);
    case OB_WHAT_COUNT: break;
    }
    return OB_TRUE;
}

/* ---- Questions without an answer ---- */

/* False: the model does not say enough about the node. */
static bool is_decidable(ob_what what, const ob_target_node *node) {
    switch (what) {
    case OB_WHAT_TYPES: return node->dtype != OB_NONE;
    case OB_WHAT_RANK:
    case OB_WHAT_RANKS:
    case OB_WHAT_STRETCH:
    case OB_WHAT_AXES: return has_ranks(node);
    default: return true;
    }
}

/* Whether the question matters for this node, of which something is stretched or may be. */
static bool is_asked(ob_what what, const ob_target_node *node) {
    ob_target_issue unused;
    bool one_way = node->of == OB_CLASS_EXPAND || node->of == OB_CLASS_GEMM;
    switch (what) {
    case OB_WHAT_OLD_FORM: return node->old_form;
    case OB_WHAT_INPUTS: return node->n > 2 && node->of != OB_CLASS_WHERE && node->of != OB_CLASS_NORM;
    case OB_WHAT_CONSTANT: return false; /* operands are variable unless a target says otherwise */
    case OB_WHAT_OPEN: return judge_open(node, &unused) != OB_TRUE;
    case OB_WHAT_ZERO: return judge_zero(node, &unused) == OB_FALSE;
    case OB_WHAT_RANKS:
        for (uint32_t i = 0; i < node->n; i++)
            if (node->shapes[i].rank != node->result.rank) return true;
        return false;
    case OB_WHAT_STRETCH: return !one_way; /* the operand is there to be stretched */
    default: return true;
    }
}

size_t ob__target_judge(const ob_target *target, const ob_target_node *node, ob_target_issue issues[OB_WHAT_COUNT]) {
    size_t n = 0;
    ob_truth stretched = has_ranks(node) ? OB_FALSE : OB_UNDECIDED;
    bool any_constant = false, nothing_stretched = false, needs_numbers = false;
    for (uint32_t i = 0; i < node->n; i++) {
        int32_t axis;
        any_constant |= node->constant[i];
        if (!has_ranks(node) || stretched == OB_TRUE) continue;
        ob_truth one = is_stretched(node, i, &axis);
        if (one != OB_FALSE) stretched = one;
    }
    for (int what = 0; what < OB_WHAT_COUNT; what++) {
        const ob_target_rule *rule = ob__target_rule(target, (ob_what)what, node->of);
        ob_target_issue issue = {.rule = rule, .what = (ob_what)what, .holds = OB_TRUE, .operand = -1, .axis = -1, .found = -1};
        if (rule && rule->what == OB_WHAT_STRETCH && rule->answer == OB_STRETCH_NONE) nothing_stretched = true;
        if (rule && rule->spares_constants && any_constant) continue; /* folded */
        if (rule && rule->confidence == OB_FROM_MEMORY) issue.rule = rule = NULL;
        if (!rule) {
            bool asked = stretched != OB_FALSE && is_asked((ob_what)what, node) && !(what == OB_WHAT_AXES && nothing_stretched);
            if (asked) issues[n++] = issue;
            continue;
        }
        if (!is_decidable((ob_what)what, node)) {
            if (stretched != OB_FALSE) issues[n++] = issue;
            continue;
        }
        issue.holds = judge_one(rule, node, stretched, &issue);
        if (what == OB_WHAT_OPEN && issue.holds == OB_FALSE) needs_numbers = true;
        if (what == OB_WHAT_ZERO && issue.holds == OB_UNDECIDED && needs_numbers) continue; /* numbers will answer it */
        if (issue.holds != OB_TRUE) issues[n++] = issue;
        if (issue.holds == OB_FALSE && what == OB_WHAT_OPERATOR) break; /* there is nothing to ask about it */
    }
    return n;
}
