/** @defgroup version Version
 * @brief The version of the headers, and of the library that is linked.
 * @{ */
#ifndef ONNX_BROADCAST_VERSION_H
#define ONNX_BROADCAST_VERSION_H

#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OB_VERSION_MAJOR 0 /**< of these headers; changes with what breaks callers */
#define OB_VERSION_MINOR 1 /**< changes with additions, and before 1.0 with what breaks callers */
#define OB_VERSION_PATCH 0 /**< changes with corrections */

/** "0.1.0": the version of the library that is linked, which may differ from the header's. Static. Thread-safe. */
OB_API const char *ob_version(void);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
