/* Rules: patterns of nodes in a session's graph, and the nodes that replace them. A rule is a row of rules.def, whose pattern and
 * replacement are bodies in the language of ops/body/body.h with one head.
 *
 * The pattern is written out as nodes, and these are compared with the graph. Its operands stand for any value, or none where a
 * node omits it; an operand that occurs twice stands for one value, or for constants with equal elements. Operands of Add, Mul,
 * Max and Min match in any order. An attribute `name = @other` takes the node's attribute, if it has one; every other attribute
 * must have its default. Results inside the pattern have no other readers and are no results of the graph, with one exception:
 * a DequantizeLinear may have others, and then stays for them. */
#ifndef OB_PASSES_OPTIMIZE_RULES_H
#define OB_PASSES_OPTIMIZE_RULES_H

#include "ops/body/body.h"
#include "passes/check/facts.h"

typedef enum ob_rule_kind {
    OB_RULE_EXACT,   /* keeps bits */
    OB_RULE_RELAXED, /* only with relaxed numerics */
    OB_RULE_PROVED   /* keeps bits if its check proves it; otherwise only with relaxed numerics */
} ob_rule_kind;

typedef struct ob_match ob_match; /* passes/optimize/match.h */

/* True if the rule may be applied to these nodes. *exact: bits are proved to stay. */
typedef bool ob_rule_check(const ob_match *match, bool *exact);

enum { OB_RULE_OPERATORS = 3 };

typedef struct ob_rule {
    const char *operators[OB_RULE_OPERATORS]; /* of the pattern, that of its last node first: a model needs all of them */
    ob_rule_kind kind;
    ob_rule_check *check;
    ob_body pattern, replacement;
} ob_rule;

size_t ob__rule_count(void);
const ob_rule *ob__rule_at(size_t index);

/* The operators that an applied rule's pattern needs, for a list of those in use. */
typedef struct ob_rule_listener {
    void (*uses)(void *context, const struct ob_op *op);
    void *context;
} ob_rule_listener;

/* Replaces all matches in the model. facts: of all values. *any: there were some; new nodes are not examined, infer again. A rule
 * with an operator that the build leaves out is not applied. E_MEMORY; E_INTERNAL: a text is wrong. */
ob_status ob__apply_rules(ob_model *model, const ob_facts *facts, bool relaxed, const ob_rule_listener *listener, bool *any,
                          ob_error *error);

#endif
