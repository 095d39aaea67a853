/* Clip: max(x, min), then min(., max), so the upper bound wins if they cross. Bounds are attributes (1, 6) or operands (11); an
 * omitted bound is the least or greatest finite number of the type. NaN stays NaN. */
#include <float.h>
#include <string.h>

#include "core/base/error.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/kernels.h"
#include "ops/elementwise/element.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

typedef struct state {
    obk_iteration iteration;
    obk_unary_params params;
    /* the least and the greatest number of the type, for omitted bounds */
    _Alignas(16) unsigned char low[8], high[8];
} state;

static void set_limits(state *s, ob_dtype dtype) {
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

/* The three operands of the loop: x and the two bounds. */
static void operands(const ob_kernel_args *args, state *s, ob_view *in) {
    in[0] = args->in[0];
    for (uint32_t k = 1; k < 3; k++) {
        in[k] = (ob_view){.dtype = in[0].dtype, .data = k == 1 ? s->low : s->high};
        if (given(args, k)) in[k].data = args->in[k].data;
    }
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    state *s = args->state;
    OB_FAIL_IF(args->n_in < 1 || args->n_out != 1, error, OB_E_MODEL, "an input and an output are needed");
    ob_dtype dtype = args->in[0].dtype;
    for (uint32_t k = 1; k < 3; k++) {
        if (!given(args, k)) continue;
        OB_FAIL_IF(args->in[k].dtype != dtype, error, OB_E_TYPE, "bound of type %s for %s", ob_dtype_name(args->in[k].dtype),
                   ob_dtype_name(dtype));
        OB_FAIL_IF(ob_view_count(&args->in[k]) != 1, error, OB_E_SHAPE, "a bound must be a scalar");
    }
    obk_iteration_spec spec = {0};
    if (site->op->since < 11) {
        set_params(site->node, dtype, &s->params);
        spec.params = &s->params;
        if (!ob__element_loop(ob__kernels()->unary[OBK_U_CLIP], dtype, dtype, 1, &spec))
            return ob__unsupported_type(site, dtype, error);
        return obk_iteration_plan(&s->iteration, args->in, 1, &args->out[0], &spec, site->arena, &needs->lane_bytes, error);
    }
    if (!ob__element_loop(ob__kernels()->clip, dtype, dtype, 3, &spec)) return ob__unsupported_type(site, dtype, error);
    set_limits(s, dtype);
    ob_view in[3];
    operands(args, s, in);
    return obk_iteration_plan(&s->iteration, in, 3, &args->out[0], &spec, site->arena, &needs->lane_bytes, error);
}

static ob_status run(const ob_kernel_args *args, ob_error *error) {
    state *s = args->state;
    if (s->iteration.nd.n_inputs == 1) return ob__element_run(args, error);
    ob_view in[3];
    operands(args, s, in);
    obk_iteration_run(&s->iteration, in, &args->out[0], args->threads, args->lanes, args->lane_stride);
    return OB_OK;
}

const ob_kernel ob__kernel_clip = {
    .name = "clip", .flags = OB_KERNEL_STRIDED | OB_KERNEL_INPLACE, .state_bytes = sizeof(state), .plan = plan, .run = run};
