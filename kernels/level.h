/* Names for sources that are compiled once for each instruction-set level, OBK_ISA. */
#ifndef OB_KERNELS_LEVEL_H
#define OB_KERNELS_LEVEL_H

#define OBK_CAT_(a, b)     a##b
#define OBK_CAT(a, b)      OBK_CAT_(a, b)
#define OBK_CAT3_(a, b, c) a##b##c
#define OBK_CAT3(a, b, c)  OBK_CAT3_(a, b, c)
#define OBK_TEXT_(a)       #a
#define OBK_TEXT(a)        OBK_TEXT_(a)

/* The level's loops of a member of kernels.def. */
#define OBK_TABLE(member) OBK_CAT3(OBK_CAT(obk_table_, member), __, OBK_ISA)

/* The symbol of a loop of this level, and of one that has one form for all levels. Names are unique in the library. */
#define OBK_FN(loop)     OBK_CAT3(OBK_CAT(obk_, loop), __, OBK_ISA)
#define OBK_SHARED(loop) OBK_CAT(obk_, loop)

/* The symbol of a loop that this level has from the level OBK_LOWER, if that is defined. */
#ifdef OBK_LOWER
#define OBK_NARROW_FN(loop) OBK_CAT3(OBK_CAT(obk_, loop), __, OBK_LOWER)
#else
#define OBK_NARROW_FN OBK_FN
#endif

/* Before a loop whose steps do not depend on each other: results may lie in the place of operands. */
#if defined(__clang__) && defined(__riscv_vector)
#define OBK_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define OBK_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* A float or double that becomes an integer. QEMU 7.2 ends at RISC-V's conversions of vectors to integers, so that no test could
 * run them; a loop with this has none. */
#ifdef __riscv_vector
#define OBK_ALONE(x)                                                                                                             \
    __extension__({                                                                                                              \
        __typeof__((x) + 0) obk_alone = (x);                                                                                     \
        __asm__("" : "+f"(obk_alone));                                                                                           \
        obk_alone;                                                                                                               \
    })
#else
#define OBK_ALONE(x) (x)
#endif

/* Compiled for size: forms of a loop that only make it faster are left out. Bits are the same. */
#ifdef __OPTIMIZE_SIZE__
#define OBK_SMALL_CODE 1
#else
#define OBK_SMALL_CODE 0
#endif

#endif
