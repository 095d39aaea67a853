/* Calls into the library through the umbrella header, as C and as C++. */
#include <stdio.h>
#include <string.h>

#include "onnx_broadcast/onnx_broadcast.h"

int main(void) {
    char expected[32];
    (void)snprintf(expected, sizeof expected, "%d.%d.%d", OB_VERSION_MAJOR, OB_VERSION_MINOR, OB_VERSION_PATCH);
    if (strcmp(ob_version(), expected) != 0) {
        printf("version %s, expected %s\n", ob_version(), expected);
        return 1;
    }
    if (ob_dtype_from_name("float16") != OB_FLOAT16 || ob_dtype_size(OB_FLOAT16) != 2) {
        printf("float16 is not float16\n");
        return 1;
    }
    return 0;
}
