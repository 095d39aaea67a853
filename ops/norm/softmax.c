/* Softmax, LogSoftmax, Hardmax along an axis.
 *
 * Opset 1 and 11: the input is flattened to 2-D at `axis` (default 1) and every row is one distribution; 13: along `axis`
 * (default -1) only. Floats; float16 and bfloat16 by way of float. The maximum is subtracted first, so large inputs do not
 * overflow. Hardmax marks the first of equal maxima; NaN is one. */
#include "ops/kernel/common.h"

typedef enum kind { SOFTMAX, LOG_SOFTMAX, HARDMAX } kind;

typedef struct rows {
    const void *in;
    void *out;
    int64_t n, inner; /* a row's elements lie `inner` apart */
    kind kind;
} rows;

#define REAL       float
#define EXP        expf
#define LOG        logf
#define NAME(name) name##_float
#include "ops/norm/softmax.inc.h"
#define REAL       double
#define EXP        exp
#define LOG        log
#define NAME(name) name##_double
#include "ops/norm/softmax.inc.h"

/* Every version takes -rank .. rank - 1, so no scalar: the text of version 1 leaves the range open, the others name it. */
static ob_status read_axis(const ob_kernel_args *args, int32_t *axis, ob_error *error) {
    int64_t given = ob__node_int(args->node, "axis", args->op->since < 13 ? 1 : -1);
    return ob__axis(given, args->in[0].rank, axis, error);
}

static ob_status softmax_compute(const ob_kernel_args *args, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    bool flattens = args->op->since < 13;
    int32_t axis = 0;
    OB_TRY(read_axis(args, &axis, error));
    OB_FAIL_IF(ob__count(in) != ob__count(out), error, OB_E_SHAPE, "%s: result of another size", args->node->op_type);
    rows r = {.in = in->data, .out = out->data, .inner = 1};
    r.n = flattens ? ob__product(in->dims, axis, in->rank) : in->dims[axis];
    if (!flattens) r.inner = ob__product(in->dims, axis + 1, in->rank);
    r.kind = strcmp(args->node->op_type, "LogSoftmax") == 0 ? LOG_SOFTMAX
             : strcmp(args->node->op_type, "Hardmax") == 0  ? HARDMAX
                                                            : SOFTMAX;
    if (ob__count(in) == 0) return OB_OK;
    int64_t n_rows = ob__count(in) / r.n;
    ob__parallel(args->threads, n_rows, (INT64_C(1) << 13) / r.n + 1, in->dtype == OB_DOUBLE ? rows_double : rows_float, &r);
    return OB_OK;
}

static ob_status softmax_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, softmax_compute, error);
}

static ob_status softmax_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)site;
    int32_t axis = 0;
    OB_TRY(ob__check_type_v1(args, 0, error));
    OB_TRY(read_axis(args, &axis, error));
    return ob__plan_real(args, needs, error);
}

const ob_kernel ob__kernel_softmax = {.name = "softmax", .flags = OB_KERNEL_INPLACE, .plan = softmax_plan, .run = softmax_run};
