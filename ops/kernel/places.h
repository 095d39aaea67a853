/* Searches that threads share (kernels/reduce/reduce.h). */
#ifndef OB_OPS_KERNEL_PLACES_H
#define OB_OPS_KERNEL_PLACES_H

#include "kernels/reduce/reduce.h"
#include "ops/kernel/kernel.h"

/* All places that a search finds, in n_parts parts. False: told to stop, some places are not there. */
bool ob__find_all(obk_find find, const obk_search *search, int64_t *places, const void *data, int64_t n_parts,
                  const ob_threads *threads);

#endif
