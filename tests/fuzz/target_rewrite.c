/* Every form, and the form for a deployment target: rewritten, written, read back, rewritten again, checked, and compared with
 * itself. */
#include "fuzz.h"
#include "passes/compare/same.h"
#include "tests/same_model.h"
#include "tests/variants.h"

/* What is not proved has a reason. */
static void compare_with_itself(ob_report *report) {
    ob_compared_values values;
    ob_arena arena;
    ob__arena_init(&arena, ob_allocator_default());
    const ob_status status = ob__compare_main_values(report, report, &arena, &values);
    FUZZ_MUST(status == OB_OK, "compared with itself: %s", ob_status_text(status));
    for (size_t i = 0; i < values.n; i++) {
        const ob_compared_value *value = &values.items[i];
        FUZZ_MUST(value->equal || value->why[0], "%s: no reason for the elements", value->name);
        FUZZ_MUST(value->shape != OB_SHAPE_OPEN || value->why_shape[0], "%s: no reason for the shape", value->name);
    }
    ob__arena_release(&arena);
}

static size_t count_errors(ob_model *model) {
    ob_report *report = NULL;
    ob_error error;
    ob_status status = ob_check(model, NULL, &report, &error);
    FUZZ_MUST(status == OB_OK || status == OB_E_LIMIT, "%s: %s", ob_status_text(status), error.message);
    size_t n = status == OB_OK ? ob_report_get_summary(report).n_errors : SIZE_MAX;
    if (status == OB_OK) compare_with_itself(report);
    ob_report_close(&report);
    return n;
}

/* The model in its written form, and read back. */
static ob_model *write_and_read(const ob_model *model, ob_model_format format, byte_buffer *buffer) {
    ob_error error;
    buffer->n = 0;
    ob_status status = ob_model_write(model, format, append_bytes, buffer, &error);
    if (status == OB_E_MODEL || status == OB_E_LIMIT) return NULL; /* an attribute or a tensor without a value */
    FUZZ_MUST(status == OB_OK, "writing: %s: %s", ob_status_text(status), error.message);
    ob_model *read = NULL;
    ob_load_options options = fuzz_load_options();
    options.limits.max_arena *= 4;
    options.limits.max_nodes *= 4;
    options.limits.max_depth = 256;
    status = ob_model_load_memory(buffer->data, buffer->n, "written", &options, &read, &error);
    FUZZ_MUST(status == OB_OK || status == OB_E_LIMIT, "reading back: %s: %s", ob_status_text(status), error.message);
    return status == OB_OK ? read : NULL;
}

/* For the target, or with NULL to the form. */
static ob_status rewrite(ob_model *model, ob_form form, const char *target, ob_rewrite_stats *stats, ob_error *error) {
    return target ? ob_rewrite_for_target(model, target, NULL, stats, error) : ob_rewrite(model, form, NULL, stats, error);
}

static void rewrite_again(ob_model *model, ob_form form, const char *target) {
    ob_rewrite_stats stats;
    ob_error error;
    const char *name = target ? target : ob_form_name(form);
    ob_status status = rewrite(model, form, target, &stats, &error);
    FUZZ_MUST(status == OB_OK || status == OB_E_LIMIT, "%s again: %s: %s", name, ob_status_text(status), error.message);
    if (status != OB_OK) return;
    size_t n = stats.n_inserted + stats.n_removed + stats.n_lowered + stats.n_functions + stats.n_weights + stats.n_exchanged;
    FUZZ_MUST(n == 0, "%s again: %zu inserted, %zu removed, %zu lowered, %zu functions", name, stats.n_inserted, stats.n_removed,
              stats.n_lowered, stats.n_functions);
}

static void try_form(const ob_model *model, ob_form form, const char *target, size_t n_errors) {
    static byte_buffer buffer;
    ob_model *copy = NULL, *read = NULL;
    ob_error error;
    const char *why = "", *name = target ? target : ob_form_name(form);
    FUZZ_MUST(ob_model_clone(model, &copy, NULL) == OB_OK, "clone");
    ob_status status = rewrite(copy, form, target, NULL, &error);
    FUZZ_MUST(status != OB_E_INTERNAL && status != OB_E_MEMORY && status != OB_E_ARGUMENT, "%s: %s", name, error.message);
    FUZZ_MUST(status == OB_OK || error.code == status, "%s: returned %s, said %s", name, ob_status_text(status),
              ob_status_text(error.code));
    bool refused = status == OB_E_SHAPE || status == OB_E_TYPE || status == OB_E_MODEL;
    FUZZ_MUST(!refused || n_errors > 0, "%s: a sound model is refused: %s", name, error.message);
    if (status == OB_OK) read = write_and_read(copy, OB_FORMAT_PROTOBUF, &buffer);
    if (read) {
        FUZZ_MUST(same_model(copy, read, &why), "%s: %s differs after reading back", name, why);
        size_t n = count_errors(read);
        FUZZ_MUST(n == 0 || n == SIZE_MAX || n_errors > 0, "%s: %zu errors in what was sound", name, n);
        rewrite_again(read, form, target);
    }
    ob_model_close(&read);
    ob_model_close(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static byte_buffer buffer;
    const char *why = "";
    ob_model *model = fuzz_load(data, n);
    if (!model) return 0;
    ob_model_format format = fuzz_hash(data, n) % 2 ? OB_FORMAT_PROTOBUF : OB_FORMAT_PROTOBUF_ALIGNED;
    ob_model *read = write_and_read(model, format, &buffer);
    FUZZ_MUST(!read || same_model(model, read, &why), "%s differs after writing and reading", why);
    ob_model_close(&read);
    size_t n_errors = count_errors(model);
    for (int form = 0; form < OB_FORM_COUNT; form++) try_form(model, (ob_form)form, NULL, n_errors);
    try_form(model, OB_FORM_COUNT, ob_target_at(fuzz_hash(data, n) / 2 % ob_target_count()).name, n_errors);
    ob_model_close(&model);
    return 0;
}
