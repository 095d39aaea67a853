/* Groups: connected elementwise nodes that can be computed together, without storing the results between them; a product or a
 * convolution may come before them. Bits stay, because each node still rounds its result. */
#ifndef OB_PASSES_OPTIMIZE_GROUPS_H
#define OB_PASSES_OPTIMIZE_GROUPS_H

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
    const struct ob_group *rest; /* with a head: the group without it; NULL: one node */
    const char *ops, *names;     /* "Mul+Add", and the nodes' labels joined in the same way */
} ob_group;

/* The limits of a group. */
enum { OB_GROUP_NODES = 16, OB_GROUP_OPERANDS = 12 };

/* Finds the groups of two or more nodes. *groups: by node id, NULL for a node alone. uses: the reads of each value, by id; live:
 * by node id. The arena owns the result. E_MEMORY. */
ob_status ob__find_groups(ob_model *model, const ob_facts *facts, const uint32_t *uses, const bool *live, ob_arena *arena,
                          ob_group ***groups);

#endif
