/* Makers of transforms, strings and the features of ai.onnx.ml. */
#include <math.h>
#include <string.h>

#include "gen.h"
#include "number.h"

/* ---- Signal ---- */

static bool make_dft(gen *g) {
    bool inverse = chance(g, 40), onesided = chance(g, 40);
    int64_t parts = onesided ? 1 + inverse : pick(g, 1, 2), dims[OB_MAX_RANK];
    int32_t rank = (int32_t)pick(g, 2, 3);
    for (int32_t k = 0; k < rank; k++) dims[k] = pick(g, 1, 7);
    int64_t axis = pick(g, g->op->since < 20 ? 1 : 0, rank - 1);
    if (inverse && onesided && dims[axis] < 2) dims[axis] = 2;
    dims[rank] = parts;
    ob_dtype dtype = chance(g, 70) ? OB_FLOAT : OB_DOUBLE;
    set_in(g, 0, leaf(g, dtype, rank + 1, dims, FILL_TAME));
    if (chance(g, 40)) set_in(g, 1, leaf_scalar(g, OB_INT64, 0, (double)pick(g, 1, 9)));
    if (g->op->since >= 20)
        set_in(g, 2, leaf_scalar(g, OB_INT64, 0, (double)(chance(g, 40) ? axis - rank - 1 : axis)));
    else
        set_int(g, "axis", axis);
    set_int(g, "inverse", inverse);
    set_int(g, "onesided", onesided);
    return true;
}

static bool make_stft(gen *g) {
    int64_t frame = pick(g, 1, 8), length = frame + pick(g, 0, 12); /* of complex signals ONNX Runtime reads beyond the end */
    bool windowed = chance(g, 60);
    ob_dtype dtype = chance(g, 70) ? OB_FLOAT : OB_DOUBLE;
    set_in(g, 0, leaf(g, dtype, 3, (int64_t[]){pick(g, 1, 2), length, 1}, FILL_TAME));
    set_in(g, 1, leaf_scalar(g, OB_INT64, 0, (double)pick(g, 1, 5)));
    if (windowed) set_in(g, 2, leaf(g, dtype, 1, &frame, FILL_POSITIVE));
    if (!windowed || chance(g, 30)) set_in(g, 3, leaf_scalar(g, OB_INT64, 0, (double)frame));
    set_int(g, "onesided", pick(g, 0, 1));
    return true;
}

static bool make_mel(gen *g) {
    int64_t rate = pick(g, 4, 20) * 1000, length = pick(g, 8, 64);
    set_in(g, 0, leaf_scalar(g, OB_INT64, 0, (double)pick(g, 1, 8)));
    set_in(g, 1, leaf_scalar(g, OB_INT64, 0, (double)length));
    set_in(g, 2, leaf_scalar(g, OB_INT64, 0, (double)rate));
    set_in(g, 3, leaf_scalar(g, OB_FLOAT, 0, (double)pick(g, 0, 200)));
    set_in(g, 4, leaf_scalar(g, OB_FLOAT, 0, (double)pick(g, 1000, rate / 2)));
    return true;
}

/* ---- Strings ---- */

static int take_strings(gen *g, int32_t lowest, int32_t highest) {
    return take(g, OB_T(STRING), lowest, highest);
}

static bool make_string_concat(gen *g) {
    int a = take_strings(g, 0, 4);
    if (a < 0) return false;
    int64_t dims[OB_MAX_RANK], part[OB_MAX_RANK];
    int32_t rank = joint_shape(g, view_at(g, a), dims), part_rank = part_shape(g, rank, dims, part);
    set_in(g, 0, a);
    set_in(g, 1, leaf(g, OB_STRING, part_rank, part, FILL_TAME));
    return true;
}

static bool make_string_split(gen *g) {
    static const char *const delimiters[] = {"", "a", "c", " ", "Zz"};
    set_in(g, 0, take_strings(g, 1, 3));
    if (chance(g, 80)) set_string(g, "delimiter", delimiters[pick(g, 0, 4)]);
    if (chance(g, 50)) set_int(g, "maxsplit", pick(g, 1, 3));
    g->node->n_out = 2;
    return true;
}

static bool make_string_normalizer(gen *g) {
    static const char *const actions[] = {"LOWER", "UPPER", "NONE"};
    int64_t n = pick(g, 1, 6);
    set_in(g, 0, leaf(g, OB_STRING, 1, &n, FILL_TAME));
    if (chance(g, 70)) set_string(g, "case_change_action", actions[pick(g, 0, 2)]);
    if (chance(g, 60)) {
        case_attribute *words = case_attribute_add(g->node, "stopwords", OB_ATTR_STRINGS);
        words->n = 2;
        words->strings[0] = "a";
        words->strings[1] = "zz 9";
        set_int(g, "is_case_sensitive", pick(g, 0, 1));
    }
    return true;
}

/* One-grams and two-grams of the numbers 0 to 3. */
static bool make_tfidf(gen *g) {
    static const char *const modes[] = {"TF", "IDF", "TFIDF"};
    int64_t dims[2] = {pick(g, 1, 3), pick(g, 1, 9)}, indexes[5];
    int values = leaf(g, chance(g, 50) ? OB_INT64 : OB_INT32, (int32_t)pick(g, 1, 2), dims, FILL_POWER);
    set_in(g, 0, values);
    for (int i = 0; i < 5; i++) indexes[i] = i * 3 % 5;
    set_int(g, "min_gram_length", pick(g, 1, 2));
    set_int(g, "max_gram_length", 2);
    set_int(g, "max_skip_count", pick(g, 0, 3));
    set_ints(g, "ngram_counts", (int64_t[]){0, 2}, 2);
    set_ints(g, "ngram_indexes", indexes, 5);
    set_ints(g, "pool_int64s", (int64_t[]){0, 1, 0, 1, 1, 0, 2, 2}, 8);
    set_string(g, "mode", modes[pick(g, 0, 2)]);
    if (chance(g, 50)) {
        case_attribute *weights = case_attribute_add(g->node, "weights", OB_ATTR_FLOATS);
        weights->n = 5;
        for (int i = 0; i < 5; i++) weights->floats[i] = (float)pick(g, 1, 8) / 4;
    }
    return true;
}

static bool make_unique(gen *g) {
    int x = take_input(g, 0, 0, 3);
    if (x < 0 || ob_view_count(view_at(g, x)) == 0) return false;
    set_in(g, 0, x);
    if (view_at(g, x)->rank > 0 && chance(g, 50)) set_int(g, "axis", pick_axis(g, view_at(g, x)->rank, true));
    if (chance(g, 60)) set_int(g, "sorted", pick(g, 0, 1));
    g->node->n_out = 4;
    return true;
}

/* ---- ai.onnx.ml ---- */

static void set_floats(gen *g, const char *name, int64_t n) {
    case_attribute *a = case_attribute_add(g->node, name, OB_ATTR_FLOATS);
    a->n = (uint32_t)n;
    for (int64_t i = 0; i < n; i++) a->floats[i] = (float)pick(g, -12, 12) / 4;
}

static void set_labels(gen *g, const char *of_ints, const char *of_strings, int64_t n) {
    static const char *const words[] = {"x", "", "zz", "a", "bc"};
    bool strings = chance(g, 40);
    case_attribute *a = case_attribute_add(g->node, strings ? of_strings : of_ints, strings ? OB_ATTR_STRINGS : OB_ATTR_INTS);
    a->n = (uint32_t)n;
    for (int64_t i = 0; i < n; i++) a->ints[i] = 7 * i + 3, a->strings[i] = words[i];
}

static void set_transform(gen *g, int most) {
    static const char *const transforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
    if (chance(g, 70)) set_string(g, "post_transform", transforms[pick(g, 0, most)]);
}

/* Rows of `n` features. */
static void set_rows(gen *g, int64_t n) {
    ob_dtype dtype = pick_type(g, ob__op_input_types(g->op, 0));
    set_in(g, 0, leaf(g, dtype, 2, (int64_t[]){pick(g, 1, 5), n}, FILL_TAME));
}

static bool make_linear(gen *g) {
    bool classifies = is_op(g, "LinearClassifier");
    int64_t features = pick(g, 1, 4), results = pick(g, classifies ? 3 : 1, 3);
    set_rows(g, features);
    set_floats(g, "coefficients", features * results);
    if (classifies || chance(g, 60)) set_floats(g, "intercepts", results);
    if (classifies)
        set_labels(g, "classlabels_ints", "classlabels_strings", results);
    else
        set_int(g, "targets", results);
    set_transform(g, results > 1 ? 3 : 0);
    if (classifies) g->node->n_out = 2;
    return true;
}

static bool make_svm(gen *g) {
    static const char *const kernels[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
    const bool classifies = is_op(g, "SVMClassifier");
    int64_t features = pick(g, 1, 3), vectors = pick(g, 1, 4), per_class[3], classes = 3;
    if (classifies) {
        vectors = 0;
        for (int64_t i = 0; i < classes; i++) vectors += per_class[i] = pick(g, 1, 2 - (i > 1));
        set_ints(g, "vectors_per_class", per_class, classes);
        set_labels(g, "classlabels_ints", "classlabels_strings", classes);
        if (chance(g, 40)) set_floats(g, "prob_a", classes), set_floats(g, "prob_b", classes);
        g->node->n_out = 2;
    } else {
        set_int(g, "n_supports", vectors);
    }
    set_rows(g, features);
    set_floats(g, "coefficients", classifies ? (classes - 1) * vectors : vectors);
    set_floats(g, "support_vectors", vectors * features);
    set_floats(g, "rho", classifies ? classes : 1);
    set_string(g, "kernel_type", kernels[pick(g, 0, 3)]);
    case_attribute *params = case_attribute_add(g->node, "kernel_params", OB_ATTR_FLOATS);
    params->n = 3;
    params->floats[0] = (float)pick(g, 1, 4) / 8;
    params->floats[1] = (float)pick(g, 0, 4) / 4;
    params->floats[2] = (float)pick(g, 1, 3);
    if (!classifies && chance(g, 30)) set_int(g, "one_class", 1);
    return true;
}

static bool make_one_hot_encoder(gen *g) {
    set_in(g, 0, take_input(g, 0, 1, 3));
    if (g->node->in[0] < 0) return false;
    if (view_at(g, g->node->in[0])->dtype == OB_STRING) {
        case_attribute *words = case_attribute_add(g->node, "cats_strings", OB_ATTR_STRINGS);
        words->n = 2;
        words->strings[0] = "a";
        words->strings[1] = "";
    } else {
        set_ints(g, "cats_int64s", (int64_t[]){0, -2, 3}, 3);
    }
    return true;
}

static bool make_feature_vectorizer(gen *g) {
    ob_dtype dtype = pick_type(g, ob__op_input_types(g->op, 0));
    int64_t rows = pick(g, 1, 4), widths[3], n = pick(g, 1, 3);
    for (int64_t i = 0; i < n; i++) {
        widths[i] = pick(g, 1, 4);
        set_in(g, (uint32_t)i, leaf(g, dtype, 2, (int64_t[]){rows, widths[i]}, FILL_TAME));
    }
    set_ints(g, "inputdimensions", widths, n);
    return true;
}

static bool make_normalizer(gen *g) {
    static const char *const norms[] = {"MAX", "L1", "L2"};
    set_rows(g, pick(g, 1, 20));
    if (chance(g, 80)) set_string(g, "norm", norms[pick(g, 0, 2)]);
    return true;
}

static bool make_imputer(gen *g) {
    int64_t features = pick(g, 1, 5), n = chance(g, 50) ? features : 1, values[5];
    set_rows(g, features);
    const ob_dtype dtype = view_at(g, g->node->in[0])->dtype;
    for (int64_t i = 0; i < n; i++) values[i] = pick(g, -9, 9);
    if (dtype == OB_FLOAT || dtype == OB_DOUBLE) {
        set_floats(g, "imputed_value_floats", n);
        if (chance(g, 60)) set_float(g, "replaced_value_float", chance(g, 30) ? (double)NAN : (double)pick(g, -2, 2));
    } else {
        set_ints(g, "imputed_value_int64s", values, n);
        if (chance(g, 60)) set_int(g, "replaced_value_int64", pick(g, -2, 2));
    }
    return true;
}

/* Three keys or values of a type; strings and numbers are such as operands have. */
static void set_list(gen *g, const char *prefix, ob_dtype dtype) {
    static const char *const words[][3] = {{"a", "zz 9", ""}, {"x", "", "bc"}};
    const char *const *word = words[pick(g, 0, 1)];
    const int64_t first = pick(g, -2, 1);
    case_attribute *a = case_attribute_add(g->node,
                                           pool_print(g->c->pool, "%s_%s", prefix,
                                                      dtype == OB_STRING  ? "strings"
                                                      : dtype == OB_FLOAT ? "floats"
                                                                          : "int64s"),
                                           dtype == OB_STRING  ? OB_ATTR_STRINGS
                                           : dtype == OB_FLOAT ? OB_ATTR_FLOATS
                                                               : OB_ATTR_INTS);
    a->n = 3;
    for (int64_t i = 0; i < 3; i++) {
        a->strings[i] = word[i];
        a->ints[i] = first + i * (1 + (first & 1) * 1000000);
        a->floats[i] = (float)(first + i) / 2;
    }
}

/* LabelEncoder and CategoryMapper. */
static bool make_lookup(gen *g) {
    const bool categories = is_op(g, "CategoryMapper");
    if (!categories && g->op->since < 2) return false; /* cases import a later version */
    set_in(g, 0, take_input(g, 0, 0, 3));
    if (g->node->in[0] < 0) return false;
    const ob_dtype from = view_at(g, g->node->in[0])->dtype,
                   to = categories ? (from == OB_STRING ? OB_INT64 : OB_STRING)
                                   : (ob_dtype[]){OB_STRING, OB_INT64, OB_FLOAT}[pick(g, 0, 2)];
    set_list(g, categories ? "cats" : "keys", categories ? OB_STRING : from);
    set_list(g, categories ? "cats" : "values", categories ? OB_INT64 : to);
    if (chance(g, 40) && to == OB_STRING) set_string(g, "default_string", "none");
    if (chance(g, 40) && to == OB_INT64) set_int(g, "default_int64", 17);
    if (chance(g, 40) && to == OB_FLOAT) set_float(g, "default_float", 2.5);
    return true;
}

/* One or two trees, of one or three questions each. */
static void set_tree_nodes(gen *g, int64_t features, int64_t *n_leaves, int64_t *leaf_tree, int64_t *leaf_id) {
    static const char *const modes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"};
    const int64_t n_trees = pick(g, 1, 2);
    const bool one_mode = chance(g, 50);
    const char *mode = modes[pick(g, 0, 5)];
    int64_t n = 0, trees[MAX_LIST], ids[MAX_LIST], of_features[MAX_LIST], yes[MAX_LIST], no[MAX_LIST], missing[MAX_LIST];
    case_attribute *names = case_attribute_add(g->node, "nodes_modes", OB_ATTR_STRINGS);
    case_attribute *values = case_attribute_add(g->node, "nodes_values", OB_ATTR_FLOATS);
    *n_leaves = 0;
    for (int64_t t = 0; t < n_trees; t++) {
        const int64_t inner = chance(g, 50) ? 1 : 3;
        for (int64_t i = 0; i <= 2 * inner; i++, n++) {
            const bool asks = i < inner;
            trees[n] = t;
            ids[n] = i;
            of_features[n] = asks ? pick(g, 0, features - 1) : 0;
            yes[n] = asks ? 2 * i + 1 : 0;
            no[n] = asks ? 2 * i + 2 : 0;
            missing[n] = asks && chance(g, 50);
            names->strings[n] = !asks ? "LEAF" : one_mode ? mode : modes[pick(g, 0, 5)];
            values->floats[n] = asks ? (float)pick(g, -6, 6) / 2 : 0;
            if (!asks) leaf_tree[*n_leaves] = t, leaf_id[(*n_leaves)++] = i;
        }
    }
    names->n = values->n = (uint32_t)n;
    set_ints(g, "nodes_treeids", trees, n);
    set_ints(g, "nodes_nodeids", ids, n);
    set_ints(g, "nodes_featureids", of_features, n);
    set_ints(g, "nodes_truenodeids", yes, n);
    set_ints(g, "nodes_falsenodeids", no, n);
    if (chance(g, 40)) set_ints(g, "nodes_missing_value_tracks_true", missing, n);
}

/* Of two classes, whose scores may be one: test_ml, test_ort_ml. */
static bool make_trees(gen *g) {
    static const char *const aggregates[] = {"SUM", "AVERAGE", "MIN", "MAX"};
    const bool classifies = is_op(g, "TreeEnsembleClassifier");
    if (is_op(g, "TreeEnsemble")) return false; /* version 5: test_ml */
    const char *kind = classifies ? "class" : "target";
    int64_t features = pick(g, 1, 4), results = classifies ? 3 : pick(g, 1, 2), n, trees[MAX_LIST], ids[MAX_LIST], of[MAX_LIST];
    set_rows(g, features);
    set_tree_nodes(g, features, &n, trees, ids);
    /* Every leaf votes for every result where there is room, else once: a result without votes has neither a base, which ONNX
     * Runtime forgets then, nor rivals below 0, which it prefers. */
    const bool whole = n * results <= MAX_LIST;
    for (int64_t i = n * results - 1; whole && i >= 0; i--) {
        trees[i] = trees[i / results];
        ids[i] = ids[i / results];
        of[i] = i % results;
    }
    for (int64_t i = 0; !whole && i < n; i++) of[i] = pick(g, 0, results - 1);
    if (whole) n *= results;
    set_ints(g, pool_print(g->c->pool, "%s_treeids", kind), trees, n);
    set_ints(g, pool_print(g->c->pool, "%s_nodeids", kind), ids, n);
    set_ints(g, pool_print(g->c->pool, "%s_ids", kind), of, n);
    const char *weights = pool_print(g->c->pool, "%s_weights", kind);
    set_floats(g, weights, n);
    case_attribute *list = &g->node->attributes[g->node->n_attributes - 1];
    for (int64_t i = 0; !whole && i < n; i++) list->floats[i] = fabsf(list->floats[i]) + 0.25f;
    if (classifies)
        set_labels(g, "classlabels_int64s", "classlabels_strings", results);
    else
        set_int(g, "n_targets", results);
    if (!classifies && chance(g, 50)) set_string(g, "aggregate_function", aggregates[pick(g, 0, 3)]);
    if (whole && chance(g, 40)) set_floats(g, "base_values", results);
    set_transform(g, results > 1 ? 3 : 0);
    if (classifies) g->node->n_out = 2;
    return true;
}

const gen_row gen_features[] = {
    {"dft", make_dft, false},
    {"stft", make_stft, false},
    {"mel_weight_matrix", make_mel, false},
    {"string_concat", make_string_concat, false},
    {"string_split", make_string_split, false},
    {"string_normalizer", make_string_normalizer, false},
    {"tfidf", make_tfidf, false},
    {"unique", make_unique, false},
    {"ml_linear", make_linear, false},
    {"svm", make_svm, false},
    {"ml_one_hot", make_one_hot_encoder, false},
    {"ml_features", make_feature_vectorizer, false},
    {"ml_normalizer", make_normalizer, false},
    {"ml_imputer", make_imputer, false},
    {"ml_lookup", make_lookup, false},
    {"trees", make_trees, false},
    {NULL, NULL, false},
};
