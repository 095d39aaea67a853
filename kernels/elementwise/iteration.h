/* The iteration of elementwise kernels: obk_nd, divided into blocks that fit into the first-level cache.
 *
 * A loop sees only contiguous or scalar inputs and contiguous outputs, in rows. Other operands (a short stretched axis, a
 * transposed view, an element type that is computed in another one) are first gathered into a tile of a few KiB of lane memory.
 * The tile is reused while the operand's address stays the same. The whole operand is never copied. */
#ifndef OB_KERNELS_ELEMENTWISE_ITERATION_H
#define OB_KERNELS_ELEMENTWISE_ITERATION_H

#include "core/base/arena.h"
#include "core/base/members.h"
#include "core/base/threads.h"
#include "kernels/elementwise/nd.h"
#include "kernels/elementwise/program.h"
#include "kernels/loop.h"
#include "kernels/move/move.h"

typedef struct obk_iteration_operand {
    obk_convert convert; /* between the view's elements and the loop's; NULL: none needed */
    uint16_t size;       /* bytes of an element in memory */
    uint16_t loop_size;  /* bytes of an element in the loop */
    uint8_t access;      /* enum access in iteration.c */
    uint8_t tile;        /* index of the tile, if gathered */
} obk_iteration_operand;

typedef struct obk_short_rows obk_short_rows; /* see short_rows.h */
struct obk_iteration;
struct obk_block;
struct obk_tiles;
struct obk_run;
struct obk_source;

typedef struct obk_iteration {
    obk_nd nd;
    const obk_short_rows *short_rows; /* for aligned operands, in place of all that follows; NULL: none */
    /* Computes them; by address, so that only plans with short rows link it. data: of the inputs, then the output. */
    void (*run_short_rows)(const struct obk_iteration *iteration, char *const *data, const ob_threads *threads);
    obk_loop loop;
    const obk_program *program; /* in place of the loop; NULL: none */
    const void *params;
    const ob_struct *params_type; /* of params; NULL: none are read */
    bool fold;                    /* the loop has two operands; inputs are folded from left to right into the output */
    bool swap;                    /* the two inputs are exchanged */
    obk_loop finish;              /* with fold: applied to (accumulator, *finish_operand) at the end; may be NULL */
    const void *finish_operand;
    const void *fixed[3];            /* NULL: the data of the view */
    bool flat;                       /* one row per block */
    bool direct;                     /* no operand uses a tile */
    bool stream;                     /* the output is larger than the caches and is written past them */
    uint32_t n_tiles;                /* for inputs */
    bool lanes;                      /* tiles are in lane memory; else on the stack, if there are any */
    int32_t tile_bytes;              /* the most bytes of a tile */
    int32_t axis;                    /* blocks cover `chunk` indices of this axis and all axes inside it */
    int64_t chunk, inner;            /* inner: elements per index of `axis` */
    int64_t n_blocks, n_chunks;      /* n_chunks: along `axis` */
    obk_iteration_operand *operands; /* inputs, then the output */
    obk_repeat repeat_4;             /* for tiles of 4 bytes; NULL: there are none */

    /* Parts of a run (iteration_run.c), by address, so that a plan which is written as C links only those that it needs. */
    void (*direct_range)(void *run, int64_t begin, int64_t end); /* of a plan without tiles */
    void (*tiled_range)(const struct obk_run *run, int64_t begin, int64_t end, char *memory, size_t tile_bytes);
    void (*fold_block)(const struct obk_iteration *iteration, const struct obk_source *from, char *out, int64_t n,
                       int64_t out_row, int64_t rows);
    char *(*gather)(const struct obk_iteration *iteration, const struct obk_block *at, uint32_t k, uint32_t slot,
                    const char *source, struct obk_tiles *tiles);
    void (*store)(const struct obk_iteration *iteration, const struct obk_block *at, char *target, struct obk_tiles *tiles);
    /* Chooses other blocks for operands that are misaligned, or for a fold into an operand's place; NULL: there are none. */
    void (*adapt)(struct obk_run *run, const ob_view *in, const ob_threads *threads);
} obk_iteration;

typedef struct obk_iteration_spec {
    obk_loop loop;
    const obk_program *program; /* in place of loop, params, fold and conversions; lives as long as the plan */
    const void *params;         /* must live as long as the plan */
    const ob_struct *params_type;
    bool fold, swap;
    bool loops_only;      /* no chains: their steps are code of one processor, and this plan is for others too */
    bool apart;           /* in a program the result is not in an operand's place */
    const void *fixed[3]; /* scalars that stand for inputs, whatever the data of their views; they live as long as the plan */
    obk_loop finish;
    const void *finish_operand;
    /* For each input (fold: entry 0 serves all): the conversion to the loop's element type, and that type. OB_NONE: no
     * conversion. */
    obk_convert in_convert[3];
    ob_dtype in_loop_dtype[3];
    obk_convert out_convert;
    ob_dtype out_loop_dtype;
} obk_iteration_spec;

/* Plans `iteration` (zeroed or not) for these shapes and strides; its arrays live in the arena. Raises *lane_bytes to the size of
 * the tiles. E_SHAPE, E_LIMIT, E_MEMORY. */
ob_status obk_iteration_plan(obk_iteration *iteration, const ob_view *in, uint32_t n_in, const ob_view *out,
                             const obk_iteration_spec *spec, ob_arena *arena, size_t *lane_bytes, ob_error *error);
/* Computes. Only the data pointers of the views are used. lanes: lane memory, lane_stride bytes apart; NULL: none, and small
 * tiles on the stack are used. */
void obk_iteration_run(const obk_iteration *iteration, const ob_view *in, const ob_view *out, const ob_threads *threads,
                       char *lanes, size_t lane_stride);

#endif
