/* Would replace Add. */
#include "library.h"

static const ob_operator rows[] = {{.struct_bytes = sizeof(ob_operator),
                                    .domain = "ai.onnx",
                                    .name = "Add",
                                    .since = 7,
                                    .signature = "ff>f",
                                    .flags = OB_OPERATOR_BROADCASTS,
                                    .run = do_nothing}};
LIBRARY("thief", rows)
