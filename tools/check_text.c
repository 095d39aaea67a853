#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check_parts.h"
#include "check_target.h"
#include "common.h"

/* ---- Findings ---- */

static void print_line(FILE *file, const char *lead, const char *text) {
    fputs(lead, file);
    print_escaped(file, text);
    putc('\n', file);
}

/* "0 'x'", or the description alone of what is not an input. */
static char *operand_label(int32_t input, const char *name) {
    size_t n = strlen(name) + 40;
    char *label = malloc(n);
    if (label && input >= 0)
        snprintf(label, n, "%d '%s'", (int)input, name);
    else if (label)
        snprintf(label, n, "%s", name);
    return label;
}

static ob_status print_operands(const printer *out, const ob_dims *dims, const ob_finding_info *info) {
    if (info->n_operands == 0) return OB_OK;
    shape_row *rows = calloc(info->n_operands, sizeof *rows);
    ob_status status = rows ? OB_OK : OB_E_MEMORY;
    size_t n = 0;
    for (size_t i = 0; i < info->n_operands && status == OB_OK; i++) {
        if (!info->operand_names[i][0]) continue;
        char *label = operand_label(info->operand_inputs[i], info->operand_names[i]);
        if (!label)
            status = OB_E_MEMORY;
        else
            rows[n++] = (shape_row){label, info->operands[i]};
    }
    if (status == OB_OK && n > 0) print_shapes(out, dims, rows, n, info->axis, false, "    ");
    for (size_t i = 0; i < n; i++) free((void *)(uintptr_t)rows[i].label);
    free(rows);
    return status;
}

/* A condition that exists because of the finding's broadcast. */
static ob_status print_caused(const printer *out, ob_report *report, size_t clause) {
    ob_clause_info info;
    ob_status status = ob_report_clause(report, clause, &info);
    if (status != OB_OK) return status;
    print_line(out->file, info.n_guards ? "    it runs under a condition: " : "    it runs only if ", info.text);
    return OB_OK;
}

/* The rule of a deployment target, with its source. */
static void print_rule(FILE *file, const ob_target_row *rule) {
    if (!rule || !rule->source[0]) return;
    fprintf(file, "    rule: %s of %s: %s (%s: %s)\n", rule->what, rule->target, rule->value, rule->confidence, rule->source);
}

/* The first finding of a group. */
static ob_status print_finding(const printer *out, const char *file, ob_report *report, const ob_alike *alike, bool werror) {
    ob_finding_info info;
    ob_status status = ob_report_finding(report, alike->first, &info);
    if (status != OB_OK) return status;
    ob_severity severity = werror && info.severity == OB_SEVERITY_WARNING ? OB_SEVERITY_ERROR : info.severity;
    set_colour(out, COLOUR_BOLD);
    print_escaped(out->file, file);
    fputs(": ", out->file);
    set_colour(out, severity == OB_SEVERITY_ERROR ? COLOUR_RED : severity == OB_SEVERITY_WARNING ? COLOUR_YELLOW : COLOUR_CYAN);
    fprintf(out->file, "%s[%s]: ", ob_severity_name(severity), info.id);
    set_colour(out, COLOUR_NONE);
    if (alike->n > 1) fprintf(out->file, alike->n_names ? "%zu times, first " : "%zu nodes, first ", alike->n);
    if (info.node[0]) {
        print_node(out, info.path, info.node, info.op_type);
        fputs(": ", out->file);
    }
    print_escaped(out->file, info.message);
    putc('\n', out->file);
    print_alike_names(out, "    the same for ", alike);
    status = print_operands(out, ob_report_dims(report), &info);
    if (info.n_calls > 1) fprintf(out->file, "    the same in %" PRIu64 " calls with these operands\n", info.n_calls);
    for (size_t i = 0; i < info.n_origins; i++) print_line(out->file, "    ", info.origins[i]);
    for (size_t i = 0; i < info.n_caused && status == OB_OK; i++) status = print_caused(out, report, info.caused[i]);
    print_rule(out->file, info.rule);
    if (info.source[0]) print_line(out->file, "    source: ", info.source);
    if (info.fix[0]) print_line(out->file, "    fix: ", info.fix);
    return status;
}

static ob_status print_findings(const printer *out, const char *file, ob_report *report, const telling *how) {
    size_t n = ob_report_finding_count(report);
    ob_status status = OB_OK;
    if (how->list == LIST_ALL) {
        for (size_t i = 0; i < n && status == OB_OK; i++)
            status = print_finding(out, file, report, &(ob_alike){.first = i, .n = 1}, how->werror);
        return status;
    }
    ob_alike alike;
    for (size_t i = 0; (status = ob_report_finding_group(report, i, &alike)) == OB_OK; i++)
        if ((status = print_finding(out, file, report, &alike, how->werror)) != OB_OK) return status;
    return status == OB_E_NOT_FOUND ? OB_OK : status;
}

/* ---- The summary ---- */

/* With a list: the bytes that copies of operands would write, a number or a term. */
static void print_copies(FILE *file, const char *path, const ob_report *report) {
    const ob_report_summary s = ob_report_get_summary(report);
    char bytes[64];
    size_t n_others = s.n_uncounted;
    bool number = s.copied_term == OB_DIM_UNKNOWN || ob_dim_is_const(s.copied_term);
    if (s.copied_term == OB_DIM_UNKNOWN) n_others = s.n_open;
    if (s.n_broadcasts == 0 || (number && s.copied_bytes == 0 && n_others == 0)) return; /* there is nothing to copy */
    print_escaped(file, path);
    fputs(": copies would write ", file);
    if (number && s.copied_bytes > 0) {
        format_bytes(s.copied_bytes, bytes, sizeof bytes);
        fputs(bytes, file);
    } else if (!number) {
        print_term(file, ob_report_dims(report), s.copied_term, SIZE_MAX);
        fputs(" bytes", file);
    }
    if (n_others && (!number || s.copied_bytes > 0)) fputs(" and ", file);
    if (n_others) fprintf(file, "%zu broadcast%s of unknown size", n_others, plural(n_others));
    putc('\n', file);
}

static void print_summary(const printer *out, const char *file, const ob_report *report) {
    ob_report_summary s = ob_report_get_summary(report);
    print_escaped(out->file, file);
    fprintf(out->file, ": %zu node%s, %zu broadcast%s; %zu error%s, %zu warning%s, %zu note%s", s.n_nodes, plural(s.n_nodes),
            s.n_broadcasts, plural(s.n_broadcasts), s.n_errors, plural(s.n_errors), s.n_warnings, plural(s.n_warnings), s.n_notes,
            plural(s.n_notes));
    if (s.n_dropped) fprintf(out->file, ", %zu of these not listed", s.n_dropped);
    if (s.n_suppressed) fprintf(out->file, "; %zu suppressed", s.n_suppressed);
    if (s.n_baseline) fprintf(out->file, "%s %zu in the baseline", s.n_suppressed ? "," : ";", s.n_baseline);
    putc('\n', out->file);
}

ob_status print_report_text(const printer *out, const char *file, ob_model *model, ob_report *report, const telling *how) {
    ob_status status = OB_OK;
    print_summary(out, file, report);
    print_targets(out, file, report);
    if (how->list != LIST_NOTHING) print_copies(out->file, file, report);
    if (!how->quiet) {
        status = print_support(out, file, model, how);
        if (status == OB_OK) status = print_contract(out, file, report, how);
        if (status == OB_OK) status = print_broadcasts(out, report, how);
    }
    return status == OB_OK ? print_findings(out, file, report, how) : status;
}

/* ---- Many models ---- */

enum { FILE_COLUMNS = 60 };

static void print_row(const printer *out, const model_row *row, int width) {
    const ob_report_summary *s = &row->summary;
    const size_t n = print_shortened(out->file, row->file, FILE_COLUMNS);
    fprintf(out->file, "%*s", n < (size_t)width ? (int)((size_t)width - n) : 0, "");
    if (row->unread) {
        set_colour(out, COLOUR_RED);
        fputs("  not checked", out->file);
        set_colour(out, COLOUR_NONE);
    } else {
        fprintf(out->file, "%9zu %11zu ", s->n_nodes, s->n_broadcasts);
        if (s->n_errors) set_colour(out, COLOUR_RED);
        fprintf(out->file, "%7zu ", s->n_errors);
        if (s->n_errors) set_colour(out, COLOUR_NONE);
        if (s->n_warnings) set_colour(out, COLOUR_YELLOW);
        fprintf(out->file, "%9zu ", s->n_warnings);
        if (s->n_warnings) set_colour(out, COLOUR_NONE);
        fprintf(out->file, "%6zu", s->n_notes);
    }
    putc('\n', out->file);
}

void print_table(const printer *out, const model_row *rows, size_t n, bool quiet) {
    ob_report_summary total = {0};
    size_t n_erroneous = 0, n_unread = 0;
    int width = (int)sizeof "model";
    for (size_t i = 0; i < n; i++) {
        const size_t columns = escaped_width(rows[i].file);
        if (columns > (size_t)width) width = columns < FILE_COLUMNS ? (int)columns : FILE_COLUMNS;
        n_unread += rows[i].unread;
        n_erroneous += rows[i].summary.n_errors > 0;
        total.n_errors += rows[i].summary.n_errors;
        total.n_warnings += rows[i].summary.n_warnings;
        total.n_notes += rows[i].summary.n_notes;
    }
    if (!quiet) {
        fprintf(out->file, "\n%-*s    nodes  broadcasts  errors  warnings  notes\n", width, "model");
        for (size_t i = 0; i < n; i++) print_row(out, &rows[i], width);
        putc('\n', out->file);
    }
    fprintf(out->file, "total: %zu models, %zu with errors", n, n_erroneous);
    if (n_unread) fprintf(out->file, ", %zu not checked", n_unread);
    fprintf(out->file, "; %zu error%s, %zu warning%s, %zu note%s\n", total.n_errors, plural(total.n_errors), total.n_warnings,
            plural(total.n_warnings), total.n_notes, plural(total.n_notes));
}
