/* BatchNormalization 1..: y = (x - mean) / sqrt(variance + epsilon) * scale + bias for each channel (versions 1, 6, 7 with
 * spatial = 0: for each channel and position). In training, mean and variance are those of X over batch and space; outputs 1 and
 * 2 are the running values, and before version 14 outputs 3 and 4 are those of X. Types: floats; float16 and bfloat16 are
 * computed as float, statistics in double. */
#include "kernels/norm/norm.h"
#include "kernels/take.h"
#include "ops/kernel/element.h"
#include "ops/kernel/members.h"
#include "ops/norm/common.h"

typedef struct batch_norm {
    ob_batch_norm_params params;
    int64_t outer, channels, inner;
    bool is_double;
    obk_norm_sum sum; /* for statistics of X */
    obk_norm_squares sum_squares;
    obk_norm_affine affine; /* for planes; NULL: planes have one element */
    obk_norm_scaled scaled; /* otherwise */
} batch_norm;

static const ob_member params_members[] = {OB_VALUE(ob_batch_norm_params, epsilon), OB_VALUE(ob_batch_norm_params, momentum),
                                           OB_VALUE(ob_batch_norm_params, per_channel), OB_VALUE(ob_batch_norm_params, training)};
static const ob_struct params_struct = OB_STRUCT(ob_batch_norm_params, params_members);
static const ob_member batch_norm_members[] = {OB_NESTED(batch_norm, params, &params_struct),
                                               OB_VALUE(batch_norm, outer),
                                               OB_VALUE(batch_norm, channels),
                                               OB_VALUE(batch_norm, inner),
                                               OB_VALUE(batch_norm, is_double),
                                               OB_FUNCTION(batch_norm, sum),
                                               OB_FUNCTION(batch_norm, sum_squares),
                                               OB_FUNCTION(batch_norm, affine),
                                               OB_FUNCTION(batch_norm, scaled)};
static const ob_struct batch_norm_struct = OB_STRUCT(batch_norm, batch_norm_members);

static ob_status batch_norm_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    batch_norm *n = args->state;
    const ob_view *x = &args->in[0];
    OB_TRY(ob__norm_shapes(site, args, 1, error));
    n->params = ob__batch_norm_params(site->node, site->op);
    const int32_t end = x->rank < 2 ? x->rank : n->params.per_channel ? 2 : x->rank;
    n->outer = x->dims[0];
    n->channels = ob__product(x->dims, 1, end);
    n->inner = ob__product(x->dims, end, x->rank);
    n->is_double = ob__computing_type(args) == OB_DOUBLE;
    if (n->params.training) {
        n->sum = OBK_LOOP(norm, ->sum[n->is_double]);
        n->sum_squares = OBK_LOOP(norm, ->sum_squares[n->is_double]);
    }
    if (n->inner > 1)
        n->affine = OBK_LOOP(norm, ->affine[n->is_double]);
    else
        n->scaled = OBK_LOOP(norm, ->scaled[n->is_double]);
    for (uint32_t i = 1; i < 5; i++) OB_TRY(ob__norm_count(args, i, n->channels, error));
    for (uint32_t i = 1; i < args->n_out; i++) {
        bool bad = ob__wanted(args, i) && (!n->params.training || ob__count(&args->out[i]) != n->channels);
        OB_FAIL_IF(bad, error, OB_E_MODEL, "output %u exists only in training, with %lld elements", i, (long long)n->channels);
    }
    OB_TRY(ob__plan_real(args, needs, error));
    OB_TRY(ob__need_scratch(needs, n->channels, sizeof(double), error));
    return ob__need_scratch(needs, n->channels, sizeof(double), error);
}

/* Population mean and variance of one channel over batch and space. */
static void channel_statistics(const batch_norm *n, const ob_view *x, int64_t channel, double *mean, double *variance) {
    const double count = (double)(n->outer * n->inner);
    const size_t width = n->is_double ? sizeof(double) : sizeof(float);
    double sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        sum = 0;
        for (int64_t o = 0; o < n->outer; o++) {
            const char *plane = (const char *)x->data + (size_t)((o * n->channels + channel) * n->inner) * width;
            sum += pass == 0 ? n->sum(plane, n->inner) : n->sum_squares(plane, n->inner, *mean);
        }
        *(pass == 0 ? mean : variance) = sum / count;
    }
}

/* y = x * f + the offset. `in`: the operands of the node. */
static double find_factor(const ob_view *in, double mean, double variance, double epsilon, int64_t c, double *offset) {
    const double f = ob__norm_at(&in[1], c) / sqrt(variance + epsilon);
    *offset = ob__norm_at(&in[2], c) - mean * f;
    return f;
}

typedef struct job {
    const batch_norm *n;
    const ob_kernel_args *args;
    void *factors, *offsets; /* for each channel, of the computing type */
} job;

static void find_factors(const job *j) {
    const batch_norm *n = j->n;
    const ob_view *in = j->args->in;
    const double momentum = n->params.momentum;
    for (int64_t c = 0; c < n->channels; c++) {
        const double old_mean = ob__norm_at(&in[3], c), old_variance = ob__norm_at(&in[4], c), fresh = 1 - momentum;
        double mean = old_mean, variance = old_variance, offset;
        if (n->params.training) channel_statistics(n, &in[0], c, &mean, &variance);
        const double f = find_factor(in, mean, variance, n->params.epsilon, c, &offset);
        /* an output may use the memory of the inputs that were read above */
        if (n->params.training) {
            if (ob__wanted(j->args, 1)) ob__norm_set(j->args->out[1].data, n->is_double, c, old_mean * momentum + mean * fresh);
            if (ob__wanted(j->args, 2))
                ob__norm_set(j->args->out[2].data, n->is_double, c, old_variance * momentum + variance * fresh);
            if (ob__wanted(j->args, 3)) ob__norm_set(j->args->out[3].data, n->is_double, c, mean);
            if (ob__wanted(j->args, 4)) ob__norm_set(j->args->out[4].data, n->is_double, c, variance);
        }
        ob__norm_set(j->factors, n->is_double, c, f);
        ob__norm_set(j->offsets, n->is_double, c, offset);
    }
}

static double factor_at(const void *data, bool is_double, int64_t i) {
    return is_double ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* A part is planes of one channel; if planes have one element, rows of all channels. */
static void batch_parts(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const batch_norm *n = j->n;
    const int64_t elems = n->inner > 1 ? n->inner : n->channels;
    const size_t width = n->is_double ? sizeof(double) : sizeof(float);
    for (int64_t part = begin; part < end; part++) {
        const size_t offset = (size_t)(part * elems) * width;
        char *y = (char *)j->args->out[0].data + offset;
        const char *x = (const char *)j->args->in[0].data + offset;
        if (n->inner > 1)
            n->affine(y, x, elems, factor_at(j->factors, n->is_double, part % n->channels),
                      factor_at(j->offsets, n->is_double, part % n->channels));
        else
            n->scaled(y, x, elems, 0, 1, j->factors, j->offsets);
    }
}

static ob_status batch_norm_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const batch_norm *n = args->state;
    char *next = args->scratch;
    job j = {.n = n, .args = args};
    j.factors = ob__take(&next, n->channels, sizeof(double));
    j.offsets = ob__take(&next, n->channels, sizeof(double));
    find_factors(&j);
    if (n->outer * n->channels * n->inner == 0) return OB_OK;
    if (n->inner > 1)
        ob__parallel(args->threads, n->outer * n->channels, ob__norm_grain(n->inner), batch_parts, &j);
    else
        ob__parallel(args->threads, n->outer, ob__norm_grain(n->channels), batch_parts, &j);
    return OB_OK;
}

OB_RUN(ob__run_batch_norm) {
    return ob__run_real(args, batch_norm_compute, error);
}

/* Factors and offsets of constant operands: [channels, 1, ...], or the shape of a sample if each position has its own. */
static ob_status element(const ob_kernel_site *site, const ob_kernel_args *args, ob_element_call *call, ob_error *error) {
    const ob_batch_norm_params params = ob__batch_norm_params(site->node, site->op);
    const ob_view *in = args->in;
    bool constant = args->n_in == 5 && args->n_out == 1 && !params.training && in[0].rank >= 2;
    for (uint32_t i = 0; i < args->n_in && constant; i++)
        constant = in[i].dtype == in[0].dtype && (i == 0 || (in[i].data && ob__is_contiguous(&in[i])));
    OB_FAIL_IF(!constant || (in[0].dtype != OB_FLOAT && in[0].dtype != OB_DOUBLE), error, OB_E_UNSUPPORTED,
               "it is not elementwise");
    const int32_t axes = params.per_channel ? 1 : in[0].rank - 1;
    int64_t dims[OB_MAX_RANK];
    for (int32_t a = 0; a + 1 < in[0].rank; a++) dims[a] = a < axes ? in[0].dims[a + 1] : 1;
    const int64_t n = ob__product(dims, 0, in[0].rank - 1);
    for (uint32_t i = 1; i < 5; i++) OB_TRY(ob__norm_count(args, i, n, error));
    call->few[0] = in[0];
    for (uint32_t k = 1; k < 3; k++) {
        void *data = ob__tail(site, (uint64_t)n, ob_dtype_size(in[0].dtype));
        OB_FAIL_IF(!data, error, OB_E_MEMORY, "no memory for a plan");
        OB_TRY(ob_view_init(&call->few[k], data, in[0].dtype, in[0].rank - 1, dims));
        call->few_made[k] = true;
    }
    const bool is_double = in[0].dtype == OB_DOUBLE;
    for (int64_t c = 0; c < n; c++) {
        double offset;
        const double f = find_factor(in, ob__norm_at(&in[3], c), ob__norm_at(&in[4], c), params.epsilon, c, &offset);
        ob__norm_set(call->few[1].data, is_double, c, f);
        ob__norm_set(call->few[2].data, is_double, c, offset);
    }
    call->spec.loop = OBK_LOOP(norm, ->affine_loop[is_double]);
    call->in = call->few;
    call->n_in = 3;
    return OB_OK;
}

const ob_kernel ob__kernel_batch_norm = {.name = "batch_norm",
                                         .flags = OB_KERNEL_INPLACE,
                                         .state_bytes = sizeof(batch_norm),
                                         .state = &batch_norm_struct,
                                         .plan = batch_norm_plan,
                                         OB_RUNS(ob__run_batch_norm),
                                         .element = element};
