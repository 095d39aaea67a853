#include "core/base/number_map.h"

#include "core/base/hash.h"

bool ob__number_map_init(ob_number_map *map, ob_arena *arena, size_t n) {
    size_t capacity = 8;
    unsigned bits = 3;
    for (; capacity / 3 * 2 <= n; capacity *= 2, bits++)
        if (capacity > SIZE_MAX / 4 / sizeof *map->slots) return false;
    *map = (ob_number_map){.mask = capacity - 1, .shift = 64 - bits};
    map->slots = OB_ARENA_ARRAY(arena, ob_number_slot, capacity);
    map->factor = ob__hash_key_new(map->slots).words[0] | 1;
    return map->slots != NULL;
}

uint32_t *ob__number_place(ob_number_map *map, uint64_t key) {
    size_t i = (size_t)(key * map->factor >> map->shift);
    while (map->slots[i].value && map->slots[i].key != key) i = (i + 1) & map->mask;
    map->slots[i].key = key;
    return &map->slots[i].value;
}
