/* Dimension terms as text. */
#include <stdio.h>
#include <string.h>

#include "core/base/long_names.h"
#include "core/base/text.h"
#include "core/dims/algebra.h"
#include "core/dims/scratch.h"
#include "onnx_broadcast/broadcast.h"

static void write_bytes(ob_writer *writer, const char *text, size_t n) {
    if (writer->n < writer->room) {
        size_t fits = writer->room - writer->n < n ? writer->room - writer->n : n;
        memcpy(writer->text + writer->n, text, fits);
    }
    writer->n += n;
}

void ob__write(ob_writer *writer, const char *text) {
    write_bytes(writer, text, strlen(text));
}

size_t ob__writer_end(ob_writer *writer) {
    if (writer->room > 0) writer->text[writer->n < writer->room ? writer->n : writer->room - 1] = '\0';
    return writer->n;
}

void ob__write_int(ob_writer *writer, int64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    ob__write(writer, digits);
}

/* ---- Names ---- */

static bool is_letter(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A place in the name of a size that has none: "[0]" of "x[0]". */
static size_t place_length(const unsigned char *p) {
    size_t n = 1;
    while (p[0] == '[' && p[n] >= '0' && p[n] <= '9') n++;
    return n > 1 && p[n] == ']' ? n + 1 : 0;
}

size_t ob__plain_name(const char *text) {
    const unsigned char *start = (const unsigned char *)text, *p = start;
    if (!is_letter(*p) && *p < 0x80) return 0;
    while (*p) {
        size_t n = ob__utf8_length(p);
        if (n == 0 || (n == 1 && !is_letter(*p) && !(*p >= '0' && *p <= '9') && !strchr(".:$@#", *p))) break;
        p += n;
    }
    return p == start ? 0 : (size_t)(p - start) + place_length(p);
}

static void write_quoted(ob_writer *writer, const char *name, size_t enough) {
    write_bytes(writer, "\"", 1);
    for (const unsigned char *p = (const unsigned char *)name; *p && writer->n < enough;) {
        size_t n = ob__utf8_length(p);
        if (n == 0 || *p < 0x20 || *p == 0x7F) {
            static const char digits[] = "0123456789ABCDEF";
            write_bytes(writer, (const char[]){'\\', 'x', digits[*p >> 4], digits[*p & 15]}, 4);
            p++;
            continue;
        }
        if (*p == '"' || *p == '\\') write_bytes(writer, "\\", 1);
        write_bytes(writer, (const char *)p, n);
        p += n;
    }
    write_bytes(writer, "\"", 1);
}

/* Is the name a word of the notation (parse.h), or would a guard seem to end after it? */
static bool is_mistaken(const char *name, size_t n) {
    static const char *const words[] = {"and", "or",  "not", "if",   "in",    "is",   "never",
                                        "mod", "min", "max", "ceil", "floor", "bcast"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0) return true;
    return n > 0 && name[n - 1] == ':';
}

size_t ob__name_bytes(const char *name, bool *quoted) {
    ob_writer counter = {NULL, 0, 0};
    size_t n = ob__plain_name(name);
    *quoted = n == 0 || name[n] != '\0' || is_mistaken(name, n);
    if (!*quoted) return n;
    write_quoted(&counter, name, SIZE_MAX);
    return counter.n;
}

void ob__write_name(ob_writer *writer, const char *name) {
    bool quoted;
    const size_t n = ob__name_bytes(name, &quoted);
    if (quoted)
        write_quoted(writer, name, SIZE_MAX);
    else
        write_bytes(writer, name, n);
}

static void write_both_ends(ob_writer *writer, const ob_dims *pool, const ob_term *term) {
    char ends[OB_FORMAT_STRING_MOST + OB_LONG_NAME_NUMBER + 1];
    size_t most = pool->longest_name < OB_FORMAT_STRING_MOST ? pool->longest_name : OB_FORMAT_STRING_MOST;
    size_t n_name = term->quoted ? ob__name_length(term->name) : term->number;
    size_t n = !pool->long_names ? ob__shorten(ends, term->name, n_name, most)
               : n_name <= most  ? ob__both_ends(ends, term->name, n_name, most, "")
                                 : ob__write_long_name(pool->long_names, term->name, n_name, most + OB_LONG_NAME_NUMBER, ends);
    ends[n] = '\0';
    if (term->quoted)
        write_quoted(writer, ends, SIZE_MAX);
    else
        write_bytes(writer, ends, n);
}

/* Takes time that depends on the buffer, not on the length of the name. */
static void write_name(ob_writer *writer, const ob_dims *pool, const ob_term *term) {
    if (pool->longest_name && term->number > pool->longest_name) {
        write_both_ends(writer, pool, term);
        return;
    }
    if (!term->quoted) {
        write_bytes(writer, term->name, term->number);
        return;
    }
    size_t start = writer->n;
    if (start < writer->room) write_quoted(writer, term->name, writer->room);
    writer->n = start + term->number;
}

/* ---- Dims ---- */

void ob__write_dim(ob_writer *writer, const ob_dims *pool, ob_dim d) {
    if (ob_dim_is_const(d)) {
        ob__write_int(writer, d);
        return;
    }
    const ob_term *term = ob__term(pool, d);
    if (!term) {
        ob__write(writer, "?");
        return;
    }
    if (term->kind != OB_DIM_KIND_SYMBOL) {
        ob__terms_write(writer, pool, d);
    } else if (term->name) {
        write_name(writer, pool, term);
    } else {
        ob__write(writer, "?");
        ob__write_int(writer, term->number);
    }
}

void ob__write_factor(ob_writer *writer, const ob_dims *pool, ob_dim d) {
    bool parentheses = ob_dim_get_kind(pool, d) == OB_DIM_KIND_SUM;
    if (parentheses) ob__write(writer, "(");
    ob__write_dim(writer, pool, d);
    if (parentheses) ob__write(writer, ")");
}

size_t ob_dim_format(const ob_dims *pool, ob_dim d, char *text, size_t n_bytes) {
    ob_writer writer = {text, text ? n_bytes : 0, 0};
    ob_dims_reading reading;
    ob__dims_read_begin(&reading, pool);
    ob__write_dim(&writer, reading.pool, d);
    ob__dims_read_end(&reading);
    return ob__writer_end(&writer);
}

size_t ob_shape_format(const ob_dims *pool, const ob_shape *shape, char *text, size_t n_bytes) {
    ob_writer writer = {text, text ? n_bytes : 0, 0};
    ob_dims_reading reading;
    ob__dims_read_begin(&reading, pool);
    ob__write(&writer, shape->rank == OB_RANK_UNKNOWN ? "[..." : "[");
    for (int32_t i = 0; i < shape->rank; i++) {
        if (i > 0) ob__write(&writer, ", ");
        ob__write_dim(&writer, reading.pool, shape->dims[i]);
    }
    ob__dims_read_end(&reading);
    ob__write(&writer, "]");
    return ob__writer_end(&writer);
}

/* ---- In sentences ---- */

enum { WHOLE_TERM = 4096, LEAST_NAME = 16 };

static size_t format(const ob_dims *pool, ob_dim d, const ob_condition *condition, char *text, size_t n_bytes) {
    return condition ? ob_condition_format(pool, condition, text, n_bytes) : ob_dim_format(pool, d, text, n_bytes);
}

/* First each name is shortened, then the whole text. */
static size_t show(const ob_dims *pool, ob_dim d, const ob_condition *condition, char *text, size_t n_bytes) {
    size_t n = format(pool, d, condition, text, n_bytes);
    if (n < n_bytes || n_bytes == 0 || !pool) return n;
    ob_dims_reading reading;
    ob__dims_read_begin(&reading, pool);
    ob_scratch_scope scope = ob__scratch_begin(reading.pool, WHOLE_TERM);
    char *whole = scope.memory;
    n = n_bytes - 1; /* only the beginning, if memory runs out */
    if (whole) {
        ob_dims as_shown = *reading.pool; /* which is only read */
        as_shown.longest_name = n_bytes / 4 > LEAST_NAME ? n_bytes / 4 : LEAST_NAME;
        n = format(&as_shown, d, condition, whole, WHOLE_TERM);
        n = ob__shorten(text, whole, n < WHOLE_TERM ? n : OB_LENGTH_UNKNOWN, n_bytes - 1);
        text[n] = '\0';
    }
    ob__scratch_end(&scope);
    ob__dims_read_end(&reading);
    return n;
}

size_t ob__dim_shown(const ob_dims *pool, ob_dim d, char *text, size_t n_bytes) {
    return show(pool, d, NULL, text, n_bytes);
}

size_t ob__condition_shown(const ob_dims *pool, const ob_condition *condition, char *text, size_t n_bytes) {
    return show(pool, OB_DIM_UNKNOWN, condition, text, n_bytes);
}
