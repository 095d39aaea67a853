/** @defgroup report Reports as files
 * @brief A report as JSON.
 *
 *     ob_report_json_options options = {.file = "encoder.onnx"};
 *     ob_report_to_json(report, &options, sink, context, &error);
 *
 * Names come from the model and can contain any byte except NUL. In JSON, bytes that are not UTF-8 become U+FFFD. The bytes of
 * the output depend on the model and the options only.
 *
 * Threads: only one thread at a time may use a report (@ref check).
 * @{ */
#ifndef ONNX_BROADCAST_REPORT_H
#define ONNX_BROADCAST_REPORT_H

#include "onnx_broadcast/check.h"
#include "onnx_broadcast/independence.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of ob_report_to_json(). {0}: the defaults. */
typedef struct ob_report_json_options {
    const char *file;                           /**< name of the model file; NULL: "" */
    const ob_independence *const *independence; /**< answers to list in "independence"; NULL with n_independence 0 */
    size_t n_independence;                      /**< number of entries in independence, none NULL */
} ob_report_json_options;

/** Writes the report as one JSON object: an element of `models` in docs/report.schema.json. A file in the form of this schema is
 * `{"version":2,"models":[` ... `]}`.
 * - report: borrowed; its texts and the symbol pool of its model may grow.
 * - options: NULL for the defaults; borrowed.
 * - sink: receives the text in pieces of about 1 KiB; `context` is passed to it.
 *
 * Errors: E_ARGUMENT (NULL), E_MEMORY, and the status that the sink returned. After a failure the text is incomplete. */
OB_API ob_status ob_report_to_json(ob_report *report, const ob_report_json_options *options, ob_write_sink sink, void *context,
                                   ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
