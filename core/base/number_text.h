/* Numbers as text and back, the same in every locale, for Cast of strings. */
#ifndef OB_CORE_BASE_NUMBER_TEXT_H
#define OB_CORE_BASE_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OB_NUMBER_TEXT_MAX = 40 };

/* The shortest decimal that reads back as the same number of `is_float` precision; fixed notation for exponents -4 to 15, at
 * least one digit after the point; "NaN", "INF", "-INF". Returns the length; text has OB_NUMBER_TEXT_MAX bytes. */
size_t ob__format_real(double number, bool is_float, char *text);
size_t ob__format_int(int64_t number, char *text);
size_t ob__format_uint(uint64_t number, char *text);

/* Plain and scientific notation, INF, +INF, -INF, NaN in any case; white space around is allowed. False: not a number. */
bool ob__parse_real(const char *text, size_t n, bool is_float, double *number);
typedef enum ob_number_read {
    OB_NUMBER_READ,
    OB_NUMBER_NONE,  /* the text is not a number, or NaN */
    OB_NUMBER_BEYOND /* it is outside -2^63 .. 2^64 - 1, or infinite */
} ob_number_read;
/* An integer, exact over the whole range of 64 bits; any other number is truncated. *is_negative: `bits` is the number as
 * int64_t. */
ob_number_read ob__parse_int(const char *text, size_t n, bool *is_negative, uint64_t *bits);

#endif
