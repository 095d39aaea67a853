/* Cast: 16- and 8-bit floats compared exhaustively with their definition, every pair of types that ops.def lists, strings. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/number_text.h"
#include "kernels/kernels.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "ops/table/op.h"

static void cast_at(int opset, ob_dtype from, const void *in, ob_dtype to, void *out, int64_t n, bool saturate) {
    ob_view x, z;
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_view_init(&x, (void *)(uintptr_t)in, from, 1, &n), OB_OK);
    assert_int_equal(ob_view_init(&z, out, to, 1, &n), OB_OK);
    ob_option options[2] = {{"to", OB_OPTION_INT, to, 0, NULL}, {"saturate", OB_OPTION_INT, saturate, 0, NULL}};
    if (ob_elementwise("Cast", opset, &x, 1, options, 2, &z, &error) != OB_OK)
        fail_msg("%s to %s: %s", ob_dtype_name(from), ob_dtype_name(to), error.message);
}

static void cast(ob_dtype from, const void *in, ob_dtype to, void *out, int64_t n, bool saturate) {
    cast_at(25, from, in, to, out, n, saturate);
}

/* ---- Narrow floats by definition ---- */

typedef struct format {
    ob_dtype dtype;
    int bits, mantissa, bias;
    bool has_infinity, fnuz;
    int max_code; /* of the largest finite number */
} format;

static const format formats[] = {
    {OB_FLOAT16, 16, 10, 15, true, false, 0x7bff},    {OB_BFLOAT16, 16, 7, 127, true, false, 0x7f7f},
    {OB_FLOAT8E4M3FN, 8, 3, 7, false, false, 0x7e},   {OB_FLOAT8E4M3FNUZ, 8, 3, 8, false, true, 0x7f},
    {OB_FLOAT4E2M1, 4, 1, 1, false, false, 7},        {OB_FLOAT8E5M2, 8, 2, 15, true, false, 0x7b},
    {OB_FLOAT8E5M2FNUZ, 8, 2, 16, false, true, 0x7f},
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

static double decode(const format *f, int code) {
    int sign_bit = 1 << (f->bits - 1), rest = code & (sign_bit - 1);
    double sign = code & sign_bit ? -1 : 1;
    if (f->fnuz && code == sign_bit) return (double)NAN;
    if (rest > f->max_code) return f->has_infinity && rest == f->max_code + 1 ? sign * (double)INFINITY : (double)NAN;
    int exponent = rest >> f->mantissa, fraction = rest & ((1 << f->mantissa) - 1);
    if (exponent == 0) return sign * ldexp(fraction, 1 - f->bias - f->mantissa);
    return sign * ldexp(fraction + (1 << f->mantissa), exponent - f->bias - f->mantissa);
}

/* The bits of a finite number by bisection over the non-negative codes, ties to the even code. */
static int encode(const format *f, long double x, bool saturate) {
    int sign = signbit(x) ? 1 << (f->bits - 1) : 0;
    int nan_code = f->fnuz ? 1 << (f->bits - 1) : -1; /* -1: any NaN */
    if (f->bits == 4) saturate = true;
    if (x != x) return f->bits == 4 ? 8 : nan_code; /* -0 */
    long double magnitude = fabsl(x);
    /* the number that would follow the largest one decides where overflow begins */
    long double last = (long double)decode(f, f->max_code), step = last - (long double)decode(f, f->max_code - 1);
    int even = f->max_code & 1;
    long double limit = last + step / 2;
    if (magnitude > limit || (magnitude == limit && even)) {
        if (saturate && f->bits <= 8) return f->max_code | sign;
        if (f->has_infinity) return (f->max_code + 1) | sign;
        return nan_code;
    }
    int low = 0, high = f->max_code;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if ((long double)decode(f, middle) <= magnitude)
            low = middle;
        else
            high = middle - 1;
    }
    if (low < f->max_code) {
        long double below = magnitude - (long double)decode(f, low), above = (long double)decode(f, low + 1) - magnitude;
        if (above < below || (above == below && low & 1)) low++;
    }
    if (low == 0 && f->fnuz) return 0;
    return low | sign;
}

static int read_code(const format *f, const void *memory, int64_t i) {
    return f->bits == 16 ? ((const uint16_t *)memory)[i] : ((const uint8_t *)memory)[i];
}

static void check_codes(const format *f, const void *memory, int64_t n, const double *x, ob_dtype from, bool saturate) {
    for (int64_t i = 0; i < n; i++) {
        int got = read_code(f, memory, i), expected = encode(f, (long double)x[i], saturate);
        bool both_nan = expected == -1 && isnan(decode(f, got));
        if (!both_nan && got != expected)
            fail_msg("%s %.20g to %s on %s: 0x%x, expected 0x%x", ob_dtype_name(from), x[i], ob_dtype_name(f->dtype),
                     ob__kernels_level_name(), (unsigned)got, (unsigned)expected);
    }
}

static void every_narrow_number_widens_exactly(void **state) {
    (void)state;
    static uint16_t codes[65536], back[65536];
    static float wide[65536];
    static double wider[65536];
    for (unsigned pass = 0; pass < 2 * N_FORMATS; pass++) {
        const format *f = &formats[pass / 2];
        ob__kernels_limit(pass % 2 ? ~0u : 0);
        int n = 1 << f->bits;
        for (int i = 0; i < n; i++) {
            if (f->bits == 16)
                codes[i] = (uint16_t)i;
            else
                ((uint8_t *)codes)[i] = (uint8_t)i;
        }
        cast(f->dtype, codes, OB_FLOAT, wide, n, true);
        cast(f->dtype, codes, OB_DOUBLE, wider, n, true);
        cast(OB_FLOAT, wide, f->dtype, back, n, false);
        for (int i = 0; i < n; i++) {
            double expected = decode(f, i);
            if (isnan(expected)) {
                assert_true(isnan(wide[i]) && isnan(wider[i]) && isnan(decode(f, read_code(f, back, i))));
                continue;
            }
            assert_true((double)wide[i] == expected && wider[i] == expected && !signbit(expected) == !signbit(wide[i]));
            assert_int_equal(read_code(f, back, i), i);
        }
    }
    ob__kernels_limit(~0u);
}

/* Between any two neighbours: the middle and its neighbours in float and in double. */
static void ties_round_to_even(void **state) {
    (void)state;
    static float x32[6 * 65536];
    static double x64[6 * 65536], same[6 * 65536];
    static uint16_t codes[6 * 65536];
    for (unsigned pass = 0; pass < 4 * N_FORMATS; pass++) {
        const format *f = &formats[pass / 4];
        bool saturate = pass & 2;
        ob__kernels_limit(pass % 2 ? ~0u : 0);
        int64_t n = 0, m = 0;
        for (int code = 0; code <= f->max_code; code += f->bits == 16 && code > 64 && code < f->max_code - 64 ? 7 : 1) {
            double a = decode(f, code), b = code < f->max_code ? decode(f, code + 1) : a + (a - decode(f, code - 1));
            double middle = (a + b) / 2;
            double sign = code % 3 ? 1 : -1;
            float narrow = (float)middle;
            if ((double)narrow == middle) {
                x32[n++] = (float)sign * narrow;
                x32[n++] = (float)sign * nextafterf(narrow, INFINITY);
                x32[n++] = (float)sign * nextafterf(narrow, 0);
            }
            x64[m++] = sign * middle;
            x64[m++] = sign * nextafter(middle, (double)INFINITY);
            x64[m++] = sign * nextafter(middle, 0);
        }
        static const double special[] = {INFINITY, -INFINITY, NAN, 0, -0.0, 1e38, -1e38, 1e300, 1e-300, -1e-40};
        for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
            x32[n++] = (float)special[i];
            x64[m++] = special[i];
        }
        for (int64_t i = 0; i < n; i++) same[i] = (double)x32[i];
        cast(OB_FLOAT, x32, f->dtype, codes, n, saturate);
        check_codes(f, codes, n, same, OB_FLOAT, saturate);
        cast(OB_DOUBLE, x64, f->dtype, codes, m, saturate);
        check_codes(f, codes, m, x64, OB_DOUBLE, saturate);
    }
    ob__kernels_limit(~0u);
}

/* 2^53 + 1 is not a double: the conversion to bfloat16 must not round twice. */
static void large_integers_round_once(void **state) {
    (void)state;
    static const format *bf16 = &formats[1];
    int64_t x[64 * 8];
    int n = 0;
    for (int shift = 8; shift < 55 && shift + 9 <= LDBL_MANT_DIG; shift++) { /* the oracle's numbers are long doubles */
        int64_t half = INT64_C(0x181) << (shift - 1);                        /* a tie in bfloat16's 8 bits */
        x[n++] = half;
        x[n++] = half + 1;
        x[n++] = half - 1;
        x[n++] = -half - 1;
    }
    uint16_t codes[64 * 8];
    cast(OB_INT64, x, OB_BFLOAT16, codes, n, true);
    for (int i = 0; i < n; i++) assert_int_equal(codes[i], encode(bf16, (long double)x[i], true));
    cast(OB_UINT64, x, OB_BFLOAT16, codes, n, true);
    for (int i = 0; i < n; i++) assert_int_equal(codes[i], encode(bf16, (long double)(uint64_t)x[i], true));
}

/* ---- Every pair ---- */

static bool is_narrow(ob_dtype dtype, const format **f) {
    for (int i = 0; i < N_FORMATS; i++)
        if (formats[i].dtype == dtype) {
            *f = &formats[i];
            return true;
        }
    return false;
}

static bool is_real(ob_dtype dtype) {
    const format *f;
    return dtype == OB_FLOAT || dtype == OB_DOUBLE || is_narrow(dtype, &f);
}

static int int_bits(ob_dtype dtype) {
    return dtype == OB_INT2 || dtype == OB_UINT2 ? 2 : dtype == OB_INT4 || dtype == OB_UINT4 ? 4 : (int)ob_dtype_size(dtype) * 8;
}

static bool is_signed(ob_dtype dtype) {
    return dtype == OB_INT2 || dtype == OB_INT4 || dtype == OB_INT8 || dtype == OB_INT16 || dtype == OB_INT32 ||
           dtype == OB_INT64;
}

static long double real_at(ob_dtype dtype, const void *memory, int64_t i) {
    const format *f;
    if (dtype == OB_FLOAT) return (long double)((const float *)memory)[i];
    if (dtype == OB_DOUBLE) return (long double)((const double *)memory)[i];
    return is_narrow(dtype, &f) ? (long double)decode(f, read_code(f, memory, i)) : 0;
}

static int64_t int_at(ob_dtype dtype, const void *memory, int64_t i) {
    switch (dtype) {
    case OB_INT8:
    case OB_INT2:
    case OB_INT4: return ((const int8_t *)memory)[i];
    case OB_INT16: return ((const int16_t *)memory)[i];
    case OB_INT32: return ((const int32_t *)memory)[i];
    case OB_UINT16: return ((const uint16_t *)memory)[i];
    case OB_UINT32: return ((const uint32_t *)memory)[i];
    case OB_INT64:
    case OB_UINT64: return ((const int64_t *)memory)[i];
    default: return ((const uint8_t *)memory)[i];
    }
}

static int64_t wrap(int64_t value, ob_dtype dtype) {
    int bits = int_bits(dtype);
    if (bits == 64) return value;
    uint64_t low = (uint64_t)value & ((UINT64_C(1) << bits) - 1);
    return is_signed(dtype) && low >> (bits - 1) ? (int64_t)(low | ~UINT64_C(0) << bits) : (int64_t)low;
}

static int64_t saturated(long double x, ob_dtype dtype) {
    int bits = int_bits(dtype);
    if (x != x) return 0;
    x = bits <= 4 ? rintl(x) : truncl(x);
    long double high = ldexpl(1, is_signed(dtype) ? bits - 1 : bits), low = is_signed(dtype) ? -high : 0;
    if (x >= high)
        return (int64_t)(is_signed(dtype) ? (UINT64_C(1) << (bits - 1)) - 1
                         : bits == 64     ? UINT64_MAX
                                          : (UINT64_C(1) << bits) - 1);
    if (x <= low) return is_signed(dtype) ? (int64_t)(~UINT64_C(0) << (bits - 1)) : 0;
    return x < 0 ? (int64_t)x : (int64_t)(uint64_t)x;
}

/* Cast 25 to 4 and 2 bits: those of the nearest integer. */
static int64_t low_bits(long double x, ob_dtype dtype) {
    return fabsl(x) < 0x1p63L ? wrap((int64_t)rintl(x), dtype) : 0;
}

enum { N = 61 };

static int64_t fill(ob_dtype dtype, void *memory) {
    static const double reals[] = {0,     -0.0,     1,         -1,   0.5,  -0.5,  1.5,  2.5,   7.5,  -8.5,  15.5,
                                   100.7, -100.7,   127.9,     128,  255,  256,   -129, 3e4,   -4e4, 65535, 7e4,
                                   2e9,   3e9,      5e9,       -3e9, 1e18, 1e19,  2e19, -1e19, 1e38, 1e-5,  1e-9,
                                   3e38,  INFINITY, -INFINITY, NAN,  448,  57344, 240,  1e-40};
    static const int64_t ints[] = {0,
                                   1,
                                   -1,
                                   2,
                                   7,
                                   8,
                                   -8,
                                   -9,
                                   15,
                                   16,
                                   100,
                                   127,
                                   128,
                                   200,
                                   255,
                                   256,
                                   -129,
                                   32767,
                                   40000,
                                   65535,
                                   65536,
                                   70000,
                                   16777217,
                                   2147483647,
                                   INT64_C(2147483648),
                                   INT64_C(4294967295),
                                   INT64_C(4294967297),
                                   INT64_C(9007199254740993),
                                   INT64_MAX,
                                   INT64_MIN,
                                   INT64_C(-9007199254740993)};
    int64_t n_reals = sizeof reals / sizeof reals[0], n_ints = sizeof ints / sizeof ints[0];
    int64_t n = is_real(dtype) ? n_reals : n_ints;
    const format *f;
    for (int64_t i = 0; i < n; i++) {
        if (dtype == OB_FLOAT)
            ((float *)memory)[i] = (float)reals[i];
        else if (dtype == OB_DOUBLE)
            ((double *)memory)[i] = reals[i];
        else if (is_narrow(dtype, &f)) {
            int code = encode(f, (long double)reals[i], false);
            if (code == -1) code = f->has_infinity ? f->max_code + 2 : f->max_code + 1;
            if (f->bits == 16)
                ((uint16_t *)memory)[i] = (uint16_t)code;
            else
                ((uint8_t *)memory)[i] = (uint8_t)code;
        } else {
            int64_t value = dtype == OB_BOOL ? ints[i] & 1 : wrap(ints[i], dtype);
            memcpy((char *)memory + i * (int64_t)ob_dtype_size(dtype), &value, ob_dtype_size(dtype)); /* little endian */
        }
    }
    return n;
}

static void check_pair(int opset, ob_dtype from, ob_dtype to) {
    _Alignas(16) unsigned char in[N * 8], out[N * 8];
    int64_t n = fill(from, in);
    assert_true(n <= N);
    cast_at(opset, from, in, to, out, n, true);
    const format *f = NULL;
    for (int64_t i = 0; i < n; i++) {
        bool real = is_real(from);
        int64_t whole = real ? 0 : int_at(from, in, i);
        long double x = real ? real_at(from, in, i) : is_signed(from) ? (long double)whole : (long double)(uint64_t)whole;
        bool fine;
        if (to == OB_BOOL)
            fine = out[i] == (x != 0);
        else if (!is_real(to))
            fine = int_at(to, out, i) == (!real                              ? wrap(whole, to)
                                          : opset >= 25 && int_bits(to) <= 4 ? low_bits(x, to)
                                                                             : saturated(x, to));
        else if (to == OB_FLOAT)
            fine = ((float *)out)[i] == (float)x || (x != x && isnan(((float *)out)[i]));
        else if (to == OB_DOUBLE)
            fine = ((double *)out)[i] == (double)x || (x != x && isnan(((double *)out)[i]));
        else {
            is_narrow(to, &f);
            int code = encode(f, x, from != to), got = read_code(f, out, i);
            fine = code == got || (x != x && isnan(decode(f, got)));
        }
        if (!fine)
            fail_msg("%s to %s on %s: element %d (%.20Lg)", ob_dtype_name(from), ob_dtype_name(to), ob__kernels_level_name(),
                     (int)i, x);
    }
}

static void every_pair_converts_at(int opset, int n_types) {
    const ob_op *op = ob__op_find("", "Cast", opset);
    int n_pairs = 0;
    for (unsigned isa = 0; isa < 2; isa++) {
        ob__kernels_limit(isa ? ~0u : 0);
        for (int from = 1; from < OB_DTYPE_COUNT; from++)
            for (int to = 1; to < OB_DTYPE_COUNT; to++) {
                if (from == OB_STRING || to == OB_STRING || from == OB_FLOAT8E8M0 || to == OB_FLOAT8E8M0) continue;
                if (!(op->types[0] & UINT64_C(1) << from) || !(op->types[1] & UINT64_C(1) << to)) continue;
                check_pair(opset, (ob_dtype)from, (ob_dtype)to);
                n_pairs++;
            }
    }
    assert_int_equal(n_pairs, 2 * n_types * n_types);
    ob__kernels_limit(~0u);
}

static void every_pair_converts(void **state) {
    (void)state;
    every_pair_converts_at(21, 19);
    every_pair_converts_at(24, 20);
    every_pair_converts_at(25, 22);
}

static void tiny_integers_saturate_before_25(void **state) {
    (void)state;
    static const float x[] = {-9, -8.5f, -0.6f, 2.5f, 7.5f, 8, 17, 1e20f, -INFINITY, NAN};
    static const struct {
        int opset;
        ob_dtype to;
        int8_t expected[10];
    } cases[] = {{21, OB_INT4, {-8, -8, -1, 2, 7, 7, 7, 7, -8, 0}}, {24, OB_INT4, {-8, -8, -1, 2, 7, 7, 7, 7, -8, 0}},
                 {25, OB_INT4, {7, -8, -1, 2, -8, -8, 1, 0, 0, 0}}, {24, OB_UINT4, {0, 0, 0, 2, 8, 8, 15, 15, 0, 0}},
                 {25, OB_UINT4, {7, 8, 15, 2, 8, 8, 1, 0, 0, 0}},   {25, OB_INT2, {-1, 0, -1, -2, 0, 0, 1, 0, 0, 0}},
                 {25, OB_UINT2, {3, 0, 3, 2, 0, 0, 1, 0, 0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int8_t z[10];
        ob_view in[2], out;
        int64_t n = 10;
        cast_at(cases[i].opset, OB_FLOAT, x, cases[i].to, z, n, true);
        assert_memory_equal(z, cases[i].expected, sizeof z);
        memset(z, 0x55, sizeof z);
        ob_view_init(&in[0], (void *)(uintptr_t)x, OB_FLOAT, 1, &n);
        ob_view_init(&in[1], z, cases[i].to, 1, &n);
        ob_view_init(&out, z, cases[i].to, 1, &n);
        assert_int_equal(ob_elementwise("CastLike", cases[i].opset, in, 2, NULL, 0, &out, NULL), OB_OK);
        assert_memory_equal(z, cases[i].expected, sizeof z);
    }
}

static void powers_of_two(void **state) {
    (void)state;
    static const float x[] = {1,           1.5f,       1.25f,    3,   -4,        0,           0x1p-127f,
                              0x1.8p-127f, 0x1.8p127f, INFINITY, NAN, 0x1p-126f, 0x1.2p-127f, 0x1p-128f};
    enum { N_X = sizeof x / sizeof x[0] };
    static const struct {
        const char *mode;
        int saturate;
        uint8_t codes[N_X];
    } cases[] = {
        {"up", 1, {127, 128, 128, 129, 129, 0, 0, 1, 254, 254, 255, 1, 1, 0}},
        {"up", 0, {127, 128, 128, 129, 129, 255, 0, 1, 255, 255, 255, 1, 1, 255}},
        {"down", 1, {127, 127, 127, 128, 129, 0, 0, 0, 254, 254, 255, 1, 0, 0}},
        {"down", 0, {127, 127, 127, 128, 129, 255, 0, 0, 255, 255, 255, 1, 0, 255}},
        {"nearest", 1, {127, 128, 127, 129, 129, 0, 0, 1, 254, 254, 255, 1, 0, 0}},
        {"nearest", 0, {127, 128, 127, 129, 129, 255, 0, 1, 255, 255, 255, 1, 0, 255}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ob_view in, out;
        int64_t n = N_X;
        uint8_t z[N_X];
        ob_view_init(&in, (void *)(uintptr_t)x, OB_FLOAT, 1, &n);
        ob_view_init(&out, z, OB_FLOAT8E8M0, 1, &n);
        ob_option options[3] = {{"to", OB_OPTION_INT, OB_FLOAT8E8M0, 0, NULL},
                                {"saturate", OB_OPTION_INT, cases[i].saturate, 0, NULL},
                                {"round_mode", OB_OPTION_TEXT, 0, 0, cases[i].mode}};
        assert_int_equal(ob_elementwise("Cast", 24, &in, 1, options, 3, &out, NULL), OB_OK);
        assert_memory_equal(z, cases[i].codes, N_X);
    }
    uint8_t codes[256];
    float wide[256];
    double wider[256];
    for (int i = 0; i < 256; i++) codes[i] = (uint8_t)i;
    cast(OB_FLOAT8E8M0, codes, OB_FLOAT, wide, 256, true);
    cast(OB_FLOAT8E8M0, codes, OB_DOUBLE, wider, 256, true);
    for (int i = 0; i < 255; i++) assert_true((double)wide[i] == ldexp(1, i - 127) && wider[i] == ldexp(1, i - 127));
    assert_true(isnan(wide[255]) && isnan(wider[255]));
    int32_t ints[3] = {1, 3, 1024};
    cast(OB_INT32, ints, OB_FLOAT8E8M0, codes, 3, true);
    assert_memory_equal(codes, ((uint8_t[]){127, 129, 137}), 3);
}

static void older_versions_and_cast_like(void **state) {
    (void)state;
    float x[3] = {1.5f, -2.5f, 0};
    int32_t z[3];
    ob_view in[2], out;
    int64_t n = 3;
    ob_view_init(&in[0], x, OB_FLOAT, 1, &n);
    ob_view_init(&in[1], z, OB_INT32, 1, &n);
    ob_view_init(&out, z, OB_INT32, 1, &n);
    ob_option name = {"to", OB_OPTION_TEXT, 0, 0, "INT32"}, number = {"to", OB_OPTION_INT, OB_INT32, 0, NULL};
    assert_int_equal(ob_elementwise("Cast", 1, in, 1, &name, 1, &out, NULL), OB_OK);
    assert_memory_equal(z, ((int32_t[]){1, -2, 0}), sizeof z);
    memset(z, 0, sizeof z);
    assert_int_equal(ob_elementwise("Cast", 6, in, 1, &number, 1, &out, NULL), OB_OK);
    assert_memory_equal(z, ((int32_t[]){1, -2, 0}), sizeof z);
    memset(z, 0, sizeof z);
    assert_int_equal(ob_elementwise("CastLike", 15, in, 2, NULL, 0, &out, NULL), OB_OK);
    assert_memory_equal(z, ((int32_t[]){1, -2, 0}), sizeof z);
    number.integer = OB_STRING;
    assert_int_equal(ob_elementwise("Cast", 6, in, 1, &number, 1, &out, NULL), OB_E_TYPE);
}

/* ---- Strings ---- */

static void texts(double x, bool is_float, const char *expected) {
    char text[OB_NUMBER_TEXT_MAX];
    size_t n = ob__format_real(x, is_float, text);
    assert_string_equal(text, expected);
    assert_int_equal(n, strlen(expected));
    double back;
    assert_true(ob__parse_real(text, n, is_float, &back));
    assert_true(back == x || (x != x && back != back));
}

static void numbers_are_written_shortest(void **state) {
    (void)state;
    texts(0, true, "0.0");
    texts(-0.0, true, "-0.0");
    texts(1, true, "1.0");
    texts((double)0.1f, true, "0.1");
    texts(0.1, false, "0.1");
    texts((double)3.14159274f, true, "3.1415927");
    texts(1e15, false, "1000000000000000.0");
    texts(1e16, false, "1e+16");
    texts(123456.789, false, "123456.789");
    texts(1e-4, false, "0.0001");
    texts(1e-5, false, "1e-05");
    texts(-1.5e300, false, "-1.5e+300");
    texts(5e-324, false, "5e-324");
    texts((double)1e-45f, true, "1e-45");
    texts(0.1 + 0.2, false, "0.30000000000000004");
    texts((double)INFINITY, true, "INF");
    texts(-(double)INFINITY, true, "-INF");
    texts((double)NAN, true, "NaN");
}

static void texts_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool valid;
        double value;
    } cases[] = {
        {"3.14", true, 3.14}, {"1e-5", true, 1e-5},     {"1E8", true, 1e8},        {" 7 ", true, 7},  {"+.5", true, 0.5},
        {"5.", true, 5},      {"+inf", true, INFINITY}, {"-InF", true, -INFINITY}, {"", false, 0},    {"abc", false, 0},
        {"1,5", false, 0},    {"1e", false, 0},         {".", false, 0},           {"--1", false, 0}, {"0x10", false, 0},
        {"1 2", false, 0},    {"infinit", false, 0},    {"1e400", true, INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double x = 0;
        assert_int_equal(ob__parse_real(cases[i].text, strlen(cases[i].text), false, &x), cases[i].valid);
        if (cases[i].valid) assert_true(x == cases[i].value);
    }
    bool negative;
    uint64_t bits;
    assert_true(ob__parse_int("18446744073709551615", 20, &negative, &bits) == OB_NUMBER_READ && !negative && bits == UINT64_MAX);
    assert_true(ob__parse_int("-9223372036854775808", 20, &negative, &bits) == OB_NUMBER_READ && negative &&
                bits == (uint64_t)INT64_MIN);
    assert_true(ob__parse_int("100.5", 5, &negative, &bits) == OB_NUMBER_READ && bits == 100);
    assert_true(ob__parse_int("-2.7e1", 6, &negative, &bits) == OB_NUMBER_READ && (int64_t)bits == -27);
    assert_int_equal(ob__parse_int("12x", 3, &negative, &bits), OB_NUMBER_NONE);
    assert_int_equal(ob__parse_int("nan", 3, &negative, &bits), OB_NUMBER_NONE);
    static const char *const beyond[] = {
        "18446744073709551616", "-9223372036854775809", "99999999999999999999", "1e20", "-1e19", "inf", "-INF"};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
        assert_int_equal(ob__parse_int(beyond[i], strlen(beyond[i]), &negative, &bits), OB_NUMBER_BEYOND);
}

static ob_status from_strings(ob_dtype to, const char *const *texts_in, int64_t n, void *out) {
    ob_string strings[8];
    ob_view x, z;
    for (int64_t i = 0; i < n; i++) strings[i] = (ob_string){texts_in[i], strlen(texts_in[i])};
    ob_view_init(&x, strings, OB_STRING, 1, &n);
    ob_view_init(&z, out, to, 1, &n);
    ob_option option = {"to", OB_OPTION_INT, to, 0, NULL};
    return ob_elementwise("Cast", 13, &x, 1, &option, 1, &z, NULL);
}

static void strings_become_numbers(void **state) {
    (void)state;
    float f[3];
    assert_int_equal(from_strings(OB_FLOAT, (const char *[]){"0.1", "-INF", "1e10"}, 3, f), OB_OK);
    assert_true(f[0] == 0.1f && f[1] == -INFINITY && f[2] == 1e10f);
    uint16_t h[2];
    assert_int_equal(from_strings(OB_FLOAT16, (const char *[]){"1", "65519.9999"}, 2, h), OB_OK);
    assert_int_equal(h[0], 0x3c00);
    assert_int_equal(h[1], 0x7bff);
    int64_t i[2];
    assert_int_equal(from_strings(OB_INT64, (const char *[]){"-9223372036854775807", "12"}, 2, i), OB_OK);
    assert_true(i[0] == -INT64_MAX && i[1] == 12);
    uint64_t u[2];
    assert_int_equal(from_strings(OB_UINT64, (const char *[]){"18446744073709551615", "-1"}, 2, u), OB_OK);
    assert_true(u[0] == UINT64_MAX && u[1] == UINT64_MAX);
    int8_t narrow[3]; /* wraps, as in NumPy and ONNX Runtime */
    assert_int_equal(from_strings(OB_INT8, (const char *[]){"300", "-129", "99999999999"}, 3, narrow), OB_OK);
    assert_true(narrow[0] == 44 && narrow[1] == 127 && narrow[2] == -1);
    static const ob_dtype integers[] = {OB_INT8, OB_INT16, OB_INT32, OB_INT64, OB_UINT8, OB_UINT16, OB_UINT32, OB_UINT64};
    for (size_t k = 0; k < sizeof integers / sizeof *integers; k++) {
        int64_t space;
        assert_int_equal(from_strings(integers[k], (const char *[]){"99999999999999999999"}, 1, &space), OB_E_FORMAT);
        assert_int_equal(from_strings(integers[k], (const char *[]){"-9223372036854775809"}, 1, &space), OB_E_FORMAT);
        assert_int_equal(from_strings(integers[k], (const char *[]){"1e30"}, 1, &space), OB_E_FORMAT);
        assert_int_equal(from_strings(integers[k], (const char *[]){"nan"}, 1, &space), OB_E_FORMAT);
    }
    assert_int_equal(from_strings(OB_INT64, (const char *[]){"9223372036854775808"}, 1, i), OB_E_FORMAT);
    uint8_t b[4];
    assert_int_equal(from_strings(OB_BOOL, (const char *[]){"0", "1", "True", "false"}, 4, b), OB_OK);
    assert_memory_equal(b, ((uint8_t[]){0, 1, 1, 0}), 4);
    assert_int_equal(from_strings(OB_FLOAT, (const char *[]){"1", "hello"}, 2, f), OB_E_FORMAT);
}

static void numbers_become_strings(void **state) {
    (void)state;
    float x[4] = {1.5f, -0.1f, NAN, 1e20f};
    ob_string z[4];
    ob_view in, out;
    int64_t n = 4;
    ob_view_init(&in, x, OB_FLOAT, 1, &n);
    ob_view_init(&out, z, OB_STRING, 1, &n);
    ob_option option = {"to", OB_OPTION_INT, OB_STRING, 0, NULL};
    assert_int_equal(ob_elementwise("Cast", 13, &in, 1, &option, 1, &out, NULL), OB_E_UNSUPPORTED);
    ob_elementwise_plan *plan;
    assert_int_equal(ob_elementwise_create("Cast", 13, &in, 1, &option, 1, &out, NULL, &plan, NULL), OB_OK);
    for (int run = 0; run < 2; run++) {
        ob_view only_data = {.data = z}; /* the rest belongs to the plan */
        assert_int_equal(ob_elementwise_run(plan, &in, run ? &out : &only_data, NULL), OB_OK);
        static const char *const expected[] = {"1.5", "-0.1", "NaN", "1e+20"};
        for (int i = 0; i < 4; i++) {
            assert_int_equal(z[i].n, strlen(expected[i]));
            assert_memory_equal(z[i].data, expected[i], z[i].n);
        }
    }
    ob_elementwise_destroy(&plan);
    uint64_t big[2] = {UINT64_MAX, 0};
    n = 2;
    ob_view_init(&in, big, OB_UINT64, 1, &n);
    ob_view_init(&out, z, OB_STRING, 1, &n);
    assert_int_equal(ob_elementwise_create("Cast", 13, &in, 1, &option, 1, &out, NULL, &plan, NULL), OB_OK);
    assert_int_equal(ob_elementwise_run(plan, &in, &out, NULL), OB_OK);
    assert_memory_equal(z[0].data, "18446744073709551615", 20);
    ob_elementwise_destroy(&plan);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_narrow_number_widens_exactly),
        cmocka_unit_test(ties_round_to_even),
        cmocka_unit_test(large_integers_round_once),
        cmocka_unit_test(every_pair_converts),
        cmocka_unit_test(tiny_integers_saturate_before_25),
        cmocka_unit_test(powers_of_two),
        cmocka_unit_test(older_versions_and_cast_like),
        cmocka_unit_test(numbers_are_written_shortest),
        cmocka_unit_test(texts_are_read),
        cmocka_unit_test(strings_become_numbers),
        cmocka_unit_test(numbers_become_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
