/* Inputs for a session whose numbers do not matter, and what its model needs. */
#ifndef OB_TESTS_ONES_H
#define OB_TESTS_ONES_H

#include <stdlib.h>
#include <string.h>

#include "core/graph/types.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "ops/kernel/common.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"

/* All elements are 1, open sizes are 2. False: an input is no tensor, or too large. The caller frees inputs[i].data, which is
 * NULL at first, in either case. */
static inline bool make_ones(const ob_session *session, size_t most, ob_view *inputs, size_t *n_inputs) {
    *n_inputs = ob_session_input_count(session);
    if (*n_inputs > most) return false;
    for (size_t i = 0; i < *n_inputs; i++) {
        static const ob_string digit = {"1", 1};
        ob_session_value info = {0};
        int64_t dims[OB_MAX_RANK], count = 1;
        if (!ob_session_input(session, i, &info) || info.shape.rank < 0 || info.dtype == OB_NONE) return false;
        for (int32_t k = 0; k < info.shape.rank; k++) {
            dims[k] = ob_dim_is_const(info.shape.dims[k]) && info.shape.dims[k] >= 0 ? (int64_t)info.shape.dims[k] : 2;
            if (__builtin_mul_overflow(count, dims[k], &count) || count > 1 << 24) return false;
        }
        char *data = calloc((size_t)count + 1, 16);
        if (!data) return false;
        const float one = 1;
        for (int64_t k = 0; k < count; k++) {
            char *element = data + (size_t)k * ob_dtype_size(info.dtype);
            if (info.dtype == OB_STRING)
                memcpy(element, &digit, sizeof digit);
            else
                (void)ob__convert(element, info.dtype, &one, OB_FLOAT, 1, NULL);
        }
        inputs[i].data = data;
        if (ob_view_init(&inputs[i], data, info.dtype, info.shape.rank, dims) != OB_OK) return false;
    }
    return true;
}

/* True if other libraries, which have allocators and stacks of their own, do the work of a node. */
static inline bool has_libraries(const ob_graph *graph) {
    for (const ob_node *node = graph->first; node; node = node->next)
        if (node->op && node->op->kernel && node->op->kernel->libraries) return true;
    return false;
}

#endif
