/* The shortest way from a model file to its results: load, list inputs and outputs, run, print.
 *
 *     $ cc -std=c11 -o minimal_run main.c $(pkg-config --cflags --libs onnx_broadcast)
 *     $ ./minimal_run scale_shift.onnxtxt batch=2
 *
 * Open sizes are given as NAME=SIZE. Every float input is filled with 0, 1, 2 ... */
#include <onnx_broadcast/onnx_broadcast.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 16 };

/* Everything that must be freed at the end; any pointer may be NULL. */
typedef struct run {
    ob_model *model;
    ob_session *session;
    void *data[MAX_VALUES];
    size_t n_data;
} run;

static void print_view(const char *name, const ob_view *view) {
    printf("%s = %s[", name, ob_dtype_name(view->dtype));
    for (int32_t i = 0; i < view->rank; i++) printf("%s%" PRId64, i ? "," : "", view->dims[i]);
    printf("]");
    if (view->dtype == OB_FLOAT) /* results are contiguous */
        for (int64_t i = 0; i < ob_view_count(view); i++) printf(" %.2f", (double)((const float *)view->data)[i]);
    printf("\n");
}

/* "batch=2" to {"batch", 2}; cuts the text in two. */
static bool parse_size(char *text, ob_named_size *out) {
    char *equals = strchr(text, '='), *end;
    if (!equals) return false;
    *equals = '\0';
    *out = (ob_named_size){.name = text, .size = strtoll(equals + 1, &end, 10)};
    return end != equals + 1 && !*end;
}

/* A view of new memory for an input, in the shape that the model declares. */
static ob_status make_input(run *r, size_t index, ob_view *view, ob_error *error) {
    ob_status status = ob_session_input_view(r->session, index, NULL, view, error);
    if (status != OB_OK) return status;
    int64_t n = ob_view_count(view);
    void *data = calloc((size_t)n + 1, ob_dtype_size(view->dtype));
    if (!data) return OB_E_MEMORY;
    view->data = r->data[r->n_data++] = data;
    if (view->dtype == OB_FLOAT) /* other types stay 0 */
        for (int64_t i = 0; i < n; i++) ((float *)data)[i] = (float)i;
    return OB_OK;
}

static ob_status load_and_run(run *r, const char *path, const ob_named_size *sizes, size_t n_sizes, ob_error *error) {
    ob_status status = ob_model_load(path, NULL, &r->model, error);
    if (status != OB_OK) return status;

    ob_session_config config;
    ob_session_config_init(&config);
    config.dims = sizes;
    config.n_dims = n_sizes;
    status = ob_session_create(r->model, &config, &r->session, error);
    if (status != OB_OK) return status;

    size_t n_inputs = ob_session_input_count(r->session), n_outputs = ob_session_output_count(r->session);
    if (n_inputs > MAX_VALUES || n_outputs > MAX_VALUES) return OB_E_LIMIT;
    ob_view inputs[MAX_VALUES], outputs[MAX_VALUES] = {{0}}; /* data NULL: the session provides the memory */
    ob_session_value value;
    for (size_t i = 0; i < n_inputs; i++) {
        ob_session_input(r->session, i, &value);
        printf("input  %s: %s %s\n", value.name, ob_dtype_name(value.dtype), value.shape_text);
        status = make_input(r, i, &inputs[i], error);
        if (status != OB_OK) return status;
    }
    for (size_t i = 0; i < n_outputs; i++) {
        ob_session_output(r->session, i, &value);
        printf("output %s: %s %s\n", value.name, ob_dtype_name(value.dtype), value.shape_text);
    }

    status = ob_session_run(r->session, inputs, n_inputs, outputs, n_outputs, error);
    if (status != OB_OK) return status;
    for (size_t i = 0; i < n_outputs; i++) {
        ob_session_output(r->session, i, &value);
        print_view(value.name, &outputs[i]);
    }
    return OB_OK;
}

int main(int argc, char **argv) {
    ob_named_size sizes[MAX_VALUES];
    size_t n_sizes = 0;
    bool ok = argc >= 2 && argc - 2 <= MAX_VALUES;
    for (int i = 2; ok && i < argc; i++) ok = parse_size(argv[i], &sizes[n_sizes++]);
    if (!ok) {
        fprintf(stderr, "usage: minimal_run MODEL [NAME=SIZE ...]\n");
        return 2;
    }

    run r = {0};
    ob_error error;
    ob_error_clear(&error);
    ob_status status = load_and_run(&r, argv[1], sizes, n_sizes, &error);
    if (status != OB_OK)
        fprintf(stderr, "minimal_run: %s: %s\n", argv[1], error.message[0] ? error.message : ob_status_text(status));

    for (size_t i = 0; i < r.n_data; i++) free(r.data[i]);
    ob_session_close(&r.session); /* before the model that it runs */
    ob_model_close(&r.model);
    return status == OB_OK ? 0 : 1;
}
