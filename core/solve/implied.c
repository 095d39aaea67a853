/* Implication: does a clause follow from a set of clauses? */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/scratch.h"
#include "core/solve/solver.h"

enum { MAX_SCANNED = 4096, MAX_REFUTING = 64, MAX_SYMBOLS = 8, CANDIDATES = 16, POINTS = 1 << 12, EVALUATIONS = 1 << 20 };

/* ---- Proofs ---- */

/* A clause of the set implies it. */
static bool is_weaker(ob_solver *s, const ob_literal_list *goal) {
    for (uint32_t i = 0; i < s->n_clauses && i < MAX_SCANNED && ob__solver_spend(s, s->clauses[i].n * goal->n); i++)
        if (!s->clauses[i].dropped && ob__clause_gives(s->dims, &s->clauses[i], goal->items, goal->n)) return true;
    return false;
}

/* Is every size of a one of b? UNDECIDED: the periods are too long. */
static ob_truth is_subset(const ob_set *a, const ob_set *b) {
    int64_t end = a->base + a->n_explicit, other = b->base + b->n_explicit;
    if (other > end) end = other;
    if (a->lo > end) end = a->lo;
    if (b->lo > end) end = b->lo;
    if (b->hi != OB_INFINITE && b->hi > end) end = b->hi;
    if ((int64_t)a->period * b->period > OB_SOLVE_POINTS || end > OB_SOLVE_POINTS) return OB_UNDECIDED;
    end += (int64_t)a->period * b->period;
    for (int64_t x = a->lo; x <= end && x <= a->hi; x++)
        if (ob__set_has(a, x) && !ob__set_has(b, x)) return OB_FALSE;
    return OB_TRUE;
}

/* A clause in one symbol, against the exact set of its sizes. */
static ob_status by_set(ob_solver *s, const ob_literal_list *goal, ob_arena *arena, bool *proved) {
    ob_symbol_set symbols;
    *proved = false;
    OB_TRY(ob__clause_symbols(s, goal->items, goal->n, &symbols));
    if (symbols.n != 1 || symbols.overflow) return OB_OK;
    const ob_symbol_fact *fact = &s->facts[symbols.items[0]];
    uint32_t n = 0;
    for (const ob_link *link = fact->occurrences; link; link = link->next) n++;
    ob_work_clause **clauses = OB_ARENA_ARRAY(arena, ob_work_clause *, (size_t)n + 1);
    if (!clauses) return OB_E_MEMORY;
    n = 0;
    for (const ob_link *link = fact->occurrences; link; link = link->next)
        if (!s->clauses[link->number].dropped && s->clauses[link->number].n_symbols == 1)
            clauses[n++] = &s->clauses[link->number];
    ob_work_clause wanted = {.literals = goal->items, .n = goal->n};
    ob_work_clause *only = &wanted;
    ob_set all, admitted;
    bool known;
    OB_TRY(ob__set_of(s, fact->symbol, clauses, n, arena, &all, &known));
    if (known) OB_TRY(ob__set_of(s, fact->symbol, &only, 1, arena, &admitted, &known));
    *proved = known && is_subset(&all, &admitted) == OB_TRUE;
    return OB_OK;
}

/* Few clauses and the opposite of the goal contradict each other. */
static ob_status by_refutation(ob_solver *s, const ob_literal_list *goal, ob_arena *arena, bool *proved) {
    uint32_t n = 0, *numbers = OB_ARENA_ARRAY(arena, uint32_t, MAX_REFUTING);
    if (!numbers) return OB_E_MEMORY;
    for (uint32_t i = 0; i < s->n_clauses; i++) {
        if (s->clauses[i].dropped) continue;
        if (n == MAX_REFUTING) return OB_OK;
        numbers[n++] = i;
    }
    return ob__solver_follows(s, numbers, n, goal->items, goal->n, proved);
}

/* ---- Counter-examples ---- */

typedef struct point_set {
    ob_binding at[MAX_SYMBOLS];
    int64_t candidates[MAX_SYMBOLS][CANDIDATES];
    uint32_t n;
    bool overflow;
} point_set;

static bool add_symbol(void *context, ob_dim symbol) {
    point_set *points = context;
    for (uint32_t i = 0; i < points->n; i++)
        if (points->at[i].symbol == symbol) return true;
    points->overflow |= points->n == MAX_SYMBOLS;
    if (points->overflow) return false;
    points->at[points->n++].symbol = symbol;
    return true;
}

static void add_clause_symbols(const ob_dims *dims, const ob_clause *clause, point_set *points) {
    for (uint32_t i = 0; i < clause->n && !points->overflow; i++) {
        ob_dim_symbols(dims, clause->literals[i].p, add_symbol, points);
        if (ob_dim_is_term(clause->literals[i].q)) ob_dim_symbols(dims, clause->literals[i].q, add_symbol, points);
    }
}

static void pick_candidates(const ob_solver *s, point_set *points) {
    static const int64_t small[] = {2, 0, 1, 3, 4, 5, 7, 8, 16, 17};
    for (uint32_t i = 0; i < points->n; i++) {
        const ob_symbol_fact *fact = ob__solve_fact(s, points->at[i].symbol);
        int64_t lo = fact ? fact->lo : 0, hi = fact ? fact->hi : OB_INFINITE, mod = fact ? fact->mod : 1;
        uint32_t n = 0;
        for (size_t k = 0; k < sizeof small / sizeof *small; k++) points->candidates[i][n++] = small[k];
        for (int64_t k = 0; k < 4 && n < CANDIDATES - 2; k++) points->candidates[i][n++] = lo + k * mod;
        points->candidates[i][n++] = hi != OB_INFINITE ? hi : lo + 100 * mod;
        points->candidates[i][n++] = hi != OB_INFINITE && hi > lo ? lo + (hi - lo) / 2 / mod * mod : lo + 7 * mod;
    }
}

/* Solved symbols have their value from the others. */
static bool complete(const ob_solver *s, point_set *points) {
    for (int rounds = 0; rounds < 2; rounds++)
        for (uint32_t i = 0; i < points->n; i++) {
            const ob_symbol_fact *fact = ob__solve_fact(s, points->at[i].symbol);
            if (!fact || fact->solved == OB_DIM_UNKNOWN) continue;
            int64_t value;
            if (ob_dim_eval(s->dims, fact->solved, points->at, points->n, &value) != OB_OK || value < 0) return false;
            points->at[i].size = value;
        }
    return true;
}

static uint64_t size_of_clause(const ob_solver *s, const ob_clause *clause) {
    uint64_t size = 0;
    for (uint32_t i = 0; i < clause->n; i++) size += ob__eval_cost(s, &clause->literals[i]);
    return size;
}

/* Evaluations count for the budget. When it is spent, the search for counterexamples ends. */
static bool breaks(ob_solver *s, const ob_clause *goal, const point_set *points) {
    if (!ob__solver_spend(s, size_of_clause(s, goal)) ||
        ob__clause_eval(s->dims, goal->literals, goal->n, points->at, points->n) != OB_FALSE)
        return false;
    for (uint32_t i = 0; i < s->n_given; i++)
        if (!ob__solver_spend(s, size_of_clause(s, &s->given[i])) ||
            ob__clause_eval(s->dims, s->given[i].literals, s->given[i].n, points->at, points->n) != OB_TRUE)
            return false;
    return true;
}

/* Sizes at which every given clause holds and the goal does not. */
static bool has_counter_example(ob_solver *s, const ob_clause *goal) {
    ob_scratch_scope scope __attribute__((cleanup(ob__scratch_end))) = ob__scratch_begin(s->dims, sizeof(point_set));
    point_set *points = scope.memory;
    if (!points) return false;
    points->n = 0;
    points->overflow = false;
    add_clause_symbols(s->dims, goal, points);
    for (uint32_t i = 0; i < s->n_given && !points->overflow; i++) add_clause_symbols(s->dims, &s->given[i], points);
    if (points->overflow) return false;
    pick_candidates(s, points);
    uint64_t all = 1, random = 88172645463325252u, budget = EVALUATIONS / ((uint64_t)s->n_given + 1);
    for (uint32_t i = 0; i < points->n; i++) all *= CANDIDATES;
    bool every = points->n <= 3 && all <= POINTS;
    uint64_t n = every ? all : POINTS;
    if (n > budget) n = budget;
    for (uint64_t k = 0; k < n && ob__solver_spend(s, points->n); k++) {
        uint64_t digits = k;
        for (uint32_t i = 0; i < points->n; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            points->at[i].size = points->candidates[i][(every ? digits : random >> 20) % CANDIDATES];
            digits /= CANDIDATES;
        }
        if (complete(s, points) && breaks(s, goal, points)) return true;
    }
    return false;
}

/* ---- The questions ---- */

typedef struct registration {
    ob_solver *s;
    ob_status status;
} registration;

static bool register_symbol(void *context, ob_dim symbol) {
    registration *r = context;
    uint32_t at;
    r->status = ob__solver_symbol(r->s, symbol, &at);
    return r->status == OB_OK;
}

/* The solver knows every symbol that it reasons about. */
static ob_status register_symbols(ob_solver *s, const ob_clause *goal) {
    registration r = {s, OB_OK};
    for (uint32_t i = 0; i < goal->n && r.status == OB_OK; i++) {
        ob_dim_symbols(s->dims, goal->literals[i].p, register_symbol, &r);
        if (r.status == OB_OK && ob_dim_is_term(goal->literals[i].q))
            ob_dim_symbols(s->dims, goal->literals[i].q, register_symbol, &r);
    }
    return r.status;
}

static ob_status prove(ob_solver *s, const ob_clause *goal, ob_arena *arena, bool *proved) {
    ob_literal_list lists[OB_SOLVE_SPLIT];
    uint32_t n;
    OB_TRY(register_symbols(s, goal));
    OB_TRY(ob__solver_restate(s, goal, lists, &n));
    *proved = true;
    for (uint32_t i = 0; i < n && *proved; i++) {
        *proved = is_weaker(s, &lists[i]);
        if (!*proved) OB_TRY(by_set(s, &lists[i], arena, proved));
        if (!*proved) OB_TRY(by_refutation(s, &lists[i], arena, proved));
    }
    return OB_OK;
}

static ob_status decide_all(ob_solver *s, const ob_clause *goals, uint32_t n_goals, ob_truth *truths) {
    for (uint32_t i = 0; i < n_goals; i++) {
        ob_arena arena;
        bool proved = s->clashed;
        ob__arena_init(&arena, &s->arena->allocator);
        ob_status status = proved ? OB_OK : prove(s, &goals[i], &arena, &proved);
        OB_TRY(ob__arena_finish(&arena, status));
        truths[i] = proved ? OB_TRUE : has_counter_example(s, &goals[i]) ? OB_FALSE : OB_UNDECIDED;
    }
    return OB_OK;
}

ob_status ob__implied_all(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_clause *goals, uint32_t n_goals,
                          ob_arena *arena, ob_truth *truths) {
    ob_solver s;
    ob_arena scratch;
    ob__arena_init(&scratch, &arena->allocator);
    ob_status status = ob__solver_init(&s, dims, &scratch, clauses, n, NULL, 0, NULL);
    if (status == OB_OK) status = ob__solver_run(&s);
    if (status == OB_OK) status = decide_all(&s, goals, n_goals, truths);
    return ob__arena_finish(&scratch, status);
}

ob_status ob__implied_groups(ob_dims *dims, const ob_clauses *clauses, const ob_clauses *goals, ob_arena *arena, bool *holds) {
    if (goals->n == 0) return OB_OK;
    ob_truth *truths = OB_ARENA_ARRAY(arena, ob_truth, goals->n);
    if (!truths) return OB_E_MEMORY;
    OB_TRY(ob__implied_all(dims, clauses->items, clauses->n, goals->items, goals->n, arena, truths));
    for (uint32_t i = 0; i < goals->n; i++)
        if (truths[i] != OB_TRUE) holds[goals->items[i].origin] = false;
    return OB_OK;
}

ob_status ob__implied(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_clause *clause, ob_arena *arena,
                      ob_truth *out) {
    return ob__implied_all(dims, clauses, n, clause, 1, arena, out);
}

ob_status ob__equivalent(ob_dims *dims, const ob_clause *left, uint32_t n_left, const ob_clause *right, uint32_t n_right,
                         ob_arena *arena, ob_truth *out) {
    uint32_t most = n_left > n_right ? n_left : n_right;
    ob_truth *truths = OB_ARENA_ARRAY(arena, ob_truth, most);
    if (!truths) return OB_E_MEMORY;
    *out = OB_TRUE;
    for (int turned = 0; turned < 2; turned++) {
        uint32_t n = turned ? n_left : n_right;
        OB_TRY(turned ? ob__implied_all(dims, right, n_right, left, n_left, arena, truths)
                      : ob__implied_all(dims, left, n_left, right, n_right, arena, truths));
        for (uint32_t i = 0; i < n; i++) {
            if (truths[i] == OB_FALSE) *out = OB_FALSE;
            if (truths[i] == OB_UNDECIDED && *out == OB_TRUE) *out = OB_UNDECIDED;
        }
        if (*out == OB_FALSE) return OB_OK;
    }
    return OB_OK;
}
