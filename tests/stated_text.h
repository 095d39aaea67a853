/* The contract of a report as texts to compare: the contract that a rewritten model states, and the reasons of unverified
 * requirements. */
#ifndef OB_TESTS_STATED_TEXT_H
#define OB_TESTS_STATED_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "onnx_broadcast/check.h"

/* Appends the report's clauses and conditions on values to `text`, in its order and words. False: one is missing. */
static inline bool statement_of(ob_report *report, ob_text *text) {
    const ob_contract_info info = ob_report_contract(report);
    ob__text_printf(text, "version: %d\nstatus: %s", info.n_bounds ? 2 : 1, ob_contract_status_name(info.status));
    for (size_t i = 0; i < info.n_clauses + info.n_limits; i++) {
        ob_clause_info clause;
        if (ob_report_clause(report, i, &clause) != OB_OK) return false;
        ob__text_printf(text, "\n%s", clause.text);
    }
    for (size_t i = 0; i < info.n_bounds; i++) {
        ob_bound_info bound;
        if (ob_report_bound(report, i, &bound) != OB_OK) return false;
        ob__text_printf(text, "\nvalues: %s", bound.text);
    }
    return true;
}

static inline int by_line(const void *a, const void *b) {
    return strcmp(a, b);
}

/* Appends each reason with its count to `text`, sorted: "2 indices depend on data; ". The first node with a reason may differ.
 * False: a reason is missing. */
static inline bool open_list_of(ob_report *report, ob_text *text) {
    enum { LINE = 400 };
    const size_t n = ob_report_contract(report).n_unverified;
    char(*lines)[LINE] = calloc(n + 1, LINE);
    bool good = lines != NULL;
    for (size_t i = 0; i < n && good; i++) {
        ob_unverified_info info;
        good = ob_report_unverified(report, i, &info) == OB_OK;
        if (good) snprintf(lines[i], LINE, "%zu %s; ", info.n, info.reason);
    }
    if (good) qsort(lines, n, LINE, by_line);
    for (size_t i = 0; i < n && good; i++) ob__text_puts(text, lines[i]);
    free(lines);
    return good;
}

#endif
