/* Elements of inputs and results of the runs of a certificate. */
#ifndef OB_RUNTIME_CERTIFY_ELEMENTS_H
#define OB_RUNTIME_CERTIFY_ELEMENTS_H

#include "core/base/text.h"
#include "onnx_broadcast/check.h"
#include "onnx_broadcast/view.h"

enum { OB_CERTIFY_SYMBOLS = 16 }; /* open sizes of the inputs at most */

/* Can inputs have this type? Floats of 16, 32 and 64 bits, integers of 8 to 64 bits, bool. */
bool ob__certify_has(ob_dtype dtype);
/* Smallest and largest element that the conditions on values allow for an input, within -1 .. 100. sizes: n_sizes, of the symbols
 * with these names. */
void ob__certify_range(ob_report *report, const char *const *names, const ob_binding *sizes, size_t n_sizes, const char *input,
                       int64_t *lowest, int64_t *highest);
/* Numbers that sums of floats represent exactly, or numbers at the edges of the type; integers within the range. */
void ob__certify_fill(ob_view *view, bool special, uint64_t *state, int64_t lowest, int64_t highest);
/* Appends the bytes that decide whether two results are equal: type, sizes, elements with one form of NaN. */
void ob__certify_append(ob_text *out, const ob_view *view);

#endif
