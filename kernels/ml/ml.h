/* Ensembles of decision trees, distances to a table of vectors, and rows divided by their norms.
 *
 * A node of a tree tests x[feature] <= value: 1 leads to child[1], 0 or NaN to child[0]. A leaf leads to itself, its feature is
 * 0, and its value is the score of a tree with one result. All indices refer to one array of nodes and have been checked. */
#ifndef OB_KERNELS_ML_H
#define OB_KERNELS_ML_H

#include <stddef.h>
#include <stdint.h>

typedef struct obk_tree_node_f32 {
    float value;
    uint32_t feature, child[2];
} obk_tree_node_f32;

typedef struct obk_tree_node_f64 {
    double value;
    uint32_t feature, child[2];
} obk_tree_node_f64;

typedef struct obk_tree {
    uint32_t root, least; /* least: tests on the way to the nearest leaf */
} obk_tree;

enum { OBK_ML_BLOCK = 16 };

/* The norms: the greatest element, the sum of absolute values, the root of the sum of squares. */
typedef enum obk_ml_norm { OBK_ML_MAX, OBK_ML_L1, OBK_ML_L2, OBK_ML_NORMS } obk_ml_norm;

/* [0] for floats, [1] for doubles. */
typedef struct obk_ml {
    /* Finds the leaf for each of `rows` rows, which lie `stride` elements apart. */
    void (*leaves[2])(uint32_t *leaf, const void *nodes, obk_tree tree, const void *x, ptrdiff_t stride, ptrdiff_t rows);
    /* scores[i] += the value of leaf[i]. */
    void (*add_leaves[2])(void *scores, const void *nodes, const uint32_t *leaf, ptrdiff_t rows);
    /* Compares n features with `blocks` blocks of OBK_ML_BLOCK vectors, stored feature by feature, [blocks][n][OBK_ML_BLOCK]: the
     * sums over the features, in order, of products or of squared differences. */
    void (*products)(double *y, const double *x, const double *vectors, ptrdiff_t n, ptrdiff_t blocks);
    void (*distances)(double *y, const double *x, const double *vectors, ptrdiff_t n, ptrdiff_t blocks);
    /* Divides each of `rows` dense rows of n elements by its norm, rounded to float; a norm of 0 leaves the row as it is. y may
     * be x. */
    void (*normalize[OBK_ML_NORMS])(float *y, const float *x, ptrdiff_t n, ptrdiff_t rows);
} obk_ml;

#endif
