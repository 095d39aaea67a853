/* Finds the syntax of PCRE2 that RE2's language lacks: lookaround, atomic groups, possessive quantifiers, conditionals,
 * recursion, references to groups, verbs, callouts, comments. Without these a pattern is an automaton, whose work is bounded by
 * the bytes of an element times the states of the pattern. Source: RE2's description of its syntax. */
#include <string.h>

#include "ops/text/params.h"

enum { MOST_REPEATS = 1000 }; /* the limit of RE2 */

typedef struct scanner {
    const char *at, *end;
    const char *wrong; /* NULL: nothing was found so far */
} scanner;

static bool begins(const scanner *s, const char *text) {
    const size_t n = strlen(text);
    return (size_t)(s->end - s->at) >= n && memcmp(s->at, text, n) == 0;
}

static bool is_one_of(char c, const char *all) {
    return c != '\0' && strchr(all, c) != NULL;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* After a backslash. */
static void skip_escape(scanner *s) {
    s->at++;
    if (s->at == s->end) return; /* PCRE2 reports this error */
    if (*s->at >= '1' && *s->at <= '9') s->wrong = "a reference to a group";
    if (*s->at == 'g' || *s->at == 'k') s->wrong = "a reference to a group";
    if (is_one_of(*s->at, "RXKGhHVNZ")) s->wrong = "an escape that RE2 does not have";
    if (*s->at != 'Q') {
        s->at++;
        return;
    }
    for (s->at++; s->at < s->end && !begins(s, "\\E");) s->at++;
    if (s->at < s->end) s->at += 2;
}

/* [...]: a ] in first position belongs to the class, and [:name:] is one item. */
static void skip_class(scanner *s) {
    s->at++;
    if (s->at < s->end && *s->at == '^') s->at++;
    if (s->at < s->end && *s->at == ']') s->at++;
    while (s->at < s->end && *s->at != ']' && !s->wrong) {
        const char *named = begins(s, "[:") ? memchr(s->at + 2, ']', (size_t)(s->end - s->at - 2)) : NULL;
        if (named && named[-1] == ':')
            s->at = named + 1;
        else if (*s->at == '\\')
            skip_escape(s);
        else
            s->at++;
    }
    if (s->at < s->end) s->at++;
}

static const char *group_that_is_wrong(const scanner *s) {
    if (begins(s, "(*")) return "a verb";
    if (begins(s, "(?=") || begins(s, "(?!") || begins(s, "(?<=") || begins(s, "(?<!")) return "lookaround";
    if (begins(s, "(?>")) return "an atomic group";
    if (begins(s, "(?(")) return "a condition";
    if (begins(s, "(?P=")) return "a reference to a group";
    if (begins(s, "(?P>") || begins(s, "(?R") || begins(s, "(?&") || begins(s, "(?+")) return "recursion";
    if (begins(s, "(?#")) return "a comment";
    if (begins(s, "(?C")) return "a callout";
    if (begins(s, "(?|")) return "alternatives that share numbers";
    return NULL;
}

/* (, and after (? the flags of RE2 or a name. */
static void skip_group(scanner *s) {
    s->wrong = group_that_is_wrong(s);
    if (s->wrong || !begins(s, "(?")) {
        s->at++;
        return;
    }
    s->at += 2;
    if (begins(s, "P<") || begins(s, "<")) return;
    if (s->at < s->end && (is_digit(*s->at) || (*s->at == '-' && s->at + 1 < s->end && is_digit(s->at[1])))) {
        s->wrong = "recursion";
        return;
    }
    while (s->at < s->end && *s->at != ':' && *s->at != ')') {
        if (!is_one_of(*s->at, "imsU-")) {
            s->wrong = "a kind of group that RE2 does not have";
            return;
        }
        s->at++;
    }
}

/* {n}, {n,} or {n,m}; otherwise the brace is a character. False: not a quantifier. */
static bool skip_counts(scanner *s) {
    const char *at = s->at + 1;
    int64_t most = 0;
    if (at == s->end || !is_digit(*at)) return false;
    for (int part = 0; part < 2; part++) {
        int64_t n = 0;
        for (; at < s->end && is_digit(*at); at++) n = n > MOST_REPEATS ? n : 10 * n + (*at - '0');
        if (n > most) most = n;
        if (part == 1 || at == s->end || *at != ',') break;
        at++;
    }
    if (at == s->end || *at != '}') return false;
    s->at = at + 1;
    if (most > MOST_REPEATS) s->wrong = "more than 1000 repetitions";
    return true;
}

static bool skip_quantifier(scanner *s) {
    if (*s->at == '{') {
        if (!skip_counts(s)) return false;
    } else if (is_one_of(*s->at, "*+?")) {
        s->at++;
    } else {
        return false;
    }
    if (!s->wrong && s->at < s->end && *s->at == '+') s->wrong = "a possessive quantifier";
    if (s->at < s->end && *s->at == '?') s->at++;
    return true;
}

const char *ob__not_re2(const ob_string *pattern, size_t *at) {
    scanner s = {.at = pattern->n ? pattern->data : "", .wrong = NULL};
    const char *begin = s.at, *item = begin;
    s.end = begin + pattern->n;
    while (s.at < s.end && !s.wrong) {
        item = s.at;
        if (*s.at == '\\')
            skip_escape(&s);
        else if (*s.at == '[')
            skip_class(&s);
        else if (*s.at == '(')
            skip_group(&s);
        else if (!skip_quantifier(&s))
            s.at++;
    }
    *at = (size_t)(item - begin);
    return s.wrong;
}
