/* Dimension terms as text. */
#include <stdio.h>
#include <string.h>

#include "core/base/long_names.h"
#include "core/base/text.h"
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

static void write_int(ob_writer *writer, int64_t value) {
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

/* ---- Terms ---- */

/* Appends an addend to the text: "a", "-a", " + a", " - a". */
static void write_sign(ob_writer *writer, bool negative, bool first) {
    ob__write(writer, first ? negative ? "-" : "" : negative ? " - " : " + ");
}

static void write_monomial(ob_writer *writer, const ob_dims *pool, const ob_monomial *m, int64_t coefficient) {
    if (coefficient != 1) write_int(writer, coefficient);
    for (uint32_t k = 0; k < m->n_factors; k++) {
        if (k > 0 || coefficient != 1) ob__write(writer, "*");
        ob__write_dim(writer, pool, m->factors[k]);
    }
}

/* Positive terms first: "4 - N" reads better than "-N + 4". */
static void write_addends(ob_writer *writer, const ob_dims *pool, const ob_poly *poly, bool first) {
    int64_t constant = poly->constant;
    for (int negative = 0; negative < 2; negative++) {
        if (negative && first && constant > 0) {
            write_int(writer, constant);
            constant = 0;
            first = false;
        }
        for (uint32_t i = 0; i < poly->n; i++) {
            const ob_monomial *m = &poly->monomials[i];
            if ((m->coefficient < 0) != negative) continue;
            write_sign(writer, negative, first);
            first = false;
            write_monomial(writer, pool, m, negative ? -m->coefficient : m->coefficient);
        }
    }
    if (constant != 0 || (first && poly->n == 0)) {
        write_sign(writer, constant < 0, first);
        write_int(writer, constant < 0 ? -constant : constant);
    }
}

/* Can this be written before % or / without parentheses? */
static bool is_factor(const ob_poly *poly) {
    return poly->constant == 0 && poly->n == 1 && poly->monomials[0].coefficient == 1 && poly->monomials[0].n_factors == 1;
}

static void write_grouped(ob_writer *writer, const ob_dims *pool, const ob_poly *poly, bool parentheses) {
    if (parentheses) ob__write(writer, "(");
    write_addends(writer, pool, poly, true);
    if (parentheses) ob__write(writer, ")");
}

/* Is the monomial -times * c*floor(a/c), for a number c, or for a product that is not a sum? Then the quotient, otherwise
 * NULL. */
static const ob_term *find_multiple(const ob_dims *pool, const ob_monomial *m, int64_t *times) {
    if (m->n_factors == 1) {
        const ob_term *term = ob__term(pool, m->factors[0]);
        if (!term || term->kind != OB_DIM_KIND_DIV || m->coefficient % term->words[1] != 0) return NULL;
        *times = -(m->coefficient / term->words[1]);
        return term;
    }
    OB_POLYS(pool, divisor, 1);
    if (!divisor) return NULL;
    for (uint32_t k = 0; k < m->n_factors; k++) {
        const ob_term *term = ob__term(pool, m->factors[k]);
        if (!term || term->kind != OB_DIM_KIND_QUOTIENT || !ob__poly_load(pool, term->words[1], divisor)) continue;
        const ob_monomial *by = &divisor->monomials[0];
        if (divisor->n != 1 || divisor->constant != 0 || by->n_factors != m->n_factors - 1 || m->coefficient % by->coefficient)
            continue;
        uint32_t same = 0;
        while (same < by->n_factors && by->factors[same] == m->factors[same + (same >= k)]) same++;
        if (same < by->n_factors) continue;
        *times = -(m->coefficient / by->coefficient);
        return term;
    }
    return NULL;
}

/* poly = times * (a - c*floor(a/c)) + rest, with all of a in poly: `a`, *divisor c. */
static bool find_remainder(const ob_dims *pool, const ob_poly *poly, ob_poly *a, ob_dim *divisor, int64_t *times, ob_poly *rest) {
    for (uint32_t i = 0; i < poly->n; i++) {
        const ob_monomial *m = &poly->monomials[i];
        const ob_term *term = m->coefficient < 0 ? find_multiple(pool, m, times) : NULL;
        if (!term || *times < 1) continue;
        *divisor = term->words[1];
        OB_POLYS(pool, others, 1);
        if (!others) return false;
        ob__poly_without(poly, i, others);
        if (ob__poly_load(pool, term->words[0], a) && ob__poly_add(others, a, -*times, rest) && rest->n + a->n == others->n)
            return true;
    }
    return false;
}

/* H - 2*floor(H/2) is H % 2. */
static bool write_remainder(ob_writer *writer, const ob_dims *pool, const ob_poly *poly) {
    OB_POLYS(pool, a, 2);
    ob_poly *rest = a + 1;
    if (!a) return false;
    ob_dim divisor;
    int64_t times;
    if (!find_remainder(pool, poly, a, &divisor, &times, rest)) return false;
    bool alone = times == 1 && rest->n == 0 && rest->constant == 0;
    if (times != 1) {
        write_int(writer, times);
        ob__write(writer, "*");
    }
    if (!alone) ob__write(writer, "(");
    write_grouped(writer, pool, a, !is_factor(a));
    ob__write(writer, " % ");
    ob__write_factor(writer, pool, divisor);
    if (!alone) ob__write(writer, ")");
    if (rest->n > 0 || rest->constant != 0) write_addends(writer, pool, rest, false);
    return true;
}

static void write_sum(ob_writer *writer, const ob_dims *pool, ob_dim d) {
    OB_POLYS(pool, poly, 1);
    if (!poly) ob__write(writer, "?"); /* no memory: the text is not complete */
    if (poly && ob__poly_load(pool, d, poly) && !write_remainder(writer, pool, poly)) write_addends(writer, pool, poly, true);
}

/* floor((H + 6)/7) is ceil(H/7). */
static void write_quotient(ob_writer *writer, const ob_dims *pool, const ob_term *term) {
    OB_POLYS(pool, numerator, 1);
    if (!numerator) ob__write(writer, "?");
    if (!numerator || !ob__poly_load(pool, term->words[0], numerator)) return;
    bool up = term->kind == OB_DIM_KIND_DIV && numerator->constant == term->words[1] - 1;
    if (up) numerator->constant = 0;
    ob__write(writer, up ? "ceil(" : "floor(");
    write_grouped(writer, pool, numerator, numerator->n > 0 && (numerator->constant != 0 || numerator->n != 1));
    ob__write(writer, "/");
    ob__write_factor(writer, pool, term->words[1]);
    ob__write(writer, ")");
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
            write_name(writer, pool, term);
        } else {
            ob__write(writer, "?");
            write_int(writer, term->number);
        }
        break;
    case OB_DIM_KIND_SUM: write_sum(writer, pool, d); break;
    case OB_DIM_KIND_DIV:
    case OB_DIM_KIND_QUOTIENT: write_quotient(writer, pool, term); break;
    case OB_DIM_KIND_MIN: write_members(writer, pool, "min(", term); break;
    case OB_DIM_KIND_MAX: write_members(writer, pool, "max(", term); break;
    default: write_members(writer, pool, "bcast(", term);
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
