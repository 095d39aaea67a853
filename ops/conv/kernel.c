/* Conv: Y[n, m, o] = B[m] + the sum over c, k of X[n, c, o * stride - pad + k * dilation] * W[m, c, k], with channels in groups.
 *
 * Opset 1 and 11 floats, 22 also bfloat16. float16 and bfloat16 are computed in float. Any number of spatial axes; auto_pad.
 * Blocks of each image and group are laid out with their padding (kernels/window) and multiplied in place. Constant weights are
 * packed in panels where that gains. */
#include "kernels/conv/conv.h"
#include "kernels/kernels.h"
#include "ops/conv/split.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/epilogue.h"
#include "ops/kernel/members.h"
#include "ops/kernel/packed.h"

typedef struct conv {
    ob_conv_split split;
    const ob_epilogue *epilogue;
    size_t registers_at; /* of the epilogue, in lane memory */
} conv;

static const ob_member conv_members[] = {OB_NESTED(conv, split, &ob__conv_split_struct),
                                         OB_POINTER(conv, epilogue, &ob__epilogue_struct, NULL), OB_SIZE(conv, registers_at)};
static const ob_struct conv_struct = OB_STRUCT(conv, conv_members);

typedef struct job {
    const conv *s;
    const ob_kernel_args *args;
    const void *x, *w, *bias;
    char *y;
} job;

/* ---- packed weights ---- */

typedef struct packing {
    const obk_conv_panels *panels;
    obk_convert convert; /* NULL: the elements have the computing type already */
    int64_t groups, out_channels, n_products;
    int64_t width, w_group; /* bytes of an element and elements of a group, packed */
} packing;

/* 16-bit elements are converted in pieces of a row. */
static void convert_group(const packing *p, const uint16_t *from, float *to) {
    enum { PIECE = 64 };
    float piece[PIECE];
    for (int64_t i = 0, n = obk_panels(p->panels->lanes, p->panels->widest, p->out_channels); i < n; i++) {
        const obk_panel panel = obk_panel_at(p->panels->lanes, p->panels->widest, p->out_channels, i);
        const int64_t width = panel.vectors * p->panels->lanes;
        for (int64_t m = 0; m < panel.channels; m++)
            for (int64_t l = 0; l < p->n_products; l += PIECE) {
                const int64_t some = ob__least(p->n_products - l, PIECE);
                p->convert(piece, from + (panel.first + m) * p->n_products + l, some);
                for (int64_t j = 0; j < some; j++) to[panel.first * p->n_products + (l + j) * width + m] = piece[j];
            }
    }
}

static void make_panels(const void *params, const ob_view *constant, void *prepared) {
    const packing *p = params;
    const int64_t from_group = p->out_channels * p->n_products;
    for (int64_t g = 0; g < p->groups; g++) {
        char *to = (char *)prepared + g * p->w_group * p->width;
        if (p->convert)
            convert_group(p, (const uint16_t *)constant->data + g * from_group, (float *)(void *)to);
        else
            p->panels->pack(to, (const char *)constant->data + g * from_group * p->width, p->out_channels, p->n_products);
    }
}

static ob_status want_panels(const ob_kernel_site *site, const ob_kernel_args *args, const ob_conv_split *split,
                             ob_kernel_needs *needs, ob_error *error) {
    packing *p = ob__tail(site, 1, sizeof *p);
    OB_FAIL_IF(!p, error, OB_E_MEMORY, "no memory for a plan");
    const ob_dtype computing = ob__computing_type(args);
    *p = (packing){.panels = split->panels,
                   .groups = split->groups,
                   .out_channels = split->k.out_channels,
                   .n_products = split->k.channels * split->k.window.n_kernel,
                   .width = split->width,
                   .w_group = split->w_group};
    if (args->in[1].dtype != computing) p->convert = ob__find_conversion(args->in[1].dtype, computing, true).steps[0];
    needs->prepared[needs->n_prepared++] = (ob_prepare_request){
        .input = 1,
        .format = (uint64_t)OB_PREPARED_CONV << 56 | (uint64_t)computing << 48 | (uint64_t)split->winograd << 47 |
                  (uint64_t)split->groups << 8 | (uint64_t)split->panels->lanes,
        .n_bytes = (size_t)(split->groups * split->w_group * split->width),
        .make = make_panels,
        .params = p,
        .replaces = true,
        .width = (uint8_t)split->width};
    return OB_OK;
}

/* Packed weights need no conversion in a run. */
static ob_kernel_args without_weights(const ob_kernel_args *args, ob_view in[3]) {
    ob_kernel_args others = *args;
    for (uint32_t i = 0; i < args->n_in && i < 3; i++) in[i] = args->in[i];
    in[1].dtype = OB_NONE;
    others.in = in;
    return others;
}

/* ---- plan and run ---- */

static ob_status conv_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    conv *s = args->state;
    ob_conv_split *split = &s->split;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__plan_conv(site, args, 1, 2, split, error));
    if (ob__count(&args->out[0]) == 0) return ob__plan_real(args, needs, error);
    const bool packs = args->in[1].data && !site->constants_in_place;
    const int type = ob__computing_type(args) == OB_DOUBLE ? OBK_CONV_F64 : OBK_CONV_F32;
    OB_TRY(ob__split_conv(site, type, packs, site->relaxed && args->in[1].dtype == OB_FLOAT, false, split, error));
    s->epilogue = site->epilogue;
    s->registers_at = (size_t)ob__round_up((int64_t)split->lane_bytes, 64);
    needs->lane_bytes = s->registers_at + ob__epilogue_bytes(s->epilogue);
    if (!split->panels) return ob__plan_real(args, needs, error);
    ob_view in[3];
    const ob_kernel_args others = without_weights(args, in);
    OB_TRY(want_panels(site, args, split, needs, error));
    return ob__plan_real(&others, needs, error);
}

static void conv_chunk(void *context, int64_t chunk, int lane) {
    const job *j = context;
    const conv *s = j->s;
    const ob_conv_split *split = &s->split;
    const obk_conv *k = &split->k;
    char *memory = ob__lane(j->args->lanes, j->args->lane_stride, lane);
    const int64_t end = ob__conv_chunk_end(split, chunk);
    obk_pace pace = ob__pace(j->args->threads);
    for (int64_t i = chunk * split->n_each; i < end; i++) {
        const ob_conv_task task = ob__conv_task(split, i);
        const int64_t row = task.plane * k->out_channels + task.first, column = obk_conv_start(k, task.block);
        char *y = j->y + (row * k->window.n_out + column) * split->width;
        const ob_epilogue_call after =
            ob__epilogue_at(s->epilogue, j->args, row, column, y, k->window.n_out * split->width, memory + s->registers_at);
        ob__run_conv_task(split, &task, j->x, j->w, j->bias, y, s->epilogue ? &after.base : NULL, memory, &pace);
    }
}

OB_RUN(ob__compute_conv) {
    (void)error;
    const conv *s = args->state;
    const ob_conv_split *split = &s->split;
    if (split->n == 0) return OB_OK;
    job j = {.s = s,
             .args = args,
             .x = args->in[0].data,
             .w = split->panels ? args->prepared[0] : args->in[1].data,
             .bias = ob__given(args, 2) ? args->in[2].data : NULL,
             .y = args->out[0].data};
    ob__start_conv(split, args->lanes, args->lane_stride, args->threads);
    ob__each_chunk(args->threads, ob__conv_chunks(split), conv_chunk, &j);
    return OB_OK;
}

OB_RUN(ob__run_conv) {
    const ob_conv_split *split = &((const conv *)args->state)->split;
    if (!split->panels) return ob__run_real(args, ob__compute_conv, error);
    ob_view in[3];
    const ob_kernel_args others = without_weights(args, in);
    return ob__run_real(&others, ob__compute_conv, error);
}

/* Images and output channels are rows. */
static int32_t conv_columns(const ob_view *in, const ob_view *out) {
    (void)in;
    return out->rank < 2 ? 0 : out->rank - 2;
}

const ob_kernel ob__kernel_conv = {.name = "conv",
                                   .flags = OB_KERNEL_WINDOW,
                                   .state_bytes = sizeof(conv),
                                   .plan = conv_plan,
                                   OB_RUNS(ob__run_conv),
                                   OB_PLAIN(ob__compute_conv),
                                   .state = &conv_struct,
                                   .epilogue_columns = conv_columns};
