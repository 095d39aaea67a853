/* The graph of a model in its report as JSON. */
#ifndef OB_PASSES_FORMAT_GRAPH_H
#define OB_PASSES_FORMAT_GRAPH_H

#include "onnx_broadcast/check.h"
#include "passes/format/output.h"

/* ,"graph":{...}: see docs/report.schema.json. E_MEMORY, and the status of the sink is in out->status. */
ob_status ob__graph_json(ob_output *out, ob_report *report);

#endif
