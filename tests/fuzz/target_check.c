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

static ob_status to_file(void *context, const void *bytes, size_t n_bytes) {
    (void)context;
    return fwrite(bytes, 1, n_bytes, sink) == n_bytes ? OB_OK : OB_E_IO;
}

/* Each line of GitHub's annotations is a command, whatever the names are. */
static void look_at_annotations(const char *lines, size_t n) {
    for (const char *at = lines, *end = lines + n; at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        FUZZ_MUST(line_end && at[0] == ':' && at[1] == ':', "a line that is no command");
        at = line_end + 1;
    }
}

/* Whatever the names are, the only script of an article is its data. */
static void look_at_page(const char *page) {
    const char *at = strstr(page, "<article>"), *end = at ? strstr(at, "</article>") : NULL;
    size_t n_scripts = 0;
    FUZZ_MUST(end, "no article, or none that ends");
    for (; (at = strstr(at, "<script")) && at < end; at++) n_scripts++;
    FUZZ_MUST(n_scripts == 1, "%zu scripts", n_scripts);
}

static void write_as(ob_report_format format, ob_report *report, const independence_asked *asked) {
    ob_report_writer *writer = NULL;
    const ob_report_options options = {
        .file = "fuzzed", .independence = (const ob_independence *const *)asked->answers, .n_independence = asked->n};
    FILE *file = empty_sink();
    ob_status status = ob_report_writer_create(format, NULL, to_file, NULL, &writer, NULL);
    if (status == OB_OK) status = ob_report_writer_add(writer, report, &options, NULL);
    if (status == OB_OK) status = ob_report_writer_finish(writer, NULL);
    ob_report_writer_close(&writer);
    FUZZ_MUST(status == OB_OK || status == OB_E_LIMIT, "%s: %s", ob_report_format_name(format), ob_status_text(status));
    fflush(file);
    const size_t n = (size_t)ftell(file);
    if (status == OB_OK && (format == OB_REPORT_JSON || format == OB_REPORT_SARIF)) look_at_json(text, n);
    text[n] = '\0'; /* what an earlier text left may follow */
    if (status == OB_OK && format == OB_REPORT_HTML) look_at_page(text);
    if (status == OB_OK && format == OB_REPORT_GITHUB) look_at_annotations(text, n);
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
        independence_asked asked = {.n = 0};
        status = ob_independence_check(model, NULL, 0, &asked.answers[0], NULL);
        FUZZ_MUST(status != OB_E_INTERNAL && status != OB_E_MEMORY, "independence: %s", ob_status_text(status));
        asked.n = status == OB_OK;
        independence_print(&out, "fuzzed", &asked);
        for (int format = 0; format < OB_REPORT_FORMAT_COUNT; format++) write_as((ob_report_format)format, result, &asked);
        independence_release(&asked);
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
