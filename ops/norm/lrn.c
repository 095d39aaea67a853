/* LRN (1, 13): y = x / (bias + alpha / size * sum of squares over `size` neighbouring channels) ^ beta. */
#include "core/base/integers.h"
#include "kernels/norm/norm.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/norm/params.h"

typedef struct lrn {
    obk_lrn params;
    obk_lrn_add add;
    obk_lrn_divide divide;
    bool is_double;
    int64_t inner, columns, blocks, n_parts, grain; /* columns: of a block */
} lrn;

static const ob_member params_members[] = {OB_VALUE(obk_lrn, channels), OB_VALUE(obk_lrn, before), OB_VALUE(obk_lrn, behind),
                                           OB_VALUE(obk_lrn, factor),   OB_VALUE(obk_lrn, beta),   OB_VALUE(obk_lrn, bias)};
static const ob_struct params_struct = OB_STRUCT(obk_lrn, params_members);
static const ob_member lrn_members[] = {OB_NESTED(lrn, params, &params_struct),
                                        OB_FUNCTION(lrn, add),
                                        OB_FUNCTION(lrn, divide),
                                        OB_VALUE(lrn, is_double),
                                        OB_VALUE(lrn, inner),
                                        OB_VALUE(lrn, columns),
                                        OB_VALUE(lrn, blocks),
                                        OB_VALUE(lrn, n_parts),
                                        OB_VALUE(lrn, grain)};
static const ob_struct lrn_struct = OB_STRUCT(lrn, lrn_members);

static ob_status lrn_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    lrn *l = args->state;
    const ob_lrn_params p = ob__lrn_params(site->node);
    const ob_view *x = &args->in[0];
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_FAIL_IF(!p.size_fits || x->rank < 2 || ob__count(x) != ob__count(&args->out[0]), error, OB_E_ARGUMENT,
               "size %lld, rank %d", (long long)p.size, x->rank);
    OB_TRY(ob__plan_real(args, needs, error));
    if (ob__count(x) == 0) return OB_OK;
    l->params = (obk_lrn){.channels = x->dims[1],
                          .before = (p.size - 1) / 2,
                          .behind = p.size / 2,
                          .factor = p.alpha / (double)p.size,
                          .beta = p.beta,
                          .bias = p.bias};
    l->is_double = ob__computing_type(args) == OB_DOUBLE;
    l->add = OBK_LOOP(norm, ->lrn_add[l->is_double]);
    l->divide = OBK_LOOP(norm, ->lrn_divide[l->is_double]);
    l->inner = ob__product(x->dims, 2, x->rank);
    /* As many blocks as fill the rows, and an even number of equal ones, which two threads can share. */
    l->columns = OBK_LRN_BYTES / (int64_t)(l->is_double ? sizeof(double) : sizeof(float));
    l->columns =
        ob__least(l->columns, ob__round_up(ob__ceil_div(l->inner, ob__round_up(ob__ceil_div(l->inner, l->columns), 2)), 16));
    l->blocks = ob__ceil_div(l->inner, l->columns);
    l->n_parts = x->dims[0] * l->blocks;
    const int64_t window = p.size < x->dims[1] ? p.size : x->dims[1];
    l->grain = (INT64_C(1) << 14) / (ob__count(x) / l->n_parts * window + 1) + 1;
    return OB_OK;
}

/* A block of columns, channel by channel. A window of many channels is divided, to check for cancellation in between. */
static void lrn_block(const lrn *l, char *y, const char *x, int64_t width, obk_pace *pace) {
    enum { ROWS = 1024 };
    const obk_lrn *p = &l->params;
    const int64_t row = l->inner * (int64_t)(l->is_double ? sizeof(double) : sizeof(float));
    _Alignas(16) char sums[OBK_LRN_BYTES];
    for (int64_t c = 0; c < p->channels; c++) {
        const int64_t first = c < p->before ? 0 : c - p->before,
                      end = p->channels - 1 - c < p->behind ? p->channels : c + p->behind + 1;
        memset(sums, 0, sizeof sums);
        for (int64_t k = first; k < end; k += ROWS) {
            const int64_t n = end - k < ROWS ? end - k : ROWS;
            if (obk_stops(pace, n * width)) return;
            l->add(sums, x + k * row, l->inner, width, n);
        }
        l->divide(p, y + c * row, x + c * row, sums, width);
    }
}

static void lrn_parts(void *context, int64_t begin, int64_t end) {
    const ob_kernel_args *args = context;
    const lrn *l = args->state;
    const int64_t element_bytes = (int64_t)ob_dtype_size(args->in[0].dtype);
    obk_pace pace = ob__pace(args->threads);
    for (int64_t part = begin; part < end; part++) {
        const int64_t column = part % l->blocks * l->columns, left = l->inner - column;
        const int64_t offset = (part / l->blocks * l->params.channels * l->inner + column) * element_bytes;
        lrn_block(l, (char *)args->out[0].data + offset, (const char *)args->in[0].data + offset,
                  left < l->columns ? left : l->columns, &pace);
    }
}

static ob_status lrn_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const lrn *l = args->state;
    ob_kernel_args shared = *args;
    ob__parallel(args->threads, l->n_parts, l->grain, lrn_parts, &shared);
    return OB_OK;
}

OB_RUN(ob__run_lrn) {
    return ob__run_real(args, lrn_compute, error);
}

const ob_kernel ob__kernel_lrn = {
    .name = "lrn", .state_bytes = sizeof(lrn), .state = &lrn_struct, .plan = lrn_plan, OB_RUNS(ob__run_lrn)};
