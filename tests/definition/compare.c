/* Compares the library's broadcasting with the program that Why3 extracts from its definition.
 *
 * usage: compare_definition ANSWERS [--part I/N] [--every K] [--first]
 *
 * ANSWERS is the file of proofs/answers.ml. --part: the share of one of N processes. --every: of the triples only those with
 * every K-th first operand. --first: the first difference ends the program. The last line has the counts; the exit status is 1 if
 * anything differs. compare.py starts it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "definition/drawn.h"
#include "definition/placed.h"
#include "definition/shapes.h"
#include "definition/views.h"

static bool read_options(int n, char **words, share *mine, bool *first) {
    *mine = (struct share){0, 1, 1};
    for (int i = 0; i < n; i++) {
        const char *value = i + 1 < n ? words[i + 1] : "";
        char *slash = NULL;
        if (strcmp(words[i], "--first") == 0) {
            *first = true;
        } else if (strcmp(words[i], "--part") == 0) {
            mine->part = (int)strtol(value, &slash, 10);
            mine->of = *slash == '/' ? (int)strtol(slash + 1, NULL, 10) : 0;
            i++;
        } else if (strcmp(words[i], "--every") == 0) {
            mine->every = (int)strtol(value, NULL, 10);
            i++;
        } else {
            return false;
        }
    }
    return mine->of > 0 && mine->part >= 0 && mine->part < mine->of && mine->every > 0 && mine->every < N_SHAPES;
}

static void compare_all(const answers *definition, share mine, tally *found) {
    symbols *all = malloc(sizeof *all);
    if (all && symbols_create(all, definition)) {
        compare_pairs(definition, all, mine, found);
        compare_views(definition, mine, found);
        compare_placements(definition, mine, found);
        compare_drawn(definition, mine, found);
        compare_triples(definition, all, mine, found);
    } else {
        tally_differ(found, "no memory");
    }
    if (all) symbols_destroy(all);
    free(all);
}

int main(int argc, char **argv) {
    share mine;
    tally found = {.first = false};
    if (argc < 2 || !read_options(argc - 2, argv + 2, &mine, &found.first)) {
        fprintf(stderr, "usage: compare_definition ANSWERS [--part I/N] [--every K] [--first]\n");
        return 2;
    }
    answers *definition = malloc(sizeof *definition);
    if (!definition || !answers_read(definition, argv[1])) return 2;
    compare_all(definition, mine, &found);
    static const char *const texts[] = {
#define COUNTS_TEXT(name, text) text,
        COUNTS(COUNTS_TEXT)
#undef COUNTS_TEXT
    };
    for (int i = 0; i < N_COUNTS; i++) printf("%llu %s, ", (unsigned long long)found.counts[i], texts[i]);
    printf("%llu differ\n", (unsigned long long)found.n_differences);
    answers_free(definition);
    free(definition);
    return found.n_differences > 0;
}
