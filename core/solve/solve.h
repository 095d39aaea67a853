/* Clauses: the requirements of a model on its sizes, in one normal form, and their solution.
 *
 * A clause is an OR of literals, a literal compares a term with 0 or divides one term by another. A set of clauses is a contract:
 * the sizes for which each holds. Every step of solving is an equivalence: the solved clauses admit exactly the sizes of the
 * given ones. A clause that cannot be simplified stays in its lowered form, which is exact. */
#ifndef OB_CORE_SOLVE_SOLVE_H
#define OB_CORE_SOLVE_SOLVE_H

#include "core/base/arena.h"
#include "core/dims/symbols.h"
#include "onnx_broadcast/dim.h"

struct ob_text; /* core/base/text.h */

/* A size that no axis reaches: a bound of this size or more excludes no real run. */
#define OB_SIZE_UNREACHED INT64_C(1000000000)

typedef enum ob_literal_kind {
    OB_LITERAL_ZERO,        /* p = 0 */
    OB_LITERAL_NONZERO,     /* p != 0 */
    OB_LITERAL_NONNEGATIVE, /* p >= 0 */
    OB_LITERAL_DIVIDES,     /* q >= 1 and q divides p */
    OB_LITERAL_NOT_DIVIDES  /* the opposite */
} ob_literal_kind;

typedef struct ob_literal {
    ob_literal_kind kind;
    ob_dim p, q; /* q: for divisions only, otherwise 0 */
} ob_literal;

/* A clause holds if one of its literals does. A literal whose term is undefined at some sizes (members of a broadcast term that
 * do not broadcast, a divisor below 1) does not hold there. The clause that requires the broadcast or the divisor is also in
 * the set. */
typedef struct ob_clause {
    const ob_literal *literals;
    uint32_t n;
    uint32_t n_guard; /* the first n_guard literals are negated guards: under a false guard the clause requires nothing */
    uint32_t origin;  /* the caller's number: a requirement, or an assumption */
    bool assumed;     /* the user asserts it: it is used, but not part of the result */
} ob_clause;

typedef struct ob_clauses {
    ob_arena *arena;
    ob_clause *items;
    uint32_t n, capacity;
} ob_clauses;

void ob__clauses_init(ob_clauses *clauses, ob_arena *arena);
enum { OB_CLAUSE_SIZE = 8192 }; /* sizes, numbers and inner terms of a clause, written out in full */
/* Lowers a condition that must hold if every guard term is 1 or more. *stated false: a term is too large, all terms together
 * have more than OB_CLAUSE_SIZE parts, or a side is unknown; nothing was added. E_MEMORY. */
ob_status ob__clauses_add(ob_clauses *clauses, ob_dims *dims, const ob_condition *condition, const ob_dim *guards,
                          uint32_t n_guards, uint32_t origin, bool assumed, bool *stated);
/* Adds a copy of a clause; its literals must live as long. E_MEMORY. */
ob_status ob__clauses_append(ob_clauses *clauses, const ob_clause *clause);
/* Evaluates under bindings: UNDECIDED if a symbol is not bound or a number overflows. */
ob_truth ob__clause_eval(const ob_dims *dims, const ob_literal *literals, uint32_t n, const ob_binding *bindings,
                         size_t n_bindings);
/* Adds the symbols of the literals that are not in the list yet. */
void ob__clause_list_symbols(const ob_dims *dims, const ob_literal *literals, uint32_t n, ob_symbol_list *list);

/* The result for a given clause. */
typedef enum ob_clause_fate {
    OB_CLAUSE_PROVED, /* holds for all sizes, or follows from the solved clauses and the assumptions */
    OB_CLAUSE_KEPT,   /* is part of the solved contract, perhaps in another form */
    OB_CLAUSE_REFUTED /* holds for no sizes, alone or together with the core */
} ob_clause_fate;

/* A clause of the solved contract. */
typedef struct ob_solved_clause {
    const ob_literal *literals;
    uint32_t n, n_guard;
    const uint32_t *origins; /* of the given clauses that it represents, ascending, each once */
    uint32_t n_origins;
    bool of_inputs; /* every symbol is an input symbol */
    /* Of the symbols that clauses connect with its own: sizes that satisfy the contract (holds), and sizes that break only this
     * clause and no assumption (fails); NULL: not found. */
    const ob_binding *holds, *fails;
    uint32_t n_holds, n_fails;
} ob_solved_clause;

typedef struct ob_solution {
    bool contradictory;
    bool core_minimal;    /* solving finds no contradiction in a smaller part of the core */
    const uint32_t *core; /* origins that contradict each other, ascending */
    uint32_t n_core;
    ob_solved_clause *clauses;
    uint32_t n_clauses;
    uint8_t *fates;   /* of the given clauses: ob_clause_fate */
    uint64_t n_steps; /* normalised clauses, evaluated literals, visited terms and occurrences */
} ob_solution;

/* Solves. `inputs`: the symbols that the caller of the model chooses, in the order of their names in results; other symbols
 * (anonymous sizes) depend on the run. Results live in `arena`. E_MEMORY. */
ob_status ob__solve(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_dim *inputs, uint32_t n_inputs, ob_arena *arena,
                    ob_solution *out);
/* Does `clause` hold at all sizes at which all of `clauses` hold? TRUE: proved. FALSE: there are sizes at which they hold and
 * it does not. E_MEMORY. */
ob_status ob__implied(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_clause *clause, ob_arena *arena,
                      ob_truth *out);
/* The same for many: `clauses` are solved once. truths: n_goals. */
ob_status ob__implied_all(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_clause *goals, uint32_t n_goals,
                          ob_arena *arena, ob_truth *truths);
/* The same for goals in groups, by their origin: holds[origin] becomes false if one goal of the group is not proved. */
ob_status ob__implied_groups(ob_dims *dims, const ob_clauses *clauses, const ob_clauses *goals, ob_arena *arena, bool *holds);
/* Do both sets admit the same sizes? UNDECIDED: the clauses of one set were not all proved from the other. E_MEMORY. */
ob_status ob__equivalent(ob_dims *dims, const ob_clause *left, uint32_t n_left, const ob_clause *right, uint32_t n_right,
                         ob_arena *arena, ob_truth *out);

/* "N = 1 or N = 5", "if T >= 1: M = N". */
void ob__literal_write(struct ob_text *text, ob_dims *dims, const ob_literal *literal);
void ob__solved_write(struct ob_text *text, ob_dims *dims, const ob_solved_clause *clause);
/* Reads n bytes of such a text, at most OB_PARSE_TEXT (parse.h), into equivalent literals in `arena`. known: names must be
 * symbols of the pool; otherwise they are added to it. E_FORMAT, E_NOT_FOUND, E_LIMIT, E_MEMORY. */
ob_status ob__clause_parse(ob_dims *dims, const char *text, size_t n, bool known, ob_arena *arena, ob_clause *out,
                           ob_error *error);
/* The same for clauses separated by "," ";" or "and", at most `most`, the capacity of out. */
ob_status ob__clauses_parse(ob_dims *dims, const char *text, size_t n, bool known, ob_arena *arena, ob_clause *out, uint32_t most,
                            uint32_t *n_out, ob_error *error);

#endif
