/* What operators on text have as attributes that rules and kernels both want: read here and nowhere else. What is a list belongs
 * to the node. */
#ifndef OB_OPS_TEXT_PARAMS_H
#define OB_OPS_TEXT_PARAMS_H

#include "core/graph/graph.h"

/* The strings of an attribute; n 0: none. */
typedef struct ob_strings {
    const ob_string *at;
    uint32_t n;
} ob_strings;

typedef struct ob_split_params {
    ob_string delimiter; /* n 0: whitespace */
    int64_t most;        /* splits of one element */
} ob_split_params;
ob_split_params ob__split_params(const ob_node *node);

/* False: there is none. */
bool ob__regex_pattern(const ob_node *node, ob_string *out);

typedef enum ob_case { OB_CASE_KEPT, OB_CASE_LOWER, OB_CASE_UPPER } ob_case;
typedef struct ob_normalizer_params {
    ob_case change;
    bool case_sensitive; /* of stop words */
    const char *locale;  /* "" when none is given */
    ob_strings stopwords;
} ob_normalizer_params;
ob_normalizer_params ob__normalizer_params(const ob_node *node);

typedef enum ob_weighting { OB_TF, OB_IDF, OB_TFIDF, OB_WEIGHTINGS } ob_weighting;
typedef struct ob_tfidf_params {
    ob_weighting mode;   /* OB_WEIGHTINGS: none of them */
    int64_t least, most; /* items of an n-gram */
    int64_t skips;
    ob_ints starts;       /* in the pool, of 1-grams, 2-grams ... */
    ob_ints places;       /* in the result, of each n-gram */
    int64_t width;        /* of the result */
    const float *weights; /* of each n-gram; NULL: 1 */
    ob_ints ints;         /* the pool: these ... */
    ob_strings strings;   /* ... or these */
} ob_tfidf_params;
/* Returns NULL, or what is wrong with the attributes: a static sentence. */
const char *ob__tfidf_params(const ob_node *node, ob_tfidf_params *out);
/* Items of the pool, and where its n-grams of that many items end. */
static inline int64_t ob__tfidf_pool(const ob_tfidf_params *params) {
    return params->ints.n ? params->ints.n : params->strings.n;
}
static inline int64_t ob__tfidf_end(const ob_tfidf_params *params, uint32_t n_items) {
    return n_items < params->starts.n ? params->starts.at[n_items] : ob__tfidf_pool(params);
}

/* NULL, or the part of a pattern for RegexFullMatch that is not of RE2's language, and the byte where it begins. */
const char *ob__not_re2(const ob_string *pattern, size_t *at);

#endif
