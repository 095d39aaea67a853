/* MaxPool, AveragePool, LpPool, and their Global forms.
 *
 * MaxPool 1.. (8: Indices and storage_order, 10: ceil_mode and dilations, 12: int8 and uint8, 22: bfloat16); AveragePool 1..
 * (7: count_include_pad, 10: ceil_mode, 19: dilations); LpPool 1.. (1: p is a float). Any number of spatial axes; float16 and
 * bfloat16 by way of float. Padding never takes part in a maximum, and in a mean only with count_include_pad, which counts
 * the padding but not what ceil_mode lets hang over beyond it. Indices count over
 * the whole input; the first of equal maxima is named. NaN wins a maximum. */
#include "ops/conv/window.h"

typedef enum kind { POOL_MAX, POOL_AVERAGE, POOL_LP } kind;

typedef struct pool {
    ob__window window;
    kind kind;
    double p;
    bool count_padding, column_major;
    const void *in;
    void *out;
    int64_t *indices; /* NULL: not wanted */
} pool;

#define T          int8_t
#define IS_NAN(x)  false
#define NAME(name) name##_int8
#define LOWEST     INT8_MIN
#include "ops/pool/max.inc.h"
#define T          uint8_t
#define IS_NAN(x)  false
#define NAME(name) name##_uint8
#define LOWEST     0
#include "ops/pool/max.inc.h"
#define T          float
#define IS_NAN(x)  isnan(x)
#define NAME(name) name##_float
#define LOWEST     (-INFINITY)
#include "ops/pool/max.inc.h"
#define T          double
#define IS_NAN(x)  isnan(x)
#define NAME(name) name##_double
#define LOWEST     ((double)-INFINITY)
#include "ops/pool/max.inc.h"

#define REAL       float
#define NAME(name) name##_float
#define POW        powf
#include "ops/pool/sum.inc.h"
#define REAL       double
#define NAME(name) name##_double
#define POW        pow
#include "ops/pool/sum.inc.h"

static double read_p(const ob_kernel_args *args) {
    const ob_attribute *a = ob__node_attribute(args->node, "p");
    if (a && a->type == OB_ATTR_FLOAT) return (double)a->u.f;
    return (double)ob__node_int(args->node, "p", 2);
}

static ob_status set_up(const ob_kernel_args *args, pool *p, ob_error *error) {
    const char *op = args->node->op_type;
    const ob_view *in = &args->in[0], *out = &args->out[0];
    OB_TRY(ob__read_window(args, in, out, NULL, &p->window, error));
    OB_FAIL_IF(!ob__node_attribute(args->node, "kernel_shape"), error, OB_E_MODEL, "%s: no kernel_shape", op);
    OB_FAIL_IF(in->dims[0] != out->dims[0] || in->dims[1] != out->dims[1], error, OB_E_SHAPE, "%s: batch or channels change", op);
    p->kind = strcmp(op, "MaxPool") == 0 ? POOL_MAX : strcmp(op, "AveragePool") == 0 ? POOL_AVERAGE : POOL_LP;
    p->p = read_p(args);
    OB_FAIL_IF(!(p->p > 0), error, OB_E_ARGUMENT, "%s: p is %g", op, p->p);
    p->count_padding = ob__node_int(args->node, "count_include_pad", 0) != 0;
    p->column_major = ob__node_int(args->node, "storage_order", 0) != 0;
    return OB_OK;
}

static ob_status pool_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)site;
    OB_TRY(ob__check_type_v1(args, 0, error));
    OB_TRY(set_up(args, args->state, error));
    return ob__plan_real(args, needs, error);
}

static ob_status pool_compute(const ob_kernel_args *args, ob_error *error) {
    pool p = *(const pool *)args->state;
    const ob_view *in = &args->in[0];
    p.in = in->data;
    p.out = args->out[0].data;
    p.indices = ob__wanted(args, 1) ? args->out[1].data : NULL;
    if (ob__count(&args->out[0]) == 0) return OB_OK;
    void (*task)(void *, int64_t, int64_t) = NULL;
    switch (in->dtype) {
    case OB_FLOAT: task = p.kind == POOL_MAX ? max_planes_float : sum_planes_float; break;
    case OB_DOUBLE: task = p.kind == POOL_MAX ? max_planes_double : sum_planes_double; break;
    case OB_INT8: task = p.kind == POOL_MAX ? max_planes_int8 : NULL; break;
    case OB_UINT8: task = p.kind == POOL_MAX ? max_planes_uint8 : NULL; break;
    default: break;
    }
    if (!task) return OB__NO_TYPE_V1(args, error, in->dtype);
    int64_t work = ob__window_work(&p.window);
    ob__parallel(args->threads, in->dims[0] * in->dims[1], (INT64_C(1) << 15) / work + 1, task, &p);
    return OB_OK;
}

static ob_status pool_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, pool_compute, error);
}

const ob_kernel ob__kernel_pool = {.name = "pool", .state_bytes = sizeof(pool), .plan = pool_plan, .run = pool_run};

/* ---- Global pooling: every plane becomes one element ---- */

typedef struct planes {
    kind kind;
    double p;
    int64_t n; /* elements per plane */
    const void *in;
    void *out;
} planes;

#define GLOBAL_POOL(name, type)                                                                                                  \
    static void name(void *context, int64_t begin, int64_t end) {                                                                \
        const planes *g = context;                                                                                               \
        for (int64_t plane = begin; plane < end; plane++) {                                                                      \
            const type *x = (const type *)g->in + plane * g->n;                                                                  \
            double sums[8] = {0}, sum = 0;                                                                                       \
            type highest = g->n > 0 ? x[0] : (type)-INFINITY;                                                                    \
            if (g->kind == POOL_AVERAGE) {                                                                                       \
                for (int64_t i = 0; i + 8 <= g->n; i += 8)                                                                       \
                    for (int l = 0; l < 8; l++) sums[l] += (double)x[i + l];                                                     \
                for (int64_t i = g->n / 8 * 8; i < g->n; i++) sum += (double)x[i];                                               \
                for (int l = 0; l < 8; l++) sum += sums[l];                                                                      \
            } else if (g->kind == POOL_LP) {                                                                                     \
                for (int64_t i = 0; i < g->n; i++)                                                                               \
                    sum += g->p == 2 ? (double)x[i] * (double)x[i] : pow(fabs((double)x[i]), g->p);                              \
            } else {                                                                                                             \
                for (int64_t i = 1; i < g->n; i++)                                                                               \
                    if (x[i] > highest || isnan(x[i])) highest = x[i];                                                           \
            }                                                                                                                    \
            type *y = (type *)g->out + plane;                                                                                    \
            if (g->kind == POOL_MAX)                                                                                             \
                *y = highest;                                                                                                    \
            else if (g->kind == POOL_AVERAGE)                                                                                    \
                *y = (type)(sum / (double)g->n);                                                                                 \
            else                                                                                                                 \
                *y = (type)(g->p == 2 ? sqrt(sum) : pow(sum, 1 / g->p));                                                         \
        }                                                                                                                        \
    }
GLOBAL_POOL(global_float, float)
GLOBAL_POOL(global_double, double)

static ob_status global_pool_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    OB_TRY(ob__check_type_v1(args, 0, error));
    OB_FAIL_IF(in->rank < 2 || ob__count(out) != in->dims[0] * in->dims[1], error, OB_E_SHAPE, "%s: rank %d", site->node->op_type,
               in->rank);
    OB_FAIL_IF(!(read_p(args) > 0), error, OB_E_ARGUMENT, "%s: p is %g", site->node->op_type, read_p(args));
    return ob__plan_real(args, needs, error);
}

static ob_status global_pool_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const char *op = args->node->op_type;
    const ob_view *in = &args->in[0];
    planes g = {.p = read_p(args), .n = ob__product(in->dims, 2, in->rank), .in = in->data, .out = args->out[0].data};
    g.kind = strcmp(op, "GlobalMaxPool") == 0 ? POOL_MAX : strcmp(op, "GlobalAveragePool") == 0 ? POOL_AVERAGE : POOL_LP;
    ob__parallel(args->threads, in->dims[0] * in->dims[1], (INT64_C(1) << 15) / (g.n + 1) + 1,
                 in->dtype == OB_DOUBLE ? global_double : global_float, &g);
    return OB_OK;
}

static ob_status global_pool_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, global_pool_compute, error);
}

const ob_kernel ob__kernel_global_pool = {.name = "global_pool", .plan = global_pool_plan, .run = global_pool_run};
