#include "ops/kernel/conversion.h"

#include "kernels/convert/convert.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"

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
    ob_conversion found = {0};
    if (from == to && from != OB_BOOL) return found;
    int row = convert_row(to, saturate);
    found.n_steps = 1;
    found.steps[0] = OBK_LOOP(convert, [row][from]);
    if (found.steps[0]) return found;
    found.n_steps = 2;
    found.between = OB_FLOAT;
    found.steps[0] = OBK_LOOP(convert, [OBK_TO_F32_ODD][from]);
    if (!found.steps[0]) found.steps[0] = OBK_LOOP(convert, [OB_FLOAT][from]);
    found.steps[1] = OBK_LOOP(convert, [row][OB_FLOAT]);
    if (!found.steps[0] || !found.steps[1]) found.n_steps = -1;
    return found;
}

static ob_conversion find_any(const ob_conversions *all, ob_dtype from, ob_dtype to) {
    (void)all;
    return ob__find_conversion(from, to, true);
}

const ob_conversions ob__all_conversions = {.find = find_any};

ob_status ob__convert(void *to, ob_dtype to_dtype, const void *from, ob_dtype from_dtype, int64_t n, ob_error *error) {
    const ob_kernel_args all = {.conversions = &ob__all_conversions};
    return ob__convert_in_run(&all, to, to_dtype, from, from_dtype, n, error);
}
