/* Fixes: changes of the graph that would repair the problem of a finding. Analyses propose them as data; passes/fix/ makes them,
 * checks the model again, and undoes those that do not help. */
#ifndef OB_PASSES_CHECK_FIX_H
#define OB_PASSES_CHECK_FIX_H

#include "passes/check/findings.h"

/* Does a fix change the results of runs that were possible before? */
typedef enum ob_fix_effect { OB_FIX_NEVER, OB_FIX_EQUAL, OB_FIX_ALWAYS } ob_fix_effect;

typedef enum ob_fix_kind {
#define OB_FIX(kind, name, effect) OB_FIX_KIND_##kind,
#include "passes/check/fixes.def"
#undef OB_FIX
    OB_FIX_KIND_COUNT
} ob_fix_kind;

/* One change of one node. The fields that a kind uses are in fixes.def. */
typedef struct ob_fix {
    ob_fix_kind kind;
    /* Number of the alternative that it belongs to: the first is the best. Changes with equal numbers stand together in the list
     * and are made together. */
    uint32_t way;
    bool is_guess;       /* other changes would fit as well, so only the reader can decide: never made without being asked for */
    const ob_node *node; /* the changed node; NULL for SORT */
    int32_t operand, other;
    const int32_t *axes;
    uint32_t n_axes;
    const ob_value *value;
    int32_t axis;
    ob_shape from, to; /* of the operand (KEEPDIMS: of the result), for the sentence; rank unknown: not shown */
} ob_fix;

/* A fix of this kind with nothing else: operand, other, axis -1, shapes unknown. */
ob_fix ob__fix(ob_fix_kind kind, const ob_node *node);
const char *ob__fix_name(ob_fix_kind kind);
ob_fix_effect ob__fix_effect(ob_fix_kind kind);

/* Appends a copy of the fix, with its axes and shapes, to those of the finding. False: out of memory; findings->arena has it. */
bool ob__fix_add(ob_findings *findings, ob_finding *finding, const ob_fix *fix);
/* Puts copies of its axes and shapes into the arena. False: out of memory. */
bool ob__fix_keep(ob_arena *arena, ob_fix *fix);
/* A fix that gives operand `operand` of the node the shape that has new axes of size 1 at `axes`: RESHAPE if it is an
 * initializer, else UNSQUEEZE. At most OB_MAX_RANK axes in the new shape; dims has room for that many. */
ob_fix ob__fix_new_axes(const ob_node *node, uint32_t operand, const ob_shape *from, const int32_t *axes, uint32_t n_axes,
                        ob_dim *dims);

/* A sentence for the first way of the fixes, for instance "insert Unsqueeze(axes=[1]) before operand 1 'scale': (C) -> (C,1)".
 * Nodes other than `node` are named. In the arena; NULL: out of memory. */
const char *ob__fix_text(const ob_dims *dims, const ob_fix *fixes, uint32_t n, const ob_node *node, ob_arena *arena);

/* -- propose.c -- */
/* The fixes of the finding: those that a pass added, or those that follow from its id and shapes. In the arena if they are new;
 * *n may be 0. E_MEMORY. */
ob_status ob__fixes_of(const ob_finding *finding, ob_arena *arena, const ob_fix **fixes, uint32_t *n);

#endif
