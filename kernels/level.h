/* Names for sources that are compiled once for each instruction-set level, OBK_ISA. */
#ifndef OB_KERNELS_LEVEL_H
#define OB_KERNELS_LEVEL_H

#define OBK_CAT_(a, b)     a##b
#define OBK_CAT(a, b)      OBK_CAT_(a, b)
#define OBK_CAT3_(a, b, c) a##b##c
#define OBK_CAT3(a, b, c)  OBK_CAT3_(a, b, c)

/* The level's loops of a member of kernels.def. */
#define OBK_TABLE(member) OBK_CAT3(OBK_CAT(obk_table_, member), __, OBK_ISA)

/* The symbol of a loop of this level, and of one that has one form for all levels. Names are unique in the library. */
#define OBK_FN(loop)     OBK_CAT3(OBK_CAT(obk_, loop), __, OBK_ISA)
#define OBK_SHARED(loop) OBK_CAT(obk_, loop)

/* Compiled for size: forms of a loop that only make it faster are left out. Bits are the same. */
#ifdef __OPTIMIZE_SIZE__
#define OBK_SMALL_CODE 1
#else
#define OBK_SMALL_CODE 0
#endif

#endif
