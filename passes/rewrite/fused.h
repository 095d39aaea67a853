/* Private to the files of the pass `fuse`: the nodes of a fused group, its text, and whether it is worth a call. */
#ifndef OB_PASSES_REWRITE_FUSED_H
#define OB_PASSES_REWRITE_FUSED_H

#include "core/base/text.h"
#include "core/graph/graph.h"
#include "passes/check/facts.h"
#include "passes/optimize/groups.h"

/* The nodes of a group in topological order, and the values that they read from outside. */
typedef struct ob_fused {
    ob_node *nodes[OB_GROUP_NODES];
    ob_value *operands[OB_GROUP_OPERANDS];
    uint32_t n, n_operands;
} ob_fused;

enum { OB_FUSED_OUTSIDE = -1 };

/* The node of the group that makes the value; OB_FUSED_OUTSIDE: none. */
static inline int32_t ob__fused_maker(const ob_fused *fused, const ob_value *value) {
    for (uint32_t i = 0; i < fused->n; i++)
        if (fused->nodes[i]->outputs[0] == value) return (int32_t)i;
    return OB_FUSED_OUTSIDE;
}

/* n_operands: it is none. */
static inline uint32_t ob__fused_operand(const ob_fused *fused, const ob_value *value) {
    uint32_t k = 0;
    while (k < fused->n_operands && fused->operands[k] != value) k++;
    return k;
}

/* passes/rewrite/program.c: the nodes in ONNX's text form, with operands x0, x1 ..., results t0, t1 ... and the last result y.
 * False: the text form cannot state them exactly, or no memory (text->failed). */
bool ob__fused_body(const ob_fused *fused, ob_text *text);
/* The body as a model. Its inputs are the operands, with their types; sizes that are equal terms have one name. Operands that are
 * constants of few elements are its initializers. */
bool ob__fused_program(const ob_fused *fused, const ob_facts *facts, const char *body, ob_text *text);

/* passes/rewrite/worth.c: which nodes a call is expected to compute faster than ONNX Runtime computes them. */
typedef struct ob_worth ob_worth;
/* uses: by value id, reads by nodes and results of graphs. All lives in the arena, until it is released. NULL *out may be
 * released. */
ob_status ob__worth_new(ob_model *model, const ob_facts *facts, uint32_t *uses, ob_arena *arena, ob_worth **out, ob_error *error);
void ob__worth_release(ob_worth *worth);
/* The nodes of the group that are worth a call, with their operands. False: none. */
bool ob__worth_fusing(const ob_worth *worth, const ob_group *group, ob_fused *out);

#endif
