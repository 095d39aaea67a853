/* States equal sizes in one clause: N = M = K = 5. It is the equation max(N, M, K, 5) = min(N, M, K, 5). */
#include "core/base/error.h"
#include "core/solve/solver.h"

enum { MAX_MEMBERS = OB_TERM_EXTREMES };

/* For each fact: another one of its chain, up to the first (union-find), and the next in the order of the facts. */
typedef struct chains {
    ob_solver *s;
    uint32_t *up, *next, *last, *n;
    uint32_t *clause; /* the clause that gives the fact's value, + 1 */
} chains;

static uint32_t first_of(const chains *c, uint32_t fact) {
    while (c->up[fact] != fact) {
        c->up[fact] = c->up[c->up[fact]];
        fact = c->up[fact];
    }
    return fact;
}

static void join(const chains *c, uint32_t a, uint32_t b) {
    a = first_of(c, a);
    b = first_of(c, b);
    if (a < b)
        c->up[b] = a;
    else
        c->up[a] = b;
}

typedef struct equal_visit {
    const chains *chains;
    uint32_t fact;
    ob_dim value;
} equal_visit;

/* Sizes of one given equation that are known to be the same number. */
static bool join_equal(void *context, ob_dim symbol) {
    equal_visit *visit = context;
    const ob_solver *s = visit->chains->s;
    const ob_symbol_fact *fact = ob__solve_fact(s, symbol);
    if (!fact || fact->solved != visit->value || !visit->chains->clause[fact - s->facts]) return true;
    join(visit->chains, visit->fact, (uint32_t)(fact - s->facts));
    return true;
}

/* Is it "input = input", or "input = number above 0"? A 0 would disappear from the maximum. */
static bool is_link(const ob_solver *s, const ob_work_clause *clause) {
    if (clause->dropped || clause->assumed || !clause->defines || clause->n != 1) return false;
    ob_dim value = s->facts[clause->defines - 1].solved;
    for (uint32_t i = 0; i < clause->n_symbols; i++)
        if (s->facts[clause->symbols[i]].order == UINT32_MAX) return false;
    return ob_dim_is_const(value) ? value > 0 && clause->n_symbols == 1
                                  : ob_dim_get_kind(s->dims, value) == OB_DIM_KIND_SYMBOL && clause->n_symbols == 2;
}

static void link_all(chains *c) {
    const ob_solver *s = c->s;
    for (uint32_t i = 0; i < s->n_clauses; i++)
        if (is_link(s, &s->clauses[i])) c->clause[s->clauses[i].defines - 1] = i + 1;
    for (uint32_t i = 0; i < s->n_facts; i++) {
        if (!c->clause[i]) continue;
        equal_visit visit = {c, i, s->facts[i].solved};
        if (ob_dim_is_term(visit.value)) {
            const ob_symbol_fact *other = ob__solve_fact(s, visit.value);
            join(c, i, (uint32_t)(other - s->facts));
            continue;
        }
        for (const ob_link *link = s->clauses[c->clause[i] - 1].origins; link; link = link->next) {
            const ob_clause *given = &s->given[link->number];
            if (given->n == 1 && given->literals[0].kind == OB_LITERAL_ZERO)
                ob_dim_symbols(s->dims, given->literals[0].p, join_equal, &visit);
        }
    }
    for (uint32_t i = s->n_facts; i-- > 0;) { /* lists with the first at their head */
        uint32_t first = first_of(c, i);
        c->next[i] = c->last[first];
        c->last[first] = i + 1;
        c->n[first]++;
    }
}

/* Replaces the clauses that state the members' values by one clause. */
static ob_status tell(const chains *c, uint32_t first) {
    ob_solver *s = c->s;
    ob_dim value = s->facts[first].solved, least, greatest;
    const ob_link *none = NULL;
    bool number = ob_dim_is_const(value);
    if (c->n[first] + number < 3 || c->n[first] + number > MAX_MEMBERS) return OB_OK;
    least = greatest = number ? value : s->facts[first].symbol;
    uint32_t reason = 0, made, defines = 0;
    for (uint32_t at = first + 1; at; at = c->next[at - 1]) {
        least = ob_dim_min(s->dims, least, s->facts[at - 1].symbol);
        greatest = ob_dim_max(s->dims, greatest, s->facts[at - 1].symbol);
        if (!c->clause[at - 1]) continue;
        OB_TRY(ob__solver_reason(s, reason, s->clauses[c->clause[at - 1] - 1].reason, &reason));
        if (!defines || s->facts[at - 1].order < s->facts[defines - 1].order) defines = at;
    }
    const ob_work_literal equal = {{OB_LITERAL_ZERO, ob_dim_sub(s->dims, greatest, least), 0}, false};
    if (equal.literal.p == OB_DIM_UNKNOWN || !defines) return OB_OK;
    OB_TRY(ob__solver_insert(s, &equal, 1, reason, none, false, true, &made));
    s->clauses[made].defines = defines;
    s->clauses[made].chain = true;
    for (uint32_t at = first + 1; at; at = c->next[at - 1]) {
        ob_work_clause *clause = c->clause[at - 1] ? &s->clauses[c->clause[at - 1] - 1] : NULL;
        if (!clause) continue;
        OB_TRY(ob__solver_add_origins(s, &s->clauses[made], clause->origins));
        clause->dropped = true;
    }
    return OB_OK;
}

ob_status ob__solver_chain(ob_solver *s) {
    ob_arena arena;
    ob__arena_init(&arena, &s->arena->allocator);
    chains c = {.s = s};
    uint32_t **arrays[] = {&c.up, &c.next, &c.last, &c.n, &c.clause}, n_facts = s->n_facts;
    ob_status status = OB_OK;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = OB_ARENA_ARRAY(&arena, uint32_t, n_facts);
        if (!*arrays[i]) status = OB_E_MEMORY;
    }
    if (status == OB_OK) {
        for (uint32_t i = 0; i < n_facts; i++) c.up[i] = i;
        link_all(&c);
    }
    for (uint32_t i = 0; i < n_facts && status == OB_OK; i++)
        if (c.up[i] == i && c.n[i] > 1) status = tell(&c, i);
    return ob__arena_finish(&arena, status);
}

bool ob__clause_defines(const ob_solver *s, const ob_work_clause *clause, uint32_t fact) {
    if (!clause->chain) return clause->defines == fact + 1;
    for (uint32_t i = 0; i < clause->n_symbols; i++)
        if (clause->symbols[i] == fact) return s->facts[fact].solved != OB_DIM_UNKNOWN;
    return false;
}
