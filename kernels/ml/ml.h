/* Ensembles of decision trees, vectors against a table of vectors, and rows by their norms.
 *
 * A tree is made of nodes with one question: x[feature] <= value? 1 leads to child[1], 0 or NaN to child[0]. A leaf leads to
 * itself, its feature is 0, and its value is what a tree of one result gives. All indices are those of one array of nodes, and
 * were checked. */
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
    uint32_t root, least; /* least: questions on the way to the nearest leaf */
} obk_tree;

enum { OBK_ML_BLOCK = 16 };

/* What a row is divided by: its greatest element, the sum of its absolute values, the root of the sum of its squares. */
typedef enum obk_ml_norm { OBK_ML_MAX, OBK_ML_L1, OBK_ML_L2, OBK_ML_NORMS } obk_ml_norm;

/* [0] of floats, [1] of doubles. */
typedef struct obk_ml {
    /* The leaf that each of `rows` rows comes to, `stride` elements apart. */
    void (*leaves[2])(uint32_t *leaf, const void *nodes, obk_tree tree, const void *x, ptrdiff_t stride, ptrdiff_t rows);
    /* scores[i] += the value of leaf[i]. */
    void (*add_leaves[2])(void *scores, const void *nodes, const uint32_t *leaf, ptrdiff_t rows);
    /* n features against `blocks` blocks of OBK_ML_BLOCK vectors that lie feature by feature, [blocks][n][OBK_ML_BLOCK]: sums
     * over the features, in their order, of products, and of squares of differences. */
    void (*products)(double *y, const double *x, const double *vectors, ptrdiff_t n, ptrdiff_t blocks);
    void (*distances)(double *y, const double *x, const double *vectors, ptrdiff_t n, ptrdiff_t blocks);
    /* Each of `rows` dense rows of n elements by its norm, which is rounded to a float; 0 divides nothing. y may be x. */
    void (*normalize[OBK_ML_NORMS])(float *y, const float *x, ptrdiff_t n, ptrdiff_t rows);
} obk_ml;

#endif
