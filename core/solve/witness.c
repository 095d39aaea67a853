/* Witnesses: sizes that satisfy the whole contract, and sizes that break one clause of it alone. They come from a search over
 * few sizes and are tested. If none is found, some may still exist. */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/solve/solver.h"

enum { CANDIDATES = 20, MAX_CLAUSES = 64 };

/* The clauses that share symbols with one, and their symbols. */
typedef struct component {
    ob_solver *s;
    uint32_t clauses[MAX_CLAUSES], n_clauses;
    const uint32_t *assumed; /* given clauses that are assumptions: facts may have replaced their clauses */
    uint32_t n_assumed;
    uint32_t facts[OB_SOLVE_COMPONENT_SYMBOLS], n;
    ob_binding at[OB_SOLVE_COMPONENT_SYMBOLS];
    int64_t candidates[OB_SOLVE_COMPONENT_SYMBOLS][CANDIDATES];
    uint32_t n_candidates[OB_SOLVE_COMPONENT_SYMBOLS];
    uint32_t n_usual[OB_SOLVE_COMPONENT_SYMBOLS]; /* the first of them, which are neither 0 nor 1 */
} component;

static bool add_fact(component *c, uint32_t fact) {
    for (uint32_t i = 0; i < c->n; i++)
        if (c->facts[i] == fact) return true;
    if (c->n == OB_SOLVE_COMPONENT_SYMBOLS) return false;
    c->facts[c->n] = fact;
    c->at[c->n++].symbol = c->s->facts[fact].symbol;
    return true;
}

static bool add_clause(component *c, uint32_t number) {
    const ob_work_clause *clause = &c->s->clauses[number];
    for (uint32_t i = 0; i < c->n_clauses; i++)
        if (c->clauses[i] == number) return true;
    if (c->n_clauses == MAX_CLAUSES) return false;
    c->clauses[c->n_clauses++] = number;
    for (uint32_t i = 0; i < clause->n_symbols; i++)
        if (!add_fact(c, clause->symbols[i])) return false;
    return clause->n_symbols > 0;
}

/* A clause that also depends on the run is not part of the contract. */
static bool is_of_inputs(const ob_solver *s, const ob_work_clause *clause) {
    for (uint32_t i = 0; i < clause->n_symbols; i++)
        if (s->facts[clause->symbols[i]].order == UINT32_MAX) return false;
    return true;
}

/* False: it is too large to search. */
static bool collect(ob_solver *s, uint32_t first, component *c) {
    c->s = s;
    c->n = c->n_clauses = 0;
    if (s->clauses[first].n_symbols > OB_SOLVE_COMPONENT_SYMBOLS || !add_clause(c, first)) return false;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t walked = 0;
        for (const ob_link *link = s->facts[c->facts[i]].occurrences; link; link = link->next) {
            if (++walked > 16 * MAX_CLAUSES) return false;
            s->work += s->clauses[link->number].n_symbols + 1;
            if (s->clauses[link->number].n_symbols > OB_SOLVE_COMPONENT_SYMBOLS && !s->clauses[link->number].dropped)
                return false;
            if (!s->clauses[link->number].dropped && is_of_inputs(s, &s->clauses[link->number]) && !add_clause(c, link->number))
                return false;
        }
    }
    return true;
}

static ob_status list_assumed(const ob_solver *s, component *c) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_given; i++) n += s->given[i].assumed;
    uint32_t *numbers = OB_ARENA_ARRAY(s->arena, uint32_t, n);
    if (!numbers) return OB_E_MEMORY;
    c->assumed = numbers;
    for (uint32_t i = 0; i < s->n_given; i++)
        if (s->given[i].assumed) numbers[c->n_assumed++] = i;
    return OB_OK;
}

/* ---- Candidates ---- */

static void offer(component *c, uint32_t i, int64_t value) {
    if (value < 0 || value > OB_INFINITE / 4 || c->n_candidates[i] == CANDIDATES) return;
    for (uint32_t k = 0; k < c->n_candidates[i]; k++)
        if (c->candidates[i][k] == value) return;
    c->candidates[i][c->n_candidates[i]++] = value;
}

/* Sizes of 0 and 1 fit by rules of their own: they show little, and are taken where no others do. */
static int oddness(int64_t size) {
    return size < 2 ? (int)(2 - size) : 0;
}

/* Small numbers read best. */
static int compare_sizes(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    if (oddness(left) != oddness(right)) return oddness(left) - oddness(right);
    return left < right ? -1 : left > right;
}

static void pick_candidates(component *c) {
    for (uint32_t i = 0; i < c->n; i++) {
        const ob_symbol_fact *f = &c->s->facts[c->facts[i]];
        c->n_candidates[i] = 0;
        int64_t start = f->mod > 1 ? f->rem : 0;
        for (int64_t k = f->lo; k < f->lo + 2; k++) offer(c, i, k);
        offer(c, i, f->lo > 1 ? f->lo - 1 : 2);
        for (int64_t k = 0; k < 3; k++) offer(c, i, f->lo + k * f->mod);
        if (f->hi != OB_INFINITE) {
            offer(c, i, f->hi);
            offer(c, i, f->hi + 1);
        }
        for (int64_t k = 1; k < 6; k++) offer(c, i, start + k * f->mod);
        for (int64_t k = 0; k < 8; k++) offer(c, i, k);
        offer(c, i, 16);
        offer(c, i, 30);
        qsort(c->candidates[i], c->n_candidates[i], sizeof(int64_t), compare_sizes);
        for (c->n_usual[i] = 0; c->n_usual[i] < c->n_candidates[i] && oddness(c->candidates[i][c->n_usual[i]]) == 0;)
            c->n_usual[i]++;
    }
}

/* ---- Testing ---- */

/* Does clause `broken` fail at these sizes, and hold all the others? UINT32_MAX: all hold. */
static bool fits(component *c, uint32_t broken) {
    for (uint32_t i = 0; i < c->n_clauses; i++) {
        const ob_work_clause *clause = &c->s->clauses[c->clauses[i]];
        ob_truth any = OB_FALSE;
        for (uint32_t k = 0; k < clause->n && any != OB_TRUE; k++) {
            c->s->work += ob__eval_cost(c->s, &clause->literals[k].literal);
            ob_truth one = ob__clause_eval(c->s->dims, &clause->literals[k].literal, 1, c->at, c->n);
            if (one != OB_FALSE) any = one;
        }
        if (any != (c->clauses[i] == broken ? OB_FALSE : OB_TRUE)) return false;
    }
    return true;
}

/* Does an assumption fail? Those on other symbols are undecided here. */
static bool breaks_assumption(const component *c) {
    for (uint32_t i = 0; i < c->n_assumed; i++) {
        const ob_clause *given = &c->s->given[c->assumed[i]];
        c->s->work += given->n;
        if (ob__clause_eval(c->s->dims, given->literals, given->n, c->at, c->n) == OB_FALSE) return true;
    }
    return false;
}

/* Tests the sizes on the given clauses: all hold, or one of the broken clause's origins fails and no assumption does. */
static bool is_confirmed(const component *c, uint32_t broken) {
    const ob_solver *s = c->s;
    bool breaks = false;
    if (breaks_assumption(c)) return false;
    for (uint32_t i = 0; i < c->n_clauses; i++)
        for (const ob_link *link = s->clauses[c->clauses[i]].origins; link; link = link->next) {
            const ob_clause *given = &s->given[link->number];
            c->s->work += given->n;
            ob_truth truth = ob__clause_eval(s->dims, given->literals, given->n, c->at, c->n);
            if (truth == OB_FALSE && broken == UINT32_MAX) return false;
            if (c->clauses[i] == broken) breaks |= truth == OB_FALSE;
        }
    return broken == UINT32_MAX || breaks;
}

/* Solved symbols follow from the others, but the one that `broken` defines. */
static bool complete(component *c, uint32_t broken) {
    for (uint32_t i = 0; i < c->n; i++) {
        const ob_symbol_fact *f = &c->s->facts[c->facts[i]];
        if (f->solved == OB_DIM_UNKNOWN ||
            (broken != UINT32_MAX && ob__clause_defines(c->s, &c->s->clauses[broken], c->facts[i])))
            continue;
        int64_t value;
        if (ob_dim_eval(c->s->dims, f->solved, c->at, c->n, &value) != OB_OK || value < 0) return false;
        c->at[i].size = value;
    }
    return true;
}

static uint64_t distance(const component *c, const ob_binding *from) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        int64_t d = c->at[i].size - from[i].size;
        sum += (uint64_t)(d < 0 ? -d : d);
        if (c->at[i].size != from[i].size) sum += UINT64_C(1000) * (uint64_t)oddness(c->at[i].size);
    }
    return sum;
}

static bool is_free(const component *c, uint32_t broken, uint32_t i) {
    return c->s->facts[c->facts[i]].solved == OB_DIM_UNKNOWN ||
           (broken != UINT32_MAX && ob__clause_defines(c->s, &c->s->clauses[broken], c->facts[i]));
}

/* The next point; solved symbols are not counted through. False: it was the last. */
static bool count_on(const component *c, uint32_t broken, const uint32_t *n_candidates, uint32_t *digits) {
    for (uint32_t i = 0; i < c->n; i++) {
        if (is_free(c, broken, i) && ++digits[i] < n_candidates[i]) return true;
        digits[i] = 0;
    }
    return false;
}

/* Are all sizes at least 2, apart from those that are always 0 or 1? */
static bool is_usual(const component *c) {
    for (uint32_t i = 0; i < c->n; i++)
        if (oddness(c->at[i].size) > 0 && !ob_dim_is_const(c->s->facts[c->facts[i]].solved)) return false;
    return true;
}

/* The first point of usual sizes that satisfies all clauses. */
static bool search_usual(component *c, ob_binding *out) {
    uint32_t digits[OB_SOLVE_COMPONENT_SYMBOLS] = {0};
    for (uint32_t i = 0; i < c->n; i++)
        if (is_free(c, UINT32_MAX, i) && c->n_usual[i] == 0) return false;
    for (uint32_t tried = 0; tried < OB_SOLVE_TRIED / 4 && c->s->work < OB_SOLVE_WORK / 8; tried++) {
        for (uint32_t i = 0; i < c->n; i++) c->at[i].size = c->candidates[i][digits[i]];
        if (complete(c, UINT32_MAX) && is_usual(c) && fits(c, UINT32_MAX) && is_confirmed(c, UINT32_MAX)) {
            memcpy(out, c->at, c->n * sizeof *out);
            return true;
        }
        if (!count_on(c, UINT32_MAX, c->n_usual, digits)) return false;
    }
    return false;
}

/* The first of the candidates that fits, or the one nearest to `from`. */
static bool search(component *c, uint32_t broken, const ob_binding *from, ob_binding *out) {
    uint32_t digits[OB_SOLVE_COMPONENT_SYMBOLS] = {0};
    bool found = false;
    uint64_t best = UINT64_MAX;
    if (!from && search_usual(c, out)) return true;
    for (uint32_t tried = 0; tried < OB_SOLVE_TRIED && c->s->work < OB_SOLVE_WORK / 4; tried++) {
        for (uint32_t i = 0; i < c->n; i++) c->at[i].size = c->candidates[i][digits[i]];
        if (complete(c, broken) && fits(c, broken) && is_confirmed(c, broken) && (!from || distance(c, from) < best)) {
            best = from ? distance(c, from) : 0;
            memcpy(out, c->at, c->n * sizeof *out);
            found = true;
            if (!from) return true;
        }
        if (!count_on(c, broken, c->n_candidates, digits)) return found;
    }
    return found;
}

static bool suits(component *c, uint32_t broken, int64_t size, ob_binding *out) {
    c->at[0].size = size;
    *out = c->at[0];
    return fits(c, broken) && is_confirmed(c, broken);
}

/* One symbol: upward from 2, then away from sizes that hold. */
static bool search_one(component *c, uint32_t broken, const ob_binding *from, ob_binding *out) {
    const ob_symbol_fact *f = &c->s->facts[c->facts[0]];
    for (int64_t k = 0; k < 2 * OB_SOLVE_TRIED && c->s->work < OB_SOLVE_WORK / 4; k++) {
        int64_t start = f->lo > 2 ? f->lo : 2, value = from ? from->size + (k % 2 ? -(k + 1) / 2 : k / 2) : start + k;
        if (value >= 2 && suits(c, broken, value, out)) return true;
    }
    return suits(c, broken, 1, out) || suits(c, broken, 0, out);
}

static bool find(component *c, uint32_t broken, const ob_binding *from, ob_binding *out) {
    return c->n == 1 ? search_one(c, broken, from, out) : search(c, broken, from, out);
}

static ob_status keep(ob_arena *arena, const ob_binding *found, uint32_t n, const ob_binding **out, uint32_t *n_out) {
    ob_binding *copy = OB_ARENA_ARRAY(arena, ob_binding, n);
    if (!copy) return OB_E_MEMORY;
    memcpy(copy, found, n * sizeof *copy);
    *out = copy;
    *n_out = n;
    return OB_OK;
}

ob_status ob__solver_witnesses(ob_solver *s, const uint32_t *clauses, ob_arena *arena, ob_solution *out) {
    component c = {0};
    s->work = 0;
    OB_TRY(list_assumed(s, &c));
    for (uint32_t i = 0; i < out->n_clauses && s->work < OB_SOLVE_WORK / 4; i++) {
        ob_binding holds[OB_SOLVE_COMPONENT_SYMBOLS], fails[OB_SOLVE_COMPONENT_SYMBOLS];
        ob_solved_clause *clause = &out->clauses[i];
        if (!clause->of_inputs || !collect(s, clauses[i], &c) || c.n == 0) continue;
        pick_candidates(&c);
        if (!find(&c, UINT32_MAX, NULL, holds)) continue;
        OB_TRY(keep(arena, holds, c.n, &clause->holds, &clause->n_holds));
        if (find(&c, clauses[i], holds, fails)) OB_TRY(keep(arena, fails, c.n, &clause->fails, &clause->n_fails));
    }
    return OB_OK;
}
