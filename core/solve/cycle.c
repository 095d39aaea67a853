/* Contradictions among differences of sizes: x >= y + 1, y >= x + 1. Bounds alone would rise forever. A cycle in the graph of
 * the differences with a sum above 0 proves the contradiction (Bellman-Ford). */
#include <string.h>

#include "core/base/integers.h"
#include "core/dims/scratch.h"
#include "core/solve/solver.h"

enum { MAX_RELAXATIONS = 1 << 22 };

/* to >= from + step; node 0 is the number 0, node i + 1 is fact i. */
typedef struct edge {
    uint32_t from, to, reason;
    int64_t step;
} edge;

typedef struct difference_graph {
    edge *edges;
    uint32_t n, n_nodes;
    int64_t *level;
    uint32_t *last; /* the edge that raised the node, + 1 */
} difference_graph;

/* x - y + step >= 0, of a unit. */
static bool is_difference(const ob_solver *s, const ob_work_clause *clause, uint32_t *x, uint32_t *y, int64_t *constant) {
    OB_POLYS(s->dims, p, 1);
    if (!p) return false;
    if (clause->dropped || clause->n != 1 || clause->literals[0].literal.kind != OB_LITERAL_NONNEGATIVE ||
        !ob__poly_load(s->dims, clause->literals[0].literal.p, p) || p->n != 2)
        return false;
    uint32_t at[2];
    for (int i = 0; i < 2; i++) {
        const ob_monomial *m = &p->monomials[i];
        const ob_symbol_fact *fact = m->n_factors == 1 ? ob__solve_fact(s, m->factors[0]) : NULL;
        if (!fact) return false;
        at[i] = (uint32_t)(fact - s->facts);
    }
    int64_t first = p->monomials[0].coefficient, second = p->monomials[1].coefficient;
    if (!(first == 1 && second == -1) && !(first == -1 && second == 1)) return false;
    *x = first == 1 ? at[0] : at[1];
    *y = first == 1 ? at[1] : at[0];
    *constant = p->constant;
    return true;
}

static ob_status build(const ob_solver *s, ob_arena *arena, difference_graph *g) {
    uint32_t x, y, n = 0;
    int64_t constant;
    for (uint32_t i = 0; i < s->n_clauses; i++) n += is_difference(s, &s->clauses[i], &x, &y, &constant);
    *g = (difference_graph){.n_nodes = s->n_facts + 1};
    if (n < 2) return OB_OK;
    g->edges = OB_ARENA_ARRAY(arena, edge, n + 2 * (size_t)s->n_facts);
    g->level = OB_ARENA_ARRAY(arena, int64_t, g->n_nodes);
    g->last = OB_ARENA_ARRAY(arena, uint32_t, g->n_nodes);
    if (!g->edges || !g->level || !g->last) return OB_E_MEMORY;
    for (uint32_t i = 0; i < s->n_clauses; i++)
        if (is_difference(s, &s->clauses[i], &x, &y, &constant))
            g->edges[g->n++] = (edge){y + 1, x + 1, s->clauses[i].reason, -constant};
    for (uint32_t i = 0; i < s->n_facts; i++) {
        const ob_symbol_fact *f = &s->facts[i];
        g->edges[g->n++] = (edge){0, i + 1, f->reason, f->lo};
        if (f->hi != OB_INFINITE) g->edges[g->n++] = (edge){i + 1, 0, f->reason, -f->hi};
    }
    return OB_OK;
}

/* A node on a cycle that still rises after as many rounds as there are nodes, or UINT32_MAX. */
static uint32_t relax(ob_solver *s, difference_graph *g) {
    uint32_t risen = UINT32_MAX;
    for (uint32_t round = 0; round <= g->n_nodes; round++) {
        risen = UINT32_MAX;
        if (!ob__solver_spend(s, g->n / 4)) return UINT32_MAX;
        for (uint32_t i = 0; i < g->n; i++) {
            const edge *e = &g->edges[i];
            int64_t level;
            if (ob__add_overflows(g->level[e->from], e->step, &level) || level <= g->level[e->to]) continue;
            g->level[e->to] = level;
            g->last[e->to] = i + 1;
            risen = e->to;
        }
        if (risen == UINT32_MAX) return UINT32_MAX;
    }
    return risen;
}

ob_status ob__solver_cycle(ob_solver *s) {
    ob_arena arena;
    difference_graph g;
    ob__arena_init(&arena, &s->arena->allocator);
    ob_status status = build(s, &arena, &g);
    uint32_t at = status == OB_OK && g.n > 0 && (uint64_t)g.n * g.n_nodes <= MAX_RELAXATIONS && ob__solver_spend(s, g.n)
                      ? relax(s, &g)
                      : UINT32_MAX,
             reason = 0;
    if (at != UINT32_MAX) {
        for (uint32_t i = 0; i < g.n_nodes; i++) at = g.edges[g.last[at] - 1].from; /* onto the cycle */
        uint32_t node = at;
        do {
            const edge *e = &g.edges[g.last[node] - 1];
            if (status == OB_OK) status = ob__solver_reason(s, reason, e->reason, &reason);
            node = e->from;
        } while (node != at);
        ob__solver_clash(s, reason);
    }
    return ob__arena_finish(&arena, status);
}
