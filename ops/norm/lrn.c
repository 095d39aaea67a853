/* LRN (1, 13): y = x / (bias + alpha / size * sum of squares over `size` neighbouring channels) ^ beta.
 * Dropout at inference (1.. : output = data; mask, if wanted, all true): training with a ratio over 0 is random and not
 * supported. */
#include "ops/kernel/common.h"

typedef struct lrn {
    const void *x;
    void *y;
    int64_t channels, inner, size;
    double factor, beta, bias;
} lrn;

#define RESPONSES(name, type, POW)                                                                                               \
    static void name(void *context, int64_t begin, int64_t end) {                                                                \
        const lrn *l = context;                                                                                                  \
        for (int64_t plane = begin; plane < end; plane++) {                                                                      \
            int64_t c = plane % l->channels, first = c - (l->size - 1) / 2, last = c + l->size / 2;                              \
            if (first < 0) first = 0;                                                                                            \
            if (last > l->channels - 1) last = l->channels - 1;                                                                  \
            const type *x = (const type *)l->x + (plane - c) * l->inner;                                                         \
            type *y = (type *)l->y + plane * l->inner;                                                                           \
            for (int64_t i = 0; i < l->inner; i++) {                                                                             \
                type sum = 0;                                                                                                    \
                for (int64_t k = first; k <= last; k++) sum += x[k * l->inner + i] * x[k * l->inner + i];                        \
                y[i] = x[c * l->inner + i] / POW((type)l->bias + (type)l->factor * sum, (type)l->beta);                          \
            }                                                                                                                    \
        }                                                                                                                        \
    }
RESPONSES(responses_float, float, powf)
RESPONSES(responses_double, double, pow)

static ob_status lrn_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    OB_TRY(ob__check_type_v1(args, 0, error));
    int64_t size = ob__node_int(site->node, "size", 0);
    OB_FAIL_IF(size < 1 || size > INT32_MAX || args->in[0].rank < 2 || ob__count(&args->in[0]) != ob__count(&args->out[0]), error,
               OB_E_ARGUMENT, "LRN: size %lld, rank %d", (long long)size, args->in[0].rank);
    return ob__plan_real(args, needs, error);
}

static ob_status lrn_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const ob_view *x = &args->in[0];
    lrn l = {.x = x->data, .y = args->out[0].data, .channels = x->dims[1], .inner = ob__product(x->dims, 2, x->rank)};
    l.size = ob__node_int(args->node, "size", 0);
    l.factor = (double)ob__node_float(args->node, "alpha", 0.0001f) / (double)l.size;
    l.beta = (double)ob__node_float(args->node, "beta", 0.75f);
    l.bias = (double)ob__node_float(args->node, "bias", 1);
    if (ob__count(x) == 0) return OB_OK;
    int64_t work = l.inner * (l.size < l.channels ? l.size : l.channels);
    ob__parallel(args->threads, x->dims[0] * l.channels, (INT64_C(1) << 12) / (work + 1) + 1,
                 x->dtype == OB_DOUBLE ? responses_double : responses_float, &l);
    return OB_OK;
}

static ob_status lrn_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, lrn_compute, error);
}

const ob_kernel ob__kernel_lrn = {.name = "lrn", .plan = lrn_plan, .run = lrn_run};

/* ---- Dropout ---- */

/* True when nothing is dropped. */
static ob_status is_inference(const ob_kernel_args *args, bool *out, ob_error *error) {
    *out = true;
    if (args->op->since < 7) *out = ob__node_int(args->node, "is_test", 0) || !ob__wanted(args, 1);
    if (!ob__given(args, 2) || *(const uint8_t *)args->in[2].data == 0) return OB_OK;
    float ratio = 0.5f;
    if (ob__given(args, 1)) {
        OB_FAIL_IF(!ob__is_real(args->in[1].dtype), error, OB_E_UNSUPPORTED, "Dropout: training with a ratio of type %s",
                   ob_dtype_name(args->in[1].dtype));
        OB_TRY(ob__convert(&ratio, OB_FLOAT, args->in[1].data, args->in[1].dtype, 1, error));
    }
    *out = ratio == 0;
    return OB_OK;
}

static ob_status dropout_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)site;
    (void)needs;
    int64_t n = ob__count(&args->in[0]);
    bool bad = ob__count(&args->out[0]) != n || (ob__wanted(args, 1) && ob__count(&args->out[1]) != n);
    for (uint32_t i = 1; i < 3; i++) bad = bad || (ob__given(args, i) && ob__count(&args->in[i]) != 1);
    OB_FAIL_IF(bad, error, OB_E_SHAPE, "Dropout: outputs of another size than the data");
    return OB_OK;
}

static ob_status dropout_run(const ob_kernel_args *args, ob_error *error) {
    bool inference = true;
    OB_TRY(is_inference(args, &inference, error));
    OB_FAIL_IF(!inference, error, OB_E_UNSUPPORTED, "Dropout-%d: training is not supported", args->op->since);
    const ob_view *in = &args->in[0], *out = &args->out[0];
    if (out->data != in->data) ob__copy_contiguous(in, out->data);
    if (ob__wanted(args, 1)) {
        char one[16];
        OB_TRY(ob__one(args->out[1].dtype, one, error));
        ob__fill(args->out[1].data, ob__count(&args->out[1]), ob_dtype_size(args->out[1].dtype), one);
    }
    return OB_OK;
}

const ob_kernel ob__kernel_dropout = {.name = "dropout", .flags = OB_KERNEL_INPLACE, .plan = dropout_plan, .run = dropout_run};
