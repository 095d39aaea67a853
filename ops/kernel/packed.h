/* Constant matrices as packed panels for kernels/gemm. */
#ifndef OB_OPS_KERNEL_PACKED_H
#define OB_OPS_KERNEL_PACKED_H

#include "kernels/gemm/gemm.h"
#include "ops/kernel/matrices.h"

/* The form of a prepared constant: the highest byte of ob_prepare_request.format. */
typedef enum ob_prepared_form {
    OB_PREPARED_B = 1,
    OB_PREPARED_INTEGER_B,
    OB_PREPARED_INTEGER_CONV,
    OB_PREPARED_INTEGER_SUMS,
    OB_PREPARED_CONV
} ob_prepared_form;

/* Requests `constant` as packed panels with elements of type `computing`, and sets the strides of p->b for them. The constant is
 * B of the product, or its transpose if `transposed`. None of m, n, k may be 0. */
ob_status ob__want_packed_b(const ob_kernel_site *site, ob_matrices *p, const obk_gemm *gemm, const ob_view *constant,
                            bool transposed, ob_dtype computing, ob_kernel_needs *needs, ob_error *error);

#endif
