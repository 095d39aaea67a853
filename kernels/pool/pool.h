/* Pooling: the maximum, mean or norm of what a window sees. */
#ifndef OB_KERNELS_POOL_POOL_H
#define OB_KERNELS_POOL_POOL_H

#include "core/base/pace.h"
#include "kernels/window/window.h"

typedef enum obk_pool_kind { OBK_POOL_MAX, OBK_POOL_MEAN, OBK_POOL_NORM } obk_pool_kind;

typedef struct obk_pool {
    obk_window window;
    obk_tiling tiling;
    bool tiled; /* false: no tiling serves, taps are looked at one by one, in one block */
    obk_pool_kind kind;
    double p;                   /* of the norm */
    bool column_major;          /* indices: the first spatial axis runs fastest */
    const int32_t *const *taps; /* [rank][out]: of a mean, by how many taps of the axis it is divided; at least 1 */
} obk_pool;

/* Results of block b of a plane: x and y are planes. lane: tiling.elems elements and, of a mean or norm, tiling.n_flat +
 * OBK_SLACK more. indices: of the maxima in x, NULL where not wanted; they come without a tiling only. The first of equal maxima
 * counts, NaN is above all. */
typedef void (*obk_pool_max)(const obk_pool *pool, const void *x, void *y, int64_t *indices, int64_t b, void *lane,
                             obk_pace *pace);
typedef void (*obk_pool_sum)(const obk_pool *pool, const void *x, void *y, int64_t b, void *lane, obk_pace *pace);
/* One result of a plane of n elements. */
typedef void (*obk_pool_plane)(obk_pool_kind kind, double p, const void *x, int64_t n, void *y);

enum { OBK_POOL_F32, OBK_POOL_F64, OBK_POOL_I8, OBK_POOL_U8, OBK_POOL_TYPES };

typedef struct obk_pools {
    obk_pool_max max[OBK_POOL_TYPES];
    obk_pool_sum sum[2];      /* F32, F64: means and norms */
    obk_pool_plane global[2]; /* F32, F64 */
} obk_pools;

#endif
