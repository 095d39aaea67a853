/* Protobuf's text format and JSON: a model that can be read can be written in both, and is the same again. */
#include <string.h>

#include "fuzz.h"
#include "tests/variants.h"

static bool write_as(const ob_model *model, ob_model_format format, byte_buffer *buffer) {
    ob_error error;
    buffer->n = 0;
    ob_status status = ob_model_write(model, format, append_bytes, buffer, &error);
    FUZZ_MUST(status == OB_OK || status == OB_E_UNSUPPORTED || status == OB_E_MODEL || status == OB_E_LIMIT, "writing: %s: %s",
              ob_status_text(status), error.message);
    return status == OB_OK;
}

static void round_trip(const ob_model *model, ob_model_format format) {
    static byte_buffer text, was, is;
    ob_load_options options = fuzz_load_options();
    ob_model *again = NULL;
    ob_error error;
    if (!write_as(model, OB_FORMAT_PROTOBUF, &was) || !write_as(model, format, &text)) return;
    options.limits.max_arena *= 4;
    options.limits.max_depth = 256;
    ob_status status = ob_model_load_memory(text.data, text.n, "written", &options, &again, &error);
    FUZZ_MUST(status == OB_OK || status == OB_E_LIMIT, "reading back: %s: %s\n%.*s", ob_status_text(status), error.message,
              (int)(text.n < 4000 ? text.n : 4000), text.data);
    if (status != OB_OK) return;
    FUZZ_MUST(write_as(again, OB_FORMAT_PROTOBUF, &is), "what was written once is not again");
    FUZZ_MUST(was.n == is.n && memcmp(was.data, is.data, is.n) == 0, "%zu bytes, then %zu:\n%.*s", was.n, is.n,
              (int)(text.n < 4000 ? text.n : 4000), text.data);
    ob_model_close(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    ob_model *model = fuzz_load(data, n);
    if (model) {
        round_trip(model, OB_FORMAT_PROTOBUF_TEXT);
        round_trip(model, OB_FORMAT_JSON);
    }
    ob_model_close(&model);
    return 0;
}
