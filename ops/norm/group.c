/* InstanceNormalization 1.. (each channel of each image), GroupNormalization 18 (a scale for each group), 21 (for each channel):
 * y = (x - mean) / sqrt(variance + epsilon) * scale + bias, with mean and variance of a group of channels. Types: floats; float16
 * and bfloat16 are computed as float, and from GroupNormalization 21 on rounded before the scale and before the bias; statistics
 * in double (two passes). */
#include "kernels/norm/norm.h"
#include "kernels/take.h"
#include "ops/kernel/members.h"
#include "ops/norm/common.h"

typedef struct group_norm {
    double epsilon;
    int64_t outer, groups, channels, inner; /* channels: in a group */
    int64_t per_scale;                      /* number of channels that share a scale */
    bool is_double;
    ob_dtype rounds_to; /* in the second stage, which exists from GroupNormalization 21 on */
    obk_norm_sum sum;
    obk_norm_squares sum_squares;
    obk_norm_affine affine;
} group_norm;

static const ob_member group_norm_members[] = {
    OB_VALUE(group_norm, epsilon),        OB_VALUE(group_norm, outer),     OB_VALUE(group_norm, groups),
    OB_VALUE(group_norm, channels),       OB_VALUE(group_norm, inner),     OB_VALUE(group_norm, per_scale),
    OB_VALUE(group_norm, is_double),      OB_VALUE(group_norm, rounds_to), OB_FUNCTION(group_norm, sum),
    OB_FUNCTION(group_norm, sum_squares), OB_FUNCTION(group_norm, affine)};
static const ob_struct group_norm_struct = OB_STRUCT(group_norm, group_norm_members);

static ob_status group_norm_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    group_norm *n = args->state;
    const ob_group_norm_params p = ob__group_norm_params(site->node, site->op);
    const ob_view *x = &args->in[0];
    OB_TRY(ob__norm_shapes(site, args, 2, error));
    const int64_t channels = x->dims[1];
    n->epsilon = p.epsilon;
    n->outer = x->dims[0];
    n->inner = ob__product(x->dims, 2, x->rank);
    n->groups = p.grouped ? p.groups : channels > 0 ? channels : 1;
    OB_FAIL_IF(n->groups < 1 || channels % n->groups != 0, error, OB_E_ARGUMENT, "%lld channels in %lld groups",
               (long long)channels, (long long)n->groups);
    n->channels = channels / n->groups;
    n->per_scale = p.scale_per_group && n->channels > 0 ? n->channels : 1;
    for (uint32_t i = 1; i < 3; i++) OB_TRY(ob__norm_count(args, i, p.scale_per_group ? n->groups : channels, error));
    n->is_double = ob__computing_type(args) == OB_DOUBLE;
    n->rounds_to = p.grouped && !p.scale_per_group ? ob__norm_rounds_to(args) : OB_NONE;
    n->sum = OBK_LOOP(norm, ->sum[n->is_double]);
    n->sum_squares = OBK_LOOP(norm, ->sum_squares[n->is_double]);
    n->affine = OBK_LOOP(norm, ->affine[n->rounds_to == OB_NONE && n->is_double]);
    return ob__plan_real(args, needs, error);
}

static void group_parts(void *context, int64_t begin, int64_t end) {
    const ob_kernel_args *args = context;
    const group_norm *n = args->state;
    const int64_t count = n->channels * n->inner;
    const size_t width = n->is_double ? sizeof(double) : sizeof(float);
    for (int64_t g = begin; g < end; g++) {
        const char *x = (const char *)args->in[0].data + (size_t)(g * count) * width;
        char *y = (char *)args->out[0].data + (size_t)(g * count) * width;
        const double mean = n->sum(x, count) / (double)count;
        const double variance = n->sum_squares(x, count, mean) / (double)count;
        const double inverse = 1 / sqrt(variance + n->epsilon);
        for (int64_t c = 0; c < n->channels; c++) {
            const int64_t at = (g % n->groups * n->channels + c) / n->per_scale;
            const size_t plane = (size_t)(c * n->inner) * width;
            void *to = y + plane;
            if (n->rounds_to != OB_NONE) {
                const float *scale = args->in[1].data, *bias = args->in[2].data;
                n->affine(to, x + plane, n->inner, inverse, -mean * inverse);
                ob__norm_second_stage(args, n->rounds_to, to, n->inner, scale + at, bias + at, 0);
                continue;
            }
            const double factor = inverse * ob__norm_at(&args->in[1], at), offset = ob__norm_at(&args->in[2], at) - mean * factor;
            n->affine(to, x + plane, n->inner, factor, offset);
        }
    }
}

static ob_status group_norm_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const group_norm *n = args->state;
    ob_kernel_args shared = *args;
    if (n->channels * n->inner == 0) return OB_OK;
    ob__parallel(args->threads, n->outer * n->groups, ob__norm_grain(n->channels * n->inner), group_parts, &shared);
    return OB_OK;
}

OB_RUN(ob__run_group_norm) {
    return ob__run_real(args, group_norm_compute, error);
}

const ob_kernel ob__kernel_instance_norm = {.name = "instance_norm",
                                            .state_bytes = sizeof(group_norm),
                                            .state = &group_norm_struct,
                                            .plan = group_norm_plan,
                                            OB_RUNS(ob__run_group_norm)};
const ob_kernel ob__kernel_group_norm = {.name = "group_norm",
                                         .state_bytes = sizeof(group_norm),
                                         .state = &group_norm_struct,
                                         .plan = group_norm_plan,
                                         OB_RUNS(ob__run_group_norm)};
