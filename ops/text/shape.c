/* Shape rules of operators on strings. */
#include <string.h>

#include "core/base/error.h"
#include "ops/infer/infer.h"
#include "ops/table/op.h"
#include "ops/text/params.h"

OB_RULE(regex_full_match);
OB_RULE(string_normalizer);
OB_RULE(string_split);
OB_RULE(tfidf);

ob_status ob__infer_regex_full_match(ob_infer *infer) {
    return ob__out_like(infer, 0, 0);
}

ob_status ob__infer_string_normalizer(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    if (!ob__rank_in(infer, 0, 1, 2) || from.rank < 0) return OB_OK;
    if (from.rank == 2) OB_TRY(ob__require(infer, OB_COND_EQUAL, from.dims[0], 1, 0, 0, OB0601));
    const ob_attribute *stopwords = ob__node_attribute(infer->node, "stopwords");
    if (!stopwords || (!stopwords->ref && stopwords->n == 0)) return ob__out_like(infer, 0, 0);
    const ob_dim dims[2] = {from.rank == 2 ? 1 : OB_DIM_UNKNOWN, OB_DIM_UNKNOWN};
    return ob__out_tensor(infer, 0, OB_STRING, from.rank, dims);
}

ob_status ob__infer_string_split(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    if (from.rank < 0 || !ob__rank_fits(infer, from.rank + 1)) return OB_OK;
    ob_dim dims[OB_MAX_RANK];
    if (from.rank) memcpy(dims, from.dims, (size_t)from.rank * sizeof *dims);
    dims[from.rank] = OB_DIM_UNKNOWN;
    OB_TRY(ob__out_tensor(infer, 0, OB_STRING, from.rank + 1, dims));
    return ob__out_tensor(infer, 1, OB_INT64, from.rank, dims);
}

/* False if attributes refer to those of a function, as in its body. */
static bool all_known(const ob_node *node) {
    bool known = true;
    for (uint32_t i = 0; i < node->n_attributes; i++) known &= !node->attributes[i]->ref;
    return known;
}

ob_status ob__infer_tfidf(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    ob_tfidf_params params;
    const char *wrong = ob__tfidf_params(infer->node, &params);
    if (wrong && all_known(infer->node)) ob__problem(infer, OB0602, -1, -1, "%s", wrong);
    const ob_dtype dtype = ob__in_dtype(infer, 0);
    if (!wrong && dtype != OB_NONE && (params.strings.n > 0) != (dtype == OB_STRING))
        ob__problem(infer, OB0604, 0, -1, "the pool has %s, the elements are %s", params.strings.n ? "strings" : "integers",
                    ob_dtype_name(dtype));
    if (!ob__rank_in(infer, 0, 1, 2) || from.rank < 0) return OB_OK;
    ob_dim width = params.places.n > 0 ? params.width : OB_DIM_UNKNOWN;
    const ob_dim dims[2] = {from.rank == 2 ? from.dims[0] : width, width};
    return ob__out_tensor(infer, 0, OB_FLOAT, from.rank, dims);
}
