/* Shared by the fuzz targets. A target_NAME.c defines LLVMFuzzerTestOneInput(): it takes any bytes, and FUZZ_MUST states
 * conditions that must hold for all of them. */
#ifndef OB_FUZZ_H
#define OB_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "onnx_broadcast/onnx_broadcast.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
/* libFuzzer's own changes to n bytes in a buffer of n_max; in a build without it those of replay.c. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t n_max);
/* Targets whose input is a protobuf message (mutate.c). */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t n_max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b, uint8_t *out, size_t n_max,
                                 unsigned seed);

/* A finding: prints the failed condition and ends the process. */
#define FUZZ_MUST(condition, ...)                                                                                                \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            fprintf(stderr, "%s:%d: %s does not hold: ", __FILE__, __LINE__, #condition);                                        \
            fprintf(stderr, __VA_ARGS__);                                                                                        \
            fputc('\n', stderr);                                                                                                 \
            abort();                                                                                                             \
        }                                                                                                                        \
    } while (0)

/* Small enough that no input takes long, and far more than the size of the inputs needs. */
static inline ob_load_options fuzz_load_options(void) {
    ob_load_options options;
    ob_load_options_init(&options);
    options.limits.max_arena = 64 << 20;
    options.limits.max_nodes = 20000;
    return options;
}

/* The bytes as a model, or NULL. They are borrowed. */
static inline ob_model *fuzz_load(const void *data, size_t n) {
    ob_load_options options = fuzz_load_options();
    ob_model *model = NULL;
    ob_error error;
    ob_status status = ob_model_load_memory(data, n, "fuzzed", &options, &model, &error);
    FUZZ_MUST(status == OB_OK || (error.code == status && error.message[0]), "%s, code %s", ob_status_text(status),
              ob_status_text(error.code));
    FUZZ_MUST(status != OB_E_INTERNAL && status != OB_E_ARGUMENT, "%s", error.message);
    return status == OB_OK ? model : NULL;
}

/* The name of a file of this process, in memory where there is such a folder: written files are synced. */
static inline const char *fuzz_file(void) {
    static char path[64];
    if (!path[0])
        snprintf(path, sizeof path, "%s/onnx_broadcast_fuzz_%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
                 (long)getpid());
    return path;
}

/* A number that depends on every byte. */
static inline uint64_t fuzz_hash(const void *data, size_t n) {
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < n; i++) h = (h ^ ((const uint8_t *)data)[i]) * UINT64_C(1099511628211);
    return h ^ h >> 29;
}

#endif
