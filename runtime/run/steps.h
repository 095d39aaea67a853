/* The execution of a plan: a function for each kind of step. For runtime/ only. */
#ifndef OB_RUNTIME_RUN_STEPS_H
#define OB_RUNTIME_RUN_STEPS_H

#include "runtime/plan/plan.h"
#include "runtime/run/frame.h"

/* runtime/run/execute.c: computes one node at once, on memory that `list` owns afterwards, some of it from `spare`. in:
 * node->n_inputs views with data; out: node->n_outputs views, set on success (they may be views of the inputs). cells: operands
 * and results that are not tensors; NULL: none. strings: the arena for bytes of string results. */
ob_status ob__execute_node(ob_session *session, const ob_node *node, const ob_view *in, ob_view *out,
                           struct ob_kernel_cells *cells, ob_owned_memory **list, ob_owned_memory **spare, ob_arena *strings,
                           ob_error *error);

/* runtime/run/dynamic.c */
ob_status ob__run_dynamic(ob_frame *frame, const ob_step *step, ob_error *error);

/* runtime/run/frame.c: the steps of one subplan, in order. */
ob_status ob__run_subplan(ob_frame *frame, const ob_subplan *subplan, ob_error *error);
/* runtime/run/part.c: computes the nodes of the part, by a plan for the sizes that its entries have now, or one by one. Its
 * results are the frame's. */
ob_status ob__run_part(ob_frame *frame, ob_part *part, ob_error *error);
/* runtime/run/control.c: a step of kind CONTROL. */
ob_status ob__run_control(ob_frame *frame, const ob_step *step, ob_error *error);

#endif
