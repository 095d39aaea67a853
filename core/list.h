/* Growing arrays whose old copies do not stay behind, as they would in an arena: for lists that may become long. */
#ifndef OB_CORE_LIST_H
#define OB_CORE_LIST_H

#include <stdint.h>

#include "onnx_broadcast/allocator.h"

/* The array, moved to a block of about twice as many entries; new entries are zero. *capacity counts entries, 0 with items NULL:
 * none yet. NULL: no memory, or over 2^32 - 1 entries; everything is then as it was. */
void *ob__list_grown(const ob_allocator *allocator, void *items, uint32_t *capacity, size_t n_bytes_each);
/* Gives the block back; items may be NULL. */
void ob__list_free(const ob_allocator *allocator, void *items, uint32_t capacity, size_t n_bytes_each);

#endif
