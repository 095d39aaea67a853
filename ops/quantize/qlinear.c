/* com.microsoft QLinearAdd, QLinearMul, QLinearWhere: operands of 8 bits, which broadcast, are dequantized, combined and
 * quantized in one pass. */
#include <string.h>

#include "kernels/take.h"
#include "ops/elementwise/element.h"
#include "ops/kernel/common.h"
#include "ops/kernel/functions.h"
#include "ops/kernel/members.h"
#include "ops/quantize/bytes.h"

enum { MAX_OPERANDS = 3, SPREAD = 512 };

typedef struct operation {
    obk_qlinear_kind kind;
    uint8_t n, operands[MAX_OPERANDS]; /* indices of the operands; the last two are followed by scales */
    uint8_t result_scale;
} operation;

static const struct {
    const char *name;
    operation operation;
} operations[] = {{"QLinearAdd", {OBK_QLINEAR_ADD, 2, {0, 3}, 6}},
                  {"QLinearMul", {OBK_QLINEAR_MUL, 2, {0, 3}, 6}},
                  {"QLinearWhere", {OBK_QLINEAR_WHERE, 3, {0, 1, 4}, 7}}};

typedef struct qlinear {
    obk_iteration blocks;
    operation operation;
    obk_qlinear_loop compute;
    obk_loop copy; /* QLinearWhere: for operands with the result's scale; else NULL */
} qlinear;

static const ob_member operation_members[] = {OB_VALUE(operation, kind), OB_VALUE(operation, n), OB_VALUES(operation, operands),
                                              OB_VALUE(operation, result_scale)};
static const ob_struct operation_struct = OB_STRUCT(operation, operation_members);
static const ob_member qlinear_members[] = {OB_NESTED(qlinear, blocks, &obk_iteration_struct),
                                            OB_NESTED(qlinear, operation, &operation_struct), OB_FUNCTION(qlinear, compute),
                                            OB_FUNCTION(qlinear, copy)};
static const ob_struct qlinear_struct = OB_STRUCT(qlinear, qlinear_members);

/* The parameters of the loop. */
typedef struct call {
    obk_qlinear_loop compute;
    uint32_t n_operands;
    obk_qlinear q;
} call;

/* An obk_loop. If an operand has one number for a whole row, it is copied once to as many elements as are computed together. */
void ob__qlinear_rows(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t n_rows,
                      const void *params) {
    const call *c = params;
    const uint32_t n_operands = c->n_operands;
    uint8_t spread[MAX_OPERANDS][SPREAD];
    for (int64_t j = 0; j < n_rows; j++) {
        const void *operands[MAX_OPERANDS];
        int64_t some = n;
        for (uint32_t k = 0; k < n_operands; k++) {
            if (step[k] != 0 || n == 1) continue;
            some = n < SPREAD ? n : SPREAD;
            memset(spread[k], *(const uint8_t *)(pointers[k] + j * row[k]), (size_t)some);
        }
        for (int64_t at = 0; at < n; at += some) {
            for (uint32_t k = 0; k < n_operands; k++)
                operands[k] = step[k] != 0 || n == 1 ? (const void *)(pointers[k] + j * row[k] + at) : spread[k];
            c->compute(pointers[n_operands] + j * row[n_operands] + at, operands, n - at < some ? n - at : some, &c->q);
        }
    }
}

static void find_operands(const operation *r, const ob_view *in, ob_view *operands) {
    for (uint32_t k = 0; k < r->n; k++) operands[k] = in[r->operands[k]];
}

static ob_status qlinear_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    qlinear *s = args->state;
    const ob_dtype dtype = args->out[0].dtype;
    ob_view operands[MAX_OPERANDS];
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (strcmp(operations[i].name, site->op->name) == 0) s->operation = operations[i].operation;
    const operation *r = &s->operation;
    OB_FAIL_IF(r->n == 0 || args->n_in <= r->result_scale, error, OB_E_MODEL, "too few operands");
    for (uint32_t k = 0; k < r->n; k++) OB_TRY(ob__check_type(site, args, r->operands[k], error));
    for (uint32_t k = r->n - 2u; k < r->n; k++) {
        const uint32_t i = r->operands[k];
        OB_FAIL_IF(args->in[i].dtype != dtype, error, OB_E_TYPE, "operand %u is %s, the result %s", i,
                   ob_dtype_name(args->in[i].dtype), ob_dtype_name(dtype));
        OB_TRY(ob__check_scale(args, i + 1, dtype, error));
    }
    OB_TRY(ob__check_scale(args, r->result_scale, dtype, error));
    s->compute = OBK_LOOP(quantize, ->qlinear[r->kind][ob__byte_type(dtype)]);
    if (r->kind == OBK_QLINEAR_WHERE) s->copy = OBK_LOOP(where, [0]);
    find_operands(r, args->in, operands);
    return obk_iteration_plan(&s->blocks, operands, r->n, &args->out[0],
                              &(obk_iteration_spec){.loop = ob__qlinear_rows, .loops_only = site->loops_only}, site->arena,
                              &needs->lane_bytes, error);
}

OB_RUN(ob__run_qlinear) {
    const qlinear *s = args->state;
    const operation *r = &s->operation;
    const ob_dtype dtype = args->out[0].dtype;
    const ob_byte_scale x = ob__read_scale(args, r->operands[r->n - 2u] + 1u),
                        y = ob__read_scale(args, r->operands[r->n - 1u] + 1u), z = ob__read_scale(args, r->result_scale);
    const call c = {
        .compute = s->compute, .n_operands = r->n, .q = {{x.scale, y.scale}, {x.zero, y.zero}, ob__byte_scales(&z, dtype)}};
    ob_view operands[MAX_OPERANDS];
    obk_iteration blocks = s->blocks;
    (void)error;
    blocks.params = &c;
    if (s->copy && ob__keeps_bytes(&x, &z) && ob__keeps_bytes(&y, &z)) blocks.loop = s->copy;
    find_operands(r, args->in, operands);
    obk_iteration_run(&blocks, operands, &args->out[0], args->threads, args->lanes, args->lane_stride);
    return OB_OK;
}

const ob_kernel ob__kernel_qlinear = {.name = "qlinear",
                                      .flags = OB_KERNEL_STRIDED | OB_KERNEL_INPLACE,
                                      .state_bytes = sizeof(qlinear),
                                      .plan = qlinear_plan,
                                      OB_RUNS(ob__run_qlinear),
                                      .state = &qlinear_struct};
