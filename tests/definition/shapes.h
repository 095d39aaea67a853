/* Shapes of letters: the library's inference against the definition. */
#ifndef OB_TESTS_DEFINITION_SHAPES_H
#define OB_TESTS_DEFINITION_SHAPES_H

#include "definition/answers.h"
#include "definition/symbols.h"
#include "definition/tally.h"

/* The share of a process: first operands `part`, part + of, part + 2 * of ... */
typedef struct share {
    int part, of;
    int every; /* of triples only each of so many first operands: 1 is all of them */
} share;

/* Every ordered pair of shapes, of two operands and one way. */
void compare_pairs(const answers *definition, symbols *all, share mine, tally *found);

/* - every unordered triple, in one of its six orders, by the table of one axis (broadcast.mlw, lemma axis_by_axis)
 * - every ordered triple of shapes up to rank 3, and every ordered triple of numbers: the whole shape */
void compare_triples(const answers *definition, symbols *all, share mine, tally *found);

#endif
