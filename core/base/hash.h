/* Hashes of byte strings, for tables in memory. */
#ifndef OB_CORE_BASE_HASH_H
#define OB_CORE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Fewer than eight bytes as a number, by overlapping loads instead of a call. */
static inline uint64_t ob__few_bytes(const unsigned char *p, size_t n) {
    if (n >= 4) {
        uint32_t first, last;
        memcpy(&first, p, 4);
        memcpy(&last, p + n - 4, 4);
        return first | (uint64_t)last << (8 * (n - 4));
    }
    if (n == 0) return 0;
    return p[0] | (uint64_t)p[n / 2] << (8 * (n / 2)) | (uint64_t)p[n - 1] << (8 * (n - 1));
}

/* Fast, and the same on every machine. The author of a file can choose names that collide. */
static inline uint64_t ob__hash_bytes(const void *key, size_t n) {
    /* Eight bytes per step, multiply and fold: names are short. */
    const unsigned char *p = key;
    uint64_t h = UINT64_C(0x9E3779B97F4A7C15) ^ n;
    while (n >= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = (h ^ word) * UINT64_C(0xD6E8FEB86659FD93);
        h ^= h >> 32;
        p += 8;
        n -= 8;
    }
    const uint64_t word = ob__few_bytes(p, n);
    h = (h ^ word) * UINT64_C(0xD6E8FEB86659FD93);
    h ^= h >> 32;
    h *= UINT64_C(0xD6E8FEB86659FD93);
    return h ^ (h >> 32);
}

/* A key that the author of a file cannot know. */
typedef struct ob_hash_key {
    uint64_t words[2];
} ob_hash_key;

/* A new key for each call, from the clock and from addresses in memory. `salt` may be any address. */
ob_hash_key ob__hash_key_new(const void *salt);
/* SipHash-1-3 (Aumasson, Bernstein): without the key it is not possible to choose names that collide. */
uint64_t ob__hash_keyed(const ob_hash_key *key, const void *bytes, size_t n);

/* A table with open addressing is rebuilt with a key if this many adjacent slots are used. At a load of 3/4 that does not
 * happen by chance. The number bounds every search. */
#define OB_HASH_RUN 2048

#endif
