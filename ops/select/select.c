/* NonZero 9.., Compress 9.., TopK 1..: elements chosen by what they are.
 *
 * NonZero: the coordinates, one column each, of the elements that are not 0, false or "" (-0 is 0, NaN is not). Compress: the
 * slices along `axis` (or, without it, the elements) whose condition holds; a short condition leaves the rest out. TopK: the k
 * largest (11: or smallest) along an axis with their indices, in order of value, equal ones in order of index; NaN is
 * greater than every number, as where NumPy sorts. */
#include "core/types.h"
#include "ops/kernel/common.h"
#include "ops/select/params.h"

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

static int64_t count_set(const ob_view *view) {
    int64_t n = ob__count(view), found = 0;
    size_t width = ob_dtype_size(view->dtype);
    for (int64_t i = 0; i < n; i++) found += is_set(view->dtype, (const char *)view->data + i * (int64_t)width);
    return found;
}

static ob_status non_zero_shape(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    (void)site;
    (void)error;
    args->out[0].rank = 2;
    args->out[0].dims[0] = args->in[0].rank;
    args->out[0].dims[1] = count_set(&args->in[0]);
    return OB_OK;
}

static ob_status non_zero_run(const ob_kernel_args *args, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    int64_t found = count_set(in), n = ob__count(in), column = 0, index[OB_MAX_RANK] = {0};
    OB_FAIL_IF(ob__count(out) != found * in->rank, error, OB_E_SHAPE, "%lld elements found", (long long)found);
    size_t width = ob_dtype_size(in->dtype);
    for (int64_t i = 0; i < n; i++) {
        if (is_set(in->dtype, (const char *)in->data + i * (int64_t)width)) {
            for (int32_t a = 0; a < in->rank; a++) ((int64_t *)out->data)[a * found + column] = index[a];
            column++;
        }
        for (int32_t a = in->rank - 1; a >= 0; a--) {
            if (++index[a] < in->dims[a]) break;
            index[a] = 0;
        }
    }
    return OB_OK;
}

const ob_kernel ob__kernel_non_zero = {.name = "non_zero", .run = non_zero_run, .shape = non_zero_shape};

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
    OB_FAIL_IF(condition->rank != 1 || condition->dtype != OB_BOOL, error, OB_E_SHAPE, "the condition is no vector of bool");
    if (!c->flat) {
        OB_TRY(ob__axis(params->axis, in->rank, &c->axis, error));
        c->outer = ob__product(in->dims, 0, c->axis);
        c->n = in->dims[c->axis];
        c->block *= (size_t)ob__product(in->dims, c->axis + 1, in->rank);
    }
    const uint8_t *wanted = condition->data;
    for (int64_t i = 0; i < condition->dims[0]; i++) {
        if (!wanted[i]) continue;
        if (i >= c->n) return ob__bad_index(i, c->n, c->axis, error);
        c->kept++;
    }
    return OB_OK;
}

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

static ob_status compress_run(const ob_kernel_args *args, ob_error *error) {
    compress c = {0};
    OB_TRY(read_compress(args->state, args, &c, error));
    const ob_view *in = &args->in[0], *condition = &args->in[1], *out = &args->out[0];
    OB_FAIL_IF(c.outer * c.kept * (int64_t)c.block != ob__count(out) * (int64_t)ob_dtype_size(out->dtype), error, OB_E_SHAPE,
               "%lld slices kept", (long long)c.kept);
    const uint8_t *wanted = condition->data;
    char *to = out->data;
    for (int64_t o = 0; c.block > 0 && o < c.outer; o++)
        for (int64_t i = 0; i < condition->dims[0]; i++) {
            if (!wanted[i]) continue;
            memcpy(to, (const char *)in->data + (o * c.n + i) * (int64_t)c.block, c.block);
            to += c.block;
        }
    return OB_OK;
}

const ob_kernel ob__kernel_compress = {.name = "compress",
                                       .state_bytes = sizeof(ob_slices_params),
                                       .plan = compress_plan,
                                       .run = compress_run,
                                       .shape = compress_shape};

/* ---- TopK ---- */

typedef struct topk {
    const void *in;
    void *values;
    int64_t *indices, *heap; /* heap: k entries */
    int64_t n, k, inner;
    bool smallest;
} topk;

/* A heap of indices whose root is the worst of the k best. One for each type. */
typedef bool (*ranks_before)(const topk *t, const void *vector, int64_t a, int64_t b);

#define FUNCTIONS
#define OB_TYPE_TEMPLATE "ops/select/ranks.inc.h"
#include "core/types.def"
#undef FUNCTIONS

static const ranks_before ranks[OB_DTYPE_COUNT] = {
#define OB_TYPE_TEMPLATE "ops/select/ranks.inc.h"
#include "core/types.def"
};

static void sink(const topk *t, const void *vector, ranks_before before, int64_t at, int64_t n) {
    int64_t *heap = t->heap, item = heap[at];
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= n) break;
        if (child + 1 < n && before(t, vector, heap[child], heap[child + 1])) child++;
        if (!before(t, vector, item, heap[child])) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = item;
}

static void choose(const topk *t, const void *vector, ranks_before before) {
    for (int64_t i = 0; i < t->k; i++) t->heap[i] = i;
    for (int64_t i = t->k / 2 - 1; i >= 0; i--) sink(t, vector, before, i, t->k);
    for (int64_t i = t->k; i < t->n; i++) {
        if (!before(t, vector, i, t->heap[0])) continue;
        t->heap[0] = i;
        sink(t, vector, before, 0, t->k);
    }
    for (int64_t n = t->k - 1; n > 0; n--) { /* the worst goes to the end */
        int64_t worst = t->heap[0];
        t->heap[0] = t->heap[n];
        t->heap[n] = worst;
        sink(t, vector, before, 0, n);
    }
}

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

/* The output that is wanted: both have the same dims. */
static const ob_view *any_output(const ob_kernel_args *args) {
    return ob__wanted(args, 0) ? &args->out[0] : &args->out[1];
}

static ob_status topk_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    int32_t axis = 0;
    const ob_view *in = &args->in[0], *out = any_output(args);
    ob_topk_params *params = args->state;
    *params = ob__topk_params(site->node, site->op->since);
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__axis(params->axis, in->rank, &axis, error));
    params->axis = axis;
    bool fits = out->rank == in->rank && out->dims[axis] <= in->dims[axis];
    for (int32_t a = 0; fits && a < in->rank; a++) fits = a == axis || out->dims[a] == in->dims[a];
    OB_FAIL_IF(!fits, error, OB_E_SHAPE, "TopK: axis %d has only %lld elements", axis, (long long)in->dims[axis]);
    if (!ranks[ob__is_real(in->dtype) ? ob__computing_type(args) : in->dtype]) return OB__NO_TYPE(site, error, in->dtype);
    OB_TRY(ob__plan_real(args, needs, error));
    return ob__need_scratch(needs, out->dims[axis], sizeof(int64_t), error);
}

static ob_status topk_compute(const ob_kernel_args *args, ob_error *error) {
    const ob_view *in = &args->in[0], *out = any_output(args);
    const ob_topk_params *params = args->state;
    const int32_t axis = (int32_t)params->axis;
    topk t = {.n = in->dims[axis], .inner = ob__product(in->dims, axis + 1, in->rank), .heap = args->scratch};
    OB_TRY(read_k(params, args, &t.k, error));
    OB_FAIL_IF(t.k != out->dims[axis], error, OB_E_SHAPE, "k is %lld, planned were %lld", (long long)t.k,
               (long long)out->dims[axis]);
    t.smallest = params->smallest;
    ranks_before before = ranks[in->dtype];
    if (ob__count(out) == 0) return OB_OK;
    size_t width = ob_dtype_size(in->dtype);
    int64_t vectors = ob__count(in) / t.n;
    for (int64_t v = 0; v < vectors && !ob__stopped(args->threads); v++) {
        const char *vector = (const char *)in->data + (v / t.inner * t.n * t.inner + v % t.inner) * (int64_t)width;
        choose(&t, vector, before);
        for (int64_t i = 0; i < t.k; i++) {
            int64_t at = (v / t.inner * t.k + i) * t.inner + v % t.inner;
            if (ob__wanted(args, 0))
                memcpy((char *)args->out[0].data + at * (int64_t)width, vector + t.heap[i] * t.inner * (int64_t)width, width);
            if (ob__wanted(args, 1)) ((int64_t *)args->out[1].data)[at] = t.heap[i];
        }
    }
    return OB_OK;
}

static ob_status topk_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, topk_compute, error);
}

const ob_kernel ob__kernel_topk = {
    .name = "topk", .state_bytes = sizeof(ob_topk_params), .plan = topk_plan, .run = topk_run, .shape = topk_shape};
