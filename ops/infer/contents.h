/* Arithmetic on contents: what shape arithmetic in a model computes, as terms. */
#ifndef OB_OPS_INFER_CONTENTS_H
#define OB_OPS_INFER_CONTENTS_H

#include "ops/infer/infer.h"

/* Output has input's elements, broadcast to the output's shape; nothing is set where they are not known. The output's type is set
 * before. */
ob_status ob__content_stretch(ob_infer *infer, uint32_t input, uint32_t output);
/* Output has input's elements in the same order: Reshape, Squeeze ... */
ob_status ob__content_share(ob_infer *infer, uint32_t input, uint32_t output);
/* The content of the input is known and broadcasts to the shape `to`, whose sizes are numbers. */
bool ob__content_readable(const ob_infer *infer, uint32_t input, ob_shape to);
/* The element of such a content at position `at` of `to`, row-major. */
ob_dim ob__content_element(const ob_infer *infer, uint32_t input, ob_shape to, uint32_t at);

/* `d`, or unknown when it is a constant that an element of that type would not hold exactly. */
ob_dim ob__content_within(ob_dim d, ob_dtype dtype);
/* What arithmetic may use: `d`, or unknown when it is saturated, which tells only that the number is huge. */
ob_dim ob__content_exact(ob_dim d);
/* True for types whose contents are kept. */
bool ob__content_dtype(ob_dtype dtype);

/* -- ranges.c: where elements are not known, what they lie between; each sets nothing where elems are known -- */
/* From the elements of input i, or what they lie between; false when neither is known. */
bool ob__in_range(const ob_infer *infer, uint32_t i, ob_range *out);
/* Kept where output i holds integers whose elements are not known. */
ob_status ob__out_range(ob_infer *infer, uint32_t i, ob_range range);
/* The same of output 0 for what was computed in its type, and may have wrapped around. */
ob_status ob__out_computed_range(ob_infer *infer, ob_range range);
/* Output has input's elements: all of them, or some. */
ob_status ob__range_share(ob_infer *infer, uint32_t input, uint32_t output);
ob_status ob__range_part(ob_infer *infer, uint32_t input, uint32_t output);
/* Output 0 has elements of the inputs from `first` to before `end`. */
ob_status ob__range_join(ob_infer *infer, uint32_t first, uint32_t end);

/* -- traces.c: from which elements of the model's inputs they are computed -- */
/* The output has the input's elements, all of them and each once; or as often as its shape says. */
ob_status ob__trace_same(ob_infer *infer, uint32_t input, uint32_t output);
ob_status ob__trace_share(ob_infer *infer, uint32_t input, uint32_t output);
/* Output 0 has the elements of inputs `first` to before `end`, and no others. */
ob_status ob__trace_join(ob_infer *infer, uint32_t first, uint32_t end);
/* True for element types that are followed. */
bool ob__trace_follows(ob_dtype dtype);
/* Output `output` gets a chain of copies of what input `input` has, for the caller to change; *chain NULL: there is none. */
ob_status ob__trace_copy(ob_infer *infer, uint32_t input, uint32_t output, ob_trace **chain);
/* For rules: the output is the part of the input that begins at `first` and has `n` elements along each axis; with `keeps_axes`
 * it has all the input's axes. Does nothing where one of these is not known. */
ob_status ob__trace_part(ob_infer *infer, uint32_t input, uint32_t output, const ob_dim *first, const ob_dim *n, bool keeps_axes);
/* What `asked` says of input i, on elements of the model's inputs; *stated false: it cannot be. */
ob_status ob__trace_within(ob_infer *infer, uint32_t i, const ob_values_asked *asked, bool *stated);
/* An input of the main graph, of that type. NULL: no memory, or nothing is to be said. */
const ob_trace *ob__trace_of_input(const ob_value *input, const ob_type *type, ob_arena *arena);

/* -- fractions.c: contents of floats that are no integers -- */
enum { OB_MAX_DENOMINATOR = 1 << 12 };
/* Constants as fractions of small numbers; false when they are none. parts: room for n. */
bool ob__fractions_of(const double *values, uint32_t n, ob_dim *parts, int64_t *denominator);
/* Up to here a float or double keeps every integer exactly. */
int64_t ob__exact_limit(ob_dtype dtype);
/* `extent`, the greatest absolute value of a numerator so far, with one more. OB_DIM_UNKNOWN: too large to be stated. */
ob_dim ob__extent_with(ob_infer *infer, ob_dim extent, ob_dim part);

/* -- width.c: what an element type holds -- */
/* Is `d` what an integer of the type is at all sizes that there may be? True for other types; false for OB_DIM_UNKNOWN. */
bool ob__term_fits(const ob_infer *infer, ob_dim d, ob_dtype dtype);
/* The same for whoever cannot do without: what fits for usual sizes is required of all, and *d is unknown where it does not. */
ob_status ob__term_fit(ob_infer *infer, ob_dim *d, ob_dtype dtype, int32_t operand);
/* A number that was computed from integers of the type by what wraps around; terms stay. */
ob_dim ob__term_wrapped(ob_dim d, ob_dtype dtype);

/* -- term_extremes.c: each gives OB_DIM_UNKNOWN for an operand that is, and for a term that would be too large -- */
ob_dim ob__term_min(const ob_infer *infer, ob_dim a, ob_dim b);
ob_dim ob__term_max(const ob_infer *infer, ob_dim a, ob_dim b);
/* Booleans, 1 where they are true: a >= b, a = b, not a. */
ob_dim ob__term_at_least(const ob_infer *infer, ob_dim a, ob_dim b);
ob_dim ob__term_equal(const ob_infer *infer, ob_dim a, ob_dim b);
ob_dim ob__term_not(const ob_infer *infer, ob_dim a);
/* `a` where the boolean `chosen` is 1, `b` where it is 0. */
ob_dim ob__term_select(const ob_infer *infer, ob_dim chosen, ob_dim a, ob_dim b);
/* a / b rounded towards 0, as integer division of tensors does, where b is not 0, which is required of a term. Unknown for one of
 * which nobody knows the sign. */
ob_dim ob__term_truncated(const ob_infer *infer, ob_dim a, ob_dim b);

#endif
