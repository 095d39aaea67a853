/* Broadcast(X0 ... XL) -> (Z0 ... ZL): each Zi is Xi stretched to the common shape, with Xi's type. */
#include <stdlib.h>

#include "ort/plugin.h"

enum { FEW = 8 }; /* operands that need no memory from the heap */

/* ONNX Runtime shows an operand of unknown rank as it shows a scalar. With such an operand nothing is inferred. Type and shape
 * then come from the model's value_info, which the rewriter writes. A wrong shape would be worse than none. */
static ob_status infer(ob__ort_inference *inference, ob_broadcast_result *result, ob_error *error) {
    for (size_t i = 0; i < inference->n_inputs; i++)
        if (inference->shapes[i].rank == 0) return OB_OK;
    return ob_broadcast_shapes(inference->shapes, inference->n_inputs, inference->pool, NULL, NULL, result, error);
}

static OrtStatus *create(ob__ort_kernel *kernel, const OrtKernelInfo *info) {
    (void)info;
    if (kernel->n_outputs > kernel->n_inputs)
        return ob__ort_failf(kernel, OB_E_MODEL, "%zu outputs for %zu inputs: every output belongs to one input",
                             kernel->n_outputs, kernel->n_inputs);
    return NULL;
}

static ob_status check(const ob__ort_kernel *kernel, const ob_shape *shapes, ob_dims *pool, ob_condition_sink sink, void *context,
                       ob_error *error) {
    ob_broadcast_result result;
    return ob_broadcast_shapes(shapes, kernel->n_inputs, pool, sink, context, &result, error);
}

static OrtStatus *stretch_all(const ob__ort_kernel *kernel, OrtKernelContext *context, ob__ort_operand *operands,
                              ob_shape *shapes) {
    size_t n = kernel->n_inputs;
    for (size_t i = 0; i < n; i++) {
        OB__ORT_TRY(ob__ort_operand_get(kernel, context, i, &operands[i]));
        shapes[i] = (ob_shape){operands[i].rank, operands[i].dims};
    }
    ob_broadcast_result result;
    if (ob_broadcast_shapes(shapes, n, NULL, NULL, NULL, &result, NULL) != OB_OK) {
        ob_error error;
        ob_error_clear(&error);
        error.code = ob_broadcast_shapes(shapes, n, NULL, NULL, NULL, &result, &error);
        return ob__ort_fail(kernel, &error);
    }
    for (size_t i = 0; i < kernel->n_outputs; i++) {
        int64_t axes[OB_MAX_RANK];
        for (int32_t k = 0; k < operands[i].rank; k++) axes[k] = result.rank - operands[i].rank + k;
        OB__ORT_TRY(ob__ort_produce(kernel, context, i, &operands[i], axes, result.rank, result.dims));
    }
    return NULL;
}

static OrtStatus *run(const ob__ort_kernel *kernel, OrtKernelContext *context) {
    ob__ort_operand few[FEW], *operands = few;
    ob_shape few_shapes[FEW], *shapes = few_shapes;
    if (kernel->n_inputs <= FEW) return stretch_all(kernel, context, operands, shapes);
    operands = malloc(kernel->n_inputs * sizeof *operands);
    shapes = malloc(kernel->n_inputs * sizeof *shapes);
    OrtStatus *status =
        operands && shapes ? stretch_all(kernel, context, operands, shapes) : ob__ort_failf(kernel, OB_E_MEMORY, "out of memory");
    free(shapes);
    free(operands);
    return status;
}

static int shared[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                       16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

const ob__ort_row ob__ort_broadcast = {.name = "Broadcast",
                                       .n_shared = sizeof shared / sizeof shared[0],
                                       .shared = shared,
                                       .infer = infer,
                                       .create = create,
                                       .check = check,
                                       .run = run};
