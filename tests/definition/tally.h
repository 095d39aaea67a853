/* Counts of comparisons, and the first differences in words. */
#ifndef OB_TESTS_DEFINITION_TALLY_H
#define OB_TESTS_DEFINITION_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "onnx_broadcast/broadcast.h"

/* One count for each kind of comparison: NAME, text. */
#define COUNTS(X)                                                                                                                \
    X(PAIRS, "pairs")                                                                                                            \
    X(ONE_WAY, "one-way pairs")                                                                                                  \
    X(TRIPLES, "triples")                                                                                                        \
    X(PLACED, "placements")                                                                                                      \
    X(DRAWN, "drawn calls")                                                                                                      \
    X(VIEWS, "calls with views")                                                                                                 \
    X(OFFSETS, "offsets")

typedef enum count {
#define COUNTS_ENUM(name, text) COUNT_##name,
    COUNTS(COUNTS_ENUM)
#undef COUNTS_ENUM
        N_COUNTS
} count;

enum { SHOWN = 10 }; /* differences that are printed */

typedef struct tally {
    uint64_t counts[N_COUNTS];
    uint64_t n_differences;
    bool first; /* the first difference ends the program */
} tally;

/* One more difference; prints the line if it is one of the first. */
void tally_differ(tally *all, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct shape_text {
    char text[160];
} shape_text;
shape_text shown_shape(const ob_dims *pool, int32_t rank, const ob_dim *dims);

/* "[2, N] with [3] with [1]" */
typedef struct operands_text {
    char text[1200];
} operands_text;
operands_text shown_operands(const ob_dims *pool, const ob_shape *operands, size_t n);

#endif
