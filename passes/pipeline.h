/* The pipeline: one flat table of passes, run in order. */
#ifndef OB_PASSES_PIPELINE_H
#define OB_PASSES_PIPELINE_H

#include "passes/check/work.h"

struct ob_rewriting; /* passes/rewrite/rewriting.h */

/* Runs every pass of the table that serves the goal: to check, or that of the rewriting when there is one. After a pass that
 * edits, the verifier runs (after every pass in builds without NDEBUG). */
ob_status ob__run_pipeline(ob_work *work, struct ob_rewriting *rewriting);

#endif
