#include "core/base/sha256.h"

#include <string.h>

enum { BLOCK = 64, ROUNDS = 64, LENGTH_BYTES = 8 };

/* FIPS 180-4, 4.2.2: fractional parts of the cube roots of the first primes. */
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}

static void take_block(uint32_t state[8], const uint8_t *block) {
    uint32_t w[ROUNDS], s[8];
    for (int i = 0; i < 16; i++)
        w[i] =
            (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t a = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t e = s[4], a = s[0];
        uint32_t first = s[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + constants[i] + w[i];
        uint32_t second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
}

void ob__sha256(const void *bytes, size_t n, uint8_t digest[OB_SHA256_BYTES]) {
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint8_t *at = bytes;
    size_t left = n;
    for (; left >= BLOCK; left -= BLOCK, at += BLOCK) take_block(state, at);
    /* The rest, a bit of 1, zeros, and the number of bits: one block or two. */
    uint8_t last[2 * BLOCK] = {0};
    if (left) memcpy(last, at, left);
    last[left] = 0x80;
    size_t n_last = left + 1 + LENGTH_BYTES <= BLOCK ? BLOCK : 2 * BLOCK;
    const uint64_t n_bits = (uint64_t)n * 8;
    for (size_t i = 0; i < LENGTH_BYTES; i++) last[n_last - 1 - i] = (uint8_t)(n_bits >> 8 * i);
    for (size_t i = 0; i < n_last; i += BLOCK) take_block(state, last + i);
    for (int i = 0; i < OB_SHA256_BYTES; i++) digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void ob__sha256_hex(const void *bytes, size_t n, char *text, size_t n_digits) {
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[OB_SHA256_BYTES];
    ob__sha256(bytes, n, digest);
    for (size_t i = 0; i < n_digits; i++) text[i] = digits[i % 2 ? digest[i / 2] & 15 : digest[i / 2] >> 4];
    text[n_digits] = '\0';
}
