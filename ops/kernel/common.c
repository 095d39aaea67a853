#include "ops/kernel/common.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

#include <limits.h>

#include "core/base/integers.h"

/* ---- operands ---- */

int64_t ob__product(const int64_t *dims, int32_t begin, int32_t end) {
    uint64_t n = 1;
    for (int32_t i = begin; i < end; i++) n *= (uint64_t)dims[i];
    return (int64_t)n;
}

bool ob__writes_nothing(const ob_kernel_args *args) {
    for (uint32_t i = 0; i < args->n_out; i++)
        if (ob__wanted(args, i) && ob__count(&args->out[i]) > 0) return false;
    return true;
}

static ob_status add_block(size_t *bytes, int64_t count, size_t n_bytes_each, ob_error *error) {
    size_t n_bytes = 0;
    bool bad = count < 0 || __builtin_mul_overflow(count, n_bytes_each, &n_bytes) || n_bytes > PTRDIFF_MAX - 64;
    n_bytes = (size_t)ob__round_up_u64(n_bytes, 64);
    bad = bad || *bytes > PTRDIFF_MAX - n_bytes;
    OB_FAIL_IF(bad, error, OB_E_LIMIT, "scratch memory of %lld elements is too large", (long long)count);
    *bytes += n_bytes;
    return OB_OK;
}

ob_status ob__need_scratch(ob_kernel_needs *needs, int64_t count, size_t n_bytes_each, ob_error *error) {
    return add_block(&needs->scratch_bytes, count, n_bytes_each, error);
}

ob_status ob__need_lanes(ob_kernel_needs *needs, int64_t count, size_t n_bytes_each, ob_error *error) {
    return add_block(&needs->lane_bytes, count, n_bytes_each, error);
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

ob_status ob__read_either(const ob_ints *attribute, const ob_kernel_args *args, uint32_t i, int64_t *ints, int32_t max,
                          int32_t *n, ob_error *error) {
    if (ob__given(args, i)) return ob__read_ints(&args->in[i], ints, max, n, error);
    *n = -1;
    if (!attribute->given) return OB_OK;
    OB_FAIL_IF(attribute->n > (uint32_t)max, error, OB_E_ARGUMENT, "an attribute has %u entries, at most %d are possible",
               attribute->n, max);
    for (uint32_t k = 0; k < attribute->n; k++) ints[k] = attribute->at[k];
    *n = (int32_t)attribute->n;
    return OB_OK;
}

ob_status ob__keep_list(const ob_kernel_site *site, ob_ints *list) {
    if (list->n == 0) return OB_OK;
    int64_t *kept = ob__tail(site, list->n, sizeof *kept);
    if (!kept) return OB_E_MEMORY;
    memcpy(kept, list->at, list->n * sizeof *kept);
    list->at = kept;
    return OB_OK;
}

ob_status ob__keep_element(const ob_kernel_site *site, ob_dtype dtype, const void *element, ob_kept_element *kept,
                           ob_error *error) {
    const size_t width = ob_dtype_size(dtype);
    void *copy = ob__tail(site, 1, width);
    OB_FAIL_IF(!copy, error, OB_E_MEMORY, "no memory for a plan");
    memcpy(copy, element, width);
    const size_t number = ob__number_width(dtype);
    *kept = (ob_kept_element){copy, number ? (uint16_t)(width / number) : 0, (uint16_t)number};
    return OB_OK;
}

ob_status ob__keep_one(const ob_kernel_site *site, ob_dtype dtype, ob_kept_element *kept, ob_error *error) {
    uint64_t one;
    OB_TRY(ob__one(dtype, &one, error));
    return ob__keep_element(site, dtype, &one, kept, error);
}

size_t ob__number_width(ob_dtype dtype) {
    if (dtype == OB_STRING) return 0;
    return ob_dtype_size(dtype) / (ob__dtype_is_complex(dtype) ? 2 : 1);
}

ob_status ob__read_list(const ob_kernel_site *site, const ob_kernel_args *args, const char *name, uint32_t i, int64_t *ints,
                        int32_t max, int32_t *n, ob_error *error) {
    ob_ints attribute = ob__attribute_ints(site->node, name);
    return ob__read_either(&attribute, args, i, ints, max, n, error);
}

ob_status ob__read_axes(const ob_kernel_site *site, const ob_kernel_args *args, const char *name, uint32_t i, int32_t rank,
                        uint32_t *axes, bool *given, ob_error *error) {
    int64_t list[OB_MAX_RANK];
    int32_t n;
    OB_TRY(ob__read_list(site, args, name, i, list, OB_MAX_RANK, &n, error));
    *axes = 0;
    *given = n > 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t axis = 0;
        OB_TRY(ob__axis(list[k], rank, &axis, error));
        *axes |= UINT32_C(1) << axis;
    }
    return OB_OK;
}

ob_status ob__no_type(const ob_kernel_site *site, ob_error *error, ob_dtype dtype) {
    return ob__fail(error, OB_E_UNSUPPORTED, "version %d has no kernel for element type %s", site->op->since,
                    ob_dtype_name(dtype));
}

ob_status ob__check_type(const ob_kernel_site *site, const ob_kernel_args *args, uint32_t i, ob_error *error) {
    ob_dtype dtype = args->in[i].dtype;
    OB_FAIL_IF(!(ob__op_input_types(site->op, i) >> dtype & 1), error, OB_E_TYPE, "version %d does not take %s as input %u",
               site->op->since, ob_dtype_name(dtype), i);
    return OB_OK;
}

ob_status ob__bad_index(int64_t index, int64_t size, int32_t axis, ob_error *error) {
    if (error) error->axis = axis;
    return ob__fail(error, OB_E_ARGUMENT, "index %lld is outside axis %d of size %lld", (long long)index, axis, (long long)size);
}

/* ---- movement ---- */

void ob__contiguous_strides(int32_t rank, const int64_t *dims, size_t width, int64_t *strides) {
    uint64_t stride = width;
    for (int32_t i = rank - 1; i >= 0; i--) {
        strides[i] = (int64_t)stride;
        stride *= (uint64_t)(dims[i] > 0 ? dims[i] : 1);
    }
}

typedef struct copying {
    int32_t rank, axis; /* `axis` is cut */
    const int64_t *dims, *to_strides, *from_strides;
    size_t width;
    char *to;
    const char *from;
    const ob_threads *threads;
} copying;

static void copy_range(void *context, int64_t begin, int64_t end) {
    const copying *c = context;
    int64_t dims[OB__COPY_RANK];
    memcpy(dims, c->dims, (size_t)c->rank * sizeof *dims);
    dims[c->axis] = end - begin;
    obk_pace pace = ob__pace(c->threads);
    ob__copy(c->rank, dims, c->width, c->to + begin * c->to_strides[c->axis], c->to_strides,
             c->from + begin * c->from_strides[c->axis], c->from_strides, &pace);
}

void ob__copy_shared(int32_t rank, const int64_t *dims, size_t width, void *to, const int64_t *to_strides, const void *from,
                     const int64_t *from_strides, const ob_threads *threads) {
    enum { ENOUGH = 8, GRAIN_BYTES = 1 << 16 };
    copying c = {rank, 0, dims, to_strides, from_strides, width, to, from, threads};
    int64_t n_bytes = (int64_t)width;
    for (int32_t a = 0; a < rank; a++) n_bytes *= dims[a];
    /* the first axis that divides well, otherwise the longest */
    for (int32_t a = 1; a < rank && dims[c.axis] < ENOUGH; a++)
        if (dims[a] > dims[c.axis]) c.axis = a;
    if (rank == 0 || ob__lanes(threads) == 1 || n_bytes < 2 * GRAIN_BYTES) {
        obk_pace pace = ob__pace(threads);
        ob__copy(rank, dims, width, to, to_strides, from, from_strides, &pace);
        return;
    }
    const int64_t n = dims[c.axis];
    ob__parallel(threads, n, GRAIN_BYTES / (n_bytes / n) + 1, copy_range, &c);
}

void ob__copy_contiguous(const ob_view *from, void *to, const ob_threads *threads) {
    ob_view flat = *from;
    flat.data = to;
    ob__contiguous_strides(flat.rank, flat.dims, ob_dtype_size(flat.dtype), flat.strides);
    ob__copy_view(&flat, from, threads);
}

void ob__copy_view(const ob_view *to, const ob_view *from, const ob_threads *threads) {
    ob__copy_shared(to->rank, to->dims, ob_dtype_size(to->dtype), to->data, to->strides, from->data, from->strides, threads);
}

void ob__fill_elements(void *to, int64_t n, size_t width, const void *value, const ob_threads *threads) {
    obk_pace pace = ob__pace(threads);
    ob__fill(to, n, width, value, &pace);
}

/* ---- views ---- */

ob_status ob__view_outputs(const void *params, ob_kernel_args *args, ob__view_of view_of, ob_error *error) {
    for (uint32_t i = 0; i < args->n_out; i++) {
        if (!ob__wanted(args, i)) continue;
        ob_view view = args->out[i];
        OB_TRY(view_of(params, args, i, &view, error));
        args->out[i] = view;
    }
    return OB_OK;
}

ob_status ob__copy_outputs(const void *params, const ob_kernel_args *args, ob__view_of view_of, ob_error *error) {
    for (uint32_t i = 0; i < args->n_out; i++) {
        if (!ob__wanted(args, i)) continue;
        const ob_view *out = &args->out[i];
        ob_view view = *out;
        OB_TRY(view_of(params, args, i, &view, error));
        ob__copy_view(out, &view, args->threads);
    }
    return OB_OK;
}
