/* The pipeline: one flat table of passes, run in order. */
#ifndef OB_PASSES_PIPELINE_H
#define OB_PASSES_PIPELINE_H

#include "passes/work.h"

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

struct ob_rewriting; /* passes/rewriting.h */

/* Runs every pass of the table that serves the goal: to check, or that of the rewriting when there is one. After a pass that
 * edits, the verifier runs (after every pass in builds without NDEBUG). */
ob_status ob__run_pipeline(ob_work *work, struct ob_rewriting *rewriting);

#endif
