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

enum { EXIT_CLEAN = 0, EXIT_ERRORS = 1, EXIT_MISUSED = 2, MAX_GIVEN = 256, MAX_JOBS = 256 };

typedef struct settings {
    ob_check_options check;
    ob_named_size dims[MAX_GIVEN];
    ob_shape_given shapes[MAX_GIVEN];
    int64_t sizes[MAX_GIVEN][OB_MAX_RANK];
    const char *assumptions[MAX_GIVEN];
    const char *certificate; /* of --certify or --verify-certificate */
    const char *output, *dump_after, *guard, *emit_target;
    ob_form form;
    severities severities;
    targets targets;
    baseline baseline;
    telling telling;
    fix_settings fix;
    independence_asked independence;
    ob_report_format format;  /* OB_REPORT_FORMAT_COUNT: text */
    ob_report_writer *writer; /* NULL: text */
    int64_t n_jobs;
    uint64_t max_ram;       /* 0: no limit */
    ob_cost *cost_of_model; /* with a limit: of the current model */
    bool compare, verify, cost, force, form_given, graph, align_weights, verbose;
    assumed_opsets assumed_opsets;
    ob_operators *operators; /* of --op-library; NULL: none */
    const char **files;
    size_t n_files;
} settings;

/* Reads the options. -1: go on; else the exit status, after a message if it is not EXIT_CLEAN. */
int take_options(settings *s, int argc, char **argv);

/* The report is a file of another format than text, on standard output. */
static inline bool is_file_format(const settings *s) {
    return s->format != OB_REPORT_FORMAT_COUNT;
}

static inline bool to_stdout(const settings *s) {
    return s->output && strcmp(s->output, "-") == 0;
}

#endif
