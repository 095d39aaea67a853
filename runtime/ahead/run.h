/* The execution of emitted steps. For runtime/ahead/ only. */
#ifndef OB_RUNTIME_AHEAD_RUN_H
#define OB_RUNTIME_AHEAD_RUN_H

#include "onnx_broadcast/ahead.h"
#include "ops/kernel/kernel.h"

/* A run of a plan. */
typedef struct ob_ahead_state {
    const ob_ahead_plan *plan;
    char **bases; /* by place */
    char *scratch;
    ob_view *views; /* of the step that runs */
} ob_ahead_state;

/* A call of a step. args comes first: a control step finds the rest from it. */
typedef struct ob_ahead_call {
    ob_kernel_args args;
    const ob_ahead_state *run;
} ob_ahead_call;

/* The steps begin .. end - 1 of the plan. */
ob_status ob__ahead_steps(const ob_ahead_state *run, uint32_t begin, uint32_t end);

#endif
