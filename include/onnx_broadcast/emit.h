/** @defgroup emit Models as C
 * @brief Writes a session's plans as C: constant tables and weights, to be compiled for a device.
 *
 * The tables name kernels of this library (ahead.h) and nothing else. Sizes, addresses in the work memory and the states of
 * kernels are fixed while the files are written; the compiler of the target lays them out, so this machine's pointers, alignment
 * and byte order do not matter. Results have the same bits as those of the session.
 *
 *     config.ahead_of_time = true;
 *     ob_session_create(model, &config, &session, &error);
 *     ob_emit_options options = {.name = "digits"};
 *     ob_session_emit(session, &input, 1, 1, &options, write, context, &error);
 *
 * @{ */
#ifndef ONNX_BROADCAST_EMIT_H
#define ONNX_BROADCAST_EMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "onnx_broadcast/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The form of the weights. */
typedef enum ob_emit_weights {
    OB_EMIT_WEIGHTS_AUTO = 0, /**< C up to 256 KiB, else BINARY */
    OB_EMIT_WEIGHTS_C,        /**< numbers in NAME.c, for any byte order; a compiler takes about 1 s for each MiB */
    OB_EMIT_WEIGHTS_BINARY    /**< little-endian bytes in NAME_weights.bin, which NAME_weights.S includes */
} ob_emit_weights;

/** Settings of ob_session_emit(). */
typedef struct ob_emit_options {
    const char *name; /**< of files and functions: a letter, then up to 31 letters, digits and underscores; no word of C or C++ */
    ob_emit_weights weights; /**< their form */
} ob_emit_options;

/** Receives the files, each in one call: `file` is its name, without a folder. Returns false to end with E_IO. */
typedef bool (*ob_emit_write)(void *context, const char *file, const void *bytes, size_t n_bytes);

/** Writes the plans as NAME.h, NAME.c, NAME_main.c, CMakeLists.txt, and for binary weights NAME_weights.bin and NAME_weights.S.
 * NAME.h describes the functions. The files are the same on every machine for the same model, sizes, options and level of
 * instructions. No text of the model gets into them, except for printable ASCII in comments.
 * - session: created with ahead_of_time and one thread.
 * - inputs: n_plans times n_inputs views, one set for each plan: types and shapes; data is not read and may be NULL.
 * - n_plans: at least 1, at most 64, and not more than config->max_plans.
 * - write: called only after everything could be written.
 *
 * Errors:
 * - E_UNSUPPORTED: something that cannot be written; the message names the node and the reason: a result whose size depends on
 *   data or changes between iterations, strings, sequences, an operator of a library, a kernel that has no written form.
 * - E_ARGUMENT: NULL, the name, the number of plans, a session that was not created for this.
 * - E_LIMIT: a tensor or the work memory has 2 GiB or more.
 * - E_IO (write returned false), E_MEMORY, and those of ob_session_prepare(). */
OB_API ob_status ob_session_emit(ob_session *session, const ob_view *inputs, size_t n_inputs, size_t n_plans,
                                 const ob_emit_options *options, ob_emit_write write, void *context, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
