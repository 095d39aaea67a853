/* Softmax and LogSoftmax. Compiled once for each instruction-set level. */
#include "kernels/softmax/softmax.h"
#include "kernels/level.h"

#include "kernels/plain.h"
#include "kernels/vector.h"
#include "kernels/vmath/vmath.h"

#define MEMBER softmax
#define ROWS   "kernels/softmax/softmax.def"
#include "kernels/declare.inc.h"

/* For the current type T: a block on the stack has 1 KiB. */
#define BLOCK_ELEMS (1024 / (int64_t)sizeof(T))
enum { PIECE = 1 << 16, ROWS_APART = 64, TOGETHER = 4, TOGETHER_BYTES = 16384 };

/* Loops over rows i of `width` elements, first .. n - 1, in pieces; between them the caller may stop the run. */
#define IN_PIECES(i, first, n, width, pace)                                                                                      \
    for (int64_t piece_ = (first), end_; piece_ < (n) && !obk_stops(pace, ROWS_APART * (width)); piece_ = end_)                  \
        for (int64_t i = (end_ = (n)-piece_ < ROWS_APART ? (n) : piece_ + ROWS_APART, piece_); i < end_; i++)

#define T       float
#define S       f32
#define M(name) name##f
#include "kernels/softmax/softmax.inc.h"
#ifndef OBK_LOWER
#define T       double
#define S       f64
#define M(name) name
#include "kernels/softmax/softmax.inc.h"
#endif

const obk_softmax OBK_TABLE(softmax) = {
#define ROWS "kernels/softmax/softmax.def"
#include "kernels/table.inc.h"
};
