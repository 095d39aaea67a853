/* Folding along axes for any type: what the files of folds share. */
#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/reduce/reduce.h"
#include "kernels/vmath/vmath.h"

#define T    double
#define S    f64
#define RINT rint
#include "kernels/convert/saturate.inc.h"

enum { EXP_ELEMS = 128 }; /* whole rows of sums */

/* Folds into cells: doubles, unsigned integers of 64 bits, or elements. `high`: the shift of exponents, one for each cell. */
typedef struct loops {
    void (*start)(void *to, int64_t n);
    void (*run)(void *to, const void *x, int64_t n, const void *high);
    void (*columns)(void *to, const void *x, int64_t n, int64_t rows, int64_t stride, const void *high);
    void (*merge)(void *to, int64_t n, int64_t times);
} loops;

typedef struct type {
    int64_t element_bytes;
    void (*shifts)(void *high, int64_t n, bool nothing);
    void (*finish)(const obk_reduction *r, void *out, const void *folded, const void *high, int64_t n);
    loops folds[OBK_FOLD_EXP + 1];
} type;

/* Sums of exponents are doubles for every type. */
static void start_doubles(void *to, int64_t n) {
    double *acc = to;
    for (int64_t i = 0; i < n; i++) acc[i] = 0;
}

static void merge_doubles(void *to, int64_t n, int64_t times) {
    double *acc = to;
    for (int64_t t = 1; t < times; t++)
        for (int64_t i = 0; i < n; i++) acc[i] += acc[t * n + i];
}

/* Folds the innermost reduced axis of columns, or one run. */
static void fold_inner(const loops *f, const obk_reduction *r, void *to, const char *x, int64_t n, int64_t times,
                       int64_t element_bytes, const void *high) {
    if (!r->columns) {
        f->run(to, x, r->inner, high);
        return;
    }
    const int64_t rows = r->n_reduced > 0 ? r->reduced[r->n_reduced - 1] : 1;
    const int64_t stride = r->n_reduced > 0 ? r->reduced_strides[r->n_reduced - 1] : 0;
    if (times == 1) {
        f->columns(to, x, n, rows, stride, high);
        return;
    }
    f->columns(to, x, n * times, rows / times, n * times, high);
    if (rows % times) f->columns(to, x + rows / times * times * n * element_bytes, n * (rows % times), 1, 0, high);
}

/* Folds all elements of n cells, whose columns (or whose run) start at x. */
static void fold_all(const type *t, const loops *f, const obk_reduction *r, void *to, const char *x, int64_t n, int64_t times,
                     const void *high) {
    int64_t index[OB_MAX_RANK / 2] = {0};
    f->start(to, n * times);
    while (r->n_folded > 0) {
        fold_inner(f, r, to, x, n, times, t->element_bytes, high);
        int32_t a = r->n_reduced - 1 - r->columns;
        for (; a >= 0; a--) {
            x += r->reduced_strides[a] * t->element_bytes;
            if (++index[a] < r->reduced[a]) break;
            x -= index[a] * r->reduced_strides[a] * t->element_bytes;
            index[a] = 0;
        }
        if (a < 0) break;
    }
    f->merge(to, n, times);
}

static void reduce_parts(const type *t, const obk_reduction *r, void *out, const void *in, int64_t begin, int64_t end,
                         void *memory) {
    const int64_t n_columns = r->columns ? r->inner : 1, blocks = ob__ceil_div(n_columns, OBK_REDUCE_COLUMNS);
    const int64_t times = obk_side_by_side(r, n_columns);
    void *acc = memory, *high = (char *)memory + obk_reduce_bytes(r) / 2;
    for (int64_t part = begin; part < end; part++) {
        const int64_t first = part % blocks * OBK_REDUCE_COLUMNS;
        int64_t outer = part / blocks, n = n_columns - first, offset = first;
        if (n > OBK_REDUCE_COLUMNS) n = OBK_REDUCE_COLUMNS;
        char *z = (char *)out + (outer * n_columns + first) * t->element_bytes;
        for (int32_t a = r->n_kept - 1; a >= 0; a--) {
            offset += outer % r->kept[a] * r->kept_strides[a];
            outer /= r->kept[a];
        }
        const char *x = r->n_folded > 0 ? (const char *)in + offset * t->element_bytes
                                        : NULL; /* without elements `in` may not be addressed */
        if (r->fold == OBK_FOLD_EXP) {
            fold_all(t, &t->folds[OBK_FOLD_MAX], r, high, x, n, times, NULL);
            t->shifts(high, n, r->n_folded == 0);
            for (int64_t k = 1; k < times; k++)
                memcpy((char *)high + k * n * t->element_bytes, high, (size_t)(n * t->element_bytes));
        }
        fold_all(t, &t->folds[r->fold], r, acc, x, n, times, high);
        t->finish(r, z, acc, high, n);
        if (r->is_bool && r->n_folded == 0 && r->fold == OBK_FOLD_MIN) memset(z, 1, (size_t)n);
    }
}

static inline int64_t number_1(uint64_t x) {
    return (int64_t)x;
}
static inline uint64_t number_0(uint64_t x) {
    return x;
}
