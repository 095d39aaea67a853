/* Clauses of the contract that betray an accident: a batch that must be a number, two axes of one input that must be equal. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "passes/accident/suspect.h"
#include "passes/contract/contract.h"

/* A clause as "a = b", or "a = b or a = 1", or "a = b or a = 1 or b = 1". */
typedef struct equation {
    ob_dim a; /* a symbol */
    ob_dim b; /* a symbol or a number */
} equation;

/* p = 0 as an equation: the sum of a symbol and a number, or the difference of two symbols. Makes no new terms. */
static bool read_equation(const ob_dims *dims, ob_dim p, equation *out) {
    const ob_term *sum = ob__term(dims, p);
    ob_dim of[2] = {OB_DIM_UNKNOWN, OB_DIM_UNKNOWN}; /* with the coefficients 1 and -1 */
    uint32_t n = 0;
    if (ob_dim_is_named(dims, p)) return *out = (equation){p, 0}, true;
    if (!sum || sum->kind != OB_DIM_KIND_SUM || sum->n_words < 1) return false;
    for (uint32_t at = 1; at + 2 < sum->n_words; at += 2 + (uint32_t)sum->words[at + 1]) {
        const int64_t coefficient = sum->words[at];
        if (sum->words[at + 1] != 1 || (coefficient != 1 && coefficient != -1) || ++n > 2) return false;
        ob_dim *slot = &of[coefficient < 0];
        if (*slot != OB_DIM_UNKNOWN || !ob_dim_is_named(dims, sum->words[at + 2])) return false;
        *slot = sum->words[at + 2];
    }
    const int64_t constant = sum->words[0];
    if (n == 2) return *out = (equation){of[0], of[1]}, constant == 0;
    const ob_dim symbol = of[0] != OB_DIM_UNKNOWN ? of[0] : of[1];
    const int64_t number = of[0] != OB_DIM_UNKNOWN ? -constant : constant;
    *out = (equation){symbol, number};
    return n == 1 && number >= 0;
}

/* A negated guard that is false where the sizes in it are 2: the clause matters unless something is empty. */
static bool is_usual(const ob_dims *dims, const ob_literal *guard) {
    ob_dim symbols[3];
    ob_binding two[3];
    ob_symbol_list list = {.at = symbols, .capacity = 3};
    ob__clause_list_symbols(dims, guard, 1, &list);
    for (uint32_t i = 0; i < list.n; i++) two[i] = (ob_binding){symbols[i], 2};
    return ob__clause_eval(dims, guard, 1, two, list.n) == OB_FALSE;
}

static bool read_clause(const ob_dims *dims, const ob_solved_clause *clause, equation *out) {
    bool any = false;
    out->a = out->b = OB_DIM_UNKNOWN;
    for (uint32_t i = 0; i < clause->n_guard; i++)
        if (!is_usual(dims, &clause->literals[i])) return false;
    for (uint32_t i = clause->n_guard; i < clause->n; i++) {
        equation e;
        if (clause->literals[i].kind != OB_LITERAL_ZERO || !read_equation(dims, clause->literals[i].p, &e)) return false;
        const bool is_one = e.b == 1;
        if (is_one && clause->n - clause->n_guard > 1) continue; /* it holds if nothing has to be equal */
        if (any) return false;
        any = true;
        *out = e;
    }
    return any;
}

static bool axis_of(const ob_facts *facts, const ob_value *input, ob_dim symbol, int32_t *axis) {
    const ob_shape *shape = &ob__fact(facts, input)->type.shape;
    for (*axis = 0; *axis < shape->rank; ++*axis)
        if (shape->dims[*axis] == symbol) return true;
    return false;
}

static const char *describe(ob_work *work, const equation *e, ob_finding_id *id, const char **fix, ob_arena *arena) {
    const ob_model *model = work->model;
    char symbol[96];
    ob__dim_shown(model->dims, e->a, symbol, sizeof symbol);
    if (ob_dim_is_const(e->b)) {
        int32_t axis = 0;
        const ob_value *input = NULL;
        for (uint32_t i = 0; i < model->graph->n_inputs && !input; i++)
            if (axis_of(work->facts, model->graph->inputs[i], e->a, &axis)) input = model->graph->inputs[i];
        const char *name = input ? ob__shown_name(input->name, OB_NAME_IN_TEXT, arena) : NULL;
        if (!name || e->b < 1 || !ob__is_batch(work, e->a)) return NULL;
        *id = OB0408;
        *fix = e->b == 1 ? "declare the operand of size 1 with the same open batch, or declare the batch as 1"
                         : "replace the fixed size by that of the input (Shape and Gather), or give the constant the size 1";
        return ob__arena_printf(arena, "%s is axis 0 of input '%s' and open, but here it must be %lld, a size of the traced run",
                                symbol, name, (long long)e->b);
    }
    for (uint32_t i = 0; i < model->graph->n_inputs; i++) {
        int32_t a, b;
        const ob_value *input = model->graph->inputs[i];
        if (!axis_of(work->facts, input, e->a, &a) || !axis_of(work->facts, input, e->b, &b)) continue;
        const char *name = ob__shown_name(input->name, OB_NAME_IN_TEXT, arena);
        char other[96];
        ob__dim_shown(model->dims, e->b, other, sizeof other);
        if (!name) return NULL;
        *id = OB0410;
        *fix = "find the operand whose axes are in another order, and Transpose or Unsqueeze it";
        return ob__arena_printf(arena, "%s and %s are axes %d and %d of input '%s', but here they must be equal", symbol, other,
                                (int)a, (int)b, name);
    }
    return NULL;
}

static bool is_explained(const ob_suspected *suspected, const equation *e) {
    for (uint32_t i = 0; i < suspected->n_pairs; i++) {
        const ob_size_pair *pair = &suspected->pairs[i];
        if ((pair->a == e->a && pair->b == e->b) || (pair->a == e->b && pair->b == e->a)) return true;
    }
    return false;
}

ob_status ob__suspect_clauses(ob_work *work, const ob_suspected *suspected, ob_arena *arena) {
    const ob_contract *contract = work->contract;
    for (uint32_t k = 0; contract && k < contract->n_clauses; k++) {
        equation e;
        ob_finding_id id;
        const char *fix;
        const ob_solved_clause *clause = contract->clauses[k];
        if (!read_clause(work->model->dims, clause, &e) || is_explained(suspected, &e)) continue;
        const uint32_t asks = ob__clause_asks(work->facts, work->model->dims, clause);
        if (asks >= work->facts->n_conditions) continue;
        const ob_requirement *at = &work->facts->conditions[asks];
        if (!at->node || suspected->nodes[at->node->id]) continue;
        const char *text = describe(work, &e, &id, &fix, arena);
        if (arena->failed) return OB_E_MEMORY;
        if (!text) continue;
        ob_finding *finding = ob__findings_add(work->findings, id, "%s", text);
        if (!finding) continue;
        finding->node = at->node;
        finding->call_path = at->call_path;
        finding->called = at->called;
        finding->axis = at->axis;
        finding->operand = at->operand;
        finding->condition = &at->condition;
        finding->fix = fix;
        uint32_t *caused = OB_ARENA_ARRAY(&work->findings->arena, uint32_t, OB_FINDING_CAUSED);
        if (!caused) return OB_E_MEMORY;
        *caused = k;
        finding->caused = caused;
        finding->n_caused = 1;
        if (id == OB0408) OB_TRY(ob__propose_sizes(work, clause, finding));
        if (at->operands && !ob__finding_set_operands(work->findings, finding, at->operands, at->n_operands)) return OB_E_MEMORY;
    }
    return OB_OK;
}
