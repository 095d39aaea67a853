/* No heap: the model is an array in the program, and its weights are used in place. All objects of the library are in one buffer,
 * intermediate results in another. After the start nothing is allocated, not even from these buffers.
 *
 *     $ cc -o pack pack.c $(pkg-config --cflags --libs onnx_broadcast) -Wl,-rpath,$(pkg-config --variable=libdir onnx_broadcast)
 *     $ cc -std=c11 -o no_heap $(./pack classifier.onnxtxt model_bytes.h) main.c $(pkg-config --cflags --libs onnx_broadcast)
 *     $ ./no_heap */
#include <onnx_broadcast/onnx_broadcast.h>

#include <stdio.h>
#include <stdlib.h>

#include "model_bytes.h" /* made by pack.c */

enum { N_READINGS = 3, N_INPUTS = 4, N_CLASSES = 3 };

static unsigned char objects[192 * 1024];    /* the model and the session */
static _Alignas(64) unsigned char work[256]; /* intermediate results; the necessary size is printed below */

/* ---- An allocator in `objects` that ends the program if it is called after the start ---- */

typedef struct start_up {
    ob_fixed_memory memory;
    ob_allocator fixed;
    bool over;
} start_up;

static void *start_alloc(void *context, size_t n_bytes) {
    start_up *s = context;
    if (s->over) {
        fprintf(stderr, "no_heap: %zu bytes were asked for after the start\n", n_bytes);
        abort();
    }
    return s->fixed.alloc(s->fixed.context, n_bytes);
}

static void *start_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    start_up *s = context;
    if (s->over) return start_alloc(context, new_bytes);
    return s->fixed.realloc(s->fixed.context, block, old_bytes, new_bytes);
}

static void start_free(void *context, void *block, size_t n_bytes) {
    start_up *s = context;
    s->fixed.free(s->fixed.context, block, n_bytes);
}

/* ---- The program ---- */

/* Model and session, planned for the only shape. The caller closes them, also after a failure. */
static ob_status start(const ob_allocator *allocator, ob_model **model, ob_session **session, ob_error *error) {
    ob_load_options load;
    ob_load_options_init(&load);
    load.allocator = allocator;
    ob_status status = ob_model_load_memory(model_bytes, sizeof model_bytes, "classifier", &load, model, error);
    if (status != OB_OK) return status;

    ob_session_config config;
    ob_session_config_init(&config);
    config.allocator = allocator;
    config.external_data = false; /* there are no files */
    config.caller_memory = true;
    status = ob_session_create(*model, &config, session, error);
    if (status != OB_OK) return status;

    ob_view reading;
    float any[N_INPUTS] = {0};
    status = ob_view_init(&reading, any, OB_FLOAT, 1, (int64_t[]){N_INPUTS});
    if (status == OB_OK) status = ob_session_prepare(*session, &reading, 1, error);
    if (status == OB_OK) status = ob_session_set_memory(*session, work, sizeof work, error);
    return status;
}

static ob_status classify(ob_session *session, float *reading, float *probability, ob_error *error) {
    ob_view in, out;
    ob_status status = ob_view_init(&in, reading, OB_FLOAT, 1, (int64_t[]){N_INPUTS});
    if (status == OB_OK) status = ob_view_init(&out, probability, OB_FLOAT, 1, (int64_t[]){N_CLASSES});
    return status == OB_OK ? ob_session_run(session, &in, 1, &out, 1, error) : status;
}

int main(void) {
    static float readings[N_READINGS][N_INPUTS] = {{0.5f, 1, -1, 2}, {3, 0, 0.25f, -1}, {0, 0, 2, 0}};
    static start_up s;
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_error error = {.message = "a view cannot be made"};
    s.fixed = ob_fixed_allocator(&s.memory, objects, sizeof objects);
    ob_allocator allocator = {start_alloc, start_realloc, start_free, &s};

    ob_status status = start(&allocator, &model, &session, &error);
    s.over = true;
    if (status == OB_OK) {
        ob_session_memory memory;
        ob_session_get_memory(session, &memory);
        printf("model: %zu bytes of constant data, %llu bytes of weights copied\n", sizeof model_bytes,
               (unsigned long long)memory.constant_bytes);
        printf("work memory: %llu of %zu bytes\n", (unsigned long long)memory.work_bytes, sizeof work);
        printf("model and session: %s bytes\n", s.memory.peak <= sizeof objects ? "fit in 196608" : "?");
    }
    for (int i = 0; i < N_READINGS && status == OB_OK; i++) {
        float p[N_CLASSES];
        status = classify(session, readings[i], p, &error);
        if (status == OB_OK) printf("reading %d: %.4f %.4f %.4f\n", i, (double)p[0], (double)p[1], (double)p[2]);
    }
    if (status != OB_OK) fprintf(stderr, "no_heap: %s\n", error.message);
    ob_session_close(&session);
    ob_model_close(&model);
    printf("%zu bytes are in use at the end\n", s.memory.used);
    return status != OB_OK;
}
