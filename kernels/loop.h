/* The forms of loops that several families share. */
#ifndef OB_KERNELS_LOOP_H
#define OB_KERNELS_LOOP_H

#include <stdint.h>

#include "onnx_broadcast/dtype.h"

/* `rows` rows of n elements. pointers: inputs, then the output. step[k] is 0 or the size of input k's element; not every step is
 * 0 unless n is 1; the output is contiguous within a row. row[k] is the distance in bytes from row to row, any value. An output
 * may equal an input exactly, never overlap it partially. */
typedef void (*obk_loop)(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows,
                         const void *params);
/* n contiguous elements; dst and src do not overlap. */
typedef void (*obk_convert)(void *dst, const void *src, int64_t n);

typedef obk_loop obk_loops[OB_DTYPE_COUNT];       /* by the type of the operands */
typedef obk_convert obk_converts[OB_DTYPE_COUNT]; /* by the type that is converted */

#endif
