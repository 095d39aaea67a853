/* The elementwise kernels' iteration: ob_nd cut into blocks that fit the first-level cache.
 *
 * A loop sees only contiguous or scalar inputs and contiguous outputs, in rows. What does not have that form (a tiny stretched
 * axis, a transposed view, an element type that is computed in another one) is first written into a tile of a few KiB of the
 * lane's memory, and the tile is reused while the operand's address does not change. The operand itself is never materialised. */
#ifndef OB_OPS_ELEMENTWISE_BLOCKS_H
#define OB_OPS_ELEMENTWISE_BLOCKS_H

#include "kernels/loop.h"
#include "ops/elementwise/nd.h"
#include "ops/kernel/kernel.h"

enum { OB_BLOCKS_CACHED = 4 };

typedef struct ob_blocks_operand {
    obk_convert convert; /* between the view's elements and the loop's; NULL: they are the same */
    uint16_t size;       /* bytes of an element in memory */
    uint16_t loop_size;  /* bytes of an element as the loop sees it */
    uint8_t access;      /* enum access in blocks.c */
    uint8_t tile;        /* which tile, when packed */
} ob_blocks_operand;

typedef struct ob_blocks {
    ob_nd nd;
    obk_loop loop;
    const void *params;
    bool fold;       /* loop has two operands; inputs are folded from the left into the output */
    bool swap;       /* two inputs, exchanged */
    obk_loop finish; /* with fold: applied to (accumulator, *finish_operand) at the end; may be NULL */
    const void *finish_operand;
    bool flat;                   /* one row per block */
    bool direct;                 /* no tiles */
    bool stream;                 /* the output is larger than the caches: written past them */
    bool lanes;                  /* tiles are in the memory of the lanes; else, where there must be any, on the stack */
    int32_t tile_bytes;          /* at most, of each */
    int32_t axis;                /* blocks cover `chunk` indices of this axis and all axes inside it */
    int64_t chunk, inner;        /* inner: elements per index of `axis` */
    int64_t n_blocks, n_chunks;  /* n_chunks: along `axis` */
    ob_blocks_operand *operands; /* inputs, then the output */
} ob_blocks;

typedef struct ob_blocks_spec {
    obk_loop loop;
    const void *params; /* must live as long as the plan */
    bool fold, swap;
    obk_loop finish;
    const void *finish_operand;
    /* Per input (fold: entry 0 serves all): conversion into the loop's element type, and that type. OB_NONE: as it is. */
    obk_convert in_convert[3];
    ob_dtype in_loop_dtype[3];
    obk_convert out_convert;
    ob_dtype out_loop_dtype;
} ob_blocks_spec;

/* Prepares `blocks` (zeroed or not) for these shapes and strides; what it points to is of the arena. Raises needs->lane_bytes to
 * what the tiles take. E_SHAPE, E_LIMIT, E_MEMORY. */
ob_status ob__blocks_plan(ob_blocks *blocks, const ob_view *in, uint32_t n_in, const ob_view *out, const ob_blocks_spec *spec,
                          struct ob_arena *arena, ob_kernel_needs *needs, ob_error *error);
/* Computes; only the data pointers of the views are used, and of `args` the threads and the lanes. */
void ob__blocks_run(const ob_blocks *blocks, const ob_view *in, const ob_view *out, const ob_kernel_args *args);

#endif
