/* ReduceL1, L2, LogSum, LogSumExp, Max, Mean, Min, Prod, Sum, SumSquare, opset 1 ..: axes as attribute, from 13 (ReduceSum) or 18
 * as input; none given: all axes, unless noop_with_empty_axes: then every element is reduced alone, so that what an operator does
 * besides adding up still happens (L1 is the absolute value, LogSum the logarithm).
 *
 * Types: floats (float16 and bfloat16 by way of float), int32, int64, uint32, uint64; Max and Min also int8, uint8 and bool (20).
 * Floats are summed in double, integers wrap, and a mean of integers is cut towards zero. NaN wins in Max and Min.
 * Over no elements: Sum, L1, L2, SumSquare 0, Prod 1, Max -inf or the lowest value, Min inf or the highest, Mean NaN (integers
 * 0), LogSum and LogSumExp -inf. */
#include "ops/kernel/common.h"

typedef enum fold { FOLD_SUM, FOLD_ABS, FOLD_SQUARE, FOLD_PROD, FOLD_MAX, FOLD_MIN, FOLD_EXP } fold;
typedef enum finish { FINISH_NONE, FINISH_MEAN, FINISH_SQRT, FINISH_LOG, FINISH_EXP } finish;

static const struct {
    const char *op_type;
    fold fold;
    finish finish;
} kinds[] = {
    {"ReduceSum", FOLD_SUM, FINISH_NONE},   {"ReduceMean", FOLD_SUM, FINISH_MEAN},
    {"ReduceMax", FOLD_MAX, FINISH_NONE},   {"ReduceMin", FOLD_MIN, FINISH_NONE},
    {"ReduceProd", FOLD_PROD, FINISH_NONE}, {"ReduceL1", FOLD_ABS, FINISH_NONE},
    {"ReduceL2", FOLD_SQUARE, FINISH_SQRT}, {"ReduceSumSquare", FOLD_SQUARE, FINISH_NONE},
    {"ReduceLogSum", FOLD_SUM, FINISH_LOG}, {"ReduceLogSumExp", FOLD_EXP, FINISH_EXP},
};

/* The input as kept and reduced axes, outermost first, neighbours of one kind merged; strides in elements. The last axis of the
 * input is `inner` elements, dense: a run that is folded, or columns that are folded side by side. */
typedef struct reduction {
    const void *in;
    void *out;
    fold fold;
    finish finish;
    bool is_bool;
    bool columns;
    int64_t inner;
    int32_t n_kept, n_reduced;
    int64_t kept[OB_MAX_RANK], kept_strides[OB_MAX_RANK];
    int64_t reduced[OB_MAX_RANK], reduced_strides[OB_MAX_RANK];
    int64_t n_outer;  /* product of kept */
    int64_t n_folded; /* elements per result */
} reduction;

enum { COLUMNS = 256 };

#define T            float
#define IS_SIGNED    1
#define U            double
#define NAME(name)   name##_float
#define IS_FLOAT     1
#define LOWEST       (-INFINITY)
#define HIGHEST      INFINITY
#define AS_NUMBER(x) (x)
#include "ops/reduce/reduce.inc.h"
#define T            double
#define IS_SIGNED    1
#define U            double
#define NAME(name)   name##_double
#define IS_FLOAT     1
#define LOWEST       ((double)-INFINITY)
#define HIGHEST      ((double)INFINITY)
#define AS_NUMBER(x) (x)
#include "ops/reduce/reduce.inc.h"
#define T            int8_t
#define IS_SIGNED    1
#define U            uint64_t
#define NAME(name)   name##_int8
#define IS_FLOAT     0
#define LOWEST       INT8_MIN
#define HIGHEST      INT8_MAX
#define AS_NUMBER(x) ((int64_t)(x))
#include "ops/reduce/reduce.inc.h"
#define T            uint8_t
#define IS_SIGNED    0
#define U            uint64_t
#define NAME(name)   name##_uint8
#define IS_FLOAT     0
#define LOWEST       0
#define HIGHEST      (r->is_bool ? 1 : UINT8_MAX)
#define AS_NUMBER(x) (x)
#include "ops/reduce/reduce.inc.h"
#define T            int32_t
#define IS_SIGNED    1
#define U            uint64_t
#define NAME(name)   name##_int32
#define IS_FLOAT     0
#define LOWEST       INT32_MIN
#define HIGHEST      INT32_MAX
#define AS_NUMBER(x) ((int64_t)(x))
#include "ops/reduce/reduce.inc.h"
#define T            uint32_t
#define IS_SIGNED    0
#define U            uint64_t
#define NAME(name)   name##_uint32
#define IS_FLOAT     0
#define LOWEST       0
#define HIGHEST      UINT32_MAX
#define AS_NUMBER(x) (x)
#include "ops/reduce/reduce.inc.h"
#define T            int64_t
#define IS_SIGNED    1
#define U            uint64_t
#define NAME(name)   name##_int64
#define IS_FLOAT     0
#define LOWEST       INT64_MIN
#define HIGHEST      INT64_MAX
#define AS_NUMBER(x) ((int64_t)(x))
#include "ops/reduce/reduce.inc.h"
#define T            uint64_t
#define IS_SIGNED    0
#define U            uint64_t
#define NAME(name)   name##_uint64
#define IS_FLOAT     0
#define LOWEST       0
#define HIGHEST      UINT64_MAX
#define AS_NUMBER(x) (x)
#include "ops/reduce/reduce.inc.h"

static void split_axes(reduction *r, const ob_view *in, uint32_t axes) {
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
    r->columns = rank > 0 && !reduced[0];
    r->inner = rank > 0 ? dims[0] : 1;
    r->n_outer = 1;
    r->n_folded = rank > 0 && reduced[0] ? dims[0] : 1;
    for (int32_t i = rank - 1; i > 0; i--) {
        if (reduced[i]) {
            r->reduced[r->n_reduced] = dims[i];
            r->reduced_strides[r->n_reduced++] = strides[i];
            r->n_folded *= dims[i];
        } else {
            r->kept[r->n_kept] = dims[i];
            r->kept_strides[r->n_kept++] = strides[i];
            r->n_outer *= dims[i];
        }
    }
}

static ob_status reduce_compute(const ob_kernel_args *args, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    uint32_t axes;
    bool given;
    OB_TRY(ob__read_axes_v1(args, "axes", 1, in->rank, &axes, &given, error));
    if (!given) axes = ob__reduces_nothing(args->node, args->op) ? 0 : UINT32_MAX;
    reduction r = {.in = in->data, .out = out->data, .is_bool = in->dtype == OB_BOOL};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].op_type, args->node->op_type) == 0) {
            r.fold = kinds[i].fold;
            r.finish = kinds[i].finish;
        }
    int64_t n_out = 1;
    for (int32_t a = 0; a < in->rank; a++)
        if (!(axes >> a & 1)) n_out *= in->dims[a];
    OB_FAIL_IF(n_out != ob__count(out), error, OB_E_SHAPE, "%s: %lld results for a shape of %lld elements", args->node->op_type,
               (long long)n_out, (long long)ob__count(out));
    if (n_out == 0) return OB_OK;
    if (axes == 0 && r.fold != FOLD_ABS && r.fold != FOLD_SQUARE && r.finish != FINISH_LOG) {
        ob__copy_contiguous(in, out->data); /* the bits, -0 among them */
        return OB_OK;
    }
    split_axes(&r, in, axes);
    int64_t blocks = r.columns ? (r.inner + COLUMNS - 1) / COLUMNS : 1;
    int64_t work = r.n_folded * (r.columns ? COLUMNS : 1) + 1, grain = (INT64_C(1) << 15) / work + 1;
    void (*task)(void *, int64_t, int64_t) = NULL;
    switch (in->dtype) {
    case OB_FLOAT: task = reduce_blocks_float; break;
    case OB_DOUBLE: task = reduce_blocks_double; break;
    case OB_INT8: task = reduce_blocks_int8; break;
    case OB_BOOL:
    case OB_UINT8: task = reduce_blocks_uint8; break;
    case OB_INT32: task = reduce_blocks_int32; break;
    case OB_UINT32: task = reduce_blocks_uint32; break;
    case OB_INT64: task = reduce_blocks_int64; break;
    case OB_UINT64: task = reduce_blocks_uint64; break;
    default: return OB__NO_TYPE_V1(args, error, in->dtype);
    }
    ob__parallel(args->threads, r.n_outer * blocks, grain, task, &r);
    return OB_OK;
}

static ob_status reduce_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, reduce_compute, error);
}

static ob_status reduce_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)site;
    OB_TRY(ob__check_type_v1(args, 0, error));
    return ob__plan_real(args, needs, error);
}

const ob_kernel ob__kernel_reduce = {.name = "reduce", .plan = reduce_plan, .run = reduce_run};
