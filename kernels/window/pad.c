/* Copies of blocks with their padding: one loop for each width of an element, whatever its type, at every level. */
#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/window/window.h"

/* The elements of a plane have another type. */
typedef uint32_t any_4 __attribute__((may_alias));
typedef uint64_t any_8 __attribute__((may_alias));

/* Positions first .. end of a phase lie inside the input; `in` is the element of the first one. */
typedef struct obk_span {
    int64_t first, end, in;
} obk_span;

static obk_span obk_span_of(const obk_axis *x, int64_t phase, int64_t extent, int64_t start) {
    int64_t at = start + phase, stride = x->stride; /* element of position 0 */
    obk_span s = {0, extent, at};
    if (at < 0) {
        s.first = stride == 1 ? -at : ob__ceil_div(-at, stride);
        s.in = at + s.first * stride;
    }
    int64_t left = x->in - s.in, fit = left <= 0 ? 0 : stride == 1 ? left : ob__ceil_div(left, stride);
    if (s.first > extent) s.first = extent;
    if (s.end > s.first + fit) s.end = s.first + fit;
    return s;
}

#define T   uint8_t
#define PAD obk_pad_1
#include "kernels/window/pad.inc.h"
#define T   any_4
#define PAD obk_pad_4
#include "kernels/window/pad.inc.h"
#define T   any_8
#define PAD obk_pad_8
#include "kernels/window/pad.inc.h"
