#include "ours.h"

#include <stdlib.h>

void run_model(const ob_model *model, const ob_view *inputs, size_t n_inputs, pool *p, const run_options *options,
               run_result *out) {
    ob_session_config config;
    ob_session *session = NULL;
    *out = (run_result){.status = OB_OK};
    ob_error_clear(&out->error);
    ob_session_config_init(&config);
    config.optimize = options->optimize;
    config.n_threads = options->n_threads;
    out->status = ob_session_create(model, &config, &session, &out->error);
    if (out->status != OB_OK) return;
    out->n = ob_session_output_count(session);
    out->status = ob_session_prepare(session, inputs, n_inputs, &out->error);
    out->is_prepared = out->status == OB_OK;
    if (out->status == OB_OK) out->status = ob_session_run(session, inputs, n_inputs, out->views, out->n, &out->error);
    for (size_t i = 0; out->status == OB_OK && i < out->n; i++) out->views[i] = pool_copy(p, &out->views[i]);
    ob_session_close(&session);
}

void run_case(const graph_case *c, pool *p, const run_options *options, run_result *out) {
    byte_buffer bytes = {0};
    ob_model *model = NULL;
    ob_view inputs[MAX_VALUES];
    ob_error error;
    ob_error_clear(&error);
    ob_status status = case_build(c, &bytes, &model, &error);
    if (status == OB_OK)
        run_model(model, inputs, case_inputs(c, inputs), p, options, out);
    else
        *out = (run_result){.status = status, .error = error};
    ob_model_close(&model);
    free(bytes.data);
}
