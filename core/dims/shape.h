/* Questions about whole shapes. */
#ifndef OB_CORE_DIMS_SHAPE_H
#define OB_CORE_DIMS_SHAPE_H

#include "onnx_broadcast/broadcast.h"

/* True if both shapes are known, have no unknown sizes, and are equal term by term. */
bool ob__same_shape(const ob_shape *a, const ob_shape *b);
/* True if the rank is known and every size is a number. */
bool ob__is_static(const ob_shape *shape);
/* True if the rank is known and every size is 1: one element. */
bool ob__is_single(const ob_shape *shape);

#endif
