/* Scatter 9, 11, ScatterElements 11.., ScatterND 11..: a copy of the data with some elements replaced or combined with updates
 * (reduction add, mul since 16; max, min since 18). Every element type; reductions for numbers and bool (or, and), and add and
 * mul for complex. A NaN is the result of max and min. Updates are applied in order. Negative indices count from the end;
 * E_ARGUMENT for an index outside the axis. */
#include "core/graph/types.h"
#include "ops/kernel/common.h"
#include "ops/kernel/functions.h"
#include "ops/kernel/members.h"
#include "ops/select/params.h"

typedef void (*combine)(int kind, void *to, const void *from, int64_t n);

static float widened(ob_dtype dtype, uint16_t bits) {
    return dtype == OB_FLOAT16 ? ob__float_from_half(bits) : ob__float_from_bfloat(bits);
}

#define IS_NAN(x) ((x) != (x))
#define FUNCTIONS
#define OB_TYPE_TEMPLATE "ops/select/combine.inc.h"
#include "core/graph/types.def"
#undef FUNCTIONS

static const combine combines[OB_DTYPE_COUNT] = {
#define OB_TYPE_TEMPLATE "ops/select/combine.inc.h"
#include "core/graph/types.def"
#include "ops/table/attributes.h"
};

typedef struct state {
    ob_reduction kind;
    combine function; /* NULL: elements are replaced */
    int64_t axis;
} state;

static const ob_member state_members[] = {OB_VALUE(state, kind), OB_FUNCTION(state, function), OB_VALUE(state, axis)};
static const ob_struct scatter_struct = OB_STRUCT(state, state_members);

static combine combine_of(ob_reduction kind, ob_dtype dtype) {
    const bool ordered = !ob__dtype_is_complex(dtype) || kind < OB_MAX;
    return ordered ? combines[dtype] : NULL;
}

static ob_status scatter_refuse(const ob_kernel_site *site, const ob_kernel_args *args, ob_error *error) {
    const ob_reduction kind = ob__scatter_reduction(site->node);
    const ob_dtype dtype = args->in[0].dtype;
    if (kind == OB_REPLACE || kind == OB_REDUCTIONS || dtype == OB_NONE) return OB_OK;
    OB_FAIL_IF(!combine_of(kind, dtype), error, OB_E_UNSUPPORTED, "no reduction \"%s\" for %s", ob__reduction_names[kind],
               ob_dtype_name(dtype));
    return OB_OK;
}

static ob_status scatter_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    state *s = args->state;
    const ob_view *data = &args->in[0], *indices = &args->in[1], *updates = &args->in[2], *out = &args->out[0];
    OB_FAIL_IF(indices->dtype != OB_INT64 && indices->dtype != OB_INT32, error, OB_E_TYPE, "indices of type %s",
               ob_dtype_name(indices->dtype));
    OB_FAIL_IF(updates->dtype != data->dtype || out->dtype != data->dtype || ob__count(out) != ob__count(data), error, OB_E_SHAPE,
               "data, updates and result differ");
    s->kind = ob__scatter_reduction(site->node);
    s->axis = ob__gather_axis(site->node);
    OB_FAIL_IF(s->kind == OB_REDUCTIONS, error, OB_E_ARGUMENT, "reduction \"%s\"", ob__attribute_text(site->node, "reduction"));
    if (s->kind == OB_REPLACE) return OB_OK;
    s->function = combine_of(s->kind, data->dtype);
    return scatter_refuse(site, args, error);
}

static void copy_data(const ob_kernel_args *args, obk_pace *pace) {
    size_t n_bytes = (size_t)ob__count(&args->in[0]) * ob_dtype_size(args->in[0].dtype);
    if (n_bytes > 0 && args->out[0].data != args->in[0].data) ob__copy_bytes(args->out[0].data, args->in[0].data, n_bytes, pace);
}

/* Applies n updates for one row of the indices: update k changes the element at to + k * step, plus its index times `apart` bytes
 * along the axis. Returns the number of updates before an invalid index. */
static inline int64_t scatter_row(const state *s, char *to, const char *from, const ob_view *indices, int64_t first, int64_t n,
                                  int64_t size, int64_t apart, int64_t step, const size_t width) {
    int64_t k = 0;
    for (; k < n; k++, from += width, to += step) {
        int64_t at = ob__index_at(indices, first + k);
        at += at < 0 ? size : 0;
        if ((uint64_t)at >= (uint64_t)size) break;
        if (!s->function)
            memcpy(to + at * apart, from, width);
        else
            s->function(s->kind, to + at * apart, from, 1);
    }
    return k;
}

OB_RUN(ob__run_scatter_elements) {
    const ob_view *indices = &args->in[1], *updates = &args->in[2], *out = &args->out[0];
    const state *s = args->state;
    int32_t axis = 0, rank = out->rank;
    OB_TRY(ob__axis(s->axis, rank, &axis, error));
    OB_FAIL_IF(indices->rank != rank || updates->rank != rank, error, OB_E_SHAPE, "ranks differ");
    for (int32_t a = 0; a < rank; a++)
        OB_FAIL_IF(indices->dims[a] != updates->dims[a] || (a != axis && indices->dims[a] > out->dims[a]), error, OB_E_SHAPE,
                   "axis %d of the indices does not fit", a);
    obk_pace pace = ob__pace(args->threads);
    copy_data(args, &pace);
    const size_t width = ob_dtype_size(out->dtype);
    const int64_t count = ob__count(indices), size = out->dims[axis], n = indices->dims[rank - 1], apart = out->strides[axis];
    const int64_t step = axis == rank - 1 ? 0 : out->strides[rank - 1];
    enum { SOME = 1 << 16 };
    int64_t index[OB_MAX_RANK] = {0};
    char *to = out->data;
    const char *from = updates->data;
    for (int64_t i = 0; i < count; i += n, from += n * (int64_t)width) {
        for (int64_t k = 0, some; k < n; k += some) {
            const char *row = from + k * (int64_t)width;
            some = n - k < SOME ? n - k : SOME;
            const int64_t done = width == 4 ? scatter_row(s, to + k * step, row, indices, i + k, some, size, apart, step, 4)
                                            : scatter_row(s, to + k * step, row, indices, i + k, some, size, apart, step, width);
            if (done < some) return ob__bad_index(ob__index_at(indices, i + k + done), size, axis, error);
            if (obk_stops(&pace, 4 * some)) return OB_OK;
        }
        for (int32_t a = rank - 2; a >= 0; a--) {
            int64_t stride = a == axis ? 0 : out->strides[a];
            to += stride;
            if (++index[a] < indices->dims[a]) break;
            to -= index[a] * stride;
            index[a] = 0;
        }
    }
    return OB_OK;
}

const ob_kernel ob__kernel_scatter_elements = {.name = "scatter_elements",
                                               .state_bytes = sizeof(state),
                                               .plan = scatter_plan,
                                               OB_RUNS(ob__run_scatter_elements),
                                               .state = &scatter_struct,
                                               .refuse = scatter_refuse};

static void combine_block(const state *s, char *to, const char *from, int64_t n, size_t width, obk_pace *pace) {
    enum { SOME = 1 << 16 };
    for (int64_t done = 0, some; done < n && !pace->over; done += some) {
        some = n - done < SOME ? n - done : SOME;
        s->function(s->kind, to + done * (int64_t)width, from + done * (int64_t)width, some);
        (void)obk_stops(pace, some);
    }
}

/* The last axis of the indices is a position in the first axes of the data; updates have the axes after those. */
OB_RUN(ob__run_scatter_nd) {
    const ob_view *indices = &args->in[1], *updates = &args->in[2], *out = &args->out[0];
    const state *s = args->state;
    OB_FAIL_IF(indices->rank < 1, error, OB_E_SHAPE, "scalar indices");
    int64_t depth = indices->dims[indices->rank - 1];
    OB_FAIL_IF(depth > out->rank, error, OB_E_SHAPE, "positions of %lld axes in rank %d", (long long)depth, out->rank);
    int64_t n_positions = ob__product(indices->dims, 0, indices->rank - 1);
    int64_t block = ob__product(out->dims, (int32_t)depth, out->rank);
    OB_FAIL_IF(n_positions * block != ob__count(updates), error, OB_E_SHAPE, "%lld updates of %lld elements for %lld",
               (long long)n_positions, (long long)block, (long long)ob__count(updates));
    obk_pace pace = ob__pace(args->threads);
    copy_data(args, &pace);
    size_t n_bytes = (size_t)block * ob_dtype_size(out->dtype);
    if (n_bytes == 0) return OB_OK;
    const char *from = updates->data;
    for (int64_t i = 0; i < n_positions && !obk_stops(&pace, 4); i++, from += n_bytes) {
        char *to = out->data;
        for (int32_t k = 0; k < (int32_t)depth; k++) {
            int64_t at = ob__index_at(indices, i * depth + k), size = out->dims[k];
            if (at < -size || at >= size) return ob__bad_index(at, size, k, error);
            to += (at < 0 ? at + size : at) * out->strides[k];
        }
        if (!s->function)
            ob__copy_bytes(to, from, n_bytes, &pace);
        else
            combine_block(s, to, from, block, ob_dtype_size(out->dtype), &pace);
    }
    return OB_OK;
}

const ob_kernel ob__kernel_scatter_nd = {.name = "scatter_nd",
                                         .state_bytes = sizeof(state),
                                         .plan = scatter_plan,
                                         OB_RUNS(ob__run_scatter_nd),
                                         .state = &scatter_struct,
                                         .refuse = scatter_refuse};
