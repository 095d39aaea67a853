/* Memory that lives as long as its list: constants, folded results, results of dynamic steps. For runtime/ only. */
#ifndef OB_RUNTIME_MEMORY_H
#define OB_RUNTIME_MEMORY_H

#include "core/base/pace.h"
#include "onnx_broadcast/allocator.h"

enum { OB_ALIGNMENT = 64 };

/* One block of a list that is freed as a whole. */
typedef struct ob_owned_memory {
    void *data;
    size_t n_bytes;
    struct ob_owned_memory *next;
} ob_owned_memory;

/* Adds a block to the list: aligned to OB_ALIGNMENT, zeroed. A stop that `pace` reports (NULL: never) ends the zeroing. NULL:
 * no memory. */
void *ob__own_memory(const ob_allocator *allocator, ob_owned_memory **list, uint64_t n_bytes, obk_pace *pace);
/* The same for a result, whose contents are undefined: a block of `spare` whose size is near, or a new one. If there is no memory
 * for it, the others of `spare` are freed first. */
void *ob__own_result(const ob_allocator *allocator, ob_owned_memory **list, ob_owned_memory **spare, uint64_t n_bytes);
void ob__free_owned(const ob_allocator *allocator, ob_owned_memory **list);

#endif
