/* Running a case in this project's executor. */
#ifndef OB_TESTS_DIFFERENTIAL_OURS_H
#define OB_TESTS_DIFFERENTIAL_OURS_H

#include "case.h"

typedef struct run_options {
    bool optimize;
    int n_threads;
} run_options;

typedef struct run_result {
    ob_status status;
    bool is_prepared; /* planning for the shapes succeeded: a refusal depends on data */
    ob_error error;
    size_t n;
    ob_view views[MAX_VALUES]; /* memory of the pool */
} run_result;

void run_model(const ob_model *model, const ob_view *inputs, size_t n_inputs, pool *p, const run_options *options,
               run_result *out);
/* Builds the model first. */
void run_case(const graph_case *c, pool *p, const run_options *options, run_result *out);

#endif
