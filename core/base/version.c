#include "onnx_broadcast/version.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *ob_version(void) {
    return TEXT(OB_VERSION_MAJOR) "." TEXT(OB_VERSION_MINOR) "." TEXT(OB_VERSION_PATCH);
}
