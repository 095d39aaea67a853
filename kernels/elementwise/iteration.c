#include "kernels/elementwise/iteration.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "kernels/elementwise/iteration_layout.h"
#include "kernels/elementwise/short_rows.h"
#include "kernels/kernels.h"

static const int64_t stream_bytes = INT64_C(24) << 20;

/* ---- Planning ---- */

/* True if the operand's elements within a block are contiguous in loop order. */
static bool dense_from(const obk_nd *nd, uint32_t k, int32_t axis, int64_t size) {
    int64_t expected = size;
    for (int32_t a = nd->rank - 1; a >= axis; a--) {
        if (nd->dims[a] != 1 && obk_nd_stride(nd, a, k) != expected) return false;
        expected *= nd->dims[a];
    }
    return true;
}

bool obk_scalar_from(const obk_nd *nd, uint32_t k, int32_t axis) {
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

/* Short rows of a program become one, unless an operand is another scalar for each row. */
static bool joins_rows(const obk_iteration *b, int64_t n_bytes) {
    const int32_t inner = b->nd.rank - 1;
    if (!b->program || n_bytes >= PROGRAM_ROW_BYTES) return false;
    for (uint32_t k = 0; k < b->nd.n_inputs; k++)
        if (obk_nd_stride(&b->nd, inner, k) == 0 && obk_nd_stride(&b->nd, inner - 1, k) != 0) return false;
    return true;
}

/* Blocks of whole rows of a program. Neighbouring axes may have been joined across the border of rows. */
static void choose_rows(obk_iteration *b, int64_t tile_elems) {
    const obk_nd *nd = &b->nd;
    const int64_t row = b->program->row;
    int32_t axis = nd->rank - 1;
    int64_t inner = 1;
    while (axis > 0 && inner * nd->dims[axis] <= row) inner *= nd->dims[axis--];
    const int64_t unit = row / inner; /* indices of the axis that are a row */
    b->flat = unit > 1 || axis != nd->rank - 2 || !rows_fit(b);
    b->axis = axis;
    b->inner = inner;
    b->chunk = (tile_elems > row ? tile_elems / row : 1) * unit;
    if (b->chunk > nd->dims[axis]) b->chunk = nd->dims[axis];
    b->n_chunks = ob__ceil_div(nd->dims[axis], b->chunk);
    b->chunk = ob__round_up(ob__ceil_div(nd->dims[axis], b->n_chunks), unit);
    b->n_chunks = ob__ceil_div(nd->dims[axis], b->chunk);
    b->n_blocks = b->n_chunks;
    for (int32_t a = 0; a < axis; a++) b->n_blocks *= nd->dims[a];
}

static void choose_geometry(obk_iteration *b, bool tiles, int64_t tile_elems) {
    if (b->program && b->program->row) {
        choose_rows(b, tile_elems);
        return;
    }
    const obk_nd *nd = &b->nd;
    int32_t inner = nd->rank - 1;
    int64_t n = nd->dims[inner];
    int64_t n_bytes = n * b->operands[nd->n_inputs].loop_size;
    b->flat = true;
    if (nd->rank == 1 || n > tile_elems) {
        b->axis = inner;
        b->chunk = tiles || !rows_fit(b) ? tile_elems : GRAIN_ELEMS;
    } else if (n_bytes >= MIN_ROW_BYTES && rows_fit(b) && !joins_rows(b, n_bytes)) {
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

/* True if the block of the operand is one element, or one for each row. */
static bool is_scalar_operand(const obk_iteration *b, uint32_t k) {
    return b->flat ? obk_scalar_from(&b->nd, k, b->axis) : obk_nd_stride(&b->nd, b->nd.rank - 1, k) == 0;
}

/* Loops do not accept scalars only: where a step has no other operand, the first one is spread. */
static void spread_scalars(obk_iteration *b) {
    bool per_row[OBK_PROGRAM_REGISTERS] = {false};
    for (uint32_t s = 0; s < b->program->n_steps; s++) {
        const obk_program_step *step = &b->program->steps[s];
        bool any = step->per_row && !step->whole_rows;
        uint32_t first = UINT32_MAX;
        for (uint32_t k = 0; k < step->n_in; k++) {
            const obk_program_input *in = &step->in[k];
            const bool is_operand = in->from == OBK_FROM_OPERAND;
            any |= (in->from == OBK_FROM_REGISTER && !per_row[in->index]) ||
                   (is_operand && (b->operands[in->index].access == GATHERED || !is_scalar_operand(b, in->index)));
            if (is_operand && first == UINT32_MAX) first = in->index;
        }
        if (!any && first != UINT32_MAX) b->operands[first].access = GATHERED;
        if (step->out != OBK_PROGRAM_RESULT) per_row[step->out] = step->per_row;
    }
}

static void choose_access(obk_iteration *b, const bool *misaligned, bool stream_tile) {
    const obk_nd *nd = &b->nd;
    uint32_t n = nd->n_inputs + nd->n_outputs;
    int64_t block = b->chunk * b->inner;
    bool any_vector = b->fold || block == 1 || nd->n_inputs == 0;
    for (uint32_t k = 0; k < n; k++) {
        obk_iteration_operand *operand = &b->operands[k];
        operand->access = DIRECT;
        const bool scalar = is_input(b, k) && is_scalar_operand(b, k),
                   dense =
                       b->flat ? dense_from(nd, k, b->axis, operand->size) : obk_nd_stride(nd, nd->rank - 1, k) == operand->size;
        bool tile = operand->convert || (!is_input(b, k) && stream_tile) || (misaligned && misaligned[k]);
        if (tile || (!scalar && !dense)) operand->access = scalar ? GATHERED_ROWS : GATHERED;
        if (is_input(b, k) && !scalar) any_vector = true;
    }
    /* loops do not accept scalars only, so the first one is spread */
    if (b->program && block > 1)
        spread_scalars(b);
    else if (!any_vector)
        b->operands[0].access = GATHERED;
    uint32_t n_gathered = 0;
    b->direct = n <= DIRECT_OPERANDS && !b->program; /* registers are in lane memory */
    for (uint32_t k = 0; k < n; k++) b->direct = b->direct && b->operands[k].access == DIRECT;
    for (uint32_t k = 0; k < nd->n_inputs; k++) {
        if (b->program) b->operands[k].tile = (uint8_t)(has_own_tiles(b) ? k : n_gathered); /* all are needed at once */
        if (b->operands[k].access == DIRECT) continue;
        if (!b->program) b->operands[k].tile = (uint8_t)(n_gathered < CACHED_TILES ? n_gathered : CACHED_TILES + 1);
        n_gathered++;
    }
    b->n_tiles = has_own_tiles(b) ? nd->n_inputs : b->program ? n_gathered : N_TILES;
}

static int64_t largest_element(const obk_iteration *b) {
    int64_t largest = b->program ? b->program->largest : 1;
    for (uint32_t k = 0; k <= b->nd.n_inputs; k++) {
        const obk_iteration_operand *operand = &b->operands[k];
        if (operand->loop_size > largest) largest = operand->loop_size;
        if (operand->size > largest) largest = operand->size;
    }
    return largest;
}

/* A chain needs no tiles if all operands are used in place: true, and blocks are large. */
static bool choose_large_blocks(obk_iteration *b) {
    const int32_t inner = b->nd.rank - 1;
    if (!b->program || !obk_program_is_chain(b->program) || b->stream) return false;
    if (b->nd.dims[inner] * b->operands[b->nd.n_inputs].loop_size < MIN_ROW_BYTES) return false;
    choose_geometry(b, false, ROWS_ELEMS);
    choose_access(b, NULL, false);
    for (uint32_t k = 0; k <= b->nd.n_inputs; k++)
        if (b->operands[k].access != DIRECT) return false;
    return true;
}

/* A block must fit into a tile if any operand uses one. With fold, the accumulator should also stay in the first-level cache. */
void obk_choose_blocks(obk_iteration *b, const bool *misaligned, int64_t tile_bytes) {
    const obk_nd *nd = &b->nd;
    uint32_t n = nd->n_inputs + nd->n_outputs;
    const int64_t largest = largest_element(b);
    if (!misaligned && choose_large_blocks(b)) return;
    bool tiles = b->fold || b->program;
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

/* Tiles are on the stack if the whole operands fit there, else in lane memory. */
static void place_tiles(obk_iteration *b, size_t *lane_bytes) {
    const int64_t largest = largest_element(b), most = most_tile_bytes(b),
                  whole = b->nd.n_elems < most ? b->nd.n_elems * largest : most;
    const bool few = b->program || b->nd.n_inputs < FEW_OPERANDS;
    b->tile_bytes = (int32_t)(whole < most ? (whole + 63) / 64 * 64 : most);
    b->lanes = few ? !b->direct && b->tile_bytes > small_tile_bytes(b) : true;
    if (few && !b->lanes) b->tile_bytes = b->direct ? (int32_t)most : small_tile_bytes(b);
    const size_t n_bytes = b->lanes ? all_tiles(b) * (size_t)b->tile_bytes : 0;
    if (n_bytes > *lane_bytes) *lane_bytes = n_bytes;
}

static void set_operands(obk_iteration *b, const ob_view *in, const ob_view *out, const obk_iteration_spec *spec) {
    uint32_t n_in = b->nd.n_inputs;
    for (uint32_t k = 0; k <= n_in; k++) {
        uint32_t slot = spec->fold || spec->program ? 0 : k;
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

/* A fold of several operands is a chain, if its loop has a form. Registers need lane memory, which a fold of few operands may not
 * have. */
static ob_status fold_to_program(const obk_iteration_spec **spec, obk_iteration_spec *folded, uint32_t n_in, ob_dtype dtype,
                                 ob_arena *arena, ob_error *error) {
    const obk_program *made = NULL;
    if ((*spec)->fold && n_in >= FEW_OPERANDS && !(*spec)->loops_only)
        OB_TRY(obk_fold_program(*spec, n_in, (uint8_t)ob_dtype_size(dtype), arena, &made, error));
    if (!made) return OB_OK;
    *folded = (obk_iteration_spec){.program = made};
    *spec = folded;
    return OB_OK;
}

static void choose_repeat(obk_iteration *b) {
    for (uint32_t k = 0; k < b->nd.n_inputs; k++) {
        const obk_iteration_operand *operand = &b->operands[k];
        const bool gathered = operand->access == GATHERED || operand->access == GATHERED_ROWS;
        if (gathered && operand->size == 4) b->repeat_4 = OBK_LOOPS(move)->repeat_4;
    }
}

ob_status obk_iteration_plan(obk_iteration *b, const ob_view *in, uint32_t n_in, const ob_view *out,
                             const obk_iteration_spec *spec, ob_arena *arena, size_t *lane_bytes, ob_error *error) {
    int64_t few[OBK_ND_ROOM(FEW_OPERANDS)], *room = few;
    size_t n = (size_t)n_in + 1;
    obk_iteration_spec folded;
    OB_TRY(fold_to_program(&spec, &folded, n_in, out->dtype, arena, error));
    OB_FAIL_IF(!spec->fold && n > (spec->program ? OBK_PROGRAM_OPERANDS + 1 : FEW_OPERANDS), error, OB_E_ARGUMENT,
               "a loop of %u inputs", (unsigned)n_in);
    if (n > FEW_OPERANDS) room = OB_ARENA_ARRAY(arena, int64_t, OBK_ND_ROOM(n));
    b->operands = OB_ARENA_ARRAY(arena, obk_iteration_operand, n);
    OB_FAIL_IF(!room || !b->operands, error, OB_E_MEMORY, "no memory for %zu operands", n);
    OB_TRY(obk_nd_init(&b->nd, room, in, n_in, out, 1, error));
    if (spec->swap) swap_inputs(&b->nd);
    if (room == few) OB_TRY(keep_sizes(b, n, arena, error));
    b->short_rows = NULL;
    b->repeat_4 = NULL;
    b->loop = spec->loop;
    b->program = spec->program;
    b->params = spec->params;
    b->params_type = spec->params_type;
    b->fold = spec->fold;
    b->swap = spec->swap;
    b->finish = spec->finish;
    b->finish_operand = spec->finish_operand;
    memcpy(b->fixed, spec->fixed, sizeof b->fixed);
    set_operands(b, in, out, spec);
    b->direct_range = obk_direct_range;
    b->tiled_range = obk_tiled_range;
    b->fold_block = obk_fold_block;
    b->gather = obk_gather_operand;
    b->store = obk_store_block;
    b->adapt = obk_adapt_blocks;
    b->stream = b->nd.n_elems >= stream_bytes / b->operands[n_in].size && ob_view_is_contiguous(out);
    if (!b->nd.n_elems) return OB_OK;
    obk_choose_blocks(b, NULL, most_tile_bytes(b));
    choose_repeat(b);
    place_tiles(b, lane_bytes);
    return obk_short_rows_plan(b, spec, arena, error);
}
