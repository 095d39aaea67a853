/* The description of an elementwise node: one loop and its operands, from which a step or a program of several nodes is made. */
#ifndef OB_OPS_KERNEL_ELEMENT_H
#define OB_OPS_KERNEL_ELEMENT_H

#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/iteration.h"

/* Numbers that loops read. */
typedef struct ob_element_numbers {
    obk_unary_params params;
    float count_f32; /* Mean: of operands */
    double count_f64;
    _Alignas(16) unsigned char low[8], high[8]; /* Clip: the least and the greatest number of the type */
} ob_element_numbers;

/* One loop and its operands. */
typedef struct ob_element_call {
    ob_element_numbers *numbers; /* set by the caller; live as long as the plan */
    obk_iteration_spec spec;
    uint32_t n_in;
    ob_view few[3];    /* operands that are not those of the node: other axes, spec.fixed, or constants that were made */
    bool few_made[3];  /* few[k] is a constant with data of its own, in the arena of the plan */
    const ob_view *in; /* n_in operands */
} ob_element_call;

/* A function of rows, which are the last axes of operand 0; other operands are not read. */
typedef struct ob_row_call {
    obk_loop loop;      /* for whole rows; NULL: there is none for this type */
    const void *params; /* in the arena of the plan */
    const ob_struct *params_type;
} ob_row_call;

#endif
