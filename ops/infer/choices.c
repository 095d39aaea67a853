/* Attributes that name one of a few ways: whatever else they say, no kernel knows it. */
#include <string.h>

#include "ops/table/op.h"

#define WINDOWS "Conv ConvTranspose ConvInteger QLinearConv MaxPool AveragePool LpPool"

/* Words between spaces. */
static const struct {
    const char *attribute, *ops, *names;
    bool required;
} choices[] = {
    {"auto_pad", WINDOWS, "NOTSET SAME_UPPER SAME_LOWER VALID", false},
    {"mode", "Pad", "constant reflect edge wrap", false},
    {"mode", "Resize Upsample", "nearest linear bilinear cubic", false},
    {"mode", "DepthToSpace", "DCR CRD", false},
    {"coordinate_transformation_mode", "Resize",
     "half_pixel half_pixel_symmetric pytorch_half_pixel tf_half_pixel_for_nn align_corners asymmetric tf_crop_and_resize",
     false},
    {"nearest_mode", "Resize", "round_prefer_floor round_prefer_ceil floor ceil", false},
    {"keep_aspect_ratio_policy", "Resize", "stretch not_larger not_smaller", false},
    {"reduction", "ScatterElements ScatterND", "none add mul max min", false},
    {"approximate", "Gelu", "none tanh", false},
    {"direction", "BitShift", "LEFT RIGHT", true},
    {"direction", "RNN GRU LSTM", "forward reverse bidirectional", false},
    {"mode", "TfIdfVectorizer", "TF IDF TFIDF", true},
    {"case_change_action", "StringNormalizer", "LOWER UPPER NONE", false},
    {"pixel_format", "ImageDecoder", "RGB BGR Grayscale", false},
    {"update_rule", "LinearAttention", "linear gated delta gated_delta", false},
    {"round_mode", "Cast", "up down nearest", false},
};

static bool has_word(const char *words, const char *word) {
    size_t n = strlen(word);
    for (const char *at = words; n > 0 && (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) return true;
    return false;
}

void ob__check_choices(ob_infer *infer) {
    if (infer->op->domain[0]) return;
    bool any = infer->op->broadcast == OB_BCAST_MULTI && ob__op_is(infer, "BitShift");
    for (uint32_t i = 0; i < infer->node->n_attributes && !any; i++) any = infer->node->attributes[i]->type == OB_ATTR_STRING;
    for (size_t i = 0; any && i < sizeof choices / sizeof choices[0]; i++) {
        if (!has_word(choices[i].ops, infer->op->name)) continue;
        const ob_attribute *attribute = ob__node_attribute(infer->node, choices[i].attribute);
        if (attribute ? attribute->ref || attribute->type != OB_ATTR_STRING : !choices[i].required) continue;
        const char *name = ob__node_string(infer->node, choices[i].attribute, "");
        if (has_word(choices[i].names, name) || (!name[0] && !choices[i].required)) continue;
        ob__problem(infer, OB0602, -1, -1, "attribute %s is \"%.80s\": it must be one of %s", choices[i].attribute, name,
                    choices[i].names);
    }
}
