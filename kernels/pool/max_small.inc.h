/* Template of pool.c: maxima for small kernels over two axes, read in place: first along the last axis, then across rows.
 * Parameters: T, NAME(n), IS_NAN(x), LOWEST, and for floats VECTOR, REGISTER. */

/* The maxima of two or three neighbours, n results. nans: some element is not zero if the input has NaN; the results are then
 * invalid. */
#ifdef REGISTER
OBK_INLINE REGISTER NAME(load)(const T *x) {
    return *(const VECTOR *)(const void *)x;
}

/* One vector of results. Checks the first kernel position for NaN, and the second one at stride 2; the caller checks the others.
 */
OBK_INLINE REGISTER NAME(max_vector)(const int64_t stride, const int64_t kernel, const T *x, NAME(mask) * nans) {
    enum { W = sizeof(REGISTER) / sizeof(T) };
    REGISTER a = NAME(load)(x), b = NAME(load)(x + 1), c = kernel == 3 ? NAME(load)(x + 2) : b;
    if (stride == 2) { /* reads nothing after the last kernel position */
        const REGISTER low = NAME(load)(x + kernel - 2), high = NAME(load)(x + W + kernel - 2);
        c = NAME(obk_odds)(low, high);
        b = kernel == 3 ? NAME(obk_evens)(low, high) : c;
        a = kernel == 3 ? NAME(obk_evens)(a, NAME(load)(x + W)) : NAME(obk_evens)(low, high);
        *nans |= (NAME(mask))(b != b);
    }
    *nans |= (NAME(mask))(a != a);
    const REGISTER best = NAME(obk_max_v)(b, a);
    return kernel == 3 ? NAME(obk_max_v)(c, best) : best;
}

OBK_INLINE void NAME(max_neighbours)(const int64_t stride, const int64_t kernel, const T *restrict x, int64_t n, T *restrict y,
                                     NAME(mask) * nans) {
    enum { W = sizeof(REGISTER) / sizeof(T) };
    NAME(mask) seen = *nans;
    int64_t i = 0;
    for (; i + W <= n; i += W) *(VECTOR *)(void *)(y + i) = NAME(max_vector)(stride, kernel, x + i * stride, &seen);
    if (i < n && n >= W) { /* computes some results again */
        *(VECTOR *)(void *)(y + n - W) = NAME(max_vector)(stride, kernel, x + (n - W) * stride, &seen);
        i = n;
    }
    for (int64_t k = 1; n > 0 && k < kernel; k++) seen[0] |= IS_NAN(x[(n - 1) * stride + k]);
    for (; i < n; i++) {
        T best = x[i * stride];
        seen[0] |= IS_NAN(best);
        for (int64_t k = 1; k < kernel; k++) {
            const T next = x[i * stride + k];
            best = next > best ? next : best;
            seen[0] |= IS_NAN(next);
        }
        y[i] = best;
    }
    *nans = seen;
}
#else
OBK_INLINE void NAME(max_neighbours)(const int64_t stride, const int64_t kernel, const T *restrict x, int64_t n, T *restrict y,
                                     NAME(mask) * nans) {
    (void)nans;
    for (int64_t i = 0; i < n; i++) {
        const T a = x[i * stride], b = x[i * stride + 1], best = b > a ? b : a;
        y[i] = kernel == 3 && x[i * stride + 2] > best ? x[i * stride + 2] : best;
    }
}
#endif

/* Results first .. end, which read partly from the padding. */
static void NAME(max_border)(const obk_axis *axis, const T *x, int64_t first, int64_t end, T *y, NAME(mask) * nans) {
    for (int64_t o = first; o < end; o++) {
        int64_t behind;
        T best = LOWEST;
        for (int64_t k = small_kernel_range(axis, o, &behind); k < behind; k++) {
            const T next = x[o * axis->stride - axis->before + k];
            best = next > best ? next : best;
            (*nans)[0] |= IS_NAN(next);
        }
        y[o] = best;
    }
}

/* One row of the input; results first .. end read no padding. */
static void NAME(max_row)(const obk_axis *axis, int64_t first, int64_t end, const T *x, T *y, NAME(mask) * nans) {
    const T *from = x + first * axis->stride - axis->before;
    T *to = y + first;
    if (axis->stride == 2 && axis->kernel == 2)
        NAME(max_neighbours)(2, 2, from, end - first, to, nans);
    else if (axis->stride == 2)
        NAME(max_neighbours)(2, 3, from, end - first, to, nans);
    else if (axis->kernel == 2)
        NAME(max_neighbours)(1, 2, from, end - first, to, nans);
    else
        NAME(max_neighbours)(1, 3, from, end - first, to, nans);
    NAME(max_border)(axis, x, 0, first, y, nans);
    NAME(max_border)(axis, x, end, axis->out, y, nans);
}

/* y = the maxima of two or three rows, in whole vectors if n allows. */
OBK_INLINE void NAME(max_of_few)(const int64_t rows, const T *restrict x, int64_t step, int64_t n, T *restrict y) {
    enum { W = OBK_VECTOR_BYTES / sizeof(T) };
    const T *a = x, *b = a + step, *c = rows == 3 ? b + step : b;
    for (int64_t begin = 0, end = n < W ? n : n - n % W; begin < n; begin = n - W, end = n) {
        for (int64_t i = begin; i < end; i++) {
            const T best = b[i] > a[i] ? b[i] : a[i];
            y[i] = rows == 3 && c[i] > best ? c[i] : best;
        }
        if (end == n) break;
    }
}

/* y = the maxima of `rows` rows that lie `step` apart. */
static void NAME(max_rows)(const T *x, int64_t step, int64_t rows, int64_t n, T *y) {
    if (rows <= 0)
        for (int64_t i = 0; i < n; i++) y[i] = LOWEST;
    else if (rows == 1)
        obk_copy_row(y, x, n * (int64_t)sizeof(T));
    else if (rows == 2)
        NAME(max_of_few)(2, x, step, n, y);
    else
        NAME(max_of_few)(3, x, step, n, y);
    for (int64_t k = 3; k < rows; k++) {
        const T *restrict more = x + k * step;
        for (int64_t i = 0; i < n; i++) y[i] = more[i] > y[i] ? more[i] : y[i];
    }
}

#ifdef REGISTER
/* True if a row of results has fewer elements than a vector, which therefore sees all elements of the row. */
static bool NAME(is_narrow)(const obk_axis *last) {
    enum { W = sizeof(REGISTER) / sizeof(T) };
    return last->out + (last->stride == 1 ? last->kernel - 2 : 0) < W && last->before < W && last->in <= 2 * W &&
           last->before + last->in >= 2;
}

/* Rows of the input with their padding, `pitch` apart in `to`: `columns` elements from x, then at least 2 W of padding. A vector
 * may reach into the next row, not beyond `end`. */
OBK_INLINE void NAME(lay_out_rows)(const T *x, int64_t in, int64_t rows, int64_t before, const T *end, T *to, int64_t pitch) {
    enum { W = sizeof(REGISTER) / sizeof(T) };
    const REGISTER lowest = LOWEST - (REGISTER){0};
    for (int64_t r = 0; r < rows; r++, x += in, to += pitch) {
        *(VECTOR *)(void *)to = lowest;
        for (int64_t c = 0; c < in; c += W) {
            if (end - x >= c + W)
                *(VECTOR *)(void *)(to + before + c) = NAME(load)(x + c);
            else
                memcpy(to + before + c, x + c, (size_t)(in - c) * sizeof(T));
            if (end - x < c + W) break;
        }
        *(VECTOR *)(void *)(to + before + in) = lowest;
        *(VECTOR *)(void *)(to + before + in + W) = lowest;
    }
}

/* Short rows: copied with their padding, a few at a time, so that a vector holds a row of results. */
static bool NAME(max_narrow)(const obk_pool *p, const T *x, T *y, int64_t b, T *lane) {
    enum { W = sizeof(REGISTER) / sizeof(T), AT_ONCE = 8, PITCH = 5 * W };
    _Static_assert((int)OBK_POOL_NARROW >= (int)(AT_ONCE * 4 * (PITCH + W)), "four rows of the input for each row of results");
    const obk_window *w = &p->window;
    const obk_axis *rows = &w->axes[0], *last = &w->axes[1];
    const int64_t first = b * p->tiling.block, end = first + obk_block_size(w, &p->tiling, b);
    T *maxima = lane + AT_ONCE * 4 * PITCH; /* of the rows, W apart */
    NAME(mask) nans = {0};
    for (int64_t o = first; o < end; o += AT_ONCE) {
        const int64_t n = end - o < AT_ONCE ? end - o : AT_ONCE;
        int64_t begin = o * rows->stride - rows->before, behind = (o + n - 1) * rows->stride - rows->before + rows->kernel;
        begin = begin > 0 ? begin : 0;
        behind = behind < rows->in ? behind : rows->in;
        if (begin < behind)
            NAME(lay_out_rows)(x + begin * last->in, last->in, behind - begin, last->before, x + w->n_in, lane, PITCH);
        for (int64_t r = 0; r < behind - begin; r++) {
            const T *row = lane + r * PITCH;
            VECTOR *to = (VECTOR *)(void *)(maxima + r * W);
            if (last->stride == 2)
                *to = last->kernel == 2 ? NAME(max_vector)(2, 2, row, &nans) : NAME(max_vector)(2, 3, row, &nans);
            else
                *to = last->kernel == 2 ? NAME(max_vector)(1, 2, row, &nans) : NAME(max_vector)(1, 3, row, &nans);
        }
        for (int64_t i = o; i < o + n; i++) {
            int64_t some;
            const int64_t k = small_kernel_range(rows, i, &some);
            const T *from = maxima + (i * rows->stride - rows->before + k - begin) * W;
            REGISTER best = LOWEST - (REGISTER){0};
            if (some > k) best = NAME(load)(from);
            for (int64_t l = k + 1; l < some; l++) best = NAME(obk_max_v)(NAME(load)(from + (l - k) * W), best);
            T *to = y + i * last->out;
            if ((end - i) * last->out >= W) { /* the next rows overwrite the rest of the vector */
                *(VECTOR *)(void *)to = best;
                continue;
            }
            T few[W];
            *(VECTOR *)(void *)few = best;
            for (int64_t c = 0; c < last->out; c++) to[c] = few[c];
        }
    }
    for (size_t l = 0; l < sizeof nans / sizeof nans[0]; l++)
        if (nans[l]) return false;
    return true;
}
#endif

/* Computes block b. False if the input has NaN: y is then invalid. lane: rows of the input, each as long as a row of results. */
static bool NAME(max_small)(const obk_pool *p, const T *x, T *y, int64_t b, T *lane) {
    const obk_window *w = &p->window;
    const obk_axis *rows = &w->axes[0], *last = &w->axes[1];
    const int64_t first = b * p->tiling.block, end = first + obk_block_size(w, &p->tiling, b);
    int64_t begin = first * rows->stride - rows->before, behind = (end - 1) * rows->stride - rows->before + rows->kernel;
    int64_t low, high;
    NAME(mask) nans = {0};
#ifdef REGISTER
    if (NAME(is_narrow)(last)) return NAME(max_narrow)(p, x, y, b, lane);
#endif
    obk_inner_results(last, &low, &high);
    begin = begin > 0 ? begin : 0;
    behind = behind < rows->in ? behind : rows->in;
    for (int64_t r = begin; r < behind; r++)
        NAME(max_row)(last, low, high, x + r * last->in, lane + (r - begin) * last->out, &nans);
    for (size_t l = 0; l < sizeof nans / sizeof nans[0]; l++)
        if (nans[l]) return false;
    for (int64_t o = first; o < end; o++) {
        int64_t some;
        const int64_t k = small_kernel_range(rows, o, &some), at = o * rows->stride - rows->before + k - begin;
        NAME(max_rows)(lane + (some > k ? at : 0) * last->out, last->out, some - k, last->out, y + o * last->out);
    }
    return true;
}
