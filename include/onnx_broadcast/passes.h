/** @defgroup passes Passes
 * @brief The steps of checking and rewriting, by name, and a hook that inspects the model between them.
 * @{ */
#ifndef ONNX_BROADCAST_PASSES_H
#define ONNX_BROADCAST_PASSES_H

#ifdef OB_WITHOUT_CHECKER
#error "this build of onnx_broadcast has no checker (OB_WITH_CHECKER is off)"
#endif

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

/** Number of passes in the pipeline: those of checking and of all forms of rewriting. Thread-safe. */
OB_API size_t ob_pass_count(void);
/** Pass `index` in the order of execution; empty strings when `index` is out of range. Thread-safe. */
OB_API ob_pass_info ob_pass_at(size_t index);

/** Called after each pass, in the calling thread, with the name of the pass and the model after it. Both are views, valid
 * during the call. Any return value except OB_OK stops the work, which then returns that status. */
typedef ob_status (*ob_pass_hook)(void *context, const char *pass, const ob_model *model);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
