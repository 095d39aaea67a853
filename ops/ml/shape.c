/* Shape rules of domain ai.onnx.ml. Models there take (N, C), or a vector (C), which is one row. */
#include <string.h>

#include "core/error.h"
#include "ops/table/op.h"

OB_RULE(ml);

static uint32_t attribute_count(const ob_infer *infer, const char *name) {
    const ob_attribute *attribute = ob__node_attribute(infer->node, name);
    return attribute && !attribute->ref ? attribute->n : 0;
}

/* Rows of operand 0. */
static ob_dim n_rows(const ob_infer *infer) {
    int32_t rank = ob__in_rank(infer, 0);
    return rank < 0 ? OB_DIM_UNKNOWN : rank <= 1 ? 1 : ob__in_dim(infer, 0, 0);
}

static ob_status out_matrix(ob_infer *infer, uint32_t output, ob_dtype dtype, ob_dim columns) {
    const ob_dim dims[2] = {n_rows(infer), columns};
    return ob__out_tensor(infer, output, dtype, 2, dims);
}

/* ---- Classifiers and regressors ---- */

/* Labels: strings when that list is given, else int64. Returns their number. */
static uint32_t class_labels(const ob_infer *infer, ob_dtype *dtype) {
    static const char *const of_strings[] = {"classlabels_strings"};
    static const char *const of_ints[] = {"classlabels_int64s", "classlabels_ints"};
    for (size_t i = 0; i < sizeof of_strings / sizeof of_strings[0]; i++) {
        uint32_t n = attribute_count(infer, of_strings[i]);
        *dtype = OB_STRING;
        if (n) return n;
    }
    *dtype = OB_INT64;
    for (size_t i = 0; i < sizeof of_ints / sizeof of_ints[0]; i++) {
        uint32_t n = attribute_count(infer, of_ints[i]);
        if (n) return n;
    }
    return 0;
}

static ob_status classifier(ob_infer *infer) {
    ob_dtype dtype;
    uint32_t n = class_labels(infer, &dtype);
    ob_dim rows = n_rows(infer);
    OB_TRY(ob__out_tensor(infer, 0, dtype, 1, &rows));
    return out_matrix(infer, 1, OB_FLOAT, n ? n : OB_DIM_UNKNOWN);
}

static ob_status regressor(ob_infer *infer, const char *targets, ob_dtype dtype) {
    ob_dim n = ob__node_int(infer->node, targets, 1);
    return out_matrix(infer, 0, dtype, ob_dim_is_const(n) && n > 0 ? n : OB_DIM_UNKNOWN);
}

/* ---- Encoders ---- */

static ob_dtype label_encoder_dtype(const ob_infer *infer) {
    if (ob__since(infer) < 2) return ob__in_dtype(infer, 0) == OB_STRING ? OB_INT64 : OB_STRING;
    if (attribute_count(infer, "values_strings")) return OB_STRING;
    if (attribute_count(infer, "values_int64s")) return OB_INT64;
    if (attribute_count(infer, "values_floats")) return OB_FLOAT;
    const ob_attribute *values = ob__node_attribute(infer->node, "values_tensor");
    return values && values->type == OB_ATTR_TENSOR && !values->ref && values->u.tensor ? values->u.tensor->dtype : OB_NONE;
}

static ob_status one_hot_encoder(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    uint32_t n = attribute_count(infer, "cats_int64s");
    if (n == 0) n = attribute_count(infer, "cats_strings");
    if (from.rank < 0 || from.rank >= OB_MAX_RANK) return OB_OK;
    ob_dim dims[OB_MAX_RANK];
    if (from.rank) memcpy(dims, from.dims, (size_t)from.rank * sizeof *dims);
    dims[from.rank] = n ? n : OB_DIM_UNKNOWN;
    return ob__out_tensor(infer, 0, OB_FLOAT, from.rank + 1, dims);
}

static ob_status array_feature_extractor(ob_infer *infer) {
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

static ob_status feature_vectorizer(ob_infer *infer) {
    uint32_t n;
    const int64_t *widths = ob__node_ints(infer->node, "inputdimensions", &n);
    ob_dim sum = widths ? 0 : OB_DIM_UNKNOWN;
    for (uint32_t i = 0; i < n; i++)
        sum = widths[i] >= 0 && widths[i] < INT32_MAX ? ob_dim_add(infer->dims, sum, widths[i]) : OB_DIM_UNKNOWN;
    return out_matrix(infer, 0, OB_FLOAT, sum);
}

/* ---- Maps ---- */

static ob_status zip_map(ob_infer *infer) {
    ob_type element = {.kind = OB_TYPE_TENSOR, .dtype = OB_FLOAT, .shape = {0, NULL}};
    ob_type map = {.kind = OB_TYPE_MAP, .dtype = OB_INT64, .shape = {OB_RANK_UNKNOWN, NULL}};
    if (attribute_count(infer, "classlabels_strings")) map.dtype = OB_STRING;
    map.element = ob__keep_type(infer, &element);
    ob_type sequence = {.kind = OB_TYPE_SEQUENCE, .shape = {OB_RANK_UNKNOWN, NULL}, .element = ob__keep_type(infer, &map)};
    if (!map.element || !sequence.element) return OB_E_MEMORY;
    ob__out_type(infer, 0, &sequence);
    return OB_OK;
}

static ob_status cast_map(ob_infer *infer) {
    const char *to = ob__node_string(infer->node, "cast_to", "TO_FLOAT"),
               *form = ob__node_string(infer->node, "map_form", "DENSE");
    ob_dtype dtype = strcmp(to, "TO_STRING") == 0 ? OB_STRING : strcmp(to, "TO_INT64") == 0 ? OB_INT64 : OB_FLOAT;
    ob_dim width = strcmp(form, "SPARSE") == 0 ? ob__node_int(infer->node, "max_map", 1) : OB_DIM_UNKNOWN;
    const ob_dim dims[2] = {1, ob_dim_is_const(width) && width > 0 ? width : OB_DIM_UNKNOWN};
    return ob__out_tensor(infer, 0, dtype, 2, dims);
}

static ob_status dict_vectorizer(ob_infer *infer) {
    uint32_t n = attribute_count(infer, "int64_vocabulary");
    if (n == 0) n = attribute_count(infer, "string_vocabulary");
    const ob_type *map = ob__in_type(infer, 0);
    ob_dtype dtype = map->kind == OB_TYPE_MAP && map->element ? map->element->dtype : OB_NONE;
    const ob_dim dims[2] = {1, n ? n : OB_DIM_UNKNOWN};
    return ob__out_tensor(infer, 0, dtype, 2, dims);
}

ob_status ob__infer_ml(ob_infer *infer) {
    static const struct {
        const char *name;
        ob_status (*rule)(ob_infer *infer);
    } rules[] = {{"ArrayFeatureExtractor", array_feature_extractor},
                 {"CastMap", cast_map},
                 {"DictVectorizer", dict_vectorizer},
                 {"FeatureVectorizer", feature_vectorizer},
                 {"LinearClassifier", classifier},
                 {"OneHotEncoder", one_hot_encoder},
                 {"SVMClassifier", classifier},
                 {"TreeEnsembleClassifier", classifier},
                 {"ZipMap", zip_map}};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (ob__op_is(infer, rules[i].name)) return rules[i].rule(infer);
    if (ob__op_is(infer, "LinearRegressor")) return regressor(infer, "targets", OB_FLOAT);
    if (ob__op_is(infer, "TreeEnsembleRegressor")) return regressor(infer, "n_targets", OB_FLOAT);
    if (ob__op_is(infer, "TreeEnsemble")) return regressor(infer, "n_targets", ob__in_dtype(infer, 0));
    if (ob__op_is(infer, "SVMRegressor")) return out_matrix(infer, 0, OB_FLOAT, 1);
    OB_TRY(ob__out_like(infer, 0, 0)); /* Binarizer, Imputer, LabelEncoder, CategoryMapper, Normalizer, Scaler */
    if (infer->node->n_outputs == 0) return OB_OK;
    ob_dtype dtype = OB_NONE;
    if (ob__op_is(infer, "LabelEncoder")) dtype = label_encoder_dtype(infer);
    if (ob__op_is(infer, "CategoryMapper")) dtype = ob__in_dtype(infer, 0) == OB_STRING ? OB_INT64 : OB_STRING;
    if (ob__op_is(infer, "Normalizer") || ob__op_is(infer, "Scaler")) dtype = OB_FLOAT;
    if (dtype != OB_NONE) ob__out_dtype(infer, 0, dtype);
    return OB_OK;
}
