/* Nodes with bodies, run one by one during a run. For runtime/ only. */
#ifndef OB_RUNTIME_INTERPRET_H
#define OB_RUNTIME_INTERPRET_H

#include "runtime/session.h"

/* runtime/run/interpret.c: an If, Loop or Scan that is decided during the run. */
ob_status ob__interpret(ob_frame *frame, const ob_node *node, ob_error *error);

/* runtime/run/dynamic.c */
/* Computes the node at this point of the run; its results are the frame's. */
ob_status ob__run_node(ob_frame *frame, const ob_node *node, ob_error *error);
/* The current tensor of the value at this point of the run; dtype OB_NONE: it is not a tensor. */
ob_status ob__find_view(const ob_frame *frame, const ob_value *value, ob_view *out, ob_error *error);

#endif
