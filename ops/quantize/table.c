/* com.microsoft QLinearSigmoid, QLinearLeakyRelu: functions of 8-bit elements. Larger tensors are looked up in a table of 256
 * results, which planning fills if scales and zero points are constants. */
#include <string.h>

#include "kernels/elementwise/elementwise.h"
#include "kernels/quantize/quantize.h"
#include "kernels/take.h"
#include "ops/elementwise/element.h"
#include "ops/kernel/common.h"
#include "ops/quantize/bytes.h"

ob_status ob__check_scale(const ob_kernel_args *args, uint32_t i, ob_dtype dtype, ob_error *error) {
    const bool has_zero = ob__given(args, i + 1);
    OB_FAIL_IF(!ob__given(args, i) || args->in[i].dtype != OB_FLOAT || (has_zero && args->in[i + 1].dtype != dtype), error,
               OB_E_TYPE, "operands %u and %u are not a float scale and a zero point of type %s", i, i + 1, ob_dtype_name(dtype));
    OB_FAIL_IF(ob__count(&args->in[i]) != 1 || (has_zero && ob__count(&args->in[i + 1]) != 1), error, OB_E_SHAPE,
               "operands %u and %u, a scale and a zero point, must be one element each", i, i + 1);
    return OB_OK;
}

ob_byte_scale ob__read_scale(const ob_kernel_args *args, uint32_t i) {
    ob_byte_scale read = {.scale = *(const float *)args->in[i].data};
    if (ob__given(args, i + 1)) {
        const ob_view *zero = &args->in[i + 1];
        read.zero = zero->dtype == OB_INT8 ? *(const int8_t *)zero->data : *(const uint8_t *)zero->data;
    }
    return read;
}

bool ob__keeps_bytes(const ob_byte_scale *from, const ob_byte_scale *to) {
    return from->scale == to->scale && from->zero == to->zero && from->scale != 0 && isfinite(from->scale * 256);
}

obk_scales ob__byte_scales(const ob_byte_scale *from, ob_dtype dtype) {
    const bool is_signed = dtype == OB_INT8;
    return (obk_scales){&from->scale, &from->zero, false, is_signed ? -128 : 0, is_signed ? 127 : 255};
}

ob_byte_loops ob__byte_loops(ob_dtype dtype) {
    const obk_integer type = ob__byte_type(dtype);
    return (ob_byte_loops){OBK_LOOP(quantize, ->dequantize[type]), OBK_LOOP(quantize, ->quantize[type]),
                           OBK_LOOP(quantize, ->lookup)};
}

static const ob_member loops_members[] = {OB_FUNCTION(ob_byte_loops, dequantize), OB_FUNCTION(ob_byte_loops, quantize),
                                          OB_FUNCTION(ob_byte_loops, lookup)};
const ob_struct ob__byte_loops_struct = OB_STRUCT(ob_byte_loops, loops_members);

void ob__apply_to_bytes(const ob_byte_function *f, const uint8_t *x, int64_t n, uint8_t *y) {
    const obk_scales from = ob__byte_scales(&f->from, f->dtype), to = ob__byte_scales(&f->to, f->dtype);
    float numbers[OB_BYTES];
    f->loops.dequantize(numbers, x, n, &from);
    if (f->loop) {
        char *const in_place[2] = {(char *)numbers, (char *)numbers};
        const int64_t step = sizeof *numbers, row[2] = {0};
        f->loop(in_place, &step, n, row, 1, &f->params);
    }
    f->loops.quantize(y, numbers, n, &to);
}

void ob__tabulate_bytes(const ob_byte_function *f, uint8_t table[OB_BYTES]) {
    for (int bits = 0; bits < OB_BYTES; bits++) table[bits] = (uint8_t)bits;
    ob__apply_to_bytes(f, table, OB_BYTES, table);
}

/* ---- QLinearSigmoid, QLinearLeakyRelu ---- */

typedef struct byte_unary {
    ob_byte_function f;
    bool tabulated; /* by planning */
    uint8_t table[OB_BYTES];
} byte_unary;

static const ob_member function_members[] = {OB_NESTED(ob_byte_function, loops, &ob__byte_loops_struct),
                                             OB_FUNCTION(ob_byte_function, loop),
                                             OB_NESTED(ob_byte_function, params, &obk_unary_params_struct),
                                             OB_VALUE(ob_byte_function, from.scale),
                                             OB_VALUE(ob_byte_function, from.zero),
                                             OB_VALUE(ob_byte_function, to.scale),
                                             OB_VALUE(ob_byte_function, to.zero),
                                             OB_VALUE(ob_byte_function, dtype)};
static const ob_struct function_struct = OB_STRUCT(ob_byte_function, function_members);
static const ob_member byte_unary_members[] = {OB_NESTED(byte_unary, f, &function_struct), OB_VALUE(byte_unary, tabulated),
                                               OB_VALUES(byte_unary, table)};
static const ob_struct byte_unary_struct = OB_STRUCT(byte_unary, byte_unary_members);

enum { SCALE = 1, RESULT_SCALE = 3 }; /* indices of operands */

static void read_scales(const ob_kernel_args *args, ob_byte_function *f) {
    f->from = ob__read_scale(args, SCALE);
    f->to = ob__read_scale(args, RESULT_SCALE);
}

static ob_status byte_unary_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    byte_unary *s = args->state;
    (void)needs;
    s->f.dtype = args->in[0].dtype;
    OB_TRY(ob__check_type(site, args, 0, error));
    s->f.loops = ob__byte_loops(s->f.dtype);
    OB_FAIL_IF(args->out[0].dtype != s->f.dtype || ob__count(&args->out[0]) != ob__count(&args->in[0]), error, OB_E_SHAPE,
               "result of another type or size");
    OB_TRY(ob__check_scale(args, SCALE, s->f.dtype, error));
    OB_TRY(ob__check_scale(args, RESULT_SCALE, s->f.dtype, error));
    s->f.loop = OBK_LOOP(unary, [ob__read_unary(site->node, site->op, &s->f.params)][OB_FLOAT]);
    if (!s->f.loops.quantize || !s->f.loop) return ob__no_type(site, error, s->f.dtype); /* the build leaves them out */
    bool known = true;
    for (uint32_t i = SCALE; i < args->n_in; i++) known = known && (!ob__given(args, i) || args->in[i].data);
    s->tabulated = known && ob__count(&args->in[0]) > OB_BYTES;
    if (!s->tabulated) return OB_OK;
    read_scales(args, &s->f);
    ob__tabulate_bytes(&s->f, s->table);
    return OB_OK;
}

typedef struct job {
    const uint8_t *x, *table;
    uint8_t *y;
    obk_lookup_loop lookup;
} job;

static void look_up(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    j->lookup(j->y + begin, j->x + begin, end - begin, j->table);
}

OB_RUN(ob__run_qlinear_unary) {
    const byte_unary *s = args->state;
    const int64_t n = ob__count(&args->in[0]);
    uint8_t table[OB_BYTES];
    job j = {args->in[0].data, s->table, args->out[0].data, s->f.loops.lookup};
    (void)error;
    if (!s->tabulated) {
        ob_byte_function f = s->f;
        read_scales(args, &f);
        if (n <= OB_BYTES) {
            ob__apply_to_bytes(&f, j.x, n, j.y);
            return OB_OK;
        }
        ob__tabulate_bytes(&f, table);
        j.table = table;
    }
    ob__parallel(args->threads, n, 1 << 17, look_up, &j);
    return OB_OK;
}

const ob_kernel ob__kernel_qlinear_unary = {.name = "qlinear_unary",
                                            .flags = OB_KERNEL_INPLACE_FIRST,
                                            .state_bytes = sizeof(byte_unary),
                                            .plan = byte_unary_plan,
                                            OB_RUNS(ob__run_qlinear_unary),
                                            .state = &byte_unary_struct};
