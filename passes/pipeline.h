/* The pipeline: one flat table of passes, run in order. */
#ifndef OB_PASSES_PIPELINE_H
#define OB_PASSES_PIPELINE_H

#include "onnx_broadcast/passes.h"
#include "onnx_broadcast/rewrite.h"
#include "passes/propagate.h"
#include "passes/required.h"

struct ob_journal; /* passes/journal.h */
struct ob_keeping; /* passes/kept.h */

/* What is to be done: bits that rows of the table name. */
enum {
    OB_GOAL_CHECK = 1,
    OB_GOAL_BROADCAST = 2,
    OB_GOAL_FUNCTION = 4,
    OB_GOAL_EXPAND = 8,
    OB_GOAL_IMPLICIT = 16,
    OB_GOAL_REWRITE = OB_GOAL_BROADCAST | OB_GOAL_FUNCTION | OB_GOAL_EXPAND | OB_GOAL_IMPLICIT,
    OB_GOAL_EXPLICIT = OB_GOAL_BROADCAST | OB_GOAL_FUNCTION | OB_GOAL_EXPAND
};

/* A node that stays as it is. */
typedef struct ob_work_note {
    struct ob_work_note *next;
    const ob_node *node;
    const char *reason; /* static */
} ob_work_note;

/* What passes work on. */
typedef struct ob_work {
    ob_model *model;
    int goal;
    ob_rules rules;
    const ob_propagate_options *given;
    ob_facts *facts;
    ob_findings *findings;
    ob_required required;             /* of the facts, from propagation on */
    struct ob_contract *contract;     /* NULL: not wanted */
    struct ob_journal *journal;       /* what passes that edit have changed; NULL: none will */
    struct ob_keeping *keeping;       /* what a rewriting must keep; NULL as above */
    bool again;                       /* recheck: the model is as it was, rewrite it anew with more nodes left alone */
    const struct ob_assumed *assumed; /* what the user asserts */
    uint32_t n_assumed;
    ob_rewrite_stats stats;
    ob_pass_hook after_pass;
    struct ob_work_note *notes, *last_note;
    void *context;
    ob_error *error;
} ob_work;

typedef ob_status (*ob_pass)(ob_work *work);

/* Runs every pass of the table that serves work->goal. After a pass that edits, the verifier runs (after every pass in builds
 * without NDEBUG). */
ob_status ob__run_pipeline(ob_work *work);
/* Counts a node that stays as it is, and keeps the reason for the caller. */
void ob__work_note(ob_work *work, const ob_node *node, const char *reason);
/* True when the node is to be left as it is, because the contract might not be kept; noted. */
bool ob__work_leaves(ob_work *work, const ob_node *node);

/* The passes: one file each. Those up to ob__pass_sound change nothing; all are linear in nodes and operands. */
ob_status ob__pass_resolve(ob_work *work);          /* fills node->op and node->function */
ob_status ob__pass_propagate(ob_work *work);        /* facts and findings */
ob_status ob__pass_contract(ob_work *work);         /* what the whole model requires of the sizes of its inputs */
ob_status ob__pass_rules(ob_work *work);            /* findings OB03xx of the rule book */
ob_status ob__pass_accidental(ob_work *work);       /* findings OB0401 */
ob_status ob__pass_redundant(ob_work *work);        /* findings OB0402 */
ob_status ob__pass_sound(ob_work *work);            /* E_SHAPE, E_TYPE or E_MODEL when there is a finding of severity error */
ob_status ob__pass_implicit(ob_work *work);         /* takes out explicit broadcasting that an operator does anyway */
ob_status ob__pass_insert_broadcast(ob_work *work); /* Broadcast and BroadcastInDim before operators that broadcast */
ob_status ob__pass_raise_opset(ob_work *work);      /* to opset 8 when explicit operators need it for their definition */
ob_status ob__pass_lower_function(ob_work *work);   /* explicit operators to calls of model-local functions */
ob_status ob__pass_lower_expand(ob_work *work);     /* explicit operators to Expand, below opset 8 to Reshape and Tile */
ob_status ob__pass_recheck(ob_work *work);          /* facts again: no errors, outputs as declared and as before */

/* contract_findings.c */
ob_status ob__contract_findings(ob_work *work, const struct ob_contract *contract);

#endif
