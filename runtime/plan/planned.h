/* A step while it is planned: for runtime/plan/ only. */
#ifndef OB_RUNTIME_PLAN_PLANNED_H
#define OB_RUNTIME_PLAN_PLANNED_H

#include "runtime/plan/builder.h"

typedef struct planned {
    const ob_node *node; /* whose outputs are computed; of a group, the last one */
    const ob_node *head; /* whose kernel computes; NULL: `node` */
    const ob_kernel *kernel;
    uint32_t n_in, n_others; /* n_others: of n_in, the last ones, which are operands of an epilogue */
    ob_slot **in;            /* n_in entries */
    ob_view *in_views;       /* data: constants and known contents only */
    ob_view *out;            /* n_outputs entries, contiguous, dtype OB_NONE when not wanted */
    const uint32_t *reads;   /* for each operand of a group: reads by its nodes; NULL: one each */
    const ob_group *group;   /* NULL: one node */
    const struct obk_program *program;
    const struct ob_epilogue *epilogue;
    /* Of a step: */
    ob_kernel_args args;
    const ob_slot **operands; /* the place of args.in: in, or copies */
    ob_buffer **results;      /* the place of args.out */
} planned;

/* runtime/plan/plan_node.c */
/* The operand at this slot; with data if it is known. */
void ob__operand_view(ob_builder *b, const ob_value *value, const ob_slot *slot, ob_view *view);
/* *is_static false: shape or type are left to the run. E_LIMIT. */
ob_status ob__result_view(ob_builder *b, const ob_node *node, const ob_value *value, ob_view *view, bool *is_static);
/* Appends the step: places, the kernel's planning, scratch memory. */
ob_status ob__plan_step(ob_builder *b, planned *p);

#endif
