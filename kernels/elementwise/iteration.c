#include "kernels/elementwise/iteration.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/graph/copy.h"
#include "kernels/elementwise/strided.h"

enum access {
    DIRECT,        /* read or written in place */
    GATHERED,      /* gathered into a dense tile */
    GATHERED_ROWS, /* gathered into a tile with one element for each row (stretched inner axis, converted type) */
};

enum {
    TILE_BYTES = 4096,
    SMALL_TILES_BYTES = 1536, /* bytes of all tiles on the stack, if there is no lane memory */
    STREAM_TILE_BYTES = 1024,
    FEW_OPERANDS = 4, /* the most operands without folding */
    DIRECT_OPERANDS = 12,
    CACHED_TILES = 4,
    N_TILES = CACHED_TILES + 2, /* the last two are shared and their contents never reused */
    MIN_ROW_BYTES = 64,         /* rows at least this long are not worth gathering */
    ROWS_ELEMS = 8192,          /* elements of a block that needs no tile */
    GRAIN_ELEMS = 32768,        /* threads share the work only above twice this */
};
static const int64_t stream_bytes = INT64_C(24) << 20;

/* ---- Planning ---- */

static bool is_input(const obk_iteration *b, uint32_t k) {
    return k < b->nd.n_inputs;
}

/* True if the operand's elements within a block are contiguous in loop order. */
static bool dense_from(const obk_nd *nd, uint32_t k, int32_t axis, int64_t size) {
    int64_t expected = size;
    for (int32_t a = nd->rank - 1; a >= axis; a--) {
        if (nd->dims[a] != 1 && obk_nd_stride(nd, a, k) != expected) return false;
        expected *= nd->dims[a];
    }
    return true;
}

static bool scalar_from(const obk_nd *nd, uint32_t k, int32_t axis) {
    for (int32_t a = axis; a < nd->rank; a++)
        if (nd->dims[a] != 1 && obk_nd_stride(nd, a, k) != 0) return false;
    return true;
}

static int64_t inner_product(const obk_nd *nd, int32_t axis) {
    int64_t product = 1;
    for (int32_t a = axis + 1; a < nd->rank; a++) product *= nd->dims[a];
    return product;
}

/* True if the loop can process rows of every operand: inner strides are 0 or one element, outputs are contiguous. */
static bool rows_fit(const obk_iteration *b) {
    const obk_nd *nd = &b->nd;
    int32_t inner = nd->rank - 1;
    for (uint32_t k = 0; k < nd->n_inputs + nd->n_outputs; k++) {
        int64_t stride = obk_nd_stride(nd, inner, k);
        if (stride != b->operands[k].size && (stride != 0 || !is_input(b, k))) return false;
    }
    return true;
}

static void choose_geometry(obk_iteration *b, bool tiles, int64_t tile_elems) {
    const obk_nd *nd = &b->nd;
    int32_t inner = nd->rank - 1;
    int64_t n = nd->dims[inner];
    int64_t n_bytes = n * b->operands[nd->n_inputs].loop_size;
    b->flat = true;
    if (nd->rank == 1 || n > tile_elems) {
        b->axis = inner;
        b->chunk = tiles || !rows_fit(b) ? tile_elems : GRAIN_ELEMS;
    } else if (n_bytes >= MIN_ROW_BYTES && rows_fit(b)) {
        b->flat = false;
        b->axis = inner - 1;
        b->chunk = (tiles ? tile_elems : ROWS_ELEMS) / n;
    } else {
        int64_t elems = 1;
        b->axis = inner;
        while (b->axis > 0 && elems * nd->dims[b->axis] <= tile_elems / 2) elems *= nd->dims[b->axis--];
        b->chunk = tile_elems / elems;
    }
    b->inner = inner_product(nd, b->axis);
    if (b->chunk < 1) b->chunk = 1;
    if (b->chunk > nd->dims[b->axis]) b->chunk = nd->dims[b->axis];
    b->n_chunks = ob__ceil_div(nd->dims[b->axis], b->chunk);
    /* blocks of about equal length, in whole vectors */
    int64_t even = ob__round_up(ob__ceil_div(nd->dims[b->axis], b->n_chunks), 32);
    if (even < b->chunk) b->chunk = even;
    b->n_chunks = ob__ceil_div(nd->dims[b->axis], b->chunk);
    b->n_blocks = b->n_chunks;
    for (int32_t a = 0; a < b->axis; a++) b->n_blocks *= nd->dims[a];
}

static void choose_access(obk_iteration *b, const bool *misaligned, bool stream_tile) {
    const obk_nd *nd = &b->nd;
    uint32_t n = nd->n_inputs + nd->n_outputs;
    int64_t block = b->chunk * b->inner;
    bool any_vector = b->fold || block == 1 || nd->n_inputs == 0;
    for (uint32_t k = 0; k < n; k++) {
        obk_iteration_operand *operand = &b->operands[k];
        operand->access = DIRECT;
        bool scalar, dense;
        if (b->flat) {
            scalar = is_input(b, k) && scalar_from(nd, k, b->axis);
            dense = dense_from(nd, k, b->axis, operand->size);
        } else {
            int64_t stride = obk_nd_stride(nd, nd->rank - 1, k);
            scalar = is_input(b, k) && stride == 0;
            dense = stride == operand->size;
        }
        bool tile = operand->convert || (!is_input(b, k) && stream_tile) || (misaligned && misaligned[k]);
        if (tile || (!scalar && !dense)) operand->access = scalar ? GATHERED_ROWS : GATHERED;
        if (is_input(b, k) && !scalar) any_vector = true;
    }
    /* loops do not accept scalars only, so the first one is spread */
    if (!any_vector) b->operands[0].access = GATHERED;
    uint32_t n_gathered = 0;
    b->direct = n <= DIRECT_OPERANDS;
    for (uint32_t k = 0; k < n; k++) b->direct = b->direct && b->operands[k].access == DIRECT;
    for (uint32_t k = 0; k < nd->n_inputs; k++) {
        if (b->operands[k].access == DIRECT) continue;
        b->operands[k].tile = (uint8_t)(n_gathered < CACHED_TILES ? n_gathered : CACHED_TILES + 1);
        n_gathered++;
    }
}

static int64_t largest_element(const obk_iteration *b) {
    int64_t largest = 1;
    for (uint32_t k = 0; k <= b->nd.n_inputs; k++) {
        const obk_iteration_operand *operand = &b->operands[k];
        if (operand->loop_size > largest) largest = operand->loop_size;
        if (operand->size > largest) largest = operand->size;
    }
    return largest;
}

/* A block must fit into a tile if any operand uses one. With fold, the accumulator should also stay in the first-level cache. */
static void choose_blocks(obk_iteration *b, const bool *misaligned, int64_t tile_bytes) {
    const obk_nd *nd = &b->nd;
    uint32_t n = nd->n_inputs + nd->n_outputs;
    const int64_t largest = largest_element(b);
    bool tiles = b->fold;
    for (uint32_t k = 0; k < n; k++) {
        const obk_iteration_operand *operand = &b->operands[k];
        if (operand->convert || (misaligned && misaligned[k])) tiles = true;
    }
    bool all_scalar = nd->n_inputs > 0;
    for (uint32_t k = 0; k < nd->n_inputs; k++) all_scalar = all_scalar && obk_nd_stride(nd, nd->rank - 1, k) == 0;
    choose_geometry(b, tiles || all_scalar, tile_bytes / largest);
    choose_access(b, misaligned, false);
    if (!b->stream || (b->direct && !b->fold)) return;
    choose_geometry(b, true, tile_bytes / largest);
    choose_access(b, misaligned, true);
}

/* The number of tiles for inputs. */
static uint32_t input_tiles(const obk_iteration *b) {
    return b->nd.n_inputs < FEW_OPERANDS ? b->nd.n_inputs : N_TILES;
}

/* The size of a tile on the stack. */
static int32_t small_tile_bytes(const obk_iteration *b) {
    return (int32_t)(SMALL_TILES_BYTES / (input_tiles(b) + 2) / 64 * 64);
}

/* Tiles are on the stack if the whole operands fit there, else in lane memory. */
static void place_tiles(obk_iteration *b, size_t *lane_bytes) {
    const int64_t largest = largest_element(b), whole = b->nd.n_elems < TILE_BYTES ? b->nd.n_elems * largest : TILE_BYTES;
    const bool few = b->nd.n_inputs < FEW_OPERANDS;
    b->tile_bytes = (int32_t)(whole < TILE_BYTES ? (whole + 63) / 64 * 64 : TILE_BYTES);
    b->lanes = few ? !b->direct && b->tile_bytes > small_tile_bytes(b) : true;
    if (few && !b->lanes) b->tile_bytes = b->direct ? TILE_BYTES : small_tile_bytes(b);
    const size_t n_bytes =
        b->lanes ? (input_tiles(b) + 2) * (size_t)b->tile_bytes : 0; /* plus two for the result, one of them before conversion */
    if (n_bytes > *lane_bytes) *lane_bytes = n_bytes;
}

static void set_operands(obk_iteration *b, const ob_view *in, const ob_view *out, const obk_iteration_spec *spec) {
    uint32_t n_in = b->nd.n_inputs;
    for (uint32_t k = 0; k <= n_in; k++) {
        uint32_t slot = spec->fold ? 0 : k;
        bool output = k == n_in;
        ob_dtype dtype = output ? out->dtype : in[spec->swap ? 1 - k : k].dtype;
        ob_dtype as = output ? spec->out_loop_dtype : spec->in_loop_dtype[slot < 3 ? slot : 0];
        obk_iteration_operand *operand = &b->operands[k];
        *operand = (obk_iteration_operand){.convert = output ? spec->out_convert : spec->in_convert[slot < 3 ? slot : 0],
                                           .size = (uint16_t)ob_dtype_size(dtype),
                                           .loop_size = (uint16_t)ob_dtype_size(as ? as : dtype)};
    }
}

static void swap_inputs(obk_nd *nd) {
    for (int32_t a = 0; a < nd->rank; a++) {
        int64_t *strides = nd->strides + (size_t)a * (nd->n_inputs + nd->n_outputs), first = strides[0];
        strides[0] = strides[1];
        strides[1] = first;
    }
}

/* Copies the few axes that remain after merging. */
static ob_status keep_sizes(obk_iteration *b, size_t n_operands, ob_arena *arena, ob_error *error) {
    size_t rank = (size_t)b->nd.rank, n_strides = rank * n_operands;
    int64_t *kept = OB_ARENA_ARRAY(arena, int64_t, rank + n_strides);
    OB_FAIL_IF(!kept, error, OB_E_MEMORY, "no memory for %zu strides", n_strides);
    memcpy(kept, b->nd.dims, rank * sizeof *kept);
    memcpy(kept + rank, b->nd.strides, n_strides * sizeof *kept);
    b->nd.dims = kept;
    b->nd.strides = kept + rank;
    return OB_OK;
}

ob_status obk_iteration_plan(obk_iteration *b, const ob_view *in, uint32_t n_in, const ob_view *out,
                             const obk_iteration_spec *spec, ob_arena *arena, size_t *lane_bytes, ob_error *error) {
    int64_t few[OBK_ND_ROOM(FEW_OPERANDS)], *room = few;
    size_t n = (size_t)n_in + 1;
    OB_FAIL_IF(!spec->fold && n > FEW_OPERANDS, error, OB_E_ARGUMENT, "a loop of %u inputs", (unsigned)n_in);
    if (n > FEW_OPERANDS) room = OB_ARENA_ARRAY(arena, int64_t, OBK_ND_ROOM(n));
    b->operands = OB_ARENA_ARRAY(arena, obk_iteration_operand, n);
    OB_FAIL_IF(!room || !b->operands, error, OB_E_MEMORY, "no memory for %zu operands", n);
    OB_TRY(obk_nd_init(&b->nd, room, in, n_in, out, 1, error));
    if (spec->swap) swap_inputs(&b->nd);
    if (room == few) OB_TRY(keep_sizes(b, n, arena, error));
    b->loop = spec->loop;
    b->params = spec->params;
    b->fold = spec->fold;
    b->swap = spec->swap;
    b->finish = spec->finish;
    b->finish_operand = spec->finish_operand;
    memcpy(b->fixed, spec->fixed, sizeof b->fixed);
    set_operands(b, in, out, spec);
    b->stream = b->nd.n_elems >= stream_bytes / b->operands[n_in].size && ob_view_is_contiguous(out);
    if (!b->nd.n_elems) return OB_OK;
    choose_blocks(b, NULL, TILE_BYTES);
    place_tiles(b, lane_bytes);
    return OB_OK;
}

/* ---- Running ---- */

typedef struct tiles {
    char *in, *out, *raw;        /* `in`: one after the other; raw: before conversion */
    size_t n_bytes;              /* bytes of each tile */
    const char *source[N_TILES]; /* source of a tile's contents; NULL: empty */
    int64_t length[N_TILES];     /* indices of the block axis that it holds */
} tiles;

typedef struct run {
    const obk_iteration *blocks;
    const ob_view *in;
    char *out;
    char *lanes;
    size_t lane_stride;
    bool out_tile; /* accumulate in a tile, not in the output itself */
} run;

typedef struct block {
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
static char *fetch_gathered(const obk_iteration *b, const block *at, uint32_t k, uint32_t slot, const char *source, tiles *t) {
    const obk_iteration_operand *operand = &b->operands[k];
    char *tile = t->in + slot * t->n_bytes;
    bool cached = slot < CACHED_TILES;
    if (cached && t->source[slot] == source && t->length[slot] >= at->length) return tile;
    obk_strided shape = block_shape(b, at, k, operand->access == GATHERED_ROWS);
    int64_t n = shape.n_elems;
    if (!operand->convert) {
        obk_gather_strided(tile, source, operand->size, &shape);
    } else if (obk_strided_is_dense(&shape, operand->size)) {
        operand->convert(tile, source, n);
    } else {
        obk_gather_strided(t->raw, source, operand->size, &shape);
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
    if (b->flat && b->axis < inner) return scalar_from(&b->nd, k, b->axis) ? 0 : b->operands[k].size;
    return obk_nd_stride(&b->nd, inner, k);
}

/* The pointer, step and row distance of input k. */
static char *fetch(const run *r, const block *at, uint32_t k, tiles *t, int64_t *step, int64_t *row) {
    const obk_iteration *b = r->blocks;
    const obk_iteration_operand *operand = &b->operands[k];
    const char *source = input_data(r, k) + block_offset(b, at, k);
    bool long_fold =
        b->fold && b->nd.n_inputs >= FEW_OPERANDS; /* obk_iteration_run does not adapt such a plan to misaligned operands */
    uint32_t slot = operand->tile;
    bool direct = operand->access == DIRECT;
    if (direct && long_fold && !is_aligned((uintptr_t)source, operand->size)) {
        direct = false;
        slot = CACHED_TILES + (k != 0);
    }
    if (direct) {
        *row = b->flat ? 0 : obk_nd_stride(&b->nd, b->axis, k);
        *step = direct_step(b, k);
        return (char *)(uintptr_t)source;
    }
    bool scalar = operand->access == GATHERED_ROWS;
    *step = scalar ? 0 : operand->loop_size;
    *row = b->flat ? 0 : scalar ? operand->loop_size : operand->loop_size * b->inner;
    return fetch_gathered(b, at, k, slot, source, t);
}

static void store(const run *r, const block *at, char *target, tiles *t) {
    const obk_iteration *b = r->blocks;
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
typedef struct source {
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

static void compute_fold(const obk_iteration *b, const source *from, char *out, int64_t n, int64_t out_row, int64_t rows) {
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
        compute_fold(b, &(source){.r = r, .at = at, .t = t}, out, n, out_row, rows);
    } else {
        char *p[FEW_OPERANDS];
        int64_t step[FEW_OPERANDS], row[FEW_OPERANDS];
        for (uint32_t k = 0; k < n_in; k++) p[k] = fetch(r, at, k, t, &step[k], &row[k]);
        p[n_in] = out;
        step[n_in] = output->loop_size;
        row[n_in] = out_row;
        b->loop(p, step, n, row, rows, b->params);
    }
    if (through) store(r, at, target, t);
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
            compute_fold(b, &(source){.p = p, .step = step, .row = row}, p[n_op - 1], n, row[n_op - 1], rows);
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

static void direct_range(void *context, int64_t begin, int64_t end) {
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

static void tiled_range(const run *r, int64_t begin, int64_t end, char *memory, size_t tile_bytes) {
    const obk_iteration *b = r->blocks;
    block at;
    tiles t = {.in = memory, .n_bytes = tile_bytes};
    t.out = t.in + input_tiles(b) * tile_bytes;
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
    tiled_range(r, begin, end, ob__lane(r->lanes, r->lane_stride, lane), (size_t)r->blocks->tile_bytes);
}

static void small_range(void *context, int64_t begin, int64_t end) {
    const run *r = context;
    _Alignas(64) char memory[SMALL_TILES_BYTES];
    tiled_range(r, begin, end, memory, (size_t)small_tile_bytes(r->blocks));
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

void obk_iteration_run(const obk_iteration *b, const ob_view *in, const ob_view *out, const ob_threads *threads, char *lanes,
                       size_t lane_stride) {
    if (b->nd.n_elems == 0) return;
    run r = {.blocks = b, .in = in, .out = out->data, .lanes = lanes, .lane_stride = lane_stride};
    bool misaligned[DIRECT_OPERANDS] = {false};
    const bool any = b->nd.n_inputs < DIRECT_OPERANDS && find_misaligned(&r, misaligned), in_lanes = b->lanes && lanes;
    /* a fold writes its accumulator before it reads later operands, and a scalar first operand before the second */
    for (uint32_t k = 1; b->fold && k < b->nd.n_inputs; k++) r.out_tile |= in[k].data == out->data;
    if (b->nd.n_inputs >= FEW_OPERANDS) /* the plan is not adapted for these below */
        r.out_tile |= !is_aligned((uintptr_t)out->data, b->operands[b->nd.n_inputs].size);
    obk_iteration aligned;
    obk_iteration_operand operands[FEW_OPERANDS];
    const int32_t tile_bytes = in_lanes ? b->tile_bytes : small_tile_bytes(b);
    const bool too_large = !in_lanes && (r.out_tile || !b->direct) && b->tile_bytes > tile_bytes;
    if ((any || too_large) && b->nd.n_inputs < FEW_OPERANDS) {
        aligned = *b;
        aligned.operands = memcpy(operands, b->operands, (b->nd.n_inputs + 1) * sizeof *operands);
        choose_blocks(&aligned, misaligned, tile_bytes);
        r.blocks = &aligned;
    }
    const int64_t elems = r.blocks->chunk * r.blocks->inner, n = r.blocks->n_blocks, grain = ob__ceil_div(GRAIN_ELEMS, elems);
    if (r.blocks->direct && !r.out_tile && (!any || r.blocks == &aligned))
        ob__parallel(threads, n, grain, direct_range, &r);
    else if (in_lanes)
        ob__parallel_lanes(threads, n, grain, lane_range, &r);
    else
        ob__parallel(threads, n, grain, small_range, &r);
}
