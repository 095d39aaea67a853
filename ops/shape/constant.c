/* Operators that read no elements of a data input: Shape, Size, Constant, ConstantOfShape, Range, EyeLike.
 *
 * Shape 1.. (start and end since 15), Size 1..: int64. Constant 1..: value; 12 also value_float(s), value_int(s),
 * value_string(s). ConstantOfShape 9..: one value for all elements, float 0 by default. Range 11..: start + i * delta, integers
 * wrap. EyeLike 9..: ones on diagonal k. */
#include "ops/infer/constant.h"
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/shape/params.h"
#include "ops/table/op.h"

/* ---- Shape, Size ---- */

typedef struct shape_state {
    bool count;
    ob_axes_range axes;
} shape_state;

static const ob_member shape_members[] = {OB_VALUE(shape_state, count), OB_VALUE(shape_state, axes.from),
                                          OB_VALUE(shape_state, axes.to)};
static const ob_struct shape_struct = OB_STRUCT(shape_state, shape_members);

static ob_status shape_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    shape_state *s = args->state;
    s->count = strcmp(site->node->op_type, "Size") == 0;
    s->axes = ob__shape_axes(site->node, site->op->since, args->in[0].rank);
    int64_t n = s->count ? 1 : s->axes.to - s->axes.from;
    OB_FAIL_IF(n != ob__count(&args->out[0]), error, OB_E_SHAPE, "%lld sizes for %lld places", (long long)n,
               (long long)ob__count(&args->out[0]));
    return OB_OK;
}

OB_RUN(ob__run_shape) {
    (void)error;
    const shape_state *s = args->state;
    const ob_view *in = &args->in[0];
    int64_t *sizes = args->out[0].data;
    if (s->count) sizes[0] = ob__count(in);
    for (int32_t i = s->axes.from; !s->count && i < s->axes.to; i++) *sizes++ = in->dims[i];
    return OB_OK;
}

const ob_kernel ob__kernel_shape = {.name = "shape",
                                    .flags = OB_KERNEL_STRIDED,
                                    .state_bytes = sizeof(shape_state),
                                    .plan = shape_plan,
                                    OB_RUNS(ob__run_shape),
                                    .state = &shape_struct};

/* ---- Constant ---- */

typedef struct constant {
    const void *elements; /* in the model's memory */
    int64_t n, width;     /* numbers, and bytes of each */
} constant;

OB_COUNT(constant_count, constant, n)
OB_COUNT(constant_width, constant, width)

static const ob_member constant_members[] = {OB_ANY_NUMBERS(constant, elements, constant_count, constant_width),
                                             OB_VALUE(constant, n), OB_VALUE(constant, width)};
static const ob_struct constant_struct = OB_STRUCT(constant, constant_members);

static ob_status constant_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    const ob_view *out = &args->out[0];
    const ob_constant_params params = ob__constant_params(site->node);
    OB_FAIL_IF(!params.elements && (params.n || ob__count(out)), error, OB_E_UNSUPPORTED,
               "external, malformed or missing elements");
    OB_FAIL_IF(params.given && (params.dtype != out->dtype || params.n != ob__count(out)), error, OB_E_SHAPE,
               "%lld elements of %s for %lld of %s", (long long)params.n, ob_dtype_name(params.dtype), (long long)ob__count(out),
               ob_dtype_name(out->dtype));
    const size_t width = ob__number_width(out->dtype);
    const int64_t each = width ? (int64_t)(ob_dtype_size(out->dtype) / width) : 0;
    *(constant *)args->state = (constant){params.elements, ob__count(out) * each, (int64_t)width};
    return OB_OK;
}

OB_RUN(ob__run_constant) {
    (void)error;
    const ob_view *out = &args->out[0];
    ob_view from = *out;
    from.data = (void *)(uintptr_t)((const constant *)args->state)->elements;
    ob__copy_view(out, &from, args->threads);
    return OB_OK;
}

const ob_kernel ob__kernel_constant = {.name = "constant",
                                       .state_bytes = sizeof(constant),
                                       .plan = constant_plan,
                                       OB_RUNS(ob__run_constant),
                                       .state = &constant_struct};

/* ---- ConstantOfShape: the state is the element; none for 0 ---- */

static ob_status constant_of_shape_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs,
                                        ob_error *error) {
    (void)needs;
    const ob_view *out = &args->out[0];
    bool wrong;
    const ob_tensor *fill = ob__fill_of(site->node, &wrong);
    OB_FAIL_IF(wrong || (fill && fill->dtype != out->dtype), error, OB_E_MODEL, "value is not one element of %s",
               ob_dtype_name(out->dtype));
    return fill ? ob__keep_element(site, out->dtype, fill->data, args->state, error) : OB_OK;
}

OB_RUN(ob__run_constant_of_shape) {
    (void)error;
    const ob_view *out = &args->out[0];
    ob__fill_elements(out->data, ob__count(out), ob_dtype_size(out->dtype), ((const ob_kept_element *)args->state)->at,
                      args->threads);
    return OB_OK;
}

const ob_kernel ob__kernel_constant_of_shape = {.name = "constant_of_shape",
                                                .state_bytes = sizeof(ob_kept_element),
                                                .plan = constant_of_shape_plan,
                                                OB_RUNS(ob__run_constant_of_shape),
                                                .state = &ob__kept_element_struct};

/* ---- Range ---- */

/* Range 27: computed in float (stash_type 1), which holds every number of both types. */
static int64_t narrow_range(ob_dtype dtype, const void *start, const void *limit, const void *delta, int64_t n, void *to,
                            obk_pace *pace) {
    const bool half = dtype == OB_FLOAT16;
    const void *const operands[3] = {start, limit, delta};
    float wide[3];
    uint16_t bits, *out = to;
    for (int k = 0; k < 3; k++) {
        memcpy(&bits, operands[k], sizeof bits);
        wide[k] = half ? ob__float_from_half(bits) : ob__float_from_bfloat(bits);
    }
    double count = ceil(((double)wide[1] - (double)wide[0]) / (double)wide[2]);
    if (wide[2] == 0) return -1;
    if (!out) return count > 0 ? ob__int64_from(count) : 0;
    for (int64_t i = 0; i < n && !obk_stops(pace, 2); i++) {
        float x = wide[0] + (float)i * wide[2];
        out[i] = half ? ob__half_from_float(x) : ob__bfloat_from_float(x);
    }
    return n;
}

/* Writes n elements. `to` NULL: returns only their number, -1 if the step is 0. */
/* NOLINTNEXTLINE(readability-function-size): a case for each type, all of one template */
static int64_t write_range(ob_dtype dtype, const void *start, const void *limit, const void *delta, int64_t n, void *to,
                           obk_pace *pace) {
    switch (dtype) {
#define OB_TYPE_TEMPLATE "ops/shape/range.inc.h"
#include "core/graph/types.def"
#include "ops/table/attributes.h"
    case OB_FLOAT16:
    case OB_BFLOAT16: return narrow_range(dtype, start, limit, delta, n, to, pace);
    default: return -1;
    }
}

static int64_t count_range(const ob_kernel_args *args) {
    return write_range(args->in[0].dtype, args->in[0].data, args->in[1].data, args->in[2].data, 0, NULL, NULL);
}

static ob_status range_refuse(const ob_kernel_site *site, const ob_kernel_args *args, ob_error *error) {
    const int64_t stash = ob__attribute_int_or(site->node, "stash_type", OB_FLOAT);
    const bool narrow = ob__dtype_is_half(args->in[0].dtype);
    OB_FAIL_IF(narrow && stash != OB_FLOAT, error, OB_E_UNSUPPORTED, "stash_type %lld, only 1 (float) is supported",
               (long long)stash);
    return OB_OK;
}

static ob_status range_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    for (uint32_t i = 0; i < 3; i++) {
        OB_TRY(ob__check_type(site, args, i, error));
        OB_FAIL_IF(ob__count(&args->in[i]) != 1 || args->in[i].dtype != args->out[0].dtype, error, OB_E_SHAPE,
                   "operand %u is not one element of %s", i, ob_dtype_name(args->out[0].dtype));
    }
    return range_refuse(site, args, error);
}

static ob_status range_shape(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    args->out[0].dtype = args->in[0].dtype;
    OB_TRY(range_plan(site, args, NULL, error));
    int64_t n = count_range(args);
    OB_FAIL_IF(n < 0, error, OB_E_ARGUMENT, "delta is 0");
    args->out[0].rank = 1;
    args->out[0].dims[0] = n;
    return OB_OK;
}

OB_RUN(ob__run_range) {
    const ob_view *out = &args->out[0];
    OB_FAIL_IF(count_range(args) != ob__count(out), error, OB_E_SHAPE, "start, limit and delta do not give %lld elements",
               (long long)ob__count(out));
    obk_pace pace = ob__pace(args->threads);
    write_range(out->dtype, args->in[0].data, args->in[1].data, args->in[2].data, ob__count(out), out->data, &pace);
    return OB_OK;
}

const ob_kernel ob__kernel_range = {
    .name = "range", .plan = range_plan, OB_RUNS(ob__run_range), .shape = range_shape, .refuse = range_refuse};

/* ---- EyeLike ---- */

ob_status ob__one(ob_dtype dtype, void *element, ob_error *error) {
    static const float one_float = 1;
    static const double one_double = 1;
    uint64_t one = 1;
    switch (dtype) {
    case OB_FLOAT: memcpy(element, &one_float, 4); return OB_OK;
    case OB_DOUBLE: memcpy(element, &one_double, 8); return OB_OK;
    case OB_FLOAT16: one = 0x3c00; break;
    case OB_BFLOAT16: one = 0x3f80; break;
    case OB_BOOL:
    case OB_INT8:
    case OB_UINT8:
    case OB_INT16:
    case OB_UINT16:
    case OB_INT32:
    case OB_UINT32:
    case OB_INT64:
    case OB_UINT64: break;
    default: return ob__fail(error, OB_E_UNSUPPORTED, "element type %s has no number 1", ob_dtype_name(dtype));
    }
    switch (ob_dtype_size(dtype)) {
    case 1: memcpy(element, &(uint8_t){(uint8_t)one}, 1); break;
    case 2: memcpy(element, &(uint16_t){(uint16_t)one}, 2); break;
    case 4: memcpy(element, &(uint32_t){(uint32_t)one}, 4); break;
    default: memcpy(element, &one, 8); break;
    }
    return OB_OK;
}

typedef struct eye {
    int64_t diagonal;
    ob_kept_element one;
} eye;

static const ob_member eye_members[] = {OB_VALUE(eye, diagonal), OB_NESTED(eye, one, &ob__kept_element_struct)};
static const ob_struct eye_struct = OB_STRUCT(eye, eye_members);

static ob_status eye_like_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    eye *s = args->state;
    s->diagonal = ob__eye_diagonal(site->node);
    OB_FAIL_IF(args->out[0].rank != 2, error, OB_E_SHAPE, "rank %d", args->out[0].rank);
    return ob__keep_one(site, args->out[0].dtype, &s->one, error);
}

OB_RUN(ob__run_eye_like) {
    (void)error;
    const eye *s = args->state;
    const ob_view *out = &args->out[0];
    size_t width = ob_dtype_size(out->dtype);
    ob__fill_elements(out->data, ob__count(out), width, NULL, args->threads);
    int64_t k = s->diagonal, rows = out->dims[0], columns = out->dims[1];
    if (k >= columns || k <= -rows) return OB_OK;
    for (int64_t i = k < 0 ? -k : 0; i < rows && i + k < columns; i++)
        memcpy((char *)out->data + (i * columns + i + k) * (int64_t)width, s->one.at, width);
    return OB_OK;
}

const ob_kernel ob__kernel_eye_like = {.name = "eye_like",
                                       .flags = OB_KERNEL_STRIDED,
                                       .state_bytes = sizeof(eye),
                                       .plan = eye_like_plan,
                                       OB_RUNS(ob__run_eye_like),
                                       .state = &eye_struct};
