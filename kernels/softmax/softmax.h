/* Softmax and LogSoftmax of vectors: exp(x - max) / sum, and x - max - log(sum). The result of a vector does not depend on its
 * position. y may be x. n > 0. A long vector checks `pace` in between. */
#ifndef OB_KERNELS_SOFTMAX_H
#define OB_KERNELS_SOFTMAX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/pace.h"

enum { OBK_SOFTMAX_COLUMNS = 256, OBK_SOFTMAX_BYTES = 3 * OBK_SOFTMAX_COLUMNS * 8 };

/* A sum becomes its logarithm. */
typedef void obk_softmax_log(void *sum);
/* `rows` vectors of n elements, each dense, y_row and x_row elements apart. logarithm: for LogSoftmax; NULL: Softmax, which does
 * not link it then. */
typedef void obk_softmax_rows(void *y, int64_t y_row, const void *x, int64_t x_row, int64_t rows, int64_t n,
                              obk_softmax_log *logarithm, obk_pace *pace);

/* [0] is for floats, [1] for doubles. */
typedef struct obk_softmax {
    obk_softmax_rows *rows[2];
    obk_softmax_log *log[2];
    /* `width` vectors side by side, at most OBK_SOFTMAX_COLUMNS; the elements of a vector lie `stride` elements apart. memory:
     * OBK_SOFTMAX_BYTES, aligned to 64. */
    void (*columns[2])(void *y, const void *x, int64_t n, int64_t stride, int64_t width, bool logarithm, void *memory,
                       obk_pace *pace);
} obk_softmax;

#endif
