/* Gather 1.., GatherElements 11.., GatherND 11.. (batch_dims since 12), OneHot 9.., Trilu 14: select elements by index. Every
 * element type, by width. A negative index counts from the end; E_ARGUMENT with the index if it is outside the axis. */
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/select/params.h"
#include "ops/table/op.h"

static ob_status check_indices(const ob_kernel_args *args, uint32_t i, ob_error *error) {
    ob_dtype dtype = args->in[i].dtype;
    OB_FAIL_IF(dtype != OB_INT64 && dtype != OB_INT32, error, OB_E_TYPE, "indices of type %s", ob_dtype_name(dtype));
    return OB_OK;
}

enum { LONG = 1 << 20 }; /* bytes of a copy between two checks for cancellation */

static void copy_block(char *to, const char *from, size_t n_bytes, obk_pace *pace) {
    switch (n_bytes) { /* for a few bytes a call costs more than the copy */
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    case 16: memcpy(to, from, 16); break;
    default:
        if (n_bytes > LONG)
            ob__copy_bytes(to, from, n_bytes, pace);
        else
            memcpy(to, from, n_bytes);
        break;
    }
}

static inline void copy_each(char *to, const char *from, int64_t n, int64_t to_step, int64_t from_step, const size_t n_bytes) {
    for (int64_t k = 0; k < n; k++) memcpy(to + k * to_step, from + k * from_step, n_bytes);
}

/* n blocks, `to_step` and `from_step` bytes apart. */
static void copy_blocks(char *to, const char *from, int64_t n, int64_t to_step, int64_t from_step, size_t n_bytes,
                        obk_pace *pace) {
    switch (n_bytes) {
    case 4: copy_each(to, from, n, to_step, from_step, 4); break;
    case 8: copy_each(to, from, n, to_step, from_step, 8); break;
    default:
        for (int64_t k = 0; k < n; k++) copy_block(to + k * to_step, from + k * from_step, n_bytes, pace);
    }
}

typedef struct along {
    int32_t axis;
} along;

static const ob_member along_members[] = {OB_VALUE(along, axis)};
static const ob_struct along_struct = OB_STRUCT(along, along_members);

static ob_status axis_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    return ob__axis(ob__gather_axis(site->node), args->in[0].rank, &((along *)args->state)->axis, error);
}

/* out[o, i, :] = data[o, indices[i], :] */
OB_RUN(ob__run_gather) {
    const ob_view *data = &args->in[0], *indices = &args->in[1], *out = &args->out[0];
    OB_TRY(check_indices(args, 1, error));
    int32_t axis = ((const along *)args->state)->axis;
    int64_t n = data->dims[axis], n_indices = ob__count(indices), outer = ob__product(data->dims, 0, axis);
    size_t block = (size_t)ob__product(data->dims, axis + 1, data->rank) * ob_dtype_size(data->dtype);
    int64_t n_bytes = outer * n_indices * (int64_t)block;
    OB_FAIL_IF(n_bytes != ob__count(out) * (int64_t)ob_dtype_size(out->dtype), error, OB_E_SHAPE, "result of another size");
    /* Copies some rows at a time, so that they are still in the cache for the next index. */
    enum { NEAR = 16 << 10, APART = 16 };
    const int64_t from_step = n * (int64_t)block, to_step = n_indices * (int64_t)block, rows = NEAR / (from_step + 1) + 1;
    obk_pace pace = ob__pace(args->threads);
    for (int64_t o = 0; o == 0 || o < outer; o += rows) { /* without rows the indices are still checked */
        const int64_t some = outer - o < rows ? outer - o : rows;
        const int64_t work = APART * (2 + some * (int64_t)(block < LONG ? block / 4 : 0));
        for (int64_t i = 0; i < n_indices; i++) {
            int64_t index = ob__index_at(indices, i);
            if (index < -n || index >= n) return ob__bad_index(index, n, axis, error);
            if (index < 0) index += n;
            if ((i & (APART - 1)) == 0 && obk_stops(&pace, work)) return OB_OK;
            if (block == 0 || some == 0) continue;
            copy_blocks((char *)out->data + o * to_step + i * (int64_t)block,
                        (const char *)data->data + o * from_step + index * (int64_t)block, some, to_step, from_step, block,
                        &pace);
        }
    }
    return OB_OK;
}

/* One index that is known during planning picks a slice. */
static ob_status gather_view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    const ob_view *data = &args->in[0], *indices = &args->in[1];
    ob_view *out = &args->out[0];
    int32_t axis;
    OB_TRY(check_indices(args, 1, error));
    OB_TRY(ob__axis(ob__gather_axis(site->node), data->rank, &axis, error));
    OB_FAIL_IF(!indices->data || ob__count(indices) != 1 || out->rank != data->rank - 1 + indices->rank, error, OB_E_UNSUPPORTED,
               "it is not known to be one slice");
    const int64_t n = data->dims[axis], given = ob__index_at(indices, 0), index = given < 0 ? given + n : given;
    OB_FAIL_IF(index < 0 || index >= n, error, OB_E_UNSUPPORTED, "no such slice"); /* `run` says so */
    for (int32_t a = 0; a < out->rank; a++) {
        const bool picked = a >= axis && a < axis + indices->rank; /* an axis of size 1 */
        out->strides[a] = picked ? 0 : data->strides[a < axis ? a : a - indices->rank + 1];
    }
    out->data = data->data ? (char *)data->data + index * data->strides[axis] : NULL;
    return OB_OK;
}

const ob_kernel ob__kernel_gather = {.name = "gather",
                                     .flags = OB_KERNEL_VIEW,
                                     .state_bytes = sizeof(along),
                                     .plan = axis_plan,
                                     OB_RUNS(ob__run_gather),
                                     .state = &along_struct,
                                     .view = gather_view};

/* Gathers n elements for one row of the indices: element k is at from + k * step, plus its index times `apart` bytes along the
 * axis. Returns the number of elements before an invalid index. */
static inline int64_t gather_row(char *to, const char *from, const ob_view *indices, int64_t first, int64_t n, int64_t size,
                                 int64_t apart, int64_t step, const bool wide, const size_t width) {
    int64_t k = 0;
    for (; k < n; k++) {
        int64_t at = wide ? ((const int64_t *)indices->data)[first + k] : ((const int32_t *)indices->data)[first + k];
        at += at < 0 ? size : 0;
        if ((uint64_t)at >= (uint64_t)size) break;
        memcpy(to + k * (int64_t)width, from + at * apart + k * step, width);
    }
    return k;
}

/* out[i0 .. ik ..] = data[i0 .. indices[i0 .. ik ..] ..] along `axis` */
OB_RUN(ob__run_gather_elements) {
    const ob_view *data = &args->in[0], *indices = &args->in[1], *out = &args->out[0];
    OB_TRY(check_indices(args, 1, error));
    int32_t axis = ((const along *)args->state)->axis, rank = data->rank;
    OB_FAIL_IF(indices->rank != rank || ob__count(indices) != ob__count(out), error, OB_E_SHAPE,
               "indices of another rank or size than the result");
    for (int32_t a = 0; a < rank; a++)
        OB_FAIL_IF(a != axis && indices->dims[a] > data->dims[a], error, OB_E_SHAPE, "axis %d of the indices exceeds the data",
                   a);
    const size_t width = ob_dtype_size(data->dtype);
    const bool wide = indices->dtype == OB_INT64;
    const int64_t count = ob__count(out), size = data->dims[axis], n = indices->dims[rank - 1], apart = data->strides[axis];
    const int64_t step = axis == rank - 1 ? 0 : data->strides[rank - 1];
    enum { SOME = 1 << 16 };
    int64_t index[OB_MAX_RANK] = {0};
    const char *from = data->data;
    char *to = out->data;
    obk_pace pace = ob__pace(args->threads);
    for (int64_t i = 0; i < count; i += n, to += n * (int64_t)width) {
        for (int64_t k = 0, some; k < n; k += some) {
            char *row = to + k * (int64_t)width;
            some = n - k < SOME ? n - k : SOME;
            const int64_t done =
                wide && width == 4   ? gather_row(row, from + k * step, indices, i + k, some, size, apart, step, true, 4)
                : wide && width == 8 ? gather_row(row, from + k * step, indices, i + k, some, size, apart, step, true, 8)
                                     : gather_row(row, from + k * step, indices, i + k, some, size, apart, step, wide, width);
            if (done < some) return ob__bad_index(ob__index_at(indices, i + k + done), size, axis, error);
            if (obk_stops(&pace, 4 * some)) return OB_OK;
        }
        for (int32_t a = rank - 2; a >= 0; a--) {
            int64_t stride = a == axis ? 0 : data->strides[a];
            from += stride;
            if (++index[a] < indices->dims[a]) break;
            from -= index[a] * stride;
            index[a] = 0;
        }
    }
    return OB_OK;
}

const ob_kernel ob__kernel_gather_elements = {.name = "gather_elements",
                                              .state_bytes = sizeof(along),
                                              .plan = axis_plan,
                                              OB_RUNS(ob__run_gather_elements),
                                              .state = &along_struct};

typedef struct gather_nd {
    int64_t batch;
} gather_nd;

static const ob_member gather_nd_members[] = {OB_VALUE(gather_nd, batch)};
static const ob_struct gather_nd_struct = OB_STRUCT(gather_nd, gather_nd_members);

/* The last axis of the indices is a position in the axes after batch_dims; the axes after those are copied. */
static ob_status gather_nd_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    (void)error;
    ((gather_nd *)args->state)->batch = ob__gather_batch(site->node);
    return OB_OK;
}

OB_RUN(ob__run_gather_nd) {
    const ob_view *data = &args->in[0], *indices = &args->in[1], *out = &args->out[0];
    OB_TRY(check_indices(args, 1, error));
    const int64_t batch = ((const gather_nd *)args->state)->batch;
    OB_FAIL_IF(indices->rank < 1 || data->rank < 1 || batch < 0 || batch >= indices->rank || batch >= data->rank, error,
               OB_E_ARGUMENT, "batch_dims %lld for ranks %d and %d", (long long)batch, data->rank, indices->rank);
    int32_t b = (int32_t)batch, q = indices->rank;
    int64_t depth = indices->dims[q - 1];
    OB_FAIL_IF(depth > data->rank - b, error, OB_E_SHAPE, "positions of %lld axes in rank %d", (long long)depth, data->rank);
    for (int32_t a = 0; a < b; a++) OB_FAIL_IF(data->dims[a] != indices->dims[a], error, OB_E_SHAPE, "batch axis %d differs", a);
    int32_t tail = b + (int32_t)depth;
    size_t block = (size_t)ob__product(data->dims, tail, data->rank) * ob_dtype_size(data->dtype);
    int64_t n_batches = ob__product(data->dims, 0, b), per_batch = ob__product(indices->dims, b, q - 1);
    size_t batch_bytes = (size_t)ob__product(data->dims, b, data->rank) * ob_dtype_size(data->dtype);
    OB_FAIL_IF(n_batches * per_batch * (int64_t)block != ob__count(out) * (int64_t)ob_dtype_size(out->dtype), error, OB_E_SHAPE,
               "result of another size");
    if (block == 0) return OB_OK;
    char *to = out->data;
    obk_pace pace = ob__pace(args->threads);
    for (int64_t i = 0; i < n_batches * per_batch && !obk_stops(&pace, 4 + (int64_t)(block < LONG ? block / 4 : 0));
         i++, to += block) {
        const char *from = (const char *)data->data + i / per_batch * (int64_t)batch_bytes;
        for (int32_t k = 0; k < (int32_t)depth; k++) {
            int64_t at = ob__index_at(indices, i * depth + k), size = data->dims[b + k];
            if (at < -size || at >= size) return ob__bad_index(at, size, b + k, error);
            from += (at < 0 ? at + size : at) * data->strides[b + k];
        }
        copy_block(to, from, block, &pace);
    }
    return OB_OK;
}

const ob_kernel ob__kernel_gather_nd = {.name = "gather_nd",
                                        .state_bytes = sizeof(gather_nd),
                                        .plan = gather_nd_plan,
                                        OB_RUNS(ob__run_gather_nd),
                                        .state = &gather_nd_struct};

/* ---- OneHot ---- */

/* A number of any type, truncated to an integer. */
static ob_status read_number(const ob_view *view, int64_t i, int64_t *out, ob_error *error) {
    const void *data = view->data;
    switch (view->dtype) {
#define OB_TYPE_TEMPLATE "ops/select/number.inc.h"
#include "core/graph/types.def"
    case OB_FLOAT16: *out = ob__int64_from((double)ob__float_from_half(((const uint16_t *)data)[i])); return OB_OK;
    default: return ob__fail(error, OB_E_UNSUPPORTED, "no integer from element type %s", ob_dtype_name(view->dtype));
    }
}

typedef struct one_hot {
    int32_t axis;
    bool wraps; /* negative indices count from the end, which version 9 does not allow */
} one_hot;

static const ob_member one_hot_members[] = {OB_VALUE(one_hot, axis), OB_VALUE(one_hot, wraps)};
static const ob_struct one_hot_struct = OB_STRUCT(one_hot, one_hot_members);

static ob_status one_hot_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    one_hot *s = args->state;
    s->wraps = site->op->since >= 11;
    return ob__axis(ob__one_hot_axis(site->node), args->in[0].rank + 1, &s->axis, error);
}

/* An index outside -depth .. depth - 1 (version 9: 0 .. depth - 1) gives a vector of off values. */
OB_RUN(ob__run_one_hot) {
    const ob_view *indices = &args->in[0], *values = &args->in[2], *out = &args->out[0];
    int64_t depth, n = ob__count(indices);
    OB_FAIL_IF(ob__count(&args->in[1]) != 1 || ob__count(values) != 2 || values->dtype != out->dtype, error, OB_E_SHAPE,
               "depth has to be one element, values two");
    OB_TRY(read_number(&args->in[1], 0, &depth, error));
    const one_hot *s = args->state;
    int32_t axis = s->axis;
    OB_FAIL_IF(out->rank != args->in[0].rank + 1, error, OB_E_SHAPE, "a result of rank %d", out->rank);
    OB_FAIL_IF(depth != out->dims[axis] || n * depth != ob__count(out), error, OB_E_SHAPE, "depth %lld, planned %lld",
               (long long)depth, (long long)out->dims[axis]);
    size_t width = ob_dtype_size(out->dtype);
    int64_t inner = ob__product(out->dims, axis + 1, out->rank);
    obk_pace pace = ob__pace(args->threads);
    ob__fill(out->data, ob__count(out), width, values->data, &pace);
    for (int64_t i = 0; i < n && !obk_stops(&pace, 8); i++) {
        int64_t at;
        OB_TRY(read_number(indices, i, &at, error));
        if (at < 0 && at >= -depth && s->wraps) at += depth;
        if (at < 0 || at >= depth) continue;
        memcpy((char *)out->data + ((i / inner * depth + at) * inner + i % inner) * (int64_t)width,
               (const char *)values->data + width, width);
    }
    return OB_OK;
}

static ob_status one_hot_shape(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    const ob_view *indices = &args->in[0];
    ob_view *out = &args->out[0];
    int64_t depth;
    int32_t axis = 0, rank = indices->rank + 1;
    OB_FAIL_IF(rank > OB_MAX_RANK || ob__count(&args->in[1]) != 1, error, OB_E_SHAPE, "depth has to be one element");
    OB_TRY(read_number(&args->in[1], 0, &depth, error));
    OB_TRY(ob__axis(ob__one_hot_axis(site->node), rank, &axis, error));
    OB_FAIL_IF(depth < 0, error, OB_E_ARGUMENT, "depth %lld", (long long)depth);
    for (int32_t a = 0; a < rank; a++) out->dims[a] = a == axis ? depth : indices->dims[a < axis ? a : a - 1];
    out->rank = rank;
    return OB_OK;
}

const ob_kernel ob__kernel_one_hot = {.name = "one_hot",
                                      .state_bytes = sizeof(one_hot),
                                      .plan = one_hot_plan,
                                      OB_RUNS(ob__run_one_hot),
                                      .state = &one_hot_struct,
                                      .shape = one_hot_shape};

/* ---- Trilu: the triangle on and above (upper) or below diagonal k, zero elsewhere ---- */

typedef struct trilu {
    bool upper;
} trilu;

static const ob_member trilu_members[] = {OB_VALUE(trilu, upper)};
static const ob_struct trilu_struct = OB_STRUCT(trilu, trilu_members);

static ob_status trilu_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    (void)error;
    ((trilu *)args->state)->upper = ob__trilu_upper(site->node);
    return OB_OK;
}

OB_RUN(ob__run_trilu) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    OB_FAIL_IF(in->rank < 2 || ob__count(in) != ob__count(out), error, OB_E_SHAPE, "rank %d", in->rank);
    int64_t k = 0, rows = in->dims[in->rank - 2], columns = in->dims[in->rank - 1];
    if (ob__given(args, 1)) {
        int32_t n = 0;
        OB_TRY(ob__read_ints(&args->in[1], &k, 1, &n, error));
        OB_FAIL_IF(n != 1, error, OB_E_ARGUMENT, "k is empty");
    }
    k = k < -rows ? -rows : k > columns ? columns : k;
    const bool upper = ((const trilu *)args->state)->upper;
    size_t width = ob_dtype_size(in->dtype);
    if (ob__count(in) == 0) return OB_OK;
    int64_t n_rows = ob__count(in) / columns;
    obk_pace pace = ob__pace(args->threads);
    for (int64_t row = 0; row < n_rows && !obk_stops(&pace, 8); row++) {
        int64_t cut = row % rows + k + (upper ? 0 : 1); /* first column on the right of the diagonal */
        cut = cut < 0 ? 0 : cut > columns ? columns : cut;
        const char *from = (const char *)in->data + row * columns * (int64_t)width;
        char *to = (char *)out->data + row * columns * (int64_t)width;
        size_t left = (size_t)cut * width, right = (size_t)(columns - cut) * width;
        if (upper) {
            ob__fill(to, (int64_t)left, 1, NULL, &pace);
            ob__copy_bytes(to + left, from + left, right, &pace);
        } else {
            ob__copy_bytes(to, from, left, &pace);
            ob__fill(to + left, (int64_t)right, 1, NULL, &pace);
        }
    }
    return OB_OK;
}

const ob_kernel ob__kernel_trilu = {
    .name = "trilu", .state_bytes = sizeof(trilu), .plan = trilu_plan, OB_RUNS(ob__run_trilu), .state = &trilu_struct};
