/* Tensor views: a broadcast operand is the same bytes with other strides. */
#include "onnx_broadcast/view.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/graph/copy.h"

/* As OB_FAIL_IF, for a record that may hold anything. On success it is left alone: these calls are short. */
#define FAIL_IF(condition, error, status, ...)                                                                                   \
    do {                                                                                                                         \
        if (condition) {                                                                                                         \
            ob_error_clear(error);                                                                                               \
            return ob__fail((error), (status), __VA_ARGS__);                                                                     \
        }                                                                                                                        \
    } while (0)

/* Elements of the dims, and true when elements times element size fit into INT64_MAX. A size of 0 does not hide an overflow. */
static bool count_elems(int32_t rank, const int64_t *dims, int64_t n_bytes_each, int64_t *n_elems) {
    int64_t count = 1, extent = n_bytes_each;
    for (int32_t i = 0; i < rank; i++) {
        if (ob__mul_overflows(extent, dims[i] ? dims[i] : 1, &extent)) return false;
        count *= dims[i];
    }
    *n_elems = count;
    return true;
}

bool ob__tensor_bytes(ob_dtype dtype, int32_t rank, const int64_t *dims, uint64_t *n_bytes) {
    int64_t n_elems, width = (int64_t)ob_dtype_size(dtype);
    for (int32_t i = 0; i < rank; i++)
        if (dims[i] < 0) return false;
    if (!count_elems(rank, dims, width, &n_elems)) return false;
    *n_bytes = (uint64_t)n_elems * (uint64_t)width;
    return *n_bytes <= INT64_MAX / 4;
}

static ob_status check_dims(int32_t rank, const int64_t *dims, ob_error *error) {
    FAIL_IF(rank < 0 || (rank > 0 && !dims), error, OB_E_ARGUMENT, "no dimensions for rank %d", (int)rank);
    FAIL_IF(rank > OB_MAX_RANK, error, OB_E_LIMIT, "rank %d is more than %d", (int)rank, OB_MAX_RANK);
    for (int32_t i = 0; i < rank; i++)
        FAIL_IF(dims[i] < 0, error, OB_E_ARGUMENT, "dimension %d is negative: %lld", (int)i, (long long)dims[i]);
    return OB_OK;
}

ob_status ob_view_init(ob_view *view, void *data, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    int64_t stride = (int64_t)ob_dtype_size(dtype), n_elems;
    if (!view || stride == 0) return OB_E_ARGUMENT;
    OB_TRY(check_dims(rank, dims, NULL));
    if (!count_elems(rank, dims, stride, &n_elems)) return OB_E_LIMIT;
    if (!data && n_elems > 0) return OB_E_ARGUMENT;
    /* Sets only the axes that exist, because most of a view is capacity for more. `dims` may be the view's own array. */
    view->data = data;
    view->dtype = dtype;
    view->rank = rank;
    for (int32_t i = rank; i-- > 0;) {
        view->dims[i] = dims[i];
        view->strides[i] = stride;
        stride *= dims[i] ? dims[i] : 1;
    }
    return OB_OK;
}

int64_t ob_view_count(const ob_view *view) {
    int64_t count = 1;
    for (int32_t i = 0; i < view->rank; i++) count *= view->dims[i];
    return count;
}

bool ob_view_is_contiguous(const ob_view *view) {
    int64_t stride = (int64_t)ob_dtype_size(view->dtype);
    for (int32_t i = 0; i < view->rank; i++)
        if (view->dims[i] == 0) return true;
    for (int32_t i = view->rank; i-- > 0;) {
        if (view->dims[i] == 1) continue;
        if (view->strides[i] != stride) return false;
        stride *= view->dims[i];
    }
    return true;
}

/* ---- Broadcasting ---- */

/* Puts dimension i of `from` at axes[i] of a view of the given dims; the other axes, and those that grow, get stride 0. */
static ob_status place(const ob_view *from, const int64_t *axes, int32_t rank, const int64_t *dims, ob_view *out,
                       ob_error *error) {
    int64_t n_elems;
    FAIL_IF(!count_elems(rank, dims, (int64_t)ob_dtype_size(from->dtype), &n_elems), error, OB_E_LIMIT,
            "the result has too many elements");
    ob_view made = {.data = from->data, .dtype = from->dtype, .rank = rank};
    if (rank > 0) memcpy(made.dims, dims, (size_t)rank * sizeof *dims);
    for (int32_t i = 0; i < from->rank; i++) {
        int32_t axis = (int32_t)axes[i];
        if (from->dims[i] != 1 && from->dims[i] != dims[axis]) {
            ob_error_clear(error);
            if (error) error->axis = axis;
            return ob__fail(error, OB_E_SHAPE, "axis %d: %lld (operand 0) does not broadcast to %lld (the result)", (int)axis,
                            (long long)from->dims[i], (long long)dims[axis]);
        }
        made.strides[axis] = from->dims[i] == dims[axis] ? from->strides[i] : 0;
    }
    *out = made;
    return OB_OK;
}

ob_status ob_view_broadcast(const ob_view *from, int32_t rank, const int64_t *dims, ob_view *out, ob_error *error) {
    FAIL_IF(!from || !out, error, OB_E_ARGUMENT, "no view given");
    OB_TRY(check_dims(rank, dims, error));
    FAIL_IF(from->rank > rank, error, OB_E_SHAPE, "rank %d (operand 0) does not broadcast to rank %d (the result)",
            (int)from->rank, (int)rank);
    int64_t axes[OB_MAX_RANK];
    for (int32_t i = 0; i < from->rank; i++) axes[i] = rank - from->rank + i;
    return place(from, axes, rank, dims, out, error);
}

ob_status ob_view_broadcast_in_dim(const ob_view *from, const int64_t *broadcast_dimensions, size_t n_dimensions, int32_t rank,
                                   const int64_t *dims, ob_view *out, ob_error *error) {
    FAIL_IF(!from || !out, error, OB_E_ARGUMENT, "no view given");
    OB_TRY(check_dims(rank, dims, error));
    const ob_shape operand = {from->rank, from->dims};
    ob_broadcast_result aligned;
    OB_TRY(ob_align_in_dim(&operand, broadcast_dimensions, n_dimensions, rank, &aligned, error));
    return place(from, broadcast_dimensions, rank, dims, out, error);
}

ob_status ob_view_broadcast_all(const ob_view *from, size_t n, ob_view *out, ob_error *error) {
    FAIL_IF(n > 0 && (!from || !out), error, OB_E_ARGUMENT, "no views given");
    /* The common shape, operand by operand: with sizes that are numbers the pairwise fold loses nothing. */
    ob_broadcast_result common = {.rank = 0};
    size_t origin[OB_MAX_RANK] = {0}; /* the operand that gave each axis its size */
    for (size_t i = 0; i < n; i++) {
        const ob_view *view = &from[i];
        OB_TRY(check_dims(view->rank, view->dims, error));
        int32_t grown = view->rank - common.rank;
        if (grown > 0) {
            memmove(common.dims + grown, common.dims, (size_t)common.rank * sizeof *common.dims);
            memmove(origin + grown, origin, (size_t)common.rank * sizeof *origin);
            for (int32_t k = 0; k < grown; k++) common.dims[k] = 1;
            common.rank = view->rank;
        }
        for (int32_t k = 0; k < view->rank; k++) {
            int32_t axis = common.rank - view->rank + k;
            if (view->dims[k] == 1 || view->dims[k] == common.dims[axis]) continue;
            if (common.dims[axis] != 1) {
                ob_error_clear(error);
                if (error) error->axis = axis;
                return ob__fail(error, OB_E_SHAPE, "axis %d: %lld (operand %zu) does not broadcast with %lld (operand %zu)",
                                (int)axis, (long long)common.dims[axis], origin[axis], (long long)view->dims[k], i);
            }
            common.dims[axis] = view->dims[k];
            origin[axis] = i;
        }
    }
    for (size_t i = 0; i < n; i++) { /* nothing is written unless every view fits */
        int64_t n_elems;
        FAIL_IF(!count_elems(common.rank, common.dims, (int64_t)ob_dtype_size(from[i].dtype), &n_elems), error, OB_E_LIMIT,
                "the result has too many elements");
    }
    for (size_t i = 0; i < n; i++) OB_TRY(ob_view_broadcast(&from[i], common.rank, common.dims, &out[i], error));
    return OB_OK;
}

/* ---- Assignment ---- */

static bool same_dims(const ob_view *x, const ob_view *a) {
    for (int32_t i = 0; i < x->rank; i++)
        if (x->dims[i] != a->dims[i]) return false;
    return x->rank == a->rank;
}

/* The strides for reading `a` as x: its own if the shapes agree, otherwise the ones it stores in `room`. */
static ob_status source_strides(const ob_view *x, const ob_view *a, ob_view *room, const int64_t **strides, ob_error *error) {
    FAIL_IF(!x || !a, error, OB_E_ARGUMENT, "no view given");
    FAIL_IF(x->dtype != a->dtype, error, OB_E_TYPE, "%s is assigned to %s", ob_dtype_name(a->dtype), ob_dtype_name(x->dtype));
    for (int32_t i = 0; i < x->rank; i++)
        FAIL_IF(x->strides[i] == 0 && x->dims[i] > 1, error, OB_E_ARGUMENT,
                "a broadcast view cannot be assigned to: axis %d has stride 0", (int)i);
    if (x->rank <= OB_MAX_RANK && same_dims(x, a)) {
        *strides = a->strides;
        return OB_OK;
    }
    OB_TRY(ob_view_broadcast(a, x->rank, x->dims, room, error));
    *strides = room->strides;
    return OB_OK;
}

ob_status ob_view_assign(const ob_view *x, const ob_view *a, ob_error *error) {
    ob_view room;
    const int64_t *strides = NULL;
    OB_TRY(source_strides(x, a, &room, &strides, error));
    if (ob_view_count(x) > 0) ob__copy(x->rank, x->dims, ob_dtype_size(x->dtype), x->data, x->strides, a->data, strides, NULL);
    return OB_OK;
}

ob_status ob_view_assign_part(const ob_view *x, const ob_view *a, int64_t first, int64_t n, ob_error *error) {
    ob_view room;
    const int64_t *strides = NULL;
    OB_TRY(source_strides(x, a, &room, &strides, error));
    FAIL_IF(!ob_view_is_contiguous(x), error, OB_E_ARGUMENT, "a view that is assigned to in parts must be contiguous");
    int64_t n_elems = ob_view_count(x);
    FAIL_IF(first < 0 || n < 0 || first > n_elems || n > n_elems - first, error, OB_E_ARGUMENT,
            "elements from %lld on, %lld of them, are out of range: the view has %lld", (long long)first, (long long)n,
            (long long)n_elems);
    ob__copy_part(x->rank, x->dims, ob_dtype_size(x->dtype), x->data, x->strides, a->data, strides, first, n);
    return OB_OK;
}
