/* The attributes of operators that move elements, read only here. Lists are memory of the node. */
#ifndef OB_OPS_MOVEMENT_PARAMS_H
#define OB_OPS_MOVEMENT_PARAMS_H

#include "core/graph/graph.h"
#include "ops/table/attributes.h"

/* Concat, Split: the axis. For Concat it is required from version 4 on. */
static inline int64_t ob__concat_axis(const ob_node *node) {
    return ob__attribute_int(node, "axis");
}
static inline int64_t ob__split_axis(const ob_node *node) {
    return ob__attribute_int(node, "axis");
}
/* Split: the sizes of the parts if no operand gives them, and the number of parts (18..); without it, as many as outputs. */
static inline ob_ints ob__split_sizes(const ob_node *node) {
    return ob__attribute_ints(node, "split");
}
static inline int64_t ob__split_parts(const ob_node *node, int64_t n_outputs) {
    return ob__attribute_int_or(node, "num_outputs", n_outputs);
}

/* Transpose: axis i of the result is axis perm[i] of the operand; by default the order is reversed. */
static inline ob_ints ob__transpose_order(const ob_node *node) {
    return ob__attribute_ints(node, "perm");
}

/* Slice 1; since version 10 these are operands. */
typedef struct ob_slice_params {
    ob_ints starts, ends, axes;
} ob_slice_params;
static inline ob_slice_params ob__slice_params(const ob_node *node) {
    return (ob_slice_params){ob__attribute_ints(node, "starts"), ob__attribute_ints(node, "ends"),
                             ob__attribute_ints(node, "axes")};
}

typedef enum ob_pad_mode { OB_PAD_CONSTANT, OB_PAD_EDGE, OB_PAD_REFLECT, OB_PAD_WRAP, OB_PAD_MODES } ob_pad_mode;
extern const char *const ob__pad_mode_names[OB_PAD_MODES];

typedef struct ob_pad_params {
    ob_pad_mode mode; /* OB_PAD_MODES: an undefined mode */
    ob_ints pads;     /* before version 11: first the padding before all axes, then the padding after them */
    float value;      /* before version 11 */
} ob_pad_params;
ob_pad_params ob__pad_params(const ob_node *node, int32_t since);

/* DepthToSpace, SpaceToDepth. */
typedef struct ob_depth_params {
    bool to_space;
    bool channels_first; /* mode CRD: channels come before the block */
    int64_t block;       /* 0: missing */
} ob_depth_params;
ob_depth_params ob__depth_params(const ob_node *node);

/* ReverseSequence: one axis is 0 and the other 1; E_ARGUMENT otherwise. */
typedef struct ob_reverse_params {
    int32_t batch_axis, time_axis;
} ob_reverse_params;
ob_status ob__reverse_params(const ob_node *node, ob_reverse_params *params, ob_error *error);

#endif
