/* Folding elements along axes, finding the largest or smallest, running sums. */
#ifndef OB_KERNELS_REDUCE_H
#define OB_KERNELS_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "onnx_broadcast/broadcast.h"
#include "onnx_broadcast/dtype.h"

enum {
    OBK_REDUCE_COLUMNS = 256,
    OBK_RUNNING_COLUMNS = 1024, /* a page of floats; smaller pieces come from memory at half the speed */
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

/* A dense input as kept and reduced axes, outermost first, with neighbours of one kind merged; strides in elements. The last axis
 * of the input has `inner` elements: a run that is folded, or columns that are folded side by side. */
typedef struct obk_reduction {
    obk_fold fold;
    obk_finish finish;
    bool is_bool;
    bool columns;
    int64_t inner;
    int32_t n_kept, n_reduced;
    int64_t kept[OB_MAX_RANK / 2], kept_strides[OB_MAX_RANK / 2]; /* kept and reduced axes alternate */
    int64_t reduced[OB_MAX_RANK / 2], reduced_strides[OB_MAX_RANK / 2];
    int64_t n_folded; /* elements for each result */
} obk_reduction;

/* Vectors of n elements, side by side and one after the other: dense [outer, n, inner]. */
typedef struct obk_search {
    int64_t n, inner;
    bool smallest, last; /* of equal elements take the last */
} obk_search;
typedef struct obk_running {
    int64_t n, inner;
    bool exclusive, reverse, product;
} obk_running;

/* A call works on parts begin .. end. There are outer times inner parts; inner > 1 counts in blocks of OBK_REDUCE_COLUMNS, for
 * running sums OBK_RUNNING_COLUMNS. Results do not depend on the division into parts. */

/* The number of rows of n columns that are folded as one, because rows of the reduced axis that follow each other are then long
 * enough for vectors. */
static inline int64_t obk_side_by_side(const obk_reduction *r, int64_t n) {
    const int32_t last = r->n_reduced - 1;
    if (!r->columns || last < 0 || r->reduced_strides[last] != n || n < 1 || n > OBK_REDUCE_COLUMNS / 2) return 1;
    const int64_t times = OBK_REDUCE_COLUMNS / n;
    return times < r->reduced[last] ? times : r->reduced[last] > 0 ? r->reduced[last] : 1;
}

/* Bytes of a part's accumulators and exponent shifts: at most OBK_REDUCE_BYTES. */
enum { OBK_REDUCE_BYTES = 2 * OBK_REDUCE_COLUMNS * 8 };
static inline int64_t obk_reduce_bytes(const obk_reduction *r) {
    const int64_t n = !r->columns ? 1 : r->inner < OBK_REDUCE_COLUMNS ? r->inner : OBK_REDUCE_COLUMNS;
    return 2 * ((n * obk_side_by_side(r, n) + 1) / 2 * 2 * 8);
}

/* memory: obk_reduce_bytes, aligned to 16. There are `outer` results, or `inner` for columns. Floats are summed as doubles, in
 * parts that are added as a tree; integers wrap. NaN is both the largest and the smallest. Without elements the result is the
 * neutral element. */
typedef void (*obk_reduce)(const obk_reduction *r, void *out, const void *in, int64_t begin, int64_t end, void *memory);
typedef struct obk_reduces {
    obk_reduce by_type[OB_DTYPE_COUNT];
} obk_reduces;
/* The index of the largest; of several NaN the first, or the last with `last`. n > 0 */
typedef void (*obk_find)(const obk_search *s, int64_t *out, const void *in, int64_t begin, int64_t end);
typedef struct obk_finds {
    obk_find by_type[OB_DTYPE_COUNT]; /* for inner = 1 */
    obk_find columns[OB_DTYPE_COUNT]; /* for all others */
} obk_finds;
/* Running sums or products, in order. */
typedef void (*obk_run_up)(const obk_running *r, void *out, const void *in, int64_t begin, int64_t end);
typedef struct obk_run_ups {
    obk_run_up by_type[OB_DTYPE_COUNT];
} obk_run_ups;

#endif
