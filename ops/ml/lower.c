/* Checks that all paths of trees end, and writes the trees with one kind of test: x[feature] <= value. In this form NaN always
 * goes to the side of the answer no. If it must go to the other side, -x is compared. */
#include <math.h>
#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/error.h"
#include "kernels/ml/ml.h"
#include "ops/ml/forest.h"

static ob_status no_memory(ob_error *error) {
    return ob__fail(error, OB_E_MEMORY, "no memory for the trees");
}

/* ---- Nodes that trees contain ---- */

enum { NEW, OPEN, DONE };

typedef struct walk {
    ob_forest *f;
    uint8_t *state; /* for each node */
    uint32_t *stack;
    uint32_t n;
} walk;

/* Visits the node on top of the stack, possibly again: pushes its next child or completes the node. E_ARGUMENT for a cycle. */
static ob_status visit(walk *w, ob_error *error) {
    ob_forest *f = w->f;
    const uint32_t at = w->stack[w->n - 1];
    ob_forest_node *node = &f->nodes[at];
    const bool leaf = node->mode == OB_FOREST_LEAF;
    if (w->state[at] == NEW) {
        w->state[at] = OPEN;
        f->order[f->n_reached++] = at;
        if (!leaf && node->feature >= f->n_features) f->n_features = node->feature + 1;
    }
    for (int k = 1; !leaf && k >= 0; k--) {
        const uint8_t state = w->state[node->child[k]];
        OB_FAIL_IF(state == OPEN, error, OB_E_ARGUMENT, "the trees have a cycle: node %u of the list leads back to itself",
                   node->child[k]);
        if (state == DONE) continue;
        w->stack[w->n++] = node->child[k];
        return OB_OK;
    }
    const uint32_t no = leaf ? 0 : f->nodes[node->child[0]].depth, yes = leaf ? 0 : f->nodes[node->child[1]].depth;
    node->depth = leaf ? 0 : 1 + (no < yes ? no : yes);
    w->state[at] = DONE;
    w->n--;
    return OB_OK;
}

ob_status ob__walk_forest(ob_forest *f, ob_arena *arena, ob_error *error) {
    walk w = {.f = f, .state = OB_ARENA_ARRAY(arena, uint8_t, f->n_nodes), .stack = OB_ARENA_ARRAY(arena, uint32_t, f->n_nodes)};
    f->order = OB_ARENA_ARRAY(arena, uint32_t, f->n_nodes);
    if (!w.state || !w.stack || !f->order) return no_memory(error);
    for (uint32_t i = 0; i < f->n_nodes; i++) f->nodes[i].depth = UINT32_MAX;
    for (uint32_t t = 0; t < f->n_trees; t++) {
        if (w.state[f->roots[t]] == DONE) continue;
        w.stack[w.n++] = f->roots[t];
        while (w.n > 0) OB_TRY(visit(&w, error));
    }
    return OB_OK;
}

/* ---- Tests as comparisons ---- */

typedef struct lowering {
    const ob_forest *f;
    uint32_t n_features;
    bool is_double;
    uint32_t *place; /* for each node of the forest, its index in the written trees */
    void *nodes;
    uint32_t next;
    bool negates;
    double *members; /* of one set, sorted, without repetitions */
} lowering;

/* The next smaller number of the type; -inf has none. */
static double below(const lowering *l, double x) {
    return l->is_double ? nextafter(x, -INFINITY) : (double)nextafterf((float)x, -INFINITY);
}

static void write_node(lowering *l, double value, uint32_t feature, uint32_t no, uint32_t yes) {
    if (l->is_double)
        ((obk_tree_node_f64 *)l->nodes)[l->next++] = (obk_tree_node_f64){value, feature, {no, yes}};
    else
        ((obk_tree_node_f32 *)l->nodes)[l->next++] = (obk_tree_node_f32){(float)value, feature, {no, yes}};
}

/* x <= value goes to `low`, greater x to `high`, NaN to the chosen side. */
static void split(lowering *l, uint32_t feature, double value, uint32_t low, uint32_t high, bool nan_low) {
    if (nan_low && value == HUGE_VAL) high = low; /* no x is greater */
    if (!nan_low || low == high) {
        write_node(l, value, feature, high, low);
        return;
    }
    l->negates = true; /* x > value is the same as -x <= the number below -value */
    write_node(l, below(l, -value), feature + l->n_features, low, high);
}

/* Every x except NaN goes to `to`. */
static void always(lowering *l, uint32_t feature, uint32_t to, uint32_t nan) {
    write_node(l, INFINITY, feature, nan, to);
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A search among the bounds begin .. end of a set. Bound 2 i is the number below member i, and bound 2 i + 1 the member itself; x
 * is in the set if it is above an even bound and at most the next odd one. NaN goes to the side of the greatest member or above
 * all bounds. */
typedef struct set_search {
    uint32_t feature, n_bounds, in, out;
    bool nan_in;
} set_search;

static double bound(const lowering *l, uint32_t i) {
    return i % 2 ? l->members[i / 2] : below(l, l->members[i / 2]);
}

static void write_search(lowering *l, const set_search *s, uint32_t begin, uint32_t end) {
    const uint32_t middle = begin + (end - begin) / 2, n_low = middle - begin, at = l->next;
    /* the two sides: at most the bound, and above it; a side without bounds is `in` or `out` */
    const uint32_t low = n_low ? at + 1 : middle % 2 ? s->in : s->out;
    const uint32_t high = end - middle > 1 ? at + 1 + n_low : middle % 2 ? s->out : s->in;
    split(l, s->feature, bound(l, middle), low, high, s->nan_in && middle == s->n_bounds - 1);
    if (n_low) write_search(l, s, begin, middle);
    if (end - middle > 1) write_search(l, s, middle + 1, end);
}

static uint32_t sort_members(lowering *l, const ob_forest_node *node) {
    uint32_t n = 0;
    const bool one = node->mode != OB_FOREST_MEMBER;
    for (uint32_t i = 0; i < (one ? 1 : node->n_set); i++) l->members[n++] = one ? node->value : l->f->members[node->set + i];
    qsort(l->members, n, sizeof *l->members, by_value);
    uint32_t kept = n > 0;
    for (uint32_t i = 1; i < n; i++)
        if (l->members[i] > l->members[kept - 1]) l->members[kept++] = l->members[i];
    return kept;
}

/* The number of nodes that write_set writes: one for each bound, and one for an empty set. */
static uint32_t set_size(const ob_forest_node *node) {
    return node->mode == OB_FOREST_MEMBER ? (node->n_set ? 2 * node->n_set : 1) : 2;
}

static void write_set(lowering *l, const ob_forest_node *node, uint32_t in, uint32_t out, uint32_t nan) {
    const uint32_t n = isnan(node->value) && node->mode != OB_FOREST_MEMBER ? 0 : sort_members(l, node);
    if (n == 0) {
        always(l, node->feature, out, nan);
        return;
    }
    /* No number is below -inf: the first bound would be -inf itself, so the search begins after it. */
    const set_search s = {node->feature, 2 * n, in, out, nan == in};
    write_search(l, &s, l->members[0] == -HUGE_VAL, s.n_bounds);
}

static void write_question(lowering *l, const ob_forest_node *node) {
    const uint32_t no = l->place[node->child[0]], yes = l->place[node->child[1]], nan = node->missing_yes ? yes : no;
    const double v = node->value;
    switch ((ob_forest_mode)node->mode) {
    case OB_FOREST_MEMBER:
    case OB_FOREST_EQ: write_set(l, node, yes, no, nan); return;
    case OB_FOREST_NEQ: write_set(l, node, no, yes, nan); return;
    default: break;
    }
    const bool strict = node->mode == OB_FOREST_LT || node->mode == OB_FOREST_GTE; /* x == value goes to the upper side */
    const bool low_yes = node->mode == OB_FOREST_LEQ || node->mode == OB_FOREST_LT;
    const uint32_t low = low_yes ? yes : no, high = low_yes ? no : yes;
    if (isnan(v)) /* every comparison with NaN is false */
        always(l, node->feature, no, nan);
    else if (strict && v == -HUGE_VAL)
        always(l, node->feature, high, nan);
    else
        split(l, node->feature, strict ? below(l, v) : v, low, high, nan == low);
}

/* ---- Leaves ---- */

/* Whether there is one result and each reached leaf gives one number for it. */
static bool has_single_votes(const ob_forest *f) {
    if (f->n_results != 1 || (f->aggregate != OB_FOREST_SUM && f->aggregate != OB_FOREST_AVERAGE)) return false;
    for (uint32_t i = 0; i < f->n_reached; i++) {
        const uint32_t at = f->order[i];
        if (f->nodes[at].mode == OB_FOREST_LEAF && f->first_vote[at + 1] != f->first_vote[at] + 1) return false;
    }
    return true;
}

static ob_status place_nodes(lowering *l, ob_arena *scratch, uint32_t *n_nodes, ob_error *error) {
    const ob_forest *f = l->f;
    uint64_t n = 0;
    uint32_t most = 1;
    l->place = OB_ARENA_ARRAY(scratch, uint32_t, f->n_nodes);
    for (uint32_t i = 0; l->place && i < f->n_reached; i++) {
        const ob_forest_node *node = &f->nodes[f->order[i]];
        const bool set = node->mode == OB_FOREST_EQ || node->mode == OB_FOREST_NEQ || node->mode == OB_FOREST_MEMBER;
        l->place[f->order[i]] = (uint32_t)n;
        n += set ? set_size(node) : 1;
        if (set && node->n_set > most) most = node->n_set;
        OB_FAIL_IF(n > INT32_MAX, error, OB_E_LIMIT, "%llu comparisons", (unsigned long long)n);
    }
    l->members = OB_ARENA_ARRAY(scratch, double, most);
    *n_nodes = (uint32_t)n;
    return l->place && l->members ? OB_OK : no_memory(error);
}

static ob_status place_votes(const lowering *l, ob_arena *arena, ob_trees *out, ob_error *error) {
    const ob_forest *f = l->f;
    uint32_t *first = OB_ARENA_ARRAY(arena, uint32_t, (size_t)out->n_nodes + 1), n = 0;
    ob_forest_vote *votes = OB_ARENA_ARRAY(arena, ob_forest_vote, f->first_vote[f->n_nodes]);
    if (!first || !votes) return no_memory(error);
    for (uint32_t i = 0, at = 0; i < f->n_reached; i++) { /* indexes increase in this order */
        const uint32_t from = f->order[i];
        while (at <= l->place[from]) first[at++] = n;
        for (uint32_t k = f->first_vote[from]; f->nodes[from].mode == OB_FOREST_LEAF && k < f->first_vote[from + 1]; k++)
            votes[n++] = f->votes[k];
        if (i + 1 == f->n_reached)
            while (at <= out->n_nodes) first[at++] = n;
    }
    out->first_vote = first;
    out->votes = votes;
    return OB_OK;
}

ob_status ob__lower_forest(const ob_forest *f, uint32_t n_features, bool is_double, ob_arena *arena, ob_arena *scratch,
                           ob_trees *out, ob_error *error) {
    lowering l = {.f = f, .n_features = n_features, .is_double = is_double};
    *out = (ob_trees){.n_trees = f->n_trees, .is_double = is_double, .single = has_single_votes(f)};
    OB_FAIL_IF(n_features > INT32_MAX, error, OB_E_LIMIT, "%u features", n_features);
    OB_TRY(place_nodes(&l, scratch, &out->n_nodes, error));
    obk_tree *trees = OB_ARENA_ARRAY(arena, obk_tree, f->n_trees);
    l.nodes = ob__arena_calloc(arena, out->n_nodes, is_double ? sizeof(obk_tree_node_f64) : sizeof(obk_tree_node_f32));
    if (!trees || !l.nodes) return no_memory(error);
    for (uint32_t i = 0; i < f->n_reached; i++) {
        const uint32_t from = f->order[i], at = l.next = l.place[from];
        const ob_forest_node *node = &f->nodes[from];
        if (node->mode == OB_FOREST_LEAF)
            write_node(&l, out->single ? f->votes[f->first_vote[from]].weight : 0, 0, at, at);
        else
            write_question(&l, node);
    }
    for (uint32_t t = 0; t < f->n_trees; t++) trees[t] = (obk_tree){l.place[f->roots[t]], f->nodes[f->roots[t]].depth};
    if (!out->single) OB_TRY(place_votes(&l, arena, out, error));
    if (is_double)
        out->wide = l.nodes;
    else
        out->narrow = l.nodes;
    out->trees = trees;
    out->negates = l.negates;
    return OB_OK;
}
