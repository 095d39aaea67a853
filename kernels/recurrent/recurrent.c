/* Cells of recurrent layers. Compiled once for each instruction-set level. */
#include "kernels/recurrent/recurrent.h"
#include "kernels/level.h"

#include <stddef.h>

#define MEMBER recurrent
#define ROWS   "kernels/recurrent/recurrent.def"
#include "kernels/declare.inc.h"

#define T float
#define S f32
#include "kernels/recurrent/recurrent.inc.h"
#define T double
#define S f64
#include "kernels/recurrent/recurrent.inc.h"

const obk_recurrent OBK_TABLE(recurrent) = {
#define ROWS "kernels/recurrent/recurrent.def"
#include "kernels/table.inc.h"
};
