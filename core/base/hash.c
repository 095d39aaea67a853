#include "core/base/hash.h"

#include "core/base/log.h"

ob_hash_key ob__hash_key_new(const void *salt) {
    const uint64_t parts[4] = {ob__now_ns(), (uint64_t)(uintptr_t)salt, (uint64_t)(uintptr_t)&parts,
                               (uint64_t)(uintptr_t)&ob__hash_key_new};
    const ob_hash_key fixed = {{UINT64_C(0x243F6A8885A308D3), UINT64_C(0x13198A2E03707344)}};
    ob_hash_key key;
    key.words[0] = ob__hash_keyed(&fixed, parts, sizeof parts);
    key.words[1] = ob__hash_keyed(&key, parts, sizeof parts);
    return key;
}

static uint64_t rotate(uint64_t x, int n) {
    return x << n | x >> (64 - n);
}

static void sip_round(uint64_t v[4]) {
    v[0] += v[1], v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0], v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1], v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2], v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

/* Eight bytes or fewer, the first in the lowest bits on every machine. */
static uint64_t load(const unsigned char *p, size_t n) {
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++) word |= (uint64_t)p[i] << (8 * i);
    return word;
}

uint64_t ob__hash_keyed(const ob_hash_key *key, const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    uint64_t last = (uint64_t)n << 56,
             v[4] = {key->words[0] ^ UINT64_C(0x736F6D6570736575), key->words[1] ^ UINT64_C(0x646F72616E646F6D),
                     key->words[0] ^ UINT64_C(0x6C7967656E657261), key->words[1] ^ UINT64_C(0x7465646279746573)};
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word = load(p, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    last |= load(p, n);
    v[3] ^= last;
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xFF;
    for (int i = 0; i < 3; i++) sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
