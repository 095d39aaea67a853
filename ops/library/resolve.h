/* Finds the operator of each node of a model. */
#ifndef OB_OPS_LIBRARY_RESOLVE_H
#define OB_OPS_LIBRARY_RESOLVE_H

#include "ops/table/op.h"

/* As ob__op_find, first in the operator libraries of the model, then in the table. */
const ob_op *ob__model_find_op(const ob_model *model, const char *domain, const char *name, int64_t opset);
/* Fills node->op and node->function of every node of every graph. A local function takes precedence over an operator of the same
 * domain and name. */
ob_status ob__model_resolve_ops(ob_model *model);
#endif
