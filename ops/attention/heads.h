/* How the operands of Attention hold their heads: in rank 4 (batch, heads, length, size), in rank 3 (batch, length, heads *
 * size); keys and values of the past come first. */
#ifndef OB_OPS_ATTENTION_HEADS_H
#define OB_OPS_ATTENTION_HEADS_H

#include "ops/kernel/common.h"

enum { OB_ATTENTION_MASK = 3, OB_ATTENTION_PAST = 4, OB_ATTENTION_LENGTHS = 6, OB_ATTENTION_SCORES = 3 };

typedef struct ob_heads {
    bool flat;                                    /* rank 3 */
    int64_t batch, q_heads, kv_heads;             /* kv_heads divides q_heads */
    int64_t group;                                /* heads of queries that share one of keys */
    int64_t n_queries, n_keys, n_before, n_total; /* new keys, those of the past, both */
    int64_t size, v_size;
    int64_t mask_strides[4]; /* in elements of the mask, along the scores' axes */
    int64_t mask_shown;      /* keys that the mask speaks of; those behind it are masked */
} ob_heads;

/* Operand i has an element type that the operator takes, and these sizes. */
ob_status ob__check_dims(const ob_kernel_site *site, const ob_kernel_args *args, uint32_t i, int32_t rank, const int64_t *dims,
                         ob_error *error);

/* Reads what operands and attributes say, and checks that it fits together. */
ob_status ob__read_heads(const ob_kernel_site *site, const ob_kernel_args *args, ob_heads *out, ob_error *error);

/* Keys (which = 0) or values (1) lie together nowhere: they are gathered into memory of a lane. */
bool ob__heads_gathered(const ob_heads *h, const ob_kernel_args *args, int which);
/* All keys or values of head `head` (of batch * kv_heads), rows `step` elements apart. Where the result present_key (or
 * present_value) is wanted it is written, and what is returned lies there. */
const void *ob__gather_head(const ob_heads *h, const ob_kernel_args *args, int which, int64_t head, void *room, int64_t *step);

#endif
