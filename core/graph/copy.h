/* Copies between two layouts, by element width, never by type. Strides express stretched, transposed and sliced axes. */
#ifndef OB_CORE_GRAPH_COPY_H
#define OB_CORE_GRAPH_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/pace.h"
#include "onnx_broadcast/broadcast.h"
#include "onnx_broadcast/dtype.h"

/* Bytes of a contiguous tensor. False if there are more than can be addressed, even if a size of 0 hides the product of the
 * others. */
bool ob__tensor_bytes(ob_dtype dtype, int32_t rank, const int64_t *dims, uint64_t *n_bytes);

enum { OB__COPY_RANK = 2 * OB_MAX_RANK };

/* Copies elements of `width` bytes (at most 16) between two layouts of the same dims; at most OB__COPY_RANK axes. The two must
 * not overlap, except if they are the same (then nothing happens). Asks `pace` (may be NULL) on the way; if it must stop, the
 * rest stays as it is. */
void ob__copy(int32_t rank, const int64_t *dims, size_t width, void *to, const int64_t *to_strides, const void *from,
              const int64_t *from_strides, obk_pace *pace);
/* Copies elements first .. first + n - 1 in row-major order into contiguous memory, which begins at `to`: for threads that
 * share the work. */
void ob__copy_part(int32_t rank, const int64_t *dims, size_t width, void *to, const int64_t *to_strides, const void *from,
                   const int64_t *from_strides, int64_t first, int64_t n);
/* memcpy that calls ob__pace like ob__copy. */
void ob__copy_bytes(void *to, const void *from, size_t n_bytes, obk_pace *pace);
/* Sets n elements to one value; value NULL: zero bytes. Asks like ob__copy. */
void ob__fill(void *to, int64_t n, size_t width, const void *value, obk_pace *pace);
/* memcpy past the caches, for results larger than the caches. Call ob__stream_end after the last write, before others read. */
void ob__stream(void *target, const void *source, size_t n_bytes);
void ob__stream_end(void);

#endif
