/* Makers of transforms, strings and the features of ai.onnx.ml. */
#include <string.h>

#include "gen.h"
#include "number.h"

/* ---- Signal ------------------------------------------------------------------------------------------------------------- */

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

/* ---- Strings ------------------------------------------------------------------------------------------------------------ */

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

/* ---- ai.onnx.ml --------------------------------------------------------------------------------------------------------- */

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
    if (is_op(g, "SVMClassifier")) return false; /* test_ml */
    int64_t features = pick(g, 1, 4), vectors = pick(g, 1, 4);
    set_rows(g, features);
    set_floats(g, "coefficients", vectors);
    set_floats(g, "support_vectors", vectors * features);
    set_floats(g, "rho", 1);
    set_int(g, "n_supports", vectors);
    set_string(g, "kernel_type", kernels[pick(g, 0, 3)]);
    case_attribute *params = case_attribute_add(g->node, "kernel_params", OB_ATTR_FLOATS);
    params->n = 3;
    params->floats[0] = (float)pick(g, 1, 4) / 8;
    params->floats[1] = (float)pick(g, 0, 4) / 4;
    params->floats[2] = (float)pick(g, 1, 3);
    if (chance(g, 30)) set_int(g, "one_class", 1);
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
    {NULL, NULL, false},
};
