/* The WebAssembly module: functions that web/package/index.js calls. One module instance has one thread and one caller, so the
 * last error and the last text are kept here and not in objects. A function that returns a pointer returns NULL on failure, a
 * function that returns an ob_status another value than OB_OK; the error is then kept for web_error_text(). */
#ifndef OB_WEB_WASM_MODULE_H
#define OB_WEB_WASM_MODULE_H

#include <onnx_broadcast/onnx_broadcast.h>

#define WEB_EXPORT(name) __attribute__((export_name(#name), visibility("default"))) name

/* Tells the caller which step begins; the text is valid during the call. Not 0: the work is to end. */
__attribute__((import_module("caller"), import_name("progress"))) int web_progress(const char *step);

/* ---- What a call leaves behind ---- */

/* Bytes that grow. After a failure (out of memory) `failed` is set and the bytes are not to be used. */
typedef struct web_text {
    char *bytes;
    size_t n, room;
    bool failed;
} web_text;

extern ob_error web_last_error;
extern web_text web_output; /* the bytes of the last call: a report, a model */
extern web_text web_notes;  /* its other texts, each ended by NUL */

void web_text_begin(web_text *text);
void web_text_add(web_text *text, const void *bytes, size_t n);
/* Adds the text and its NUL. */
void web_text_string(web_text *text, const char *string);
void web_text_number(web_text *text, uint64_t number);
/* An ob_write_sink; context is a web_text. */
ob_status web_text_sink(void *context, const void *bytes, size_t n_bytes);
/* Fails with E_MEMORY when the text does. */
ob_status web_text_end(const web_text *text);
ob_status web_fail(ob_status status, const char *message);

/* ---- Models ---- */

typedef struct web_model {
    ob_model *model;
    void *bytes; /* the file; the model borrows its weights */
} web_model;

/* ---- Options ---- */

/* The options of a call, read from texts: a key, then its values, each text ended by NUL. Texts stay where they are.
 * rules NAME, dim NAME SIZE, shape NAME RANK SIZE ... (SIZE -1: open), assume TEXT, target NAME, severity ID LEVEL,
 * ignore ID PATTERN ("*": all nodes), max-nodes N, max-finding-bytes N, opset DOMAIN VERSION; for reports: graph, cost; for
 * fixes: fix ID, fix-all; for sessions: max-memory N, max-run-ms N, no-optimize. */
typedef struct web_options {
    ob_check_options check;
    ob_fix_options fix;
    ob_session_config session;
    bool graph, cost;
    void *block; /* one block for all arrays below */
    ob_named_size *dims;
    ob_shape_given *shapes;
    int64_t *sizes;
    const char **assumptions, **targets, **ids;
    ob_severity_given *severities;
    ob_ignore_given *ignores;
    ob_named_size *opsets; /* by domain */
    size_t n_opsets;
} web_options;

ob_status web_options_read(web_options *options, const char *texts, size_t n_bytes);
void web_options_free(web_options *options);
/* Reads the model as of the opsets that the options name. */
ob_status web_options_assume(const web_options *options, ob_model *model);

#endif
