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
enum { NAME(NARROW_ROOM) = 6 * (int)(sizeof(REGISTER) / sizeof(T)) };

/* True if a row of results has fewer elements than a vector and a row of the input fits into max_narrow's buffer. */
static bool NAME(is_narrow)(const obk_axis *last) {
    enum { W = sizeof(REGISTER) / sizeof(T) };
    return last->out < W && (last->out - 1) * last->stride + last->kernel <= last->before + last->in + 2 * W &&
           last->before + ob__round_up(last->in, W) + 2 * W <= NAME(NARROW_ROOM);
}

/* The maxima of `rows` rows of the input, at `to`. A vector may reach into the next row, not beyond `end`. */
OBK_INLINE void NAME(max_of_rows)(const T *x, int64_t step, int64_t rows, int64_t n, const T *end, T *to, NAME(mask) * nans) {
    enum { W = sizeof(REGISTER) / sizeof(T) };
    const T *last = x + (rows - 1) * step;
    NAME(mask) seen = *nans;
    for (int64_t c = 0; c < n; c += W) {
        if (end - last >= c + W) {
            REGISTER best = NAME(load)(x + c);
            seen |= (NAME(mask))(best != best);
            for (int64_t k = 1; k < rows; k++) {
                const REGISTER more = NAME(load)(x + k * step + c);
                seen |= (NAME(mask))(more != more);
                best = NAME(obk_max_v)(more, best);
            }
            *(VECTOR *)(void *)(to + c) = best;
            continue;
        }
        for (int64_t i = c; i < n && i < c + W; i++) {
            T best = x[i];
            seen[0] |= IS_NAN(best);
            for (int64_t k = 1; k < rows; k++) {
                const T more = x[k * step + i];
                seen[0] |= IS_NAN(more);
                best = more > best ? more : best;
            }
            to[i] = best;
        }
    }
    *nans = seen;
}

/* Short rows: first across rows, into a buffer with padding, then along the row, one vector. */
static bool NAME(max_narrow)(const obk_pool *p, const T *x, T *y, int64_t b) {
    enum { W = sizeof(REGISTER) / sizeof(T) };
    const obk_window *w = &p->window;
    const obk_axis *rows = &w->axes[0], *last = &w->axes[1];
    const int64_t first = b * p->tiling.block, end = first + obk_block_size(w, &p->tiling, b);
    T row[NAME(NARROW_ROOM)], few[W];
    REGISTER results;
    NAME(mask) nans = {0}, none = {0};
    for (int i = 0; i < NAME(NARROW_ROOM); i++) row[i] = LOWEST;
    for (int64_t o = first; o < end; o++) {
        int64_t some;
        const int64_t k = small_kernel_range(rows, o, &some);
        const T *from = x + (o * rows->stride - rows->before + k) * last->in;
        T *to = row + last->before;
        if (some > k)
            NAME(max_of_rows)(from, last->in, some - k, last->in, x + w->n_in, to, &nans);
        else
            for (int64_t i = 0; i < last->in; i++) to[i] = LOWEST;
        for (int i = 0; i < 2 * W; i++) to[last->in + i] = LOWEST;
        if (last->stride == 2)
            results = last->kernel == 2 ? NAME(max_vector)(2, 2, row, &none) : NAME(max_vector)(2, 3, row, &none);
        else
            results = last->kernel == 2 ? NAME(max_vector)(1, 2, row, &none) : NAME(max_vector)(1, 3, row, &none);
        T *of_y = y + o * last->out;
        if ((end - o) * last->out >= W) { /* the next rows overwrite the rest of the vector */
            *(VECTOR *)(void *)of_y = results;
            continue;
        }
        *(VECTOR *)(void *)few = results;
        for (int64_t i = 0; i < last->out; i++) of_y[i] = few[i];
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
    if (NAME(is_narrow)(last)) return NAME(max_narrow)(p, x, y, b);
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
