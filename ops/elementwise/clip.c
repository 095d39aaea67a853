/* Clip: max(x, min), then min(., max), so the upper bound wins if they cross. Bounds are attributes (1, 6) or operands (11); an
 * omitted bound is the least or greatest finite number of the type. NaN stays NaN. */
#include <float.h>
#include <string.h>

#include "core/base/error.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/take.h"
#include "ops/elementwise/element.h"
#include "ops/kernel/members.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

static void set_limits(ob_element_numbers *s, ob_dtype dtype) {
#define LIMITS(type, least, most)                                                                                                \
    do {                                                                                                                         \
        const type low_ = (least);                                                                                               \
        const type high_ = (most);                                                                                               \
        memcpy(s->low, &low_, sizeof low_);                                                                                      \
        memcpy(s->high, &high_, sizeof high_);                                                                                   \
    } while (0)
    switch (dtype) {
    case OB_INT8: LIMITS(int8_t, INT8_MIN, INT8_MAX); break;
    case OB_INT16: LIMITS(int16_t, INT16_MIN, INT16_MAX); break;
    case OB_INT32: LIMITS(int32_t, INT32_MIN, INT32_MAX); break;
    case OB_INT64: LIMITS(int64_t, INT64_MIN, INT64_MAX); break;
    case OB_UINT8: LIMITS(uint8_t, 0, UINT8_MAX); break;
    case OB_UINT16: LIMITS(uint16_t, 0, UINT16_MAX); break;
    case OB_UINT32: LIMITS(uint32_t, 0, UINT32_MAX); break;
    case OB_UINT64: LIMITS(uint64_t, 0, UINT64_MAX); break;
    case OB_FLOAT16: LIMITS(uint16_t, 0xfbff, 0x7bff); break;
    case OB_BFLOAT16: LIMITS(uint16_t, 0xff7f, 0x7f7f); break;
    case OB_DOUBLE: LIMITS(double, -DBL_MAX, DBL_MAX); break;
    default: LIMITS(float, -FLT_MAX, FLT_MAX); break;
    }
#undef LIMITS
}

/* The bounds of versions 1 and 6. */
static void set_params(const ob_node *node, ob_dtype dtype, obk_unary_params *params) {
    double greatest = dtype == OB_DOUBLE ? DBL_MAX : dtype == OB_FLOAT16 ? 65504 : (double)FLT_MAX;
    bool low = ob__node_attribute(node, "min") != NULL, high = ob__node_attribute(node, "max") != NULL;
    params->alpha = low ? (double)ob__attribute_float(node, "min") : -greatest;
    params->beta = high ? (double)ob__attribute_float(node, "max") : greatest;
}

static bool given(const ob_kernel_args *args, uint32_t k) {
    return k < args->n_in && args->in[k].dtype != OB_NONE;
}

static ob_status element(const ob_kernel_site *site, const ob_kernel_args *args, ob_element_call *call, ob_error *error) {
    ob_element_numbers *s = call->numbers;
    OB_FAIL_IF(args->n_in < 1 || args->n_out != 1, error, OB_E_MODEL, "an input and an output are needed");
    const ob_dtype dtype = args->in[0].dtype;
    for (uint32_t k = 1; k < 3; k++) {
        if (!given(args, k)) continue;
        OB_FAIL_IF(args->in[k].dtype != dtype, error, OB_E_TYPE, "bound of type %s for %s", ob_dtype_name(args->in[k].dtype),
                   ob_dtype_name(dtype));
        OB_FAIL_IF(ob_view_count(&args->in[k]) != 1, error, OB_E_SHAPE, "a bound must be a scalar");
    }
    const bool by_attributes = site->op->since < 11;
    call->n_in = by_attributes ? 1 : 3;
    call->spec.params = &s->params;
    call->spec.params_type = &obk_unary_params_struct;
    if (by_attributes) set_params(site->node, dtype, &s->params);
    const obk_row row = by_attributes ? OBK_ROW(unary, [OBK_U_CLIP]) : OBK_ROW(clip, );
    if (!ob__element_loop(row, dtype, dtype, call->n_in, &call->spec)) return ob__unsupported_type(site, dtype, error);
    if (by_attributes) return OB_OK;
    set_limits(s, dtype);
    call->few[0] = args->in[0];
    for (uint32_t k = 1; k < 3; k++) { /* bounds are scalars, whatever their rank */
        call->few[k] = (ob_view){.dtype = dtype};
        if (!given(args, k)) call->spec.fixed[k] = k == 1 ? s->low : s->high;
    }
    call->in = call->few;
    return OB_OK;
}

const ob_kernel ob__kernel_clip = {.name = "clip",
                                   .flags = OB_KERNEL_STRIDED | OB_KERNEL_INPLACE,
                                   .state_bytes = sizeof(ob_element),
                                   .plan = ob__element_plan,
                                   OB_RUNS(ob__element_run),
                                   .state = &ob__element_struct,
                                   .element = element};
