/* Growing arrays: the one place where they grow. */
#ifndef OB_CORE_BASE_LIST_H
#define OB_CORE_BASE_LIST_H

#include <stdint.h>

#include "core/base/arena.h"

/* -- In blocks of an allocator: old copies do not stay behind, for lists that may become long -- */

/* The array, moved to a block of about twice as many entries; new entries are zero. *capacity counts entries, 0 with items NULL:
 * none yet. NULL: no memory, or over 2^32 - 1 entries; everything is then as it was. */
void *ob__list_grown(const ob_allocator *allocator, void *items, uint32_t *capacity, size_t n_bytes_each);
/* Gives the block back; items may be NULL. */
void ob__list_free(const ob_allocator *allocator, void *items, uint32_t capacity, size_t n_bytes_each);

/* -- In an arena: old copies stay behind, together less than the array itself -- */

/* The array with room for `wanted` entries, at least doubled when it has to move; new entries are zero. *capacity as above. NULL:
 * no memory; everything is then as it was. */
void *ob__list_in_arena(ob_arena *arena, void *items, uint32_t *capacity, uint32_t wanted, size_t n_bytes_each);
/* The array with room for entry n, of a list that keeps no capacity: one that is full whenever n is 0 or a power of two, and only
 * there moves. NULL: no memory. */
void *ob__list_for_entry(ob_arena *arena, void *items, size_t n, size_t n_bytes_each);

#endif
