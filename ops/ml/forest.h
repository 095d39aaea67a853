/* Tree ensembles, read from the attributes in both forms. TreeEnsembleClassifier and TreeEnsembleRegressor list nodes, including
 * leaves, by tree and number; TreeEnsemble lists tests and leaves by position. Both become one array of nodes. It is checked:
 * each test has two children, and every path ends at a leaf. */
#ifndef OB_OPS_ML_FOREST_H
#define OB_OPS_ML_FOREST_H

#include "kernels/ml/ml.h"
#include "ops/ml/params.h"

/* The numbers of TreeEnsemble. */
typedef enum ob_forest_mode {
    OB_FOREST_LEQ,
    OB_FOREST_LT,
    OB_FOREST_GTE,
    OB_FOREST_GT,
    OB_FOREST_EQ,
    OB_FOREST_NEQ,
    OB_FOREST_MEMBER,
    OB_FOREST_LEAF
} ob_forest_mode;
typedef enum ob_forest_aggregate { OB_FOREST_AVERAGE, OB_FOREST_SUM, OB_FOREST_MIN, OB_FOREST_MAX } ob_forest_aggregate;

typedef struct ob_forest_node {
    double value;
    uint32_t feature;
    uint32_t child[2];   /* for the results no and yes: indexes of nodes; unused for a leaf */
    uint32_t set, n_set; /* MEMBER: the elements of its set */
    uint32_t depth;      /* number of tests to the nearest leaf; UINT32_MAX: no tree contains the node */
    uint8_t mode;        /* ob_forest_mode */
    bool missing_yes;    /* NaN goes to child[1]; otherwise to child[0] */
} ob_forest_node;

typedef struct ob_forest_vote {
    double weight;
    uint32_t result;
} ob_forest_vote;

typedef struct ob_forest {
    ob_forest_node *nodes;
    uint32_t n_nodes, n_trees;
    uint32_t *roots;
    uint32_t *order; /* the n_reached nodes of the trees, each after a node that leads to it, or a root */
    uint32_t n_reached;
    uint32_t *first_vote; /* n_nodes + 1: the votes of node i are first_vote[i] .. first_vote[i + 1] - 1 */
    ob_forest_vote *votes;
    double *members;
    double *base; /* n_base: 0 or n_results, or 1 for a classifier of two classes */
    uint32_t n_base, n_results;
    uint32_t n_features; /* the greatest feature that nodes use, plus 1 */
    bool is_double;      /* thresholds or weights are double */
    bool is_classifier;
    ob_ml_labels labels; /* for a classifier */
    ob_forest_aggregate aggregate;
    ob_ml_transform transform;
} ob_forest;

/* Reads the attributes; all results are in `arena`. E_ARGUMENT, with a message, for invalid attributes. */
ob_status ob__read_forest(const ob_node *node, ob_arena *arena, ob_forest *out, ob_error *error);
/* Finds the nodes that trees contain, their depths and the number of features. For ob__read_forest. */
ob_status ob__walk_forest(ob_forest *forest, ob_arena *arena, ob_error *error);

/* The trees in the form for runs: all nodes have one kind of test, on rows of n_features. */
typedef struct ob_trees {
    const obk_tree_node_f32 *narrow; /* the nodes; or NULL, and `wide` has them */
    const obk_tree_node_f64 *wide;
    const obk_tree *trees;
    uint32_t n_trees, n_nodes;
    bool is_double;
    bool negates;               /* features from n_features on are the negated ones */
    bool single;                /* there is one result, and every leaf gives one number for it: its value */
    const uint32_t *first_vote; /* only if not `single`: n_nodes + 1 */
    const ob_forest_vote *votes;
} ob_trees;

/* The results are in `arena`; `scratch` is no longer needed after the call. */
ob_status ob__lower_forest(const ob_forest *forest, uint32_t n_features, bool is_double, ob_arena *arena, ob_arena *scratch,
                           ob_trees *out, ob_error *error);

#endif
