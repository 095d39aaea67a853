/* CumSum and CumProd: running sums or products along an axis (input 1). exclusive leaves out the element itself, reverse starts
 * at the end. Types: float, double, int32, int64, uint32, uint64; CumSum 14 and CumProd 26 also float16 and bfloat16 (computed as
 * float). Integers wrap. */
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "kernels/reduce/reduce.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/reduce/params.h"

typedef struct cumsum {
    ob_running_params params;
    obk_run_up loop;
} cumsum;

static const ob_member params_members[] = {OB_VALUE(ob_running_params, exclusive), OB_VALUE(ob_running_params, reverse),
                                           OB_VALUE(ob_running_params, product)};
static const ob_struct params_struct = OB_STRUCT(ob_running_params, params_members);
static const ob_member cumsum_members[] = {OB_NESTED(cumsum, params, &params_struct), OB_FUNCTION(cumsum, loop)};
static const ob_struct cumsum_struct = OB_STRUCT(cumsum, cumsum_members);

static ob_status cumsum_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    cumsum *k = args->state;
    const ob_dtype dtype = args->in[0].dtype;
    OB_TRY(ob__check_type(site, args, 0, error));
    k->params = ob__running_params(site->node, site->op);
    k->loop = OBK_LOOP(run_up, ->by_type[ob__dtype_is_real_or_half(dtype) ? ob__computing_type(args) : dtype]);
    if (!k->loop) return ob__no_type(site, error, dtype);
    OB_FAIL_IF(ob__count(&args->in[0]) != ob__count(&args->out[0]), error, OB_E_SHAPE, "result of another size");
    return ob__plan_real(args, needs, error);
}

typedef struct job {
    const ob_kernel_args *args;
    obk_running running;
} job;

static void run_parts(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const cumsum *k = j->args->state;
    k->loop(&j->running, j->args->out[0].data, j->args->in[0].data, begin, end);
}

/* The axis is an operand, which may be known only at run time. */
static ob_status cumsum_compute(const ob_kernel_args *args, ob_error *error) {
    const ob_running_params *p = &((const cumsum *)args->state)->params;
    const ob_view *in = &args->in[0];
    int64_t list[1];
    int32_t n = 0, axis = 0;
    OB_TRY(ob__read_ints(&args->in[1], list, 1, &n, error));
    OB_FAIL_IF(n != 1, error, OB_E_ARGUMENT, "no axis");
    OB_TRY(ob__axis(list[0], in->rank, &axis, error));
    if (ob__count(in) == 0) return OB_OK;
    job j = {args, {.exclusive = p->exclusive, .reverse = p->reverse, .product = p->product}};
    j.running.n = in->dims[axis];
    j.running.inner = ob__product(in->dims, axis + 1, in->rank);
    const int64_t blocks = ob__ceil_div(j.running.inner, OBK_RUNNING_COLUMNS);
    ob__parallel(args->threads, ob__product(in->dims, 0, axis) * blocks,
                 (INT64_C(1) << 15) / j.running.n / (j.running.inner > 1 ? OBK_RUNNING_COLUMNS : 1) + 1, run_parts, &j);
    return OB_OK;
}

OB_RUN(ob__run_cumsum) {
    return ob__run_real(args, cumsum_compute, error);
}

const ob_kernel ob__kernel_cumsum = {
    .name = "cumsum", .state_bytes = sizeof(cumsum), .state = &cumsum_struct, .plan = cumsum_plan, OB_RUNS(ob__run_cumsum)};
