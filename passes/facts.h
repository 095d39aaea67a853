/* What the checker has found out about a model: a side table by value id, and the list of conditions. Never stored in the graph.
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

/* A condition with its origin. */
typedef struct ob_origin_condition {
    ob_condition condition;
    const ob_node *node; /* NULL: graph inputs or outputs */
    int32_t operand;     /* input index, or -1 */
    int32_t axis;        /* of the result, or -1 */
} ob_origin_condition;

typedef struct ob_facts {
    ob_arena arena;
    ob_fact *facts; /* by value id; grown by ob__facts_reserve when passes add values */
    uint32_t n_facts, capacity;
    ob_origin_condition *conditions;
    uint32_t n_conditions, conditions_capacity;
} ob_facts;

void ob__facts_init(ob_facts *facts, const ob_allocator *allocator);
void ob__facts_release(ob_facts *facts);
ob_status ob__facts_reserve(ob_facts *facts, uint32_t n_values);
const ob_fact *ob__fact(const ob_facts *facts, const ob_value *value); /* never NULL: an all-unknown fact when out of range */

#endif
