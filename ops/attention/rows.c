#include "ops/attention/rows.h"

#include "core/base/integers.h"
#include "core/graph/types.h"
#include "kernels/take.h"
#include "ops/attention/row_blocks.h"
#include "ops/kernel/epilogue.h"
#include "ops/kernel/members.h"

enum { LEAST_SCORES = 1024 }; /* of a head; below it the calls for each head cost more than they save */

typedef struct attention_rows {
    ob_blocks blocks;
    ob_matrices scores, values; /* the two products, with the same batch axes */
    const ob_epilogue *epilogue;
} attention_rows;

static const ob_member rows_members[] = {
    OB_NESTED(attention_rows, blocks, &ob__blocks_struct), OB_NESTED(attention_rows, scores, &ob__matrices_struct),
    OB_NESTED(attention_rows, values, &ob__matrices_struct), OB_POINTER(attention_rows, epilogue, &ob__epilogue_struct, NULL)};
static const ob_struct rows_struct = OB_STRUCT(attention_rows, rows_members);

/* The scores as they would be in memory. */
static ob_view scores_of(const ob_view *in, const ob_view *out) {
    ob_view scores = *out;
    scores.dims[scores.rank - 1] = in[1].dims[in[1].rank - 1];
    ob__contiguous_strides(scores.rank, scores.dims, ob_dtype_size(scores.dtype), scores.strides);
    return scores;
}

static bool same_batch(const ob_view *a, const ob_view *b) {
    for (int32_t i = 0; i < a->rank - 1; i++)
        if (a->rank != b->rank || a->dims[i] != b->dims[i]) return false;
    return true;
}

ob_status ob__fit_attention_rows(const ob_kernel_site *site, const ob_view *in, const ob_view *scores, const ob_view *out,
                                 bool *fits, ob_error *error) {
    ob_matrices a, b;
    *fits = ob__dtype_is_real(out->dtype) && out->rank >= 2 && same_batch(out, scores);
    for (int i = 0; i < 3; i++) *fits = *fits && in[i].dtype == out->dtype && in[i].rank >= 2;
    if (!*fits) return OB_OK;
    ob_status status = ob__matrices(site, &in[0], &in[1], scores, false, &a, NULL);
    if (status == OB_OK) status = ob__matrices(site, scores, &in[2], out, false, &b, NULL);
    OB_FAIL_IF(status == OB_E_MEMORY, error, status, "no memory for a plan");
    *fits = status == OB_OK && !a.a.copied && !a.b.copied && !b.b.copied && a.m >= OB_FEWEST_ROWS && a.n >= LEAST_SCORES / a.m;
    return OB_OK;
}

/* The order of a sum is that of the product alone, whose batches may become rows. */
static ob_status plan_product(const ob_kernel_site *site, const ob_view *a, const ob_view *b, const ob_view *y,
                              const obk_gemm *gemm, ob_matrices *p, ob_product_method *method, ob_error *error) {
    OB_TRY(ob__matrices(site, a, b, y, true, p, error));
    *method = ob__product_method(p, gemm);
    return ob__matrices(site, a, b, y, false, p, error);
}

/* Neighbouring heads that have the same B and V. */
static int64_t shared_heads(const attention_rows *s) {
    int64_t share = 1;
    for (int32_t i = s->scores.n_batch - 1; i >= 0; i--) {
        if (s->scores.b.batch[i] != 0 || s->values.b.batch[i] != 0) break;
        share *= s->scores.batch[i];
    }
    return share;
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    attention_rows *s = args->state;
    ob_blocks *b = &s->blocks;
    const ob_view *in = args->in, *out = &args->out[0], scores = scores_of(in, out);
    OB_FAIL_IF(!site->epilogue || args->n_in != 3, error, OB_E_INTERNAL, "a group without a program");
    b->width = ob_dtype_size(out->dtype);
    b->gemm = OBK_ELEMENT(gemm, [out->dtype == OB_DOUBLE ? OBK_GEMM_DOUBLE : OBK_GEMM_FLOAT], .product);
    OB_TRY(plan_product(site, &in[0], &in[1], &scores, b->gemm, &s->scores, &b->method[0], error));
    OB_TRY(plan_product(site, &scores, &in[2], out, b->gemm, &s->values, &b->method[1], error));
    s->epilogue = site->epilogue;
    b->heads = ob__product(s->scores.batch, 0, s->scores.n_batch);
    b->share = shared_heads(s);
    b->m = s->scores.m;
    b->k = s->scores.k;
    b->n = s->scores.n;
    b->n_v = s->values.n;
    b->dense[0] = s->scores.b.column == 1;
    b->dense[1] = s->values.b.column == 1;
    OB_TRY(ob__need_blocks(b, needs, error));
    return ob__need_lanes(needs, (int64_t)ob__epilogue_bytes(s->epilogue), 1, error);
}

static const void *matrix_at(const ob_view *view, const ob_matrices *p, const ob_matrix *matrix, int64_t head) {
    return (const char *)view->data + ob__batch_offset(p, head, matrix->batch) * (int64_t)ob_dtype_size(view->dtype);
}

static void place(const ob_blocks_job *job, int64_t head, char *memory, ob_blocks_head *at) {
    const attention_rows *s = job->context;
    const ob_view *in = job->args->in, *out = &job->args->out[0];
    (void)memory;
    *at = (ob_blocks_head){.a = matrix_at(&in[0], &s->scores, &s->scores.a, head),
                           .a_row = s->scores.a.row,
                           .a_k = s->scores.a.column,
                           .b = matrix_at(&in[1], &s->scores, &s->scores.b, head),
                           .b_k = s->scores.b.row,
                           .b_column = s->scores.b.column,
                           .v = matrix_at(&in[2], &s->values, &s->values.b, head),
                           .v_k = s->values.b.row,
                           .v_column = s->values.b.column,
                           .y = (char *)out->data + head * s->blocks.m * s->blocks.n_v * (int64_t)s->blocks.width,
                           .y_row = s->blocks.n_v};
}

static void weigh(const ob_blocks_job *job, const ob_block *block) {
    const attention_rows *s = job->context;
    const ob_epilogue_call after = ob__epilogue_at(s->epilogue, job->args, block->head * s->blocks.m + block->row, 0,
                                                   block->scores, block->row_bytes, block->memory);
    after.base.apply(&after.base, block->scores, block->row_bytes, 0, block->rows, 0, s->blocks.n);
}

OB_RUN(ob__run_attention_rows) {
    const attention_rows *s = args->state;
    (void)error;
    if (ob__writes_nothing(args)) return OB_OK;
    ob__run_blocks(&(ob_blocks_job){.plan = &s->blocks, .args = args, .context = s, .place = place, .weigh = weigh});
    return OB_OK;
}

const ob_kernel ob__kernel_attention_rows = {.name = "attention_rows",
                                             .flags = OB_KERNEL_STRIDED,
                                             .state_bytes = sizeof(attention_rows),
                                             .state = &rows_struct,
                                             .plan = plan,
                                             OB_RUNS(ob__run_attention_rows)};
