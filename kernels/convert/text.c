/* Casts of strings, one element at a time: one form for all levels. */
#include <string.h>

#include "core/base/number_text.h"
#include "core/graph/types.h"
#include "kernels/convert/text.h"

#define MEMBER text
#define ROWS   "kernels/convert/text.def"
#include "kernels/declare.inc.h"

enum { NUMBER_BYTES = 16, ELEMENT_WORK = 64 };

static void convert_one(const obk_text_cast *c, void *target, const void *source, size_t n_bytes) {
    unsigned char between[NUMBER_BYTES];
    switch (c->n_steps) {
    case 0: memcpy(target, source, n_bytes); break;
    case 1: c->steps[0](target, source, 1); break;
    default: c->steps[0](between, source, 1); c->steps[1](target, between, 1);
    }
}

/* ---- From strings ---- */

static bool parse_bool(const ob_string *text, uint8_t *value) {
    static const char *const words[] = {"false", "False", "FALSE", "true", "True", "TRUE"};
    for (size_t i = 0; i < 6; i++)
        if (text->n == strlen(words[i]) && memcmp(text->data, words[i], text->n) == 0) {
            *value = i >= 3;
            return true;
        }
    return false;
}

/* A 64-bit number wraps into a narrower type, as in NumPy and in ONNX Runtime. A larger number, which both refuse, has no value
 * in any integer type. A negative number wraps into an unsigned type. */
static ob_number_read read_string(const obk_text_cast *c, const ob_string *text, void *target) {
    const char *data = text->data ? text->data : "";
    if (c->to == OB_BOOL && parse_bool(text, target)) return OB_NUMBER_READ;
    if (ob__dtype_is_integer(c->to)) {
        const bool is_unsigned = c->to == OB_UINT64 || c->to == OB_UINT32 || c->to == OB_UINT16 || c->to == OB_UINT8;
        bool negative;
        uint64_t bits;
        const ob_number_read read = ob__parse_int(data, text->n, &negative, &bits);
        if (read != OB_NUMBER_READ) return read;
        if (!is_unsigned && !negative && bits > INT64_MAX) return OB_NUMBER_BEYOND;
        convert_one(c, target, &bits, 8);
        return OB_NUMBER_READ;
    }
    double number;
    if (!ob__parse_real(data, text->n, c->to == OB_FLOAT, &number)) return OB_NUMBER_NONE;
    convert_one(c, target, &number, 8);
    return OB_NUMBER_READ;
}

void obk_numbers_from_strings(char *const *pointers, const int64_t *strides, int64_t n, const void *params) {
    obk_text_cast *c = *(obk_text_cast *const *)params;
    for (int64_t i = 0; i < n && c->status == OB_OK && !obk_stops(&c->pace, ELEMENT_WORK); i++) {
        ob_string text;
        unsigned char number[NUMBER_BYTES];
        memcpy(&text, pointers[0] + i * strides[0], sizeof text);
        const ob_number_read read = read_string(c, &text, number);
        if (read == OB_NUMBER_READ)
            memcpy(pointers[1] + i * strides[1], number, ob_dtype_size(c->to));
        else
            c->status = ob__fail(c->error, OB_E_FORMAT,
                                 read == OB_NUMBER_NONE ? "\"%.*s\" is not a number of type %s"
                                                        : "\"%.*s\" is beyond the numbers of type %s",
                                 (int)(text.n < 60 ? text.n : 60), text.data ? text.data : "", ob_dtype_name(c->to));
    }
}

/* ---- To strings ---- */

static size_t write_string(const obk_text_cast *c, const char *source, char *text) {
    uint64_t number;
    convert_one(c, &number, source, 8);
    if (c->from == OB_UINT64) return ob__format_uint(number, text);
    if (ob__dtype_is_integer(c->from) || c->from == OB_BOOL) return ob__format_int((int64_t)number, text);
    double real;
    memcpy(&real, &number, sizeof real);
    return ob__format_real(real, c->from != OB_DOUBLE, text);
}

void obk_strings_from_numbers(char *const *pointers, const int64_t *strides, int64_t n, const void *params) {
    obk_text_cast *c = *(obk_text_cast *const *)params;
    for (int64_t i = 0; i < n && c->status == OB_OK && !obk_stops(&c->pace, ELEMENT_WORK); i++) {
        char text[OB_NUMBER_TEXT_MAX];
        _Alignas(16) char aligned[NUMBER_BYTES];
        memcpy(aligned, pointers[0] + i * strides[0], ob_dtype_size(c->from));
        ob_string made = {.n = write_string(c, aligned, text)};
        made.data = ob__arena_strndup(c->strings, text, made.n);
        if (made.data)
            memcpy(pointers[1] + i * strides[1], &made, sizeof made);
        else
            c->status = ob__fail(c->error, OB_E_MEMORY, "no memory for strings");
    }
}
