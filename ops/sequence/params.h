/* Attributes of the operators on sequences and optionals. */
#ifndef OB_OPS_SEQUENCE_PARAMS_H
#define OB_OPS_SEQUENCE_PARAMS_H

#include "core/graph/graph.h"

typedef struct ob_sequence_params {
    ob_dtype dtype; /* SequenceEmpty: of its elements; OB_NONE for a number that is no type */
    int64_t axis;   /* SplitToSequence, ConcatFromSequence: as written */
    bool drops;     /* SplitToSequence without lengths: parts lose their axis of size 1 */
    bool stacks;    /* ConcatFromSequence: along a new axis */
} ob_sequence_params;

void ob__sequence_params(const ob_node *node, ob_sequence_params *out);
/* What an Optional without an operand says that its element would be; NULL: nothing. */
const ob_type *ob__optional_type(const ob_node *node);

#endif
