/* Pooling: the maximum, mean or norm of each window. */
#ifndef OB_KERNELS_POOL_POOL_H
#define OB_KERNELS_POOL_POOL_H

#include "core/base/pace.h"
#include "kernels/window/window.h"

typedef enum obk_pool_kind { OBK_POOL_MAX, OBK_POOL_MEAN, OBK_POOL_NORM } obk_pool_kind;

typedef struct obk_pool {
    obk_window window;
    obk_tiling tiling;
    bool tiled; /* false: kernel positions are visited one by one, in one block */
    obk_pool_kind kind;
    double p;          /* of the norm */
    bool column_major; /* indices: the first spatial axis runs fastest */
    const int32_t *const
        *n_seen; /* [rank][out]: for a mean, the number of kernel positions along the axis that count for a result; at least 1 */
    const float *divisors; /* for `divide`: [n_out], their products; NULL: computed for each row */
} obk_pool;

/* Elements of lane memory for one block. */
static inline int64_t obk_pool_lane(const obk_pool *p) {
    if (!p->tiled) return 0;
    return p->tiling.elems + (p->kind == OBK_POOL_MAX ? OBK_SLACK : p->tiling.n_flat + 2 * OBK_SLACK);
}

/* Computes block b of one plane. lane: obk_pool_lane elements. indices: positions of the maxima in x, NULL if not wanted; only
 * without a tiling. Of equal maxima the first counts; NaN is above all numbers. */
typedef void (*obk_pool_max)(const obk_pool *pool, const void *x, void *y, int64_t *indices, int64_t b, void *lane,
                             obk_pace *pace);
typedef void (*obk_pool_sum)(const obk_pool *pool, const void *x, void *y, int64_t b, void *lane, obk_pace *pace);
/* Divides sums of rows first .. first + rows of a plane by the number of kernel positions that count; y: the first of them. */
typedef void (*obk_pool_divide)(const obk_pool *pool, void *y, int64_t first, int64_t rows);
/* Reduces a plane of n elements to one result. */
typedef void (*obk_pool_plane)(obk_pool_kind kind, double p, const void *x, int64_t n, void *y);

enum { OBK_POOL_F32, OBK_POOL_F64, OBK_POOL_I8, OBK_POOL_U8, OBK_POOL_TYPES };

typedef struct obk_pools {
    obk_pool_max max[OBK_POOL_TYPES];      /* with a tiling */
    obk_pool_max max_each[OBK_POOL_TYPES]; /* without */
    obk_pool_sum sum[2];                   /* F32, F64: means and norms */
    obk_pool_divide divide;                /* F32 */
    obk_pool_plane global[2];              /* F32, F64 */
} obk_pools;

#endif
