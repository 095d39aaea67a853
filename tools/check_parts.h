/* onnx-broadcast-check: the two formats of its output. */
#ifndef OB_TOOLS_CHECK_PARTS_H
#define OB_TOOLS_CHECK_PARTS_H

#include "check_independence.h"
#include "print.h"

typedef enum listing {
    LIST_NOTHING, /* findings of one kind are one entry; no broadcasts */
    LIST_GROUPS,  /* broadcasts by pattern, and lists that are not shortened */
    LIST_ALL      /* every finding and every broadcast */
} listing;

/* Options of a report as text. */
typedef struct telling {
    listing list;
    bool quiet;  /* findings and summary only */
    bool werror; /* warnings are printed as errors */
} telling;

/* The summary, the contract, broadcasts if requested, and the findings of one model. */
ob_status print_report_text(const printer *out, const char *file, ob_model *model, ob_report *report, const telling *how);
/* -- check_lists.c -- */
/* The sizes of the further entries of a group, in a line; nothing if all are about the same sizes. */
void print_alike_names(const printer *out, const char *lead, const ob_alike *alike);
ob_status print_contract(const printer *out, const char *file, ob_report *report, const telling *how);
ob_status print_broadcasts(const printer *out, ob_report *report, const telling *how);
/* Whether the executor can run the model, and why not. */
ob_status print_support(const printer *out, const char *file, ob_model *model, const telling *how);

/* Writes the contract as C to a file: function guard_NAME for NAME.c. */
ob_status save_guard(const char *path, const ob_report *report, ob_error *error);
/* After all models: a table with a line for each, and the total. */
typedef struct model_row {
    const char *file;
    bool unread;
    ob_report_summary summary;
} model_row;
void print_table(const printer *out, const model_row *rows, size_t n, bool quiet);

#endif
