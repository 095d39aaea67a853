/* For gradient.c and derive.c: nodes are inserted before a Gradient, and their results are inferred at once, because the next
 * nodes depend on them. */
#ifndef OB_PASSES_EXPAND_TAPE_H
#define OB_PASSES_EXPAND_TAPE_H

#include "ops/body/derivative.h"
#include "passes/check/facts.h"

typedef struct ob_inferred {
    ob_type type;
    ob_content content;
    bool is_set;
} ob_inferred;

typedef struct ob_tape {
    ob_model *model;
    const ob_facts *facts; /* of the values that existed before */
    ob_error *error;
    ob_arena arena, scratch; /* one for the whole tape, one for a single node */
    ob_inferred *inferred;   /* by value id: of the new values */
    uint32_t n_inferred;
    uint64_t max_nodes;
    ob_node *gradient; /* the node that is replaced */
} ob_tape;

/* An operator with its operands and results at the place of the gradient: those of the node, or of a copy. */
typedef struct ob_back_step {
    const ob_node *node;
    ob_value **in, **out;
    ob_value **d_out; /* the gradients of the results; NULL: the result is not a float, or is omitted */
    bool *wanted;     /* for each operand: its gradient is needed */
    ob_value **d_in;  /* out: NULL if nothing depends on the operand */
} ob_back_step;

/* ---- tape.c ---- */

ob_type ob__tape_type(const ob_tape *tape, const ob_value *value);
bool ob__tape_is_float(const ob_tape *tape, const ob_value *value);
/* Infers the nodes of the graph after `after` (NULL: from the first) up to `end` (NULL: to the last). */
ob_status ob__tape_infer(ob_tape *tape, const ob_graph *graph, const ob_node *after, const ob_node *end);
/* Inserts the body of the node before it. The node stays without its results, as with ob__expand_bodies. */
ob_status ob__tape_expand(ob_tape *tape, const ob_body *body, ob_node *node);
/* Inserts the body with these operands before the Gradient, with the name and the attributes of `of` (NULL: none). Fills `out`
 * for the `wanted` results (NULL: all). */
ob_status ob__tape_write(ob_tape *tape, const ob_body *body, const ob_node *of, ob_value *const *in, uint32_t n_in,
                         const bool *wanted, ob_value **out, uint32_t n_out);
/* The same for a body of a few operands and one result. */
ob_status ob__tape_write_one(ob_tape *tape, const ob_body *body, ob_value *a, ob_value *b, ob_value *c, ob_value **out);
/* A copy of the node before the Gradient, with these operands; out: its results, n_outputs. */
ob_status ob__tape_copy(ob_tape *tape, const ob_node *node, ob_value *const *in, ob_value **out);

/* ---- derive.c ---- */

extern const ob_body ob__ones_like, ob__zeros_like, ob__plus;
/* Writes the gradients of a step's operands. E_UNSUPPORTED: a necessary rank is not known. */
ob_status ob__derive(ob_tape *tape, const ob_derivative *row, const ob_back_step *step);

#endif
