/* Nodes that cannot run, gathered while a session or a plan is made, and named together. For runtime/ only. */
#ifndef OB_RUNTIME_SUPPORT_H
#define OB_RUNTIME_SUPPORT_H

#include "onnx_broadcast/session.h"
#include "passes/check/facts.h"

typedef struct ob_survey ob_survey;
typedef void (*ob_unsupported_sink)(void *context, const ob_unsupported *item);

/* Allocated in the arena. NULL: no memory. */
ob_survey *ob__survey_new(ob_arena *arena);
/* Records operators with neither kernel nor body; E_MODEL for wrong numbers of operands. */
ob_status ob__survey_operators(ob_survey *survey, ob_model *model, ob_error *error);
/* Records a node; each kind is reported once. */
ob_status ob__survey_note(ob_survey *survey, const ob_node *node, const char *reason);
bool ob__survey_is_empty(const ob_survey *survey);
/* Records nodes that kernels refuse for all sizes; facts: of all values. */
ob_status ob__survey_kernels(ob_survey *survey, ob_model *model, const ob_facts *facts);
/* E_UNSUPPORTED if a node was recorded, and `tell` (may be NULL) is called for each kind; otherwise `status`. */
ob_status ob__survey_end(const ob_survey *survey, ob_unsupported_sink tell, void *context, ob_status status, ob_error *error);
/* Makes values for omitted outputs that are required (op.h: out_min) or of a variable number, because kernels write these
 * without a test. Optional ones stay omitted. A node without any named output is not planned at all. */
ob_status ob__name_required_results(ob_model *model);

#endif
