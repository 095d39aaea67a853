/* BatchNormalization, InstanceNormalization, GroupNormalization, LayerNormalization, RMSNormalization, LpNormalization,
 * MeanVarianceNormalization.
 *
 * y = (x - mean) / sqrt(variance + epsilon) * scale + bias; which elements share mean and variance is what tells them apart:
 * - BatchNormalization 1..: given per channel (1, 6, 7 with spatial = 0: per channel and position); 14 and 15 with training_mode:
 * over batch and space, with the running values as outputs 1 and 2. Training in older versions is not supported.
 * - InstanceNormalization 1..: each plane. GroupNormalization 18 (scale per group), 21 (per channel): each group of channels.
 * - LayerNormalization 17: the axes from `axis` on; scale and bias stretch one way to X; outputs Mean, InvStdDev.
 * - RMSNormalization 23: as LayerNormalization without a mean: x / sqrt(mean of squares + epsilon) * scale.
 * - MeanVarianceNormalization 9..: `axes` ([0, 2, 3]); the deviation gets 1e-9 added, no scale.
 * - LpNormalization 1..: x / (sum |x|^p)^(1/p) along `axis`, p 1 or 2; 0 where the norm is 0.
 * Floats; float16 and bfloat16 by way of float, statistics in double (two passes). */
#include "ops/kernel/common.h"

typedef struct norm {
    const void *x;
    void *y;
    int64_t outer, channels, inner; /* the layout (outer, channels, inner) */
    double epsilon;
    const void *factor, *offset; /* per channel, of the computing type */
    int64_t groups;              /* channels are split into that many */
    int64_t per_scale;           /* channels that share a scale */
    const void *scale, *bias;
    int64_t scale_step; /* LayerNormalization: 0 repeats scale and bias per row, 1 goes on */
    void *mean, *inverse;
    bool without_mean; /* RMSNormalization */
    int p;
} norm;

#define REAL       float
#define NAME(name) name##_float
#include "ops/norm/norm.inc.h"
#define REAL       double
#define NAME(name) name##_double
#include "ops/norm/norm.inc.h"

typedef void (*task)(void *context, int64_t begin, int64_t end);

static void run_tasks(const ob_kernel_args *args, norm *n, int64_t count, int64_t work, task in_float, task in_double) {
    if (ob__writes_nothing(args)) return;
    ob__parallel(args->threads, count, (INT64_C(1) << 14) / (work + 1) + 1, args->in[0].dtype == OB_DOUBLE ? in_double : in_float,
                 n);
}

static ob_status check_shapes(const ob_kernel_args *args, int32_t least_rank, ob_error *error) {
    const ob_view *x = &args->in[0];
    OB_FAIL_IF(!ob__is_real(x->dtype), error, OB_E_TYPE, "%s-%d does not take %s", args->node->op_type, args->op->since,
               ob_dtype_name(x->dtype));
    OB_FAIL_IF(x->rank < least_rank || ob__count(x) != ob__count(&args->out[0]), error, OB_E_SHAPE, "%s: X of rank %d",
               args->node->op_type, x->rank);
    return OB_OK;
}

static ob_status check_count(const ob_kernel_args *args, uint32_t i, int64_t n, ob_error *error) {
    OB_FAIL_IF(!ob__given(args, i) || ob__count(&args->in[i]) != n, error, OB_E_SHAPE, "%s: input %u has not %lld elements",
               args->node->op_type, i, (long long)n);
    return OB_OK;
}

/* ---- BatchNormalization ---- */

static norm batch_layout(const ob_kernel_args *args) {
    const ob_view *x = &args->in[0];
    norm n = {.x = x->data, .y = args->out[0].data, .epsilon = (double)ob__node_float(args->node, "epsilon", 1e-5f)};
    n.outer = x->rank > 0 ? x->dims[0] : 1;
    bool spatial = args->op->since >= 9 || ob__node_int(args->node, "spatial", 1);
    int32_t end = x->rank < 2 ? x->rank : spatial ? 2 : x->rank;
    n.channels = ob__product(x->dims, 1, end);
    n.inner = ob__product(x->dims, end, x->rank);
    return n;
}

static bool is_training(const ob_kernel_args *args) {
    return args->op->since >= 14 && ob__node_int(args->node, "training_mode", 0);
}

static ob_status batch_norm_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    OB_TRY(check_shapes(args, 1, error));
    norm n = batch_layout(args);
    for (uint32_t i = 1; i < 5; i++) OB_TRY(check_count(args, i, n.channels, error));
    for (uint32_t i = 1; i < args->n_out; i++) {
        bool bad = ob__wanted(args, i) && (!is_training(args) || i > 2 || ob__count(&args->out[i]) != n.channels);
        OB_FAIL_IF(bad, error, OB_E_UNSUPPORTED, "BatchNormalization-%d: output %u (training) is not supported", site->op->since,
                   i);
    }
    OB_TRY(ob__plan_real(args, needs, error));
    OB_TRY(ob__need_scratch(needs, n.channels, sizeof(double), error));
    return ob__need_scratch(needs, n.channels, sizeof(double), error);
}

static ob_status batch_norm_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    norm n = batch_layout(args);
    char *next = args->scratch;
    void *factor = ob__take(&next, n.channels, sizeof(double)), *offset = ob__take(&next, n.channels, sizeof(double));
    double momentum = (double)ob__node_float(args->node, "momentum", 0.9f);
    if (args->in[0].dtype == OB_DOUBLE)
        batch_factors_double(args, &n, is_training(args), momentum, factor, offset);
    else
        batch_factors_float(args, &n, is_training(args), momentum, factor, offset);
    n.factor = factor;
    n.offset = offset;
    if (n.outer * n.channels * n.inner == 0) return OB_OK;
    run_tasks(args, &n, n.outer * n.channels, n.inner, affine_float, affine_double);
    return OB_OK;
}

static ob_status batch_norm_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, batch_norm_compute, error);
}

const ob_kernel ob__kernel_batch_norm = {
    .name = "batch_norm", .flags = OB_KERNEL_INPLACE, .plan = batch_norm_plan, .run = batch_norm_run};

/* ---- InstanceNormalization, GroupNormalization ---- */

static ob_status group_layout(const ob_kernel_args *args, norm *n, ob_error *error) {
    const ob_view *x = &args->in[0];
    bool grouped = strcmp(args->node->op_type, "GroupNormalization") == 0;
    *n = (norm){.x = x->data, .y = args->out[0].data, .epsilon = (double)ob__node_float(args->node, "epsilon", 1e-5f)};
    n->outer = x->dims[0];
    n->channels = x->dims[1];
    n->inner = ob__product(x->dims, 2, x->rank);
    n->groups = grouped ? ob__node_int(args->node, "num_groups", 0) : n->channels;
    if (!grouped && n->groups == 0) n->groups = 1;
    OB_FAIL_IF(n->groups < 1 || n->channels % n->groups != 0, error, OB_E_ARGUMENT, "%s: %lld channels in %lld groups",
               args->node->op_type, (long long)n->channels, (long long)n->groups);
    n->per_scale = grouped && args->op->since < 21 ? n->channels / n->groups : 1;
    if (n->per_scale < 1) n->per_scale = 1;
    int64_t n_scales = grouped && args->op->since < 21 ? n->groups : n->channels;
    for (uint32_t i = 1; i < 3; i++) OB_TRY(check_count(args, i, n_scales, error));
    n->scale = args->in[1].data;
    n->bias = args->in[2].data;
    return OB_OK;
}

static ob_status group_norm_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)site;
    norm n;
    OB_TRY(check_shapes(args, 2, error));
    OB_TRY(group_layout(args, &n, error));
    return ob__plan_real(args, needs, error);
}

static ob_status group_norm_compute(const ob_kernel_args *args, ob_error *error) {
    norm n = {0};
    OB_TRY(group_layout(args, &n, error));
    if (n.outer * n.channels * n.inner == 0) return OB_OK;
    run_tasks(args, &n, n.outer * n.groups, n.channels / n.groups * n.inner, groups_float, groups_double);
    return OB_OK;
}

static ob_status group_norm_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, group_norm_compute, error);
}

const ob_kernel ob__kernel_instance_norm = {.name = "instance_norm", .plan = group_norm_plan, .run = group_norm_run};
const ob_kernel ob__kernel_group_norm = {.name = "group_norm", .plan = group_norm_plan, .run = group_norm_run};

/* ---- LayerNormalization, RMSNormalization ---- */

/* Strides that stretch operand i to X; *whole when it is just X's axes from `axis` on. */
static ob_status stretch(const ob_kernel_args *args, uint32_t i, int32_t axis, int64_t *strides, bool *whole, ob_error *error) {
    const ob_view *x = &args->in[0], *from = &args->in[i];
    OB_FAIL_IF(from->rank > x->rank, error, OB_E_SHAPE, "%s: input %u has rank %d", args->node->op_type, i, from->rank);
    *whole = true;
    for (int32_t a = 0; a < x->rank; a++) {
        int32_t k = a - (x->rank - from->rank);
        int64_t size = k < 0 ? 1 : from->dims[k];
        strides[a] = size == 1 ? 0 : from->strides[k];
        OB_FAIL_IF(size != 1 && size != x->dims[a], error, OB_E_SHAPE,
                   "LayerNormalization: input %u axis %d: %lld does not stretch to %lld", i, k, (long long)size,
                   (long long)x->dims[a]);
        if (size != (a < axis ? 1 : x->dims[a])) *whole = false;
    }
    return OB_OK;
}

static ob_status layer_norm_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    const ob_view *x = &args->in[0];
    int32_t axis = 0;
    OB_TRY(check_shapes(args, 1, error));
    OB_TRY(ob__axis(ob__node_int(site->node, "axis", -1), x->rank, &axis, error));
    int64_t rows = ob__product(x->dims, 0, axis), strides[OB_MAX_RANK];
    for (uint32_t i = 1; i < 3; i++)
        OB_FAIL_IF(ob__wanted(args, i) && ob__count(&args->out[i]) != rows, error, OB_E_SHAPE,
                   "LayerNormalization: output %u of %lld", i, (long long)ob__count(&args->out[i]));
    OB_TRY(ob__plan_real(args, needs, error));
    bool whole = true, all = true;
    for (uint32_t i = 1; i < 3; i++) {
        if (!ob__given(args, i)) continue;
        OB_TRY(stretch(args, i, axis, strides, &whole, error));
        all = all && whole;
    }
    if (all) return OB_OK;
    OB_TRY(ob__need_scratch(needs, ob__count(x), sizeof(double), error));
    return ob__need_scratch(needs, ob__count(x), sizeof(double), error);
}

static ob_status layer_norm_compute(const ob_kernel_args *args, ob_error *error) {
    const ob_view *x = &args->in[0];
    int32_t axis = 0;
    OB_TRY(ob__axis(ob__node_int(args->node, "axis", -1), x->rank, &axis, error));
    norm n = {.x = x->data, .y = args->out[0].data, .epsilon = (double)ob__node_float(args->node, "epsilon", 1e-5f)};
    n.outer = ob__product(x->dims, 0, axis);
    n.inner = ob__product(x->dims, axis, x->rank);
    n.without_mean = strcmp(args->node->op_type, "RMSNormalization") == 0;
    n.mean = ob__wanted(args, 1) ? args->out[1].data : NULL;
    n.inverse = ob__wanted(args, 2) ? args->out[2].data : NULL;
    const void *operands[3] = {NULL};
    int64_t strides[2][OB_MAX_RANK];
    bool whole[2] = {true, true};
    for (uint32_t i = 1; i < 3; i++) {
        if (!ob__given(args, i)) continue;
        OB_TRY(stretch(args, i, axis, strides[i - 1], &whole[i - 1], error));
        operands[i] = args->in[i].data;
    }
    if (!whole[0] || !whole[1]) { /* written out over all of X: rare */
        char *next = args->scratch;
        n.scale_step = 1;
        for (uint32_t i = 1; i < 3; i++) {
            void *stretched = ob__take(&next, ob__count(x), sizeof(double));
            if (!operands[i]) continue;
            ob__copy(x->rank, x->dims, ob_dtype_size(x->dtype), stretched, x->strides, operands[i], strides[i - 1]);
            operands[i] = stretched;
        }
    }
    n.scale = operands[1];
    n.bias = operands[2];
    run_tasks(args, &n, n.outer, n.inner, layers_float, layers_double);
    return OB_OK;
}

static ob_status layer_norm_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, layer_norm_compute, error);
}

const ob_kernel ob__kernel_layer_norm = {.name = "layer_norm", .plan = layer_norm_plan, .run = layer_norm_run};

const ob_kernel ob__kernel_rms_norm = {.name = "rms_norm", .plan = layer_norm_plan, .run = layer_norm_run};

/* ---- LpNormalization, MeanVarianceNormalization ---- */

static bool is_lp(const ob_kernel_args *args) {
    return strcmp(args->node->op_type, "LpNormalization") == 0;
}

static ob_status mean_variance_axes(const ob_kernel_args *args, uint32_t *axes, ob_error *error) {
    static const int64_t usual[3] = {0, 2, 3};
    uint32_t n;
    const int64_t *given = ob__node_ints(args->node, "axes", &n);
    if (!given) {
        given = usual;
        n = 3;
    }
    *axes = 0;
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis = 0;
        OB_TRY(ob__axis(given[i], args->in[0].rank, &axis, error));
        *axes |= UINT32_C(1) << axis;
    }
    return OB_OK;
}

static int64_t kept(const ob_view *x, uint32_t axes) {
    int64_t n = 1;
    for (int32_t a = 0; a < x->rank; a++)
        if (!(axes >> a & 1)) n *= x->dims[a];
    return n;
}

static ob_status lp_norm_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    OB_TRY(check_shapes(args, 1, error));
    OB_TRY(ob__plan_real(args, needs, error));
    if (is_lp(args)) {
        int64_t p = ob__node_int(site->node, "p", 2);
        OB_FAIL_IF(p != 1 && p != 2, error, OB_E_UNSUPPORTED, "LpNormalization: p is %lld", (long long)p);
        return OB_OK;
    }
    uint32_t axes = 0;
    OB_TRY(mean_variance_axes(args, &axes, error));
    for (int i = 0; i < 2; i++) OB_TRY(ob__need_scratch(needs, kept(&args->in[0], axes), sizeof(double), error));
    return OB_OK;
}

static ob_status lp_norm_compute(const ob_kernel_args *args, ob_error *error) {
    const ob_view *x = &args->in[0];
    bool is_double = x->dtype == OB_DOUBLE;
    norm n = {.x = x->data, .y = args->out[0].data, .p = (int)ob__node_int(args->node, "p", 2)};
    if (ob__count(x) == 0) return OB_OK;
    if (is_lp(args)) {
        int32_t axis = 0;
        OB_TRY(ob__axis(ob__node_int(args->node, "axis", -1), x->rank, &axis, error));
        n.channels = x->dims[axis];
        n.inner = ob__product(x->dims, axis + 1, x->rank);
        run_tasks(args, &n, ob__product(x->dims, 0, axis) * n.inner, n.channels, lengths_float, lengths_double);
        return OB_OK;
    }
    uint32_t axes = 0;
    OB_TRY(mean_variance_axes(args, &axes, error));
    char *next = args->scratch;
    int64_t n_kept = kept(x, axes);
    double *mean = ob__take(&next, n_kept, sizeof(double)), *deviation = ob__take(&next, n_kept, sizeof(double));
    if (is_double)
        mean_variance_double(x, axes, n_kept, mean, deviation, n.y);
    else
        mean_variance_float(x, axes, n_kept, mean, deviation, n.y);
    return OB_OK;
}

static ob_status lp_norm_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, lp_norm_compute, error);
}

const ob_kernel ob__kernel_lp_norm = {.name = "lp_norm", .plan = lp_norm_plan, .run = lp_norm_run};
