/* Arithmetic on contents: what shape arithmetic in a model computes, as terms. */
#ifndef OB_OPS_CONTENT_H
#define OB_OPS_CONTENT_H

#include "ops/infer.h"

/* Each sets the content of an output when the contents of the inputs tell it, and nothing otherwise. The output's type is set
 * before. */

/* One operand: Neg, Abs, Not ..., CumSum and the scatters. */
ob_status ob__content_same(ob_infer *infer);
/* All operands broadcast: Add, Max, Where ... Every input's content is known. */
ob_status ob__content_elementwise(ob_infer *infer);
ob_status ob__content_cast(ob_infer *infer, ob_dtype from, ob_dtype to);
ob_status ob__content_clip(ob_infer *infer);
/* Output holds input's elements, broadcast to the output's shape. */
ob_status ob__content_stretch(ob_infer *infer, uint32_t input, uint32_t output);
/* Output has input's elements in the same order: Reshape, Squeeze ... */
ob_status ob__content_share(ob_infer *infer, uint32_t input, uint32_t output);

/* `d`, or unknown when it is a constant that an element of that type would not hold exactly. */
ob_dim ob__content_within(ob_dim d, ob_dtype dtype);
/* What arithmetic may use: `d`, or unknown when it is saturated, which tells only that the number is huge. */
ob_dim ob__content_exact(ob_dim d);
/* True for types whose contents are kept. */
bool ob__content_dtype(ob_dtype dtype);

#endif
