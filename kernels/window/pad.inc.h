/* Template of pad.c. Parameters: T, PAD its name. */

static inline void OBK_CAT(PAD, _take)(T *restrict to, const T *restrict from, int64_t n, int64_t stride) {
    if (stride == 1)
        obk_copy_row(to, from, n * (int64_t)sizeof(T));
    else if (stride == 2)
        for (int64_t i = 0; i < n; i++) to[i] = from[2 * i];
    else
        for (int64_t i = 0; i < n; i++) to[i] = from[i * stride];
}

/* For few elements, often none. */
static inline void OBK_CAT(PAD, _fill)(T *to, int64_t n, T fill) {
    enum { RUN = 8 };
    int64_t i = 0;
    for (; i + RUN <= n; i += RUN) {
        for (int l = 0; l < RUN; l++) to[i + l] = fill;
        __asm__("" : : : "memory"); /* keeps the compiler from calling memset or anything as slow */
    }
    to += i;
    for (int64_t l = 0; l < n % RUN; l++) {
        to[l] = fill;
        __asm__("" : : : "memory");
    }
}

/* The rows of one phase of the last axis. Inlined, small convolutions are a sixth faster. */
static inline __attribute__((always_inline)) void OBK_CAT(PAD, _rows)(T *to, int64_t extent, int64_t pitch, const T *x,
                                                                      int64_t step, obk_span rows, obk_span columns,
                                                                      int64_t stride, T fill) {
    const int64_t n = columns.end - columns.first, between = pitch - n;
    T *row = to + rows.first * pitch + columns.first;
    x += columns.in;
    if (rows.end <= rows.first || n == 0) {
        OBK_CAT(PAD, _fill)(to, extent * pitch, fill);
        return;
    }
    OBK_CAT(PAD, _fill)(to, row - to, fill);
    for (int64_t j = rows.first; j < rows.end - 1; j++, x += step, row += pitch) {
        OBK_CAT(PAD, _take)(row, x, n, stride);
        OBK_CAT(PAD, _fill)(row + n, between, fill);
    }
    OBK_CAT(PAD, _take)(row, x, n, stride);
    OBK_CAT(PAD, _fill)(row + n, to + extent * pitch - row - n, fill);
}

/* Copies axis a and the axes after it, for the phases of the earlier axes that `to` stands for. */
static void OBK_CAT(PAD, _axis)(const obk_window *w, const obk_tiling *t, int32_t a, const T *x, int64_t step, int64_t begin,
                                T *to, T fill) {
    const obk_axis *axis = &w->axes[a], *last = &w->axes[w->rank - 1];
    bool innermost = a >= w->rank - 2;
    int64_t slots = 1; /* phases of the later axes */
    for (int32_t b = a + 1; b < w->rank; b++) slots *= t->axis_phases[b];
    for (int64_t phase = 0; phase < t->axis_phases[a]; phase++) {
        obk_span s = obk_span_of(axis, phase, t->extent[a], begin * axis->stride - axis->before);
        T *base = to + phase * slots * t->phase_elems;
        if (w->rank == 1) {
            OBK_CAT(PAD, _rows)(base, 1, t->extent[0], x, 0, (obk_span){0, 1, 0}, s, axis->stride, fill);
        } else if (innermost) {
            for (int64_t p = 0; p < slots; p++) OBK_CAT(PAD, _rows)
            (base + p * t->phase_elems, t->extent[a], t->pitch[a], x + s.in * step, axis->stride * step, s,
             obk_span_of(last, p, t->extent[a + 1], -last->before), last->stride, fill);
        } else {
            for (int64_t j = 0; j < t->extent[a]; j++) {
                T *part = base + j * t->pitch[a];
                if (j >= s.first && j < s.end) OBK_CAT(PAD, _axis)
                (w, t, a + 1, x + (s.in + (j - s.first) * axis->stride) * step, step / w->axes[a + 1].in, 0, part, fill);
                else for (int64_t p = 0; p < slots; p++) for (int64_t i = 0; i < t->pitch[a]; i++) part[p * t->phase_elems + i] =
                    fill;
            }
        }
    }
}

void PAD(const obk_window *w, const obk_tiling *t, const void *x, int64_t b, T fill, void *to) {
    OBK_CAT(PAD, _axis)(w, t, 0, x, t->inputs_each, b * t->block, to, fill);
}

#undef T
#undef PAD
