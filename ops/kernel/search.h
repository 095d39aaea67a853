/* Searches that several threads share (kernels/reduce/reduce.h). */
#ifndef OB_OPS_KERNEL_SEARCH_H
#define OB_OPS_KERNEL_SEARCH_H

#include "kernels/reduce/reduce.h"
#include "ops/kernel/kernel.h"

/* The search for vectors whose elements lie `inner` apart; NULL: there is none for this type. */
obk_find ob__find_loop(ob_dtype dtype, int64_t inner);
/* Runs a search in n_parts parts and stores all indices found. False: the run was cancelled, and some indices are missing. */
bool ob__find_all(obk_find find, const obk_search *search, int64_t *indices, const void *data, int64_t n_parts,
                  const ob_threads *threads);

#endif
