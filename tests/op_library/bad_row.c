/* The first row is good, the second has a signature with an unknown letter: none may come in. */
#include "library.h"

static const ob_operator rows[] = {{HEAD("Same"), .signature = "f>f", .shape = like_input, .run = do_nothing},
                                   {HEAD("Other"), .signature = "fX>f", .shape = like_input, .run = do_nothing}};
LIBRARY("bad", rows)
