/* What operators that move elements have as attributes: read here and nowhere else. Lists are the node's. */
#ifndef OB_OPS_MOVEMENT_PARAMS_H
#define OB_OPS_MOVEMENT_PARAMS_H

#include "core/graph/graph.h"
#include "ops/table/attributes.h"

/* Concat, Split: along which axis. Concat has to say it from version 4 on. */
static inline int64_t ob__concat_axis(const ob_node *node) {
    return ob__attribute_int(node, "axis");
}
static inline int64_t ob__split_axis(const ob_node *node) {
    return ob__attribute_int(node, "axis");
}
/* Split: the sizes of the parts, where no operand says them; how many they are (18..), else as many as outputs. */
static inline ob_ints ob__split_sizes(const ob_node *node) {
    return ob__attribute_ints(node, "split");
}
static inline int64_t ob__split_parts(const ob_node *node, int64_t n_outputs) {
    return ob__attribute_int_or(node, "num_outputs", n_outputs);
}

/* Transpose: axis i of the result is this one of the operand; else the reverse order. */
static inline ob_ints ob__transpose_order(const ob_node *node) {
    return ob__attribute_ints(node, "perm");
}

/* Slice 1; operands from 10 on. */
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
    ob_pad_mode mode; /* OB_PAD_MODES: a name that is none */
    ob_ints pads;     /* before version 11: of all axes the beginnings, then the ends */
    float value;      /* before version 11 */
} ob_pad_params;
ob_pad_params ob__pad_params(const ob_node *node, int32_t since);

/* DepthToSpace, SpaceToDepth. */
typedef struct ob_depth_params {
    bool to_space;
    bool channels_first; /* mode CRD: the channels before the block */
    int64_t block;       /* 0: missing */
} ob_depth_params;
ob_depth_params ob__depth_params(const ob_node *node);

/* ReverseSequence: one is 0, the other 1. E_ARGUMENT otherwise. */
typedef struct ob_reverse_params {
    int32_t batch_axis, time_axis;
} ob_reverse_params;
ob_status ob__reverse_params(const ob_node *node, ob_reverse_params *params, ob_error *error);

#endif
