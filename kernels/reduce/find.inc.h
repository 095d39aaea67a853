/* Search in elements of one type. Parameters: T, S, IS_NAN: FLOAT_NAN or INT_NAN. */
#ifndef FLOAT_NAN
enum {
    STRETCH = 64,        /* elements that are searched at a time */
    MOST_ROWS = 1 << 30, /* rows whose indices fit into 32 bits */
};

/* Columns of the current type T whose best elements are kept on the stack together. */
#define SIDE_BY_SIDE (512 / (int)sizeof(T) < OBK_REDUCE_COLUMNS ? 512 / (int)sizeof(T) : OBK_REDUCE_COLUMNS)

#define FLOAT_NAN(x) ((x) != (x))
#define INT_NAN(x)   0
#endif

#define NAME(name) OBK_CAT3(name, _, S)

#define FN          NAME(largest)
#define BEATS(x, y) ((x) > (y))
#include "kernels/reduce/find1.inc.h"
#define FN          NAME(smallest)
#define BEATS(x, y) ((x) < (y))
#include "kernels/reduce/find1.inc.h"

/* True if x equals `wanted`, or both are NaN. */
static inline bool NAME(is_it)(T x, T wanted) {
    return IS_NAN(wanted) ? IS_NAN(x) : x == wanted;
}

/* The index of the first element that is `wanted`, which exists. */
static int64_t NAME(first)(const T *x, int64_t n, T wanted) {
    int64_t i = 0;
    for (; !OBK_SMALL_CODE && i + STRETCH <= n; i += STRETCH) {
        int n_found = 0;
        for (int64_t k = 0; k < STRETCH; k++) n_found += (int)NAME(is_it)(x[i + k], wanted);
        if (n_found) break;
    }
    while (!NAME(is_it)(x[i], wanted)) i++;
    return i;
}

static int64_t NAME(last)(const T *x, int64_t n, T wanted) {
    int64_t i = n;
    for (; !OBK_SMALL_CODE && i >= STRETCH; i -= STRETCH) {
        int n_found = 0;
        for (int64_t k = 1; k <= STRETCH; k++) n_found += (int)NAME(is_it)(x[i - k], wanted);
        if (n_found) break;
    }
    while (!NAME(is_it)(x[i - 1], wanted)) i--;
    return i - 1;
}

void LOOP(NAME(find))(const obk_search *s, int64_t *out, const void *in, int64_t begin, int64_t end) {
    const T *x = in;
    const int64_t n = s->n;
    for (int64_t part = begin; part < end; part++) {
        const T *row = x + part * n, best = s->smallest ? NAME(best_smallest)(row, n) : NAME(best_largest)(row, n);
        out[part] = s->last ? NAME(last)(row, n, best) : NAME(first)(row, n, best);
    }
}

void LOOP(NAME(find_columns))(const obk_search *s, int64_t *out, const void *in, int64_t begin, int64_t end) {
    const T *x = in;
    const int64_t n = s->n, inner = s->inner, blocks = ob__ceil_div(inner, OBK_REDUCE_COLUMNS);
    for (int64_t part = begin; part < end; part++) {
        const int64_t outer = part / blocks, column = part % blocks * OBK_REDUCE_COLUMNS;
        const int64_t width = inner - column < OBK_REDUCE_COLUMNS ? inner - column : OBK_REDUCE_COLUMNS;
        const T *from = x + outer * n * inner + column;
        int64_t *to = out + outer * inner + column;
        if (s->smallest)
            NAME(columns_smallest)(to, from, n, inner, width, s->last);
        else
            NAME(columns_largest)(to, from, n, inner, width, s->last);
    }
}

#undef NAME
#undef T
#undef S
#undef IS_NAN
