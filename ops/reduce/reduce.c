/* ReduceL1, L2, LogSum, LogSumExp, Max, Mean, Min, Prod, Sum, SumSquare, opset 1 ..: axes as attribute, from 13 (ReduceSum) or 18
 * as input. Without axes all axes are reduced; with noop_with_empty_axes each element is reduced on its own, which still changes
 * it (L1 gives the absolute value, LogSum the logarithm).
 *
 * Types: floats (float16 and bfloat16 are computed as float), int32, int64, uint32, uint64; Max and Min also int8, uint8 and bool
 * (20). Floats are summed in double, integers wrap, and a mean of integers truncates. A NaN is the result of Max and Min. Over no
 * elements: Sum, L1, L2, SumSquare 0, Prod 1, Max -inf or the lowest value, Min inf or the highest, Mean NaN (integers 0), LogSum
 * and LogSumExp -inf. */
#include "kernels/reduce/reduce.h"
#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/element.h"
#include "ops/kernel/functions.h"
#include "ops/kernel/members.h"
#include "ops/reduce/params.h"

typedef struct reduce {
    ob_reduce_params params;
    obk_reduce loop;
    bool axes_known; /* otherwise they are known only at run time */
    bool copies;     /* no axes, and the operator does not change a single element */
    int64_t n_parts, grain;
    obk_reduction r;
} reduce;

static const ob_member params_members[] = {OB_VALUE(ob_reduce_params, fold), OB_VALUE(ob_reduce_params, finish),
                                           OB_VALUE(ob_reduce_params, keep_axes), OB_VALUE(ob_reduce_params, nothing_by_default)};
static const ob_struct params_struct = OB_STRUCT(ob_reduce_params, params_members);
static const ob_member reduce_members[] = {OB_NESTED(reduce, params, &params_struct),
                                           OB_FUNCTION(reduce, loop),
                                           OB_VALUE(reduce, axes_known),
                                           OB_VALUE(reduce, copies),
                                           OB_VALUE(reduce, n_parts),
                                           OB_VALUE(reduce, grain),
                                           OB_NESTED(reduce, r, &obk_reduction_struct)};
static const ob_struct reduce_struct = OB_STRUCT(reduce, reduce_members);

static void split_axes(obk_reduction *r, const ob_view *in, uint32_t axes) {
    int64_t stride = 1;
    int32_t last_kind = -1, rank = 0;
    int64_t dims[OB_MAX_RANK], strides[OB_MAX_RANK]; /* innermost first */
    bool reduced[OB_MAX_RANK];
    for (int32_t a = in->rank - 1; a >= 0; a--) {
        int64_t d = in->dims[a];
        if (d == 1) continue;
        int32_t kind = (int32_t)(axes >> a & 1);
        if (kind == last_kind) {
            dims[rank - 1] *= d;
        } else {
            dims[rank] = d;
            strides[rank] = stride;
            reduced[rank++] = kind;
            last_kind = kind;
        }
        stride *= d;
    }
    r->n_kept = r->n_reduced = 0;
    r->columns = rank > 0 && !reduced[0];
    r->inner = rank > 0 ? dims[0] : 1;
    r->n_folded = rank > 0 && reduced[0] ? dims[0] : 1;
    for (int32_t i = rank - 1; i > 0; i--) {
        if (reduced[i]) {
            r->reduced[r->n_reduced] = dims[i];
            r->reduced_strides[r->n_reduced++] = strides[i];
            r->n_folded *= dims[i];
        } else {
            r->kept[r->n_kept] = dims[i];
            r->kept_strides[r->n_kept++] = strides[i];
        }
    }
}

/* Everything that depends on the set of axes. */
static ob_status resolve(const ob_kernel_args *args, reduce *k, uint32_t axes, ob_error *error) {
    const ob_view *in = &args->in[0];
    int64_t n_out = 1;
    for (int32_t a = 0; a < in->rank; a++)
        if (!(axes >> a & 1)) n_out *= in->dims[a];
    OB_FAIL_IF(n_out != ob__count(&args->out[0]), error, OB_E_SHAPE, "%lld results for a shape of %lld elements",
               (long long)n_out, (long long)ob__count(&args->out[0]));
    k->n_parts = 0;
    if (n_out == 0) return OB_OK;
    k->copies =
        axes == 0 && k->params.fold != OBK_FOLD_ABS && k->params.fold != OBK_FOLD_SQUARE && k->params.finish != OBK_FINISH_LOG;
    split_axes(&k->r, in, axes);
    const int64_t columns = k->r.columns ? k->r.inner : 1, blocks = ob__ceil_div(columns, OBK_REDUCE_COLUMNS);
    k->n_parts = n_out / columns * blocks;
    k->grain = (INT64_C(1) << 15) / (k->r.n_folded * (k->r.columns ? OBK_REDUCE_COLUMNS : 1) + 1) + 1;
    return OB_OK;
}

static ob_status reduce_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    reduce *k = args->state;
    const ob_dtype dtype = args->in[0].dtype;
    uint32_t axes = 0;
    bool given = false;
    OB_TRY(ob__check_type(site, args, 0, error));
    k->params = ob__reduce_params(site->node, site->op);
    k->r = (obk_reduction){.fold = k->params.fold, .finish = k->params.finish, .is_bool = dtype == OB_BOOL};
    k->loop = OBK_LOOP(reduce, ->by_type[ob__dtype_is_real_or_half(dtype) ? ob__computing_type(args) : dtype]);
    if (!k->loop) return ob__no_type(site, error, dtype);
    OB_TRY(ob__plan_real(args, needs, error));
    k->axes_known = !ob__given(args, 1) || args->in[1].data || ob__count(&args->in[1]) == 0;
    if (!k->axes_known) return ob__need_lanes(needs, OBK_REDUCE_BYTES, 1, error);
    OB_TRY(ob__read_axes(site, args, "axes", 1, args->in[0].rank, &axes, &given, error));
    if (!given) axes = k->params.nothing_by_default ? 0 : UINT32_MAX;
    OB_TRY(resolve(args, k, axes, error));
    return k->n_parts > 0 ? ob__need_lanes(needs, obk_reduce_bytes(&k->r), 1, error) : OB_OK;
}

static ob_status read_axes(const ob_view *given, int32_t rank, uint32_t *axes, ob_error *error) {
    int64_t list[OB_MAX_RANK];
    int32_t n = 0, axis = 0;
    OB_TRY(ob__read_ints(given, list, OB_MAX_RANK, &n, error));
    for (int32_t i = 0; i < n; i++) {
        OB_TRY(ob__axis(list[i], rank, &axis, error));
        *axes |= UINT32_C(1) << axis;
    }
    return OB_OK;
}

typedef struct job {
    const reduce *k;
    const ob_kernel_args *args;
} job;

static void run_parts(void *context, int64_t begin, int64_t end, int lane) {
    const job *j = context;
    void *memory = ob__lane(j->args->lanes, j->args->lane_stride, lane);
    j->k->loop(&j->k->r, j->args->out[0].data, j->args->in[0].data, begin, end, memory);
}

static ob_status reduce_compute(const ob_kernel_args *args, ob_error *error) {
    const reduce *k = args->state;
    reduce told;
    if (!k->axes_known) {
        uint32_t axes = 0;
        told = *k;
        OB_TRY(read_axes(&args->in[1], args->in[0].rank, &axes, error));
        OB_TRY(resolve(args, &told, axes, error));
        k = &told;
    }
    if (k->copies && k->n_parts > 0) {
        ob__copy_contiguous(&args->in[0], args->out[0].data, args->threads); /* copies the bits, which keeps -0 */
        return OB_OK;
    }
    job j = {k, args};
    ob__parallel_lanes(args->threads, k->n_parts, k->grain, run_parts, &j);
    return OB_OK;
}

OB_RUN(ob__run_reduce) {
    return ob__run_real(args, reduce_compute, error);
}

/* ---- As a step of a program over rows ---- */

typedef struct row_fold {
    obk_reduce loop;
    obk_fold fold;
    obk_finish finish;
} row_fold;

static const ob_member row_fold_members[] = {OB_FUNCTION(row_fold, loop), OB_VALUE(row_fold, fold), OB_VALUE(row_fold, finish)};
static const ob_struct row_fold_struct = OB_STRUCT(row_fold, row_fold_members);

void ob__fold_rows(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows, const void *params) {
    const row_fold *p = params;
    const obk_reduction r = {.fold = p->fold,
                             .finish = p->finish,
                             .inner = n,
                             .n_kept = 1,
                             .kept = {rows},
                             .kept_strides = {row[0] / step[0]},
                             .n_folded = n};
    _Alignas(16) char memory[64]; /* of a part with one result */
    p->loop(&r, pointers[1], pointers[0], 0, rows, memory);
}

static int32_t row_axes(const ob_node *node, const ob_op *op, int32_t rank) {
    (void)node;
    (void)op;
    (void)rank;
    return OB_ROW_FOLDED;
}

static ob_status reduce_row(const ob_kernel_site *site, const ob_kernel_args *args, ob_row_call *call, ob_error *error) {
    const ob_dtype dtype = args->in[0].dtype;
    const ob_reduce_params params = ob__reduce_params(site->node, site->op);
    if (dtype != OB_FLOAT && dtype != OB_DOUBLE) return OB_OK;
    row_fold *made = ob__tail(site, 1, sizeof *made);
    OB_FAIL_IF(!made, error, OB_E_MEMORY, "no memory for a plan");
    *made = (row_fold){.loop = OBK_LOOP(reduce, ->by_type[dtype]), .fold = params.fold, .finish = params.finish};
    *call = (ob_row_call){.loop = ob__fold_rows, .params = made, .params_type = &row_fold_struct};
    return OB_OK;
}

const ob_kernel ob__kernel_reduce = {.name = "reduce",
                                     .state_bytes = sizeof(reduce),
                                     .state = &reduce_struct,
                                     .plan = reduce_plan,
                                     OB_RUNS(ob__run_reduce),
                                     .row_axes = row_axes,
                                     .row = reduce_row};
