#include "number.h"

#include <math.h>
#include <string.h>

typedef struct float_form {
    ob_dtype dtype;
    int exponent_bits, mantissa_bits, bias;
    bool has_infinity; /* the highest exponent holds infinities and NaN, as in IEEE 754 */
    bool is_fnuz;      /* one zero; the pattern of negative zero is NaN */
    double highest;
} float_form;

static const float_form float_forms[] = {
    {OB_FLOAT16, 5, 10, 15, true, false, 65504.0},   {OB_BFLOAT16, 8, 7, 127, true, false, 0x1.fep127},
    {OB_FLOAT8E4M3FN, 4, 3, 7, false, false, 448.0}, {OB_FLOAT8E4M3FNUZ, 4, 3, 8, false, true, 240.0},
    {OB_FLOAT8E5M2, 5, 2, 15, true, false, 57344.0}, {OB_FLOAT8E5M2FNUZ, 5, 2, 16, false, true, 57344.0},
    {OB_FLOAT4E2M1, 2, 1, 1, false, false, 6.0},
};

static const float_form *find_form(ob_dtype dtype) {
    for (size_t i = 0; i < sizeof float_forms / sizeof float_forms[0]; i++)
        if (float_forms[i].dtype == dtype) return &float_forms[i];
    return NULL;
}

bool is_float_type(ob_dtype dtype) {
    return dtype == OB_FLOAT || dtype == OB_DOUBLE || dtype == OB_FLOAT8E8M0 || find_form(dtype);
}

bool is_signed_type(ob_dtype dtype) {
    return dtype == OB_INT8 || dtype == OB_INT16 || dtype == OB_INT32 || dtype == OB_INT64 || dtype == OB_INT4 ||
           dtype == OB_INT2;
}

int integer_bits(ob_dtype dtype) {
    return ob_dtype_file_bits(dtype) ? ob_dtype_file_bits(dtype) : (int)ob_dtype_size(dtype) * 8;
}

bool is_integer_type(ob_dtype dtype) {
    return is_signed_type(dtype) || dtype == OB_UINT8 || dtype == OB_UINT16 || dtype == OB_UINT32 || dtype == OB_UINT64 ||
           dtype == OB_UINT4 || dtype == OB_UINT2;
}

double type_epsilon(ob_dtype dtype) {
    const float_form *form = find_form(dtype);
    return form ? ldexp(1.0, -form->mantissa_bits) : dtype == OB_FLOAT ? 0x1p-23 : dtype == OB_DOUBLE ? 0x1p-52 : 0;
}

double type_highest(ob_dtype dtype) {
    const float_form *form = find_form(dtype);
    if (form) return form->highest;
    if (dtype == OB_FLOAT) return 0x1.fffffep127;
    if (dtype == OB_DOUBLE) return 0x1.fffffffffffffp1023;
    if (dtype == OB_FLOAT8E8M0) return 0x1p127;
    if (dtype == OB_BOOL) return 1;
    return ldexp(1.0, integer_bits(dtype) - is_signed_type(dtype)) - 1;
}

double type_smallest(ob_dtype dtype) {
    const float_form *form = find_form(dtype);
    return form ? ldexp(1.0, 1 - form->bias) : dtype == OB_FLOAT ? 0x1p-126 : dtype == OB_DOUBLE ? 0x1p-1022 : 1;
}

static double decode(const float_form *form, unsigned bits) {
    int total = 1 + form->exponent_bits + form->mantissa_bits;
    unsigned mantissa = bits & ((1u << form->mantissa_bits) - 1);
    unsigned exponent = (bits >> form->mantissa_bits) & ((1u << form->exponent_bits) - 1);
    unsigned highest = (1u << form->exponent_bits) - 1;
    bool negative = bits >> (total - 1) & 1;
    if (form->is_fnuz && bits == 1u << (total - 1)) return (double)NAN;
    if (form->has_infinity && exponent == highest)
        return mantissa ? (double)NAN : negative ? -(double)INFINITY : (double)INFINITY;
    if (form->dtype == OB_FLOAT8E4M3FN && exponent == highest && mantissa == 7) return (double)NAN;
    double value = exponent ? ldexp(1.0 + ldexp(mantissa, -form->mantissa_bits), (int)exponent - form->bias)
                            : ldexp(mantissa, 1 - form->bias - form->mantissa_bits);
    return negative ? -value : value;
}

static unsigned encode(const float_form *form, double value) {
    unsigned sign = 1u << (form->exponent_bits + form->mantissa_bits);
    unsigned highest = ((1u << form->exponent_bits) - 1) << form->mantissa_bits;
    if (isnan(value)) return form->is_fnuz ? sign : form->has_infinity ? highest | 1u << (form->mantissa_bits - 1) : sign - 1;
    unsigned s = signbit(value) ? sign : 0;
    double size = fabs(value);
    int exponent = 1 - form->bias;
    if (size > 0) {
        frexp(size, &exponent);
        exponent = exponent - 1 < 1 - form->bias ? 1 - form->bias : exponent - 1;
    }
    double steps = isinf(size) ? 0 : nearbyint(ldexp(size, form->mantissa_bits - exponent));
    if (isinf(size) || ldexp(steps, exponent - form->mantissa_bits) > form->highest) {
        if (form->has_infinity) return s | highest;
        size = form->highest;
        frexp(size, &exponent);
        exponent--;
        steps = ldexp(size, form->mantissa_bits - exponent);
    }
    unsigned bits = (unsigned)steps + ((unsigned)(exponent + form->bias - 1) << form->mantissa_bits);
    return form->is_fnuz && bits == 0 ? 0 : s | bits;
}

static char *at(const ob_view *view, int64_t index) {
    return (char *)view->data + (size_t)index * ob_dtype_size(view->dtype);
}

int64_t integer_get(const ob_view *view, int64_t index) {
    uint64_t bits = 0;
    size_t n = ob_dtype_size(view->dtype);
    uint8_t bytes[8] = {0};
    memcpy(bytes, at(view, index), n);
    uint8_t b1 = bytes[0];
    uint16_t b2;
    uint32_t b4;
    memcpy(&b2, bytes, 2), memcpy(&b4, bytes, 4), memcpy(&bits, bytes, 8);
    bits = n == 1 ? b1 : n == 2 ? b2 : n == 4 ? b4 : bits;
    if (!is_signed_type(view->dtype) || n == 8) return (int64_t)bits;
    uint64_t sign = UINT64_C(1) << (n * 8 - 1);
    return (int64_t)((bits ^ sign) - sign);
}

void integer_set(const ob_view *view, int64_t index, int64_t value) {
    int bits = integer_bits(view->dtype);
    uint64_t v = (uint64_t)value;
    if (view->dtype == OB_BOOL) v = value != 0;
    if (bits < 8) {
        v &= (1u << bits) - 1;
        uint64_t sign = UINT64_C(1) << (bits - 1);
        if (is_signed_type(view->dtype)) v = (v ^ sign) - sign;
    }
    uint8_t b1 = (uint8_t)v;
    uint16_t b2 = (uint16_t)v;
    uint32_t b4 = (uint32_t)v;
    size_t n = ob_dtype_size(view->dtype);
    memcpy(at(view, index), n == 1 ? (void *)&b1 : n == 2 ? (void *)&b2 : n == 4 ? (void *)&b4 : (void *)&v, n);
}

double number_get(const ob_view *view, int64_t index) {
    const char *p = at(view, index);
    float single;
    double real;
    uint16_t half = *(const uint8_t *)p;
    const float_form *form = find_form(view->dtype);
    if (form) {
        if (ob_dtype_size(view->dtype) == 2) memcpy(&half, p, 2);
        return decode(form, half);
    }
    switch (view->dtype) {
    case OB_FLOAT: memcpy(&single, p, 4); return (double)single;
    case OB_DOUBLE: memcpy(&real, p, 8); return real;
    case OB_FLOAT8E8M0: return half == 255 ? (double)NAN : ldexp(1.0, half - 127);
    case OB_UINT64: return (double)(uint64_t)integer_get(view, index);
    default: return (double)integer_get(view, index);
    }
}

void number_set(const ob_view *view, int64_t index, double value) {
    char *p = at(view, index);
    const float_form *form = find_form(view->dtype);
    float single = (float)value;
    if (form) {
        uint16_t half = (uint16_t)encode(form, value);
        uint8_t byte = (uint8_t)half;
        memcpy(p, ob_dtype_size(view->dtype) == 2 ? (void *)&half : (void *)&byte, ob_dtype_size(view->dtype));
        return;
    }
    switch (view->dtype) {
    case OB_FLOAT: memcpy(p, &single, 4); return;
    case OB_DOUBLE: memcpy(p, &value, 8); return;
    case OB_FLOAT8E8M0: *(uint8_t *)p = isnan(value) ? 255 : value > 0 ? (uint8_t)(ilogb(value) + 127) : 0; return;
    case OB_UINT64: integer_set(view, index, (int64_t)(uint64_t)value); return;
    default: integer_set(view, index, (int64_t)value);
    }
}
