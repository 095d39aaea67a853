/* What shape rules ask of sizes and small contents, for the documentation and the tests. */
#ifndef OB_OPS_INFER_REQUIREMENTS_H
#define OB_OPS_INFER_REQUIREMENTS_H

#include "ops/table/op.h"

/* A bit beside those of ob_condition_kind: what sizes do not tell. */
#define OB_ASKS_OPEN (1 << 8)
/* And what is stated on the elements of the model's inputs. */
#define OB_ASKS_VALUES (1 << 9)

typedef struct ob_rule_asks {
    const char *rule;
    unsigned kinds; /* 1 << ob_condition_kind of each condition that the rule may state, OB_ASKS_OPEN, OB_ASKS_VALUES */
    const char *text;
} ob_rule_asks;

/* NULL for a rule that is not of the table ops.def: an operator of a library. */
const ob_rule_asks *ob__rule_asks(ob_shape_rule rule);

#endif
