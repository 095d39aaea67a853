/* Clauses in normal form: each literal is rewritten until nothing changes, and ORs are distributed over ANDs. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/scratch.h"
#include "core/solve/expand.h"

/* Guards first; literals on several sizes before literals on one size. */
static int compare(const ob_dims *dims, const ob_work_literal *a, const ob_work_literal *b) {
    if (a->guard != b->guard) return a->guard ? -1 : 1;
    if (a->literal.kind != b->literal.kind) return a->literal.kind < b->literal.kind ? -1 : 1;
    const ob_term *left = ob__term(dims, a->literal.p), *right = ob__term(dims, b->literal.p);
    uint32_t left_size = left ? left->size : 0, right_size = right ? right->size : 0;
    if (left_size != right_size) return left_size > right_size ? -1 : 1;
    if (a->literal.p != b->literal.p) return a->literal.p < b->literal.p ? -1 : 1;
    return a->literal.q < b->literal.q ? -1 : a->literal.q > b->literal.q;
}

/* Is one of the literals true for all sizes at which the terms are defined? */
static bool complement(ob_dims *dims, const ob_literal *a, const ob_literal *b) {
    const ob_literal opposite = ob__literal_opposite(dims, a);
    return opposite.p != OB_DIM_UNKNOWN && ob__literal_implies(dims, &opposite, b);
}

/* Sorts the literals and drops each that implies another; false: the clause always holds. */
static bool tidy(ob_dims *dims, ob_literal_list *list) {
    for (uint32_t i = 1; i < list->n; i++) {
        ob_work_literal moved = list->items[i];
        uint32_t k = i;
        for (; k > 0 && compare(dims, &list->items[k - 1], &moved) > 0; k--) list->items[k] = list->items[k - 1];
        list->items[k] = moved;
    }
    for (uint32_t i = 0; i < list->n; i++)
        for (uint32_t k = i + 1; k < list->n; k++)
            if (complement(dims, &list->items[i].literal, &list->items[k].literal)) return false;
    for (uint32_t i = 0; i < list->n;) {
        bool superfluous = false;
        for (uint32_t k = 0; k < list->n && !superfluous; k++) {
            const ob_literal *one = &list->items[i].literal, *other = &list->items[k].literal;
            superfluous = k != i && ob__literal_implies(dims, one, other) && (k < i || !ob__literal_implies(dims, other, one));
        }
        if (superfluous)
            memmove(&list->items[i], &list->items[i + 1], (--list->n - i) * sizeof *list->items);
        else
            i++;
    }
    return true;
}

/* Clauses that are still rewritten: the first `done` literals are in normal form. */
typedef struct pending {
    ob_work_literal *items;
    uint32_t n, done;
} pending;

/* If the alternatives are "B = m or B = 1" with a broadcast term B, each member is m or 1. Removes the literal B = 1 from the
 * clause. */
static step expand_broadcast(work *w, pending *clause) {
    const ob_literal *literal = &clause->items[clause->done].literal;
    OB_POLYS(w->dims, p, 1);
    if (!p) return STEP_SAME;
    uint32_t at = 0;
    if (literal->kind != OB_LITERAL_ZERO || !ob__poly_load(w->dims, literal->p, p)) return STEP_SAME;
    const ob_term *term = ob__lone_term(w->dims, p, OB_DIM_KIND_BCAST, &at);
    int64_t sign = term ? p->monomials[at].coefficient : 0;
    if (sign != 1 && sign != -1) return STEP_SAME;
    const ob_dim *members = term->words;
    uint32_t n = term->n_words, other = 0;
    ob_dim m = ob__rest_of(w->dims, p, at, -sign), is_one = ob_dim_sub(w->dims, p->monomials[at].factors[0], 1),
           turned = ob_dim_sub(w->dims, 1, p->monomials[at].factors[0]);
    if (m == 1 || m == OB_DIM_UNKNOWN) return STEP_SAME;
    while (other < clause->n && (clause->items[other].literal.kind != OB_LITERAL_ZERO ||
                                 (clause->items[other].literal.p != is_one && clause->items[other].literal.p != turned)))
        other++;
    if (other == clause->n || other == clause->done) return STEP_SAME;
    for (uint32_t i = 0; i < n; i++) {
        if (members[i] == m) continue;
        put(w, OB_LITERAL_ZERO, ob_dim_sub(w->dims, members[i], m), 0);
        put_alone(w, OB_LITERAL_ZERO, ob_dim_sub(w->dims, members[i], 1), 0);
    }
    if (expanded(w) == STEP_SAME) return STEP_SAME;
    memmove(&clause->items[other], &clause->items[other + 1], (clause->n - other - 1) * sizeof *clause->items);
    clause->n--;
    if (other < clause->done) clause->done--;
    return w->e.n == 0 ? STEP_TRUE : STEP_EXPANDED;
}

static ob_work_literal *copy_with(ob_solver *s, const pending *from, uint32_t first, uint32_t end, const expansion *e) {
    uint32_t n_new = end - first;
    ob_work_literal *items = OB_ARENA_ARRAY(s->arena, ob_work_literal, (size_t)from->n + n_new);
    if (!items) return NULL;
    memcpy(items, from->items, from->done * sizeof *items);
    for (uint32_t i = 0; i < n_new; i++)
        items[from->done + i] = (ob_work_literal){e->literals[first + i], from->items[from->done].guard};
    memcpy(items + from->done + n_new, from->items + from->done + 1, (from->n - from->done - 1) * sizeof *items);
    return items;
}

/* One literal of stack[*n - 1]; *n_out counts the clauses that are finished. */
static ob_status rewrite_one(ob_solver *s, work *w, pending *stack, uint32_t *n, ob_literal_list *out, uint32_t *n_out) {
    pending *top = &stack[*n - 1];
    if (top->done == top->n) {
        ob_literal_list list = {top->items, top->n};
        (*n)--;
        if (!ob__solver_spend(s, (uint64_t)list.n * list.n / 4) || tidy(s->dims, &list)) out[(*n_out)++] = list;
        return OB_OK;
    }
    ob_work_literal *at = &top->items[top->done];
    if (!ob__solver_spend(s, ob__literal_size(s, &at->literal)) || ++w->n_rewrites > OB_SOLVE_REWRITES) {
        top->done++;
        return OB_OK;
    }
    ob_truth known = ob__literal_decide(w->s, s->dims, &at->literal);
    step made = known == OB_TRUE ? STEP_TRUE : known == OB_FALSE ? STEP_FALSE : STEP_SAME;
    if (known == OB_UNDECIDED) {
        w->e.n = w->e.n_literals = 0;
        w->e.overflow = false;
        bool fits = *n - 1 + *n_out + OB_EXPAND_MEMBERS <= OB_SOLVE_SPLIT && top->n + 2 * OB_EXPAND_MEMBERS <= OB_SOLVE_LITERALS;
        if (fits) made = expand_broadcast(w, top);
        at = &top->items[top->done];
        if (made == STEP_SAME) made = ob__literal_expand(w, &at->literal);
    }
    if (made == STEP_EXPANDED && (w->e.n + *n - 1 + *n_out > OB_SOLVE_SPLIT || top->n + w->e.n_literals > OB_SOLVE_LITERALS))
        made = STEP_SAME;
    if (made == STEP_TRUE) {
        (*n)--;
    } else if (made == STEP_FALSE) {
        memmove(at, at + 1, (top->n - top->done - 1) * sizeof *at);
        top->n--;
    } else if (made == STEP_SAME) {
        top->done++;
    } else {
        const pending old = *top;
        (*n)--;
        for (uint32_t i = w->e.n; i-- > 0;) {
            uint32_t first = i ? w->e.end[i - 1] : 0, end = w->e.end[i];
            ob__solver_spend(s, old.n + end - first);
            ob_work_literal *items = copy_with(s, &old, first, end, &w->e);
            if (!items) return OB_E_MEMORY;
            stack[(*n)++] = (pending){items, old.n - 1 + end - first, old.done};
        }
    }
    return OB_OK;
}

ob_status ob__clause_normalise(ob_solver *s, const ob_work_literal *literals, uint32_t n, ob_literal_list *out, uint32_t *n_out) {
    ob_scratch_scope scope __attribute__((cleanup(ob__scratch_end))) = ob__scratch_begin(s->dims, sizeof(work));
    work *w = scope.memory;
    if (!w) return OB_E_MEMORY;
    w->s = s->blind ? NULL : s;
    w->dims = s->dims;
    w->budget = s->budget;
    w->n_rewrites = 0;
    pending stack[OB_SOLVE_SPLIT + 1];
    uint32_t n_stack = 1;
    *n_out = 0;
    s->n_normalised++;
    ob_work_literal *items = OB_ARENA_ARRAY(s->arena, ob_work_literal, n);
    if (!items) return OB_E_MEMORY;
    if (n) memcpy(items, literals, n * sizeof *items);
    stack[0] = (pending){items, n, 0};
    while (n_stack > 0) OB_TRY(rewrite_one(s, w, stack, &n_stack, out, n_out));
    return OB_OK;
}
