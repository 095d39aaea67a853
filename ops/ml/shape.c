/* Shape rules of domain ai.onnx.ml. Models take (N, C), or a vector (C) as one row. */
#include <string.h>

#include "core/base/error.h"
#include "kernels/ml/ml.h"
#include "ops/infer/infer.h"
#include "ops/ml/forest.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_RULE(array_feature_extractor);
OB_RULE(cast_map);
OB_RULE(label_encoder);
OB_RULE(dict_vectorizer);
OB_RULE(feature_vectorizer);
OB_RULE(imputer);
OB_RULE(normalizer);
OB_RULE(one_hot_encoder);
OB_RULE(zip_map);
OB_RULE(scaler);
OB_RULE(binarizer);
OB_RULE(ml_linear);
OB_RULE(ml_svm);
OB_RULE(ml_trees);

/* Reports an error of params.h; true if there was one. */
static bool is_refused(ob_infer *infer, ob_status status, const ob_error *error) {
    if (status != OB_OK) ob__problem(infer, OB0602, -1, -1, "%s", error->message);
    return status != OB_OK;
}

/* The number of rows of operand 0. */
static ob_dim n_rows(const ob_infer *infer) {
    int32_t rank = ob__in_rank(infer, 0);
    return rank < 0 ? OB_DIM_UNKNOWN : rank <= 1 ? 1 : ob__in_dim(infer, 0, 0);
}

static ob_status out_matrix(ob_infer *infer, uint32_t output, ob_dtype dtype, ob_dim columns) {
    const ob_dim dims[2] = {n_rows(infer), columns};
    return ob__out_tensor(infer, output, dtype, 2, dims);
}

/* Requires that the last axis of operand 0 has `n` features or, unless `exactly`, more. */
static ob_status require_features(ob_infer *infer, ob_dim n, bool exactly) {
    if (!ob__rank_in(infer, 0, 1, 2) || ob__in_rank(infer, 0) < 0) return OB_OK;
    return ob__require(infer, exactly ? OB_COND_EQUAL : OB_COND_AT_LEAST, ob__in_dim(infer, 0, -1), n, 0, -1, OB0601);
}

/* ---- Classifiers and regressors ---- */

/* Results and features, from the attributes. */
typedef struct model {
    ob_dtype labels; /* OB_NONE: not a classifier */
    ob_dim n_results, n_features;
    bool exactly;
} model;

/* Reports invalid attributes, or sets the results. */
static ob_status out_scores(ob_infer *infer, ob_status status, const model *m) {
    if (status == OB_E_MEMORY) return status;
    if (is_refused(infer, status, infer->trial)) return OB_OK;
    OB_TRY(require_features(infer, m->n_features, m->exactly));
    if (m->labels == OB_NONE) return out_matrix(infer, 0, OB_NONE, m->n_results);
    const ob_dim rows = n_rows(infer);
    OB_TRY(ob__out_tensor(infer, 0, m->labels, 1, &rows));
    return out_matrix(infer, 1, OB_FLOAT, m->n_results);
}

ob_status ob__infer_ml_linear(ob_infer *infer) {
    ob_ml_linear p;
    model m = {0};
    ob_error_clear(infer->trial);
    const ob_status status = ob__ml_read_linear(infer->node, &p, infer->trial);
    if (status == OB_OK) m = (model){p.labels.dtype, p.labels.n ? p.labels.n : p.n_scores, p.n_features, true};
    return out_scores(infer, status, &m);
}

ob_status ob__infer_ml_svm(ob_infer *infer) {
    ob_ml_svm p;
    model m = {0};
    ob_error_clear(infer->trial);
    const ob_status status = ob__ml_read_svm(infer->node, &p, infer->trial);
    if (status == OB_OK) m = (model){p.labels.dtype, p.n_scores, p.n_features, true};
    return out_scores(infer, status, &m);
}

ob_status ob__infer_ml_trees(ob_infer *infer) {
    ob_arena arena;
    ob_forest forest;
    model m = {0};
    ob_error_clear(infer->trial);
    ob__arena_init(&arena, &infer->arena->allocator);
    const ob_status status = ob__read_forest(infer->node, &arena, &forest, infer->trial);
    if (status == OB_OK) m = (model){forest.labels.dtype, forest.n_results, forest.n_features, false};
    ob__arena_release(&arena);
    return out_scores(infer, status, &m);
}

/* ---- Encoders ---- */

ob_status ob__infer_label_encoder(ob_infer *infer) {
    ob_ml_lookup params;
    ob_error *error = infer->trial;
    const ob_dtype from = ob__in_dtype(infer, 0);
    OB_TRY(ob__out_like(infer, 0, 0));
    ob__out_dtype(infer, 0, OB_NONE);
    ob_error_clear(error);
    if (from == OB_NONE || is_refused(infer, ob__ml_read_lookup(infer->node, ob__since(infer), from, &params, error), error))
        return OB_OK;
    ob__out_dtype(infer, 0, params.values.dtype);
    return OB_OK;
}

ob_status ob__infer_imputer(ob_infer *infer) {
    ob_ml_imputer params;
    ob_error *error = infer->trial;
    const ob_dtype from = ob__in_dtype(infer, 0);
    const int32_t rank = ob__in_rank(infer, 0);
    OB_TRY(ob__out_like(infer, 0, 0));
    ob_error_clear(error);
    if (from == OB_NONE || is_refused(infer, ob__ml_read_imputer(infer->node, from, &params, error), error)) return OB_OK;
    const uint32_t n = params.reals.n ? params.reals.n : params.ints.n;
    if (n == 1 || rank < 0) return OB_OK;
    return ob__require(infer, OB_COND_EQUAL, rank == 0 ? 1 : ob__in_dim(infer, 0, -1), n, 0, -1, OB0601);
}

ob_status ob__infer_one_hot_encoder(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    const ob_dtype dtype = ob__in_dtype(infer, 0);
    ob_ml_labels list;
    ob_error *error = infer->trial;
    ob_error_clear(error);
    if (is_refused(infer, ob__ml_either(infer->node, "cats_int64s", "cats_strings", &list, error), error)) return OB_OK;
    if (dtype != OB_NONE && (list.dtype == OB_STRING) != (dtype == OB_STRING)) {
        ob__problem(infer, OB0604, 0, -1, "categories are of %s, elements of %s", ob_dtype_name(list.dtype),
                    ob_dtype_name(dtype));
        return OB_OK;
    }
    if (from.rank < 0 || from.rank >= OB_MAX_RANK) return OB_OK;
    ob_dim dims[OB_MAX_RANK];
    if (from.rank) memcpy(dims, from.dims, (size_t)from.rank * sizeof *dims);
    dims[from.rank] = list.n;
    return ob__out_tensor(infer, 0, OB_FLOAT, from.rank + 1, dims);
}

ob_status ob__infer_array_feature_extractor(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0), picked = ob__in_shape(infer, 1);
    ob__out_dtype(infer, 0, OB_NONE);
    if (!ob__rank_in(infer, 0, 1, OB_MAX_RANK) || from.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    OB_TRY(ob__unverified(infer, 1, -1, "indices depend on data"));
    ob_dim n = picked.rank < 0 ? OB_DIM_UNKNOWN : ob__dims_product(infer, picked.dims, 0, picked.rank), dims[OB_MAX_RANK];
    if (from.rank == 1) return out_matrix(infer, 0, OB_NONE, n);
    memcpy(dims, from.dims, (size_t)from.rank * sizeof *dims);
    dims[from.rank - 1] = n;
    return ob__out_tensor(infer, 0, OB_NONE, from.rank, dims);
}

/* Widths are those of inputdimensions, or those of the operands. All operands have as many rows as the first. */
/* The number of elements after the first axis; for a vector, of all elements. */
static ob_dim row_width(const ob_infer *infer, uint32_t i) {
    const ob_shape shape = ob__in_shape(infer, i);
    if (shape.rank < 1) return OB_DIM_UNKNOWN;
    ob_dim width = shape.dims[shape.rank - 1];
    for (int32_t axis = 1; axis < shape.rank - 1 && width != OB_DIM_UNKNOWN; axis++)
        width = shape.dims[axis] == OB_DIM_UNKNOWN ? OB_DIM_UNKNOWN : ob_dim_mul(infer->dims, shape.dims[axis], width);
    return width;
}

ob_status ob__infer_feature_vectorizer(ob_infer *infer) {
    uint32_t n;
    const int64_t *widths = ob__attribute_list(infer->node, "inputdimensions", &n);
    ob_dim sum = 0, rows = n_rows(infer);
    if (n > 0 && n != infer->node->n_inputs) {
        ob__problem(infer, OB0602, -1, -1, "attribute inputdimensions has %u entries for %u operands", n, infer->node->n_inputs);
        return OB_OK;
    }
    for (uint32_t i = 0; i < infer->node->n_inputs; i++) {
        const int32_t rank = ob__in_rank(infer, i);
        if (!ob__rank_in(infer, i, 1, OB_MAX_RANK)) return OB_OK;
        const ob_dim width = row_width(infer, i);
        if (rank > 2)
            ob__problem(infer, OB0404, (int32_t)i, -1,
                        "operand %u has rank %d: axes 1 to %d are combined into one row of features", i, rank, rank - 1);
        if (n > 0 && ob__in_rank(infer, i) > 0)
            OB_TRY(ob__require(infer, OB_COND_EQUAL, width, ob__saturated(widths[i]), (int32_t)i, -1, OB0601));
        if (i > 0 && ob__in_rank(infer, i) > 0)
            OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_rank(infer, i) == 1 ? 1 : ob__in_dim(infer, i, 0), rows, (int32_t)i,
                               0, OB0601));
        const ob_dim known = n > 0 ? ob__saturated(widths[i]) : width;
        sum = sum == OB_DIM_UNKNOWN || known == OB_DIM_UNKNOWN ? OB_DIM_UNKNOWN : ob_dim_add(infer->dims, sum, known);
    }
    return out_matrix(infer, 0, OB_FLOAT, sum);
}

/* There is one offset and one factor for all features, or one for each. */
ob_status ob__infer_scaler(ob_infer *infer) {
    static const char *const names[] = {"offset", "scale"};
    OB_TRY(ob__out_like(infer, 0, 0));
    ob__out_dtype(infer, 0, OB_FLOAT);
    for (int i = 0; i < 2; i++) {
        const ob_attribute *list = ob__node_attribute(infer->node, names[i]);
        if (!list || list->ref || list->n == 1) continue;
        if (list->n == 0) ob__problem(infer, OB0602, -1, -1, "attribute %s is empty", names[i]);
        if (list->n > 0 && ob__rank_in(infer, 0, 1, OB_MAX_RANK))
            OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 0, -1), list->n, 0, -1, OB0601));
    }
    return OB_OK;
}

/* ---- Maps ---- */

ob_status ob__infer_zip_map(ob_infer *infer) {
    ob_type element = {.kind = OB_TYPE_TENSOR, .dtype = OB_FLOAT, .shape = {0, NULL}};
    ob_type map = {.kind = OB_TYPE_MAP, .dtype = OB_INT64, .shape = {OB_RANK_UNKNOWN, NULL}};
    ob_ml_labels labels;
    ob_error *error = infer->trial;
    ob_error_clear(error);
    if (is_refused(infer, ob__ml_either(infer->node, "classlabels_int64s", "classlabels_strings", &labels, error), error))
        return OB_OK;
    map.dtype = labels.dtype;
    OB_TRY(require_features(infer, labels.n, true));
    map.element = ob__keep_type(infer, &element);
    ob_type sequence = {.kind = OB_TYPE_SEQUENCE, .shape = {OB_RANK_UNKNOWN, NULL}, .element = ob__keep_type(infer, &map)};
    if (!map.element || !sequence.element) return OB_E_MEMORY;
    ob__out_type(infer, 0, &sequence);
    return OB_OK;
}

ob_status ob__infer_cast_map(ob_infer *infer) {
    ob_ml_cast_map params;
    ob_error *error = infer->trial;
    ob_error_clear(error);
    if (is_refused(infer, ob__ml_read_cast_map(infer->node, &params, error), error)) return OB_OK;
    const ob_dim dims[2] = {1, params.sparse ? params.width : OB_DIM_UNKNOWN};
    return ob__out_tensor(infer, 0, params.dtype, 2, dims);
}

ob_status ob__infer_dict_vectorizer(ob_infer *infer) {
    ob_ml_labels words;
    ob_error *error = infer->trial;
    ob_error_clear(error);
    if (is_refused(infer, ob__ml_either(infer->node, "int64_vocabulary", "string_vocabulary", &words, error), error))
        return OB_OK;
    const ob_type *map = ob__in_type(infer, 0);
    ob_dtype dtype = map->kind == OB_TYPE_MAP && map->element ? map->element->dtype : OB_NONE;
    const ob_dim dims[2] = {1, words.n};
    return ob__out_tensor(infer, 0, dtype, 2, dims);
}

ob_status ob__infer_normalizer(ob_infer *infer) {
    obk_ml_norm norm;
    ob_error *error = infer->trial;
    ob_error_clear(error);
    OB_TRY(ob__out_like(infer, 0, 0));
    ob__out_dtype(infer, 0, OB_FLOAT);
    if (!is_refused(infer, ob__ml_read_norm(infer->node, &norm, error), error)) (void)ob__rank_in(infer, 0, 1, 2);
    return OB_OK;
}

ob_status ob__infer_binarizer(ob_infer *infer) {
    return ob__out_like(infer, 0, 0);
}
