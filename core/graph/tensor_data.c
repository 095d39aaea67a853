#include "core/graph/tensor_data.h"

#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { LITTLE_ENDIAN_HOST = 1 };
#else
enum { LITTLE_ENDIAN_HOST = 0 };
#endif

ob_status ob__count_elems(const int64_t *dims, size_t rank, const char *name, int64_t *out, ob_error *error) {
    int64_t product = 1;
    bool empty = false;
    for (size_t i = 0; i < rank; i++) {
        OB_FAIL_IF(dims[i] < 0, error, OB_E_MODEL, "tensor \"%s\": size %lld of axis %zu is negative", name, (long long)dims[i],
                   i);
        if (dims[i] == 0)
            empty = true;
        else if (ob__mul_overflows(product, dims[i], &product))
            return ob__fail(error, OB_E_MODEL, "tensor \"%s\": the product of its sizes does not fit 64 bits", name);
    }
    *out = empty ? 0 : product;
    return OB_OK;
}

void ob__format_dims(char *text, size_t n_bytes, const int64_t *dims, int32_t rank) {
    size_t n = 0;
    for (int32_t i = 0; i <= rank && n < n_bytes; i++) {
        int more = i == rank ? snprintf(text + n, n_bytes - n, rank == 0 ? "()" : ")")
                             : snprintf(text + n, n_bytes - n, "%s%lld", i ? ", " : "(", (long long)dims[i]);
        if (more < 0) break;
        n += (size_t)more;
    }
}

bool ob__file_bytes(ob_dtype dtype, int64_t n_elems, uint64_t *out) {
    uint64_t bits = (uint64_t)ob_dtype_file_bits(dtype);
    *out = UINT64_MAX;
    if (bits >= 8) return !__builtin_mul_overflow((uint64_t)n_elems, bits / 8, out);
    uint64_t per_byte = bits ? 8 / bits : 1;
    *out = (uint64_t)n_elems / per_byte + ((uint64_t)n_elems % per_byte != 0);
    return true;
}

bool ob__memory_bytes(ob_dtype dtype, int64_t n_elems, size_t *out) {
    return !__builtin_mul_overflow((uint64_t)n_elems, (uint64_t)ob_dtype_size(dtype), out);
}

bool ob__raw_is_memory_form(ob_dtype dtype) {
    int bits = ob_dtype_file_bits(dtype);
    return bits == 8 || (bits > 8 && LITTLE_ENDIAN_HOST);
}

uint8_t ob__unpack_bits(ob_dtype dtype, uint8_t byte, int index) {
    int bits = ob_dtype_file_bits(dtype);
    unsigned mask = (1u << bits) - 1;
    unsigned value = ((unsigned)byte >> (index * bits)) & mask;
    bool is_signed = dtype == OB_INT4 || dtype == OB_INT2;
    if (is_signed && (value >> (bits - 1))) value |= 0xFFu & ~mask;
    return (uint8_t)value;
}

void ob__swap_bytes(void *bytes, size_t n, size_t n_bytes_each) {
    uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++, p += n_bytes_each)
        for (size_t a = 0, b = n_bytes_each - 1; a < b; a++, b--) {
            uint8_t held = p[a];
            p[a] = p[b];
            p[b] = held;
        }
}

/* Bytes that an unaligned or foreign-endian number of this type spans: a complex element is two numbers. */
static size_t unit_bytes(ob_dtype dtype) {
    size_t n = ob_dtype_size(dtype);
    return dtype == OB_COMPLEX64 || dtype == OB_COMPLEX128 ? n / 2 : n;
}

void ob__decode_raw(ob_dtype dtype, const void *raw, int64_t n_elems, void *out) {
    int bits = ob_dtype_file_bits(dtype);
    if (bits >= 8) {
        size_t n_bytes = (size_t)n_elems * ob_dtype_size(dtype);
        if (n_bytes && out != raw) memcpy(out, raw, n_bytes);
        if (!LITTLE_ENDIAN_HOST && bits > 8) ob__swap_bytes(out, n_bytes / unit_bytes(dtype), unit_bytes(dtype));
        return;
    }
    int per_byte = 8 / bits;
    for (int64_t i = 0; i < n_elems; i++)
        ((uint8_t *)out)[i] = ob__unpack_bits(dtype, ((const uint8_t *)raw)[i / per_byte], (int)(i % per_byte));
}

void ob__encode_raw(ob_dtype dtype, const void *elems, int64_t n_elems, void *raw) {
    int bits = ob_dtype_file_bits(dtype);
    if (bits >= 8) {
        ob__decode_raw(dtype, elems, n_elems, raw); /* a copy or a swap: its own inverse */
        return;
    }
    int per_byte = 8 / bits;
    unsigned mask = (1u << bits) - 1;
    uint8_t *bytes = raw;
    for (int64_t i = 0; i < n_elems; i++) {
        if (i % per_byte == 0) bytes[i / per_byte] = 0;
        unsigned value = ((const uint8_t *)elems)[i] & mask;
        bytes[i / per_byte] = (uint8_t)(bytes[i / per_byte] | value << ((int)(i % per_byte) * bits));
    }
}
