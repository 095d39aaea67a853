/* Loops of normalizations. Compiled once for each instruction-set level. */
#include "kernels/norm/norm.h"
#include "kernels/level.h"

#include "kernels/vmath/vmath.h"

#define MEMBER norm
#define ROWS   "kernels/norm/norm.def"
#include "kernels/declare.inc.h"

#define T       float
#define S       f32
#define M(name) name##f
#include "kernels/norm/norm.inc.h"
#ifndef OBK_LOWER
#define T       double
#define S       f64
#define M(name) name
#include "kernels/norm/norm.inc.h"
#endif

const obk_norms OBK_TABLE(norm) = {
#define ROWS "kernels/norm/norm.def"
#include "kernels/table.inc.h"
};
