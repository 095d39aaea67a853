/* Changes one word in the text of a model, so that it usually computes something else: for a test that nothing is called equal
 * that is not. */
#ifndef OB_TESTS_ORACLE_MUTATE_H
#define OB_TESTS_ORACLE_MUTATE_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/graph/graph.h"
#include "soundness/stream.h"

enum { MOST_WORDS = 4000, MOST_WORD = 100 };

/* Places in the text: names of values that are read, and digits of numbers. */
typedef struct word_places {
    size_t names[MOST_WORDS], lengths[MOST_WORDS], digits[MOST_WORDS];
    size_t n_names, n_digits;
} word_places;

static inline bool is_in_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static inline void find_words(const ob_graph *graph, const char *text, word_places *found) {
    bool reads = false; /* behind "=" */
    found->n_names = found->n_digits = 0;
    for (const char *p = strchr(text, '{'); p && *p; p++) {
        if (*p == '\n') reads = false;
        if (*p == '=') reads = true;
        if (!is_in_name(*p)) continue;
        size_t n = 1;
        while (is_in_name(p[n])) n++;
        if (isdigit((unsigned char)*p) && found->n_digits < MOST_WORDS) found->digits[found->n_digits++] = (size_t)(p - text);
        if (!isdigit((unsigned char)*p) && reads && n < MOST_WORD && found->n_names < MOST_WORDS && ob__value_find(graph, p, n)) {
            found->lengths[found->n_names] = n;
            found->names[found->n_names++] = (size_t)(p - text);
        }
        p += n - 1;
    }
}

/* Returns owned, or NULL: nothing can be changed. */
static inline char *mutated_text(const ob_graph *graph, const char *text, uint64_t seed) {
    word_places *found = malloc(sizeof *found);
    char *made = malloc(strlen(text) + MOST_WORD + 1);
    uint64_t state = seed;
    stream_random(&state);
    if (!found || !made) abort();
    find_words(graph, text, found);
    bool changed = false;
    if (found->n_names > 1 && stream_random(&state) % 3) {
        const size_t i = stream_random(&state) % found->n_names, k = stream_random(&state) % found->n_names;
        const size_t at = found->names[i], from = found->names[k], n = found->lengths[k], was = found->lengths[i];
        memcpy(made, text, at);
        memcpy(made + at, text + from, n);
        strcpy(made + at + n, text + at + was);
        changed = strcmp(made, text) != 0;
    } else if (found->n_digits > 0) {
        strcpy(made, text);
        char *digit = &made[found->digits[stream_random(&state) % found->n_digits]];
        *digit = (char)('0' + (*digit - '0' + 1 + (int)(stream_random(&state) % 3)) % 10);
        changed = true;
    }
    free(found);
    if (changed) return made;
    free(made);
    return NULL;
}

#endif
