/** @defgroup logger Logger
 * @brief Log messages of the library, sent to a function of the caller.
 *
 * The library never prints. To receive log messages, set a logger: in ob_load_options for a model and all work on it (reading,
 * ob_check(), ob_rewrite(), sessions), or in ob_session_config for one session. Errors are not logged: functions return them as
 * ob_status and ob_error.
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

/** The level of a message. A logger receives messages of its own level and of all levels before it. */
typedef enum ob_log_level {
    OB_LOG_OFF,     /**< no messages */
    OB_LOG_WARNING, /**< avoidable cost of time or memory; wrong declared shapes */
    OB_LOG_INFO,    /**< models that are read, sessions and plans that are created, plans that are freed */
    OB_LOG_DEBUG    /**< each pass with its time, each weight that is read from another file */
} ob_log_level;

/** A function for log messages, and its level. Texts of other levels are not created. */
typedef struct ob_logger {
    ob_log_level level; /**< the last level that the logger receives */
    /** Receives one sentence in UTF-8 without a line end, at most 511 bytes, valid during the call. Names in it are copied
     * from the model without change, including control characters. level is OB_LOG_WARNING or higher. Called from the thread
     * that called the library. It must not use the object that sends the message. NULL: no messages. */
    void (*write)(void *context, ob_log_level level, const char *message);
    void *context; /**< passed to write; borrowed, must outlive every model and session with this logger */
} ob_logger;

#ifdef __cplusplus
}
#endif
#endif
/** @} */
