/* Arithmetic on contents: the shape arithmetic of a model, computed as terms. */
#ifndef OB_OPS_INFER_CONTENTS_H
#define OB_OPS_INFER_CONTENTS_H

#include "ops/infer/infer.h"

/* The output gets the input's elements, broadcast to the output's shape; nothing if they are not known. The output's type must be
 * set before. */
ob_status ob__content_stretch(ob_infer *infer, uint32_t input, uint32_t output);
/* The output gets the input's elements in the same order: Reshape, Squeeze ... */
ob_status ob__content_share(ob_infer *infer, uint32_t input, uint32_t output);
/* Whether the content of the input is known and broadcasts to the shape `to`, whose sizes are numbers. */
bool ob__content_readable(const ob_infer *infer, uint32_t input, ob_shape to);
/* The element of such a content at row-major position `at` of `to`. */
ob_dim ob__content_element(const ob_infer *infer, uint32_t input, ob_shape to, uint32_t at);

/* `d`, or OB_DIM_UNKNOWN if it is a constant that an element of that type cannot hold exactly. */
ob_dim ob__content_within(ob_dim d, ob_dtype dtype);
/* `d` for use in arithmetic: OB_DIM_UNKNOWN if it is saturated, because only its magnitude is then known. */
ob_dim ob__content_exact(ob_dim d);
/* Whether contents are kept for this element type. */
bool ob__content_dtype(ob_dtype dtype);

/* -- ranges.c: ranges of elements that are not known; nothing is set if elems are known -- */
/* The range of the elements of input i, from the elements if they are known; false if neither is known. */
bool ob__in_range(const ob_infer *infer, uint32_t i, ob_range *out);
/* Stores the range if output i holds integers with unknown elements. */
ob_status ob__out_range(ob_infer *infer, uint32_t i, ob_range range);
/* The same for output 0, computed in its type, where integers may have wrapped. */
ob_status ob__out_computed_range(ob_infer *infer, ob_range range);
/* The output has all or some of the input's elements. */
ob_status ob__range_share(ob_infer *infer, uint32_t input, uint32_t output);
ob_status ob__range_part(ob_infer *infer, uint32_t input, uint32_t output);
/* Output 0 has elements of the inputs `first` to `end` - 1. */
ob_status ob__range_join(ob_infer *infer, uint32_t first, uint32_t end);

/* -- traces.c: the elements of the model's inputs from which they are computed -- */
/* The output has each of the input's elements once, or as often as its shape implies. */
ob_status ob__trace_same(ob_infer *infer, uint32_t input, uint32_t output);
ob_status ob__trace_share(ob_infer *infer, uint32_t input, uint32_t output);
/* Output 0 has all elements of the inputs `first` to `end` - 1, and no others. */
ob_status ob__trace_join(ob_infer *infer, uint32_t first, uint32_t end);
/* Whether elements of this type are traced. */
bool ob__trace_follows(ob_dtype dtype);
/* Copies the trace of input `input` to output `output`, for the caller to change; *chain NULL: there is none. */
ob_status ob__trace_copy(ob_infer *infer, uint32_t input, uint32_t output, ob_trace **chain);
/* The output is the part of the input that begins at `first` and has `n` elements along each axis. keeps_axes: it has all axes of
 * the input. Does nothing if any of these is unknown. */
ob_status ob__trace_part(ob_infer *infer, uint32_t input, uint32_t output, const ob_dim *first, const ob_dim *n, bool keeps_axes);
/* States the requirement `asked` on input i as a requirement on elements of the model's inputs; *stated false: impossible. */
ob_status ob__trace_within(ob_infer *infer, uint32_t i, const ob_values_asked *asked, bool *stated);
/* The trace of an input of the main graph with that type. NULL: out of memory, or the type is not traced. */
const ob_trace *ob__trace_of_input(const ob_value *input, const ob_type *type, ob_arena *arena);

/* -- fractions.c: contents of floats that are not integers -- */
enum { OB_MAX_DENOMINATOR = 1 << 12 };
/* Writes constants as fractions of small numbers; false if that is impossible. parts: memory for n. */
bool ob__fractions_of(const double *values, uint32_t n, ob_dim *parts, int64_t *denominator);
/* The largest number up to which a float or double holds every integer exactly. */
int64_t ob__exact_limit(ob_dtype dtype);
/* `extent`, the greatest absolute value of a numerator so far, updated with another numerator. OB_DIM_UNKNOWN: too large for a
 * term. */
ob_dim ob__extent_with(ob_infer *infer, ob_dim extent, ob_dim part);

/* -- width.c: ranges of element types -- */
/* Whether an integer of the type holds `d` for all possible sizes. True for other types; false for OB_DIM_UNKNOWN. */
bool ob__term_fits(const ob_infer *infer, ob_dim d, ob_dtype dtype);
/* The same for callers that depend on it: if `d` fits for usual sizes, this is required for all; otherwise *d becomes unknown. */
ob_status ob__term_fit(ob_infer *infer, ob_dim *d, ob_dtype dtype, int32_t operand);
/* A number computed from integers of the type with arithmetic that wraps; terms stay unchanged. */
ob_dim ob__term_wrapped(ob_dim d, ob_dtype dtype);

/* -- term_extremes.c: OB_DIM_UNKNOWN for an unknown operand or a term that would be too large -- */
ob_dim ob__term_min(const ob_infer *infer, ob_dim a, ob_dim b);
ob_dim ob__term_max(const ob_infer *infer, ob_dim a, ob_dim b);
/* Booleans, 1 if true: a >= b, a = b, not a. */
ob_dim ob__term_at_least(const ob_infer *infer, ob_dim a, ob_dim b);
ob_dim ob__term_equal(const ob_infer *infer, ob_dim a, ob_dim b);
ob_dim ob__term_not(const ob_infer *infer, ob_dim a);
/* `a` if the boolean `chosen` is 1, `b` if it is 0. */
ob_dim ob__term_select(const ob_infer *infer, ob_dim chosen, ob_dim a, ob_dim b);
/* a / b truncated, as integer division of tensors. Requires b != 0 if b is a term. Unknown if the sign of a term is unknown. */
ob_dim ob__term_truncated(const ob_infer *infer, ob_dim a, ob_dim b);

#endif
