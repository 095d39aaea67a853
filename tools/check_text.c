#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char *plural(size_t n) {
    return n == 1 ? "" : "s";
}

static void print_node(const printer *out, const char *path, const char *node, const char *op_type) {
    fputs("node \"", out->file);
    print_escaped(out->file, path);
    print_escaped(out->file, node);
    fputs("\" (", out->file);
    print_escaped(out->file, op_type);
    putc(')', out->file);
}

/* ---- Broadcasts ----------------------------------------------------------------------------------------------------- */

static void print_stretched(FILE *file, const ob_broadcast_info *info) {
    bool any = false;
    for (size_t i = 0; i < info->n_operands; i++) {
        if (info->stretched[i] == 0) continue;
        fputs(any ? "; \"" : "  stretched: \"", file);
        print_escaped(file, info->names[i]);
        fputs(info->stretched[i] & (info->stretched[i] - 1) ? "\" along axes" : "\" along axis", file);
        for (int axis = 0; axis < 64; axis++)
            if (info->stretched[i] >> axis & 1) fprintf(file, " %d", axis);
        any = true;
    }
    if (any) putc('\n', file);
}

static void print_copied(FILE *file, const ob_dims *dims, ob_dim bytes) {
    char text[256];
    if (bytes == OB_DIM_UNKNOWN) return;
    ob_dim_format(dims, bytes, text, sizeof text);
    fprintf(file, "  a copying implementation would write %s%s bytes\n",
            ob_dim_is_const(bytes) && bytes == OB_DIM_CONST_MAX ? "at least " : "", text);
}

static ob_status print_broadcast(const printer *out, ob_report *report, size_t index, shape_row **rows, size_t *capacity) {
    ob_broadcast_info info;
    ob_status status = ob_report_broadcast(report, index, &info);
    if (status != OB_OK) return status;
    if (!*rows || info.n_operands + 1 > *capacity) {
        shape_row *grown = realloc(*rows, (info.n_operands + 1) * sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        *rows = grown;
        *capacity = info.n_operands + 1;
    }
    set_colour(out, COLOUR_BOLD);
    print_node(out, info.path, info.node, info.op_type);
    set_colour(out, COLOUR_NONE);
    fprintf(out->file, ": %s\n", info.rule);
    for (size_t i = 0; i < info.n_operands; i++) (*rows)[i] = (shape_row){info.names[i], info.operands[i]};
    (*rows)[info.n_operands] = (shape_row){"Result", info.result};
    print_shapes(out, ob_report_dims(report), *rows, info.n_operands + (info.fits ? 1 : 0), -1, info.fits, "  ");
    if (!info.fits) fputs("  no result: the operands do not broadcast\n", out->file);
    print_stretched(out->file, &info);
    print_copied(out->file, ob_report_dims(report), info.copied_bytes);
    putc('\n', out->file);
    return OB_OK;
}

static ob_status print_broadcasts(const printer *out, ob_report *report) {
    shape_row *rows = NULL;
    size_t capacity = 0, n = ob_report_broadcast_count(report);
    ob_status status = OB_OK;
    for (size_t i = 0; i < n && status == OB_OK; i++) status = print_broadcast(out, report, i, &rows, &capacity);
    free(rows);
    return status;
}

/* ---- Conditions: each once, with the number of places ---------------------------------------------------------------- */

typedef struct condition_key {
    ob_condition condition;
    size_t index;
} condition_key;

static int by_condition(const void *a, const void *b) {
    const condition_key *x = a, *y = b;
    if (x->condition.kind != y->condition.kind) return x->condition.kind < y->condition.kind ? -1 : 1;
    if (x->condition.a != y->condition.a) return x->condition.a < y->condition.a ? -1 : 1;
    if (x->condition.b != y->condition.b) return x->condition.b < y->condition.b ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool same_condition(const ob_condition *a, const ob_condition *b) {
    return a->kind == b->kind && a->a == b->a && a->b == b->b;
}

static int by_index(const void *a, const void *b) {
    const condition_key *x = a, *y = b;
    return x->index < y->index ? -1 : x->index > y->index;
}

static ob_status print_condition(const printer *out, ob_report *report, size_t index, size_t n_places) {
    ob_condition_info info;
    ob_status status = ob_report_condition(report, index, &info);
    if (status != OB_OK) return status;
    fputs("  ", out->file);
    print_escaped(out->file, info.text);
    if (info.node[0]) {
        fputs("    at ", out->file);
        print_node(out, info.path, info.node, info.op_type);
    }
    if (n_places > 1) fprintf(out->file, " and %zu more", n_places - 1);
    putc('\n', out->file);
    return OB_OK;
}

static ob_status print_conditions(const printer *out, ob_report *report) {
    size_t n = ob_report_condition_count(report), n_distinct = 0;
    if (n == 0) return OB_OK;
    condition_key *keys = malloc(n * sizeof *keys);
    size_t *places = malloc(n * sizeof *places);
    ob_status status = keys && places ? OB_OK : OB_E_MEMORY;
    for (size_t i = 0; i < n && status == OB_OK; i++) {
        ob_condition_info info;
        status = ob_report_condition(report, i, &info);
        if (status == OB_OK) keys[i] = (condition_key){info.condition, i};
    }
    if (status == OB_OK) {
        qsort(keys, n, sizeof *keys, by_condition);
        for (size_t i = 0; i < n; i++) {
            if (n_distinct > 0 && same_condition(&keys[i].condition, &keys[n_distinct - 1].condition)) {
                places[keys[n_distinct - 1].index]++;
                continue;
            }
            keys[n_distinct++] = keys[i];
            places[keys[n_distinct - 1].index] = 1;
        }
        qsort(keys, n_distinct, sizeof *keys, by_index);
        set_colour(out, COLOUR_BOLD);
        fputs("the model's shape contract: it holds only if", out->file);
        set_colour(out, COLOUR_NONE);
        putc('\n', out->file);
        for (size_t i = 0; i < n_distinct && status == OB_OK; i++)
            status = print_condition(out, report, keys[i].index, places[keys[i].index]);
        putc('\n', out->file);
    }
    free(keys);
    free(places);
    return status;
}

/* ---- Findings ------------------------------------------------------------------------------------------------------- */

static void print_line(FILE *file, const char *lead, const char *text) {
    fputs(lead, file);
    print_escaped(file, text);
    putc('\n', file);
}

/* Messages quote names that come from the file: quotes stay, the rest is made harmless. */
static void print_message(FILE *file, const char *text) {
    const char *quote;
    while ((quote = strchr(text, '"'))) {
        char part[512];
        size_t n = (size_t)(quote - text) < sizeof part ? (size_t)(quote - text) : sizeof part - 1;
        memcpy(part, text, n);
        part[n] = '\0';
        print_escaped(file, part);
        if (text + n == quote) putc('"', file), n++;
        text += n;
    }
    print_escaped(file, text);
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

static ob_status print_finding(const printer *out, const char *file, ob_report *report, size_t index, bool werror) {
    ob_finding_info info;
    ob_status status = ob_report_finding(report, index, &info);
    if (status != OB_OK) return status;
    ob_severity severity = werror && info.severity == OB_SEVERITY_WARNING ? OB_SEVERITY_ERROR : info.severity;
    set_colour(out, COLOUR_BOLD);
    print_escaped(out->file, file);
    fputs(": ", out->file);
    set_colour(out, severity == OB_SEVERITY_ERROR ? COLOUR_RED : severity == OB_SEVERITY_WARNING ? COLOUR_YELLOW : COLOUR_CYAN);
    fprintf(out->file, "%s[%s]: ", ob_severity_name(severity), info.id);
    set_colour(out, COLOUR_NONE);
    if (info.node[0]) {
        print_node(out, info.path, info.node, info.op_type);
        fputs(": ", out->file);
    }
    print_message(out->file, info.message);
    putc('\n', out->file);
    status = print_operands(out, ob_report_dims(report), &info);
    for (size_t i = 0; i < info.n_origins; i++) print_line(out->file, "    ", info.origins[i]);
    if (info.source[0]) print_line(out->file, "    source: ", info.source);
    if (info.fix[0]) print_line(out->file, "    fix: ", info.fix);
    return status;
}

static void print_summary(const printer *out, const char *file, const ob_report *report) {
    ob_report_summary s = ob_report_get_summary(report);
    char bytes[64];
    format_bytes(s.copied_bytes, bytes, sizeof bytes);
    print_escaped(out->file, file);
    fprintf(out->file, ": %zu node%s, %zu broadcast%s, %zu condition%s; %zu error%s, %zu warning%s, %zu note%s", s.n_nodes,
            plural(s.n_nodes), s.n_broadcasts, plural(s.n_broadcasts), s.n_conditions, plural(s.n_conditions), s.n_errors,
            plural(s.n_errors), s.n_warnings, plural(s.n_warnings), s.n_notes, plural(s.n_notes));
    if (s.n_dropped) fprintf(out->file, ", %zu of these not listed", s.n_dropped);
    fprintf(out->file, "; copies would write %s", bytes);
    if (s.n_open) fprintf(out->file, " (%zu of open size not counted)", s.n_open);
    putc('\n', out->file);
}

ob_status print_report_text(const printer *out, const char *file, ob_report *report, bool quiet, bool werror) {
    ob_status status = OB_OK;
    if (!quiet) status = print_broadcasts(out, report);
    if (!quiet && status == OB_OK) status = print_conditions(out, report);
    size_t n = ob_report_finding_count(report);
    for (size_t i = 0; i < n && status == OB_OK; i++) status = print_finding(out, file, report, i, werror);
    if (status == OB_OK) print_summary(out, file, report);
    return status;
}
