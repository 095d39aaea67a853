/* Attributes of the operators on sequences and optionals. */
#ifndef OB_OPS_SEQUENCE_PARAMS_H
#define OB_OPS_SEQUENCE_PARAMS_H

#include "core/graph/graph.h"

typedef struct ob_sequence_params {
    ob_dtype dtype; /* SequenceEmpty: the element type of its elements; OB_NONE for an invalid number */
    int64_t axis;   /* SplitToSequence, ConcatFromSequence: as in the model */
    bool drops;     /* SplitToSequence without lengths: parts lose the axis, which has size 1 */
    bool stacks;    /* ConcatFromSequence: along a new axis */
} ob_sequence_params;

void ob__sequence_params(const ob_node *node, ob_sequence_params *out);
/* The type that an Optional without an operand gives its element; NULL: none. */
const ob_type *ob__optional_type(const ob_node *node);

#endif
