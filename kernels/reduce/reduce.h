/* Folding elements along axes, the place of the largest or smallest, running sums. */
#ifndef OB_KERNELS_REDUCE_H
#define OB_KERNELS_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "onnx_broadcast/broadcast.h"
#include "onnx_broadcast/dtype.h"

enum {
    OBK_REDUCE_COLUMNS = 256,
    OBK_RUNNING_COLUMNS = 1024, /* a page of floats: pieces of pages come from memory half as fast */
};

typedef enum obk_fold {
    OBK_FOLD_SUM,
    OBK_FOLD_ABS,
    OBK_FOLD_SQUARE,
    OBK_FOLD_PROD,
    OBK_FOLD_MAX,
    OBK_FOLD_MIN,
    OBK_FOLD_EXP
} obk_fold;
typedef enum obk_finish { OBK_FINISH_NONE, OBK_FINISH_MEAN, OBK_FINISH_SQRT, OBK_FINISH_LOG, OBK_FINISH_EXP } obk_finish;

/* A dense input as kept and reduced axes, outermost first, neighbours of one kind merged; strides in elements. The last axis of
 * the input is `inner` elements: a run that is folded, or columns that are folded side by side. */
typedef struct obk_reduction {
    obk_fold fold;
    obk_finish finish;
    bool is_bool;
    bool columns;
    int64_t inner;
    int32_t n_kept, n_reduced;
    int64_t kept[OB_MAX_RANK / 2], kept_strides[OB_MAX_RANK / 2]; /* kinds take turns */
    int64_t reduced[OB_MAX_RANK / 2], reduced_strides[OB_MAX_RANK / 2];
    int64_t n_folded; /* elements per result */
} obk_reduction;

/* Vectors of n elements, side by side and one after the other: dense [outer, n, inner]. */
typedef struct obk_search {
    int64_t n, inner;
    bool smallest, last; /* of equals the last one */
} obk_search;
typedef struct obk_running {
    int64_t n, inner;
    bool exclusive, reverse, product;
} obk_running;

/* Parts begin .. end; there are outer times inner parts, where inner is over 1 in blocks of OBK_REDUCE_COLUMNS, of running
 * sums OBK_RUNNING_COLUMNS. What is computed does not depend on how parts are cut. */

/* n columns that stand so many times side by side that a row of all is long enough for vectors: rows of the reduced axis that
 * follow each other. */
static inline int64_t obk_side_by_side(const obk_reduction *r, int64_t n) {
    const int32_t last = r->n_reduced - 1;
    if (!r->columns || last < 0 || r->reduced_strides[last] != n || n < 1 || n > OBK_REDUCE_COLUMNS / 2) return 1;
    const int64_t times = OBK_REDUCE_COLUMNS / n;
    return times < r->reduced[last] ? times : r->reduced[last] > 0 ? r->reduced[last] : 1;
}

/* What a part of a reduction is folded into, and the exponents' shifts: at most OBK_REDUCE_BYTES. */
enum { OBK_REDUCE_BYTES = 2 * OBK_REDUCE_COLUMNS * 8 };
static inline int64_t obk_reduce_bytes(const obk_reduction *r) {
    const int64_t n = !r->columns ? 1 : r->inner < OBK_REDUCE_COLUMNS ? r->inner : OBK_REDUCE_COLUMNS;
    return 2 * ((n * obk_side_by_side(r, n) + 1) / 2 * 2 * 8);
}

/* memory: obk_reduce_bytes, aligned to 16. Results are outer, or `inner` of columns. Floats are summed as doubles, in parts that
 * are added as a tree; integers wrap. NaN is the largest and the smallest. Nothing folded gives the neutral element. */
typedef void (*obk_reduce)(const obk_reduction *r, void *out, const void *in, int64_t begin, int64_t end, void *memory);
typedef struct obk_reduces {
    obk_reduce by_type[OB_DTYPE_COUNT];
} obk_reduces;
/* The index of the largest; of several NaN the first, or with `last` the last one. n > 0 */
typedef void (*obk_find)(const obk_search *s, int64_t *out, const void *in, int64_t begin, int64_t end);
typedef struct obk_finds {
    obk_find by_type[OB_DTYPE_COUNT];
} obk_finds;
/* Sums or products up to each element, in order. */
typedef void (*obk_run_up)(const obk_running *r, void *out, const void *in, int64_t begin, int64_t end);
typedef struct obk_run_ups {
    obk_run_up by_type[OB_DTYPE_COUNT];
} obk_run_ups;

#endif
