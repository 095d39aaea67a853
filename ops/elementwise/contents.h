/* Contents of what elementwise operators compute: on terms, the loop of the row does what the kernel does with elements.
 *
 * Each function sets the content of output 0 when the contents of the inputs tell it, and nothing otherwise. The output's type is
 * set before. */
#ifndef OB_OPS_ELEMENTWISE_CONTENTS_H
#define OB_OPS_ELEMENTWISE_CONTENTS_H

#include "ops/infer/infer.h"

/* -- infer_content.c: elements that are known -- */
ob_status ob__content_unary(ob_infer *infer);
/* All operands broadcast. Every input's content is known. */
ob_status ob__content_elementwise(ob_infer *infer);
ob_status ob__content_where(ob_infer *infer);
ob_status ob__content_cast(ob_infer *infer, ob_dtype from, ob_dtype to);
ob_status ob__content_clip(ob_infer *infer);

/* -- infer_ranges.c: where elements are not known, what they lie between; each calls its kin of infer_traces.c -- */
ob_status ob__range_unary(ob_infer *infer);
ob_status ob__range_elementwise(ob_infer *infer);
ob_status ob__range_where(ob_infer *infer);
ob_status ob__range_cast(ob_infer *infer, ob_dtype from, ob_dtype to);
ob_status ob__range_clip(ob_infer *infer);

/* -- infer_traces.c: from which elements of the model's inputs they are computed -- */
ob_status ob__trace_negative(ob_infer *infer);
/* Elements at least `lowest`, then at most `highest`; OB_DIM_UNKNOWN: none. */
ob_status ob__trace_between(ob_infer *infer, uint32_t input, ob_dim lowest, ob_dim highest);
ob_status ob__trace_elementwise(ob_infer *infer);
/* Where(Less(x, 0), Add(x, n), x): indices that count from the end become those that count from the start. */
ob_status ob__trace_where(ob_infer *infer);
ob_status ob__trace_cast(ob_infer *infer, ob_dtype from, ob_dtype to);

/* -- infer_fractions.c: contents of floats that are no integers; each sets nothing where no input has fractions -- */
ob_status ob__fractions_elementwise(ob_infer *infer);
ob_status ob__fractions_round(ob_infer *infer);
ob_status ob__fractions_cast(ob_infer *infer, ob_dtype from, ob_dtype to);
/* Where floats end, at a Cast to integers or a comparison: whole elements are those that were computed as long as float
 * arithmetic keeps them exactly; required. *exact is false where it never does. */
ob_status ob__fractions_leave(ob_infer *infer, uint32_t input, bool *exact);
/* ob__extent_with a value that nothing keeps exactly where the divisor is 0. */
ob_dim ob__extent_of_divisor(ob_infer *infer, ob_dim extent, ob_dim divisor);

#endif
