/* Sizes that are unknown until run time: prints the conditions on them (the model's contract), tests given sizes without running
 * anything, and runs the model only if they satisfy the contract.
 *
 *     $ cc -std=c11 -o symbolic_sizes main.c $(pkg-config --cflags --libs onnx_broadcast)
 *     $ ./symbolic_sizes positions.onnxtxt batch=2 length=3 positions=3 gates=1
 *     $ ./symbolic_sizes positions.onnxtxt batch=2 length=3 positions=4 gates=2 */
#include <onnx_broadcast/onnx_broadcast.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIZES = 16, MAX_INPUTS = 8 };

/* The contract for all sizes. */
static ob_status print_contract(ob_model *model, ob_error *error) {
    ob_report *report = NULL;
    ob_status status = ob_check(model, NULL, &report, error);
    for (size_t i = 0; status == OB_OK && i < ob_report_condition_count(report); i++) {
        ob_condition_info info;
        status = ob_report_condition(report, i, &info);
        if (status == OB_OK) printf("%s needs %s\n", info.node, info.text);
    }
    ob_report_close(&report);
    return status;
}

/* The check for these sizes. fits: there is no error. */
static ob_status try_sizes(ob_model *model, const ob_named_size *sizes, size_t n, bool *fits, ob_error *error) {
    ob_check_options options;
    ob_check_options_init(&options);
    options.dims = sizes;
    options.n_dims = n;
    ob_report *report = NULL;
    ob_status status = ob_check(model, &options, &report, error);
    for (size_t i = 0; status == OB_OK && i < ob_report_finding_count(report); i++) {
        ob_finding_info finding;
        status = ob_report_finding(report, i, &finding);
        if (status == OB_OK && finding.severity == OB_SEVERITY_ERROR) printf("%s breaks it: %s\n", finding.node, finding.message);
    }
    if (status == OB_OK) *fits = ob_report_get_summary(report).n_errors == 0;
    ob_report_close(&report);
    return status;
}

/* Inputs of ones, in the shapes that follow from the sizes. */
static ob_status run_session(ob_session *session, float **data, ob_error *error) {
    ob_view inputs[MAX_INPUTS], output = {0};
    size_t n_inputs = ob_session_input_count(session);
    if (n_inputs > MAX_INPUTS) return OB_E_LIMIT;
    for (size_t i = 0; i < n_inputs; i++) {
        ob_status status = ob_session_input_view(session, i, NULL, &inputs[i], error);
        if (status != OB_OK) return status;
        if (inputs[i].dtype != OB_FLOAT) return OB_E_TYPE;
        int64_t n = ob_view_count(&inputs[i]);
        inputs[i].data = data[i] = malloc(((size_t)n + 1) * sizeof **data);
        if (!data[i]) return OB_E_MEMORY;
        for (int64_t k = 0; k < n; k++) data[i][k] = 1;
    }
    ob_status status = ob_session_run(session, inputs, n_inputs, &output, 1, error);
    if (status != OB_OK) return status;
    char text[128];
    ob_shape_format(NULL, &(ob_shape){output.rank, output.dims}, text, sizeof text);
    printf("the result is %s %s\n", ob_dtype_name(output.dtype), text);
    return OB_OK;
}

static ob_status run(const ob_model *model, const ob_named_size *sizes, size_t n, ob_error *error) {
    ob_session_config config;
    ob_session_config_init(&config);
    config.dims = sizes;
    config.n_dims = n;
    ob_session *session = NULL;
    float *data[MAX_INPUTS] = {NULL};
    ob_status status = ob_session_create(model, &config, &session, error);
    if (status == OB_OK) status = run_session(session, data, error);
    for (size_t i = 0; i < MAX_INPUTS; i++) free(data[i]);
    ob_session_close(&session);
    return status;
}

int main(int argc, char **argv) {
    ob_named_size sizes[MAX_SIZES];
    size_t n = 0;
    bool ok = argc >= 2 && argc - 2 <= MAX_SIZES;
    for (int i = 2; ok && i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        ok = equals != NULL;
        if (!ok) break;
        *equals = '\0';
        sizes[n++] = (ob_named_size){.name = argv[i], .size = strtoll(equals + 1, NULL, 10)};
    }
    if (!ok) {
        fprintf(stderr, "usage: symbolic_sizes MODEL [NAME=SIZE ...]\n");
        return 2;
    }

    ob_model *model = NULL;
    ob_error error;
    ob_error_clear(&error);
    bool fits = false;
    ob_status status = ob_model_load(argv[1], NULL, &model, &error);
    if (status == OB_OK) status = print_contract(model, &error);
    if (status == OB_OK) status = try_sizes(model, sizes, n, &fits, &error);
    if (status == OB_OK && fits) status = run(model, sizes, n, &error);
    if (status != OB_OK)
        fprintf(stderr, "symbolic_sizes: %s: %s\n", argv[1], error.message[0] ? error.message : ob_status_text(status));
    ob_model_close(&model);
    return status == OB_OK && fits ? 0 : 1;
}
