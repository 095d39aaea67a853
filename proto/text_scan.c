#include "proto/text_scan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/error.h"
#include "proto/proto.h"

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool ob__is_identifier(const char *text) {
    if (!is_letter(*text)) return false;
    while (is_letter(*text) || is_digit(*text)) text++;
    return *text == '\0';
}

/* ---- Errors ---- */

ob_status ob__scan_fail(ob_scanner *scanner, const char *at, const char *format, ...) {
    size_t line = 1, column = 1;
    for (const char *p = scanner->start; p < at; p++) {
        bool ends = *p == '\n';
        line += ends;
        column = ends ? 1 : column + 1;
    }
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return ob__fail(scanner->error, OB_E_FORMAT, "line %zu, column %zu: %s", line, column, message);
}

ob_status ob__scan_expected(ob_scanner *scanner, const char *what) {
    const char *start;
    char c = ob__scan_peek(scanner);
    size_t n = ob__scan_peek_identifier(scanner, &start);
    if (scanner->p == scanner->end) return ob__scan_fail(scanner, scanner->p, "expected %s, found the end", what);
    if (n > 0) return ob__scan_fail(scanner, scanner->p, "expected %s, found \"%.*s\"", what, n > 60 ? 60 : (int)n, start);
    if (c < 0x20 || c == 0x7f)
        return ob__scan_fail(scanner, scanner->p, "expected %s, found byte 0x%02x", what, (unsigned char)c);
    return ob__scan_fail(scanner, scanner->p, "expected %s, found '%c'", what, c);
}

ob_status ob__scan_out_of_memory(ob_scanner *scanner) {
    return ob__arena_failure(scanner->arena, scanner->error);
}

/* ---- Characters ---- */

static void skip(ob_scanner *scanner) {
    const char *p = scanner->p;
    for (;;) {
        while (p < scanner->end && is_space(*p)) p++;
        if (p == scanner->end || *p != '#') break;
        while (p < scanner->end && *p != '\n') p++;
    }
    scanner->p = p;
}

char ob__scan_peek(ob_scanner *scanner) {
    skip(scanner);
    return scanner->p < scanner->end ? *scanner->p : '\0';
}

bool ob__scan_take(ob_scanner *scanner, char c) {
    skip(scanner);
    if (scanner->p == scanner->end || *scanner->p != c) return false;
    scanner->p++;
    return true;
}

ob_status ob__scan_expect(ob_scanner *scanner, char c) {
    return ob__scan_take(scanner, c) ? OB_OK : ob__scan_expected(scanner, (const char[]){'\'', c, '\'', '\0'});
}

/* ---- Names ---- */

size_t ob__scan_peek_identifier(ob_scanner *scanner, const char **start) {
    skip(scanner);
    const char *p = scanner->p;
    *start = p;
    if (p < scanner->end && is_letter(*p))
        while (p < scanner->end && (is_letter(*p) || is_digit(*p))) p++;
    return (size_t)(p - *start);
}

bool ob__scan_next_is(ob_scanner *scanner, const char *word) {
    const char *start;
    size_t n = ob__scan_peek_identifier(scanner, &start);
    return n == strlen(word) && memcmp(start, word, n) == 0;
}

bool ob__scan_next_is_special_number(ob_scanner *scanner) {
    static const char *const words[] = {"inf", "infinity", "nan"};
    const char *start;
    size_t n = ob__scan_peek_identifier(scanner, &start);
    for (int i = 0; i < 3; i++)
        if (n == strlen(words[i]) && strncasecmp(start, words[i], n) == 0) return true;
    return false;
}

static ob_status copy(ob_scanner *scanner, const char *start, size_t n, char **out) {
    *out = ob__arena_strndup(scanner->arena, start, n);
    return *out ? OB_OK : ob__scan_out_of_memory(scanner);
}

ob_status ob__scan_identifier(ob_scanner *scanner, const char *what, char **out) {
    const char *start;
    size_t n = ob__scan_peek_identifier(scanner, &start);
    if (n == 0) return ob__scan_expected(scanner, what);
    scanner->p += n;
    return copy(scanner, start, n, out);
}

ob_status ob__scan_string(ob_scanner *scanner, char **out, size_t *n) {
    if (ob__scan_peek(scanner) != '"') return ob__scan_expected(scanner, "a quoted text");
    const char *open = scanner->p, *p = open + 1;
    for (; p < scanner->end && *p != '"'; p++)
        if (*p == '\\' && ++p == scanner->end) break;
    if (p >= scanner->end) return ob__scan_fail(scanner, open, "the quoted text does not end");
    size_t n_raw = (size_t)(p - open) - 1, length = 0;
    char *text = ob__arena_alloc(scanner->arena, n_raw + 1);
    if (!text) return ob__scan_out_of_memory(scanner);
    for (const char *c = open + 1; c < p; c++) text[length++] = *c == '\\' ? *++c : *c;
    text[length] = '\0';
    scanner->p = p + 1;
    *out = text;
    *n = length;
    return OB_OK;
}

ob_status ob__scan_optional_name(ob_scanner *scanner, char **out) {
    const char *start;
    size_t n = ob__scan_peek_identifier(scanner, &start);
    *out = NULL;
    if (n == 0 && ob__scan_peek(scanner) != '"') return OB_OK;
    if (n > 0) {
        scanner->p += n;
        return copy(scanner, start, n, out);
    }
    char *text;
    OB_TRY(ob__scan_string(scanner, &text, &n));
    if (strlen(text) != n) return ob__scan_fail(scanner, start, "the name holds a zero byte");
    *out = text;
    return OB_OK;
}

ob_status ob__scan_name(ob_scanner *scanner, const char *what, char **out) {
    OB_TRY(ob__scan_optional_name(scanner, out));
    return *out ? OB_OK : ob__scan_expected(scanner, what);
}

/* ---- Literals ---- */

/* The end of the number at p: sign, digits with at most one point, exponent; or inf, infinity, nan. p itself when none is there.
 */
static const char *number_end(ob_scanner *scanner, const char *p, ob_literal_kind *kind) {
    const char *start = p, *end = scanner->end;
    *kind = OB_LITERAL_INT;
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p < end && is_letter(*p)) {
        ob_scanner rest = {p, p, end, scanner->arena, scanner->error};
        const char *word;
        *kind = OB_LITERAL_FLOAT;
        return ob__scan_next_is_special_number(&rest) ? p + ob__scan_peek_identifier(&rest, &word) : start;
    }
    const char *digits = p;
    bool point = false, any = false;
    for (; p < end && (is_digit(*p) || (*p == '.' && !point)); p++) {
        point |= *p == '.';
        any |= is_digit(*p);
    }
    if (!any) return start;
    (void)digits;
    if (point) *kind = OB_LITERAL_FLOAT;
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *e = p + 1;
        if (e < end && (*e == '+' || *e == '-')) e++;
        if (e == end || !is_digit(*e)) return p;
        *kind = OB_LITERAL_FLOAT;
        for (p = e; p < end && is_digit(*p); p++) continue;
    }
    return p;
}

ob_status ob__scan_literal(ob_scanner *scanner, ob_literal *out) {
    if (ob__scan_peek(scanner) == '"') {
        char *text;
        out->kind = OB_LITERAL_STRING;
        OB_TRY(ob__scan_string(scanner, &text, &out->n));
        out->text = text;
        return OB_OK;
    }
    const char *start = scanner->p, *end = number_end(scanner, start, &out->kind);
    if (end == start) return ob__scan_expected(scanner, "a value");
    if (end < scanner->end && is_letter(*end)) return ob__scan_fail(scanner, end, "a letter follows a number");
    char *text;
    out->n = (size_t)(end - start);
    OB_TRY(copy(scanner, start, out->n, &text));
    out->text = text;
    scanner->p = end;
    return OB_OK;
}

/* A number's text in `buffer`: tensors hold millions, the arena holds none of them. */
enum { LONGEST_NUMBER = 400 };

static ob_status scan_number(ob_scanner *scanner, const char *what, bool allow_float, char *buffer) {
    ob_literal_kind kind;
    ob__scan_peek(scanner);
    const char *start = scanner->p, *end = number_end(scanner, start, &kind);
    if (end == start) return ob__scan_expected(scanner, what);
    size_t n = (size_t)(end - start);
    if (kind == OB_LITERAL_FLOAT && !allow_float) return ob__scan_fail(scanner, start, "expected %s, found a fraction", what);
    if (n >= LONGEST_NUMBER) return ob__scan_fail(scanner, start, "a number of %zu characters", n);
    memcpy(buffer, start, n);
    buffer[n] = '\0';
    scanner->p = end;
    return OB_OK;
}

ob_status ob__scan_int64(ob_scanner *scanner, int64_t *out) {
    char buffer[LONGEST_NUMBER];
    OB_TRY(scan_number(scanner, "an integer", false, buffer));
    errno = 0;
    long long value = strtoll(buffer, NULL, 10);
    if (errno) return ob__scan_fail(scanner, scanner->p - strlen(buffer), "%.40s does not fit 64 bits", buffer);
    *out = value;
    return OB_OK;
}

ob_status ob__scan_uint64(ob_scanner *scanner, uint64_t *out) {
    char buffer[LONGEST_NUMBER];
    OB_TRY(scan_number(scanner, "an integer", false, buffer));
    errno = 0;
    unsigned long long value = strtoull(buffer, NULL, 10);
    if (errno || buffer[0] == '-')
        return ob__scan_fail(scanner, scanner->p - strlen(buffer), "%.40s does not fit 64 unsigned bits", buffer);
    *out = value;
    return OB_OK;
}

ob_status ob__scan_double(ob_scanner *scanner, double *out) {
    char buffer[LONGEST_NUMBER];
    OB_TRY(scan_number(scanner, "a number", true, buffer));
    *out = strtod(buffer, NULL);
    return OB_OK;
}

ob_status ob__scan_float(ob_scanner *scanner, float *out) {
    char buffer[LONGEST_NUMBER];
    OB_TRY(scan_number(scanner, "a number", true, buffer));
    *out = strtof(buffer, NULL);
    return OB_OK;
}
