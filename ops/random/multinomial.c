/* Multinomial: classes by their logarithmic weights. Sample j of row r takes number r * sample_size + j. */
#include "ops/kernel/common.h"
#include "ops/random/params.h"

enum { GRAIN = 1 << 10 };

typedef struct sampling {
    const ob_kernel_args *args;
    obk_random_key key;
    int64_t classes, samples; /* of a row */
} sampling;

static ob_status multinomial_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    const ob_view *x = &args->in[0], *y = &args->out[0];
    OB_TRY(ob__check_type(site, args, 0, error));
    if (y->dtype != OB_INT32 && y->dtype != OB_INT64) return OB__NO_TYPE(site, error, y->dtype);
    OB_FAIL_IF(x->rank != 2 || y->rank != 2 || y->dims[0] != x->dims[0], error, OB_E_SHAPE, "Multinomial: operand of rank %d",
               x->rank);
    OB_FAIL_IF(x->dims[1] == 0 && ob__count(y) > 0, error, OB_E_SHAPE, "Multinomial: no classes to draw from");
    OB_FAIL_IF(y->dtype == OB_INT32 && x->dims[1] > INT32_MAX, error, OB_E_LIMIT, "Multinomial: classes above int32");
    *(obk_random_key *)args->state = ob__random_key(site->node);
    return ob__need_scratch(needs, ob__count(x), sizeof(double), error);
}

static void multinomial_part(void *context, int64_t begin, int64_t end) {
    const sampling *s = context;
    const ob_view *y = &s->args->out[0];
    const double *sums = s->args->scratch;
    for (int64_t i = begin; i < end; i++) {
        double uniform;
        obk_random_uniform(s->key, i, 1, &uniform);
        const int64_t class = obk_random_class(sums + i / s->samples * s->classes, s->classes, uniform);
        if (y->dtype == OB_INT64)
            ((int64_t *)y->data)[i] = class;
        else
            ((int32_t *)y->data)[i] = (int32_t) class;
    }
}

static ob_status multinomial_run(const ob_kernel_args *args, ob_error *error) {
    const ob_view *x = &args->in[0];
    sampling s = {args, *(const obk_random_key *)args->state, x->dims[1], args->out[0].dims[1]};
    double *sums = args->scratch;
    if (ob__writes_nothing(args)) return OB_OK;
    OB_TRY(ob__convert(sums, OB_DOUBLE, x->data, x->dtype, ob__count(x), error));
    for (int64_t row = 0; row < x->dims[0]; row++) {
        obk_random_classes(sums + row * s.classes, s.classes);
        OB_FAIL_IF(!(sums[(row + 1) * s.classes - 1] > 0), error, OB_E_ARGUMENT,
                   "row %lld has no class to draw: it needs a finite logarithm, and no infinity or NaN", (long long)row);
    }
    ob__parallel(args->threads, ob__count(&args->out[0]), GRAIN, multinomial_part, &s);
    return OB_OK;
}

const ob_kernel ob__kernel_multinomial = {
    .name = "multinomial", .state_bytes = sizeof(obk_random_key), .plan = multinomial_plan, .run = multinomial_run};
