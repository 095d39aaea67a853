/* The loops of each family, one set for each instruction-set level. */
#ifndef OB_KERNELS_KERNELS_H
#define OB_KERNELS_KERNELS_H

#include <stdbool.h>

#include "kernels/loop.h"

/* The loops of a member of kernels.def at the level in use. Each member is linked only into programs that name it. */
#define OBK_LOOPS(member) (obk_levels_##member[ob__kernels_level()])

/* By level: the baseline, and the levels above it that the build has. */
#define OBK_MEMBER(member, type)  extern const type *const obk_levels_##member[];
#define OBK_MEMBERS(member, type) extern const type *const obk_levels_##member[];
#include "kernels/kernels.def"
#undef OBK_MEMBER
#undef OBK_MEMBERS

/* Levels above the baseline. AVX2 includes FMA and F16C; AVX-512 includes F, BW, DQ, VL and CD. NEON, RVV: see below. */
enum { OBK_ISA_AVX2 = 1, OBK_ISA_AVX512 = 2, OBK_ISA_DOT8 = 4 };
/* The highest level that the build, the processor and the environment variable OB_ISA allow: a place in the lists above. */
unsigned ob__kernels_level(void);
/* "baseline", "avx2", "avx512", "neon", "rvv": of the level in use, and of a place in the lists above. */
const char *ob__kernels_level_name(void);
const char *ob__kernels_name(unsigned level);
/* True if the processor has dot products of four bytes (AVX-512 VNNI, AVX-VNNI, or NEON's sdot) for the level in use: loops for
 * quads of bytes may be called. */
bool ob__kernels_dot8(void);
/* For tests: the levels that may be in use from now on, as bits of OBK_ISA_*. 0: the baseline; ~0u: all. Without OBK_ISA_DOT8
 * there are no dot products of bytes. */
void ob__kernels_limit(unsigned isa_mask);

/* NEON and RVV (the vectors of RISC-V) have the place of AVX2, which no build has beside them. */
#define OBK_ISA_NEON OBK_ISA_AVX2
#define OBK_ISA_RVV  OBK_ISA_AVX2

#endif
