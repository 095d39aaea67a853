/* Dropout: copies the data. In training, each element becomes 0 with probability `ratio`, and the others are multiplied by 1 / (1
 * - ratio). Element i uses random number i of the key. */
#include "kernels/random/random.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/norm/params.h"
#include "ops/random/params.h"

enum { BLOCK = 96, GRAIN = 1 << 12 };

typedef struct dropout {
    bool trains;  /* from the node before opset 7, from operand 2 since opset 12 */
    double ratio; /* from the node, or the default without operand 1 */
    obk_random_key key;
    obk_random_loop uniform;
    ob_kept_element one; /* of the mask, if it is wanted */
} dropout;

static const ob_member dropout_members[] = {OB_VALUE(dropout, trains), OB_VALUE(dropout, ratio),
                                            OB_NESTED(dropout, key, &obk_random_key_struct), OB_FUNCTION(dropout, uniform),
                                            OB_NESTED(dropout, one, &ob__kept_element_struct)};
static const ob_struct dropout_struct = OB_STRUCT(dropout, dropout_members);

typedef struct dropping {
    const ob_kernel_args *args;
    const dropout *dropout;
    double ratio, scale;
} dropping;

static ob_status dropout_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    dropout *d = args->state;
    const ob_dropout_params p = ob__dropout_params(site->node, site->op);
    int64_t n = ob__count(&args->out[0]);
    bool bad = ob__count(&args->in[0]) != n || (ob__wanted(args, 1) && ob__count(&args->out[1]) != n);
    for (uint32_t i = 1; i < 3; i++) bad = bad || (ob__given(args, i) && ob__count(&args->in[i]) != 1);
    OB_FAIL_IF(bad, error, OB_E_SHAPE, "outputs of another size than the data");
    for (uint32_t i = 0; i < 2; i++)
        if (ob__given(args, i)) OB_TRY(ob__check_type(site, args, i, error));
    if (ob__given(args, 1)) ob__need_conversion(needs, args->in[1].dtype, OB_DOUBLE);
    ob__need_conversion(needs, args->in[0].dtype, OB_DOUBLE);
    ob__need_conversion(needs, OB_DOUBLE, args->out[0].dtype);
    if (ob__wanted(args, 1)) ob__need_conversion(needs, OB_DOUBLE, args->out[1].dtype);
    d->trains = p.trains;
    d->ratio = p.ratio;
    d->key = ob__random_key(site->node);
    d->uniform = OBK_LOOP(random, ->uniform);
    return ob__wanted(args, 1) ? ob__keep_one(site, args->out[1].dtype, &d->one, error) : OB_OK;
}

static void dropout_part(void *context, int64_t begin, int64_t end) {
    const dropping *d = context;
    const ob_view *x = &d->args->in[0], *y = &d->args->out[0], *mask = ob__wanted(d->args, 1) ? &d->args->out[1] : NULL;
    const int64_t width = (int64_t)ob_dtype_size(x->dtype);
    double numbers[BLOCK], kept[BLOCK];
    for (int64_t at = begin; at < end; at += BLOCK) {
        const int64_t n = end - at < BLOCK ? end - at : BLOCK;
        d->dropout->uniform(d->dropout->key, at, n, kept);
        (void)ob__convert_in_run(d->args, numbers, OB_DOUBLE, (const char *)x->data + at * width, x->dtype, n, NULL);
        for (int64_t i = 0; i < n; i++) {
            kept[i] = kept[i] >= d->ratio;
            numbers[i] = d->scale * numbers[i] * kept[i];
        }
        (void)ob__convert_in_run(d->args, (char *)y->data + at * width, y->dtype, numbers, OB_DOUBLE, n, NULL);
        if (mask)
            (void)ob__convert_in_run(d->args, (char *)mask->data + at * (int64_t)ob_dtype_size(mask->dtype), mask->dtype, kept,
                                     OB_DOUBLE, n, NULL);
    }
}

/* The mode and ratio from the operands, since opset 12. */
static ob_status dropout_asks(const ob_kernel_args *args, bool *trains, double *ratio, ob_error *error) {
    if (ob__given(args, 2)) *trains = *(const uint8_t *)args->in[2].data != 0;
    if (!*trains) return OB_OK;
    if (ob__given(args, 1)) OB_TRY(ob__convert_in_run(args, ratio, OB_DOUBLE, args->in[1].data, args->in[1].dtype, 1, error));
    OB_FAIL_IF(!(*ratio >= 0 && *ratio <= 1), error, OB_E_ARGUMENT, "ratio is %g: it must be from 0 to 1", *ratio);
    return OB_OK;
}

OB_RUN(ob__run_dropout) {
    const dropout *state = args->state;
    bool trains = state->trains;
    dropping d = {args, state, state->ratio, 1};
    OB_TRY(dropout_asks(args, &trains, &d.ratio, error));
    const ob_view *in = &args->in[0], *out = &args->out[0];
    if (trains && d.ratio > 0) {
        if (d.ratio < 1) d.scale = 1 / (1 - d.ratio);
        ob__parallel(args->threads, ob__count(out), GRAIN, dropout_part, &d);
        return OB_OK;
    }
    if (out->data != in->data) ob__copy_contiguous(in, out->data, args->threads);
    const ob_view *mask = &args->out[1];
    if (ob__wanted(args, 1))
        ob__fill_elements(mask->data, ob__count(mask), ob_dtype_size(mask->dtype), state->one.at, args->threads);
    return OB_OK;
}

/* The data, if nothing is dropped and no mask is wanted. */
static ob_status dropout_view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    bool trains = ob__dropout_params(site->node, site->op).trains;
    const bool unknown = ob__given(args, 2) && (!args->in[2].data || ob__count(&args->in[2]) != 1);
    if (!unknown && ob__given(args, 2)) trains = *(const uint8_t *)args->in[2].data != 0;
    OB_FAIL_IF(unknown || trains || ob__wanted(args, 1), error, OB_E_UNSUPPORTED, "it is more than its operand");
    args->out[0] = args->in[0];
    return OB_OK;
}

const ob_kernel ob__kernel_dropout = {.name = "dropout",
                                      .flags = OB_KERNEL_INPLACE | OB_KERNEL_VIEW,
                                      .state_bytes = sizeof(dropout),
                                      .state = &dropout_struct,
                                      .plan = dropout_plan,
                                      OB_RUNS(ob__run_dropout),
                                      .view = dropout_view};
