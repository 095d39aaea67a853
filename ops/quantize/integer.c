/* Products of quantised operands: MatMulInteger, ConvInteger (int32 result), QLinearMatMul, QLinearConv (requantised).
 *
 * The operands minus their zero points are whole numbers; they are multiplied by the kernels of MatMul and Conv in double, which
 * is exact up to 2^53. QLinear: y = saturate(round(sum * (x_scale * w_scale / y_scale)) + y_zero_point), halves to even. Zero
 * points and scales: one for all; of A one per row, of B one per column, of W one per map (ops/quantize/quantized.h). */
#include "ops/kernel/common.h"
#include "ops/quantize/quantized.h"

OB_KERNEL(matmul);
OB_KERNEL(conv);

/* Where the operands stand among the inputs; -1: there is none. */
typedef struct places {
    int w, x_zero, w_zero, x_scale, w_scale, y_scale, y_zero, bias;
} places;

typedef struct integer_product {
    places at;
    const ob_kernel *kernel;
    const ob_op *op;
    bool is_conv, requantizes;
    max_align_t inner_state[]; /* of `kernel` */
} integer_product;

enum { INNER_STATE = 8192 };

static int64_t count_of(const ob_kernel_args *args, int i) {
    return i >= 0 && ob__given(args, (uint32_t)i) ? ob__count(&args->in[i]) : 1;
}

/* A scale or zero point stretched over a tensor: elements from one of its places to the next along each axis. */
typedef struct spread {
    int64_t steps[OB_MAX_RANK];
} spread;

/* Of input i, which belongs to A (X) or B (W). */
static ob_status find_spread(const ob_kernel_args *args, const integer_product *p, int i, bool second, spread *out,
                             ob_error *error) {
    memset(out, 0, sizeof *out);
    if (i < 0 || !ob__given(args, (uint32_t)i)) return OB_OK;
    const ob_view *operand = &args->in[second ? p->at.w : 0], *parameter = &args->in[i];
    ob_scale_of of = p->is_conv ? second ? OB_SCALE_OF_MAP : OB_SCALE_OF_ALL : second ? OB_SCALE_OF_COLUMN : OB_SCALE_OF_ROW;
    ob_scale_layout layout;
    ob_dim aligned[OB_MAX_RANK];
    ob__product_scale_layout(of, (ob_shape){operand->rank, operand->dims}, (ob_shape){parameter->rank, parameter->dims}, &layout,
                             aligned);
    OB_FAIL_IF(!ob__scale_fits(&layout), error, OB_E_SHAPE, "%s: input %d: %s", args->node->op_type, i,
               layout.problem ? layout.problem : "the scale's or zero point's sizes do not fit the operand's");
    if (layout.kind == OB_SCALE_TENSOR) return OB_OK;
    int64_t step = 1;
    for (int32_t a = operand->rank - 1; a >= 0; a--) {
        out->steps[a] = aligned[a] == 1 ? 0 : step;
        step *= aligned[a];
    }
    return OB_OK;
}

/* The same over the result: its batch axes, then the row of A and the column of B; or the map of W. */
static void spread_over_result(const ob_kernel_args *args, const integer_product *p, bool second, const spread *of, spread *out) {
    const ob_view *operand = &args->in[second ? p->at.w : 0], *y = &args->out[0];
    memset(out, 0, sizeof *out);
    if (p->is_conv) {
        if (second) out->steps[1] = of->steps[0];
        return;
    }
    if (operand->rank < 2) return;
    bool has_row = args->in[0].rank >= 2, has_column = args->in[p->at.w].rank >= 2;
    int32_t n_batch = y->rank - has_row - has_column, n_own = operand->rank - 2;
    for (int32_t a = 0; a < n_own; a++) out->steps[n_batch - n_own + a] = of->steps[a];
    out->steps[second ? y->rank - 1 : n_batch] = of->steps[second ? n_own + 1 : n_own];
}

/* Where a row (a run along the last axis) of the tensor begins in the parameter. */
static int64_t row_start(const spread *s, const ob_view *tensor, int64_t row) {
    int64_t at = 0;
    for (int32_t a = tensor->rank - 2; a >= 0; a--) {
        at += row % tensor->dims[a] * s->steps[a];
        row /= tensor->dims[a];
    }
    return at;
}

static int64_t row_length(const ob_view *tensor) {
    return tensor->rank > 0 ? tensor->dims[tensor->rank - 1] : 1;
}

static ob_status widen(const ob_kernel_args *args, const integer_product *p, bool second, double *to, double *zeros,
                       ob_error *error) {
    const ob_view *operand = &args->in[second ? p->at.w : 0];
    int zero = second ? p->at.w_zero : p->at.x_zero;
    int64_t n = ob__count(operand), length = row_length(operand);
    spread s;
    OB_TRY(ob__convert(to, OB_DOUBLE, operand->data, operand->dtype, n, error));
    if (!ob__given(args, (uint32_t)zero)) return OB_OK;
    OB_TRY(find_spread(args, p, zero, second, &s, error));
    OB_TRY(ob__convert(zeros, OB_DOUBLE, args->in[zero].data, args->in[zero].dtype, count_of(args, zero), error));
    int64_t step = operand->rank > 0 ? s.steps[operand->rank - 1] : 0;
    for (int64_t row = 0; n > 0 && row < n / length; row++, to += length) {
        const double *from = zeros + row_start(&s, operand, row);
        for (int64_t i = 0; i < length; i++) to[i] -= from[i * step];
    }
    return OB_OK;
}

static void become_double(ob_view *view, const ob_view *like, void *data) {
    *view = *like;
    view->data = data;
    view->dtype = OB_DOUBLE;
    ob__contiguous_strides(view->rank, view->dims, sizeof(double), view->strides);
}

/* The call of the inner kernel; views has room for three inputs and the output. */
static ob_kernel_args inner_call(const ob_kernel_args *args, integer_product *p, ob_view *views, double **data) {
    become_double(&views[0], &args->in[0], data[0]);
    become_double(&views[1], &args->in[p->at.w], data[1]);
    memset(&views[2], 0, sizeof views[2]);
    uint32_t n_in = 2;
    if (p->at.bias >= 0 && ob__given(args, (uint32_t)p->at.bias)) {
        become_double(&views[2], &args->in[p->at.bias], data[2]);
        n_in = 3;
    }
    become_double(&views[3], &args->out[0], data[3]);
    ob_kernel_args inner = *args;
    inner.op = p->op;
    inner.n_in = n_in;
    inner.n_out = 1;
    inner.in = views;
    inner.out = &views[3];
    inner.state = p->inner_state;
    return inner;
}

static int64_t count_part(const ob_kernel_args *args, const integer_product *p, int part) {
    if (part == 0) return ob__count(&args->in[0]);
    if (part == 1) return ob__count(&args->in[p->at.w]);
    if (part == 2) return p->at.bias >= 0 && ob__given(args, (uint32_t)p->at.bias) ? ob__count(&args->in[p->at.bias]) : 0;
    return ob__count(&args->out[0]);
}

/* Zero points and scales of A (X) and B (W), converted. */
enum { N_PARAMETERS = 4 };
static int64_t parameter_count(const ob_kernel_args *args, const integer_product *p, int k) {
    const int inputs[N_PARAMETERS] = {p->at.x_zero, p->at.w_zero, p->at.x_scale, p->at.w_scale};
    return count_of(args, inputs[k]);
}

static ob_status integer_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    integer_product *p = args->state;
    const char *name = site->node->op_type;
    p->requantizes = name[0] == 'Q';
    p->is_conv = strcmp(name, "ConvInteger") == 0 || strcmp(name, "QLinearConv") == 0;
    if (p->requantizes)
        p->at = (places){3, 2, 5, 1, 4, 6, 7, p->is_conv ? 8 : -1};
    else
        p->at = (places){1, 2, 3, -1, -1, -1, -1, -1};
    p->kernel = p->is_conv ? &ob__kernel_conv : &ob__kernel_matmul;
    p->op = p->is_conv ? ob__op_find("", "Conv", 11) : ob__op_find("", "MatMul", 13);
    OB_FAIL_IF(!p->op || p->kernel->state_bytes > INNER_STATE, error, OB_E_INTERNAL, "%s: no room for the inner product", name);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t k = i ? (uint32_t)p->at.w : 0;
        ob_dtype dtype = k < args->n_in ? args->in[k].dtype : OB_NONE;
        OB_FAIL_IF(dtype != OB_INT8 && dtype != OB_UINT8, error, OB_E_UNSUPPORTED, "%s of %s", name, ob_dtype_name(dtype));
    }
    spread s;
    OB_TRY(find_spread(args, p, p->at.x_zero, false, &s, error));
    OB_TRY(find_spread(args, p, p->at.w_zero, true, &s, error));
    OB_TRY(find_spread(args, p, p->at.x_scale, false, &s, error));
    OB_TRY(find_spread(args, p, p->at.w_scale, true, &s, error));
    bool one = count_of(args, p->at.y_scale) == 1 && count_of(args, p->at.y_zero) == 1;
    OB_FAIL_IF(!one, error, OB_E_SHAPE, "%s: several scales or zero points of the result", name);
    for (int part = 0; part < 4; part++) OB_TRY(ob__need_scratch(needs, count_part(args, p, part), sizeof(double), error));
    for (int k = 0; k < N_PARAMETERS; k++) OB_TRY(ob__need_scratch(needs, parameter_count(args, p, k), sizeof(double), error));
    ob_view views[4];
    double *none[4] = {NULL};
    ob_kernel_args inner = inner_call(args, p, views, none);
    return p->kernel->plan(&(ob_kernel_site){inner.node, inner.op, site->arena, site->allocator}, &inner, needs, error);
}

static double requantized(double sum, float scale, double zero, double low, double high) {
    double value = (double)rintf((float)sum * scale) + zero;
    return value > low ? value < high ? value : high : low;
}

/* Scales of A (X) and B (W), as floats. */
typedef struct scales {
    const float *x, *w;
    spread over_x, over_w;
} scales;

static ob_status read_scales(const ob_kernel_args *args, const integer_product *p, float *x, float *w, scales *out,
                             ob_error *error) {
    spread s;
    OB_TRY(ob__convert(x, OB_FLOAT, args->in[p->at.x_scale].data, args->in[p->at.x_scale].dtype, count_of(args, p->at.x_scale),
                       error));
    OB_TRY(ob__convert(w, OB_FLOAT, args->in[p->at.w_scale].data, args->in[p->at.w_scale].dtype, count_of(args, p->at.w_scale),
                       error));
    *out = (scales){.x = x, .w = w};
    OB_TRY(find_spread(args, p, p->at.x_scale, false, &s, error));
    spread_over_result(args, p, false, &s, &out->over_x);
    OB_TRY(find_spread(args, p, p->at.w_scale, true, &s, error));
    spread_over_result(args, p, true, &s, &out->over_w);
    return OB_OK;
}

static ob_status requantize(const ob_kernel_args *args, const integer_product *p, double *sums, float *x, float *w,
                            ob_error *error) {
    const ob_view *out = &args->out[0];
    scales s;
    float y_scale;
    double zero, low = out->dtype == OB_INT8 ? -128 : 0, high = out->dtype == OB_INT8 ? 127 : 255;
    OB_TRY(ob__convert(&y_scale, OB_FLOAT, args->in[p->at.y_scale].data, args->in[p->at.y_scale].dtype, 1, error));
    OB_TRY(ob__convert(&zero, OB_DOUBLE, args->in[p->at.y_zero].data, args->in[p->at.y_zero].dtype, 1, error));
    OB_TRY(read_scales(args, p, x, w, &s, error));
    int64_t n = ob__count(out), length = row_length(out);
    int64_t x_step = out->rank > 0 ? s.over_x.steps[out->rank - 1] : 0,
            w_step = out->rank > 0 ? s.over_w.steps[out->rank - 1] : 0;
    for (int64_t row = 0; n > 0 && row < n / length; row++, sums += length) {
        const float *from_x = s.x + row_start(&s.over_x, out, row), *from_w = s.w + row_start(&s.over_w, out, row);
        for (int64_t i = 0; i < length; i++)
            sums[i] = requantized(sums[i], from_x[i * x_step] * from_w[i * w_step] / y_scale, zero, low, high);
    }
    return OB_OK;
}

static ob_status integer_run(const ob_kernel_args *args, ob_error *error) {
    integer_product *p = args->state;
    const ob_view *out = &args->out[0];
    char *next = args->scratch;
    double *data[4];
    for (int part = 0; part < 4; part++) data[part] = ob__take(&next, count_part(args, p, part), sizeof(double));
    void *parameters[N_PARAMETERS];
    for (int k = 0; k < N_PARAMETERS; k++) parameters[k] = ob__take(&next, parameter_count(args, p, k), sizeof(double));
    OB_TRY(widen(args, p, false, data[0], parameters[0], error));
    OB_TRY(widen(args, p, true, data[1], parameters[1], error));
    int64_t n_bias = count_part(args, p, 2), n_out = ob__count(out);
    if (n_bias) OB_TRY(ob__convert(data[2], OB_DOUBLE, args->in[p->at.bias].data, args->in[p->at.bias].dtype, n_bias, error));
    ob_view views[4];
    ob_kernel_args inner = inner_call(args, p, views, data);
    inner.scratch = next;
    OB_TRY(p->kernel->run(&inner, error));
    if (p->requantizes) {
        OB_TRY(requantize(args, p, data[3], parameters[2], parameters[3], error));
    } else { /* int32 wraps */
        for (int64_t i = 0; i < n_out; i++) ((uint32_t *)out->data)[i] = (uint32_t)ob__int64_from(data[3][i]);
        return OB_OK;
    }
    return ob__convert(out->data, out->dtype, data[3], OB_DOUBLE, n_out, error);
}

const ob_kernel ob__kernel_integer_product = {
    .name = "integer_product", .state_bytes = sizeof(integer_product) + INNER_STATE, .plan = integer_plan, .run = integer_run};
