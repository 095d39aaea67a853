/* Gemm: Y = alpha * A' * B' + beta * C, A' and B' transposed on demand, C stretched one way to (M, N).
 *
 * Opset 1 and 6 (C stretches only with `broadcast` = 1, which the shape rule checks), 7, 9 (integers too), 11 (C optional), 13
 * (bfloat16). float16 and bfloat16 are computed in float; integers wrap, and go through double only when alpha or beta is not 1.
 */
#include "ops/kernel/common.h"
#include "ops/product/blas.h"

typedef struct gemm {
    int64_t m, n, k;
    bool transpose_a, transpose_b;
    float alpha, beta;
} gemm;

static ob_status set_up(const ob_kernel_args *args, gemm *g, ob_error *error) {
    const ob_view *a = &args->in[0], *b = &args->in[1], *out = &args->out[0];
    OB_FAIL_IF(a->rank != 2 || b->rank != 2 || out->rank != 2, error, OB_E_SHAPE, "Gemm: A, B and Y are matrices");
    g->transpose_a = ob__node_int(args->node, "transA", 0) != 0;
    g->transpose_b = ob__node_int(args->node, "transB", 0) != 0;
    g->alpha = ob__node_float(args->node, "alpha", 1);
    g->beta = ob__given(args, 2) ? ob__node_float(args->node, "beta", 1) : 0;
    g->m = a->dims[g->transpose_a];
    g->k = a->dims[!g->transpose_a];
    g->n = b->dims[!g->transpose_b];
    bool bad = b->dims[g->transpose_b] != g->k || out->dims[0] != g->m || out->dims[1] != g->n;
    OB_FAIL_IF(bad, error, OB_E_SHAPE, "Gemm: %lldx%lld times %lldx%lld is not %lldx%lld", (long long)g->m, (long long)g->k,
               (long long)b->dims[g->transpose_b], (long long)g->n, (long long)out->dims[0], (long long)out->dims[1]);
    return OB_OK;
}

/* Y = C stretched. */
static ob_status stretch_c(const ob_kernel_args *args, ob_error *error) {
    const ob_view *c = &args->in[2], *out = &args->out[0];
    int64_t strides[2] = {0, 0};
    OB_FAIL_IF(c->rank > 2, error, OB_E_SHAPE, "Gemm: C has rank %d", c->rank);
    for (int32_t i = 0; i < c->rank; i++) {
        int32_t axis = 2 - c->rank + i;
        if (c->dims[i] == out->dims[axis])
            strides[axis] = c->strides[i];
        else if (c->dims[i] != 1)
            return ob__fail(error, OB_E_SHAPE, "Gemm: C axis %d: %lld does not broadcast to %lld", i, (long long)c->dims[i],
                            (long long)out->dims[axis]);
    }
    ob__copy(2, out->dims, ob_dtype_size(out->dtype), out->data, out->strides, c->data, strides);
    return OB_OK;
}

static double scaled(const gemm *g, double sum, double c) {
    return (double)g->alpha * sum + (g->beta != 0 ? (double)g->beta * c : 0);
}

/* U is the unsigned type of T's width. Y holds the stretched C. */
#define INTEGER_GEMM(T, U, CONVERT)                                                                                              \
    {                                                                                                                            \
        const U *a = args->in[0].data, *b = args->in[1].data;                                                                    \
        U *y = args->out[0].data;                                                                                                \
        bool plain = g->alpha == 1 && (g->beta == 1 || g->beta == 0);                                                            \
        for (int64_t i = 0; i < g->m; i++)                                                                                       \
            for (int64_t j = 0; j < g->n; j++, y++) {                                                                            \
                U sum = 0;                                                                                                       \
                for (int64_t l = 0; l < g->k; l++)                                                                               \
                    sum += (g->transpose_a ? a[l * g->m + i] : a[i * g->k + l]) *                                                \
                           (g->transpose_b ? b[j * g->k + l] : b[l * g->n + j]);                                                 \
                *y = plain ? sum + (g->beta != 0 ? *y : 0) : (U)CONVERT(scaled(g, (double)(T)sum, (double)(T)*y));               \
            }                                                                                                                    \
    }

static void integer_gemm(const ob_kernel_args *args, const gemm *g) {
    switch (args->in[0].dtype) {
    case OB_INT32: INTEGER_GEMM(int32_t, uint32_t, ob__int64_from) break;
    case OB_UINT32: INTEGER_GEMM(uint32_t, uint32_t, ob__int64_from) break;
    case OB_INT64: INTEGER_GEMM(int64_t, uint64_t, ob__int64_from) break;
    default: INTEGER_GEMM(uint64_t, uint64_t, ob__uint64_from) break;
    }
}

typedef struct job {
    const ob_kernel_args *args;
    gemm g;
    ob__product_cut cut;
} job;

static void gemm_parts(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const gemm *g = &j->g;
    int64_t lda = g->transpose_a ? g->m : g->k, ldb = g->transpose_b ? g->k : g->n;
    if (lda < 1) lda = 1;
    if (ldb < 1) ldb = 1;
    for (int64_t i = begin; i < end; i++) {
        ob__product_part part = ob__part_of_product(&j->cut, g->m, g->n, i);
        int64_t a = part.row * (g->transpose_a ? 1 : lda), b = part.column * (g->transpose_b ? ldb : 1);
        int64_t y = part.row * g->n + part.column;
        if (j->args->in[0].dtype == OB_FLOAT) {
            ob__gemm_float(g->transpose_a, g->transpose_b, part.rows, part.columns, g->k, g->alpha,
                           (const float *)j->args->in[0].data + a, lda, (const float *)j->args->in[1].data + b, ldb, g->beta,
                           (float *)j->args->out[0].data + y, g->n);
        } else {
            ob__gemm_double(g->transpose_a, g->transpose_b, part.rows, part.columns, g->k, (double)g->alpha,
                            (const double *)j->args->in[0].data + a, lda, (const double *)j->args->in[1].data + b, ldb,
                            (double)g->beta, (double *)j->args->out[0].data + y, g->n);
        }
    }
}

static ob_status gemm_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    gemm g = {0};
    OB_TRY(set_up(args, &g, error));
    OB_FAIL_IF(!ob__blas_fits(g.m) || !ob__blas_fits(g.n) || !ob__blas_fits(g.k), error, OB_E_LIMIT,
               "Gemm: a matrix has over 2^31 - 1 rows or columns");
    ob_dtype dtype = args->in[0].dtype;
    OB_FAIL_IF(!(site->op->types[0] >> dtype & 1), error, OB_E_TYPE, "Gemm-%d does not take %s", site->op->since,
               ob_dtype_name(dtype));
    ob__blas_single_thread();
    return ob__plan_real(args, needs, error);
}

static ob_status gemm_compute(const ob_kernel_args *args, ob_error *error) {
    job j = {.args = args};
    OB_TRY(set_up(args, &j.g, error));
    if (ob__count(&args->out[0]) == 0) return OB_OK;
    if (j.g.beta != 0) OB_TRY(stretch_c(args, error));
    if (!ob__is_real(args->in[0].dtype)) {
        integer_gemm(args, &j.g);
        return OB_OK;
    }
    j.cut = ob__cut_product(j.g.m, j.g.n, j.g.k);
    ob__parallel_products(args->threads, &j.cut, 1, gemm_parts, &j);
    return OB_OK;
}

static ob_status gemm_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, gemm_compute, error);
}

const ob_kernel ob__kernel_gemm = {.name = "gemm", .plan = gemm_plan, .run = gemm_run};
