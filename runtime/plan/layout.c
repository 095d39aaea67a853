#include "runtime/plan/layout.h"

#include <string.h>

#include "core/base/error.h"

static size_t layout_bytes(int32_t rank) {
    return sizeof(ob_layout) + 2 * (size_t)(rank > 0 ? rank : 0) * sizeof(int64_t);
}

bool ob__fits_layout(const ob_layout *layout, const ob_view *view) {
    if (layout->dtype != view->dtype || layout->rank != view->rank) return false;
    for (int32_t axis = 0; axis < view->rank; axis++)
        if (layout->sizes[axis] != view->dims[axis] || layout->sizes[view->rank + axis] != view->strides[axis]) return false;
    return true;
}

const ob_layout *ob__make_layout(ob_arena *arena, const ob_view *view) {
    ob_layout *made = ob__arena_alloc(arena, layout_bytes(view->rank));
    if (!made) return NULL;
    made->dtype = view->dtype;
    made->rank = view->rank;
    for (int32_t axis = 0; axis < view->rank; axis++) {
        made->sizes[axis] = view->dims[axis];
        made->sizes[view->rank + axis] = view->strides[axis];
    }
    return made;
}

ob_status ob__view_layout(ob_view *view, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    char somewhere;
    OB_TRY(ob_view_init(view, &somewhere, dtype, rank, dims));
    view->data = NULL;
    return OB_OK;
}
