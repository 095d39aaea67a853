/* Contents of constant tensors as terms. */
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/graph/half.h"
#include "core/graph/types.h"
#include "ops/infer/contents.h"
#include "ops/table/op.h"

/* A float becomes a term only if it is an integer that float arithmetic keeps exact. */
static ob_dim integral(double x) {
    return x == floor(x) && fabs(x) <= 16777216.0 ? (ob_dim)x : OB_DIM_UNKNOWN;
}

static bool read_element(const ob_tensor *tensor, int64_t i, ob_dim *out) {
    const char *at = (const char *)tensor->data + (size_t)i * ob_dtype_size(tensor->dtype);
    switch (tensor->dtype) {
    case OB_INT64: {
        int64_t x;
        memcpy(&x, at, sizeof x);
        *out = ob__saturated(x);
        return true;
    }
    case OB_INT32: {
        int32_t x;
        memcpy(&x, at, sizeof x);
        *out = x;
        return true;
    }
    case OB_BOOL: *out = *at != 0; return true;
    case OB_FLOAT: {
        float x;
        memcpy(&x, at, sizeof x);
        *out = integral((double)x);
        return true;
    }
    case OB_DOUBLE: {
        double x;
        memcpy(&x, at, sizeof x);
        *out = integral(x);
        return true;
    }
    case OB_FLOAT16: {
        uint16_t x;
        memcpy(&x, at, sizeof x);
        *out = integral((double)ob__float_from_half(x));
        return true;
    }
    default: return false;
    }
}

/* If some elements are not integers, adds fractions for all. */
static ob_status add_fractions(const ob_tensor *data, ob_arena *arena, ob_content *out) {
    double values[16];
    bool whole = true;
    for (uint32_t i = 0; i < out->n; i++) {
        const char *at = (const char *)data->data + (size_t)i * ob_dtype_size(data->dtype);
        float x;
        memcpy(data->dtype == OB_FLOAT ? (void *)&x : (void *)&values[i], at, ob_dtype_size(data->dtype));
        if (data->dtype == OB_FLOAT) values[i] = (double)x;
        whole = whole && out->elems[i] != OB_DIM_UNKNOWN;
    }
    if (whole) return OB_OK;
    ob_dim *parts = ob__arena_alloc(arena, out->n * sizeof *parts);
    if (!parts) return OB_E_MEMORY;
    if (ob__fractions_of(values, out->n, parts, &out->denominator)) out->parts = parts;
    return OB_OK;
}

ob_status ob__content_of_tensor(const ob_tensor *data, ob_arena *arena, ob_content *out) {
    *out = (ob_content){0};
    if (!data || !data->data || data->is_external || data->n_elems < 0 || data->n_elems > OB_CONTENT_MAX) return OB_OK;
    bool half = data->dtype == OB_FLOAT16, real = ob__dtype_is_real(data->dtype) || half;
    if (real && data->n_elems > 16) return OB_OK; /* more elements are weights, not sizes */
    if (!real && data->dtype != OB_INT64 && data->dtype != OB_INT32 && data->dtype != OB_BOOL) return OB_OK;
    ob_dim *elems = ob__arena_alloc(arena, (size_t)data->n_elems * sizeof *elems);
    if (!elems) return OB_E_MEMORY;
    for (int64_t i = 0; i < data->n_elems; i++)
        if (!read_element(data, i, &elems[i])) return OB_OK;
    *out = (ob_content){.n = (uint32_t)data->n_elems, .elems = elems};
    return real && !half ? add_fractions(data, arena, out) : OB_OK;
}

bool ob__content_dtype(ob_dtype dtype) {
    return dtype == OB_INT64 || dtype == OB_INT32 || dtype == OB_BOOL || ob__dtype_is_real(dtype);
}

/* A constant out of the type's range would wrap or round at run time. */
ob_dim ob__content_within(ob_dim d, ob_dtype dtype) {
    if (!ob_dim_is_const(d)) return d;
    int64_t most = dtype == OB_INT32    ? INT32_MAX
                   : dtype == OB_FLOAT  ? 1 << 24
                   : dtype == OB_DOUBLE ? INT64_C(1) << 53
                                        : INT64_MAX;
    const int64_t least = dtype == OB_INT32 ? INT32_MIN : -most;
    return d > most || d < least ? OB_DIM_UNKNOWN : d;
}

ob_dim ob__content_exact(ob_dim d) {
    return d == OB_DIM_CONST_MAX || d == -OB_DIM_CONST_MAX ? OB_DIM_UNKNOWN : d;
}

/* ---- Whole contents ---- */

/* The row-major position in shape `from` of the element that broadcasts to position `at` of `to`. The dims are constants. */
static uint32_t source_position(ob_shape from, ob_shape to, uint32_t at) {
    uint32_t position = 0, step = 1;
    for (int32_t axis = to.rank - 1, k = from.rank - 1; axis >= 0; axis--, k--) {
        uint32_t size = (uint32_t)to.dims[axis], coordinate = at % size;
        at /= size;
        if (k < 0) continue;
        if (from.dims[k] != 1) position += coordinate * step;
        step *= (uint32_t)from.dims[k];
    }
    return position;
}

bool ob__content_readable(const ob_infer *infer, uint32_t input, ob_shape to) {
    const ob_shape shape = ob__in_shape(infer, input);
    const ob_content content = ob__in_content(infer, input);
    uint32_t count;
    if (!content.elems || !ob__small_count(infer, shape, &count) || count != content.n || shape.rank > to.rank) return false;
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        ob_dim size = shape.dims[axis];
        if (size != 1 && size != to.dims[axis + to.rank - shape.rank]) return false;
    }
    return true;
}

ob_dim ob__content_element(const ob_infer *infer, uint32_t input, ob_shape to, uint32_t at) {
    return ob__in_content(infer, input).elems[source_position(ob__in_shape(infer, input), to, at)];
}

ob_status ob__content_stretch(ob_infer *infer, uint32_t input, uint32_t output) {
    uint32_t n;
    ob_shape to = output < infer->node->n_outputs ? infer->out_types[output].shape : (ob_shape){OB_RANK_UNKNOWN, NULL};
    if (!ob__small_count(infer, to, &n) || !ob__content_readable(infer, input, to)) return ob__range_share(infer, input, output);
    ob_dim *elems = ob__new_dims(infer, n);
    if (!elems) return OB_E_MEMORY;
    for (uint32_t at = 0; at < n; at++) elems[at] = ob__content_element(infer, input, to, at);
    infer->out_contents[output] = (ob_content){.n = n, .elems = elems};
    return OB_OK;
}

ob_status ob__content_share(ob_infer *infer, uint32_t input, uint32_t output) {
    /* the range of the elements is shared too */
    if (output >= infer->node->n_outputs) return OB_OK;
    infer->out_contents[output] = ob__in_content(infer, input);
    infer->out_contents[output].trace = NULL;
    return ob__trace_same(infer, input, output);
}
