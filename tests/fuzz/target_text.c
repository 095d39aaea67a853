/* The text form: a text that was written can be read, and is the same when written again. */
#include <string.h>

#include "fuzz.h"
#include "tests/same_model.h"
#include "tests/variants.h"

/* False: it holds what the text form cannot. */
static bool write_text(const ob_model *model, byte_buffer *buffer) {
    ob_error error;
    buffer->n = 0;
    ob_status status = ob_model_write_text(model, 0, append_bytes, buffer, &error);
    FUZZ_MUST(status == OB_OK || status == OB_E_UNSUPPORTED || status == OB_E_MODEL || status == OB_E_LIMIT, "writing: %s: %s",
              ob_status_text(status), error.message);
    return status == OB_OK;
}

static ob_model *read_text(const byte_buffer *buffer) {
    ob_load_options options = fuzz_load_options();
    ob_model *model = NULL;
    ob_error error;
    options.limits.max_arena *= 4;
    options.limits.max_depth = 256;
    options.format = OB_FORMAT_TEXT;
    ob_status status = ob_model_load_memory(buffer->data, buffer->n, "written", &options, &model, &error);
    FUZZ_MUST(status == OB_OK || status == OB_E_LIMIT, "reading back: %s: %s\n%.*s", ob_status_text(status), error.message,
              (int)(buffer->n < 4000 ? buffer->n : 4000), buffer->data);
    return status == OB_OK ? model : NULL;
}

/* Writing with lists cut short, for people: must end without harm. */
static void write_short(const ob_model *model, byte_buffer *buffer) {
    buffer->n = 0;
    ob_model_write_text(model, 4, append_bytes, buffer, NULL);
}

static void round_trip(const ob_model *model) {
    static byte_buffer first, second;
    const char *why = "";
    write_short(model, &second);
    if (!write_text(model, &first)) return;
    ob_model *read = read_text(&first);
    if (!read) return;
    FUZZ_MUST(write_text(read, &second), "what was text once is not again:\n%.*s", (int)first.n, first.data);
    FUZZ_MUST(first.n == second.n && memcmp(first.data, second.data, first.n) == 0, "another text:\n%.*s\n----\n%.*s",
              (int)first.n, first.data, (int)second.n, second.data);
    ob_model *again = read_text(&second);
    FUZZ_MUST(again && same_model(read, again, &why), "%s differs", why);
    ob_model_close(&again);
    ob_model_close(&read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    ob_model *model = fuzz_load(data, n);
    if (model) round_trip(model);
    ob_model_close(&model);
    return 0;
}
