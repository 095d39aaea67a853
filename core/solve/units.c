/* Propagation: unit clauses become facts of symbols, facts simplify the other clauses, until nothing changes.
 *
 * A unit that gave a fact is pinned: from then on only substitution by equations rewrites it, and no fact drops it. So the
 * clauses that every fact was derived from stay in the set. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/dims/scratch.h"
#include "core/solve/solver.h"

enum { MAX_SOLVED_SIZE = 64, MAX_ROUNDS = 8 };

/* ---- Facts ---- */

ob_truth ob__solve_meet(int64_t m1, int64_t r1, int64_t m2, int64_t r2, int64_t *m, int64_t *r) {
    int64_t gcd = ob__gcd(m1, m2), difference = r2 - r1, lcm;
    if (difference % gcd != 0) return OB_FALSE;
    if (ob__mul_overflows(m1 / gcd, m2, &lcm) || lcm > INT32_MAX) return OB_UNDECIDED;
    /* r1 + m1 * k = r2 modulo m2, so m1/gcd * k = difference/gcd modulo m2/gcd; every factor is below 2^31 */
    int64_t rest = m2 / gcd, k = (difference / gcd % rest + rest) % rest * ob__inverse(m1 / gcd, rest) % rest;
    *m = lcm;
    *r = r1 + m1 * k;
    return OB_TRUE;
}

/* Tightens the bounds to numbers that satisfy the congruence. */
static void round_bounds(ob_symbol_fact *f) {
    if (f->mod <= 1) return;
    int64_t up = f->lo + (f->rem - f->lo % f->mod + f->mod) % f->mod;
    if (up <= OB_INFINITE) f->lo = up;
    if (f->hi != OB_INFINITE) {
        int64_t rest = f->hi % f->mod;
        if (f->hi >= 0) f->hi -= (rest - f->rem + f->mod) % f->mod;
    }
}

ob_status ob__solver_learn(ob_solver *s, uint32_t fact, int64_t lo, int64_t hi, int64_t mod, int64_t rem, uint32_t reason,
                           uint32_t source) {
    ob_symbol_fact *f = &s->facts[fact];
    const ob_symbol_fact old = *f;
    if (lo > f->lo) f->lo = lo;
    if (hi < f->hi) f->hi = hi;
    if (mod > 1 && (f->mod % mod != 0 || f->rem % mod != rem)) {
        int64_t m, r;
        ob_truth both = ob__solve_meet(f->mod, f->rem, mod, rem, &m, &r);
        if (both == OB_TRUE) {
            f->mod = m;
            f->rem = r;
        }
        if (both == OB_FALSE) f->hi = -1; /* empty range */
    }
    round_bounds(f);
    if (f->lo == old.lo && f->hi == old.hi && f->mod == old.mod && f->rem == old.rem) return OB_OK;
    OB_TRY(ob__solver_reason(s, f->reason, reason, &f->reason));
    f->changed = true;
    if (f->lo > f->hi) {
        ob__solver_clash(s, f->reason);
        return OB_OK;
    }
    if (f->lo == f->hi && f->solved == OB_DIM_UNKNOWN && source != UINT32_MAX) {
        ob_work_literal is = {{OB_LITERAL_ZERO, ob_dim_sub(s->dims, f->symbol, f->lo), 0}, false};
        uint32_t made;
        const ob_work_clause *from = &s->clauses[source];
        if (is.literal.p != OB_DIM_UNKNOWN)
            OB_TRY(ob__solver_insert(s, &is, 1, f->reason, from->origins, s->reasons[f->reason].assumed, true, &made));
    }
    return ob__solver_enqueue_symbol(s, fact);
}

/* ---- Units ---- */

static bool is_linear_symbol(const ob_solver *s, const ob_monomial *m) {
    return m->n_factors == 1 && ob_dim_get_kind(s->dims, m->factors[0]) == OB_DIM_KIND_SYMBOL;
}

/* The reason of the clause and of the facts about its symbols. */
static ob_status reason_of_symbols(ob_solver *s, const ob_work_clause *c, uint32_t *out) {
    *out = c->reason;
    for (uint32_t i = 0; i < c->n_symbols; i++) OB_TRY(ob__solver_reason(s, *out, s->facts[c->symbols[i]].reason, out));
    return OB_OK;
}

/* The same with the facts about the symbols of these literals. Where there are too many symbols to list, `blind`: no facts may
 * be used on them. */
static ob_status add_reason_of(ob_solver *s, const ob_work_literal *literals, uint32_t n, uint32_t *reason, bool *blind) {
    ob_symbol_set set;
    OB_TRY(ob__clause_symbols(s, literals, n, &set));
    *blind |= set.overflow;
    for (uint32_t i = 0; i < set.n; i++) OB_TRY(ob__solver_reason(s, *reason, s->facts[set.items[i]].reason, reason));
    return OB_OK;
}

/* The bounds of the symbol in monomial `at` that p >= 0 leaves: coefficient * x >= -rest. */
static ob_status tighten_one(ob_solver *s, uint32_t clause, const ob_poly *p, uint32_t at, uint32_t reason) {
    const ob_monomial *m = &p->monomials[at];
    uint32_t fact;
    OB_TRY(ob__solver_symbol(s, m->factors[0], &fact));
    OB_POLYS(s->dims, rest, 1);
    if (!rest) return OB_E_MEMORY;
    ob__poly_without(p, at, rest);
    int64_t most = ob__solve_poly_bounds(s, s->dims, rest).hi;
    if (most == OB_INFINITE) return OB_OK;
    ob_symbol_fact *f = &s->facts[fact];
    bool several = p->n > 1;
    if (m->coefficient > 0) {
        int64_t lo = -ob__floor_div(most, m->coefficient);
        if (lo <= f->lo || (several && f->raised == OB_SOLVE_TIGHTENED)) return OB_OK;
        f->raised += several;
        return ob__solver_learn(s, fact, lo, OB_INFINITE, 1, 0, reason, clause);
    }
    int64_t hi = ob__floor_div(most, -m->coefficient);
    if (hi >= f->hi || (several && f->lowered == OB_SOLVE_TIGHTENED)) return OB_OK;
    f->lowered += several;
    return ob__solver_learn(s, fact, 0, hi, 1, 0, reason, clause);
}

static ob_status tighten(ob_solver *s, uint32_t clause, const ob_poly *p) {
    uint32_t reason;
    s->effort += (uint64_t)p->n * p->n; /* each bound takes those of all others */
    ob__solver_spend(s, (uint64_t)p->n * ob__literal_size(s, &s->clauses[clause].literals[0].literal));
    OB_TRY(reason_of_symbols(s, &s->clauses[clause], &reason));
    for (uint32_t i = 0; i < p->n && !s->clashed; i++)
        if (is_linear_symbol(s, &p->monomials[i])) OB_TRY(tighten_one(s, clause, p, i, reason));
    return OB_OK;
}

typedef struct symbol_check {
    const ob_solver *s;
    ob_dim avoid;
    bool mentions, solved, all_inputs; /* contains a term to avoid */
} symbol_check;

static bool check_symbol(void *context, ob_dim symbol) {
    symbol_check *check = context;
    const ob_symbol_fact *fact = ob__solve_fact(check->s, symbol);
    check->mentions |= symbol == check->avoid;
    check->solved |= fact && fact->solved != OB_DIM_UNKNOWN;
    check->all_inputs &= fact && fact->order != UINT32_MAX;
    return true;
}

/* Chooses among the symbols that p = 0 gives as a term of others: one that is not an input, otherwise the last input. An input
 * is never replaced by other symbols, so that clauses on inputs stay clauses on inputs. */
static ob_dim pick_solved(ob_solver *s, const ob_poly *p, uint32_t *picked) {
    ob_dim best = OB_DIM_UNKNOWN;
    for (uint32_t i = 0; i < p->n; i++) {
        const ob_monomial *m = &p->monomials[i];
        if (!is_linear_symbol(s, m) || (m->coefficient != 1 && m->coefficient != -1)) continue;
        const ob_symbol_fact *fact = ob__solve_fact(s, m->factors[0]),
                             *other = best == OB_DIM_UNKNOWN ? NULL : &s->facts[*picked];
        if (!fact || fact->solved != OB_DIM_UNKNOWN || (other && fact->order < other->order)) continue;
        ob_dim value = ob__rest_of(s->dims, p, i, -m->coefficient);
        const ob_term *term = ob__term(s->dims, value);
        if (value == OB_DIM_UNKNOWN || (term && term->size > MAX_SOLVED_SIZE)) continue;
        symbol_check check = {.s = s, .avoid = m->factors[0], .all_inputs = true};
        ob_dim_symbols(s->dims, value, check_symbol, &check);
        if (check.mentions || check.solved || (fact->order != UINT32_MAX && !check.all_inputs)) continue;
        best = value;
        *picked = (uint32_t)(fact - s->facts);
    }
    return best;
}

static ob_status learn_zero(ob_solver *s, uint32_t clause, const ob_poly *p) {
    uint32_t at = 0;
    ob_dim value = s->clauses[clause].defines ? OB_DIM_UNKNOWN : pick_solved(s, p, &at);
    if (value == OB_DIM_UNKNOWN) {
        if (s->clauses[clause].defines) return OB_OK;
        OB_POLYS(s->dims, negative, 1);
        if (!negative) return OB_E_MEMORY;
        OB_TRY(tighten(s, clause, p));
        return ob__poly_scale(p, -1, negative) && !s->clashed ? tighten(s, clause, negative) : OB_OK;
    }
    ob_symbol_fact *f = &s->facts[at];
    f->solved = value;
    s->clauses[clause].defines = at + 1;
    OB_TRY(ob__solver_reason(s, f->reason, s->clauses[clause].reason, &f->reason));
    if (ob_dim_is_const(value)) {
        OB_TRY(ob__solver_learn(s, at, value, value, 1, 0, f->reason, UINT32_MAX));
    } else { /* a size is 0 or more, and so is its replacement */
        const ob_work_literal domain = {{OB_LITERAL_NONNEGATIVE, value, 0}, false};
        if (ob__literal_decide(NULL, s->dims, &domain.literal) != OB_TRUE) {
            uint32_t made;
            const ob_work_clause *from = &s->clauses[clause];
            OB_TRY(ob__solver_insert(s, &domain, 1, from->reason, from->origins, from->assumed, true, &made));
        }
    }
    return ob__solver_enqueue_symbol(s, at);
}

/* p >= 0 and -p >= 0 are p = 0. */
static ob_status meet_opposite(ob_solver *s, uint32_t clause, bool *met) {
    const ob_work_literal *literal = s->clauses[clause].literals;
    int64_t key[3] = {(int64_t)OB_LITERAL_NONNEGATIVE * 2 + literal->guard, ob_dim_sub(s->dims, 0, literal->literal.p), 0};
    const ob_map_entry *entry = ob__map_find(&s->contents, (const char *)key, sizeof key);
    *met = false;
    if (!entry || !entry->value) return OB_OK;
    uint32_t other = (uint32_t)((uintptr_t)entry->value - 1), made, reason;
    if (s->clauses[other].dropped || other == clause || s->clauses[other].assumed != s->clauses[clause].assumed) return OB_OK;
    *met = true;
    OB_TRY(ob__solver_reason(s, s->clauses[clause].reason, s->clauses[other].reason, &reason));
    const ob_work_literal is = {{OB_LITERAL_ZERO, literal->literal.p, 0}, literal->guard};
    OB_TRY(ob__solver_insert(s, &is, 1, reason, s->clauses[clause].origins, s->clauses[clause].assumed, true, &made));
    OB_TRY(ob__solver_insert(s, &is, 1, reason, s->clauses[other].origins, s->clauses[other].assumed, true, &made));
    s->clauses[clause].dropped = s->clauses[other].dropped = true;
    return OB_OK;
}

static ob_status learn_unit(ob_solver *s, uint32_t clause) {
    ob_work_clause *c = &s->clauses[clause];
    const ob_literal literal = c->literals[0].literal;
    OB_POLYS(s->dims, p, 1);
    if (!p) return OB_E_MEMORY;
    bool met = false;
    c->pinned = true;
    if (!ob__poly_load(s->dims, literal.p, p)) return OB_OK;
    if (c->n_symbols == 0) return OB_OK;
    if (literal.kind == OB_LITERAL_ZERO) return learn_zero(s, clause, p);
    if (literal.kind == OB_LITERAL_NONNEGATIVE) {
        OB_TRY(meet_opposite(s, clause, &met));
        return met ? OB_OK : tighten(s, clause, p);
    }
    if (literal.kind != OB_LITERAL_DIVIDES || !ob_dim_is_const(literal.q) || p->n != 1 ||
        !is_linear_symbol(s, &p->monomials[0]) || p->monomials[0].coefficient != 1 || literal.q > INT32_MAX)
        return OB_OK;
    uint32_t at;
    OB_TRY(ob__solver_symbol(s, p->monomials[0].factors[0], &at));
    int64_t rem = (literal.q - p->constant % literal.q) % literal.q;
    return ob__solver_learn(s, at, 0, OB_INFINITE, literal.q, rem, c->reason, clause);
}

/* ---- Substitution ---- */

typedef struct substitution {
    const ob_solver *s;
    ob_dim keep; /* the symbol that the clause itself defines */
    bool used;
} substitution;

static ob_dim replacement_of(void *context, ob_dim symbol) {
    substitution *by = context;
    const ob_symbol_fact *fact = symbol == by->keep ? NULL : ob__solve_fact(by->s, symbol);
    if (!fact || fact->solved == OB_DIM_UNKNOWN) return symbol;
    by->used = true;
    return fact->solved;
}

static uint64_t size_of(const ob_solver *s, ob_dim d) {
    const ob_term *term = ob__term(s->dims, d);
    return term ? term->size : 0;
}

/* The literals with solved symbols replaced, except `keep`. A literal is false, and is dropped, if its broadcast term has two
 * different sizes or a divisor is below 1. One that grows beyond the limits stays as it is. */
static ob_status substitute(ob_solver *s, const ob_work_literal *literals, uint32_t n_literals, ob_dim keep,
                            ob_work_literal **out, uint32_t *n, bool *changed) {
    *changed = false;
    *n = 0;
    *out = OB_ARENA_ARRAY(s->arena, ob_work_literal, n_literals);
    if (!*out) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n_literals; i++) {
        ob_work_literal made = literals[i];
        substitution by = {s, keep, false};
        bool disagrees = false, other = false;
        ob_dim p = ob__dim_replace(s->dims, made.literal.p, replacement_of, &by, &disagrees), q = made.literal.q;
        if (ob_dim_is_term(q)) q = ob__dim_replace(s->dims, q, replacement_of, &by, &other);
        uint64_t size = size_of(s, p) + size_of(s, q);
        s->effort += size;
        ob__solver_spend(s, size);
        if (disagrees || other) {
            *changed = true;
            continue;
        }
        if (by.used && p != OB_DIM_UNKNOWN && q != OB_DIM_UNKNOWN) {
            made.literal.p = p;
            made.literal.q = q;
            *changed = true;
        }
        (*out)[(*n)++] = made;
    }
    return OB_OK;
}

ob_status ob__solver_restate(ob_solver *s, const ob_clause *clause, ob_literal_list *out, uint32_t *n_out) {
    ob_work_literal *literals = OB_ARENA_ARRAY(s->arena, ob_work_literal, clause->n);
    uint32_t n = clause->n;
    if (!literals) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) literals[i] = (ob_work_literal){clause->literals[i], i < clause->n_guard};
    bool changed = true;
    for (int rounds = 0; changed && rounds < MAX_ROUNDS;
         rounds++) /* the replacement of a symbol may contain other solved symbols */
        OB_TRY(substitute(s, literals, n, OB_DIM_UNKNOWN, &literals, &n, &changed));
    return ob__clause_normalise(s, literals, n, out, n_out);
}

static bool has_solved(const ob_solver *s, const ob_work_clause *c) {
    for (uint32_t i = 0; i < c->n_symbols; i++)
        if (s->facts[c->symbols[i]].solved != OB_DIM_UNKNOWN && c->symbols[i] + 1 != c->defines) return true;
    return false;
}

static bool has_facts(const ob_solver *s, const ob_work_clause *c) {
    for (uint32_t i = 0; i < c->n_symbols; i++)
        if (s->facts[c->symbols[i]].reason) return true;
    return false;
}

/* ---- One clause ---- */

static bool same_list(const ob_work_clause *c, const ob_literal_list *list) {
    if (c->n != list->n) return false;
    for (uint32_t i = 0; i < c->n; i++) {
        const ob_work_literal *a = &c->literals[i], *b = &list->items[i];
        if (a->guard != b->guard || a->literal.kind != b->literal.kind || a->literal.p != b->literal.p ||
            a->literal.q != b->literal.q)
            return false;
    }
    return true;
}

/* The term that the equation gives for the symbol; OB_DIM_UNKNOWN: the equation has another form. */
static ob_dim value_by(ob_solver *s, ob_dim symbol, const ob_literal_list *list) {
    OB_POLYS(s->dims, p, 1);
    if (!p) return OB_DIM_UNKNOWN;
    if (list->n != 1 || list->items[0].literal.kind != OB_LITERAL_ZERO || !ob__poly_load(s->dims, list->items[0].literal.p, p))
        return OB_DIM_UNKNOWN;
    uint32_t at = 0;
    while (at < p->n && (p->monomials[at].n_factors != 1 || p->monomials[at].factors[0] != symbol)) at++;
    if (at == p->n || (p->monomials[at].coefficient != 1 && p->monomials[at].coefficient != -1)) return OB_DIM_UNKNOWN;
    ob_dim value = ob__rest_of(s->dims, p, at, -p->monomials[at].coefficient);
    symbol_check check = {.s = s, .avoid = symbol};
    ob_dim_symbols(s->dims, value, check_symbol, &check);
    return check.mentions ? OB_DIM_UNKNOWN : value;
}

/* An equation continues to define its symbol after other equations rewrote it. */
static ob_status redefine(ob_solver *s, uint32_t fact, ob_dim value, uint32_t clause) {
    ob_symbol_fact *f = &s->facts[fact];
    s->clauses[clause].defines = fact + 1;
    f->solved = value;
    OB_TRY(ob__solver_reason(s, f->reason, s->clauses[clause].reason, &f->reason));
    if (ob_dim_is_const(value)) OB_TRY(ob__solver_learn(s, fact, value, value, 1, 0, f->reason, UINT32_MAX));
    return ob__solver_enqueue_symbol(s, fact);
}

/* A pinned unit can still be refuted by facts. */
static ob_status clash_if_false(ob_solver *s, const ob_work_clause *c) {
    uint32_t reason;
    if (c->n != 1 || c->defines || ob__literal_decide(s, s->dims, &c->literals[0].literal) != OB_FALSE) return OB_OK;
    OB_TRY(reason_of_symbols(s, c, &reason));
    ob__solver_clash(s, reason);
    return OB_OK;
}

/* Normalises the clause by the current facts; gone: it was replaced by others. */
static ob_status rewrite(ob_solver *s, uint32_t clause, bool *gone) {
    const ob_work_clause c = s->clauses[clause];
    ob_work_literal *literals = c.literals;
    uint32_t n = c.n, n_lists, reason, made = UINT32_MAX;
    ob_literal_list lists[OB_SOLVE_SPLIT];
    bool changed = false;
    *gone = false;
    for (uint32_t i = 0; i < n; i++) s->effort += size_of(s, literals[i].literal.p) + size_of(s, literals[i].literal.q);
    if (c.n_symbols == 0) return OB_OK; /* stays as it is */
    ob_dim keep = c.defines ? s->facts[c.defines - 1].symbol : OB_DIM_UNKNOWN;
    if (has_solved(s, &c)) OB_TRY(substitute(s, c.literals, c.n, keep, &literals, &n, &changed));
    if (c.pinned && !changed) return clash_if_false(s, &c);
    if (!changed && !has_facts(s, &c)) return OB_OK; /* it is in normal form, and no fact applies */
    bool blind = c.pinned;
    OB_TRY(reason_of_symbols(s, &c, &reason));
    if (changed && !blind) OB_TRY(add_reason_of(s, literals, n, &reason, &blind)); /* those of the replacements apply too */
    s->blind = blind;
    ob_status status = ob__clause_normalise(s, literals, n, lists, &n_lists);
    s->blind = false;
    OB_TRY(status);
    if (n_lists == 1 && same_list(&c, &lists[0])) return OB_OK;
    ob_dim value = c.defines && n_lists == 1 ? value_by(s, s->facts[c.defines - 1].symbol, &lists[0]) : OB_DIM_UNKNOWN;
    if (c.defines && value == OB_DIM_UNKNOWN && (n_lists != 1 || lists[0].n > 0)) return OB_OK;
    *gone = true;
    s->clauses[clause].dropped = true;
    for (uint32_t i = 0; i < n_lists && !s->clashed; i++)
        OB_TRY(ob__solver_insert(s, lists[i].items, lists[i].n, reason, c.origins, c.assumed, c.pinned, &made));
    return value != OB_DIM_UNKNOWN && !s->clashed ? redefine(s, c.defines - 1, value, made) : OB_OK;
}

/* Equations that share many symbols grow as they rewrite each other; past the limit the rest is left unchanged. */
static bool is_exhausted(ob_solver *s) {
    return !ob__solver_spend(s, 1) || s->effort > OB_SOLVE_EFFORT + (uint64_t)OB_SOLVE_EFFORT_EACH * s->n_given;
}

ob_status ob__solver_propagate(ob_solver *s) {
    while (s->queue_first < s->queue_n && !s->clashed && !is_exhausted(s)) {
        uint32_t clause = s->queue[s->queue_first++];
        bool gone = false;
        s->clauses[clause].queued = false;
        if (s->clauses[clause].dropped) continue;
        OB_TRY(rewrite(s, clause, &gone));
        if (!gone && s->clauses[clause].n == 1 && !s->clashed) OB_TRY(learn_unit(s, clause));
    }
    return OB_OK;
}
