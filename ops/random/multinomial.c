/* Multinomial: classes drawn by their logarithmic weights. Sample j of row r uses random number r * sample_size + j. */
#include "kernels/random/random.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/random/params.h"

enum { GRAIN = 1 << 10, BLOCK = 64 };

typedef struct sampling {
    obk_random_key key;
    obk_random_loop uniform;
    obk_random_classes classes;
} sampling;

static const ob_member sampling_members[] = {OB_NESTED(sampling, key, &obk_random_key_struct), OB_FUNCTION(sampling, uniform),
                                             OB_FUNCTION(sampling, classes)};
static const ob_struct sampling_struct = OB_STRUCT(sampling, sampling_members);

static ob_status multinomial_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    const ob_view *x = &args->in[0], *y = &args->out[0];
    OB_TRY(ob__check_type(site, args, 0, error));
    if (y->dtype != OB_INT32 && y->dtype != OB_INT64) return ob__no_type(site, error, y->dtype);
    OB_FAIL_IF(x->rank != 2 || y->rank != 2 || y->dims[0] != x->dims[0], error, OB_E_SHAPE, "operand of rank %d", x->rank);
    OB_FAIL_IF(x->dims[1] == 0 && ob__count(y) > 0, error, OB_E_SHAPE, "no classes to draw from");
    OB_FAIL_IF(y->dtype == OB_INT32 && x->dims[1] > INT32_MAX, error, OB_E_LIMIT, "classes above int32");
    *(sampling *)args->state = (sampling){ob__random_key(site->node), OBK_LOOP(random, ->uniform), OBK_LOOP(random, ->classes)};
    ob__need_conversion(needs, x->dtype, OB_DOUBLE);
    return ob__need_scratch(needs, ob__count(x), sizeof(double), error);
}

static void multinomial_part(void *context, int64_t begin, int64_t end) {
    const ob_kernel_args *args = context;
    const sampling *s = args->state;
    const ob_view *y = &args->out[0];
    const int64_t classes = args->in[0].dims[1], samples = y->dims[1];
    const double *sums = args->scratch;
    double uniform[BLOCK];
    for (int64_t i = begin; i < end; i++) {
        const int64_t k = (i - begin) % BLOCK;
        if (k == 0) s->uniform(s->key, i, end - i < BLOCK ? end - i : BLOCK, uniform);
        const int64_t class = obk_random_class(sums + i / samples * classes, classes, uniform[k]);
        if (y->dtype == OB_INT64)
            ((int64_t *)y->data)[i] = class;
        else
            ((int32_t *)y->data)[i] = (int32_t) class;
    }
}

/* The running sums of the weights of rows begin .. end. */
static void classes_part(void *context, int64_t begin, int64_t end) {
    const ob_kernel_args *args = context;
    const sampling *s = args->state;
    const ob_view *x = &args->in[0];
    const int64_t classes = x->dims[1];
    double *sums = (double *)args->scratch + begin * classes;
    const char *from = (const char *)x->data + begin * classes * (int64_t)ob_dtype_size(x->dtype);
    (void)ob__convert_many(args, sums, OB_DOUBLE, from, x->dtype, (end - begin) * classes, NULL); /* the type was checked */
    obk_pace pace = ob__pace(args->threads);
    for (int64_t row = begin; row < end && !pace.over; row++, sums += classes) s->classes(sums, classes, &pace);
}

OB_RUN(ob__run_multinomial) {
    const ob_view *x = &args->in[0];
    const double *sums = args->scratch;
    const int64_t classes = x->dims[1];
    if (ob__writes_nothing(args)) return OB_OK;
    ob__parallel(args->threads, x->dims[0], GRAIN / classes + 1, classes_part, (void *)(uintptr_t)args);
    for (int64_t row = 0; row < x->dims[0] && !ob__stop_now(args->threads); row++)
        OB_FAIL_IF(!(sums[(row + 1) * classes - 1] > 0), error, OB_E_ARGUMENT,
                   "row %lld has no class to draw: it needs a finite logarithm, and no infinity or NaN", (long long)row);
    ob__parallel(args->threads, ob__count(&args->out[0]), GRAIN, multinomial_part, (void *)(uintptr_t)args);
    return OB_OK;
}

const ob_kernel ob__kernel_multinomial = {.name = "multinomial",
                                          .state_bytes = sizeof(sampling),
                                          .plan = multinomial_plan,
                                          OB_RUNS(ob__run_multinomial),
                                          .state = &sampling_struct};
