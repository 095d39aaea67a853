/* NonZero 9.., Compress 9.., TopK 1..: select elements by value or condition.
 *
 * NonZero: the coordinates, one column each, of the elements that are not 0, false or "" (-0 is 0, NaN is not). Compress: the
 * slices along `axis` (or, without it, the elements) whose condition is true; slices after the end of the condition are left out.
 * TopK: the k largest (11: or smallest) along an axis with their indices, in order of value, equal ones in order of index; as in
 * NumPy's sort, NaN is greater than every number. */
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "kernels/level.h"
#include "kernels/reduce/reduce.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/functions.h"
#include "ops/kernel/members.h"
#include "ops/kernel/search.h"
#include "ops/select/params.h"
#include "ops/table/op.h"

/* ---- NonZero ---- */

static bool is_set(ob_dtype dtype, const char *element) {
    uint64_t bits[2] = {0, 0};
    uint16_t half;
    ob_string text;
    switch (dtype) {
    case OB_STRING: memcpy(&text, element, sizeof text); return text.n > 0;
    case OB_COMPLEX64: memcpy(bits, element, 8); return (bits[0] & UINT64_C(0x7fffffff7fffffff)) != 0;
    case OB_COMPLEX128: memcpy(bits, element, 16); return ((bits[0] | bits[1]) << 1) != 0;
    case OB_FLOAT16:
    case OB_BFLOAT16: memcpy(&half, element, 2); return (half & 0x7fff) != 0;
    default: break;
    }
    float f;
    double d;
    if (dtype == OB_FLOAT) {
        memcpy(&f, element, sizeof f);
        return f != 0;
    }
    if (dtype == OB_DOUBLE) {
        memcpy(&d, element, sizeof d);
        return d != 0;
    }
    memcpy(bits, element, ob_dtype_size(dtype));
    return bits[0] != 0;
}

/* Sets `set` for elements begin .. begin + n; returns the number of those that are not 0. */
static int64_t mark(const ob_view *view, int64_t begin, int64_t n, uint8_t *set) {
    const size_t width = ob_dtype_size(view->dtype);
    const char *from = (const char *)view->data + begin * (int64_t)width;
    int64_t found = 0;
    if (view->dtype == OB_FLOAT) {
        for (int64_t i = 0; i < n; i++) set[i] = ((const float *)(const void *)from)[i] != 0;
    } else if (width == 1) {
        for (int64_t i = 0; i < n; i++) set[i] = from[i] != 0;
    } else {
        for (int64_t i = 0; i < n; i++) set[i] = is_set(view->dtype, from + i * (int64_t)width);
    }
    for (int64_t i = 0; i < n; i++) found += set[i];
    return found;
}

enum { MARKED = 128 };

/* Incomplete if the run is cancelled. */
static int64_t count_set(const ob_view *view, obk_pace *pace) {
    const int64_t n = ob__count(view);
    uint8_t set[MARKED];
    int64_t found = 0;
    for (int64_t i = 0; i < n && !obk_stops(pace, 2 * MARKED); i += MARKED)
        found += mark(view, i, n - i < MARKED ? n - i : MARKED, set);
    return found;
}

static ob_status non_zero_shape(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    (void)site;
    (void)error;
    obk_pace pace = ob__pace(args->threads);
    args->out[0].rank = 2;
    args->out[0].dims[0] = args->in[0].rank;
    args->out[0].dims[1] = count_set(&args->in[0], &pace);
    return OB_OK;
}

OB_RUN(ob__run_non_zero) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    obk_pace pace = ob__pace(args->threads);
    const int64_t found = count_set(in, &pace), n = ob__count(in), row = in->rank > 0 ? in->dims[in->rank - 1] : 1;
    if (pace.over) return OB_OK;
    OB_FAIL_IF(ob__count(out) != found * in->rank, error, OB_E_SHAPE, "%lld elements found", (long long)found);
    uint8_t set[MARKED];
    int64_t places[MARKED + 1], index[OB_MAX_RANK] = {0}, *to = out->data;
    for (int64_t i = 0, column = 0; i < n && in->rank > 0 && column < found;) { /* parts of a row */
        int64_t *last = &index[in->rank - 1], some = row - *last < MARKED ? row - *last : MARKED, kept = 0;
        mark(in, i, some, set);
        if (obk_stops(&pace, 2 * some + 16)) return OB_OK;
        for (int64_t k = 0; k < some; k++) {
            places[kept] = *last + k;
            kept += set[k];
        }
        if (kept > 0) memcpy(to + (in->rank - 1) * found + column, places, (size_t)kept * sizeof *to);
        for (int32_t a = 0; a < in->rank - 1; a++)
            for (int64_t k = 0; k < kept; k++) to[a * found + column + k] = index[a];
        column += kept;
        i += some;
        *last += some;
        for (int32_t a = in->rank - 1; a > 0 && index[a] == in->dims[a]; a--) {
            index[a] = 0;
            index[a - 1]++;
        }
    }
    return OB_OK;
}

const ob_kernel ob__kernel_non_zero = {.name = "non_zero", OB_RUNS(ob__run_non_zero), .shape = non_zero_shape};

/* ---- Compress ---- */

typedef struct compress {
    int64_t outer, n, kept;
    size_t block;
    bool flat;
    int32_t axis;
} compress;

static ob_status read_compress(const ob_slices_params *params, const ob_kernel_args *args, compress *c, ob_error *error) {
    const ob_view *in = &args->in[0], *condition = &args->in[1];
    *c = (compress){.outer = 1, .n = ob__count(in), .block = ob_dtype_size(in->dtype)};
    c->flat = params->flat;
    OB_FAIL_IF(condition->rank != 1 || condition->dtype != OB_BOOL, error, OB_E_SHAPE, "the condition is not a vector of bool");
    if (!c->flat) {
        OB_TRY(ob__axis(params->axis, in->rank, &c->axis, error));
        c->outer = ob__product(in->dims, 0, c->axis);
        c->n = in->dims[c->axis];
        c->block *= (size_t)ob__product(in->dims, c->axis + 1, in->rank);
    }
    const uint8_t *wanted = condition->data;
    const int64_t within = condition->dims[0] < c->n ? condition->dims[0] : c->n;
    int64_t kept = 0;
    for (int64_t i = 0; i < within; i++) kept += wanted[i] != 0;
    c->kept = kept;
    for (int64_t i = within; i < condition->dims[0]; i++)
        if (wanted[i]) return ob__bad_index(i, c->n, c->axis, error);
    return OB_OK;
}

static const ob_member slices_members[] = {OB_VALUE(ob_slices_params, flat), OB_VALUE(ob_slices_params, axis)};
static const ob_struct slices_struct = OB_STRUCT(ob_slices_params, slices_members);

static ob_status compress_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    (void)error;
    *(ob_slices_params *)args->state = ob__slices_params(site->node);
    return OB_OK;
}

static ob_status compress_shape(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    const ob_slices_params params = ob__slices_params(site->node);
    compress c = {0};
    ob_view *out = &args->out[0];
    OB_TRY(read_compress(&params, args, &c, error));
    out->rank = c.flat ? 1 : args->in[0].rank;
    memcpy(out->dims, args->in[0].dims, sizeof out->dims);
    out->dims[c.axis] = c.kept;
    return OB_OK;
}

/* Copies the first `kept` of the selected slices, without a branch, which would often be mispredicted. */
static inline void keep(char *to, const char *from, const uint8_t *wanted, int64_t kept, const size_t block) {
    for (int64_t i = 0, k = 0; k < kept; i++) {
        memcpy(to + k * (int64_t)block, from + i * (int64_t)block, block);
        k += wanted[i] != 0;
    }
}

OB_RUN(ob__run_compress) {
    compress c = {0};
    OB_TRY(read_compress(args->state, args, &c, error));
    const ob_view *in = &args->in[0], *condition = &args->in[1], *out = &args->out[0];
    OB_FAIL_IF(c.outer * c.kept * (int64_t)c.block != ob__count(out) * (int64_t)ob_dtype_size(out->dtype), error, OB_E_SHAPE,
               "%lld slices kept", (long long)c.kept);
    const uint8_t *wanted = condition->data;
    char *to = out->data;
    for (int64_t o = 0; c.block > 0 && o < c.outer; o++, to += c.kept * (int64_t)c.block) {
        const char *from = (const char *)in->data + o * c.n * (int64_t)c.block;
        if (c.block == 4)
            keep(to, from, wanted, c.kept, 4);
        else if (c.block == 8)
            keep(to, from, wanted, c.kept, 8);
        else
            for (int64_t i = 0, k = 0; k < c.kept; i++)
                if (wanted[i]) memcpy(to + k++ * (int64_t)c.block, from + i * (int64_t)c.block, c.block);
    }
    return OB_OK;
}

const ob_kernel ob__kernel_compress = {.name = "compress",
                                       .state_bytes = sizeof(ob_slices_params),
                                       .plan = compress_plan,
                                       OB_RUNS(ob__run_compress),
                                       .state = &slices_struct,
                                       .shape = compress_shape};

/* ---- TopK ---- */

/* The number of elements that are compared at once with the least of the k. */
enum { STRETCH = 16, WORK_OF_SINK = 64 };

/* For elements of 8 bytes. */
typedef struct wide_key {
    uint64_t value, place;
} wide_key;

static inline bool narrow_less(uint64_t a, uint64_t b) {
    return a < b;
}

static inline bool wide_less(wide_key a, wide_key b) {
    return a.value < b.value || (a.value == b.value && a.place < b.place);
}

#define FN         narrow
#define K          uint64_t
#define LESS(a, b) narrow_less(a, b)
#include "ops/select/choose.inc.h"
#define FN         wide
#define K          wide_key
#define LESS(a, b) wide_less(a, b)
#include "ops/select/choose.inc.h"

/* Keys of narrow values have 32-bit indices. */
static size_t key_bytes(ob_dtype dtype) {
    return ob_dtype_size(dtype) == 8 ? sizeof(wide_key) : sizeof(uint64_t);
}

static int64_t index_of(const void *keys, int64_t i, bool wide) {
    return wide ? ~(int64_t)((const wide_key *)keys)[i].place : (int64_t)(uint32_t) ~((const uint64_t *)keys)[i];
}

typedef void (*choose_keys)(void *keys, const void *vector, int64_t n, int64_t k, int64_t apart, bool smallest, obk_pace *pace);

#define FUNCTIONS
#define OB_TYPE_TEMPLATE "ops/select/ranks.inc.h"
#include "core/graph/types.def"
#undef FUNCTIONS

static const choose_keys choosers[OB_DTYPE_COUNT] = {
#define OB_TYPE_TEMPLATE "ops/select/ranks.inc.h"
#include "core/graph/types.def"
};

static ob_status read_k(const ob_topk_params *params, const ob_kernel_args *args, int64_t *k, ob_error *error) {
    int32_t n = 1;
    *k = params->has_k ? params->k : -1;
    if (ob__given(args, 1)) OB_TRY(ob__read_ints(&args->in[1], k, 1, &n, error));
    OB_FAIL_IF(n != 1 || *k < 0, error, OB_E_ARGUMENT, "k is %lld", (long long)*k);
    return OB_OK;
}

static ob_status topk_shape(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    int64_t k = 0;
    int32_t axis = 0;
    const ob_topk_params params = ob__topk_params(site->node, site->op->since);
    OB_TRY(read_k(&params, args, &k, error));
    OB_TRY(ob__axis(params.axis, args->in[0].rank, &axis, error));
    for (uint32_t i = 0; i < args->n_out; i++) {
        if (!ob__wanted(args, i)) continue;
        args->out[i].rank = args->in[0].rank;
        memcpy(args->out[i].dims, args->in[0].dims, sizeof args->out[i].dims);
        args->out[i].dims[axis] = k;
    }
    return OB_OK;
}

typedef struct topk {
    ob_topk_params params;
    obk_find find;      /* for the only one of k, if it suffices to search it; else NULL */
    choose_keys choose; /* for more */
} topk;

static const ob_member topk_params_members[] = {OB_VALUE(ob_topk_params, axis), OB_VALUE(ob_topk_params, has_k),
                                                OB_VALUE(ob_topk_params, k), OB_VALUE(ob_topk_params, smallest)};
static const ob_struct topk_params_struct = OB_STRUCT(ob_topk_params, topk_params_members);
static const ob_member topk_members[] = {OB_NESTED(topk, params, &topk_params_struct), OB_FUNCTION(topk, find),
                                         OB_FUNCTION(topk, choose)};
static const ob_struct topk_struct = OB_STRUCT(topk, topk_members);

/* A requested output; both have the same dims. */
static const ob_view *any_output(const ob_kernel_args *args) {
    return ob__wanted(args, 0) ? &args->out[0] : &args->out[1];
}

/* Whether k is 1, so that it suffices to search the position of the largest (smallest) element. Not for the smallest of floats:
 * NaN ranks last there, but the search stops at it. */
static bool finds_one(const ob_topk_params *params, ob_dtype dtype, int64_t k, int64_t inner) {
    return k == 1 && ob__find_loop(dtype, inner) && !(params->smallest && ob__dtype_is_real_or_half(dtype));
}

static ob_status topk_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    int32_t axis = 0;
    const ob_view *in = &args->in[0], *out = any_output(args);
    topk *t = args->state;
    ob_topk_params *params = &t->params;
    *params = ob__topk_params(site->node, site->op->since);
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__axis(params->axis, in->rank, &axis, error));
    params->axis = axis;
    bool fits = out->rank == in->rank && out->dims[axis] <= in->dims[axis];
    for (int32_t a = 0; fits && a < in->rank; a++) fits = a == axis || out->dims[a] == in->dims[a];
    OB_FAIL_IF(!fits, error, OB_E_SHAPE, "axis %d has only %lld elements", axis, (long long)in->dims[axis]);
    const ob_dtype computed = ob__dtype_is_real_or_half(in->dtype) ? ob__computing_type(args) : in->dtype;
    if (!choosers[computed]) return ob__no_type(site, error, in->dtype);
    OB_FAIL_IF(in->dims[axis] > UINT32_MAX, error, OB_E_LIMIT, "axis %d has more than 2^32 elements", axis);
    OB_TRY(ob__plan_real(args, needs, error));
    const int64_t inner = ob__product(in->dims, axis + 1, in->rank);
    if (finds_one(params, computed, out->dims[axis], inner))
        t->find = ob__find_loop(computed, inner);
    else
        t->choose = choosers[computed];
    if (t->find) return ob__need_scratch(needs, ob__wanted(args, 1) ? 0 : ob__count(out), sizeof(int64_t), error);
    return ob__need_scratch(needs, out->dims[axis], key_bytes(computed), error);
}

/* Element i of the result is the element of its vector at places[i]. */
static void take_values(const ob_kernel_args *args, int64_t n, int64_t inner, const int64_t *places) {
    const size_t width = ob_dtype_size(args->in[0].dtype);
    for (int64_t v = 0; v < ob__count(&args->out[0]); v++)
        memcpy((char *)args->out[0].data + v * (int64_t)width,
               (const char *)args->in[0].data + ((v / inner * n + places[v]) * inner + v % inner) * (int64_t)width, width);
}

static ob_status topk_compute(const ob_kernel_args *args, ob_error *error) {
    const ob_view *in = &args->in[0], *out = any_output(args);
    const topk *t = args->state;
    const ob_topk_params *params = &t->params;
    const int32_t axis = (int32_t)params->axis;
    const int64_t n = in->dims[axis], inner = ob__product(in->dims, axis + 1, in->rank);
    int64_t k = 0;
    OB_TRY(read_k(params, args, &k, error));
    OB_FAIL_IF(k != out->dims[axis], error, OB_E_SHAPE, "k is %lld, planned were %lld", (long long)k, (long long)out->dims[axis]);
    if (ob__count(out) == 0) return OB_OK;
    if (t->find) {
        const obk_search search = {n, inner, params->smallest, false};
        int64_t *places = ob__wanted(args, 1) ? args->out[1].data : args->scratch;
        const int64_t blocks = inner == 1 ? 1 : ob__ceil_div(inner, OBK_REDUCE_COLUMNS);
        const bool found = ob__find_all(t->find, &search, places, in->data, ob__count(in) / n / inner * blocks, args->threads);
        if (found && ob__wanted(args, 0)) take_values(args, n, inner, places);
        return OB_OK;
    }
    const size_t width = ob_dtype_size(in->dtype);
    const bool wide = key_bytes(in->dtype) == sizeof(wide_key);
    const int64_t vectors = ob__count(in) / n;
    void *keys = args->scratch;
    obk_pace pace = ob__pace(args->threads);
    for (int64_t v = 0; v < vectors && !ob__stopped(args->threads); v++) {
        const char *vector = (const char *)in->data + (v / inner * n * inner + v % inner) * (int64_t)width;
        t->choose(keys, vector, n, k, inner, params->smallest, &pace);
        if (ob__stopped(args->threads)) break; /* keys may be missing */
        for (int64_t i = 0; i < k; i++) {
            const int64_t at = (v / inner * k + i) * inner + v % inner, index = index_of(keys, i, wide);
            if (ob__wanted(args, 0))
                memcpy((char *)args->out[0].data + at * (int64_t)width, vector + index * inner * (int64_t)width, width);
            if (ob__wanted(args, 1)) ((int64_t *)args->out[1].data)[at] = index;
        }
    }
    return OB_OK;
}

OB_RUN(ob__run_topk) {
    return ob__run_real(args, topk_compute, error);
}

const ob_kernel ob__kernel_topk = {.name = "topk",
                                   .state_bytes = sizeof(topk),
                                   .plan = topk_plan,
                                   OB_RUNS(ob__run_topk),
                                   .state = &topk_struct,
                                   .shape = topk_shape};
