/* Pad: grows (or, with negative numbers, shrinks) every axis at both ends.
 *
 * Opset 1 (attributes paddings, value), 2 (pads, value), 11 (inputs pads, constant_value), 13 (every type), 18 (axes), 19 (wrap).
 * Modes constant, edge, reflect (as often as needed, the border element once), wrap. Every element type, by width; the default
 * value is 0, false or "". */
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/movement/params.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

typedef struct state {
    ob_pad_params params;
    ob_kept_element value; /* the attribute before version 11, for real types */
} state;

static const ob_member state_members[] = {OB_VALUE(state, params.mode), OB_NESTED(state, params.pads, &ob__ints_struct),
                                          OB_VALUE(state, params.value), OB_NESTED(state, value, &ob__kept_element_struct)};
static const ob_struct pad_struct = OB_STRUCT(state, state_members);

/* The padding before each axis, checked against the planned result. */
static ob_status read_pads(const ob_pad_params *params, const ob_kernel_args *args, int64_t *before, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    int64_t pads[2 * OB_MAX_RANK], axes[OB_MAX_RANK], after[OB_MAX_RANK] = {0};
    int32_t n_pads = 0, n_axes = 0;
    OB_TRY(ob__read_either(&params->pads, args, 1, pads, 2 * OB_MAX_RANK, &n_pads, error));
    OB_TRY(ob__read_either(&(ob_ints){0}, args, 3, axes, OB_MAX_RANK, &n_axes, error));
    int32_t n = n_axes >= 0 ? n_axes : in->rank;
    OB_FAIL_IF(n_pads != 2 * n || n > in->rank || out->rank != in->rank, error, OB_E_ARGUMENT, "%d pads for %d axes", n_pads, n);
    uint32_t seen = 0;
    memset(before, 0, sizeof *before * OB_MAX_RANK);
    for (int32_t k = 0; k < n; k++) {
        int32_t axis = k;
        if (n_axes >= 0) OB_TRY(ob__axis(axes[k], in->rank, &axis, error));
        OB_FAIL_IF(seen >> axis & 1, error, OB_E_ARGUMENT, "axis %d occurs twice", axis);
        seen |= UINT32_C(1) << axis;
        bool huge = !ob_dim_is_const(pads[k]) || !ob_dim_is_const(pads[n + k]);
        OB_FAIL_IF(huge, error, OB_E_LIMIT, "axis %d grows by %lld and %lld", axis, (long long)pads[k], (long long)pads[n + k]);
        before[axis] = pads[k];
        after[axis] = pads[n + k];
    }
    for (int32_t a = 0; a < in->rank; a++) {
        int64_t size;
        bool bad = ob__add_overflows(in->dims[a], before[a], &size) || ob__add_overflows(size, after[a], &size);
        OB_FAIL_IF(bad || size != out->dims[a], error, OB_E_SHAPE, "axis %d of size %lld with %lld and %lld is not %lld", a,
                   (long long)in->dims[a], (long long)before[a], (long long)after[a], (long long)out->dims[a]);
    }
    return OB_OK;
}

/* kept: the value of an attribute, if there is no operand. */
static ob_status read_value(const ob_kept_element *kept, const ob_kernel_args *args, void *value, ob_error *error) {
    ob_dtype dtype = args->in[0].dtype;
    memset(value, 0, 16);
    if (ob__given(args, 2)) {
        OB_FAIL_IF(args->in[2].dtype != dtype || ob__count(&args->in[2]) != 1, error, OB_E_SHAPE,
                   "constant_value is not one element of %s", ob_dtype_name(dtype));
        memcpy(value, args->in[2].data, ob_dtype_size(dtype));
    } else if (kept->at) {
        memcpy(value, kept->at, ob_dtype_size(dtype));
    }
    return OB_OK;
}

/* The element of an axis of size n for position i, which counts from its first element. n > 0. */
static int64_t source(ob_pad_mode m, int64_t i, int64_t n) {
    if (i >= 0 && i < n) return i;
    if (m == OB_PAD_EDGE || n == 1) return i < 0 ? 0 : n - 1;
    int64_t period = m == OB_PAD_WRAP ? n : 2 * (n - 1), k = i % period;
    if (k < 0) k += period;
    return k < n ? k : period - k;
}

#define OUTSIDE INT64_MIN /* not an offset */

/* LONG: elements of a row between checks for cancellation; short rows check once for APART rows. */
enum { LONG = 1 << 14, APART = 64, FEW = 8 };

/* One row of the result: positions begin .. end are contiguous in the input, the others are looked up. NULL: there is none. */
typedef struct row {
    const int64_t *table;
    int64_t n, begin, end, stride;
    const void *value;
    obk_pace *pace; /* NULL: the row is short */
} row;

static inline __attribute__((always_inline)) void lone_places(const row *r, char *to, const char *from, int64_t begin,
                                                              int64_t end, size_t width) {
    const bool outside = end > begin && (!from || r->table[begin] == OUTSIDE);
    if (outside && end - begin > FEW) {
        ob__fill(to + begin * (int64_t)width, end - begin, width, r->value, r->pace);
    } else if (outside) { /* a call would cost more */
        for (int64_t i = begin; i < end; i++) memcpy(to + i * (int64_t)width, r->value, width);
    } else {
        for (int64_t i = begin; i < end && !(r->pace && obk_stops(r->pace, 2)); i++)
            memcpy(to + i * (int64_t)width, from + r->table[i], width);
    }
}

static inline void copy_stretch(char *to, const char *from, size_t n_bytes, obk_pace *pace) {
    if (pace)
        ob__copy_bytes(to, from, n_bytes, pace);
    else
        memcpy(to, from, n_bytes);
}

static inline __attribute__((always_inline)) void pad_row_of(const row *r, char *to, const char *from, size_t width) {
    if (!from) {
        lone_places(r, to, NULL, 0, r->n, width);
        return;
    }
    lone_places(r, to, from, 0, r->begin, width);
    if (r->stride == (int64_t)width && r->end > r->begin)
        copy_stretch(to + r->begin * (int64_t)width, from + r->table[r->begin], (size_t)(r->end - r->begin) * width, r->pace);
    else
        lone_places(r, to, from, r->begin, r->end, width);
    lone_places(r, to, from, r->end, r->n, width);
}

/* The usual widths are constants, so that an element is copied with one load and one store. */
static void pad_row(const row *r, char *to, const char *from, size_t width) {
    if (width == 4)
        pad_row_of(r, to, from, 4);
    else if (width == 1)
        pad_row_of(r, to, from, 1);
    else
        pad_row_of(r, to, from, width);
}

/* Makes a table for each axis with byte offsets into the input. */
static ob_status pad_compute(const ob_kernel_args *args, ob_pad_mode m, const int64_t *before, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    int64_t index[OB_MAX_RANK] = {0}, *tables[OB_MAX_RANK];
    union {
        char bytes[16];
        double aligned;
    } value;
    if (m == OB_PAD_CONSTANT) OB_TRY(read_value(&((const state *)args->state)->value, args, &value, error));
    if (ob__count(out) == 0) return OB_OK;
    char *next = args->scratch, *to = out->data;
    obk_pace pace = ob__pace(args->threads);
    const size_t width = ob_dtype_size(out->dtype);
    for (int32_t a = 0; a < out->rank; a++) {
        OB_FAIL_IF(in->dims[a] == 0 && m != OB_PAD_CONSTANT, error, OB_E_SHAPE, "axis %d is empty, mode %s has nothing to repeat",
                   a, ob__pad_mode_names[m]);
        tables[a] = ob__take(&next, out->dims[a], sizeof(int64_t));
        for (int64_t i = 0; i < out->dims[a] && !obk_stops(&pace, 4); i++) {
            const int64_t at = i - before[a];
            const bool none = m == OB_PAD_CONSTANT && (at < 0 || at >= in->dims[a]);
            tables[a][i] = none ? OUTSIDE : source(m, at, in->dims[a]) * in->strides[a];
        }
    }
    if (out->rank == 0) {
        memcpy(to, in->data, width);
        return OB_OK;
    }
    int64_t n_rows = 0;
    if (pace.over) return OB_OK; /* the tables are incomplete */
    const int32_t inner = out->rank - 1;
    row r = {.table = tables[inner],
             .n = out->dims[inner],
             .stride = in->strides[inner],
             .value = &value,
             .pace = out->dims[inner] > LONG ? &pace : NULL};
    r.begin = before[inner] < 0 ? 0 : before[inner] < r.n ? before[inner] : r.n;
    r.end = in->dims[inner] < r.n - before[inner] ? in->dims[inner] + before[inner] : r.n;
    if (r.end < r.begin) r.end = r.begin;
    for (;; to += r.n * (int64_t)width) {
        const char *from = ob__count(in) > 0 ? in->data : NULL;
        for (int32_t a = 0; from && a < inner; a++) from = tables[a][index[a]] == OUTSIDE ? NULL : from + tables[a][index[a]];
        pad_row(&r, to, from, width);
        if (pace.over || ((++n_rows & (APART - 1)) == 0 && obk_stops(&pace, APART * (8 + (r.pace ? 0 : r.n))))) return OB_OK;
        int32_t a = inner - 1;
        while (a >= 0 && ++index[a] == out->dims[a]) index[a--] = 0;
        if (a < 0) return OB_OK;
    }
}

static ob_pad_params read_node(const ob_kernel_site *site) {
    return ob__pad_params(site->node, site->op->since);
}

/* The attribute before version 11 as an element, in `room` of 16 bytes. Only for real types. */
static ob_kept_element read_attribute(const ob_kernel_site *site, const ob_kernel_args *args, void *room) {
    const ob_dtype dtype = args->in[0].dtype;
    const float value = read_node(site).value;
    ob_kept_element none = {0};
    if (site->op->since >= 11 || !ob__dtype_is_real_or_half(dtype)) return none;
    if (ob__convert(room, dtype, &value, OB_FLOAT, 1, NULL) != OB_OK) return none;
    return (ob_kept_element){room, 1, (uint16_t)ob_dtype_size(dtype)};
}

/* True if the numbers of elements are known during planning. */
static bool has_numbers(const ob_kernel_args *args) {
    for (uint32_t i = 1; i < args->n_in; i++)
        if (i != 2 && ob__given(args, i) && !args->in[i].data) return false;
    return true;
}

/* Nothing is added: the elements inside are a view. */
static ob_status pad_view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    const ob_view *in = &args->in[0];
    ob_view *out = &args->out[0];
    const ob_pad_params params = read_node(site);
    int64_t before[OB_MAX_RANK], skipped = 0;
    OB_FAIL_IF(params.mode == OB_PAD_MODES || !has_numbers(args), error, OB_E_UNSUPPORTED, "the padding is not known yet");
    OB_TRY(read_pads(&params, args, before, error));
    for (int32_t a = 0; a < in->rank; a++) {
        const bool inside = before[a] <= 0 && out->dims[a] - before[a] <= in->dims[a];
        OB_FAIL_IF(!inside, error, OB_E_UNSUPPORTED, "elements are added");
        skipped += -before[a] * in->strides[a];
    }
    for (int32_t a = 0; a < in->rank; a++) out->strides[a] = in->strides[a];
    out->data = in->data ? (char *)in->data + (ob__count(out) > 0 ? skipped : 0) : NULL;
    return OB_OK;
}

static bool pad_padding(const ob_kernel_site *site, const ob_kernel_args *args, int64_t *padding) {
    const ob_pad_params params = read_node(site);
    const int32_t rank = args->in[0].rank;
    int64_t before[OB_MAX_RANK];
    _Alignas(16) char value[16], room[16];
    if (params.mode != OB_PAD_CONSTANT || !ob__dtype_is_real_or_half(args->in[0].dtype) || !has_numbers(args)) return false;
    if (ob__given(args, 2) && !args->in[2].data) return false;
    const ob_kept_element attribute = read_attribute(site, args, room);
    if (read_value(&attribute, args, value, NULL) != OB_OK || read_pads(&params, args, before, NULL) != OB_OK) return false;
    for (size_t i = 0; i < sizeof value; i++)
        if (value[i] != 0) return false;
    for (int32_t a = 0; a < rank; a++) {
        padding[a] = before[a];
        padding[rank + a] = args->out[0].dims[a] - args->in[0].dims[a] - before[a];
    }
    return true;
}

static ob_status pad_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    state *s = args->state;
    _Alignas(16) char room[16];
    s->params = read_node(site);
    OB_FAIL_IF(s->params.mode == OB_PAD_MODES, error, OB_E_ARGUMENT, "mode \"%s\"", ob__attribute_text(site->node, "mode"));
    OB_TRY(ob__keep_list(site, &s->params.pads));
    if (read_attribute(site, args, room).at) OB_TRY(ob__keep_element(site, args->in[0].dtype, room, &s->value, error));
    for (int32_t a = 0; a < args->out[0].rank; a++) OB_TRY(ob__need_scratch(needs, args->out[0].dims[a], sizeof(int64_t), error));
    return OB_OK;
}

OB_RUN(ob__run_pad) {
    int64_t before[OB_MAX_RANK];
    OB_TRY(read_pads(&((const state *)args->state)->params, args, before, error));
    return pad_compute(args, ((const state *)args->state)->params.mode, before, error);
}

const ob_kernel ob__kernel_pad = {.name = "pad",
                                  .flags = OB_KERNEL_VIEW | OB_KERNEL_STRIDED,
                                  .state_bytes = sizeof(state),
                                  .plan = pad_plan,
                                  OB_RUNS(ob__run_pad),
                                  .state = &pad_struct,
                                  .view = pad_view,
                                  .padding = pad_padding};
