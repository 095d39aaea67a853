/* The attributes of operators that draw random numbers, read only here. */
#ifndef OB_OPS_RANDOM_PARAMS_H
#define OB_OPS_RANDOM_PARAMS_H

#include "kernels/random/random.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

/* The key: the bits of the attribute `seed`, a float or an integer. Without it, a hash of the name of the node's first result:
 * different nodes then draw different numbers, and a node draws the same numbers in every run. */
obk_random_key ob__random_key(const ob_node *node);

/* Element i is first + span * x, where x is the normal or uniform random number i. */
typedef struct ob_random_params {
    obk_random_key key;
    bool normal;
    double first, span;
} ob_random_params;
ob_random_params ob__random_params(const ob_node *node);

/* Multinomial: the number of samples drawn for each row. It may be negative, which the rule reports. */
static inline int64_t ob__sample_size(const ob_node *node) {
    return ob__attribute_int(node, "sample_size");
}

#endif
