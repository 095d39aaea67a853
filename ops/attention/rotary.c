/* RotaryEmbedding 23: pairs of elements of each head are rotated by the angles of their token. The cosines and sines are in a row
 * of the caches: the row of the token, or the row that position_ids gives. Types: floats; float16 and bfloat16 are computed as
 * float, row by row. A chunk is a block of tokens: of all heads in rank 3, of one head in rank 4. */
#include "core/base/integers.h"
#include "kernels/attention/attention.h"
#include "kernels/take.h"
#include "ops/attention/heads.h"
#include "ops/attention/params.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"

enum { COS = 1, SIN, POSITIONS, BLOCK_ELEMENTS = 16 * 1024 };

typedef struct rotary {
    int64_t outer, per_sample; /* sequences of tokens; sequences of one sample */
    int64_t n_tokens, block, n_blocks;
    int64_t row_heads, size, half; /* adjacent heads of a token; elements of a head; rotated pairs */
    int64_t n_places;              /* rows of the caches, if positions are given */
    ob_dtype dtype;
    bool interleaved;
    void (*rotate)(const obk_rotary *call);
} rotary;

static const ob_member rotary_members[] = {OB_VALUE(rotary, outer), OB_VALUE(rotary, per_sample),  OB_VALUE(rotary, n_tokens),
                                           OB_VALUE(rotary, block), OB_VALUE(rotary, n_blocks),    OB_VALUE(rotary, row_heads),
                                           OB_VALUE(rotary, size),  OB_VALUE(rotary, half),        OB_VALUE(rotary, n_places),
                                           OB_VALUE(rotary, dtype), OB_VALUE(rotary, interleaved), OB_FUNCTION(rotary, rotate)};
static const ob_struct rotary_struct = OB_STRUCT(rotary, rotary_members);

static ob_status check_caches(const ob_kernel_site *site, const ob_kernel_args *args, rotary *r, ob_error *error) {
    const ob_view *x = &args->in[0], *cache = &args->in[COS];
    const bool placed = ob__given(args, POSITIONS);
    const int64_t tokens[3] = {x->dims[0], r->n_tokens, r->half}, places[2] = {cache->rank > 0 ? cache->dims[0] : 0, r->half};
    for (uint32_t i = COS; i <= SIN; i++) OB_TRY(ob__check_dims(site, args, i, placed ? 2 : 3, placed ? places : tokens, error));
    r->n_places = places[0];
    return placed ? ob__check_dims(site, args, POSITIONS, 2, tokens, error) : OB_OK;
}

static ob_status rotary_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    rotary *r = args->state;
    const ob_rotary_params p = ob__rotary_params(site->node);
    const ob_view *x = &args->in[0];
    const bool flat = x->rank == 3;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_FAIL_IF(x->rank < 3 || x->rank > 4, error, OB_E_SHAPE, "input 0 has rank %d, not 3 or 4", x->rank);
    OB_FAIL_IF(flat && (p.heads < 1 || x->dims[2] % p.heads != 0), error, OB_E_SHAPE, "%lld elements in %lld heads",
               (long long)x->dims[2], (long long)p.heads);
    r->row_heads = flat ? p.heads : 1;
    r->size = flat ? x->dims[2] / p.heads : x->dims[3];
    r->per_sample = flat ? 1 : x->dims[1];
    r->outer = x->dims[0] * r->per_sample;
    r->n_tokens = x->dims[x->rank - 2];
    const int64_t turned = p.turned ? p.turned : r->size;
    OB_FAIL_IF(turned < 0 || turned > r->size || turned % 2 != 0, error, OB_E_SHAPE,
               "%lld of %lld elements of a head cannot be rotated in pairs", (long long)turned, (long long)r->size);
    r->half = turned / 2;
    r->interleaved = p.interleaved;
    r->dtype = x->dtype;
    r->rotate = OBK_LOOP(attention, ->rotate);
    OB_TRY(check_caches(site, args, r, error));
    const int64_t row = r->row_heads * r->size;
    r->block = row > 0 && row < BLOCK_ELEMENTS ? BLOCK_ELEMENTS / row : 1;
    r->n_blocks = ob__ceil_div(r->n_tokens, r->block);
    if (r->dtype == OB_FLOAT) return OB_OK;
    ob__need_conversion(needs, r->dtype, OB_FLOAT);
    ob__need_conversion(needs, OB_FLOAT, r->dtype);
    for (int i = 0; i < 2; i++) OB_TRY(ob__need_lanes(needs, row, sizeof(float), error));
    return ob__need_lanes(needs, turned, sizeof(float), error);
}

/* `n` elements as float, either in place or converted into `room`. */
static const float *widened(const ob_kernel_args *args, const void *data, int64_t first, int64_t n, float *room) {
    const rotary *r = args->state;
    const char *from = (const char *)data + (size_t)first * ob_dtype_size(r->dtype);
    if (r->dtype == OB_FLOAT) return (const float *)(const void *)from;
    (void)ob__convert_in_run(args, room, OB_FLOAT, from, r->dtype, n, NULL);
    return room;
}

static void one_token(const ob_kernel_args *args, int64_t run, int64_t token, char *memory) {
    const rotary *r = args->state;
    const int64_t row = r->row_heads * r->size, first = (run * r->n_tokens + token) * row;
    int64_t place = run / r->per_sample * r->n_tokens + token;
    if (ob__given(args, POSITIONS)) {
        place = ((const int64_t *)args->in[POSITIONS].data)[place];
        if (place < 0) place += r->n_places;
    }
    float *x = ob__take(&memory, row, sizeof *x), *y = ob__take(&memory, row, sizeof *y), *cosines = (float *)(void *)memory;
    obk_rotary call = {.n_heads = r->row_heads, .size = r->size, .half = r->half, .interleaved = r->interleaved};
    char *out = (char *)args->out[0].data + (size_t)first * ob_dtype_size(r->dtype);
    call.cos = widened(args, args->in[COS].data, place * r->half, r->half, cosines);
    call.sin = widened(args, args->in[SIN].data, place * r->half, r->half, cosines + r->half);
    call.x = widened(args, args->in[0].data, first, row, x);
    call.y = r->dtype == OB_FLOAT ? (float *)(void *)out : y;
    r->rotate(&call);
    if (r->dtype != OB_FLOAT) (void)ob__convert_in_run(args, out, r->dtype, y, OB_FLOAT, row, NULL);
}

static void one_block(void *context, int64_t chunk, int lane) {
    const ob_kernel_args *args = context;
    const rotary *r = args->state;
    const int64_t from = chunk % r->n_blocks * r->block;
    const int64_t to = r->n_tokens - from < r->block ? r->n_tokens : from + r->block;
    for (int64_t token = from; token < to; token++)
        one_token(args, chunk / r->n_blocks, token, ob__lane(args->lanes, args->lane_stride, lane));
}

OB_RUN(ob__run_rotary) {
    const rotary *r = args->state;
    ob_kernel_args shared = *args;
    if (ob__writes_nothing(args)) return OB_OK;
    for (int64_t i = 0, n = ob__given(args, POSITIONS) ? ob__count(&args->in[POSITIONS]) : 0; i < n; i++) {
        const int64_t place = ((const int64_t *)args->in[POSITIONS].data)[i];
        if (place < -r->n_places || place >= r->n_places) return ob__bad_index(place, r->n_places, 0, error);
    }
    ob__each_chunk(args->threads, r->outer * r->n_blocks, one_block, &shared);
    return OB_OK;
}

const ob_kernel ob__kernel_rotary = {
    .name = "rotary", .state_bytes = sizeof(rotary), .state = &rotary_struct, .plan = rotary_plan, OB_RUNS(ob__run_rotary)};
