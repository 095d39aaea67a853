/* a * b + c: rounded once where the instruction set has it, twice elsewhere. Of floats or doubles; results differ between
 * instruction sets by that rounding. */
#ifndef OB_KERNELS_FMA_H
#define OB_KERNELS_FMA_H

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define OBK_FMA(a, b, c) _Generic((c), float : __builtin_fmaf, double : __builtin_fma)(a, b, c)
#else
#define OBK_FMA(a, b, c) ((a) * (b) + (c))
#endif

#endif
