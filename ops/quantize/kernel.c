/* QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear.
 *
 * QuantizeLinear 10..: y = saturate(round(x / scale) + zero_point), halves to even. For float results it only rounds, as Cast
 * does, and honours the attribute saturate. The quotient has the scale's type or `precision` (23). DequantizeLinear 10..: y = (x
 * - zero_point) * scale. There is one scale for all, one for each slice along `axis` (13), or one for each block of block_size
 * elements along it (21). DynamicQuantizeLinear 11: uint8; the range covers 0 and every element.
 *
 * Computed in float. Quantized types: 4- and 2-bit integers, int8, uint8, int16, uint16, the 8- and 4-bit floats; int32 only in
 * DequantizeLinear. */
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "kernels/loop.h"
#include "kernels/quantize/quantize.h"
#include "kernels/take.h"
#include "ops/elementwise/element.h"
#include "ops/kernel/common.h"
#include "ops/kernel/functions.h"
#include "ops/kernel/members.h"
#include "ops/quantize/quantized.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

enum { BLOCK = 512, PIECE = 1 << 14 }; /* elements that are converted together; elements that a thread takes at once */

/* The operand as rows, each with one scale for all its elements or (`each`) one for each element. */
typedef struct quantize {
    obk_quantize_loop quantize; /* those of this call; the others are NULL */
    obk_dequantize_loop dequantize;
    obk_divide_loop divide, dequantize_float;
    obk_convert from_x, to_y, from_scale, from_zero; /* to and from float; NULL: the type is float or an integer of `integer` */
    obk_convert narrow, widen;                       /* the type of the quotient; NULL: float */
    int64_t rows, length, n_scales;                  /* length: elements of the longest row */
    int64_t rows_of_n, n, inner, block;              /* see row_at */
    float low, high;
    int8_t integer; /* type of the quantized side, an obk_integer; -1: any other type */
    bool forward, each, blocked;
} quantize;

static const ob_member quantize_members[] = {OB_FUNCTION(quantize, quantize),
                                             OB_FUNCTION(quantize, dequantize),
                                             OB_FUNCTION(quantize, divide),
                                             OB_FUNCTION(quantize, dequantize_float),
                                             OB_FUNCTION(quantize, from_x),
                                             OB_FUNCTION(quantize, to_y),
                                             OB_FUNCTION(quantize, from_scale),
                                             OB_FUNCTION(quantize, from_zero),
                                             OB_FUNCTION(quantize, narrow),
                                             OB_FUNCTION(quantize, widen),
                                             OB_VALUE(quantize, rows),
                                             OB_VALUE(quantize, length),
                                             OB_VALUE(quantize, n_scales),
                                             OB_VALUE(quantize, rows_of_n),
                                             OB_VALUE(quantize, n),
                                             OB_VALUE(quantize, inner),
                                             OB_VALUE(quantize, block),
                                             OB_VALUE(quantize, low),
                                             OB_VALUE(quantize, high),
                                             OB_VALUE(quantize, integer),
                                             OB_VALUE(quantize, forward),
                                             OB_VALUE(quantize, each),
                                             OB_VALUE(quantize, blocked)};
static const ob_struct quantize_struct = OB_STRUCT(quantize, quantize_members);

static int integer_of(ob_dtype dtype, float *low, float *high) {
    static const struct {
        ob_dtype dtype;
        int integer, low, high;
    } types[] = {{OB_INT8, OBK_Q_INT8, INT8_MIN, INT8_MAX},
                 {OB_UINT8, OBK_Q_UINT8, 0, UINT8_MAX},
                 {OB_INT16, OBK_Q_INT16, INT16_MIN, INT16_MAX},
                 {OB_UINT16, OBK_Q_UINT16, 0, UINT16_MAX},
                 {OB_INT4, OBK_Q_INT8, -8, 7},
                 {OB_UINT4, OBK_Q_UINT8, 0, 15},
                 {OB_INT2, OBK_Q_INT8, -2, 1},
                 {OB_UINT2, OBK_Q_UINT8, 0, 3},
                 {OB_INT32, OBK_Q_INT32, 0, 0}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].dtype == dtype) {
            *low = (float)types[i].low;
            *high = (float)types[i].high;
            return types[i].integer;
        }
    return -1;
}

/* Memory of a lane: intermediate blocks, and default scales and zero points. */
typedef struct way {
    float x[BLOCK], quotient[BLOCK], ones[BLOCK], none[BLOCK];
    double narrow[BLOCK / 2]; /* aligned for any type */
} way;

/* No intermediate blocks are needed. */
static bool is_direct(const quantize *q) {
    return !q->from_x && !q->to_y && !q->narrow && q->integer >= 0;
}

/* ---- plan ---- */

/* Describes x as rows with common scales. */
static void lay_rows(quantize *q, const ob_view *x, const ob_scale_layout *layout) {
    q->rows = q->rows_of_n = 1;
    q->length = q->n = ob__count(x);
    q->inner = q->block = 1;
    if (layout->kind == OB_SCALE_TENSOR) return;
    int32_t axis = layout->axis;
    int64_t outer = ob__product(x->dims, 0, axis), blocks;
    q->n = x->dims[axis];
    q->inner = ob__product(x->dims, axis + 1, x->rank);
    q->blocked = layout->kind == OB_SCALE_BLOCKED;
    q->block = layout->block;
    blocks = q->n > 0 ? ob__ceil_div(q->n, q->block) : 0;
    if (q->inner > 1) { /* a row runs along the inner axes */
        q->rows_of_n = q->n;
        q->length = q->inner;
        q->each = q->blocked;
    } else if (q->blocked && q->block > 1) { /* a row is a block */
        q->rows_of_n = blocks;
        q->length = q->block;
    } else { /* each element along the axis has its scale */
        q->length = q->n;
        q->each = true;
    }
    q->rows = outer * q->rows_of_n;
}

typedef struct row {
    int64_t start, length, scale; /* start and length in x, start in the scales */
} row;

static row row_at(const quantize *q, int64_t i) {
    int64_t outer = i / q->rows_of_n, within = i % q->rows_of_n;
    if (q->inner > 1) {
        int64_t blocks = q->n > 0 ? ob__ceil_div(q->n, q->block) : 0;
        int64_t scale = q->blocked ? (outer * blocks + within / q->block) * q->inner : q->n_scales == 1 ? 0 : within;
        return (row){i * q->length, q->length, scale};
    }
    if (q->rows_of_n > 1 || (q->blocked && !q->each)) { /* blocks, the last one shorter */
        int64_t left = q->n - within * q->block;
        return (row){outer * q->n + within * q->block, left < q->block ? left : q->block, i};
    }
    return (row){i * q->length, q->length, q->blocked ? i * q->length : 0};
}

/* The conversion between two types of which one is float. NULL with *possible: the types are equal. */
static obk_convert conversion(ob_dtype from, ob_dtype to, bool saturate, ob_error *error, ob_status *status) {
    ob_conversion c = ob__find_conversion(from, to, saturate);
    if (c.n_steps == 1) return c.steps[0];
    if (c.n_steps != 0 && *status == OB_OK)
        *status = ob__fail(error, OB_E_UNSUPPORTED, "no conversion from %s to %s", ob_dtype_name(from), ob_dtype_name(to));
    return NULL;
}

static ob_status plan_conversions(const ob_kernel_site *site, const ob_kernel_args *args, quantize *q, ob_error *error) {
    ob_dtype x = args->in[0].dtype, y = args->out[0].dtype;
    bool saturate = ob__attribute_int_or(site->node, "saturate", 1) != 0;
    ob_status status = OB_OK;
    q->integer = (int8_t)integer_of(q->forward ? y : x, &q->low, &q->high);
    if (q->forward && q->integer == OBK_Q_INT32) q->integer = -1;
    if (q->forward || q->integer < 0) q->from_x = conversion(x, OB_FLOAT, true, error, &status);
    if (!q->forward || q->integer < 0) q->to_y = conversion(OB_FLOAT, y, saturate, error, &status);
    q->from_scale = conversion(args->in[1].dtype, OB_FLOAT, true, error, &status);
    if (ob__given(args, 2)) q->from_zero = conversion(args->in[2].dtype, OB_FLOAT, true, error, &status);
    return status;
}

/* Since version 23 the division has the type of the scale unless the attribute overrides it. Earlier versions leave this open. */
static ob_dtype precision_of(const ob_kernel_site *site, ob_dtype scale) {
    const int64_t given = ob__attribute_int(site->node, "precision");
    if (site->op->since < 23) return OB_FLOAT;
    return given == 0 ? scale : given > 0 && given < OB_DTYPE_COUNT ? (ob_dtype)given : OB_NONE;
}

static ob_status quantize_refuse(const ob_kernel_site *site, const ob_kernel_args *args, ob_error *error) {
    const ob_dtype precision = precision_of(site, OB_FLOAT);
    (void)args;
    OB_FAIL_IF(precision != OB_FLOAT && !ob__dtype_is_half(precision), error, OB_E_UNSUPPORTED,
               "precision %lld, only float, float16 and bfloat16 are supported",
               (long long)ob__attribute_int(site->node, "precision"));
    return OB_OK;
}

static ob_status plan_precision(const ob_kernel_site *site, const ob_kernel_args *args, quantize *q, ob_error *error) {
    const ob_dtype precision = precision_of(site, args->in[1].dtype);
    OB_TRY(quantize_refuse(site, args, error));
    if (!ob__dtype_is_half(precision)) return OB_OK;
    ob_status status = OB_OK;
    q->narrow = conversion(OB_FLOAT, precision, true, error, &status);
    q->widen = conversion(precision, OB_FLOAT, true, error, &status);
    return status;
}

/* After the conversions and the precision are planned. */
static void choose_loops(quantize *q) {
    if (q->forward && q->integer >= 0) q->quantize = OBK_LOOP(quantize, ->quantize[q->integer]);
    if (q->forward && (q->integer < 0 || q->narrow)) q->divide = OBK_LOOP(quantize, ->divide);
    if (!q->forward && q->integer >= 0) q->dequantize = OBK_LOOP(quantize, ->dequantize[q->integer]);
    if (!q->forward && q->integer < 0) q->dequantize_float = OBK_LOOP(quantize, ->dequantize_float);
}

static ob_status quantize_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    quantize *q = args->state;
    const ob_view *x = &args->in[0], *scale = &args->in[1];
    ob_scale_layout layout;
    q->forward = strcmp(site->node->op_type, "QuantizeLinear") == 0;
    q->n_scales = ob__count(scale);
    OB_FAIL_IF(ob__count(&args->out[0]) != ob__count(x), error, OB_E_SHAPE, "result of another size");
    OB_FAIL_IF(ob__given(args, 2) && ob__count(&args->in[2]) != q->n_scales, error, OB_E_SHAPE, "%lld scales, %lld zero points",
               (long long)q->n_scales, (long long)ob__count(&args->in[2]));
    ob__scale_layout(site->node, site->op, NULL, (ob_shape){x->rank, x->dims}, (ob_shape){scale->rank, scale->dims}, &layout);
    OB_FAIL_IF(!ob__scale_fits(&layout), error, OB_E_SHAPE, "%s",
               layout.problem ? layout.problem : "the scale's sizes do not fit the operand's");
    lay_rows(q, x, &layout);
    OB_TRY(plan_conversions(site, args, q, error));
    if (q->forward) OB_TRY(plan_precision(site, args, q, error));
    choose_loops(q);
    if (!is_direct(q)) OB_TRY(ob__need_lanes(needs, 1, sizeof(way), error));
    OB_TRY(ob__need_scratch(needs, q->n_scales, sizeof(float), error));
    return ob__need_scratch(needs, q->n_scales, sizeof(float), error);
}

/* ---- A step of a program ---- */

typedef struct scaled {
    obk_quantize_loop quantize; /* NULL: the other one */
    obk_dequantize_loop dequantize;
    float scale, zero, low, high;
} scaled;

static const ob_member scaled_members[] = {OB_FUNCTION(scaled, quantize), OB_FUNCTION(scaled, dequantize),
                                           OB_VALUE(scaled, scale),       OB_VALUE(scaled, zero),
                                           OB_VALUE(scaled, low),         OB_VALUE(scaled, high)};
static const ob_struct scaled_struct = OB_STRUCT(scaled, scaled_members);

void ob__scaled_loop(char *const *pointers, const int64_t *step, int64_t n, const int64_t *down, int64_t rows,
                     const void *params) {
    const scaled *s = params;
    const obk_scales scales = {&s->scale, &s->zero, false, s->low, s->high};
    (void)step;
    for (int64_t j = 0; j < rows; j++) {
        const void *x = pointers[0] + j * down[0];
        void *y = pointers[1] + j * down[1];
        if (s->quantize)
            s->quantize(y, x, n, &scales);
        else
            s->dequantize(y, x, n, &scales);
    }
}

static float read_float(const ob_view *view, obk_convert convert) {
    float x;
    if (convert)
        convert(&x, view->data, 1);
    else
        memcpy(&x, view->data, sizeof x);
    return x;
}

/* One constant scale for all elements, and integers. */
static ob_status quantize_element(const ob_kernel_site *site, const ob_kernel_args *args, ob_element_call *call,
                                  ob_error *error) {
    const ob_view *x = &args->in[0], *scale = &args->in[1];
    const bool has_zero = ob__given(args, 2);
    quantize planned = {.forward = strcmp(site->node->op_type, "QuantizeLinear") == 0}, *q = &planned;
    scaled *s = ob__tail(site, 1, sizeof *s);
    ob_scale_layout layout;
    OB_FAIL_IF(!s, error, OB_E_MEMORY, "no memory for a plan");
    OB_TRY(plan_conversions(site, args, q, error));
    if (q->forward) OB_TRY(plan_precision(site, args, q, error));
    choose_loops(q);
    ob__scale_layout(site->node, site->op, NULL, (ob_shape){x->rank, x->dims}, (ob_shape){scale->rank, scale->dims}, &layout);
    const bool one = ob__count(scale) == 1 && scale->data && (!has_zero || (ob__count(&args->in[2]) == 1 && args->in[2].data));
    OB_FAIL_IF(!one || !ob__scale_fits(&layout) || q->integer < 0 || q->narrow, error, OB_E_UNSUPPORTED, "no step of a program");
    *s = (scaled){.quantize = q->quantize,
                  .dequantize = q->dequantize,
                  .scale = read_float(scale, q->from_scale),
                  .zero = has_zero ? read_float(&args->in[2], q->from_zero) : 0,
                  .low = q->low,
                  .high = q->high};
    call->n_in = 1;
    call->spec.loop = ob__scaled_loop;
    call->spec.params = s;
    call->spec.params_type = &scaled_struct;
    call->spec.apart = true;
    call->spec.in_convert[0] = q->from_x;
    call->spec.in_loop_dtype[0] = OB_FLOAT;
    call->spec.out_convert = q->to_y;
    call->spec.out_loop_dtype = OB_FLOAT;
    return OB_OK;
}

/* ---- run ---- */

typedef struct job {
    const quantize *q;
    const char *x;
    char *y;
    size_t x_width, y_width;
    const float *scale, *zero;
    int64_t pieces; /* pieces of a row */
    const ob_kernel_args *args;
} job;

/* Rounds to the precision of the quotient. */
static void round_to(const quantize *q, float *x, int64_t n, way *own) {
    for (int64_t done = 0; q->narrow && done < n; done += BLOCK) {
        int64_t m = n - done < BLOCK ? n - done : BLOCK;
        q->narrow(own->narrow, x + done, m);
        q->widen(x + done, own->narrow, m);
    }
}

/* Quantizes n <= BLOCK elements through float. */
static void quantize_block(const quantize *q, void *to, const float *x, int64_t n, const obk_scales *scales, way *own) {
    float *quotient = own->quotient;
    obk_scales s = *scales;
    if (q->narrow) {
        for (int64_t i = 0; i < n; i++) {
            own->ones[i] = 1;
            own->none[i] = 0;
        }
        memcpy(quotient, x, (size_t)n * sizeof *x);
        round_to(q, quotient, n, own);
        s.zero = own->none;
        q->divide(quotient, quotient, n, &s);
        round_to(q, quotient, n, own);
        s.scale = own->ones;
        s.zero = scales->zero;
        x = quotient;
    }
    if (q->integer >= 0) {
        q->quantize(to, x, n, &s);
    } else if (q->to_y) {
        q->divide(quotient, x, n, &s);
        q->to_y(to, quotient, n);
    } else {
        q->divide(to, x, n, &s);
    }
}

static void dequantize_block(const quantize *q, void *to, const void *x, int64_t n, const obk_scales *scales, way *own) {
    float *y = q->to_y ? own->quotient : to;
    if (q->integer >= 0)
        q->dequantize(y, x, n, scales);
    else
        q->dequantize_float(y, x, n, scales);
    if (q->to_y) q->to_y(to, y, n);
}

/* Works on elements begin .. end of a row. */
static void do_piece(const job *j, const row *r, int64_t begin, int64_t end, way *own) {
    const quantize *q = j->q;
    const bool direct = is_direct(q);
    const int64_t step = direct ? end - begin : BLOCK;
    for (int64_t at = begin; at < end; at += step) {
        int64_t n = end - at < step ? end - at : step, scale = r->scale + (q->each ? at : 0);
        const void *x = j->x + (size_t)(r->start + at) * j->x_width;
        void *y = j->y + (size_t)(r->start + at) * j->y_width;
        obk_scales scales = {j->scale + scale, j->zero + scale, q->each, q->low, q->high};
        if (q->from_x) {
            q->from_x(own->x, x, n);
            x = own->x;
        }
        if (q->forward && !direct)
            quantize_block(q, y, x, n, &scales, own);
        else if (q->forward)
            q->quantize(y, x, n, &scales);
        else if (!direct)
            dequantize_block(q, y, x, n, &scales, own);
        else
            q->dequantize(y, x, n, &scales);
    }
}

static void do_pieces(void *context, int64_t begin, int64_t end, int lane) {
    const job *j = context;
    way *own = (way *)(void *)ob__lane(j->args->lanes, j->args->lane_stride, lane);
    for (int64_t i = begin; i < end; i++) {
        row r = row_at(j->q, i / j->pieces);
        int64_t from = i % j->pieces * PIECE, to = from + PIECE < r.length ? from + PIECE : r.length;
        if (from < to) do_piece(j, &r, from, to, own);
    }
}

static void read_floats(float *to, const ob_view *view, obk_convert convert, int64_t n) {
    if (convert)
        convert(to, view->data, n);
    else
        memcpy(to, view->data, (size_t)n * sizeof *to);
}

OB_RUN(ob__run_quantize) {
    (void)error;
    const quantize *q = args->state;
    char *next = args->scratch;
    float *scale = ob__take(&next, q->n_scales, sizeof(float)), *zero = ob__take(&next, q->n_scales, sizeof(float));
    if (ob__writes_nothing(args)) return OB_OK;
    read_floats(scale, &args->in[1], q->from_scale, q->n_scales);
    round_to(q, scale, q->n_scales, (way *)(void *)args->lanes);
    memset(zero, 0, (size_t)q->n_scales * sizeof *zero);
    if (ob__given(args, 2)) read_floats(zero, &args->in[2], q->from_zero, q->n_scales);
    job j = {.q = q, .x = args->in[0].data, .y = args->out[0].data, .scale = scale, .zero = zero, .args = args};
    j.x_width = ob_dtype_size(args->in[0].dtype);
    j.y_width = ob_dtype_size(args->out[0].dtype);
    j.pieces = (q->length - 1) / PIECE + 1;
    int64_t length = q->length < PIECE ? q->length : PIECE;
    ob__parallel_lanes(args->threads, q->rows * j.pieces, (1 << 16) / length, do_pieces, &j);
    return OB_OK;
}

const ob_kernel ob__kernel_quantize = {.name = "quantize",
                                       .flags = OB_KERNEL_FIXED_OPERANDS,
                                       .state_bytes = sizeof(quantize),
                                       .plan = quantize_plan,
                                       OB_RUNS(ob__run_quantize),
                                       .state = &quantize_struct,
                                       .refuse = quantize_refuse,
                                       .element = quantize_element};

/* ---- DynamicQuantizeLinear ---- */

typedef struct dynamic {
    obk_range_loop range;
    obk_quantize_loop quantize;
} dynamic;

static const ob_member dynamic_members[] = {OB_FUNCTION(dynamic, range), OB_FUNCTION(dynamic, quantize)};
static const ob_struct dynamic_struct = OB_STRUCT(dynamic, dynamic_members);

static ob_status dynamic_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)site;
    (void)needs;
    *(dynamic *)args->state = (dynamic){OBK_LOOP(quantize, ->range), OBK_LOOP(quantize, ->quantize[OBK_Q_UINT8])};
    bool bad = args->n_out != 3 || ob__count(&args->out[0]) != ob__count(&args->in[0]);
    for (uint32_t i = 1; i < 3; i++) bad = bad || (ob__wanted(args, i) && ob__count(&args->out[i]) != 1);
    OB_FAIL_IF(bad || args->in[0].dtype != OB_FLOAT, error, OB_E_SHAPE, "outputs of another size");
    return OB_OK;
}

OB_RUN(ob__run_dynamic_quantize) {
    (void)error;
    const dynamic *loops = args->state;
    int64_t n = ob__count(&args->in[0]);
    float low, high, scale, zero;
    loops->range(args->in[0].data, n, &low, &high);
    obk_byte_scale(low, high, &scale, &zero);
    if (ob__wanted(args, 1)) *(float *)args->out[1].data = scale;
    if (ob__wanted(args, 2)) *(uint8_t *)args->out[2].data = (uint8_t)zero;
    if (ob__wanted(args, 0)) loops->quantize(args->out[0].data, args->in[0].data, n, &(obk_scales){&scale, &zero, false, 0, 255});
    return OB_OK;
}

const ob_kernel ob__kernel_dynamic_quantize = {.name = "dynamic_quantize",
                                               .state_bytes = sizeof(dynamic),
                                               .plan = dynamic_plan,
                                               OB_RUNS(ob__run_dynamic_quantize),
                                               .state = &dynamic_struct};
