/* Comparison of tensors, as ONNX's backend tests do it. */
#ifndef OB_TOOLS_COMPARE_H
#define OB_TOOLS_COMPARE_H

#include <stdbool.h>

#include "onnx_broadcast/onnx_broadcast.h"

typedef struct comparison {
    int64_t n_different; /* elements outside the tolerance */
    double max_error;    /* largest absolute difference of two finite numbers */
    char message[800];   /* the first difference, "": none */
} comparison;

/* Type and shape must agree; floating-point elements within atol + rtol * |want| (NaN equals NaN, infinities themselves), 8-bit
 * floats, integers, bools and strings exactly. Both views contiguous. */
bool compare_tensors(const ob_view *got, const ob_view *want, double rtol, double atol, comparison *result);

/* The same for values of any type: kinds, numbers of items and keys must agree, tensors as above. NULL: no value. */
bool compare_cells(const ob_cell *got, const ob_cell *want, double rtol, double atol, comparison *result);
/* "a tensor", "a sequence of 3" */
void format_cell(const ob_cell *cell, char *text, size_t n_bytes);

/* An element of a number type as text, for messages and previews. */
void format_element(const ob_view *view, int64_t index, char *text, size_t n_bytes);
/* "[2, 3]" */
void format_dims(const ob_view *view, char *text, size_t n_bytes);
/* "float[2, 3]" */
void format_type(const ob_view *view, char *text, size_t n_bytes);

#endif
