/* Shape and value propagation through a whole model. */
#ifndef OB_PASSES_CHECK_PROPAGATE_H
#define OB_PASSES_CHECK_PROPAGATE_H

#include "passes/check/facts.h"
#include "passes/check/findings.h"

/* The type, and optionally the content, that replaces the declaration of one graph input. */
typedef struct ob_given_input {
    const ob_value *input;
    ob_type type;       /* kind UNKNOWN: keep the declared one */
    ob_content content; /* elems NULL: not known */
} ob_given_input;

typedef struct ob_propagate_options {
    const ob_binding *bindings; /* sizes of symbols (--dim N=4): substituted in every declared shape */
    size_t n_bindings;
    const ob_given_input *inputs;
    size_t n_inputs;
    uint64_t max_nodes;   /* limit of inferred nodes; each use of a body counts; 0: four for each node of the model, and 2^20 */
    bool ignore_declared; /* do not look at value_info and outputs: for plans with sizes that differ from the declared ones */
    bool solved;          /* conditions on input sizes become findings after solving: see contract.h */
    bool keep_calls;      /* keep the facts of functions' values for each call: ob_called */
    const ob_binding *sizes; /* the facts are for the case of these sizes of inputs: branches, and ranks, are those that they */
    size_t n_sizes;          /* choose, and ob_facts.choices lists the choices. None: the facts are for all cases */
    bool fixed_defaults;     /* inputs with a default keep it: their contents are constants */
} ob_propagate_options;

/* Fills facts (types, contents, conditions) for every value of every graph, in one pass over the nodes: linear in their number.
 * A model that excludes cases takes two passes (cases.c).
 * The model's operators must be resolved. options may be NULL. findings may be NULL: then nothing is reported.
 * Function bodies are inferred once per call; the facts of body values hold in every call.
 * Returns E_MEMORY or E_LIMIT only: a wrong model gives findings. */
ob_status ob__propagate(ob_model *model, const ob_propagate_options *options, ob_facts *facts, ob_findings *findings);

/* The known type and content of a value before some nodes of a graph are inferred. */
typedef struct ob_known_value {
    const ob_value *value;
    ob_type type;
    ob_content content;
} ob_known_value;

/* Fills facts for `nodes` of one graph, in their order, and for their subgraphs. The planner calls it when a run knows the
 * sizes of their operands. `known` holds all values that they read from outside. Declarations are ignored. Errors as
 * ob__propagate. */
ob_status ob__propagate_nodes(ob_model *model, ob_node *const *nodes, size_t n_nodes, const ob_known_value *known, size_t n_known,
                              ob_facts *facts, ob_findings *findings);

/* Infers one node from the types and contents of its inputs, outside any facts: for steps whose shapes are known only during a
 * run. out_types and out_contents have node->n_outputs entries. error receives the first problem (E_SHAPE, E_TYPE ...). */
ob_status ob__infer_node(ob_model *model, const ob_node *node, const ob_type *in_types, const ob_content *in_contents,
                         ob_type *out_types, ob_content *out_contents, ob_arena *arena, ob_error *error);

/* passes/check/symbol.c: makes symbols for the unnamed sizes of main inputs, see ob__input_size(). E_MEMORY. */
ob_status ob__name_input_sizes(ob_model *model);
/* The symbol by place, "x[0]", of an unnamed input size. In a model with more than 1000 inputs it is anonymous. OB_DIM_UNKNOWN:
 * out of memory. */
ob_dim ob__input_size(ob_model *model, uint32_t input, int32_t axis);
/* The declared size of an input: a number, its symbol, or the symbol by place. */
ob_dim ob__input_symbol(ob_model *model, uint32_t input, int32_t axis);
/* passes/check/symbol.c: binds a size to the symbol of that name, or to the symbol by place. E_NOT_FOUND: no declared shape has
 * the symbol, or the place does not exist (the message says why). E_ARGUMENT: no name, or a size out of range. E_MEMORY. */
ob_status ob__bind_symbol(ob_model *model, const char *name, int64_t size, ob_binding *out, ob_error *error);

#endif
