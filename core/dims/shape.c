#include "core/dims/shape.h"

bool ob__same_shape(const ob_shape *a, const ob_shape *b) {
    if (a->rank < 0 || a->rank != b->rank) return false;
    for (int32_t i = 0; i < a->rank; i++)
        if (a->dims[i] == OB_DIM_UNKNOWN || a->dims[i] != b->dims[i]) return false;
    return true;
}

bool ob__is_static(const ob_shape *shape) {
    for (int32_t i = 0; i < shape->rank; i++)
        if (!ob_dim_is_const(shape->dims[i]) || shape->dims[i] < 0) return false;
    return shape->rank >= 0;
}

bool ob__is_single(const ob_shape *shape) {
    for (int32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] != 1) return false;
    return shape->rank >= 0;
}
