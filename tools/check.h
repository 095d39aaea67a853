/* onnx-broadcast-check: the two forms of its output. */
#ifndef OB_TOOLS_CHECK_H
#define OB_TOOLS_CHECK_H

#include "print.h"

/* Broadcasts, conditions (not when quiet), findings and the summary of one model. `werror`: warnings are printed as errors. */
ob_status print_report_text(const printer *out, const char *file, ob_report *report, bool quiet, bool werror);
/* One element of the `models` array of docs/report.schema.json. */
ob_status print_report_json(FILE *out, const char *file, const ob_model *model, ob_report *report, ob_rules rules);
/* The contract as C in a file: function guard_NAME for NAME.c. */
ob_status save_guard(const char *path, const ob_report *report, ob_error *error);

#endif
