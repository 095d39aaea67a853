/* Makes the fixes that findings propose, through the journal of the rewriting passes, and decides whether they stay.
 *
 * A round chooses one fix for each finding, applies all of them as one patch, and checks the model again (passes/fix.c). If a
 * check shows a failure, the round is undone, those that failed are refused, and the rest is tried again in smaller groups. The
 * number of checks is limited, so the whole is linear in the size of the model. */
#ifndef OB_PASSES_FIX_FIXING_H
#define OB_PASSES_FIX_FIXING_H

#include "onnx_broadcast/fix.h"
#include "passes/check/fix.h"
#include "passes/contract/contract.h"
#include "passes/rewrite/journal.h"

/* What a check of the model found. */
typedef struct ob_checked {
    ob_report *report; /* owns the rest */
    const ob_facts *facts;
    const ob_findings *findings;
    const ob_contract *contract;
} ob_checked;

/* A finding, and the changes of one way to repair it. It does not refer to a check. */
typedef struct ob_candidate {
    ob_finding_id id;
    const ob_node *node; /* of the finding, or NULL */
    int32_t operand, axis;
    const char *path, *text;
    ob_value **inputs; /* of the node before the change; NULL for no node */
    const ob_fix *steps;
    uint32_t n_steps;
    bool is_safe;
    bool suspected;      /* it may be the reason why an attempt failed */
    const char *failure; /* why it is refused; NULL: it is not */
} ob_candidate;

typedef struct ob_fixing {
    ob_model *model;
    const ob_fix_options *options;
    bool wanted[OB_FINDING_COUNT]; /* findings with these ids are fixed */
    bool asked;                    /* fixes that are not safe are wanted too */
    bool is_ordered;               /* the graph passed the verifier: every fix must keep that */
    ob_journal journal;
    ob_arena arena;  /* lives as long as the call */
    ob_map tried;    /* ways of findings */
    ob_checked now;  /* of the model with the fixes so far */
    const char *why; /* the last attempt failed */
    size_t n_checks_left;
    ob_fixes *list;
    ob_error *error;
} ob_fixing;

/* -- choose.c -- */
/* Some findings of a check. */
typedef struct ob_chosen_findings {
    const uint32_t *at; /* indices; NULL: all findings */
    uint32_t n;
} ob_chosen_findings;
/* One candidate for each of these findings that has a way which is wanted and was not tried; no node is changed by two of them.
 * In `arena`. E_MEMORY. */
ob_status ob__choose_fixes(ob_fixing *fixing, const ob_checked *checked, ob_chosen_findings of, ob_arena *arena,
                           ob_candidate **candidates, uint32_t *n);
/* Remembers that the way was tried. E_MEMORY. */
ob_status ob__mark_tried(ob_fixing *fixing, const ob_candidate *candidate);
/* Lists the fixes that were not tried because they are not safe. E_MEMORY. */
ob_status ob__list_unsafe(ob_fixing *fixing);

/* -- apply.c -- */
/* Applies the candidates without a failure as one patch; `facts` are those of the model as it is. A candidate that cannot be
 * applied gets a failure. E_MEMORY. */
ob_status ob__apply_fixes(ob_fixing *fixing, const ob_facts *facts, ob_candidate *candidates, uint32_t n);
/* Replaces declared shapes that agreed with the facts so far and contradict those of `after`. *any: there were some. E_MEMORY. */
ob_status ob__declare_again(ob_fixing *fixing, const ob_checked *after, bool *any);

/* -- compare.c -- */
/* Compares a check of the model with the candidates applied to the last one. *good false: candidates have a failure or are
 * suspected, and fixing->why says why. *fresh lists the new findings, in `arena`; n is 0 if a candidate has a failure.
 * E_MEMORY. */
ob_status ob__compare_checks(ob_fixing *fixing, const ob_checked *after, ob_candidate *candidates, uint32_t n, ob_arena *arena,
                             ob_chosen_findings *fresh, bool *good);

/* -- list.c -- */
ob_status ob__fixes_new(const ob_allocator *allocator, ob_fixes **out);
/* Appends an entry; copies all texts. before, after: checks around an applied fix, or NULL. E_MEMORY. */
ob_status ob__fixes_add(ob_fixes *list, const ob_dims *dims, const ob_candidate *candidate, ob_fix_outcome outcome,
                        const char *reason, const ob_facts *before, const ob_facts *after);

/* Puts the entries in the order of their outcomes. E_MEMORY. */
ob_status ob__fixes_finish(ob_fixes *list);

#endif
