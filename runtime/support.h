/* Nodes that cannot run, gathered while a session or a plan is made, and named together. For runtime/ only. */
#ifndef OB_RUNTIME_SUPPORT_H
#define OB_RUNTIME_SUPPORT_H

#include "onnx_broadcast/session.h"
#include "passes/check/facts.h"

typedef struct ob_survey ob_survey;
typedef void (*ob_unsupported_sink)(void *context, const ob_unsupported *item);

/* Of the arena. NULL: no memory. */
ob_survey *ob__survey_new(ob_arena *arena);
/* Notes operators that have neither kernel nor body; E_MODEL for wrong numbers of operands. */
ob_status ob__survey_operators(ob_survey *survey, ob_model *model, ob_error *error);
/* Notes a node; each kind is told once. */
ob_status ob__survey_note(ob_survey *survey, const ob_node *node, const char *reason);
bool ob__survey_is_empty(const ob_survey *survey);
/* Notes what kernels refuse whatever the sizes; facts: of all values. */
ob_status ob__survey_kernels(ob_survey *survey, ob_model *model, const ob_facts *facts);
/* E_UNSUPPORTED, and `tell` (NULL: nobody) hears each kind, when anything was noted; else `status`. */
ob_status ob__survey_end(const ob_survey *survey, ob_unsupported_sink tell, void *context, ob_status status, ob_error *error);
/* Gives a value to every required output (op.h: out_min), and to every one of a variable number, that a node leaves out beside
 * others that it names: kernels write these without asking. Optional ones stay omitted. A node that names no output is not
 * planned at all. */
ob_status ob__name_required_results(ob_model *model);

#endif
