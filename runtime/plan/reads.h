/* The values that a node reads. For runtime/ only. */
#ifndef OB_RUNTIME_PLAN_READS_H
#define OB_RUNTIME_PLAN_READS_H

#include "core/graph/graph.h"

/* Calls visit for each value that the node or its subgraphs read and that is not made inside it; once for
 * each mention. */
ob_status ob__each_read(const ob_node *node, ob_status (*visit)(void *context, ob_value *value), void *context);

#endif
