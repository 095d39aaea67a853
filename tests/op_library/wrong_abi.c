/* Built against another version of the interface. */
#include "library.h"

static const ob_operator rows[] = {{HEAD("Same"), .signature = "f>f", .shape = like_input, .run = do_nothing}};
static const ob_operator_library library = {OB_OPERATOR_ABI + 6, sizeof(ob_operator_library) + 8, "later", "2.0", rows, 1};

const ob_operator_library *onnx_broadcast_operators(uint32_t host_abi) {
    (void)host_abi;
    return &library;
}
