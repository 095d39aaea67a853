/** @file
 * The version of the library. */
#ifndef ONNX_BROADCAST_VERSION_H
#define ONNX_BROADCAST_VERSION_H

#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OB_VERSION_MAJOR 0
#define OB_VERSION_MINOR 1
#define OB_VERSION_PATCH 0

/** "0.1.0": the version of the library that is linked, which may differ from the header's. Static. Thread-safe. */
OB_API const char *ob_version(void);

#ifdef __cplusplus
}
#endif
#endif
