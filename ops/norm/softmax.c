/* Softmax, LogSoftmax, Hardmax along an axis.
 *
 * Opset 1 and 11: the input is flattened to 2-D at `axis` (default 1) and every row is one distribution; 13: only along `axis`
 * (default -1). Types: floats; float16 and bfloat16 are computed as float. The maximum is subtracted first, so large inputs do
 * not overflow. Hardmax marks the first of equal maxima; NaN counts as a maximum. */
#include "kernels/softmax/softmax.h"
#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "kernels/loop.h"
#include "kernels/reduce/reduce.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/element.h"
#include "ops/kernel/functions.h"
#include "ops/kernel/members.h"
#include "ops/kernel/search.h"
#include "ops/norm/params.h"

/* Vectors of n elements, dense [outer, n, inner], divided into chunks of `rows`, or into blocks of at most `width` columns. */
typedef struct layout {
    int64_t outer, n, inner;
    int64_t width, blocks, per_chunk;
} layout;

static ob_status read_layout(const ob_kernel_site *site, const ob_kernel_args *args, layout *l, ob_error *error) {
    enum { ELEMS = 1 << 13 }; /* of a chunk: they fit into the first-level cache */
    const ob_softmax_params p = ob__softmax_params(site->node, site->op);
    const ob_view *in = &args->in[0];
    int32_t axis = 0;
    OB_TRY(ob__check_type(site, args, 0, error));
    /* All versions accept -rank .. rank - 1, so a scalar has no valid axis: version 1 does not state the range, the others do. */
    OB_TRY(ob__axis(p.axis, in->rank, &axis, error));
    OB_FAIL_IF(ob__count(in) != ob__count(&args->out[0]), error, OB_E_SHAPE, "result of another size");
    l->outer = ob__product(in->dims, 0, axis);
    l->n = p.flattens ? ob__product(in->dims, axis, in->rank) : in->dims[axis];
    l->inner = p.flattens ? 1 : ob__product(in->dims, axis + 1, in->rank);
    if (ob__count(in) == 0) {
        *l = (layout){0};
        return OB_OK;
    }
    l->width = ELEMS / l->n / 16 * 16;
    if (l->width < 16) l->width = 16;
    if (l->width > OBK_SOFTMAX_COLUMNS) l->width = OBK_SOFTMAX_COLUMNS;
    if (l->width > l->inner) l->width = l->inner;
    l->blocks = ob__ceil_div(l->inner, l->width);
    l->per_chunk = ELEMS / (l->n * l->width);
    if (l->per_chunk < 1) l->per_chunk = 1;
    if (l->per_chunk > l->outer * l->blocks) l->per_chunk = l->outer * l->blocks;
    return OB_OK;
}

/* ---- Softmax, LogSoftmax ---- */

typedef struct softmax {
    layout l;
    obk_softmax_log *logarithm; /* NULL: Softmax */
    obk_softmax_rows *rows;
    void (*columns)(void *y, const void *x, int64_t n, int64_t stride, int64_t width, bool logarithm, void *memory,
                    obk_pace *pace);
    obk_convert widen, narrow; /* conversions to float and back, in memory of the lane; NULL: not needed */
} softmax;

static const ob_member layout_members[] = {OB_VALUE(layout, outer), OB_VALUE(layout, n),      OB_VALUE(layout, inner),
                                           OB_VALUE(layout, width), OB_VALUE(layout, blocks), OB_VALUE(layout, per_chunk)};
static const ob_struct layout_struct = OB_STRUCT(layout, layout_members);

static const ob_member softmax_members[] = {
    OB_NESTED(softmax, l, &layout_struct), OB_FUNCTION(softmax, logarithm), OB_FUNCTION(softmax, rows),
    OB_FUNCTION(softmax, columns),         OB_FUNCTION(softmax, widen),     OB_FUNCTION(softmax, narrow)};
static const ob_struct softmax_struct = OB_STRUCT(softmax, softmax_members);

static ob_status softmax_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    softmax *s = args->state;
    const ob_dtype dtype = args->in[0].dtype;
    OB_TRY(read_layout(site, args, &s->l, error));
    if (ob__softmax_params(site->node, site->op).logarithm) s->logarithm = OBK_LOOP(softmax, ->log[dtype == OB_DOUBLE]);
    if (s->l.inner == 1)
        s->rows = OBK_LOOP(softmax, ->rows[dtype == OB_DOUBLE]);
    else
        s->columns = OBK_LOOP(softmax, ->columns[dtype == OB_DOUBLE]);
    if (s->l.inner > 1) OB_TRY(ob__need_lanes(needs, OBK_SOFTMAX_BYTES, 1, error));
    if (ob__dtype_is_real(dtype)) return OB_OK;
    s->widen = OBK_LOOP(convert, [OB_FLOAT][dtype]);
    s->narrow = OBK_LOOP(convert, [dtype][OB_FLOAT]);
    if (!s->widen || !s->narrow) return ob__no_type(site, error, dtype);
    return ob__need_lanes(needs, s->l.per_chunk * s->l.n * s->l.width, sizeof(float), error);
}

static void dense_chunk(const softmax *s, const ob_kernel_args *args, int64_t first, int64_t rows, void *lane, obk_pace *pace) {
    const size_t offset = (size_t)(first * s->l.n) * ob_dtype_size(args->in[0].dtype);
    const char *x = (const char *)args->in[0].data + offset;
    char *y = (char *)args->out[0].data + offset;
    if (!s->widen) {
        s->rows(y, s->l.n, x, s->l.n, rows, s->l.n, s->logarithm, pace);
        return;
    }
    s->widen(lane, x, rows * s->l.n);
    s->rows(lane, s->l.n, lane, s->l.n, rows, s->l.n, s->logarithm, pace);
    s->narrow(y, lane, rows * s->l.n);
}

static void strided_block(const softmax *s, const ob_kernel_args *args, int64_t block, char *memory, obk_pace *pace) {
    const int64_t n = s->l.n, inner = s->l.inner, column = block % s->l.blocks * s->l.width;
    const int64_t width = inner - column < s->l.width ? inner - column : s->l.width;
    const int64_t element_bytes = (int64_t)ob_dtype_size(args->in[0].dtype);
    const int64_t offset = (block / s->l.blocks * n * inner + column) * element_bytes, row_bytes = inner * element_bytes;
    const char *x = (const char *)args->in[0].data + offset;
    char *y = (char *)args->out[0].data + offset;
    void *sums = ob__take(&memory, OBK_SOFTMAX_BYTES, 1);
    float *lane = (float *)(void *)memory;
    if (!s->widen) {
        s->columns(y, x, n, inner, width, s->logarithm != NULL, sums, pace);
        return;
    }
    for (int64_t i = 0; i < n; i++) s->widen(lane + i * width, x + i * row_bytes, width);
    s->columns(lane, lane, n, width, width, s->logarithm != NULL, sums, pace);
    for (int64_t i = 0; i < n; i++) s->narrow(y + i * row_bytes, lane + i * width, width);
}

static void softmax_chunk(void *context, int64_t chunk, int lane) {
    const ob_kernel_args *args = context;
    const softmax *s = args->state;
    const int64_t first = chunk * s->l.per_chunk, all = s->l.outer * s->l.blocks;
    const int64_t end = first + s->l.per_chunk < all ? first + s->l.per_chunk : all;
    void *memory = ob__lane(args->lanes, args->lane_stride, lane);
    obk_pace pace = ob__pace(args->threads);
    if (s->l.inner == 1) {
        dense_chunk(s, args, first, end - first, memory, &pace);
        return;
    }
    for (int64_t block = first; block < end; block++) strided_block(s, args, block, memory, &pace);
}

OB_RUN(ob__run_softmax) {
    (void)error;
    const softmax *s = args->state;
    if (s->l.n == 0) return OB_OK;
    const int64_t all = s->l.outer * s->l.blocks;
    ob__each_chunk(args->threads, ob__ceil_div(all, s->l.per_chunk), softmax_chunk, (void *)(uintptr_t)args);
    return OB_OK;
}

/* ---- As a step of a program over rows ---- */

typedef struct row_softmax {
    obk_softmax_rows *rows;
    int64_t width;              /* bytes of an element */
    obk_softmax_log *logarithm; /* NULL: Softmax */
} row_softmax;

static const ob_member row_softmax_members[] = {OB_FUNCTION(row_softmax, rows), OB_VALUE(row_softmax, width),
                                                OB_FUNCTION(row_softmax, logarithm)};
static const ob_struct row_softmax_struct = OB_STRUCT(row_softmax, row_softmax_members);

void ob__softmax_rows(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows,
                      const void *params) {
    const row_softmax *p = params;
    obk_pace pace = {.done = 0}; /* rows of a program are short */
    (void)step;                  /* a row is dense */
    p->rows(pointers[1], row[1] / p->width, pointers[0], row[0] / p->width, rows, n, p->logarithm, &pace);
}

static int32_t row_axes(const ob_node *node, const ob_op *op, int32_t rank) {
    const ob_softmax_params p = ob__softmax_params(node, op);
    int32_t axis;
    if (ob__axis(p.axis, rank, &axis, NULL) != OB_OK) return 0;
    return p.flattens || axis == rank - 1 ? rank - axis : 0;
}

static ob_status softmax_row(const ob_kernel_site *site, const ob_kernel_args *args, ob_row_call *call, ob_error *error) {
    const ob_dtype dtype = args->in[0].dtype;
    if (dtype != OB_FLOAT && dtype != OB_DOUBLE) return OB_OK;
    row_softmax *made = ob__tail(site, 1, sizeof *made);
    OB_FAIL_IF(!made, error, OB_E_MEMORY, "no memory for a plan");
    *made = (row_softmax){.width = (int64_t)ob_dtype_size(dtype), .rows = OBK_LOOP(softmax, ->rows[dtype == OB_DOUBLE])};
    if (ob__softmax_params(site->node, site->op).logarithm) made->logarithm = OBK_LOOP(softmax, ->log[dtype == OB_DOUBLE]);
    *call = (ob_row_call){.loop = ob__softmax_rows, .params = made, .params_type = &row_softmax_struct};
    return OB_OK;
}

const ob_kernel ob__kernel_softmax = {.name = "softmax",
                                      .flags = OB_KERNEL_INPLACE,
                                      .state_bytes = sizeof(softmax),
                                      .plan = softmax_plan,
                                      OB_RUNS(ob__run_softmax),
                                      .state = &softmax_struct,
                                      .row_axes = row_axes,
                                      .row = softmax_row};

/* ---- Hardmax ---- */

typedef struct hardmax {
    layout l;
    obk_find find;
    ob_kept_element one; /* of the type of computing */
} hardmax;

static const ob_member hardmax_members[] = {OB_NESTED(hardmax, l, &layout_struct), OB_FUNCTION(hardmax, find),
                                            OB_NESTED(hardmax, one, &ob__kept_element_struct)};
static const ob_struct hardmax_struct = OB_STRUCT(hardmax, hardmax_members);

static ob_status hardmax_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    hardmax *h = args->state;
    OB_TRY(read_layout(site, args, &h->l, error));
    h->find = ob__find_loop(ob__computing_type(args), h->l.inner);
    OB_TRY(ob__keep_one(site, ob__computing_type(args), &h->one, error));
    OB_TRY(ob__plan_real(args, needs, error));
    return ob__need_scratch(needs, h->l.outer * h->l.inner, sizeof(int64_t), error);
}

static ob_status hardmax_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const hardmax *h = args->state;
    const obk_search search = {.n = h->l.n, .inner = h->l.inner};
    const size_t width = h->one.width;
    int64_t *at = args->scratch;
    char *y = args->out[0].data;
    if (h->l.n == 0) return OB_OK;
    const int64_t blocks = ob__ceil_div(h->l.inner, OBK_REDUCE_COLUMNS);
    if (!ob__find_all(h->find, &search, at, args->in[0].data, h->l.outer * blocks, args->threads)) return OB_OK;
    obk_pace pace = ob__pace(args->threads);
    ob__fill(y, ob__count(&args->out[0]), width, NULL, &pace);
    for (int64_t v = 0; v < h->l.outer * h->l.inner && !obk_stops(&pace, 16); v++) {
        const int64_t first = v / h->l.inner * h->l.n * h->l.inner + v % h->l.inner;
        memcpy(y + (size_t)(first + at[v] * h->l.inner) * width, h->one.at, width);
    }
    return OB_OK;
}

OB_RUN(ob__run_hardmax) {
    return ob__run_real(args, hardmax_compute, error);
}

const ob_kernel ob__kernel_hardmax = {.name = "hardmax",
                                      .flags = OB_KERNEL_INPLACE,
                                      .state_bytes = sizeof(hardmax),
                                      .state = &hardmax_struct,
                                      .plan = hardmax_plan,
                                      OB_RUNS(ob__run_hardmax)};
