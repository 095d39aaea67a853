/* A map from numbers of 64 bits to numbers of 32 bits, for look-ups in inner loops. */
#ifndef OB_CORE_BASE_NUMBER_MAP_H
#define OB_CORE_BASE_NUMBER_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"

typedef struct ob_number_slot {
    uint64_t key;
    uint32_t value; /* 0: empty */
} ob_number_slot;

/* Open addressing, at most two thirds full. The slot of a key depends on a random factor, so no file can be written whose
 * numbers collide. */
typedef struct ob_number_map {
    ob_number_slot *slots;
    uint64_t factor;
    size_t mask;
    unsigned shift;
} ob_number_map;

/* Makes room for n numbers in the arena. False: out of memory. */
bool ob__number_map_init(ob_number_map *map, ob_arena *arena, size_t n);
/* The value of the key, or 0. */
static inline uint32_t ob__number_find(const ob_number_map *map, uint64_t key) {
    const ob_number_slot *slots = map->slots;
    size_t i = (size_t)(key * map->factor >> map->shift);
    while (slots[i].value && slots[i].key != key) i = (i + 1) & map->mask;
    return slots[i].value;
}
/* The place of the key's value. If it is 0, the key is new, and the caller sets a value above 0. The number of keys must not
 * exceed the room. */
uint32_t *ob__number_place(ob_number_map *map, uint64_t key);

#endif
