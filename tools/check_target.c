#include "check_target.h"

#include <stdlib.h>
#include <string.h>

#include "common.h"

/* ---- Options ---- */

/* Number of letters to insert, remove or replace to turn one into the other; both have at most MOST_LETTERS. */
enum { MOST_LETTERS = 40, CLOSE_LETTERS = 3 };
static size_t distance(const char *a, const char *b) {
    size_t row[MOST_LETTERS + 1], n = strlen(b);
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t before = row[0]++;
        for (size_t j = 0; j < n; j++) {
            size_t best = before + (a[i] != b[j]);
            before = row[j + 1];
            if (before + 1 < best) best = before + 1;
            if (row[j] + 1 < best) best = row[j] + 1;
            row[j + 1] = best;
        }
    }
    return row[n];
}

/* The most similar target, or one that contains the name; NULL: none is similar. */
static const char *similar(const char *name) {
    const char *best = NULL;
    size_t least = CLOSE_LETTERS + 1;
    if (!name[0] || strlen(name) > MOST_LETTERS) return NULL;
    for (size_t i = 0; i < ob_target_count(); i++) {
        const char *other = ob_target_at(i).name;
        size_t d = strlen(other) <= MOST_LETTERS ? distance(name, other) : least;
        if (strlen(name) > 2 && strstr(other, name)) d = d < CLOSE_LETTERS ? d : CLOSE_LETTERS;
        if (d >= least) continue;
        least = d;
        best = other;
    }
    return best;
}

bool is_target(const char *tool, const char *option, const char *name) {
    if (ob_target_find(name) != SIZE_MAX) return true;
    const char *other = similar(name);
    if (other)
        complain(tool, NULL, "option %s: there is no target \"%s\"; did you mean %s?", option, name, other);
    else
        complain(tool, NULL, "option %s: there is no target \"%s\"; --list-targets shows them", option, name);
    return false;
}

static bool add_one(const char *tool, targets *t, const char *name, size_t index) {
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->names[i], name) == 0) {
            complain(tool, NULL, "option --target: \"%s\" is given twice", name);
            return false;
        }
    const char **names = with_room((void *)t->names, &t->capacity, t->n + 1, sizeof *names);
    if (!names) {
        complain(tool, NULL, "out of memory");
        return false;
    }
    t->names = names;
    t->names[t->n++] = ob_target_at(index).name;
    return true;
}

static bool add_all(const char *tool, targets *t) {
    t->all = true;
    for (size_t i = 0; i < ob_target_count(); i++)
        if (!add_one(tool, t, ob_target_at(i).name, i)) return false;
    return true;
}

bool targets_add(const char *tool, targets *t, char *names) {
    if (strcmp(names, "all") == 0) return add_all(tool, t);
    for (char *at = names; at;) {
        char *comma = strchr(at, ',');
        if (comma) *comma = '\0';
        if (!is_target(tool, "--target", at) || !add_one(tool, t, at, ob_target_find(at))) return false;
        at = comma ? comma + 1 : NULL;
    }
    return true;
}

void targets_release(targets *t) {
    free((void *)t->names);
    *t = (targets){0};
}

int list_targets(void) {
    for (size_t i = 0; i < ob_target_count(); i++) {
        ob_target_info target = ob_target_at(i);
        printf("%-16s  %s (%s)\n", target.name, target.title, target.version);
    }
    return 0;
}

/* ---- The verdicts ---- */

static void print_count(FILE *file, size_t n, const char *text, bool *any) {
    if (n == 0) return;
    fprintf(file, "%s%zu %s", *any ? ", " : "", n, text);
    *any = true;
}

void print_targets(const printer *out, const char *file, const ob_report *report) {
    for (size_t i = 0; i < ob_report_target_count(report); i++) {
        ob_target_verdict v = ob_report_target(report, i);
        bool any = false;
        print_escaped(out->file, file);
        fprintf(out->file, ": target %-16s ", v.name);
        set_colour(out, v.worst > OB_EFFECT_REFUSE ? COLOUR_RED : v.worst > OB_EFFECT_NONE ? COLOUR_YELLOW : COLOUR_NONE);
        if (v.worst != OB_EFFECT_NONE) fprintf(out->file, "worst: %s; ", ob_effect_name(v.worst));
        set_colour(out, COLOUR_NONE);
        for (int effect = OB_EFFECT_COUNT - 1; effect > OB_EFFECT_NONE; effect--)
            print_count(out->file, v.n_broken[effect],
                        effect == OB_EFFECT_UNKNOWN ? "broken, effect not known" : ob_effect_name((ob_effect)effect), &any);
        print_count(out->file, v.n_conditional, "for some sizes", &any);
        print_count(out->file, v.n_unknown, "not known", &any);
        print_count(out->file, v.n_accepted, "accepted", &any);
        print_count(out->file, v.n_plain, "not stretched", &any);
        fputs(any ? "\n" : "nothing to compare\n", out->file);
    }
}
