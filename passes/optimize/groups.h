/* Groups: connected elementwise nodes that can be computed together, without storing the results between them; a product or a
 * convolution may come before them. Bits stay, because each node still rounds its result. */
#ifndef OB_PASSES_OPTIMIZE_GROUPS_H
#define OB_PASSES_OPTIMIZE_GROUPS_H

#include "core/dims/shape.h"
#include "core/graph/graph.h"
#include "passes/check/facts.h"

/* Nodes of one graph in topological order. Only the last one has a result that others read; all results have the same shape for
 * all sizes, as far as terms tell. A group over rows also has functions of rows, such as Softmax, folds of rows, such as
 * ReduceMean, and nodes whose results have one element for each row. */
typedef struct ob_group {
    ob_node **nodes; /* elementwise, or functions of rows */
    uint32_t n;
    int32_t row_axes;            /* the last axes of the result, which are a row; 0: no rows */
    ob_node *head;               /* its kernel takes an epilogue, and only `nodes` read its result; NULL: none */
    ob_node *tail;               /* of attention: a product whose left operand is the result of `nodes`; NULL: none */
    const struct ob_group *rest; /* with a head: the group without it and the tail; NULL: one node */
    const char *ops, *names;     /* "Mul+Add", and the nodes' labels joined in the same way */
} ob_group;

/* The node that makes the result of the group. */
static inline const ob_node *ob__group_last(const ob_group *group) {
    return group->tail ? group->tail : group->nodes[group->n - 1];
}

/* The limits of a group, without head and tail. */
enum { OB_GROUP_NODES = 16, OB_GROUP_OPERANDS = 12 };

/* Finds the groups of two or more nodes. *groups: by node id, NULL for a node alone. uses: the reads of each value, by id; live:
 * by node id. The arena owns the result. E_MEMORY. */
ob_status ob__find_groups(ob_model *model, const ob_facts *facts, const uint32_t *uses, const bool *live, ob_arena *arena,
                          ob_group ***groups);

/* The last axes that a node needs as whole rows; OB_ROW_FOLDED; 0: it is no function of rows. */
int32_t ob__node_row_axes(const ob_facts *facts, const ob_node *node);
/* True if both are tensors of the same rank, and no axis is known to differ in size: unknown sizes count as equal. A group is
 * tried on this ground, and planning compares the numbers. */
bool ob__same_dims(const ob_facts *facts, const ob_value *a, const ob_value *b);
/* True for a tensor that has one element for all sizes. */
static inline bool ob__is_one_element(const ob_facts *facts, const ob_value *value) {
    const ob_type *type = &ob__fact(facts, value)->type;
    return type->kind == OB_TYPE_TENSOR && ob__is_single(&type->shape);
}
/* Sets ops and names. E_MEMORY. */
ob_status ob__name_group(ob_arena *arena, ob_group *group);

/* passes/optimize/attention.c: joins a product, functions of the rows of its result, and a second product to one group. */
ob_status ob__find_attention(ob_graph *graph, const ob_facts *facts, const uint32_t *uses, const bool *live, ob_arena *arena,
                             ob_group **groups);

#endif
