/* Template of conv.c, included once per REAL. */

static void NAME(fill)(REAL *y, int64_t n, const job *j, int64_t map) {
    REAL value = j->bias ? ((const REAL *)j->bias)[map] : 0;
    for (int64_t i = 0; i < n; i++) y[i] = value;
}

typedef struct NAME(plane) {
    const REAL *x, *w;
    REAL *y;
} NAME(plane);

static void NAME(add_row)(void *context, int64_t tap, int64_t out, int64_t in, int64_t n, int64_t step) {
    const NAME(plane) *p = context;
    const REAL *x = p->x + in;
    REAL *y = p->y + out, w = p->w[tap];
    if (step == 1)
        for (int64_t i = 0; i < n; i++) y[i] += w * x[i];
    else if (step == 2)
        for (int64_t i = 0; i < n; i++) y[i] += w * x[i * 2];
    else
        for (int64_t i = 0; i < n; i++) y[i] += w * x[i * step];
}

/* Planes of the result begin .. end, each from one plane of the input. */
static void NAME(depthwise)(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const conv *c = j->c;
    for (int64_t i = begin; i < end; i++) {
        int64_t map = i % (c->groups * c->maps), plane = i / c->maps;
        NAME(plane)
        p = {.x = (const REAL *)j->x + plane * c->window.n_in,
             .w = (const REAL *)j->w + map * c->window.n_taps,
             .y = (REAL *)j->y + i * c->window.n_out};
        NAME(fill)(p.y, c->window.n_out, j, map);
        ob__window_walk(&c->window, NAME(add_row), &p);
    }
}

/* One row of the unfolded matrix: what a tap sees at positions begin .. end of the plane. */
static void NAME(unfold_tap)(const ob__window *w, const int64_t *k, const REAL *x, int64_t begin, int64_t end, REAL *column) {
    int32_t last = w->rank - 1;
    int64_t length = w->out[last], index[OB_MAX_RANK], first, reach_end;
    ob__window_reach(w, last, k[last], &first, &reach_end);
    for (int64_t rest = begin / length, a = last - 1; a >= 0; a--) {
        index[a] = rest % w->out[a];
        rest /= w->out[a];
    }
    for (int64_t at = begin; at < end;) {
        int64_t from = at % length, n = length - from < end - at ? length - from : end - at;
        int64_t in = 0;
        bool inside = true;
        for (int32_t a = 0; a < last; a++) {
            int64_t i = index[a] * w->stride[a] - w->before[a] + k[a] * w->dilation[a];
            inside = inside && i >= 0 && i < w->in[a];
            in = in * w->in[a] + i;
        }
        int64_t low = first > from ? first : from, high = reach_end < from + n ? reach_end : from + n;
        if (!inside || high <= low) {
            memset(column, 0, (size_t)n * sizeof(REAL));
        } else {
            const REAL *row = x + in * w->in[last] + low * w->stride[last] - w->before[last] + k[last] * w->dilation[last];
            int64_t left = low - from, middle = high - low, right = from + n - high;
            for (int64_t i = 0; i < left; i++) column[i] = 0;
            if (w->stride[last] == 1)
                memcpy(column + left, row, (size_t)middle * sizeof(REAL));
            else
                for (int64_t i = 0; i < middle; i++) column[left + i] = row[i * w->stride[last]];
            for (int64_t i = 0; i < right; i++) column[left + middle + i] = 0;
        }
        column += n;
        at += n;
        for (int32_t a = last - 1; a >= 0; a--) {
            if (++index[a] < w->out[a]) break;
            index[a] = 0;
        }
    }
}

static void NAME(unfold)(const conv *c, const REAL *x, int64_t begin, int64_t end, REAL *columns) {
    const ob__window *w = &c->window;
    for (int64_t channel = 0; channel < c->channels; channel++) {
        int64_t k[OB_MAX_RANK] = {0};
        for (int64_t tap = 0; tap < w->n_taps; tap++) {
            NAME(unfold_tap)(w, k, x, begin, end, columns);
            columns += end - begin;
            for (int32_t a = w->rank - 1; a >= 0; a--) {
                if (++k[a] < w->kernel[a]) break;
                k[a] = 0;
            }
        }
        x += w->n_in;
    }
}

/* Blocks of positions begin .. end, counted over all planes. */
static void NAME(blocks)(void *context, int64_t begin, int64_t end) {
    job *j = context;
    const conv *c = j->c;
    int64_t n_out = c->window.n_out, blocks = (n_out + c->block - 1) / c->block;
    int slot = c->direct ? -1 : take_slot(j);
    for (int64_t i = begin; i < end; i++) {
        int64_t plane = i / blocks, group = plane % c->groups, first = i % blocks * c->block;
        int64_t n = n_out - first < c->block ? n_out - first : c->block;
        const REAL *x = (const REAL *)j->x + plane * c->channels * c->window.n_in;
        const REAL *w = (const REAL *)j->w + group * c->maps * c->depth;
        REAL *y = (REAL *)j->y + plane * c->maps * n_out + first;
        if (j->bias)
            for (int64_t m = 0; m < c->maps; m++) NAME(fill)(y + m * n_out, n, j, group * c->maps + m);
        int64_t depth = c->depth > 0 ? c->depth : 1;
        if (c->direct) {
            GEMM(false, false, c->maps, n, c->depth, 1, w, depth, x + first, c->window.n_in, j->bias ? 1 : 0, y, n_out);
        } else {
            REAL *columns = (REAL *)j->columns + slot * c->block * c->depth;
            NAME(unfold)(c, x, first, first + n, columns);
            GEMM(false, false, c->maps, n, c->depth, 1, w, depth, columns, n, j->bias ? 1 : 0, y, n_out);
        }
    }
    if (slot >= 0) free_slot(j, slot);
}

#undef REAL
#undef NAME
#undef GEMM
