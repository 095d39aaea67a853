/* Drawn operands, up to five and up to rank 8, with sizes 0 .. 5 and two symbols: shapes, views and offsets against the
 * definition. */
#ifndef OB_TESTS_DEFINITION_DRAWN_H
#define OB_TESTS_DEFINITION_DRAWN_H

#include "definition/answers.h"
#include "definition/shapes.h"
#include "definition/tally.h"

void compare_drawn(const answers *definition, share mine, tally *found);

#endif
