/* Elements gathered from a strided view into dense memory and back, by element width. */
#ifndef OB_OPS_ELEMENTWISE_PACK_H
#define OB_OPS_ELEMENTWISE_PACK_H

#include <stdbool.h>

#include "onnx_broadcast/view.h"

/* Axes outermost first, merged where the strides allow. Start from {.n_elems = 1}. */
typedef struct ob_pack_shape {
    int32_t rank;
    int64_t n_elems;
    int64_t dims[OB_MAX_RANK], strides[OB_MAX_RANK];
} ob_pack_shape;

void ob__pack_append(ob_pack_shape *shape, int64_t size, int64_t stride);
bool ob__pack_is_dense(const ob_pack_shape *shape, size_t elem_bytes);
/* elem_bytes is 1, 2, 4, 8 or 16; source and target do not overlap. Nothing needs to be aligned. */
void ob__pack(char *target, const char *source, size_t elem_bytes, const ob_pack_shape *shape);
void ob__unpack(char *target, const char *source, size_t elem_bytes, const ob_pack_shape *shape);
/* n elements, source step 0 or elem_bytes. */
void ob__copy_row(char *target, const char *source, int64_t step, int64_t n, size_t elem_bytes);
#endif
