/* Dropout at inference (1.. : output = data; mask, if wanted, all true): training with a ratio over 0 is random and not
 * supported.
 */
#include "ops/kernel/common.h"
#include "ops/norm/params.h"

typedef struct dropout {
    bool trains; /* whatever the operands say */
    char one[16];
} dropout;

static ob_status dropout_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    dropout *d = args->state;
    int64_t n = ob__count(&args->in[0]);
    bool bad = ob__count(&args->out[0]) != n || (ob__wanted(args, 1) && ob__count(&args->out[1]) != n);
    for (uint32_t i = 1; i < 3; i++) bad = bad || (ob__given(args, i) && ob__count(&args->in[i]) != 1);
    OB_FAIL_IF(bad, error, OB_E_SHAPE, "Dropout: outputs of another size than the data");
    d->trains = !ob__dropout_is_test(site->node, site->op) && ob__wanted(args, 1);
    return ob__wanted(args, 1) ? ob__one(args->out[1].dtype, d->one, error) : OB_OK;
}

/* Whether operands ask for a training that drops something: version 12 and later. */
static ob_status asks_for_training(const ob_kernel_args *args, bool *out, ob_error *error) {
    *out = false;
    if (!ob__given(args, 2) || *(const uint8_t *)args->in[2].data == 0) return OB_OK;
    float ratio = 0.5f;
    if (ob__given(args, 1)) {
        OB_FAIL_IF(!ob__is_real(args->in[1].dtype), error, OB_E_UNSUPPORTED, "training with a ratio of type %s",
                   ob_dtype_name(args->in[1].dtype));
        OB_TRY(ob__convert(&ratio, OB_FLOAT, args->in[1].data, args->in[1].dtype, 1, error));
    }
    *out = ratio != 0;
    return OB_OK;
}

static ob_status dropout_run(const ob_kernel_args *args, ob_error *error) {
    const dropout *d = args->state;
    bool training = false;
    OB_TRY(asks_for_training(args, &training, error));
    OB_FAIL_IF(d->trains || training, error, OB_E_UNSUPPORTED, "training is not supported");
    const ob_view *in = &args->in[0], *out = &args->out[0];
    if (out->data != in->data) ob__copy_contiguous(in, out->data);
    if (ob__wanted(args, 1)) ob__fill(args->out[1].data, ob__count(&args->out[1]), ob_dtype_size(args->out[1].dtype), d->one);
    return OB_OK;
}

const ob_kernel ob__kernel_dropout = {
    .name = "dropout", .flags = OB_KERNEL_INPLACE, .state_bytes = sizeof(dropout), .plan = dropout_plan, .run = dropout_run};
