#include "ops/elementwise/element.h"
#include "kernels/convert/convert.h"
#include "kernels/kernels.h"

#include "core/error.h"
#include "ops/table/op.h"

static bool is_narrow_float(ob_dtype dtype) {
    return dtype == OB_FLOAT16 || dtype == OB_BFLOAT16 || (dtype >= OB_FLOAT8E4M3FN && dtype <= OB_FLOAT8E5M2FNUZ);
}

bool ob__element_loop(const obk_loop *loops, ob_dtype in, ob_dtype out, uint32_t n_in, obk_iteration_spec *spec) {
    spec->loop = loops[in];
    if (!is_narrow_float(in)) return spec->loop != NULL;
    if (spec->loop && !spec->fold) return true; /* an accumulator is wider than its operands */
    const obk_table *table = ob__kernels();
    spec->loop = loops[OB_FLOAT];
    for (uint32_t k = 0; k < n_in && k < 3; k++) {
        spec->in_convert[k] = table->convert[OB_FLOAT][in];
        spec->in_loop_dtype[k] = OB_FLOAT;
    }
    if (in == out) {
        spec->out_convert = table->convert[out][OB_FLOAT];
        spec->out_loop_dtype = OB_FLOAT;
    }
    return spec->loop != NULL;
}

static int convert_row(ob_dtype to, bool saturate) {
    if (saturate) return (int)to;
    switch (to) {
    case OB_FLOAT8E4M3FN: return OBK_TO_E4M3FN_WRAP;
    case OB_FLOAT8E4M3FNUZ: return OBK_TO_E4M3FNUZ_WRAP;
    case OB_FLOAT8E5M2: return OBK_TO_E5M2_WRAP;
    case OB_FLOAT8E5M2FNUZ: return OBK_TO_E5M2FNUZ_WRAP;
    case OB_UINT4: return OBK_TO_UINT4_LOW;
    case OB_INT4: return OBK_TO_INT4_LOW;
    case OB_UINT2: return OBK_TO_UINT2_LOW;
    case OB_INT2: return OBK_TO_INT2_LOW;
    default: return (int)to;
    }
}

ob_conversion ob__find_conversion(ob_dtype from, ob_dtype to, bool saturate) {
    const obk_table *table = ob__kernels();
    ob_conversion found = {0};
    if (from == to && from != OB_BOOL) return found;
    int row = convert_row(to, saturate);
    found.n_steps = 1;
    found.steps[0] = table->convert[row][from];
    if (found.steps[0]) return found;
    found.n_steps = 2;
    found.between = OB_FLOAT;
    found.steps[0] = table->convert[OBK_TO_F32_ODD][from];
    if (!found.steps[0]) found.steps[0] = table->convert[OB_FLOAT][from];
    found.steps[1] = table->convert[row][OB_FLOAT];
    if (!found.steps[0] || !found.steps[1]) found.n_steps = -1;
    return found;
}

ob_status ob__unsupported_type(const ob_kernel_site *site, ob_dtype dtype, ob_error *error) {
    return ob__fail(error, OB_E_UNSUPPORTED, "version %d has no kernel for element type %s", (int)site->op->since,
                    ob_dtype_name(dtype));
}

ob_status ob__element_run(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    obk_iteration_run(args->state, args->in, &args->out[0], args->threads, args->lanes, args->lane_stride);
    return OB_OK;
}
