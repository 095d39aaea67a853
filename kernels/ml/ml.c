/* Trees, tables of vectors, norms of rows. Compiled once for each instruction-set level, with the same bits: nothing is
 * contracted or reordered. */
#include <math.h>
#include <string.h>

#include <stdbool.h>

#include "kernels/level.h"
#include "kernels/ml/ml.h"
#include "kernels/vector.h"

#define T    float
#define NODE obk_tree_node_f32
#define S    f32
#include "kernels/ml/trees.inc.h"
#define T    double
#define NODE obk_tree_node_f64
#define S    f64
#include "kernels/ml/trees.inc.h"

#define FN         products
#define TERM(x, v) ((x) * (v))
#include "kernels/ml/sums.inc.h"
#define FN         distances
#define TERM(x, v) (((x) - (v)) * ((x) - (v)))
#include "kernels/ml/sums.inc.h"

#include "kernels/ml/normalize.inc.h"

const obk_ml OBK_TABLE(ml) = {.leaves = {leaves_f32, leaves_f64},
                              .add_leaves = {add_leaves_f32, add_leaves_f64},
                              .products = products,
                              .distances = distances,
                              .normalize = {normalize_max, normalize_l1, normalize_l2}};
