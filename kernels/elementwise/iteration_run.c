/* Running an iteration: blocks one after the other, shared by threads. */
#include <string.h>

#include "core/base/integers.h"
#include "core/graph/copy.h"
#include "kernels/elementwise/iteration_layout.h"
#include "kernels/elementwise/strided.h"

typedef struct obk_tiles {
    char *in, *out, *raw;           /* `in`: one after the other; raw: before conversion, or a program's registers */
    size_t n_bytes;                 /* bytes of each tile */
    const char *source[MOST_TILES]; /* source of a tile's contents; NULL: empty */
    int64_t length[MOST_TILES];     /* indices of the block axis that it holds */
} tiles;

typedef struct obk_run {
    const obk_iteration *blocks;
    const ob_view *in;
    char *out;
    char *lanes;
    size_t lane_stride;
    bool out_tile; /* accumulate in a tile, not in the output itself */
} run;

typedef struct obk_block {
    int64_t index[OB_MAX_RANK]; /* index of its first element, axes 0 .. axis */
    int64_t length;             /* indices along the block axis */
} block;

static bool is_aligned(uintptr_t address, size_t size) {
    size_t align = size > 8 ? 8 : size;
    return align <= 1 || address % align == 0;
}

static const char *input_data(const run *r, uint32_t k) {
    const void *fixed = k < 3 ? r->blocks->fixed[k] : NULL;
    return fixed ? fixed : r->in[r->blocks->swap ? 1 - k : k].data;
}

static int64_t block_offset(const obk_iteration *b, const block *at, uint32_t k) {
    int64_t offset = 0;
    for (int32_t a = 0; a <= b->axis; a++) offset += at->index[a] * obk_nd_stride(&b->nd, a, k);
    return offset;
}

/* The operand's axes within a block, for gathering. */
static obk_strided block_shape(const obk_iteration *b, const block *at, uint32_t k, bool rows_only) {
    obk_strided shape = {.n_elems = 1};
    int32_t last = rows_only ? (b->flat ? b->axis - 1 : b->axis) : b->nd.rank - 1;
    for (int32_t a = b->axis; a <= last; a++)
        obk_strided_append(&shape, a == b->axis ? at->length : b->nd.dims[a], obk_nd_stride(&b->nd, a, k));
    return shape;
}

/* Fills a tile with the operand's elements, in loop order and in the loop's type. */
char *obk_gather_operand(const obk_iteration *b, const block *at, uint32_t k, uint32_t slot, const char *source, tiles *t) {
    const obk_iteration_operand *operand = &b->operands[k];
    char *tile = t->in + slot * t->n_bytes;
    bool cached = slot < (b->program ? OBK_PROGRAM_OPERANDS : CACHED_TILES);
    if (cached && t->source[slot] == source && t->length[slot] >= at->length) return tile;
    obk_strided shape = block_shape(b, at, k, operand->access == GATHERED_ROWS);
    int64_t n = shape.n_elems;
    if (!operand->convert) {
        obk_gather_strided(tile, source, operand->size, &shape, b->repeat_4);
    } else if (obk_strided_is_dense(&shape, operand->size)) {
        operand->convert(tile, source, n);
    } else {
        obk_gather_strided(t->raw, source, operand->size, &shape, b->repeat_4);
        operand->convert(tile, t->raw, n);
    }
    if (cached) {
        t->source[slot] = source;
        t->length[slot] = at->length;
    }
    return tile;
}

/* The step of an operand that is used in place. */
static int64_t direct_step(const obk_iteration *b, uint32_t k) {
    int32_t inner = b->nd.rank - 1;
    if (b->flat && b->axis < inner) return obk_scalar_from(&b->nd, k, b->axis) ? 0 : b->operands[k].size;
    return obk_nd_stride(&b->nd, inner, k);
}

/* The pointer, step and row distance of input k. */
static char *fetch(const run *r, const block *at, uint32_t k, tiles *t, int64_t *step, int64_t *row) {
    const obk_iteration *b = r->blocks;
    const obk_iteration_operand *operand = &b->operands[k];
    const char *source = input_data(r, k) + block_offset(b, at, k);
    /* obk_adapt_blocks does not adapt such a plan to misaligned operands */
    const bool adapts = b->adapt && (b->program ? has_own_tiles(b) : b->fold && b->nd.n_inputs >= FEW_OPERANDS);
    uint32_t slot = operand->tile;
    bool direct = operand->access == DIRECT;
    if (direct && adapts && !is_aligned((uintptr_t)source, operand->size)) {
        direct = false;
        if (!b->program) slot = CACHED_TILES + (k != 0);
    }
    if (direct) {
        *row = b->flat ? 0 : obk_nd_stride(&b->nd, b->axis, k);
        *step = direct_step(b, k);
        return (char *)(uintptr_t)source;
    }
    bool scalar = operand->access == GATHERED_ROWS;
    *step = scalar ? 0 : operand->loop_size;
    *row = b->flat ? 0 : scalar ? operand->loop_size : operand->loop_size * b->inner;
    return b->gather(b, at, k, slot, source, t);
}

void obk_store_block(const obk_iteration *b, const block *at, char *target, tiles *t) {
    uint32_t k = b->nd.n_inputs;
    const obk_iteration_operand *operand = &b->operands[k];
    obk_strided shape = block_shape(b, at, k, false);
    bool dense = obk_strided_is_dense(&shape, operand->size);
    const char *source = t->out;
    if (operand->convert) {
        char *converted = dense && !b->stream ? target : t->raw;
        operand->convert(converted, t->out, shape.n_elems);
        if (converted == target) return;
        source = t->raw;
    }
    if (dense && b->stream)
        ob__stream(target, source, (size_t)(shape.n_elems * operand->size));
    else
        obk_scatter_strided(target, source, operand->size, &shape);
}

/* The operands of a block: known pointers, or fetched one after the other because there are few tiles. */
typedef struct obk_source {
    char *const *p; /* NULL: fetch them */
    const int64_t *step, *row;
    const run *r;
    const block *at;
    tiles *t;
} source;

static char *next_operand(const source *from, uint32_t k, int64_t *step, int64_t *row) {
    if (!from->p) return fetch(from->r, from->at, k, from->t, step, row);
    *step = from->step[k];
    *row = from->row[k];
    return from->p[k];
}

void obk_fold_block(const obk_iteration *b, const source *from, char *out, int64_t n, int64_t out_row, int64_t rows) {
    uint32_t n_in = b->nd.n_inputs, out_size = b->operands[n_in].loop_size;
    int64_t step[3], row[3];
    char *p[3];
    p[0] = next_operand(from, 0, &step[0], &row[0]);
    if (n_in > 1) p[1] = next_operand(from, 1, &step[1], &row[1]);
    /* Start from a copy if the loop does not accept the operands: only one, or two scalars. A copy would overwrite operand 1 if
     * it is the output's memory, but then it is not a scalar. */
    if (n_in == 1 || (step[0] == 0 && step[1] == 0 && n > 1)) {
        for (int64_t j = 0; j < rows; j++) obk_copy_row(out + j * out_row, p[0] + j * row[0], step[0], n, out_size);
        p[0] = out;
        step[0] = out_size;
        row[0] = out_row;
    }
    for (uint32_t k = 1; k < n_in; k++) {
        if (k > 1) p[1] = next_operand(from, k, &step[1], &row[1]);
        p[2] = out;
        row[2] = out_row;
        b->loop(p, step, n, row, rows, b->params);
        p[0] = out;
        step[0] = out_size;
        row[0] = out_row;
    }
    if (b->finish) {
        p[0] = p[2] = out;
        p[1] = (char *)(uintptr_t)b->finish_operand;
        step[0] = out_size;
        row[0] = row[2] = out_row;
        step[1] = row[1] = 0;
        b->finish(p, step, n, row, rows, b->params);
    }
}

static void compute_block(const run *r, const block *at, tiles *t) {
    const obk_iteration *b = r->blocks;
    uint32_t n_in = b->nd.n_inputs;
    const obk_iteration_operand *output = &b->operands[n_in];
    int64_t n = b->flat ? at->length * b->inner : b->inner;
    int64_t rows = b->flat ? 1 : at->length;
    char *target = r->out + block_offset(b, at, n_in);
    bool through = r->out_tile || output->access != DIRECT;
    char *out = through ? t->out : target;
    int64_t out_row = b->flat ? 0 : through ? b->inner * output->loop_size : obk_nd_stride(&b->nd, b->axis, n_in);
    if (b->fold) {
        b->fold_block(b, &(source){.r = r, .at = at, .t = t}, out, n, out_row, rows);
    } else {
        char *p[OBK_PROGRAM_OPERANDS + 1];
        int64_t step[OBK_PROGRAM_OPERANDS + 1], row[OBK_PROGRAM_OPERANDS + 1];
        for (uint32_t k = 0; k < n_in; k++) p[k] = fetch(r, at, k, t, &step[k], &row[k]);
        p[n_in] = out;
        step[n_in] = output->loop_size;
        row[n_in] = out_row;
        if (b->program)
            obk_program_run(b->program, n_in, p, step, n, row, rows, t->raw, (int64_t)t->n_bytes);
        else
            b->loop(p, step, n, row, rows, b->params);
    }
    if (through) b->store(b, at, target, t);
}

/* Writes a block past the caches through small tiles, so that reads and writes alternate at short distances. */
static void loop_streamed(const obk_iteration *b, char *const *p, const int64_t *step, int64_t n, const int64_t *row,
                          int64_t rows) {
    _Alignas(64) char tile[STREAM_TILE_BYTES];
    uint32_t n_in = b->nd.n_inputs;
    int64_t size = b->operands[n_in].size, tile_elems = STREAM_TILE_BYTES / size;
    int64_t n_step = n < tile_elems ? n : tile_elems, rows_step = tile_elems / n_step;
    char *q[FEW_OPERANDS], *target = p[n_in];
    int64_t tile_row[FEW_OPERANDS];
    for (uint32_t k = 0; k < n_in; k++) tile_row[k] = row[k];
    tile_row[n_in] = n_step * size;
    q[n_in] = tile;
    for (int64_t j = 0; j < rows; j += rows_step) {
        int64_t some_rows = rows - j < rows_step ? rows - j : rows_step;
        for (int64_t i = 0; i < n; i += n_step) {
            int64_t some = n - i < n_step ? n - i : n_step;
            for (uint32_t k = 0; k < n_in; k++) q[k] = p[k] + j * row[k] + i * step[k];
            b->loop(q, step, some, tile_row, some_rows, b->params);
            ob__stream(target, tile, (size_t)(some * some_rows * size));
            target += some * some_rows * size;
        }
    }
}

/* All operands are used in place: pointers advance with the index, nothing is looked up for a block. */
static void run_direct(const obk_iteration *b, char **p, block *at, int64_t n_blocks) {
    uint32_t n_op = b->nd.n_inputs + 1;
    int64_t step[DIRECT_OPERANDS], row[DIRECT_OPERANDS];
    for (uint32_t k = 0; k < n_op; k++) {
        step[k] = direct_step(b, k);
        row[k] = b->flat ? 0 : obk_nd_stride(&b->nd, b->axis, k);
    }
    for (int64_t i = 0; i < n_blocks; i++) {
        int64_t size = b->nd.dims[b->axis], left = size - at->index[b->axis];
        int64_t length = left < b->chunk ? left : b->chunk;
        int64_t n = b->flat ? length * b->inner : b->inner, rows = b->flat ? 1 : length;
        if (b->fold)
            b->fold_block(b, &(source){.p = p, .step = step, .row = row}, p[n_op - 1], n, row[n_op - 1], rows);
        else if (b->stream)
            loop_streamed(b, p, step, n, row, rows);
        else
            b->loop(p, step, n, row, rows, b->params);
        at->index[b->axis] += length;
        for (uint32_t k = 0; k < n_op; k++) p[k] += length * obk_nd_stride(&b->nd, b->axis, k);
        for (int32_t a = b->axis; a > 0 && at->index[a] >= b->nd.dims[a]; a--) {
            for (uint32_t k = 0; k < n_op; k++)
                p[k] += obk_nd_stride(&b->nd, a - 1, k) - at->index[a] * obk_nd_stride(&b->nd, a, k);
            at->index[a] = 0;
            at->index[a - 1]++;
        }
    }
}

static void first_block(const obk_iteration *b, int64_t begin, block *at) {
    int64_t rest = begin / b->n_chunks;
    at->index[b->axis] = begin % b->n_chunks * b->chunk;
    for (int32_t a = b->axis - 1; a >= 0; a--) {
        at->index[a] = rest % b->nd.dims[a];
        rest /= b->nd.dims[a];
    }
}

void obk_direct_range(void *context, int64_t begin, int64_t end) {
    const run *r = context;
    const obk_iteration *b = r->blocks;
    block at;
    char *p[DIRECT_OPERANDS];
    first_block(b, begin, &at);
    for (uint32_t k = 0; k < b->nd.n_inputs; k++) p[k] = (char *)(uintptr_t)input_data(r, k) + block_offset(b, &at, k);
    p[b->nd.n_inputs] = r->out + block_offset(b, &at, b->nd.n_inputs);
    run_direct(b, p, &at, end - begin);
    if (b->stream) ob__stream_end();
}

void obk_tiled_range(const run *r, int64_t begin, int64_t end, char *memory, size_t tile_bytes) {
    const obk_iteration *b = r->blocks;
    block at;
    tiles t = {.in = memory, .n_bytes = tile_bytes};
    t.out = t.in + b->n_tiles * tile_bytes;
    t.raw = t.out + tile_bytes;
    first_block(b, begin, &at);
    for (int64_t i = begin; i < end; i++) {
        int64_t left = b->nd.dims[b->axis] - at.index[b->axis];
        at.length = left < b->chunk ? left : b->chunk;
        compute_block(r, &at, &t);
        at.index[b->axis] += b->chunk;
        for (int32_t a = b->axis; a > 0 && at.index[a] >= b->nd.dims[a]; a--) {
            at.index[a] = 0;
            at.index[a - 1]++;
        }
    }
    if (b->stream) ob__stream_end();
}

static void lane_range(void *context, int64_t begin, int64_t end, int lane) {
    const run *r = context;
    r->blocks->tiled_range(r, begin, end, ob__lane(r->lanes, r->lane_stride, lane), (size_t)r->blocks->tile_bytes);
}

static void small_range(void *context, int64_t begin, int64_t end) {
    const run *r = context;
    _Alignas(64) char memory[SMALL_TILES_BYTES];
    r->blocks->tiled_range(r, begin, end, memory, (size_t)small_tile_bytes(r->blocks));
}

/* Bytes borrowed from a file may be misaligned; such operands are gathered into a tile. */
static bool find_misaligned(const run *r, bool *misaligned) {
    const obk_iteration *b = r->blocks;
    bool any = false;
    uint32_t n_in = b->nd.n_inputs;
    for (uint32_t k = 0; k <= n_in; k++) {
        misaligned[k] = !is_aligned((uintptr_t)(k < n_in ? input_data(r, k) : r->out), b->operands[k].size);
        for (int32_t a = 0; a < b->nd.rank && !misaligned[k]; a++)
            misaligned[k] = !is_aligned((uintptr_t)obk_nd_stride(&b->nd, a, k), b->operands[k].size);
        any |= misaligned[k];
    }
    return any;
}

static inline __attribute__((always_inline)) void run_blocks(run *r, bool direct, const ob_threads *threads) {
    const obk_iteration *b = r->blocks;
    const int64_t n = b->n_blocks, grain = ob__ceil_div(GRAIN_ELEMS, b->chunk * b->inner);
    if (direct)
        ob__parallel(threads, n, grain, b->direct_range, r);
    else if (b->lanes && r->lanes)
        ob__parallel_lanes(threads, n, grain, lane_range, r);
    else
        ob__parallel(threads, n, grain, small_range, r);
}

void obk_adapt_blocks(run *r, const ob_view *in, const ob_threads *threads) {
    const obk_iteration *b = r->blocks;
    const uint32_t n_in = b->nd.n_inputs;
    bool misaligned[OBK_PROGRAM_OPERANDS + 1] = {false};
    const bool any = (b->program || n_in < DIRECT_OPERANDS) && find_misaligned(r, misaligned), in_lanes = b->lanes && r->lanes;
    if (b->short_rows && !any) {
        char *data[OBK_PROGRAM_OPERANDS + 1];
        for (uint32_t k = 0; k < n_in; k++) data[k] = (char *)(uintptr_t)input_data(r, k);
        data[n_in] = r->out;
        b->run_short_rows(b, data, threads);
        return;
    }
    /* a fold writes its accumulator before it reads later operands, and a scalar first operand before the second */
    for (uint32_t k = 1; b->fold && k < n_in; k++) r->out_tile |= in[k].data == r->out;
    if (b->program || n_in >= FEW_OPERANDS) /* the plan is not adapted for these below */
        r->out_tile |= !is_aligned((uintptr_t)r->out, b->operands[n_in].size);
    obk_iteration aligned;
    obk_iteration_operand operands[OBK_PROGRAM_OPERANDS + 1];
    const int32_t tile_bytes = in_lanes ? b->tile_bytes : small_tile_bytes(b);
    const bool too_large = !in_lanes && (r->out_tile || !b->direct) && b->tile_bytes > tile_bytes;
    /* a chain in large blocks: a misaligned operand needs a tile, which holds less */
    const bool too_large_chain =
        b->program && (any || r->out_tile) && b->chunk * b->inner > b->tile_bytes / b->operands[n_in].size;
    const bool adapts = ((any || too_large) && n_in < FEW_OPERANDS && !b->program) || too_large_chain;
    if (adapts) {
        aligned = *b;
        aligned.operands = memcpy(operands, b->operands, (n_in + 1) * sizeof *operands);
        obk_choose_blocks(&aligned, misaligned, tile_bytes);
        r->blocks = &aligned;
    }
    run_blocks(r, r->blocks->direct && !r->out_tile && (!any || adapts), threads);
}

void obk_iteration_run(const obk_iteration *b, const ob_view *in, const ob_view *out, const ob_threads *threads, char *lanes,
                       size_t lane_stride) {
    if (b->nd.n_elems == 0) return;
    run r = {.blocks = b, .in = in, .out = out->data, .lanes = lanes, .lane_stride = lane_stride};
    if (b->adapt)
        b->adapt(&r, in, threads);
    else
        run_blocks(&r, b->direct, threads);
}
