/* Sentences and names in a fixed room, and a growing text buffer. */
#ifndef OB_CORE_BASE_TEXT_H
#define OB_CORE_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/dtype.h"

enum {
    OB_NAME_LOOKED_AT = 65536,   /* bytes in which the end of a name is looked for: a name is told many times */
    OB_FORMAT_STRING_MOST = 1024 /* of "%.Ns" */
};
#define OB_LENGTH_UNKNOWN SIZE_MAX

/* Writes the n bytes of the text, or when they are more than `most` both ends with "..." between them, characters whole, into
 * `out` of `most` bytes; of a text whose length is not known the beginning and "...". Returns the bytes; no NUL. */
size_t ob__shorten(char *out, const char *text, size_t n, size_t most);
/* The same with other words than "..." between the ends. */
size_t ob__both_ends(char *out, const char *text, size_t n, size_t most, const char *between);
/* Bytes of a name, OB_LENGTH_UNKNOWN beyond OB_NAME_LOOKED_AT. */
size_t ob__name_length(const char *name);

/* As vsnprintf, but "%.200s" gives of a longer string both ends (ob__shorten): what tells names apart stands at their end, and so
 * does what stands behind a name in a sentence. Widths only as "%*s", of numbers in digits and up to 300; no "%n", no "L". */
size_t ob__vformat(char *text, size_t room, const char *format, va_list list);
/* The same in a fixed room, NUL included: also strings without precision are shortened when they are very long, and of a sentence
 * that is too long for the room both ends stay. Returns the bytes written, without the NUL. */
size_t ob__vsentence(char *text, size_t room, const char *format, va_list list);
size_t ob__sentence(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Bytes of the well-formed UTF-8 character at p, 0 when there is none. The text ends with a NUL. */
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

/* Less than, equal to or more than 0: by bytes, which in UTF-8 is by characters; a beginning comes first. */
int ob__string_order(const ob_string *a, const ob_string *b);

#endif
