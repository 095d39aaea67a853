#include "passes/format/output.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"

void ob__output_init(ob_output *out, const ob_allocator *allocator, ob_write_sink sink, void *context) {
    out->sink = sink;
    out->context = context;
    out->allocator = allocator;
    out->escaped = "";
    out->status = OB_OK;
    out->n = 0;
}

void ob__output_fail(ob_output *out, ob_status status) {
    if (out->status == OB_OK) out->status = status;
}

static void pass_on(ob_output *out, const char *bytes, size_t n) {
    if (out->status == OB_OK && n) out->status = out->sink(out->context, bytes, n);
}

ob_status ob__output_end(ob_output *out) {
    pass_on(out, out->bytes, out->n);
    out->n = 0;
    return out->status;
}

void ob__out_bytes(ob_output *out, const char *bytes, size_t n) {
    if (n > sizeof out->bytes - out->n) (void)ob__output_end(out);
    if (n > sizeof out->bytes) {
        pass_on(out, bytes, n);
        return;
    }
    memcpy(out->bytes + out->n, bytes, n);
    out->n += n;
}

void ob__out(ob_output *out, const char *text) {
    ob__out_bytes(out, text, strlen(text));
}

void ob__out_char(ob_output *out, char c) {
    if (out->n == sizeof out->bytes) (void)ob__output_end(out);
    out->bytes[out->n++] = c;
}

void ob__outf(ob_output *out, const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (n > 0) ob__out_bytes(out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void ob__out_string(ob_output *out, const char *text) {
    const unsigned char *run = (const unsigned char *)text, *at = run;
    ob__out_char(out, '"');
    while (*at) {
        const size_t n = ob__utf8_length(at);
        const bool plain = n > 1 || (n == 1 && *at >= ' ' && *at != 127 && *at != '"' && *at != '\\' &&
                                     (!*out->escaped || !strchr(out->escaped, *at)));
        if (!plain) {
            ob__out_bytes(out, (const char *)run, (size_t)(at - run));
            if (n == 0)
                ob__out(out, "\\ufffd");
            else if (*at == '"' || *at == '\\')
                ob__outf(out, "\\%c", *at);
            else
                ob__outf(out, "\\u%04x", *at);
            run = at + 1;
        }
        at += n ? n : 1;
    }
    ob__out_bytes(out, (const char *)run, (size_t)(at - run));
    ob__out_char(out, '"');
}

void ob__out_key(ob_output *out, const char *name) {
    ob__out(out, ",\"");
    ob__out(out, name);
    ob__out(out, "\":");
}

void ob__out_field(ob_output *out, const char *name, const char *text) {
    ob__out_key(out, name);
    ob__out_string(out, text);
}

/* ---- Texts of unknown length, plain or as a JSON string ---- */

typedef struct formatted {
    const ob_dims *dims;
    ob_dim dim;
    const ob_condition *condition; /* NULL: dim */
} formatted;

static size_t format_text(const formatted *f, char *text, size_t n_bytes) {
    return f->condition ? ob_condition_format(f->dims, f->condition, text, n_bytes)
                        : ob_dim_format(f->dims, f->dim, text, n_bytes);
}

static void write_formatted(ob_output *out, const formatted *f, void (*write)(ob_output *, const char *)) {
    char few[256], *text = few;
    const size_t n = format_text(f, few, sizeof few);
    if (n >= sizeof few) {
        text = out->allocator->alloc(out->allocator->context, n + 1);
        if (!text) {
            ob__output_fail(out, OB_E_MEMORY);
            return;
        }
        (void)format_text(f, text, n + 1);
    }
    write(out, text);
    if (text != few) out->allocator->free(out->allocator->context, text, n + 1);
}

void ob__out_term(ob_output *out, const ob_dims *dims, ob_dim dim) {
    write_formatted(out, &(formatted){dims, dim, NULL}, ob__out);
}

void ob__out_condition(ob_output *out, const ob_dims *dims, const ob_condition *condition) {
    write_formatted(out, &(formatted){dims, 0, condition}, ob__out_string);
}

void ob__out_json_dim(ob_output *out, const ob_dims *dims, ob_dim dim) {
    if (dim == OB_DIM_UNKNOWN)
        ob__out(out, "null");
    else if (ob_dim_is_const(dim))
        ob__outf(out, "%" PRId64, dim);
    else
        write_formatted(out, &(formatted){dims, dim, NULL}, ob__out_string);
}
