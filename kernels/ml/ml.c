/* Trees, tables of vectors, norms of rows. Compiled once for each instruction-set level, with the same bits: nothing is
 * contracted or reordered. */
#include <math.h>
#include <string.h>

#include <stdbool.h>

#include "kernels/level.h"
#include "kernels/ml/ml.h"
#include "kernels/vector.h"

#define MEMBER ml
#define ROWS   "kernels/ml/ml.def"
#include "kernels/declare.inc.h"

#define T    float
#define NODE obk_tree_node_f32
#define S    f32
#include "kernels/ml/trees.inc.h"
#define T    double
#define NODE obk_tree_node_f64
#define S    f64
#include "kernels/ml/trees.inc.h"

#define FN         OBK_FN(ml_products)
#define TERM(x, v) ((x) * (v))
#include "kernels/ml/sums.inc.h"
#define FN         OBK_FN(ml_distances)
#define TERM(x, v) (((x) - (v)) * ((x) - (v)))
#include "kernels/ml/sums.inc.h"

#include "kernels/ml/normalize.inc.h"

const obk_ml OBK_TABLE(ml) = {
#define ROWS "kernels/ml/ml.def"
#include "kernels/table.inc.h"
};
