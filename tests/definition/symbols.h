/* Shapes of the letters 0, 1, 2, 3, N and M, and the meaning of what the library says about them, as sets of values of N and M.
 *
 * N and M take the values 0 .. 5. That is enough: the definition and the conditions only compare sizes for equality, so all that
 * matters of N and M is which of 0, 1, 2, 3 each is, or that it is none of them, and whether both are equal. 4 and 5 are two
 * values that are none of them. */
#ifndef OB_TESTS_DEFINITION_SYMBOLS_H
#define OB_TESTS_DEFINITION_SYMBOLS_H

#include "definition/answers.h"
#include "onnx_broadcast/broadcast.h"

enum {
    LETTERS = 6, /* 0, 1, 2, 3, N, M */
    N_VALUES = SIZES * SIZES,
    MAX_DIMS = 32 /* different dims that the library may answer */
};

/* Values of N and M, one bit each: N * SIZES + M. */
typedef uint64_t values;
#define ALL_VALUES ((UINT64_C(1) << N_VALUES) - 1)

/* A shape of letters. */
typedef struct word {
    int32_t rank;
    uint8_t letters[TABLE_RANK];
    ob_dim dims[TABLE_RANK];
    uint16_t at[N_VALUES]; /* its number in the tables, at each value */
} word;

typedef struct symbols {
    ob_dims *pool;
    ob_binding bindings[2];
    word words[N_SHAPES]; /* of the same order as the shapes */
    size_t n_dims;
    ob_dim dims[MAX_DIMS];
    int8_t sizes[MAX_DIMS][N_VALUES]; /* of these dims; -1: undefined */
    values conditions[OB_COND_AT_LEAST + 1][MAX_DIMS][MAX_DIMS];
    bool conditions_known[OB_COND_AT_LEAST + 1][MAX_DIMS][MAX_DIMS];
} symbols;

bool symbols_create(symbols *all, const answers *definition);
void symbols_destroy(symbols *all);

/* The value of a letter. */
uint8_t letter_at(int letter, int value);

/* The place of a dim in `dims`, -1 if there are too many. */
int symbols_place(symbols *all, ob_dim d);

/* The values for which a condition holds. 0 and *wrong = true if the library itself evaluates it differently. */
values symbols_holds(symbols *all, const ob_condition *condition, bool *wrong);

#endif
