/* All tables of loops as types, for offsets of slots. */
#ifndef OB_KERNELS_PLACES_H
#define OB_KERNELS_PLACES_H

#include <stddef.h>

#include "kernels/attention/attention.h"
#include "kernels/boxes/boxes.h"
#include "kernels/conv/conv.h"
#include "kernels/convert/convert.h"
#include "kernels/convert/text.h"
#include "kernels/elementwise/chain.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/fft/fft.h"
#include "kernels/gemm/eights.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/integer.h"
#include "kernels/kernels.h"
#include "kernels/level.h"
#include "kernels/ml/ml.h"
#include "kernels/move/move.h"
#include "kernels/norm/norm.h"
#include "kernels/pool/pool.h"
#include "kernels/quantize/quantize.h"
#include "kernels/random/random.h"
#include "kernels/recurrent/recurrent.h"
#include "kernels/reduce/reduce.h"
#include "kernels/resize/resize.h"
#include "kernels/sample/sample.h"
#include "kernels/softmax/softmax.h"

/* A table of each member; the length of an array does not matter. */
#define OBK_MEMBER(member, type)                                                                                                 \
    struct at_##member {                                                                                                         \
        type at;                                                                                                                 \
    };
#define OBK_MEMBERS(member, type)                                                                                                \
    struct at_##member {                                                                                                         \
        type at[64];                                                                                                             \
    };
#include "kernels/kernels.def"
#undef OBK_MEMBER
#undef OBK_MEMBERS

#endif
