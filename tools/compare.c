#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Elements ---- */

/* How a small floating-point type spells its numbers. */
typedef struct float_form {
    ob_dtype dtype;
    int exponent_bits, mantissa_bits, bias;
    bool has_infinity; /* the highest exponent holds infinities and NaN, as in IEEE 754 */
    bool is_fnuz;      /* one zero; the pattern of negative zero is NaN */
} float_form;

static const float_form float_forms[] = {
    {OB_FLOAT16, 5, 10, 15, true, false},      {OB_BFLOAT16, 8, 7, 127, true, false},  {OB_FLOAT8E4M3FN, 4, 3, 7, false, false},
    {OB_FLOAT8E4M3FNUZ, 4, 3, 8, false, true}, {OB_FLOAT8E5M2, 5, 2, 15, true, false}, {OB_FLOAT8E5M2FNUZ, 5, 2, 16, false, true},
    {OB_FLOAT4E2M1, 2, 1, 1, false, false},
};

static const float_form *find_form(ob_dtype dtype) {
    for (size_t i = 0; i < sizeof float_forms / sizeof float_forms[0]; i++)
        if (float_forms[i].dtype == dtype) return &float_forms[i];
    return NULL;
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

/* Component `part` of an element of a floating-point type; false for other types. */
static bool read_real(const ob_view *view, int64_t index, int part, double *out) {
    const char *at = (const char *)view->data + (size_t)index * ob_dtype_size(view->dtype);
    float single;
    uint16_t half;
    switch (view->dtype) {
    case OB_FLOAT:
        memcpy(&single, at, 4);
        *out = (double)single;
        return true;
    case OB_DOUBLE: memcpy(out, at, 8); return true;
    case OB_COMPLEX64:
        memcpy(&single, at + 4 * part, 4);
        *out = (double)single;
        return true;
    case OB_COMPLEX128: memcpy(out, at + 8 * part, 8); return true;
    default: break;
    }
    const float_form *form = find_form(view->dtype);
    if (view->dtype == OB_FLOAT8E8M0) {
        unsigned bits = *(const uint8_t *)at;
        *out = bits == 255 ? (double)NAN : ldexp(1.0, (int)bits - 127);
        return true;
    }
    if (!form) return false;
    if (ob_dtype_size(view->dtype) == 2)
        memcpy(&half, at, 2);
    else
        half = *(const uint8_t *)at;
    *out = decode(form, half);
    return true;
}

static void format_string(const ob_string *s, char *text, size_t n_bytes) {
    size_t n = 0;
    if (n_bytes < 8) return;
    text[n++] = '"';
    for (size_t i = 0; i < s->n && n + 6 < n_bytes; i++) text[n++] = (unsigned char)s->data[i] < ' ' ? '?' : s->data[i];
    if (n + 6 >= n_bytes) n += (size_t)snprintf(text + n, n_bytes - n, "...");
    text[n++] = '"';
    text[n] = '\0';
}

void format_element(const ob_view *view, int64_t index, char *text, size_t n_bytes) {
    const char *at = (const char *)view->data + (size_t)index * ob_dtype_size(view->dtype);
    double real, imaginary;
    int64_t i64;
    uint64_t u64;
    int32_t i32;
    uint32_t u32;
    int16_t i16;
    uint16_t u16;
    switch (view->dtype) {
    case OB_BOOL: snprintf(text, n_bytes, "%s", *at ? "true" : "false"); return;
    case OB_INT64:
        memcpy(&i64, at, 8);
        snprintf(text, n_bytes, "%" PRId64, i64);
        return;
    case OB_UINT64:
        memcpy(&u64, at, 8);
        snprintf(text, n_bytes, "%" PRIu64, u64);
        return;
    case OB_INT32:
        memcpy(&i32, at, 4);
        snprintf(text, n_bytes, "%" PRId32, i32);
        return;
    case OB_UINT32:
        memcpy(&u32, at, 4);
        snprintf(text, n_bytes, "%" PRIu32, u32);
        return;
    case OB_INT16:
        memcpy(&i16, at, 2);
        snprintf(text, n_bytes, "%d", i16);
        return;
    case OB_UINT16:
        memcpy(&u16, at, 2);
        snprintf(text, n_bytes, "%u", u16);
        return;
    case OB_INT8:
    case OB_INT4:
    case OB_INT2: snprintf(text, n_bytes, "%d", *(const signed char *)at); return;
    case OB_UINT8:
    case OB_UINT4:
    case OB_UINT2: snprintf(text, n_bytes, "%u", *(const unsigned char *)at); return;
    case OB_STRING: format_string((const ob_string *)(const void *)at, text, n_bytes); return;
    default: break;
    }
    if (!read_real(view, index, 0, &real))
        snprintf(text, n_bytes, "?");
    else if (view->dtype != OB_COMPLEX64 && view->dtype != OB_COMPLEX128)
        snprintf(text, n_bytes, "%.6g", real);
    else if (read_real(view, index, 1, &imaginary))
        snprintf(text, n_bytes, "%.6g%+.6gi", real, imaginary);
}

void format_dims(const ob_view *view, char *text, size_t n_bytes) {
    size_t n = (size_t)snprintf(text, n_bytes, "[");
    for (int32_t i = 0; i < view->rank && n < n_bytes; i++)
        n += (size_t)snprintf(text + n, n_bytes - n, "%s%" PRId64, i ? ", " : "", view->dims[i]);
    if (n < n_bytes) snprintf(text + n, n_bytes - n, "]");
}

void format_type(const ob_view *view, char *text, size_t n_bytes) {
    const int used = snprintf(text, n_bytes, "%s", ob_dtype_name(view->dtype));
    if (used > 0 && (size_t)used < n_bytes) format_dims(view, text + used, n_bytes - (size_t)used);
}

/* ---- Comparison ---- */

static bool same_shape(const ob_view *a, const ob_view *b) {
    if (a->rank != b->rank) return false;
    for (int32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i]) return false;
    return true;
}

static bool close_enough(double got, double want, double rtol, double atol, double *max_error) {
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got)) return got == want;
    double error = fabs(got - want);
    if (error > *max_error) *max_error = error;
    return error <= atol + rtol * fabs(want);
}

static bool same_element(const ob_view *got, const ob_view *want, int64_t i, double rtol, double atol, double *max_error) {
    size_t size = ob_dtype_size(got->dtype);
    const char *a = (const char *)got->data + (size_t)i * size, *b = (const char *)want->data + (size_t)i * size;
    if (got->dtype == OB_STRING) {
        const ob_string *s = (const ob_string *)(const void *)a, *t = (const ob_string *)(const void *)b;
        return s->n == t->n && (s->n == 0 || memcmp(s->data, t->data, s->n) == 0);
    }
    double x, y;
    if (!read_real(got, i, 0, &x) || !read_real(want, i, 0, &y)) return memcmp(a, b, size) == 0;
    if (size == 1) rtol = atol = 0;
    if (got->dtype == OB_BFLOAT16 && rtol < 0x1p-7)
        rtol = 0x1p-7; /* the last bit: ONNX's test data truncates where it should round */
    if (!close_enough(x, y, rtol, atol, max_error)) return false;
    if (got->dtype != OB_COMPLEX64 && got->dtype != OB_COMPLEX128) return true;
    return read_real(got, i, 1, &x) && read_real(want, i, 1, &y) && close_enough(x, y, rtol, atol, max_error);
}

/* The error of an element in multiples of its tolerance; NaN, or a type without numbers, is worst. */
static double beyond(const ob_view *got, const ob_view *want, int64_t i, double rtol, double atol) {
    double most = 0, x, y;
    for (int part = 0; part < (got->dtype == OB_COMPLEX64 || got->dtype == OB_COMPLEX128 ? 2 : 1); part++) {
        if (!read_real(got, i, part, &x) || !read_real(want, i, part, &y) || !isfinite(x) || !isfinite(y)) return HUGE_VAL;
        double allowed = atol + rtol * fabs(y), times = allowed > 0 ? fabs(x - y) / allowed : fabs(x - y) > 0 ? HUGE_VAL : 0;
        if (times > most) most = times;
    }
    return most;
}

/* "[1, 0, 7]" of element i. */
static void format_place(const ob_view *view, int64_t i, char *text, size_t n_bytes) {
    int64_t at[OB_MAX_RANK];
    for (int32_t axis = view->rank - 1; axis >= 0; axis--) {
        at[axis] = i % view->dims[axis];
        i /= view->dims[axis];
    }
    ob_view place = *view;
    memcpy(place.dims, at, (size_t)view->rank * sizeof *at);
    format_dims(&place, text, n_bytes);
}

bool compare_tensors(const ob_view *got, const ob_view *want, double rtol, double atol, comparison *result) {
    memset(result, 0, sizeof *result);
    char a[100], b[100];
    if (got->dtype != want->dtype) {
        snprintf(result->message, sizeof result->message, "type %s, expected %s", ob_dtype_name(got->dtype),
                 ob_dtype_name(want->dtype));
        return false;
    }
    if (!same_shape(got, want)) {
        format_dims(got, a, sizeof a);
        format_dims(want, b, sizeof b);
        snprintf(result->message, sizeof result->message, "shape %s, expected %s", a, b);
        return false;
    }
    int64_t n = ob_view_count(got), worst = 0;
    double worst_excess = -1;
    for (int64_t i = 0; i < n; i++) {
        double error = 0, excess;
        bool same = same_element(got, want, i, rtol, atol, &error);
        if (error > result->max_error) result->max_error = error;
        if (same) continue;
        result->n_different++;
        excess = beyond(got, want, i, rtol, atol);
        if (excess <= worst_excess) continue;
        worst_excess = excess;
        worst = i;
    }
    if (result->n_different == 0) return true;
    char place[200];
    format_element(got, worst, a, sizeof a);
    format_element(want, worst, b, sizeof b);
    format_place(got, worst, place, sizeof place);
    snprintf(result->message, sizeof result->message,
             "%" PRId64 " of %" PRId64 " elements, beyond rtol %g and atol %g; the worst, %s, is %s, expected %s",
             result->n_different, n, rtol, atol, place, a, b);
    return false;
}

void format_cell(const ob_cell *cell, char *text, size_t n_bytes) {
    switch (ob_cell_get_kind(cell)) {
    case OB_CELL_TENSOR: snprintf(text, n_bytes, "a tensor"); return;
    case OB_CELL_SEQUENCE: snprintf(text, n_bytes, "a sequence of %zu", ob_cell_count(cell)); return;
    case OB_CELL_MAP: snprintf(text, n_bytes, "a map of %zu", ob_cell_count(cell)); return;
    default: snprintf(text, n_bytes, "nothing"); return;
    }
}

/* Puts "in item 3, " before the difference. */
static void prefix(comparison *result, const char *where) {
    char message[sizeof result->message];
    memcpy(message, result->message, sizeof message);
    snprintf(result->message, sizeof result->message, "%s%.*s", where, (int)(sizeof message - 100), message);
}

/* Recursion ends at OB_CELL_MAX_DEPTH. */
bool compare_cells(const ob_cell *got, const ob_cell *want, double rtol, double atol, comparison *result) {
    ob_view a, b;
    memset(result, 0, sizeof *result);
    if (ob_cell_get_kind(got) != ob_cell_get_kind(want) || ob_cell_count(got) != ob_cell_count(want)) {
        char is[100], expected[100];
        format_cell(got, is, sizeof is);
        format_cell(want, expected, sizeof expected);
        snprintf(result->message, sizeof result->message, "%s, expected %s", is, expected);
        return false;
    }
    if (ob_cell_view(got, &a) && ob_cell_view(want, &b)) return compare_tensors(&a, &b, rtol, atol, result);
    double max_error = 0;
    if (ob_cell_keys(got, &a) && ob_cell_keys(want, &b) && !compare_tensors(&a, &b, 0, 0, result)) {
        prefix(result, "keys: ");
        return false;
    }
    for (size_t i = 0; i < ob_cell_count(want); i++) {
        bool same = compare_cells(ob_cell_at(got, i), ob_cell_at(want, i), rtol, atol, result);
        if (result->max_error > max_error) max_error = result->max_error;
        result->max_error = max_error;
        if (same) continue;
        char where[60];
        snprintf(where, sizeof where, "item %zu: ", i);
        prefix(result, where);
        return false;
    }
    return true;
}
