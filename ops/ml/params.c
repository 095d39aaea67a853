#include "ops/ml/params.h"
#include "core/graph/types.h"

#include <string.h>

#include "ops/kernel/common.h"
#include "ops/table/attributes.h"

/* ---- Lists ---- */

double ob__ml_real(const ob_ml_reals *list, uint32_t i) {
    float f;
    double d;
    uint16_t half;
    const char *at = list->at;
    if (list->dtype == OB_DOUBLE) {
        memcpy(&d, at + i * sizeof d, sizeof d);
        return d;
    }
    if (list->dtype == OB_FLOAT16) {
        memcpy(&half, at + i * sizeof half, sizeof half);
        return (double)ob__float_from_half(half);
    }
    memcpy(&f, at + i * sizeof f, sizeof f);
    return (double)f;
}

ob_ml_reals ob__ml_floats(const ob_node *node, const char *name) {
    const ob_attribute *a = ob__node_attribute(node, name);
    if (!a || a->ref || a->type != OB_ATTR_FLOATS) return (ob_ml_reals){0};
    return (ob_ml_reals){a->n, OB_FLOAT, a->u.floats};
}

const ob_tensor *ob__ml_tensor(const ob_node *node, const char *name) {
    const ob_attribute *a = ob__node_attribute(node, name);
    return a && !a->ref && a->type == OB_ATTR_TENSOR ? a->u.tensor : NULL;
}

ob_status ob__ml_reals(const ob_node *node, const char *name, const char *tensor, ob_ml_reals *out, ob_error *error) {
    const ob_tensor *t = tensor ? ob__ml_tensor(node, tensor) : NULL;
    *out = name ? ob__ml_floats(node, name) : (ob_ml_reals){0};
    if (!t) return OB_OK;
    OB_FAIL_IF(t->dtype != OB_FLOAT && t->dtype != OB_DOUBLE && t->dtype != OB_FLOAT16, error, OB_E_ARGUMENT,
               "attribute %s has elements of %s: it must be of float, double or float16", tensor, ob_dtype_name(t->dtype));
    OB_FAIL_IF(t->n_elems > 0 && !t->data, error, OB_E_ARGUMENT, "attribute %s has no elements in this file", tensor);
    OB_FAIL_IF(t->n_elems >= UINT32_MAX, error, OB_E_LIMIT, "attribute %s has %lld elements", tensor, (long long)t->n_elems);
    OB_FAIL_IF(out->n > 0 && t->n_elems > 0, error, OB_E_ARGUMENT, "attributes %s and %s are both given", name, tensor);
    if (t->n_elems > 0) *out = (ob_ml_reals){(uint32_t)t->n_elems, t->dtype, t->data};
    return OB_OK;
}

const ob_string *ob__ml_strings(const ob_node *node, const char *name, uint32_t *n) {
    const ob_attribute *a = ob__node_attribute(node, name);
    bool given = a && !a->ref && a->type == OB_ATTR_STRINGS;
    *n = given ? a->n : 0;
    return given ? a->u.strings : NULL;
}

ob_status ob__ml_either(const ob_node *node, const char *of_ints, const char *of_strings, ob_ml_labels *out, ob_error *error) {
    uint32_t n_ints, n_strings;
    const int64_t *ints = ob__attribute_list(node, of_ints, &n_ints);
    const ob_string *strings = ob__ml_strings(node, of_strings, &n_strings);
    OB_FAIL_IF((n_ints > 0) == (n_strings > 0), error, OB_E_ARGUMENT, "exactly one of %s and %s is needed", of_ints, of_strings);
    *out = n_ints ? (ob_ml_labels){OB_INT64, n_ints, ints} : (ob_ml_labels){OB_STRING, n_strings, strings};
    return OB_OK;
}

ob_status ob__ml_labels(const ob_node *node, ob_ml_labels *out, ob_error *error) {
    const bool long_name = ob__node_attribute(node, "classlabels_int64s") != NULL || strstr(node->op_type, "Tree") != NULL;
    return ob__ml_either(node, long_name ? "classlabels_int64s" : "classlabels_ints", "classlabels_strings", out, error);
}

/* ---- Choices ---- */

ob_status ob__ml_choice(const ob_node *node, const char *name, const char *const *names, int n, int *out, ob_error *error) {
    const char *text = ob__attribute_text(node, name);
    for (*out = 0; *out < n; ++*out)
        if (strcmp(text, names[*out]) == 0) return OB_OK;
    return ob__fail(error, OB_E_ARGUMENT, "attribute %s is \"%.80s\", which is not one of its values", name, text);
}

ob_status ob__ml_post_transform(const ob_node *node, ob_ml_transform *out, ob_error *error) {
    static const char *const names[OB_ML_TRANSFORMS] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
    int i = 0;
    OB_TRY(ob__ml_choice(node, "post_transform", names, OB_ML_TRANSFORMS, &i, error));
    *out = (ob_ml_transform)i;
    return OB_OK;
}

/* ---- Linear models ---- */

ob_status ob__ml_read_linear(const ob_node *node, ob_ml_linear *out, ob_error *error) {
    const bool classifies = strcmp(node->op_type, "LinearClassifier") == 0;
    *out = (ob_ml_linear){.coefficients = ob__ml_floats(node, "coefficients"), .intercepts = ob__ml_floats(node, "intercepts")};
    const uint32_t n = out->coefficients.n, n_intercepts = out->intercepts.n;
    OB_TRY(ob__ml_post_transform(node, &out->transform, error));
    if (classifies) {
        OB_TRY(ob__ml_labels(node, &out->labels, error));
        out->n_scores = n_intercepts ? n_intercepts : out->labels.n;
        OB_FAIL_IF(out->n_scores != out->labels.n && (out->n_scores != 1 || out->labels.n > 2), error, OB_E_ARGUMENT,
                   "%u intercepts do not fit %u classes", out->n_scores, out->labels.n);
    } else {
        int64_t targets = ob__attribute_int(node, "targets");
        OB_FAIL_IF(targets < 1 || targets > UINT32_MAX, error, OB_E_ARGUMENT, "attribute targets is %lld", (long long)targets);
        out->n_scores = (uint32_t)targets;
        OB_FAIL_IF(n_intercepts && n_intercepts != out->n_scores, error, OB_E_ARGUMENT, "%u intercepts for %u targets",
                   n_intercepts, out->n_scores);
    }
    OB_FAIL_IF(n == 0 || n % out->n_scores, error, OB_E_ARGUMENT, "%u coefficients cannot be shared by %u scores", n,
               out->n_scores);
    out->n_features = n / out->n_scores;
    return OB_OK;
}

/* ---- Support vectors ---- */

static ob_status read_kernel(const ob_node *node, ob_ml_svm *out, ob_error *error) {
    static const char *const names[OB_ML_KERNELS] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
    const ob_ml_reals params = ob__ml_floats(node, "kernel_params");
    int i = 0;
    OB_TRY(ob__ml_choice(node, "kernel_type", names, OB_ML_KERNELS, &i, error));
    out->kernel = (ob_ml_kernel)i;
    OB_FAIL_IF(params.n != 0 && params.n != 3, error, OB_E_ARGUMENT, "attribute kernel_params has %u numbers, not 3", params.n);
    if (params.n == 0) return OB_OK;
    out->gamma = ob__ml_real(&params, 0);
    out->coef0 = ob__ml_real(&params, 1);
    out->degree = ob__ml_real(&params, 2);
    return OB_OK;
}

static ob_status read_features(ob_ml_svm *out, uint32_t n, uint32_t count, const char *name, ob_error *error) {
    OB_FAIL_IF(n == 0 || n % count, error, OB_E_ARGUMENT, "attribute %s has %u numbers, which is not a multiple of %u", name, n,
               count);
    out->n_features = n / count;
    return OB_OK;
}

/* The number of vectors of each class, class by class. There is one score for each pair of classes. */
static ob_status read_pairs(ob_ml_svm *out, uint32_t n_per_class, ob_error *error) {
    const uint64_t n = out->labels.n, pairs = n * (n - 1) / 2;
    OB_FAIL_IF(n_per_class != n, error, OB_E_ARGUMENT, "attribute vectors_per_class has %u entries for %u classes", n_per_class,
               out->labels.n);
    OB_FAIL_IF(n < 2, error, OB_E_ARGUMENT, "support vectors tell at least two classes apart");
    OB_FAIL_IF(out->coefficients.n != (n - 1) * out->n_vectors, error, OB_E_ARGUMENT,
               "%u coefficients for %u classes with %u vectors in all", out->coefficients.n, out->labels.n, out->n_vectors);
    OB_FAIL_IF(out->rho.n != pairs, error, OB_E_ARGUMENT, "attribute rho has %u numbers for %llu pairs of classes", out->rho.n,
               (unsigned long long)pairs);
    OB_FAIL_IF(out->a.n && out->a.n != pairs, error, OB_E_ARGUMENT, "attribute prob_a has %u numbers for %llu pairs of classes",
               out->a.n, (unsigned long long)pairs);
    out->n_scores = out->a.n || n == 2 ? out->labels.n : (uint32_t)pairs;
    return OB_OK;
}

static ob_status read_classifier(const ob_node *node, ob_ml_svm *out, ob_error *error) {
    uint32_t n;
    uint64_t sum = 0;
    out->per_class = ob__attribute_list(node, "vectors_per_class", &n);
    for (uint32_t i = 0; i < n; i++) {
        OB_FAIL_IF(out->per_class[i] < 0 || out->per_class[i] > UINT32_MAX, error, OB_E_ARGUMENT, "vectors_per_class[%u] is %lld",
                   i, (long long)out->per_class[i]);
        sum += (uint64_t)out->per_class[i];
    }
    OB_FAIL_IF(sum > UINT32_MAX, error, OB_E_ARGUMENT, "vectors_per_class sums up to %llu", (unsigned long long)sum);
    out->n_vectors = (uint32_t)sum;
    OB_TRY(ob__ml_labels(node, &out->labels, error));
    OB_FAIL_IF(out->a.n != out->b.n, error, OB_E_ARGUMENT, "prob_a has %u numbers and prob_b %u", out->a.n, out->b.n);
    if (out->n_vectors) return read_pairs(out, n, error);
    out->n_scores = out->labels.n;
    OB_FAIL_IF(out->rho.n != 1 && out->rho.n != out->n_scores, error, OB_E_ARGUMENT,
               "attribute rho has %u numbers for %u classes", out->rho.n, out->n_scores);
    return read_features(out, out->coefficients.n, out->n_scores, "coefficients", error);
}

ob_status ob__ml_read_svm(const ob_node *node, ob_ml_svm *out, ob_error *error) {
    *out = (ob_ml_svm){.coefficients = ob__ml_floats(node, "coefficients"),
                       .vectors = ob__ml_floats(node, "support_vectors"),
                       .rho = ob__ml_floats(node, "rho"),
                       .a = ob__ml_floats(node, "prob_a"),
                       .b = ob__ml_floats(node, "prob_b"),
                       .n_scores = 1};
    OB_TRY(read_kernel(node, out, error));
    OB_TRY(ob__ml_post_transform(node, &out->transform, error));
    if (strcmp(node->op_type, "SVMClassifier") == 0)
        OB_TRY(read_classifier(node, out, error));
    else {
        int64_t n = ob__attribute_int(node, "n_supports");
        OB_FAIL_IF(n < 0 || n > UINT32_MAX, error, OB_E_ARGUMENT, "attribute n_supports is %lld", (long long)n);
        out->n_vectors = (uint32_t)n;
        out->one_class = ob__attribute_flag(node, "one_class");
        OB_FAIL_IF(out->rho.n != 1, error, OB_E_ARGUMENT, "attribute rho has %u numbers, not 1", out->rho.n);
        OB_FAIL_IF(n > 0 && out->coefficients.n != n, error, OB_E_ARGUMENT, "%u coefficients for %lld vectors",
                   out->coefficients.n, (long long)n);
        if (n == 0) return read_features(out, out->coefficients.n, 1, "coefficients", error);
    }
    return out->n_vectors ? read_features(out, out->vectors.n, out->n_vectors, "support_vectors", error) : OB_OK;
}

/* ---- Normalizer ---- */

ob_status ob__ml_read_norm(const ob_node *node, obk_ml_norm *out, ob_error *error) {
    static const char *const names[OBK_ML_NORMS] = {"MAX", "L1", "L2"};
    int i = 0;
    OB_TRY(ob__ml_choice(node, "norm", names, OBK_ML_NORMS, &i, error));
    *out = (obk_ml_norm)i;
    return OB_OK;
}

/* ---- CastMap ---- */

ob_status ob__ml_read_cast_map(const ob_node *node, ob_ml_cast_map *out, ob_error *error) {
    static const char *const casts[] = {"TO_FLOAT", "TO_STRING", "TO_INT64"}, *const forms[] = {"DENSE", "SPARSE"};
    static const ob_dtype dtypes[] = {OB_FLOAT, OB_STRING, OB_INT64};
    int cast = 0, form = 0;
    OB_TRY(ob__ml_choice(node, "cast_to", casts, 3, &cast, error));
    OB_TRY(ob__ml_choice(node, "map_form", forms, 2, &form, error));
    *out = (ob_ml_cast_map){dtypes[cast], form == 1, ob__attribute_int(node, "max_map")};
    OB_FAIL_IF(out->sparse && (out->width < 1 || out->width > INT32_MAX), error, OB_E_ARGUMENT, "attribute max_map is %lld",
               (long long)out->width);
    return OB_OK;
}

/* ---- LabelEncoder, CategoryMapper ---- */

static ob_status read_list(const ob_node *node, const char *const names[4], ob_ml_labels *out, ob_error *error) {
    const ob_tensor *tensor = ob__ml_tensor(node, names[3]);
    const ob_ml_reals reals = ob__ml_floats(node, names[1]);
    uint32_t n_ints, n_strings;
    const int64_t *ints = ob__attribute_list(node, names[0], &n_ints);
    const ob_string *strings = ob__ml_strings(node, names[2], &n_strings);
    const int given = (n_ints > 0) + (reals.n > 0) + (n_strings > 0) + (tensor != NULL);
    OB_FAIL_IF(given != 1, error, OB_E_ARGUMENT, "exactly one of %s, %s, %s and %s is needed", names[0], names[1], names[2],
               names[3]);
    *out = n_ints    ? (ob_ml_labels){OB_INT64, n_ints, ints}
           : reals.n ? (ob_ml_labels){OB_FLOAT, reals.n, reals.at}
                     : (ob_ml_labels){OB_STRING, n_strings, strings};
    if (!tensor) return OB_OK;
    OB_FAIL_IF(tensor->n_elems > INT32_MAX || (tensor->n_elems > 0 && !tensor->data), error, OB_E_ARGUMENT,
               "attribute %s has no elements in this file", names[3]);
    *out = (ob_ml_labels){tensor->dtype, (uint32_t)tensor->n_elems, tensor->data};
    return OB_OK;
}

static ob_status read_default_tensor(const ob_node *node, ob_ml_lookup *l, ob_error *error) {
    const ob_tensor *tensor = ob__ml_tensor(node, "default_tensor");
    int64_t number = 0;
    if (!tensor) return OB_OK;
    OB_FAIL_IF(tensor->dtype != l->values.dtype || tensor->n_elems != 1 || !tensor->data, error, OB_E_ARGUMENT,
               "attribute default_tensor is not one element of %s", ob_dtype_name(l->values.dtype));
    if (tensor->dtype == OB_STRING) {
        memcpy(&l->text, tensor->data, sizeof l->text);
        return OB_OK;
    }
    if (ob__dtype_is_real(tensor->dtype)) return ob__convert(&l->real, OB_DOUBLE, tensor->data, tensor->dtype, 1, error);
    OB_TRY(ob__convert(&number, OB_INT64, tensor->data, tensor->dtype, 1, error));
    l->number = number;
    return OB_OK;
}

/* Strings with integers; in LabelEncoder 1 the integers are the positions of the strings. */
static ob_status read_categories(const ob_node *node, ob_dtype from, ob_ml_lookup *l) {
    const bool positions = strcmp(node->op_type, "CategoryMapper") != 0;
    ob_ml_labels strings = {.dtype = OB_STRING}, ints = {.dtype = OB_INT64};
    strings.at = ob__ml_strings(node, positions ? "classes_strings" : "cats_strings", &strings.n);
    ints.at = ob__attribute_list(node, "cats_int64s", &ints.n);
    if (positions) ints = (ob_ml_labels){OB_INT64, strings.n, NULL};
    l->equal = positions ? OB_ML_FIRST : OB_ML_LAST;
    l->keys = from == OB_STRING ? strings : ints;
    l->values = from == OB_STRING ? ints : strings;
    return OB_OK;
}

ob_status ob__ml_read_lookup(const ob_node *node, int since, ob_dtype from, ob_ml_lookup *l, ob_error *error) {
    static const char *const keys[4] = {"keys_int64s", "keys_floats", "keys_strings", "keys_tensor"};
    static const char *const values[4] = {"values_int64s", "values_floats", "values_strings", "values_tensor"};
    const char *unused = ob__attribute_text(node, "default_string");
    *l = (ob_ml_lookup){.text = {unused, strlen(unused)},
                        .number = ob__attribute_int(node, "default_int64"),
                        .real = (double)ob__attribute_float(node, "default_float")};
    const ob_attribute *text = ob__node_attribute(node, "default_string");
    if (text && text->type == OB_ATTR_STRING && !text->ref) l->text = text->u.s;
    if (since < 2) {
        OB_TRY(read_categories(node, from, l));
    } else {
        l->as_numbers = since >= 4;
        l->equal = since >= 4 ? OB_ML_LAST : OB_ML_FIRST;
        OB_TRY(read_list(node, keys, &l->keys, error));
        OB_TRY(read_list(node, values, &l->values, error));
        OB_TRY(read_default_tensor(node, l, error));
    }
    OB_FAIL_IF(l->keys.n != l->values.n, error, OB_E_ARGUMENT, "%u keys for %u values", l->keys.n, l->values.n);
    OB_FAIL_IF(l->keys.dtype != from, error, OB_E_TYPE, "keys of %s for elements of %s", ob_dtype_name(l->keys.dtype),
               ob_dtype_name(from));
    return OB_OK;
}

/* ---- Imputer ---- */

ob_status ob__ml_read_imputer(const ob_node *node, ob_dtype from, ob_ml_imputer *out, ob_error *error) {
    const bool real = ob__dtype_is_real(from);
    *out = (ob_ml_imputer){.reals = ob__ml_floats(node, "imputed_value_floats"), .ints = {.dtype = OB_INT64}};
    out->ints.at = ob__attribute_list(node, "imputed_value_int64s", &out->ints.n);
    OB_FAIL_IF((out->reals.n > 0) == (out->ints.n > 0) || (out->reals.n > 0) != real, error, OB_E_ARGUMENT,
               "%s is needed for elements of %s, and no other", real ? "imputed_value_floats" : "imputed_value_int64s",
               ob_dtype_name(from));
    for (uint32_t i = 0; i < out->ints.n && from == OB_INT32; i++)
        OB_FAIL_IF(((const int64_t *)out->ints.at)[i] != (int32_t)((const int64_t *)out->ints.at)[i], error, OB_E_ARGUMENT,
                   "value %lld does not fit int32", (long long)((const int64_t *)out->ints.at)[i]);
    return OB_OK;
}
