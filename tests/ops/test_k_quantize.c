/* Quantisation, and products of quantised operands, compared with the definitions. */
#include "kernel_case.h"

static void range_of(ob_dtype dtype, double *low, double *high) {
    int bits = ob_dtype_file_bits(dtype);
    bool is_signed = dtype == OB_INT8 || dtype == OB_INT16;
    *low = is_signed ? -(double)(1 << (bits - 1)) : 0;
    *high = is_signed ? (double)(1 << (bits - 1)) - 1 : (double)(1 << bits) - 1;
}

static double clamped(double value, ob_dtype dtype) {
    double low, high;
    range_of(dtype, &low, &high);
    return value < low ? low : value > high ? high : value;
}

/* form 0: one scale; 1: per slice of axis 1; 2: per slice of the last axis; 3: blocks of 2 along axis 1. */
static void quantize_round(ob_dtype from, ob_dtype to, int form) {
    const int64_t dims[3] = {2, 4, 3};
    int64_t n_scales = form == 0 ? 1 : form == 1 ? 4 : 3, block_dims[3] = {2, 2, 3};
    int32_t rank = form == 0 ? 0 : form == 3 ? 3 : 1;
    const int64_t *scale_dims = form == 3 ? block_dims : &n_scales;
    kernel_case *q = kc_open("QuantizeLinear", 21), *d = kc_open("DequantizeLinear", 21);
    for (int k = 0; k < 2; k++) {
        kernel_case *c = k ? d : q;
        kc_int(c, "axis", form == 2 ? -1 : 1);
        if (form == 3) kc_int(c, "block_size", 2);
        kc_in(c, 0, k ? to : from, 3, dims);
        ob_view *scale = kc_in(c, 1, from, rank, scale_dims), *zero = kc_in(c, 2, to, rank, scale_dims);
        for (int64_t i = 0; i < ob__count(scale); i++) {
            kc_set(scale, i, (double)(1 << i % 3) / 4);
            kc_set(zero, i, (double)(i % 5));
        }
        kc_out(c, 0, k ? from : to, 3, dims);
    }
    for (int64_t i = 0; i < 24; i++) kc_set(&q->in[0], i, i == 5 ? 1000 : i == 9 ? -1000 : (rand() % 400 - 200) / 8.0);
    kc_run(q);
    memcpy(d->in[0].data, q->out[0].data, 24 * ob_dtype_size(to));
    kc_run(d);
    for (int64_t i = 0; i < 24; i++) {
        int64_t s = form == 0 ? 0 : form == 1 ? i / 3 % 4 : form == 2 ? i % 3 : (i / 12 * 2 + i / 3 % 4 / 2) * 3 + i % 3;
        double scale = kc_get(&q->in[1], s), zero = kc_get(&q->in[2], s);
        double y = clamped(rint(kc_get(&q->in[0], i) / scale) + zero, to);
        kc_near(kc_get(&q->out[0], i), y, 0);
        kc_near(kc_get(&d->out[0], i), (y - zero) * scale, kc_tolerance(from));
    }
    kc_close(q);
    kc_close(d);
}

static void quantize_and_back(void **state) {
    (void)state;
    srand(61);
    static const ob_dtype from[] = {OB_FLOAT, OB_FLOAT16, OB_BFLOAT16}, to[] = {OB_INT8, OB_UINT8, OB_INT16, OB_UINT16};
    for (int f = 0; f < 3; f++)
        for (int t = 0; t < 4; t++)
            for (int form = 0; form < 4; form++) quantize_round(from[f], to[t], form);
}

static void quantize_of_special_values(void **state) {
    (void)state;
    kernel_case *c = kc_open("QuantizeLinear", 13);
    const double x[] = {(double)INFINITY, (double)-INFINITY, (double)NAN, 2.5, 3.5, -2.5, 1e30, -1e30};
    const double expected[] = {127, -128, -128, 2, 4, -2, 127, -128};
    ob_view *in = kc_in(c, 0, OB_FLOAT, DIMS(8));
    for (int i = 0; i < 8; i++) kc_set(in, i, x[i]);
    kc_set(kc_in(c, 1, OB_FLOAT, SCALAR), 0, 1);
    kc_set(kc_in(c, 2, OB_INT8, SCALAR), 0, 0);
    kc_out(c, 0, OB_INT8, DIMS(8));
    kc_run(c);
    for (int i = 0; i < 8; i++) kc_near(kc_get(&c->out[0], i), expected[i], 0);
    kc_in(c, 1, OB_FLOAT, DIMS(3));
    kc_in(c, 2, OB_INT8, DIMS(3));
    assert_true(kc_try(c) != OB_OK);
    kc_close(c);
}

/* The codes of 8-bit floats that ONNX tabulates: 448 and 57344 are the largest numbers of E4M3FN and E5M2. */
static void quantize_to_8_bit_floats_saturates_or_not(void **state) {
    (void)state;
    enum { N = 6 };
    static const double x[N] = {2000, -2000, (double)INFINITY, 1e6, -0.0, 2};
    static const struct {
        ob_dtype to;
        int saturate;
        uint8_t codes[N];
    } cases[] = {
        {OB_FLOAT8E4M3FN, 1, {0x7e, 0xfe, 0x7e, 0x7e, 0x80, 0x38}}, {OB_FLOAT8E4M3FN, 0, {0x7f, 0xff, 0x7f, 0x7f, 0x80, 0x38}},
        {OB_FLOAT8E4M3FNUZ, 1, {0x7f, 0xff, 0x7f, 0x7f, 0, 0x40}},  {OB_FLOAT8E4M3FNUZ, 0, {0x80, 0x80, 0x80, 0x80, 0, 0x40}},
        {OB_FLOAT8E5M2, 1, {0x64, 0xe4, 0x7b, 0x7b, 0x80, 0x3c}},   {OB_FLOAT8E5M2, 0, {0x64, 0xe4, 0x7c, 0x7c, 0x80, 0x3c}},
        {OB_FLOAT8E5M2FNUZ, 1, {0x68, 0xe8, 0x7f, 0x7f, 0, 0x40}},  {OB_FLOAT8E5M2FNUZ, 0, {0x68, 0xe8, 0x80, 0x80, 0, 0x40}},
    };
    static const int64_t opsets[] = {19, 21, 25};
    for (size_t i = 0; i < 3 * sizeof cases / sizeof cases[0]; i++) {
        kernel_case *c = kc_open("QuantizeLinear", opsets[i % 3]);
        if (i % 2 || !cases[i / 3].saturate) kc_int(c, "saturate", cases[i / 3].saturate); /* 1 is the default */
        ob_view *in = kc_in(c, 0, OB_FLOAT, DIMS(N));
        for (int k = 0; k < N; k++) kc_set(in, k, x[k]);
        kc_set(kc_in(c, 1, OB_FLOAT, SCALAR), 0, 2);
        *(uint8_t *)kc_in(c, 2, cases[i / 3].to, SCALAR)->data = 0;
        kc_out(c, 0, cases[i / 3].to, DIMS(N));
        kc_run(c);
        assert_memory_equal(c->out[0].data, cases[i / 3].codes, N);
        *(uint8_t *)c->in[2].data = cases[i / 3].codes[5]; /* 1: 2 / 2 + 1 = 2 */
        kc_run(c);
        assert_int_equal(((uint8_t *)c->out[0].data)[5], cases[i / 3].codes[5] + (cases[i / 3].to < OB_FLOAT8E5M2 ? 8 : 4));
        kc_close(c);
    }
}

static float as(ob_dtype dtype, float x) {
    return dtype == OB_FLOAT16    ? ob__float_from_half(ob__half_from_float(x))
           : dtype == OB_BFLOAT16 ? ob__float_from_bfloat(ob__bfloat_from_float(x))
                                  : x;
}

/* Since 23 the quotient is rounded to the type of the scale, or to `precision`. */
static void quantize_divides_in_the_precision_asked_for(void **state) {
    (void)state;
    static const struct {
        int64_t opset, precision;
        ob_dtype x, scale, quotient;
    } cases[] = {
        {21, 0, OB_FLOAT16, OB_FLOAT16, OB_FLOAT},
        {23, 0, OB_FLOAT16, OB_FLOAT16, OB_FLOAT16},
        {25, 0, OB_BFLOAT16, OB_BFLOAT16, OB_BFLOAT16},
        {25, OB_FLOAT, OB_FLOAT16, OB_FLOAT16, OB_FLOAT},
        {25, OB_FLOAT16, OB_FLOAT, OB_FLOAT, OB_FLOAT16},
        {25, 0, OB_FLOAT, OB_BFLOAT16, OB_BFLOAT16},
        {25, OB_BFLOAT16, OB_FLOAT16, OB_FLOAT, OB_BFLOAT16},
    };
    enum { N = 2000 };
    srand(64);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        int64_t n = N;
        int differs = 0;
        kernel_case *c = kc_open("QuantizeLinear", cases[k].opset);
        if (cases[k].precision) kc_int(c, "precision", cases[k].precision);
        ob_view *x = kc_in(c, 0, cases[k].x, 1, &n), *scale = kc_in(c, 1, cases[k].scale, SCALAR);
        for (int64_t i = 0; i < n; i++) kc_set(x, i, (rand() % 20000 - 10000) / 7.0);
        kc_set(scale, 0, 0.7);
        kc_set(kc_in(c, 2, OB_INT16, SCALAR), 0, 3);
        kc_out(c, 0, OB_INT16, 1, &n);
        kc_run(c);
        for (int64_t i = 0; i < n; i++) {
            ob_dtype q = cases[k].quotient;
            float exact = (float)kc_get(x, i) / (float)kc_get(scale, 0);
            float quotient = as(q, as(q, (float)kc_get(x, i)) / as(q, (float)kc_get(scale, 0)));
            assert_true(kc_get(&c->out[0], i) == (double)rintf(quotient) + 3);
            differs += rintf(exact) != rintf(quotient);
        }
        assert_true(cases[k].quotient == OB_FLOAT ? differs == 0 : differs > 0);
        kc_int(c, "precision", OB_DOUBLE);
        assert_int_equal(kc_try(c), cases[k].opset < 23 ? OB_OK : OB_E_UNSUPPORTED);
        kc_close(c);
    }
}

static void dynamic_quantize_covers_zero(void **state) {
    (void)state;
    static const float cases[3][4] = {{-1, 0.5f, 3, 2}, {1, 2, 3, 4}, {0, 0, 0, 0}};
    for (int k = 0; k < 3; k++) {
        kernel_case *c = kc_open("DynamicQuantizeLinear", 11);
        memcpy(kc_in(c, 0, OB_FLOAT, DIMS(4))->data, cases[k], sizeof cases[k]);
        kc_out(c, 0, OB_UINT8, DIMS(4));
        kc_out(c, 1, OB_FLOAT, SCALAR);
        kc_out(c, 2, OB_UINT8, SCALAR);
        kc_run(c);
        double scale = kc_get(&c->out[1], 0), zero = kc_get(&c->out[2], 0);
        for (int i = 0; i < 4; i++)
            assert_true(fabs((kc_get(&c->out[0], i) - zero) * scale - (double)cases[k][i]) <= scale / 2 + 1e-6);
        kc_close(c);
    }
}

static void matmul_integer_with_zero_points(void **state) {
    (void)state;
    srand(62);
    for (int round = 0; round < 24; round++) {
        ob_dtype a_type = round & 1 ? OB_INT8 : OB_UINT8, b_type = round & 2 ? OB_INT8 : OB_UINT8;
        bool per_row = round & 4, requantize = round & 8;
        kernel_case *c = kc_open(requantize ? "QLinearMatMul" : "MatMulInteger", 10);
        uint32_t b_at = requantize ? 3 : 1, az = 2, bz = requantize ? 5 : 3;
        kc_random_bytes(kc_in(c, 0, a_type, DIMS(2, 3, 4)));
        kc_random_bytes(kc_in(c, b_at, b_type, DIMS(4, 5)));
        int64_t rows = per_row ? 3 : 1, columns = per_row ? 5 : 1;
        kc_random(kc_in(c, az, a_type, 1, &rows), 0, 9);
        kc_random(kc_in(c, bz, b_type, 1, &columns), 0, 9);
        double y_scale = 64, y_zero = 7;
        if (requantize) {
            ob_view *x_scale = kc_in(c, 1, OB_FLOAT, 1, &rows);
            for (int64_t i = 0; i < rows; i++) kc_set(x_scale, i, 0.25 * (double)(1 << i));
            ob_view *w_scale = kc_in(c, 4, OB_FLOAT, 1, &columns);
            for (int64_t i = 0; i < columns; i++) kc_set(w_scale, i, (double)(i + 1));
            kc_set(kc_in(c, 6, OB_FLOAT, SCALAR), 0, y_scale);
            kc_set(kc_in(c, 7, b_type, SCALAR), 0, y_zero);
        }
        kc_out(c, 0, requantize ? b_type : OB_INT32, DIMS(2, 3, 5));
        kc_run(c);
        for (int64_t i = 0; i < 30; i++) {
            double sum = 0;
            for (int64_t k = 0; k < 4; k++)
                sum += (kc_get(&c->in[0], i / 5 * 4 + k) - kc_get(&c->in[az], per_row ? i / 5 % 3 : 0)) *
                       (kc_get(&c->in[b_at], k * 5 + i % 5) - kc_get(&c->in[bz], per_row ? i % 5 : 0));
            double w_scale = per_row ? (double)(i % 5 + 1) : 1, x_scale = per_row ? 0.25 * (double)(1 << i / 5 % 3) : 0.25;
            if (requantize) sum = clamped(rint(sum * (x_scale * w_scale / y_scale)) + y_zero, b_type);
            kc_near(kc_get(&c->out[0], i), sum, 0);
        }
        kc_close(c);
    }
}

/* A (2, 1, 3, 4) with scales (2, 1, 3, 1), B (3, 4, 5) with scales (3, 1, 5): separate scales for each batch, row and
 * column. */
static void qlinear_matmul_per_row_of_each_batch(void **state) {
    (void)state;
    srand(64);
    kernel_case *c = kc_open("QLinearMatMul", 21);
    kc_random_bytes(kc_in(c, 0, OB_UINT8, DIMS(2, 1, 3, 4)));
    kc_random_bytes(kc_in(c, 3, OB_INT8, DIMS(3, 4, 5)));
    ob_view *a_scale = kc_in(c, 1, OB_FLOAT, DIMS(2, 1, 3, 1)), *b_scale = kc_in(c, 4, OB_FLOAT, DIMS(3, 1, 5));
    kc_random(kc_in(c, 2, OB_UINT8, DIMS(2, 1, 3, 1)), 0, 9);
    kc_random(kc_in(c, 5, OB_INT8, DIMS(3, 1, 5)), 0, 9);
    for (int64_t i = 0; i < 6; i++) kc_set(a_scale, i, (double)(1 << i) / 64);
    for (int64_t i = 0; i < 15; i++) kc_set(b_scale, i, (double)(i + 1));
    kc_set(kc_in(c, 6, OB_FLOAT, DIMS(1)), 0, 128);
    kc_set(kc_in(c, 7, OB_INT8, SCALAR), 0, -3);
    kc_out(c, 0, OB_INT8, DIMS(2, 3, 3, 5));
    kc_run(c);
    for (int64_t i = 0; i < 90; i++) {
        int64_t column = i % 5, row = i / 5 % 3, b = i / 15 % 3, a = i / 45;
        double sum = 0;
        for (int64_t k = 0; k < 4; k++)
            sum += (kc_get(&c->in[0], (a * 3 + row) * 4 + k) - kc_get(&c->in[2], a * 3 + row)) *
                   (kc_get(&c->in[3], (b * 4 + k) * 5 + column) - kc_get(&c->in[5], b * 5 + column));
        double scale = kc_get(a_scale, a * 3 + row) * kc_get(b_scale, b * 5 + column) / 128;
        kc_near(kc_get(&c->out[0], i), clamped(rint(sum * scale) - 3, OB_INT8), 0);
    }
    kc_in(c, 1, OB_FLOAT, DIMS(2, 1, 1, 4));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
}

static void conv_integer_pads_with_the_zero_point(void **state) {
    (void)state;
    srand(63);
    for (int requantize = 0; requantize < 2; requantize++) {
        kernel_case *c = kc_open(requantize ? "QLinearConv" : "ConvInteger", 10);
        uint32_t w_at = requantize ? 3 : 1, wz = requantize ? 5 : 3;
        kc_random_bytes(kc_in(c, 0, OB_UINT8, DIMS(1, 2, 5)));
        kc_random_bytes(kc_in(c, w_at, OB_INT8, DIMS(3, 2, 3)));
        kc_set(kc_in(c, 2, OB_UINT8, SCALAR), 0, 77);
        ob_view *zeros = kc_in(c, wz, OB_INT8, DIMS(3));
        for (int i = 0; i < 3; i++) kc_set(zeros, i, i);
        kc_ints(c, "pads", INTS(1, 1));
        if (requantize) {
            kc_set(kc_in(c, 1, OB_FLOAT, SCALAR), 0, 0.5);
            ob_view *scales = kc_in(c, 4, OB_FLOAT, DIMS(3));
            for (int i = 0; i < 3; i++) kc_set(scales, i, 0.25 * (i + 1));
            kc_set(kc_in(c, 6, OB_FLOAT, SCALAR), 0, 32);
            kc_set(kc_in(c, 7, OB_UINT8, SCALAR), 0, 100);
            kc_random(kc_in(c, 8, OB_INT32, DIMS(3)), -500, 500);
        }
        kc_out(c, 0, requantize ? OB_UINT8 : OB_INT32, DIMS(1, 3, 5));
        kc_run(c);
        for (int64_t i = 0; i < 15; i++) {
            int64_t m = i / 5;
            double sum = requantize ? kc_get(&c->in[8], m) : 0;
            for (int64_t k = 0; k < 6; k++) {
                int64_t at = i % 5 + k % 3 - 1;
                if (at >= 0 && at < 5)
                    sum += (kc_get(&c->in[0], k / 3 * 5 + at) - 77) * (kc_get(&c->in[w_at], m * 6 + k) - (double)m);
            }
            if (requantize) sum = clamped(rint(sum * (0.5 * (0.25 * (double)(m + 1)) / 32)) + 100, OB_UINT8);
            kc_near(kc_get(&c->out[0], i), sum, 0);
        }
        kc_close(c);
    }
}

/* Two axes, strides, dilations, padding, groups, images; planes of several blocks; W constant or not; the last case has enough
 * output channels for several parts. */
static void conv_integer_in_every_form(void **state) {
    (void)state;
    srand(65);
    for (int round = 0; round < 41; round++) {
        const bool large = round == 40, requantize = round / 8 % 2 || large;
        int64_t images = large ? 1 : 2, groups = large ? 1 : 1 + rand() % 3, channels = large ? 65 : 1 + rand() % 3,
                out_channels = large ? 61 : 1 + rand() % 5, kernel[2], stride[2], dilation[2], pad[4], in[2], out[2];
        bool pointwise = round % 5 == 0 && !large;
        for (int a = 0; a < 2; a++) {
            kernel[a] = pointwise ? 1 : large ? 3 : 1 + rand() % 4;
            stride[a] = pointwise || large ? 1 : 1 + rand() % 3;
            dilation[a] = 1 + rand() % 2;
            pad[a] = pointwise ? 0 : rand() % 3;
            pad[a + 2] = pointwise ? 0 : rand() % 3;
            in[a] = large ? 12 : round % 8 == 1 ? 90 : 8 + rand() % 9;
            out[a] = (in[a] + pad[a] + pad[a + 2] - (kernel[a] - 1) * dilation[a] - 1) / stride[a] + 1;
        }
        kernel_case *c = kc_open(requantize ? "QLinearConv" : "ConvInteger", 10);
        const uint32_t w_at = requantize ? 3 : 1;
        c->hide_inputs_from_plan = round % 2;
        ob_view *x = kc_in(c, 0, OB_INT8, DIMS(images, groups * channels, in[0], in[1]));
        ob_view *w = kc_in(c, w_at, OB_UINT8, DIMS(groups * out_channels, channels, kernel[0], kernel[1]));
        kc_random_bytes(x);
        kc_random_bytes(w);
        kc_set(kc_in(c, 2, OB_INT8, SCALAR), 0, -7);
        if (requantize) {
            kc_set(kc_in(c, 1, OB_FLOAT, SCALAR), 0, 0.5);
            kc_set(kc_in(c, 4, OB_FLOAT, SCALAR), 0, 0.25);
            kc_set(kc_in(c, 5, OB_UINT8, SCALAR), 0, 100);
            kc_set(kc_in(c, 6, OB_FLOAT, SCALAR), 0, 256);
            kc_set(kc_in(c, 7, OB_INT8, SCALAR), 0, -3);
        }
        kc_int(c, "group", groups);
        kc_ints(c, "strides", stride, 2);
        kc_ints(c, "dilations", dilation, 2);
        kc_ints(c, "pads", pad, 4);
        kc_out(c, 0, requantize ? OB_INT8 : OB_INT32, DIMS(images, groups * out_channels, out[0], out[1]));
        kc_run(c);
        int64_t plane = out[0] * out[1];
        for (int64_t i = 0; i < images * groups * out_channels * plane; i++) {
            int64_t image = i / plane / (groups * out_channels), m = i / plane % (groups * out_channels),
                    taps = kernel[0] * kernel[1];
            double sum = 0;
            for (int64_t k = 0; k < channels * taps; k++) {
                int64_t row = i % plane / out[1] * stride[0] - pad[0] + k % taps / kernel[1] * dilation[0];
                int64_t column = i % out[1] * stride[1] - pad[1] + k % kernel[1] * dilation[1];
                if (row < 0 || row >= in[0] || column < 0 || column >= in[1]) continue;
                int64_t channel = image * groups * channels + m / out_channels * channels + k / taps;
                sum += (kc_get(x, (channel * in[0] + row) * in[1] + column) + 7) *
                       (kc_get(w, m * channels * taps + k) - (requantize ? 100 : 0));
            }
            if (requantize) sum = clamped(rint(sum * (0.5 * 0.25 / 256)) - 3, OB_INT8);
            kc_near(kc_get(&c->out[0], i), sum, 0);
        }
        kc_close(c);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantize_and_back),
        cmocka_unit_test(quantize_of_special_values),
        cmocka_unit_test(quantize_to_8_bit_floats_saturates_or_not),
        cmocka_unit_test(quantize_divides_in_the_precision_asked_for),
        cmocka_unit_test(dynamic_quantize_covers_zero),
        cmocka_unit_test(matmul_integer_with_zero_points),
        cmocka_unit_test(qlinear_matmul_per_row_of_each_batch),
        cmocka_unit_test(conv_integer_pads_with_the_zero_point),
        cmocka_unit_test(conv_integer_in_every_form),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
