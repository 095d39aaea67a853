/** @defgroup version Version
 * @brief The version of the headers, and version and build of the linked library.
 * @{ */
#ifndef ONNX_BROADCAST_VERSION_H
#define ONNX_BROADCAST_VERSION_H

#include <stdbool.h>

#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OB_VERSION_MAJOR 0 /**< changes with incompatible changes of the interface */
#define OB_VERSION_MINOR 1 /**< changes with additions; before 1.0 also with incompatible changes */
#define OB_VERSION_PATCH 0 /**< changes with bug fixes */

/** "0.1.0": the version of the linked library, which can differ from that of the headers. Static. Thread-safe. */
OB_API const char *ob_version(void);

/** The build of the linked library. The texts are static, one line each, never NULL, and name no folder. */
typedef struct ob_build {
    /** Commit of the source, in hexadecimal digits; "-dirty" follows when a file differed from the commit or was not in it.
     * "unknown": built neither from a git checkout nor from an archive that git made. */
    const char *commit;
    const char *compiler; /**< "GNU 12.2.0" */
    const char *target;   /**< system and processor that it was built for: "Linux x86_64" */
    const char *type;     /**< CMake's build type: "Release"; may be empty */
    const char *flags;   /**< of the compiler: those of the build type, of who built it, and for floats; without those that name a
                              folder */
    const char *options; /**< of "protobuf", "checker", "text", "gradient" (parts of this build, OB_WITH_PROTOBUF ...), "threads",
                              "operator-libraries" (they can be loaded), "openblas" (relaxed sessions load it),
                              "selected-operators=DIGEST" (only those of OB_OPS; DIGEST tells sets of operators apart),
                              "coverage", and "sanitize=NAME" for each sanitizer; spaces between them */
    const char *libraries; /**< that it is linked with: "protobuf-c sleef"; their versions are not known */
    const char *levels;    /**< instruction-set levels that are compiled in: "baseline avx2 avx512" */
    const char *level;     /**< the one of them that this process uses: the highest that the processor has, and no higher than the
                                environment variable OB_ISA says */
    bool dot_products;     /**< true: with the processor's dot products of bytes */
} ob_build;

/** The build of the linked library, for reports of problems and for records. Thread-safe. */
OB_API ob_build ob_build_info(void);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
