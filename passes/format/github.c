/* Workflow commands of GitHub Actions ("Workflow commands for GitHub Actions", and the runner's ActionCommand): ::error
 * file=...::text. The runner shows ten annotations of each type for a step and cuts a message at 4096 characters. */
#include <string.h>

#include "onnx_broadcast/check.h"
#include "passes/format/writer.h"

enum { MOST_OF_A_TYPE = 10, MOST_BYTES = 3900 };

static const char *const commands[] = {
    [OB_SEVERITY_NOTE] = "notice", [OB_SEVERITY_WARNING] = "warning", [OB_SEVERITY_ERROR] = "error"};

/* "%" first, then line ends; in properties ":" and "," too. */
static void append_escaped(ob_text *out, const char *text, size_t n, bool property) {
    for (size_t i = 0; i < n && text[i]; i++) {
        const char c = text[i];
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
            ob__text_printf(out, "%%%02X", (unsigned)c);
        else
            ob__text_append(out, &c, 1);
    }
}

static void add_property(ob_report_writer *writer, ob_text *out, const char *lead, const char *text) {
    writer->scratch.n = 0;
    ob__text_puts(out, lead);
    ob__visible(&writer->scratch, text);
    append_escaped(out, writer->scratch.data, writer->scratch.n, true);
}

/* The scratch text as the message. */
static void add_message(ob_report_writer *writer, ob_text *out) {
    const char *text = writer->scratch.data;
    size_t n = writer->scratch.n;
    if (n > MOST_BYTES)
        for (n = MOST_BYTES; n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80;) n--; /* whole characters */
    ob__text_puts(out, "::");
    append_escaped(out, text, n, false);
    ob__text_puts(out, n < writer->scratch.n ? "...\n" : "\n");
}

static void add_line(ob_text *out, const char *lead, const char *text) {
    if (!text[0]) return;
    ob__text_puts(out, "\n");
    ob__text_puts(out, lead);
    ob__visible(out, text);
}

static void add_finding(ob_report_writer *writer, const ob_finding_info *finding, const char *file) {
    ob_rendered *list = &writer->rendered[finding->severity];
    const ob_source_line *source = &writer->source;
    if (list->n == MOST_OF_A_TYPE) {
        list->n_left_out++;
        return;
    }
    list->n++;
    ob__text_puts(&list->text, "::");
    ob__text_puts(&list->text, commands[finding->severity]);
    const bool has_line = ob__source_line(writer, finding->source);
    add_property(writer, &list->text, " file=", has_line ? source->path : file);
    ob__text_printf(&list->text, ",line=%u", has_line ? (unsigned)source->line : 1u);
    add_property(writer, &list->text, ",title=", finding->id);
    add_property(writer, &list->text, " ", finding->title);
    writer->scratch.n = 0;
    if (has_line) {
        ob__visible(&writer->scratch, file);
        ob__text_puts(&writer->scratch, ": ");
    }
    ob__visible_message(&writer->scratch, finding);
    for (size_t i = 0; i < finding->n_origins; i++) add_line(&writer->scratch, "", finding->origins[i]);
    add_line(&writer->scratch, "fix: ", finding->fix);
    add_message(writer, &list->text);
}

static void add(ob_report_writer *writer, ob_report *report, const ob_report_options *options) {
    const ob_report_summary summary = ob_report_get_summary(report);
    const size_t n = ob_report_finding_count(report);
    for (size_t i = 0; i < n; i++) {
        ob_finding_info finding;
        const ob_status status = ob_report_finding(report, i, &finding);
        if (status != OB_OK) {
            ob__output_fail(&writer->out, status);
            return;
        }
        add_finding(writer, &finding, options->file ? options->file : "");
    }
    writer->rendered[OB_SEVERITY_NONE].n_left_out += summary.n_dropped; /* of any severity */
}

static void add_unread(ob_report_writer *writer, const char *file, const ob_error *reason) {
    ob_rendered *list = &writer->rendered[OB_SEVERITY_ERROR];
    if (list->n == MOST_OF_A_TYPE) {
        list->n_left_out++;
        return;
    }
    list->n++;
    ob__text_puts(&list->text, "::error");
    add_property(writer, &list->text, " file=", file);
    ob__text_puts(&list->text, ",line=1,title=onnx-broadcast");
    writer->scratch.n = 0;
    ob__text_puts(&writer->scratch, "not checked: ");
    ob__visible(&writer->scratch, reason->message[0] ? reason->message : ob_status_text(reason->code));
    add_message(writer, &list->text);
}

/* The last notice of ten tells how many findings have no annotation. */
static void end(ob_report_writer *writer) {
    ob_output *out = &writer->out;
    size_t n_left_out = 0;
    for (int severity = OB_SEVERITY_ERROR; severity >= OB_SEVERITY_NONE; severity--)
        n_left_out += writer->rendered[severity].n_left_out;
    for (int severity = OB_SEVERITY_ERROR; severity > OB_SEVERITY_NONE; severity--) {
        const ob_rendered *list = &writer->rendered[severity];
        size_t n_bytes = list->text.n;
        if (severity == OB_SEVERITY_NOTE && list->n == MOST_OF_A_TYPE && n_left_out > 0) {
            while (n_bytes > 0 && (n_bytes == list->text.n || list->text.data[n_bytes - 1] != '\n')) n_bytes--;
            n_left_out++;
        }
        if (n_bytes) ob__out_bytes(out, list->text.data, n_bytes);
    }
    if (n_left_out)
        ob__outf(out, "::notice title=onnx-broadcast::%zu more finding%s without annotation; the report lists all\n", n_left_out,
                 n_left_out == 1 ? "" : "s");
}

const ob_report_style ob__github_style = {"github", NULL, add, add_unread, end};
