/* --select, --ignore and --severity: select findings and set their severity. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "check_severity.h"
#include "common.h"

static bool begins(const char *id, const char *beginning) {
    return beginning[0] && strncasecmp(id, beginning, strlen(beginning)) == 0;
}

static bool is_beginning(const char *tool, const char *option, const char *text) {
    for (size_t i = 0; i < ob_finding_doc_count(); i++)
        if (begins(ob_finding_doc_at(i).id, text)) return true;
    complain(tool, NULL, "option %s: no finding's id begins with \"%s\"; --list-findings shows them", option, text);
    return false;
}

static bool append(const char *tool, severities *s, const char *id, ob_severity severity) {
    ob_severity_given *items = with_room(s->items, &s->capacity, s->n + 1, sizeof *items);
    if (!items) {
        complain(tool, NULL, "out of memory");
        return false;
    }
    s->items = items;
    s->items[s->n++] = (ob_severity_given){id, severity};
    return true;
}

/* The next of "A,B"; NULL at the end. The text is cut into its parts. */
static char *next_id(char **at) {
    char *start = *at;
    if (!start) return NULL;
    char *comma = strchr(start, ',');
    if (comma) *comma = '\0';
    *at = comma ? comma + 1 : NULL;
    return start;
}

/* The first --select takes everything away, each one gives back. */
bool severities_select(const char *tool, severities *s, char *ids) {
    if (!s->selected && !append(tool, s, "OB", OB_SEVERITY_NONE)) return false;
    s->selected = true;
    for (char *id; (id = next_id(&ids));) {
        if (!is_beginning(tool, "--select", id)) return false;
        for (size_t i = 0; i < ob_finding_doc_count(); i++) {
            ob_finding_doc doc = ob_finding_doc_at(i);
            if (begins(doc.id, id) && !append(tool, s, doc.id, doc.severity)) return false;
        }
    }
    return true;
}

static bool ignore_at(const char *tool, severities *s, const char *id, const char *pattern) {
    ob_ignore_given *items = with_room(s->ignores, &s->ignores_capacity, s->n_ignores + 1, sizeof *items);
    if (!items) {
        complain(tool, NULL, "out of memory");
        return false;
    }
    s->ignores = items;
    s->ignores[s->n_ignores++] = (ob_ignore_given){id, pattern};
    return true;
}

bool severities_ignore(const char *tool, severities *s, char *ids) {
    char *pattern = strchr(ids, ':');
    if (pattern) *pattern++ = '\0';
    if (pattern && !*pattern) {
        complain(tool, NULL, "option --ignore: there is no pattern after \"%s:\"", ids);
        return false;
    }
    for (char *id; (id = next_id(&ids));) {
        if (!is_beginning(tool, "--ignore", id)) return false;
        if (!(pattern ? ignore_at(tool, s, id, pattern) : append(tool, s, id, OB_SEVERITY_NONE))) return false;
    }
    return true;
}

bool severities_set(const char *tool, severities *s, char *text) {
    char *equals = strchr(text, '=');
    if (equals) *equals = '\0';
    for (int severity = OB_SEVERITY_NONE; equals && severity <= OB_SEVERITY_ERROR; severity++)
        if (strcmp(equals + 1, ob_severity_name((ob_severity)severity)) == 0)
            return is_beginning(tool, "--severity", text) && append(tool, s, text, (ob_severity)severity);
    complain(tool, NULL, "option --severity: \"%s\" is not of the form ID=error, warning, note or none", text);
    return false;
}

void severities_release(severities *s) {
    free(s->items);
    free(s->ignores);
    *s = (severities){0};
}
