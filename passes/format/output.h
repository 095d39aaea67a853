/* Text on its way to the sink of a caller, in pieces. */
#ifndef OB_PASSES_FORMAT_OUTPUT_H
#define OB_PASSES_FORMAT_OUTPUT_H

#include <stdint.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/dim.h"
#include "onnx_broadcast/model.h"

/* The first failure stays in `status`; later writes do nothing. */
typedef struct ob_output {
    ob_write_sink sink;
    void *context;
    const ob_allocator *allocator; /* for texts that are longer than the buffers here */
    const char *escaped;           /* bytes below 128 that JSON strings write as \u00NN as well; "" for none */
    ob_status status;
    size_t n;
    char bytes[1024];
} ob_output;

void ob__output_init(ob_output *out, const ob_allocator *allocator, ob_write_sink sink, void *context);
/* Passes on the rest. Returns the status. */
ob_status ob__output_end(ob_output *out);
void ob__output_fail(ob_output *out, ob_status status);

void ob__out_bytes(ob_output *out, const char *bytes, size_t n);
void ob__out(ob_output *out, const char *text);
void ob__out_char(ob_output *out, char c);
/* At most 255 bytes; what is longer is cut. For numbers and fixed texts. */
void ob__outf(ob_output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A term as text. */
void ob__out_term(ob_output *out, const ob_dims *dims, ob_dim dim);

/* ---- JSON ---- */

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void ob__out_string(ob_output *out, const char *text);
/* ,"name": */
void ob__out_key(ob_output *out, const char *name);
/* ,"name":"text" */
void ob__out_field(ob_output *out, const char *name, const char *text);
/* A number, a term as a string, or null. */
void ob__out_json_dim(ob_output *out, const ob_dims *dims, ob_dim dim);
/* The condition as a string. */
void ob__out_condition(ob_output *out, const ob_dims *dims, const ob_condition *condition);

#endif
