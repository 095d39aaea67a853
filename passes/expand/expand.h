/* Rewrites that replace a node by simpler ones before a model runs. Operators must be resolved, and are resolved afterwards.
 * Each fails with E_LIMIT if the model would have more than max_nodes nodes. */
#ifndef OB_PASSES_EXPAND_EXPAND_H
#define OB_PASSES_EXPAND_EXPAND_H

#include "passes/check/facts.h"
#include "passes/check/findings.h"

/* inline.c: replaces calls of model-local functions by their bodies, in the main graph and its subgraphs, and removes the
 * functions. Nodes of domain onnx_broadcast stay. E_MODEL for a function that calls itself. */
ob_status ob__inline_functions(ob_model *model, uint64_t max_nodes, ob_error *error);

/* sequence_map.c: replaces every SequenceMap by a Loop. E_UNSUPPORTED: the type of an operand or result is not known. E_MODEL:
 * the body does not fit the node. */
ob_status ob__unroll_sequence_maps(ob_model *model, ob_error *error);

typedef struct ob_expand_options {
    bool all; /* also operators that have a kernel */
    uint64_t max_nodes;
    /* Of the inference that gave the facts. An error about an operator with a body refuses it with that error's status and
     * message; and the node stays in the graph without its results, so that later inference still states its requirements.
     * NULL: the nodes are removed. */
    const ob_findings *findings;
    /* Called for a node whose body refuses it, or needs a rank or type that is not known; operands_known: types and ranks of
     * all operands are known. NULL: the first one ends the rewrite with E_UNSUPPORTED. */
    ob_status (*refused)(void *context, const ob_node *node, bool operands_known, const char *reason);
    void *context;
} ob_expand_options;

/* bodies.c: replaces operators without a kernel by the nodes of their body (ops/body/body.h). The new nodes are not examined:
 * if *any is set, infer and call again. facts: of all values. */
ob_status ob__expand_bodies(ob_model *model, const ob_facts *facts, const ob_expand_options *how, bool *any, ob_error *error);

/* gradient.c: replaces every Gradient by the derivatives of the values that it names; *any: there was one, infer again. facts:
 * of all values. E_UNSUPPORTED: an operator has no derivative. E_MODEL: the graph does not have a name. */
ob_status ob__write_gradients(ob_model *model, const ob_facts *facts, uint64_t max_nodes, bool *any, ob_error *error);

#endif
