/* The plan, step by step, for people who want to know why a model is as fast as it is. */
#include "core/base/error.h"
#include "kernels/kernels.h"
#include "passes/check/names.h"
#include "runtime/plan/plan.h"
#include "runtime/session.h"

static uint64_t bytes_of(const ob_view *view) {
    uint64_t n = ob_dtype_size(view->dtype);
    for (int32_t a = 0; a < view->rank; a++)
        if (view->strides[a] != 0 || view->dims[a] == 0) n *= (uint64_t)view->dims[a];
    return n;
}

static const char *kernel_of(const ob_step *step) {
    switch (step->kind) {
    case OB_STEP_COPY: return "copy";
    case OB_STEP_CONTROL: return "subgraphs";
    case OB_STEP_DYNAMIC: return "dynamic";
    default: return step->kernel->name;
    }
}

static void visit_step(const ob_step *step, unsigned depth, void (*visit)(void *context, const ob_step_info *step),
                       void *context) {
    ob_step_info info = {.nodes = step->group  ? step->group->names
                                  : step->node ? ob__node_label(step->node)
                                               : "",
                         .op_type = step->kind == OB_STEP_COPY ? "copy"
                                    : step->group              ? step->group->ops
                                                               : step->node->op_type,
                         .kernel = kernel_of(step),
                         .level = ob__kernels_level_name(),
                         .depth = depth};
    ob_view view, output;
    uint64_t placed = 0; /* bytes that are not copied */
    const ob_slot *first = step->n_out > 0 ? step->slots[step->n_in] : NULL;
    for (uint32_t i = 0; i < step->n_in + step->n_out; i++) {
        const ob_slot *slot = step->slots[i];
        if (!slot) continue;
        ob__layout_view(slot->layout, NULL, &view);
        if (i < step->n_in && step->places && ob__is_placed(step, i)) {
            placed += bytes_of(&view);
            continue;
        }
        *(i < step->n_in ? &info.read_bytes : &info.written_bytes) += bytes_of(&view);
        info.in_place |=
            i < step->n_in && first && !step->places && slot->buffer == first->buffer && slot->offset == first->offset;
    }
    info.written_bytes -= placed;
    info.in_place |= step->kind == OB_STEP_IN_PLACE;
    if (first) {
        ob__layout_view(first->layout, NULL, &output);
        info.output = &output;
    }
    visit(context, &info);
}

ob_status ob_session_each_step(const ob_session *session, void (*visit)(void *context, const ob_step_info *step), void *context,
                               ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!session || !visit, error, OB_E_ARGUMENT, "session and visit must not be NULL");
    OB_FAIL_IF(!session->current, error, OB_E_ARGUMENT, "the session has no plan yet: ob_session_prepare makes one");
    enum { DEEP = 64 };
    const ob_step *ends[DEEP]; /* the step after the subgraphs of each control step around */
    unsigned depth = 0;
    for (const ob_step *step = session->current->steps; step; step = step->next) {
        while (depth > 0 && ends[depth - 1] == step) depth--;
        visit_step(step, depth, visit, context);
        if (step->kind == OB_STEP_CONTROL && depth < DEEP) ends[depth++] = *step->control->after;
    }
    return OB_OK;
}
