#include "ops/legacy.h"

#include "core/error.h"

ob_status ob__legacy_align_at(const ob_view *a, ob_view *b, bool axis_given, int64_t axis, ob_error *error) {
    int32_t rank = a->rank, own = b->rank;
    OB_FAIL_IF(own > rank, error, OB_E_SHAPE, "the second operand has rank %d, more than the first one's %d", (int)own,
               (int)rank);
    int64_t first = !axis_given ? rank - own : axis < 0 ? axis + rank : axis;
    OB_FAIL_IF(first < 0 || first + own > rank, error, OB_E_SHAPE, "axis %lld puts %d axes outside of rank %d", (long long)axis,
               (int)own, (int)rank);
    ob_view aligned = {.data = b->data, .dtype = b->dtype, .rank = rank};
    for (int32_t i = 0; i < rank; i++) {
        int32_t from = i - (int32_t)first;
        bool inside = from >= 0 && from < own;
        aligned.dims[i] = inside ? b->dims[from] : 1;
        aligned.strides[i] = inside ? b->strides[from] : 0;
        if (aligned.dims[i] == 1 || aligned.dims[i] == a->dims[i]) continue;
        if (error) error->axis = i;
        return ob__fail(error, OB_E_SHAPE, "axis %d: size %lld of the second operand does not broadcast to %lld", (int)i,
                        (long long)aligned.dims[i], (long long)a->dims[i]);
    }
    *b = aligned;
    return OB_OK;
}

ob_status ob__legacy_align(const ob_node *node, const ob_view *a, ob_view *b, ob_error *error) {
    if (ob__node_int(node, "broadcast", 0) != 0)
        return ob__legacy_align_at(a, b, ob__node_attribute(node, "axis") != NULL, ob__node_int(node, "axis", 0), error);
    bool equal = a->rank == b->rank;
    for (int32_t i = 0; equal && i < a->rank; i++) equal = a->dims[i] == b->dims[i];
    OB_FAIL_IF(!equal, error, OB_E_SHAPE, "shapes differ and attribute broadcast is not 1");
    return OB_OK;
}
