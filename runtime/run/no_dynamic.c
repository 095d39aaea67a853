/* A build that plans everything before a run (OB_WITH_DYNAMIC): plans have neither such steps nor cells. */
#include "core/base/error.h"
#include "runtime/run/cells.h"
#include "runtime/run/steps.h"

static ob_status no_step(ob_error *error) {
    return ob__fail(error, OB_E_INTERNAL, "the plan has a step that this build cannot run");
}

ob_status ob__run_dynamic(ob_frame *frame, const ob_step *step, ob_error *error) {
    (void)frame, (void)step;
    return no_step(error);
}

ob_status ob__run_control(ob_frame *frame, const ob_step *step, ob_error *error) {
    (void)frame, (void)step;
    return no_step(error);
}

ob_status ob__run_part(ob_frame *frame, ob_part *part, ob_error *error) {
    (void)frame, (void)part;
    return no_step(error);
}

void ob__release_levels(ob_frame *frame) {
    (void)frame;
}

void ob__forget_in_levels(ob_frame *frame, const struct ob_plan *plan) {
    (void)frame, (void)plan;
}

/* ---- Cells ---- */

ob_status ob__check_input_cell(const ob_session *session, uint32_t i, const ob_cell *cell, ob_error *error) {
    (void)cell;
    return ob__fail(error, OB_E_UNSUPPORTED, "input %s is not a tensor: this build has only tensors (OB_WITH_DYNAMIC is off)",
                    session->inputs[i]->name);
}

ob_status ob__type_of_cell(const ob_cell *cell, const ob_type *declared, ob_arena *arena, ob_type *out) {
    (void)cell, (void)declared, (void)arena;
    *out = (ob_type){.shape = {OB_RANK_UNKNOWN, NULL}};
    return OB_OK;
}

uint64_t ob__cell_bytes(const ob_cell *cell) {
    (void)cell;
    return 0;
}

void ob__keep_cell(ob_frame *frame, const ob_value *value, ob_cell *cell) {
    (void)frame, (void)value, (void)cell;
}

bool ob__gives_cell(const ob_frame *frame, size_t i) {
    (void)frame, (void)i;
    return false;
}

void ob__forget_cells(ob_frame *frame) {
    (void)frame;
}
