/* SHA-256 (FIPS 180-4): for names of contents that nobody can forge. */
#ifndef OB_CORE_BASE_SHA256_H
#define OB_CORE_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { OB_SHA256_BYTES = 32 };

/* The digest of n bytes. */
void ob__sha256(const void *bytes, size_t n, uint8_t digest[OB_SHA256_BYTES]);
/* The first n_digits hexadecimal digits of the digest, at most 2 * OB_SHA256_BYTES, and a NUL. */
void ob__sha256_hex(const void *bytes, size_t n, char *text, size_t n_digits);

#endif
