/* Image files: ImageDecoder on arbitrary bytes, under limits of memory and time. The result is an image, an empty one, or a
 * limit; the longest time between two checks whether to stop is bounded, too. */
#include <string.h>
#include <time.h>

#include "fuzz.h"

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct watch {
    double begun, last, longest;
} watch;

static void note(watch *w) {
    double now = processor_seconds();
    if (w->longest < now - w->last) w->longest = now - w->last;
    w->last = now;
}

/* A run of more than half a second is ended: the sanitizers make it one of a few tenths. */
static bool ask(void *context) {
    watch *w = context;
    note(w);
    return w->last - w->begun > 0.5;
}

static ob_session *open_session(const ob_model *model, uint64_t max_memory, watch *w) {
    ob_session *session = NULL;
    ob_session_config config;
    ob_error error;
    ob_session_config_init(&config);
    config.max_memory = max_memory;
    config.cancelled = ask;
    config.context = w;
    FUZZ_MUST(ob_session_create(model, &config, &session, &error) == OB_OK, "%s", error.message);
    return session;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const char text[] = "<ir_version: 10, opset_import: [\"\" : 20]>\n"
                               "g (uint8[N] x) => (uint8[h, w, c] y) { y = ImageDecoder<pixel_format = \"Grayscale\">(x) }\n";
    enum { MAX_SECONDS = 4 }; /* with sanitizers, in our part only, on a machine that is shared */
    ob_model *model = fuzz_load(text, sizeof text - 1);
    ob_view in, out = {0};
    ob_error error;
    watch w = {0};
    FUZZ_MUST(model != NULL, "the model");
    ob_session *session = open_session(model, 64 << 20, &w);
    ob_error_clear(&error);
    FUZZ_MUST(ob_view_init(&in, (void *)(uintptr_t)data, OB_UINT8, 1, (const int64_t[]){(int64_t)n}) == OB_OK, "the view");
    w.begun = w.last = processor_seconds();
    ob_status status = ob_session_run(session, &in, 1, &out, 1, &error);
    note(&w);
    FUZZ_MUST(status == OB_OK || status == OB_E_LIMIT || status == OB_E_UNSUPPORTED || status == OB_E_CANCELLED, "%s: %s",
              ob_status_text(status), error.message);
    FUZZ_MUST(w.longest < MAX_SECONDS, "%.3f s without a question", w.longest);
    FUZZ_MUST(status != OB_OK || (out.rank == 3 && (out.dims[0] == 0) == (out.dims[1] == 0)), "rank %d", out.rank);
    volatile uint64_t all = status == OB_OK && ob_view_count(&out) > 0 ? fuzz_hash(out.data, (size_t)ob_view_count(&out)) : 0;
    (void)all; /* what is undefined is seen where memory is looked at */
    ob_session_close(&session);
    ob_model_close(&model);
    return 0;
}
