/* Groups of elementwise nodes as one program (kernels/elementwise/program.h). */
#ifndef OB_OPS_ELEMENTWISE_PROGRAM_H
#define OB_OPS_ELEMENTWISE_PROGRAM_H

#include "kernels/elementwise/program.h"
#include "ops/kernel/kernel.h"

/* A node of a group. Its result has the shape of the group's result. */
typedef struct ob_group_node {
    const ob_node *node;
    const int32_t *from; /* for each input: an operand of the group; ~i: the result of node i; OB_GROUP_OMITTED */
    ob_view *in, *out;   /* the inputs and the result; only constants have data */
} ob_group_node;

enum { OB_GROUP_OMITTED = INT32_MAX };

/* The program of n nodes, of which each reads only results before it and the last one makes the result. *program NULL: they
 * cannot be one, for instance because a type is computed in another one. It lives in site->arena; only that of the site is used.
 */
ob_status ob__group_program(const ob_kernel_site *site, const ob_group_node *nodes, uint32_t n, struct ob_arena *scratch,
                            const obk_program **program, ob_error *error);

/* Runs site->program. */
extern const ob_kernel ob__kernel_program;

#endif
