/* Whether a text is ASCII, so that it need not be read as UTF-8. */
#ifndef OB_OPS_TEXT_ASCII_H
#define OB_OPS_TEXT_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool ob__is_ascii(const char *bytes, size_t n) {
    uint64_t any = 0, word;
    size_t i = 0;
    for (; i + sizeof word <= n; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        any |= word;
    }
    for (; i < n; i++) any |= (unsigned char)bytes[i];
    return (any & UINT64_C(0x8080808080808080)) == 0;
}

#endif
