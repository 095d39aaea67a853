/* onnx-broadcast-check: --fix and --diff. */
#ifndef OB_TOOLS_CHECK_FIX_H
#define OB_TOOLS_CHECK_FIX_H

#include "print.h"

typedef struct fix_settings {
    bool wanted; /* --fix or --diff */
    bool diff;
    bool all;
    const char **ids; /* parts of the value of --fix */
    size_t n_ids, capacity;
} fix_settings;

/* Takes --fix[=VALUE]: "all" or ids; `value` is changed and kept. False, with a message. */
bool fix_take(const char *tool, fix_settings *how, char *value);
void fix_release(fix_settings *how);

/* Fixes the model and prints every fix to `out`; with --diff the difference of the texts goes to standard output. `options` has
 * severities and hooks. A failure is in *error. *n_errors and *n_warnings: what a check of the fixed model finds. */
ob_status fix_model(const printer *out, const char *file, ob_model *model, const fix_settings *how,
                    const ob_check_options *options, size_t *n_errors, size_t *n_warnings, ob_error *error);

#endif
