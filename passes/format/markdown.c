/* GitHub Flavored Markdown, for summaries of jobs and comments. Punctuation of texts from models becomes character references,
 * which Markdown does not interpret: no name makes a link, an image, a mention or a cell. */
#include <string.h>

#include "passes/format/writer.h"

enum {
    MOST_ROWS = 200,     /* of one model */
    MOST_BYTES = 1000000 /* GitHub takes 1 MiB for a step */
};

static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || (unsigned char)c >= 0x80;
}

/* The scratch text; "w." begins a link in "www.". */
static void put_scratch(ob_report_writer *writer, ob_text *out) {
    const ob_text *text = &writer->scratch;
    for (size_t i = 0; i < text->n && !text->failed; i++) {
        const char c = text->data[i];
        const bool links = c == '.' && i > 0 && (text->data[i - 1] == 'w' || text->data[i - 1] == 'W');
        if (is_plain(c) || (strchr(",.;()=+-\"'?", c) && !links && i > 0))
            ob__text_append(out, &c, 1);
        else
            ob__text_printf(out, "&#%u;", (unsigned)(unsigned char)c);
    }
    writer->scratch.n = 0;
}

static void put(ob_report_writer *writer, ob_text *out, const char *text) {
    writer->scratch.n = 0;
    ob__visible(&writer->scratch, text);
    put_scratch(writer, out);
}

static void put_count(ob_text *out, size_t n, const char *what) {
    ob__text_printf(out, "%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
}

static void put_finding(ob_report_writer *writer, ob_text *out, const ob_finding_info *finding) {
    ob__text_puts(out, "| ");
    if (finding->severity == OB_SEVERITY_ERROR) ob__text_puts(out, "**");
    ob__text_puts(out, ob_severity_name(finding->severity));
    if (finding->severity == OB_SEVERITY_ERROR) ob__text_puts(out, "**");
    ob__text_puts(out, " | ");
    ob__text_puts(out, finding->id);
    ob__text_puts(out, " | ");
    if (finding->node[0]) {
        writer->scratch.n = 0;
        ob__visible(&writer->scratch, finding->path);
        ob__visible(&writer->scratch, finding->node);
        ob__text_puts(out, "<code>");
        put_scratch(writer, out);
        ob__text_puts(out, "</code> ");
        put(writer, out, finding->op_type);
    }
    ob__text_puts(out, " | ");
    put(writer, out, finding->message);
    for (size_t i = 0; i < finding->n_origins; i++) {
        ob__text_puts(out, "<br>");
        put(writer, out, finding->origins[i]);
    }
    if (finding->fix[0]) {
        ob__text_puts(out, "<br>*Fix:* ");
        put(writer, out, finding->fix);
    }
    ob__text_puts(out, " |\n");
}

static ob_status put_findings(ob_report_writer *writer, ob_text *out, ob_report *report) {
    const size_t n = ob_report_finding_count(report), shown = n < MOST_ROWS ? n : MOST_ROWS;
    if (n == 0) return OB_OK;
    ob__text_puts(out, "\n| Severity | Finding | Node | Message |\n|---|---|---|---|\n");
    for (size_t i = 0; i < shown; i++) {
        ob_finding_info finding;
        const ob_status status = ob_report_finding(report, i, &finding);
        if (status != OB_OK) return status;
        put_finding(writer, out, &finding);
    }
    if (n > shown) ob__text_printf(out, "\n%llu more findings are not listed.\n", (unsigned long long)(n - shown));
    return OB_OK;
}

static ob_status put_contract(ob_report_writer *writer, ob_text *out, ob_report *report) {
    const ob_contract_info contract = ob_report_contract(report);
    const size_t shown = contract.n_clauses < MOST_ROWS ? contract.n_clauses : MOST_ROWS;
    if (contract.n_clauses + contract.n_bounds + contract.n_unverified == 0) return OB_OK;
    ob__text_printf(out, "\n<details><summary>Contract on input sizes: %s, ", ob_contract_status_name(contract.status));
    put_count(out, contract.n_clauses, "clause");
    ob__text_puts(out, "</summary>\n\n");
    for (size_t i = 0; i < shown; i++) {
        ob_clause_info clause;
        const ob_status status = ob_report_clause(report, i, &clause);
        if (status != OB_OK) return status;
        ob__text_puts(out, "- ");
        put(writer, out, clause.text);
        ob__text_puts(out, "\n");
    }
    if (contract.n_clauses > shown) ob__text_printf(out, "- and %llu more\n", (unsigned long long)(contract.n_clauses - shown));
    for (size_t i = 0; i < contract.n_bounds && i < MOST_ROWS; i++) {
        ob_bound_info bound;
        const ob_status status = ob_report_bound(report, i, &bound);
        if (status != OB_OK) return status;
        ob__text_puts(out, "- elements: ");
        put(writer, out, bound.text);
        ob__text_puts(out, "\n");
    }
    for (size_t i = 0; i < contract.n_unverified && i < MOST_ROWS; i++) {
        ob_unverified_info unverified;
        const ob_status status = ob_report_unverified(report, i, &unverified);
        if (status != OB_OK) return status;
        ob__text_printf(out, "- not verified (%llu): ", (unsigned long long)unverified.n);
        put(writer, out, unverified.reason);
        ob__text_puts(out, "\n");
    }
    ob__text_puts(out, "\n</details>\n");
    return OB_OK;
}

static void put_heading(ob_report_writer *writer, ob_text *out, const char *file) {
    ob__text_puts(out, writer->n_models + writer->n_unread ? "\n### <code>" : "### <code>");
    put(writer, out, file);
    ob__text_puts(out, "</code>\n\n");
}

/* A model that would make the file too long is counted only. */
static void pass_on(ob_report_writer *writer, ob_text *model) {
    ob_rendered *all = &writer->rendered[OB_SEVERITY_NONE];
    if (all->n + model->n > MOST_BYTES) {
        all->n_left_out++;
    } else if (model->n) {
        all->n += model->n;
        ob__out_bytes(&writer->out, model->data, model->n);
    }
    model->n = 0;
}

static void add(ob_report_writer *writer, ob_report *report, const ob_report_options *options) {
    const ob_report_summary s = ob_report_get_summary(report);
    ob_text *out = &writer->files;
    put_heading(writer, out, options->file ? options->file : "");
    put_count(out, s.n_errors, "error");
    ob__text_puts(out, ", ");
    put_count(out, s.n_warnings, "warning");
    ob__text_puts(out, ", ");
    put_count(out, s.n_notes, "note");
    ob__text_puts(out, "; ");
    put_count(out, s.n_nodes, "node");
    ob__text_puts(out, ", ");
    put_count(out, s.n_broadcasts, "broadcast");
    if (s.n_suppressed) ob__text_printf(out, "; %llu suppressed", (unsigned long long)s.n_suppressed);
    if (s.n_baseline) ob__text_printf(out, "; %llu in the baseline", (unsigned long long)s.n_baseline);
    ob__text_puts(out, "\n");
    ob_status status = put_findings(writer, out, report);
    if (status == OB_OK) status = put_contract(writer, out, report);
    if (status != OB_OK) ob__output_fail(&writer->out, status);
    pass_on(writer, out);
}

static void add_unread(ob_report_writer *writer, const char *file, const ob_error *reason) {
    ob_text *out = &writer->files;
    put_heading(writer, out, file);
    ob__text_puts(out, "**not checked:** ");
    put(writer, out, reason->message[0] ? reason->message : ob_status_text(reason->code));
    ob__text_puts(out, "\n");
    pass_on(writer, out);
}

static void end(ob_report_writer *writer) {
    const size_t n = writer->rendered[OB_SEVERITY_NONE].n_left_out;
    if (n) ob__outf(&writer->out, "\n%zu more model%s not listed: the summary is too long.\n", n, n == 1 ? " is" : "s are");
}

const ob_report_style ob__markdown_style = {"markdown", NULL, add, add_unread, end};
