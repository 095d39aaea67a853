/* Ensembles of trees as attributes say them, in either form: TreeEnsembleClassifier and TreeEnsembleRegressor list nodes, leaves
 * among them, by the numbers of their trees; TreeEnsemble lists questions and leaves by position. Both become one array of nodes,
 * which is checked: each question has two answers, each way ends at a leaf. */
#ifndef OB_OPS_ML_FOREST_H
#define OB_OPS_ML_FOREST_H

#include "kernels/ml/ml.h"
#include "ops/ml/params.h"

/* As TreeEnsemble numbers them. */
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
    uint32_t child[2];   /* of the answers no and yes: positions among the nodes; of a leaf nothing */
    uint32_t set, n_set; /* MEMBER: its members */
    uint32_t depth;      /* questions to the nearest leaf; UINT32_MAX: no tree comes here */
    uint8_t mode;        /* ob_forest_mode */
    bool missing_yes;    /* NaN goes to child[1], else to child[0] */
} ob_forest_node;

typedef struct ob_forest_vote {
    double weight;
    uint32_t result;
} ob_forest_vote;

typedef struct ob_forest {
    ob_forest_node *nodes;
    uint32_t n_nodes, n_trees;
    uint32_t *roots;
    uint32_t *order; /* the n_reached nodes that trees come to, each behind one that leads to it, or a root */
    uint32_t n_reached;
    uint32_t *first_vote; /* n_nodes + 1: votes of node i are first_vote[i] .. first_vote[i + 1] */
    ob_forest_vote *votes;
    double *members;
    double *base; /* n_base: 0, or n_results; of a classifier of two classes also 1 */
    uint32_t n_base, n_results;
    uint32_t n_features; /* that nodes ask for: the greatest and 1 */
    bool is_double;      /* thresholds or weights are */
    bool is_classifier;
    ob_ml_labels labels; /* of a classifier */
    ob_forest_aggregate aggregate;
    ob_ml_transform transform;
} ob_forest;

/* Everything in `arena`. E_ARGUMENT says what is wrong with the attributes. */
ob_status ob__read_forest(const ob_node *node, ob_arena *arena, ob_forest *out, ob_error *error);
/* Finds what trees come to, depths and features. For ob__read_forest. */
ob_status ob__walk_forest(ob_forest *forest, ob_arena *arena, ob_error *error);

/* What runs: nodes of one kind of question for rows of n_features. */
typedef struct ob_trees {
    const void *nodes; /* obk_tree_node_f32 or _f64 */
    const obk_tree *trees;
    uint32_t n_trees, n_nodes;
    bool is_double;
    bool negates;               /* features n_features ... are the negated ones */
    bool single;                /* every leaf gives one number to the one result: its value */
    const uint32_t *first_vote; /* unless `single`: n_nodes + 1 */
    const ob_forest_vote *votes;
} ob_trees;

/* Everything that stays in `arena`; `scratch` may go afterwards. */
ob_status ob__lower_forest(const ob_forest *forest, uint32_t n_features, bool is_double, ob_arena *arena, ob_arena *scratch,
                           ob_trees *out, ob_error *error);

#endif
