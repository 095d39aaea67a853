/** @defgroup status Status and errors
 * @brief What every fallible call returns, and the optional record that says where and why.
 *
 * Results come through out-parameters, which stay untouched on failure. The library never prints, exits or aborts. The comments
 * of this reference write E_SHAPE for OB_E_SHAPE.
 *
 * Every parameter `ob_error *error` may be NULL. A call that fails fills in the whole record, whatever was in it before; one that
 * succeeds may clear it or leave it as it was.
 * @{ */
#ifndef ONNX_BROADCAST_STATUS_H
#define ONNX_BROADCAST_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what the library exports. */
#if defined(_WIN32)
#define OB_API
#elif defined(OB_BUILDING)
#define OB_API __attribute__((visibility("default")))
#else
#define OB_API
#endif

/** One row per status: name, text. Values are stable: new rows go to the end. */
#define OB_STATUS_LIST(X)                                                                                                        \
    X(OK, "success")                  /**< the call did what it says */                                                          \
    X(E_ARGUMENT, "invalid argument") /**< a parameter outside its documented range, or NULL where it may not be */              \
    X(E_MEMORY, "out of memory")      /**< the allocator returned NULL */                                                        \
    X(E_IO, "input/output failure")   /**< open, read, write or rename failed */                                                 \
    X(E_FORMAT, "malformed data")     /**< not a model, tensor or text of the form */                                            \
    X(E_LIMIT, "limit exceeded")      /**< a size, depth or count over the caller's limit, or over what the library can hold */  \
    X(E_MODEL, "invalid model")       /**< a well-formed file with an ill-formed graph */                                        \
    X(E_SHAPE, "incompatible shapes") /**< a broadcast or shape rule is violated */                                              \
    X(E_TYPE, "incompatible element types")              /**< an element type that the operator does not take */                 \
    X(E_UNSUPPORTED, "not supported")                    /**< valid, but this build cannot do it */                              \
    X(E_CONDITION, "a condition of the model is broken") /**< the shape contract fails for these sizes */                        \
    X(E_NOT_FOUND, "not found")                          /**< no such name, file or index */                                     \
    X(E_INTERNAL, "internal error")                      /**< a defect of the library */                                         \
    X(E_CANCELLED, "cancelled") /**< the caller asked for the call to end (ob_session_config.cancelled) */                       \
    /* the end */

/** What became of a call. OB_OK is 0, everything else a failure. */
typedef enum ob_status {
#define OB_STATUS_ENUM(name, text) OB_##name,
    OB_STATUS_LIST(OB_STATUS_ENUM)
#undef OB_STATUS_ENUM
        OB_STATUS_COUNT /**< how many there are; no status */
} ob_status;

/** Where and why a call failed. Plain data owned by the caller, no allocation; text is always terminated and
 * of one that is too long both ends stand with "..." between them. Empty strings mean "does not apply". */
typedef struct ob_error {
    ob_status code;    /**< what the call returned */
    int32_t axis;      /**< of the result, 0-based; -1 when no axis is meant */
    char node[128];    /**< node, its first output when it has no name, with the path to it: "If_3.then_branch/Add_7"; or "" */
    char op_type[64];  /**< operator type, or "" */
    char value[128];   /**< value (tensor) name, or "" */
    char message[512]; /**< one sentence. It does not begin with the node or the operator, which stand above: print them before it
                        */
} ob_error;

/** The fixed English text of a status; "unknown status" for a value outside the enum. Never NULL. Thread-safe. */
OB_API const char *ob_status_text(ob_status status);

/** Resets `error` to OB_OK, axis -1 and empty strings. NULL is allowed and does nothing. */
OB_API void ob_error_clear(ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
