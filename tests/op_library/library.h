/* Shared by the libraries of this folder. Like any operator library they use the public headers and link nothing. */
#ifndef OB_TESTS_LIBRARY_H
#define OB_TESTS_LIBRARY_H

#include <string.h>

#include "onnx_broadcast/operator.h"

#define HEAD(text) .struct_bytes = sizeof(ob_operator), .domain = "test", .name = text, .since = 1

/* A shape rule: every output as input 0. */
static inline ob_status like_input(ob_operator_call *call) {
    ob_shape shape = call->host->input_shape(call, 0);
    for (uint32_t i = 0; i < call->n_outputs; i++) call->host->set_output(call, i, OB_NONE, shape.rank, shape.dims);
    return OB_OK;
}

static inline ob_status do_nothing(ob_operator_call *call) {
    (void)call;
    return OB_OK;
}

#define LIBRARY(text, rows)                                                                                                      \
    static const ob_operator_library library = {                                                                                 \
        OB_OPERATOR_ABI, sizeof(ob_operator_library), text, "1.0", rows, sizeof rows / sizeof rows[0]};                          \
    OB_OPERATOR_EXPORT const ob_operator_library *onnx_broadcast_operators(uint32_t host_abi) {                                  \
        return host_abi == OB_OPERATOR_ABI ? &library : NULL;                                                                    \
    }

#endif
