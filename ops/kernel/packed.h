/* Constant matrices as kernels/gemm packs them. */
#ifndef OB_OPS_KERNEL_PACKED_H
#define OB_OPS_KERNEL_PACKED_H

#include "kernels/gemm/gemm.h"
#include "ops/kernel/matrices.h"

/* The highest byte of ob_pack_want.format: what the pack is. */
typedef enum ob_pack_family { OB_PACK_B = 1, OB_PACK_INTEGER_B, OB_PACK_INTEGER_CONV } ob_pack_family;

/* Wants `constant`, B of the product or (`transposed`) its transpose, packed with elements of type `computing`, and sets the
 * distances of p->b to those of the pack. None of m, n, k is 0. */
ob_status ob__want_packed_b(const ob_kernel_site *site, ob_matrices *p, const obk_gemm *gemm, const ob_view *constant,
                            bool transposed, ob_dtype computing, ob_kernel_needs *needs, ob_error *error);

#endif
