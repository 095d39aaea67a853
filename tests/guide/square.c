#include "onnx_broadcast/operator.h"

static void square(char *const *at, const int64_t *strides, int64_t n, const void *parameters) {
    (void)parameters;
    for (int64_t i = 0; i < n; i++) {
        float x = *(const float *)(at[0] + i * strides[0]);
        *(float *)(at[1] + i * strides[1]) = x * x;
    }
}

static ob_status run(ob_operator_call *call) {
    return call->host->for_each(call, call->inputs, 1, call->outputs, 1, square, NULL);
}

static const ob_operator rows[] = {{
    .struct_bytes = sizeof(ob_operator),
    .domain = "my.domain",
    .name = "Square",
    .since = 1,
    .signature = "f>f",
    .flags = OB_OPERATOR_BROADCASTS | OB_OPERATOR_STRIDED,
    .run = run,
}};
static const ob_operator_library library = {
    OB_OPERATOR_ABI, sizeof(ob_operator_library), "squares", "1.0", rows, 1,
};

OB_OPERATOR_EXPORT const ob_operator_library *onnx_broadcast_operators(uint32_t host_abi) {
    return host_abi == OB_OPERATOR_ABI ? &library : NULL;
}
