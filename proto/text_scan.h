/* Tokens of ONNX's textual syntax. */
#ifndef OB_PROTO_TEXT_SCAN_H
#define OB_PROTO_TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "onnx_broadcast/status.h"

/* Scans n bytes, which need no NUL at the end. Texts of tokens are copied into the arena, with a NUL. */
typedef struct ob_scanner {
    const char *start, *p, *end;
    ob_arena *arena;
    ob_error *error;
} ob_scanner;

typedef enum ob_literal_kind { OB_LITERAL_INT, OB_LITERAL_FLOAT, OB_LITERAL_STRING } ob_literal_kind;

typedef struct ob_literal {
    ob_literal_kind kind;
    const char *text; /* a number as written, with a NUL; a string without quotes and escapes */
    size_t n;
} ob_literal;

/* "line 3, column 7: ..." for the place `at`; E_FORMAT. */
ob_status ob__scan_fail(ob_scanner *scanner, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found ..." at the next token. */
ob_status ob__scan_expected(ob_scanner *scanner, const char *what);
ob_status ob__scan_out_of_memory(ob_scanner *scanner);

/* The next character after spaces and comments; '\0' at the end. */
char ob__scan_peek(ob_scanner *scanner);
bool ob__scan_take(ob_scanner *scanner, char c);
ob_status ob__scan_expect(ob_scanner *scanner, char c);

/* The next identifier, in place; n 0: none. */
size_t ob__scan_peek_identifier(ob_scanner *scanner, const char **start);
bool ob__scan_next_is(ob_scanner *scanner, const char *word);
/* True if inf, infinity or nan follows, in upper or lower case: a number. */
bool ob__scan_next_is_special_number(ob_scanner *scanner);
ob_status ob__scan_identifier(ob_scanner *scanner, const char *what, char **out);
/* An identifier or quoted string; *out NULL: neither follows. A zero byte inside is refused. */
ob_status ob__scan_optional_name(ob_scanner *scanner, char **out);
ob_status ob__scan_name(ob_scanner *scanner, const char *what, char **out);
ob_status ob__scan_string(ob_scanner *scanner, char **out, size_t *n);
ob_status ob__scan_literal(ob_scanner *scanner, ob_literal *out);

ob_status ob__scan_int64(ob_scanner *scanner, int64_t *out);
ob_status ob__scan_uint64(ob_scanner *scanner, uint64_t *out);
ob_status ob__scan_double(ob_scanner *scanner, double *out);
ob_status ob__scan_float(ob_scanner *scanner, float *out);

/* The characters of identifiers in the syntax. */
bool ob__is_identifier(const char *text);

#endif
