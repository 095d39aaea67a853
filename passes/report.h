/* The report: facts and findings of one check, and the lists that are made from them when they are asked for. */
#ifndef OB_PASSES_REPORT_H
#define OB_PASSES_REPORT_H

#include "onnx_broadcast/check.h"
#include "passes/contract.h"
#include "passes/facts.h"
#include "passes/findings.h"

struct ob_report {
    ob_allocator allocator;
    ob_model *model;
    ob_facts facts;
    ob_findings findings;
    ob_contract contract;
    ob_arena arena; /* the lists */
    ob_report_summary summary;
    ob_map origins; /* ob__origin_of */
    const ob_node **broadcasts;
    size_t broadcasts_capacity;
    const ob_value **values; /* NULL until asked for */
    ob_arena finding_texts, broadcast_texts, value_texts, condition_texts,
        contract_texts; /* of the entry that was asked for last */
};

/* Fills the summary and the list of broadcasts, sorts the findings by node. */
ob_status ob__report_finish(ob_report *report);
/* A fix for the finding when there is one that can be computed; "" otherwise. NULL: out of memory. */
const char *ob__suggest_fix(const ob_report *report, const ob_finding *finding, ob_arena *arena);

#endif
