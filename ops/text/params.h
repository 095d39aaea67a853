/* The attributes of operators on text, read only here for rules and kernels. Lists are memory of the node. */
#ifndef OB_OPS_TEXT_PARAMS_H
#define OB_OPS_TEXT_PARAMS_H

#include "core/graph/graph.h"

/* The strings of an attribute; n 0: none. */
typedef struct ob_strings {
    const ob_string *at;
    uint32_t n;
} ob_strings;

typedef struct ob_split_params {
    ob_string delimiter; /* n 0: split at whitespace */
    int64_t most;        /* the greatest number of splits of an element */
} ob_split_params;
ob_split_params ob__split_params(const ob_node *node);

/* False: the node has none. */
bool ob__regex_pattern(const ob_node *node, ob_string *out);

typedef enum ob_case { OB_CASE_KEPT, OB_CASE_LOWER, OB_CASE_UPPER } ob_case;
typedef struct ob_normalizer_params {
    ob_case change;
    bool case_sensitive; /* when comparing stop words */
    const char *locale;  /* "" if none is given */
    ob_strings stopwords;
} ob_normalizer_params;
ob_normalizer_params ob__normalizer_params(const ob_node *node);

typedef enum ob_weighting { OB_TF, OB_IDF, OB_TFIDF, OB_WEIGHTINGS } ob_weighting;
typedef struct ob_tfidf_params {
    ob_weighting mode;   /* OB_WEIGHTINGS: an undefined mode */
    int64_t least, most; /* number of items of an n-gram */
    int64_t skips;
    ob_ints starts;       /* of 1-grams, 2-grams ... in the pool */
    ob_ints places;       /* for each n-gram, its position in the result */
    int64_t width;        /* of the result */
    const float *weights; /* for each n-gram; NULL: all 1 */
    ob_ints ints;         /* the pool: either these ... */
    ob_strings strings;   /* ... or these */
} ob_tfidf_params;
/* Returns NULL, or a static sentence that describes the error of the attributes. */
const char *ob__tfidf_params(const ob_node *node, ob_tfidf_params *out);
/* The number of items in the pool, and the end of its n-grams of that many items. */
static inline int64_t ob__tfidf_pool(const ob_tfidf_params *params) {
    return params->ints.n ? params->ints.n : params->strings.n;
}
static inline int64_t ob__tfidf_end(const ob_tfidf_params *params, uint32_t n_items) {
    return n_items < params->starts.n ? params->starts.at[n_items] : ob__tfidf_pool(params);
}

/* NULL, or the part of a pattern for RegexFullMatch that RE2's language does not have, and the byte where it begins. */
const char *ob__not_re2(const ob_string *pattern, size_t *at);

#endif
