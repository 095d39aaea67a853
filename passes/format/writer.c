#include "passes/format/writer.h"

#include <string.h>

#include "core/base/error.h"
#include "passes/format/json.h"

/* ---- JSON ---- */

static void begin_json(ob_report_writer *writer) {
    ob__outf(&writer->out, "{\"version\":2,\"tool\":{\"name\":\"onnx-broadcast-check\",\"version\":\"%s\"},\"models\":[\n",
             ob_version());
}

static void begin_entry(ob_report_writer *writer) {
    if (writer->n_models + writer->n_unread > 0) ob__out(&writer->out, ",\n");
}

static void add_json(ob_report_writer *writer, ob_report *report, const ob_report_options *options) {
    begin_entry(writer);
    ob__report_json(&writer->out, report, options);
}

static void add_unread_json(ob_report_writer *writer, const char *file, const ob_error *reason) {
    begin_entry(writer);
    ob__unread_json(&writer->out, file, reason);
}

static void end_json(ob_report_writer *writer) {
    ob__out(&writer->out, "\n]}\n");
}

static const ob_report_style json_style = {"json", begin_json, add_json, add_unread_json, end_json};

/* ---- Formats ---- */

static const ob_report_style *const styles[] = {[OB_REPORT_JSON] = &json_style,
                                                [OB_REPORT_SARIF] = &ob__sarif_style,
                                                [OB_REPORT_GITHUB] = &ob__github_style,
                                                [OB_REPORT_HTML] = &ob__html_style,
                                                [OB_REPORT_MARKDOWN] = &ob__markdown_style};
_Static_assert(sizeof styles / sizeof *styles == OB_REPORT_FORMAT_COUNT, "each format has a row");

const char *ob_report_format_name(ob_report_format format) {
    return (unsigned)format < OB_REPORT_FORMAT_COUNT ? styles[format]->name : "";
}

ob_report_format ob_report_format_from_name(const char *name) {
    int format = 0;
    while (format < OB_REPORT_FORMAT_COUNT && !(name && strcmp(name, styles[format]->name) == 0)) format++;
    return (ob_report_format)format;
}

/* ---- Writers ---- */

static ob_status append_to_text(void *context, const void *bytes, size_t n_bytes) {
    ob_text *text = context;
    ob__text_append(text, bytes, n_bytes);
    return text->failed ? OB_E_MEMORY : OB_OK;
}

void ob__output_to_text(ob_output *out, ob_text *text) {
    ob__output_init(out, &text->allocator, append_to_text, text);
}

static bool any_failed(const ob_report_writer *writer) {
    for (int severity = 0; severity <= OB_SEVERITY_ERROR; severity++)
        if (writer->rendered[severity].text.failed) return true;
    return writer->files.failed || writer->unread.failed || writer->scratch.failed;
}

/* The status after a step: the output's own, or the lack of memory for a text. */
static ob_status stepped(ob_report_writer *writer, ob_error *error) {
    if (any_failed(writer)) ob__output_fail(&writer->out, OB_E_MEMORY);
    return ob__described(error, writer->out.status, "");
}

ob_status ob_report_writer_create(ob_report_format format, const ob_report_writer_options *options, ob_write_sink sink,
                                  void *context, ob_report_writer **out, ob_error *error) {
    static const ob_report_writer_options plain = {0};
    ob_error_clear(error);
    OB_FAIL_IF((unsigned)format >= OB_REPORT_FORMAT_COUNT || !sink || !out, error, OB_E_ARGUMENT,
               "ob_report_writer_create: format, sink and out must be given");
    if (!options) options = &plain;
    const ob_allocator *allocator = options->allocator ? options->allocator : ob_allocator_default();
    ob_report_writer *writer = allocator->alloc(allocator->context, sizeof *writer);
    OB_FAIL_IF(!writer, error, OB_E_MEMORY, "out of memory");
    *writer = (ob_report_writer){.allocator = *allocator, .style = styles[format]};
    writer->is_source = options->is_source;
    writer->is_source_context = options->context;
    ob__output_init(&writer->out, &writer->allocator, sink, context);
    ob__arena_init(&writer->arena, &writer->allocator);
    ob__map_init(&writer->known, &writer->arena);
    for (int severity = 0; severity <= OB_SEVERITY_ERROR; severity++)
        ob__text_init(&writer->rendered[severity].text, &writer->allocator);
    ob__text_init(&writer->files, &writer->allocator);
    ob__text_init(&writer->unread, &writer->allocator);
    ob__text_init(&writer->scratch, &writer->allocator);
    if (options->source_root) {
        writer->source_root = ob__arena_strndup(&writer->arena, options->source_root, strlen(options->source_root));
        if (!writer->source_root) ob__output_fail(&writer->out, OB_E_MEMORY);
    }
    if (writer->style->begin && writer->out.status == OB_OK) writer->style->begin(writer);
    if (stepped(writer, error) != OB_OK) {
        const ob_status status = writer->out.status;
        ob_report_writer_close(&writer);
        return status;
    }
    *out = writer;
    return OB_OK;
}

static const char finished[] = "the report file is finished";

ob_status ob_report_writer_add(ob_report_writer *writer, ob_report *report, const ob_report_options *options, ob_error *error) {
    static const ob_report_options plain = {0};
    ob_error_clear(error);
    OB_FAIL_IF(!writer || !report || (options && options->n_independence && !options->independence), error, OB_E_ARGUMENT,
               "ob_report_writer_add: writer, report and the entries of options must not be NULL");
    OB_FAIL_IF(writer->finished, error, OB_E_ARGUMENT, "%s", finished);
    if (writer->out.status == OB_OK) {
        writer->style->add(writer, report, options ? options : &plain);
        writer->n_models++;
    }
    return stepped(writer, error);
}

ob_status ob_report_writer_add_unread(ob_report_writer *writer, const char *file, const ob_error *reason, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!writer || !reason, error, OB_E_ARGUMENT, "ob_report_writer_add_unread: writer and reason must not be NULL");
    OB_FAIL_IF(writer->finished, error, OB_E_ARGUMENT, "%s", finished);
    if (writer->out.status == OB_OK) {
        writer->style->add_unread(writer, file ? file : "", reason);
        writer->n_unread++;
    }
    return stepped(writer, error);
}

ob_status ob_report_writer_finish(ob_report_writer *writer, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!writer, error, OB_E_ARGUMENT, "ob_report_writer_finish: writer must not be NULL");
    OB_FAIL_IF(writer->finished, error, OB_E_ARGUMENT, "%s", finished);
    writer->finished = true;
    if (writer->out.status == OB_OK && !any_failed(writer)) writer->style->end(writer);
    if (stepped(writer, error) == OB_OK) (void)ob__output_end(&writer->out);
    return ob__described(error, writer->out.status, "");
}

void ob_report_writer_close(ob_report_writer **writer) {
    if (!writer || !*writer) return;
    ob_report_writer *closing = *writer;
    *writer = NULL;
    for (int severity = 0; severity <= OB_SEVERITY_ERROR; severity++) ob__text_release(&closing->rendered[severity].text);
    ob__text_release(&closing->files);
    ob__text_release(&closing->unread);
    ob__text_release(&closing->scratch);
    ob__arena_release(&closing->arena);
    const ob_allocator allocator = closing->allocator;
    allocator.free(allocator.context, closing, sizeof *closing);
}
