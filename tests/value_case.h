/* A node and its results as a line of text. The node is run with constant operands and with operands of the caller, optimised and
 * not, with open sizes, rewritten to every form, and replaced by its body if it has one:
 *
 *     NAME OPSET | OPERANDS | ATTRIBUTES | RESULTS | TOLERANCE | TYPES
 *     { NODES } OPSET | ...
 *
 * NODES in place of NAME read x0, x1 ... and write z0, z1 ...; the opset is that of ai.onnx.ml for its operators. A line with
 * types (int8 string ...) counts once for each type: @T is its name, %7 an element, %z its zero; a number that a narrow type
 * cannot hold becomes one that it can.
 *
 * A name of another domain includes the domain. Operands and results are tensor literals of ONNX's text form, separated by ";"
 * (narrow floats as their bits); "-" is omitted. RESULTS may also be "refused: TEXT", with a part of the message. Attributes have
 * the text form. The tolerance is relative to the result, and absolute below 1. The default for float is 2e-6, for other floats
 * the same number of roundings of their type, and 0 for all other types. With 0 the bits are compared, except those of a NaN. */
#ifndef OB_TESTS_VALUE_CASE_H
#define OB_TESTS_VALUE_CASE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/text.h"
#include "expanded.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "ops/kernel/common.h"
#include "variants.h"

enum { VALUE_MAX = 24, VALUE_FIELDS = 6, VALUE_LINE = 64 << 10 };

typedef struct value_case {
    char *name, *attributes, *results, *tolerance;
    char *in[VALUE_MAX], *out[VALUE_MAX]; /* NULL: omitted */
    int opset;
    uint32_t n_in, n_out;
} value_case;

/* ---- A line ---- */

static inline char *trimmed(char *s) {
    s += strspn(s, " \t\n");
    for (size_t n = strlen(s); n > 0 && strchr(" \t\n", s[n - 1]); n--) s[n - 1] = '\0';
    return s;
}

static inline uint32_t split(char *text, char separator, char **parts, uint32_t most) {
    uint32_t n = 0;
    for (char *next = text; next && n < most; n++) {
        char *part = next;
        next = strchr(part, separator);
        if (next) *next++ = '\0';
        parts[n] = trimmed(part);
        if (strcmp(parts[n], "-") == 0) parts[n] = NULL;
    }
    return n;
}

/* An element of the type that represents number n. */
static inline void put_element(ob_text *text, ob_dtype type, unsigned n) {
    const int bits = ob_dtype_file_bits(type);
    if (type == OB_BOOL || type == OB_INT2) n %= 2;
    if (type == OB_UINT2) n %= 4;
    if (bits == 4) n %= 8;
    const char *form = type == OB_STRING ? "\"%u\"" : type == OB_COMPLEX64 || type == OB_COMPLEX128 ? "%u,0" : "%u";
    ob__text_printf(text, form, n); // NOLINT
}

/* The line for that type. */
static inline void write_typed(const char *line, ob_dtype type, ob_text *text) {
    text->n = 0;
    while (*line) {
        char *end;
        if (line[0] == '@' && line[1] == 'T') {
            ob__text_puts(text, ob_dtype_name(type));
            line += 2;
        } else if (line[0] == '%' && line[1] == 'z') {
            if (type == OB_STRING)
                ob__text_puts(text, "\"\"");
            else
                put_element(text, type, 0);
            line += 2;
        } else if (line[0] == '%') {
            put_element(text, type, (unsigned)strtoul(line + 1, &end, 10));
            line = end;
        } else {
            ob__text_append(text, line++, 1);
        }
    }
}

static inline bool read_case(char *line, value_case *c) {
    char *fields[VALUE_FIELDS] = {NULL};
    *c = (value_case){0};
    if (split(line, '|', fields, VALUE_FIELDS) < 4 || !fields[0] || !fields[3]) return false;
    c->name = fields[0];
    c->attributes = fields[2] && fields[2][0] ? fields[2] : NULL;
    c->results = fields[3];
    c->tolerance = fields[4];
    char *opset = strrchr(c->name, ' ');
    if (!opset) return false;
    *opset = '\0';
    c->opset = atoi(opset + 1);
    c->n_in = fields[1] && fields[1][0] ? split(fields[1], ';', c->in, VALUE_MAX) : 0;
    if (strncmp(c->results, "refused:", 8) == 0)
        c->n_out = 1;
    else
        c->n_out = split(c->results, ';', c->out, VALUE_MAX);
    return c->opset > 0;
}

/* ---- Its model ---- */

/* "float[2]{1,2}" as a declaration of x0: float[2] x0; float[n0_0] x0, whose sizes are open; float[2] x0 = {1,2}. */
typedef enum declaration { TYPED, OPEN, WHOLE } declaration;

static inline void declare(ob_text *text, const char *literal, const char *kind, uint32_t i, declaration how) {
    unsigned n_sizes = 0;
    const char *at = literal;
    for (; *at != '{'; at++) {
        assert_true(*at != '\0');
        if (how == OPEN && *at >= '0' && *at <= '9' && at > literal && strchr("[,", at[-1])) {
            ob__text_printf(text, "n%u_%u", i, n_sizes++);
            at += strspn(at, "0123456789") - 1;
        } else {
            ob__text_append(text, at, 1);
        }
    }
    ob__text_printf(text, " %s%u", kind, i);
    if (how == WHOLE) ob__text_printf(text, " = %s", at);
}

static inline void declare_all(ob_text *text, char *const *literals, uint32_t n, const char *kind, declaration how) {
    bool first = true;
    for (uint32_t i = 0; i < n; i++) {
        if (!literals[i]) continue;
        if (!first) ob__text_puts(text, ", ");
        first = false;
        declare(text, literals[i], kind, i, how);
    }
}

static inline void name_all(ob_text *text, char *const *literals, uint32_t n, const char *kind, bool keep_place) {
    bool first = true;
    for (uint32_t i = 0; i < n; i++) {
        if (!literals[i] && !keep_place) continue;
        if (!first) ob__text_puts(text, ", ");
        first = false;
        if (literals[i]) ob__text_printf(text, "%s%u", kind, i);
    }
}

static inline bool is_graph(const value_case *c) {
    return c->name[0] == '{';
}

static inline void write_head(const value_case *c, ob_text *text) {
    const bool of_ml = is_graph(c) && strstr(c->name, "ai.onnx.ml.");
    const char *dot = is_graph(c) ? NULL : strrchr(c->name, '.');
    ob__text_puts(text, "<ir_version: 12, opset_import: [");
    if (of_ml)
        ob__text_printf(text, "\"\" : 24, \"ai.onnx.ml\" : %d]>\n", c->opset);
    else if (dot)
        ob__text_printf(text, "\"\" : 24, \"%.*s\" : %d]>\n", (int)(dot - c->name), c->name, c->opset);
    else
        ob__text_printf(text, "\"\" : %d]>\n", c->opset);
}

/* A model with all literals as weights, which are also its results. */
static inline void write_literals(const value_case *c, ob_text *text) {
    write_head(c, text);
    ob__text_puts(text, "g () => (");
    name_all(text, c->in, c->n_in, "x", false);
    bool both = text->data[text->n - 1] != '(';
    for (uint32_t i = 0; i < c->n_out; i++) {
        if (!c->out[i]) continue;
        ob__text_printf(text, "%sy%u", both ? ", " : "", i);
        both = true;
    }
    ob__text_puts(text, ") <");
    declare_all(text, c->in, c->n_in, "x", WHOLE);
    both = text->data[text->n - 1] != '<';
    for (uint32_t i = 0; i < c->n_out; i++) {
        if (!c->out[i]) continue;
        if (both) ob__text_puts(text, ", ");
        declare(text, c->out[i], "y", i, WHOLE);
        both = true;
    }
    ob__text_puts(text, "> {}\n");
}

static inline void write_node(const value_case *c, declaration how, ob_text *text) {
    char *fallback[] = {(char *)(uintptr_t) "?"};
    bool refused = !c->out[0] && strncmp(c->results, "refused:", 8) == 0;
    char *const *out = refused ? fallback : c->out;
    write_head(c, text);
    ob__text_puts(text, "g (");
    if (how != WHOLE) declare_all(text, c->in, c->n_in, "x", how);
    ob__text_puts(text, ") => (");
    name_all(text, out, c->n_out, "z", false);
    ob__text_puts(text, ")");
    if (how == WHOLE && c->n_in) {
        ob__text_puts(text, " <");
        declare_all(text, c->in, c->n_in, "x", WHOLE);
        ob__text_puts(text, ">");
    }
    if (is_graph(c)) {
        ob__text_printf(text, " %s\n", c->name);
        return;
    }
    ob__text_puts(text, " {\n");
    for (uint32_t i = 0; i < c->n_out; i++) ob__text_printf(text, out[i] ? "%sz%u" : "%sunused%u", i ? ", " : "", i);
    ob__text_printf(text, " = %s", c->name);
    if (c->attributes) ob__text_printf(text, "<%s>", c->attributes);
    ob__text_puts(text, "(");
    name_all(text, c->in, c->n_in, "x", true);
    ob__text_puts(text, ")\n}\n");
}

/* ---- Running it ---- */

/* How a case runs. */
typedef enum way { CONSTANT, GIVEN, UNOPTIMISED, OPEN_SIZES, REWRITTEN, BODIES = REWRITTEN + OB_FORM_COUNT } way;

static inline const char *way_name(way w) {
    static const char *const names[] = {"constant operands", "given operands", "given operands, not optimised",
                                        "operands of open sizes"};
    return w < REWRITTEN ? names[w] : w < BODIES ? ob_form_name((ob_form)(w - REWRITTEN)) : "bodies";
}

typedef struct run {
    ob_model *model, *rewritten;
    byte_buffer bytes; /* of the rewritten one */
    ob_session *session;
    ob_view out[2 * VALUE_MAX];
    ob_error error;
} run;

static inline ob_status start(run *r, const ob_text *text, way w, const ob_view *in, size_t n_in) {
    ob_load_options options;
    ob_session_config config;
    bool any;
    *r = (run){0};
    ob_error_clear(&r->error);
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    ob_session_config_init(&config);
    config.optimize = w != UNOPTIMISED;
    ob_status status = ob_model_load_memory(text->data, text->n, "values", &options, &r->model, &r->error);
    if (status == OB_OK && w == BODIES) status = expand(r->model, &r->rewritten, &any, &r->error);
    if (status == OB_OK && w >= REWRITTEN && w < BODIES)
        status = make_variant(r->model, (ob_form)(w - REWRITTEN), &r->bytes, &r->rewritten, &r->error);
    if (status == OB_OK) status = ob_session_create(r->rewritten ? r->rewritten : r->model, &config, &r->session, &r->error);
    if (status != OB_OK) return status;
    return ob_session_run(r->session, in, n_in, r->out, ob_session_output_count(r->session), &r->error);
}

static inline void stop(run *r) {
    ob_session_close(&r->session);
    ob_model_close(&r->rewritten);
    ob_model_close(&r->model);
    free(r->bytes.data);
}

static inline double unit_of(ob_dtype dtype) {
    return dtype == OB_DOUBLE ? 1e-13 : dtype == OB_FLOAT ? 2e-6 : dtype == OB_FLOAT16 ? 1e-3 : dtype == OB_BFLOAT16 ? 8e-3 : 0;
}

static inline bool number_at(const ob_view *view, int64_t i, double *x) {
    size_t width = ob_dtype_size(view->dtype);
    return ob__convert(x, OB_DOUBLE, (const char *)view->data + i * (int64_t)width, view->dtype, 1, NULL) == OB_OK;
}

static inline bool same_element(const ob_view *a, const ob_view *b, int64_t i, double tolerance) {
    size_t width = ob_dtype_size(a->dtype);
    const char *at = (const char *)a->data + i * (int64_t)width, *other = (const char *)b->data + i * (int64_t)width;
    double x, y;
    if (a->dtype == OB_STRING) {
        const ob_string *s = (const ob_string *)a->data + i, *t = (const ob_string *)b->data + i;
        return s->n == t->n && (s->n == 0 || memcmp(s->data, t->data, s->n) == 0);
    }
    if (memcmp(at, other, width) == 0) return true;
    if (a->dtype == OB_COMPLEX64 || a->dtype == OB_COMPLEX128) return false;
    if (!number_at(a, i, &x) || !number_at(b, i, &y)) return false;
    if (isnan(x) && isnan(y)) return true;
    return tolerance > 0 && isfinite(y) && fabs(x - y) <= tolerance * fmax(1, fabs(y));
}

/* NULL: the same. */
static inline const char *compare(const ob_view *got, const ob_view *want, double tolerance, char text[200]) {
    bool shaped = got->rank == want->rank && memcmp(got->dims, want->dims, (size_t)want->rank * sizeof *want->dims) == 0;
    if (got->dtype != want->dtype) {
        snprintf(text, 200, "is of type %s", ob_dtype_name(got->dtype));
        return text;
    }
    if (!shaped) {
        int n = snprintf(text, 200, "has sizes");
        for (int32_t i = 0; i < got->rank; i++) n += snprintf(text + n, 200 - (size_t)n, " %lld", (long long)got->dims[i]);
        return text;
    }
    for (int64_t i = 0; i < ob_view_count(want); i++) {
        double x = NAN, y = NAN;
        if (same_element(got, want, i, tolerance >= 0 ? tolerance : unit_of(want->dtype))) continue;
        (void)number_at(got, i, &x);
        (void)number_at(want, i, &y);
        snprintf(text, 200, "element %lld is %.17g, expected %.17g", (long long)i, x, y);
        return text;
    }
    return NULL;
}

static inline bool compare_all(const value_case *c, const run *literals, const run *r, char text[240]) {
    double tolerance = c->tolerance && c->tolerance[0] ? strtod(c->tolerance, NULL) : -1;
    char said[200];
    size_t at = 0, n = 0;
    for (uint32_t i = 0; i < c->n_in; i++) at += c->in[i] != NULL;
    for (uint32_t i = 0; i < c->n_out; i++) {
        if (!c->out[i]) continue;
        const char *wrong = compare(&r->out[n++], &literals->out[at++], tolerance, said);
        if (!wrong) continue;
        snprintf(text, 240, "result %u %s", i, wrong);
        return false;
    }
    return true;
}

static inline bool judge(const value_case *c, const run *literals, const run *r, ob_status status, char text[600]) {
    bool refused = strncmp(c->results, "refused:", 8) == 0;
    if (refused) {
        const char *part = trimmed(c->results + 8);
        if (status != OB_OK && strstr(r->error.message, part)) return true;
        snprintf(text, 600, status == OB_OK ? "runs%s" : "says: %s", status == OB_OK ? "" : r->error.message);
        return false;
    }
    if (status == OB_E_UNSUPPORTED && strstr(r->error.message, "built without")) return true; /* a library that is optional */
    if (status != OB_OK) {
        snprintf(text, 600, "%s", r->error.message);
        return false;
    }
    return compare_all(c, literals, r, text);
}

/* The number of ways from `first` to `last` with wrong results; prints each. */
static inline int run_case_between(const value_case *c, const char *place, way first, way last) {
    int n_wrong = 0;
    run literals, r;
    ob_text text;
    ob__text_init(&text, NULL);
    write_literals(c, &text);
    if (start(&literals, &text, UNOPTIMISED, NULL, 0) != OB_OK) {
        print_error("%s: %s\n", place, literals.error.message);
        n_wrong = 1;
    }
    size_t n_given = 0;
    for (uint32_t i = 0; i < c->n_in; i++) n_given += c->in[i] != NULL;
    if (strncmp(c->results, "refused:", 8) == 0) last = UNOPTIMISED;
    for (way w = first; w <= last && n_wrong == 0; w++) {
        char said[600];
        if (w == OPEN_SIZES && is_graph(c)) continue; /* results of loops without an iteration have unknown sizes */
        text.n = 0;
        write_node(c, w == CONSTANT ? WHOLE : w == OPEN_SIZES ? OPEN : TYPED, &text);
        ob_status status = start(&r, &text, w, literals.out, w != CONSTANT ? n_given : 0);
        const bool wants_sizes = w == OPEN_SIZES && status == OB_E_UNSUPPORTED; /* a body that reads them */
        if (!wants_sizes && !judge(c, &literals, &r, status, said)) {
            print_error("%s: %s %d, %s: %s\n", place, c->name, c->opset, way_name(w), said);
            n_wrong++;
        }
        stop(&r);
    }
    stop(&literals);
    ob__text_release(&text);
    return n_wrong;
}

/* The number of ways up to `last`. */
static inline int run_case(const value_case *c, const char *place, way last) {
    return run_case_between(c, place, CONSTANT, last);
}

#endif
