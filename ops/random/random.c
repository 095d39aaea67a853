/* RandomNormal, RandomUniform, their variants with Like, Bernoulli. Element i uses random number i of the key, so results do not
 * depend on the division into parts. */
#include "kernels/random/random.h"
#include "core/graph/types.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/random/params.h"

enum { BLOCK = 96, GRAIN = 1 << 12 };

typedef struct drawing {
    ob_random_params params;
    obk_random_loop draw;
} drawing;

static const ob_member params_members[] = {OB_NESTED(ob_random_params, key, &obk_random_key_struct),
                                           OB_VALUE(ob_random_params, normal), OB_VALUE(ob_random_params, first),
                                           OB_VALUE(ob_random_params, span)};
static const ob_struct params_struct = OB_STRUCT(ob_random_params, params_members);
static const ob_member drawing_members[] = {OB_NESTED(drawing, params, &params_struct), OB_FUNCTION(drawing, draw)};
static const ob_struct drawing_struct = OB_STRUCT(drawing, drawing_members);

/* ---- RandomNormal, RandomUniform ---- */

static ob_status random_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    if (!ob__dtype_is_real_or_half(args->out[0].dtype)) return ob__no_type(site, error, args->out[0].dtype);
    ob__need_conversion(needs, OB_DOUBLE, args->out[0].dtype);
    const ob_random_params params = ob__random_params(site->node);
    *(drawing *)args->state = (drawing){params, params.normal ? OBK_LOOP(random, ->normal) : OBK_LOOP(random, ->uniform)};
    return OB_OK;
}

static void random_part(void *context, int64_t begin, int64_t end) {
    const ob_kernel_args *args = context;
    const drawing *d = args->state;
    const ob_view *out = &args->out[0];
    double numbers[BLOCK];
    for (int64_t at = begin; at < end; at += BLOCK) {
        const int64_t n = end - at < BLOCK ? end - at : BLOCK;
        d->draw(d->params.key, at, n, numbers);
        for (int64_t i = 0; i < n; i++) numbers[i] = d->params.first + d->params.span * numbers[i];
        (void)ob__convert_in_run(args, (char *)out->data + at * (int64_t)ob_dtype_size(out->dtype), out->dtype, numbers,
                                 OB_DOUBLE, n, NULL);
    }
}

OB_RUN(ob__run_random) {
    (void)error;
    ob__parallel(args->threads, ob__count(&args->out[0]), GRAIN, random_part, (void *)(uintptr_t)args);
    return OB_OK;
}

/* the operand is used only for its shape */
const ob_kernel ob__kernel_random = {.name = "random",
                                     .flags = OB_KERNEL_STRIDED,
                                     .state_bytes = sizeof(drawing),
                                     .plan = random_plan,
                                     OB_RUNS(ob__run_random),
                                     .state = &drawing_struct};

/* ---- Bernoulli ---- */

static ob_status bernoulli_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    double one;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_FAIL_IF(ob__count(&args->in[0]) != ob__count(&args->out[0]), error, OB_E_SHAPE, "a result of another size");
    ob__need_conversion(needs, args->in[0].dtype, OB_DOUBLE);
    ob__need_conversion(needs, OB_DOUBLE, args->out[0].dtype);
    *(drawing *)args->state = (drawing){{.key = ob__random_key(site->node)}, OBK_LOOP(random, ->uniform)};
    return ob__one(args->out[0].dtype, &one, error);
}

/* 1 with the probability that the operand gives: always if it is above 1, never if it is below 0 or NaN. */
static void bernoulli_part(void *context, int64_t begin, int64_t end) {
    const ob_kernel_args *args = context;
    const drawing *d = args->state;
    const ob_view *in = &args->in[0], *out = &args->out[0];
    double numbers[BLOCK], chances[BLOCK];
    for (int64_t at = begin; at < end; at += BLOCK) {
        const int64_t n = end - at < BLOCK ? end - at : BLOCK;
        (void)ob__convert_in_run(args, chances, OB_DOUBLE, (const char *)in->data + at * (int64_t)ob_dtype_size(in->dtype),
                                 in->dtype, n, NULL);
        d->draw(d->params.key, at, n, numbers);
        for (int64_t i = 0; i < n; i++) numbers[i] = numbers[i] < chances[i];
        (void)ob__convert_in_run(args, (char *)out->data + at * (int64_t)ob_dtype_size(out->dtype), out->dtype, numbers,
                                 OB_DOUBLE, n, NULL);
    }
}

OB_RUN(ob__run_bernoulli) {
    (void)error;
    ob__parallel(args->threads, ob__count(&args->out[0]), GRAIN, bernoulli_part, (void *)(uintptr_t)args);
    return OB_OK;
}

const ob_kernel ob__kernel_bernoulli = {.name = "bernoulli",
                                        .state_bytes = sizeof(drawing),
                                        .plan = bernoulli_plan,
                                        OB_RUNS(ob__run_bernoulli),
                                        .state = &drawing_struct};
