/* SARIF 2.1.0 (OASIS Standard, errata 01), with the properties that GitHub's code scanning requires: texts that are not empty, a
 * physical location for each result, fingerprints that do not depend on the line. A model file has no lines, so its results are
 * at line 1 with the node as logical location. */
#include <string.h>

#include "core/base/sha256.h"
#include "onnx_broadcast/target.h"
#include "passes/format/writer.h"

enum {
    MOST_RESULTS = 25000, /* of a run: GitHub refuses files with more */
    MOST_TEXT = 1024      /* characters of descriptions of rules */
};

static const char *level_of(ob_severity severity) {
    static const char *const levels[] = {"none", "note", "warning", "error"};
    return levels[severity];
}

/* The scratch text as a JSON string. */
static void put_scratch(ob_report_writer *writer, ob_output *out) {
    ob__out_string(out, writer->scratch.n && !writer->scratch.failed ? writer->scratch.data : "");
}

static void clear(ob_text *text) {
    text->n = 0;
    if (text->data) text->data[0] = '\0';
}

/* ---- Rules ---- */

/* The number of bytes of the first `most` characters. */
static size_t first_characters(const char *text, size_t most) {
    size_t at = 0;
    for (size_t n = 0; text[at] && n < most; n++) {
        const size_t length = ob__utf8_length((const unsigned char *)text + at);
        at += length ? length : 1;
    }
    return at;
}

static void put_text(ob_report_writer *writer, ob_output *out, const char *name, const char *text) {
    clear(&writer->scratch);
    ob__text_append(&writer->scratch, text, first_characters(text, MOST_TEXT));
    ob__out_key(out, name);
    ob__out(out, "{\"text\":");
    put_scratch(writer, out);
    ob__out_char(out, '}');
}

static void put_rule(ob_report_writer *writer, ob_output *out, const ob_finding_doc *doc) {
    static const char *const problems[] = {"recommendation", "recommendation", "warning", "error"};
    ob__out(out, "{\"id\":");
    ob__out_string(out, doc->id);
    ob__out_field(out, "name", doc->title);
    put_text(writer, out, "shortDescription", doc->title);
    put_text(writer, out, "fullDescription", doc->text);
    ob__out(out, ",\"help\":{\"text\":");
    ob__out_string(out, doc->text);
    ob__out(out, ",\"markdown\":");
    clear(&writer->scratch);
    ob__text_printf(&writer->scratch, "**%s: %s**\n\n", doc->id, doc->title);
    ob__text_puts(&writer->scratch, doc->text);
    put_scratch(writer, out);
    ob__out(out, "},\"defaultConfiguration\":{\"level\":");
    ob__out_string(out, level_of(doc->severity));
    ob__out(out, "},\"properties\":{\"tags\":[\"onnx\",\"broadcasting\"],\"precision\":\"high\",\"problem.severity\":");
    ob__out_string(out, problems[doc->severity]);
    ob__out(out, "}}");
}

static size_t rule_index(const char *id) {
    size_t i = 0;
    while (i < ob_finding_doc_count() && strcmp(ob_finding_doc_at(i).id, id) != 0) i++;
    return i;
}

/* ---- Results ---- */

static void put_physical(ob_report_writer *writer, ob_output *out, const char *path, uint32_t line) {
    clear(&writer->scratch);
    ob__out_uri(&writer->scratch, path);
    ob__out(out, "\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    put_scratch(writer, out);
    if (path[0] != '/') ob__out(out, ",\"uriBaseId\":\"%SRCROOT%\"");
    ob__outf(out, "},\"region\":{\"startLine\":%u,\"startColumn\":1,\"endLine\":%u,\"endColumn\":1}}", (unsigned)line,
             (unsigned)line);
}

static void put_logical(ob_report_writer *writer, ob_output *out, const ob_finding_info *finding) {
    const char *name = finding->node[0] ? finding->node : finding->value;
    if (!name[0]) return;
    clear(&writer->scratch);
    ob__visible(&writer->scratch, name);
    ob__out(out, ",\"logicalLocations\":[{\"name\":");
    put_scratch(writer, out);
    clear(&writer->scratch);
    if (finding->node[0]) ob__visible(&writer->scratch, finding->path);
    ob__visible(&writer->scratch, name);
    ob__out(out, ",\"fullyQualifiedName\":");
    put_scratch(writer, out);
    ob__out_field(out, "kind", finding->node[0] ? "node" : "value");
    ob__out(out, "}]");
}

static void put_locations(ob_report_writer *writer, ob_output *out, const ob_finding_info *finding, const char *file) {
    const ob_source_line *source = &writer->source;
    const bool has_line = ob__source_line(writer, finding->source);
    ob__out(out, ",\"locations\":[{");
    put_physical(writer, out, has_line ? source->path : file, has_line ? source->line : 1);
    put_logical(writer, out, finding);
    ob__out(out, "}]");
    if (!has_line) return;
    ob__out(out, ",\"relatedLocations\":[{\"id\":1,");
    put_physical(writer, out, file, 1);
    ob__out(out, ",\"message\":{\"text\":\"the model\"}}]");
}

/* A digest of the model file's name and the finding's fingerprint, and the number of results that have it so far. */
static void put_fingerprints(ob_report_writer *writer, ob_output *out, const ob_finding_info *finding, const char *file) {
    enum { N_DIGITS = 16 };
    char hash[N_DIGITS + 1];
    clear(&writer->scratch);
    ob__out_uri(&writer->scratch, file);
    ob__text_append(&writer->scratch, "", 1);
    ob__text_puts(&writer->scratch, finding->fingerprint);
    if (writer->scratch.failed) return;
    ob__sha256_hex(writer->scratch.data, writer->scratch.n, hash, N_DIGITS);
    ob_map_entry *entry = ob__map_insert(&writer->known, hash, N_DIGITS);
    if (!entry) {
        ob__output_fail(&writer->out, OB_E_MEMORY);
        return;
    }
    const uintptr_t n = (uintptr_t)entry->value + 1;
    entry->value = (void *)n;
    ob__outf(out, ",\"partialFingerprints\":{\"primaryLocationLineHash\":\"%s:%llu\",\"onnxBroadcast/v1\":\"%s\"}", hash,
             (unsigned long long)n, finding->fingerprint);
}

static void put_message(ob_report_writer *writer, ob_output *out, const ob_finding_info *finding) {
    clear(&writer->scratch);
    ob__visible_message(&writer->scratch, finding);
    ob__text_puts(&writer->scratch, ".");
    for (size_t i = 0; i < finding->n_origins; i++) {
        ob__text_puts(&writer->scratch, i ? "; " : " Sizes: ");
        ob__visible(&writer->scratch, finding->origins[i]);
    }
    if (finding->n_origins) ob__text_puts(&writer->scratch, ".");
    if (finding->fix[0]) {
        ob__text_puts(&writer->scratch, " Fix: ");
        ob__visible(&writer->scratch, finding->fix);
        ob__text_puts(&writer->scratch, ".");
    }
    ob__out(out, ",\"message\":{\"text\":");
    put_scratch(writer, out);
    ob__out_char(out, '}');
}

/* SARIF's own "fixes" replace regions of text files. A model is binary, so the fix is named here. */
static void put_properties(ob_report_writer *writer, ob_output *out, const ob_finding_info *finding) {
    ob__out(out, ",\"properties\":{\"operator\":");
    clear(&writer->scratch);
    ob__visible(&writer->scratch, finding->op_type);
    put_scratch(writer, out);
    if (finding->operand >= 0) ob__outf(out, ",\"operand\":%d", (int)finding->operand);
    if (finding->axis >= 0) ob__outf(out, ",\"axis\":%d", (int)finding->axis);
    if (finding->rule) ob__out_field(out, "target", finding->rule->target);
    if (finding->fix[0]) {
        clear(&writer->scratch);
        ob__visible(&writer->scratch, finding->fix);
        ob__out(out, ",\"fix\":");
        put_scratch(writer, out);
    }
    ob__out_char(out, '}');
}

static void add_finding(ob_report_writer *writer, const ob_finding_info *finding, const char *file) {
    ob_rendered *list = &writer->rendered[finding->severity];
    if (list->n == MOST_RESULTS) {
        list->n_left_out++;
        return;
    }
    ob_output out;
    ob__output_to_text(&out, &list->text);
    ob__out(&out, list->n++ ? ",\n{\"ruleId\":" : "{\"ruleId\":");
    ob__out_string(&out, finding->id);
    ob__outf(&out, ",\"ruleIndex\":%zu", rule_index(finding->id));
    ob__out_field(&out, "level", level_of(finding->severity));
    put_message(writer, &out, finding);
    put_locations(writer, &out, finding, file);
    put_fingerprints(writer, &out, finding, file);
    put_properties(writer, &out, finding);
    ob__out_char(&out, '}');
    (void)ob__output_end(&out);
}

static void add_file(ob_report_writer *writer, const char *file) {
    ob_output out;
    ob__output_to_text(&out, &writer->files);
    ob__out(&out, writer->files.n ? ",\n{\"location\":{\"uri\":" : "{\"location\":{\"uri\":");
    clear(&writer->scratch);
    ob__out_uri(&writer->scratch, file);
    put_scratch(writer, &out);
    if (file[0] != '/') ob__out(&out, ",\"uriBaseId\":\"%SRCROOT%\"");
    ob__out(&out, "},\"roles\":[\"analysisTarget\"],\"mimeType\":\"application/octet-stream\"}");
    (void)ob__output_end(&out);
}

/* GitHub counts an empty text as missing. */
static const char *named(const char *file) {
    return file && file[0] ? file : "model";
}

static void add(ob_report_writer *writer, ob_report *report, const ob_report_options *options) {
    const char *file = named(options->file);
    const size_t n = ob_report_finding_count(report);
    add_file(writer, file);
    for (size_t i = 0; i < n; i++) {
        ob_finding_info finding;
        const ob_status status = ob_report_finding(report, i, &finding);
        if (status != OB_OK) {
            ob__output_fail(&writer->out, status);
            return;
        }
        add_finding(writer, &finding, file);
    }
    writer->rendered[OB_SEVERITY_NONE].n_left_out += ob_report_get_summary(report).n_dropped;
}

static void put_notification(ob_text *to, const char *level, const char *text) {
    ob_output out;
    ob__output_to_text(&out, to);
    ob__out(&out, to->n ? ",\n{\"level\":" : "{\"level\":");
    ob__out_string(&out, level);
    ob__out(&out, ",\"message\":{\"text\":");
    ob__out_string(&out, text);
    ob__out(&out, "}}");
    (void)ob__output_end(&out);
}

static void add_unread(ob_report_writer *writer, const char *file, const ob_error *reason) {
    add_file(writer, named(file));
    clear(&writer->scratch);
    ob__visible(&writer->scratch, named(file));
    ob__text_puts(&writer->scratch, " was not checked: ");
    ob__visible(&writer->scratch, reason->message[0] ? reason->message : ob_status_text(reason->code));
    if (!writer->scratch.failed) put_notification(&writer->unread, "error", writer->scratch.data);
}

/* Errors, then warnings, then notes, at most MOST_RESULTS. */
static void put_results(ob_report_writer *writer, ob_output *out) {
    size_t n = 0, n_left_out = writer->rendered[OB_SEVERITY_NONE].n_left_out;
    for (int severity = OB_SEVERITY_ERROR; severity > OB_SEVERITY_NONE; severity--) {
        const ob_rendered *list = &writer->rendered[severity];
        const char *at = list->text.data, *end = at ? at + list->text.n : NULL;
        for (; at < end && n < MOST_RESULTS; n++) { /* a result is a line */
            const char *line_end = memchr(at, '\n', (size_t)(end - at));
            const size_t length = line_end ? (size_t)(line_end - at) : (size_t)(end - at);
            if (n) ob__out(out, at == list->text.data ? ",\n" : "\n");
            const bool last_fits = n + 1 == MOST_RESULTS;
            ob__out_bytes(out, at, length - (last_fits && line_end ? 1 : 0)); /* without its comma */
            at = line_end ? line_end + 1 : end;
        }
        for (; at < end; n_left_out++) {
            const char *line_end = memchr(at, '\n', (size_t)(end - at));
            at = line_end ? line_end + 1 : end;
        }
        n_left_out += list->n_left_out;
    }
    if (!n_left_out) return;
    clear(&writer->scratch);
    ob__text_printf(&writer->scratch, "%llu more findings are left out", (unsigned long long)n_left_out);
    if (!writer->scratch.failed) put_notification(&writer->unread, "warning", writer->scratch.data);
}

static void end(ob_report_writer *writer) {
    ob_output *out = &writer->out;
    ob__out(out, "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\n"
                 "\"tool\":{\"driver\":{\"name\":\"onnx-broadcast\",\"semanticVersion\":");
    ob__out_string(out, ob_version());
    ob__out(out, ",\"rules\":[\n");
    for (size_t i = 0; i < ob_finding_doc_count(); i++) {
        const ob_finding_doc doc = ob_finding_doc_at(i);
        if (i) ob__out(out, ",\n");
        put_rule(writer, out, &doc);
    }
    ob__out(out, "]}},\n\"columnKind\":\"utf16CodeUnits\",\n\"artifacts\":[");
    if (writer->files.n) ob__out_bytes(out, writer->files.data, writer->files.n);
    ob__out(out, "],\n\"results\":[");
    put_results(writer, out);
    ob__outf(out, "],\n\"invocations\":[{\"executionSuccessful\":%s,\"toolExecutionNotifications\":[",
             writer->n_unread ? "false" : "true");
    if (writer->unread.n) ob__out_bytes(out, writer->unread.data, writer->unread.n);
    ob__out(out, "]}]}]}\n");
}

const ob_report_style ob__sarif_style = {"sarif", NULL, add, add_unread, end};
