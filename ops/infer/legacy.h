/* Broadcasting of opset 1-6. */
#ifndef OB_OPS_INFER_LEGACY_H
#define OB_OPS_INFER_LEGACY_H

#include "core/graph/graph.h"
#include "onnx_broadcast/view.h"

/* The attribute `axis`: the axis of operand 0 for the first axis of operand 1. Without it, the last axes are aligned. */
typedef struct ob_legacy_axis {
    bool given;
    int64_t axis;
} ob_legacy_axis;
static inline ob_legacy_axis ob__legacy_axis(const ob_node *node) {
    const ob_attribute *axis = ob__node_attribute(node, "axis");
    bool given = axis && axis->type == OB_ATTR_INT && !axis->ref;
    return (ob_legacy_axis){given, given ? axis->u.i : 0};
}

/* Gives b the rank of a, with its axes where the attributes `broadcast` and `axis` place them; broadcast axes keep size 1.
 * Without `broadcast` the shapes must be equal. E_SHAPE for an invalid axis or sizes. */
ob_status ob__legacy_align(const ob_node *node, const ob_view *a, ob_view *b, ob_error *error);
/* The same without a node. As in Python, axis -1 is the last; if axis is not given, the last axes are aligned. */
ob_status ob__legacy_align_at(const ob_view *a, ob_view *b, bool axis_given, int64_t axis, ob_error *error);

#endif
