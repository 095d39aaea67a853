/* com.microsoft Inverse: the inverse of each matrix of the last two axes, by elimination in double with the largest element of a
 * column as pivot. A singular matrix gives infinities and NaN, from divisions by 0. float16 and float are computed in double. */
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"

typedef struct inverse {
    int64_t n, n_matrices;
} inverse;

static const ob_member inverse_members[] = {OB_VALUE(inverse, n), OB_VALUE(inverse, n_matrices)};
static const ob_struct inverse_struct = OB_STRUCT(inverse, inverse_members);

static ob_status inverse_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    inverse *s = args->state;
    const ob_view *in = &args->in[0];
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_FAIL_IF(in->rank < 2 || in->dims[in->rank - 1] != in->dims[in->rank - 2], error, OB_E_SHAPE,
               "the matrices are not square");
    s->n = in->dims[in->rank - 1];
    s->n_matrices = ob__product(in->dims, 0, in->rank - 2);
    ob__need_conversion(needs, in->dtype, OB_DOUBLE);
    ob__need_conversion(needs, OB_DOUBLE, in->dtype);
    OB_TRY(ob__convert(NULL, OB_DOUBLE, NULL, in->dtype, 0, error));
    OB_TRY(ob__convert(NULL, in->dtype, NULL, OB_DOUBLE, 0, error));
    return ob__need_lanes(needs, 2 * ob__product(in->dims, in->rank - 2, in->rank), sizeof(double), error);
}

static void swap_rows(double *a, double *b, int64_t n) {
    for (int64_t k = 0; k < n; k++) {
        double element = a[k];
        a[k] = b[k];
        b[k] = element;
    }
}

/* Turns a into the unit matrix and b into the inverse. */
static void eliminate(double *a, double *b, int64_t n, obk_pace *pace) {
    for (int64_t c = 0; c < n && !obk_stops(pace, 3 * n); c++) {
        int64_t pivot = c;
        for (int64_t r = c + 1; r < n; r++)
            if (fabs(a[r * n + c]) > fabs(a[pivot * n + c])) pivot = r;
        if (pivot != c) {
            swap_rows(a + c * n, a + pivot * n, n);
            swap_rows(b + c * n, b + pivot * n, n);
        }
        double scale = a[c * n + c];
        for (int64_t k = 0; k < n; k++) {
            a[c * n + k] /= scale;
            b[c * n + k] /= scale;
        }
        for (int64_t r = 0; r < n; r++) {
            double factor = a[r * n + c];
            if (r == c || factor == 0) continue;
            if (obk_stops(pace, 2 * n)) return;
            for (int64_t k = 0; k < n; k++) {
                a[r * n + k] -= factor * a[c * n + k];
                b[r * n + k] -= factor * b[c * n + k];
            }
        }
    }
}

static void invert_one(void *context, int64_t i, int lane) {
    const ob_kernel_args *args = context;
    const inverse *s = args->state;
    int64_t n = s->n, n_bytes = n * n * (int64_t)ob_dtype_size(args->in[0].dtype);
    double *a = (double *)(ob__lane(args->lanes, args->lane_stride, lane)), *b = a + n * n;
    const char *from = (const char *)args->in[0].data + i * n_bytes;
    char *to = (char *)args->out[0].data + i * n_bytes;
    obk_pace pace = ob__pace(args->threads);
    ob__convert_many(args, a, OB_DOUBLE, from, args->in[0].dtype, n * n, NULL); /* planning has tried this conversion */
    ob__fill(b, n * n, sizeof *b, NULL, &pace);
    for (int64_t k = 0; k < n; k++) b[k * (n + 1)] = 1;
    eliminate(a, b, n, &pace);
    ob__convert_many(args, to, args->in[0].dtype, b, OB_DOUBLE, n * n, NULL);
}

OB_RUN(ob__run_inverse) {
    const inverse *s = args->state;
    (void)error;
    if (!ob__writes_nothing(args)) ob__each_chunk(args->threads, s->n_matrices, invert_one, (void *)args);
    return OB_OK;
}

const ob_kernel ob__kernel_inverse = {
    .name = "inverse", .state_bytes = sizeof(inverse), .state = &inverse_struct, .plan = inverse_plan, OB_RUNS(ob__run_inverse)};
