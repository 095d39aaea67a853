/* Random ensembles of trees, written as models in each form of the operators, with their results by the specification, in
 * double. */
#ifndef OB_TESTS_FOREST_CASE_H
#define OB_TESTS_FOREST_CASE_H

#include <math.h>

#include "model_text.h"

enum { FC_NODES = 600, FC_TREES = 12, FC_SET = 5, FC_FEATURES = 6, FC_RESULTS = 4, FC_LEAF = 7 };

typedef struct fc_node {
    int mode, feature, no, yes, n_set, missing, result; /* mode 0 .. 6 as TreeEnsemble has them, FC_LEAF; a leaf has one vote */
    double value, set[FC_SET];
    int tree, number; /* in its tree */
} fc_node;

typedef struct forest_case {
    fc_node nodes[FC_NODES];
    int roots[FC_TREES];
    int n_nodes, n_trees, n_results, aggregate, transform; /* numbered as TreeEnsemble does */
    bool sets;                                             /* MEMBER is among the modes */
    bool coarse;                                           /* thresholds are integers */
    unsigned seed;
} forest_case;

static inline unsigned fc_random(unsigned *seed, unsigned n) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

/* Quarters: exact in every type, and equal ones occur. Unless `coarse`, sometimes infinite. */
static inline double fc_number(forest_case *f) {
    const double number = ((double)fc_random(&f->seed, 33) - 16) / 4;
    if (f->coarse) return floor(number);
    const unsigned rare = fc_random(&f->seed, 24);
    return rare == 0 ? (double)INFINITY : rare == 1 ? -(double)INFINITY : number;
}

/* Reserves the nodes below; depth 0 gives a leaf. A root is a leaf only for that reason or if the nodes run out. */
static inline int fc_grow(forest_case *f, int tree, int *number, int depth, bool root) {
    const int at = f->n_nodes++;
    fc_node *node = &f->nodes[at];
    *node = (fc_node){.tree = tree, .number = (*number)++, .mode = FC_LEAF};
    node->value = ((double)fc_random(&f->seed, 129) - 64) / 64;
    node->result = (int)fc_random(&f->seed, (unsigned)f->n_results);
    if (depth == 0 || f->n_nodes + 3 * depth > FC_NODES || (!root && fc_random(&f->seed, 5) == 0)) return at;
    node->mode = (int)fc_random(&f->seed, f->sets ? 7 : 6);
    node->feature = (int)fc_random(&f->seed, FC_FEATURES);
    node->value = fc_number(f);
    node->missing = (int)fc_random(&f->seed, 2);
    node->n_set = 1 + (int)fc_random(&f->seed, FC_SET);
    for (int i = 0; i < node->n_set; i++) node->set[i] = fc_number(f);
    const int yes = fc_grow(f, tree, number, depth - 1, false), no = fc_grow(f, tree, number, depth - 1, false);
    f->nodes[at].yes = yes;
    f->nodes[at].no = no;
    return at;
}

static inline void fc_make(forest_case *f, unsigned seed, int n_results, bool sets, bool coarse) {
    *f = (forest_case){.seed = seed, .n_results = n_results, .sets = sets, .coarse = coarse};
    f->n_trees = 1 + (int)fc_random(&f->seed, FC_TREES);
    for (int t = 0; t < f->n_trees; t++) {
        int number = 0;
        f->roots[t] = fc_grow(f, t, &number, 1 + (int)fc_random(&f->seed, 5), true);
    }
}

/* ---- Its results ---- */

static inline bool fc_says_yes(const fc_node *node, double x) {
    bool in = false;
    if (isnan(x)) return node->missing;
    for (int i = 0; i < node->n_set; i++) in |= x == node->set[i];
    switch (node->mode) {
    case 0: return x <= node->value;
    case 1: return x < node->value;
    case 2: return x >= node->value;
    case 3: return x > node->value;
    case 4: return x == node->value;
    case 5: return x != node->value;
    default: return in;
    }
}

/* Scores of a row before post_transform. */
static inline void fc_scores(const forest_case *f, const double *x, double *scores) {
    bool seen[FC_RESULTS] = {false};
    for (int k = 0; k < f->n_results; k++) scores[k] = 0;
    for (int t = 0; t < f->n_trees; t++) {
        const fc_node *node = &f->nodes[f->roots[t]];
        while (node->mode != FC_LEAF) node = &f->nodes[fc_says_yes(node, x[node->feature]) ? node->yes : node->no];
        double *score = &scores[node->result];
        const bool first = !seen[node->result];
        if (f->aggregate < 2) *score += node->value;
        if (f->aggregate == 2 && (first || node->value < *score)) *score = node->value;
        if (f->aggregate == 3 && (first || node->value > *score)) *score = node->value;
        seen[node->result] = true;
    }
    for (int k = 0; k < f->n_results && f->aggregate == 0; k++) scores[k] /= f->n_trees;
}

/* ---- As text ---- */

enum { FC_INTS, FC_FLOATS };

/* ", name: kind = [a, b]" with the result of `get` for every node, or for leaves or inner nodes only. */
typedef double (*fc_get)(const forest_case *f, const fc_node *node);
enum { FC_ALL, FC_QUESTIONS, FC_LEAVES };

static inline bool fc_among(const fc_node *node, int which) {
    return which == FC_ALL || (which == FC_LEAVES) == (node->mode == FC_LEAF);
}
static inline int fc_count(const forest_case *f, int which, int before) {
    int n = 0;
    for (int i = 0; i < before; i++) n += fc_among(&f->nodes[i], which);
    return n;
}
static inline void fc_list(ob_text *text, const forest_case *f, const char *begin, int which, fc_get get, const char *end) {
    ob__text_printf(text, "%s", begin);
    for (int i = 0, n = 0; i < f->n_nodes; i++)
        if (fc_among(&f->nodes[i], which)) ob__text_printf(text, "%s%.9g", n++ ? ", " : "", get(f, &f->nodes[i]));
    ob__text_printf(text, "%s", end);
}

#define FC_GET(name, expression)                                                                                                 \
    static inline double fc_##name(const forest_case *f, const fc_node *node) {                                                  \
        (void)f;                                                                                                                 \
        return (double)(expression);                                                                                             \
    }
FC_GET(tree, node->tree)
FC_GET(number_get, node->number)
FC_GET(feature, node->mode == FC_LEAF ? 0 : node->feature)
FC_GET(value, node->value)
FC_GET(mode, node->mode)
FC_GET(result, node->result)
FC_GET(missing, node->missing)
FC_GET(yes_number, node->mode == FC_LEAF ? 0 : f->nodes[node->yes].number)
FC_GET(no_number, node->mode == FC_LEAF ? 0 : f->nodes[node->no].number)
FC_GET(yes_leaf, f->nodes[node->yes].mode == FC_LEAF)
FC_GET(no_leaf, f->nodes[node->no].mode == FC_LEAF)
FC_GET(yes_place, fc_count(f, f->nodes[node->yes].mode == FC_LEAF ? FC_LEAVES : FC_QUESTIONS, node->yes))
FC_GET(no_place, fc_count(f, f->nodes[node->no].mode == FC_LEAF ? FC_LEAVES : FC_QUESTIONS, node->no))

static const char *const fc_transforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
static const char *const fc_aggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};

/* Attributes of TreeEnsembleClassifier or TreeEnsembleRegressor, the thresholds and weights as floats or as tensors of doubles.
 */
static inline void fc_listed(ob_text *text, const forest_case *f, bool classifier, bool as_tensor) {
    static const char *const modes[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                        "BRANCH_EQ",  "BRANCH_NEQ", "",           "LEAF"};
    const char *const who = classifier ? "class" : "target";
    char name[80];
    fc_list(text, f, "nodes_treeids: ints = [", FC_ALL, fc_tree, "]");
    fc_list(text, f, ", nodes_nodeids: ints = [", FC_ALL, fc_number_get, "]");
    fc_list(text, f, ", nodes_featureids: ints = [", FC_ALL, fc_feature, "]");
    fc_list(text, f, ", nodes_truenodeids: ints = [", FC_ALL, fc_yes_number, "]");
    fc_list(text, f, ", nodes_falsenodeids: ints = [", FC_ALL, fc_no_number, "]");
    fc_list(text, f, ", nodes_missing_value_tracks_true: ints = [", FC_ALL, fc_missing, "]");
    snprintf(name, sizeof name, as_tensor ? ", nodes_values_as_tensor: tensor = double[%d] {" : ", nodes_values: floats = [",
             f->n_nodes);
    fc_list(text, f, name, FC_ALL, fc_value, as_tensor ? "}" : "]");
    ob__text_printf(text, ", nodes_modes: strings = [");
    for (int i = 0; i < f->n_nodes; i++) ob__text_printf(text, "%s\"%s\"", i ? ", " : "", modes[f->nodes[i].mode]);
    ob__text_printf(text, "]");
    snprintf(name, sizeof name, ", %s_ids: ints = [", who);
    fc_list(text, f, name, FC_LEAVES, fc_result, "]");
    snprintf(name, sizeof name, ", %s_treeids: ints = [", who);
    fc_list(text, f, name, FC_LEAVES, fc_tree, "]");
    snprintf(name, sizeof name, ", %s_nodeids: ints = [", who);
    fc_list(text, f, name, FC_LEAVES, fc_number_get, "]");
    if (as_tensor)
        snprintf(name, sizeof name, ", %s_weights_as_tensor: tensor = double[%d] {", who, fc_count(f, FC_LEAVES, f->n_nodes));
    else
        snprintf(name, sizeof name, ", %s_weights: floats = [", who);
    fc_list(text, f, name, FC_LEAVES, fc_value, as_tensor ? "}" : "]");
    ob__text_printf(text, ", post_transform: string = \"%s\"", fc_transforms[f->transform]);
    if (!classifier)
        ob__text_printf(text, ", aggregate_function: string = \"%s\", n_targets: int = %d", fc_aggregates[f->aggregate],
                        f->n_results);
}

/* Attributes of TreeEnsemble. */
static inline void fc_positioned(ob_text *text, const forest_case *f, const char *type) {
    const int n = fc_count(f, FC_QUESTIONS, f->n_nodes), n_leaves = fc_count(f, FC_LEAVES, f->n_nodes);
    char name[80];
    int n_members = 0;
    fc_list(text, f, "nodes_featureids: ints = [", FC_QUESTIONS, fc_feature, "]");
    fc_list(text, f, ", nodes_truenodeids: ints = [", FC_QUESTIONS, fc_yes_place, "]");
    fc_list(text, f, ", nodes_falsenodeids: ints = [", FC_QUESTIONS, fc_no_place, "]");
    fc_list(text, f, ", nodes_trueleafs: ints = [", FC_QUESTIONS, fc_yes_leaf, "]");
    fc_list(text, f, ", nodes_falseleafs: ints = [", FC_QUESTIONS, fc_no_leaf, "]");
    fc_list(text, f, ", nodes_missing_value_tracks_true: ints = [", FC_QUESTIONS, fc_missing, "]");
    snprintf(name, sizeof name, ", nodes_modes: tensor = uint8[%d] {", n);
    fc_list(text, f, name, FC_QUESTIONS, fc_mode, "}");
    snprintf(name, sizeof name, ", nodes_splits: tensor = %s[%d] {", type, n);
    fc_list(text, f, name, FC_QUESTIONS, fc_value, "}");
    fc_list(text, f, ", leaf_targetids: ints = [", FC_LEAVES, fc_result, "]");
    snprintf(name, sizeof name, ", leaf_weights: tensor = %s[%d] {", type, n_leaves);
    fc_list(text, f, name, FC_LEAVES, fc_value, "}");
    ob__text_printf(text, ", tree_roots: ints = [");
    for (int t = 0; t < f->n_trees; t++) ob__text_printf(text, "%s%d", t ? ", " : "", fc_count(f, FC_QUESTIONS, f->roots[t]));
    ob__text_printf(text, "], n_targets: int = %d, aggregate_function: int = %d, post_transform: int = %d", f->n_results,
                    f->aggregate, f->transform);
    for (int i = 0; i < f->n_nodes; i++)
        if (f->nodes[i].mode == 6) n_members += f->nodes[i].n_set + 1;
    if (n_members == 0) return;
    ob__text_printf(text, ", membership_values: tensor = %s[%d] {", type, n_members);
    for (int i = 0, k = 0; i < f->n_nodes; i++) {
        if (f->nodes[i].mode != 6) continue;
        for (int j = 0; j < f->nodes[i].n_set; j++) ob__text_printf(text, "%s%.9g", k++ ? ", " : "", f->nodes[i].set[j]);
        ob__text_printf(text, "%snan", k++ ? ", " : "");
    }
    ob__text_printf(text, "}");
}

#endif
