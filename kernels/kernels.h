/* The kernels, in one table for each instruction-set level. */
#ifndef OB_KERNELS_KERNELS_H
#define OB_KERNELS_KERNELS_H

#include <stdbool.h>

#include "kernels/loop.h"

typedef struct obk_table {
    const char *name;
#define OBK_MEMBER(member, type)  const type *member;
#define OBK_MEMBERS(member, type) const type *member;
#include "kernels/kernels.def"
#undef OBK_MEMBER
#undef OBK_MEMBERS
} obk_table;

/* Levels above the baseline. AVX2 includes FMA and F16C; AVX-512 includes F, BW, DQ, VL and CD. */
enum { OBK_ISA_AVX2 = 1, OBK_ISA_AVX512 = 2, OBK_ISA_DOT8 = 4 };
/* The table of the highest level that the build, the processor and the environment variable OB_ISA allow. */
const obk_table *ob__kernels(void);
/* True if the processor has dot products of four bytes (AVX-512 VNNI, AVX-VNNI, or NEON's sdot) for the level of ob__kernels:
 * loops of its table for quads of bytes may be called. */
bool ob__kernels_dot8(void);
/* For tests: the levels that ob__kernels may choose from now on, as bits of OBK_ISA_*. 0: the baseline; ~0u: all. Without
 * OBK_ISA_DOT8 there are no dot products of bytes. */
void ob__kernels_limit(unsigned isa_mask);

#endif
