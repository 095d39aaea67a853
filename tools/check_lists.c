/* The lists of a report besides its findings: the contract, broadcasts, nodes that the executor cannot run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check_parts.h"
#include "common.h"

/* ---- Broadcasts ---- */

static void print_stretched(FILE *file, const ob_broadcast_info *info) {
    bool any = false;
    for (size_t i = 0; i < info->n_operands; i++) {
        if (info->stretched[i] == 0) continue;
        fputs(any ? "; \"" : "  stretched: \"", file);
        print_in_quotes(file, info->names[i], SIZE_MAX);
        fputs(info->stretched[i] & (info->stretched[i] - 1) ? "\" along axes" : "\" along axis", file);
        for (int axis = 0; axis < 64; axis++)
            if (info->stretched[i] >> axis & 1) fprintf(file, " %d", axis);
        any = true;
    }
    if (any) putc('\n', file);
}

static void print_copied(FILE *file, const ob_dims *dims, ob_dim bytes) {
    if (bytes == OB_DIM_UNKNOWN) return;
    fprintf(file, "  a copying implementation would write %s",
            ob_dim_is_const(bytes) && bytes == OB_DIM_CONST_MAX ? "at least " : "");
    print_dim(file, dims, bytes);
    fputs(" bytes\n", file);
}

static ob_status print_broadcast(const printer *out, ob_report *report, size_t index, shape_row **rows, size_t *capacity) {
    ob_broadcast_info info;
    ob_status status = ob_report_broadcast(report, index, &info);
    if (status != OB_OK) return status;
    shape_row *room = with_room(*rows, capacity, info.n_operands + 1, sizeof *room);
    if (!room) return OB_E_MEMORY;
    *rows = room;
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
    if (info.n_calls > 1) fprintf(out->file, "  the same in %" PRIu64 " calls with these operands\n", info.n_calls);
    putc('\n', out->file);
    return OB_OK;
}

static ob_status print_each(const printer *out, ob_report *report) {
    shape_row *rows = NULL;
    size_t capacity = 0, n = ob_report_broadcast_count(report);
    ob_status status = OB_OK;
    for (size_t i = 0; i < n && status == OB_OK; i++) status = print_broadcast(out, report, i, &rows, &capacity);
    free(rows);
    return status;
}

/* "(8) onto (batch x T x 8)" when one operand has the result's shape, else "(N x 1) with (1 x M) to (N x M)". */
static void print_pattern(FILE *file, const ob_dims *dims, const ob_broadcast_info *info) {
    size_t n_stretched = 0, shown = 0;
    for (size_t i = 0; i < info->n_operands; i++) n_stretched += info->stretched[i] != 0;
    bool onto = info->fits && n_stretched > 0 && n_stretched < info->n_operands && info->n_fixed_axes == 0;
    for (size_t i = 0; i < info->n_operands; i++) {
        if (onto && info->stretched[i] == 0) continue;
        if (shown++) fputs(" with ", file);
        print_shape(file, dims, &info->operands[i]);
    }
    if (!info->fits) {
        fputs(" do not broadcast", file);
        return;
    }
    fputs(onto ? " onto " : " to ", file);
    print_shape(file, dims, &info->result);
}

static ob_status print_patterns(const printer *out, ob_report *report) {
    ob_alike alike;
    ob_status status = ob_report_broadcast_group(report, 0, &alike);
    if (status == OB_E_NOT_FOUND) return OB_OK;
    set_colour(out, COLOUR_BOLD);
    fputs("broadcasts by pattern (--list=all: one by one):\n", out->file);
    set_colour(out, COLOUR_NONE);
    for (size_t i = 0; (status = ob_report_broadcast_group(report, i, &alike)) == OB_OK; i++) {
        ob_broadcast_info info;
        if ((status = ob_report_broadcast(report, alike.first, &info)) != OB_OK) return status;
        fprintf(out->file, "  %zu x ", alike.n);
        print_shortened(out->file, info.op_type, NAME_COLUMNS);
        fputs(": ", out->file);
        print_pattern(out->file, ob_report_dims(report), &info);
        fputs(alike.n == 1 ? ", " : ", first ", out->file);
        print_node(out, info.path, info.node, info.op_type);
        putc('\n', out->file);
    }
    return status == OB_E_NOT_FOUND ? OB_OK : status;
}

ob_status print_broadcasts(const printer *out, ob_report *report, const telling *how) {
    return how->list == LIST_ALL ? print_each(out, report) : how->list == LIST_GROUPS ? print_patterns(out, report) : OB_OK;
}

/* ---- The contract ---- */

enum { MOST_CLAUSES = 12, MOST_ASSUMPTIONS = 4, MOST_REASONS = 4 }; /* number of listed entries by default */

/* n: of all origins; this one is the first. NULL: none. */
static void print_origin(const printer *out, const char *lead, const ob_contract_origin *origin, size_t n) {
    if (!origin) return;
    fputs(lead, out->file);
    if (origin->node[0]) {
        print_node(out, origin->path, origin->node, origin->op_type);
        if (origin->operand >= 0) fprintf(out->file, " operand %d", (int)origin->operand);
        if (origin->axis >= 0) fprintf(out->file, " axis %d", (int)origin->axis);
    } else {
        fputs("inputs and outputs of the graph", out->file);
    }
    if (n > 1) fprintf(out->file, " and %zu more", n - 1);
}

/* Names as terms have them: in quotes where they need them. */
static void print_sizes(FILE *file, const ob_dims *dims, const char *lead, const ob_named_size *sizes, size_t n) {
    fputs(lead, file);
    for (size_t i = 0; i < n; i++) {
        if (i) fputs(", ", file);
        const ob_dim symbol = ob_dim_find(dims, sizes[i].name);
        if (symbol == OB_DIM_UNKNOWN)
            print_shortened(file, sizes[i].name, NAME_COLUMNS); /* "?1" */
        else
            print_term(file, dims, symbol, NAME_COLUMNS);
        fprintf(file, " = %lld", (long long)sizes[i].size);
    }
}

void print_alike_names(const printer *out, const char *lead, const ob_alike *alike) {
    enum { SHOWN = 8 };
    bool lists = false; /* "N2, M2" */
    for (size_t i = 0; i < alike->n_names; i++) lists = lists || strchr(alike->names[i], ',');
    for (size_t i = 0; i < alike->n_names && i < SHOWN; i++) {
        fputs(i ? lists ? "; " : ", " : lead, out->file);
        print_escaped(out->file, alike->names[i]);
    }
    if (alike->n_names > SHOWN) fputs(" and more", out->file);
    if (alike->n_names) putc('\n', out->file);
}

/* The first clause of a group. */
static ob_status print_clause(const printer *out, ob_report *report, const ob_alike *alike) {
    ob_clause_info info;
    ob_status status = ob_report_clause(report, alike->first, &info);
    if (status != OB_OK) return status;
    fputs("  ", out->file);
    set_colour(out, COLOUR_BOLD);
    print_escaped(out->file, info.text);
    set_colour(out, COLOUR_NONE);
    print_origin(out, "\n      from ", info.repair, info.n_nodes);
    if (info.n_holds) print_sizes(out->file, ob_report_dims(report), "; holds at ", info.holds, info.n_holds);
    if (info.n_fails)
        print_sizes(out->file, ob_report_dims(report), info.n_holds ? ", fails at " : "; fails at ", info.fails, info.n_fails);
    putc('\n', out->file);
    print_alike_names(out, "      the same for ", alike);
    return OB_OK;
}

/* Only sizes that no real run reaches break it. */
static ob_status print_limit(const printer *out, ob_report *report, size_t index) {
    ob_clause_info info;
    ob_status status = ob_report_clause(report, index, &info);
    if (status != OB_OK) return status;
    fputs("  note: nobody reaches the end of ", out->file);
    print_escaped(out->file, info.text);
    print_origin(out, ", from ", info.repair, info.n_nodes);
    putc('\n', out->file);
    return OB_OK;
}

/* "for example N = 2, M = 4 or N = 5, M = 7". */
static ob_status print_examples(const printer *out, ob_report *report) {
    ob_example_info info;
    ob_status status;
    size_t n = 0;
    while ((status = ob_report_example(report, n, &info)) == OB_OK)
        print_sizes(out->file, ob_report_dims(report), n++ ? "; or " : "  for example ", info.sizes, info.n_sizes);
    if (n) putc('\n', out->file);
    return status == OB_E_NOT_FOUND ? OB_OK : status;
}

static ob_status print_bound(const printer *out, ob_report *report, size_t index) {
    ob_bound_info info;
    ob_status status = ob_report_bound(report, index, &info);
    if (status != OB_OK) return status;
    fputs("  ", out->file);
    set_colour(out, COLOUR_BOLD);
    print_escaped(out->file, info.text);
    set_colour(out, COLOUR_NONE);
    print_origin(out, "\n      on values, from ", info.n_origins ? &info.origins[0] : NULL, info.n_requirements);
    putc('\n', out->file);
    return OB_OK;
}

static ob_status print_reason(const printer *out, ob_report *report, size_t index) {
    ob_unverified_info info;
    ob_status status = ob_report_unverified(report, index, &info);
    if (status != OB_OK) return status;
    fputs("  not verified: ", out->file);
    print_escaped(out->file, info.reason);
    print_origin(out, ", at ", &info.first, info.n);
    putc('\n', out->file);
    return OB_OK;
}

static ob_status print_assumption(const printer *out, ob_report *report, size_t index) {
    ob_assumption_info info;
    ob_status status = ob_report_assumption(report, index, &info);
    if (status != OB_OK) return status;
    fputs("  assuming ", out->file);
    print_escaped(out->file, info.text);
    fputs(info.declared ? " (declared)\n" : " (given)\n", out->file);
    return OB_OK;
}

static void print_headline(const printer *out, const char *file, const ob_contract_info *contract) {
    print_escaped(out->file, file);
    fputs(": ", out->file);
    set_colour(out, COLOUR_BOLD);
    fprintf(out->file, "contract: %s", ob_contract_status_name(contract->status));
    set_colour(out, COLOUR_NONE);
    const bool complete = contract->status == OB_CONTRACT_COMPLETE;
    if (contract->status == OB_CONTRACT_PARTIAL)
        fprintf(out->file, " (%zu requirement%s on more than input sizes)", contract->n_open,
                contract->n_open == 1 ? " depends" : "s depend");
    if (contract->n_bounds)
        fprintf(out->file, "%s; %zu condition%s on values", complete ? " on sizes" : "", contract->n_bounds,
                plural(contract->n_bounds));
    switch (contract->status) {
    case OB_CONTRACT_COMPLETE:
        fputs(contract->n_clauses || contract->n_bounds ? ". Shapes fit if and only if"
              : contract->n_limits                      ? ": any sizes below 10^9 work"
              : contract->n_sizes                       ? ": any sizes work"
                                                        : ": every size is fixed, and they fit",
              out->file);
        break;
    case OB_CONTRACT_PARTIAL: fputs(contract->n_clauses || contract->n_bounds ? ": runs only if" : "", out->file); break;
    case OB_CONTRACT_CONTRADICTORY:
        fputs(contract->n_refuted ? ": errors prevent every run, for all sizes" : ": no sizes work", out->file);
        break;
    }
    putc('\n', out->file);
}

static void print_rest(const printer *out, size_t n, const char *what) {
    fprintf(out->file, "  and %zu more %s%s (--list)\n", n, what, plural(n));
}

ob_status print_contract(const printer *out, const char *file, ob_report *report, const telling *how) {
    ob_contract_info contract = ob_report_contract(report);
    print_headline(out, file, &contract);
    size_t n_clauses = how->list == LIST_NOTHING ? MOST_CLAUSES : SIZE_MAX, n_listed = 0, n_assumptions = contract.n_assumptions,
           n_reasons = contract.n_unverified, n_bounds = contract.n_bounds;
    if (how->list == LIST_NOTHING && n_bounds > MOST_CLAUSES) n_bounds = MOST_CLAUSES;
    if (how->list == LIST_NOTHING && n_assumptions > MOST_ASSUMPTIONS) n_assumptions = MOST_ASSUMPTIONS;
    if (how->list == LIST_NOTHING && n_reasons > MOST_REASONS) n_reasons = MOST_REASONS;
    ob_status status = OB_OK;
    for (size_t i = 0; i < n_clauses && n_listed < contract.n_clauses && status == OB_OK; i++) {
        ob_alike alike = {.first = i, .n = 1};
        if (how->list != LIST_ALL) status = ob_report_clause_group(report, i, &alike);
        if (status == OB_OK) status = print_clause(out, report, &alike);
        n_listed += alike.n;
    }
    if (contract.n_clauses > n_listed && status == OB_OK) print_rest(out, contract.n_clauses - n_listed, "clause");
    for (size_t i = 0; i < n_bounds && status == OB_OK; i++) status = print_bound(out, report, i);
    if (contract.n_bounds > n_bounds) print_rest(out, contract.n_bounds - n_bounds, "condition");
    if (status == OB_OK) status = print_examples(out, report);
    for (size_t i = 0; how->list != LIST_NOTHING && i < contract.n_limits && status == OB_OK; i++)
        status = print_limit(out, report, contract.n_clauses + i);
    for (size_t i = 0; i < n_assumptions && status == OB_OK; i++) status = print_assumption(out, report, i);
    if (contract.n_assumptions > n_assumptions) print_rest(out, contract.n_assumptions - n_assumptions, "assumption");
    for (size_t i = 0; i < n_reasons && status == OB_OK; i++) status = print_reason(out, report, i);
    if (contract.n_unverified > n_reasons) print_rest(out, contract.n_unverified - n_reasons, "reason");
    return status;
}

/* ---- The executor ---- */

typedef struct support {
    const printer *out;
    const char *file;
    bool list;
    size_t n;
} support;

static void print_unsupported(void *context, const ob_unsupported *item) {
    support *s = context;
    FILE *file = s->out->file;
    if (s->n++ > 0 && !s->list) return;
    if (s->n == 1) {
        print_escaped(file, s->file);
        fputs(": the executor cannot run it: ", file);
    } else {
        fputs("\n    ", file);
    }
    print_shortened(file, item->op_type[0] ? item->op_type : item->node, NAME_COLUMNS);
    fputs(" (", file);
    print_escaped(file, item->reason);
    putc(')', file);
    if (item->n_nodes > 1) fprintf(file, " at %zu nodes", item->n_nodes);
}

ob_status print_support(const printer *out, const char *file, ob_model *model, const telling *how) {
    support s = {.out = out, .file = file, .list = how->list != LIST_NOTHING};
    ob_error error;
    ob_status status = ob_model_unsupported(model, print_unsupported, &s, &error);
    if (status == OB_OK) {
        print_escaped(out->file, file);
        fputs(": the executor has a kernel for every operator\n", out->file);
    } else if (s.n > 0) {
        if (s.n > 1 && !s.list) fprintf(out->file, ", and %zu more kind%s of nodes (--list)", s.n - 1, plural(s.n - 1));
        putc('\n', out->file);
    }
    return status == OB_E_UNSUPPORTED ? OB_OK : status; /* there is nothing more to print */
}
