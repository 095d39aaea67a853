/* Damaged models through the whole path: load, make a session, run. Nothing may crash, read outside or take long; any status is
 * right. usage: fuzz_session FOLDER ROUNDS [SEED]: every test model of the folder, ROUNDS damaged copies of each. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "onnx_broadcast/onnx_broadcast.h"

enum { MAX_INPUTS = 16, MAX_BYTES = 1 << 16, SKIPPED = 77 };

static uint64_t state;

static uint32_t next_random(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33);
}

/* A few bytes changed, a piece cut out or doubled. */
static size_t damage(char *bytes, size_t n) {
    switch (next_random() % 8) {
    case 0: return next_random() % (n + 1);
    case 1: {
        size_t at = next_random() % n, length = next_random() % 16;
        if (length > n - at) length = n - at;
        memmove(bytes + at, bytes + at + length, n - at - length);
        return n - length;
    }
    default: {
        uint32_t count = 1 + next_random() % 3;
        while (count--) {
            static const unsigned char special[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x0a, 0x12};
            size_t at = next_random() % n;
            if (next_random() % 2)
                bytes[at] = (char)special[next_random() % 8];
            else
                bytes[at] = (char)(bytes[at] ^ 1 << next_random() % 8);
        }
        return n;
    }
    }
}

static size_t n_loaded, n_created, n_run;

static void try_model(const char *bytes, size_t n, const ob_view *inputs, size_t n_inputs) {
    ob_load_options load;
    ob_session_config config;
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_error error;
    ob_load_options_init(&load);
    load.limits.max_arena = 1 << 28;
    if (ob_model_load_memory(bytes, n, "damaged", &load, &model, &error) != OB_OK) return;
    n_loaded++;
    ob_session_config_init(&config);
    config.max_memory = 1 << 26;
    config.optimize = next_random() % 2;
    if (ob_session_create(model, &config, &session, &error) == OB_OK) {
        ob_view outputs[MAX_INPUTS] = {{0}};
        size_t n_outputs = ob_session_output_count(session);
        n_created++;
        if (ob_session_run(session, inputs, n_inputs, outputs, n_outputs < MAX_INPUTS ? n_outputs : MAX_INPUTS, &error) == OB_OK)
            n_run++;
    }
    ob_session_close(&session);
    ob_model_close(&model);
}

static void fuzz_test(const char *folder, long rounds) {
    static char bytes[MAX_BYTES];
    char path[5000];
    ob_file_tensor tensors[MAX_INPUTS];
    ob_view inputs[MAX_INPUTS];
    size_t n_inputs = 0;
    struct stat info;
    snprintf(path, sizeof path, "%s/model.onnx", folder);
    FILE *file = fopen(path, "rb");
    if (!file) return;
    size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (n == 0 || n == sizeof bytes) return; /* the larger ones say nothing that the small ones do not */
    for (; n_inputs < MAX_INPUTS; n_inputs++) {
        snprintf(path, sizeof path, "%s/test_data_set_0/input_%zu.pb", folder, n_inputs);
        if (stat(path, &info) != 0 || ob_tensor_file_read(path, NULL, &tensors[n_inputs], NULL) != OB_OK) break;
        inputs[n_inputs] = tensors[n_inputs].view;
    }
    for (long i = 0; i < rounds; i++) {
        char *copy = malloc(n); /* of exactly this size: reading beyond it is seen */
        if (!copy) abort();
        memcpy(copy, bytes, n);
        size_t n_copy = damage(copy, n);
        char *exact = realloc(copy, n_copy ? n_copy : 1);
        if (!exact) abort();
        try_model(exact, n_copy, inputs, n_inputs);
        free(exact);
    }
    for (size_t i = 0; i < n_inputs; i++) ob_file_tensor_release(&tensors[i]);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: fuzz_session FOLDER ROUNDS [SEED]\n");
        return 2;
    }
    long rounds = strtol(argv[2], NULL, 10);
    DIR *folder = opendir(argv[1]);
    if (!folder) {
        printf("skipped: no tests in %s\n", argv[1]);
        return SKIPPED;
    }
    size_t n_models = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1; /* each model by itself, so that one can be repeated */
        for (const char *c = entry->d_name; *c; c++) state = state * 31 + (unsigned char)*c;
        if (getenv("OB_FUZZ_VERBOSE")) fprintf(stderr, "%s\n", entry->d_name);
        fuzz_test(path, rounds);
        n_models++;
    }
    closedir(folder);
    printf("%zu models, %ld damaged copies each: %zu loaded, %zu made a session, %zu ran\n", n_models, rounds, n_loaded,
           n_created, n_run);
    return 0;
}
