#include "ops/k_common.h"

#include <limits.h>

/* ---- operands ---- */

int64_t ob__product(const int64_t *dims, int32_t begin, int32_t end) {
    uint64_t n = 1;
    for (int32_t i = begin; i < end; i++) n *= (uint64_t)dims[i];
    return (int64_t)n;
}

ob_status ob__need_scratch(ob_kernel_needs *needs, int64_t count, size_t n_bytes_each, ob_error *error) {
    size_t n_bytes = 0;
    bool bad = count < 0 || ob__size_mul_overflows((size_t)count, n_bytes_each, &n_bytes) || n_bytes > (size_t)INT64_MAX - 64;
    n_bytes = (n_bytes + 63) & ~(size_t)63;
    bad = bad || needs->scratch_bytes > (size_t)INT64_MAX - n_bytes;
    OB_FAIL_IF(bad, error, OB_E_LIMIT, "scratch memory of %lld elements is too large", (long long)count);
    needs->scratch_bytes += n_bytes;
    return OB_OK;
}

/* ---- axes and integers ---- */

ob_status ob__axis(int64_t axis, int32_t rank, int32_t *out, ob_error *error) {
    OB_FAIL_IF(axis < -(int64_t)rank || axis >= rank, error, OB_E_ARGUMENT, "axis %lld is outside a tensor of rank %d",
               (long long)axis, rank);
    *out = (int32_t)(axis < 0 ? axis + rank : axis);
    return OB_OK;
}

ob_status ob__read_ints(const ob_view *view, int64_t *ints, int32_t max, int32_t *n, ob_error *error) {
    int64_t count = ob__count(view);
    OB_FAIL_IF(count > max, error, OB_E_ARGUMENT, "%lld integers where at most %d are possible", (long long)count, max);
    OB_FAIL_IF(view->dtype != OB_INT64 && view->dtype != OB_INT32, error, OB_E_TYPE, "integers expected, not %s",
               ob_dtype_name(view->dtype));
    OB_FAIL_IF(count > 0 && !view->data, error, OB_E_UNSUPPORTED, "the integers are not known before the run");
    int64_t index[OB_MAX_RANK] = {0};
    const char *from = view->data;
    for (int64_t i = 0; i < count; i++) {
        if (view->dtype == OB_INT64) {
            memcpy(&ints[i], from, sizeof ints[i]);
        } else {
            int32_t narrow;
            memcpy(&narrow, from, sizeof narrow);
            ints[i] = narrow;
        }
        for (int32_t a = view->rank - 1; a >= 0; a--) {
            from += view->strides[a];
            if (++index[a] < view->dims[a]) break;
            from -= index[a] * view->strides[a];
            index[a] = 0;
        }
    }
    *n = (int32_t)count;
    return OB_OK;
}

ob_status ob__read_list(const ob_kernel_args *args, const char *name, uint32_t i, int64_t *ints, int32_t max, int32_t *n,
                        ob_error *error) {
    if (ob__given(args, i)) return ob__read_ints(&args->in[i], ints, max, n, error);
    uint32_t n_attribute;
    const int64_t *attribute = ob__node_ints(args->node, name, &n_attribute);
    *n = -1;
    if (!attribute && !ob__node_attribute(args->node, name)) return OB_OK;
    OB_FAIL_IF(n_attribute > (uint32_t)max, error, OB_E_ARGUMENT, "attribute %s has %u entries, at most %d are possible", name,
               n_attribute, max);
    for (uint32_t k = 0; k < n_attribute; k++) ints[k] = attribute[k];
    *n = (int32_t)n_attribute;
    return OB_OK;
}

ob_status ob__read_axes(const ob_kernel_args *args, const char *name, uint32_t i, int32_t rank, uint32_t *axes, bool *given,
                        ob_error *error) {
    int64_t list[OB_MAX_RANK];
    int32_t n;
    OB_TRY(ob__read_list(args, name, i, list, OB_MAX_RANK, &n, error));
    *axes = 0;
    *given = n > 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t axis = 0;
        OB_TRY(ob__axis(list[k], rank, &axis, error));
        *axes |= UINT32_C(1) << axis;
    }
    return OB_OK;
}

ob_status ob__check_type(const ob_kernel_args *args, uint32_t i, ob_error *error) {
    ob_dtype dtype = args->in[i].dtype;
    OB_FAIL_IF(!(ob__op_input_types(args->op, i) >> dtype & 1), error, OB_E_TYPE, "%s-%d does not take %s as input %u",
               args->node->op_type, args->op->since, ob_dtype_name(dtype), i);
    return OB_OK;
}

ob_status ob__bad_index(const ob_kernel_args *args, int64_t index, int64_t size, int32_t axis, ob_error *error) {
    if (error) error->axis = axis;
    return ob__fail(error, OB_E_ARGUMENT, "%s: index %lld is outside axis %d of size %lld", args->node->op_type, (long long)index,
                    axis, (long long)size);
}

/* ---- movement ---- */

void ob__contiguous_strides(int32_t rank, const int64_t *dims, size_t width, int64_t *strides) {
    uint64_t stride = width;
    for (int32_t i = rank - 1; i >= 0; i--) {
        strides[i] = (int64_t)stride;
        stride *= (uint64_t)(dims[i] > 0 ? dims[i] : 1);
    }
}

#define COPY_RUN(bytes)                                                                                                          \
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_stride, from + i * from_stride, bytes)

static void copy_run(size_t width, int64_t n, char *to, int64_t to_stride, const char *from, int64_t from_stride) {
    if (to_stride == (int64_t)width && from_stride == (int64_t)width) {
        memcpy(to, from, (size_t)n * width);
        return;
    }
    if (to_stride == (int64_t)width && from_stride == 0) {
        ob__fill(to, n, width, from);
        return;
    }
    switch (width) {
    case 1: COPY_RUN(1); break;
    case 2: COPY_RUN(2); break;
    case 4: COPY_RUN(4); break;
    case 8: COPY_RUN(8); break;
    case 16: COPY_RUN(16); break;
    default: COPY_RUN(width); break;
    }
}

/* Two axes of which one is dense in `to` and the other in `from`, in square tiles so that both sides stay in the cache. */
static void copy_tiles(size_t width, const int64_t dims[2], char *to, const int64_t to_strides[2], const char *from,
                       const int64_t from_strides[2]) {
    enum { TILE = 16 };
    for (int64_t i = 0; i < dims[0]; i += TILE) {
        int64_t i_end = i + TILE < dims[0] ? i + TILE : dims[0];
        for (int64_t j = 0; j < dims[1]; j += TILE) {
            int64_t n = j + TILE < dims[1] ? TILE : dims[1] - j;
            for (int64_t k = i; k < i_end; k++)
                copy_run(width, n, to + k * to_strides[0] + j * to_strides[1], to_strides[1],
                         from + k * from_strides[0] + j * from_strides[1], from_strides[1]);
        }
    }
}

typedef struct layout {
    int32_t rank;
    int64_t dims[OB__COPY_RANK], to[OB__COPY_RANK], from[OB__COPY_RANK];
} layout;

/* Drops axes of size 1 and merges neighbours that both sides step through evenly. False when there is nothing to copy. */
static bool simplify(layout *l, int32_t rank, const int64_t *dims, const int64_t *to, const int64_t *from) {
    l->rank = 0;
    for (int32_t a = 0; a < rank; a++) {
        if (dims[a] == 0) return false;
        if (dims[a] == 1) continue;
        int32_t last = l->rank - 1;
        if (last >= 0 && l->to[last] == dims[a] * to[a] && l->from[last] == dims[a] * from[a]) {
            l->dims[last] *= dims[a];
            l->to[last] = to[a];
            l->from[last] = from[a];
            continue;
        }
        l->dims[l->rank] = dims[a];
        l->to[l->rank] = to[a];
        l->from[l->rank] = from[a];
        l->rank++;
    }
    return true;
}

static void move_axis_to_end(layout *l, int32_t axis) {
    int64_t dim = l->dims[axis], to = l->to[axis], from = l->from[axis];
    for (int32_t a = axis; a + 1 < l->rank; a++) {
        l->dims[a] = l->dims[a + 1];
        l->to[a] = l->to[a + 1];
        l->from[a] = l->from[a + 1];
    }
    l->dims[l->rank - 1] = dim;
    l->to[l->rank - 1] = to;
    l->from[l->rank - 1] = from;
}

void ob__copy(int32_t rank, const int64_t *dims, size_t width, void *to_data, const int64_t *to_strides, const void *from_data,
              const int64_t *from_strides) {
    layout l;
    if (!simplify(&l, rank, dims, to_strides, from_strides)) return;
    char *to = to_data;
    const char *from = from_data;
    if (l.rank == 0) {
        if (to != from) memcpy(to, from, width);
        return;
    }
    if (to == from && memcmp(l.to, l.from, sizeof l.to[0] * (size_t)l.rank) == 0) return;
    int32_t inner = 1;
    if (l.from[l.rank - 1] != (int64_t)width && l.from[l.rank - 1] != 0) {
        for (int32_t a = 0; a + 1 < l.rank; a++) {
            if (l.from[a] != (int64_t)width) continue;
            move_axis_to_end(&l, a);
            move_axis_to_end(&l, l.rank - 2); /* the dense axis of `from` second to last, that of `to` last */
            inner = 2;
            break;
        }
    }
    int32_t outer = l.rank - inner;
    int64_t index[OB__COPY_RANK] = {0};
    for (;;) {
        if (inner == 2)
            copy_tiles(width, &l.dims[outer], to, &l.to[outer], from, &l.from[outer]);
        else
            copy_run(width, l.dims[outer], to, l.to[outer], from, l.from[outer]);
        int32_t a = outer - 1;
        for (; a >= 0; a--) {
            to += l.to[a];
            from += l.from[a];
            if (++index[a] < l.dims[a]) break;
            to -= index[a] * l.to[a];
            from -= index[a] * l.from[a];
            index[a] = 0;
        }
        if (a < 0) return;
    }
}

void ob__copy_contiguous(const ob_view *from, void *to) {
    int64_t strides[OB_MAX_RANK];
    size_t width = ob_dtype_size(from->dtype);
    ob__contiguous_strides(from->rank, from->dims, width, strides);
    ob__copy(from->rank, from->dims, width, to, strides, from->data, from->strides);
}

void ob__fill(void *to, int64_t n, size_t width, const void *value) {
    char *bytes = to;
    if (n <= 0) return;
    if (!value) {
        memset(bytes, 0, (size_t)n * width);
        return;
    }
    if (width == 1) {
        memset(bytes, *(const unsigned char *)value, (size_t)n);
        return;
    }
    /* Doubling: each memcpy copies what is there. */
    memmove(bytes, value, width);
    size_t done = width, total = (size_t)n * width;
    while (done < total) {
        size_t step = done < 4096 ? done : 4096 / width * width;
        if (step > total - done) step = total - done;
        memcpy(bytes + done, bytes, step);
        done += step;
    }
}

/* ---- views ---- */

ob_status ob__view_outputs(ob_kernel_args *args, ob__view_of view_of, ob_error *error) {
    for (uint32_t i = 0; i < args->n_out; i++) {
        if (!ob__wanted(args, i)) continue;
        ob_view view = args->out[i];
        OB_TRY(view_of(args, i, &view, error));
        args->out[i] = view;
    }
    return OB_OK;
}

ob_status ob__copy_outputs(const ob_kernel_args *args, ob__view_of view_of, ob_error *error) {
    for (uint32_t i = 0; i < args->n_out; i++) {
        if (!ob__wanted(args, i)) continue;
        const ob_view *out = &args->out[i];
        ob_view view = *out;
        OB_TRY(view_of(args, i, &view, error));
        ob__copy(out->rank, out->dims, ob_dtype_size(out->dtype), out->data, out->strides, view.data, view.strides);
    }
    return OB_OK;
}
