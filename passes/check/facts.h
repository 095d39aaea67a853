/* The results of inference: a table of facts by value id, and the undecided requirements of nodes. They are never stored in the
 * graph. */
#ifndef OB_PASSES_CHECK_FACTS_H
#define OB_PASSES_CHECK_FACTS_H

#include "core/graph/graph.h"
#include "core/solve/solve.h"
#include "ops/infer/elements.h"

/* A requirement matters only where the term of each guard of its chain is 1 or more: the branch of an If runs, the body of a
 * Loop is entered, an index is read. Contents that are true or false are terms of 1 and 0. */
typedef struct ob_guard {
    const struct ob_guard *outer;
    ob_dim term;         /* OB_DIM_UNKNOWN: known only during a run */
    const ob_node *node; /* whose branch, body or operand it is */
    const char *text;    /* for people, "branch If_3/then"; or NULL */
} ob_guard;

typedef struct ob_fact {
    ob_type type;            /* inferred; a declared size that inference does not know is in ob_claim */
    ob_content content;      /* of small integer tensors */
    const char *why_unknown; /* reason for an unknown rank or dim, or NULL: "operator X has no shape rule" ... */
    const ob_node *root;     /* of an unknown or assumed rank: the operator whose results are not known; or NULL */
    bool assumed;            /* depends on a rank that is only declared: for reports; rewrites must not use it */
} ob_fact;

/* A declaration of the file for a size or rank that inference does not know: an assumption beside the facts. It names a size
 * and is compared with other declarations. It proves nothing, and no rewriting uses it. */
typedef struct ob_claim {
    ob_dim size;     /* the anonymous size; OB_DIM_UNKNOWN: the claim is about the rank */
    ob_dim declared; /* the declared number, symbol or rank */
    const ob_value *value;
    int32_t axis; /* -1: the rank */
} ob_claim;

/* Calls of one local function with the same operands: inferred once. */
typedef struct ob_called {
    const ob_function *function;
    const char *path;       /* of the first of them, "a/call_1/" */
    uint64_t n;             /* number of calls, multiplied by the calls of the body around each; saturates */
    const uint32_t *values; /* ids of the body's values, n_values, for `facts`; none unless keep_calls */
    const ob_fact *facts;
    uint32_t n_values;
    const struct ob_call_site *sites; /* the call nodes, in order */
    struct ob_called *next;           /* other calls of the same function */
    bool stands;                      /* false: withdrawn with the round of a loop */
} ob_called;

typedef struct ob_call_site {
    const ob_node *node;
    const ob_called *outer; /* the calls of the function that contains the node; NULL: the main graph */
    const struct ob_call_site *next;
} ob_call_site;

/* An undecided requirement of a node on sizes or small contents. */
typedef struct ob_requirement {
    ob_condition condition;   /* a side may be unknown if it is unverified */
    const ob_guard *guard;    /* the requirement matters only under it; NULL: always */
    const char *reason;       /* why it cannot be stated on sizes; NULL: it is a condition */
    const ob_node *node;      /* NULL: graph inputs or outputs */
    int32_t operand;          /* input index, or -1 */
    int32_t axis;             /* of the result, or -1 */
    const char *call_path;    /* "main/call_3/" for a node inside a function body or subgraph, or "" */
    const ob_value *value;    /* the value whose declared shape requires it (not part of the contract), or NULL */
    const ob_shape *operands; /* shapes of the node's operands, n_operands; NULL: not requested */
    uint32_t n_operands;
    const ob_node *root;     /* if unverified: the operator whose results are not known; NULL: the node itself */
    const ob_called *called; /* the calls of the function that contains the node; NULL: the main graph */
    const ob_bound *bound;   /* the requirement on elements of an input, instead of `condition`; or NULL */
} ob_requirement;

/* A node whose rank depends on whether a size is 1. */
typedef struct ob_open_rank {
    const struct ob_open_rank *next;
    const ob_node *node;
    ob_dim size;
} ob_open_rank;

/* A term that is 1, or is not 1, in the case that the facts are for. */
typedef struct ob_choice {
    const struct ob_choice *next;
    ob_dim term;
    bool is_one;
} ob_choice;

typedef struct ob_facts {
    ob_arena arena;
    ob_fact *facts; /* by value id; grown by ob__facts_reserve when passes add values */
    uint32_t n_facts, capacity;
    ob_requirement *conditions; /* requirements on sizes */
    uint32_t n_conditions, conditions_capacity;
    ob_requirement *unverified; /* requirements that could not be stated, with reasons */
    uint32_t n_unverified, unverified_capacity;
    ob_requirement *bounds; /* requirements on elements of the model's inputs */
    uint32_t n_bounds, bounds_capacity;
    ob_requirement *cases; /* conditions that rules avoided by describing all cases: see cases.c */
    uint32_t n_cases, cases_capacity;
    const struct ob_open_rank *open_ranks; /* a chain */
    const struct ob_choice *choices;       /* a chain */
    uint64_t n_proved, n_refuted;          /* requirements that hold for all sizes, and for no sizes */
    uint64_t n_declared;                   /* types and ranks that only the file declares and that facts depend on */
    ob_claim *claims;
    uint32_t n_claims, claims_capacity;
    uint32_t *claim_of; /* by the number of an anonymous size: 1 + index of its claim, 0 none */
    uint32_t claim_of_capacity;
    ob_called **called; /* in the order in which their inference ended */
    uint32_t n_called, called_capacity;
    ob_map first_called; /* function -> its first */
} ob_facts;

void ob__facts_init(ob_facts *facts, const ob_allocator *allocator);
void ob__facts_release(ob_facts *facts);
ob_status ob__facts_reserve(ob_facts *facts, uint32_t n_values);
/* A guard inside `outer`. E_MEMORY. */
ob_status ob__guard_within(ob_arena *arena, const ob_guard *outer, ob_dim term, const ob_node *node, const char *text,
                           const ob_guard **out);
/* The number of calls; 1 for NULL (the main graph). */
static inline uint64_t ob__n_calls(const ob_called *called) {
    return called ? called->n : 1;
}
/* The calls of a function, as a chain; NULL: it was never called. */
const ob_called *ob__calls_of(const ob_facts *facts, const ob_function *function);
/* Do all guards of the chain hold at these sizes? UNDECIDED if that depends on the run. */
ob_truth ob__guard_eval(const ob_dims *dims, const ob_guard *guard, const ob_binding *bindings, size_t n_bindings);

/* -- claims.c -- */
/* The claim about an anonymous size, or NULL. Valid until the next one is added. */
const ob_claim *ob__claim_of(const ob_facts *facts, const ob_dims *dims, ob_dim size);
ob_status ob__claim_add(ob_facts *facts, const ob_dims *dims, const ob_claim *claim);
/* Removes all but the first n. */
void ob__claims_rewind(ob_facts *facts, const ob_dims *dims, uint32_t n);
/* The size as the file declares it, if inference does not know it: for messages and comparisons only. */
ob_dim ob__as_claimed(const ob_facts *facts, ob_dims *dims, ob_dim size);

const ob_fact *ob__fact(const ob_facts *facts, const ob_value *value); /* never NULL: an all-unknown fact when out of range */

/* Adds the clauses of a condition with its guards; `stated` as in ob__clauses_add. `known`: use only the guards that depend on
 * sizes, which makes the clauses stronger. E_MEMORY. */
ob_status ob__requirement_lower(ob_clauses *clauses, ob_dims *dims, const ob_requirement *requirement, bool known,
                                uint32_t origin, bool *stated);

#endif
