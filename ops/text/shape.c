/* Shape rules of operators on strings. */
#include <string.h>

#include "core/error.h"
#include "ops/table/op.h"

OB_RULE(string_normalizer);
OB_RULE(string_split);
OB_RULE(tfidf);

ob_status ob__infer_string_normalizer(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    if (!ob__rank_in(infer, 0, 1, 2) || from.rank < 0) return OB_OK;
    if (from.rank == 2) OB_TRY(ob__require(infer, OB_COND_EQUAL, from.dims[0], 1, 0, 0, OB0601));
    const ob_attribute *stopwords = ob__node_attribute(infer->node, "stopwords");
    if (!stopwords || stopwords->n == 0) return ob__out_like(infer, 0, 0);
    const ob_dim dims[2] = {from.rank == 2 ? 1 : OB_DIM_UNKNOWN, OB_DIM_UNKNOWN};
    return ob__out_tensor(infer, 0, OB_STRING, from.rank, dims);
}

ob_status ob__infer_string_split(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    if (from.rank < 0 || from.rank >= OB_MAX_RANK) return OB_OK;
    ob_dim dims[OB_MAX_RANK];
    if (from.rank) memcpy(dims, from.dims, (size_t)from.rank * sizeof *dims);
    dims[from.rank] = OB_DIM_UNKNOWN;
    OB_TRY(ob__out_tensor(infer, 0, OB_STRING, from.rank + 1, dims));
    return ob__out_tensor(infer, 1, OB_INT64, from.rank, dims);
}

ob_status ob__infer_tfidf(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    uint32_t n;
    const int64_t *indexes = ob__node_ints(infer->node, "ngram_indexes", &n);
    ob_dim width = indexes ? 0 : OB_DIM_UNKNOWN;
    for (uint32_t i = 0; i < n; i++)
        if (indexes[i] >= 0 && indexes[i] < INT32_MAX && indexes[i] + 1 > width) width = indexes[i] + 1;
    if (!ob__rank_in(infer, 0, 1, 2) || from.rank < 0) return OB_OK;
    const ob_dim dims[2] = {from.rank == 2 ? from.dims[0] : width, width};
    return ob__out_tensor(infer, 0, OB_FLOAT, from.rank, dims);
}
