/* Shape and value propagation through a whole model. */
#ifndef OB_PASSES_CHECK_PROPAGATE_H
#define OB_PASSES_CHECK_PROPAGATE_H

#include "passes/check/facts.h"
#include "passes/check/findings.h"

/* What is given for one graph input, by name: replaces the declared type, and optionally states its contents. */
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
    uint64_t max_nodes;   /* to infer, each use of a body counted again; 0: four for each node of the model, and 2^20 */
    bool ignore_declared; /* do not look at value_info and outputs: for plans with sizes that differ from the declared ones */
    bool solved;          /* conditions on sizes of inputs become findings when they are solved: see contract.h */
    bool keep_calls;      /* what values of functions are in each call is wanted: ob_called */
    bool fixed_defaults;  /* nobody gives the inputs that have a default another value: their contents are constants */
} ob_propagate_options;

/* Fills facts (types, contents, conditions) for every value of every graph, in one pass over the nodes: linear in their number.
 * A model with cases that it excludes itself takes two (cases.c).
 * The model's operators must be resolved. options may be NULL. findings may be NULL (nothing is reported then).
 * Function bodies are inferred once per call; the facts of body values are what holds in every call.
 * Returns E_MEMORY or E_LIMIT only: a bad model gives findings. */
ob_status ob__propagate(ob_model *model, const ob_propagate_options *options, ob_facts *facts, ob_findings *findings);

/* What is known of a value before some of a graph's nodes are inferred. */
typedef struct ob_known_value {
    const ob_value *value;
    ob_type type;
    ob_content content;
} ob_known_value;

/* Fills facts for `nodes` of one graph, in their order, and for what is in them: the planner's, when a run has told the sizes of
 * what they read. Everything that they read from outside is in `known`. What is declared is not looked at. Errors as
 * ob__propagate. */
ob_status ob__propagate_nodes(ob_model *model, ob_node *const *nodes, size_t n_nodes, const ob_known_value *known, size_t n_known,
                              ob_facts *facts, ob_findings *findings);

/* Infers one node from the types and contents of its inputs, outside any facts: for steps whose shapes are known only during a
 * run. out_types and out_contents have node->n_outputs entries. error receives the first problem (E_SHAPE, E_TYPE ...). */
ob_status ob__infer_node(ob_model *model, const ob_node *node, const ob_type *in_types, const ob_content *in_contents,
                         ob_type *out_types, ob_content *out_contents, ob_arena *arena, ob_error *error);

/* passes/check/symbol.c: makes the symbols of sizes of main inputs that have no name, ob__input_size(). E_MEMORY. */
ob_status ob__name_input_sizes(ob_model *model);
/* The symbol by place, "x[0]", of a size that the caller of the model chooses and that has no name; an anonymous one in a model
 * of more than 1000 inputs. OB_DIM_UNKNOWN: out of memory. */
ob_dim ob__input_size(ob_model *model, uint32_t input, int32_t axis);
/* The size that an input declares: a number, the symbol that it names, or the one by place. */
ob_dim ob__input_symbol(ob_model *model, uint32_t input, int32_t axis);
/* passes/check/symbol.c: a size for the symbol of that name, or by place. E_NOT_FOUND: no declared shape of the model has it; the
 * message says what is the matter with a place. E_ARGUMENT: no name, a size out of range; E_MEMORY. */
ob_status ob__bind_symbol(ob_model *model, const char *name, int64_t size, ob_binding *out, ob_error *error);

#endif
