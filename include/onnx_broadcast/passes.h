/** @file
 * The passes, by name: for --list-passes, and for looking at the model between them. */
#ifndef ONNX_BROADCAST_PASSES_H
#define ONNX_BROADCAST_PASSES_H

#include <stddef.h>

#include "onnx_broadcast/model.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_pass_info {
    const char *name; /**< static */
    const char *help; /**< one line, static */
} ob_pass_info;

OB_API size_t ob_pass_count(void);
/** Passes in the order in which they run; empty strings beyond the last. Thread-safe. */
OB_API ob_pass_info ob_pass_at(size_t index);

/** Called after each pass with its name and the model as that pass left it. Returning anything but OB_OK ends the work with that
 * status. */
typedef ob_status (*ob_pass_hook)(void *context, const char *pass, const ob_model *model);

#ifdef __cplusplus
}
#endif
#endif
