/* Steps whose shapes are known only during the run. Their results stay on the heap until the next run. */
#include <string.h>

#include "core/base/error.h"
#include "ops/table/op.h"
#include "passes/check/names.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/plan.h"
#include "runtime/run/cells.h"
#include "runtime/run/interpret.h"
#include "runtime/run/steps.h"
#include "runtime/session.h"
#include "runtime/weights.h"

ob_status ob__find_view(const ob_frame *frame, const ob_value *value, ob_view *out, ob_error *error) {
    const ob_session *session = frame->session;
    memset(out, 0, sizeof *out);
    if (!value) return OB_OK;
    const ob_slot *slot = frame->at.plan->slots[value->id];
    if (frame->dynamic[value->id])
        *out = *frame->dynamic[value->id];
    else if (frame->cells[value->id])
        ob_cell_view(frame->cells[value->id], out);
    else if (slot) {
        char *base = frame->at.bases[slot->buffer->number];
        ob__layout_view(slot->layout, base ? base + slot->offset : NULL, out);
    } else if (!ob__constant_view(session, value, out))
        return ob__fail(error, OB_E_MODEL, "%s is read before any node makes it", value->name);
    return OB_OK;
}

/* The results are the frame's from now on. */
static void keep_results(ob_frame *frame, const ob_node *node, const ob_view *out, ob_cell **cells) {
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const ob_value *value = node->outputs[i];
        if (!value) continue;
        frame->dynamic[value->id] = out[i].dtype == OB_NONE ? NULL : &out[i];
        ob__keep_cell(frame, value, cells[i]);
        cells[i] = NULL;
    }
}

static ob_status compute(ob_frame *frame, const ob_node *node, ob_error *error) {
    ob_arena *arena = &frame->dynamic_arena;
    ob_view *in = OB_ARENA_ARRAY(arena, ob_view, node->n_inputs), *out = OB_ARENA_ARRAY(arena, ob_view, node->n_outputs);
    ob_kernel_cells cells = {.in = OB_ARENA_ARRAY(arena, ob_cell *, node->n_inputs),
                             .out = OB_ARENA_ARRAY(arena, ob_cell *, node->n_outputs),
                             .allocator = &frame->allocator};
    if (!in || !out || !cells.in || !cells.out) return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_inputs; i++) OB_TRY(ob__find_view(frame, node->inputs[i], &in[i], error));
    ob__take_operands(frame, node, cells.in);
    ob_status status =
        ob__execute_node(frame->session, node, in, out, &cells, &frame->dynamic_owned, &frame->spare, &frame->strings, error);
    ob__drop_cells(cells.in, node->n_inputs);
    if (status == OB_OK) keep_results(frame, node, out, cells.out);
    ob__drop_cells(cells.out, node->n_outputs);
    return status;
}

ob_status ob__run_node(ob_frame *frame, const ob_node *node, ob_error *error) {
    bool is_control = node->op->kernel->flags & OB_KERNEL_CONTROL;
    ob_status status = is_control ? ob__interpret(frame, node, error) : compute(frame, node, error);
    if (status == OB_OK || (error && error->node[0])) return status; /* the error already names a node in a body */
    return ob__at_node(error, node, ob__described(error, status, ""));
}

ob_status ob__run_dynamic(ob_frame *frame, const ob_step *step, ob_error *error) {
    return ob__run_node(frame, step->node, error);
}
