#include "ops/quantize/integer.h"

#include "core/base/integers.h"
#include "kernels/take.h"

#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/kernel/packed.h"
#include "ops/table/op.h"

static const ob_member places_members[] = {OB_VALUE(ob_integer_places, w),       OB_VALUE(ob_integer_places, x_zero),
                                           OB_VALUE(ob_integer_places, w_zero),  OB_VALUE(ob_integer_places, x_scale),
                                           OB_VALUE(ob_integer_places, w_scale), OB_VALUE(ob_integer_places, y_scale),
                                           OB_VALUE(ob_integer_places, y_zero),  OB_VALUE(ob_integer_places, bias)};
static const ob_struct places_struct = OB_STRUCT(ob_integer_places, places_members);

static const ob_member spread_members[] = {OB_VALUE(ob_spread, count), OB_VALUES(ob_spread, steps)};
static const ob_struct spread_struct = OB_STRUCT(ob_spread, spread_members);

static const ob_member integers_members[] = {OB_NESTED(ob_integers, at, &places_struct),
                                             OB_NESTED(ob_integers, x_zero, &spread_struct),
                                             OB_NESTED(ob_integers, w_zero, &spread_struct),
                                             OB_NESTED(ob_integers, x_scale, &spread_struct),
                                             OB_NESTED(ob_integers, w_scale, &spread_struct),
                                             OB_POINTER(ob_integers, gemm, &obk_integer_gemm_struct, NULL),
                                             OB_FUNCTION(ob_integers, requantize),
                                             OB_FUNCTION(ob_integers, accumulate),
                                             OB_VALUE(ob_integers, requantizes),
                                             OB_VALUE(ob_integers, to_float),
                                             OB_VALUE(ob_integers, w_packed),
                                             OB_VALUE(ob_integers, w_zero_value)};
const ob_struct ob__integers_struct = OB_STRUCT(ob_integers, integers_members);

static bool given(const ob_kernel_args *args, int i) {
    return i >= 0 && ob__given(args, (uint32_t)i);
}

/* For input i, which belongs to A (X), or to B (W) if `second`. */
static ob_status find_spread(const ob_kernel_args *args, const ob_integers *s, int i, bool second, bool conv, ob_spread *out,
                             ob_error *error) {
    out->count = 1;
    if (!given(args, i)) return OB_OK;
    const ob_view *operand = &args->in[second ? s->at.w : 0], *parameter = &args->in[i];
    ob_scale_of of = conv ? second ? OB_SCALE_OF_CHANNEL : OB_SCALE_OF_ALL : second ? OB_SCALE_OF_COLUMN : OB_SCALE_OF_ROW;
    ob_scale_layout layout;
    ob_dim aligned[OB_MAX_RANK];
    ob__product_scale_layout(of, (ob_shape){operand->rank, operand->dims}, (ob_shape){parameter->rank, parameter->dims}, &layout,
                             aligned);
    OB_FAIL_IF(!ob__scale_fits(&layout), error, OB_E_SHAPE, "input %d: %s", i,
               layout.problem ? layout.problem : "the scale's or zero point's sizes do not fit the operand's");
    out->count = ob__count(parameter);
    if (layout.kind == OB_SCALE_TENSOR) return OB_OK;
    int64_t step = 1;
    for (int32_t a = operand->rank - 1; a >= 0; a--) {
        out->steps[a] = aligned[a] == 1 ? 0 : step;
        step *= aligned[a];
    }
    return OB_OK;
}

int64_t ob__spread_row(const ob_spread *spread, const ob_view *tensor, int64_t row) {
    int64_t at = 0;
    for (int32_t a = tensor->rank - 2; a >= 0; a--) {
        at += row % tensor->dims[a] * spread->steps[a];
        row /= tensor->dims[a];
    }
    return at;
}

int16_t ob__zero_at(const ob_view *view, int64_t i) {
    return ob__is_signed(view) ? ((const int8_t *)view->data)[i] : ((const uint8_t *)view->data)[i];
}

/* ---- constants of 8 bits, packed by kernels/gemm ---- */

bool ob__packs_bytes(const ob_view *constant, const ob_view *zeros, int64_t n, int16_t *zero) {
    *zero = 0;
    if (!constant->data || !ob__is_contiguous(constant) || ob__count(constant) == 0) return false;
    if (!zeros) return true;
    if (!zeros->data || !ob__is_contiguous(zeros) || n == 0) return false;
    *zero = ob__zero_at(zeros, 0);
    for (int64_t i = 1; i < n; i++)
        if (ob__zero_at(zeros, i) != *zero) return false;
    return true;
}

bool ob__bytes_fit(const ob_view *constant, int zero) {
    const int64_t n = ob__count(constant);
    const bool is_signed = ob__is_signed(constant);
    if (is_signed ? zero == 0 : zero == 128) return true;
    for (int64_t i = 0; i < n; i++) {
        const int v = (is_signed ? ((const int8_t *)constant->data)[i] : ((const uint8_t *)constant->data)[i]) - zero;
        if (v < INT8_MIN || v > INT8_MAX) return false;
    }
    return true;
}

typedef struct packing {
    const obk_integer_gemm *gemm;
    int64_t k, n, matrix; /* matrix: pairs in one packed matrix */
    int16_t zero;
} packing;

static void make_packed_bytes(const void *params, const ob_view *constant, void *prepared) {
    const packing *p = params;
    obk_bytes bytes = {.is_signed = ob__is_signed(constant), .step = 1, .along = p->n, .zero = &p->zero};
    int64_t n_matrices = ob__count(constant) / (p->k * p->n);
    for (int64_t i = 0; i < n_matrices; i++) {
        bytes.data = (const char *)constant->data + i * p->k * p->n;
        p->gemm->pack_b((obk_pair *)prepared + i * p->matrix, &bytes, p->k, p->n);
    }
}

ob_status ob__want_packed_bytes(const ob_kernel_site *site, const ob_kernel_args *args, uint32_t input,
                                const obk_integer_gemm *gemm, int64_t k, int64_t n, int16_t zero, ob_kernel_needs *needs,
                                int64_t *matrix, ob_error *error) {
    packing *params = ob__tail(site, 1, sizeof *params);
    int64_t padded = ob__round_up(n, gemm->nr), all;
    size_t n_bytes;
    OB_FAIL_IF(!params, error, OB_E_MEMORY, "no memory for a plan");
    bool large = ob__mul_overflows(padded, obk_units(gemm, k), matrix) ||
                 ob__mul_overflows(*matrix, ob__count(&args->in[input]) / (k * n), &all) ||
                 __builtin_mul_overflow(all, sizeof(obk_pair), &n_bytes);
    OB_FAIL_IF(large, error, OB_E_LIMIT, "a packed matrix is too large");
    *params = (packing){gemm, k, n, *matrix, zero};
    uint64_t format =
        (uint64_t)OB_PREPARED_INTEGER_B << 56 | (uint64_t)(uint16_t)zero << 32 | (uint64_t)gemm->each << 16 | (uint64_t)gemm->nr;
    needs->prepared[needs->n_prepared++] = (ob_prepare_request){.input = input,
                                                                .format = format,
                                                                .n_bytes = n_bytes,
                                                                .make = make_packed_bytes,
                                                                .params = params,
                                                                .width = sizeof(int16_t)};
    return OB_OK;
}

/* ---- planning ---- */

ob_status ob__plan_integers(const ob_kernel_site *site, const ob_kernel_args *args, bool conv, ob_integers *s,
                            ob_kernel_needs *needs, ob_error *error) {
    const ob_types results = ob__op_output_types(site->op, 0);
    s->requantizes = (results & OB_T(INT8)) != 0;
    s->to_float = (results & OB_T(FLOAT)) != 0;
    s->gemm = OBK_LOOPS(integer_gemm);
    if (!conv) OBK_NOTE(integer_gemm, [OBK_INTEGER_PAIRS].product);
    if (s->requantizes) s->requantize = OBK_LOOP(quantize, ->requantize[ob__is_signed(&args->out[0]) ? OBK_Q_INT8 : OBK_Q_UINT8]);
    if (s->to_float) s->accumulate = OBK_LOOP(quantize, ->accumulate);
    if (s->requantizes)
        s->at = (ob_integer_places){3, 2, 5, 1, 4, 6, 7, conv ? 8 : -1};
    else if (s->to_float)
        s->at = (ob_integer_places){1, 4, 5, 2, 3, -1, -1, 6};
    else
        s->at = (ob_integer_places){1, 2, 3, -1, -1, -1, -1, -1};
    for (int i = 0; i < 3; i++) {
        const ob_view *view = i == 2 ? &args->out[0] : &args->in[i == 1 ? s->at.w : 0];
        bool fits = view->dtype == OB_INT8 || view->dtype == OB_UINT8 || (i == 2 && !s->requantizes);
        OB_FAIL_IF(!fits, error, OB_E_UNSUPPORTED, "elements of %s", ob_dtype_name(view->dtype));
    }
    OB_TRY(find_spread(args, s, s->at.x_zero, false, conv, &s->x_zero, error));
    OB_TRY(find_spread(args, s, s->at.w_zero, true, conv, &s->w_zero, error));
    OB_TRY(find_spread(args, s, s->at.x_scale, false, conv, &s->x_scale, error));
    OB_TRY(find_spread(args, s, s->at.w_scale, true, conv, &s->w_scale, error));
    if (s->requantizes) {
        bool one = ob__count(&args->in[s->at.y_scale]) == 1 && ob__count(&args->in[s->at.y_zero]) == 1;
        OB_FAIL_IF(!one, error, OB_E_SHAPE, "several scales or zero points of the result");
    }
    const int8_t floats[] = {s->at.x_scale, s->at.w_scale, s->at.y_scale, s->at.y_zero};
    for (size_t i = 0; i < sizeof floats; i++)
        if (floats[i] >= 0) ob__need_conversion(needs, args->in[floats[i]].dtype, OB_FLOAT);
    const ob_view *w_zeros = given(args, s->at.w_zero) ? &args->in[s->at.w_zero] : NULL;
    s->w_packed = !site->constants_in_place && !site->loops_only &&
                  ob__packs_bytes(&args->in[s->at.w], w_zeros, s->w_zero.count, &s->w_zero_value);
    OB_TRY(ob__need_scratch(needs, s->x_zero.count, sizeof(int16_t), error));
    OB_TRY(ob__need_scratch(needs, s->w_zero.count, sizeof(int16_t), error));
    OB_TRY(ob__need_scratch(needs, s->x_scale.count, sizeof(float), error));
    return ob__need_scratch(needs, s->w_scale.count, sizeof(float), error);
}

static int16_t *read_zeros(const ob_kernel_args *args, int i, const ob_spread *spread, char **scratch) {
    int16_t *zeros = ob__take(scratch, spread->count, sizeof *zeros);
    for (int64_t k = 0; k < spread->count; k++) zeros[k] = given(args, i) ? ob__zero_at(&args->in[i], k) : 0;
    return zeros;
}

static ob_status read_scales(const ob_kernel_args *args, int i, const ob_spread *spread, char **scratch, float **out,
                             ob_error *error) {
    *out = ob__take(scratch, spread->count, sizeof **out);
    if (i < 0) return OB_OK;
    return ob__convert_in_run(args, *out, OB_FLOAT, args->in[i].data, args->in[i].dtype, spread->count, error);
}

ob_status ob__read_integers(const ob_kernel_args *args, const ob_integers *s, char **scratch, ob_integer_values *values,
                            ob_error *error) {
    bool is_signed = ob__is_signed(&args->out[0]);
    *values = (ob_integer_values){.low = is_signed ? -128 : 0, .high = is_signed ? 127 : 255};
    values->x_zero = read_zeros(args, s->at.x_zero, &s->x_zero, scratch);
    values->w_zero = read_zeros(args, s->at.w_zero, &s->w_zero, scratch);
    OB_TRY(read_scales(args, s->at.x_scale, &s->x_scale, scratch, &values->x_scale, error));
    OB_TRY(read_scales(args, s->at.w_scale, &s->w_scale, scratch, &values->w_scale, error));
    if (!s->requantizes) return OB_OK;
    const ob_view *scale = &args->in[s->at.y_scale], *zero = &args->in[s->at.y_zero];
    OB_TRY(ob__convert_in_run(args, &values->y_scale, OB_FLOAT, scale->data, scale->dtype, 1, error));
    return ob__convert_in_run(args, &values->y_zero, OB_FLOAT, zero->data, zero->dtype, 1, error);
}
