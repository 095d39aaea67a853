/* Inside runtime/gradient/: nodes are written before a Gradient, and what they give is inferred at once, since what is written
 * next asks for it. */
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
    const ob_facts *facts; /* of what was there before */
    ob_error *error;
    ob_arena arena, scratch; /* for as long as the tape, and for one node */
    ob_inferred *inferred;   /* by value id: of what was written since */
    uint32_t n_inferred;
    uint64_t max_nodes;
    ob_node *gradient; /* the one that is written */
} ob_tape;

/* An operator with its operands and results, as they are where the gradient is wanted: those of the node, or of a copy. */
typedef struct ob_back_step {
    const ob_node *node;
    ob_value **in, **out;
    ob_value **d_out; /* the gradients of the results; NULL: none, of a result that is no float or is left out */
    bool *wanted;     /* of each operand: its gradient */
    ob_value **d_in;  /* is filled in: NULL where nothing depends on the operand */
} ob_back_step;

/* ---- tape.c ---- */

ob_type ob__tape_type(const ob_tape *tape, const ob_value *value);
bool ob__tape_is_float(const ob_tape *tape, const ob_value *value);
/* Infers the nodes of the graph behind `after` (NULL: from the first) up to `end` (NULL: to the last). */
ob_status ob__tape_infer(ob_tape *tape, const ob_graph *graph, const ob_node *after, const ob_node *end);
/* Writes the body of the node before it; the node stays without its results, as ob__expand_bodies leaves it. */
ob_status ob__tape_expand(ob_tape *tape, const ob_body *body, ob_node *node);
/* Writes the body with these operands before the Gradient, for `of` (whose attributes it has; NULL: none) and with its name. out:
 * is filled in where wanted (NULL: all). */
ob_status ob__tape_write(ob_tape *tape, const ob_body *body, const ob_node *of, ob_value *const *in, uint32_t n_in,
                         const bool *wanted, ob_value **out, uint32_t n_out);
/* The same for a body of a few operands and one result. */
ob_status ob__tape_write_one(ob_tape *tape, const ob_body *body, ob_value *a, ob_value *b, ob_value *c, ob_value **out);
/* A copy of the node before the Gradient, with these operands; out: its results, n_outputs. */
ob_status ob__tape_copy(ob_tape *tape, const ob_node *node, ob_value *const *in, ob_value **out);

/* ---- derive.c ---- */

extern const ob_body ob__ones_like, ob__zeros_like, ob__plus;
/* Writes the gradients of a step's operands. E_UNSUPPORTED where a rank that is asked for is not known. */
ob_status ob__derive(ob_tape *tape, const ob_derivative *row, const ob_back_step *step);

#endif
