/* Conditions on sizes that only a run knows, solved together. */
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/dims/terms.h"
#include "passes/check/names.h"
#include "runtime/sizes.h"
#include "runtime/tally.h"

static bool mentions_unknown_sizes(const ob_session *session) {
    const ob_dims *pool = session->model->dims;
    for (uint32_t i = 0; i < session->facts.n_conditions; i++) {
        const ob_condition *c = &session->facts.conditions[i].condition;
        if (ob_dim_is_anonymous(pool, c->a) || ob_dim_is_anonymous(pool, c->b)) return true;
    }
    return false;
}

/* Solved once, at the first test of sizes. If there is no memory for that, the run tests the sizes. */
static void solve(ob_session *session) {
    session->contract_tried = true;
    ob__contract_init(&session->contract, &session->allocator);
    if (!mentions_unknown_sizes(session)) return;
    ob_status status = ob__contract_make(session->model, &session->facts, NULL, 0, &session->contract);
    if (status != OB_OK) {
        ob__contract_release(&session->contract);
        ob__tally_refused(session->tally);
    }
}

static ob_status refuse_clause(const ob_session *session, const ob_solved_clause *clause, const ob_sizes *s, ob_error *error) {
    ob_dims *pool = session->model->dims;
    char given[200] = "";
    ob_dim symbols[OB_MOST_SHOWN];
    ob_symbol_list list = {.at = symbols, .capacity = OB_MOST_SHOWN};
    ob_text text;
    ob__clause_list_symbols(pool, clause->literals, clause->n, &list);
    ob__write_sizes(s, pool, &list, given, sizeof given);
    ob__text_init(&text, &session->allocator);
    ob__solved_write(&text, pool, clause);
    ob_status status =
        text.failed ? OB_E_MEMORY : ob__refuse_at(&session->facts.conditions[clause->origins[0]], text.data, given, error);
    ob__text_release(&text);
    return status;
}

/* No sizes fit: the last of the conditions that contradict each other is named, with the node of the first. */
static ob_status refuse_all(const ob_session *session, ob_error *error) {
    const ob_solution *solution = &session->contract.solution;
    const ob_facts *facts = &session->facts;
    if (solution->n_core == 0 || solution->core[solution->n_core - 1] >= facts->n_conditions) return OB_OK;
    const ob_requirement *first = &facts->conditions[solution->core[0]],
                         *last = &facts->conditions[solution->core[solution->n_core - 1]];
    char condition[250];
    ob__condition_shown(session->model->dims, &last->condition, condition, sizeof condition);
    ob__at_node(error, last->node, OB_E_CONDITION);
    return ob__fail(error, OB_E_CONDITION, "%s contradicts the requirement of node \"%.150s\": every run fails", condition,
                    first->node ? ob__node_label(first->node) : "");
}

ob_status ob__check_solved(ob_session *session, const ob_sizes *s, ob_error *error) {
    if (!session->contract_tried) solve(session);
    uint32_t broken = UINT32_MAX;
    if (session->contract.solution.contradictory) return refuse_all(session, error);
    if (session->contract.n_clauses == 0) return OB_OK;
    ob__contract_holds(&session->contract, session->model->dims, s->items, s->n, &broken);
    if (broken == UINT32_MAX) return OB_OK;
    const ob_solved_clause *clause = session->contract.clauses[broken];
    bool required = clause->n_origins && clause->origins[0] < session->facts.n_conditions;
    return required ? refuse_clause(session, clause, s, error) : OB_OK;
}

void ob__solved_release(ob_session *session) {
    if (session->contract_tried) ob__contract_release(&session->contract);
}
