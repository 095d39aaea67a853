/* Random models at many sizes: admitted sizes must run, excluded ones must fail because of shapes, and every rewritten form must
 * have the same contract and results. See TESTING.md.
 *
 *     random_sizes --count MODELS | --pairs N [--seed S] [--table] [--keep FOLDER] [--ceilings FILE] [--log FILE] [--first]
 *     random_sizes --guards ...       the same for branches on conditions of several comparisons
 *     random_sizes --limits --count MODELS [--seed S] [--keep FOLDER]
 *                                     only checks these models, and fails if one takes too long or too much memory
 *     random_sizes --limits --file MODEL
 *                                     the same for a text
 *     random_sizes --texts FOLDER --count MODELS [--seed S] [--guards]
 *                                     only writes these models, as FOLDER/SEED.onnxtxt
 *     random_sizes --case SEED        prints one model and its errors
 *     random_sizes --file MODEL       judges a text */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/sanitizer.h"
#include "gen.h"
#include "judge.h"
#include "limits.h"

/* Limits of checking one model: processor time, memory. */
#if defined(OB_ASAN) || OB_HAS_FEATURE(thread_sanitizer) || defined(__SANITIZE_THREAD__)
#define MOST_SECONDS 5.0
#else
#define MOST_SECONDS 2.0 /* a slow processor takes 0.9 where others take 0.35 */
#endif
enum { MAX_KINDS = 400, MOST_BYTES = 64 << 20 };

typedef struct kind {
    difference first;
    uint64_t seed, n, n_models, last_seed;
} kind;

typedef struct campaign {
    judge judge;
    uint64_t seed; /* of the current model */
    kind kinds[MAX_KINDS];
    int n_kinds;
    bool prints, guards;
    FILE *log; /* every exception, one per line */
} campaign;

static bool write_text(const char *folder, uint64_t seed, const char *ending, const char *text) {
    char path[600];
    snprintf(path, sizeof path, "%s/%llu%s", folder, (unsigned long long)seed, ending);
    FILE *file = fopen(path, "w");
    if (!file) return false;
    const bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written;
}

static void keep_text(const char *folder, uint64_t seed, const char *text) {
    if (folder) (void)write_text(folder, seed, ".txt", text);
}

static void on_found(void *context, const difference *f) {
    campaign *c = context;
    if (c->prints) printf("%s, %s [%s]: %s\n", judged_name(f->judged), exception_name(f->what), f->key, f->detail);
    if (c->log)
        fprintf(c->log, "%llu\t%llu\t%s\t%s\t%s\t%s\n", (unsigned long long)c->judge.n_pairs, (unsigned long long)c->seed,
                judged_name(f->judged), exception_name(f->what), f->key, f->detail);
    kind *k = NULL;
    for (int i = 0; i < c->n_kinds && !k; i++)
        if (c->kinds[i].first.judged == f->judged && c->kinds[i].first.what == f->what &&
            strcmp(c->kinds[i].first.key, f->key) == 0)
            k = &c->kinds[i];
    if (!k && c->n_kinds < MAX_KINDS) {
        k = &c->kinds[c->n_kinds++];
        *k = (kind){.first = *f, .seed = c->seed};
    }
    if (!k) return;
    k->n++;
    if (k->last_seed != c->seed) k->n_models++;
    k->last_seed = c->seed;
}

/* The model, and an equivalent model. */
static void judge_stream(judge *j, const stream *s, uint64_t seed, bool prints) {
    static const spelling others[] = {
        {"name", {"beta", "alpha", "gamma"}, false}, {"v", {"N", "M", "K"}, true}, {"v", {"3", "M", "K"}, false}};
    static gen g;
    twin twins[] = {{.name = "names"}, {.name = "Identity"}, {.name = "number", .symbol = "N", .size = 3}};
    char *text = gen_model(&g, s, &plain_spelling), *texts[3];
    for (int i = 0; i < 3; i++) twins[i].text = texts[i] = gen_model(&g, s, &others[i]);
    if (prints) printf("%s\n", text);
    judge_text(j, text, seed, twins, 3);
    for (int i = 0; i < 3; i++) free(texts[i]);
    free(text);
}

static int write_texts(uint64_t count, uint64_t seed, bool guards, const char *folder) {
    static gen g;
    for (uint64_t i = 0; i < count; i++) {
        stream s;
        guards ? stream_fill_guards(&s, seed + i) : stream_fill(&s, seed + i);
        char *text = gen_model(&g, &s, &plain_spelling);
        const bool written = write_text(folder, seed + i, ".onnxtxt", text);
        free(text);
        if (!written) return fprintf(stderr, "soundness: %s cannot be written\n", folder), 2;
    }
    return 0;
}

/* ---- Limits ---- */

static const usage most_of_one = {.seconds = MOST_SECONDS, .n_bytes = MOST_BYTES};

static int check_limits_of(const char *text) {
    char message[400] = "";
    usage one = {0};
    bool keeps = usage_of(text, &most_of_one, &one, message);
    printf("%.3f s, %.1f MB%s%s\n", one.seconds, (double)one.n_bytes / 1e6, keeps ? "" : ": ", message);
    return !keeps;
}

/* Only checks models with guards. OB_GUARDED_MODELS: the number of models. */
static int check_limits(uint64_t count, uint64_t seed, const char *folder) {
    const char *given = getenv("OB_GUARDED_MODELS");
    static gen g;
    usage top = {0}, one;
    uint64_t slowest = 0, largest = 0, n_bad = 0, n_partial = 0, n_given_up = 0;
    double seconds = 0;
    if (given) count = strtoull(given, NULL, 10);
    for (uint64_t i = 0; i < count; i++) {
        stream s;
        char message[400];
        stream_fill_guards(&s, seed + i);
        char *text = gen_model(&g, &s, &plain_spelling);
        if (!usage_of(text, &most_of_one, &one, message)) {
            printf("seed %llu: %s\n", (unsigned long long)(seed + i), message);
            n_bad++;
            keep_text(folder, seed + i, text);
        }
        free(text);
        if (one.seconds > top.seconds) top.seconds = one.seconds, slowest = seed + i;
        if (one.n_bytes > top.n_bytes) top.n_bytes = one.n_bytes, largest = seed + i;
        seconds += one.seconds;
        n_partial += one.is_partial;
        n_given_up += one.is_given_up;
    }
    printf("%llu models with guards, %llu partial, %llu too complex; %.1f s; at most %.3f s (seed %llu), %.1f MB (seed %llu); "
           "%llu beyond\n",
           (unsigned long long)count, (unsigned long long)n_partial, (unsigned long long)n_given_up, seconds, top.seconds,
           (unsigned long long)slowest, (double)top.n_bytes / 1e6, (unsigned long long)largest, (unsigned long long)n_bad);
    return n_bad > 0;
}

/* ---- Shrinking ---- */

typedef struct wanted {
    const difference *f;
    bool seen;
    difference last;
} wanted;

static void on_wanted(void *context, const difference *f) {
    wanted *w = context;
    if (f->judged != w->f->judged || f->what != w->f->what || strcmp(f->key, w->f->key) != 0) return;
    if (!w->seen) w->last = *f;
    w->seen = true;
}

static bool still(const stream *s, uint64_t seed, uint32_t n_points, wanted *w) {
    static judge j;
    memset(&j, 0, sizeof j);
    j.n_points = n_points;
    j.found = on_wanted;
    j.context = w;
    w->seen = false;
    judge_stream(&j, s, seed, false);
    return w->seen;
}

static void shrink(stream *s, uint64_t seed, uint32_t n_points, wanted *w) {
    bool better = true;
    while (better) {
        better = false;
        for (uint32_t i = s->n_blocks; i-- > 1;) { /* one node fewer */
            stream t = *s;
            memmove(t.blocks[i], t.blocks[i + 1], (STREAM_BLOCKS - i - 1) * sizeof t.blocks[0]);
            t.n_blocks--;
            if (t.n_blocks >= 1 && still(&t, seed, n_points, w)) {
                *s = t;
                better = true;
            }
        }
        for (uint32_t i = 0; i < s->n_blocks; i++)
            for (uint32_t k = 0; k < STREAM_CHOICES; k++) { /* a simpler choice */
                if (s->blocks[i][k] == 0) continue;
                stream t = *s;
                t.blocks[i][k] = 0;
                if (still(&t, seed, n_points, w)) {
                    s->blocks[i][k] = 0;
                    better |= k < 24;
                }
            }
    }
}

/* ---- The table ---- */

static void print_table(const campaign *c) {
    static const char *const verdicts[] = {"admits", "excludes", "partial"};
    printf("%llu models, %llu pairs\n", (unsigned long long)c->judge.n_models, (unsigned long long)c->judge.n_pairs);
    printf("%-10s %-9s %9s %9s %9s %9s\n", "", "contract", "works", "fails", "bad data", "skipped");
    for (int i = 0; i < N_JUDGED; i++) {
        const table *t = &c->judge.tables[i];
        for (int v = 0; v < 3; v++) {
            if (v && !t->n[v][0] && !t->n[v][1]) continue;
            printf("%-10s %-9s", v ? "" : judged_name(i), verdicts[v]);
            for (int k = 0; k < 4; k++) printf(" %9llu", (unsigned long long)t->n[v][k]);
            printf("\n");
        }
        printf("%-10s %llu models, %llu partial, %llu refused;", "", (unsigned long long)t->n_models,
               (unsigned long long)t->n_partial, (unsigned long long)t->n_refused);
        for (int k = 0; k < N_EXCEPTIONS; k++)
            printf(" %s %llu%s", exception_name((exception)k), (unsigned long long)t->n_exceptions[k],
                   k + 1 < N_EXCEPTIONS ? "," : "\n");
    }
    for (int i = 0; i < c->n_kinds; i++) {
        const kind *k = &c->kinds[i];
        printf("%6llu pairs, %4llu models  %s, %s [%s]  seed %llu: %s\n", (unsigned long long)k->n,
               (unsigned long long)k->n_models, judged_name(k->first.judged), exception_name(k->first.what), k->first.key,
               (unsigned long long)k->seed, k->first.detail);
    }
}

/* A form with only the properties of the model. */
static bool is_of_the_model(const campaign *c, const kind *k) {
    if (k->first.judged < BY_FORM || k->first.what > NOT_TIGHT) return false;
    for (int i = 0; i < c->n_kinds; i++) {
        const difference *f = &c->kinds[i].first;
        if (f->judged == BY_CHECK && f->what == k->first.what && strcmp(f->key, k->first.key) == 0) return true;
    }
    return false;
}

/* One file for each kind, with a small model as an example. */
static void keep_kinds(campaign *c, const char *folder) {
    for (int i = 0; i < c->n_kinds; i++) {
        kind *k = &c->kinds[i];
        if (is_of_the_model(c, k)) continue;
        stream s;
        wanted w = {.f = &k->first};
        static gen g;
        c->guards ? stream_fill_guards(&s, k->seed) : stream_fill(&s, k->seed);
        if (!still(&s, k->seed, c->judge.n_points, &w)) continue;
        shrink(&s, k->seed, c->judge.n_points, &w);
        still(&s, k->seed, c->judge.n_points, &w);
        char *text = gen_model(&g, &s, &plain_spelling), path[600], name[80];
        snprintf(name, sizeof name, "%s-%s-%.40s", judged_name(k->first.judged), exception_name(k->first.what), k->first.key);
        for (char *at = name; *at; at++)
            if (*at == ' ' || *at == '/') *at = '_';
        snprintf(path, sizeof path, "%s/%s.txt", folder, name);
        FILE *file = fopen(path, "w");
        if (file) {
            ob_model *model = NULL;
            checked c2;
            ob_error error;
            char contract[3000] = "";
            if (ob_model_load_memory(text, strlen(text), "random", NULL, &model, &error) == OB_OK &&
                checked_make(&c2, model, &error) == OB_OK) {
                checked_text(&c2, contract, sizeof contract);
                checked_free(&c2);
            }
            ob_model_close(&model);
            fprintf(file, "# %s, %s [%s], seed %llu (%llu pairs)\n# %s\n%s", judged_name(k->first.judged),
                    exception_name(k->first.what), k->first.key, (unsigned long long)k->seed, (unsigned long long)k->n,
                    w.last.detail, text);
            fprintf(file, "# contract:\n");
            for (char *line = strtok(contract, "\n"); line; line = strtok(NULL, "\n")) fprintf(file, "# %s\n", line);
            fclose(file);
        }
        free(text);
    }
}

/* ---- Ceilings ---- */

static uint64_t measured(const campaign *c, int judged, const char *what) {
    const table *t = &c->judge.tables[judged];
    for (int k = 0; k < N_EXCEPTIONS; k++)
        if (strcmp(what, exception_name((exception)k)) == 0) return t->n_exceptions[k];
    return strcmp(what, "partial") == 0 ? t->n_partial : strcmp(what, "clauses") == 0 ? t->n_clauses : UINT64_MAX;
}

/* Lines "JUDGED, WHAT: AT MOST". */
static bool keeps_ceilings(const campaign *c, const char *path) {
    FILE *file = fopen(path, "r");
    char line[200];
    bool keeps = file != NULL;
    while (file && fgets(line, sizeof line, file)) {
        char judged[40], what[40];
        unsigned long long most;
        if (*line == '#' || sscanf(line, "%39[^,], %39[^:]: %llu", judged, what, &most) != 3) continue;
        for (int i = 0; i < N_JUDGED; i++) {
            if (strcmp(judged, judged_name(i)) != 0) continue;
            uint64_t is = measured(c, i, what);
            if (is > most) keeps = false;
            if (is != most)
                printf("%s, %s: %llu, the ceiling is %llu%s\n", judged, what, (unsigned long long)is, most,
                       is < most ? ": lower it" : "");
        }
    }
    if (file) fclose(file);
    return keeps;
}

static int judge_file(campaign *c, const char *path, bool limits) {
    FILE *file = fopen(path, "r");
    if (!file) return 2;
    static char text[GEN_TEXT * 2];
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    if (limits) return check_limits_of(text);
    c->prints = true;
    judge_text(&c->judge, text, 1, NULL, 0);
    print_table(c);
    return c->n_kinds > 0;
}

int main(int argc, char **argv) {
    static campaign c;
    uint64_t count = 0, pairs = 0, seed = 1;
    const char *folder = NULL, *texts = NULL, *file = NULL, *ceilings = NULL;
    bool one = false, first = false, prints_table = false, limits = false;
    c.judge.n_points = 24;
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--table") == 0)
            prints_table = true;
        else if (strcmp(argv[i], "--guards") == 0)
            c.guards = true;
        else if (strcmp(argv[i], "--limits") == 0)
            limits = true;
        else if (strcmp(argv[i], "--count") == 0)
            count = strtoull(next, NULL, 10), i++;
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(next, NULL, 10), i++;
        else if (strcmp(argv[i], "--pairs") == 0)
            pairs = strtoull(next, NULL, 10), i++;
        else if (strcmp(argv[i], "--first") == 0)
            first = true;
        else if (strcmp(argv[i], "--points") == 0)
            c.judge.n_points = (uint32_t)strtoul(next, NULL, 10), i++;
        else if (strcmp(argv[i], "--case") == 0)
            one = true, seed = strtoull(next, NULL, 10), i++;
        else if (strcmp(argv[i], "--texts") == 0)
            texts = next, i++;
        else if (strcmp(argv[i], "--keep") == 0)
            folder = next, i++;
        else if (strcmp(argv[i], "--ceilings") == 0)
            ceilings = next, i++;
        else if (strcmp(argv[i], "--log") == 0)
            c.log = fopen(next, "w"), i++;
        else if (strcmp(argv[i], "--file") == 0)
            file = next, i++;
        else
            return fprintf(stderr, "soundness: %s?\n", argv[i]), 2;
    }
    c.judge.found = on_found;
    c.judge.context = &c;
    if (file) return judge_file(&c, file, limits);
    if (texts) return write_texts(count, seed, c.guards, texts);
    if (limits) return check_limits(count, seed, folder);
    c.prints = one;
    if (one) count = 1;
    for (; c.judge.n_models < count || c.judge.n_pairs < pairs; seed++) {
        if (first && c.n_kinds) break;
        stream s;
        c.guards ? stream_fill_guards(&s, seed) : stream_fill(&s, seed);
        c.seed = seed;
        judge_stream(&c.judge, &s, seed, one);
    }
    if (prints_table || one) print_table(&c);
    if (folder) keep_kinds(&c, folder);
    if (c.log) fclose(c.log);
    return ceilings ? !keeps_ceilings(&c, ceilings) : c.n_kinds > 0;
}
