/** @defgroup worker Workers
 * @brief One plan of a session, run by several threads at once.
 *
 * A worker runs the plan that its session used last when the worker was made. It shares the session's model, weights and that
 * plan, which nobody changes any more, and owns what a run changes: work memory, addresses, results. Its results are those of
 * the session, bit for bit.
 *
 *     ob_session_prepare(session, &in, 1, &error);      // the plan to share
 *     ob_worker *worker;                                // one for each thread
 *     if (ob_worker_create(session, NULL, &worker, &error) != OB_OK) ...
 *     if (ob_worker_run(worker, &in, 1, &out, 1, &error) != OB_OK) ...
 *     ob_worker_close(&worker);
 *
 * Threads:
 * - One worker is used by one thread at a time; workers of one session run at once, and at once with the session itself.
 * - ob_worker_create() reads the session: no other thread may use the session meanwhile (its workers may run).
 * - The session must outlive its workers. When it plans for other shapes, or forgets the plan for want of room (max_plans), its
 *   workers keep theirs; the plan's memory goes with the last of them.
 * - The session's allocator must be safe for use from the threads that close workers, the worker's from the thread that uses it.
 * - A run takes at most 16 KiB of the calling thread's stack, as that of a session.
 * - A worker computes in the thread that calls it, also when the session has several threads, and is not traced.
 * @{ */
#ifndef ONNX_BROADCAST_WORKER_H
#define ONNX_BROADCAST_WORKER_H

#include <stdbool.h>
#include <stddef.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/session.h"
#include "onnx_broadcast/status.h"
#include "onnx_broadcast/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Work memory and addresses for one plan of a session. */
typedef struct ob_worker ob_worker;

/** How to make a worker. Always start from ob_worker_config_init(). */
typedef struct ob_worker_config {
    size_t struct_bytes;           /**< set by ob_worker_config_init() */
    const ob_allocator *allocator; /**< of everything that is the worker's own; NULL: the session's */
    bool caller_memory; /**< as in ob_session_config: true: the work memory is lent by ob_worker_set_memory(), and the caller
                           gives the memory of every output. false (default) */
} ob_worker_config;

/** Fills in the defaults named above. NULL is allowed and does nothing. */
OB_API void ob_worker_config_init(ob_worker_config *config);

/** Makes a worker for the plan that `session` used last (by ob_session_run() or ob_session_prepare()). config may be NULL. The
 * memory that its runs need is allocated here, but for what the caller gives. Returns owned: ob_worker_close().
 *
 * Errors:
 * - E_ARGUMENT: session or out NULL, a config that was not initialised, a session that has not planned yet.
 * - E_UNSUPPORTED: the plan has steps that are decided while they run (shapes that depend on data, control flow); error->node is
 *   the first of them.
 * - E_MEMORY. */
OB_API ob_status ob_worker_create(ob_session *session, const ob_worker_config *config, ob_worker **out, ob_error *error);
/** Frees the worker and sets *worker to NULL. NULL and *NULL are allowed. */
OB_API void ob_worker_close(ob_worker **worker);

/** Runs the plan, as ob_session_run() does, and allocates nothing, but for the bytes of string elements that the model makes.
 * Inputs must have the types, shapes and strides that the plan was made for, and the elements of those that decide shapes.
 * outputs[i].data NULL: the worker provides the memory, valid until its next run or close.
 *
 * Errors: E_TYPE, E_SHAPE (an input that the plan is not for: both types or shapes are named), E_MEMORY (no memory for results,
 * or a block of ob_worker_set_memory() that is too small: both sizes are named), and those of ob_session_run() that depend on
 * arguments and data. */
OB_API ob_status ob_worker_run(ob_worker *worker, const ob_view *inputs, size_t n_inputs, ob_view *outputs, size_t n_outputs,
                               ob_error *error);

/** As ob_session_set_memory(), for the worker. E_ARGUMENT. */
OB_API ob_status ob_worker_set_memory(ob_worker *worker, void *block, size_t n_bytes, ob_error *error);
/** Facts about the worker's plan; n_plans is 1 and session_bytes what the worker itself has from its allocator. */
OB_API void ob_worker_get_memory(const ob_worker *worker, ob_session_memory *out);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
