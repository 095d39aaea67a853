/* The layout of an iteration, for iteration.c, which plans it, and iteration_run.c. */
#ifndef OB_KERNELS_ELEMENTWISE_ITERATION_LAYOUT_H
#define OB_KERNELS_ELEMENTWISE_ITERATION_LAYOUT_H

#include "kernels/elementwise/iteration.h"

enum access {
    DIRECT,        /* read or written in place */
    GATHERED,      /* gathered into a dense tile */
    GATHERED_ROWS, /* gathered into a tile with one element for each row (stretched inner axis, converted type) */
};

enum {
    TILE_BYTES = 8192,
    PLAIN_TILE_BYTES = 16384,  /* of a loop without conversions and accumulator: one or two tiles are in use */
    PROGRAM_TILE_BYTES = 8192, /* a call of a loop costs as much as 1 KiB; two or three tiles are in use */
    CHAIN_TILE_BYTES = 16384,  /* only operands that are gathered use one */
    ROW_TILE_BYTES = 16384,    /* the least for a program over rows: several rows */
    SMALL_TILES_BYTES = 1536,  /* bytes of all tiles on the stack, if there is no lane memory */
    STREAM_TILE_BYTES = 1024,
    FEW_OPERANDS = 4, /* the most operands without folding */
    DIRECT_OPERANDS = 12,
    CACHED_TILES = 4,
    N_TILES = CACHED_TILES + 2, /* the last two are shared and their contents never reused */
    MOST_TILES = OBK_PROGRAM_OPERANDS,
    MIN_ROW_BYTES = 64,       /* rows at least this long are not worth gathering */
    PROGRAM_ROW_BYTES = 2048, /* the same for a program */
    ROWS_ELEMS = 8192,        /* elements of a block that needs no tile */
    GRAIN_ELEMS = 32768,      /* threads share the work only above twice this */
};

static inline bool is_input(const obk_iteration *b, uint32_t k) {
    return k < b->nd.n_inputs;
}

static inline int64_t most_tile_bytes(const obk_iteration *b) {
    if (!b->program) {
        bool plain = !b->fold;
        for (uint32_t k = 0; k <= b->nd.n_inputs; k++) plain = plain && !b->operands[k].convert;
        return plain ? PLAIN_TILE_BYTES : TILE_BYTES;
    }
    if (b->program->row) return b->program->row * 8 > ROW_TILE_BYTES ? (b->program->row * 8 + 63) / 64 * 64 : ROW_TILE_BYTES;
    return obk_program_is_chain(b->program) ? CHAIN_TILE_BYTES : PROGRAM_TILE_BYTES;
}

/* Operands of a program are aligned, except those of a fold, which is a chain. */
static inline bool has_own_tiles(const obk_iteration *b) {
    return b->program ? obk_program_is_chain(b->program) : b->nd.n_inputs < FEW_OPERANDS;
}

/* Two are for the result, one of them before conversion. A program converts nothing, and its registers come last. */
static inline uint32_t all_tiles(const obk_iteration *b) {
    return b->n_tiles + (b->program ? 1 + b->program->n_registers : 2);
}

/* The size of a tile on the stack. */
static inline int32_t small_tile_bytes(const obk_iteration *b) {
    return (int32_t)(SMALL_TILES_BYTES / all_tiles(b) / 64 * 64);
}

/* The chain of a fold, or of a loop of two operands; NULL: the loop has no form. E_MEMORY. */
ob_status obk_fold_program(const obk_iteration_spec *from, uint32_t n_in, uint8_t size, ob_arena *arena, const obk_program **out,
                           ob_error *error);
/* True if the operand is one element for all positions inside `axis` and the axes after it. */
bool obk_scalar_from(const obk_nd *nd, uint32_t k, int32_t axis);
/* What obk_iteration.direct_range and so on point to. */
void obk_direct_range(void *run, int64_t begin, int64_t end);
void obk_tiled_range(const struct obk_run *run, int64_t begin, int64_t end, char *memory, size_t tile_bytes);
void obk_fold_block(const obk_iteration *b, const struct obk_source *from, char *out, int64_t n, int64_t out_row, int64_t rows);
char *obk_gather_operand(const obk_iteration *b, const struct obk_block *at, uint32_t k, uint32_t slot, const char *source,
                         struct obk_tiles *t);
void obk_store_block(const obk_iteration *b, const struct obk_block *at, char *target, struct obk_tiles *t);
void obk_adapt_blocks(struct obk_run *run, const ob_view *in, const ob_threads *threads);
/* Chooses blocks and accesses; a block fits into a tile if any operand uses one. misaligned: by operand; NULL: none is. */
void obk_choose_blocks(obk_iteration *b, const bool *misaligned, int64_t tile_bytes);

#endif
