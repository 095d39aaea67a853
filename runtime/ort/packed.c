/* Elements narrower than a byte: ONNX Runtime packs them, views have one per byte. They are unpacked, copied and packed again;
 * these types are rare and small. */
#include <stdlib.h>
#include <string.h>

#include "ort/plugin.h"

static void unpack(const uint8_t *from, uint8_t *to, size_t n, unsigned bits) {
    unsigned per_byte = 8 / bits, mask = (1u << bits) - 1;
    for (size_t i = 0; i < n; i++) to[i] = (uint8_t)(from[i / per_byte] >> (i % per_byte * bits) & mask);
}

static void pack(const uint8_t *from, uint8_t *to, size_t n, unsigned bits) {
    unsigned per_byte = 8 / bits;
    memset(to, 0, (n + per_byte - 1) / per_byte);
    for (size_t i = 0; i < n; i++) to[i / per_byte] = (uint8_t)(to[i / per_byte] | from[i] << (i % per_byte * bits));
}

OrtStatus *ob__ort_copy_packed(const ob__ort_kernel *kernel, const ob_view *to, const ob_view *from, unsigned bits) {
    size_t n_to = (size_t)ob_view_count(to), n_from = 1;
    for (int32_t i = 0; i < from->rank; i++)
        if (from->strides[i] != 0) n_from *= (size_t)from->dims[i];
    uint8_t *bytes = malloc(n_to + n_from);
    if (!bytes) return ob__ort_failf(kernel, OB_E_MEMORY, "out of memory for %zu elements of %u bits", n_to, bits);
    ob_view wide_to = *to, wide_from = *from;
    wide_to.data = bytes;
    wide_from.data = bytes + n_to;
    unpack(from->data, wide_from.data, n_from, bits);
    ob_error error;
    ob_error_clear(&error);
    error.code = ob_view_assign(&wide_to, &wide_from, &error);
    if (error.code == OB_OK) pack(bytes, to->data, n_to, bits);
    free(bytes);
    return error.code == OB_OK ? NULL : ob__ort_fail(kernel, &error);
}
