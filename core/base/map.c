#include "core/base/map.h"

#include <string.h>

#include "core/base/hash.h"

void ob__map_init(ob_map *map, ob_arena *arena) {
    memset(map, 0, sizeof *map);
    map->arena = arena;
}

/* Like memcmp, without a call for keys of up to 16 bytes. */
static inline bool same_bytes(const char *a, const char *b, size_t n) {
    uint64_t x[2], y[2];
    uint32_t v[2], w[2];
    if (n > 16) return memcmp(a, b, n) == 0;
    if (n >= 8) {
        memcpy(&x[0], a, 8), memcpy(&x[1], a + n - 8, 8);
        memcpy(&y[0], b, 8), memcpy(&y[1], b + n - 8, 8);
        return ((x[0] ^ y[0]) | (x[1] ^ y[1])) == 0;
    }
    if (n >= 4) {
        memcpy(&v[0], a, 4), memcpy(&v[1], a + n - 4, 4);
        memcpy(&w[0], b, 4), memcpy(&w[1], b + n - 4, 4);
        return ((v[0] ^ w[0]) | (v[1] ^ w[1])) == 0;
    }
    return n == 0 || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
}

/* The slot of the key or the empty slot where it belongs. capacity is a power of two with empty slots. Comparing hashes first
 * spares the visit to other keys' bytes, which cost more than anything else in a large model. */
static inline __attribute__((always_inline)) size_t find_slot(const ob_map_entry *entries, size_t capacity, const char *key,
                                                              size_t n, uint32_t hash) {
    size_t i = hash & (capacity - 1);
    for (;; i = (i + 1) & (capacity - 1)) {
        const ob_map_entry *entry = &entries[i];
        if (!entry->key || (entry->hash == hash && entry->n == n && same_bytes(entry->key, key, n))) return i;
    }
}

static uint32_t short_hash(const ob_map *map, const char *key, size_t n) {
    return (uint32_t)(map->hash_key ? ob__hash_keyed(map->hash_key, key, n) : ob__hash_bytes(key, n));
}

ob_map_entry *ob__map_find(const ob_map *map, const char *key, size_t n) {
    if (map->capacity == 0) return NULL;
    ob_map_entry *entry = &map->entries[find_slot(map->entries, map->capacity, key, n, short_hash(map, key, n))];
    return entry->key ? entry : NULL;
}

void ob__map_prefetch(const ob_map *map, const char *key, size_t n) {
    if (map->capacity) __builtin_prefetch(&map->entries[short_hash(map, key, n) & (map->capacity - 1)], 1);
}

/* True if the newly used `slot` is in a run of OB_HASH_RUN used slots: the names were chosen to collide, or to be adjacent. */
static bool is_crowded(const ob_map *map, size_t slot) {
    size_t run = 1, mask = map->capacity - 1;
    for (size_t i = (slot - 1) & mask; run < OB_HASH_RUN && map->entries[i].key; i = (i - 1) & mask) run++;
    for (size_t i = (slot + 1) & mask; run < OB_HASH_RUN && map->entries[i].key; i = (i + 1) & mask) run++;
    return run >= OB_HASH_RUN;
}

static bool grow(ob_map *map, size_t capacity) {
    ob_map_entry *entries = OB_ARENA_ARRAY(map->arena, ob_map_entry, capacity);
    if (!entries) return false;
    for (size_t i = 0; i < map->capacity; i++) {
        const ob_map_entry *old = &map->entries[i];
        if (!old->key) continue;
        size_t slot = old->hash & (capacity - 1);
        while (entries[slot].key) slot = (slot + 1) & (capacity - 1);
        entries[slot] = *old;
    }
    map->entries = entries;
    map->capacity = capacity;
    return true;
}

/* Rebuilds the table with a hash that the file's author does not know. */
static bool rebuild_keyed(ob_map *map) {
    ob_hash_key *key = OB_ARENA_NEW(map->arena, ob_hash_key);
    if (!key) return false;
    *key = ob__hash_key_new(map->entries);
    map->hash_key = key;
    for (size_t i = 0; i < map->capacity; i++) {
        ob_map_entry *entry = &map->entries[i];
        if (entry->key) entry->hash = short_hash(map, entry->key, entry->n);
    }
    return grow(map, map->capacity);
}

bool ob__map_reserve(ob_map *map, size_t n) {
    size_t capacity = map->capacity ? map->capacity : 8;
    while (capacity / 4 * 3 < n) {
        if (capacity > UINT32_MAX) return false; /* the hash has 32 bits */
        capacity *= 2;
    }
    return capacity == map->capacity || grow(map, capacity);
}

static ob_map_entry *insert(ob_map *map, const char *key, size_t n, bool copy_key) {
    if (n > UINT32_MAX) return NULL;
    if (map->n_entries * 4 >= map->capacity * 3 && !ob__map_reserve(map, map->capacity)) return NULL;
    uint32_t hash = short_hash(map, key, n);
    ob_map_entry *entry = &map->entries[find_slot(map->entries, map->capacity, key, n, hash)];
    if (entry->key) return entry;
    const char *stored = copy_key ? ob__arena_strndup(map->arena, key, n) : key;
    if (!stored) return NULL;
    *entry = (ob_map_entry){stored, (uint32_t)n, hash, NULL};
    map->n_entries++;
    if (map->hash_key || !is_crowded(map, (size_t)(entry - map->entries))) return entry;
    return rebuild_keyed(map) ? ob__map_find(map, key, n) : NULL;
}

ob_map_entry *ob__map_insert(ob_map *map, const char *key, size_t n) {
    return insert(map, key, n, true);
}

ob_map_entry *ob__map_insert_borrowed(ob_map *map, const char *key, size_t n) {
    return insert(map, key, n, false);
}
