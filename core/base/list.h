/* Growing arrays: the one place where they grow. */
#ifndef OB_CORE_BASE_LIST_H
#define OB_CORE_BASE_LIST_H

#include <stdint.h>

#include "core/base/arena.h"

/* -- In blocks of an allocator: old copies are freed; for lists that may become long -- */

/* Moves the array to a block of about twice as many entries; new entries are zero. *capacity counts entries; it is 0 and items
 * is NULL at first. NULL: no memory, or over 2^32 - 1 entries; then nothing changes. */
void *ob__list_grown(const ob_allocator *allocator, void *items, uint32_t *capacity, size_t n_bytes_each);
/* Frees the block; items may be NULL. */
void ob__list_free(const ob_allocator *allocator, void *items, uint32_t capacity, size_t n_bytes_each);

/* -- In an arena: old copies stay allocated, together less than the array itself -- */

/* Gives the array room for `wanted` entries, at least twice as many if it must move; new entries are zero. *capacity as above.
 * NULL: no memory; then nothing changes. */
void *ob__list_in_arena(ob_arena *arena, void *items, uint32_t *capacity, uint32_t wanted, size_t n_bytes_each);
/* Gives the array room for entry n, for a list without a stored capacity: it moves only if n is 0 or a power of two. NULL: no
 * memory. */
void *ob__list_for_entry(ob_arena *arena, void *items, size_t n, size_t n_bytes_each);

#endif
