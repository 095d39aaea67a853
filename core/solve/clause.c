/* Clauses: lowered from conditions, and tested at given sizes. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "core/dims/terms.h"
#include "core/solve/solve.h"

void ob__clauses_init(ob_clauses *clauses, ob_arena *arena) {
    *clauses = (ob_clauses){.arena = arena};
}

ob_status ob__clauses_append(ob_clauses *clauses, const ob_clause *clause) {
    if (clauses->n == UINT32_MAX) return OB_E_LIMIT;
    ob_clause *items = ob__list_in_arena(clauses->arena, clauses->items, &clauses->capacity, clauses->n + 1, sizeof *items);
    if (!items) return OB_E_MEMORY;
    clauses->items = items;
    clauses->items[clauses->n++] = *clause;
    return OB_OK;
}

/* ---- Lowering ---- */

enum { MAX_ALTERNATIVES = 3, MAX_CLAUSES = 2 };

/* One condition as clauses without guards. */
typedef struct lowered {
    ob_literal literals[MAX_CLAUSES][MAX_ALTERNATIVES];
    uint32_t n[MAX_CLAUSES], n_clauses;
} lowered;

static void add_literal(lowered *out, uint32_t clause, ob_literal_kind kind, ob_dim p, ob_dim q) {
    out->literals[clause][out->n[clause]++] = (ob_literal){kind, p, q};
}

static void lower(ob_dims *dims, const ob_condition *condition, lowered *out) {
    ob_dim a = condition->a, b = condition->b;
    *out = (lowered){.n_clauses = 1};
    switch (condition->kind) {
    case OB_COND_EQUAL: add_literal(out, 0, OB_LITERAL_ZERO, ob_dim_sub(dims, a, b), 0); break;
    case OB_COND_BROADCAST:
        add_literal(out, 0, OB_LITERAL_ZERO, ob_dim_sub(dims, a, b), 0);
        add_literal(out, 0, OB_LITERAL_ZERO, ob_dim_sub(dims, a, 1), 0);
        add_literal(out, 0, OB_LITERAL_ZERO, ob_dim_sub(dims, b, 1), 0);
        break;
    case OB_COND_BROADCAST_TO:
        add_literal(out, 0, OB_LITERAL_ZERO, ob_dim_sub(dims, a, b), 0);
        add_literal(out, 0, OB_LITERAL_ZERO, ob_dim_sub(dims, a, 1), 0);
        break;
    case OB_COND_AT_LEAST: add_literal(out, 0, OB_LITERAL_NONNEGATIVE, ob_dim_sub(dims, a, b), 0); break;
    case OB_COND_DIVISIBLE:
        out->n_clauses = 2;
        add_literal(out, 0, OB_LITERAL_NONNEGATIVE, ob_dim_sub(dims, b, 1), 0);
        add_literal(out, 1, OB_LITERAL_DIVIDES, a, b);
        break;
    }
}

/* Adds the term's parts; false: it is unknown, or there are too many. */
static bool count_parts(const ob_dims *dims, ob_dim d, uint32_t *size) {
    const ob_term *term = ob__term(dims, d);
    *size += term ? term->size : 1;
    return d != OB_DIM_UNKNOWN && *size <= OB_CLAUSE_SIZE;
}

static bool is_stated(const ob_dims *dims, const lowered *made, const ob_dim *guards, uint32_t n_guards) {
    uint32_t size = 0;
    for (uint32_t i = 0; i < n_guards; i++)
        if (!count_parts(dims, guards[i], &size)) return false;
    for (uint32_t k = 0; k < made->n_clauses; k++)
        for (uint32_t i = 0; i < made->n[k]; i++)
            if (!count_parts(dims, made->literals[k][i].p, &size) || !count_parts(dims, made->literals[k][i].q, &size))
                return false;
    return made->n[0] > 0;
}

ob_status ob__clauses_add(ob_clauses *clauses, ob_dims *dims, const ob_condition *condition, const ob_dim *guards,
                          uint32_t n_guards, uint32_t origin, bool assumed, bool *stated) {
    lowered made;
    lower(dims, condition, &made);
    *stated = is_stated(dims, &made, guards, n_guards);
    for (uint32_t k = 0; k < made.n_clauses && *stated; k++) {
        ob_literal *literals = OB_ARENA_ARRAY(clauses->arena, ob_literal, (size_t)n_guards + made.n[k]);
        if (!literals) return OB_E_MEMORY;
        for (uint32_t i = 0; i < n_guards; i++) {
            literals[i] = (ob_literal){OB_LITERAL_NONNEGATIVE, ob_dim_sub(dims, 0, guards[i]), 0};
            if (literals[i].p == OB_DIM_UNKNOWN) {
                *stated = false;
                return OB_OK;
            }
        }
        memcpy(literals + n_guards, made.literals[k], made.n[k] * sizeof *literals);
        const ob_clause clause = {literals, n_guards + made.n[k], n_guards, origin, assumed};
        OB_TRY(ob__clauses_append(clauses, &clause));
    }
    return OB_OK;
}

/* ---- Testing ---- */

static ob_truth literal_eval(const ob_dims *dims, const ob_literal *literal, const ob_binding *bindings, size_t n) {
    int64_t p, q = 1;
    ob_status status = ob_dim_eval(dims, literal->p, bindings, n, &p);
    bool divides = literal->kind == OB_LITERAL_DIVIDES || literal->kind == OB_LITERAL_NOT_DIVIDES;
    if (status == OB_OK && divides) status = ob_dim_eval(dims, literal->q, bindings, n, &q);
    if (status == OB_E_SHAPE) return OB_FALSE;
    if (status != OB_OK) return OB_UNDECIDED;
    switch (literal->kind) {
    case OB_LITERAL_ZERO: return p == 0 ? OB_TRUE : OB_FALSE;
    case OB_LITERAL_NONZERO: return p != 0 ? OB_TRUE : OB_FALSE;
    case OB_LITERAL_NONNEGATIVE: return p >= 0 ? OB_TRUE : OB_FALSE;
    case OB_LITERAL_DIVIDES: return q >= 1 && p % q == 0 ? OB_TRUE : OB_FALSE;
    case OB_LITERAL_NOT_DIVIDES: return q >= 1 && p % q == 0 ? OB_FALSE : OB_TRUE;
    }
    return OB_UNDECIDED;
}

ob_truth ob__clause_eval(const ob_dims *dims, const ob_literal *literals, uint32_t n, const ob_binding *bindings,
                         size_t n_bindings) {
    ob_truth any = OB_FALSE;
    for (uint32_t i = 0; i < n; i++) {
        ob_truth truth = literal_eval(dims, &literals[i], bindings, n_bindings);
        if (truth == OB_TRUE) return OB_TRUE;
        if (truth == OB_UNDECIDED) any = OB_UNDECIDED;
    }
    return any;
}

void ob__clause_list_symbols(const ob_dims *dims, const ob_literal *literals, uint32_t n, ob_symbol_list *list) {
    for (uint32_t i = 0; i < n && !list->is_full; i++) {
        ob__symbols_add(list, dims, literals[i].p);
        if (literals[i].q) ob__symbols_add(list, dims, literals[i].q);
    }
}
