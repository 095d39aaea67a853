/* What a session takes: sizes MODEL [NAME=SIZE ...] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <onnx_broadcast/onnx_broadcast.h>

enum { MAX_SIZES = 16, MAX_INPUTS = 16 };

static ob_status measure(const ob_model *model, const ob_session_config *config, ob_session_memory *memory, ob_error *error) {
    ob_session *session = NULL;
    ob_view inputs[MAX_INPUTS];
    ob_status status = ob_session_create(model, config, &session, error);
    size_t n = status == OB_OK ? ob_session_input_count(session) : 0;
    for (size_t i = 0; i < n && i < MAX_INPUTS && status == OB_OK; i++)
        status = ob_session_input_view(session, i, NULL, &inputs[i], error);
    if (status == OB_OK) status = ob_session_prepare(session, inputs, n, error);
    if (status == OB_OK) ob_session_get_memory(session, memory);
    ob_session_close(&session);
    return status;
}

int main(int argc, char **argv) {
    ob_named_size sizes[MAX_SIZES];
    ob_session_config config;
    ob_session_config_init(&config);
    config.dims = sizes;
    config.caller_memory = true; /* runs work in memory of the caller: not part of the session */
    for (int i = 2; i < argc && config.n_dims < MAX_SIZES; i++) {
        char *equals = strchr(argv[i], '=');
        if (!equals) return 2;
        *equals = '\0';
        sizes[config.n_dims++] = (ob_named_size){argv[i], strtoll(equals + 1, NULL, 10)};
    }
    ob_model *model = NULL;
    ob_error error = {0};
    ob_session_memory memory;
    ob_status status = argc < 2 ? OB_E_ARGUMENT : ob_model_load(argv[1], NULL, &model, &error);
    if (status == OB_OK) status = measure(model, &config, &memory, &error);
    ob_model_close(&model);
    if (status != OB_OK) {
        fprintf(stderr, "%s: %s\n", ob_status_text(status), error.message);
        return 1;
    }
    printf("session %" PRIu64 " bytes, of these constants %" PRIu64 "\n", memory.session_bytes, memory.constant_bytes);
    printf("work of a run %" PRIu64 " bytes: intermediate results %" PRIu64 ", scratch %" PRIu64 "\n", memory.work_bytes,
           memory.arena_bytes, memory.scratch_bytes);
    return 0;
}
