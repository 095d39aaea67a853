/* The attributes of operators that select elements, read only here. */
#ifndef OB_OPS_SELECT_PARAMS_H
#define OB_OPS_SELECT_PARAMS_H

#include "core/graph/graph.h"
#include "ops/table/attributes.h"

/* Gather, GatherElements, Scatter, ScatterElements. */
static inline int64_t ob__gather_axis(const ob_node *node) {
    return ob__attribute_int(node, "axis");
}
/* GatherND: axes that data and indices share. */
static inline int64_t ob__gather_batch(const ob_node *node) {
    return ob__attribute_int(node, "batch_dims");
}
/* OneHot: the new axis of the result. */
static inline int64_t ob__one_hot_axis(const ob_node *node) {
    return ob__attribute_int(node, "axis");
}
/* Trilu: upper triangle; otherwise lower. */
static inline bool ob__trilu_upper(const ob_node *node) {
    return ob__attribute_flag(node, "upper");
}

/* Compress, Unique: slices along an axis; without axis, elements. */
typedef struct ob_slices_params {
    bool flat;
    int64_t axis;
} ob_slices_params;
static inline ob_slices_params ob__slices_params(const ob_node *node) {
    return (ob_slices_params){!ob__node_attribute(node, "axis"), ob__attribute_int(node, "axis")};
}

/* Unique: in ascending order; otherwise in order of first occurrence. */
static inline bool ob__unique_sorted(const ob_node *node) {
    return ob__attribute_flag(node, "sorted");
}

typedef struct ob_topk_params {
    int64_t axis;
    bool has_k; /* before version 10; afterwards it is an operand */
    int64_t k;
    bool smallest; /* since version 11 */
} ob_topk_params;
static inline ob_topk_params ob__topk_params(const ob_node *node, int32_t since) {
    return (ob_topk_params){.axis = ob__attribute_int(node, "axis"),
                            .has_k = since < 10 && ob__node_attribute(node, "k"),
                            .k = ob__attribute_int(node, "k"),
                            .smallest = since >= 11 && ob__attribute_int(node, "largest") == 0};
}

/* NonMaxSuppression: boxes are centre and size (x, y, width, height); otherwise two opposite corners (y, x, y, x). */
static inline bool ob__boxes_have_centers(const ob_node *node) {
    return ob__attribute_flag(node, "center_point_box");
}

/* TensorScatter. E_ARGUMENT: an undefined mode. */
typedef struct ob_cache_params {
    int64_t axis;
    bool is_circular;
} ob_cache_params;
ob_status ob__read_cache(const ob_node *node, ob_cache_params *params, ob_error *error);

/* Scatter ...: the operation that combines an update with the element. */
typedef enum ob_reduction { OB_REPLACE, OB_ADD, OB_MUL, OB_MAX, OB_MIN, OB_REDUCTIONS } ob_reduction;
extern const char *const ob__reduction_names[OB_REDUCTIONS];
/* OB_REDUCTIONS: an undefined reduction. */
ob_reduction ob__scatter_reduction(const ob_node *node);

#endif
