#include "generated/runtime/build_options.h"
#include "generated/runtime/commit.h"
#include "kernels/kernels.h"
#include "onnx_broadcast/version.h"

ob_build ob_build_info(void) {
    return (ob_build){
        .commit = OB_COMMIT,
        .compiler = OB_BUILD_COMPILER,
        .target = OB_BUILD_TARGET,
        .type = OB_BUILD_TYPE,
        .flags = OB_BUILD_FLAGS,
        .options = OB_BUILD_OPTIONS,
        .libraries = OB_BUILD_LIBRARIES,
        .levels = OB_BUILD_LEVELS,
        .level = ob__kernels_level_name(),
        .dot_products = ob__kernels_dot8(),
    };
}
