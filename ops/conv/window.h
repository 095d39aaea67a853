/* The sliding window of convolutions and pooling, in any number of spatial axes. */
#ifndef OB_OPS_CONV_WINDOW_H
#define OB_OPS_CONV_WINDOW_H

#include "ops/kernel/common.h"

typedef struct ob__window {
    int32_t rank; /* spatial axes */
    int64_t in[OB_MAX_RANK], out[OB_MAX_RANK], kernel[OB_MAX_RANK], stride[OB_MAX_RANK], dilation[OB_MAX_RANK];
    int64_t before[OB_MAX_RANK], after[OB_MAX_RANK]; /* padding */
    int64_t n_in, n_out, n_taps;                     /* elements of one plane and of the kernel */
} ob__window;

/* From the attributes kernel_shape (or `kernel` when not NULL), strides, dilations, pads, auto_pad and the spatial dims of `in`
 * and `out` (both with two axes before them). E_ARGUMENT for a size that is not positive or is over 2^31, negative padding, a
 * wrong count. */
ob_status ob__read_window(const ob_kernel_args *args, const ob_view *in, const ob_view *out, const int64_t *kernel,
                          ob__window *window, ob_error *error);

/* n results from `out` on (indices into the plane) see at this tap the elements in, in + step, ... */
typedef void (*ob__window_row)(void *context, int64_t tap, int64_t out, int64_t in, int64_t n, int64_t step);
/* Calls row for every tap in order and every row of results that the tap reaches inside the plane; taps that see padding only
 * cost nothing. */
void ob__window_walk(const ob__window *window, ob__window_row row, void *context);
/* About how many elements the walk visits; never overflows. */
int64_t ob__window_work(const ob__window *window);
/* The results first .. end of axis a that tap k of that axis reaches. */
void ob__window_reach(const ob__window *window, int32_t a, int64_t k, int64_t *first, int64_t *end);
/* How many taps of result o of axis a lie inside the input, or inside the input and its padding. */
int64_t ob__window_taps(const ob__window *window, int32_t a, int64_t o, bool padded);

#endif
