/* The requirements of shape rules on sizes and small contents, for documentation and tests. */
#ifndef OB_OPS_INFER_REQUIREMENTS_H
#define OB_OPS_INFER_REQUIREMENTS_H

#include "ops/table/op.h"

/* A bit in addition to those of ob_condition_kind: requirements that sizes do not decide. */
#define OB_ASKS_OPEN (1 << 8)
/* Requirements on the elements of the model's inputs. */
#define OB_ASKS_VALUES (1 << 9)

typedef struct ob_rule_asks {
    const char *rule;
    unsigned kinds; /* the requirements that the rule may state: 1 << ob_condition_kind, OB_ASKS_OPEN, OB_ASKS_VALUES */
    const char *text;
} ob_rule_asks;

/* NULL if the rule is not in ops.def: an operator of a library. */
const ob_rule_asks *ob__rule_asks(ob_shape_rule rule);

#endif
