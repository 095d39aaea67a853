/* Files with the reports of several models. A format is a row: how the file begins, what each model adds, how it ends. */
#ifndef OB_PASSES_FORMAT_WRITER_H
#define OB_PASSES_FORMAT_WRITER_H

#include "core/base/arena.h"
#include "core/base/map.h"
#include "core/base/text.h"
#include "onnx_broadcast/report.h"
#include "onnx_broadcast/version.h"
#include "passes/format/output.h"

/* Rendered findings of one severity, of all models. */
typedef struct ob_rendered {
    ob_text text;
    size_t n, n_left_out; /* in text; beyond the limit */
} ob_rendered;

/* A line of the exporter's program inside the repository. */
typedef struct ob_source_line {
    char path[1024]; /* relative, with "/" */
    uint32_t line;
} ob_source_line;

typedef struct ob_report_style ob_report_style;

struct ob_report_writer {
    ob_allocator allocator;
    const ob_report_style *style;
    ob_output out;
    ob_arena arena;
    const char *source_root; /* NULL: none */
    bool (*is_source)(void *context, const char *path);
    void *is_source_context;
    size_t n_models, n_unread;
    bool finished;
    ob_rendered rendered[OB_SEVERITY_ERROR + 1]; /* by severity, for formats with the worst findings first */
    ob_text files, unread;                       /* SARIF: artifacts and notifications */
    ob_map known;                                /* SARIF: fingerprints, with the number of findings that have each */
    ob_text scratch;
    ob_source_line source; /* of the current finding */
};

/* Functions add to writer->out or keep text for the end. Failures: writer->out.status. */
struct ob_report_style {
    const char *name;
    void (*begin)(ob_report_writer *writer); /* NULL: nothing */
    void (*add)(ob_report_writer *writer, ob_report *report, const ob_report_options *options);
    void (*add_unread)(ob_report_writer *writer, const char *file, const ob_error *reason);
    void (*end)(ob_report_writer *writer);
};

/* Output that goes to the end of `text`. */
void ob__output_to_text(ob_output *out, ob_text *text);

/* -- place.c -- */
/* Reads `source` of a finding into writer->source. False: it has no line, or the path is not inside the repository. */
bool ob__source_line(ob_report_writer *writer, const char *source);
/* A path as a relative URI (RFC 3986): percent-encoded; an absolute path with "file://". */
void ob__out_uri(ob_text *text, const char *path);

/* -- visible.c -- */
/* Appends the text. Control characters, bytes that are not UTF-8, and characters that are invisible or change the direction of
 * text become "\x1b", "\u{202e}". */
void ob__visible(ob_text *out, const char *text);
/* Appends `"path/node" (Op): message`, or the message alone. */
void ob__visible_message(ob_text *out, const ob_finding_info *finding);

/* The formats. */
extern const ob_report_style ob__sarif_style, ob__github_style, ob__html_style, ob__markdown_style;

#endif
