/* a * b + c: rounded once where the instruction set does so for numbers and for vectors (OBK_FUSES), twice elsewhere. Of floats
 * or doubles; results differ between instruction sets by that rounding. What is summed in vectors and what is left over behind
 * them must agree, so both ask OBK_FUSES and nothing else. */
#ifndef OB_KERNELS_FMA_H
#define OB_KERNELS_FMA_H

/* Not s390x, riscv64 and power: theirs has no vectors here, and a loop over the elements of one would be slower than rounding
 * twice. Not 32-bit ARM, whose vectors are floats only and have no denormals. */
#if (defined(__AVX2__) && defined(__FMA__)) || (defined(__aarch64__) && defined(__ARM_FEATURE_FMA))
#define OBK_FUSES
#define OBK_FMA(a, b, c) _Generic((c), float : __builtin_fmaf, double : __builtin_fma)(a, b, c)
#else
#define OBK_FMA(a, b, c) ((a) * (b) + (c))
#endif

#endif
