#include "print.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum { AUTO, ALWAYS, NEVER } when_coloured;

bool choose_colour(const char *when) {
    if (strcmp(when, "auto") == 0) return when_coloured = AUTO, true;
    if (strcmp(when, "always") == 0) return when_coloured = ALWAYS, true;
    return strcmp(when, "never") == 0 && (when_coloured = NEVER, true);
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && value[0];
}

/* no-color.org, bixense.com/clicolors */
printer printer_for(FILE *file) {
    const char *term = getenv("TERM");
    if (when_coloured != AUTO) return (printer){file, when_coloured == ALWAYS};
    if (is_set("NO_COLOR")) return (printer){file, false};
    const char *forced = getenv("CLICOLOR_FORCE");
    if (forced && forced[0] && strcmp(forced, "0") != 0) return (printer){file, true};
    return (printer){file, term && strcmp(term, "dumb") != 0 && isatty(fileno(file))};
}

void set_colour(const printer *out, colour which) {
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[1;31m", "\033[1;33m", "\033[36m", "\033[32m"};
    if (out->colour) fputs(codes[which], out->file);
}

/* Bytes of the UTF-8 character at `text`; 0 when there is none (also overlong forms, surrogates, control characters of C1). */
static size_t utf8_length(const unsigned char *text) {
    unsigned char c = text[0];
    if (c < 0x80) return 1;
    size_t n = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    if (c < 0xC2 || c > 0xF4) return 0;
    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xC0) != 0x80) return 0;
    if ((c == 0xE0 && text[1] < 0xA0) || (c == 0xED && text[1] > 0x9F) || (c == 0xF0 && text[1] < 0x90) ||
        (c == 0xF4 && text[1] > 0x8F))
        return 0;
    return c == 0xC2 && text[1] < 0xA0 ? 0 : n;
}

enum { PIECE = 8 };

/* Writes the escaped form of one character to `piece`, returns the bytes it took from the text. Within quotes, a quote and a
 * backslash are escaped, too. */
static size_t escape_one(const unsigned char *at, bool quoted, char *piece) {
    static const char digits[] = "0123456789abcdef";
    size_t n = utf8_length(at);
    if (n == 0 || at[0] < ' ' || at[0] == 127) {
        char letter = at[0] == '\n' ? 'n' : at[0] == '\t' ? 't' : at[0] == '\r' ? 'r' : 'x';
        *piece++ = '\\';
        *piece++ = letter;
        if (letter == 'x') {
            *piece++ = digits[at[0] >> 4];
            *piece++ = digits[at[0] & 15];
        }
        *piece = '\0';
        return 1;
    }
    if (quoted && (at[0] == '"' || at[0] == '\\')) *piece++ = '\\';
    memcpy(piece, at, n);
    piece[n] = '\0';
    return n;
}

static bool is_plain(unsigned char c) {
    return c >= ' ' && c < 127 && c != '"' && c != '\\';
}

static void print_all(FILE *file, const char *text, bool quoted) {
    char piece[PIECE];
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const unsigned char *start = at;
        while (is_plain(*at)) at++;
        if (at > start) fwrite(start, 1, (size_t)(at - start), file);
        if (!*at) break;
        at += escape_one(at, quoted, piece);
        fputs(piece, file);
    }
}

void print_escaped(FILE *file, const char *text) {
    print_all(file, text, false);
}

static size_t width_of(const char *text, bool quoted) {
    char piece[PIECE];
    size_t width = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        if (is_plain(*at)) {
            at++;
            width++;
            continue;
        }
        at += escape_one(at, quoted, piece);
        for (const char *c = piece; *c; c++) width += ((unsigned char)*c & 0xC0) != 0x80;
    }
    return width;
}

size_t escaped_width(const char *text) {
    return width_of(text, false);
}

/* ---- Aligned shapes ---- */

enum { MAX_COLUMNS = 64, DIM_BYTES = 48, MAX_LABEL = 40 };

static const char dots[] = "...";
enum { N_DOTS = 3 };

/* A term of any length, shortened in the middle where it does not fit. Plain numbers by hand: they are nearly everything in a
 * large report. */
static void dim_text(const ob_dims *dims, ob_dim dim, char *text) {
    if (dim >= 0 && ob_dim_is_const(dim)) {
        char reversed[24];
        size_t n = 0;
        do reversed[n++] = (char)('0' + dim % 10);
        while ((dim /= 10) > 0);
        while (n > 0) *text++ = reversed[--n];
        *text = '\0';
        return;
    }
    size_t n = ob_dim_format(dims, dim, text, DIM_BYTES);
    if (n < DIM_BYTES) return;
    char *whole = malloc(n + 1);
    const size_t head = (DIM_BYTES - 1 - N_DOTS) / 2, tail = DIM_BYTES - 1 - N_DOTS - head;
    memcpy(text + head, dots, N_DOTS);
    text[head + N_DOTS] = '\0';
    if (!whole) return;
    ob_dim_format(dims, dim, whole, n + 1);
    memcpy(text + head + N_DOTS, whole + n - tail, tail + 1);
    free(whole);
}

static void spaces(FILE *file, size_t n) {
    static const char blank[] = "                                                                ";
    for (; n >= sizeof blank; n -= sizeof blank - 1) fwrite(blank, 1, sizeof blank - 1, file);
    fwrite(blank, 1, n, file);
}

static size_t shorten(FILE *file, const char *text, size_t columns, bool quoted) {
    char piece[PIECE];
    size_t whole = width_of(text, quoted);
    if (whole <= columns) {
        print_all(file, text, quoted);
        return whole;
    }
    /* Exporters put scopes at the front and numbers at the end, so both ends distinguish names. */
    size_t head = (columns - N_DOTS) / 2, tail = columns - N_DOTS - head, passed = 0, used = 0;
    bool cut = false;
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        at += escape_one(at, quoted, piece);
        size_t n = 0;
        for (const char *c = piece; *c; c++) n += ((unsigned char)*c & 0xC0) != 0x80;
        passed += n;
        if (passed <= head || passed - n >= whole - tail) {
            fputs(piece, file);
            used += n;
        } else if (!cut) {
            fputs(dots, file);
            used += N_DOTS;
            cut = true;
        }
    }
    return used;
}

size_t print_shortened(FILE *file, const char *text, size_t columns) {
    return shorten(file, text, columns, false);
}

void print_in_quotes(FILE *file, const char *text, size_t columns) {
    shorten(file, text, columns, true);
}

/* A label in at most MAX_LABEL columns, padded. */
static void print_label(FILE *file, const char *label, size_t width) {
    size_t used = print_shortened(file, label, MAX_LABEL);
    if (used < width) spaces(file, width - used);
}

void print_term(FILE *file, const ob_dims *dims, ob_dim dim, size_t columns) {
    char few[256], *text = few;
    size_t n = ob_dim_format(dims, dim, few, sizeof few);
    if (n >= sizeof few && (text = malloc(n + 1))) ob_dim_format(dims, dim, text, n + 1);
    if (columns == SIZE_MAX)
        print_escaped(file, text ? text : few);
    else
        print_shortened(file, text ? text : few, columns);
    if (text != few) free(text);
}

void print_dim(FILE *file, const ob_dims *dims, ob_dim dim) {
    print_term(file, dims, dim, SIZE_MAX);
}

void print_shape(FILE *file, const ob_dims *dims, const ob_shape *shape) {
    if (shape->rank == OB_RANK_UNKNOWN) {
        fputs("(rank not known)", file);
        return;
    }
    putc('(', file);
    for (int32_t i = 0; i < shape->rank; i++) {
        char text[DIM_BYTES];
        dim_text(dims, shape->dims[i], text);
        if (i) fputs(" x ", file);
        print_escaped(file, text);
    }
    putc(')', file);
}

void print_shapes(const printer *out, const ob_dims *dims, const shape_row *rows, size_t n_rows, int32_t mark_axis, bool rule,
                  const char *indent) {
    FILE *file = out->file;
    size_t widths[MAX_COLUMNS] = {0}, label_width = 0;
    int32_t rank = 0;
    char text[DIM_BYTES];
    for (size_t i = 0; i < n_rows; i++) {
        size_t width = escaped_width(rows[i].label);
        if (width > MAX_LABEL) width = MAX_LABEL;
        if (width > label_width) label_width = width;
        if (rows[i].shape.rank > rank) rank = rows[i].shape.rank;
    }
    if (rank > MAX_COLUMNS) rank = MAX_COLUMNS; /* higher ranks: the last columns */
    for (size_t i = 0; i < n_rows; i++) {
        const ob_shape *shape = &rows[i].shape;
        for (int32_t column = rank - 1, axis = shape->rank - 1; axis >= 0 && column >= 0; column--, axis--) {
            dim_text(dims, shape->dims[axis], text);
            if (strlen(text) > widths[column]) widths[column] = strlen(text);
        }
    }
    size_t line_width = 0;
    for (int32_t column = 0; column < rank; column++) line_width += widths[column] + (column ? 3 : 0);
    for (size_t i = 0; i < n_rows; i++) {
        const ob_shape *shape = &rows[i].shape;
        if (rule && i + 1 == n_rows) {
            fputs(indent, file);
            for (size_t k = 0; k < label_width + 9 + line_width; k++) putc('-', file);
            putc('\n', file);
        }
        fputs(indent, file);
        print_label(file, rows[i].label, label_width);
        if (shape->rank == OB_RANK_UNKNOWN) {
            fputs("  (rank not known)\n", file);
            continue;
        }
        fprintf(file, "  (%dd):", (int)shape->rank);
        if (shape->rank == 0) {
            putc('\n', file);
            continue;
        }
        spaces(file, shape->rank < 10 ? 2 : 1);
        for (int32_t column = 0; column < rank; column++) {
            int32_t axis = column - (rank - shape->rank);
            if (axis < 0) {
                spaces(file, widths[column] + 3);
                continue;
            }
            dim_text(dims, shape->dims[axis], text);
            spaces(file, widths[column] - strlen(text));
            if (column == mark_axis && text[0]) set_colour(out, COLOUR_RED);
            fputs(text, file);
            if (column == mark_axis && text[0]) set_colour(out, COLOUR_NONE);
            if (column + 1 < rank) fputs(" x ", file);
        }
        putc('\n', file);
    }
    if (mark_axis < 0 || mark_axis >= rank) return;
    size_t before = label_width + 9;
    for (int32_t column = 0; column < mark_axis; column++) before += widths[column] + 3;
    fputs(indent, file);
    spaces(file, before + (widths[mark_axis] ? widths[mark_axis] - 1 : 0));
    set_colour(out, COLOUR_RED);
    putc('^', file);
    set_colour(out, COLOUR_NONE);
    putc('\n', file);
}

const char *plural(size_t n) {
    return n == 1 ? "" : "s";
}

void print_node(const printer *out, const char *path, const char *node, const char *op_type) {
    fputs("node \"", out->file);
    print_in_quotes(out->file, path, NAME_COLUMNS);
    print_in_quotes(out->file, node, NAME_COLUMNS);
    fputs("\" (", out->file);
    print_shortened(out->file, op_type, NAME_COLUMNS);
    putc(')', out->file);
}

ob_status write_to_stdout(void *context, const void *bytes, size_t n_bytes) {
    (void)context;
    return fwrite(bytes, 1, n_bytes, stdout) == n_bytes ? OB_OK : OB_E_IO;
}
