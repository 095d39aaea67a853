/* JSON of one model. */
#ifndef OB_PASSES_FORMAT_JSON_H
#define OB_PASSES_FORMAT_JSON_H

#include "onnx_broadcast/report.h"
#include "passes/format/output.h"

/* An element of `models`. Failures are in out->status, which is returned too. */
ob_status ob__report_json(ob_output *out, ob_report *report, const ob_report_options *options);
/* The element of a file that could not be read or checked. */
void ob__unread_json(ob_output *out, const char *file, const ob_error *error);

#endif
