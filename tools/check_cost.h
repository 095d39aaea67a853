/* onnx-broadcast-check --cost. */
#ifndef OB_TOOLS_CHECK_COST_H
#define OB_TOOLS_CHECK_COST_H

#include "print.h"

/* For --max-ram: the cost of a model whose peak is known and within the limit; otherwise NULL, with a message about `what`. */
ob_cost *cost_within(const char *tool, const char *file, const char *what, ob_report *report, uint64_t limit);
/* The memory of the model and of explicit copies, as a table; all: every row. */
ob_status print_cost(const printer *out, const char *file, ob_report *report, bool all);

#endif
