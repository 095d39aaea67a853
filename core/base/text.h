/* Sentences and names in fixed buffers, and a growing text buffer. */
#ifndef OB_CORE_BASE_TEXT_H
#define OB_CORE_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/dtype.h"

enum {
    OB_NAME_LOOKED_AT = 65536,   /* limit of bytes in which the end of a name is searched: names are written often */
    OB_FORMAT_STRING_MOST = 1024 /* of "%.Ns" */
};
#define OB_LENGTH_UNKNOWN SIZE_MAX

/* Writes the n bytes of the text into `out` of `most` bytes. A longer text is shortened to both ends with "..." between them,
 * without cutting characters; a text of unknown length to its beginning and "...". Returns the number of bytes; no NUL. */
size_t ob__shorten(char *out, const char *text, size_t n, size_t most);
/* The same with another text than "..." between the ends. */
size_t ob__both_ends(char *out, const char *text, size_t n, size_t most, const char *between);
/* The length of a name; OB_LENGTH_UNKNOWN above OB_NAME_LOOKED_AT. */
size_t ob__name_length(const char *name);

/* As vsnprintf, but "%.200s" shortens a longer string to both ends (ob__shorten): names often differ at their end, and the rest
 * of a sentence must not be lost. Widths only as "%*s", of numbers in digits and up to 300; no "%n", no "L". */
size_t ob__vformat(char *text, size_t room, const char *format, va_list list);
/* The same in a fixed buffer, NUL included. Very long strings without precision are shortened too, and a sentence that is too
 * long for the buffer keeps both ends. Returns the number of bytes without the NUL. */
size_t ob__vsentence(char *text, size_t room, const char *format, va_list list);
size_t ob__sentence(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The length of the well-formed UTF-8 character at p; 0: none. The text ends with a NUL. */
size_t ob__utf8_length(const unsigned char *p);
/* Writes a character in UTF-8, up to 4 bytes without a NUL. Returns the bytes. */
size_t ob__utf8_put(char *out, uint32_t c);

/* Growing bytes; always NUL-terminated once something was written. Sticky failure: after an allocation fails, further writes do
 * nothing and `failed` stays true. */
typedef struct ob_text {
    ob_allocator allocator;
    char *data;
    size_t n, capacity;
    bool failed;
} ob_text;

void ob__text_init(ob_text *text, const ob_allocator *allocator);
void ob__text_release(ob_text *text);
void ob__text_append(ob_text *text, const char *bytes, size_t n);
void ob__text_puts(ob_text *text, const char *string);
void ob__text_printf(ob_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Compares by bytes, which in UTF-8 is the order of characters: less than, equal to or more than 0. A prefix comes first. */
int ob__string_order(const ob_string *a, const ob_string *b);

#endif
