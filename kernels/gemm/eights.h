/* Products of 8-bit integers by instructions that multiply matrices of bytes, 2 x 8 by 8 x 2 (i8mm of arm64). A is packed as for
 * quads. A panel of B has two quads of each column side by side, as long as there are two, so it is as large as with quads. */
#ifndef OB_KERNELS_GEMM_EIGHTS_H
#define OB_KERNELS_GEMM_EIGHTS_H

#include <stdbool.h>

#include "kernels/gemm/integer.h"

/* In the table, only if ob__kernels_i8mm(). For one row of A quads are faster. */
enum { OBK_INTEGER_EIGHTS = OBK_INTEGER_QUADS + 1, OBK_INTEGER_COUNT };

/* True if the processor has such instructions, for the level in use. For tests: without OBK_ISA_I8MM (ob__kernels_limit) it has
 * none. */
enum { OBK_ISA_I8MM = 8 };
bool ob__kernels_i8mm(void);

#endif
