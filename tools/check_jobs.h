/* onnx-broadcast-check: reading and checking models, one after the other or with --jobs several at once. */
#ifndef OB_TOOLS_CHECK_JOBS_H
#define OB_TOOLS_CHECK_JOBS_H

#include "check_settings.h"

/* A model with its report, or the reason why there is none. Nothing was printed. */
typedef struct checked {
    ob_model *model;   /* NULL: the file could not be read */
    ob_report *report; /* NULL: nor could it be checked */
    char *baseline_model;
    ob_error error;
} checked;

/* Reads and checks a file. `after_pass` may be NULL. */
void check_file(const settings *s, const char *path, ob_pass_hook after_pass, void *context, checked *out);
void checked_release(checked *c);

typedef struct jobs jobs;
/* Starts threads that read and check the files in their order, a few ahead of jobs_take(). NULL: no memory or no thread. */
jobs *jobs_start(const settings *s, size_t n_threads);
/* Waits for file i and gives it to the caller, who releases it. Each i once, in order. */
void jobs_take(jobs *j, size_t i, checked *out);
void jobs_end(jobs *j);

#endif
