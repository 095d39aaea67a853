#include "ops/infer/body_values.h"

bool ob__make_body_values(ob_infer *infer, uint32_t n, ob_body_values *out) {
    out->types = OB_ARENA_ARRAY(infer->arena, ob_type, n);
    out->contents = OB_ARENA_ARRAY(infer->arena, ob_content, n);
    if (!out->types || !out->contents) return false;
    for (uint32_t i = 0; i < n; i++) out->types[i] = (ob_type){.shape = {OB_RANK_UNKNOWN, NULL}};
    return true;
}

ob_status ob__out_stacked(ob_infer *infer, uint32_t output, const ob_type *item, ob_dim n, int64_t axis) {
    ob_dim dims[OB_MAX_RANK];
    int32_t at;
    ob__out_dtype(infer, output, item->kind == OB_TYPE_TENSOR ? item->dtype : OB_NONE);
    if (item->kind != OB_TYPE_TENSOR || item->shape.rank < 0 || item->shape.rank >= OB_MAX_RANK) return OB_OK;
    if (!ob__axis_in(infer, axis, item->shape.rank + 1, &at)) return OB_OK;
    for (int32_t k = 0, i = 0; k <= item->shape.rank; k++) dims[k] = k == at ? n : item->shape.dims[i++];
    return ob__out_tensor(infer, output, OB_NONE, item->shape.rank + 1, dims);
}
