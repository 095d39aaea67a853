/* Template of pool.c: maxima. Parameters: T, PAD, NAME(n), IS_NAN(x), LOWEST, and for floats VECTOR, REGISTER, UNORDERED(a, b).
 */
#if OBK_SMALL_CODE
#define HAS_SMALL 0 /* small kernels like all others, in less code */
#elif defined(REGISTER) && OBK_PLAIN_REAL
#define HAS_SMALL 0
#elif defined(REGISTER)
#define HAS_SMALL 1
#include "kernels/pool/max_strips.inc.h"
#else
#define HAS_SMALL 1
#include "kernels/pool/max_small.inc.h"
#endif

/* Of equal numbers the first stays, and so does the first NaN. `plain`: there is no NaN. */
#define HIGHER(a, b)           ((b) <= (a) || IS_NAN(a) ? (a) : (b))
#define HIGHER_OF(plain, a, b) (plain ? ((b) > (a) ? (b) : (a)) : HIGHER(a, b))

enum { NAME(PART) = 1536 / sizeof(T) < 256 ? 1536 / sizeof(T) : 256, NAME(AT_ONCE) = 64 };

/* Along an axis kernel position k reads at / stride * pitch + at % stride * phase_step after the first one, with at = k *
 * dilation. */
typedef struct NAME(steps) {
    int64_t dilation, stride, pitch, phase_step;
} NAME(steps);

static inline int64_t NAME(offset)(NAME(steps) s, int64_t k) {
    const int64_t at = k * s.dilation;
    return at / s.stride * s.pitch + at % s.stride * s.phase_step;
}

/* Works on one axis of the copy, in place: each of n positions becomes the maximum over its kernel positions, of which there are
 * at least two. They lie at higher addresses. */
OBK_INLINE void NAME(max_axis)(const bool plain, T *x, NAME(steps) s, int64_t kernel, int64_t n) {
    const int64_t second = NAME(offset)(s, 1), third = kernel > 2 ? NAME(offset)(s, 2) : 0;
    T best[NAME(PART)];
    for (int64_t i = 0; i < n; i += NAME(PART)) {
        const int64_t m = n - i < NAME(PART) ? n - i : NAME(PART);
        const T *from = x + i, *next = from + second, *last = from + third;
        if (kernel == 2)
            for (int64_t l = 0; l < m; l++) best[l] = HIGHER_OF(plain, from[l], next[l]);
        else
            for (int64_t l = 0; l < m; l++) {
                const T higher = HIGHER_OF(plain, from[l], next[l]);
                best[l] = HIGHER_OF(plain, higher, last[l]);
            }
        for (int64_t k = 3; k < kernel; k++) {
            const T *more = from + NAME(offset)(s, k);
            for (int64_t l = 0; l < m; l++) best[l] = HIGHER_OF(plain, best[l], more[l]);
        }
        for (int64_t l = 0; l < m; l++) x[i + l] = best[l];
    }
}

static void NAME(max_direct)(bool plain, T *x, NAME(steps) s, int64_t kernel, int64_t n) {
    if (plain)
        NAME(max_axis)(true, x, s, kernel, n);
    else
        NAME(max_axis)(false, x, s, kernel, n);
}

/* The same for many kernel positions at stride 1: maxima of 2, 4, 8 ... neighbours, and finally of two overlapping runs. */
static void NAME(max_doubled)(bool plain, T *x, NAME(steps) s, int64_t kernel, int64_t n) {
    for (int64_t done = 1; done < kernel;) {
        int64_t ahead = 2 * done <= kernel ? done : kernel - done;
        n -= ahead * s.dilation * s.pitch;
        NAME(max_direct)(plain, x, (NAME(steps)){ahead * s.dilation, 1, s.pitch, 0}, 2, n);
        done += ahead;
    }
}

static bool NAME(is_plain)(const T *x, int64_t n) {
    (void)x;
    int nans = 0;
    for (int64_t i = 0; i < n; i++) nans |= IS_NAN(x[i]);
    return !nans;
}

static void NAME(max_tiled)(const obk_pool *p, const T *x, T *y, int64_t b, T *lane) {
    enum { FEW = 4 };
    const obk_window *w = &p->window;
    const obk_tiling *t = &p->tiling;
    PAD(w, t, x, b, (T)LOWEST, lane);
    const bool plain = NAME(is_plain)(lane, t->elems);
    int64_t slots = t->phases, behind = 1,
            n = t->phase_elems; /* slots: phases of the remaining axes; behind: of the finished ones */
    for (int32_t a = w->rank - 1; a >= 0; a--) {
        const obk_axis *axis = &w->axes[a];
        const NAME(steps) steps = {axis->dilation, axis->stride, t->pitch[a], behind * t->phase_elems};
        const int64_t whole = n - (axis->kernel - 1) * axis->dilation / axis->stride * t->pitch[a];
        slots /= t->axis_phases[a];
        for (int64_t s = 0; s < slots; s++) {
            T *first = lane + s * behind * t->axis_phases[a] * t->phase_elems;
            if (axis->stride == 1 && axis->kernel > FEW)
                NAME(max_doubled)(plain, first, steps, axis->kernel, n);
            else if (axis->kernel > 1)
                NAME(max_direct)(plain, first, steps, axis->kernel, whole);
        }
        behind *= t->axis_phases[a];
        n = whole;
    }
    const int64_t rows = obk_block_rows(w, t, b), length = obk_row_length(w, t, b);
    y += obk_block_start(t, b);
    for (int64_t i = 0; i < rows; i++) obk_copy_row(y + i * length, lane + t->row[i], length * (int64_t)sizeof(T));
}

/* Updates results first .. first + n of a row with the kernel row that v stands at, one kernel position after the other. at: the
 * index of the maximum so far, -1 if there is none yet. */
static void NAME(max_stretch)(const obk_window *w, const obk_visit *v, int64_t o, int64_t first, int64_t n, const T *x, T *best,
                              int64_t *at) {
    const obk_axis *axis = &w->axes[w->rank - 1];
    const int64_t row =
        obk_seen(w, v, o) + axis->before - v->position[w->rank - 1] * axis->dilation; /* the row's first element */
    for (int64_t k = 0; k < axis->kernel; k++) {
        int64_t begin, end;
        obk_result_range(axis, k, &begin, &end);
        begin = begin > first ? begin : first;
        end = end < first + n ? end : first + n;
        int64_t i = row + begin * axis->stride + k * axis->dilation - axis->before;
        for (int64_t c = begin - first; c < end - first; c++, i += axis->stride) {
            const bool higher = (at[c] < 0) | !(x[i] <= best[c] || IS_NAN(best[c]));
            best[c] = higher ? x[i] : best[c];
            at[c] = higher ? i : at[c];
        }
    }
}

/* Used without a tiling, or if indices are wanted. */
void LOOP(pool_max_each)(const obk_pool *p, const void *from, void *to, int64_t *indices, int64_t b, void *lane, obk_pace *pace) {
    (void)b;
    (void)lane;
    const T *x = from;
    T *y = to;
    const obk_window *w = &p->window;
    const int32_t last = w->rank - 1;
    const int64_t length = w->axes[last].out;
    int64_t at[NAME(AT_ONCE)];
    for (int64_t o = 0; o < w->n_out;) {
        const int64_t first = o % length, n = length - first < NAME(AT_ONCE) ? length - first : NAME(AT_ONCE);
        obk_visit v;
        obk_start_visit(w, o - first, &v);
        bool any = true;
        for (int32_t a = 0; a < last; a++) any = any && v.end[a] > v.first[a];
        for (int64_t c = 0; c < n; c++) y[o + c] = LOWEST;
        for (int64_t c = 0; c < n; c++) at[c] = -1;
        if (any) do
                NAME(max_stretch)(w, &v, o - first, first, n, x, y + o, at);
            while (!obk_stops(pace, n * w->axes[last].kernel) && obk_next_row(w, &v));
        if (pace->over) return;
        for (int64_t c = 0; indices && c < n; c++)
            indices[o + c] = at[c] < 0 ? 0 : p->column_major ? column_major(w, at[c]) : at[c];
        o += n;
    }
}

void LOOP(pool_max)(const obk_pool *p, const void *x, void *y, int64_t *indices, int64_t b, void *lane, obk_pace *pace) {
    (void)indices;
    (void)pace;
#if HAS_SMALL
    if (is_small(&p->window) && NAME(max_small)(p, x, y, b, lane)) return;
#endif
    NAME(max_tiled)(p, x, y, b, lane);
}

#undef HAS_SMALL
#undef HIGHER
#undef HIGHER_OF
#undef T
#undef PAD
#undef NAME
#undef IS_NAN
#undef VECTOR
#undef REGISTER
#undef UNORDERED
#undef LOWEST
