/* Compares the broadcasts of a model with the rules of deployment targets. */
#ifndef OB_PASSES_TARGET_CHECK_H
#define OB_PASSES_TARGET_CHECK_H

#include "passes/check/groups.h"
#include "passes/check/work.h"
#include "passes/target/target.h"

/* What was told about a target already. */
typedef struct ob_target_told {
    bool zero, open;      /* findings about the sizes of inputs, which come once for each target */
    ob_target_row **rows; /* as reports show them, by rule; the last one: no rule. NULL until needed */
} ob_target_told;

/* The targets of a check, and their verdicts. */
typedef struct ob_targets {
    ob_target_verdict *verdicts;
    ob_target *at;
    ob_target_told *told;
    size_t n;
    bool counts_only;
} ob_targets;

/* From the options. E_NOT_FOUND (no such target), E_ARGUMENT (a name is NULL or comes twice), E_MEMORY. */
ob_status ob__targets_take(ob_targets *targets, const ob_check_options *options, ob_arena *arena, ob_error *error);

/* A node as targets see it, with room for what it points to. Do not copy. */
typedef struct ob_target_view {
    ob_target_node node;
    ob_group group;
    bool constants[OB_GROUP_INLINE + 1];
} ob_target_view;

/* Describes the node; `arena` serves operators with many operands. *found is false if it does not broadcast or has no class.
 * E_MEMORY. */
ob_status ob__target_view(const ob_facts *facts, ob_dims *dims, const ob_node *node, ob_arena *arena, ob_target_view *view,
                          bool *found);
/* A sentence about an issue: "tosa-8k refuses the model: ranks must be equal; operand 1 has 1". In the arena; NULL: out of
 * memory. */
const char *ob__target_sentence(const ob_target *target, const ob_target_node *node, const ob_target_issue *issue,
                                ob_arena *arena);

#endif
