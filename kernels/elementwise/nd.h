/* Iteration over n operands: shapes become a short list of merged axes with one byte stride for each operand. Broadcasting
 * happens only here: a stretched axis has stride 0. */
#ifndef OB_KERNELS_ELEMENTWISE_ND_H
#define OB_KERNELS_ELEMENTWISE_ND_H

#include "onnx_broadcast/view.h"

/* Axes outermost first. Operands are numbered inputs first, then outputs. */
typedef struct obk_nd {
    int32_t rank; /* after merging; at least 1 */
    uint32_t n_inputs, n_outputs;
    int64_t n_elems;  /* elements of the common shape; 0: nothing to do */
    int64_t *dims;    /* borrowed */
    int64_t *strides; /* borrowed: bytes, [axis * (n_inputs + n_outputs) + operand] */
} obk_nd;

/* Entries that obk_nd_init needs in `room`, for dims and then strides. */
#define OBK_ND_ROOM(n_operands) OBK_ND_ROOM_OF(OB_MAX_RANK, n_operands)
/* The same if no operand has more axes than `rank`, which is at least 1. */
#define OBK_ND_ROOM_OF(rank, n_operands) ((size_t)OB_MAX_RANK + (size_t)(rank) * (n_operands))

/* Right-aligns the inputs with the outputs, removes axes of size 1, orders axes by the first output's strides (without outputs,
 * the first input's) and merges axes that all operands allow to merge. Without inputs the first output gives the shape. Data
 * pointers are not used. E_SHAPE: the inputs do not broadcast, or an output does not have exactly the common shape. E_LIMIT: too
 * many elements. */
ob_status obk_nd_init(obk_nd *nd, int64_t *room, const ob_view *inputs, size_t n_inputs, const ob_view *outputs, size_t n_outputs,
                      ob_error *error);

/* The stride of operand `k` along `axis`. */
static inline int64_t obk_nd_stride(const obk_nd *nd, int32_t axis, uint32_t k) {
    return nd->strides[(size_t)axis * (nd->n_inputs + nd->n_outputs) + k];
}

#endif
