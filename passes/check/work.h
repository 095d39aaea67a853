/* The state of passes that analyse a model. They read the graph, add facts and findings, and do not change the model. The state
 * of passes that edit is in rewriting.h, which these files do not include. */
#ifndef OB_PASSES_CHECK_WORK_H
#define OB_PASSES_CHECK_WORK_H

#include "onnx_broadcast/check.h"
#include "onnx_broadcast/passes.h"
#include "passes/check/propagate.h"
#include "passes/check/required.h"

typedef struct ob_work {
    ob_model *model;
    ob_rules rules;
    const ob_propagate_options *given;
    ob_facts *facts;
    ob_findings *findings;
    ob_required required;             /* of the facts, from propagation on */
    struct ob_contract *contract;     /* NULL: not requested */
    const struct ob_assumed *assumed; /* conditions that the user asserts */
    uint32_t n_assumed;
    struct ob_targets *targets; /* deployment targets to compare with; NULL: none */
    ob_pass_hook after_pass;    /* may be NULL */
    void *context;              /* of the hook */
    ob_error *error;
} ob_work;

/* The passes: one file each, linear in nodes and operands. */
ob_status ob__pass_resolve(ob_work *work);    /* fills node->op and node->function */
ob_status ob__pass_propagate(ob_work *work);  /* facts and findings */
ob_status ob__pass_contract(ob_work *work);   /* the requirements of the whole model on its input sizes */
ob_status ob__pass_rules(ob_work *work);      /* findings OB03xx of the rule book */
ob_status ob__pass_accidental(ob_work *work); /* findings OB0401, OB0403, OB0405 ... */
ob_status ob__pass_redundant(ob_work *work);  /* findings OB0402 */
ob_status ob__pass_targets(ob_work *work);    /* findings OB09xx of deployment targets */

/* compare_stated.c: finding OB0504 if the model's metadata state a different contract. */
ob_status ob__contract_compare_stated(ob_work *work, const struct ob_contract *contract);

#endif
