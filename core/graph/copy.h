/* Copying between two layouts: by element width, never by type. What is stretched, transposed or cut is a matter of strides. */
#ifndef OB_CORE_GRAPH_COPY_H
#define OB_CORE_GRAPH_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/pace.h"
#include "onnx_broadcast/broadcast.h"
#include "onnx_broadcast/dtype.h"

/* Bytes of a contiguous tensor; false when there are more than can be addressed, or strides that sizes of 0 hide. */
bool ob__tensor_bytes(ob_dtype dtype, int32_t rank, const int64_t *dims, uint64_t *n_bytes);

enum { OB__COPY_RANK = 2 * OB_MAX_RANK };

/* Copies elements of `width` bytes (at most 16) between two layouts of the same dims; at most OB__COPY_RANK axes. The two may not
 * overlap, except for being the same (nothing happens then). Asks `pace` as it goes, NULL: nobody; told to stop it leaves the
 * rest as it is. */
void ob__copy(int32_t rank, const int64_t *dims, size_t width, void *to, const int64_t *to_strides, const void *from,
              const int64_t *from_strides, obk_pace *pace);
/* Elements first .. first + n - 1 in row-major order of the same into contiguous memory, whose beginning `to` is: for threads
 * that share the work. */
void ob__copy_part(int32_t rank, const int64_t *dims, size_t width, void *to, const int64_t *to_strides, const void *from,
                   const int64_t *from_strides, int64_t first, int64_t n);
/* memcpy that asks as ob__copy does. */
void ob__copy_bytes(void *to, const void *from, size_t n_bytes, obk_pace *pace);
/* n elements with one value; value NULL: zero bytes. Asks as ob__copy does. */
void ob__fill(void *to, int64_t n, size_t width, const void *value, obk_pace *pace);
/* memcpy past the caches, for results that they do not hold. ob__stream_end when all is written, before others read. */
void ob__stream(void *target, const void *source, size_t n_bytes);
void ob__stream_end(void);

#endif
