#include "ops/attention/params.h"

#include <string.h>

#include "ops/control/params.h"

ob_attention_params ob__attention_params(const ob_node *node) {
    const int64_t precision = ob__node_int(node, "softmax_precision", OB_NONE);
    return (ob_attention_params){.q_heads = ob__node_int(node, "q_num_heads", 0),
                                 .kv_heads = ob__node_int(node, "kv_num_heads", 0),
                                 .left = ob__attribute_int_or(node, "left_window_size", -1),
                                 .right = ob__attribute_int_or(node, "right_window_size", -1),
                                 .mode = ob__node_int(node, "qk_matmul_output_mode", 0),
                                 .causal = ob__node_int(node, "is_causal", 0) != 0,
                                 .has_scale = ob__node_attribute(node, "scale") != NULL,
                                 .has_precision = ob__node_attribute(node, "softmax_precision") != NULL,
                                 .scale = (double)ob__node_float(node, "scale", 0),
                                 .softcap = (double)ob__node_float(node, "softcap", 0),
                                 .precision = precision > OB_NONE && precision < OB_DTYPE_COUNT ? (ob_dtype)precision : OB_NONE};
}

ob_linear_attention_params ob__linear_attention_params(const ob_node *node) {
    const char *rule = ob__node_string(node, "update_rule", "gated_delta");
    return (ob_linear_attention_params){.q_heads = ob__node_int(node, "q_num_heads", 0),
                                        .kv_heads = ob__node_int(node, "kv_num_heads", 0),
                                        .scale = (double)ob__node_float(node, "scale", 0),
                                        .fades = strncmp(rule, "gated", 5) == 0,
                                        .corrects = strstr(rule, "delta") != NULL};
}

ob_rotary_params ob__rotary_params(const ob_node *node) {
    return (ob_rotary_params){.heads = ob__node_int(node, "num_heads", 0),
                              .turned = ob__node_int(node, "rotary_embedding_dim", 0),
                              .interleaved = ob__node_int(node, "interleaved", 0) != 0};
}

const char *const ob__flex_attention_modifiers[2] = {"score_mod", "prob_mod"};

ob_flex_attention_params ob__flex_attention_params(const ob_node *node, ob_dtype operands) {
    ob_flex_attention_params p = {0};
    const int64_t precision = ob__node_int(node, "softmax_precision", operands == OB_DOUBLE ? OB_DOUBLE : OB_FLOAT);
    if (precision == OB_FLOAT || precision == OB_DOUBLE || precision == OB_FLOAT16 || precision == OB_BFLOAT16)
        p.precision = (ob_dtype)precision;
    for (int i = 0; i < 2; i++) p.modifiers[i] = ob__node_graph(node, ob__flex_attention_modifiers[i]);
    return p;
}
