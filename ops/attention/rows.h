/* Attention that is written out as nodes, as one step: a product, functions of its rows, and a product of the result. */
#ifndef OB_OPS_ATTENTION_ROWS_H
#define OB_OPS_ATTENTION_ROWS_H

#include "ops/kernel/kernel.h"

/* Operands: A, B, V, then those of site->epilogue, which makes weights of the scores A B. The result is the weights times V, with
 * the bits of the nodes one by one. */
extern const ob_kernel ob__kernel_attention_rows;

/* *fits false: the kernel does not take these operands, or has no gain: scores of a few queries are small. E_MEMORY. */
ob_status ob__fit_attention_rows(const ob_kernel_site *site, const ob_view *in, const ob_view *scores, const ob_view *out,
                                 bool *fits, ob_error *error);

#endif
