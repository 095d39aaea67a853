/* Element data between its file form and its memory form. */
#ifndef OB_CORE_GRAPH_TENSOR_DATA_H
#define OB_CORE_GRAPH_TENSOR_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/dtype.h"
#include "onnx_broadcast/status.h"

/* Product of the dims. E_MODEL: a negative size, or more elements than an int64_t counts (dims beside a 0 included). */
ob_status ob__count_elems(const int64_t *dims, size_t rank, const char *name, int64_t *out, ob_error *error);
/* Writes "(2, 3)", shortened to n_bytes. */
void ob__format_dims(char *text, size_t n_bytes, const int64_t *dims, int32_t rank);
/* Bytes of n elements in raw_data (packed if narrower than a byte). False and UINT64_MAX if they do not fit. */
bool ob__file_bytes(ob_dtype dtype, int64_t n_elems, uint64_t *out);
/* Bytes of n elements in memory; false if they do not fit a size_t. */
bool ob__memory_bytes(ob_dtype dtype, int64_t n_elems, size_t *out);
/* True if raw_data can be used directly: it is not packed, and the machine is little-endian. */
bool ob__raw_is_memory_form(ob_dtype dtype);
/* Element `index` of a byte of packed elements, first element in the lowest bits; signed types are sign-extended. */
uint8_t ob__unpack_bits(ob_dtype dtype, uint8_t byte, int index);
/* Converts raw_data of the right size to memory form, and back. Never for strings. Decoding may be in place: raw is `out`, or
 * for packed elements its last bytes. */
void ob__decode_raw(ob_dtype dtype, const void *raw, int64_t n_elems, void *out);
void ob__encode_raw(ob_dtype dtype, const void *elems, int64_t n_elems, void *raw);
/* Reverses the bytes of each of n units of n_bytes_each. */
void ob__swap_bytes(void *bytes, size_t n, size_t n_bytes_each);

#endif
