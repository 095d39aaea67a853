/* Declares the loops that the rows of a table name. Parameters: MEMBER of kernels.def, ROWS the file with its rows. Sources
 * without a level see only loops that have one form for all levels.
 *
 * Rows: OBK_SLOT(place, loop), OBK_SHARED_SLOT(place, loop) for one form for all levels, OBK_VALUE(place, value) for what is no
 * loop. A place is a designator in the table. The name of the loop is its line in OB_OPS; OBK_PART(line, place, loop) has a line
 * that several loops share, which are taken together, and OBK_FIXED_SLOT(place, loop) is in all builds. */
#include "kernels/level.h"
#include "kernels/levels.h"
#include "kernels/select.h"

#ifdef OBK_ISA
#define OBK_SLOT(place, loop)        __typeof__(*OBK_TABLE(MEMBER) place) OBK_FN(loop);
#define OBK_SHARED_SLOT(place, loop) __typeof__(*OBK_TABLE(MEMBER) place) OBK_SHARED(loop);
#else
#define OBK_SLOT(place, loop)
#define OBK_SHARED_SLOT(place, loop) __typeof__(*OBK_CAT3(obk_table_, MEMBER, __baseline) place) OBK_SHARED(loop);
#endif
#define OBK_VALUE(place, value)
#define OBK_PART(line, place, loop) OBK_SLOT(place, loop)
#define OBK_FIXED_SLOT              OBK_SLOT
#include ROWS
#undef OBK_SLOT
/* A family that has no loops of its own for AVX-512 has those of AVX2 under both names. */
#if defined(OBK_NARROW) && defined(OB_ISA_AVX512) && defined(__ELF__)
#define OBK_SLOT(place, loop) extern __typeof__(OBK_FN(loop)) obk_##loop##__avx512 __attribute__((alias("obk_" #loop "__avx2")));
#include ROWS
#undef OBK_SLOT
#endif
/* The same for a single level and the baseline. Some of these tables name a loop twice, which an attribute cannot. */
#if defined(OBK_BELOW_SINGLE) && defined(OBK_ISA) && defined(__ELF__)
#define OBK_ALIAS(alias, loop) __asm__(".globl " alias "\n.hidden " alias "\n.set " alias ", " loop);
#define OBK_SLOT(place, loop)  OBK_ALIAS("obk_" #loop "__" OBK_TEXT(OBK_SINGLE), "obk_" #loop "__baseline")
#include ROWS
#undef OBK_SLOT
#undef OBK_ALIAS
#endif
#undef OBK_SHARED_SLOT
#undef OBK_VALUE
#undef OBK_PART
#undef OBK_FIXED_SLOT
#undef MEMBER
#undef ROWS
