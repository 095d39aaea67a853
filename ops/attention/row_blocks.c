#include "ops/attention/row_blocks.h"

#include "core/base/integers.h"
#include "ops/kernel/members.h"

enum { BLOCK_BYTES = 192 * 1024, LINE = 64, WIDE_ROW = 512 };

static const ob_member blocks_members[] = {OB_POINTER(ob_blocks, gemm, &obk_gemm_struct, NULL),
                                           OB_FUNCTION(ob_blocks, pack_b),
                                           OB_SIZE(ob_blocks, width),
                                           OB_VALUE(ob_blocks, heads),
                                           OB_VALUE(ob_blocks, share),
                                           OB_VALUE(ob_blocks, m),
                                           OB_VALUE(ob_blocks, k),
                                           OB_VALUE(ob_blocks, n),
                                           OB_VALUE(ob_blocks, n_v),
                                           OB_VALUES(ob_blocks, method),
                                           OB_VALUES(ob_blocks, dense),
                                           OB_VALUE(ob_blocks, rows),
                                           OB_VALUE(ob_blocks, n_blocks),
                                           OB_VALUES(ob_blocks, packs),
                                           OB_VALUE(ob_blocks, score_row),
                                           OB_VALUE(ob_blocks, units),
                                           OB_VALUE(ob_blocks, parts),
                                           OB_VALUE(ob_blocks, per_part),
                                           OB_VALUE(ob_blocks, per_chunk),
                                           OB_VALUE(ob_blocks, n_chunks)};
const ob_struct ob__blocks_struct = OB_STRUCT(ob_blocks, blocks_members);

/* ---- Planning ---- */

static int64_t rows_of_block(const ob_blocks *b) {
    const int64_t fitting = BLOCK_BYTES / (int64_t)b->width / (b->n > 0 ? b->n : 1);
    const int64_t rows = fitting > OB_BLOCK_ROWS    ? OB_BLOCK_ROWS
                         : fitting < OB_FEWEST_ROWS ? OB_FEWEST_ROWS
                                                    : fitting / OB_FEWEST_ROWS * OB_FEWEST_ROWS;
    return rows < b->m ? rows : b->m > 0 ? b->m : 1;
}

/* Rows that are an odd number of lines apart fall into different sets of the cache. */
static int64_t score_row(const ob_blocks *b) {
    const int64_t width = (int64_t)b->width, n_bytes = b->n * width;
    return n_bytes < WIDE_ROW ? b->n : (ob__ceil_div(n_bytes, LINE) | 1) * LINE / width;
}

static void cut(ob_blocks *b) {
    enum { FEW_CHUNKS = 8 };
    const double least_work = 0x1p20; /* multiplications: some 30 us */
    const int64_t unit = b->share * b->n_blocks;
    const double work = (double)b->share * (double)b->m * (double)b->n * (double)(b->k + b->n_v + 1);
    b->units = b->heads / b->share;
    if (unit <= 0 || b->units <= 0) return;                           /* no chunks */
    const int64_t most = ob__ceil_div(unit * b->rows, OB_BLOCK_ROWS); /* because each part packs its keys and values */
    b->parts = b->units >= FEW_CHUNKS ? 1 : ob__least(most, ob__ceil_div(FEW_CHUNKS, b->units));
    if (work / (double)b->parts < least_work) b->parts = work < least_work ? 1 : (int64_t)(work / least_work);
    b->per_part = ob__ceil_div(unit, b->parts);
    b->parts = ob__ceil_div(unit, b->per_part);
    const double units = work > 0 ? least_work / work : (double)b->units;
    b->per_chunk = units <= 1 ? 1 : units < (double)b->units ? (int64_t)units : b->units;
    b->n_chunks = ob__ceil_div(b->units, b->per_chunk) * b->parts;
}

/* A product with few rows reads dense rows of B in place. */
static bool gains_by_packing(const ob_blocks *b, int which) {
    return b->method[which] == OB_BY_TILES && b->per_part > 1 && !(b->dense[which] && b->rows <= b->gemm->mr);
}

static ob_status need(ob_kernel_needs *needs, int64_t a, int64_t b, size_t width, ob_error *error) {
    int64_t n;
    OB_FAIL_IF(ob__mul_overflows(a, b, &n) || n > INT64_MAX / 16, error, OB_E_LIMIT, "there are too many keys and values");
    return ob__need_lanes(needs, n, width, error);
}

static int64_t packed_columns(const ob_blocks *b, int which) {
    return ob__round_up(which ? b->n_v : b->n, b->gemm->nr);
}

static int64_t panel_bytes(const ob_blocks *b) {
    return (int64_t)obk_panel_bytes(b->gemm, b->k > b->n ? b->k : b->n);
}

ob_status ob__need_blocks(ob_blocks *b, ob_kernel_needs *needs, ob_error *error) {
    b->rows = rows_of_block(b);
    b->n_blocks = ob__ceil_div(b->m, b->rows);
    b->score_row = score_row(b);
    cut(b);
    for (int i = 0; i < 2; i++) {
        b->packs[i] = gains_by_packing(b, i);
        if (b->packs[i]) b->pack_b = b->gemm->pack_b;
        if (b->packs[i]) OB_TRY(need(needs, i ? b->n : b->k, packed_columns(b, i), b->width, error));
    }
    OB_TRY(need(needs, b->rows, b->score_row, b->width, error));
    return ob__need_lanes(needs, panel_bytes(b), 1, error);
}

/* ---- Running ---- */

typedef struct lane {
    char *packed[2], *scores, *panel, *rest;
} lane;

static lane lane_of(const ob_blocks_job *job, int index) {
    const ob_blocks *b = job->plan;
    char *next = ob__lane(job->args->lanes, job->args->lane_stride, index);
    lane l = {.scores = NULL};
    for (int i = 0; i < 2; i++)
        if (b->packs[i]) l.packed[i] = ob__take(&next, (i ? b->n : b->k) * packed_columns(b, i), b->width);
    l.scores = ob__take(&next, b->rows * b->score_row, b->width);
    l.panel = ob__take(&next, panel_bytes(b), 1);
    l.rest = next;
    return l;
}

static void pack(const ob_blocks *b, const lane *l, const ob_blocks_head *at) {
    if (b->packs[0]) b->pack_b(l->packed[0], at->b, at->b_k, at->b_column, b->k, b->n);
    if (b->packs[1]) b->pack_b(l->packed[1], at->v, at->v_k, at->v_column, b->n, b->n_v);
}

static void one_block(const ob_blocks_job *job, const lane *l, ob_blocks_head at, int64_t head, int64_t row) {
    const ob_blocks *b = job->plan;
    ob_block block = {.head = head,
                      .row = row,
                      .rows = ob__least(b->m - row, b->rows),
                      .seen = b->n,
                      .scores = l->scores,
                      .row_bytes = b->score_row * (int64_t)b->width,
                      .memory = l->rest};
    at.a = (const char *)at.a + row * at.a_row * (int64_t)b->width;
    if (job->begin) job->begin(job, &block, &at);
    const obk_gemm_call scores = {.m = block.rows,
                                  .n = block.seen,
                                  .k = b->k,
                                  .a = at.a,
                                  .a_row = at.a_row,
                                  .a_k = at.a_k,
                                  .b = b->packs[0] ? l->packed[0] : at.b,
                                  .b_k = b->packs[0] ? 0 : at.b_k,
                                  .b_column = at.b_column,
                                  .y = block.scores,
                                  .y_row = b->score_row,
                                  .alpha = 1,
                                  .panel = l->panel};
    ob__multiply_by(b->method[0], b->gemm, &scores);
    if (ob__stopped_inside(job->args->threads)) return;
    job->weigh(job, &block);
    if (b->n_v == 0 || ob__stopped_inside(job->args->threads)) return;
    const obk_gemm_call values = {.m = block.rows,
                                  .n = b->n_v,
                                  .k = block.seen,
                                  .a = block.scores,
                                  .a_row = b->score_row,
                                  .a_k = 1,
                                  .b = b->packs[1] ? l->packed[1] : at.v,
                                  .b_k = b->packs[1] ? 0 : at.v_k,
                                  .b_rows = b->packs[1] ? b->n : 0,
                                  .b_column = at.v_column,
                                  .y = (char *)at.y + row * at.y_row * (int64_t)b->width,
                                  .y_row = at.y_row,
                                  .alpha = 1,
                                  .panel = l->panel};
    ob__multiply_by(b->method[1], b->gemm, &values);
}

/* Blocks of a unit. */
static void one_part(const ob_blocks_job *job, const lane *l, int64_t unit, int64_t part) {
    const ob_blocks *b = job->plan;
    const int64_t from = part * b->per_part, end = ob__least(from + b->per_part, b->share * b->n_blocks);
    ob_blocks_head at = {.a = NULL};
    for (int64_t i = from; i < end; i++) {
        const int64_t head = unit * b->share + i / b->n_blocks;
        if (i == from || i % b->n_blocks == 0) job->place(job, head, l->rest, &at);
        if (i == from) pack(b, l, &at);
        one_block(job, l, at, head, i % b->n_blocks * b->rows);
        if (ob__stopped_inside(job->args->threads)) return;
    }
}

static void one_chunk(void *context, int64_t chunk, int index) {
    const ob_blocks_job *job = context;
    const ob_blocks *b = job->plan;
    const lane l = lane_of(job, index);
    const int64_t first = chunk / b->parts * b->per_chunk, end = ob__least(first + b->per_chunk, b->units);
    for (int64_t unit = first; unit < end; unit++) one_part(job, &l, unit, chunk % b->parts);
}

void ob__run_blocks(const ob_blocks_job *job) {
    ob__each_chunk(job->args->threads, job->plan->n_chunks, one_chunk, (void *)(uintptr_t)job);
}
