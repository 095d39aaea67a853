/* The execution of control steps, in sessions and in emitted models. For runtime/ only. */
#ifndef OB_RUNTIME_AHEAD_CONTROL_H
#define OB_RUNTIME_AHEAD_CONTROL_H

#include "onnx_broadcast/ahead.h"

typedef struct ob_bodies {
    char **bases; /* by place */
    /* Runs the steps of the body, or of the branch for true (0) or false (1). */
    ob_status (*run)(const struct ob_bodies *bodies, int which, ob_error *error);
} ob_bodies;

/* Chooses the branch, or counts iterations and moves places between them. It allocates nothing, and copies only states that must
 * change their place. E_SHAPE: the length of a sequence is not possible; and those of `run`. */
ob_status ob__run_bodies(const ob_ahead_control *control, const ob_bodies *bodies, ob_error *error);

#endif
