/* Reads the attributes of tree ensembles. */
#include "ops/ml/forest.h"
#include "core/base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "ops/table/attributes.h"

/* ---- Shared by both forms ---- */

static ob_status no_memory(ob_error *error) {
    return ob__fail(error, OB_E_MEMORY, "no memory for the trees");
}

typedef struct int_list {
    const int64_t *at;
    uint32_t n;
} int_list;

/* A list of exactly n numbers; if it is optional, it may be missing. */
static ob_status read_ints(const ob_node *node, const char *name, uint32_t n, bool optional, int_list *out, ob_error *error) {
    out->at = ob__attribute_list(node, name, &out->n);
    OB_FAIL_IF(out->n != n && (!optional || out->n != 0), error, OB_E_ARGUMENT, "attribute %s has %u entries, others have %u",
               name, out->n, n);
    return OB_OK;
}

static ob_status read_reals(const ob_node *node, const char *name, const char *tensor, uint32_t n, ob_ml_reals *out,
                            ob_error *error) {
    OB_TRY(ob__ml_reals(node, name, tensor, out, error));
    OB_FAIL_IF(out->n != n, error, OB_E_ARGUMENT, "attribute %s has %u entries, others have %u", name ? name : tensor, out->n, n);
    return OB_OK;
}

static ob_status read_feature(int64_t feature, uint32_t i, ob_forest_node *node, ob_error *error) {
    OB_FAIL_IF(feature < 0 || feature > INT32_MAX, error, OB_E_ARGUMENT, "nodes_featureids[%u] is %lld", i, (long long)feature);
    node->feature = (uint32_t)feature;
    return OB_OK;
}

static ob_status read_n_targets(const ob_node *node, ob_forest *f, ob_error *error) {
    int64_t n = ob__attribute_int_or(node, "n_targets", 1);
    OB_FAIL_IF(n < 1 || n > INT32_MAX, error, OB_E_ARGUMENT, "attribute n_targets is %lld", (long long)n);
    f->n_results = (uint32_t)n;
    return OB_OK;
}

static ob_status make_room(ob_forest *f, uint64_t n_nodes, uint32_t n_trees, uint32_t n_votes, ob_arena *arena, ob_error *error) {
    OB_FAIL_IF(n_nodes > INT32_MAX, error, OB_E_LIMIT, "%llu nodes", (unsigned long long)n_nodes);
    f->n_nodes = (uint32_t)n_nodes;
    f->n_trees = n_trees;
    f->nodes = OB_ARENA_ARRAY(arena, ob_forest_node, f->n_nodes);
    f->first_vote = OB_ARENA_ARRAY(arena, uint32_t, (size_t)f->n_nodes + 1);
    f->votes = OB_ARENA_ARRAY(arena, ob_forest_vote, n_votes);
    f->roots = OB_ARENA_ARRAY(arena, uint32_t, n_trees);
    return f->nodes && f->first_vote && f->votes && f->roots ? OB_OK : no_memory(error);
}

/* ---- TreeEnsembleClassifier, TreeEnsembleRegressor ---- */

/* The index of the node with a given number in a given tree. */
typedef struct place {
    int64_t tree, id;
    uint32_t at;
} place;

static int by_number(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->tree != y->tree) return x->tree < y->tree ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

typedef struct listing {
    int_list trees, ids, no, yes, features, missing;
    ob_ml_reals values;
    place *places; /* sorted */
} listing;

static const place *find(const listing *l, int64_t tree, int64_t id) {
    const place wanted = {tree, id, 0};
    return bsearch(&wanted, l->places, l->ids.n, sizeof wanted, by_number);
}

static ob_status sort_places(listing *l, ob_arena *arena, ob_error *error) {
    const uint32_t n = l->ids.n;
    bool sorted = true;
    l->places = OB_ARENA_ARRAY(arena, place, n);
    if (!l->places) return no_memory(error);
    for (uint32_t i = 0; i < n; i++) {
        l->places[i] = (place){l->trees.at[i], l->ids.at[i], i};
        if (i > 0 && by_number(&l->places[i - 1], &l->places[i]) >= 0) sorted = false;
    }
    if (!sorted) qsort(l->places, n, sizeof *l->places, by_number);
    for (uint32_t i = 1; i < n; i++)
        OB_FAIL_IF(by_number(&l->places[i - 1], &l->places[i]) == 0, error, OB_E_ARGUMENT, "tree %lld has node %lld twice",
                   (long long)l->places[i].tree, (long long)l->places[i].id);
    return OB_OK;
}

static ob_status read_mode(ob_string text, uint8_t *mode, ob_error *error) {
    static const char *const names[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                        "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};
    for (*mode = 0; *mode <= OB_FOREST_LEAF; ++*mode)
        if (*mode != OB_FOREST_MEMBER && strlen(names[*mode]) == text.n && memcmp(names[*mode], text.data, text.n) == 0)
            return OB_OK;
    return ob__fail(error, OB_E_ARGUMENT, "nodes_modes has \"%.*s\", which is not a mode", (int)(text.n < 80 ? text.n : 80),
                    text.data);
}

static ob_status read_listed_node(const listing *l, uint32_t i, ob_string mode, ob_forest *f, uint8_t *referred,
                                  ob_error *error) {
    ob_forest_node *node = &f->nodes[i];
    const int64_t ids[2] = {l->no.at[i], l->yes.at[i]};
    OB_TRY(read_mode(mode, &node->mode, error));
    if (node->mode == OB_FOREST_LEAF) return OB_OK;
    node->value = ob__ml_real(&l->values, i);
    node->missing_yes = l->missing.n && l->missing.at[i] != 0;
    for (int k = 0; k < 2; k++) {
        const place *p = find(l, l->trees.at[i], ids[k]);
        OB_FAIL_IF(!p, error, OB_E_ARGUMENT, "node %lld of tree %lld leads to node %lld, which the tree does not have",
                   (long long)l->ids.at[i], (long long)l->trees.at[i], (long long)ids[k]);
        node->child[k] = p->at;
        referred[p->at] = 1;
    }
    return read_feature(l->features.at[i], i, node, error);
}

/* The root of a tree is its first node to which no other leads; it is a leaf only if it is the only node. Trees are in the order
 * of their first nodes. */
static ob_status find_roots(const listing *l, const uint8_t *referred, ob_forest *f, ob_arena *arena, ob_error *error) {
    const uint32_t n = l->ids.n;
    uint32_t *root_of = OB_ARENA_ARRAY(arena, uint32_t, n), *tree_of = OB_ARENA_ARRAY(arena, uint32_t, n),
             *size_of = OB_ARENA_ARRAY(arena, uint32_t, n), n_groups = 0;
    if (!root_of || !tree_of || !size_of) return no_memory(error);
    for (uint32_t i = 0; i < n; i++) { /* places are sorted by tree */
        if (i == 0 || l->places[i].tree != l->places[i - 1].tree) root_of[n_groups++] = UINT32_MAX;
        uint32_t at = l->places[i].at, *root = &root_of[n_groups - 1];
        tree_of[at] = n_groups - 1;
        size_of[n_groups - 1]++;
        if (!referred[at] && at < *root) *root = at;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *root = &root_of[tree_of[i]];
        if (*root == UINT32_MAX - 1) continue;
        const bool fits = *root != UINT32_MAX && (f->nodes[*root].mode != OB_FOREST_LEAF || size_of[tree_of[i]] == 1);
        OB_FAIL_IF(!fits, error, OB_E_ARGUMENT, "tree %lld has no root: every node is the child of another",
                   (long long)l->trees.at[i]);
        f->roots[f->n_trees++] = *root;
        *root = UINT32_MAX - 1;
    }
    return OB_OK;
}

static ob_status read_votes(const ob_node *node, const listing *l, ob_forest *f, ob_arena *arena, ob_error *error) {
    static const char *const names[2][5] = {
        {"target_ids", "target_nodeids", "target_treeids", "target_weights", "target_weights_as_tensor"},
        {"class_ids", "class_nodeids", "class_treeids", "class_weights", "class_weights_as_tensor"}};
    const char *const *name = names[f->is_classifier];
    int_list results, ids, trees;
    ob_ml_reals weights;
    results.at = ob__attribute_list(node, name[0], &results.n);
    const uint32_t n = results.n;
    OB_TRY(read_ints(node, name[1], n, false, &ids, error));
    OB_TRY(read_ints(node, name[2], n, false, &trees, error));
    OB_TRY(read_reals(node, name[3], name[4], n, &weights, error));
    f->is_double |= weights.dtype == OB_DOUBLE;
    uint32_t *at = OB_ARENA_ARRAY(arena, uint32_t, n);
    f->votes = OB_ARENA_ARRAY(arena, ob_forest_vote, n);
    if (!at || !f->votes) return no_memory(error);
    for (uint32_t i = 0; i < n; i++) {
        const place *p = find(l, trees.at[i], ids.at[i]);
        OB_FAIL_IF(!p, error, OB_E_ARGUMENT, "%s[%u] is node %lld of tree %lld, which does not exist", name[1], i,
                   (long long)ids.at[i], (long long)trees.at[i]);
        OB_FAIL_IF(results.at[i] < 0 || results.at[i] >= f->n_results, error, OB_E_ARGUMENT, "%s[%u] is %lld, there are %u",
                   name[0], i, (long long)results.at[i], f->n_results);
        at[i] = p->at;
        f->first_vote[p->at + 1]++;
    }
    for (uint32_t i = 0; i < f->n_nodes; i++) f->first_vote[i + 1] += f->first_vote[i];
    uint32_t *next = OB_ARENA_ARRAY(arena, uint32_t, f->n_nodes);
    if (!next) return no_memory(error);
    for (uint32_t i = 0; i < n; i++)
        f->votes[f->first_vote[at[i]] + next[at[i]]++] = (ob_forest_vote){ob__ml_real(&weights, i), (uint32_t)results.at[i]};
    return OB_OK;
}

static ob_status read_base(const ob_node *node, ob_forest *f, ob_arena *arena, ob_error *error) {
    ob_ml_reals base;
    OB_TRY(ob__ml_reals(node, "base_values", "base_values_as_tensor", &base, error));
    bool fits = base.n == 0 || base.n == f->n_results || (f->is_classifier && f->n_results == 2 && base.n == 1);
    OB_FAIL_IF(!fits, error, OB_E_ARGUMENT, "attribute base_values has %u numbers for %u results", base.n, f->n_results);
    f->base = OB_ARENA_ARRAY(arena, double, base.n);
    if (!f->base) return no_memory(error);
    for (uint32_t i = 0; i < base.n; i++) f->base[i] = ob__ml_real(&base, i);
    f->n_base = base.n;
    f->is_double |= base.dtype == OB_DOUBLE;
    return OB_OK;
}

static ob_status read_listing(const ob_node *node, listing *l, ob_error *error) {
    l->ids.at = ob__attribute_list(node, "nodes_nodeids", &l->ids.n);
    const uint32_t n = l->ids.n;
    OB_FAIL_IF(n == 0, error, OB_E_ARGUMENT, "attribute nodes_nodeids lists no node");
    OB_TRY(read_ints(node, "nodes_treeids", n, false, &l->trees, error));
    OB_TRY(read_ints(node, "nodes_featureids", n, false, &l->features, error));
    OB_TRY(read_ints(node, "nodes_truenodeids", n, false, &l->yes, error));
    OB_TRY(read_ints(node, "nodes_falsenodeids", n, false, &l->no, error));
    OB_TRY(read_ints(node, "nodes_missing_value_tracks_true", n, true, &l->missing, error));
    return read_reals(node, "nodes_values", "nodes_values_as_tensor", n, &l->values, error);
}

static ob_status read_listed(const ob_node *node, ob_arena *arena, ob_forest *f, ob_error *error) {
    static const char *const aggregates[] = {"SUM", "AVERAGE", "MIN", "MAX"};
    static const ob_forest_aggregate places[] = {OB_FOREST_SUM, OB_FOREST_AVERAGE, OB_FOREST_MIN, OB_FOREST_MAX};
    int aggregate = 0;
    uint32_t n_modes;
    const ob_string *modes = ob__ml_strings(node, "nodes_modes", &n_modes);
    listing l = {.ids.n = 0};
    OB_TRY(ob__ml_post_transform(node, &f->transform, error));
    if (f->is_classifier) {
        OB_TRY(ob__ml_labels(node, &f->labels, error));
        f->n_results = f->labels.n;
    } else {
        OB_TRY(read_n_targets(node, f, error));
        OB_TRY(ob__ml_choice(node, "aggregate_function", aggregates, 4, &aggregate, error));
    }
    f->aggregate = places[aggregate];
    OB_TRY(read_listing(node, &l, error));
    OB_FAIL_IF(n_modes != l.ids.n, error, OB_E_ARGUMENT, "attribute nodes_modes has %u entries, others have %u", n_modes,
               l.ids.n);
    f->is_double = l.values.dtype == OB_DOUBLE;
    OB_TRY(make_room(f, l.ids.n, l.ids.n, 0, arena, error));
    f->n_trees = 0;
    OB_TRY(sort_places(&l, arena, error));
    uint8_t *referred = OB_ARENA_ARRAY(arena, uint8_t, l.ids.n);
    if (!referred) return no_memory(error);
    for (uint32_t i = 0; i < l.ids.n; i++) OB_TRY(read_listed_node(&l, i, modes[i], f, referred, error));
    OB_TRY(find_roots(&l, referred, f, arena, error));
    OB_TRY(read_votes(node, &l, f, arena, error));
    return read_base(node, f, arena, error);
}

/* ---- TreeEnsemble ---- */

typedef struct positions {
    int_list roots, features, yes, no, yes_leaves, no_leaves, missing, targets;
    ob_ml_reals splits, weights, members;
    const uint8_t *modes;
} positions;

static ob_status read_positions(const ob_node *node, positions *p, ob_error *error) {
    const ob_tensor *modes = ob__ml_tensor(node, "nodes_modes");
    p->features.at = ob__attribute_list(node, "nodes_featureids", &p->features.n);
    p->targets.at = ob__attribute_list(node, "leaf_targetids", &p->targets.n);
    p->roots.at = ob__attribute_list(node, "tree_roots", &p->roots.n);
    const uint32_t n = p->features.n;
    OB_FAIL_IF(n == 0 || p->targets.n == 0 || p->roots.n == 0, error, OB_E_ARGUMENT,
               "attributes nodes_featureids, leaf_targetids and tree_roots need entries");
    OB_FAIL_IF(!modes || modes->dtype != OB_UINT8 || modes->n_elems != n || !modes->data, error, OB_E_ARGUMENT,
               "attribute nodes_modes is not a tensor of %u uint8", n);
    p->modes = modes->data;
    OB_TRY(read_ints(node, "nodes_truenodeids", n, false, &p->yes, error));
    OB_TRY(read_ints(node, "nodes_falsenodeids", n, false, &p->no, error));
    OB_TRY(read_ints(node, "nodes_trueleafs", n, false, &p->yes_leaves, error));
    OB_TRY(read_ints(node, "nodes_falseleafs", n, false, &p->no_leaves, error));
    OB_TRY(read_ints(node, "nodes_missing_value_tracks_true", n, true, &p->missing, error));
    OB_TRY(read_reals(node, NULL, "nodes_splits", n, &p->splits, error));
    OB_TRY(read_reals(node, NULL, "leaf_weights", p->targets.n, &p->weights, error));
    return ob__ml_reals(node, NULL, "membership_values", &p->members, error);
}

static ob_status read_child(const char *name, uint32_t i, int64_t id, bool leaf, const ob_forest *f, uint32_t n_questions,
                            uint32_t *out, ob_error *error) {
    int64_t n = leaf ? f->n_nodes - n_questions : n_questions;
    OB_FAIL_IF(id < 0 || id >= n, error, OB_E_ARGUMENT, "%s[%u] is %lld, there are %lld %s", name, i, (long long)id, (long long)n,
               leaf ? "leaves" : "nodes");
    *out = (uint32_t)id + (leaf ? n_questions : 0);
    return OB_OK;
}

/* The sets are in the order of the nodes that use them, each followed by a NaN, which may be missing after the last. */
static ob_status read_set(const positions *p, ob_forest_node *node, uint32_t i, uint32_t *next, ob_error *error) {
    OB_FAIL_IF(*next >= p->members.n, error, OB_E_ARGUMENT, "membership_values has no set for node %u", i);
    node->set = *next;
    while (*next < p->members.n && !isnan(ob__ml_real(&p->members, *next))) ++*next;
    node->n_set = *next - node->set;
    ++*next;
    return OB_OK;
}

static ob_status read_questions(const positions *p, ob_forest *f, ob_error *error) {
    const uint32_t n = p->features.n;
    uint32_t next_member = 0;
    for (uint32_t i = 0; i < n; i++) {
        ob_forest_node *node = &f->nodes[i];
        node->mode = p->modes[i];
        node->value = ob__ml_real(&p->splits, i);
        node->missing_yes = p->missing.n && p->missing.at[i] != 0;
        OB_FAIL_IF(node->mode > OB_FOREST_MEMBER, error, OB_E_ARGUMENT, "nodes_modes[%u] is %u, modes are 0 to 6", i, node->mode);
        OB_TRY(read_feature(p->features.at[i], i, node, error));
        OB_TRY(read_child("nodes_falsenodeids", i, p->no.at[i], p->no_leaves.at[i] != 0, f, n, &node->child[0], error));
        OB_TRY(read_child("nodes_truenodeids", i, p->yes.at[i], p->yes_leaves.at[i] != 0, f, n, &node->child[1], error));
        if (node->mode == OB_FOREST_MEMBER) OB_TRY(read_set(p, node, i, &next_member, error));
    }
    OB_FAIL_IF(next_member < p->members.n, error, OB_E_ARGUMENT, "membership_values has more sets than nodes_modes asks for");
    return OB_OK;
}

static ob_status read_positioned(const ob_node *node, ob_arena *arena, ob_forest *f, ob_error *error) {
    positions p;
    int64_t aggregate = ob__attribute_int(node, "aggregate_function"), transform = ob__attribute_int(node, "post_transform");
    OB_FAIL_IF(aggregate < OB_FOREST_AVERAGE || aggregate > OB_FOREST_MAX, error, OB_E_ARGUMENT,
               "attribute aggregate_function is %lld, values are 0 to 3", (long long)aggregate);
    OB_FAIL_IF(transform < 0 || transform >= OB_ML_TRANSFORMS, error, OB_E_ARGUMENT,
               "attribute post_transform is %lld, values are 0 to 4", (long long)transform);
    f->aggregate = (ob_forest_aggregate)aggregate;
    f->transform = (ob_ml_transform)transform;
    OB_TRY(read_n_targets(node, f, error));
    OB_TRY(read_positions(node, &p, error));
    const uint32_t n = p.features.n, n_leaves = p.targets.n;
    OB_TRY(make_room(f, (uint64_t)n + n_leaves, p.roots.n, n_leaves, arena, error));
    f->is_double = p.splits.dtype == OB_DOUBLE || p.weights.dtype == OB_DOUBLE || p.members.dtype == OB_DOUBLE;
    f->members = OB_ARENA_ARRAY(arena, double, p.members.n);
    if (!f->members) return no_memory(error);
    for (uint32_t i = 0; i < p.members.n; i++) f->members[i] = ob__ml_real(&p.members, i);
    OB_TRY(read_questions(&p, f, error));
    for (uint32_t i = 0; i < n_leaves; i++) {
        OB_FAIL_IF(p.targets.at[i] < 0 || p.targets.at[i] >= f->n_results, error, OB_E_ARGUMENT,
                   "leaf_targetids[%u] is %lld, there are %u", i, (long long)p.targets.at[i], f->n_results);
        f->nodes[n + i].mode = OB_FOREST_LEAF;
        f->votes[i] = (ob_forest_vote){ob__ml_real(&p.weights, i), (uint32_t)p.targets.at[i]};
        f->first_vote[n + i + 1] = i + 1;
    }
    for (uint32_t i = 0; i < p.roots.n; i++) OB_TRY(read_child("tree_roots", i, p.roots.at[i], false, f, n, &f->roots[i], error));
    return OB_OK;
}

ob_status ob__read_forest(const ob_node *node, ob_arena *arena, ob_forest *out, ob_error *error) {
    *out = (ob_forest){.is_classifier = strcmp(node->op_type, "TreeEnsembleClassifier") == 0};
    OB_TRY(strcmp(node->op_type, "TreeEnsemble") == 0 ? read_positioned(node, arena, out, error)
                                                      : read_listed(node, arena, out, error));
    return ob__walk_forest(out, arena, error);
}
