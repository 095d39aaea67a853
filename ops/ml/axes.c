/* Links of domain ai.onnx.ml: rows are independent of each other. */
#include <string.h>

#include "ops/infer/axes.h"
#include "ops/table/op.h"

OB_AXES(ml_rows);
OB_AXES(ml_features);
OB_AXES(ml_normalizer);
OB_AXES(ml_one_hot);
OB_AXES(array_feature_extractor);

/* Each row of a matrix gives a row of each result. A vector is one row. */
void ob__axes_ml_rows(ob_axes *axes) {
    const ob_infer *infer = axes->infer;
    for (uint32_t output = 0; output < infer->node->n_outputs; output++)
        for (uint32_t i = 0; i < infer->node->n_inputs; i++)
            if (ob__in_rank(infer, i) >= 2) ob__link(axes, output, 0, i, 0, OB_LINK_SAME);
}

/* Attributes may have one number for each element of the last axis. */
void ob__axes_ml_features(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool last[OB_MAX_RANK] = {false};
    if (rank < 1 || rank > OB_MAX_RANK) return;
    last[rank - 1] = true;
    ob__link_each(axes, 0, 0, last, OB_LINK_PLACE);
}

void ob__axes_ml_normalizer(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool last[OB_MAX_RANK] = {false};
    if (rank < 1 || rank > OB_MAX_RANK) return;
    last[rank - 1] = true;
    ob__link_each(axes, 0, 0, last, OB_LINK_ALL);
}

/* The new last axis compares each element with the categories. */
void ob__axes_ml_one_hot(ob_axes *axes) {
    ob__link_from(axes, 0, 0, 0, OB_LINK_SAME);
    ob__link(axes, 0, ob__out_rank_of(axes, 0) - 1, 0, -1, OB_LINK_PLACE);
}

void ob__axes_array_feature_extractor(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    for (int32_t axis = 0; axis < rank && rank >= 2; axis++)
        ob__link(axes, 0, axis, 0, axis, axis < rank - 1 ? OB_LINK_SAME : OB_LINK_PICKED);
}
