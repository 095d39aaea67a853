/* QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear.
 *
 * QuantizeLinear 10..: y = saturate(round(x / scale) + zero_point), halves to even; to floats, which only round, as Cast does,
 * with the attribute saturate. The quotient has the scale's type or `precision` (23). DequantizeLinear 10..: y = (x - zero_point)
 * * scale. One scale for all, one per slice along `axis` (13), or one per block of block_size elements along it (21).
 * DynamicQuantizeLinear 11: uint8, the scale covers 0 and every element. Computed in float. Quantised types: 4- and 2-bit
 * integers, int8, uint8, int16, uint16, the 8- and 4-bit floats; int32 to dequantise.
 */
#include <float.h>

#include "ops/elementwise/element.h"
#include "ops/kernel/common.h"
#include "ops/quantize/quantized.h"

/* The operand as (outer, n, inner) around the axis; rows of `length` elements whose scales lie `step` (0 or 1) apart. */
typedef struct quantize {
    int64_t rows, length, step;
    int64_t n, inner, block, n_scales;
    int64_t low, high; /* of the integer type; low > high: a float type */
    bool forward, blocked;
    ob_dtype precision;  /* of the quotient: OB_FLOAT, OB_FLOAT16 or OB_BFLOAT16 */
    obk_convert convert; /* the quotient to a float type; NULL: to integers */
} quantize;

static void integer_range(ob_dtype dtype, int64_t *low, int64_t *high) {
    static const struct {
        ob_dtype dtype;
        int64_t low, high;
    } ranges[] = {{OB_INT8, INT8_MIN, INT8_MAX},
                  {OB_UINT8, 0, UINT8_MAX},
                  {OB_INT16, INT16_MIN, INT16_MAX},
                  {OB_UINT16, 0, UINT16_MAX},
                  {OB_INT4, -8, 7},
                  {OB_UINT4, 0, 15},
                  {OB_INT2, -2, 1},
                  {OB_UINT2, 0, 3}};
    *low = 1;
    *high = 0;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (ranges[i].dtype == dtype) {
            *low = ranges[i].low;
            *high = ranges[i].high;
        }
}

static ob_status set_up(const ob_kernel_args *args, quantize *q, ob_error *error) {
    const char *op = args->node->op_type;
    const ob_view *x = &args->in[0], *scale = &args->in[1];
    *q = (quantize){
        .forward = strcmp(op, "QuantizeLinear") == 0, .rows = 1, .length = ob__count(x), .n = 1, .inner = 1, .block = 1};
    q->n_scales = ob__count(scale);
    OB_FAIL_IF(ob__count(&args->out[0]) != q->length, error, OB_E_SHAPE, "%s: result of another size", op);
    OB_FAIL_IF(ob__given(args, 2) && ob__count(&args->in[2]) != q->n_scales, error, OB_E_SHAPE,
               "%s: %lld scales, %lld zero points", op, (long long)q->n_scales, (long long)ob__count(&args->in[2]));
    integer_range(args->out[0].dtype, &q->low, &q->high);
    ob_scale_layout layout;
    ob__scale_layout(args->node, args->op, NULL, (ob_shape){x->rank, x->dims}, (ob_shape){scale->rank, scale->dims}, &layout);
    OB_FAIL_IF(!ob__scale_fits(&layout), error, OB_E_SHAPE, "%s: %s", op,
               layout.problem ? layout.problem : "the scale's sizes do not fit the operand's");
    if (layout.kind == OB_SCALE_TENSOR) return OB_OK;
    int32_t axis = layout.axis;
    q->n = x->dims[axis];
    q->inner = ob__product(x->dims, axis + 1, x->rank);
    int64_t outer = ob__product(x->dims, 0, axis);
    q->blocked = layout.kind == OB_SCALE_BLOCKED;
    q->block = layout.block;
    bool last = q->inner == 1 && !q->blocked; /* one scale after the other along a row */
    q->rows = last ? outer : outer * q->n;
    q->length = last ? q->n : q->inner;
    q->step = last || q->blocked;
    return OB_OK;
}

static int64_t first_scale(const quantize *q, int64_t row) {
    if (q->blocked) {
        int64_t blocks = (q->n - 1) / q->block + 1;
        return (row / q->n * blocks + row % q->n / q->block) * q->inner;
    }
    return q->step || q->n_scales == 1 ? 0 : row % q->n;
}

/* Since 23 the division has the type of the scale, unless the attribute says otherwise; before, this was left open. */
static ob_status read_modes(const ob_kernel_args *args, quantize *q, ob_error *error) {
    int64_t given = ob__node_int(args->node, "precision", 0);
    if (!q->forward) return OB_OK;
    ob_dtype precision = args->op->since < 23 ? OB_FLOAT : given ? (ob_dtype)given : args->in[1].dtype;
    bool narrow = precision == OB_FLOAT16 || precision == OB_BFLOAT16;
    OB_FAIL_IF(args->op->since >= 23 && given != OB_NONE && given != OB_FLOAT && !narrow, error, OB_E_UNSUPPORTED,
               "%s: precision %lld, only float, float16 and bfloat16 are supported", args->node->op_type, (long long)given);
    q->precision = narrow ? precision : OB_FLOAT;
    if (q->low > q->high)
        q->convert = ob__find_conversion(OB_FLOAT, args->out[0].dtype, ob__node_int(args->node, "saturate", 1) != 0).steps[0];
    return OB_OK;
}

static void narrow(ob_dtype precision, float *x, int64_t n) {
    if (precision == OB_FLOAT16)
        for (int64_t i = 0; i < n; i++) x[i] = ob__float_from_half(ob__half_from_float(x[i]));
    else if (precision == OB_BFLOAT16)
        for (int64_t i = 0; i < n; i++) x[i] = ob__float_from_bfloat(ob__bfloat_from_float(x[i]));
}

_Static_assert(FLT_EVAL_METHOD == 0, "a sum of floats must be a float: adding 1.5 * 2^23 rounds (cmake/target.cmake)");

/* In place: x / scale + zero, for integers rounded and clamped too. NaN becomes the lowest. */
static void divide(const quantize *q, float *x, const float *scale, const float *zero, int64_t n) {
    narrow(q->precision, x, n);
    for (int64_t i = 0; i < n; i++) x[i] /= scale[i * q->step];
    narrow(q->precision, x, n);
    if (q->low > q->high) {
        for (int64_t i = 0; i < n; i++)
            if (zero[i * q->step] != 0) x[i] += zero[i * q->step]; /* -0 stays */
        return;
    }
    const float magic = 12582912.0f, limit = 1048576.0f; /* 1.5 * 2^23: adding it rounds to even */
    float low = (float)q->low, high = (float)q->high;
    for (int64_t i = 0; i < n; i++) {
        float value = x[i];
        value = value > -limit ? value : -limit;
        value = value < limit ? value : limit;
        float rounded = (value + magic) - magic + zero[i * q->step];
        rounded = rounded > low ? rounded : low;
        x[i] = rounded < high ? rounded : high;
    }
}

static ob_status quantize_row(const ob_kernel_args *args, const quantize *q, int64_t start, const float *scale, const float *zero,
                              ob_error *error) {
    const ob_view *x = &args->in[0], *out = &args->out[0];
    float block[256];
    for (int64_t done = 0; done < q->length; done += 256) {
        int64_t n = q->length - done < 256 ? q->length - done : 256, at = start + done;
        const char *from = (const char *)x->data + at * (int64_t)ob_dtype_size(x->dtype);
        char *to = (char *)out->data + at * (int64_t)ob_dtype_size(out->dtype);
        OB_TRY(ob__convert(block, OB_FLOAT, from, x->dtype, n, error));
        const float *s = scale + done * q->step, *z = zero + done * q->step;
        if (q->forward)
            divide(q, block, s, z, n);
        else
            for (int64_t i = 0; i < n; i++) block[i] = (block[i] - z[i * q->step]) * s[i * q->step];
        if (q->convert)
            q->convert(to, block, n);
        else
            OB_TRY(ob__convert(to, out->dtype, block, OB_FLOAT, n, error));
    }
    return OB_OK;
}

static ob_status quantize_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)site;
    quantize q;
    OB_TRY(set_up(args, &q, error));
    OB_TRY(read_modes(args, &q, error));
    for (uint32_t i = 0; i < 2; i++) OB_TRY(ob__convert(NULL, OB_FLOAT, NULL, args->in[i].dtype, 0, error));
    OB_TRY(ob__convert(NULL, args->out[0].dtype, NULL, OB_FLOAT, 0, error));
    OB_TRY(ob__need_scratch(needs, q.n_scales, sizeof(float), error));
    return ob__need_scratch(needs, q.n_scales, sizeof(float), error);
}

static ob_status quantize_run(const ob_kernel_args *args, ob_error *error) {
    quantize q = {0};
    OB_TRY(set_up(args, &q, error));
    OB_TRY(read_modes(args, &q, error));
    char *next = args->scratch;
    float *scale = ob__take(&next, q.n_scales, sizeof(float)), *zero = ob__take(&next, q.n_scales, sizeof(float));
    if (ob__writes_nothing(args)) return OB_OK;
    OB_TRY(ob__convert(scale, OB_FLOAT, args->in[1].data, args->in[1].dtype, q.n_scales, error));
    narrow(q.precision, scale, q.n_scales);
    memset(zero, 0, (size_t)q.n_scales * sizeof *zero);
    if (ob__given(args, 2)) OB_TRY(ob__convert(zero, OB_FLOAT, args->in[2].data, args->in[2].dtype, q.n_scales, error));
    for (int64_t row = 0; row < q.rows; row++) {
        int64_t s = first_scale(&q, row);
        OB_TRY(quantize_row(args, &q, row * q.length, scale + s, zero + s, error));
    }
    return OB_OK;
}

const ob_kernel ob__kernel_quantize = {.name = "quantize", .plan = quantize_plan, .run = quantize_run};

/* ---- DynamicQuantizeLinear ---- */

static ob_status dynamic_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)site;
    (void)needs;
    bool bad = args->n_out != 3 || ob__count(&args->out[0]) != ob__count(&args->in[0]);
    for (uint32_t i = 1; i < 3; i++) bad = bad || (ob__wanted(args, i) && ob__count(&args->out[i]) != 1);
    OB_FAIL_IF(bad || args->in[0].dtype != OB_FLOAT, error, OB_E_SHAPE, "DynamicQuantizeLinear: outputs of another size");
    return OB_OK;
}

static ob_status dynamic_run(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const float *x = args->in[0].data;
    int64_t n = ob__count(&args->in[0]);
    float low = 0, high = 0;
    for (int64_t i = 0; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    float scale = high == low ? 1 : (high - low) / 255;
    float zero = rintf(-low / scale);
    zero = zero > 0 ? zero < 255 ? zero : 255 : 0;
    if (ob__wanted(args, 1)) *(float *)args->out[1].data = scale;
    if (ob__wanted(args, 2)) *(uint8_t *)args->out[2].data = (uint8_t)zero;
    uint8_t *y = args->out[0].data;
    quantize q = {.high = 255};
    for (int64_t done = 0; ob__wanted(args, 0) && done < n; done += 256) {
        float block[256];
        int64_t m = n - done < 256 ? n - done : 256;
        memcpy(block, x + done, (size_t)m * sizeof *x);
        divide(&q, block, &scale, &zero, m);
        for (int64_t i = 0; i < m; i++) y[done + i] = (uint8_t)block[i];
    }
    return OB_OK;
}

const ob_kernel ob__kernel_dynamic_quantize = {.name = "dynamic_quantize", .plan = dynamic_plan, .run = dynamic_run};
