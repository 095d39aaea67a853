/* A build that plans everything before a run (OB_WITH_DYNAMIC): what only a run decides is refused. */
#include "core/base/error.h"
#include "ops/table/op.h"
#include "passes/check/names.h"
#include "runtime/plan/builder.h"

ob_status ob__plan_dynamic(ob_builder *b, const ob_node *node) {
    const bool is_control = node->op->kernel->flags & OB_KERNEL_CONTROL;
    ob__at_node(b->error, node, OB_E_UNSUPPORTED);
    return ob__fail(b->error, OB_E_UNSUPPORTED, "this build has %s (OB_WITH_DYNAMIC is off)",
                    is_control ? "no If, Loop and Scan" : "only tensors whose sizes are known before the run");
}

ob_status ob__plan_control(ob_builder *b, const ob_node *node, bool *done) {
    (void)b, (void)node;
    *done = false; /* it is planned as dynamic */
    return OB_OK;
}

ob_status ob__settle_control(ob_arena *arena, ob_control *control) {
    (void)arena, (void)control; /* no step has one */
    return OB_OK;
}

/* No node is dynamic, so that none has to wait for one. */

ob_status ob__must_wait(const ob_builder *b, const ob_node *node, bool *wait) {
    (void)b, (void)node;
    *wait = false;
    return OB_OK;
}

ob_status ob__let_wait(ob_builder *b, ob_node *node) {
    return ob__plan_dynamic(b, node);
}

ob_status ob__plan_rest(ob_builder *b) {
    (void)b;
    return OB_OK;
}

void ob__part_release(ob_session *session, ob_part *part) {
    (void)session, (void)part;
}
