/* What a program that reads a model, plans it and runs it once takes of memory, for tests/footprint_models.py, which links it
 * with the smallest library that runs the model.
 *
 *     main MODEL [NAME=SIZE...]
 *
 * Prints heap_peak and heap_held (bytes of the allocator at most, and while it runs), stack_made and stack_run (bytes of stack
 * that were changed), arena (bytes of work memory), copied (bytes of constants that are on the heap, and not part of heap_peak
 * and heap_held). The memory of tensors is the program's own, so it is not part of the heap. */
#include <onnx_broadcast/onnx_broadcast.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 16, STACK_BYTES = 256 * 1024, PAINT = 0xa5 };

/* ---- Heap ---- */

static size_t in_use, peak;

static void *note(void *block, size_t more) {
    if (block) in_use += more;
    if (in_use > peak) peak = in_use;
    return block;
}

static void *count_alloc(void *context, size_t n_bytes) {
    (void)context;
    return note(malloc(n_bytes), n_bytes);
}

static void count_free(void *context, void *block, size_t n_bytes) {
    (void)context;
    if (block) in_use -= n_bytes;
    free(block);
}

/* Always moves, so that both blocks count. */
static void *count_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    void *moved = count_alloc(context, new_bytes);
    if (moved && block) memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    if (moved) count_free(context, block, old_bytes);
    return moved;
}

/* ---- Stack ---- */

static unsigned char *volatile lowest; /* of the painted stack */

/* Paints the stack below the caller's frame; the memory is left to the calls that follow. */
static __attribute__((noinline)) void paint(void) {
    volatile unsigned char below[STACK_BYTES];
    for (size_t i = 0; i < STACK_BYTES; i++) below[i] = PAINT;
    lowest = (unsigned char *)(uintptr_t)below;
}

/* Bytes of it that were changed since. */
static __attribute__((noinline)) size_t painted_over(void) {
    const volatile unsigned char *at = lowest;
    size_t n = 0;
    while (n < STACK_BYTES && at[n] == PAINT) n++;
    return STACK_BYTES - n;
}

/* ---- The program ---- */

static const ob_allocator counting = {count_alloc, count_realloc, count_free, NULL};
static ob_model *model;
static ob_session *session;
static ob_error error;
static ob_view in[MAX_VALUES], out[MAX_VALUES];
static size_t n_in, n_out;

static __attribute__((noinline)) ob_status make(const char *path, const ob_named_size *sizes, size_t n_sizes) {
    ob_load_options load;
    ob_session_config config;
    ob_load_options_init(&load);
    load.allocator = &counting;
    ob_status status = ob_model_load(path, &load, &model, &error);
    if (status != OB_OK) return status;
    ob_session_config_init(&config);
    config.allocator = &counting;
    config.caller_memory = config.constants_in_place = true;
    config.dims = sizes;
    config.n_dims = n_sizes;
    status = ob_session_create(model, &config, &session, &error);
    if (status != OB_OK) return status;
    n_in = ob_session_input_count(session);
    n_out = ob_session_output_count(session);
    if (n_in > MAX_VALUES || n_out > MAX_VALUES) return OB_E_LIMIT;
    for (size_t i = 0; i < n_in && status == OB_OK; i++) {
        status = ob_session_input_view(session, i, NULL, &in[i], &error);
        if (status == OB_OK) in[i].data = calloc((size_t)ob_view_count(&in[i]) + 1, ob_dtype_size(in[i].dtype));
    }
    return status == OB_OK ? ob_session_prepare(session, in, n_in, &error) : status;
}

static __attribute__((noinline)) ob_status run(void) {
    return ob_session_run(session, in, n_in, out, n_out, &error);
}

/* Memory of the program for tensors: the outputs' sizes are those of a session that takes its own. */
static ob_status give_memory(const char *path, const ob_named_size *sizes, size_t n_sizes, ob_session_memory *memory) {
    ob_model *same = NULL;
    ob_session *own = NULL;
    ob_session_config config;
    ob_session_config_init(&config);
    config.dims = sizes;
    config.n_dims = n_sizes;
    ob_session_get_memory(session, memory);
    ob_status status = ob_session_set_memory(session, aligned_alloc(64, (size_t)(memory->work_bytes + 63) / 64 * 64 + 64),
                                             (size_t)memory->work_bytes, &error);
    if (status == OB_OK) status = ob_model_load(path, NULL, &same, &error);
    if (status == OB_OK) status = ob_session_create(same, &config, &own, &error);
    if (status == OB_OK) status = ob_session_run(own, in, n_in, out, n_out, &error);
    for (size_t i = 0; i < n_out && status == OB_OK; i++)
        out[i].data = malloc((size_t)ob_view_count(&out[i]) * ob_dtype_size(out[i].dtype) + 1);
    ob_session_close(&own);
    ob_model_close(&same);
    return status;
}

int main(int argc, char **argv) {
    ob_named_size sizes[MAX_VALUES];
    size_t n_sizes = 0;
    ob_session_memory memory;
    if (argc < 2) return 2;
    for (int i = 2; i < argc && n_sizes < MAX_VALUES; i++) {
        char *equals = strchr(argv[i], '=');
        if (!equals) return 2;
        *equals = '\0';
        sizes[n_sizes++] = (ob_named_size){argv[i], strtoll(equals + 1, NULL, 10)};
    }
    paint();
    ob_status status = make(argv[1], sizes, n_sizes);
    const size_t stack_made = painted_over(), heap_peak = peak, heap_held = in_use;
    if (status == OB_OK) status = give_memory(argv[1], sizes, n_sizes, &memory);
    size_t stack_run = 0;
    if (status == OB_OK) {
        paint();
        status = run();
        stack_run = painted_over();
    }
    if (status == OB_OK && (in_use != heap_held || peak != heap_peak)) status = OB_E_INTERNAL; /* a run allocates nothing */
    if (status != OB_OK) return fprintf(stderr, "%s: %s: %s\n", argv[1], ob_status_text(status), error.message), 1;
    printf("heap_peak %zu\nheap_held %zu\nstack_made %zu\nstack_run %zu\narena %llu\ncopied %llu\n",
           heap_peak - (size_t)memory.constant_bytes, heap_held - (size_t)memory.constant_bytes, stack_made, stack_run,
           (unsigned long long)memory.work_bytes, (unsigned long long)memory.constant_bytes);
    ob_session_close(&session);
    ob_model_close(&model);
    return 0;
}
