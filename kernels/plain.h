/* Loops for compilers that make no vectors. */
#ifndef OB_KERNELS_PLAIN_H
#define OB_KERNELS_PLAIN_H

/* Where the compiler makes no vectors of floats, or of integers, a vector is a few numbers in registers, of which tiles would
 * need far more than there are. Loops for it then compute one row after the other, with the same bits and in less code. */
#if defined(__SSE2__) || defined(__aarch64__) || defined(__wasm_simd128__) || defined(__VSX__) || defined(__VEC__) ||            \
    defined(__riscv_vector)
#define OBK_PLAIN_REAL    0
#define OBK_PLAIN_INTEGER 0
#else
#define OBK_PLAIN_REAL 1 /* 32-bit ARM, too: its vectors of floats have no denormals */
#ifdef __ARM_NEON
#define OBK_PLAIN_INTEGER 0
#else
#define OBK_PLAIN_INTEGER 1
#endif
#endif

#endif
