/** @defgroup baseline Baselines
 * @brief Accepted findings of models, so that a check reports only new ones.
 *
 *     ob_baseline *baseline = NULL;
 *     ob_baseline_create(NULL, &baseline);
 *     ob_baseline_add(baseline, "encoder.onnx", report);               // accept what the report lists
 *     ob_baseline_write(baseline, sink, context, &error);              // and keep it as a file
 *     ...
 *     ob_baseline_read(bytes, n_bytes, NULL, &baseline, &error);       // another day
 *     options.baseline = baseline;
 *     options.baseline_model = "encoder.onnx";
 *     ob_check(model, &options, &report, &error);                      // lists the other findings
 *
 * The file is JSON, with one line for each kind of finding, sorted, so that a new baseline of the same models has the same bytes
 * and differences between two baselines are short:
 *
 *     {"onnx_broadcast_baseline":1,
 *     "models":[
 *     {"model":"encoder.onnx","findings":[
 *     {"id":"OB0401","node":"layer_1/Sub","operator":"Sub","fingerprint":"6c0b7c1ef9a4a1c05d2c0e7f7cfd9a12","n":1}
 *     ]}
 *     ]}
 *
 * A finding belongs to an entry with its id and its fingerprint (ob_finding_info). `n` is the number of equal findings: more of
 * them are reported. `node` and `operator` are for readers of the file.
 *
 * Threads: several threads may use a baseline at once as long as none adds to it.
 * @{ */
#ifndef ONNX_BROADCAST_BASELINE_H
#define ONNX_BROADCAST_BASELINE_H

#ifdef OB_WITHOUT_CHECKER
#error "this build of onnx_broadcast has no checker (OB_WITH_CHECKER is off)"
#endif

#include <stddef.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/model.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the file, and of fingerprints. */
#define OB_BASELINE_VERSION 1

/** Accepted findings of any number of models. */
typedef struct ob_baseline ob_baseline;
struct ob_report;

/** Makes an empty baseline.
 * - allocator: NULL for the default; must outlive the baseline.
 * - baseline: returns owned: ob_baseline_close().
 *
 * Errors: E_ARGUMENT (baseline is NULL), E_MEMORY. */
OB_API ob_status ob_baseline_create(const ob_allocator *allocator, ob_baseline **baseline);
/** Reads a baseline. Nothing is believed about the file: it may have any bytes.
 * - bytes: n_bytes, borrowed during the call; NULL with 0.
 * - allocator, baseline: as for ob_baseline_create(). Takes memory in proportion to n_bytes.
 *
 * Errors: E_ARGUMENT (baseline is NULL), E_FORMAT (not a baseline, or one with another version; the message names the line),
 * E_LIMIT (more than 2^20 entries, or a text of more than 65536 bytes), E_MEMORY. */
OB_API ob_status ob_baseline_read(const void *bytes, size_t n_bytes, const ob_allocator *allocator, ob_baseline **baseline,
                                  ob_error *error);
/** Frees the baseline and sets *baseline to NULL. NULL and *NULL are allowed. */
OB_API void ob_baseline_close(ob_baseline **baseline);

/** Accepts the findings that the report lists, in place of those that the baseline had for this model. Findings that are left out
 * by severities, suppression or a baseline are not listed.
 * - model: name of the model, for instance its file name; at most 65536 bytes. The same name selects the entries in a check.
 *   Bytes that are not UTF-8 are replaced, in a check too.
 *
 * Errors: E_ARGUMENT (NULL), E_LIMIT (a longer name, more than 2^20 entries), E_MEMORY. After an error the entries of this model
 * are not complete. */
OB_API ob_status ob_baseline_add(ob_baseline *baseline, const char *model, struct ob_report *report);
/** Number of accepted findings of all models; equal ones count each. Saturates. 0 for NULL. */
OB_API size_t ob_baseline_count(const ob_baseline *baseline);
/** Writes the baseline to `sink`, in one piece or several; `context` is passed to `sink`. Errors: E_ARGUMENT (NULL), E_MEMORY,
 * and the status that the sink returned. */
OB_API ob_status ob_baseline_write(const ob_baseline *baseline, ob_write_sink sink, void *context, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
