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

/* Open addressing, at most two thirds full. Where a key goes depends on a factor that is drawn: nobody can write a file whose
 * numbers collide. */
typedef struct ob_number_map {
    ob_number_slot *slots;
    uint64_t factor;
    size_t mask;
    unsigned shift;
} ob_number_map;

/* Room for n numbers that live as long as the arena. False when memory ends. */
bool ob__number_map_init(ob_number_map *map, ob_arena *arena, size_t n);
/* The value of the key, or 0. */
static inline uint32_t ob__number_find(const ob_number_map *map, uint64_t key) {
    const ob_number_slot *slots = map->slots;
    size_t i = (size_t)(key * map->factor >> map->shift);
    while (slots[i].value && slots[i].key != key) i = (i + 1) & map->mask;
    return slots[i].value;
}
/* Where the value of the key is, which the caller sets to one above 0 when it is 0: the key is new then. No more keys than there
 * is room for. */
uint32_t *ob__number_place(ob_number_map *map, uint64_t key);

#endif
