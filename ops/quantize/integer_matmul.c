/* MatMulInteger (int32 result), QLinearMatMul (requantized) and com.microsoft's MatMulIntegerToFloat: products of int8 and uint8
 * minus their zero points, exact in int32, which wraps.
 *
 * QLinear: y = saturate(round(sum * (a_scale * b_scale / y_scale)) + y_zero_point), halves to even. An operand has one zero point
 * and scale, or A one for each row and B one for each column (ops/quantize/quantized.h).
 *
 * ToFloat: y = sum * (a_scale * b_scale) + bias. A has one scale. */
#include "core/base/integers.h"
#include "kernels/gemm/eights.h"
#include "kernels/gemm/integer.h"
#include "kernels/kernels.h"
#include "kernels/quantize/quantize.h"
#include "ops/kernel/common.h"
#include "ops/kernel/epilogue.h"
#include "ops/kernel/matrices.h"
#include "ops/kernel/members.h"
#include "ops/quantize/integer.h"

typedef struct integer_matmul {
    ob_integers i;
    ob_matrices p;
    int64_t a_rows;      /* rows of all matrices of A */
    int64_t strip;       /* rows of sums in the memory of a lane */
    int64_t *zero_batch; /* steps along the axes of the batch: of W's zero points, of the scales of A and of W */
    int64_t *x_scale_batch, *w_scale_batch;
    int64_t x_scale_row, w_zero_step, w_scale_step;
    size_t sums_bytes; /* for each lane */
    const ob_epilogue *epilogue;
    size_t registers_at; /* of the epilogue, in lane memory */
} integer_matmul;

OB_COUNT(batch_axes, integer_matmul, p.n_axes)

static const ob_member matmul_members[] = {OB_NESTED(integer_matmul, i, &ob__integers_struct),
                                           OB_NESTED(integer_matmul, p, &ob__matrices_struct),
                                           OB_VALUE(integer_matmul, a_rows),
                                           OB_VALUE(integer_matmul, strip),
                                           OB_NUMBERS(integer_matmul, zero_batch, batch_axes),
                                           OB_NUMBERS(integer_matmul, x_scale_batch, batch_axes),
                                           OB_NUMBERS(integer_matmul, w_scale_batch, batch_axes),
                                           OB_VALUE(integer_matmul, x_scale_row),
                                           OB_VALUE(integer_matmul, w_zero_step),
                                           OB_VALUE(integer_matmul, w_scale_step),
                                           OB_SIZE(integer_matmul, sums_bytes),
                                           OB_POINTER(integer_matmul, epilogue, &ob__epilogue_struct, NULL),
                                           OB_SIZE(integer_matmul, registers_at)};
static const ob_struct matmul_struct = OB_STRUCT(integer_matmul, matmul_members);

/* The steps of a zero point or scale along the batch axes of the product. */
static int64_t *batch_steps(const ob_kernel_site *site, const ob_matrices *p, const ob_spread *spread, const ob_view *operand) {
    int64_t *steps = ob__tail(site, (uint64_t)p->n_axes + 1, sizeof *steps);
    int32_t n_own = operand->rank - 2;
    for (int32_t a = 0; steps && a < n_own; a++) steps[p->n_axes - n_own + a] = spread->steps[a];
    return steps;
}

static int64_t last_step(const ob_spread *spread, const ob_view *operand, int32_t from_end) {
    return operand->rank >= 2 ? spread->steps[operand->rank - from_end] : 0;
}

static ob_status want_packed_w(const ob_kernel_site *site, const ob_kernel_args *args, integer_matmul *s, ob_kernel_needs *needs,
                               ob_error *error) {
    ob_matrices *p = &s->p;
    const ob_view *w = &args->in[s->i.at.w];
    int64_t matrix;
    OB_TRY(
        ob__want_packed_bytes(site, args, (uint32_t)s->i.at.w, s->i.gemm, p->k, p->n, s->i.w_zero_value, needs, &matrix, error));
    p->b.column = obk_units(s->i.gemm, p->k);
    for (int32_t i = w->rank - 3; i >= 0; i--) {
        if (w->dims[i] != 1) p->b.batch[p->n_axes - (w->rank - 2) + i] = matrix;
        matrix *= w->dims[i];
    }
    return OB_OK;
}

static ob_status need_lanes(integer_matmul *s, ob_kernel_needs *needs, ob_error *error) {
    enum { SUMS = 1 << 15, UNIT = 12 }; /* sums in the memory of a lane; rows of a tile */
    const ob_matrices *p = &s->p;
    size_t panel = s->i.w_packed ? 0 : obk_integer_panel_bytes(s->i.gemm, p->k), row;
    needs->lane_bytes = panel;
    if ((!s->i.requantizes && !s->i.to_float) || p->columns < 1) return OB_OK;
    s->strip = SUMS / p->columns;
    s->strip = s->strip >= UNIT ? s->strip / UNIT * UNIT : s->strip < 1 ? 1 : s->strip;
    if (s->strip > p->rows) s->strip = p->rows;
    bool large = __builtin_mul_overflow(p->columns, sizeof(int32_t), &row) ||
                 __builtin_mul_overflow(row, s->strip + 1, &s->sums_bytes) || s->sums_bytes > SIZE_MAX / 2;
    OB_FAIL_IF(large, error, OB_E_LIMIT, "the rows of a result are too long");
    s->sums_bytes = row * (size_t)s->strip;
    needs->lane_bytes = panel + row * ((size_t)s->strip + 1);
    s->registers_at = (size_t)ob__round_up((int64_t)needs->lane_bytes, 64);
    if (s->epilogue) needs->lane_bytes = s->registers_at + ob__epilogue_bytes(s->epilogue);
    return OB_OK;
}

/* Those that this processor has for packed weights; NULL: none. */
static const obk_integer_gemm *products_of_bytes(int64_t rows) {
    const obk_integer_gemm *all = OBK_LOOPS(integer_gemm);
    if (rows > 1 && ob__kernels_i8mm() && all[OBK_INTEGER_EIGHTS].product) return &all[OBK_INTEGER_EIGHTS];
    return ob__kernels_dot8() && all[OBK_INTEGER_QUADS].product ? &all[OBK_INTEGER_QUADS] : NULL;
}

static ob_status matmul_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    integer_matmul *s = args->state;
    ob_matrices *p = &s->p;
    OB_TRY(ob__plan_integers(site, args, false, &s->i, needs, error));
    s->epilogue = site->epilogue;
    OB_FAIL_IF(s->i.to_float && s->i.x_scale.count != 1, error, OB_E_SHAPE, "several scales of A");
    const bool has_bias = s->i.to_float && ob__given(args, (uint32_t)s->i.at.bias);
    OB_FAIL_IF(has_bias && args->out[0].rank > 0 &&
                   ob__count(&args->in[s->i.at.bias]) != args->out[0].dims[args->out[0].rank - 1],
               error, OB_E_SHAPE, "the bias has not one element for each column");
    const ob_view *a = &args->in[0], *w = &args->in[s->i.at.w];
    bool joins = s->i.x_zero.count == 1 && s->i.x_scale.count == 1;
    OB_TRY(ob__matrices(site, a, w, &args->out[0], joins, p, error));
    s->zero_batch = batch_steps(site, p, &s->i.w_zero, w);
    s->x_scale_batch = batch_steps(site, p, &s->i.x_scale, a);
    s->w_scale_batch = batch_steps(site, p, &s->i.w_scale, w);
    OB_FAIL_IF(!s->zero_batch || !s->x_scale_batch || !s->w_scale_batch, error, OB_E_MEMORY, "no memory for a plan");
    s->x_scale_row = last_step(&s->i.x_scale, a, 2);
    s->w_scale_step = last_step(&s->i.w_scale, w, 1);
    s->w_zero_step = last_step(&s->i.w_zero, w, 1);
    s->a_rows = p->k > 0 ? ob__count(a) / p->k : 0;
    s->i.w_packed = s->i.w_packed && p->k > 0 && p->n > 0;
    const obk_integer_gemm *of_bytes = products_of_bytes(s->a_rows);
    if (s->i.w_packed && !site->loops_only && of_bytes && ob__bytes_fit(w, s->i.w_zero_value)) s->i.gemm = of_bytes;
    if (s->i.w_packed) OB_TRY(want_packed_w(site, args, s, needs, error));
    ob__cut_matrices(p, false, s->i.w_packed);
    OB_TRY(need_lanes(s, needs, error));
    int64_t n_units;
    OB_FAIL_IF(ob__mul_overflows(s->a_rows, obk_units(s->i.gemm, p->k), &n_units), error, OB_E_LIMIT, "A is too large");
    return ob__need_scratch(needs, n_units, sizeof(obk_pair), error);
}

/* ---- run ---- */

typedef struct job {
    const integer_matmul *s;
    const ob_view *view; /* the operand A */
    obk_pair *a;
    const void *w; /* packed, or bytes */
    bool w_signed;
    const float *bias; /* NULL: none */
    const ob_kernel_args *args;
    ob_integer_values values;
    ob_view out;
    char *lanes;
    size_t lane_stride;
} job;

/* Widens rows begin .. end of A to units. */
static void widen_rows(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const int64_t k = j->s->p.k, units = obk_units(j->s->i.gemm, k);
    obk_bytes bytes = {.is_signed = ob__is_signed(j->view), .step = k, .along = 1, .zero = j->values.x_zero};
    if (j->s->i.x_zero.count == 1) {
        bytes.data = (const char *)j->view->data + begin * k;
        j->s->i.gemm->pack_a(j->a + begin * units, &bytes, end - begin, k);
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        bytes.data = (const char *)j->view->data + i * k;
        bytes.zero = j->values.x_zero + ob__spread_row(&j->s->i.x_zero, j->view, i);
        j->s->i.gemm->pack_a(j->a + i * units, &bytes, 1, k);
    }
}

/* Multiplies rows of the part from row `from` on. */
static void multiply(const job *j, const ob_matrices_part *part, int64_t from, int64_t rows, int32_t *y, int64_t y_row,
                     void *panel) {
    const integer_matmul *s = j->s;
    const ob_matrices *p = &s->p;
    obk_integer_call call = {.m = rows, .n = part->columns, .k = p->k, .y = y, .y_row = y_row, .panel = panel};
    call.a = p->k > 0 ? j->a + (part->a / p->k + from) * obk_units(s->i.gemm, p->k) : j->a;
    if (s->i.w_packed) {
        call.b = (const obk_pair *)j->w + part->b;
    } else {
        int64_t zero = ob__batch_offset(p, part->product, s->zero_batch) + part->column * s->w_zero_step;
        call.bytes = (obk_bytes){.data = (const char *)j->w + part->b,
                                 .is_signed = j->w_signed,
                                 .step = p->b.column,
                                 .along = p->b.row,
                                 .zero = j->values.w_zero + zero,
                                 .zero_step = s->w_zero_step};
    }
    s->i.gemm->product(&call);
}

/* The factors for the sums of a row: one for all, or one for each in `row`. */
static const float *scales_of_row(const job *j, const ob_matrices_part *part, int64_t i, float *row) {
    const integer_matmul *s = j->s;
    const ob_integer_values *v = &j->values;
    int64_t batch = ob__batch_offset(&s->p, part->product, s->x_scale_batch);
    float x = v->x_scale[batch + (part->row + i) * s->x_scale_row];
    const float *w = v->w_scale + ob__batch_offset(&s->p, part->product, s->w_scale_batch) + part->column * s->w_scale_step;
    int64_t n = s->w_scale_step ? part->columns : 1;
    if (i > 0 && s->x_scale_row == 0) return row; /* the same as for the previous row */
    for (int64_t k = 0; k < n; k++) row[k] = s->i.to_float ? x * w[k] : x * w[k] / v->y_scale;
    return row;
}

/* Rows of sums as floats, with the epilogue. Sums are added to the bias, or to -0, which changes none. */
static void scale_rows(const job *j, const ob_matrices_part *part, int64_t from, int64_t rows, const int32_t *sums, char *lane) {
    const integer_matmul *s = j->s;
    const int64_t n = s->p.n;
    float *row = (float *)(void *)(lane + s->sums_bytes), *y = (float *)j->out.data + part->y + from * n;
    for (int64_t i = 0; i < rows; i++) {
        const obk_scales to = {.scale = scales_of_row(j, part, from + i, row), .each = s->w_scale_step != 0};
        float *results = y + i * n;
        for (int64_t k = 0; k < part->columns; k++) results[k] = j->bias ? j->bias[part->column + k] : -0.0F;
        s->i.accumulate(results, sums + i * part->columns, part->columns, &to);
    }
    if (!s->epilogue) return;
    const ob_epilogue_call after = ob__epilogue_at(s->epilogue, j->args, part->product * s->p.m + part->row + from, part->column,
                                                   y, n * (int64_t)sizeof *y, lane + s->registers_at);
    after.base.apply(&after.base, after.y, after.y_row, 0, rows, 0, part->columns);
}

static void multiply_part(const job *j, const ob_matrices_part *part, char *lane) {
    const integer_matmul *s = j->s;
    const int64_t n = s->p.n;
    if (!s->i.requantizes && !s->i.to_float) {
        multiply(j, part, 0, part->rows, (int32_t *)j->out.data + part->y, n, lane);
        return;
    }
    char *panel = lane + s->sums_bytes + (size_t)s->p.columns * sizeof(float);
    int32_t *sums = (int32_t *)(void *)lane;
    float *row = (float *)(void *)(lane + s->sums_bytes);
    obk_requantized to = {.each = s->w_scale_step != 0, .zero = j->values.y_zero, .low = j->values.low, .high = j->values.high};
    for (int64_t from = 0; from < part->rows; from += s->strip) {
        int64_t rows = part->rows - from < s->strip ? part->rows - from : s->strip;
        multiply(j, part, from, rows, sums, part->columns, panel);
        if (s->i.to_float) {
            scale_rows(j, part, from, rows, sums, lane);
            continue;
        }
        for (int64_t i = 0; i < rows; i++) {
            to.scale = scales_of_row(j, part, from + i, row);
            s->i.requantize((char *)j->out.data + part->y + (from + i) * n, sums + i * part->columns, part->columns, &to);
        }
    }
}

static void multiply_chunk(void *context, int64_t chunk, int lane) {
    const job *j = context;
    int64_t n = ob__n_parts(&j->s->p, chunk);
    for (int64_t i = 0; i < n; i++) {
        ob_matrices_part part = ob__part(&j->s->p, chunk, i);
        multiply_part(j, &part, ob__lane(j->lanes, j->lane_stride, lane));
    }
}

OB_RUN(ob__run_integer_matmul) {
    const integer_matmul *s = args->state;
    const ob_view *w = &args->in[s->i.at.w];
    char *scratch = args->scratch;
    job j = {.s = s,
             .view = &args->in[0],
             .w = s->i.w_packed ? args->prepared[0] : w->data,
             .w_signed = ob__is_signed(w),
             .args = args,
             .out = args->out[0],
             .lanes = args->lanes,
             .lane_stride = args->lane_stride};
    OB_TRY(ob__read_integers(args, &s->i, &scratch, &j.values, error));
    if (s->i.to_float && ob__given(args, (uint32_t)s->i.at.bias)) j.bias = args->in[s->i.at.bias].data;
    j.a = ob__take(&scratch, s->a_rows * obk_units(s->i.gemm, s->p.k), sizeof(obk_pair));
    if (ob__writes_nothing(args)) return OB_OK;
    ob__parallel(args->threads, s->a_rows, (1 << 16) / (s->p.k + 1) + 1, widen_rows, &j);
    ob__each_chunk(args->threads, s->p.n_chunks, multiply_chunk, &j);
    return OB_OK;
}

#define BIT(type) (UINT64_C(1) << OB_##type)

const ob_kernel ob__kernel_integer_matmul = {.name = "integer_matmul",
                                             .state_bytes = sizeof(integer_matmul),
                                             .plan = matmul_plan,
                                             OB_RUNS(ob__run_integer_matmul),
                                             .state = &matmul_struct,
                                             .types = BIT(INT8) | BIT(UINT8) | BIT(FLOAT) | BIT(FLOAT16) | BIT(BFLOAT16)};

/* A vector on the right leaves rows only. */
static int32_t float_columns(const ob_view *in, const ob_view *out) {
    return in[1].rank > 1 && out->rank > 0 ? 1 : 0;
}

const ob_kernel ob__kernel_integer_matmul_to_float = {.name = "integer_matmul",
                                                      .state_bytes = sizeof(integer_matmul),
                                                      .plan = matmul_plan,
                                                      OB_RUNS(ob__run_integer_matmul),
                                                      .state = &matmul_struct,
                                                      .types = BIT(INT8) | BIT(UINT8) | BIT(FLOAT),
                                                      .epilogue_columns = float_columns};
