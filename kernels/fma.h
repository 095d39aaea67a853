/* a * b + c of floats or doubles: rounded once if the instruction set fuses scalars and vectors (OBK_FUSES), else twice. Results
 * of instruction sets differ by that rounding. Vectors and remainder loops must agree, so both use OBK_FUSES. */
#ifndef OB_KERNELS_FMA_H
#define OB_KERNELS_FMA_H

/* Not on s390x and power: they have no vectors here, and a loop over the elements of one would be slower than rounding twice. Nor
 * on riscv64, where the baseline has no vectors, either, and the level RVV has its bits. Not on 32-bit ARM, whose vectors are
 * floats only and have no denormals. */
#if (defined(__AVX2__) && defined(__FMA__)) || (defined(__aarch64__) && defined(__ARM_FEATURE_FMA))
#define OBK_FUSES
#define OBK_FMA(a, b, c) _Generic((c), float : __builtin_fmaf, double : __builtin_fma)(a, b, c)
#else
#define OBK_FMA(a, b, c) ((a) * (b) + (c))
#endif

#endif
