/* What the checker has found out about a model: a side table by value id, and what nodes require that is open. Never stored in
 * the graph.
 */
#ifndef OB_PASSES_FACTS_H
#define OB_PASSES_FACTS_H

#include "core/graph.h"
#include "ops/infer.h"

typedef struct ob_fact {
    ob_type type;            /* inferred, merged with what is declared */
    ob_content content;      /* of small integer tensors */
    const char *why_unknown; /* reason for an unknown rank or dim, or NULL: "operator X has no shape rule" ... */
} ob_fact;

/* Something that a node asks of sizes or small contents, which could not be decided. */
typedef struct ob_requirement {
    ob_condition condition; /* of unverified ones a side may be unknown */
    const ob_guard *guard;  /* where it matters; NULL: always */
    const char *reason;     /* why nobody can state it on sizes; NULL: a condition */
    const ob_node *node;    /* NULL: graph inputs or outputs */
    int32_t operand;        /* input index, or -1 */
    int32_t axis;           /* of the result, or -1 */
    const char *call_path;  /* "main/call_3/" for a node inside a function body or subgraph, or "" */
    const ob_value *value;  /* whose declared shape asks for it, or NULL */
} ob_requirement;

typedef struct ob_facts {
    ob_arena arena;
    ob_fact *facts; /* by value id; grown by ob__facts_reserve when passes add values */
    uint32_t n_facts, capacity;
    ob_requirement *conditions; /* those that sizes decide */
    uint32_t n_conditions, conditions_capacity;
    ob_requirement *unverified; /* those that nobody looked at, with their reasons */
    uint32_t n_unverified, unverified_capacity;
    uint64_t n_proved, n_refuted; /* requirements that hold for all sizes, and for none */
} ob_facts;

void ob__facts_init(ob_facts *facts, const ob_allocator *allocator);
void ob__facts_release(ob_facts *facts);
ob_status ob__facts_reserve(ob_facts *facts, uint32_t n_values);
/* A guard within `outer`. E_MEMORY. */
ob_status ob__guard_within(ob_arena *arena, const ob_guard *outer, ob_dim term, const ob_node *node, const char *text,
                           const ob_guard **out);
/* Do all guards of the chain hold at these sizes? UNDECIDED when only the run tells. */
ob_truth ob__guard_eval(const ob_dims *dims, const ob_guard *guard, const ob_binding *bindings, size_t n_bindings);
const ob_fact *ob__fact(const ob_facts *facts, const ob_value *value); /* never NULL: an all-unknown fact when out of range */

#endif
