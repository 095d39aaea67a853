/* StringNormalizer 10: elements without stop words, in lower or upper case. If no element is left, the result is one empty
 * string.
 *
 * Case is that of Unicode, by libunistring: full mappings ("ß" is "SS" in upper case), and the mappings of the locale's language
 * if Unicode defines any (az, lt, tr); all other locales are equal to none. Stop words that are not case sensitive are compared
 * by Unicode's full case folding. */
#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/integers.h"
#include "ops/kernel/cells.h"
#include "ops/kernel/common.h"
#include "ops/text/ascii.h"
#include "ops/text/params.h"

#ifdef OB_WITH_UNISTRING
#include <unicase.h>
#include <unistr.h>
#endif

typedef struct state {
    ob_case change;
    bool fold;  /* fold the case of elements and stop words */
    bool plain; /* ASCII maps to ASCII: in all languages except two, whose i keeps its dot, or the lack of it, in both cases */
    char language[4];
    ob_map stopwords; /* folded, if elements are */
    size_t longest;   /* in bytes, of a stop word */
} state;

/* ---- Case ---- */

typedef enum mapping { TO_LOWER, TO_UPPER, TO_FOLDED } mapping;

static void map_ascii(mapping to, const char *from, size_t n, char *out) {
    const unsigned first = to == TO_UPPER ? 'a' : 'A';
    for (size_t i = 0; i < n; i++) out[i] = (char)(from[i] ^ ((unsigned)from[i] - first < 26 ? 0x20 : 0));
}

/* Maps case; the result is in `strings`. False: out of memory, or *bad: not UTF-8. */
static bool map_case(const state *s, mapping to, const ob_string *from, ob_arena *strings, ob_string *out, bool *bad) {
    if (s->plain && from->n > 0 && ob__is_ascii(from->data, from->n)) {
        char *mapped = ob__arena_alloc(strings, from->n);
        if (mapped) map_ascii(to, from->data, from->n, mapped);
        *out = (ob_string){mapped, from->n};
        return mapped != NULL;
    }
#ifdef OB_WITH_UNISTRING
    /* no mapping makes UTF-8 more than three times as long */
    size_t room, n;
    if (from->n == 0 || ob__size_mul_overflows(from->n, 3, &room)) {
        *out = *from;
        return from->n == 0;
    }
    const uint8_t *text = (const uint8_t *)from->data;
    *bad = u8_check(text, from->n) != NULL;
    uint8_t *bytes = *bad ? NULL : ob__arena_alloc(strings, room), *made;
    if (!bytes) return false;
    n = room;
    made = to == TO_LOWER   ? u8_tolower(text, from->n, s->language, NULL, bytes, &n)
           : to == TO_UPPER ? u8_toupper(text, from->n, s->language, NULL, bytes, &n)
                            : u8_casefold(text, from->n, s->language, NULL, bytes, &n);
    if (made && made != bytes) {
        bytes = ob__arena_alloc(strings, n);
        if (bytes) memcpy(bytes, made, n);
        free(made);
    }
    *out = (ob_string){(const char *)bytes, n};
    return made && bytes;
#else
    (void)s, (void)to, (void)from, (void)strings, (void)out;
    *bad = true;
    return false;
#endif
}

/* ---- Planning ---- */

static ob_status keep_stopwords(const ob_kernel_site *site, state *s, const ob_strings *words, ob_error *error) {
    ob__map_init(&s->stopwords, site->arena);
    for (uint32_t i = 0; i < words->n; i++) {
        ob_string word = words->at[i];
        bool bad = false;
        if (s->fold && !map_case(s, TO_FOLDED, &words->at[i], site->arena, &word, &bad)) {
            OB_FAIL_IF(bad, error, OB_E_ARGUMENT, "stop word %u is not UTF-8", i);
            return OB_E_MEMORY;
        }
        if (!ob__map_insert(&s->stopwords, word.n ? word.data : "", word.n)) return OB_E_MEMORY;
        if (word.n > s->longest) s->longest = word.n;
    }
    return OB_OK;
}

static bool folds(const ob_normalizer_params *params) {
    return params->stopwords.n > 0 && !params->case_sensitive;
}

static ob_status refuse(const ob_kernel_site *site, const ob_kernel_args *args, ob_error *error) {
    const ob_normalizer_params params = ob__normalizer_params(site->node);
    bool knows_cases = true;
    (void)args;
#ifndef OB_WITH_UNISTRING
    knows_cases = false;
#endif
    OB_FAIL_IF(!knows_cases && (folds(&params) || params.change != OB_CASE_KEPT), error, OB_E_UNSUPPORTED,
               "built without libunistring, which knows upper and lower case");
    return OB_OK;
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    state *s = args->state;
    const ob_view *in = &args->in[0];
    const ob_normalizer_params params = ob__normalizer_params(site->node);
    s->change = params.change;
    s->fold = folds(&params);
    OB_FAIL_IF(in->rank < 1 || in->rank > 2 || (in->rank == 2 && in->dims[0] != 1), error, OB_E_SHAPE,
               "the input is neither a vector nor a matrix of one row");
    for (int i = 0; i < 3 && params.locale[i] >= 'a' && params.locale[i] <= 'z'; i++) s->language[i] = params.locale[i];
    OB_TRY(refuse(site, args, error));
    s->plain = strcmp(s->language, "tr") != 0 && strcmp(s->language, "az") != 0;
    OB_TRY(keep_stopwords(site, s, &params.stopwords, error));
    return ob__need_scratch(needs, in->dims[in->rank - 1], sizeof(int64_t), error);
}

/* ---- Running ---- */

enum { WORK = 64 }; /* cost of an element, for the pace */

static ob_status case_error(bool bad, int64_t i, ob_error *error) {
    if (bad) return ob__fail(error, OB_E_ARGUMENT, "element %lld is not UTF-8", (long long)i);
    return ob__fail(error, OB_E_MEMORY, "no memory for strings");
}

/* Whether an element is a stop word; returns false as map_case does. */
static bool look_up(const state *s, const ob_string *element, ob_arena *strings, bool *is_stopword, bool *bad) {
    char folded[64];
    ob_string word = *element;
    const bool plain = s->fold && s->plain && ob__is_ascii(word.data, word.n);
    *is_stopword = false;
    if (word.n > s->longest && (plain || !s->fold)) return true;
    if (plain && word.n <= sizeof folded) {
        map_ascii(TO_FOLDED, word.data, word.n, folded);
        word.data = folded;
    } else if (s->fold && !map_case(s, TO_FOLDED, element, strings, &word, bad)) {
        return false;
    }
    *is_stopword = ob__map_find(&s->stopwords, word.n ? word.data : "", word.n) != NULL;
    return true;
}

/* The elements that are not stop words. */
static ob_status choose(const ob_kernel_args *args, int64_t *kept, int64_t *n_kept, ob_error *error) {
    const state *s = args->state;
    const ob_string *in = args->in[0].data;
    obk_pace pace = ob__pace(args->threads);
    for (int64_t i = 0; i < ob__count(&args->in[0]) && !obk_stops(&pace, WORK); i++) {
        bool is_stopword, bad = false;
        if (!look_up(s, &in[i], args->strings, &is_stopword, &bad)) return case_error(bad, i, error);
        if (!is_stopword) kept[(*n_kept)++] = i;
    }
    return OB_OK;
}

static ob_status run(const ob_kernel_args *args, ob_error *error) {
    const state *s = args->state;
    const ob_string *in = args->in[0].data;
    int64_t n = 0, *kept = args->scratch;
    ob_view shape = args->in[0];
    OB_FAIL_IF(!args->strings, error, OB_E_UNSUPPORTED, "strings cannot be stored here");
    OB_TRY(choose(args, kept, &n, error));
    bool none = n == 0 && ob__count(&shape) > 0;
    shape.dims[shape.rank - 1] = none ? 1 : n;
    OB_TRY(ob__set_output(args, 0, &shape, error));
    ob_string *out = args->out[0].data;
    if (none) out[0] = (ob_string){NULL, 0};
    obk_pace pace = ob__pace(args->threads);
    for (int64_t i = 0; i < n && !obk_stops(&pace, WORK); i++) {
        bool bad = false;
        out[i] = in[kept[i]];
        if (s->change == OB_CASE_KEPT) continue;
        if (!map_case(s, s->change == OB_CASE_LOWER ? TO_LOWER : TO_UPPER, &in[kept[i]], args->strings, &out[i], &bad))
            return case_error(bad, kept[i], error);
    }
    return OB_OK;
}

const ob_kernel ob__kernel_string_normalizer = {.name = "string_normalizer",
                                                .flags = OB_KERNEL_DYNAMIC,
                                                .state_bytes = sizeof(state),
                                                .plan = plan,
                                                .run = run,
                                                .libraries = "libunistring",
                                                .refuse = refuse};
