/* A model with a state, which gets its input frame by frame. The program owns the two buffers of the state and swaps them after
 * each frame, so nothing is copied. Everything is planned before the first frame, so that no frame allocates. The batch size,
 * open in the model, is an argument of the program.
 *
 *     $ cc -std=c11 -o streaming main.c $(pkg-config --cflags --libs onnx_broadcast)
 *     $ ./streaming smoother.onnxtxt 2 */
#include <onnx_broadcast/onnx_broadcast.h>

#include <stdio.h>
#include <stdlib.h>

enum { CHANNELS = 3, FRAMES = 4, MAX_BATCH = 1000 };
enum { FRAME, STATE_IN, N_INPUTS };
enum { Y, STATE_OUT, N_OUTPUTS };

/* ---- An allocator that counts ---- */

static void *count_alloc(void *context, size_t n_bytes) {
    ++*(size_t *)context;
    return malloc(n_bytes);
}

static void *count_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    (void)old_bytes;
    ++*(size_t *)context;
    return realloc(block, new_bytes);
}

static void count_free(void *context, void *block, size_t n_bytes) {
    (void)context;
    (void)n_bytes;
    free(block);
}

/* ---- The stream ---- */

typedef struct stream {
    ob_model *model;
    ob_session *session;
    float *memory; /* of the four buffers: frame, y, state, state */
    ob_view frame, y, state[2];
    int current; /* the state that the next frame reads */
    size_t n_allocations;
    ob_allocator allocator;
} stream;

static void stream_close(stream *s) {
    ob_session_close(&s->session); /* before the model that it runs */
    ob_model_close(&s->model);
    free(s->memory);
}

/* Makes everything that a frame needs: buffers, session, plan. stream_close frees it, also after a failure. */
static ob_status stream_open(stream *s, const char *path, int64_t batch, ob_error *error) {
    *s = (stream){.allocator = {count_alloc, count_realloc, count_free, NULL}};
    s->allocator.context = &s->n_allocations;

    ob_load_options options;
    ob_load_options_init(&options);
    options.allocator = &s->allocator;
    ob_status status = ob_model_load(path, &options, &s->model, error);
    if (status != OB_OK) return status;

    const ob_named_size sizes[] = {{"batch", batch}, {"channels", CHANNELS}};
    ob_session_config config;
    ob_session_config_init(&config);
    config.allocator = &s->allocator;
    config.dims = sizes;
    config.n_dims = 2;
    status = ob_session_create(s->model, &config, &s->session, error);
    if (status != OB_OK) return status;

    size_t n_elems = (size_t)batch * CHANNELS;
    s->memory = calloc(4 * n_elems, sizeof *s->memory); /* the first state is 0 */
    if (!s->memory) return OB_E_MEMORY;
    ob_view *const views[] = {&s->frame, &s->y, &s->state[0], &s->state[1]};
    for (size_t i = 0; i < 4; i++) {
        status = ob_view_init(views[i], s->memory + i * n_elems, OB_FLOAT, 2, (int64_t[]){batch, CHANNELS});
        if (status != OB_OK) return status;
    }

    const ob_view inputs[N_INPUTS] = {[FRAME] = s->frame, [STATE_IN] = s->state[0]};
    return ob_session_prepare(s->session, inputs, N_INPUTS, error);
}

/* One frame: reads s->frame, writes the result to s->y and the new state to the buffer that the next frame reads. */
static ob_status stream_run(stream *s, ob_error *error) {
    const ob_view inputs[N_INPUTS] = {[FRAME] = s->frame, [STATE_IN] = s->state[s->current]};
    ob_view outputs[N_OUTPUTS] = {[Y] = s->y, [STATE_OUT] = s->state[!s->current]};
    ob_status status = ob_session_run(s->session, inputs, N_INPUTS, outputs, N_OUTPUTS, error);
    if (status == OB_OK) s->current = !s->current;
    return status;
}

/* ---- The program ---- */

static void print_elements(const char *name, const ob_view *view) {
    printf("  %s", name);
    for (int64_t i = 0; i < ob_view_count(view); i++) printf(" %7.3f", (double)((const float *)view->data)[i]);
    printf("\n");
}

static ob_status play(stream *s, ob_error *error) {
    size_t before = s->n_allocations;
    for (int k = 0; k < FRAMES; k++) {
        float *frame = s->frame.data; /* a camera or a microphone would write here */
        for (int64_t i = 0; i < ob_view_count(&s->frame); i++) frame[i] = (float)(i + 1) * (k < 2 ? 1 : -1);
        ob_status status = stream_run(s, error);
        if (status != OB_OK) return status;
        printf("frame %d\n", k);
        print_elements("y    ", &s->y);
        print_elements("state", &s->state[s->current]);
    }
    printf("%zu allocations during %d frames\n", s->n_allocations - before, FRAMES);
    return OB_OK;
}

int main(int argc, char **argv) {
    long batch = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
    if (batch < 1 || batch > MAX_BATCH) {
        fprintf(stderr, "usage: streaming MODEL BATCH   (BATCH: 1 to %d)\n", MAX_BATCH);
        return 2;
    }
    stream s;
    ob_error error;
    ob_error_clear(&error);
    ob_status status = stream_open(&s, argv[1], batch, &error);
    if (status == OB_OK) status = play(&s, &error);
    if (status != OB_OK) fprintf(stderr, "streaming: %s\n", error.message[0] ? error.message : ob_status_text(status));
    stream_close(&s);
    return status == OB_OK ? 0 : 1;
}
