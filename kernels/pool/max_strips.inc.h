/* Template of max.inc.h: maxima of floats for small kernels over two axes, read in place. A strip is one vector of results of
 * each row. Going down the rows, maxima along the rows of the input stay in registers for the next results: first along the last
 * axis, then across rows, so that of equal numbers the first stays. Parameters: T, NAME(n), LOWEST, VECTOR, REGISTER,
 * UNORDERED(a, b). */

typedef struct NAME(strip) {
    const T *begin, *end; /* the plane */
    int64_t in, column;   /* the length of a row; where the first result starts to read, which may be in the padding */
    NAME(mask) sees[4];   /* the lanes of each load that lie in the row */
} NAME(strip);

/* The distance of load i from the strip's column: the kernel positions at stride 1, both vectors and their third positions at
 * stride 2. */
OBK_INLINE int64_t NAME(load_offset)(const int64_t stride, int i) {
    return stride == 1 ? i : (i & 1) * (int64_t)(sizeof(REGISTER) / sizeof(T)) + (i & 2);
}

static inline void NAME(find_sees)(const obk_axis *axis, NAME(strip) * s) {
    enum { W = sizeof(REGISTER) / sizeof(T) };
    NAME(mask) lane;
    OBK_UNROLL
    for (int l = 0; l < W; l++) lane[l] = l;
    OBK_UNROLL
    for (int i = 0; i < 4; i++) {
        const int64_t at = s->column + NAME(load_offset)(axis->stride, i), left = axis->in - at;
        const int from = at >= 0 ? 0 : at > -W ? (int)-at : W, to = left < 0 ? 0 : left < W ? (int)left : W;
        s->sees[i] = (NAME(mask))(lane >= from) & (NAME(mask))(lane < to);
    }
}

/* inner: nothing is read from the padding. */
OBK_INLINE REGISTER NAME(strip_load)(const bool inner, const int64_t stride, const NAME(strip) * s, int64_t row, int i) {
    const int64_t at = row * s->in + s->column + NAME(load_offset)(stride, i);
    if (inner) return *(const VECTOR *)(const void *)(s->begin + at);
    const T *x = (const T *)((uintptr_t)s->begin + (uintptr_t)at * sizeof(T)); /* perhaps before the plane */
    return NAME(load_lanes)(x, s->sees[i], LOWEST - (REGISTER){0}, s->begin, s->end);
}

/* The third positions at stride 2. AVX-512 moves `evens`, the first ones, by a lane. */
OBK_INLINE REGISTER NAME(third)(const bool inner, const NAME(strip) * s, int64_t row, REGISTER evens) {
#ifdef __AVX512F__
    enum { W = sizeof(REGISTER) / sizeof(T) };
    const int64_t column = s->column + 2 * W;
    return NAME(append)(evens, inner || (column >= 0 && column < s->in) ? s->begin[row * s->in + column] : LOWEST);
#else
    (void)evens;
    return NAME(some_evens)(NAME(strip_load)(inner, 2, s, row, 2), NAME(strip_load)(inner, 2, s, row, 3));
#endif
}

/* The maxima along one row of the input. */
OBK_INLINE REGISTER NAME(strip_row)(const bool inner, const int64_t stride, const int64_t kernel, const NAME(strip) * s,
                                    int64_t row, NAME(nans) * nans) {
    REGISTER a = NAME(strip_load)(inner, stride, s, row, 0), b = NAME(strip_load)(inner, stride, s, row, 1), c = b;
    if (kernel == 3 && stride == 1) c = NAME(strip_load)(inner, stride, s, row, 2);
    if (stride == 2) {
        const REGISTER low = a, high = b;
        a = NAME(some_evens)(low, high);
        b = NAME(some_odds)(low, high);
        if (kernel == 3) c = NAME(third)(inner, s, row, a);
    }
    *nans |= UNORDERED(a, b);
    const REGISTER best = NAME(obk_max_v)(b, a);
    if (kernel == 2) return best;
    *nans |= UNORDERED(c, c);
    return NAME(obk_max_v)(c, best);
}

/* Results first .. end of axis 0. shares: both axes have the same kernel and stride, and h keeps the rows that the next results
 * read too. y: the strip in row 0 of the results, n results wide. False if the input has NaN. */
OBK_INLINE bool NAME(max_strip)(const bool inner, const bool shares, const int64_t stride, const int64_t kernel,
                                const obk_window *w, const NAME(strip) * at, int64_t first, int64_t end, T *y, int64_t n) {
    enum { W = sizeof(REGISTER) / sizeof(T) };
    const obk_axis axis = w->axes[0], *rows = &axis; /* stores cannot change a copy */
    const int64_t length = w->axes[1].out;
    const NAME(strip) strip = *at, *s = &strip;
    const REGISTER lowest = LOWEST - (REGISTER){0};
    NAME(nans) nans = {0};
    REGISTER h[3] = {lowest, lowest, lowest};
    for (int k = 0; shares && k < kernel - stride; k++) {
        const int64_t row = first * stride - rows->before + k;
        if (row >= 0 && row < rows->in) h[k + stride] = NAME(strip_row)(inner, stride, kernel, s, row, &nans);
    }
    for (int64_t o = first; o < end; o++) {
        const int64_t from = o * rows->stride - rows->before;
        REGISTER best = lowest;
        if (shares) {
            OBK_UNROLL
            for (int k = 0; k < kernel; k++) {
                if (k < kernel - stride)
                    h[k] = h[k + stride];
                else
                    h[k] = from + k >= 0 && from + k < rows->in ? NAME(strip_row)(inner, stride, kernel, s, from + k, &nans)
                                                                : lowest;
                best = k > 0 ? NAME(obk_max_v)(h[k], best) : h[0];
            }
        } else {
            int64_t behind;
            for (int64_t k = small_kernel_range(rows, o, &behind); k < behind; k++)
                best = NAME(obk_max_v)(NAME(strip_row)(inner, stride, kernel, s, from + k, &nans), best);
        }
        if (stride == 2) best = IN_ORDER(best);
        T *to = y + o * length;
        if (n == W || (end - o) * length >= W) { /* the next rows overwrite the rest of the vector */
            *(VECTOR *)(void *)to = best;
            continue;
        }
        NAME(store_lanes)(to, best, n);
    }
    return !NAME(any_nan)(nans);
}

#define STRIP(inner, shares, stride, kernel) NAME(max_strip)(inner, shares, stride, kernel, w, &s, first, end, y + o, n)
#define EACH_STRIP(inner, shares)                                                                                                \
    (last->stride == 2   ? last->kernel == 3 ? STRIP(inner, shares, 2, 3) : STRIP(inner, shares, 2, 2)                           \
       : last->kernel == 3 ? STRIP(inner, shares, 1, 3)                                                                          \
                         : STRIP(inner, shares, 1, 2))

/* Computes block b. False if the input has NaN: y is then invalid. */
static bool NAME(max_small)(const obk_pool *p, const T *x, T *y, int64_t b, T *lane) {
    enum { W = sizeof(REGISTER) / sizeof(T) };
    const obk_window *w = &p->window;
    const obk_axis *rows = &w->axes[0], *last = &w->axes[1];
    const int64_t first = b * p->tiling.block, end = first + obk_block_size(w, &p->tiling, b);
    const bool shares = rows->kernel == last->kernel && rows->stride == last->stride;
    const int64_t n = last->out < W ? last->out : W;
    NAME(strip) s = {.begin = x, .end = x + w->n_in, .in = last->in};
    int64_t low, high;
    (void)lane;
    obk_inner_results(last, &low, &high);
    for (int64_t next = 0; next < last->out; next += W) {
        const int64_t o = next + n <= last->out ? next : last->out - n; /* computes some results again */
        bool plain;
        const bool inner = shares && o >= low && o + W <= high;
        s.column = o * last->stride - last->before;
        if (!inner) NAME(find_sees)(last, &s);
        if (inner)
            plain = EACH_STRIP(true, true);
        else if (shares)
            plain = EACH_STRIP(false, true);
        else
            plain = EACH_STRIP(false, false);
        if (!plain) return false;
    }
    return true;
}

#undef STRIP
#undef EACH_STRIP
