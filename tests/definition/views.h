/* Shapes of numbers: views, the iteration that all kernels share, and copies, against the definition's offsets. */
#ifndef OB_TESTS_DEFINITION_VIEWS_H
#define OB_TESTS_DEFINITION_VIEWS_H

#include "definition/answers.h"
#include "definition/shapes.h"
#include "definition/tally.h"
#include "onnx_broadcast/view.h"

/* Every ordered pair and triple of shapes with sizes 0 .. 3 up to rank 4, and every pair one way: verdict, shape, and the offset
 * that each index of the result has in each operand. */
void compare_views(const answers *definition, share mine, tally *found);

/* Does the view show, for every index, the element with the wanted offset? */
bool view_shows(const ob_view *view, const offsets *wanted);

#endif
