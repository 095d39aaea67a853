#include "core/base/number_text.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing ---- */

static size_t put(char *text, const char *what) {
    size_t n = strlen(what);
    memcpy(text, what, n + 1);
    return n;
}

/* Digits without point and the decimal exponent of the first one. */
static int shortest_digits(double number, bool is_float, char *digits, int *exponent) {
    char buffer[64];
    for (int precision = 0; precision < 17; precision++) {
        snprintf(buffer, sizeof buffer, "%.*e", precision, number);
        /* both directions use the same locale, so the comparison does not depend on it */
        bool same = is_float ? strtof(buffer, NULL) == (float)number : strtod(buffer, NULL) == number;
        if (same || precision == 16) break;
    }
    int n = 0;
    const char *p = buffer;
    for (; *p && *p != 'e'; p++)
        if (*p >= '0' && *p <= '9') digits[n++] = *p;
    *exponent = *p ? atoi(p + 1) : 0;
    while (n > 1 && digits[n - 1] == '0') n--;
    return n;
}

size_t ob__format_real(double number, bool is_float, char *text) {
    if (isnan(number)) return put(text, "NaN");
    if (isinf(number)) return put(text, number < 0 ? "-INF" : "INF");
    char digits[32];
    int exponent, n = shortest_digits(fabs(number), is_float, digits, &exponent);
    char *p = text;
    if (signbit(number)) *p++ = '-';
    if (exponent < -4 || exponent > 15) {
        *p++ = digits[0];
        if (n > 1) *p++ = '.';
        for (int i = 1; i < n; i++) *p++ = digits[i];
        p += snprintf(p, 8, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
    } else {
        if (exponent < 0) *p++ = '0';
        for (int i = 0; i <= exponent; i++) *p++ = i < n ? digits[i] : '0';
        *p++ = '.';
        for (int i = -1; i > exponent; i--) *p++ = '0';
        int first = exponent < 0 ? 0 : exponent + 1;
        for (int i = first; i < n; i++) *p++ = digits[i];
        if (first >= n) *p++ = '0';
    }
    *p = '\0';
    return (size_t)(p - text);
}

size_t ob__format_int(int64_t number, char *text) {
    return (size_t)snprintf(text, OB_NUMBER_TEXT_MAX, "%lld", (long long)number);
}

size_t ob__format_uint(uint64_t number, char *text) {
    return (size_t)snprintf(text, OB_NUMBER_TEXT_MAX, "%llu", (unsigned long long)number);
}

/* ---- Reading ---- */

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void trim(const char **text, size_t *n) {
    while (*n && is_space(**text)) ++*text, --*n;
    while (*n && is_space((*text)[*n - 1])) --*n;
}

static bool equals_folded(const char *text, size_t n, const char *word) {
    if (n != strlen(word)) return false;
    for (size_t i = 0; i < n; i++) {
        char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
        if (c != word[i]) return false;
    }
    return true;
}

static bool special(const char *text, size_t n, double *number) {
    bool negative = n && text[0] == '-';
    if (n && (text[0] == '-' || text[0] == '+')) text++, n--;
    if (equals_folded(text, n, "inf") || equals_folded(text, n, "infinity"))
        *number = negative ? -(double)INFINITY : (double)INFINITY;
    else if (equals_folded(text, n, "nan"))
        *number = (double)NAN;
    else
        return false;
    return true;
}

static size_t skip_digits(const char *text, size_t n, size_t i) {
    while (i < n && text[i] >= '0' && text[i] <= '9') i++;
    return i;
}

/* [sign] digits [. digits] [e [sign] digits], at least one digit before the exponent. Returns the position of the point; n:
 * there is none. */
static bool is_decimal(const char *text, size_t n, size_t *point) {
    size_t i = n && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    size_t whole = skip_digits(text, n, i), n_digits = whole - i;
    i = whole;
    *point = n;
    if (i < n && text[i] == '.') {
        *point = i;
        size_t end = skip_digits(text, n, i + 1);
        n_digits += end - i - 1;
        i = end;
    }
    if (n_digits == 0) return false;
    if (i < n && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        if (i < n && (text[i] == '-' || text[i] == '+')) i++;
        size_t end = skip_digits(text, n, i);
        if (end == i) return false;
        i = end;
    }
    return i == n;
}

bool ob__parse_real(const char *text, size_t n, bool is_float, double *number) {
    trim(&text, &n);
    if (special(text, n, number)) return true;
    size_t point;
    char buffer[512]; /* longer texts are refused: no number needs them */
    if (!is_decimal(text, n, &point)) return false;
    const char *locale_point = localeconv()->decimal_point;
    size_t n_point = strlen(locale_point);
    if (n + n_point + 1 > sizeof buffer) return false;
    memcpy(buffer, text, point);
    size_t used = point;
    if (point < n) {
        memcpy(buffer + used, locale_point, n_point);
        used += n_point;
        memcpy(buffer + used, text + point + 1, n - point - 1);
        used += n - point - 1;
    }
    buffer[used] = '\0';
    *number = is_float ? (double)strtof(buffer, NULL) : strtod(buffer, NULL);
    return true;
}

ob_number_read ob__parse_int(const char *text, size_t n, bool *is_negative, uint64_t *bits) {
    trim(&text, &n);
    *is_negative = n && text[0] == '-';
    size_t i = n && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    const uint64_t most = *is_negative ? UINT64_C(1) << 63 : UINT64_MAX;
    if (i < n && skip_digits(text, n, i) == n) {
        uint64_t value = 0;
        bool fits = true;
        for (; i < n && fits; i++)
            fits =
                !__builtin_mul_overflow(value, 10, &value) && !__builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value);
        if (!fits || value > most) return OB_NUMBER_BEYOND;
        *bits = *is_negative ? 0 - value : value;
        return OB_NUMBER_READ;
    }
    double number;
    if (!ob__parse_real(text, n, false, &number) || isnan(number)) return OB_NUMBER_NONE;
    const double magnitude = fabs(number);
    *is_negative = number < 0;
    if (magnitude >= 0x1p64 || (*is_negative && magnitude > 0x1p63)) return OB_NUMBER_BEYOND;
    *bits = *is_negative ? 0 - (uint64_t)magnitude : (uint64_t)magnitude;
    return OB_NUMBER_READ;
}
