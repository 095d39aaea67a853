/* Contents of the results of elementwise operators: the loop of the row is applied to terms as the kernel applies it to elements.
 *
 * Each function sets the content of output 0 if the contents of the inputs determine it; otherwise nothing. The output's type
 * must be set before. */
#ifndef OB_OPS_ELEMENTWISE_CONTENTS_H
#define OB_OPS_ELEMENTWISE_CONTENTS_H

#include "ops/infer/infer.h"

/* -- infer_content.c: elements that are known -- */
ob_status ob__content_unary(ob_infer *infer);
/* All operands broadcast, and the content of every input is known. */
ob_status ob__content_elementwise(ob_infer *infer);
ob_status ob__content_where(ob_infer *infer);
ob_status ob__content_cast(ob_infer *infer, ob_dtype from, ob_dtype to);
ob_status ob__content_clip(ob_infer *infer);

/* -- infer_ranges.c: ranges of elements that are not known; each calls its counterpart in infer_traces.c -- */
ob_status ob__range_unary(ob_infer *infer);
ob_status ob__range_elementwise(ob_infer *infer);
ob_status ob__range_where(ob_infer *infer);
ob_status ob__range_cast(ob_infer *infer, ob_dtype from, ob_dtype to);
ob_status ob__range_clip(ob_infer *infer);

/* -- infer_traces.c: the elements of the model's inputs from which they are computed -- */
ob_status ob__trace_negative(ob_infer *infer);
/* Clips elements: at least `lowest`, then at most `highest`; OB_DIM_UNKNOWN: no bound. */
ob_status ob__trace_between(ob_infer *infer, uint32_t input, ob_dim lowest, ob_dim highest);
ob_status ob__trace_elementwise(ob_infer *infer);
/* Where(Less(x, 0), Add(x, n), x), which converts indices that count from the end. */
ob_status ob__trace_where(ob_infer *infer);
ob_status ob__trace_cast(ob_infer *infer, ob_dtype from, ob_dtype to);

/* -- infer_fractions.c: contents of floats that are not integers; nothing is set if no input has fractions -- */
ob_status ob__fractions_elementwise(ob_infer *infer);
ob_status ob__fractions_round(ob_infer *infer);
ob_status ob__fractions_cast(ob_infer *infer, ob_dtype from, ob_dtype to);
/* For a Cast of floats to integers or a comparison: requires that float arithmetic kept the elements exactly. *exact is false if
 * it never does. */
ob_status ob__fractions_leave(ob_infer *infer, uint32_t input, bool *exact);
/* ob__extent_with a value that is not exact if the divisor is 0. */
ob_dim ob__extent_of_divisor(ob_infer *infer, ob_dim extent, ob_dim divisor);

#endif
