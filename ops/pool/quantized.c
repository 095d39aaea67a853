/* com.microsoft QLinearGlobalAveragePool: the exact sum of the elements minus their zero point, times x's scale, divided by the
 * result's scale and the number of elements; rounded once, halves to even, and saturated. */
#include "kernels/quantize/quantize.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/pool/params.h"
#include "ops/quantize/bytes.h"

enum { BLOCK = 128, SCALE = 1, RESULT_SCALE = 3 }; /* results at once; indices of operands */

typedef struct qlinear_means {
    void (*sums)(int64_t *sums, const void *x, int64_t m, int64_t next, int64_t n, int64_t step);
    void (*quantize)(void *y, const float *x, int64_t n, const obk_scales *scales);
    int64_t n, inner; /* elements of a mean; the distance between them */
} qlinear_means;

static const ob_member qlinear_means_members[] = {OB_FUNCTION(qlinear_means, sums), OB_FUNCTION(qlinear_means, quantize),
                                                  OB_VALUE(qlinear_means, n), OB_VALUE(qlinear_means, inner)};
static const ob_struct qlinear_means_struct = OB_STRUCT(qlinear_means, qlinear_means_members);

typedef struct job {
    const qlinear_means *s;
    const char *x;
    char *y;
    int64_t zeros; /* n times the zero point */
    float factor;
    obk_scales to;
} job;

static void do_means(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const int64_t n = j->s->n, inner = j->s->inner;
    const bool rows = inner == 1;
    int64_t sums[BLOCK];
    float means[BLOCK];
    for (int64_t at = begin, m; at < end; at += m) {
        m = end - at < BLOCK ? end - at : BLOCK;
        if (!rows && inner - at % inner < m) m = inner - at % inner;
        j->s->sums(sums, j->x + at / inner * n * inner + at % inner, m, rows ? n : 1, n, inner);
        for (int64_t i = 0; i < m; i++) means[i] = (float)(sums[i] - j->zeros) * j->factor;
        j->s->quantize(j->y + at, means, m, &j->to);
    }
}

static ob_status qlinear_means_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    qlinear_means *s = args->state;
    const ob_view *x = &args->in[0];
    ob_pool_params params;
    (void)needs;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__read_pool(site->node, 0, &params, error));
    OB_TRY(ob__check_scale(args, SCALE, x->dtype, error));
    OB_TRY(ob__check_scale(args, RESULT_SCALE, x->dtype, error));
    OB_FAIL_IF(x->rank < 2, error, OB_E_SHAPE, "rank %d", x->rank);
    const int32_t first = params.channels_last ? 1 : 2, end = params.channels_last ? x->rank - 1 : x->rank;
    const obk_integer type = ob__byte_type(x->dtype);
    *s = (qlinear_means){OBK_LOOP(quantize, ->sums[type]), OBK_LOOP(quantize, ->quantize[type]), ob__product(x->dims, first, end),
                         params.channels_last ? x->dims[x->rank - 1] : 1};
    const int64_t n_results = x->dims[0] * x->dims[params.channels_last ? x->rank - 1 : 1];
    OB_FAIL_IF(args->out[0].dtype != x->dtype || ob__count(&args->out[0]) != n_results, error, OB_E_SHAPE,
               "result of another type or size");
    return OB_OK;
}

OB_RUN(ob__run_qlinear_means) {
    const qlinear_means *s = args->state;
    (void)error;
    if (ob__writes_nothing(args)) return OB_OK;
    const ob_byte_scale from = ob__read_scale(args, SCALE), to = ob__read_scale(args, RESULT_SCALE);
    const ob_byte_scale whole = {1, to.zero};
    const job j = {.s = s,
                   .x = args->in[0].data,
                   .y = args->out[0].data,
                   .zeros = s->n * (int64_t)from.zero,
                   .factor = from.scale / (to.scale * (float)s->n),
                   .to = ob__byte_scales(&whole, args->out[0].dtype)};
    ob__parallel(args->threads, ob__count(&args->out[0]), (1 << 17) / (s->n + 1) + 1, do_means, (void *)(uintptr_t)&j);
    return OB_OK;
}

const ob_kernel ob__kernel_qlinear_means = {.name = "qlinear_means",
                                            .state_bytes = sizeof(qlinear_means),
                                            .state = &qlinear_means_struct,
                                            .plan = qlinear_means_plan,
                                            OB_RUNS(ob__run_qlinear_means)};
