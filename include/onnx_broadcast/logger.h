/** @defgroup logger Logger
 * @brief What the library tells about its work, to a function of the caller's.
 *
 * The library never prints. Whoever wants to know what it does gives a logger: in ob_load_options for a model and whatever is
 * done with it (reading, ob_check(), ob_rewrite(), sessions), or in ob_session_config for one session. Errors are not logged:
 * they come as ob_status and ob_error.
 *
 *     static void print(void *context, ob_log_level level, const char *message) {
 *         fprintf(context, "%s\n", message);
 *     }
 *     ob_logger logger = {OB_LOG_INFO, print, stderr};
 *     options.logger = &logger;
 * @{ */
#ifndef ONNX_BROADCAST_LOGGER_H
#define ONNX_BROADCAST_LOGGER_H

#ifdef __cplusplus
extern "C" {
#endif

/** How much is told: a level and all before it. */
typedef enum ob_log_level {
    OB_LOG_OFF,     /**< nothing */
    OB_LOG_WARNING, /**< what costs time or memory and could be avoided; declared shapes that are wrong */
    OB_LOG_INFO,    /**< models read, sessions and plans made, plans forgotten */
    OB_LOG_DEBUG    /**< each pass with its time, each weight that is read from another file */
} ob_log_level;

/** A function and what it wants to hear. Texts are made only when it does. */
typedef struct ob_logger {
    ob_log_level level; /**< the last level that is told */
    /** Receives one sentence in UTF-8 without a line end, at most 511 bytes, valid during the call; names in it come from the
     * model as they are, control characters too. level is OB_LOG_WARNING or above. Called from the thread that called the
     * library; must not call it for the object at work. NULL: nothing is told. */
    void (*write)(void *context, ob_log_level level, const char *message);
    void *context; /**< handed to write; borrowed, must outlive every model and session that the logger was given for */
} ob_logger;

#ifdef __cplusplus
}
#endif
#endif
/** @} */
