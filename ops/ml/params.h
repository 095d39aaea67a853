/* Attributes of ai.onnx.ml that several operators have. */
#ifndef OB_OPS_ML_PARAMS_H
#define OB_OPS_ML_PARAMS_H

#include "core/graph/graph.h"
#include "kernels/ml/ml.h"

/* Numbers of a list or a tensor of the node. */
typedef struct ob_ml_reals {
    uint32_t n;
    ob_dtype dtype; /* OB_FLOAT, OB_DOUBLE, OB_FLOAT16; OB_NONE: not given */
    const void *at; /* may be unaligned */
} ob_ml_reals;

double ob__ml_real(const ob_ml_reals *list, uint32_t i);
/* Attribute `name`, or `name`_as_tensor (`tensor`, or NULL). E_ARGUMENT: both have elements, or the tensor has no such type. */
ob_status ob__ml_reals(const ob_node *node, const char *name, const char *tensor, ob_ml_reals *out, ob_error *error);
/* The floats of a list, of none when there is no such list. */
ob_ml_reals ob__ml_floats(const ob_node *node, const char *name);
/* Strings, NULL and *n 0 when there is no such list. */
const ob_string *ob__ml_strings(const ob_node *node, const char *name, uint32_t *n);
const ob_tensor *ob__ml_tensor(const ob_node *node, const char *name);

/* Names of the classes, or what else is listed either as integers or as strings. */
typedef struct ob_ml_labels {
    ob_dtype dtype; /* OB_INT64, OB_STRING */
    uint32_t n;
    const void *at; /* int64_t, ob_string: of the node */
} ob_ml_labels;

/* `of_ints`, `of_strings`: names of the two lists. E_ARGUMENT unless exactly one has elements. */
ob_status ob__ml_either(const ob_node *node, const char *of_ints, const char *of_strings, ob_ml_labels *out, ob_error *error);
/* classlabels_strings, and classlabels_int64s or classlabels_ints. */
ob_status ob__ml_labels(const ob_node *node, ob_ml_labels *out, ob_error *error);

typedef enum ob_ml_transform {
    OB_ML_NONE,
    OB_ML_SOFTMAX,
    OB_ML_LOGISTIC,
    OB_ML_SOFTMAX_ZERO,
    OB_ML_PROBIT,
    OB_ML_TRANSFORMS
} ob_ml_transform;

/* Place of attribute `name` among `names`, the first when it is absent. E_ARGUMENT when it is none of them. */
ob_status ob__ml_choice(const ob_node *node, const char *name, const char *const *names, int n, int *out, ob_error *error);
ob_status ob__ml_post_transform(const ob_node *node, ob_ml_transform *out, ob_error *error);

/* LinearClassifier, LinearRegressor: rows of coefficients, one for each score. */
typedef struct ob_ml_linear {
    ob_ml_reals coefficients, intercepts; /* intercepts: none, or n_scores */
    ob_ml_labels labels;                  /* of the classifier */
    ob_ml_transform transform;
    uint32_t n_scores, n_features; /* n_scores may be 1 of two classes */
} ob_ml_linear;

ob_status ob__ml_read_linear(const ob_node *node, ob_ml_linear *out, ob_error *error);

typedef enum ob_ml_kernel { OB_ML_LINEAR, OB_ML_POLY, OB_ML_RBF, OB_ML_SIGMOID, OB_ML_KERNELS } ob_ml_kernel;

/* SVMClassifier, SVMRegressor. */
typedef struct ob_ml_svm {
    ob_ml_reals coefficients, vectors, rho, a, b; /* a, b: prob_a, prob_b, none or one for each pair of classes */
    ob_ml_labels labels;
    ob_ml_transform transform;
    ob_ml_kernel kernel;
    double gamma, coef0, degree;
    uint32_t n_vectors;       /* 0: no vectors, one row of coefficients for each class */
    const int64_t *per_class; /* of the classifier with vectors: labels.n that sum up to n_vectors */
    uint32_t n_features;
    uint32_t n_scores; /* columns of the result */
    bool one_class;
} ob_ml_svm;

ob_status ob__ml_read_svm(const ob_node *node, ob_ml_svm *out, ob_error *error);

/* Normalizer: attribute norm. E_ARGUMENT for a name that is none. */
ob_status ob__ml_read_norm(const ob_node *node, obk_ml_norm *out, ob_error *error);

typedef struct ob_ml_cast_map {
    ob_dtype dtype; /* OB_FLOAT, OB_INT64, OB_STRING */
    bool sparse;    /* an element for each key below `width` */
    int64_t width;
} ob_ml_cast_map;

ob_status ob__ml_read_cast_map(const ob_node *node, ob_ml_cast_map *out, ob_error *error);

/* Which of equal keys counts. */
typedef enum ob_ml_equal { OB_ML_FIRST, OB_ML_LAST, OB_ML_REFUSED } ob_ml_equal;

/* LabelEncoder, CategoryMapper: lists of one length. */
typedef struct ob_ml_lookup {
    ob_ml_labels keys, values; /* at is NULL: 0, 1, 2 ... of int64 */
    ob_string text;            /* the value of other elements: one of these */
    int64_t number;
    double real;
    bool as_numbers;
    ob_ml_equal equal;
} ob_ml_lookup;

/* `since`: of the operator's version; `from`: of operand 0. E_ARGUMENT, E_TYPE for lists that do not fit each other, or it. */
ob_status ob__ml_read_lookup(const ob_node *node, int since, ob_dtype from, ob_ml_lookup *out, ob_error *error);

/* Imputer: one value, or one for each feature. */
typedef struct ob_ml_imputer {
    ob_ml_reals reals; /* of floats and doubles */
    ob_ml_labels ints; /* of integers */
} ob_ml_imputer;

/* `from`: the type of operand 0. E_ARGUMENT. */
ob_status ob__ml_read_imputer(const ob_node *node, ob_dtype from, ob_ml_imputer *out, ob_error *error);

#endif
