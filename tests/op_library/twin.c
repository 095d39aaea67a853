/* Has an operator that is also in the example library. */
#include "library.h"

static const ob_operator rows[] = {{HEAD("Same"), .signature = "f>f", .shape = like_input, .run = do_nothing},
                                   {.struct_bytes = sizeof(ob_operator),
                                    .domain = "example.edge",
                                    .name = "Frames",
                                    .since = 1,
                                    .signature = "f>f",
                                    .shape = like_input,
                                    .run = do_nothing}};
LIBRARY("twin", rows)
