/* Check-and-return helpers and checked arithmetic. */
#ifndef OB_CORE_BASE_ERROR_H
#define OB_CORE_BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "onnx_broadcast/status.h"

/* Returns the status of `call` if it is not OB_OK. */
#define OB_TRY(call)                                                                                                             \
    do {                                                                                                                         \
        ob_status ob_try_ = (call);                                                                                              \
        if (ob_try_ != OB_OK) return ob_try_;                                                                                    \
    } while (0)

/* Returns `status` with a message if `condition` holds. It returns this argument, not the result of ob__fail, so that compilers
 * and analyzers see that the call fails. */
#define OB_FAIL_IF(condition, error, status, ...)                                                                                \
    do {                                                                                                                         \
        if (condition) {                                                                                                         \
            ob__fail((error), (status), __VA_ARGS__);                                                                            \
            return (status);                                                                                                     \
        }                                                                                                                        \
    } while (0)

/* Fills code and message (written by ob__sentence) and returns `status`. The location fields do not change. error may be NULL.
 */
ob_status ob__fail(ob_error *error, ob_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The end of a public call: returns `status`. A failure without a record (error->code differs) gets the message "what: text of
 * the status", without `what` if that is "". */
ob_status ob__described(ob_error *error, ob_status status, const char *what);
/* Copies text into a fixed field, with control characters replaced by '?'. Of a longer text both ends are copied. text may be
 * NULL. */
void ob__copy_text(char *field, size_t n_bytes, const char *text);

#endif
