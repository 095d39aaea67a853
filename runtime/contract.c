/* The shape contract of a model: inputs against their declarations, and the conditions that shape rules could not decide. */
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/dims/terms.h"
#include "passes/check/names.h"
#include "runtime/session.h"
#include "runtime/tally.h"

/* Appends to a bounded text. */
static void append(char *text, size_t n_bytes, const char *more) {
    size_t n = strlen(text);
    if (n + 1 < n_bytes) snprintf(text + n, n_bytes - n, "%s", more);
}

/* Sizes of symbols, as the inputs give them. */
typedef struct sizes {
    ob_binding *items;
    size_t n, capacity;
} sizes;

static const ob_binding *find_size(const sizes *s, ob_dim symbol) {
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].symbol == symbol) return &s->items[i];
    return NULL;
}

static ob_status refuse_input(const ob_session *session, uint32_t index, const ob_view *got, int32_t axis, ob_error *error) {
    char declared[200], given[200];
    ob_shape shape = {got->rank, got->dims};
    ob_shape_format(session->model->dims, &session->input_info[index].shape, declared, sizeof declared);
    ob_shape_format(NULL, &shape, given, sizeof given);
    if (error) {
        ob__copy_text(error->value, sizeof error->value, session->inputs[index]->name);
        error->axis = axis;
    }
    return ob__fail(error, OB_E_SHAPE, "input %s: the model takes %s, but %s was given", session->inputs[index]->name, declared,
                    given);
}

static ob_status bind_axis(const ob_session *session, uint32_t index, const ob_view *view, int32_t axis, sizes *s,
                           ob_error *error) {
    ob_dims *pool = session->model->dims;
    ob_dim dim = session->input_info[index].shape.dims[axis];
    int64_t size = view->dims[axis];
    if (ob_dim_is_const(dim)) return dim == size ? OB_OK : refuse_input(session, index, view, axis, error);
    if (dim == OB_DIM_UNKNOWN || ob_dim_get_kind(pool, dim) != OB_DIM_KIND_SYMBOL) return OB_OK;
    const ob_binding *bound = find_size(s, dim);
    if (!bound) {
        if (s->n < s->capacity) s->items[s->n++] = (ob_binding){dim, size};
        return OB_OK;
    }
    if (bound->size == size) return OB_OK;
    char name[128];
    ob__dim_shown(pool, dim, name, sizeof name);
    if (error) {
        ob__copy_text(error->value, sizeof error->value, session->inputs[index]->name);
        error->axis = axis;
    }
    return ob__fail(error, OB_E_SHAPE, "input %s: axis %d is %s, which is %lld here and %lld in another place",
                    session->inputs[index]->name, axis, name, (long long)size, (long long)bound->size);
}

static ob_status check_input(const ob_session *session, uint32_t index, const ob_view *view, sizes *s, ob_error *error) {
    const ob_session_value *info = &session->input_info[index];
    if (info->dtype != OB_NONE && info->dtype != view->dtype) {
        if (error) ob__copy_text(error->value, sizeof error->value, info->name);
        return ob__fail(error, OB_E_TYPE, "input %s: the model takes %s, but %s was given", info->name,
                        ob_dtype_name(info->dtype), ob_dtype_name(view->dtype));
    }
    if (info->shape.rank == OB_RANK_UNKNOWN) return OB_OK;
    if (info->shape.rank != view->rank) return refuse_input(session, index, view, -1, error);
    for (int32_t axis = 0; axis < view->rank; axis++) OB_TRY(bind_axis(session, index, view, axis, s, error));
    return OB_OK;
}

enum { MOST_SHOWN = 16 }; /* sizes in a message */

/* "N = 2, M = 3". */
static void write_sizes(const sizes *s, const ob_dims *pool, const ob_symbol_list *symbols, char *text, size_t n_bytes) {
    for (uint32_t i = 0; i < symbols->n; i++) {
        const ob_binding *bound = find_size(s, symbols->at[i]);
        char name[100], part[140];
        if (!bound) continue;
        ob__dim_shown(pool, symbols->at[i], name, sizeof name);
        snprintf(part, sizeof part, "%s%s = %lld", text[0] ? ", " : "", name, (long long)bound->size);
        append(text, n_bytes, part);
    }
}

/* given: the sizes of the symbols in the text. */
static ob_status refuse_at(const ob_requirement *at, const char *text, const char *given, ob_error *error) {
    char where[100] = "";
    if (at->axis >= 0) snprintf(where, sizeof where, "axis %d: ", at->axis);
    if (error) error->axis = at->axis;
    ob__at_node(error, at->node, OB_E_CONDITION);
    return ob__fail(error, OB_E_CONDITION, "%s%.250s does not hold: %s", where, text, given);
}

static ob_status refuse_condition(const ob_session *session, const ob_requirement *c, const sizes *s, ob_error *error) {
    const ob_dims *pool = session->model->dims;
    char condition[250], given[200] = "";
    ob__condition_shown(pool, &c->condition, condition, sizeof condition);
    ob_dim symbols[MOST_SHOWN];
    ob_symbol_list list = {.at = symbols, .capacity = MOST_SHOWN};
    ob__symbols_add(&list, pool, c->condition.a);
    ob__symbols_add(&list, pool, c->condition.b);
    write_sizes(s, pool, &list, given, sizeof given);
    return refuse_at(c, condition, given, error);
}

/* ---- Conditions on sizes that only a run knows ---- */

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

static ob_status refuse_clause(const ob_session *session, const ob_solved_clause *clause, const sizes *s, ob_error *error) {
    ob_dims *pool = session->model->dims;
    char given[200] = "";
    ob_dim symbols[MOST_SHOWN];
    ob_symbol_list list = {.at = symbols, .capacity = MOST_SHOWN};
    ob_text text;
    ob__clause_list_symbols(pool, clause->literals, clause->n, &list);
    write_sizes(s, pool, &list, given, sizeof given);
    ob__text_init(&text, &session->allocator);
    ob__solved_write(&text, pool, clause);
    ob_status status =
        text.failed ? OB_E_MEMORY : refuse_at(&session->facts.conditions[clause->origins[0]], text.data, given, error);
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

static ob_status check_solved(ob_session *session, const sizes *s, ob_error *error) {
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

/* ---- The whole ---- */

ob_status ob__check_contract(ob_session *session, const ob_view *inputs, ob_error *error) {
    sizes s = {.n = session->n_bindings, .capacity = session->n_bindings};
    for (uint32_t i = 0; i < session->n_inputs; i++)
        if (session->input_info[i].shape.rank > 0) s.capacity += (size_t)session->input_info[i].shape.rank;
    size_t n_bytes = (s.capacity + 1) * sizeof *s.items;
    s.items = session->allocator.alloc(session->allocator.context, n_bytes);
    if (!s.items) return OB_E_MEMORY;
    if (session->n_bindings) memcpy(s.items, session->bindings, session->n_bindings * sizeof *s.items);
    ob_status status = OB_OK;
    for (uint32_t i = 0; i < session->n_inputs && status == OB_OK; i++) status = check_input(session, i, &inputs[i], &s, error);
    for (uint32_t i = 0; i < session->facts.n_conditions && status == OB_OK; i++) {
        const ob_requirement *c = &session->facts.conditions[i];
        bool holds = true;
        if (ob__guard_eval(session->model->dims, c->guard, s.items, s.n) != OB_TRUE) continue;
        /* Sizes that only a run knows (E_NOT_FOUND) are tested by the shape rules when they are known. */
        if (ob_condition_eval(session->model->dims, &c->condition, s.items, s.n, &holds) == OB_OK && !holds)
            status = refuse_condition(session, c, &s, error);
    }
    if (status == OB_OK) status = check_solved(session, &s, error);
    session->allocator.free(session->allocator.context, s.items, n_bytes);
    return status;
}
