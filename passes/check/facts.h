/* What the checker has found out about a model: a side table by value id, and what nodes require that is open. Never stored in
 * the graph.
 */
#ifndef OB_PASSES_CHECK_FACTS_H
#define OB_PASSES_CHECK_FACTS_H

#include "core/graph/graph.h"
#include "core/solve/solve.h"
#include "ops/infer/elements.h"

/* A requirement matters only where the term of each guard of its chain is 1 or more: the branch of an If runs, the body of a Loop
 * is entered, an index is read. Contents that are true or false are terms of 1 and 0. */
typedef struct ob_guard {
    const struct ob_guard *outer;
    ob_dim term;         /* OB_DIM_UNKNOWN: only the run tells */
    const ob_node *node; /* whose branch, body or operand it is */
    const char *text;    /* for people, "branch If_3/then"; or NULL */
} ob_guard;

typedef struct ob_fact {
    ob_type type;            /* inferred. What is only declared names no size here: see ob_claim */
    ob_content content;      /* of small integer tensors */
    const char *why_unknown; /* reason for an unknown rank or dim, or NULL: "operator X has no shape rule" ... */
    const ob_node *root;     /* of an unknown rank or an assumed one: the operator behind which nothing is known; or NULL */
    bool assumed;            /* rests on a rank that is only declared: for reports; no rewrite may build on it */
} ob_fact;

/* What the file states of a value where inference knows nothing: an assumption beside the facts. It names a size and is compared
 * with others; it proves nothing, and nothing is written into a model because of it. */
typedef struct ob_claim {
    ob_dim size;     /* the anonymous size that is meant; OB_DIM_UNKNOWN: the rank */
    ob_dim declared; /* a number, or the symbol that the file gives it; the rank */
    const ob_value *value;
    int32_t axis; /* -1: the rank */
} ob_claim;

/* Calls of one local function with the same operands: inferred once. */
typedef struct ob_called {
    const ob_function *function;
    const char *path;       /* of the first of them, "a/call_1/" */
    uint64_t n;             /* how many, each as often as the body around it is called; saturates */
    const uint32_t *values; /* ids of the body's values, n_values, with what they are in these calls; none unless asked for */
    const ob_fact *facts;
    uint32_t n_values;
    const struct ob_call_site *sites; /* where they stand, in order */
    struct ob_called *next;           /* other calls of the same function */
    bool stands;                      /* false: taken back with the round of a loop that it was in */
} ob_called;

typedef struct ob_call_site {
    const ob_node *node;
    const ob_called *outer; /* the calls in whose body it stands; NULL: the main graph */
    const struct ob_call_site *next;
} ob_call_site;

/* Something that a node asks of sizes or small contents, which could not be decided. */
typedef struct ob_requirement {
    ob_condition condition;   /* of unverified ones a side may be unknown */
    const ob_guard *guard;    /* where it matters; NULL: always */
    const char *reason;       /* why nobody can state it on sizes; NULL: a condition */
    const ob_node *node;      /* NULL: graph inputs or outputs */
    int32_t operand;          /* input index, or -1 */
    int32_t axis;             /* of the result, or -1 */
    const char *call_path;    /* "main/call_3/" for a node inside a function body or subgraph, or "" */
    const ob_value *value;    /* whose declared shape asks for it: no part of the contract; or NULL */
    const ob_shape *operands; /* of the node at the time, n_operands; NULL: nobody wants them */
    uint32_t n_operands;
    const ob_node *root;     /* of unverified ones: the operator behind which nothing is known; NULL: the node itself */
    const ob_called *called; /* the calls in whose body the node stands; NULL: the main graph */
    const ob_bound *bound;   /* what is asked of the elements of an input, instead of `condition`; or NULL */
} ob_requirement;

/* A node whose rank depends on whether a size is 1. */
typedef struct ob_open_rank {
    const struct ob_open_rank *next;
    const ob_node *node;
    ob_dim size;
} ob_open_rank;

typedef struct ob_facts {
    ob_arena arena;
    ob_fact *facts; /* by value id; grown by ob__facts_reserve when passes add values */
    uint32_t n_facts, capacity;
    ob_requirement *conditions; /* those that sizes decide */
    uint32_t n_conditions, conditions_capacity;
    ob_requirement *unverified; /* those that nobody looked at, with their reasons */
    uint32_t n_unverified, unverified_capacity;
    ob_requirement *bounds; /* those on elements of the model's inputs */
    uint32_t n_bounds, bounds_capacity;
    ob_requirement *cases; /* what rules could have asked for, and told of all sizes instead */
    uint32_t n_cases, cases_capacity;
    const struct ob_open_rank *open_ranks; /* a chain */
    uint64_t n_proved, n_refuted;          /* requirements that hold for all sizes, and for none */
    uint64_t n_declared;                   /* types and ranks that only the file states: the facts rest on them */
    ob_claim *claims;
    uint32_t n_claims, claims_capacity;
    uint32_t *claim_of; /* by the number of an anonymous size: 1 + index of its claim, 0 none */
    uint32_t claim_of_capacity;
    ob_called **called; /* in the order in which they ended */
    uint32_t n_called, called_capacity;
    ob_map first_called; /* function -> its first */
} ob_facts;

void ob__facts_init(ob_facts *facts, const ob_allocator *allocator);
void ob__facts_release(ob_facts *facts);
ob_status ob__facts_reserve(ob_facts *facts, uint32_t n_values);
/* A guard within `outer`. E_MEMORY. */
ob_status ob__guard_within(ob_arena *arena, const ob_guard *outer, ob_dim term, const ob_node *node, const char *text,
                           const ob_guard **out);
/* How many calls; 1 for NULL, the main graph. */
static inline uint64_t ob__n_calls(const ob_called *called) {
    return called ? called->n : 1;
}
/* The calls of a function, a chain; NULL: none was entered. */
const ob_called *ob__calls_of(const ob_facts *facts, const ob_function *function);
/* Do all guards of the chain hold at these sizes? UNDECIDED when only the run tells. */
ob_truth ob__guard_eval(const ob_dims *dims, const ob_guard *guard, const ob_binding *bindings, size_t n_bindings);

/* -- claims.c -- */
/* The claim about an anonymous size, or NULL. Valid until the next one is added. */
const ob_claim *ob__claim_of(const ob_facts *facts, const ob_dims *dims, ob_dim size);
ob_status ob__claim_add(ob_facts *facts, const ob_dims *dims, const ob_claim *claim);
/* Takes back all but the first n. */
void ob__claims_rewind(ob_facts *facts, const ob_dims *dims, uint32_t n);
/* The size as the file declares it, if inference does not know it: for messages and comparisons only. */
ob_dim ob__as_claimed(const ob_facts *facts, ob_dims *dims, ob_dim size);

const ob_fact *ob__fact(const ob_facts *facts, const ob_value *value); /* never NULL: an all-unknown fact when out of range */

/* Adds the clauses of a condition with its guards; `stated` as ob__clauses_add says. `known`: of the guards only those that sizes
 * decide, which makes the clauses stronger. E_MEMORY. */
ob_status ob__requirement_lower(ob_clauses *clauses, ob_dims *dims, const ob_requirement *requirement, bool known,
                                uint32_t origin, bool *stated);

#endif
