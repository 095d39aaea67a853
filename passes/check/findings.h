/* The list of findings that passes fill. Findings are data, not errors. */
#ifndef OB_PASSES_CHECK_FINDINGS_H
#define OB_PASSES_CHECK_FINDINGS_H

#include "core/base/finding.h"
#include "core/graph/graph.h"
#include "onnx_broadcast/broadcast.h"

enum {
    OB_FINDING_OPERANDS = 16
}; /* listed operands of a finding: the first ones, and in the last place the operand of the finding */

enum { OB_FINDING_CAUSED = 8 };

typedef struct ob_finding {
    ob_finding_id id;
    ob_severity severity;
    bool is_error;                 /* before the caller's severities */
    const ob_node *node;           /* may be NULL */
    const ob_value *value;         /* may be NULL */
    const char *call_path;         /* "main/call_3/" for a node inside a function body or subgraph, or "" */
    int32_t operand, axis;         /* -1: none */
    const char *message;           /* one sentence, without file, id and node */
    const ob_shape *operands;      /* shapes during inference, n_operands; NULL if shapes do not matter */
    uint32_t n_operands;           /* at most OB_FINDING_OPERANDS: ob__finding_input */
    const ob_condition *condition; /* or NULL */
    const char *fix;               /* advice, or NULL; used if there are no fixes */
    const struct ob_fix *fixes;    /* changes of the graph that repair it (fix.h), n_fixes; added with ob__fix_add */
    uint32_t n_fixes;
    const struct ob_called
        *called; /* calls of the function that contains the node (facts.h): the finding applies to each; or NULL */
    const struct ob_target_row *rule; /* of a deployment target; or NULL */
    uint32_t clause;                  /* 1 + index of the clause of the contract; 0: none */
    const uint32_t *caused; /* of an accident: indices of the clauses that it causes, n_caused (passes/report/caused.c); room
                               for OB_FINDING_CAUSED, or NULL */
    uint32_t n_caused;
} ob_finding;

typedef struct ob_findings {
    ob_arena arena;
    ob_finding *items;
    uint32_t n, capacity;
    size_t n_bytes, max_bytes;            /* of findings, their texts and shapes; withdrawn findings stay counted */
    uint32_t n_dropped[OB_FINDING_COUNT]; /* beyond the limits of 100 000 and of bytes, by id */
} ob_findings;

/* A position in the list, for ob__findings_rewind. */
typedef struct ob_findings_mark {
    uint32_t n, n_dropped[OB_FINDING_COUNT];
} ob_findings_mark;

void ob__findings_init(ob_findings *findings, const ob_allocator *allocator);
void ob__findings_release(ob_findings *findings);
ob_findings_mark ob__findings_mark(const ob_findings *findings);
void ob__findings_rewind(ob_findings *findings, const ob_findings_mark *mark);
/* The number of dropped findings with this default severity. */
size_t ob__findings_dropped(const ob_findings *findings, ob_severity severity);
/* A new finding with default severity and formatted message, everything else empty (axis and operand -1); the caller fills in
 * the rest. NULL beyond the limit (the finding is then counted in n_dropped), and if memory runs out: findings->arena.failed is
 * then set, and the whole operation fails with E_MEMORY. */
ob_finding *ob__findings_add(ob_findings *findings, ob_finding_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Keeps the operand shapes: of many only the first ones and that of finding->operand, which must be set before. False: out of
 * memory. */
bool ob__finding_set_operands(ob_findings *findings, ob_finding *finding, const ob_shape *operands, uint32_t n_operands);
/* The input index of entry i of finding->operands. */
static inline uint32_t ob__finding_input(const ob_finding *finding, uint32_t i) {
    bool last = i + 1 == OB_FINDING_OPERANDS;
    return last && finding->operand > (int32_t)i ? (uint32_t)finding->operand : i;
}

#endif
