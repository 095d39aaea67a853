/* Template of kernel.c, included once per element type T. */

typedef struct NAME(max_plane) {
    const T *x;
    T *y;
    int64_t *at; /* -1: nothing seen yet */
} NAME(max_plane);

static void NAME(max_row)(void *context, int64_t tap, int64_t out, int64_t in, int64_t n, int64_t step) {
    (void)tap;
    const NAME(max_plane) *p = context;
    const T *x = p->x + in;
    T *y = p->y + out;
    if (p->at) {
        for (int64_t i = 0; i < n; i++) {
            if (p->at[out + i] >= 0 && (x[i * step] <= y[i] || IS_NAN(y[i]))) continue;
            y[i] = x[i * step];
            p->at[out + i] = in + i * step;
        }
    } else if (step == 1) {
        for (int64_t i = 0; i < n; i++) y[i] = x[i] <= y[i] || IS_NAN(y[i]) ? y[i] : x[i];
    } else {
        for (int64_t i = 0; i < n; i++) y[i] = x[i * step] <= y[i] || IS_NAN(y[i]) ? y[i] : x[i * step];
    }
}

static void NAME(max_planes)(void *context, int64_t begin, int64_t end) {
    const pool *p = context;
    const ob__window *w = &p->window;
    for (int64_t i = begin; i < end; i++) {
        NAME(max_plane) plane = {.x = (const T *)p->in + i * w->n_in, .y = (T *)p->out + i * w->n_out};
        if (p->indices) plane.at = p->indices + i * w->n_out;
        for (int64_t o = 0; o < w->n_out; o++) {
            plane.y[o] = LOWEST;
            if (plane.at) plane.at[o] = -1;
        }
        ob__window_walk(w, NAME(max_row), &plane);
        for (int64_t o = 0; plane.at && o < w->n_out; o++) {
            int64_t at = plane.at[o] < 0 ? 0 : plane.at[o];
            if (p->column_major) { /* the first spatial axis runs fastest */
                int64_t rest = at, index[OB_MAX_RANK];
                for (int32_t a = w->rank - 1; a >= 0; a--) {
                    index[a] = rest % w->in[a];
                    rest /= w->in[a];
                }
                at = 0;
                for (int32_t a = w->rank - 1; a >= 0; a--) at = at * w->in[a] + index[a];
            }
            plane.at[o] = at + i * w->n_in;
        }
    }
}

#undef T
#undef NAME
#undef LOWEST
#undef IS_NAN
