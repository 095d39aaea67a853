#include "ops/infer/legacy.h"

#include "core/base/error.h"
#include "ops/table/attributes.h"

ob_status ob__legacy_align_at(const ob_view *a, ob_view *b, bool axis_given, int64_t axis, ob_error *error) {
    const ob_shape first = {a->rank, a->dims}, second = {b->rank, b->dims};
    int64_t places[OB_MAX_RANK];
    OB_TRY(ob_broadcast_legacy(&first, &second, axis_given, axis, NULL, NULL, NULL, places, error));
    ob_view aligned = {.data = b->data, .dtype = b->dtype, .rank = a->rank};
    for (int32_t i = 0; i < a->rank; i++) aligned.dims[i] = 1;
    for (int32_t i = 0; i < b->rank; i++) {
        aligned.dims[places[i]] = b->dims[i];
        aligned.strides[places[i]] = b->strides[i];
    }
    *b = aligned;
    return OB_OK;
}

ob_status ob__legacy_align(const ob_node *node, const ob_view *a, ob_view *b, ob_error *error) {
    const ob_legacy_axis placed = ob__legacy_axis(node);
    if (ob__attribute_flag(node, "broadcast")) return ob__legacy_align_at(a, b, placed.given, placed.axis, error);
    bool equal = a->rank == b->rank;
    for (int32_t i = 0; equal && i < a->rank; i++) equal = a->dims[i] == b->dims[i];
    OB_FAIL_IF(!equal, error, OB_E_SHAPE, "shapes differ and attribute broadcast is not 1");
    return OB_OK;
}
