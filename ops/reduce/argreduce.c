/* ArgMax, ArgMin: the index along `axis` of the largest or smallest element; opset 1.., all numbers, 13 also bfloat16.
 * select_last_index (12..) chooses the last of equals, else the first. The first (last) NaN wins, as in NumPy. */
#include "ops/kernel/common.h"

typedef struct search {
    const void *in;
    int64_t *out;
    int64_t n, inner;
    bool smallest, last;
} search;

#define T          float
#define NAME(name) name##_float
#define IS_NAN(x)  isnan(x)
#include "ops/reduce/argreduce.inc.h"
#define T          double
#define NAME(name) name##_double
#define IS_NAN(x)  isnan(x)
#include "ops/reduce/argreduce.inc.h"
#define T          int8_t
#define NAME(name) name##_int8
#define IS_NAN(x)  ((void)(x), false)
#include "ops/reduce/argreduce.inc.h"
#define T          uint8_t
#define NAME(name) name##_uint8
#define IS_NAN(x)  ((void)(x), false)
#include "ops/reduce/argreduce.inc.h"
#define T          int16_t
#define NAME(name) name##_int16
#define IS_NAN(x)  ((void)(x), false)
#include "ops/reduce/argreduce.inc.h"
#define T          uint16_t
#define NAME(name) name##_uint16
#define IS_NAN(x)  ((void)(x), false)
#include "ops/reduce/argreduce.inc.h"
#define T          int32_t
#define NAME(name) name##_int32
#define IS_NAN(x)  ((void)(x), false)
#include "ops/reduce/argreduce.inc.h"
#define T          uint32_t
#define NAME(name) name##_uint32
#define IS_NAN(x)  ((void)(x), false)
#include "ops/reduce/argreduce.inc.h"
#define T          int64_t
#define NAME(name) name##_int64
#define IS_NAN(x)  ((void)(x), false)
#include "ops/reduce/argreduce.inc.h"
#define T          uint64_t
#define NAME(name) name##_uint64
#define IS_NAN(x)  ((void)(x), false)
#include "ops/reduce/argreduce.inc.h"

static ob_status argreduce_compute(const ob_kernel_args *args, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    int32_t axis = 0;
    /* a scalar is one element: index 0 */
    if (in->rank > 0) OB_TRY(ob__axis(ob__node_int(args->node, "axis", 0), in->rank, &axis, error));
    search s = {.in = in->data, .out = out->data, .n = in->rank > 0 ? in->dims[axis] : 1};
    s.inner = in->rank > 0 ? ob__product(in->dims, axis + 1, in->rank) : 1;
    s.smallest = strcmp(args->node->op_type, "ArgMin") == 0;
    s.last = ob__node_int(args->node, "select_last_index", 0) != 0;
    int64_t outer = ob__product(in->dims, 0, axis), n_out = ob__count(out);
    OB_FAIL_IF(outer * s.inner != n_out, error, OB_E_SHAPE, "%s: the result has %lld elements", args->node->op_type,
               (long long)n_out);
    OB_FAIL_IF(s.n == 0, error, OB_E_SHAPE, "%s over axis %d of size 0", args->node->op_type, axis);
    if (n_out == 0) return OB_OK;
    void (*task)(void *, int64_t, int64_t) = NULL;
    switch (in->dtype) {
    case OB_FLOAT: task = search_float; break;
    case OB_DOUBLE: task = search_double; break;
    case OB_INT8: task = search_int8; break;
    case OB_UINT8: task = search_uint8; break;
    case OB_INT16: task = search_int16; break;
    case OB_UINT16: task = search_uint16; break;
    case OB_INT32: task = search_int32; break;
    case OB_UINT32: task = search_uint32; break;
    case OB_INT64: task = search_int64; break;
    case OB_UINT64: task = search_uint64; break;
    default: return OB__NO_TYPE_V1(args, error, in->dtype);
    }
    ob__parallel(args->threads, n_out, (INT64_C(1) << 15) / s.n + 1, task, &s);
    return OB_OK;
}

static ob_status argreduce_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, argreduce_compute, error);
}

static ob_status argreduce_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)site;
    OB_TRY(ob__check_type_v1(args, 0, error));
    return ob__plan_real(args, needs, error);
}

const ob_kernel ob__kernel_argreduce = {.name = "argreduce", .plan = argreduce_plan, .run = argreduce_run};
