/* A baseline, as a check reads it from a file: a baseline or a message. What was read is written in a form that reads as the same
 * baseline, and a check with it leaves no finding out that it does not list. */
#include <string.h>

#include "fuzz.h"

static const char text[] = "<ir_version: 8, opset_import: [\"\" : 17]> g (float[N,1] x, float[N] y, float[3] a, float[4] b) => "
                           "(float[?,?] s, float[?] t) { [outer] s = Sub (x, y) t = Add (a, b) }";

typedef struct written {
    char *bytes;
    size_t n;
} written;

static ob_status append(void *context, const void *bytes, size_t n) {
    written *w = context;
    char *grown = realloc(w->bytes, w->n + n + 1);
    FUZZ_MUST(grown, "no memory");
    w->bytes = grown;
    if (n) memcpy(grown + w->n, bytes, n);
    w->n += n;
    return OB_OK;
}

static void write_again(const ob_baseline *baseline) {
    written first = {0}, second = {0};
    ob_baseline *again = NULL;
    ob_error error;
    FUZZ_MUST(ob_baseline_write(baseline, append, &first, &error) == OB_OK, "%s", error.message);
    FUZZ_MUST(ob_baseline_read(first.bytes, first.n, NULL, &again, &error) == OB_OK, "%s", error.message);
    FUZZ_MUST(ob_baseline_count(again) == ob_baseline_count(baseline), "another number of findings");
    FUZZ_MUST(ob_baseline_write(again, append, &second, &error) == OB_OK, "%s", error.message);
    FUZZ_MUST(first.n == second.n && memcmp(first.bytes, second.bytes, first.n) == 0, "other bytes");
    ob_baseline_close(&again);
    free(first.bytes);
    free(second.bytes);
}

static void check(const ob_baseline *baseline) {
    ob_model *model = NULL;
    ob_report *report = NULL;
    ob_error error;
    ob_check_options options;
    ob_check_options_init(&options);
    options.baseline = baseline;
    options.baseline_model = "m";
    FUZZ_MUST(ob_model_load_memory(text, sizeof text - 1, "m", NULL, &model, &error) == OB_OK, "%s", error.message);
    FUZZ_MUST(ob_check(model, &options, &report, &error) == OB_OK, "%s", error.message);
    const ob_report_summary summary = ob_report_get_summary(report);
    FUZZ_MUST(summary.n_errors + summary.n_warnings + summary.n_baseline == 2, "%zu in the baseline", summary.n_baseline);
    FUZZ_MUST(summary.n_baseline <= ob_baseline_count(baseline) && summary.n_notes <= 1, "%zu notes", summary.n_notes);
    ob_report_close(&report);
    ob_model_close(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    ob_baseline *baseline = NULL;
    ob_error error;
    ob_status status = ob_baseline_read(data, n, NULL, &baseline, &error);
    FUZZ_MUST(status == OB_OK || ((status == OB_E_FORMAT || status == OB_E_LIMIT) && error.message[0] && !baseline), "%s",
              ob_status_text(status));
    if (status != OB_OK) return 0;
    write_again(baseline);
    check(baseline);
    ob_baseline_close(&baseline);
    return 0;
}
