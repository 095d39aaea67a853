/* Det 11, 22 (bfloat16): determinants of a batch of square matrices, by elimination with row exchanges in double. A matrix of
 * size 0 has the determinant 1. A column without a pivot is skipped, so that NaN and infinity elsewhere still reach the result.
 */
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"

typedef struct det {
    int64_t m, n_matrices;
    bool is_double;
} det;

static const ob_member det_members[] = {OB_VALUE(det, m), OB_VALUE(det, n_matrices), OB_VALUE(det, is_double)};
static const ob_struct det_struct = OB_STRUCT(det, det_members);

typedef struct job {
    const det *d;
    const ob_kernel_args *args;
} job;

static void exchange(double *a, double *b, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

static void subtract(double *restrict row, const double *restrict pivot, double factor, int64_t n) {
    for (int64_t i = 0; i < n; i++) row[i] -= factor * pivot[i];
}

static double determinant(double *a, int64_t m, obk_pace *pace) {
    double product = 1;
    for (int64_t k = 0; k < m; k++) {
        if (obk_stops(pace, m - k)) return NAN;
        int64_t best = k;
        for (int64_t r = k + 1; r < m; r++)
            if (fabs(a[r * m + k]) > fabs(a[best * m + k])) best = r;
        if (best != k) {
            exchange(&a[k * m + k], &a[best * m + k], m - k);
            product = -product;
        }
        const double pivot = a[k * m + k];
        product *= pivot;
        for (int64_t r = k + 1; pivot != 0 && r < m && !obk_stops(pace, m - k); r++)
            subtract(&a[r * m + k + 1], &a[k * m + k + 1], a[r * m + k] / pivot, m - k - 1);
    }
    return product;
}

static void one_matrix(void *context, int64_t i, int lane) {
    const job *j = context;
    const det *d = j->d;
    const int64_t n = d->m * d->m;
    double *a = (double *)(void *)(ob__lane(j->args->lanes, j->args->lane_stride, lane));
    const void *in = j->args->in[0].data;
    void *out = j->args->out[0].data;
    obk_pace pace = ob__pace(j->args->threads);
    if (d->is_double) {
        if (n > 0) memcpy(a, (const double *)in + i * n, (size_t)n * sizeof *a);
        ((double *)out)[i] = determinant(a, d->m, &pace);
    } else {
        for (int64_t e = 0; e < n; e++) a[e] = (double)((const float *)in)[i * n + e];
        ((float *)out)[i] = (float)determinant(a, d->m, &pace);
    }
}

static ob_status det_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    det *d = args->state;
    const ob_view *in = &args->in[0];
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_FAIL_IF(in->rank < 2 || in->dims[in->rank - 1] != in->dims[in->rank - 2], error, OB_E_SHAPE,
               "the matrices are not square");
    d->m = in->dims[in->rank - 1];
    d->n_matrices = ob__product(in->dims, 0, in->rank - 2);
    d->is_double = ob__computing_type(args) == OB_DOUBLE;
    OB_FAIL_IF(d->n_matrices != ob__count(&args->out[0]), error, OB_E_SHAPE, "the result has %lld elements",
               (long long)ob__count(&args->out[0]));
    if (d->n_matrices > 0) OB_TRY(ob__need_lanes(needs, d->m * d->m, sizeof(double), error));
    return ob__plan_real(args, needs, error);
}

static ob_status det_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const det *d = args->state;
    job j = {d, args};
    ob__each_chunk(args->threads, d->n_matrices, one_matrix, &j);
    return OB_OK;
}

OB_RUN(ob__run_det) {
    return ob__run_real(args, det_compute, error);
}

const ob_kernel ob__kernel_det = {
    .name = "det", .state_bytes = sizeof(det), .state = &det_struct, .plan = det_plan, OB_RUNS(ob__run_det)};
