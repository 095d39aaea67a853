/* Expected results as little-endian bytes, for machines of either byte order. */
#ifndef OB_TESTS_BYTE_ORDER_H
#define OB_TESTS_BYTE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/graph/tensor_data.h"

static inline bool is_big_endian(void) {
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 0;
}

/* Converts n little-endian numbers of n_bytes_each to the machine's byte order. */
static inline void bring_home(void *numbers, size_t n, size_t n_bytes_each) {
    if (is_big_endian()) ob__swap_bytes(numbers, n, n_bytes_each);
}

#endif
