/* ConvTranspose: every input element adds its filter to the result: Y[n, m, i * stride - pad + k * dilation] += X[n, c, i] * W[c,
 * m, k].
 *
 * Opset 1, 11 floats, 22 also bfloat16; float16 and bfloat16 by way of float. Any number of spatial axes, groups, output_padding,
 * output_shape, auto_pad. One matrix product per image and group, whose rows are then added in place (col2im). */
#include "ops/conv/window.h"
#include "ops/product/blas.h"

/* The window of the convolution this one is the gradient of: its input is Y, its result X. */
typedef struct transposed {
    ob__window window;
    int64_t n_batch, groups, channels, maps; /* channels and maps of one group */
} transposed;

typedef struct job {
    const transposed *t;
    const void *columns, *bias;
    void *y;
    int64_t group;
} job;

#define SCATTER(name, type)                                                                                                      \
    typedef struct name##_plane {                                                                                                \
        const type *columns;                                                                                                     \
        type *y;                                                                                                                 \
        int64_t n;                                                                                                               \
    } name##_plane;                                                                                                              \
    static void name##_row(void *context, int64_t tap, int64_t x, int64_t y, int64_t n, int64_t step) {                          \
        const name##_plane *p = context;                                                                                         \
        const type *from = p->columns + tap * p->n + x;                                                                          \
        type *to = p->y + y;                                                                                                     \
        for (int64_t i = 0; i < n; i++) to[i * step] += from[i];                                                                 \
    }                                                                                                                            \
    static void name(void *context, int64_t begin, int64_t end) {                                                                \
        const job *j = context;                                                                                                  \
        const ob__window *w = &j->t->window;                                                                                     \
        for (int64_t m = begin; m < end; m++) {                                                                                  \
            name##_plane p = {                                                                                                   \
                .columns = (const type *)j->columns + m * w->n_taps * w->n_out, .y = (type *)j->y + m * w->n_in, .n = w->n_out}; \
            type bias = j->bias ? ((const type *)j->bias)[j->group * j->t->maps + m] : 0;                                        \
            for (int64_t i = 0; i < w->n_in; i++) p.y[i] = bias;                                                                 \
            ob__window_walk(w, name##_row, &p);                                                                                  \
        }                                                                                                                        \
    }
SCATTER(scatter_float, float)
SCATTER(scatter_double, double)

/* auto_pad SAME_* and output_shape decide the padding from the size of the result. */
static ob_status adjust_padding(const ob_kernel_args *args, ob__window *w, ob_error *error) {
    const char *mode = ob__node_string(args->node, "auto_pad", "NOTSET");
    bool same = strncmp(mode, "SAME", 4) == 0, shaped = ob__node_attribute(args->node, "output_shape") != NULL;
    uint32_t n;
    const int64_t *extra = ob__node_ints(args->node, "output_padding", &n);
    OB_FAIL_IF(extra && n != (uint32_t)w->rank, error, OB_E_ARGUMENT, "ConvTranspose: %u output_padding for %d axes", n, w->rank);
    if (!same && !shaped) return OB_OK;
    for (int32_t a = 0; a < w->rank; a++) {
        int64_t total = (w->out[a] - 1) * w->stride[a] + (w->kernel[a] - 1) * w->dilation[a] + 1 - w->in[a];
        if (extra && (extra[a] < 0 || extra[a] > INT32_MAX || ob__add_overflows(total, extra[a], &total)))
            return ob__fail(error, OB_E_ARGUMENT, "ConvTranspose: output_padding[%d] is %lld", a, (long long)extra[a]);
        if (total < 0) total = 0;
        w->before[a] = strcmp(mode, "SAME_UPPER") == 0 ? total / 2 : total - total / 2;
        w->after[a] = total - w->before[a];
    }
    return OB_OK;
}

static ob_status set_up(const ob_kernel_args *args, transposed *t, ob_error *error) {
    const ob_view *x = &args->in[0], *w = &args->in[1], *y = &args->out[0];
    OB_FAIL_IF(x->rank < 2 || w->rank != x->rank || y->rank != x->rank, error, OB_E_SHAPE, "ConvTranspose: ranks differ");
    OB_TRY(ob__read_window(args, y, x, &w->dims[2], &t->window, error));
    OB_TRY(adjust_padding(args, &t->window, error));
    int64_t groups = ob__node_int(args->node, "group", 1);
    bool bad = groups < 1 || x->dims[1] % groups != 0 || w->dims[0] != x->dims[1] || y->dims[0] != x->dims[0] ||
               y->dims[1] % groups != 0 || w->dims[1] != y->dims[1] / groups;
    OB_FAIL_IF(bad, error, OB_E_SHAPE, "ConvTranspose: %lld channels, filters of %lld maps, group %lld", (long long)x->dims[1],
               (long long)w->dims[1], (long long)groups);
    if (ob__given(args, 2))
        OB_FAIL_IF(ob__count(&args->in[2]) != y->dims[1], error, OB_E_SHAPE, "ConvTranspose: a bias of %lld for %lld maps",
                   (long long)ob__count(&args->in[2]), (long long)y->dims[1]);
    t->n_batch = x->dims[0];
    t->groups = groups;
    t->channels = x->dims[1] / groups;
    t->maps = w->dims[1];
    return OB_OK;
}

static ob_status transposed_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)site;
    transposed *t = args->state;
    int64_t rows, elems;
    OB_TRY(ob__check_type_v1(args, 0, error));
    OB_TRY(set_up(args, t, error));
    bool large = ob__mul_overflows(t->maps, t->window.n_taps, &rows) || ob__mul_overflows(rows, t->window.n_out, &elems);
    OB_FAIL_IF(large || !ob__blas_fits(rows) || !ob__blas_fits(t->channels) || !ob__blas_fits(t->window.n_out), error, OB_E_LIMIT,
               "ConvTranspose: the filter is too large");
    ob__blas_single_thread();
    OB_TRY(ob__plan_real(args, needs, error));
    return ob__need_scratch(needs, elems, ob_dtype_size(ob__computing_type(args)), error);
}

static ob_status transposed_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const transposed *t = args->state;
    const ob__window *w = &t->window;
    bool is_double = args->in[0].dtype == OB_DOUBLE;
    int64_t rows = t->maps * w->n_taps, ld = rows > 0 ? rows : 1, n = w->n_out, ldn = n > 0 ? n : 1;
    if (ob__count(&args->out[0]) == 0) return OB_OK;
    job j = {.t = t, .columns = args->scratch, .bias = ob__given(args, 2) ? args->in[2].data : NULL};
    size_t width = ob_dtype_size(args->in[0].dtype);
    for (int64_t i = 0; i < t->n_batch * t->groups && !ob__stopped(args->threads); i++) {
        j.group = i % t->groups;
        const void *x = (const char *)args->in[0].data + i * t->channels * n * (int64_t)width;
        const void *filter = (const char *)args->in[1].data + j.group * t->channels * rows * (int64_t)width;
        j.y = (char *)args->out[0].data + i * t->maps * w->n_in * (int64_t)width;
        if (is_double)
            ob__gemm_double(true, false, rows, n, t->channels, 1, filter, ld, x, ldn, 0, args->scratch, ldn);
        else
            ob__gemm_float(true, false, rows, n, t->channels, 1, filter, ld, x, ldn, 0, args->scratch, ldn);
        ob__parallel(args->threads, t->maps, (INT64_C(1) << 14) / (w->n_taps * n + w->n_in + 1) + 1,
                     is_double ? scatter_double : scatter_float, &j);
    }
    return OB_OK;
}

static ob_status transposed_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, transposed_compute, error);
}

const ob_kernel ob__kernel_conv_transpose = {
    .name = "conv_transpose", .state_bytes = sizeof(transposed), .plan = transposed_plan, .run = transposed_run};
