/* com.microsoft QLinearConcat: the result's scale and zero point, then operands, each followed by its own. Elements have 8 bits,
 * so each operand gets a table of 256 results: dequantized and quantized again. If scale and zero point are the result's,
 * elements are copied. */
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/quantize/quantize.h"
#include "ops/kernel/common.h"
#include "ops/quantize/bytes.h"
#include "ops/table/attributes.h"

typedef struct qlinear_concat {
    ob_byte_loops loops;
    int32_t axis;
} qlinear_concat;

static const ob_member concat_members[] = {OB_NESTED(qlinear_concat, loops, &ob__byte_loops_struct),
                                           OB_VALUE(qlinear_concat, axis)};
static const ob_struct concat_struct = OB_STRUCT(qlinear_concat, concat_members);

static ob_status qlinear_concat_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    const ob_view *out = &args->out[0];
    int32_t axis;
    int64_t n_axis = 0;
    (void)needs;
    OB_FAIL_IF(args->n_in % 3 != 2, error, OB_E_ARGUMENT, "%u operands", args->n_in);
    OB_TRY(ob__axis(ob__attribute_int(site->node, "axis"), out->rank, &axis, error));
    for (uint32_t i = 0; i < args->n_in; i++) {
        const ob_view *in = &args->in[i];
        bool scale = i % 3 == 0;
        OB_FAIL_IF(in->dtype != (scale ? OB_FLOAT : out->dtype), error, OB_E_TYPE, "operand %u is %s", i,
                   ob_dtype_name(in->dtype));
        if (i % 3 != 2) {
            OB_FAIL_IF(ob__count(in) != 1, error, OB_E_SHAPE, "operand %u is not one element", i);
            continue;
        }
        OB_FAIL_IF(in->rank != out->rank, error, OB_E_SHAPE, "operand %u has another rank", i);
        for (int32_t a = 0; a < in->rank; a++)
            OB_FAIL_IF(a != axis && in->dims[a] != out->dims[a], error, OB_E_SHAPE, "operand %u does not fit along axis %d", i,
                       a);
        n_axis += in->dims[axis];
    }
    OB_FAIL_IF(n_axis != out->dims[axis], error, OB_E_SHAPE, "the operands do not fill axis %d", axis);
    *(qlinear_concat *)args->state = (qlinear_concat){ob__byte_loops(out->dtype), axis};
    return OB_OK;
}

static void look_up(obk_lookup_loop lookup, uint8_t *to, const uint8_t *from, int64_t n, const uint8_t *table, obk_pace *pace) {
    enum { SOME = 1 << 18 };
    for (int64_t done = 0; done < n && !obk_stops(pace, SOME); done += SOME)
        lookup(to + done, from + done, n - done < SOME ? n - done : SOME, table);
}

OB_RUN(ob__run_qlinear_concat) {
    const ob_view *out = &args->out[0];
    const qlinear_concat *s = args->state;
    const int32_t axis = s->axis;
    (void)error;
    if (ob__writes_nothing(args)) return OB_OK;
    int64_t n_outer = ob__product(out->dims, 0, axis), inner = ob__product(out->dims, axis + 1, out->rank), done = 0;
    obk_pace pace = ob__pace(args->threads);
    for (uint32_t i = 2; i < args->n_in && !pace.over; i += 3) {
        const ob_byte_function f = {
            .loops = s->loops, .from = ob__read_scale(args, i + 1), .to = ob__read_scale(args, 0), .dtype = out->dtype};
        const bool changes = !ob__keeps_bytes(&f.from, &f.to);
        const int64_t n = args->in[i].dims[axis] * inner;
        uint8_t table[OB_BYTES];
        if (changes) ob__tabulate_bytes(&f, table);
        for (int64_t outer = 0; outer < n_outer; outer++) {
            const uint8_t *restrict from = (const uint8_t *)args->in[i].data + outer * n;
            uint8_t *restrict to = (uint8_t *)out->data + outer * out->dims[axis] * inner + done;
            if (!changes)
                ob__copy_bytes(to, from, (size_t)n, &pace);
            else
                look_up(s->loops.lookup, to, from, n, table, &pace);
            if (obk_stops(&pace, 8)) break;
        }
        done += n;
    }
    return OB_OK;
}

const ob_kernel ob__kernel_qlinear_concat = {.name = "qlinear_concat",
                                             .state_bytes = sizeof(qlinear_concat),
                                             .plan = qlinear_concat_plan,
                                             OB_RUNS(ob__run_qlinear_concat),
                                             .state = &concat_struct};
