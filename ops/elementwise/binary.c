/* Two operands: arithmetic, comparison, logic, bits. For integers, Add, Sub and Mul wrap; Div truncates, division by zero gives
 * 0, and the smallest integer by -1 wraps; Mod has the sign of the divisor unless fmod is set, and modulo zero is 0. A shift by
 * the width or more gives 0. Comparisons with NaN are false, except the negation of Equal. Pow has the type of its base. */
#include <string.h>

#include "core/base/error.h"
#include "core/graph/types.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/take.h"
#include "ops/elementwise/element.h"
#include "ops/elementwise/params.h"
#include "ops/infer/legacy.h"
#include "ops/kernel/members.h"
#include "ops/table/op.h"

static void equal_strings(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row_bytes, int64_t n_rows,
                          const void *params) {
    (void)params;
    for (int64_t j = 0; j < n_rows; j++)
        for (int64_t i = 0; i < n; i++) {
            ob_string a, b;
            memcpy(&a, pointers[0] + j * row_bytes[0] + i * step[0], sizeof a);
            memcpy(&b, pointers[1] + j * row_bytes[1] + i * step[1], sizeof b);
            pointers[2][j * row_bytes[2] + i] = a.n == b.n && (a.n == 0 || memcmp(a.data, b.data, a.n) == 0);
        }
}

static bool convert_operand(obk_iteration_spec *spec, uint32_t k, ob_dtype from, ob_dtype to) {
    ob_conversion conversion = ob__find_conversion(from, to, true);
    if (conversion.n_steps == 1) {
        spec->in_convert[k] = conversion.steps[0];
        spec->in_loop_dtype[k] = to;
    }
    return conversion.n_steps == 0 || conversion.n_steps == 1;
}

/* Computed in int64 for integers, in double if either operand needs it (a float does not hold every int32), otherwise in float;
 * then converted to the type of the base. */
static bool plan_pow(ob_dtype base, ob_dtype exponent, obk_iteration_spec *spec) {
    bool integers = !ob__dtype_is_float(base) && !ob__dtype_is_float(exponent);
    bool wide = base == OB_DOUBLE || !ob__dtype_is_float(base) ||
                (!ob__dtype_is_float(exponent) && ob_dtype_size(exponent) > 2) || exponent == OB_DOUBLE;
    ob_dtype as = integers ? OB_INT64 : wide ? OB_DOUBLE : OB_FLOAT;
    spec->loop = OBK_LOOP(binary, [OBK_POW][as]);
    if (!spec->loop || !convert_operand(spec, 0, base, as) || !convert_operand(spec, 1, exponent, as)) return false;
    ob_conversion back = ob__find_conversion(as, base, true);
    if (back.n_steps == 1) {
        spec->out_convert = back.steps[0];
        spec->out_loop_dtype = as;
    }
    return back.n_steps == 0 || back.n_steps == 1;
}

static ob_status choose_loop(const ob_kernel_site *site, const ob_kernel_args *args, obk_iteration_spec *spec, ob_error *error) {
    obk_binary loop = site->op->loop.number;
    ob_dtype dtype = args->in[0].dtype, second = args->in[1].dtype, out = args->out[0].dtype;
    if (loop == OBK_POW) return plan_pow(dtype, second, spec) ? OB_OK : ob__unsupported_type(site, dtype, error);
    OB_FAIL_IF(second != dtype, error, OB_E_TYPE, "operands of types %s and %s", ob_dtype_name(dtype), ob_dtype_name(second));
    if (loop == OBK_MOD) {
        bool fmod = ob__mod_of_dividend(site->node);
        OB_FAIL_IF(ob__dtype_is_float(dtype) && !fmod, error, OB_E_MODEL, "attribute fmod must be 1 for type %s",
                   ob_dtype_name(dtype));
        if (fmod) loop = OBK_FMOD;
    } else if (loop == OBK_SHIFT_LEFT) {
        const char *direction = ob__attribute_text(site->node, "direction");
        bool right = strcmp(direction, "RIGHT") == 0;
        OB_FAIL_IF(!right && strcmp(direction, "LEFT") != 0, error, OB_E_MODEL, "attribute direction must be LEFT or RIGHT");
        if (right) loop = OBK_SHIFT_RIGHT;
    } else if (loop == OBK_EQUAL && dtype == OB_STRING) {
        spec->loop = equal_strings;
        return OB_OK;
    }
    if (!ob__element_loop(OBK_ROW(binary, [loop]), dtype, out, 2, spec)) return ob__unsupported_type(site, dtype, error);
    return OB_OK;
}

static ob_status element(const ob_kernel_site *site, const ob_kernel_args *args, ob_element_call *call, ob_error *error) {
    OB_FAIL_IF(args->n_in != 2 || args->n_out != 1, error, OB_E_MODEL, "two inputs and one output are needed");
    call->spec.swap = site->op->loop.swapped;
    OB_TRY(choose_loop(site, args, &call->spec, error));
    if (site->op->broadcast != OB_BCAST_LEGACY) return OB_OK;
    call->few[0] = args->in[0];
    call->few[1] = args->in[1];
    call->in = call->few;
    return ob__legacy_align(site->node, &call->few[0], &call->few[1], error);
}

const ob_kernel ob__kernel_binary = {.name = "binary",
                                     .flags = OB_KERNEL_STRIDED | OB_KERNEL_INPLACE,
                                     .state_bytes = sizeof(ob_element),
                                     .plan = ob__element_plan,
                                     OB_RUNS(ob__element_run),
                                     .state = &ob__element_struct,
                                     .element = element};
