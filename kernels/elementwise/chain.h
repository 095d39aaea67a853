/* Chains: cheap steps of a program, of which each reads the result of the one before it, on vectors that stay in registers. A
 * step is a function that gets up to four vectors as arguments and calls the function of the next step, so no result is stored
 * between two steps. Its arithmetic is that of the loop that it stands for, so bits are the same. */
#ifndef OB_KERNELS_ELEMENTWISE_CHAIN_H
#define OB_KERNELS_ELEMENTWISE_CHAIN_H

#include <stdbool.h>

#include "kernels/loop.h"

/* The operands of a step beside the value that it gets in registers: vectors or scalars, after it or before it (a - b, b - a). */
typedef enum obk_link_kind {
    OBK_LINK_SELF, /* none, or the value itself */
    OBK_LINK_VECTOR,
    OBK_LINK_SCALAR,
    OBK_LINK_VECTOR_FIRST,
    OBK_LINK_SCALAR_FIRST,
    OBK_LINK_KINDS
} obk_link_kind;

typedef void (*obk_link_code)(void);
/* For four vectors of a row, for one of them, and for one vector of each of eight rows; and a whole chain of one step for one
 * vector of each row. */
typedef enum obk_link_shape { OBK_LINK_WIDE, OBK_LINK_ONE, OBK_LINK_ROWS, OBK_LINK_PAIR, OBK_LINK_SHAPES } obk_link_shape;

/* A loop as steps of a chain. */
typedef struct obk_link_form {
    obk_link_code code[OBK_LINK_KINDS][OBK_LINK_SHAPES]; /* NULL: there is none */
    bool is_double;
    uint8_t n_in; /* operands of the loop */
} obk_link_form;

/* A step with its operands. */
typedef struct obk_link {
    obk_link_code code[2]; /* OBK_LINK_WIDE and ONE, or for short rows OBK_LINK_ROWS and PAIR */
    char *p[2];            /* one or two operands of a row; the result of the last step */
    union {
        int64_t row[2];         /* the distance of two rows */
        const int32_t *rows[2]; /* for short rows: the distance of each row from p, in bytes */
    };
    const void *params;
} obk_link;

enum {
    OBK_MOST_LINKS = 26,  /* of a chain: 24 steps, one before them and one behind */
    OBK_ROWS_AT_ONCE = 8, /* of short rows */
    OBK_SHORT_LINKS = 12, /* the most for short rows */
};

/* The form of a loop NAME is the object obk_form_NAME__LEVEL; NULL: it has none. */
typedef struct obk_forms {
    const obk_link_form *(*find)(obk_loop loop);
} obk_forms;

typedef struct obk_chains {
    obk_link_code load[2][OBK_LINK_SHAPES], store[2][OBK_LINK_SHAPES]; /* [is_double]; the first and the last step */
    int64_t unit;                                                      /* short rows have a multiple of these bytes */
    /* Runs the links for `rows` rows of n_bytes each, as far as they are whole vectors: returns the bytes of a row that are done.
     */
    int64_t (*run)(obk_link *links, int n_links, bool is_double, int64_t n_bytes, int64_t rows);
    /* Runs the links for `rows` short rows of n_bytes each at link->rows, a vector of eight rows at a time. is_vector: by link,
     * whether an operand is more than one element for each row. */
    void (*run_rows)(obk_link *links, const bool (*is_vector)[2], int n_links, bool is_double, int64_t n_bytes, int64_t rows);
} obk_chains;

#endif
