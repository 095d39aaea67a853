/** @defgroup version Version
 * @brief The version of the headers, and of the linked library.
 * @{ */
#ifndef ONNX_BROADCAST_VERSION_H
#define ONNX_BROADCAST_VERSION_H

#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OB_VERSION_MAJOR 0 /**< changes with incompatible changes of the interface */
#define OB_VERSION_MINOR 1 /**< changes with additions; before 1.0 also with incompatible changes */
#define OB_VERSION_PATCH 0 /**< changes with bug fixes */

/** "0.1.0": the version of the linked library, which can differ from that of the headers. Static. Thread-safe. */
OB_API const char *ob_version(void);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
