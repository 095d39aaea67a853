/* onnx-broadcast-check: its options. */
#ifndef OB_TOOLS_CHECK_SETTINGS_H
#define OB_TOOLS_CHECK_SETTINGS_H

#include <string.h>

#include "check_baseline.h"
#include "check_fix.h"
#include "check_independence.h"
#include "check_parts.h"
#include "check_severity.h"
#include "check_target.h"
#include "common.h"

enum { EXIT_CLEAN = 0, EXIT_ERRORS = 1, EXIT_MISUSED = 2, MAX_GIVEN = 256 };

typedef struct settings {
    ob_check_options check;
    ob_named_size dims[MAX_GIVEN];
    ob_shape_given shapes[MAX_GIVEN];
    int64_t sizes[MAX_GIVEN][OB_MAX_RANK];
    const char *assumptions[MAX_GIVEN];
    const char *output, *dump_after, *guard, *emit_target;
    ob_form form;
    severities severities;
    targets targets;
    baseline baseline;
    telling telling;
    fix_settings fix;
    independence_asked independence;
    bool json, force, form_given, align_weights, verbose, files_seen;
    assumed_opsets assumed_opsets;
    ob_operators *operators; /* of --op-library; NULL: none */
    const char **files;
    size_t n_files;
} settings;

/* Reads the options. -1: go on; else the exit status, after a message if it is not EXIT_CLEAN. */
int take_options(settings *s, int argc, char **argv);

static inline bool to_stdout(const settings *s) {
    return s->output && strcmp(s->output, "-") == 0;
}

#endif
