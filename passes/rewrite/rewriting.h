/* The state of passes that edit a model, in addition to the analysis. */
#ifndef OB_PASSES_REWRITE_REWRITING_H
#define OB_PASSES_REWRITE_REWRITING_H

#include "onnx_broadcast/rewrite.h"
#include "passes/check/work.h"
#include "passes/cost/cost.h"
#include "passes/rewrite/journal.h"
#include "passes/rewrite/kept.h"
#include "passes/target/target.h"

/* Goals: bits in the rows of the table of passes. */
enum {
    OB_GOAL_CHECK = 1,
    OB_GOAL_BROADCAST = 2,
    OB_GOAL_FUNCTION = 4,
    OB_GOAL_EXPAND = 8,
    OB_GOAL_IMPLICIT = 16,
    OB_GOAL_TARGET = 32,
    OB_GOAL_FUSED = 64,
    OB_GOAL_REWRITE = OB_GOAL_BROADCAST | OB_GOAL_FUNCTION | OB_GOAL_EXPAND | OB_GOAL_IMPLICIT | OB_GOAL_TARGET | OB_GOAL_FUSED,
    OB_GOAL_EXPLICIT = OB_GOAL_BROADCAST | OB_GOAL_FUNCTION | OB_GOAL_EXPAND
};

/* A node that stays as it is. */
typedef struct ob_left_note {
    struct ob_left_note *next;
    const ob_node *node;
    const char *reason; /* static */
} ob_left_note;

typedef struct ob_rewriting {
    ob_work *work;
    int goal;                /* OB_GOAL_... */
    const ob_target *target; /* of OB_GOAL_TARGET */
    const ob_cost *cost;     /* of the model before; NULL: no limit */
    int64_t max_ram;
    ob_journal journal; /* changes of the passes */
    ob_keeping keeping; /* requirements that must stay the same */
    bool again;         /* set by recheck: the model is restored; rewrite it again with more nodes unchanged */
    ob_rewrite_stats stats;
    ob_left_note *notes, *last_note;
} ob_rewriting;

/* Counts a node that stays as it is, and keeps the reason for the caller. */
void ob__note_left(ob_rewriting *rewriting, const ob_node *node, const char *reason);
/* True if the node must stay as it is, because the contract might change. Adds a note. */
bool ob__leaves(ob_rewriting *rewriting, const ob_node *node);

/* The passes: one file each, linear in nodes and operands. The first and ob__pass_recheck change nothing. */
ob_status ob__pass_sound(ob_rewriting *rewriting);    /* E_SHAPE, E_TYPE or E_MODEL if there is a finding of severity error */
ob_status ob__pass_implicit(ob_rewriting *rewriting); /* removes explicit broadcasts that an operator does itself */
ob_status ob__pass_insert_broadcast(ob_rewriting *rewriting); /* Broadcast, BroadcastInDim before operators that broadcast */
ob_status ob__pass_raise_opset(ob_rewriting *rewriting);      /* to opset 8 if explicit operators need it for their definition */
/* *has: every graph has Expand, or the pass above will give it Expand. */
ob_status ob__has_expand_then(ob_rewriting *rewriting, bool *has);
ob_status ob__pass_lower_function(ob_rewriting *rewriting); /* explicit operators to calls of model-local functions */
ob_status ob__pass_lower_expand(ob_rewriting *rewriting);   /* explicit operators to Expand, below opset 8 to Reshape and Tile */
ob_status ob__pass_fuse(ob_rewriting *rewriting);           /* groups of nodes to calls of model-local functions */
ob_status ob__pass_fit_target(ob_rewriting *rewriting);     /* the weakest form that the target accepts */
ob_status ob__pass_recheck(ob_rewriting *rewriting);        /* facts again: no errors, outputs as declared and as before */
ob_status ob__pass_state_contract(ob_rewriting *rewriting); /* the contract of the rewritten model into its metadata */

#endif
