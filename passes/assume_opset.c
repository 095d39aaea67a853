/* A model of a newer operator set, read as an older one. */
#include <string.h>

#include "core/base/error.h"
#include "onnx_broadcast/model.h"
#include "ops/table/op.h"

/* A copy of imports with the domain's at most `opset`; *found: the domain is there. NULL: out of memory. */
static const ob_opset *lowered(ob_model *model, const ob_opset *from, uint32_t n, const char *domain, int64_t opset,
                               bool *found) {
    ob_opset *copy = OB_ARENA_ARRAY(&model->arena, ob_opset, n);
    for (uint32_t i = 0; copy && i < n; i++) {
        copy[i] = from[i];
        if (strcmp(from[i].domain, domain) != 0) continue;
        *found = true;
        if (copy[i].version > opset) copy[i].version = opset;
    }
    return copy;
}

ob_status ob_model_assume_opset(ob_model *model, const char *domain, int64_t opset, ob_error *error) {
    ob_error_clear(error);
    if (!domain || strcmp(domain, "ai.onnx") == 0) domain = "";
    const int64_t newest = ob__newest_opset(domain);
    OB_FAIL_IF(!model, error, OB_E_ARGUMENT, "no model given");
    OB_FAIL_IF(opset < 1 || opset > newest, error, OB_E_ARGUMENT, "opset %lld of %s cannot be assumed: 1 to %lld are known",
               (long long)opset, *domain ? domain : "ai.onnx", (long long)newest);
    bool found = false, ignored = false;
    const ob_opset *opsets = lowered(model, model->opsets, model->n_opsets, domain, opset, &found);
    if (!opsets) return ob__fail(error, OB_E_MEMORY, "out of memory");
    OB_FAIL_IF(!found, error, OB_E_NOT_FOUND, "the model imports no opset of %s", *domain ? domain : "ai.onnx");
    for (uint32_t i = 0; i < model->n_functions; i++) {
        ob_function *function = model->functions[i];
        const ob_opset *own = lowered(model, function->opsets, function->n_opsets, domain, opset, &ignored);
        if (!own) return ob__fail(error, OB_E_MEMORY, "out of memory");
        function->opsets = own;
    }
    model->opsets = opsets;
    if (model->ir_version > OB_NEWEST_IR) model->ir_version = OB_NEWEST_IR;
    return OB_OK;
}
