/* Interpolation. Compiled once for each instruction-set level. */
#include "kernels/sample/sample.h"
#include "kernels/level.h"

#include <stddef.h>

#include "kernels/vector.h"

#define MEMBER sample
#define ROWS   "kernels/sample/sample.def"
#include "kernels/declare.inc.h"

#define T    float
#define S    f32
#define EACH OBK_EACH_F32
#include "kernels/sample/sample.inc.h"
#define T    double
#define S    f64
#define EACH OBK_EACH_F64
#include "kernels/sample/sample.inc.h"

const obk_samples OBK_TABLE(sample) = {
#define ROWS "kernels/sample/sample.def"
#include "kernels/table.inc.h"
};
