/* Reports as one HTML page that loads nothing. It holds each report twice: as plain HTML, which is readable without scripts and
 * on paper, and as JSON, from which the script of web/page/ makes its views. Strings of a model get into text only: neither into
 * names of elements, nor into styles, addresses or scripts. */
#include <inttypes.h>
#include <string.h>

#include "onnx_broadcast/target.h"
#include "onnx_broadcast/version.h"
#include "passes/format/json.h"
#include "passes/format/page.h"
#include "passes/format/writer.h"

enum {
    LISTED = 1000, /* entries of a list of the plain report; the data has all */
    SHOWN = 400    /* bytes of a string there */
};

/* ---- Text ---- */

static void escape(ob_output *out, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        switch (text[i]) {
        case '&': ob__out(out, "&amp;"); break;
        case '<': ob__out(out, "&lt;"); break;
        case '>': ob__out(out, "&gt;"); break;
        case '"': ob__out(out, "&quot;"); break;
        case '\'': ob__out(out, "&#39;"); break;
        default: ob__out_char(out, text[i]);
        }
    }
}

/* A string of a model: what is hidden becomes visible, and the end of a long one is left out. */
static void put(ob_report_writer *writer, const char *text) {
    char few[SHOWN + 1];
    const size_t n = strnlen(text, SHOWN + 1);
    size_t kept = n;
    if (n > SHOWN) {
        kept = SHOWN;
        while (kept > 0 && ((unsigned char)text[kept] & 0xC0) == 0x80) kept--; /* no half of a character */
    }
    memcpy(few, text, kept);
    few[kept] = '\0';
    writer->scratch.n = 0;
    ob__visible(&writer->scratch, few);
    if (!writer->scratch.failed && writer->scratch.n) escape(&writer->out, writer->scratch.data, writer->scratch.n);
    if (n > SHOWN) ob__out(&writer->out, "\xE2\x80\xA6");
}

static void put_part(ob_report_writer *writer, const ob_page_part *part) {
    ob__out_bytes(&writer->out, (const char *)part->bytes, part->n_bytes);
}

/* ---- The frame ---- */

static void begin_html(ob_report_writer *writer) {
    ob_output *out = &writer->out;
    ob__out(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '");
    ob__out(out, ob__page_script_hash);
    ob__out(out, "'; style-src '");
    ob__out(out, ob__page_style_hash);
    ob__out(out, "'; worker-src blob:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'\">\n"
                 "<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                 "<meta name=\"referrer\" content=\"no-referrer\">\n<title>Broadcasts</title>\n<style>");
    put_part(writer, &ob__page_style);
    ob__outf(out,
             "</style>\n</head>\n<body>\n<div id=\"app\"></div>\n<div id=\"report\">\n<script type=\"application/json\">"
             "{\"version\":2,\"tool\":{\"name\":\"onnx-broadcast-check\",\"version\":\"%s\"}}</script>\n",
             ob_version());
}

static void end_html(ob_report_writer *writer) {
    ob_output *out = &writer->out;
    ob__out(out, "</div>\n");
    if (ob__page_layout.n_bytes) {
        ob__out(out, "<script type=\"text/plain\" id=\"layout-worker\">");
        put_part(writer, &ob__page_layout);
        ob__out(out, "</script>\n");
    }
    ob__out(out, "<script>");
    put_part(writer, &ob__page_script);
    ob__out(out, "</script>\n</body>\n</html>\n");
}

/* ---- The plain report ---- */

static void put_title(ob_report_writer *writer, const char *file) {
    ob__out(&writer->out, "<article>\n<h1>");
    put(writer, file);
    ob__out(&writer->out, "</h1>\n");
}

static void put_count(ob_report_writer *writer, const char *name, size_t n) {
    ob__outf(&writer->out, "<tr><th scope=\"row\">%s</th><td>%zu</td></tr>\n", name, n);
}

static void put_summary(ob_report_writer *writer, const ob_report *report) {
    const ob_report_summary s = ob_report_get_summary(report);
    ob__outf(
        &writer->out,
        "<p><span class=\"%s\">Errors: %zu</span>, <span class=\"%s\">warnings: %zu</span>, notes: %zu. The contract on sizes "
        "is %s.</p>\n<h2>Summary</h2>\n<table><tbody>\n",
        s.n_errors ? "error" : "note", s.n_errors, s.n_warnings ? "warning" : "note", s.n_warnings, s.n_notes,
        ob_contract_status_name(ob_report_contract(report).status));
    put_count(writer, "Nodes", s.n_nodes);
    put_count(writer, "Values", s.n_values);
    put_count(writer, "Values with a known shape", s.n_shaped);
    put_count(writer, "Broadcasts", s.n_broadcasts);
    put_count(writer, "Broadcasts of open size", s.n_open);
    put_count(writer, "Conditions at run time", s.n_conditions);
    put_count(writer, "Findings suppressed", s.n_suppressed);
    put_count(writer, "Findings in the baseline", s.n_baseline);
    ob__outf(&writer->out,
             "<tr><th scope=\"row\">Bytes that copies would write</th><td>%" PRId64 "</td></tr>\n</tbody></table>\n",
             s.copied_bytes);
}

static void put_rest(ob_report_writer *writer, size_t n) {
    if (n > LISTED) ob__outf(&writer->out, "<p>and %zu more</p>\n", n - LISTED);
}

static ob_status put_findings(ob_report_writer *writer, ob_report *report) {
    ob_output *out = &writer->out;
    const size_t n = ob_report_finding_count(report);
    ob__out(out, "<h2>Findings</h2>\n");
    if (!n) ob__out(out, "<p>None.</p>\n");
    if (n) ob__out(out, "<table><thead><tr><th>Severity</th><th>Id</th><th>Node</th><th>Message</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < n && i < LISTED; i++) {
        ob_finding_info f;
        const ob_status status = ob_report_finding(report, i, &f);
        if (status != OB_OK) return status;
        ob__outf(out, "<tr><td class=\"%s\">%s</td><td>%s</td><td>", ob_severity_name(f.severity), ob_severity_name(f.severity),
                 f.id);
        put(writer, f.path);
        put(writer, f.node[0] ? f.node : f.value);
        ob__out(out, " ");
        put(writer, f.op_type);
        ob__out(out, "</td><td>");
        put(writer, f.message);
        if (f.fix[0]) {
            ob__out(out, "<br>Fix: ");
            put(writer, f.fix);
        }
        ob__out(out, "</td></tr>\n");
    }
    if (n) ob__out(out, "</tbody></table>\n");
    put_rest(writer, n);
    return OB_OK;
}

static ob_status put_clauses(ob_report_writer *writer, ob_report *report) {
    ob_output *out = &writer->out;
    const ob_contract_info contract = ob_report_contract(report);
    const size_t n = contract.n_clauses + contract.n_limits;
    ob__out(out, "<h2>Contract</h2>\n");
    if (!n && contract.status == OB_CONTRACT_CONTRADICTORY) ob__out(out, "<p>Errors prevent every run, for all sizes.</p>\n");
    if (!n && contract.status != OB_CONTRACT_CONTRADICTORY) ob__out(out, "<p>No conditions on sizes.</p>\n");
    if (n) ob__out(out, "<ol>\n");
    for (size_t i = 0; i < n && i < LISTED; i++) {
        ob_clause_info clause;
        const ob_status status = ob_report_clause(report, i, &clause);
        if (status != OB_OK) return status;
        ob__out(out, "<li><code>");
        put(writer, clause.text);
        ob__out(out, "</code></li>\n");
    }
    if (n) ob__out(out, "</ol>\n");
    put_rest(writer, n);
    if (contract.n_bounds) ob__out(out, "<p>Conditions on values:</p>\n<ul>\n");
    for (size_t i = 0; i < contract.n_bounds && i < LISTED; i++) {
        ob_bound_info bound;
        const ob_status status = ob_report_bound(report, i, &bound);
        if (status != OB_OK) return status;
        ob__out(out, "<li><code>");
        put(writer, bound.text);
        ob__out(out, "</code></li>\n");
    }
    if (contract.n_bounds) ob__out(out, "</ul>\n");
    if (contract.n_open) ob__outf(out, "<p>%zu requirements could not be stated on sizes.</p>\n", contract.n_open);
    return OB_OK;
}

static void put_targets(ob_report_writer *writer, const ob_report *report) {
    const size_t n = ob_report_target_count(report);
    if (!n) return;
    ob__out(&writer->out, "<h2>Deployment targets</h2>\n<ul>\n");
    for (size_t i = 0; i < n; i++) {
        const ob_target_verdict v = ob_report_target(report, i);
        ob__outf(&writer->out, "<li>%s: %s</li>\n", v.name, ob_effect_name(v.worst));
    }
    ob__out(&writer->out, "</ul>\n");
}

/* JSON that cannot end the element around it. */
static void begin_data(ob_output *out) {
    ob__out(out, "<script type=\"application/json\">");
    out->escaped = "<>&";
}

static void end_data(ob_output *out) {
    out->escaped = "";
    ob__out(out, "</script>\n</article>\n");
}

static void add_html(ob_report_writer *writer, ob_report *report, const ob_report_options *options) {
    ob_report_options with_graph = *options;
    with_graph.graph = true;
    put_title(writer, options->file ? options->file : "");
    put_summary(writer, report);
    ob_report_shorten_names(report, true);
    ob__output_fail(&writer->out, put_findings(writer, report));
    ob__output_fail(&writer->out, put_clauses(writer, report));
    ob_report_shorten_names(report, false);
    put_targets(writer, report);
    begin_data(&writer->out);
    ob__report_json(&writer->out, report, &with_graph);
    end_data(&writer->out);
}

static void add_unread_html(ob_report_writer *writer, const char *file, const ob_error *reason) {
    put_title(writer, file);
    ob__out(&writer->out, "<p class=\"error\">This file could not be read or checked: ");
    put(writer, reason->message);
    ob__out(&writer->out, "</p>\n");
    begin_data(&writer->out);
    ob__unread_json(&writer->out, file, reason);
    end_data(&writer->out);
}

const ob_report_style ob__html_style = {"html", begin_html, add_html, add_unread_html, end_html};
