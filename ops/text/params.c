#include "ops/text/params.h"

#include <string.h>

#include "ops/table/attributes.h"

static const ob_attribute *find(const ob_node *node, const char *name, ob_attribute_type type) {
    const ob_attribute *attribute = ob__node_attribute(node, name);
    return attribute && attribute->type == type && !attribute->ref ? attribute : NULL;
}

static ob_strings strings_of(const ob_node *node, const char *name) {
    const ob_attribute *attribute = find(node, name, OB_ATTR_STRINGS);
    return attribute ? (ob_strings){attribute->u.strings, attribute->n} : (ob_strings){NULL, 0};
}

ob_split_params ob__split_params(const ob_node *node) {
    const ob_attribute *delimiter = find(node, "delimiter", OB_ATTR_STRING);
    ob_split_params params = {.most = ob__attribute_int_or(node, "maxsplit", -1)};
    if (delimiter) params.delimiter = delimiter->u.s;
    if (params.most < 0) params.most = INT64_MAX;
    return params;
}

bool ob__regex_pattern(const ob_node *node, ob_string *out) {
    const ob_attribute *pattern = find(node, "pattern", OB_ATTR_STRING);
    if (pattern) *out = pattern->u.s;
    return pattern != NULL;
}

ob_normalizer_params ob__normalizer_params(const ob_node *node) {
    const char *change = ob__attribute_text(node, "case_change_action");
    return (ob_normalizer_params){
        .change = strcmp(change, "LOWER") == 0   ? OB_CASE_LOWER
                  : strcmp(change, "UPPER") == 0 ? OB_CASE_UPPER
                                                 : OB_CASE_KEPT,
        .case_sensitive = ob__attribute_flag(node, "is_case_sensitive"),
        .locale = ob__attribute_text(node, "locale"),
        .stopwords = strings_of(node, "stopwords"),
    };
}

static ob_weighting weighting_of(const ob_node *node) {
    static const char *const names[OB_WEIGHTINGS] = {"TF", "IDF", "TFIDF"};
    const char *name = ob__attribute_text(node, "mode");
    ob_weighting mode = OB_TF;
    while (mode < OB_WEIGHTINGS && strcmp(names[mode], name) != 0) mode++;
    return mode;
}

/* Counts the n-grams of all sizes in the pool. Returns NULL or a description of the error. */
static const char *count_grams(const ob_tfidf_params *p, int64_t *n) {
    *n = 0;
    for (uint32_t i = 0; i < p->starts.n; i++) {
        int64_t begin = p->starts.at[i], end = ob__tfidf_end(p, i + 1);
        if (begin < 0 || end < begin || end > ob__tfidf_pool(p)) return "ngram_counts do not ascend within the pool";
        if ((end - begin) % (i + 1) != 0) return "the pool has n-grams that are not complete";
        *n += (end - begin) / (i + 1);
    }
    return NULL;
}

const char *ob__tfidf_params(const ob_node *node, ob_tfidf_params *out) {
    const ob_attribute *weights = find(node, "weights", OB_ATTR_FLOATS);
    ob_tfidf_params p = {.mode = weighting_of(node),
                         .least = ob__attribute_int(node, "min_gram_length"),
                         .most = ob__attribute_int(node, "max_gram_length"),
                         .skips = ob__attribute_int_or(node, "max_skip_count", -1),
                         .starts = ob__attribute_ints(node, "ngram_counts"),
                         .places = ob__attribute_ints(node, "ngram_indexes"),
                         .weights = weights ? weights->u.floats : NULL,
                         .ints = ob__attribute_ints(node, "pool_int64s"),
                         .strings = strings_of(node, "pool_strings")};
    int64_t n_grams;
    const char *wrong = count_grams(&p, &n_grams);
    for (uint32_t i = 0; i < p.places.n; i++) {
        if (p.places.at[i] < 0 || p.places.at[i] >= INT32_MAX)
            wrong = "an entry of ngram_indexes is not a position";
        else if (p.places.at[i] >= p.width)
            p.width = p.places.at[i] + 1;
    }
    if (p.mode == OB_WEIGHTINGS)
        wrong = "mode must be one of TF IDF TFIDF";
    else if (p.least < 1 || p.most < p.least)
        wrong = "min_gram_length and max_gram_length must be 1 or more, and ascend";
    else if (p.skips < 0)
        wrong = "max_skip_count is missing or negative";
    else if ((p.ints.n > 0) == (p.strings.n > 0))
        wrong = "exactly one of pool_int64s and pool_strings is needed";
    else if (p.starts.n == 0 || p.places.n == 0)
        wrong = "ngram_counts or ngram_indexes are missing";
    else if (!wrong && n_grams != p.places.n)
        wrong = "ngram_indexes does not have one entry for each n-gram of the pool";
    else if (weights && weights->n > 0 && weights->n != p.places.n)
        wrong = "weights does not have one entry for each n-gram of the pool";
    if (weights && weights->n == 0) p.weights = NULL;
    *out = p;
    return wrong;
}
