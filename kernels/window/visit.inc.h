/* A walk over the taps of one result that see the input, row by row: where no tiling serves. */
#ifndef OBK_VISIT
#define OBK_VISIT

#include "kernels/window/window.h"
#include "onnx_broadcast/broadcast.h"

/* The taps of a result that see the input: first .. end of each axis, and where the walk over them is. */
typedef struct obk_visit {
    int64_t first[OB_MAX_RANK], end[OB_MAX_RANK], tap[OB_MAX_RANK];
    bool any;
} obk_visit;

static inline void obk_start_visit(const obk_window *w, int64_t o, obk_visit *v) {
    v->any = true;
    for (int32_t a = w->rank - 1; a >= 0; a--) {
        obk_taps(&w->axes[a], o % w->axes[a].out, &v->first[a], &v->end[a]);
        o /= w->axes[a].out;
        v->tap[a] = v->first[a];
        v->any = v->any && v->end[a] > v->first[a];
    }
}

/* The element that the tap sees. */
static inline int64_t obk_seen(const obk_window *w, const obk_visit *v, int64_t o) {
    int64_t at = 0, scale = 1;
    for (int32_t a = w->rank - 1; a >= 0; a--) {
        const obk_axis *x = &w->axes[a];
        at += (o % x->out * x->stride - x->before + v->tap[a] * x->dilation) * scale;
        scale *= x->in;
        o /= x->out;
    }
    return at;
}

/* Steps the axes before the last one. */
static inline bool obk_next_row(const obk_window *w, obk_visit *v) {
    for (int32_t a = w->rank - 2; a >= 0; a--) {
        if (++v->tap[a] < v->end[a]) return true;
        v->tap[a] = v->first[a];
    }
    return false;
}

#endif
