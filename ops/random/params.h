/* What operators that draw random numbers have as attributes: read here and nowhere else. */
#ifndef OB_OPS_RANDOM_PARAMS_H
#define OB_OPS_RANDOM_PARAMS_H

#include "kernels/random/random.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

/* Of the attribute `seed`, a float or an integer: its bits. Without it, of the name of the node's first result: two nodes draw
 * other numbers, and one node the same in every run. */
obk_random_key ob__random_key(const ob_node *node);

/* Element i is first + span * number i, of a normal number, or of a uniform one. */
typedef struct ob_random_params {
    obk_random_key key;
    bool normal;
    double first, span;
} ob_random_params;
ob_random_params ob__random_params(const ob_node *node);

/* Multinomial: how many classes are drawn of each row; may be negative, which the rule reports. */
static inline int64_t ob__sample_size(const ob_node *node) {
    return ob__attribute_int(node, "sample_size");
}

#endif
