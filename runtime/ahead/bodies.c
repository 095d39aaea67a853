/* A control step of an emitted model: apart, because most models have none. */
#include "runtime/ahead/control.h"
#include "runtime/ahead/run.h"

/* bodies comes first: run_body finds the rest from it. */
typedef struct control_run {
    ob_bodies bodies;
    const ob_ahead_control *control;
    const ob_ahead_state *run;
} control_run;

static ob_status run_body(const ob_bodies *bodies, int which, ob_error *error) {
    const control_run *c = (const control_run *)(const void *)bodies;
    (void)error;
    return ob__ahead_steps(c->run, c->control->bodies[which], c->control->bodies[which + 1]);
}

OB_RUN(ob__run_control_step) {
    const ob_ahead_state *run = ((const ob_ahead_call *)(const void *)args)->run;
    const control_run c = {{run->bases, run_body}, args->state, run};
    return ob__run_bodies(c.control, &c.bodies, error);
}
