/* The answers of the program extracted from the definition of broadcasting. proofs/answers.ml writes them and describes the file.
 */
#ifndef OB_TESTS_DEFINITION_ANSWERS_H
#define OB_TESTS_DEFINITION_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TABLE_RANK = 4,
    SIZES = 6,       /* 0 .. 5: of the shapes in tables */
    SMALL = 4,       /* 0 .. 3: of the shapes with offsets */
    N_SHAPES = 1555, /* of ranks 0 .. TABLE_RANK */
    N_SMALL = 341,
    MAX_ELEMENTS = 81, /* of a shape with offsets */
    NO_SHAPE = 0xffff
};

/* A shape of the tables. */
typedef struct sizes {
    int32_t rank;
    uint8_t at[TABLE_RANK];
} sizes;

/* For every index of the larger shape, the offset in elements of the smaller one. */
typedef struct offsets {
    const uint8_t *at; /* NULL: the one does not stretch to the other */
    int32_t n;
} offsets;

typedef struct answers {
    uint8_t *bytes; /* the file */
    size_t n_bytes;
    sizes shapes[N_SHAPES];
    uint16_t small[N_SMALL];     /* the shapes with sizes below SMALL, by their numbers */
    uint16_t small_of[N_SHAPES]; /* a shape's place in `small`, or NO_SHAPE */
    uint16_t *two;               /* [first * N_SHAPES + second]: the result or NO_SHAPE */
    const uint8_t *stretches;    /* [first * N_SHAPES + second] */
    offsets (*offsets)[N_SMALL]; /* [first][second], places in `small` */
    const uint8_t *placed;       /* the table of placements: answers_placed() */
    const uint8_t *drawn;        /* the rest of the file: drawn operands */
    uint32_t n_drawn;
} answers;

/* False, with a message, when the file is not there or is not complete. */
bool answers_read(answers *all, const char *path);
void answers_free(answers *all);

/* The number of a shape, NO_SHAPE if it is not in the tables. */
uint16_t answers_number(int32_t rank, const int64_t *dims);

/* A mapping of axes to those of a rank: valid or not. */
typedef struct mapping {
    int32_t rank; /* 0 .. TABLE_RANK */
    int32_t n;
    int64_t at[TABLE_RANK]; /* -1 .. rank */
} mapping;

/* Mapping number i of all, 0 on: false beyond the last one. */
bool answers_mapping(int32_t i, mapping *out);
/* The small shape at these axes: its number, NO_SHAPE if the mapping is not valid for it. */
uint16_t answers_placed(const answers *all, int32_t i, uint16_t small);

static inline uint16_t answers_two(const answers *all, uint16_t a, uint16_t b) {
    return all->two[a * N_SHAPES + b];
}

/* As the program defines it: the first operand with the result of the others. */
static inline uint16_t answers_three(const answers *all, uint16_t a, uint16_t b, uint16_t c) {
    uint16_t others = answers_two(all, b, c);
    return others == NO_SHAPE ? (uint16_t)NO_SHAPE : answers_two(all, a, others);
}

#endif
