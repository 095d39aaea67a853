/* onnx-broadcast-check --cost: bytes that explicit broadcasts would write, and the change of the peak. */
#include "check_cost.h"

#include "common.h"

enum { SHOWN = 20 };

static void print_bytes(FILE *file, const char *lead, int64_t n_bytes, const char *unknown) {
    char text[64];
    format_bytes(n_bytes, text, sizeof text);
    fprintf(file, "%s%s", lead, n_bytes < 0 ? unknown : text);
}

static void print_peak(FILE *file, const char *node) {
    if (!node[0]) return;
    fputs(" at \"", file);
    print_in_quotes(file, node, NAME_COLUMNS);
    fputs("\"", file);
}

static void print_cell(FILE *file, int64_t n_bytes) {
    char text[64] = "?";
    if (n_bytes >= 0) format_bytes(n_bytes, text, sizeof text);
    fprintf(file, "%12s", text);
}

static ob_status print_row(const printer *out, ob_report *report, const ob_cost_row *row) {
    ob_broadcast_info info;
    const ob_status status = ob_report_broadcast(report, row->broadcast, &info);
    if (status != OB_OK) return status;
    fputs("  ", out->file);
    print_cell(out->file, row->copied_bytes);
    if (row->copied_bytes > 0 && row->operand_bytes > 0)
        fprintf(out->file, " %8.4gx", (double)row->copied_bytes / (double)row->operand_bytes);
    else
        fputs("         ?", out->file);
    print_cell(out->file, row->live_bytes);
    print_cell(out->file, row->peak_change);
    fputs("  ", out->file);
    print_node(out, info.path, info.node, info.op_type);
    putc('\n', out->file);
    return OB_OK;
}

static ob_status print_rows(const printer *out, ob_report *report, const ob_cost *cost, bool all) {
    const size_t n = ob_cost_get_info(cost).n_nodes, shown = all || n < SHOWN ? n : SHOWN;
    if (n == 0) return OB_OK;
    fputs("        copies     reuse      beside  peak grows  broadcast\n", out->file);
    for (size_t i = 0; i < shown; i++) {
        const ob_cost_row row = ob_cost_at(cost, i);
        const ob_status status = print_row(out, report, &row);
        if (status != OB_OK) return status;
    }
    if (n > shown) fprintf(out->file, "  and %zu more; --list shows all\n", n - shown);
    return OB_OK;
}

ob_status print_cost(const printer *out, const char *file, ob_report *report, bool all) {
    ob_cost *cost = NULL;
    ob_status status = ob_cost_create(report, &cost, NULL);
    if (status != OB_OK) return status;
    const ob_cost_info info = ob_cost_get_info(cost);
    print_escaped(out->file, file);
    print_bytes(out->file, ": cost: weights ", info.weight_bytes, "?");
    print_bytes(out->file, ", peak of values ", info.peak_bytes, "not known");
    print_peak(out->file, info.peak_node);
    print_bytes(out->file, ", with explicit copies ", info.explicit_bytes, "not known");
    print_peak(out->file, info.explicit_node);
    putc('\n', out->file);
    if (info.unknown[0]) {
        fputs("  ", out->file);
        print_escaped(out->file, info.unknown);
        fputs(": give open sizes with --dim\n", out->file);
    }
    status = print_rows(out, report, cost, all);
    ob_cost_close(&cost);
    return status;
}

ob_cost *cost_within(const char *tool, const char *file, const char *what, ob_report *report, uint64_t limit) {
    ob_cost *cost = NULL;
    char needed[64], allowed[64];
    ob_error error;
    if (ob_cost_create(report, &cost, &error) != OB_OK) {
        complain_error(tool, file, &error);
        return NULL;
    }
    const ob_cost_info info = ob_cost_get_info(cost);
    const int64_t most = limit > INT64_MAX ? INT64_MAX : (int64_t)limit;
    if (info.peak_bytes >= 0 && info.peak_bytes <= most) return cost;
    format_bytes(info.peak_bytes, needed, sizeof needed);
    format_bytes(most, allowed, sizeof allowed);
    if (info.peak_bytes < 0)
        complain(tool, file, "--max-ram: the memory of %s is not known: %s; give open sizes with --dim", what, info.unknown);
    else
        complain(tool, file, "--max-ram: %s needs %s at \"%s\", and %s are allowed", what, needed, info.peak_node, allowed);
    ob_cost_close(&cost);
    return NULL;
}
