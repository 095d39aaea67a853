/* XLA's placement, and the attribute axis of ONNX opset 1 to 6, of shapes of numbers against the definition. */
#ifndef OB_TESTS_DEFINITION_PLACED_H
#define OB_TESTS_DEFINITION_PLACED_H

#include "definition/answers.h"
#include "definition/shapes.h"
#include "definition/tally.h"

/* Every shape with sizes 0 .. 3 up to rank 4, with every list of up to four axes, valid or not, in every rank up to 4:
 *
 * - the placed shape, its views in every shape of the rank, and the binary operation with every shape of the rank
 * - with axis: every pair, at every axis */
void compare_placements(const answers *definition, share mine, tally *found);

#endif
