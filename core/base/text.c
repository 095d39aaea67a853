#include "core/base/text.h"

#include <string.h>

void ob__text_init(ob_text *text, const ob_allocator *allocator) {
    memset(text, 0, sizeof *text);
    text->allocator = allocator ? *allocator : *ob_allocator_default();
}

void ob__text_release(ob_text *text) {
    if (text->data) text->allocator.free(text->allocator.context, text->data, text->capacity);
    text->data = NULL;
    text->n = text->capacity = 0;
}

static bool reserve(ob_text *text, size_t n_more) {
    if (text->failed) return false;
    if (n_more < text->capacity - text->n) return true; /* one byte stays for the NUL */
    size_t needed, doubled;
    if (__builtin_add_overflow(text->n, n_more, &needed) || __builtin_add_overflow(needed, 1, &needed)) goto fail;
    if (__builtin_mul_overflow(text->capacity, 2, &doubled)) goto fail;
    if (doubled < needed) doubled = needed < 64 ? 64 : needed;
    void *context = text->allocator.context;
    char *data = text->data ? text->allocator.realloc(context, text->data, text->capacity, doubled)
                            : text->allocator.alloc(context, doubled);
    if (!data) goto fail;
    text->data = data;
    text->capacity = doubled;
    return true;
fail:
    text->failed = true;
    return false;
}

void ob__text_append(ob_text *text, const char *bytes, size_t n) {
    if (!reserve(text, n)) return;
    if (n) memcpy(text->data + text->n, bytes, n);
    text->n += n;
    text->data[text->n] = '\0';
}

void ob__text_puts(ob_text *text, const char *string) {
    ob__text_append(text, string, strlen(string));
}

void ob__text_printf(ob_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t n = ob__vformat(NULL, 0, format, arguments);
    va_end(arguments);
    if (!reserve(text, n)) return;
    va_start(arguments, format);
    ob__vformat(text->data + text->n, n + 1, format, arguments);
    va_end(arguments);
    text->n += n;
}

size_t ob__utf8_length(const unsigned char *p) {
    if (p[0] < 0x80) return 1;
    size_t n = p[0] >= 0xF0 && p[0] < 0xF5 ? 4 : p[0] >= 0xE0 && p[0] < 0xF0 ? 3 : p[0] >= 0xC2 && p[0] < 0xE0 ? 2 : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) ||
        (p[0] == 0xF4 && p[1] > 0x8F))
        return 0;
    return n;
}

size_t ob__utf8_put(char *out, uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((n == 2 ? 0xC0u : n == 3 ? 0xE0u : 0xF0u) | c);
    return n;
}

int ob__string_order(const ob_string *a, const ob_string *b) {
    size_t n = a->n < b->n ? a->n : b->n;
    int order = n ? memcmp(a->data, b->data, n) : 0;
    return order ? order : (a->n > b->n) - (a->n < b->n);
}
