/* Suppressed findings: by patterns of the caller, and by metadata of the node. Metadata are a claim of the file and hide no
 * errors. Linear in the findings, times the patterns of the caller. */
#include <string.h>

#include "core/base/error.h"
#include "passes/check/names.h"
#include "passes/report/report.h"

/* ---- Patterns ---- */

/* Does the whole text match? After a mismatch only the last "*" takes more, which is enough. */
static bool matches(const char *pattern, const char *text) {
    const char *star = NULL, *again = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            again = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++again;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

ob_status ob__report_take_ignores(ob_report *report, const ob_check_options *options, ob_error *error) {
    ob_ignored *ignored = OB_ARENA_ARRAY(&report->arena, ob_ignored, options->n_ignores);
    if (!ignored) return OB_E_MEMORY;
    for (size_t i = 0; i < options->n_ignores; i++) {
        const ob_ignore_given *given = &options->ignores[i];
        bool found = false;
        OB_FAIL_IF(!given->id || !given->pattern, error, OB_E_ARGUMENT, "an entry of ignores needs an id and a pattern");
        for (int id = OB_FINDING_NONE + 1; id < OB_FINDING_COUNT; id++) {
            ignored[i].ids[id] = given->id[0] && ob__finding_begins((ob_finding_id)id, given->id);
            found = found || ignored[i].ids[id];
        }
        OB_FAIL_IF(!found, error, OB_E_NOT_FOUND, "no finding's id begins with '%s'", given->id);
        ignored[i].pattern = ob__arena_strndup(&report->arena, given->pattern, strlen(given->pattern));
        if (!ignored[i].pattern) return OB_E_MEMORY;
    }
    report->ignored = ignored;
    report->n_ignored = options->n_ignores;
    return OB_OK;
}

/* "path/name" as the report shows it. NULL: out of memory. */
static const char *place_of(ob_report *report, const ob_finding *finding, ob_arena *scratch) {
    const char *name = finding->node ? ob__node_label(finding->node) : finding->value ? finding->value->name : "";
    const char *shown = ob__shown_name(name, OB_NAME_SHOWN, scratch);
    ob_text *text = &report->key;
    text->n = 0;
    ob__text_puts(text, finding->call_path ? finding->call_path : "");
    if (shown) ob__text_puts(text, shown);
    return !shown || text->failed ? NULL : text->n ? text->data : "";
}

static ob_status is_ignored(ob_report *report, const ob_finding *finding, ob_arena *scratch, bool *out) {
    const char *place = NULL;
    for (size_t i = 0; i < report->n_ignored && !*out; i++) {
        if (!report->ignored[i].ids[finding->id]) continue;
        if (!place) {
            ob__arena_restart(scratch);
            place = place_of(report, finding, scratch);
            if (!place) return OB_E_MEMORY;
        }
        *out = matches(report->ignored[i].pattern, place);
    }
    return OB_OK;
}

/* ---- Metadata ---- */

typedef struct claims {
    bool ids[OB_FINDING_COUNT];
} claims;

/* "OB0401, OB02" or "all". Unknown words suppress nothing. */
static void read_claims(const char *text, claims *out) {
    static const char separators[] = ", \t\r\n";
    for (text += strspn(text, separators); *text; text += strspn(text, separators)) {
        char word[8] = "";
        size_t n = strcspn(text, separators);
        if (n < sizeof word) memcpy(word, text, n);
        text += n;
        for (int id = OB_FINDING_NONE + 1; word[0] && id < OB_FINDING_COUNT; id++)
            if (strcmp(word, "all") == 0 || ob__finding_begins((ob_finding_id)id, word)) out->ids[id] = true;
    }
}

typedef struct suppressing {
    ob_arena scratch; /* of one place */
    ob_arena arena;
    ob_map claims; /* node -> claims, or the map itself: none */
} suppressing;

/* What the node's metadata suppress, read once for each node. *out NULL: nothing. */
static ob_status claims_of(suppressing *s, const ob_node *node, const claims **out) {
    *out = NULL;
    if (!node || node->n_metadata == 0) return OB_OK;
    ob_map_entry *entry = ob__map_insert(&s->claims, (const char *)&node, sizeof node);
    if (!entry) return OB_E_MEMORY;
    if (!entry->value) {
        claims *found = NULL;
        for (uint32_t i = 0; i < node->n_metadata; i++) {
            if (strcmp(node->metadata[i].key, OB_IGNORE_KEY) != 0) continue;
            if (!found) found = OB_ARENA_NEW(&s->arena, claims);
            if (!found) return OB_E_MEMORY;
            read_claims(node->metadata[i].value, found);
        }
        entry->value = found ? (void *)found : (void *)&s->claims;
    }
    if (entry->value != &s->claims) *out = entry->value;
    return OB_OK;
}

/* ---- Both ---- */

static ob_status suppress(ob_report *report, suppressing *s) {
    ob_findings *findings = &report->findings;
    uint32_t n = 0;
    for (uint32_t i = 0; i < findings->n; i++) {
        const ob_finding *finding = &findings->items[i];
        const claims *claimed;
        bool gone = false;
        OB_TRY(claims_of(s, finding->node, &claimed));
        if (claimed && finding->severity != OB_SEVERITY_ERROR && !finding->is_error) gone = claimed->ids[finding->id];
        OB_TRY(is_ignored(report, finding, &s->scratch, &gone));
        report->summary.n_suppressed += gone;
        if (!gone) findings->items[n++] = *finding;
    }
    findings->n = n;
    return OB_OK;
}

ob_status ob__report_suppress(ob_report *report) {
    suppressing s;
    ob__arena_init(&s.scratch, &report->allocator);
    ob__arena_init(&s.arena, &report->allocator);
    ob__map_init(&s.claims, &s.arena);
    ob_status status = suppress(report, &s);
    ob__arena_release(&s.scratch);
    return ob__arena_finish(&s.arena, status);
}
