/* The inside of the solver, shared by the files of core/solve.
 *
 * Work clauses are in normal form. A unit clause is a source of facts about symbols and always stays in the set (it is pinned),
 * so that no clause is dropped because of its own facts. Broadcast terms and quotients by terms are assumed to be defined: the
 * clauses that require the broadcasts, and divisors of 1 or more, are also in the set. */
#ifndef OB_CORE_SOLVE_SOLVER_H
#define OB_CORE_SOLVE_SOLVER_H

#include "core/dims/terms.h"
#include "core/solve/solve.h"

/* Limits, as counts. Beyond a limit the clause, or the set, is not rewritten. */
enum {
    OB_SOLVE_SPLIT = 16,                /* clauses that one clause may become by rewriting */
    OB_SOLVE_LITERALS = 128,            /* literals of a clause that is still rewritten */
    OB_SOLVE_TIGHTENED = 3,             /* how often clauses in several symbols may move one bound */
    OB_SOLVE_PERIOD = 65536,            /* of a set of one symbol's sizes */
    OB_SOLVE_POINTS = 1 << 20,          /* threshold and period of such a set */
    OB_SOLVE_WORK = 3 << 20,            /* evaluations of literals, in all, for exact sets, searches and redundancy */
    OB_SOLVE_STEPS = 1 << 19,           /* for one question with all nested solves: see ob_solve_budget, */
    OB_SOLVE_STEPS_EACH = 256,          /* and for each given clause */
    OB_SOLVE_WORK_STEP = 16,            /* evaluations for an exact set that count as one step */
    OB_SOLVE_STEPS_REDUNDANT = 3 << 20, /* additional, for the search of redundant clauses */
    OB_SOLVE_REWRITES = 512,            /* rewritten literals of one clause and of its results */
    OB_SOLVE_BYTES = 1 << 24,           /* memory of one solver */
    OB_SOLVE_EFFORT = 1 << 20,          /* terms and occurrences visited in propagation, for the whole set, */
    OB_SOLVE_EFFORT_EACH = 64,          /* and for each given clause */
    OB_SOLVE_CORE = 64,                 /* solves on the way to a smaller core */
    OB_SOLVE_COMPONENT = 32,            /* clauses of a component that is searched */
    OB_SOLVE_COMPONENT_SYMBOLS = 4,     /* its symbols */
    OB_SOLVE_TRIED = 1 << 14            /* points tried for one witness */
};

#define OB_INFINITE OB_DIM_CONST_MAX

typedef struct ob_interval {
    int64_t lo, hi; /* -OB_INFINITE, OB_INFINITE: none */
} ob_interval;

/* A work literal; `guard`: it is a negated guard. */
typedef struct ob_work_literal {
    ob_literal literal;
    bool guard;
} ob_work_literal;

/* The given clauses from which something follows: a leaf is a clause, an inner node joins two reasons. Number 0: none. */
typedef struct ob_reason {
    uint32_t left, right; /* of a leaf: the clause's number, UINT32_MAX */
    bool assumed;         /* all of them are assumptions */
} ob_reason;

typedef struct ob_link {
    struct ob_link *next;
    uint32_t number;
} ob_link;

typedef struct ob_work_clause {
    ob_work_literal *literals;
    uint32_t n;
    uint32_t reason;
    ob_link *origins, *last_origin; /* given clauses that it represents */
    uint32_t defines;               /* the symbol that this equation replaces: its fact's number + 1 */
    uint32_t n_symbols, *symbols;   /* numbers of their facts; 0: too many, the clause is not rewritten */
    bool dropped, pinned, assumed, queued;
    bool chain; /* several equations in one: it defines each of its symbols that is solved */
} ob_work_clause;

/* The facts about one symbol. */
typedef struct ob_symbol_fact {
    ob_dim symbol, solved; /* solved: its replacement; OB_DIM_UNKNOWN: none */
    int64_t lo, hi, mod, rem;
    uint32_t reason, order; /* order: among the inputs, UINT32_MAX of other symbols */
    uint8_t raised, lowered;
    bool changed;         /* its exact set is not up to date */
    ob_link *occurrences; /* clauses with this symbol; some may be outdated */
    uint64_t seen;        /* hash of the clauses of its exact set, so that it is not made again */
} ob_symbol_fact;

/* The work of one question, including nested solves. A step is a literal or a part of a term that is visited, copied or made,
 * so that the number of steps bounds both time and memory. When the budget is spent, nothing more is rewritten, learned or
 * dropped. The result is still exact. */
typedef struct ob_solve_budget {
    uint64_t steps, most;
    uint64_t of_pool; /* the steps of the pool counted so far */
    ob_arena *arena;  /* of the outermost solver; lives as long as the question */
    ob_map sizes;     /* literal in one symbol, period -> ob_literal_sizes */
    uint64_t kept;    /* bytes of these */
} ob_solve_budget;

typedef struct ob_solver {
    ob_dims *dims;
    ob_solve_budget own, *budget; /* budget: its own, or that of the calling solver */
    ob_arena *arena;
    const ob_clause *given;
    uint32_t n_given;
    ob_map index; /* symbol -> fact's number + 1 */
    ob_symbol_fact *facts;
    uint32_t n_facts, facts_capacity;
    ob_work_clause *clauses;
    uint32_t n_clauses, clauses_capacity;
    ob_map contents; /* literals -> clause number + 1 */
    ob_reason *reasons;
    uint32_t n_reasons, reasons_capacity;
    uint32_t *queue;
    uint32_t queue_first, queue_n, queue_capacity;
    uint64_t work;   /* evaluations so far */
    uint64_t effort; /* of propagation so far */
    uint64_t n_normalised;
    bool blind; /* normal forms without facts */
    bool clashed;
    uint32_t clash;
} ob_solver;

/* ---- The budget (state.c) ---- */
/* Takes n steps from the budget; false: it is spent. */
bool ob__solver_spend(ob_solver *s, uint64_t n);
static inline uint32_t ob__solve_size(const ob_solver *s, ob_dim d) {
    const ob_term *term = ob__term(s->dims, d);
    return term ? term->size : 1;
}
static inline uint64_t ob__literal_size(const ob_solver *s, const ob_literal *literal) {
    return (uint64_t)ob__solve_size(s, literal->p) + (literal->q ? ob__solve_size(s, literal->q) : 0);
}

/* The cost of evaluating the literal, relative to one with a small term. */
static inline uint64_t ob__eval_cost(const ob_solver *s, const ob_literal *literal) {
    return 1 + ob__literal_size(s, literal) / 4;
}

/* ---- Deciding by facts (decide.c); `s` may be NULL: static bounds only ---- */
ob_interval ob__solve_bounds(const ob_solver *s, const ob_dims *dims, ob_dim d);
ob_interval ob__solve_poly_bounds(const ob_solver *s, const ob_dims *dims, const ob_poly *poly);
/* Static bounds; the work counts for the budget. */
ob_interval ob__blind_poly_bounds(ob_solve_budget *budget, const ob_dims *dims, const ob_poly *poly);
ob_truth ob__literal_decide(const ob_solver *s, ob_dims *dims, const ob_literal *literal);
/* Does a imply b for all sizes, without any facts? Only literals whose terms are equal, except for constant and sign, are
 * compared: false proves nothing. */
bool ob__literal_implies(const ob_dims *dims, const ob_literal *a, const ob_literal *b);
/* The opposite of the literal, where its terms are defined; p may be OB_DIM_UNKNOWN. */
ob_literal ob__literal_opposite(ob_dims *dims, const ob_literal *literal);
const ob_symbol_fact *ob__solve_fact(const ob_solver *s, ob_dim symbol); /* NULL: none */

/* ---- Normal form (literal.c) ---- */
/* The only monomial with a term of that kind as a factor, if it is coefficient * term; otherwise NULL. */
const ob_term *ob__lone_term(const ob_dims *dims, const ob_poly *p, ob_dim_kind kind, uint32_t *at);
/* p without its monomial `at`, times `factor`. */
ob_dim ob__rest_of(ob_dims *dims, const ob_poly *p, uint32_t at, int64_t factor);
typedef struct ob_literal_list {
    ob_work_literal *items;
    uint32_t n;
} ob_literal_list;
/* Rewrites the clause to up to OB_SOLVE_SPLIT clauses that are together equivalent. Literals that are false by the facts are
 * removed, and so are clauses with a true literal. *out has room for OB_SOLVE_SPLIT. */
ob_status ob__clause_normalise(ob_solver *s, const ob_work_literal *literals, uint32_t n, ob_literal_list *out, uint32_t *n_out);

/* ---- State (state.c) ---- */
/* budget: of the calling solver, or NULL. */
ob_status ob__solver_init(ob_solver *s, ob_dims *dims, ob_arena *arena, const ob_clause *given, uint32_t n_given,
                          const ob_dim *inputs, uint32_t n_inputs, ob_solve_budget *budget);
/* The number of the symbol's fact, which is made if necessary. */
ob_status ob__solver_symbol(ob_solver *s, ob_dim symbol, uint32_t *out);
ob_status ob__solver_reason(ob_solver *s, uint32_t left, uint32_t right, uint32_t *out);
ob_status ob__solver_leaf(ob_solver *s, uint32_t given, uint32_t *out);
/* The given clauses of a reason, ascending, each once. */
ob_status ob__solver_leaves(const ob_solver *s, uint32_t reason, ob_arena *arena, uint32_t **out, uint32_t *n);
void ob__solver_clash(ob_solver *s, uint32_t reason);
ob_status ob__solver_enqueue(ob_solver *s, uint32_t clause);
ob_status ob__solver_enqueue_symbol(ob_solver *s, uint32_t fact);
/* Adds copies of the links to the clause's origins. */
ob_status ob__solver_add_origins(ob_solver *s, ob_work_clause *to, const ob_link *origins);
/* Adds a clause and queues it. If an equal clause exists, it takes over the origins and nothing is added. *out: its number;
 * UINT32_MAX without literals, which is a clash. */
ob_status ob__solver_insert(ob_solver *s, const ob_work_literal *literals, uint32_t n, uint32_t reason, const ob_link *origins,
                            bool assumed, bool pinned, uint32_t *out);
/* The numbers of the literals' symbols, each once. */
typedef struct ob_symbol_set {
    uint32_t items[64], n;
    bool overflow;
} ob_symbol_set;
ob_status ob__clause_symbols(ob_solver *s, const ob_work_literal *literals, uint32_t n, ob_symbol_set *out);

/* ---- Units (units.c) ---- */
/* Processes the queue to a fixed point: substitutes, simplifies, learns from units. Ends early at a clash. */
ob_status ob__solver_propagate(ob_solver *s);
/* x = r1 modulo m1 and r2 modulo m2, with 0 <= r < m for both: x = *r modulo *m. FALSE: no x satisfies both; UNDECIDED: the
 * common modulus is beyond INT32_MAX. */
ob_truth ob__solve_meet(int64_t m1, int64_t r1, int64_t m2, int64_t r2, int64_t *m, int64_t *r);
/* Records that the symbol is in lo .. hi and is rem modulo mod (1: any), because of clause `source` and the clauses of
 * `reason`. */
ob_status ob__solver_learn(ob_solver *s, uint32_t fact, int64_t lo, int64_t hi, int64_t mod, int64_t rem, uint32_t reason,
                           uint32_t source);

/* ---- One symbol on one residue class (class.c) ---- */
/* The verdict of a literal for x = first + period * k with k >= from. */
typedef struct ob_class_verdict {
    int64_t from;
    bool holds;
} ob_class_verdict;
/* A period of the literal in x, its only symbol: from some k on it has one verdict on each class. 0: none within the limits. */
int64_t ob__literal_period(const ob_dims *dims, ob_dim x, const ob_literal *literal);
/* The same for a literal in several symbols whose p grows by *step in every such period, for all values of the others, and
 * whose q is a number that divides on whole classes or not at all. 0 also if it does not grow evenly. */
int64_t ob__literal_step(const ob_dims *dims, ob_dim x, const ob_literal *literal, int64_t *step);
/* False: given up, or x is not its only symbol. */
bool ob__literal_on_class(const ob_dims *dims, ob_dim x, const ob_literal *literal, int64_t first, int64_t period,
                          ob_class_verdict *out);

/* ---- The sizes of one symbol at which one literal holds (sizes.c) ---- */
typedef struct ob_literal_sizes {
    int64_t period, threshold;
    uint8_t *tail; /* of each residue, from the threshold on */
    uint8_t *head; /* of each size below it: 1 + ob_truth, 0: not evaluated yet; NULL: not known within the limits */
} ob_literal_sizes;
/* In the literal's own period, or in `common`, a multiple of it. *out NULL: not known. `arena` is used if the question caches
 * no more. */
ob_status ob__literal_sizes(ob_solver *s, ob_dim x, const ob_literal *literal, int64_t common, ob_arena *arena,
                            ob_literal_sizes **out);
/* sizes may be NULL: then it is evaluated. value >= 0. */
ob_truth ob__sizes_at(ob_solver *s, ob_dim x, const ob_literal *literal, ob_literal_sizes *sizes, int64_t value);

/* ---- Exact sets of one symbol's sizes (set.c, form.c, exact.c) ---- */
/* x is in the set if lo <= x <= hi and its bit is set: bits[x - base] below `explicit`, from there on with a period. */
typedef struct ob_set {
    int64_t lo, hi, base;
    uint32_t n_explicit, period;
    uint8_t *bits; /* n_explicit + period */
} ob_set;
static inline bool ob__set_has(const ob_set *set, int64_t x) {
    if (x < set->lo || x > set->hi || x < set->base) return false;
    uint64_t at = (uint64_t)(x - set->base);
    return set->bits[at < set->n_explicit ? at : set->n_explicit + (at - set->n_explicit) % set->period] != 0;
}
/* From there on only the period counts, or the set is empty. */
static inline int64_t ob__set_head(const ob_set *set) {
    return set->base + set->n_explicit > set->lo ? set->base + set->n_explicit : set->lo;
}
/* The sizes of x for which all the clauses hold; *known false: beyond the limits. */
ob_status ob__set_of(ob_solver *s, ob_dim x, ob_work_clause *const *clauses, uint32_t n, ob_arena *arena, ob_set *out,
                     bool *known);
typedef struct ob_set_form {
    struct {
        ob_literal literals[OB_SOLVE_SPLIT];
        uint32_t n;
    } clauses[OB_SOLVE_SPLIT];
    uint32_t n;
} ob_set_form;
/* The set in the shortest of the forms of docs/adr/0014 (exact sets); false: none is short. Empty and
 * full sets have no clauses. `apart`: the two ends of a range become separate clauses. */
bool ob__set_form(ob_dims *dims, ob_dim x, const ob_set *set, bool apart, ob_arena *arena, ob_set_form *out);
enum { OB_CLAUSE_LENGTH = 6 }; /* the cost of one more clause, in bytes of text */
/* The length of these clauses as text: bytes, and OB_CLAUSE_LENGTH for each; SIZE_MAX: out of memory. */
size_t ob__set_form_length(ob_dims *dims, const ob_set_form *form, const ob_arena *arena);
/* The least and greatest element; -1: the set is empty; OB_INFINITE: there is no greatest. */
void ob__set_ends(const ob_set *set, int64_t *least, int64_t *greatest);
/* Replaces the clauses on one symbol alone by the exact set of its sizes, symbol by symbol, and propagates, until nothing
 * changes. */
ob_status ob__solver_exact(ob_solver *s);

/* Evaluates the form at every size from the first listed one up to the end of the first period, and around the ends. */
bool ob__set_form_says(ob_solver *s, ob_dim x, const ob_set *set, const ob_set_form *form);

/* ---- Clauses that differ in one symbol (merge.c) ---- */
/* Joins them, and shortens the part of a clause on one symbol alone. *changed: there is something new to propagate. */
ob_status ob__solver_merge(ob_solver *s, bool *changed);

/* ---- The steps (steps.c) ---- */
/* All given clauses, to the fixed point. */
ob_status ob__solver_run(ob_solver *s);

/* ---- Cores (contradiction.c) ---- */
/* Reduces `leaves`, numbers of given clauses that contradict each other. *minimal: solving shows for no origin that it can be
 * removed. The order of inputs has no effect here. */
ob_status ob__solver_core(ob_solver *s, const uint32_t *leaves, uint32_t n, ob_arena *arena, uint32_t **out, uint32_t *n_out,
                          bool *minimal);

/* ---- Differences (cycle.c) ---- */
/* Finds cycles of differences, by which a size would have to be greater than itself. */
ob_status ob__solver_cycle(ob_solver *s);

/* ---- Two symbols (pair.c) ---- */
/* Finds two symbols whose clauses hold for no sizes. */
ob_status ob__solver_pairs(ob_solver *s);

/* ---- Subsumption (subsume.c) ---- */
/* Drops a clause if each literal of another clause implies one of its literals. */
ob_status ob__solver_subsume(ob_solver *s);
/* Does each literal of the clause on its own imply one of these literals? */
bool ob__clause_gives(const ob_dims *dims, const ob_work_clause *clause, const ob_work_literal *literals, uint32_t n);

/* ---- Redundancy (redundant.c) ---- */
/* Do the clauses with these numbers and the opposite of all the literals contradict each other? Then the clauses imply that one
 * of the literals holds. */
ob_status ob__solver_follows(ob_solver *s, const uint32_t *numbers, uint32_t n, const ob_work_literal *literals,
                             uint32_t n_literals, bool *follows);
/* Drops clauses in several symbols that follow from those around them. Call it after ob__solver_run, because facts learned from
 * them are not revised. */
ob_status ob__solver_drop_redundant(ob_solver *s);

/* ---- Chains of equal sizes (chain.c) ---- */
/* States that several inputs are equal in one clause. Call it last, before witnesses, because nothing is learned from it. */
ob_status ob__solver_chain(ob_solver *s);
/* Does the clause define this solved symbol? */
bool ob__clause_defines(const ob_solver *s, const ob_work_clause *clause, uint32_t fact);

/* ---- Implication (implied.c) and witnesses (witness.c), after ob__solver_run ---- */
/* The clause in terms of unsolved symbols, in normal form by the facts: it holds if each of the lists does. */
ob_status ob__solver_restate(ob_solver *s, const ob_clause *clause, ob_literal_list *out, uint32_t *n_out);
/* Sizes that satisfy the solved contract, and sizes that break one clause of it alone. `clauses`: the work clauses of the
 * solution's clauses, in the same order. */
ob_status ob__solver_witnesses(ob_solver *s, const uint32_t *clauses, ob_arena *arena, ob_solution *out);

#endif
