/* Normalizer 1: rows divided by their norms, as floats. It must agree with the body (bodies.def). */
#include "kernels/ml/ml.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/ml/score.h"

enum { GRAIN = 1 << 14 }; /* elements */

typedef struct normalizer {
    int64_t rows, columns;
    void (*normalize)(float *y, const float *x, ptrdiff_t n, ptrdiff_t rows);
} normalizer;

static const ob_member normalizer_members[] = {OB_VALUE(normalizer, rows), OB_VALUE(normalizer, columns),
                                               OB_FUNCTION(normalizer, normalize)};
static const ob_struct normalizer_struct = OB_STRUCT(normalizer, normalizer_members);

static ob_status normalizer_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    normalizer *p = args->state;
    ob_ml_rows rows;
    obk_ml_norm norm;
    ob__need_conversion(needs, args->in[0].dtype, OB_FLOAT);
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__ml_read_norm(site->node, &norm, error));
    OB_TRY(ob__ml_rows(args, 0, false, &rows, error));
    *p = (normalizer){rows.n, rows.columns, OBK_LOOP(ml, ->normalize[norm])};
    return OB_OK;
}

static void normalize_rows(void *context, int64_t begin, int64_t end) {
    const ob_kernel_args *args = context;
    const normalizer *p = args->state;
    const ob_view *in = &args->in[0];
    const int64_t first = begin * p->columns, n = (end - begin) * p->columns;
    float *y = (float *)args->out[0].data + first;
    const void *x = (const char *)in->data + (size_t)first * ob_dtype_size(in->dtype);
    if (in->dtype != OB_FLOAT) {
        (void)ob__convert_in_run(args, y, OB_FLOAT, x, in->dtype, n, NULL); /* the type was checked */
        x = y;
    }
    p->normalize(y, x, p->columns, end - begin);
}

OB_RUN(ob__run_ml_normalizer) {
    const normalizer *p = args->state;
    (void)error;
    if (!ob__writes_nothing(args))
        ob__parallel(args->threads, p->rows, GRAIN / p->columns + 1, normalize_rows, (void *)(uintptr_t)args);
    return OB_OK;
}

const ob_kernel ob__kernel_ml_normalizer = {.name = "ml_normalizer",
                                            .flags = OB_KERNEL_INPLACE,
                                            .state_bytes = sizeof(normalizer),
                                            .state = &normalizer_struct,
                                            .plan = normalizer_plan,
                                            OB_RUNS(ob__run_ml_normalizer)};
