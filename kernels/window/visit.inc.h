/* Visits the kernel positions of one result that read the input, row by row. Used if the plane is not tiled. */
#ifndef OBK_VISIT
#define OBK_VISIT

#include "kernels/window/window.h"
#include "onnx_broadcast/broadcast.h"

/* The kernel positions of a result that read the input: first .. end along each axis, and the current position. */
typedef struct obk_visit {
    int64_t first[OB_MAX_RANK], end[OB_MAX_RANK], position[OB_MAX_RANK];
    bool any;
} obk_visit;

static inline void obk_start_visit(const obk_window *w, int64_t o, obk_visit *v) {
    v->any = true;
    for (int32_t a = w->rank - 1; a >= 0; a--) {
        obk_kernel_range(&w->axes[a], o % w->axes[a].out, &v->first[a], &v->end[a]);
        o /= w->axes[a].out;
        v->position[a] = v->first[a];
        v->any = v->any && v->end[a] > v->first[a];
    }
}

/* The element that the current kernel position reads. */
static inline int64_t obk_seen(const obk_window *w, const obk_visit *v, int64_t o) {
    int64_t at = 0, scale = 1;
    for (int32_t a = w->rank - 1; a >= 0; a--) {
        const obk_axis *x = &w->axes[a];
        at += (o % x->out * x->stride - x->before + v->position[a] * x->dilation) * scale;
        scale *= x->in;
        o /= x->out;
    }
    return at;
}

/* Advances along all axes but the last. False: there are no more rows. */
static inline bool obk_next_row(const obk_window *w, obk_visit *v) {
    for (int32_t a = w->rank - 2; a >= 0; a--) {
        if (++v->position[a] < v->end[a]) return true;
        v->position[a] = v->first[a];
    }
    return false;
}

#endif
