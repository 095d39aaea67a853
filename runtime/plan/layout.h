/* Views without data, as plans keep them. For runtime/ only. */
#ifndef OB_RUNTIME_PLAN_LAYOUT_H
#define OB_RUNTIME_PLAN_LAYOUT_H

#include "core/base/arena.h"
#include "onnx_broadcast/view.h"

/* A view without data, in only as much memory as its axes need; equal layouts are shared. */
typedef struct ob_layout {
    ob_dtype dtype;
    int32_t rank;
    int64_t sizes[]; /* dims, then strides */
} ob_layout;

/* The layout as a view of `data`; only existing axes are set. */
static inline void ob__layout_view(const ob_layout *layout, void *data, ob_view *out) {
    out->data = data;
    out->dtype = layout->dtype;
    out->rank = layout->rank;
    for (int32_t axis = 0; axis < layout->rank; axis++) {
        out->dims[axis] = layout->sizes[axis];
        out->strides[axis] = layout->sizes[layout->rank + axis];
    }
}
bool ob__fits_layout(const ob_layout *layout, const ob_view *view);
/* NULL: no memory. */
const ob_layout *ob__make_layout(ob_arena *arena, const ob_view *view);
/* A contiguous view without elements, for planning. Errors as ob_view_init. */
ob_status ob__view_layout(ob_view *view, ob_dtype dtype, int32_t rank, const int64_t *dims);

#endif
