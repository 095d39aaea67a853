/* The layout of heads in the operands of Attention: (batch, heads, length, size) in rank 4, (batch, length, heads * size) in
 * rank 3. Past keys and values come before the new ones. */
#ifndef OB_OPS_ATTENTION_HEADS_H
#define OB_OPS_ATTENTION_HEADS_H

#include "ops/kernel/common.h"

enum { OB_ATTENTION_MASK = 3, OB_ATTENTION_PAST = 4, OB_ATTENTION_LENGTHS = 6, OB_ATTENTION_SCORES = 3 };

typedef struct ob_heads {
    bool flat;                                    /* operands of rank 3 */
    int64_t batch, q_heads, kv_heads;             /* kv_heads divides q_heads */
    int64_t group;                                /* query heads for each key head */
    int64_t n_queries, n_keys, n_before, n_total; /* new keys, past keys, the sum of both */
    int64_t size, v_size;
    int64_t mask_strides[4]; /* in elements of the mask, along the axes of the scores */
    int64_t mask_shown;      /* keys that the mask covers; later keys are masked */
} ob_heads;
extern const struct ob_struct ob__heads_struct;

/* Checks that operand i has an element type that the operator accepts, and these dims. */
ob_status ob__check_dims(const ob_kernel_site *site, const ob_kernel_args *args, uint32_t i, int32_t rank, const int64_t *dims,
                         ob_error *error);

/* Reads the sizes of operands and attributes, and checks that they are consistent. */
ob_status ob__read_heads(const ob_kernel_site *site, const ob_kernel_args *args, ob_heads *out, ob_error *error);

/* Whether past and new keys (which = 0) or values (1) are not side by side in any operand or result, so that each lane must
 * gather them. */
bool ob__heads_gathered(const ob_heads *h, const ob_kernel_args *args, int which);
/* Writes the head (of batch * kv_heads) of the result present_key or present_value. */
void ob__fill_present(const ob_heads *h, const ob_kernel_args *args, int which, int64_t head);
/* All keys or values of the head, with rows `step` elements apart: in the operand, in the present, or gathered in `room`. */
const void *ob__place_head(const ob_heads *h, const ob_kernel_args *args, int which, int64_t head, void *room, int64_t *step);

#endif
