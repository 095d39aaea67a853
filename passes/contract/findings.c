/* Findings of the solved contract: one for each clause, at the first node that requires it, and one for contradicting
 * conditions. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/dims/terms.h"
#include "passes/check/groups.h"
#include "passes/check/work.h"
#include "passes/contract/contract.h"

/* Sets the place of a finding about a requirement. */
static void place(ob_findings *findings, ob_finding *finding, const ob_requirement *at) {
    finding->node = at->node;
    finding->call_path = at->call_path ? at->call_path : "";
    finding->called = at->called;
    finding->operand = at->operand;
    finding->axis = at->axis;
    if (at->node && at->operand >= 0 && (uint32_t)at->operand < at->node->n_inputs)
        finding->value = at->node->inputs[at->operand];
    if (at->operands) ob__finding_set_operands(findings, finding, at->operands, at->n_operands);
}

static void write_sizes(ob_text *text, const ob_dims *dims, const char *before, const ob_binding *sizes, uint32_t n) {
    char name[120];
    for (uint32_t i = 0; i < n; i++) {
        ob__dim_shown(dims, sizes[i].symbol, name, sizeof name);
        ob__text_printf(text, "%s%s = %lld", i ? ", " : before, name, (long long)sizes[i].size);
    }
}

/* Does it require only that sizes are large enough, like every window? */
static bool is_least_size(const ob_dims *dims, const ob_solved_clause *clause) {
    const ob_literal *literal = &clause->literals[0];
    const ob_term *term = clause->n == 1 && literal->kind == OB_LITERAL_NONNEGATIVE ? ob__term(dims, literal->p) : NULL;
    if (!term || term->depth != 0) return false;
    for (uint32_t i = 1; term->kind == OB_DIM_KIND_SUM && i < term->n_words; i += 2 + (uint32_t)term->words[i + 1])
        if (term->words[i] < 0) return false; /* or small enough */
    return true;
}

typedef struct some_sizes {
    ob_clauses clauses;
    ob_dims *dims;
    ob_status status;
} some_sizes;

static bool add_some(void *context, ob_dim symbol) {
    some_sizes *some = context;
    const ob_condition positive = {OB_COND_AT_LEAST, symbol, 1};
    bool stated;
    some->status = ob__clauses_add(&some->clauses, some->dims, &positive, NULL, 0, 0, true, &stated);
    return some->status == OB_OK;
}

/* Does it matter only where some size is 0? */
static ob_status is_of_zeros(ob_dims *dims, const ob_solved_clause *clause, ob_arena *arena, bool *out) {
    some_sizes some = {.dims = dims};
    ob__clauses_init(&some.clauses, arena);
    for (uint32_t i = 0; i < clause->n && some.status == OB_OK; i++) {
        ob_dim_symbols(dims, clause->literals[i].p, add_some, &some);
        if (clause->literals[i].q && some.status == OB_OK) ob_dim_symbols(dims, clause->literals[i].q, add_some, &some);
    }
    OB_TRY(some.status);
    const uint32_t at = some.clauses.n;
    ob_clause *all = OB_ARENA_ARRAY(arena, ob_clause, (size_t)at + 1);
    if (!all) return OB_E_MEMORY;
    if (at) memcpy(all, some.clauses.items, at * sizeof *all);
    all[at] = (ob_clause){.literals = clause->literals, .n = clause->n, .n_guard = clause->n_guard};
    ob_solution solution;
    OB_TRY(ob__solve(dims, all, at + 1, NULL, 0, arena, &solution));
    *out = !solution.contradictory && solution.fates[at] == OB_CLAUSE_PROVED;
    return OB_OK;
}

/* The node to change for other sizes. NULL: out of memory. */
static const char *suggest(ob_work *work, const ob_requirement *asks) {
    const ob_value *value = NULL;
    ob_text text;
    ob__text_init(&text, &work->model->arena.allocator);
    ob__text_puts(&text, "to admit more sizes, change ");
    if (asks->node && asks->operand >= 0 && (uint32_t)asks->operand < asks->node->n_inputs)
        value = asks->node->inputs[asks->operand];
    if (value && value->producer)
        ob__text_printf(&text, "its operand %d, which %.100s '%.200s' makes, or the node itself", (int)asks->operand,
                        value->producer->op_type, ob__node_label(value->producer));
    else if (value && value->is_initializer)
        ob__text_printf(&text, "its operand %d, the weight '%.200s', or the node itself", (int)asks->operand, value->name);
    else if (value)
        ob__text_printf(&text, "its operand %d, '%.200s', or the node itself", (int)asks->operand, value->name);
    else
        ob__text_puts(&text, asks->node ? "its operands, or the node itself" : "the declared shapes");
    const char *fix = text.failed ? NULL : ob__arena_strndup(&work->findings->arena, text.data, text.n);
    work->findings->n_bytes += text.n + 1;
    ob__text_release(&text);
    return fix;
}

enum { MOST_WEIGHED = 64 }; /* clauses that are tried with sizes of 1 and more */

static ob_status report_clause(ob_work *work, const ob_solved_clause *clause, uint32_t number, ob_text *text) {
    const ob_facts *facts = work->facts;
    ob_findings *findings = work->findings;
    ob_dims *dims = work->model->dims;
    uint32_t n_given = 0; /* origins beyond the conditions are assumptions */
    while (n_given < clause->n_origins && clause->origins[n_given] < facts->n_conditions) n_given++;
    if (n_given == 0) return OB_OK;
    const ob_requirement *first = &facts->conditions[ob__clause_asks(facts, dims, clause)];
    bool broadcasts = first->condition.kind == OB_COND_BROADCAST || first->condition.kind == OB_COND_BROADCAST_TO;
    text->n = 0;
    if (broadcasts) /* with a guard the clause itself begins with "if" */
        ob__text_puts(text, clause->n_guard ? "the broadcast has a condition: " : "the broadcast holds only if ");
    else
        ob__text_puts(text, clause->n_guard ? "requires: " : "requires ");
    ob__solved_write(text, dims, clause);
    write_sizes(text, dims, "; holds at ", clause->holds, clause->n_holds);
    write_sizes(text, dims, "; fails at ", clause->fails, clause->n_fails);
    uint32_t n_nodes = ob__clause_nodes(work->contract, facts, clause);
    if (n_nodes > 1) ob__text_printf(text, " (and at %u more node%s)", n_nodes - 1, n_nodes == 2 ? "" : "s");
    if (text->failed) return OB_E_MEMORY;
    ob_finding *finding = ob__findings_add(findings, broadcasts ? OB0201 : OB0203, "%s", text->data);
    if (!finding) return OB_OK;
    place(findings, finding, first);
    finding->clause = number + 1;
    finding->fix = suggest(work, first);
    if (!finding->fix) return OB_E_MEMORY;
    OB_TRY(ob__propose_sizes(work, clause, finding));
    bool harmless = is_least_size(dims, clause) || number >= work->contract->n_clauses - work->contract->n_limits;
    if (!harmless && number < MOST_WEIGHED) OB_TRY(is_of_zeros(dims, clause, &findings->arena, &harmless));
    if (harmless) finding->severity = OB_SEVERITY_NOTE;
    ob_condition *condition = OB_ARENA_NEW(&findings->arena, ob_condition);
    if (!condition) return OB_E_MEMORY;
    *condition = first->condition;
    finding->condition = condition;
    return OB_OK;
}

/* "MatMul "a" needs N = 3", for each of the core. */
static ob_status report_core(ob_work *work, const ob_contract *contract, ob_text *text) {
    enum { TOLD = 8 };
    const ob_facts *facts = work->facts;
    const ob_solution *solution = &contract->solution;
    const ob_requirement *first = NULL;
    const char *assumed = NULL;
    text->n = 0;
    ob__text_puts(text, "no sizes satisfy all of these requirements: ");
    for (uint32_t i = 0; i < solution->n_core && i < TOLD; i++) {
        uint32_t origin = solution->core[i];
        char condition[300];
        if (origin >= facts->n_conditions) {
            const ob_assumed *at = &work->assumed[origin - facts->n_conditions];
            if (at->text != assumed) ob__text_printf(text, "%sassumed: %.200s", i ? "; " : "", at->text);
            assumed = at->text; /* one text may hold several conditions */
            continue;
        }
        if (i) ob__text_puts(text, "; ");
        const ob_requirement *at = &facts->conditions[origin];
        if (!first) first = at;
        ob__condition_shown(work->model->dims, &at->condition, condition, sizeof condition);
        ob__text_printf(text, "\"%.200s\" needs %s", at->node ? ob__node_label(at->node) : "", condition);
        if (at->guard && at->guard->node)
            ob__text_printf(text, " when \"%.100s\" runs", at->guard->text ? at->guard->text : "it");
        else if (at->guard)
            ob__text_printf(text, " where %.200s", at->guard->text);
    }
    if (solution->n_core > TOLD) ob__text_printf(text, " and %u more", solution->n_core - TOLD);
    if (text->failed) return OB_E_MEMORY;
    ob_finding *finding = ob__findings_add(work->findings, OB0204, "%s", text->data);
    if (finding && first) place(work->findings, finding, first);
    return OB_OK;
}

static ob_status find(ob_work *work, const ob_contract *contract) {
    ob_text text;
    ob__text_init(&text, &work->model->arena.allocator);
    work->model->dims->longest_name = OB_NAME_IN_TEXT;
    ob_status status = contract->solution.contradictory ? report_core(work, contract, &text) : OB_OK;
    for (uint32_t i = 0; i < contract->n_clauses && status == OB_OK; i++)
        status = report_clause(work, contract->clauses[i], i, &text);
    work->model->dims->longest_name = 0;
    ob__text_release(&text);
    return status;
}

ob_status ob__pass_contract(ob_work *work) {
    if (!work->contract) return OB_OK;
    OB_TRY(ob__contract_make(work->model, work->facts, work->assumed, work->n_assumed, work->contract));
    OB_TRY(find(work, work->contract));
    return ob__contract_compare_stated(work, work->contract);
}
