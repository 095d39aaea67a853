/* The tables that each instruction set's build of the kernels defines. */
#ifndef OB_KERNELS_TABLES_H
#define OB_KERNELS_TABLES_H

#include "kernels/kernels.h"

#define OBK_DECLARE(isa)                                                                                                         \
    extern const obk_loop obk_binary_loops__##isa[OBK_BINARY_COUNT][OB_DTYPE_COUNT];                                             \
    extern const obk_loop obk_unary_loops__##isa[OBK_UNARY_COUNT][OB_DTYPE_COUNT];                                               \
    extern const obk_loop obk_where_loops__##isa[5];                                                                             \
    extern const obk_moves obk_move_functions__##isa;                                                                            \
    extern const obk_integer_gemm obk_integer_gemm_functions__##isa;                                                             \
    extern const obk_quantize obk_quantize_functions__##isa;                                                                     \
    extern const obk_boxes obk_box_functions__##isa;                                                                             \
    extern const obk_samples obk_sample_functions__##isa;                                                                        \
    extern const obk_gemm obk_gemm_functions__##isa[OBK_GEMM_COUNT];                                                             \
    extern const obk_resizes obk_resize_functions__##isa;                                                                        \
    extern const obk_ml obk_ml_functions__##isa;                                                                                 \
    extern const obk_convs obk_conv_functions__##isa;                                                                            \
    extern const obk_pools obk_pool_functions__##isa;                                                                            \
    extern const obk_reduce obk_reduce_loops__##isa[OB_DTYPE_COUNT];                                                             \
    extern const obk_find obk_find_loops__##isa[OB_DTYPE_COUNT];                                                                 \
    extern const obk_run_up obk_run_up_loops__##isa[OB_DTYPE_COUNT];                                                             \
    extern const obk_randoms obk_random_functions__##isa;                                                                        \
    extern const obk_recurrent obk_recurrent_functions__##isa;                                                                   \
    extern const obk_norms obk_norm_functions__##isa;                                                                            \
    extern const obk_ffts obk_fft_functions__##isa;                                                                              \
    extern const obk_attention obk_attention_functions__##isa;                                                                   \
    extern const obk_softmax obk_softmax_functions__##isa;                                                                       \
    extern const obk_loop obk_clip_loops__##isa[OB_DTYPE_COUNT];                                                                 \
    extern const obk_convert obk_conversions__##isa[OBK_CONVERT_COUNT][OB_DTYPE_COUNT];

OBK_DECLARE(baseline)
OBK_DECLARE(avx2)
OBK_DECLARE(avx512)

#define OBK_TABLE(name) OBK_CAT3(name, __, OBK_ISA)

#endif
