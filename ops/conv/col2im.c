/* Col2Im 18: each element of the image is the sum of the block elements that cover it; block elements in the padding are dropped.
 * All types but strings; bool is a logical or. Blocks are added in order, so that bits do not depend on threads: one plane of the
 * image is one task. */
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "ops/kernel/common.h"
#include "ops/kernel/functions.h"
#include "ops/kernel/members.h"
#include "ops/window/window.h"

typedef void (*add_strided)(void *to, int64_t stride, const void *from, int64_t n);

#define FUNCTIONS
#define OB_TYPE_TEMPLATE "ops/conv/add_strided.inc.h"
#include "core/graph/types.def"
#undef FUNCTIONS

static const add_strided adds[OB_DTYPE_COUNT] = {
#define OB_TYPE_TEMPLATE "ops/conv/add_strided.inc.h"
#include "core/graph/types.def"
};

/* Of the attributes: for each spatial axis, in the plan's memory. */
typedef struct steps {
    int32_t rank;
    const int64_t *strides, *dilations, *before, *after;
} steps;

typedef struct col2im {
    steps steps;
    add_strided add;
    size_t width;
} col2im;

OB_COUNT(axes_of, steps, rank)

static const ob_member steps_members[] = {OB_VALUE(steps, rank), OB_NUMBERS(steps, strides, axes_of),
                                          OB_NUMBERS(steps, dilations, axes_of), OB_NUMBERS(steps, before, axes_of),
                                          OB_NUMBERS(steps, after, axes_of)};
static const ob_struct steps_struct = OB_STRUCT(steps, steps_members);
static const ob_member col2im_members[] = {OB_NESTED(col2im, steps, &steps_struct), OB_FUNCTION(col2im, add),
                                           OB_SIZE(col2im, width)};
static const ob_struct col2im_struct = OB_STRUCT(col2im, col2im_members);

static ob_status read_steps(const ob_kernel_site *site, int64_t rank, steps *out, ob_error *error) {
    ob_window_params *w = ob__tail(site, 1, sizeof *w);
    OB_FAIL_IF(!w, error, OB_E_MEMORY, "no memory for a plan");
    OB_TRY(ob__read_window(site->node, rank, w, error));
    *out = (steps){w->rank, w->strides, w->dilations, w->before, w->after};
    return OB_OK;
}

/* The sizes of the image and of its blocks, which are operands. */
typedef struct geometry {
    int32_t rank;
    int64_t image[OB_MAX_RANK], block[OB_MAX_RANK], positions[OB_MAX_RANK];
    int64_t channels, n_kernel, n_positions, plane;
} geometry;

static ob_status describe(const ob_kernel_args *args, const steps *w, geometry *g, ob_error *error) {
    const ob_view *x = &args->in[0];
    int32_t n_block;
    OB_TRY(ob__read_ints(&args->in[1], g->image, OB_MAX_RANK, &g->rank, error));
    OB_TRY(ob__read_ints(&args->in[2], g->block, OB_MAX_RANK, &n_block, error));
    OB_FAIL_IF(x->rank != 3 || n_block != g->rank || w->rank != g->rank, error, OB_E_SHAPE,
               "%d sizes of a block and %d of the image, attributes for %d axes, an operand of rank %d", n_block, g->rank,
               w->rank, x->rank);
    g->n_kernel = g->n_positions = g->plane = 1;
    for (int32_t i = 0; i < g->rank; i++) {
        int64_t size = g->image[i], block = g->block[i], span;
        bool sane = size > 0 && block > 0 && size <= INT32_MAX && block <= INT32_MAX;
        OB_FAIL_IF(!sane, error, OB_E_ARGUMENT, "axis %d: blocks of %lld in an image of %lld", i, (long long)block,
                   (long long)size);
        span = size + w->before[i] + w->after[i] - w->dilations[i] * (block - 1) - 1;
        g->positions[i] = span < 0 ? 0 : span / w->strides[i] + 1;
        bool large = ob__mul_overflows(g->n_kernel, block, &g->n_kernel) ||
                     ob__mul_overflows(g->n_positions, g->positions[i], &g->n_positions) ||
                     ob__mul_overflows(g->plane, size, &g->plane);
        OB_FAIL_IF(large, error, OB_E_LIMIT, "axis %d is too large", i);
    }
    g->channels = x->dims[1] / g->n_kernel;
    OB_FAIL_IF(g->channels * g->n_kernel != x->dims[1] || g->n_positions != x->dims[2], error, OB_E_SHAPE,
               "%lld rows of %lld blocks, a multiple of %lld and %lld are needed", (long long)x->dims[1], (long long)x->dims[2],
               (long long)g->n_kernel, (long long)g->n_positions);
    return OB_OK;
}

static ob_status col2im_refuse(const ob_kernel_site *site, const ob_kernel_args *args, ob_error *error) {
    const ob_dtype dtype = args->in[0].dtype;
    (void)site;
    OB_FAIL_IF(dtype != OB_NONE && !adds[dtype], error, OB_E_UNSUPPORTED, "elements of %s cannot be added", ob_dtype_name(dtype));
    return OB_OK;
}

static ob_status col2im_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    col2im *s = args->state;
    const int64_t rank = args->in[1].rank == 1 ? args->in[1].dims[0] : -1;
    OB_FAIL_IF(rank < 1 || rank > OB_MAX_RANK - 2, error, OB_E_SHAPE, "the sizes of the image are not a list of 1 to %d entries",
               OB_MAX_RANK - 2);
    OB_TRY(ob__check_type(site, args, 0, error));
    s->add = adds[args->in[0].dtype];
    OB_TRY(col2im_refuse(site, args, error));
    s->width = ob_dtype_size(args->in[0].dtype);
    return read_steps(site, rank, &s->steps, error);
}

static ob_status col2im_shape(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    geometry g;
    steps w;
    ob_view *out = &args->out[0];
    OB_TRY(read_steps(site, ob__count(&args->in[1]), &w, error));
    OB_TRY(describe(args, &w, &g, error));
    out->rank = g.rank + 2;
    out->dims[0] = args->in[0].dims[0];
    out->dims[1] = g.channels;
    memcpy(out->dims + 2, g.image, (size_t)g.rank * sizeof *g.image);
    return OB_OK;
}

typedef struct job {
    const ob_kernel_args *args;
    const col2im *s;
    geometry g;
} job;

/* Adds kernel position k of all blocks to the plane: one row of window positions along the last axis at a time. */
static void add_position(const job *j, char *plane, const char *from, int64_t k) {
    const geometry *g = &j->g;
    const steps *w = &j->s->steps;
    const int32_t last = g->rank - 1;
    int64_t shift[OB_MAX_RANK], at[OB_MAX_RANK] = {0};
    for (int32_t i = last; i >= 0; k /= g->block[i--]) shift[i] = k % g->block[i] * w->dilations[i] - w->before[i];
    /* Window positions first .. end of a row lie in the image. */
    int64_t stride = w->strides[last], first = shift[last] < 0 ? ob__ceil_div(-shift[last], stride) : 0;
    int64_t end = g->image[last] > shift[last] ? ob__ceil_div(g->image[last] - shift[last], stride) : 0;
    if (end > g->positions[last]) end = g->positions[last];
    if (first >= end) return;
    const int64_t n_rows = g->n_positions / g->positions[last];
    for (int64_t row = 0; row < n_rows; row++, from += (size_t)g->positions[last] * j->s->width) {
        int64_t place = 0;
        bool inside = true;
        for (int32_t i = 0; i < last; i++) {
            int64_t y = at[i] * w->strides[i] + shift[i];
            inside = inside && y >= 0 && y < g->image[i];
            place = place * g->image[i] + y;
        }
        place = place * g->image[last] + first * stride + shift[last];
        if (inside)
            j->s->add(plane + (ptrdiff_t)place * (ptrdiff_t)j->s->width, stride, from + (size_t)first * j->s->width, end - first);
        for (int32_t i = last - 1; i >= 0 && ++at[i] == g->positions[i]; i--) at[i] = 0;
    }
}

static void add_plane(void *context, int64_t chunk, int lane) {
    (void)lane;
    const job *j = context;
    const size_t row = (size_t)j->g.n_positions * j->s->width, plane = (size_t)j->g.plane * j->s->width;
    char *to = (char *)j->args->out[0].data + (size_t)chunk * plane;
    const char *from = (const char *)j->args->in[0].data + (size_t)(chunk * j->g.n_kernel) * row;
    memset(to, 0, plane);
    for (int64_t k = 0; k < j->g.n_kernel && j->g.n_positions > 0; k++) add_position(j, to, from + (size_t)k * row, k);
}

OB_RUN(ob__run_col2im) {
    job j = {.args = args, .s = args->state};
    OB_TRY(describe(args, &j.s->steps, &j.g, error));
    int64_t n = args->in[0].dims[0] * j.g.channels, size;
    OB_FAIL_IF(ob__mul_overflows(n, j.g.plane, &size) || size != ob__count(&args->out[0]), error, OB_E_SHAPE,
               "the image does not have the sizes of the result");
    ob__each_chunk(args->threads, n, add_plane, &j);
    return OB_OK;
}

const ob_kernel ob__kernel_col2im = {.name = "col2im",
                                     .state_bytes = sizeof(col2im),
                                     .state = &col2im_struct,
                                     .plan = col2im_plan,
                                     OB_RUNS(ob__run_col2im),
                                     .shape = col2im_shape,
                                     .refuse = col2im_refuse};
