/* Which findings a report lists, with which severity, and in which order. Linear in the findings, apart from sorting. */
#include <stdlib.h>

#include "core/base/error.h"
#include "passes/report/report.h"

/* Sets the requested severities of findings. This comes last, because original severities control the passes. */
static void set_severities(ob_report *report) {
    ob_findings *findings = &report->findings;
    uint32_t n = 0;
    for (uint32_t i = 0; i < findings->n; i++) {
        ob_finding finding = findings->items[i];
        /* Some findings have a lower severity than their id. It stays unless the caller requests another one. */
        ob_severity asked = report->severities[finding.id];
        finding.is_error = finding.severity == OB_SEVERITY_ERROR;
        if (asked != ob__finding_row(finding.id)->severity) finding.severity = asked;
        if (finding.severity != OB_SEVERITY_NONE) findings->items[n++] = finding;
    }
    findings->n = n;
}

static bool is_of_target(ob_finding_id id) {
    return ob__finding_row(id)->group == OB_FINDINGS_TARGET;
}

static void count(ob_report *report) {
    const ob_findings *findings = &report->findings;
    ob_report_summary *summary = &report->summary;
    size_t n_of[OB_SEVERITY_ERROR + 1] = {0};
    for (uint32_t i = 0; i < findings->n; i++) {
        n_of[findings->items[i].severity]++;
        summary->n_target_errors += findings->items[i].severity == OB_SEVERITY_ERROR && is_of_target(findings->items[i].id);
    }
    for (int id = 0; id < OB_FINDING_COUNT; id++) {
        if (report->severities[id] == OB_SEVERITY_NONE) continue;
        n_of[report->severities[id]] += findings->n_dropped[id];
        if (report->severities[id] == OB_SEVERITY_ERROR && is_of_target((ob_finding_id)id))
            summary->n_target_errors += findings->n_dropped[id];
        summary->n_dropped += findings->n_dropped[id];
    }
    summary->n_errors = n_of[OB_SEVERITY_ERROR];
    summary->n_warnings = n_of[OB_SEVERITY_WARNING];
    summary->n_notes = n_of[OB_SEVERITY_NOTE];
}

/* ---- The order ---- */

typedef struct sort_key {
    uint32_t rank, position, index;
} sort_key;

/* Errors, accidents, other warnings, notes. */
static uint32_t rank_of(const ob_finding *finding) {
    switch (finding->severity) {
    case OB_SEVERITY_ERROR: return 0;
    case OB_SEVERITY_WARNING: return ob__finding_is_accident(finding->id) ? 1 : 2;
    case OB_SEVERITY_NOTE:
    case OB_SEVERITY_NONE: break;
    }
    return 3;
}

static int compare_keys(const void *a, const void *b) {
    const sort_key *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    if (x->position != y->position) return x->position < y->position ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static ob_status sort(ob_report *report, const uint32_t *position) {
    ob_findings *findings = &report->findings;
    if (findings->n < 2) return OB_OK;
    sort_key *keys = OB_ARENA_ARRAY(&report->arena, sort_key, findings->n);
    ob_finding *sorted = OB_ARENA_ARRAY(&findings->arena, ob_finding, findings->n);
    if (!keys || !sorted) return OB_E_MEMORY;
    for (uint32_t i = 0; i < findings->n; i++) {
        const ob_node *node = findings->items[i].node;
        keys[i] = (sort_key){rank_of(&findings->items[i]), node ? position[node->id] : 0, i};
    }
    qsort(keys, findings->n, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < findings->n; i++) sorted[i] = findings->items[keys[i].index];
    findings->items = sorted;
    findings->capacity = findings->n;
    return OB_OK;
}

ob_status ob__report_judge(ob_report *report, const uint32_t *position) {
    set_severities(report);
    OB_TRY(ob__report_suppress(report));
    OB_TRY(ob__report_join_caused(report));
    OB_TRY(ob__report_subtract(report));
    count(report);
    return sort(report, position);
}
