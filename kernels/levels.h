/* The list of one member's loops by level, for the sources that the build writes for each row of kernels.def. */
#ifndef OB_KERNELS_LEVELS_H
#define OB_KERNELS_LEVELS_H

#include "kernels/gemm/gemm.h"
#include "kernels/gemm/integer.h"
#include "kernels/kernels.h"
#include "kernels/level.h"

#define OBK_MEMBER(member, type)                                                                                                 \
    extern const type obk_table_##member##__baseline, obk_table_##member##__avx2, obk_table_##member##__avx512;
#define OBK_MEMBERS(member, type)                                                                                                \
    extern const type obk_table_##member##__baseline[], obk_table_##member##__avx2[], obk_table_##member##__avx512[];
#include "kernels/kernels.def"
#undef OBK_MEMBER
#undef OBK_MEMBERS

#ifdef OB_ISA_AVX2
#define OBK_AT_AVX2(loops) loops##__avx2,
#else
#define OBK_AT_AVX2(loops)
#endif
/* OBK_NARROW: a family that has no loops of its own for AVX-512. */
#if defined(OB_ISA_AVX512) && defined(OBK_NARROW)
#define OBK_AT_AVX512(loops) OBK_AT_AVX2(loops)
#elif defined(OB_ISA_AVX512)
#define OBK_AT_AVX512(loops) loops##__avx512,
#else
#define OBK_AT_AVX512(loops)
#endif

/* The build defines OBK_MEMBER and OBK_MEMBERS for its row by these. */
#define OBK_LIST_MEMBER(member, type)                                                                                            \
    const type *const obk_levels_##member[] = {&obk_table_##member##__baseline,                                                  \
                                               OBK_AT_AVX2(&obk_table_##member) OBK_AT_AVX512(&obk_table_##member)};
#define OBK_LIST_MEMBERS(member, type)                                                                                           \
    const type *const obk_levels_##member[] = {obk_table_##member##__baseline,                                                   \
                                               OBK_AT_AVX2(obk_table_##member) OBK_AT_AVX512(obk_table_##member)};

/* A level that is the only one beside the baseline. OBK_BELOW_SINGLE: a family that has no loops of its own for it. */
#ifdef OB_ISA_NEON
#define OBK_SINGLE neon
#elif defined(OB_ISA_RVV)
#define OBK_SINGLE rvv
#endif
#ifdef OBK_SINGLE
#define OBK_OF_SINGLE(member)     OBK_CAT3(obk_table_##member, __, OBK_SINGLE)
#define OBK_MEMBER(member, type)  extern const type OBK_OF_SINGLE(member);
#define OBK_MEMBERS(member, type) extern const type OBK_OF_SINGLE(member)[];
#include "kernels/kernels.def"
#undef OBK_MEMBER
#undef OBK_MEMBERS

#ifdef OBK_BELOW_SINGLE
#define OBK_AT_SINGLE(member) obk_table_##member##__baseline
#else
#define OBK_AT_SINGLE(member) OBK_OF_SINGLE(member)
#endif
#undef OBK_LIST_MEMBER
#undef OBK_LIST_MEMBERS
#define OBK_LIST_MEMBER(member, type)                                                                                            \
    const type *const obk_levels_##member[] = {&obk_table_##member##__baseline, &OBK_AT_SINGLE(member)};
#define OBK_LIST_MEMBERS(member, type)                                                                                           \
    const type *const obk_levels_##member[] = {obk_table_##member##__baseline, OBK_AT_SINGLE(member)};
#endif

#endif
