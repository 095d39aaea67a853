/* What the taps of a window see, as the rows of a matrix: for products that have no loops on planes. */
#ifndef OB_KERNELS_WINDOW_UNFOLD_H
#define OB_KERNELS_WINDOW_UNFOLD_H

#include "kernels/window/window.h"

/* columns[tap][i], i from 0 to end - first: what the tap sees of a plane of bytes at result first + i; `padding` outside. */
void obk_unfold_bytes(const obk_window *window, const uint8_t *plane, int64_t first, int64_t end, uint8_t padding,
                      uint8_t *columns);

#endif
