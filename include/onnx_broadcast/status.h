/** @defgroup status Status and errors
 * @brief The return value of functions that can fail, and the optional record with place and cause of an error.
 *
 * Functions return results through out-parameters, which do not change on failure. The library never prints, exits or aborts. The
 * comments of this reference write E_SHAPE for OB_E_SHAPE.
 *
 * Every parameter `ob_error *error` may be NULL. A call that fails sets all members of the record. A call that succeeds may clear
 * the record or leave it unchanged.
 * @{ */
#ifndef ONNX_BROADCAST_STATUS_H
#define ONNX_BROADCAST_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks the exported functions of the library. */
#if defined(_WIN32)
#define OB_API
#elif defined(OB_BUILDING)
#define OB_API __attribute__((visibility("default")))
#else
#define OB_API
#endif

/** One row per status: name, text. Values are stable: new rows are added at the end. */
#define OB_STATUS_LIST(X)                                                                                                        \
    X(OK, "success")                        /**< the call succeeded */                                                           \
    X(E_ARGUMENT, "invalid argument")       /**< a parameter outside its documented range, or NULL where it may not be */        \
    X(E_MEMORY, "out of memory")            /**< the allocator returned NULL */                                                  \
    X(E_IO, "input/output failure")         /**< open, read, write or rename failed */                                           \
    X(E_FORMAT, "malformed data")           /**< not a valid model, tensor or text */                                            \
    X(E_LIMIT, "limit exceeded")            /**< a size, depth or count over the limit of the caller or of the library */        \
    X(E_MODEL, "invalid model")             /**< a well-formed file with an ill-formed graph */                                  \
    X(E_SHAPE, "incompatible shapes")       /**< a broadcast or shape rule is violated */                                        \
    X(E_TYPE, "incompatible element types") /**< an element type that the operator does not allow */                             \
    X(E_UNSUPPORTED, "not supported")       /**< valid, but this build cannot do it */                                           \
    X(E_CONDITION, "a condition of the model is broken") /**< the shape contract fails for these sizes */                        \
    X(E_NOT_FOUND, "not found")                          /**< unknown name, file or index */                                     \
    X(E_INTERNAL, "internal error")                      /**< a bug of the library */                                            \
    X(E_CANCELLED, "cancelled")                          /**< the caller cancelled the call (ob_session_config.cancelled) */     \
    /* the end */

/** The result of a call. OB_OK is 0; all other values are failures. */
typedef enum ob_status {
#define OB_STATUS_ENUM(name, text) OB_##name,
    OB_STATUS_LIST(OB_STATUS_ENUM)
#undef OB_STATUS_ENUM
        OB_STATUS_COUNT /**< number of values; not a status */
} ob_status;

/** Place and cause of a failure. Plain data that the caller owns, without allocation. Texts are always terminated by NUL. A
 * text that is too long keeps both ends, with "..." between them. An empty string means "does not apply". */
typedef struct ob_error {
    ob_status code;    /**< return value of the call */
    int32_t axis;      /**< axis of the result, 0-based; -1 when no axis is involved */
    char node[128];    /**< path and name of the node, or its first output when it has no name: "If_3.then_branch/Add_7"; or "" */
    char op_type[64];  /**< operator type, or "" */
    char value[128];   /**< name of the value (tensor), or "" */
    char message[512]; /**< one sentence. It does not repeat node and operator: print node and op_type before it */
} ob_error;

/** The fixed English text of a status; "unknown status" for a number outside the enum. Never NULL. Thread-safe. */
OB_API const char *ob_status_text(ob_status status);

/** Sets `error` to OB_OK, axis -1 and empty strings. NULL is allowed and does nothing. */
OB_API void ob_error_clear(ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
