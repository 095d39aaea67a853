#include "ops/attention/params.h"
#include "core/graph/types.h"

#include <string.h>

#include "ops/table/attributes.h"

ob_attention_params ob__attention_params(const ob_node *node) {
    const int64_t precision = ob__attribute_int(node, "softmax_precision");
    return (ob_attention_params){.q_heads = ob__attribute_int(node, "q_num_heads"),
                                 .kv_heads = ob__attribute_int(node, "kv_num_heads"),
                                 .left = ob__attribute_int_or(node, "left_window_size", -1),
                                 .right = ob__attribute_int_or(node, "right_window_size", -1),
                                 .mode = ob__attribute_int(node, "qk_matmul_output_mode"),
                                 .causal = ob__attribute_flag(node, "is_causal"),
                                 .has_scale = ob__node_attribute(node, "scale") != NULL,
                                 .has_precision = ob__node_attribute(node, "softmax_precision") != NULL,
                                 .scale = (double)ob__attribute_float(node, "scale"),
                                 .softcap = (double)ob__attribute_float(node, "softcap"),
                                 .precision = precision > OB_NONE && precision < OB_DTYPE_COUNT ? (ob_dtype)precision : OB_NONE};
}

ob_linear_attention_params ob__linear_attention_params(const ob_node *node) {
    const char *rule = ob__attribute_text(node, "update_rule");
    return (ob_linear_attention_params){.q_heads = ob__attribute_int(node, "q_num_heads"),
                                        .kv_heads = ob__attribute_int(node, "kv_num_heads"),
                                        .scale = (double)ob__attribute_float(node, "scale"),
                                        .fades = strncmp(rule, "gated", 5) == 0,
                                        .corrects = strstr(rule, "delta") != NULL};
}

ob_rotary_params ob__rotary_params(const ob_node *node) {
    return (ob_rotary_params){.heads = ob__attribute_int(node, "num_heads"),
                              .turned = ob__attribute_int(node, "rotary_embedding_dim"),
                              .interleaved = ob__attribute_flag(node, "interleaved")};
}

const char *const ob__flex_attention_modifiers[2] = {"score_mod", "prob_mod"};

ob_flex_attention_params ob__flex_attention_params(const ob_node *node, ob_dtype operands) {
    ob_flex_attention_params p = {0};
    const int64_t precision = ob__attribute_int_or(node, "softmax_precision", operands == OB_DOUBLE ? OB_DOUBLE : OB_FLOAT);
    if (precision > 0 && precision < OB_DTYPE_COUNT && ob__dtype_is_real_or_half((ob_dtype)precision))
        p.precision = (ob_dtype)precision;
    for (int i = 0; i < 2; i++) p.modifiers[i] = ob__attribute_graph(node, ob__flex_attention_modifiers[i]);
    return p;
}
