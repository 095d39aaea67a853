/* Reading a model, checking it by one of the rule books, and both reports. */
#include <string.h>

#include "fuzz.h"
#include "tools/check_parts.h"

/* The sink of reports: they are written, and only the JSON is examined. */
static FILE *sink;
static char *text;
static size_t n_text;

static FILE *empty_sink(void) {
    if (!sink) sink = open_memstream(&text, &n_text);
    if (!sink) abort();
    rewind(sink);
    return sink;
}

/* Quotes and brackets close, and nothing stands in a string that must not. */
static void look_at_json(const char *json, size_t n) {
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)json[i];
        if (quoted) {
            FUZZ_MUST(c >= 0x20, "control character at %zu", i);
            if (c == '\\') i++;
            quoted = c != '"';
            continue;
        }
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') FUZZ_MUST(depth-- > 0, "bracket at %zu", i);
        quoted = c == '"';
    }
    FUZZ_MUST(depth == 0 && !quoted, "cut short");
}

static void report(ob_model *model, ob_rules rules) {
    ob_check_options options;
    ob_report *result = NULL;
    ob_error error;
    ob_check_options_init(&options);
    options.rules = rules;
    ob_status status = ob_check(model, &options, &result, &error);
    FUZZ_MUST(status == OB_OK || status == OB_E_LIMIT, "%s: %s", ob_status_text(status), error.message);
    if (status == OB_OK) {
        printer out = {empty_sink(), true};
        for (listing list = LIST_NOTHING; list <= LIST_ALL; list++) {
            const telling how = {.list = list};
            status = print_report_text(&out, "fuzzed", model, result, &how);
            FUZZ_MUST(status == OB_OK || status == OB_E_LIMIT, "text report: %s", ob_status_text(status));
        }
        FILE *file = empty_sink();
        independence_asked asked = {.n = 0};
        status = ob_independence_check(model, NULL, 0, &asked.answers[0], NULL);
        FUZZ_MUST(status != OB_E_INTERNAL && status != OB_E_MEMORY, "independence: %s", ob_status_text(status));
        asked.n = status == OB_OK;
        independence_print(&out, "fuzzed", &asked);
        status = print_report_json(file, "fuzzed", result, &asked);
        independence_release(&asked);
        FUZZ_MUST(status == OB_OK || status == OB_E_LIMIT, "JSON report: %s", ob_status_text(status));
        fflush(file);
        if (status == OB_OK) look_at_json(text, n_text);
    }
    ob_report_close(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    ob_model *model = fuzz_load(data, n);
    if (!model) return 0;
    report(model, (ob_rules)(fuzz_hash(data, n) % OB_RULES_COUNT)); /* all of them, over the inputs */
    ob_model_close(&model);
    return 0;
}
