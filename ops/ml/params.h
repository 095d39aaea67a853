/* Attributes that several operators of ai.onnx.ml have. */
#ifndef OB_OPS_ML_PARAMS_H
#define OB_OPS_ML_PARAMS_H

#include "core/graph/graph.h"
#include "kernels/ml/ml.h"

/* Numbers of a list or tensor attribute. */
typedef struct ob_ml_reals {
    uint32_t n;
    ob_dtype dtype; /* OB_FLOAT, OB_DOUBLE, OB_FLOAT16; OB_NONE: not given */
    const void *at; /* may be unaligned */
} ob_ml_reals;

double ob__ml_real(const ob_ml_reals *list, uint32_t i);
/* Reads attribute `name` or `name`_as_tensor (`tensor`, may be NULL). E_ARGUMENT if both have elements or the tensor has an
 * invalid type. */
ob_status ob__ml_reals(const ob_node *node, const char *name, const char *tensor, ob_ml_reals *out, ob_error *error);
/* The floats of a list; empty if the attribute is missing. */
ob_ml_reals ob__ml_floats(const ob_node *node, const char *name);
/* The strings of a list; NULL and *n 0 if the attribute is missing. */
const ob_string *ob__ml_strings(const ob_node *node, const char *name, uint32_t *n);
const ob_tensor *ob__ml_tensor(const ob_node *node, const char *name);

/* Class labels, or any other list of either integers or strings. */
typedef struct ob_ml_labels {
    ob_dtype dtype; /* OB_INT64 or OB_STRING */
    uint32_t n;
    const void *at; /* int64_t or ob_string, memory of the node */
} ob_ml_labels;

/* `of_ints`, `of_strings`: names of the two attributes. E_ARGUMENT unless exactly one has elements. */
ob_status ob__ml_either(const ob_node *node, const char *of_ints, const char *of_strings, ob_ml_labels *out, ob_error *error);
/* Reads classlabels_strings, and classlabels_int64s or classlabels_ints. */
ob_status ob__ml_labels(const ob_node *node, ob_ml_labels *out, ob_error *error);

typedef enum ob_ml_transform {
    OB_ML_NONE,
    OB_ML_SOFTMAX,
    OB_ML_LOGISTIC,
    OB_ML_SOFTMAX_ZERO,
    OB_ML_PROBIT,
    OB_ML_TRANSFORMS
} ob_ml_transform;

/* The index of the value of attribute `name` in `names`, 0 if it is missing. E_ARGUMENT if it is not in `names`. */
ob_status ob__ml_choice(const ob_node *node, const char *name, const char *const *names, int n, int *out, ob_error *error);
ob_status ob__ml_post_transform(const ob_node *node, ob_ml_transform *out, ob_error *error);

/* LinearClassifier, LinearRegressor: rows of coefficients, one for each score. */
typedef struct ob_ml_linear {
    ob_ml_reals coefficients, intercepts; /* intercepts: empty or n_scores */
    ob_ml_labels labels;                  /* for the classifier */
    ob_ml_transform transform;
    uint32_t n_scores, n_features; /* n_scores may be 1 for two classes */
} ob_ml_linear;

ob_status ob__ml_read_linear(const ob_node *node, ob_ml_linear *out, ob_error *error);

typedef enum ob_ml_kernel { OB_ML_LINEAR, OB_ML_POLY, OB_ML_RBF, OB_ML_SIGMOID, OB_ML_KERNELS } ob_ml_kernel;

/* SVMClassifier, SVMRegressor. */
typedef struct ob_ml_svm {
    ob_ml_reals coefficients, vectors, rho, a, b; /* a, b: prob_a, prob_b, each empty or one for each pair of classes */
    ob_ml_labels labels;
    ob_ml_transform transform;
    ob_ml_kernel kernel;
    double gamma, coef0, degree;
    uint32_t n_vectors;       /* 0: no vectors, but one row of coefficients for each class */
    const int64_t *per_class; /* for the classifier with vectors: labels.n numbers with the sum n_vectors */
    uint32_t n_features;
    uint32_t n_scores; /* number of columns of the result */
    bool one_class;
} ob_ml_svm;

ob_status ob__ml_read_svm(const ob_node *node, ob_ml_svm *out, ob_error *error);

/* Normalizer: reads attribute norm. E_ARGUMENT for an undefined name. */
ob_status ob__ml_read_norm(const ob_node *node, obk_ml_norm *out, ob_error *error);

typedef struct ob_ml_cast_map {
    ob_dtype dtype; /* OB_FLOAT, OB_INT64, OB_STRING */
    bool sparse;    /* the result has an element for each key below `width` */
    int64_t width;
} ob_ml_cast_map;

ob_status ob__ml_read_cast_map(const ob_node *node, ob_ml_cast_map *out, ob_error *error);

/* Which of several equal keys is used. */
typedef enum ob_ml_equal { OB_ML_FIRST, OB_ML_LAST, OB_ML_REFUSED } ob_ml_equal;

/* LabelEncoder, CategoryMapper: lists of equal length. */
typedef struct ob_ml_lookup {
    ob_ml_labels keys, values; /* if at is NULL, they are 0, 1, 2 ... of int64 */
    ob_string text;            /* the default for other elements: one of these */
    int64_t number;
    double real;
    bool as_numbers;
    ob_ml_equal equal;
} ob_ml_lookup;

/* `since`: the operator's version; `from`: the type of operand 0. E_ARGUMENT or E_TYPE for lists that do not fit each other or
 * the operand. */
ob_status ob__ml_read_lookup(const ob_node *node, int since, ob_dtype from, ob_ml_lookup *out, ob_error *error);

/* Imputer: one value, or one for each feature. */
typedef struct ob_ml_imputer {
    ob_ml_reals reals; /* for floats and doubles */
    ob_ml_labels ints; /* for integers */
} ob_ml_imputer;

/* `from`: the type of operand 0. E_ARGUMENT. */
ob_status ob__ml_read_imputer(const ob_node *node, ob_dtype from, ob_ml_imputer *out, ob_error *error);

#endif
