/* Template of kernel.c, included once per REAL: mean and norm. */

typedef struct NAME(sum_plane) {
    const REAL *x;
    REAL *y;
    kind kind;
    REAL p;
} NAME(sum_plane);

static void NAME(sum_row)(void *context, int64_t tap, int64_t out, int64_t in, int64_t n, int64_t step) {
    (void)tap;
    const NAME(sum_plane) *s = context;
    const REAL *x = s->x + in;
    REAL *y = s->y + out;
    if (s->kind == POOL_AVERAGE && step == 1)
        for (int64_t i = 0; i < n; i++) y[i] += x[i];
    else if (s->kind == POOL_AVERAGE)
        for (int64_t i = 0; i < n; i++) y[i] += x[i * step];
    else if (s->p == 2)
        for (int64_t i = 0; i < n; i++) y[i] += x[i * step] * x[i * step];
    else
        for (int64_t i = 0; i < n; i++) y[i] += POW(x[i * step] < 0 ? -x[i * step] : x[i * step], s->p);
}

static void NAME(divide)(const pool *p, REAL *y) {
    const ob__window *w = &p->window;
    int64_t index[OB_MAX_RANK] = {0};
    for (int64_t o = 0; o < w->n_out; o++) {
        int64_t taps = 1;
        for (int32_t a = 0; a < w->rank; a++) taps *= ob__window_taps(w, a, index[a], p->count_padding);
        y[o] = taps > 0 ? y[o] / (REAL)taps : 0;
        for (int32_t a = w->rank - 1; a >= 0; a--) {
            if (++index[a] < w->out[a]) break;
            index[a] = 0;
        }
    }
}

static void NAME(sum_planes)(void *context, int64_t begin, int64_t end) {
    const pool *p = context;
    const ob__window *w = &p->window;
    for (int64_t i = begin; i < end; i++) {
        NAME(sum_plane)
        plane = {.x = (const REAL *)p->in + i * w->n_in, .y = (REAL *)p->out + i * w->n_out, .kind = p->kind, .p = (REAL)p->p};
        memset(plane.y, 0, (size_t)w->n_out * sizeof(REAL));
        ob__window_walk(w, NAME(sum_row), &plane);
        if (p->kind == POOL_AVERAGE)
            NAME(divide)(p, plane.y);
        else
            for (int64_t o = 0; o < w->n_out; o++) plane.y[o] = POW(plane.y[o], 1 / (REAL)p->p);
    }
}

#undef REAL
#undef NAME
#undef POW
