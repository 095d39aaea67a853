/* Private to passes/optimize/: a rule's pattern as nodes, and the comparison with nodes of a graph. */
#ifndef OB_PASSES_OPTIMIZE_MATCH_H
#define OB_PASSES_OPTIMIZE_MATCH_H

#include "passes/optimize/rules.h"

enum { OB_PATTERN_NODES = 16, OB_PATTERN_OPERANDS = 24, OB_PATTERN_ATTRIBUTES = 16 };

typedef struct ob_pattern {
    const ob_rule *rule;
    ob_body_head head;
    ob_value *operands[OB_PATTERN_OPERANDS]; /* as in the head */
    ob_node *nodes[OB_PATTERN_NODES];        /* the last one is the root */
    uint32_t n_nodes, n_commutative;
} ob_pattern;

struct ob_match {
    const ob_pattern *pattern;
    const ob_facts *facts;
    ob_arena *scratch;
    ob_node *nodes[OB_PATTERN_NODES];                      /* as in the pattern */
    ob_value *operands[OB_PATTERN_OPERANDS];               /* NULL: omitted */
    const ob_attribute *attributes[OB_PATTERN_ATTRIBUTES]; /* as in the head; NULL: the node has none */
};

/* What a search knows about the model. */
typedef struct ob_reads {
    uint32_t *of; /* by value id: reads by nodes, and results of graphs */
    uint32_t n;
} ob_reads;

/* Writes the pattern into the model, whose graphs are patterns. */
ob_status ob__pattern_make(const ob_rule *rule, ob_model *patterns, ob_arena *scratch, ob_pattern *out, ob_error *error);

/* True if the nodes are those of the pattern and its rule's check accepts them. match->facts and match->scratch are given.
 * *exact: as for ob_rule_check. */
bool ob__match(const ob_pattern *pattern, ob_node *root, const ob_reads *reads, ob_match *match, bool *exact);

/* The elements of a constant that no caller can override; NULL: it is none, or they are not in the model's file. */
const ob_tensor *ob__constant_of(const ob_value *value);

/* The operand of that name; NULL: omitted. */
const ob_value *ob__matched(const ob_match *match, const char *operand);

#endif
