/* Questions about whole shapes. */
#ifndef OB_CORE_DIMS_SHAPE_H
#define OB_CORE_DIMS_SHAPE_H

#include "onnx_broadcast/broadcast.h"

/* True when the two shapes are known, without unknown sizes, and the same term by term. */
bool ob__same_shape(const ob_shape *a, const ob_shape *b);
/* True when the rank is known and every size is a number. */
bool ob__is_static(const ob_shape *shape);

#endif
