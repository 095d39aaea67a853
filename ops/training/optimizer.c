/* Adagrad, Adam, Momentum: one step for any number of tensors. Factors are computed in double, elements in the type of the
 * tensors. */
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/training/params.h"

enum { GRAIN = 1 << 14, MOST_GROUPS = 4 };

/* Values that are the same for all elements of a run. */
typedef struct factors {
    ob_optimizer kind;
    bool nesterov;
    double rate, alpha, beta, epsilon, norm,
        left; /* left: the factor of an element that remains after the regularization of the step */
} factors;

#define REAL       float
#define ROOT       sqrtf
#define LOOP(name) name##_float
#include "ops/training/optimize.inc.h"

#define REAL       double
#define ROOT       sqrt
#define LOOP(name) name##_double
#include "ops/training/optimize.inc.h"

typedef struct optimizer {
    ob_optimizer_params params;
    uint32_t n; /* tensors */
} optimizer;

static const ob_member params_members[] = {
    OB_VALUE(ob_optimizer_params, kind),  OB_VALUE(ob_optimizer_params, bad_mode),  OB_VALUE(ob_optimizer_params, n_states),
    OB_VALUE(ob_optimizer_params, alpha), OB_VALUE(ob_optimizer_params, beta),      OB_VALUE(ob_optimizer_params, epsilon),
    OB_VALUE(ob_optimizer_params, norm),  OB_VALUE(ob_optimizer_params, norm_post), OB_VALUE(ob_optimizer_params, decay)};
static const ob_struct params_struct = OB_STRUCT(ob_optimizer_params, params_members);
static const ob_member optimizer_members[] = {OB_NESTED(optimizer, params, &params_struct), OB_VALUE(optimizer, n)};
static const ob_struct optimizer_struct = OB_STRUCT(optimizer, optimizer_members);

typedef struct stepping {
    const ob_kernel_args *args;
    factors factors;
    uint32_t n, tensor, n_states;
} stepping;

static ob_status optimizer_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    optimizer *o = args->state;
    o->params = ob__optimizer_params(site->node);
    o->n = ob__optimized(&o->params, args->n_in);
    OB_FAIL_IF(o->params.bad_mode, error, OB_E_ARGUMENT, "attribute mode must be standard or nesterov");
    OB_FAIL_IF(o->n == 0 || args->n_out != o->n * (1 + o->params.n_states), error, OB_E_ARGUMENT, "%u operands, %u results",
               args->n_in, args->n_out);
    for (uint32_t i = 0; i < args->n_in; i++) OB_TRY(ob__check_type(site, args, i, error));
    OB_FAIL_IF(ob__count(&args->in[0]) != 1 || ob__count(&args->in[1]) != 1, error, OB_E_SHAPE,
               "the rate and the count are one element each");
    ob__need_conversion(needs, args->in[0].dtype, OB_DOUBLE);
    for (uint32_t i = 0; i < args->n_in - 2; i++) {
        const ob_view *x = &args->in[2 + i % o->n], *same = &args->in[2 + i];
        OB_FAIL_IF(same->dtype != x->dtype || ob__count(same) != ob__count(x), error, OB_E_SHAPE,
                   "operand %u has another type or size than operand %u", 2 + i, 2 + i % o->n);
    }
    for (uint32_t i = 0; i < args->n_out; i++) {
        const ob_view *x = &args->in[2 + i % o->n], *y = &args->out[i];
        OB_FAIL_IF(y->dtype != OB_NONE && (y->dtype != x->dtype || ob__count(y) != ob__count(x)), error, OB_E_SHAPE,
                   "result %u has another type or size than operand %u", i, 2 + i % o->n);
    }
    return OB_OK;
}

static void step_part(void *context, int64_t begin, int64_t end) {
    const stepping *s = context;
    const ob_kernel_args *args = s->args;
    const bool is_double = args->in[2 + s->tensor].dtype == OB_DOUBLE;
    const int64_t offset = begin * (is_double ? (int64_t)sizeof(double) : (int64_t)sizeof(float));
    const void *in[MOST_GROUPS];
    void *out[MOST_GROUPS];
    for (uint32_t group = 0; group < 2 + s->n_states; group++)
        in[group] = (const char *)args->in[2 + group * s->n + s->tensor].data + offset;
    for (uint32_t group = 0; group < 1 + s->n_states; group++)
        out[group] = (char *)args->out[group * s->n + s->tensor].data + offset;
    (is_double ? step_double : step_float)(&s->factors, end - begin, in, out);
}

static factors factors_of(const ob_optimizer_params *p, double rate, double count) {
    factors f = {.kind = p->kind,
                 .nesterov = p->kind == OB_NESTEROV,
                 .rate = rate,
                 .alpha = p->alpha,
                 .beta = p->beta,
                 .epsilon = p->epsilon,
                 .norm = p->norm,
                 .left = 1 - p->norm_post};
    if (p->kind == OB_ADAGRAD) f.rate = rate / (1 + count * p->decay);
    if (p->kind == OB_ADAM && count > 0) f.rate = rate * sqrt(1 - pow(p->beta, count)) / (1 - pow(p->alpha, count));
    if ((p->kind == OB_MOMENTUM || p->kind == OB_NESTEROV) && count <= 0) f.beta = 1;
    return f;
}

OB_RUN(ob__run_optimizer) {
    const optimizer *o = args->state;
    double rate;
    OB_TRY(ob__convert_in_run(args, &rate, OB_DOUBLE, args->in[0].data, args->in[0].dtype, 1, error));
    stepping s = {args, factors_of(&o->params, rate, (double)*(const int64_t *)args->in[1].data), o->n, 0, o->params.n_states};
    for (; s.tensor < o->n; s.tensor++) ob__parallel(args->threads, ob__count(&args->in[2 + s.tensor]), GRAIN, step_part, &s);
    return OB_OK;
}

const ob_kernel ob__kernel_optimizer = {.name = "optimizer",
                                        .state_bytes = sizeof(optimizer),
                                        .plan = optimizer_plan,
                                        OB_RUNS(ob__run_optimizer),
                                        .state = &optimizer_struct};
