/* The index of the largest or smallest element. Compiled once for each instruction-set level. */
#include <string.h>

#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/reduce/reduce.h"

#define MEMBER find
#define ROWS   "kernels/reduce/find.def"
#include "kernels/declare.inc.h"

#define LOOP(name) OBK_FN(name)

#define T      float
#define S      f32
#define IS_NAN FLOAT_NAN
#include "kernels/reduce/find.inc.h"

const obk_finds OBK_TABLE(find) = {
#define ROWS "kernels/reduce/find.def"
#include "kernels/table.inc.h"
};
