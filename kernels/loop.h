/* Function types of loops that several families share. */
#ifndef OB_KERNELS_LOOP_H
#define OB_KERNELS_LOOP_H

#include <stdint.h>

#include "onnx_broadcast/dtype.h"

/* Computes `rows` rows of n elements. pointers: inputs, then the output. step[k] is 0 or the size of input k's element; all steps
 * are 0 only if n is 1. The output is contiguous within a row. row[k] is the distance from row to row in bytes, any value. An
 * output may equal an input exactly but must not overlap it partially. */
typedef void (*obk_loop)(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows,
                         const void *params);
/* Converts n contiguous elements; dst and src do not overlap. */
typedef void (*obk_convert)(void *dst, const void *src, int64_t n);

typedef obk_loop obk_loops[OB_DTYPE_COUNT];       /* by the type of the operands */
typedef obk_convert obk_converts[OB_DTYPE_COUNT]; /* by the type that is converted */

#endif
