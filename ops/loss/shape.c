/* Shape rules of losses. */
#include <string.h>

#include "core/base/error.h"
#include "ops/infer/infer.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_RULE(loss);

/* A label is a class (possibly negative, counted from the end) or ignore_index, which need not be a class. */
static ob_status require_classes(ob_infer *infer, ob_dim classes) {
    const ob_attribute *ignored = ob__node_attribute(infer->node, "ignore_index");
    const ob_dim index = ob__saturated(ob__attribute_int(infer->node, "ignore_index"));
    const bool is_class = ob__known_at_least(infer, classes, ob_dim_add(infer->dims, index, 1)) &&
                          ob__known_at_least(infer, index, ob_dim_sub(infer->dims, 0, classes));
    if (!ignored || is_class) return ob__require_places(infer, 1, classes, 0, 1);
    const ob_dim n = ob__in_count(infer, 1);
    OB_TRY(ob__require_where(infer, n, OB_COND_AT_LEAST, classes, 1, 0, 1,
                             OB0601)); /* the body looks up class 0 for ignored labels */
    if (n == 0) return OB_OK;
    const ob_content labels = ob__in_content(infer, 1);
    for (uint32_t i = 0; labels.elems && i < labels.n; i++) {
        const ob_dim label = labels.elems[i];
        if (label == index || (ob__known_at_least(infer, classes, ob_dim_add(infer->dims, label, 1)) &&
                               ob__known_at_least(infer, label, ob_dim_sub(infer->dims, 0, classes))))
            continue;
        return ob__unverified(infer, 1, -1, "labels depend on data");
    }
    return labels.elems ? OB_OK : ob__unverified(infer, 1, -1, "labels depend on data");
}

ob_status ob__infer_loss(ob_infer *infer) {
    ob_shape scores = ob__in_shape(infer, 0), labels = ob__in_shape(infer, 1);
    OB_TRY(ob__out_like(infer, 1, 0));
    bool scalar = strcmp(ob__attribute_text(infer->node, "reduction"), "none") != 0;
    ob__out_shape(infer, 0, OB_NONE, scalar ? (ob_shape){0, NULL} : labels);
    OB_TRY(ob__rank_unknown(infer, 1));
    if (!ob__rank_in(infer, 0, 2, OB_MAX_RANK)) return OB_OK;
    if (scores.rank >= 0 && labels.rank >= 0) {
        if (labels.rank != scores.rank - 1) {
            ob__problem(infer, OB0601, 1, -1, "the labels have rank %d, rank %d is needed", labels.rank, scores.rank - 1);
            return OB_OK;
        }
        for (int32_t axis = 0; axis < labels.rank; axis++)
            OB_TRY(ob__require(infer, OB_COND_EQUAL, labels.dims[axis], scores.dims[axis ? axis + 1 : 0], 1, axis, OB0601));
    }
    if (ob__in_given(infer, 2) && scores.rank >= 2) {
        ob_dim classes = ob__in_dim(infer, 0, 1);
        OB_TRY(ob__require_shape(infer, 2, (ob_shape){1, &classes}, OB0601));
    }
    return scores.rank >= 2 && labels.rank >= 0 ? require_classes(infer, ob__in_dim(infer, 0, 1)) : OB_OK;
}
