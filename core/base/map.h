/* A map from names to pointers, which also keeps each name once. */
#ifndef OB_CORE_BASE_MAP_H
#define OB_CORE_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"

struct ob_hash_key;

/* Map from byte strings to pointers, open addressing, insertion only (a value can be replaced). Keys are copied into the arena
 * once, so equal names share one pointer. An entry stays where it is until the next insertion. */
typedef struct ob_map_entry {
    const char *key; /* NULL: empty slot */
    uint32_t n, hash;
    void *value;
} ob_map_entry;

typedef struct ob_map {
    ob_arena *arena;
    ob_map_entry *entries;
    size_t n_entries, capacity;
    const struct ob_hash_key *hash_key; /* NULL until names turn up that were made to collide (core/base/hash.h) */
} ob_map;

void ob__map_init(ob_map *map, ob_arena *arena);
/* The entry with that key, or NULL. */
ob_map_entry *ob__map_find(const ob_map *map, const char *key, size_t n);
/* The entry with that key, created with value NULL when new; NULL when memory ends. */
ob_map_entry *ob__map_insert(ob_map *map, const char *key, size_t n);
/* As above, but keeps `key` itself, which must live as long as the map. */
ob_map_entry *ob__map_insert_borrowed(ob_map *map, const char *key, size_t n);
/* Fetches the memory of the key's place ahead of a find or insert some hundred instructions later. */
void ob__map_prefetch(const ob_map *map, const char *key, size_t n);
/* Room for n entries in all, so that filling the map does not rehash. False when memory ends. */
bool ob__map_reserve(ob_map *map, size_t n);

#endif
