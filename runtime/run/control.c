/* Control steps of a session. */
#include "runtime/ahead/control.h"
#include "core/base/error.h"
#include "passes/check/names.h"
#include "runtime/plan/plan.h"
#include "runtime/run/steps.h"
#include "runtime/session.h"
#include "runtime/stop.h"

/* bodies comes first: run_body finds the rest from it. */
typedef struct control_run {
    ob_bodies bodies;
    ob_frame *frame;
    const ob_step *step;
    bool *ended_inside;
} control_run;

static ob_status run_body(const ob_bodies *bodies, int which, ob_error *error) {
    const control_run *c = (const control_run *)(const void *)bodies;
    const ob_control *control = c->step->control;
    const ob_status status = control->is_loop && ob__stopped(c->frame->threads)
                                 ? ob__stop_status(c->frame->session, c->frame->threads, error)
                                 : ob__run_subplan(c->frame, &control->subplans[which], error);
    *c->ended_inside = status != OB_OK;
    return status;
}

ob_status ob__run_control(ob_frame *frame, const ob_step *step, ob_error *error) {
    bool ended_inside = false; /* its step has named itself */
    const control_run c = {{frame->at.bases, run_body}, frame, step, &ended_inside};
    const ob_status status = ob__run_bodies(&step->control->table, &c.bodies, error);
    return status == OB_OK || ended_inside ? status : ob__at_node(error, step->node, status);
}
