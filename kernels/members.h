/* The members of structs of kernels/ that plans keep (core/base/members.h). */
#ifndef OB_KERNELS_MEMBERS_H
#define OB_KERNELS_MEMBERS_H

#include "core/base/members.h"

extern const ob_struct obk_axis_struct, obk_window_struct, obk_tiling_struct;
extern const ob_struct obk_conv_struct, obk_conv_panels_struct, obk_pool_struct;
extern const ob_struct obk_gemm_struct, obk_integer_gemm_struct, obk_resize_axis_struct;
extern const ob_struct obk_unary_params_struct, obk_nd_struct, obk_program_struct, obk_iteration_struct;
extern const ob_struct obk_random_key_struct, obk_fft_struct;
extern const ob_struct obk_reduction_struct, obk_search_struct, obk_running_struct;

#endif
