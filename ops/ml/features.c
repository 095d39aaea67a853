/* Imputer 1: elements equal to one value are replaced by another. FeatureVectorizer 1: matrices side by side, as floats. */
#include "core/graph/types.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/ml/score.h"
#include "ops/table/attributes.h"

/* ---- Imputer ---- */

typedef struct imputer {
    const double *reals; /* for floats and doubles */
    const int64_t *ints;
    double replaced_real;
    int64_t replaced_int;
    int64_t n, columns; /* n: number of values, 1 or the number of columns */
} imputer;

OB_COUNT(values_of, imputer, n)

static const ob_member imputer_members[] = {OB_NUMBERS(imputer, reals, values_of),
                                            OB_NUMBERS(imputer, ints, values_of),
                                            OB_VALUE(imputer, replaced_real),
                                            OB_VALUE(imputer, replaced_int),
                                            OB_VALUE(imputer, n),
                                            OB_VALUE(imputer, columns)};
static const ob_struct imputer_struct = OB_STRUCT(imputer, imputer_members);

static ob_status imputer_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    imputer *p = args->state;
    const ob_node *node = site->node;
    const ob_view *in = &args->in[0];
    const bool real = ob__dtype_is_real(in->dtype);
    ob_ml_imputer params;
    (void)needs;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__ml_read_imputer(node, in->dtype, &params, error));
    p->columns = in->rank > 0 ? in->dims[in->rank - 1] : 1;
    p->n = real ? params.reals.n : params.ints.n;
    OB_FAIL_IF(p->n != 1 && p->n != p->columns, error, OB_E_SHAPE, "%lld values for %lld features", (long long)p->n,
               (long long)p->columns);
    p->replaced_real = (double)ob__attribute_float(node, "replaced_value_float");
    p->replaced_int = ob__attribute_int(node, "replaced_value_int64");
    if (real) return ob__ml_keep_reals(site, &params.reals, &p->reals, error);
    OB_TRY(ob__ml_keep_labels(site, &params.ints, error));
    p->ints = params.ints.at;
    return OB_OK;
}

/* One row, a function for each type; `step` is 0 if one value is used for all columns. */
static void impute_f32(const imputer *p, float *y, const float *x, int64_t step) {
    const float replaced = (float)p->replaced_real;
    const bool nan = isnan(replaced);
    for (int64_t c = 0; c < p->columns; c++) {
        const float value = (float)p->reals[c * step];
        y[c] = x[c] == replaced || (nan && x[c] != x[c]) ? value : x[c];
    }
}

static void impute_f64(const imputer *p, double *y, const double *x, int64_t step) {
    const double replaced = p->replaced_real;
    const bool nan = isnan(replaced);
    for (int64_t c = 0; c < p->columns; c++) y[c] = x[c] == replaced || (nan && x[c] != x[c]) ? p->reals[c * step] : x[c];
}

static void impute_i32(const imputer *p, int32_t *y, const int32_t *x, int64_t step) {
    for (int64_t c = 0; c < p->columns; c++) y[c] = x[c] == p->replaced_int ? (int32_t)p->ints[c * step] : x[c];
}

static void impute_i64(const imputer *p, int64_t *y, const int64_t *x, int64_t step) {
    for (int64_t c = 0; c < p->columns; c++) y[c] = x[c] == p->replaced_int ? p->ints[c * step] : x[c];
}

/* Rows are short, so the clock is read only at some of them. */
static bool stopped_at(const ob_kernel_args *args, int64_t row) {
    return row % 256 == 0 && ob__stopped(args->threads);
}

OB_RUN(ob__run_ml_imputer) {
    const imputer *p = args->state;
    const ob_view *in = &args->in[0];
    const int64_t n = ob__count(in), step = p->n > 1;
    (void)error;
    for (int64_t at = 0, row = 0; at < n && !stopped_at(args, row); at += p->columns, row++) {
        const size_t behind = (size_t)at * ob_dtype_size(in->dtype);
        const void *x = (const char *)in->data + behind;
        void *y = (char *)args->out[0].data + behind;
        switch (in->dtype) {
        case OB_FLOAT: impute_f32(p, y, x, step); break;
        case OB_DOUBLE: impute_f64(p, y, x, step); break;
        case OB_INT32: impute_i32(p, y, x, step); break;
        default: impute_i64(p, y, x, step);
        }
    }
    return OB_OK;
}

const ob_kernel ob__kernel_ml_imputer = {.name = "ml_imputer",
                                         .flags = OB_KERNEL_INPLACE,
                                         .state_bytes = sizeof(imputer),
                                         .state = &imputer_struct,
                                         .plan = imputer_plan,
                                         OB_RUNS(ob__run_ml_imputer)};

/* ---- FeatureVectorizer ---- */

/* The number of elements in a row: the first axis counts rows, and the others are flattened. The specification has matrices only;
 * ONNX Runtime accepts any rank and uses this order. */
static int64_t width_of(const ob_view *view) {
    return view->rank == 1 ? view->dims[0] : ob__product(view->dims, 1, view->rank);
}

static ob_status features_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    const ob_view *out = &args->out[0];
    int64_t sum = 0;
    OB_TRY(ob__check_type(site, args, 0, error));
    for (uint32_t i = 0; i < args->n_in; i++) {
        const ob_view *in = &args->in[i];
        ob__need_conversion(needs, in->dtype, OB_FLOAT);
        OB_FAIL_IF(in->rank < 1, error, OB_E_SHAPE, "operand %u has rank 0: it must be (N, C) or (C)", i);
        const int64_t n = in->rank > 1 ? in->dims[0] : 1;
        OB_FAIL_IF(n != out->dims[0], error, OB_E_SHAPE, "operand %u has %lld rows, the first %lld", i, (long long)n,
                   (long long)out->dims[0]);
        OB_FAIL_IF(__builtin_add_overflow(sum, width_of(in), &sum), error, OB_E_LIMIT, "too many features");
    }
    OB_FAIL_IF(sum != out->dims[1], error, OB_E_SHAPE, "operands have %lld features, inputdimensions %lld", (long long)sum,
               (long long)out->dims[1]);
    return OB_OK;
}

OB_RUN(ob__run_ml_features) {
    const ob_view *out = &args->out[0];
    if (ob__writes_nothing(args)) return OB_OK;
    for (int64_t row = 0; row < out->dims[0] && !stopped_at(args, row); row++) {
        float *y = (float *)out->data + row * out->dims[1];
        for (uint32_t i = 0; i < args->n_in; i++) {
            const ob_view *in = &args->in[i];
            const int64_t n = width_of(in);
            OB_TRY(ob__convert_in_run(args, y, OB_FLOAT, (const char *)in->data + (size_t)(row * n) * ob_dtype_size(in->dtype),
                                      in->dtype, n, error));
            y += n;
        }
    }
    return OB_OK;
}

const ob_kernel ob__kernel_ml_features = {.name = "ml_features", .plan = features_plan, OB_RUNS(ob__run_ml_features)};
