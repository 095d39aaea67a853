/* Where: moves elements by width. Compiled once for each instruction-set level. */
#include <string.h>

#include <stdbool.h>

#include "kernels/level.h"
#include "kernels/loop.h"

#define MEMBER where
#define ROWS   "kernels/elementwise/where.def"
#include "kernels/declare.inc.h"

typedef struct obk_bytes16 {
    uint64_t half[2];
} obk_bytes16;

#define T  uint8_t
#define FN OBK_FN(where_1)
#include "kernels/elementwise/where.inc.h"
#define T  uint16_t
#define FN OBK_FN(where_2)
#include "kernels/elementwise/where.inc.h"
#define T  uint32_t
#define FN OBK_FN(where_4)
#include "kernels/elementwise/where.inc.h"
#define T  uint64_t
#define FN OBK_FN(where_8)
#include "kernels/elementwise/where.inc.h"
#define T  obk_bytes16
#define FN OBK_FN(where_16)
#include "kernels/elementwise/where.inc.h"

const obk_loop OBK_TABLE(where)[5] = {
#define ROWS "kernels/elementwise/where.def"
#include "kernels/table.inc.h"
};
