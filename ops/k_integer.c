/* Products of quantised operands: MatMulInteger, ConvInteger (int32 result), QLinearMatMul, QLinearConv (requantised).
 *
 * The operands minus their zero points are whole numbers; they are multiplied by the kernels of MatMul and Conv in double, which
 * is exact up to 2^53. QLinear: y = saturate(round(sum * (x_scale * w_scale / y_scale)) + y_zero_point), halves to even. Zero
 * points and scales: one for all; of A one per row, of B one per column, of W one per map. */
#include "ops/k_common.h"

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

static void *zero_point(const ob_kernel_args *args, int i) {
    return i >= 0 && ob__given(args, (uint32_t)i) ? args->in[i].data : NULL;
}

static int64_t count_of(const ob_kernel_args *args, int i) {
    return i >= 0 && ob__given(args, (uint32_t)i) ? ob__count(&args->in[i]) : 1;
}

/* Elements that share a zero point, in a run, and how many zero points there are before they repeat. */
static ob_status spread(const ob_kernel_args *args, const integer_product *p, int i, bool second, int64_t *run, ob_error *error) {
    const ob_view *operand = &args->in[second ? p->at.w : 0];
    int64_t n = count_of(args, i), axis_size;
    *run = 1;
    if (n == 1) return OB_OK;
    if (p->is_conv) {
        axis_size = second ? operand->dims[0] : -1;
        *run = second ? ob__product(operand->dims, 1, operand->rank) : 1;
    } else {
        OB_FAIL_IF(operand->rank < 2, error, OB_E_UNSUPPORTED, "%s: %lld zero points of a vector", args->node->op_type,
                   (long long)n);
        axis_size = second ? operand->dims[operand->rank - 1] : operand->dims[operand->rank - 2];
        *run = second ? 1 : operand->dims[operand->rank - 1];
    }
    OB_FAIL_IF(n != axis_size, error, OB_E_UNSUPPORTED, "%s: %lld zero points or scales for input %d", args->node->op_type,
               (long long)n, second ? p->at.w : 0);
    return OB_OK;
}

static ob_status widen(const ob_kernel_args *args, const integer_product *p, bool second, double *to, ob_error *error) {
    const ob_view *operand = &args->in[second ? p->at.w : 0];
    int zero = second ? p->at.w_zero : p->at.x_zero;
    int64_t n = ob__count(operand), run, n_zeros = count_of(args, zero);
    OB_TRY(ob__convert(to, OB_DOUBLE, operand->data, operand->dtype, n, error));
    const char *zeros = zero_point(args, zero);
    if (!zeros) return OB_OK;
    OB_TRY(spread(args, p, zero, second, &run, error));
    size_t width = ob_dtype_size(args->in[zero].dtype);
    for (int64_t i = 0, k = 0; i < n; k = (k + 1) % n_zeros) {
        double value;
        OB_TRY(ob__convert(&value, OB_DOUBLE, zeros + k * (int64_t)width, args->in[zero].dtype, 1, error));
        int64_t end = n_zeros == 1 ? n : i + run;
        for (; i < end && i < n; i++) to[i] -= value;
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

static ob_status integer_plan(ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    integer_product *p = args->state;
    const char *name = args->node->op_type;
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
    int64_t run;
    OB_TRY(spread(args, p, p->at.x_zero, false, &run, error));
    OB_TRY(spread(args, p, p->at.w_zero, true, &run, error));
    if (p->requantizes) {
        OB_TRY(spread(args, p, p->at.w_scale, true, &run, error));
        bool one = count_of(args, p->at.x_scale) == 1 && count_of(args, p->at.y_scale) == 1 && count_of(args, p->at.y_zero) == 1;
        OB_FAIL_IF(!one, error, OB_E_UNSUPPORTED, "%s: several scales of the data or the result", name);
    }
    for (int part = 0; part < 4; part++) OB_TRY(ob__need_scratch(needs, count_part(args, p, part), sizeof(double), error));
    ob_view views[4];
    double *none[4] = {NULL};
    ob_kernel_args inner = inner_call(args, p, views, none);
    return p->kernel->plan(&inner, needs, error);
}

/* The number of results with one scale of W, and how often the scales repeat. */
static void requantize_element(double sum, float scale, double zero, double low, double high, double *y) {
    double value = (double)rintf((float)sum * scale) + zero;
    *y = value > low ? value < high ? value : high : low;
}

static ob_status requantize(const ob_kernel_args *args, const integer_product *p, double *sums, ob_error *error) {
    const ob_view *out = &args->out[0];
    float x_scale, y_scale, w_scale;
    double zero;
    OB_TRY(ob__convert(&x_scale, OB_FLOAT, args->in[p->at.x_scale].data, args->in[p->at.x_scale].dtype, 1, error));
    OB_TRY(ob__convert(&y_scale, OB_FLOAT, args->in[p->at.y_scale].data, args->in[p->at.y_scale].dtype, 1, error));
    OB_TRY(ob__convert(&zero, OB_DOUBLE, args->in[p->at.y_zero].data, args->in[p->at.y_zero].dtype, 1, error));
    const ob_view *scales = &args->in[p->at.w_scale];
    int64_t n = ob__count(out), n_scales = ob__count(scales);
    int64_t run = p->is_conv ? ob__product(out->dims, 2, out->rank) : 1;
    bool is_signed = out->dtype == OB_INT8;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = n_scales == 1 ? 0 : i / run % n_scales;
        const char *scale = (const char *)scales->data + k * (int64_t)ob_dtype_size(scales->dtype);
        if (i == 0 || (n_scales > 1 && i % run == 0)) OB_TRY(ob__convert(&w_scale, OB_FLOAT, scale, scales->dtype, 1, error));
        requantize_element(sums[i], x_scale * w_scale / y_scale, zero, is_signed ? -128 : 0, is_signed ? 127 : 255, &sums[i]);
    }
    return OB_OK;
}

static ob_status integer_run(const ob_kernel_args *args, ob_error *error) {
    integer_product *p = args->state;
    const ob_view *out = &args->out[0];
    char *next = args->scratch;
    double *data[4];
    for (int part = 0; part < 4; part++) data[part] = ob__take(&next, count_part(args, p, part), sizeof(double));
    OB_TRY(widen(args, p, false, data[0], error));
    OB_TRY(widen(args, p, true, data[1], error));
    int64_t n_bias = count_part(args, p, 2), n_out = ob__count(out);
    if (n_bias) OB_TRY(ob__convert(data[2], OB_DOUBLE, args->in[p->at.bias].data, args->in[p->at.bias].dtype, n_bias, error));
    ob_view views[4];
    ob_kernel_args inner = inner_call(args, p, views, data);
    inner.scratch = next;
    OB_TRY(p->kernel->run(&inner, error));
    if (p->requantizes) {
        OB_TRY(requantize(args, p, data[3], error));
    } else { /* int32 wraps */
        for (int64_t i = 0; i < n_out; i++) ((uint32_t *)out->data)[i] = (uint32_t)ob__int64_from(data[3][i]);
        return OB_OK;
    }
    return ob__convert(out->data, out->dtype, data[3], OB_DOUBLE, n_out, error);
}

const ob_kernel ob__kernel_integer_product = {
    .name = "integer_product", .state_bytes = sizeof(integer_product) + INNER_STATE, .plan = integer_plan, .run = integer_run};
