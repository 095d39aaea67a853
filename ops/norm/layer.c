/* LayerNormalization 17: y = (x - mean) / sqrt(variance + epsilon) * scale + bias over the axes from `axis` on; scale and bias
 * broadcast one way to X; outputs Mean, InvStdDev. RMSNormalization 23: the same without mean and bias, x / sqrt(mean of squares
 * + epsilon) * scale. Types: floats; float16 and bfloat16 are computed as float and rounded before the scale and before the bias;
 * statistics in double (two passes). */
#include "kernels/norm/norm.h"
#include "kernels/take.h"
#include "ops/kernel/members.h"
#include "ops/norm/common.h"

typedef struct layer_norm {
    double epsilon;
    int64_t outer, inner;
    bool without_mean, is_double;
    bool written_out; /* scale or bias have other axes than those of X from `axis` on, which is rare: they are expanded to all of
                         X */
    ob_dtype rounds_to; /* in the second stage */
    obk_norm_sum sum;   /* NULL: without mean */
    obk_norm_squares sum_squares;
    obk_norm_scaled scaled;
} layer_norm;

static const ob_member layer_norm_members[] = {OB_VALUE(layer_norm, epsilon),        OB_VALUE(layer_norm, outer),
                                               OB_VALUE(layer_norm, inner),          OB_VALUE(layer_norm, without_mean),
                                               OB_VALUE(layer_norm, is_double),      OB_VALUE(layer_norm, written_out),
                                               OB_VALUE(layer_norm, rounds_to),      OB_FUNCTION(layer_norm, sum),
                                               OB_FUNCTION(layer_norm, sum_squares), OB_FUNCTION(layer_norm, scaled)};
static const ob_struct layer_norm_struct = OB_STRUCT(layer_norm, layer_norm_members);

/* The size of operand `from` along axis a of X. */
static int64_t size_along(const ob_view *x, const ob_view *from, int32_t a) {
    const int32_t k = a - (x->rank - from->rank);
    return k < 0 ? 1 : from->dims[k];
}

static ob_status check_stretch(const ob_kernel_args *args, uint32_t i, int32_t axis, layer_norm *n, ob_error *error) {
    const ob_view *x = &args->in[0], *from = &args->in[i];
    OB_FAIL_IF(from->rank > x->rank, error, OB_E_SHAPE, "input %u has rank %d", i, from->rank);
    for (int32_t a = 0; a < x->rank; a++) {
        const int64_t size = size_along(x, from, a);
        OB_FAIL_IF(size != 1 && size != x->dims[a], error, OB_E_SHAPE, "input %u axis %d: %lld does not stretch to %lld", i,
                   a - (x->rank - from->rank), (long long)size, (long long)x->dims[a]);
        if (size != (a < axis ? 1 : x->dims[a])) n->written_out = true;
    }
    return OB_OK;
}

static void write_out(const ob_view *x, const ob_view *from, void *to, const ob_threads *threads) {
    const size_t width = ob_dtype_size(x->dtype);
    int64_t strides[OB_MAX_RANK];
    obk_pace pace = ob__pace(threads);
    for (int32_t a = 0; a < x->rank; a++)
        strides[a] = size_along(x, from, a) == 1 ? 0 : from->strides[a - (x->rank - from->rank)];
    ob__copy(x->rank, x->dims, width, to, x->strides, from->data, strides, &pace);
}

static ob_status layer_norm_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    layer_norm *n = args->state;
    const ob_layer_norm_params p = ob__layer_norm_params(site->node, site->op);
    const ob_view *x = &args->in[0];
    int32_t axis = 0;
    OB_TRY(ob__norm_shapes(site, args, 1, error));
    OB_TRY(ob__axis(p.axis, x->rank, &axis, error));
    n->epsilon = p.epsilon;
    n->without_mean = p.without_mean;
    n->outer = ob__product(x->dims, 0, axis);
    n->inner = ob__product(x->dims, axis, x->rank);
    n->is_double = ob__computing_type(args) == OB_DOUBLE;
    n->rounds_to = ob__norm_rounds_to(args);
    if (!n->without_mean) n->sum = OBK_LOOP(norm, ->sum[n->is_double]);
    n->sum_squares = OBK_LOOP(norm, ->sum_squares[n->is_double]);
    n->scaled = OBK_LOOP(norm, ->scaled[n->is_double]);
    for (uint32_t i = 1; i < 3; i++)
        OB_FAIL_IF(ob__wanted(args, i) && ob__count(&args->out[i]) != n->outer, error, OB_E_SHAPE, "output %u of %lld", i,
                   (long long)ob__count(&args->out[i]));
    OB_TRY(ob__plan_real(args, needs, error));
    for (uint32_t i = 1; i < 3; i++)
        if (ob__given(args, i)) OB_TRY(check_stretch(args, i, axis, n, error));
    for (int i = 0; n->written_out && i < 2; i++) OB_TRY(ob__need_scratch(needs, ob__count(x), sizeof(double), error));
    return OB_OK;
}

typedef struct job {
    const ob_kernel_args *args;
    const char *operands[2]; /* scale and bias, or NULL */
} job;

static void layer_parts(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const ob_kernel_args *args = j->args;
    const layer_norm *n = args->state;
    const size_t row_bytes = (size_t)n->inner * (n->is_double ? sizeof(double) : sizeof(float));
    const double count = (double)n->inner;
    for (int64_t row = begin; row < end; row++) {
        const size_t offset = (size_t)row * row_bytes, operand_offset = n->written_out ? offset : 0;
        const char *x = (const char *)args->in[0].data + offset;
        double mean = 0, variance = 0;
        if (n->inner > 0 && n->sum) mean = n->sum(x, n->inner) / count;
        if (n->inner > 0) variance = n->sum_squares(x, n->inner, mean) / count;
        const double inverse = 1 / sqrt(variance + n->epsilon);
        if (ob__wanted(args, 1)) ob__norm_set(args->out[1].data, n->is_double, row, mean);
        if (ob__wanted(args, 2)) ob__norm_set(args->out[2].data, n->is_double, row, inverse);
        const void *scale = j->operands[0] ? j->operands[0] + operand_offset : NULL;
        const void *bias = j->operands[1] ? j->operands[1] + operand_offset : NULL;
        void *y = (char *)args->out[0].data + offset;
        const bool at_once = n->is_double || n->rounds_to == OB_NONE;
        n->scaled(y, x, n->inner, mean, inverse, at_once ? scale : NULL, at_once ? bias : NULL);
        if (!at_once) ob__norm_second_stage(args, n->rounds_to, y, n->inner, scale, bias, 1);
    }
}

static ob_status layer_norm_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const layer_norm *n = args->state;
    const ob_view *x = &args->in[0];
    char *next = args->scratch;
    job j = {.args = args};
    if (ob__writes_nothing(args)) return OB_OK;
    for (uint32_t i = 1; i < 3; i++) {
        if (!ob__given(args, i)) continue;
        j.operands[i - 1] = args->in[i].data;
        if (!n->written_out) continue;
        void *stretched = ob__take(&next, ob__count(x), sizeof(double));
        write_out(x, &args->in[i], stretched, args->threads);
        j.operands[i - 1] = stretched;
    }
    ob__parallel(args->threads, n->outer, ob__norm_grain(n->inner), layer_parts, &j);
    return OB_OK;
}

OB_RUN(ob__run_layer_norm) {
    return ob__run_real(args, layer_norm_compute, error);
}

const ob_kernel ob__kernel_layer_norm = {.name = "layer_norm",
                                         .state_bytes = sizeof(layer_norm),
                                         .state = &layer_norm_struct,
                                         .plan = layer_norm_plan,
                                         OB_RUNS(ob__run_layer_norm)};
const ob_kernel ob__kernel_rms_norm = {.name = "rms_norm",
                                       .state_bytes = sizeof(layer_norm),
                                       .state = &layer_norm_struct,
                                       .plan = layer_norm_plan,
                                       OB_RUNS(ob__run_layer_norm)};
