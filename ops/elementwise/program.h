/* Groups of elementwise nodes as one program (kernels/elementwise/program.h). */
#ifndef OB_OPS_ELEMENTWISE_PROGRAM_H
#define OB_OPS_ELEMENTWISE_PROGRAM_H

#include "kernels/elementwise/program.h"
#include "ops/kernel/kernel.h"

/* A node of a group. Its result has the shape of the group's result. */
typedef struct ob_group_node {
    const ob_node *node;
    const int32_t
        *from; /* for each input: a value that the group reads; ~i: the result of node i; OB_GROUP_OMITTED; OB_GROUP_HEAD */
    ob_view *in, *out; /* the inputs and the result; only constants have data */
    bool per_row;      /* the result has one element for each row */
} ob_group_node;

/* OB_GROUP_HEAD: the result of the node before the group, to which the program is applied. */
enum { OB_GROUP_OMITTED = INT32_MAX, OB_GROUP_HEAD = INT32_MAX - 1 };

/* An operand of a program. */
typedef struct ob_program_operand {
    int32_t from;        /* a value that the group reads; OB_GROUP_HEAD; OB_GROUP_MADE */
    const ob_view *made; /* OB_GROUP_MADE: a constant of the plan, computed from constants of the node; otherwise NULL */
} ob_program_operand;

enum { OB_GROUP_MADE = INT32_MAX - 2 };

/* The program of nodes, and its operands. */
typedef struct ob_group_program {
    const obk_program *program; /* NULL: there is none, for instance because it needs too many steps */
    ob_program_operand operands[OBK_PROGRAM_OPERANDS];
    uint32_t n_operands;
} ob_group_program;

/* The most elements of a row: several registers hold some of them at once. */
enum { OB_GROUP_ROW = 16384 };

/* The program of n nodes, of which each reads only results before it and the last one makes the result. has_head: operand 0 is
 * OB_GROUP_HEAD. row: elements of a row, if there are rows; otherwise 0. It lives in site->arena; only that of the site is used.
 */
ob_status ob__group_program(const ob_kernel_site *site, const ob_group_node *nodes, uint32_t n, bool has_head, int64_t row,
                            struct ob_arena *scratch, ob_group_program *made, ob_error *error);

/* Runs site->program. */
extern const ob_kernel ob__kernel_program;

#endif
