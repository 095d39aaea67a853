/* ConvTranspose: each input element adds its multiple of the filter to the result: Y[n, m, i * stride - pad + k * dilation] +=
 * X[n, c, i] * W[c, m, k].
 *
 * Opset 1 and 11 floats, 22 also bfloat16. float16 and bfloat16 are computed in float. Any number of spatial axes, groups,
 * output_padding, output_shape, auto_pad. For a few output channels at a time, one matrix product computes the contribution of
 * each input element to each kernel position; its rows are then added to the result. */
#include "core/base/integers.h"
#include "kernels/conv/conv.h"
#include "kernels/take.h"
#include "kernels/window/window.h"
#include "ops/conv/params.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/table/op.h"

typedef struct transposed {
    obk_window window; /* of the convolution whose gradient this is: its input is Y, its result X */
    obk_conv_columns columns;
    obk_conv_fold fold;
    int64_t width;                                    /* bytes of an element during the computation */
    int64_t n_planes, groups, channels, out_channels; /* images times groups; the channels are those of one group */
    int64_t part_channels, n_parts;
} transposed;

static const ob_member transposed_members[] = {OB_NESTED(transposed, window, &obk_window_struct),
                                               OB_FUNCTION(transposed, columns),
                                               OB_FUNCTION(transposed, fold),
                                               OB_VALUE(transposed, width),
                                               OB_VALUE(transposed, n_planes),
                                               OB_VALUE(transposed, groups),
                                               OB_VALUE(transposed, channels),
                                               OB_VALUE(transposed, out_channels),
                                               OB_VALUE(transposed, part_channels),
                                               OB_VALUE(transposed, n_parts)};
static const ob_struct transposed_struct = OB_STRUCT(transposed, transposed_members);

typedef struct job {
    const transposed *t;
    const char *x, *w, *bias;
    char *y, *lanes;
    size_t lane_stride;
    const ob_threads *threads;
} job;

static ob_status check_shapes(const ob_kernel_args *args, int64_t groups, ob_error *error) {
    const ob_view *x = &args->in[0], *w = &args->in[1], *y = &args->out[0];
    bool bad = x->dims[1] % groups != 0 || w->dims[0] != x->dims[1] || y->dims[0] != x->dims[0] || y->dims[1] % groups != 0 ||
               w->dims[1] != y->dims[1] / groups;
    OB_FAIL_IF(bad, error, OB_E_SHAPE, "%lld channels, filters of %lld output channels, group %lld", (long long)x->dims[1],
               (long long)w->dims[1], (long long)groups);
    if (ob__given(args, 2))
        OB_FAIL_IF(ob__count(&args->in[2]) != y->dims[1], error, OB_E_SHAPE, "a bias of %lld for %lld output channels",
                   (long long)ob__count(&args->in[2]), (long long)y->dims[1]);
    return OB_OK;
}

/* auto_pad SAME_* and output_shape determine the padding from the size of the result. Before opset 11 the equations for
 * output_shape put the odd element on the other side. */
static ob_status find_padding(ob_conv_params *p, int32_t since, const int64_t *x, const int64_t *y, ob_error *error) {
    ob_window_params *w = &p->window;
    bool upper = w->auto_pad == OB_PAD_SAME_UPPER, same = upper || w->auto_pad == OB_PAD_SAME_LOWER;
    for (int32_t a = 0; a < w->rank && (same || p->shaped); a++) {
        int64_t total = (x[a] - 1) * w->strides[a] + (w->kernel[a] - 1) * w->dilations[a] + 1 - y[a];
        OB_FAIL_IF(ob__add_overflows(total, p->output_padding[a], &total), error, OB_E_LIMIT, "spatial axis %d is too large", a);
        if (total < 0) total = 0;
        w->before[a] = upper != (p->shaped && since < 11) ? total / 2 : total - total / 2;
        w->after[a] = total - w->before[a];
    }
    if (same || p->shaped) w->auto_pad = OB_PAD_GIVEN;
    return OB_OK;
}

/* Output channels whose columns fit into the second-level cache, at least one. */
static ob_status cut(transposed *t, ob_kernel_needs *needs, ob_error *error) {
    enum { CACHED_BYTES = 256 << 10 };
    const obk_window *w = &t->window;
    int64_t of_channel, elems;
    bool large = ob__mul_overflows(w->n_kernel, w->n_out, &of_channel) || ob__mul_overflows(of_channel, t->width, &elems);
    OB_FAIL_IF(large, error, OB_E_LIMIT, "the filter is too large");
    t->part_channels = CACHED_BYTES / (elems > 0 ? elems : 1);
    if (t->part_channels > t->out_channels) t->part_channels = t->out_channels;
    if (t->part_channels < 1) t->part_channels = 1;
    t->n_parts = ob__ceil_div(t->out_channels, t->part_channels);
    large = ob__mul_overflows(t->part_channels, of_channel, &elems);
    if (w->n_out < OBK_CONV_LEAST) elems += t->channels * w->n_out + (1 + OBK_CONV_CHANNELS) * OBK_SLACK;
    OB_FAIL_IF(large || ob__mul_overflows(elems, t->width, &elems), error, OB_E_LIMIT, "the filter is too large");
    needs->lane_bytes = (size_t)elems;
    return OB_OK;
}

static ob_status transposed_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    transposed *t = args->state;
    const ob_view *x = &args->in[0], *w = &args->in[1], *y = &args->out[0];
    ob_conv_params params;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_FAIL_IF(x->rank < 2 || w->rank != x->rank || y->rank != x->rank, error, OB_E_SHAPE, "X, W and Y of ranks %d, %d, %d",
               x->rank, w->rank, y->rank);
    OB_TRY(ob__read_conv(site->node, x->rank - 2, &params, error));
    OB_TRY(check_shapes(args, params.group, error));
    memcpy(params.window.kernel, &w->dims[2], (size_t)(w->rank - 2) * sizeof(int64_t));
    OB_TRY(find_padding(&params, site->op->since, &x->dims[2], &y->dims[2], error));
    OB_TRY(ob__plan_window(site, &params.window, &y->dims[2], &x->dims[2], true, &t->window, error));
    if (ob__count(y) == 0) return ob__plan_real(args, needs, error);
    bool is_double = ob__computing_type(args) == OB_DOUBLE;
    t->columns = OBK_LOOP(conv, ->columns[is_double]);
    t->fold = OBK_LOOP(conv, ->fold[is_double]);
    t->width = is_double ? sizeof(double) : sizeof(float);
    t->groups = params.group;
    t->n_planes = x->dims[0] * t->groups;
    t->channels = x->dims[1] / t->groups;
    t->out_channels = w->dims[1];
    OB_TRY(cut(t, needs, error));
    return ob__plan_real(args, needs, error);
}

static void transposed_chunk(void *context, int64_t chunk, int lane) {
    const job *j = context;
    const transposed *t = j->t;
    const obk_window *w = &t->window;
    const int64_t plane = chunk / t->n_parts, group = plane % t->groups, first = chunk % t->n_parts * t->part_channels,
                  last = first + t->part_channels < t->out_channels ? first + t->part_channels : t->out_channels,
                  rows = t->out_channels * w->n_kernel, column_bytes = w->n_kernel * w->n_out * t->width;
    obk_pace pace = ob__pace(j->threads);
    char *columns = ob__lane(j->lanes, j->lane_stride, lane);
    t->columns(j->x + plane * t->channels * w->n_out * t->width, t->channels, w->n_out,
               j->w + group * t->channels * rows * t->width, rows, first * w->n_kernel, last * w->n_kernel, columns,
               columns + t->part_channels * column_bytes, &pace);
    for (int64_t m = first; m < last; m++)
        t->fold(w, columns + (m - first) * column_bytes, j->bias ? j->bias + (group * t->out_channels + m) * t->width : NULL,
                j->y + (plane * t->out_channels + m) * w->n_in * t->width, &pace);
}

static ob_status transposed_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const transposed *t = args->state;
    job j = {t,           args->in[0].data,  args->in[1].data, ob__given(args, 2) ? args->in[2].data : NULL, args->out[0].data,
             args->lanes, args->lane_stride, args->threads};
    ob__each_chunk(args->threads, t->n_planes * t->n_parts, transposed_chunk, &j);
    return OB_OK;
}

OB_RUN(ob__run_conv_transpose) {
    return ob__run_real(args, transposed_compute, error);
}

const ob_kernel ob__kernel_conv_transpose = {.name = "conv_transpose",
                                             .state_bytes = sizeof(transposed),
                                             .state = &transposed_struct,
                                             .plan = transposed_plan,
                                             OB_RUNS(ob__run_conv_transpose)};
