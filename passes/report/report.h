/* The report: facts and findings of one check, and lists that are made from them on demand. */
#ifndef OB_PASSES_REPORT_REPORT_H
#define OB_PASSES_REPORT_REPORT_H

#include "core/base/long_names.h"
#include "core/base/text.h"
#include "onnx_broadcast/check.h"
#include "passes/check/called.h"
#include "passes/check/facts.h"
#include "passes/check/findings.h"
#include "passes/check/groups.h"
#include "passes/contract/contract.h"
#include "passes/target/check.h"

/* Groups of equal entries, in the order of their first entries. */
typedef struct ob_alike_entry ob_alike_entry;
typedef struct ob_alike_list {
    ob_arena *arena;
    ob_map known; /* key -> entry */
    ob_alike_entry *first, *last;
    ob_alike_entry *at; /* entry n_at, the position of the last lookup */
    size_t n_at;
} ob_alike_list;

/* A broadcast, in certain calls of its function (NULL: not in a function). */
typedef struct ob_listed_broadcast {
    const ob_node *node;
    const ob_called *called;
} ob_listed_broadcast;

/* An entry of ob_check_options.ignores. */
typedef struct ob_ignored {
    bool ids[OB_FINDING_COUNT];
    const char *pattern;
} ob_ignored;

struct ob_report {
    ob_allocator allocator;
    ob_model *model;
    ob_rules rules;
    ob_facts facts;
    ob_findings findings;
    ob_contract contract;
    ob_severity severities[OB_FINDING_COUNT]; /* as chosen by the caller; OB_SEVERITY_NONE: omitted */
    const ob_ignored *ignored;                /* ob_check_options.ignores, n_ignored */
    size_t n_ignored;
    const struct ob_baseline *baseline; /* ob_check_options.baseline: NULL once the findings are judged */
    const char *baseline_model;
    ob_arena arena; /* the lists */
    ob_report_summary summary;
    ob_long_names long_names;    /* shortened names with their numbers */
    bool shortens_names;         /* ob_report_shorten_names */
    ob_map origins;              /* ob__origin_of, */
    const ob_called *origins_in; /* in these calls */
    ob_call_view view;           /* of the facts, in calls */
    ob_listed_broadcast *broadcasts;
    uint32_t broadcasts_capacity;
    ob_alike_list patterns, alike_findings, alike_clauses;
    uint32_t n_grouped, n_clauses_grouped; /* findings in alike_findings, clauses in alike_clauses */
    ob_targets targets;                    /* verdicts */
    ob_text key;                           /* of the current entry */
    const ob_value **values;               /* NULL until needed */
    ob_arena finding_texts, broadcast_texts, value_texts, condition_texts,
        contract_texts; /* of the entry that was requested last */
};

/* -- long_names.c -- */
/* The name; if it is too long: both ends and its number, in the arena. NULL: out of memory. */
const char *ob__report_name(ob_report *report, const char *name, ob_arena *arena);
/* Between these two calls the terms of the report are written with such names. */
void ob__report_shorten_begin(ob_report *report);
void ob__report_shorten_end(ob_report *report);

/* -- report.c -- */
/* Fills the summary and the list of broadcasts, then judges the findings. */
ob_status ob__report_finish(ob_report *report);
/* -- judge.c -- */
/* Sets the requested severities, removes findings that are not reported, counts the others and sorts them: errors, accidents,
 * other warnings, notes, each in the order of the nodes. `position`: of a node in that order, by id. E_MEMORY. */
ob_status ob__report_judge(ob_report *report, const uint32_t *position);
/* -- suppressed.c -- */
/* Reads ob_check_options.ignores. E_ARGUMENT, E_NOT_FOUND, E_MEMORY. */
ob_status ob__report_take_ignores(ob_report *report, const ob_check_options *options, ob_error *error);
/* Removes and counts the findings that the caller or the model suppresses. E_MEMORY. */
ob_status ob__report_suppress(ob_report *report);
enum { OB_FINGERPRINT_BYTES = 33 }; /* 32 hexadecimal digits and NUL */
/* -- fingerprint.c -- */
/* The identity of the finding, as ob_finding_info.fingerprint. E_MEMORY. */
ob_status ob__finding_fingerprint(ob_report *report, const ob_finding *finding, char out[OB_FINGERPRINT_BYTES]);
/* -- baseline.c -- */
/* Removes and counts the findings that the baseline lists, and adds one finding about entries that do not occur any more.
 * E_MEMORY. */
ob_status ob__report_subtract(ob_report *report);
/* -- caused.c -- */
/* Gives accidents the clauses of the contract that they cause, and removes the findings of these clauses. E_MEMORY. */
ob_status ob__report_join_caused(ob_report *report);
/* -- broadcasts.c -- */
/* The bytes that copies would write: the result, once for each operand that is or may be stretched. */
ob_dim ob__copied_bytes(ob_dims *dims, const ob_facts *facts, const ob_node *node, const ob_group *group);
/* -- alike.c -- */
void ob__alike_init(ob_alike_list *list, ob_arena *arena);
/* Counts broadcast `index`, which stands for n, under its pattern. *bytes are the bytes of one broadcast; the caller sets them
 * if *is_new. E_MEMORY. */
ob_status ob__alike_broadcast(ob_report *report, const ob_facts *facts, const ob_node *node, const ob_group *group, size_t index,
                              uint64_t n, ob_dim **bytes, bool *is_new);
/* The bytes of all broadcasts except *n_uncounted, whose bytes are not known; OB_DIM_UNKNOWN if the term is too large. */
ob_dim ob__alike_bytes(const ob_report *report, size_t *n_uncounted);

/* A computed fix for the finding, or "". NULL: out of memory. */
const char *ob__suggest_fix(const ob_report *report, const ob_finding *finding, ob_arena *arena);

#endif
