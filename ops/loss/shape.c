/* Shape rules of losses. */
#include <string.h>

#include "core/error.h"
#include "ops/table/op.h"

OB_RULE(loss);

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
    return OB_OK;
}
