/* How a node can be written so that it keeps the rules of a deployment target. Plans are functions of shapes; fit_target.c
 * carries them out. */
#ifndef OB_PASSES_REWRITE_FIT_PLAN_H
#define OB_PASSES_REWRITE_FIT_PLAN_H

#include "passes/target/check.h"

enum { OB_FIT_OPERANDS = OB_GROUP_INLINE };

/* The steps for one operand, in this order; each shape is that after the step. */
typedef struct ob_fit_operand {
    ob_shape ranked;   /* leading ones added or dropped */
    ob_shape expanded; /* stretched */
    ob_shape merged;   /* axes merged */
    ob_dim ranked_dims[OB_MAX_RANK], expanded_dims[OB_MAX_RANK], merged_dims[OB_MAX_RANK];
} ob_fit_operand;

typedef struct ob_fit_plan {
    bool exchange; /* operands 0 and 1 change places */
    ob_fit_operand operands[OB_FIT_OPERANDS];
    ob_shape result; /* of the operator; it is reshaped to that of the node if they differ */
    ob_dim result_dims[OB_MAX_RANK];
} ob_fit_plan;

/* Whether the operand can be stretched to this shape before the node: `ranked` is its shape then, `target` the wanted one. */
typedef bool (*ob_fit_can_expand)(void *context, uint32_t operand, const ob_shape *ranked, const ob_shape *target);

typedef struct ob_fit_request {
    const ob_target *target;
    const ob_target_node *node;
    bool can_exchange;
    bool can_reshape; /* Reshape takes sizes as an operand in this opset */
    ob_fit_can_expand can_expand;
    void *context;
} ob_fit_request;

/* True if the node keeps every rule that another form can keep. *reason is NULL then; otherwise the first rule that no form can
 * keep, or NULL when a form may be found. */
bool ob__fit_needs_nothing(const ob_target *target, const ob_target_node *node, const char **reason);
/* The first form that keeps all rules, from the cheapest to the dearest: equal ranks, exchanged operands, merged axes, stretched
 * operands (few before many, constants before others). *reason is a sentence if there is none. */
bool ob__fit_plan(const ob_fit_request *request, ob_fit_plan *plan, const char **reason);

#endif
