/* Sentences: printf for texts with names from files, which may have any length. */
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"

static bool is_within(char c) { /* a character */
    return ((unsigned char)c & 0xC0) == 0x80;
}

enum { LONG_STRING = 512 }; /* within a sentence */
static const char between_ends[] = "...";

size_t ob__both_ends(char *out, const char *text, size_t n, size_t most, const char *between) {
    const size_t n_between = strlen(between);
    if (n != OB_LENGTH_UNKNOWN && n <= most) {
        memcpy(out, text, n);
        return n;
    }
    if (most < n_between) return 0;
    size_t n_tail = n == OB_LENGTH_UNKNOWN ? 0 : (most - n_between) / 2, n_head = most - n_between - n_tail;
    while (n_head > 0 && is_within(text[n_head])) n_head--;
    const char *tail = n_tail ? text + (n - n_tail) : text;
    for (; n_tail > 0 && is_within(*tail); n_tail--) tail++;
    memmove(out, text, n_head);
    memcpy(out + n_head, between, n_between);
    memmove(out + n_head + n_between, tail, n_tail);
    return n_head + n_between + n_tail;
}

size_t ob__shorten(char *out, const char *text, size_t n, size_t most) {
    return ob__both_ends(out, text, n, most, between_ends);
}

size_t ob__name_length(const char *name) {
    const char *end = memchr(name, '\0', OB_NAME_LOOKED_AT);
    return end ? (size_t)(end - name) : OB_LENGTH_UNKNOWN;
}

/* ---- Formatting ---- */

typedef struct output {
    char *text;
    size_t from, room; /* which bytes of the whole go there */
    size_t n;          /* continues to count beyond the end of the buffer */
    size_t most;       /* of a string without precision */
} output;

static void put(output *out, const char *bytes, size_t n) {
    const size_t begin = out->n > out->from ? out->n : out->from, behind = out->from + out->room;
    const size_t end = out->n + n < behind ? out->n + n : behind;
    if (begin < end) memcpy(out->text + (begin - out->from), bytes + (begin - out->n), end - begin);
    out->n += n;
}

/* The parts of a conversion. */
typedef struct conversion {
    char spec[40];             /* "%-5lld" */
    size_t n;                  /* of it, in the format */
    bool wide, stars, bounded; /* a width, a precision among the arguments; a precision in digits */
    size_t precision;
    char length[3], type; /* "ll", 'd' */
} conversion;

static size_t digits(const char *at, size_t *value) {
    size_t n = 0;
    for (*value = 0; at[n] >= '0' && at[n] <= '9'; n++) *value = *value * 10 + (size_t)(at[n] - '0');
    return n;
}

static conversion read_conversion(const char *at) {
    conversion c = {.n = 1};
    size_t width;
    c.n += strspn(at + c.n, "-+ #0");
    c.wide = at[c.n] == '*';
    c.n += c.wide ? 1 : digits(at + c.n, &width);
    if (at[c.n] == '.') {
        size_t n = digits(at + c.n + 1, &c.precision);
        c.bounded = n > 0;
        c.stars = at[c.n + 1] == '*';
        c.n += 1 + n + c.stars;
    }
    size_t n_length = strspn(at + c.n, "hljzt");
    if (n_length < sizeof c.length) memcpy(c.length, at + c.n, n_length);
    c.n += n_length;
    c.type = at[c.n];
    c.n += c.type != '\0';
    if (c.n < sizeof c.spec) memcpy(c.spec, at, c.n);
    return c;
}

static void put_string(output *out, const conversion *c, const char *string, int stars) {
    char few[OB_FORMAT_STRING_MOST];
    size_t most = c->bounded && c->precision < out->most ? c->precision : out->most;
    if (!string) string = "(null)";
    if (c->stars) {
        const char *end = stars < 0 ? NULL : memchr(string, '\0', (size_t)stars);
        put(out, string, end ? (size_t)(end - string) : stars < 0 ? strlen(string) : (size_t)stars);
    } else if (most > sizeof few) {
        put(out, string, strlen(string));
    } else {
        put(out, few, ob__shorten(few, string, ob__name_length(string), most));
    }
}

/* Reads a number by the conversion's length; the compiler has checked the format against the arguments. */
#define PUT_NUMBER(argument) n = snprintf(number, sizeof number, c.spec, argument)

/* A va_list in a struct, so that arguments that a function reads are also read for its caller. */
typedef struct arguments {
    va_list list;
} arguments;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* pieces of a format that the compiler has checked as a whole */

static void put_number(output *out, conversion c, arguments *a) {
    char number[400]; /* "%f" of the largest double has 309 digits and a few */
    int n = -1;
    bool is_float = strchr("eEfFgGaA", c.type) != NULL;
    if (c.type == '\0' || c.n >= sizeof c.spec) return;
    if (is_float)
        PUT_NUMBER(va_arg(a->list, double));
    else if (c.type == 'p')
        PUT_NUMBER(va_arg(a->list, void *));
    else if (strcmp(c.length, "ll") == 0)
        PUT_NUMBER(va_arg(a->list, long long));
    else if (strcmp(c.length, "l") == 0)
        PUT_NUMBER(va_arg(a->list, long));
    else if (c.length[0] == 'z')
        PUT_NUMBER(va_arg(a->list, size_t));
    else if (c.length[0] == 'j')
        PUT_NUMBER(va_arg(a->list, intmax_t));
    else if (c.length[0] == 't')
        PUT_NUMBER(va_arg(a->list, ptrdiff_t));
    else
        PUT_NUMBER(va_arg(a->list, int));
    if (n > 0) put(out, number, (size_t)n < sizeof number ? (size_t)n : sizeof number - 1);
}

#pragma GCC diagnostic pop

/* Bytes `from` and on of the whole, of which it returns the length. */
static size_t format_all(char *text, size_t room, size_t from, size_t most, const char *format, va_list list) {
    output out = {text, from, room, 0, most};
    arguments a;
    va_copy(a.list, list);
    for (const char *at = format; *at;) {
        size_t n_plain = strcspn(at, "%");
        put(&out, at, n_plain);
        at += n_plain;
        if (*at == '\0') break;
        const conversion c = read_conversion(at);
        if (c.type == '%')
            put(&out, "%", 1);
        else if (c.type == 's') {
            int width = c.wide ? va_arg(a.list, int) : 0, stars = c.stars ? va_arg(a.list, int) : 0;
            const char *string = va_arg(a.list, const char *);
            for (int n = c.wide ? (int)strnlen(string, (size_t)width) : 0; n < width; n++) put(&out, " ", 1);
            put_string(&out, &c, string, stars);
        } else
            put_number(&out, c, &a);
        at += c.n;
    }
    va_end(a.list);
    if (room > 0) text[out.n < from + room ? out.n - from : room - 1] = '\0';
    return out.n;
}

size_t ob__vformat(char *text, size_t room, const char *format, va_list list) {
    return format_all(text, room, 0, SIZE_MAX, format, list);
}

/* The end of a long string is formatted separately, because no buffer can hold all of it. */
size_t ob__vsentence(char *text, size_t room, const char *format, va_list list) {
    const size_t n_between = sizeof between_ends - 1;
    if (room == 0) return 0;
    const size_t n = format_all(text, room, 0, LONG_STRING, format, list), most = room - 1;
    if (n <= most) return n;
    size_t n_tail = most < n_between ? 0 : (most - n_between) / 2, n_head = most < n_between ? 0 : most - n_between - n_tail;
    while (n_head > 0 && is_within(text[n_head])) n_head--;
    char *tail = text + n_head;
    if (most >= n_between) {
        memcpy(tail, between_ends, n_between);
        tail += n_between;
        format_all(tail, n_tail + 1, n - n_tail, LONG_STRING, format, list);
        size_t n_cut = 0; /* of a character that began before */
        while (n_cut < n_tail && is_within(tail[n_cut])) n_cut++;
        n_tail -= n_cut;
        memmove(tail, tail + n_cut, n_tail);
    }
    tail[n_tail] = '\0';
    return (size_t)(tail - text) + n_tail;
}

size_t ob__sentence(char *text, size_t room, const char *format, ...) {
    va_list list;
    va_start(list, format);
    size_t n = ob__vsentence(text, room, format, list);
    va_end(list);
    return n;
}
