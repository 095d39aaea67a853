/** @defgroup report Reports as files
 * @brief Reports of one model or many as JSON, SARIF, GitHub annotations, HTML or Markdown.
 *
 *     ob_report_writer *writer = NULL;
 *     ob_report_writer_create(OB_REPORT_SARIF, NULL, sink, context, &writer, &error);
 *     for each model {
 *         ob_report_options options = {.file = "models/encoder.onnx"};
 *         ob_report_writer_add(writer, report, &options, &error);       // or ob_report_writer_add_unread()
 *     }
 *     ob_report_writer_finish(writer, &error);
 *     ob_report_writer_close(&writer);
 *
 * Names come from the model and can contain any byte except NUL. Each format escapes them. In JSON, bytes that are not UTF-8
 * become U+FFFD. The other formats show such bytes, control characters, and characters that change the direction of text by
 * their number, for instance as backslash, "x1b". The bytes of the output depend on the models, the reports and the options only.
 *
 * Threads: only one thread at a time may use a report (@ref check) or a writer.
 * @{ */
#ifndef ONNX_BROADCAST_REPORT_H
#define ONNX_BROADCAST_REPORT_H

#include "onnx_broadcast/check.h"
#include "onnx_broadcast/cost.h"
#include "onnx_broadcast/independence.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of one model in a report file. {0}: the defaults. */
typedef struct ob_report_options {
    const char *file;                           /**< name of the model file, as the reader of the report knows it; NULL: "" */
    const ob_independence *const *independence; /**< answers for "independence" in JSON; NULL with n_independence 0 */
    size_t n_independence;                      /**< number of entries in independence, none NULL */
    const ob_cost *cost;                        /**< JSON, HTML: the section "cost"; NULL: none */
    bool graph; /**< JSON: also "graph": graphs, nodes, nodes of findings, origins of axes. HTML has it always [false] */
} ob_report_options;

/** Writes the report as one JSON object: an element of `models` in docs/report.schema.json. A file in the form of this schema is
 * `{"version":2,"models":[` ... `]}`.
 * - report: borrowed; its texts and the symbol pool of its model may grow.
 * - options: NULL for the defaults; borrowed.
 * - sink: receives the text in pieces of about 1 KiB; `context` is passed to it.
 *
 * Errors: E_ARGUMENT (NULL), E_MEMORY, and the status that the sink returned. After a failure the text is incomplete. */
OB_API ob_status ob_report_to_json(ob_report *report, const ob_report_options *options, ob_write_sink sink, void *context,
                                   ob_error *error);

/** Formats of report files. */
typedef enum ob_report_format {
    OB_REPORT_JSON,        /**< docs/report.schema.json, version 2: everything that a report contains */
    OB_REPORT_SARIF,       /**< SARIF 2.1.0 (OASIS), with the properties that GitHub's code scanning requires */
    OB_REPORT_GITHUB,      /**< workflow commands of GitHub Actions: annotations */
    OB_REPORT_HTML,        /**< one page that loads nothing: graph, findings, contract; also readable without scripts */
    OB_REPORT_MARKDOWN,    /**< GitHub Flavored Markdown: a summary with a table for each model */
    OB_REPORT_FORMAT_COUNT /**< number of formats */
} ob_report_format;

/** "json", "sarif", "github", "html", "markdown"; "" for a number outside the enum. Static; thread-safe. */
OB_API const char *ob_report_format_name(ob_report_format format);
/** The format with this name; OB_REPORT_FORMAT_COUNT when there is none, or for NULL. */
OB_API ob_report_format ob_report_format_from_name(const char *name);

/** Options of ob_report_writer_create(). {0}: the defaults. */
typedef struct ob_report_writer_options {
    /** Folder of the exporter's sources. SARIF and GitHub show a finding at the Python line that the metadata of its node names.
     * That needs a path in the repository: a relative one, or one inside this folder, which is removed from it. NULL: relative
     * paths only. Copied */
    const char *source_root;
    /** Whether a path below source_root is a file of the repository; others are not shown as places. `context` is passed to it.
     * NULL: all are */
    bool (*is_source)(void *context, const char *path);
    void *context;                 /**< passed to is_source */
    const ob_allocator *allocator; /**< NULL: ob_allocator_default() */
} ob_report_writer_options;

/** Writes reports of models to one file. */
typedef struct ob_report_writer ob_report_writer;

/** Begins a file. It may be empty until ob_report_writer_finish(): SARIF and GitHub list the worst findings of all models first.
 * - options: NULL for the defaults; borrowed.
 * - sink: receives the text in pieces of about 1 KiB; `context` is passed to it. Both are used until the writer is closed.
 * - out: returns owned: ob_report_writer_close().
 *
 * Errors: E_ARGUMENT (NULL, a number outside the enum), E_MEMORY. */
OB_API ob_status ob_report_writer_create(ob_report_format format, const ob_report_writer_options *options, ob_write_sink sink,
                                         void *context, ob_report_writer **out, ob_error *error);
/** Adds a model.
 * - report: borrowed; not needed after the call.
 * - options: NULL for the defaults; borrowed.
 *
 * Errors: E_ARGUMENT (NULL; after ob_report_writer_finish()), E_MEMORY, and the status that the sink returned. After a failure
 * the file is incomplete, and all further calls return that status. */
OB_API ob_status ob_report_writer_add(ob_report_writer *writer, ob_report *report, const ob_report_options *options,
                                      ob_error *error);
/** Adds a file that could not be read or checked, with the reason. `file` may be NULL for "". Errors: as ob_report_writer_add().
 */
OB_API ob_status ob_report_writer_add_unread(ob_report_writer *writer, const char *file, const ob_error *reason, ob_error *error);
/** Writes the end of the file. Errors: as ob_report_writer_add(). */
OB_API ob_status ob_report_writer_finish(ob_report_writer *writer, ob_error *error);
/** Frees the writer and sets *writer to NULL. NULL and *NULL are allowed. */
OB_API void ob_report_writer_close(ob_report_writer **writer);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
