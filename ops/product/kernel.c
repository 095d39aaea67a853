/* MatMul: Y[..., m, n] = the sum over k of A[..., m, k] * B[..., k, n]. Gemm: Y = alpha * A' * B' + beta * C, where A' and B' may
 * be transposed and C broadcasts to (M, N).
 *
 * MatMul 1 floats, 9 also int32, int64, uint32, uint64 (wrapping), 13 also bfloat16. Batch dimensions broadcast with stride 0. A
 * 1-d A gets a leading, a 1-d B a trailing dimension of 1, which the result does not have. K = 0 gives zeros. Gemm 1 and 6 (C
 * broadcasts only with `broadcast` = 1, which the shape rule checks), 7, 9 (also integers), 11 (C optional), 13 (bfloat16).
 * Integers are computed in double if alpha or beta is not 1. float16 and bfloat16 are computed in float.
 *
 * Operands with dense rows or columns are read in place, but A is packed where its rows fall into few sets of the caches. A
 * constant B is packed once if several rows use it. With relaxed numerics, OpenBLAS computes large products. */
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "kernels/gemm/gemm.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/epilogue.h"
#include "ops/kernel/members.h"
#include "ops/kernel/method.h"
#include "ops/kernel/packed.h"
#include "ops/product/blas.h"
#include "ops/product/einsum.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

/* The preparation of an operand before it is multiplied. */
typedef struct operand {
    bool transposed;
    bool flattened, converted; /* made contiguous; then converted to the computing type */
    bool copied;               /* copied, because neither rows nor columns are dense */
    int8_t prepared;           /* index of the packed constant; -1: not packed */
} operand;

typedef struct product {
    ob_matrices p;
    const obk_gemm *gemm;
    ob_dtype computing;
    double alpha, beta;
    int64_t c_row, c_column;
    operand a, b, c;
    bool has_c, out_converted, packs_a; /* packs_a: A is packed in each run */
    ob_product_method method;
    ob_blas *blas;
    const ob_epilogue *epilogue;
    size_t registers_at; /* of the epilogue, in lane memory */
} product;

static const ob_member operand_members[] = {OB_VALUE(operand, transposed), OB_VALUE(operand, flattened),
                                            OB_VALUE(operand, converted), OB_VALUE(operand, copied), OB_VALUE(operand, prepared)};
static const ob_struct operand_struct = OB_STRUCT(operand, operand_members);

static const ob_member product_members[] = {OB_NESTED(product, p, &ob__matrices_struct),
                                            OB_POINTER(product, gemm, &obk_gemm_struct, NULL),
                                            OB_VALUE(product, computing),
                                            OB_VALUE(product, alpha),
                                            OB_VALUE(product, beta),
                                            OB_VALUE(product, c_row),
                                            OB_VALUE(product, c_column),
                                            OB_NESTED(product, a, &operand_struct),
                                            OB_NESTED(product, b, &operand_struct),
                                            OB_NESTED(product, c, &operand_struct),
                                            OB_VALUE(product, has_c),
                                            OB_VALUE(product, out_converted),
                                            OB_VALUE(product, packs_a),
                                            OB_VALUE(product, method),
                                            OB_ONLY_NULL(product, blas),
                                            OB_POINTER(product, epilogue, &ob__epilogue_struct, NULL),
                                            OB_SIZE(product, registers_at)};
const ob_struct ob__product_struct = OB_STRUCT(product, product_members);

static void transpose(ob_view *view) {
    int32_t r = view->rank - 1, c = view->rank - 2;
    int64_t dim = view->dims[r], stride = view->strides[r];
    view->dims[r] = view->dims[c];
    view->strides[r] = view->strides[c];
    view->dims[c] = dim;
    view->strides[c] = stride;
}

static ob_dtype computing_type(ob_dtype dtype) {
    return ob__dtype_is_half(dtype) ? OB_FLOAT : dtype;
}

static int gemm_index(ob_dtype computing) {
    switch (computing) {
    case OB_FLOAT: return OBK_GEMM_FLOAT;
    case OB_DOUBLE: return OBK_GEMM_DOUBLE;
    case OB_INT32: return OBK_GEMM_INT32;
    case OB_UINT32: return OBK_GEMM_UINT32;
    case OB_INT64: return OBK_GEMM_INT64;
    default: return OBK_GEMM_UINT64;
    }
}

/* The view of an operand as it is multiplied, if it is not packed. */
static ob_view planned_view(const product *s, const ob_view *in, operand *o) {
    ob_view view = *in;
    o->prepared = -1;
    o->converted = view.dtype != s->computing;
    o->flattened = o->converted && !ob__is_contiguous(in);
    view.dtype = s->computing;
    if (o->converted) ob__contiguous_strides(view.rank, view.dims, ob_dtype_size(view.dtype), view.strides);
    if (o->transposed) transpose(&view);
    return view;
}

static ob_status need_operand(const product *s, const ob_view *in, const operand *o, ob_kernel_needs *needs, ob_error *error) {
    int64_t n = ob__count(in);
    if (o->prepared >= 0) return OB_OK;
    if (o->converted) ob__need_conversion(needs, in->dtype, s->computing);
    if (o->flattened) OB_TRY(ob__need_scratch(needs, n, ob_dtype_size(in->dtype), error));
    if (o->converted || o->copied) OB_TRY(ob__need_scratch(needs, n, ob_dtype_size(s->computing), error));
    return OB_OK;
}

/* Takes the memory that need_operand requested and prepares the operand. */
static ob_status take_operand(const product *s, const ob_kernel_args *args, uint32_t i, const operand *o, char **scratch,
                              const void **out, ob_error *error) {
    const ob_view *in = &args->in[i];
    const ob_threads *threads = args->threads;
    int64_t n = ob__count(in);
    *out = in->data;
    if (o->flattened) {
        void *flat = ob__take(scratch, n, ob_dtype_size(in->dtype));
        ob__copy_contiguous(in, flat, threads);
        *out = flat;
    }
    if (!o->converted && !o->copied) return OB_OK;
    void *to = ob__take(scratch, n, ob_dtype_size(s->computing));
    const void *from = *out;
    *out = to;
    if (o->converted) return ob__convert_many(args, to, s->computing, from, in->dtype, n, error);
    ob_view view = *in;
    if (o->transposed) transpose(&view);
    ob__copy_contiguous(&view, to, threads);
    return OB_OK;
}

/* The strides of Gemm's C as it broadcasts to (M, N). */
static ob_status place_c(product *s, const ob_view *c, ob_error *error) {
    ob_view view = planned_view(s, c, &s->c);
    int64_t width = (int64_t)ob_dtype_size(s->computing), *steps[2] = {&s->c_row, &s->c_column}, sizes[2] = {s->p.m, s->p.n};
    OB_FAIL_IF(view.rank > 2, error, OB_E_SHAPE, "C has rank %d", view.rank);
    for (int32_t i = 0; i < view.rank; i++) {
        int32_t axis = 2 - view.rank + i;
        OB_FAIL_IF(view.dims[i] != sizes[axis] && view.dims[i] != 1, error, OB_E_SHAPE,
                   "C axis %d: %lld does not broadcast to %lld", i, (long long)view.dims[i], (long long)sizes[axis]);
        s->c.copied = s->c.copied || view.strides[i] % width != 0;
        if (axis == 1 && view.dims[i] != 1) s->c.copied = s->c.copied || (view.strides[i] != 0 && view.strides[i] != width);
    }
    if (s->c.copied) ob__contiguous_strides(view.rank, view.dims, (size_t)width, view.strides);
    for (int32_t i = 0; i < view.rank; i++)
        if (view.dims[i] != 1) *steps[2 - view.rank + i] = view.strides[i] / width;
    return OB_OK;
}

/* Lets OpenBLAS compute large products. A constant B that must be converted is packed instead. */
static void choose_blas(const ob_kernel_site *site, product *s, const ob_view *b) {
    const ob_matrices *p = &s->p;
    bool real = ob__dtype_is_real(s->computing);
    if (!site->blas || !real || (b->data && s->b.converted)) return;
    const obk_gemm_call call = {.m = p->m,
                                .n = p->n,
                                .k = p->k,
                                .a_row = p->a.row,
                                .a_k = p->a.column,
                                .b_k = p->b.row,
                                .b_column = p->b.column,
                                .y_row = p->n,
                                .alpha = s->alpha};
    if (!ob__blas_gains(p->m, p->n, p->k) || !ob__blas_takes(&call)) return;
    s->method = OB_BY_BLAS;
    s->blas = site->blas;
}

/* A matrix that is multiplied by one row is read once in a run, so packing it pays off only if it would be converted each time.
 */
static bool gains_by_packing(const product *s) {
    const ob_matrices *p = &s->p;
    return s->gemm->pack_b && s->method != OB_BY_COLUMN && s->method != OB_BY_BLAS && (p->m > 1 || s->b.converted) && p->m > 0 &&
           p->n > 0 && p->k > 0;
}

static int64_t packed_rows(const product *s) {
    return ob__round_up(s->p.m, s->gemm->mr);
}

/* Rows that lie a multiple of 4 KiB apart share few sets of a cache, and of a transposed A each step along k is in another page.
 * A copy in the order of the tiles gains more than it costs if many columns read it (adr/0062). */
static bool gains_by_packing_a(const product *s) {
    enum { LEAST_ROWS = 16, LEAST_COLUMNS = 512, LEAST_K = 384, SAME_SETS = 4096, FAR = 2048 };
    const int64_t most_bytes = 1 << 26, width = (int64_t)ob_dtype_size(s->computing);
    const ob_matrices *p = &s->p;
    int64_t elements;
    if (s->method != OB_BY_TILES || !s->gemm->pack_a || p->n_batch > 0 || p->m < LEAST_ROWS || p->n < LEAST_COLUMNS ||
        p->k < LEAST_K)
        return false;
    if (ob__mul_overflows(packed_rows(s), p->k, &elements) || elements > most_bytes / width) return false;
    return p->a.column == 1 ? p->a.row * width % SAME_SETS == 0 : p->a.column >= FAR / width;
}

/* Only the loops that this product calls, so that a plan that is written as C links no others. */
static ob_status keep_used(const ob_kernel_site *site, product *s, ob_error *error) {
    const bool by_row = s->method == OB_BY_ROW || s->method == OB_BY_COLUMN;
    obk_gemm *used = ob__tail(site, 1, sizeof *used);
    OB_FAIL_IF(!used, error, OB_E_MEMORY, "no memory for a plan");
    *used = *s->gemm;
    if (by_row)
        used->product = NULL;
    else
        used->row = NULL;
    if (!s->packs_a) used->pack_a = NULL;
    s->gemm = used;
    return OB_OK;
}

static ob_status plan_product(const ob_kernel_site *site, product *s, ob_kernel_args *args, ob_kernel_needs *needs,
                              ob_error *error) {
    const ob_view *in = args->in;
    OB_TRY(ob__check_type(site, args, 0, error));
    s->computing = computing_type(in[0].dtype);
    s->gemm = OBK_ELEMENT(gemm, [gemm_index(s->computing)], .product);
    ob_view a = planned_view(s, &in[0], &s->a), b = planned_view(s, &in[1], &s->b);
    OB_TRY(ob__matrices(site, &a, &b, &args->out[0], true, &s->p, error));
    s->a.copied = s->p.a.copied;
    s->b.copied = s->p.b.copied;
    s->method = ob__product_method(&s->p, s->gemm);
    choose_blas(site, s, &in[1]);
    if (in[1].data && !site->constants_in_place && gains_by_packing(s)) {
        s->method = OB_BY_TILES;
        s->b.prepared = (int8_t)needs->n_prepared;
        OB_TRY(ob__want_packed_b(site, &s->p, s->gemm, &in[1], s->b.transposed, s->computing, needs, error));
        needs->prepared[s->b.prepared].replaces = true;
    }
    if (s->has_c) OB_TRY(place_c(s, &in[2], error));
    s->packs_a = gains_by_packing_a(s);
    if (s->method == OB_BY_BLAS)
        ob__cut_coarsely(&s->p);
    else
        ob__cut_matrices(&s->p, s->packs_a, s->b.prepared >= 0);
    OB_TRY(need_operand(s, &in[0], &s->a, needs, error));
    if (s->packs_a) OB_TRY(ob__need_scratch(needs, packed_rows(s) * s->p.k, ob_dtype_size(s->computing), error));
    OB_TRY(need_operand(s, &in[1], &s->b, needs, error));
    if (s->has_c) OB_TRY(need_operand(s, &in[2], &s->c, needs, error));
    s->out_converted = args->out[0].dtype != s->computing;
    if (s->out_converted) ob__need_conversion(needs, s->computing, args->out[0].dtype);
    if (s->out_converted) OB_TRY(ob__need_scratch(needs, ob__count(&args->out[0]), ob_dtype_size(s->computing), error));
    if (s->method == OB_BY_TILES && s->b.prepared < 0) needs->lane_bytes = obk_panel_bytes(s->gemm, s->p.k);
    OB_TRY(keep_used(site, s, error));
    s->epilogue = site->epilogue;
    s->registers_at = (size_t)ob__round_up((int64_t)needs->lane_bytes, 64);
    if (s->epilogue) needs->lane_bytes = s->registers_at + ob__epilogue_bytes(s->epilogue);
    return OB_OK;
}

typedef struct job {
    const product *s;
    const ob_kernel_args *args;
    const char *a, *b, *c;
    char *y;
    char *packed; /* A, packed, or NULL */
} job;

/* Multiplies a part of k at a time, and checks in between whether to stop. */
static void multiply_by_blas(const job *j, obk_gemm_call call) {
    const product *s = j->s;
    const size_t width = ob_dtype_size(s->computing);
    const int64_t k = call.k, most = s->p.inner;
    for (int64_t from = 0; from < k && !(from > 0 && ob__stopped_inside(j->args->threads)); from += most) {
        call.k = k - from < most ? k - from : most;
        ob__blas_product(s->blas, s->computing == OB_DOUBLE, &call);
        call.a = (const char *)call.a + (size_t)(call.k * call.a_k) * width;
        call.b = (const char *)call.b + (size_t)(call.k * call.b_k) * width;
        call.adds = true;
        call.c = NULL;
    }
}

/* Packs the rows of the tiles begin .. end of A. */
static void pack_tiles(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const product *s = j->s;
    const ob_matrices *p = &s->p;
    const int64_t from = begin * s->gemm->mr, rows = (end * s->gemm->mr < p->m ? end * s->gemm->mr : p->m) - from;
    const char *a = j->a + (size_t)(from * p->a.row) * ob_dtype_size(s->computing);
    s->gemm->pack_a(j->packed, from, packed_rows(s), a, p->a.row, p->a.column, rows, p->k);
}

static void multiply(const job *j, const ob_matrices_part *part, void *panel) {
    const product *s = j->s;
    const ob_matrices *p = &s->p;
    const size_t width = ob_dtype_size(s->computing);
    const void *a = j->a + (size_t)part->a * width, *b = j->b + (size_t)part->b * width;
    const void *c = j->c ? j->c + (size_t)(part->row * s->c_row + part->column * s->c_column) * width : NULL;
    void *y = j->y + (size_t)part->y * width;
    const bool packed = s->b.prepared >= 0;
    obk_gemm_call call = {.m = part->rows,
                          .n = part->columns,
                          .k = p->k,
                          .a = a,
                          .a_row = p->a.row,
                          .a_k = p->a.column,
                          .b = b,
                          .b_k = packed ? 0 : p->b.row,
                          .b_column = p->b.column,
                          .y = y,
                          .y_row = p->n,
                          .alpha = s->alpha,
                          .beta = s->beta,
                          .c = c,
                          .c_row = s->c_row,
                          .c_column = s->c_column,
                          .panel = panel};
    if (j->packed) {
        call.a = j->packed;
        call.a_row = 0;
        call.a_at = part->row;
        call.a_rows = packed_rows(s);
    }
    if (s->method == OB_BY_BLAS)
        multiply_by_blas(j, call);
    else
        ob__multiply_by(s->method, s->gemm, &call);
}

static void multiply_chunk(void *context, int64_t chunk, int lane) {
    const job *j = context;
    const ob_matrices *p = &j->s->p;
    int64_t n = ob__n_parts(p, chunk);
    for (int64_t i = 0; i < n; i++) {
        ob_matrices_part part = ob__part(p, chunk, i);
        char *memory = ob__lane(j->args->lanes, j->args->lane_stride, lane);
        multiply(j, &part, memory);
        if (!j->s->epilogue) continue;
        const size_t width = ob_dtype_size(j->s->computing);
        const ob_epilogue_call after =
            ob__epilogue_at(j->s->epilogue, j->args, part.product * p->m + part.row, part.column, j->y + (size_t)part.y * width,
                            p->n * (int64_t)width, memory + j->s->registers_at);
        after.base.apply(&after.base, after.y, after.y_row, 0, part.rows, 0, part.columns);
    }
}

/* The product of operands in their final form. */
static void compute(const job *j) {
    const product *s = j->s;
    ob__each_chunk(j->args->threads, s->p.n_chunks, multiply_chunk, (void *)(uintptr_t)j);
}

OB_RUN(ob__compute_product) {
    const product *s = args->state;
    (void)error;
    const job j = {.s = s,
                   .args = args,
                   .a = args->in[0].data,
                   .b = s->b.prepared >= 0 ? args->prepared[s->b.prepared] : args->in[1].data,
                   .c = s->has_c ? args->in[2].data : NULL,
                   .y = args->out[0].data};
    compute(&j);
    return OB_OK;
}

OB_RUN(ob__run_product) {
    const product *s = args->state;
    const ob_view *out = &args->out[0];
    char *scratch = args->scratch;
    const void *a, *b, *c = NULL;
    OB_TRY(take_operand(s, args, 0, &s->a, &scratch, &a, error));
    if (s->b.prepared >= 0)
        b = args->prepared[s->b.prepared];
    else
        OB_TRY(take_operand(s, args, 1, &s->b, &scratch, &b, error));
    if (s->has_c) OB_TRY(take_operand(s, args, 2, &s->c, &scratch, &c, error));
    void *y = s->out_converted ? ob__take(&scratch, ob__count(out), ob_dtype_size(s->computing)) : out->data;
    job j = {.s = s, .args = args, .a = a, .b = b, .c = c, .y = y};
    if (s->packs_a) {
        j.packed = ob__take(&scratch, packed_rows(s) * s->p.k, ob_dtype_size(s->computing));
        ob__parallel(args->threads, packed_rows(s) / s->gemm->mr, (1 << 16) / (s->p.k * s->gemm->mr) + 1, pack_tiles, &j);
    }
    compute(&j);
    if (!s->out_converted) return OB_OK;
    return ob__convert_many(args, out->data, out->dtype, y, s->computing, ob__count(out), error);
}

static ob_status matmul_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    product *s = args->state;
    s->alpha = 1;
    return plan_product(site, s, args, needs, error);
}

static ob_status gemm_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    product *s = args->state;
    OB_FAIL_IF(args->in[0].rank != 2 || args->in[1].rank != 2 || args->out[0].rank != 2, error, OB_E_SHAPE,
               "A, B and Y are matrices");
    uint32_t input;
    int32_t axis;
    ob__product_axis(site->node, 0, &input, &axis);
    s->a.transposed = axis != 0;
    ob__product_axis(site->node, 1, &input, &axis);
    s->b.transposed = axis != 1;
    s->alpha = (double)ob__attribute_float(site->node, "alpha");
    s->beta = (double)ob__attribute_float(site->node, "beta");
    s->has_c = ob__given(args, 2) && s->beta != 0;
    return plan_product(site, s, args, needs, error);
}

/* A vector on the right leaves rows only. */
static int32_t product_columns(const ob_view *in, const ob_view *out) {
    return in[1].rank > 1 && out->rank > 0 ? 1 : 0;
}

const ob_kernel ob__kernel_matmul = {.name = "matmul",
                                     .flags = OB_KERNEL_STRIDED,
                                     .state_bytes = sizeof(product),
                                     .plan = matmul_plan,
                                     OB_RUNS(ob__run_product),
                                     OB_PLAIN(ob__compute_product),
                                     .state = &ob__product_struct,
                                     .epilogue_columns = product_columns,
                                     .is_product = true};
const ob_kernel ob__kernel_gemm = {.name = "gemm",
                                   .flags = OB_KERNEL_STRIDED,
                                   .state_bytes = sizeof(product),
                                   .plan = gemm_plan,
                                   OB_RUNS(ob__run_product),
                                   OB_PLAIN(ob__compute_product),
                                   .state = &ob__product_struct,
                                   .epilogue_columns = product_columns};
