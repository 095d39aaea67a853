/* CumSum and CumProd: sums or products of the elements up to here along an axis (input 1); exclusive leaves the own element out,
 * reverse starts at the end. Float, double, int32, int64, uint32, uint64; CumSum 14 and CumProd 26 also float16, bfloat16 (by way
 * of float). Integers wrap. */
#include "ops/kernel/common.h"

typedef struct sums {
    int64_t outer, n, inner;
    bool exclusive, reverse, product;
} sums;

/* Unsigned for the integers: signed overflow is undefined. */
#define ACCUMULATE(name, type)                                                                                                   \
    static void name(const sums *s, const type *x, type *y) {                                                                    \
        for (int64_t o = 0; o < s->outer; o++)                                                                                   \
            for (int64_t k = 0; k < s->inner; k++) {                                                                             \
                type sum = s->product ? 1 : 0;                                                                                   \
                for (int64_t i = 0; i < s->n; i++) {                                                                             \
                    int64_t at = (o * s->n + (s->reverse ? s->n - 1 - i : i)) * s->inner + k;                                    \
                    type before = sum, element = x[at];                                                                          \
                    sum = s->product ? sum * element : sum + element;                                                            \
                    y[at] = s->exclusive ? before : sum;                                                                         \
                }                                                                                                                \
            }                                                                                                                    \
    }
ACCUMULATE(accumulate_float, float)
ACCUMULATE(accumulate_double, double)
ACCUMULATE(accumulate_32, uint32_t)
ACCUMULATE(accumulate_64, uint64_t)

static ob_status cumsum_compute(const ob_kernel_args *args, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    int64_t list[1];
    int32_t n = 0, axis = 0;
    OB_TRY(ob__read_ints(&args->in[1], list, 1, &n, error));
    OB_FAIL_IF(n != 1, error, OB_E_ARGUMENT, "%s: no axis", args->node->op_type);
    OB_TRY(ob__axis(list[0], in->rank, &axis, error));
    OB_FAIL_IF(ob__count(in) != ob__count(out), error, OB_E_SHAPE, "%s: result of another size", args->node->op_type);
    sums s = {.outer = ob__product(in->dims, 0, axis), .n = in->dims[axis], .inner = ob__product(in->dims, axis + 1, in->rank)};
    s.exclusive = ob__node_int(args->node, "exclusive", 0) != 0;
    s.reverse = ob__node_int(args->node, "reverse", 0) != 0;
    s.product = strcmp(args->node->op_type, "CumProd") == 0;
    if (ob__count(in) == 0) return OB_OK;
    switch (in->dtype) {
    case OB_FLOAT: accumulate_float(&s, in->data, out->data); break;
    case OB_DOUBLE: accumulate_double(&s, in->data, out->data); break;
    case OB_INT32:
    case OB_UINT32: accumulate_32(&s, in->data, out->data); break;
    case OB_INT64:
    case OB_UINT64: accumulate_64(&s, in->data, out->data); break;
    default: return OB__NO_TYPE_V1(args, error, in->dtype);
    }
    return OB_OK;
}

static ob_status cumsum_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, cumsum_compute, error);
}

static ob_status cumsum_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)site;
    OB_TRY(ob__check_type_v1(args, 0, error));
    return ob__plan_real(args, needs, error);
}

const ob_kernel ob__kernel_cumsum = {.name = "cumsum", .plan = cumsum_plan, .run = cumsum_run};
