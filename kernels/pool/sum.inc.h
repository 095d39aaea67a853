/* Template of pool.c: means and norms, in the order of kernel positions. Parameters: T, PAD, NAME(n), VECTOR, REGISTER, POW,
 * SQRT, ABS. */

/* The terms that a norm sums. */
static void NAME(powers)(double p, T *x, int64_t n) {
    if (p == 1)
        for (int64_t i = 0; i < n; i++) x[i] = ABS(x[i]);
    else if (p == 2)
        for (int64_t i = 0; i < n; i++) x[i] = x[i] * x[i];
    else
        for (int64_t i = 0; i < n; i++) x[i] = POW(ABS(x[i]), (T)p);
}

static void NAME(roots)(double p, T *y, const T *sums, int64_t n) {
    if (p == 1)
        obk_copy_row(y, sums, n * (int64_t)sizeof(T));
    else if (p == 2)
        for (int64_t i = 0; i < n; i++) y[i] = SQRT(sums[i]);
    else
        for (int64_t i = 0; i < n; i++) y[i] = POW(sums[i], 1 / (T)p);
}

/* sums[i] = x[offset[0] + i] + x[offset[1] + i] + ..., with n rounded up to whole vectors. */
static void NAME(add_positions)(const T *x, const int64_t *offset, int64_t n_kernel, int64_t n, T *sums, obk_pace *pace) {
    enum { LANES = sizeof(VECTOR) / sizeof(T), AT_ONCE = 4 };
    int64_t i = 0;
    for (; i + AT_ONCE * LANES <= n && !obk_stops(pace, AT_ONCE * n_kernel); i += AT_ONCE * LANES) {
        REGISTER a = {0}, b = {0}, c = {0}, d = {0};
        for (int64_t k = 0; k < n_kernel; k++) {
            const VECTOR *from = (const VECTOR *)(const void *)(x + offset[k] + i);
            a += from[0];
            b += from[1];
            c += from[2];
            d += from[3];
        }
        VECTOR *to = (VECTOR *)(void *)(sums + i);
        to[0] = a;
        to[1] = b;
        to[2] = c;
        to[3] = d;
    }
    for (; i < n && !obk_stops(pace, n_kernel); i += LANES) {
        REGISTER a = {0};
        for (int64_t k = 0; k < n_kernel; k++) a += *(const VECTOR *)(const void *)(x + offset[k] + i);
        *(VECTOR *)(void *)(sums + i) = a;
    }
}

/* The number of kernel positions that count for row i of the plane, along all axes but the last. */
static int64_t NAME(positions_before)(const obk_pool *p, int64_t i) {
    int64_t n = 1;
    for (int32_t a = p->window.rank - 2; a >= 0; a--) {
        n *= p->n_seen[a][i % p->window.axes[a].out];
        i /= p->window.axes[a].out;
    }
    return n;
}

static void NAME(finish)(const obk_pool *p, const T *sums, T *y, int64_t row, int64_t column, int64_t n) {
    if (p->kind == OBK_POOL_NORM) {
        NAME(roots)(p->p, y, sums, n);
        return;
    }
    const int32_t *seen = p->n_seen[p->window.rank - 1] + column;
    const int64_t before = NAME(positions_before)(p, row);
    const T factor = (T)before;
    if (before < (1 << 24)) /* below 2^24 the rounded product equals the rounded product of the integers */
        for (int64_t i = 0; i < n; i++) y[i] = sums[i] / (factor * (T)seen[i]);
    else
        for (int64_t i = 0; i < n; i++) y[i] = sums[i] / (T)(before * seen[i]);
}

#include "kernels/pool/mean_small.inc.h"

static void NAME(sum_tiled)(const obk_pool *p, const T *x, T *y, int64_t b, T *lane, obk_pace *pace) {
    const obk_window *w = &p->window;
    const obk_tiling *t = &p->tiling;
    T *sums = lane + t->elems + OBK_SLACK;
    const int64_t rows = obk_block_rows(w, t, b), length = obk_row_length(w, t, b), start = obk_block_start(t, b);
    PAD(w, t, x, b, 0, lane);
    memset(lane + t->elems, 0, OBK_SLACK * sizeof(T));
    if (p->kind == OBK_POOL_NORM) NAME(powers)(p->p, lane, t->elems);
    NAME(add_positions)(lane, t->offset, w->n_kernel, obk_block_flat(w, t, b), sums, pace);
    if (pace->over) return;
    const int64_t row = w->rank == 1 ? 0 : start / length, column = w->rank == 1 ? start : 0;
    for (int64_t i = 0; i < rows; i++) NAME(finish)(p, sums + t->row[i], y + start + i * length, row + i, column, length);
}

/* Visits kernel positions one by one. */
static void NAME(sum_each)(const obk_pool *p, const T *x, T *y, obk_pace *pace) {
    const obk_window *w = &p->window;
    const obk_axis *last = &w->axes[w->rank - 1];
    for (int64_t o = 0; o < w->n_out; o++) {
        obk_visit v;
        obk_start_visit(w, o, &v);
        T sum = 0;
        if (v.any) do {
                int64_t i = obk_seen(w, &v, o), n = v.end[w->rank - 1] - v.first[w->rank - 1];
                for (int64_t k = 0; k < n; k++, i += last->dilation) {
                    T value = x[i];
                    if (p->kind == OBK_POOL_NORM) NAME(powers)(p->p, &value, 1);
                    sum += value;
                }
            } while (!obk_stops(pace, last->kernel) && obk_next_row(w, &v));
        if (pace->over) return;
        NAME(finish)(p, &sum, &y[o], o / last->out, o % last->out, 1);
    }
}

void LOOP(pool_sum)(const obk_pool *p, const void *x, void *y, int64_t b, void *lane, obk_pace *pace) {
    if (!p->tiled)
        NAME(sum_each)(p, x, y, pace);
    else if (p->kind == OBK_POOL_MEAN && is_small(&p->window) && p->window.axes[1].stride == 2)
        NAME(mean_small)(p, x, y, b, lane);
    else
        NAME(sum_tiled)(p, x, y, b, lane, pace);
}

/* The first of the highest numbers, or the first NaN. */
OBK_INLINE REGISTER NAME(first_highest)(REGISTER a, REGISTER b) {
    const __typeof__(b > a) stays = (b <= a) | (a != a);
    return (REGISTER)(((__typeof__(stays))a & stays) | ((__typeof__(stays))b & ~stays));
}

/* The maximum, reduced in 16 parts. Of equal numbers of a part the first stays, and so does the first NaN; so neighbours may be
 * compared before they meet the maximum so far. */
static T NAME(highest)(const T *x, int64_t n) {
    enum { LANES = sizeof(REGISTER) / sizeof(T), PARTS = 16 / LANES, AT_ONCE = 4 };
    T tail[16], best[16];
    REGISTER high[PARTS];
    for (int l = 0; l < 16; l++) best[l] = l < n ? x[l] : -(T)INFINITY;
    for (int v = 0; v < PARTS; v++) high[v] = *(const VECTOR *)(const void *)(best + v * LANES);
    int64_t i = 16;
    for (; i + AT_ONCE * 16 <= n; i += AT_ONCE * 16) OBK_UNROLL
    for (int v = 0; v < PARTS; v++) {
        const VECTOR *from = (const VECTOR *)(const void *)(x + i + v * LANES);
        const REGISTER low = NAME(first_highest)(from[0], from[PARTS]),
                       high_half = NAME(first_highest)(from[2 * PARTS], from[3 * PARTS]);
        high[v] = NAME(first_highest)(high[v], NAME(first_highest)(low, high_half));
    }
    for (; i < n; i += 16) {
        const T *from = x + i;
        if (n - i < 16) {
            for (int l = 0; l < 16; l++) tail[l] = l < n - i ? from[l] : -(T)INFINITY;
            from = tail;
        }
        OBK_UNROLL
        for (int v = 0; v < PARTS; v++) {
            high[v] = NAME(first_highest)(high[v], *(const VECTOR *)(const void *)(from + v * LANES));
        }
    }
    for (int v = 0; v < PARTS; v++) *(VECTOR *)(void *)(best + v * LANES) = high[v];
    OBK_UNROLL
    for (int some = 8; some > 0; some /= 2) /* neighbours, so that the first stays */
        OBK_UNROLL
    for (int l = 0; l < some; l++) {
        const T a = best[2 * l], b = best[2 * l + 1];
        best[l] = b <= a || a != a ? a : b;
    }
    return best[0];
}

/* Sums in double, in eight parts. */
void LOOP(pool_global)(obk_pool_kind kind, double p, const void *from, int64_t n, void *to) {
    const T *x = from;
    T *y = to;
    double sums[8] = {0}, sum = 0;
    if (kind == OBK_POOL_MAX) {
        *y = NAME(highest)(x, n);
        return;
    }
    int64_t i = 0;
    if (kind == OBK_POOL_MEAN)
        for (; i + 8 <= n; i += 8)
            for (int l = 0; l < 8; l++) sums[l] += (double)x[i + l];
    for (; i < n; i++)
        sum += kind == OBK_POOL_MEAN ? (double)x[i] : p == 2 ? (double)x[i] * (double)x[i] : pow(fabs((double)x[i]), p);
    for (int l = 0; l < 8; l++) sum += sums[l];
    if (kind == OBK_POOL_MEAN)
        *y = (T)(sum / (double)n);
    else
        *y = (T)(p == 2 ? sqrt(sum) : pow(sum, 1 / p));
}

#undef T
#undef PAD
#undef NAME
#undef VECTOR
#undef REGISTER
#undef POW
#undef SQRT
#undef ABS
