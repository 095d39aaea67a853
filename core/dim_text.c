/* Dimension terms as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/terms.h"
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

static void write_int(ob_writer *writer, int64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    ob__write(writer, digits);
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

/* Bytes of the well-formed UTF-8 sequence at p, 0 when there is none. */
static size_t utf8_length(const unsigned char *p) {
    if (p[0] < 0x80) return 1;
    size_t n = p[0] >= 0xF0 && p[0] < 0xF5 ? 4 : p[0] >= 0xE0 && p[0] < 0xF0 ? 3 : p[0] >= 0xC2 && p[0] < 0xE0 ? 2 : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) ||
        (p[0] == 0xF4 && p[1] > 0x8F))
        return 0;
    return n;
}

static bool is_letter(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* True when the name can stand in a term as it is. */
static bool is_plain(const char *name) {
    const unsigned char *p = (const unsigned char *)name;
    if (!is_letter(*p) && *p < 0x80) return false;
    while (*p) {
        size_t n = utf8_length(p);
        if (n == 0 || (n == 1 && !is_letter(*p) && !(*p >= '0' && *p <= '9') && !strchr(".:/$@#", *p))) return false;
        p += n;
    }
    return true;
}

static void write_quoted(ob_writer *writer, const char *name, size_t enough) {
    write_bytes(writer, "\"", 1);
    for (const unsigned char *p = (const unsigned char *)name; *p && writer->n < enough;) {
        size_t n = utf8_length(p);
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

size_t ob__name_bytes(const char *name, bool *quoted) {
    ob_writer counter = {NULL, 0, 0};
    *quoted = !is_plain(name);
    if (!*quoted) return strlen(name);
    write_quoted(&counter, name, SIZE_MAX);
    return counter.n;
}

/* In time that depends on the room, not on the name. */
static void write_name(ob_writer *writer, const ob_term *term) {
    if (!term->quoted) {
        write_bytes(writer, term->name, term->number);
        return;
    }
    size_t start = writer->n;
    if (start < writer->room) write_quoted(writer, term->name, writer->room);
    writer->n = start + term->number;
}

/* ---- Terms ------------------------------------------------------------------------------------------------------ */

/* Joins an addend to what is written already: "a", "-a", " + a", " - a". */
static void write_sign(ob_writer *writer, bool negative, bool first) {
    ob__write(writer, first ? negative ? "-" : "" : negative ? " - " : " + ");
}

static void write_sum(ob_writer *writer, const ob_dims *pool, const ob_term *term) {
    /* What is positive first: "4 - N" reads better than "-N + 4". */
    bool first = true;
    int64_t constant = term->words[0];
    for (int negative = 0; negative < 2; negative++) {
        if (negative && first && constant > 0) {
            write_int(writer, constant);
            constant = 0;
            first = false;
        }
        for (uint32_t i = 1; i < term->n_words;) {
            int64_t coefficient = term->words[i];
            uint32_t n_factors = (uint32_t)term->words[i + 1];
            const int64_t *factors = &term->words[i + 2];
            i += 2 + n_factors;
            if ((coefficient < 0) != negative) continue;
            write_sign(writer, negative, first);
            first = false;
            if (negative) coefficient = -coefficient;
            if (coefficient != 1) write_int(writer, coefficient);
            for (uint32_t k = 0; k < n_factors; k++) {
                if (k > 0 || coefficient != 1) ob__write(writer, "*");
                ob__write_dim(writer, pool, factors[k]);
            }
        }
    }
    if (constant != 0) {
        write_sign(writer, constant < 0, first);
        write_int(writer, constant < 0 ? -constant : constant);
    }
}

/* A constant, the first of the members if there is one, comes last: "min(N, 512)". */
static void write_members(ob_writer *writer, const ob_dims *pool, const char *start, const ob_term *term) {
    uint32_t first = ob_dim_is_const(term->words[0]) ? 1 : 0;
    ob__write(writer, start);
    for (uint32_t i = 0; i < term->n_words; i++) {
        if (i > 0) ob__write(writer, ", ");
        ob__write_dim(writer, pool, term->words[(i + first) % term->n_words]);
    }
    ob__write(writer, ")");
}

void ob__write_dim(ob_writer *writer, const ob_dims *pool, ob_dim d) {
    if (ob_dim_is_const(d)) {
        write_int(writer, d);
        return;
    }
    const ob_term *term = ob__term(pool, d);
    if (!term) {
        ob__write(writer, "?");
        return;
    }
    switch (term->kind) {
    case OB_DIM_KIND_SYMBOL:
        if (term->name) {
            write_name(writer, term);
        } else {
            ob__write(writer, "?");
            write_int(writer, term->number);
        }
        break;
    case OB_DIM_KIND_SUM: write_sum(writer, pool, term); break;
    case OB_DIM_KIND_DIV: {
        const ob_term *numerator = ob__term(pool, term->words[0]);
        bool parentheses = numerator && numerator->kind == OB_DIM_KIND_SUM;
        ob__write(writer, parentheses ? "floor((" : "floor(");
        ob__write_dim(writer, pool, term->words[0]);
        ob__write(writer, parentheses ? ")/" : "/");
        write_int(writer, term->words[1]);
        ob__write(writer, ")");
        break;
    }
    case OB_DIM_KIND_MIN: write_members(writer, pool, "min(", term); break;
    case OB_DIM_KIND_MAX: write_members(writer, pool, "max(", term); break;
    default: write_members(writer, pool, "bcast(", term);
    }
}

size_t ob_dim_format(const ob_dims *pool, ob_dim d, char *text, size_t n_bytes) {
    ob_writer writer = {text, text ? n_bytes : 0, 0};
    ob__write_dim(&writer, pool, d);
    return ob__writer_end(&writer);
}

size_t ob_shape_format(const ob_dims *pool, const ob_shape *shape, char *text, size_t n_bytes) {
    ob_writer writer = {text, text ? n_bytes : 0, 0};
    ob__write(&writer, shape->rank == OB_RANK_UNKNOWN ? "[..." : "[");
    for (int32_t i = 0; i < shape->rank; i++) {
        if (i > 0) ob__write(&writer, ", ");
        ob__write_dim(&writer, pool, shape->dims[i]);
    }
    ob__write(&writer, "]");
    return ob__writer_end(&writer);
}
