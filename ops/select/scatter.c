/* Scatter 9, 11, ScatterElements 11.., ScatterND 11..: a copy of the data with some elements replaced, or since 16 combined by
 * reduction add, mul and since 18 max, min. Every element type; reductions for numbers, bool (or, and) and, add and mul only,
 * complex. NaN wins max and min. Updates are applied in order. Negative indices count from the end; one outside is E_ARGUMENT. */
#include "ops/kernel/common.h"
#include "ops/select/params.h"

typedef void (*combine)(ob_reduction kind, void *to, const void *from, int64_t n);

/* Integers are added and multiplied as uint64_t: they wrap. W is the type to compute in. */
#define COMBINE(name, type, W)                                                                                                   \
    static void combine_##name(ob_reduction kind, void *to, const void *from, int64_t n) {                                       \
        type *y = to;                                                                                                            \
        const type *x = from;                                                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                                        \
            if (kind == OB_ADD)                                                                                                  \
                y[i] = (type)((W)y[i] + (W)x[i]);                                                                                \
            else if (kind == OB_MUL)                                                                                             \
                y[i] = (type)((W)y[i] * (W)x[i]);                                                                                \
            else if (y[i] == y[i] && (kind == OB_MAX ? !(y[i] >= x[i]) : !(y[i] <= x[i])))                                       \
                y[i] = x[i];                                                                                                     \
        }                                                                                                                        \
    }
COMBINE(float, float, float)
COMBINE(double, double, double)
COMBINE(int8, int8_t, uint64_t)
COMBINE(uint8, uint8_t, uint64_t)
COMBINE(int16, int16_t, uint64_t)
COMBINE(uint16, uint16_t, uint64_t)
COMBINE(int32, int32_t, uint64_t)
COMBINE(uint32, uint32_t, uint64_t)
COMBINE(int64, int64_t, uint64_t)
COMBINE(uint64, uint64_t, uint64_t)

static void combine_bool(ob_reduction kind, void *to, const void *from, int64_t n) {
    uint8_t *y = to;
    const uint8_t *x = from;
    for (int64_t i = 0; i < n; i++) y[i] = kind == OB_ADD || kind == OB_MAX ? y[i] || x[i] : y[i] && x[i];
}

#define COMBINE_NARROW(name, WIDEN, NARROW)                                                                                      \
    static void combine_##name(ob_reduction kind, void *to, const void *from, int64_t n) {                                       \
        uint16_t *y = to;                                                                                                        \
        const uint16_t *x = from;                                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                                                        \
            float value = WIDEN(y[i]), update = WIDEN(x[i]);                                                                     \
            combine_float(kind, &value, &update, 1);                                                                             \
            y[i] = NARROW(value);                                                                                                \
        }                                                                                                                        \
    }
COMBINE_NARROW(half, ob__float_from_half, ob__half_from_float)
COMBINE_NARROW(bfloat, ob__float_from_bfloat, ob__bfloat_from_float)

#define COMBINE_COMPLEX(name, type)                                                                                              \
    static void combine_##name(ob_reduction kind, void *to, const void *from, int64_t n) {                                       \
        type *y = to;                                                                                                            \
        const type *x = from;                                                                                                    \
        for (int64_t i = 0; i < 2 * n; i += 2) {                                                                                 \
            type re = kind == OB_ADD ? y[i] + x[i] : y[i] * x[i] - y[i + 1] * x[i + 1];                                          \
            y[i + 1] = kind == OB_ADD ? y[i + 1] + x[i + 1] : y[i] * x[i + 1] + y[i + 1] * x[i];                                 \
            y[i] = re;                                                                                                           \
        }                                                                                                                        \
    }
COMBINE_COMPLEX(complex64, float)
COMBINE_COMPLEX(complex128, double)

static combine find_combine(ob_dtype dtype, ob_reduction kind) {
    switch (dtype) {
    case OB_FLOAT: return combine_float;
    case OB_DOUBLE: return combine_double;
    case OB_FLOAT16: return combine_half;
    case OB_BFLOAT16: return combine_bfloat;
    case OB_INT8: return combine_int8;
    case OB_UINT8: return combine_uint8;
    case OB_INT16: return combine_int16;
    case OB_UINT16: return combine_uint16;
    case OB_INT32: return combine_int32;
    case OB_UINT32: return combine_uint32;
    case OB_INT64: return combine_int64;
    case OB_UINT64: return combine_uint64;
    case OB_BOOL: return combine_bool;
    case OB_COMPLEX64: return kind <= OB_MUL ? combine_complex64 : NULL;
    case OB_COMPLEX128: return kind <= OB_MUL ? combine_complex128 : NULL;
    default: return NULL;
    }
}

typedef struct state {
    ob_reduction kind;
    combine function; /* NULL: elements are replaced */
    int64_t axis;
} state;

static ob_status scatter_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    state *s = args->state;
    const ob_view *data = &args->in[0], *indices = &args->in[1], *updates = &args->in[2], *out = &args->out[0];
    OB_FAIL_IF(indices->dtype != OB_INT64 && indices->dtype != OB_INT32, error, OB_E_TYPE, "%s: indices of type %s",
               site->node->op_type, ob_dtype_name(indices->dtype));
    OB_FAIL_IF(updates->dtype != data->dtype || out->dtype != data->dtype || ob__count(out) != ob__count(data), error, OB_E_SHAPE,
               "%s: data, updates and result differ", site->node->op_type);
    s->kind = ob__scatter_reduction(site->node);
    s->axis = ob__gather_axis(site->node);
    OB_FAIL_IF(s->kind == OB_REDUCTIONS, error, OB_E_ARGUMENT, "%s: reduction \"%s\"", site->node->op_type,
               ob__node_string(site->node, "reduction", ""));
    if (s->kind == OB_REPLACE) return OB_OK;
    s->function = find_combine(data->dtype, s->kind);
    OB_FAIL_IF(!s->function, error, OB_E_UNSUPPORTED, "%s: no reduction \"%s\" for %s", site->node->op_type,
               ob__reduction_names[s->kind], ob_dtype_name(data->dtype));
    return OB_OK;
}

static void copy_data(const ob_kernel_args *args) {
    size_t n_bytes = (size_t)ob__count(&args->in[0]) * ob_dtype_size(args->in[0].dtype);
    if (n_bytes > 0 && args->out[0].data != args->in[0].data) memcpy(args->out[0].data, args->in[0].data, n_bytes);
}

static ob_status scatter_elements_run(const ob_kernel_args *args, ob_error *error) {
    const ob_view *indices = &args->in[1], *updates = &args->in[2], *out = &args->out[0];
    const state *s = args->state;
    int32_t axis = 0, rank = out->rank;
    OB_TRY(ob__axis(s->axis, rank, &axis, error));
    OB_FAIL_IF(indices->rank != rank || updates->rank != rank, error, OB_E_SHAPE, "ranks differ");
    for (int32_t a = 0; a < rank; a++)
        OB_FAIL_IF(indices->dims[a] != updates->dims[a] || (a != axis && indices->dims[a] > out->dims[a]), error, OB_E_SHAPE,
                   "axis %d of the indices does not fit", a);
    copy_data(args);
    size_t width = ob_dtype_size(out->dtype);
    int64_t index[OB_MAX_RANK] = {0}, count = ob__count(indices), size = out->dims[axis];
    char *to = out->data;
    const char *from = updates->data;
    for (int64_t i = 0; i < count; i++, from += width) {
        int64_t at = ob__index_at(indices, i);
        if (at < -size || at >= size) return ob__bad_index(at, size, axis, error);
        char *element = to + (at < 0 ? at + size : at) * out->strides[axis];
        if (!s->function)
            memcpy(element, from, width);
        else
            s->function(s->kind, element, from, 1);
        for (int32_t a = rank - 1; a >= 0; a--) {
            int64_t stride = a == axis ? 0 : out->strides[a];
            to += stride;
            if (++index[a] < indices->dims[a]) break;
            to -= index[a] * stride;
            index[a] = 0;
        }
    }
    return OB_OK;
}

const ob_kernel ob__kernel_scatter_elements = {
    .name = "scatter_elements", .state_bytes = sizeof(state), .plan = scatter_plan, .run = scatter_elements_run};

/* The last axis of the indices is a position in the first axes of the data; updates are what follows. */
static ob_status scatter_nd_run(const ob_kernel_args *args, ob_error *error) {
    const ob_view *indices = &args->in[1], *updates = &args->in[2], *out = &args->out[0];
    const state *s = args->state;
    OB_FAIL_IF(indices->rank < 1, error, OB_E_SHAPE, "scalar indices");
    int64_t depth = indices->dims[indices->rank - 1];
    OB_FAIL_IF(depth > out->rank, error, OB_E_SHAPE, "positions of %lld axes in rank %d", (long long)depth, out->rank);
    int64_t n_positions = ob__product(indices->dims, 0, indices->rank - 1);
    int64_t block = ob__product(out->dims, (int32_t)depth, out->rank);
    OB_FAIL_IF(n_positions * block != ob__count(updates), error, OB_E_SHAPE, "%lld updates of %lld elements for %lld",
               (long long)n_positions, (long long)block, (long long)ob__count(updates));
    copy_data(args);
    size_t n_bytes = (size_t)block * ob_dtype_size(out->dtype);
    if (n_bytes == 0) return OB_OK;
    const char *from = updates->data;
    for (int64_t i = 0; i < n_positions; i++, from += n_bytes) {
        char *to = out->data;
        for (int32_t k = 0; k < (int32_t)depth; k++) {
            int64_t at = ob__index_at(indices, i * depth + k), size = out->dims[k];
            if (at < -size || at >= size) return ob__bad_index(at, size, k, error);
            to += (at < 0 ? at + size : at) * out->strides[k];
        }
        if (!s->function)
            memcpy(to, from, n_bytes);
        else
            s->function(s->kind, to, from, block);
    }
    return OB_OK;
}

const ob_kernel ob__kernel_scatter_nd = {
    .name = "scatter_nd", .state_bytes = sizeof(state), .plan = scatter_plan, .run = scatter_nd_run};
