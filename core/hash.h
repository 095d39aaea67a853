/* Hashes of byte strings, for tables in memory. */
#ifndef OB_CORE_HASH_H
#define OB_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Fast, and the same everywhere: whoever writes a file can choose names that collide. */
uint64_t ob__hash_bytes(const void *bytes, size_t n);

/* What a writer of files cannot know. */
typedef struct ob_hash_key {
    uint64_t words[2];
} ob_hash_key;

/* Another key at each call: from the clock and from where things lie in memory. `salt` may be any address. */
ob_hash_key ob__hash_key_new(const void *salt);
/* SipHash-1-3 (Aumasson, Bernstein): without the key nobody can choose names that collide. */
uint64_t ob__hash_keyed(const ob_hash_key *key, const void *bytes, size_t n);

/* A table by open addressing is rebuilt with a key when this many places in a row are taken, which at a load of 3/4 does not come
 * about by chance in any memory. It bounds the walk of every search. */
#define OB_HASH_RUN 2048

#endif
