/* The contract of a report, for the public API. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/dims/terms.h"
#include "passes/check/groups.h"
#include "passes/check/names.h"
#include "passes/contract/bounds.h"
#include "passes/report/report.h"

const char *ob_contract_status_name(ob_contract_status status) {
    switch (status) {
    case OB_CONTRACT_COMPLETE: return "complete";
    case OB_CONTRACT_PARTIAL: return "partial";
    case OB_CONTRACT_CONTRADICTORY: return "contradictory";
    }
    return "";
}

ob_contract_info ob_report_contract(const ob_report *report) {
    const ob_contract *contract = &report->contract;
    return (ob_contract_info){.status = contract->status,
                              .n_proved = (size_t)report->facts.n_proved,
                              .n_conditions = report->facts.n_conditions,
                              .n_refuted = (size_t)report->facts.n_refuted,
                              .n_open = contract->n_open,
                              .n_clauses = contract->n_clauses - contract->n_limits,
                              .n_limits = contract->n_limits,
                              .n_unverified = contract->n_unverified,
                              .n_bounds = contract->n_bounds,
                              .n_assumptions = contract->n_assumptions,
                              .n_sizes = (size_t)contract->n_inputs + contract->n_rankless};
}

/* ---- Clauses ---- */

enum { MAX_ORIGINS = 16 };

static ob_status fill_origin(ob_report *report, const ob_requirement *requirement, ob_arena *arena, ob_contract_origin *out) {
    const ob_node *node = requirement->node;
    *out = (ob_contract_origin){.node = node ? ob__report_name(report, ob__node_label(node), arena) : "",
                                .op_type = node ? ob__report_name(report, node->op_type, arena) : "",
                                .path = requirement->call_path ? requirement->call_path : "",
                                .operand = requirement->operand,
                                .axis = requirement->axis};
    return out->node && out->op_type ? OB_OK : OB_E_MEMORY;
}

static const char *kind_of(const ob_solved_clause *clause) {
    if (clause->n != clause->n_guard + 1) return "one of";
    switch (clause->literals[clause->n_guard].kind) {
    case OB_LITERAL_ZERO: return "equal";
    case OB_LITERAL_NONZERO: return "not equal";
    case OB_LITERAL_NONNEGATIVE: return "at least";
    case OB_LITERAL_DIVIDES: return "multiple";
    case OB_LITERAL_NOT_DIVIDES: return "no multiple";
    }
    return "one of";
}

static const char *const literal_kinds[] = {[OB_LITERAL_ZERO] = "zero",
                                            [OB_LITERAL_NONZERO] = "nonzero",
                                            [OB_LITERAL_NONNEGATIVE] = "nonnegative",
                                            [OB_LITERAL_DIVIDES] = "divides",
                                            [OB_LITERAL_NOT_DIVIDES] = "not divides"};

static ob_status fill_terms(const ob_solved_clause *clause, ob_arena *arena, ob_clause_info *out) {
    ob_clause_term *terms = OB_ARENA_ARRAY(arena, ob_clause_term, clause->n);
    if (!terms) return OB_E_MEMORY;
    for (uint32_t i = 0; i < clause->n; i++)
        terms[i] = (ob_clause_term){literal_kinds[clause->literals[i].kind], clause->literals[i].p, clause->literals[i].q};
    out->terms = terms;
    out->n_terms = clause->n;
    out->n_guards = clause->n_guard;
    return OB_OK;
}

static ob_status fill_symbols(const ob_report *report, const ob_solved_clause *clause, ob_arena *arena, ob_clause_info *out) {
    ob_symbol_list list = {.at = OB_ARENA_ARRAY(arena, ob_dim, report->contract.n_inputs), .capacity = report->contract.n_inputs};
    if (!list.at) return OB_E_MEMORY;
    ob__clause_list_symbols(report->model->dims, clause->literals, clause->n, &list);
    out->symbols = list.at;
    out->n_symbols = list.n;
    return OB_OK;
}

/* The name as in the file; an anonymous size is written. */
static const char *symbol_name(const ob_dims *dims, ob_dim symbol, ob_arena *arena) {
    const ob_term *term = ob__term(dims, symbol);
    if (term && term->name) return term->name;
    char text[32];
    ob_dim_format(dims, symbol, text, sizeof text);
    return ob__arena_strndup(arena, text, strlen(text));
}

static ob_status fill_sizes(const ob_dims *dims, const ob_binding *bindings, uint32_t n, ob_arena *arena,
                            const ob_named_size **out) {
    ob_named_size *sizes = OB_ARENA_ARRAY(arena, ob_named_size, n);
    if (!sizes) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        const char *name = symbol_name(dims, bindings[i].symbol, arena);
        if (!name) return OB_E_MEMORY;
        sizes[i] = (ob_named_size){name, bindings[i].size};
    }
    *out = sizes;
    return OB_OK;
}

static ob_status fill_text(ob_report *report, const ob_solved_clause *clause, ob_arena *arena, const char **out) {
    ob_text text;
    ob__text_init(&text, &report->allocator);
    ob__report_shorten_begin(report);
    ob__solved_write(&text, report->model->dims, clause);
    ob__report_shorten_end(report);
    *out = text.failed ? NULL : ob__arena_strndup(arena, text.n ? text.data : "", text.n);
    ob__text_release(&text);
    return *out ? OB_OK : OB_E_MEMORY;
}

ob_status ob_report_clause(ob_report *report, size_t index, ob_clause_info *out) {
    if (index >= report->contract.n_clauses) return OB_E_NOT_FOUND;
    const ob_solved_clause *clause = report->contract.clauses[index];
    ob_arena *arena = &report->contract_texts;
    ob__arena_restart(arena);
    uint32_t n = clause->n_origins < MAX_ORIGINS ? clause->n_origins : MAX_ORIGINS;
    ob_contract_origin *origins = OB_ARENA_ARRAY(arena, ob_contract_origin, n);
    if (!origins) return OB_E_MEMORY;
    ob_clause_info info = {
        .kind = kind_of(clause),
        .n_origins = n,
        .origins = origins,
    };
    info.n_nodes = ob__clause_nodes(&report->contract, &report->facts, clause);
    for (uint32_t i = 0; i < n; i++) {
        static const ob_requirement assumed = {.operand = -1, .axis = -1}; /* an assumption has no node */
        bool required = clause->origins[i] < report->facts.n_conditions;
        OB_TRY(fill_origin(report, required ? &report->facts.conditions[clause->origins[i]] : &assumed, arena, &origins[i]));
    }
    uint32_t asks = ob__clause_asks(&report->facts, report->model->dims, clause);
    if (asks != UINT32_MAX) {
        ob_contract_origin *repair = OB_ARENA_NEW(arena, ob_contract_origin);
        if (!repair) return OB_E_MEMORY;
        OB_TRY(fill_origin(report, &report->facts.conditions[asks], arena, repair));
        info.repair = repair;
    }
    const ob_binding *choice;
    uint32_t n_choice;
    OB_TRY(ob__clause_choice(&report->contract, report->model->dims, clause, arena, &choice, &n_choice));
    info.n_decides = n_choice;
    OB_TRY(fill_sizes(report->model->dims, choice, n_choice, arena, &info.decides));
    OB_TRY(fill_text(report, clause, arena, &info.text));
    OB_TRY(fill_symbols(report, clause, arena, &info));
    OB_TRY(fill_terms(clause, arena, &info));
    info.n_holds = clause->n_holds;
    info.n_fails = clause->n_fails;
    OB_TRY(fill_sizes(report->model->dims, clause->holds, clause->n_holds, arena, &info.holds));
    OB_TRY(fill_sizes(report->model->dims, clause->fails, clause->n_fails, arena, &info.fails));
    *out = info;
    return OB_OK;
}

ob_status ob_report_example(ob_report *report, size_t index, ob_example_info *out) {
    ob_arena *arena = &report->contract_texts;
    ob_examples examples;
    ob__arena_restart(arena);
    OB_TRY(ob__contract_examples(&report->contract, report->model->dims, arena, &examples));
    if (index >= examples.n) return OB_E_NOT_FOUND;
    out->n_sizes = examples.n_sizes;
    return fill_sizes(report->model->dims, examples.sizes[index], examples.n_sizes, arena, &out->sizes);
}

ob_status ob_report_unverified(ob_report *report, size_t index, ob_unverified_info *out) {
    if (index >= report->contract.n_unverified) return OB_E_NOT_FOUND;
    const ob_unverified *unverified = &report->contract.unverified[index];
    ob_arena *arena = &report->contract_texts;
    ob__arena_restart(arena);
    ob_unverified_info info = {.reason = unverified->reason, .n = unverified->n};
    OB_TRY(fill_origin(report, ob__contract_open(&report->facts, unverified->first), arena, &info.first));
    *out = info;
    return OB_OK;
}

ob_status ob_report_bound(ob_report *report, size_t index, ob_bound_info *out) {
    if (index >= report->contract.n_bounds) return OB_E_NOT_FOUND;
    const ob_contract_bound *bound = &report->contract.bounds[index];
    const ob_bound *b = &bound->bound;
    const ob_type *type = &ob__fact(&report->facts, b->input)->type;
    ob_arena *arena = &report->contract_texts;
    ob__arena_restart(arena);
    const uint32_t n = bound->n < MAX_ORIGINS ? bound->n : MAX_ORIGINS;
    ob_contract_origin *origins = OB_ARENA_ARRAY(arena, ob_contract_origin, n);
    const char *name = ob__report_name(report, b->input->name, arena);
    if (!origins || !name) return OB_E_MEMORY;
    for (uint32_t i = 0, at = bound->first; i < n; at = report->contract.next_bound[at] - 1, i++) {
        OB_TRY(fill_origin(report, &report->facts.bounds[at], arena, &origins[i]));
        if (i + 1 == n) break;
    }
    ob_text text;
    ob__text_init(&text, &report->allocator);
    ob__report_shorten_begin(report);
    ob__bound_write(&text, report->model->dims, &report->facts, bound, name);
    ob__report_shorten_end(report);
    const char *words = text.failed ? NULL : ob__arena_strndup(arena, text.data, text.n);
    ob__text_release(&text);
    if (!words) return OB_E_MEMORY;
    *out = (ob_bound_info){.text = words,
                           .input = name,
                           .dtype = type->dtype,
                           .is_rounded = b->is_rounded,
                           .rank = b->first ? type->shape.rank : 0,
                           .first = b->first,
                           .end = b->end,
                           .lowest = b->lowest,
                           .highest = b->highest,
                           .n_guards = bound->n_guards,
                           .guards = bound->guards,
                           .n_requirements = bound->n,
                           .n_origins = n,
                           .origins = origins};
    return OB_OK;
}

ob_status ob_report_assumption(ob_report *report, size_t index, ob_assumption_info *out) {
    if (index >= report->contract.n_assumptions) return OB_E_NOT_FOUND;
    const ob_assumption *assumption = &report->contract.assumptions[index];
    ob_arena *arena = &report->contract_texts;
    ob__arena_restart(arena);
    const char *name = assumption->value ? ob__report_name(report, assumption->value->name, arena) : "";
    if (!name) return OB_E_MEMORY;
    *out = (ob_assumption_info){.text = assumption->text, .declared = assumption->declared, .value = name};
    return OB_OK;
}

/* ---- Testing sizes ---- */

ob_status ob_report_contract_holds(const ob_report *report, const ob_named_size *sizes, size_t n, ob_truth *out, size_t *clause) {
    if (!report || !out || (n && !sizes)) return OB_E_ARGUMENT;
    const ob_allocator *allocator = &report->allocator;
    size_t n_bytes;
    if (ob__size_mul_overflows(n + 1, sizeof(ob_binding), &n_bytes)) return OB_E_ARGUMENT;
    ob_binding *bindings = allocator->alloc(allocator->context, n_bytes);
    if (!bindings) return OB_E_MEMORY;
    ob_status status = OB_OK;
    for (size_t i = 0; i < n && status == OB_OK; i++) {
        bindings[i] = (ob_binding){ob_dim_find(report->model->dims, sizes[i].name), sizes[i].size};
        if (bindings[i].symbol == OB_DIM_UNKNOWN)
            status = sizes[i].name ? OB_E_NOT_FOUND : OB_E_ARGUMENT;
        else if (sizes[i].size < 0 || sizes[i].size > OB_DIM_CONST_MAX)
            status = OB_E_ARGUMENT;
    }
    uint32_t broken = UINT32_MAX;
    if (status == OB_OK) {
        *out = ob__contract_holds(&report->contract, report->model->dims, bindings, n, &broken);
        if (clause) *clause = broken == UINT32_MAX ? SIZE_MAX : broken;
    }
    allocator->free(allocator->context, bindings, n_bytes);
    return status;
}
