/* ArgMax, ArgMin: the index along `axis` of the largest or smallest element; opset 1.., all numbers, 13 also bfloat16.
 * select_last_index (12..) chooses the last of equal elements; otherwise the first is chosen. The first (last) NaN wins, as in
 * NumPy. */
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "kernels/reduce/reduce.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/kernel/search.h"
#include "ops/reduce/params.h"

typedef struct argreduce {
    obk_search search;
    obk_find find;
    int64_t n_parts, grain;
} argreduce;

static const ob_member argreduce_members[] = {OB_NESTED(argreduce, search, &obk_search_struct), OB_FUNCTION(argreduce, find),
                                              OB_VALUE(argreduce, n_parts), OB_VALUE(argreduce, grain)};
static const ob_struct argreduce_struct = OB_STRUCT(argreduce, argreduce_members);

static ob_status argreduce_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    argreduce *k = args->state;
    const ob_argreduce_params p = ob__argreduce_params(site->node, site->op);
    const ob_view *in = &args->in[0];
    int32_t axis = 0;
    OB_TRY(ob__check_type(site, args, 0, error));
    if (in->rank > 0) OB_TRY(ob__axis(p.axis, in->rank, &axis, error)); /* a scalar has one element, index 0 */
    k->search = (obk_search){.n = in->rank > 0 ? in->dims[axis] : 1,
                             .inner = in->rank > 0 ? ob__product(in->dims, axis + 1, in->rank) : 1,
                             .smallest = p.smallest,
                             .last = p.last};
    k->find = ob__find_loop(ob__dtype_is_real_or_half(in->dtype) ? ob__computing_type(args) : in->dtype, k->search.inner);
    if (!k->find) return ob__no_type(site, error, in->dtype);
    const int64_t outer = ob__product(in->dims, 0, axis), n_out = ob__count(&args->out[0]);
    OB_FAIL_IF(outer * k->search.inner != n_out, error, OB_E_SHAPE, "the result has %lld elements", (long long)n_out);
    OB_FAIL_IF(k->search.n == 0, error, OB_E_SHAPE, "axis %d has size 0: no element can be chosen", axis);
    const int64_t blocks = ob__ceil_div(k->search.inner, OBK_REDUCE_COLUMNS);
    k->n_parts = outer * blocks;
    k->grain = (INT64_C(1) << 15) / k->search.n / (k->search.inner > 1 ? OBK_REDUCE_COLUMNS : 1) + 1;
    return ob__plan_real(args, needs, error);
}

static void find_parts(void *context, int64_t begin, int64_t end) {
    const ob_kernel_args *args = context;
    const argreduce *k = args->state;
    k->find(&k->search, args->out[0].data, args->in[0].data, begin, end);
}

OB_RUN(ob__compute_argreduce) {
    (void)error;
    const argreduce *k = args->state;
    ob_kernel_args shared = *args;
    ob__parallel(args->threads, k->n_parts, k->grain, find_parts, &shared);
    return OB_OK;
}

OB_RUN(ob__run_argreduce) {
    return ob__run_real(args, ob__compute_argreduce, error);
}

const ob_kernel ob__kernel_argreduce = {.name = "argreduce",
                                        .state_bytes = sizeof(argreduce),
                                        .plan = argreduce_plan,
                                        OB_RUNS(ob__run_argreduce),
                                        OB_PLAIN(ob__compute_argreduce),
                                        .state = &argreduce_struct};
