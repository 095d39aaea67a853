/* The requirements of rules as data, from requirements.def. */
#include "ops/infer/requirements.h"

enum {
    EQUAL = 1 << OB_COND_EQUAL,
    BROADCAST = 1 << OB_COND_BROADCAST,
    BROADCAST_TO = 1 << OB_COND_BROADCAST_TO,
    DIVISIBLE = 1 << OB_COND_DIVISIBLE,
    AT_LEAST = 1 << OB_COND_AT_LEAST,
    OPEN = OB_ASKS_OPEN,
    VALUES = OB_ASKS_VALUES
};

#define OB_REQUIREMENT(rule, kinds, text) OB_RULE(rule);
#include "ops/infer/requirements.def"
#undef OB_REQUIREMENT

static const struct {
    ob_shape_rule rule;
    ob_rule_asks asks;
} rows[] = {
#define OB_REQUIREMENT(rule, kinds, text) {ob__infer_##rule, {#rule, (kinds), (text)}},
#include "ops/infer/requirements.def"
#undef OB_REQUIREMENT
};

const ob_rule_asks *ob__rule_asks(ob_shape_rule rule) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].rule == rule) return &rows[i].asks;
    return NULL;
}
