/** @defgroup passes Passes
 * @brief The steps of checking and rewriting, by name, and a look at the model between them.
 * @{ */
#ifndef ONNX_BROADCAST_PASSES_H
#define ONNX_BROADCAST_PASSES_H

#include <stddef.h>

#include "onnx_broadcast/model.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A pass of the pipeline. */
typedef struct ob_pass_info {
    const char *name; /**< static */
    const char *help; /**< one line, static */
} ob_pass_info;

/** Passes of the pipeline, those of checking and of every form of rewriting together. Thread-safe. */
OB_API size_t ob_pass_count(void);
/** Pass `index` in the order in which they run; empty strings beyond the last. Thread-safe. */
OB_API ob_pass_info ob_pass_at(size_t index);

/** Called after each pass with its name and the model as that pass left it, in the thread of the call; both views, valid during
 * the call. Returning anything but OB_OK ends the work with that status. */
typedef ob_status (*ob_pass_hook)(void *context, const char *pass, const ob_model *model);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
