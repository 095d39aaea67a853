/* A program: elementwise loops one after the other over blocks of one domain. Intermediate results stay in registers, which are
 * tiles of a few KiB in the first-level cache; only the last result is written to memory. Each step rounds as it does alone, so
 * bits are those of the loops over whole tensors.
 *
 * A program over rows has a domain of rows, and its blocks hold whole rows. Its loops may fold each row to one element, or
 * compute it as a whole; and a step may compute one element for each row, which a later step reads as a scalar. */
#ifndef OB_KERNELS_ELEMENTWISE_PROGRAM_H
#define OB_KERNELS_ELEMENTWISE_PROGRAM_H

#include <stdbool.h>

#include "core/base/members.h"
#include "kernels/elementwise/chain.h"
#include "kernels/loop.h"

enum { OBK_PROGRAM_OPERANDS = 12, OBK_PROGRAM_REGISTERS = 6, OBK_PROGRAM_STEPS = 48 };

/* An operand of a step. */
typedef struct obk_program_input {
    enum { OBK_FROM_OPERAND, OBK_FROM_REGISTER, OBK_FROM_SCALAR } from;
    uint8_t index;      /* of the operand or register */
    uint8_t size;       /* bytes of an element */
    const void *scalar; /* lives as long as the program */
} obk_program_input;

typedef struct obk_program_step {
    obk_loop loop;
    const void *params;
    const ob_struct *params_type; /* of params; NULL: none are read */
    uint8_t n_in;
    uint8_t out;               /* the register of the result; OBK_PROGRAM_RESULT: the program's result */
    uint8_t out_size;          /* bytes of an element */
    bool per_row;              /* the result is one element for each row */
    bool whole_rows;           /* the loop gets whole rows; the distance of the results of two rows is row[n_in] */
    uint8_t joined;            /* steps of a chain that begins here; 0: none */
    uint8_t gets;              /* in a chain, but not at its beginning: bit k: input k is the result of the step before */
    const obk_link_form *form; /* in a chain */
    obk_program_input in[3];
} obk_program_step;

enum { OBK_PROGRAM_RESULT = UINT8_MAX };

typedef struct obk_program {
    uint32_t n_steps, n_registers;
    uint8_t largest;          /* bytes of the largest element in a register */
    int64_t row;              /* elements of a row; 0: this is no program over rows */
    const obk_chains *chains; /* NULL: no step is in a chain */
    /* Runs the chain that begins with the step, in a call of obk_program_run; returns the elements of a row that are done. By
     * address, so that only programs with chains link it. */
    int64_t (*run_chain)(const void *call, const obk_program_step *first);
    obk_program_step steps[];
} obk_program;

/* Runs the steps for `rows` rows of n elements. p, step, row: of n_operands operands, then of the result, as obk_loop has them.
 * registers: n_registers of register_bytes each, at least rows * n elements, or any number
 * of elements for a chain. */
void obk_program_run(const obk_program *program, uint32_t n_operands, char *const *p, const int64_t *step, int64_t n,
                     const int64_t *row, int64_t rows, char *registers, int64_t register_bytes);

/* True if one chain computes all steps. */
static inline bool obk_program_is_chain(const obk_program *program) {
    return program->n_steps > 0 && program->steps[0].joined == program->n_steps;
}

/* The links for short rows of a program that is one chain, without data; fixed scalars are in place. step, row: of the operands,
 * then of the result. Returns their number, at most OBK_MOST_LINKS; 0: there are none. */
int obk_program_links(const obk_program *program, uint32_t n_operands, const int64_t *step, const int64_t *row, obk_link *links);

/* Joins steps to chains. `reads`: for each step and input, the step whose result it reads; -1: none. */
void obk_program_join(obk_program *program, const int32_t (*reads)[3]);

#endif
