/* BitCast 26: the same bits as elements of another type of the same size. It is a view, except for elements smaller than a byte,
 * whose unused bits in memory may differ, and for bool: every value except 0 becomes 1. */
#include "core/graph/types.h"
#include "ops/kernel/common.h"

static bool is_plain(ob_dtype dtype) {
    return ob_dtype_file_bits(dtype) >= 8 && dtype != OB_BOOL;
}

static ob_status check(const ob_kernel_args *args, ob_error *error) {
    ob_dtype from = args->in[0].dtype, to = args->out[0].dtype;
    OB_FAIL_IF(ob_dtype_file_bits(from) != ob_dtype_file_bits(to), error, OB_E_TYPE, "%s and %s have different numbers of bits",
               ob_dtype_name(from), ob_dtype_name(to));
    return OB_OK;
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)site;
    (void)needs;
    return check(args, error);
}

static ob_status view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    (void)site;
    OB_TRY(check(args, error));
    if (!is_plain(args->out[0].dtype)) return OB_E_UNSUPPORTED;
    memcpy(args->out[0].strides, args->in[0].strides, sizeof args->out[0].strides);
    args->out[0].data = args->in[0].data;
    return OB_OK;
}

OB_RUN(ob__run_bit_cast) {
    (void)error;
    const ob_view *out = &args->out[0];
    uint8_t *bytes = out->data;
    ob__copy_contiguous(&args->in[0], bytes, args->threads);
    if (is_plain(out->dtype)) return OB_OK;
    int spare = 8 - ob_dtype_file_bits(out->dtype);
    bool is_bool = out->dtype == OB_BOOL, is_signed = ob__dtype_kind(out->dtype) == OB_KIND_SIGNED;
    uint8_t mask = (uint8_t)(0xff >> spare), sign = (uint8_t)(0x80 >> spare);
    obk_pace pace = ob__pace(args->threads);
    for (int64_t i = 0, n = ob__count(out); i < n && !obk_stops(&pace, 1); i++) {
        uint8_t bits = bytes[i] & mask;
        bytes[i] = is_bool ? bits != 0 : is_signed ? (uint8_t)((bits ^ sign) - sign) : bits;
    }
    return OB_OK;
}

const ob_kernel ob__kernel_bit_cast = {
    .name = "bit_cast", .flags = OB_KERNEL_VIEW | OB_KERNEL_STRIDED, .plan = plan, .view = view, OB_RUNS(ob__run_bit_cast)};
