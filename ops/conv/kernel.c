/* Conv: Y[n, m, o] = B[m] + the sum over c, k of X[n, c, o * stride - pad + k * dilation] * W[m, c, k], with channels in groups.
 *
 * Opset 1 and 11 floats, 22 also bfloat16. float16 and bfloat16 are computed in float. Any number of spatial axes; auto_pad.
 *  Blocks of each image and group are laid out with their padding (kernels/window) and multiplied in place. */
#include "kernels/conv/conv.h"
#include "kernels/kernels.h"
#include "ops/conv/split.h"
#include "ops/kernel/common.h"

typedef struct conv {
    ob_conv_split split;
    obk_conv_run run;
    int64_t width; /* bytes of an element during the computation */
} conv;

typedef struct job {
    const conv *c;
    const char *x, *w, *bias;
    char *y, *lanes;
    size_t lane_stride;
    const ob_threads *threads;
} job;

static ob_status conv_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    conv *c = args->state;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__plan_conv(site, args, 1, 2, &c->split, error));
    if (ob__count(&args->out[0]) == 0) return ob__plan_real(args, needs, error);
    bool is_double = ob__computing_type(args) == OB_DOUBLE;
    c->run = ob__kernels()->conv->run[is_double ? OBK_CONV_F64 : OBK_CONV_F32];
    c->width = is_double ? sizeof(double) : sizeof(float);
    c->split.k.y_channel = c->split.k.window.n_out;
    OB_TRY(ob__split_conv(site, c->width, false, &c->split, error));
    needs->lane_bytes = (size_t)(obk_conv_lane(&c->split.k) * c->width);
    return ob__plan_real(args, needs, error);
}

static void conv_chunk(void *context, int64_t chunk, int lane) {
    const job *j = context;
    const conv *c = j->c;
    const obk_conv *k = &c->split.k;
    const int64_t end = ob__conv_chunk_end(&c->split, chunk), n_weights = k->channels * k->window.n_kernel;
    obk_pace pace = ob__pace(j->threads);
    for (int64_t i = chunk * c->split.n_each; i < end; i++) {
        const ob_conv_task task = ob__conv_task(&c->split, i);
        const int64_t out_channel = task.group * k->out_channels,
                      y = (task.plane * k->out_channels + task.first) * k->window.n_out + obk_conv_start(k, task.block);
        c->run(k, j->x + task.plane * k->channels * k->window.n_in * c->width, j->w + out_channel * n_weights * c->width,
               j->bias ? j->bias + out_channel * c->width : NULL, j->y + y * c->width, task.block, task.first, task.end,
               ob__lane(j->lanes, j->lane_stride, lane), &pace);
    }
}

static ob_status conv_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const conv *c = args->state;
    job j = {c,           args->in[0].data,  args->in[1].data, ob__given(args, 2) ? args->in[2].data : NULL, args->out[0].data,
             args->lanes, args->lane_stride, args->threads};
    if (c->split.n > 0) ob__each_chunk(args->threads, ob__conv_chunks(&c->split), conv_chunk, &j);
    return OB_OK;
}

static ob_status conv_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, conv_compute, error);
}

const ob_kernel ob__kernel_conv = {.name = "conv", .state_bytes = sizeof(conv), .plan = conv_plan, .run = conv_run};
