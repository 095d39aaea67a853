/* Checks of rules about quantized values. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "passes/optimize/checks.h"
#include "passes/optimize/groups.h"

/* ---- What the checks share ---- */

ob_dtype ob__known_dtype(const ob_match *m, const ob_value *value) {
    const ob_type *type = &ob__fact(m->facts, value)->type;
    return type->kind == OB_TYPE_TENSOR ? type->dtype : OB_NONE;
}

bool ob__is_byte(ob_dtype dtype) {
    return dtype == OB_INT8 || dtype == OB_UINT8;
}

static bool quantizes(const ob_node *node) {
    return strcmp(node->op_type, "QuantizeLinear") == 0;
}

static bool dequantizes(const ob_node *node) {
    return strcmp(node->op_type, "DequantizeLinear") == 0;
}

bool ob__floats_only(const ob_match *m) {
    for (uint32_t i = 0; i < m->pattern->n_nodes; i++) {
        const ob_node *node = m->nodes[i];
        if (!quantizes(node) && !dequantizes(node)) continue;
        const ob_value *real = quantizes(node) ? node->inputs[0] : node->outputs[0];
        if (ob__known_dtype(m, real) != OB_FLOAT || ob__known_dtype(m, node->inputs[1]) != OB_FLOAT) return false;
    }
    return true;
}

ob_dtype ob__result_dtype(const ob_match *m) {
    return ob__known_dtype(m, m->nodes[m->pattern->n_nodes - 1]->outputs[0]);
}

bool ob__one_scale(const ob_match *m, const char *operand, float *out) {
    const ob_value *value = ob__matched(m, operand);
    const ob_tensor *tensor = value ? ob__constant_of(value) : NULL;
    if (!tensor || tensor->dtype != OB_FLOAT || tensor->n_elems != 1) return false;
    memcpy(out, tensor->data, sizeof *out);
    return true;
}

bool ob__one_zero(const ob_match *m, const char *operand, int *out) {
    const ob_value *value = ob__matched(m, operand);
    const ob_tensor *tensor = value ? ob__constant_of(value) : NULL;
    uint16_t wide;
    *out = 0;
    if (!value) return true;
    if (!tensor || tensor->n_elems != 1) return false;
    switch (tensor->dtype) {
    case OB_INT8: *out = *(const int8_t *)tensor->data; return true;
    case OB_UINT8: *out = *(const uint8_t *)tensor->data; return true;
    case OB_INT16:
    case OB_UINT16:
        memcpy(&wide, tensor->data, sizeof wide);
        *out = tensor->dtype == OB_INT16 ? (int16_t)wide : wide;
        return true;
    default: return false;
    }
}

bool ob__is_plain_scale(float scale) {
    return scale >= FLT_MIN && scale <= 0x1p100f;
}

int ob__lowest(ob_dtype dtype) {
    return dtype == OB_INT8 ? INT8_MIN : dtype == OB_INT16 ? INT16_MIN : 0;
}

int ob__highest(ob_dtype dtype) {
    return dtype == OB_INT8 ? INT8_MAX : dtype == OB_INT16 ? INT16_MAX : dtype == OB_UINT8 ? UINT8_MAX : UINT16_MAX;
}

/* ---- Moves ---- */

bool ob__check_same_scale(const ob_match *m, bool *exact) {
    float scale;
    int zero;
    const ob_value *x = ob__matched(m, "x");
    const ob_dtype dtype = ob__result_dtype(m);
    (void)exact;
    return ob__floats_only(m) && ob__known_dtype(m, x) == dtype && ob__one_scale(m, "scale", &scale) &&
           ob__one_zero(m, "zero", &zero) && ob__is_plain_scale(scale) &&
           (ob__is_byte(dtype) || dtype == OB_INT16 || dtype == OB_UINT16);
}

bool ob__check_same_scale_of_bytes(const ob_match *m, bool *exact) {
    return ob__is_byte(ob__result_dtype(m)) && ob__check_same_scale(m, exact);
}

/* ---- Bytes ---- */

bool ob__check_bytes(const ob_match *m, bool *exact) {
    const ob_dtype dtype = ob__result_dtype(m);
    (void)exact;
    if (!ob__is_byte(dtype) || !ob__floats_only(m)) return false;
    for (uint32_t i = 0; i < m->pattern->n_nodes; i++) {
        const ob_node *node = m->nodes[i];
        if (!quantizes(node) && !dequantizes(node)) continue;
        if (dequantizes(node) && ob__known_dtype(m, node->inputs[0]) != dtype) return false;
        for (uint32_t k = 1; k < node->n_inputs; k++) {
            if (!node->inputs[k]) continue;
            if (!ob__is_one_element(m->facts, node->inputs[k])) return false;
            if (k == 2 && ob__known_dtype(m, node->inputs[k]) != dtype) return false;
        }
    }
    return true;
}

bool ob__check_bytes_finite(const ob_match *m, bool *exact) {
    static const char *const scales[] = {"a_scale", "b_scale", "x_scale", "y_scale"};
    float product = 1;
    if (!ob__check_bytes(m, exact)) return false;
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        float scale = 1;
        if (!ob__matched(m, scales[i])) continue;
        if (!ob__one_scale(m, scales[i], &scale) || !ob__is_plain_scale(scale)) return false;
        product *= i < 3 ? scale : 1;
    }
    return product <= 0x1p100f;
}

bool ob__check_bytes_low(const ob_match *m, bool *exact) {
    int zero;
    return ob__one_zero(m, "y_zero", &zero) && zero == ob__lowest(ob__result_dtype(m)) && ob__check_bytes_finite(m, exact);
}
