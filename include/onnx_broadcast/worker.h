/** @defgroup worker Workers
 * @brief Several threads run one plan of a session at the same time.
 *
 * A worker runs one plan: the one that its session used last before the worker was created. The worker shares the model, the
 * weights and this plan with the session; none of them changes any more. It has its own copy of everything that a run changes:
 * work memory, addresses, results. Its results have the same bits as those of the session.
 *
 *     ob_session_prepare(session, &in, 1, &error);      // the plan to share
 *     ob_worker *worker;                                // one for each thread
 *     if (ob_worker_create(session, NULL, &worker, &error) != OB_OK) ...
 *     if (ob_worker_run(worker, &in, 1, &out, 1, &error) != OB_OK) ...
 *     ob_worker_close(&worker);
 *
 * Threads:
 * - Only one thread at a time may use a worker. The workers of a session and the session itself may run at the same time.
 * - ob_worker_create() reads the session. During this call no other thread may use the session; its workers may run.
 * - The session must outlive its workers. When the session makes plans for other shapes or frees the plan (max_plans), its
 * workers keep the plan. The memory of the plan is freed with the last worker.
 * - The allocator of the session must be safe for use from the threads that close workers; the allocator of the worker must be
 * safe for use from the thread that uses the worker.
 * - A run takes at most 16 KiB of the calling thread's stack, as a run of the session does.
 * - A worker computes only in the calling thread, also when the session has several threads, unless the host program shares its
 * threads (ob_worker_config.share_pool). Its steps are not traced.
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

/** The work memory and addresses for one plan of a session. */
typedef struct ob_worker ob_worker;

/** Settings of a worker. Always start from ob_worker_config_init(). */
typedef struct ob_worker_config {
    size_t struct_bytes;           /**< set by ob_worker_config_init() */
    const ob_allocator *allocator; /**< allocator for all memory of the worker; NULL: that of the session */
    /** As in ob_session_config. true: the caller lends the work memory with ob_worker_set_memory() and provides the memory of
     * every output. false (default): the worker allocates memory that the caller does not provide */
    bool caller_memory;
    /** Not NULL: runs of this worker call the session's `share` with it, if the session has one, from the thread that runs the
     * worker. NULL (default): the worker computes in the calling thread */
    void *share_pool;
} ob_worker_config;

/** Sets the defaults that are given above. NULL is allowed and does nothing. */
OB_API void ob_worker_config_init(ob_worker_config *config);

/** Creates a worker for the plan that `session` used last (in ob_session_run() or ob_session_prepare()). config may be NULL.
 * Allocates the memory for its runs, except the memory that the caller provides. Returns owned: ob_worker_close().
 *
 * Errors:
 * - E_ARGUMENT: session or out is NULL, config was not initialised, the session has no plan yet.
 * - E_UNSUPPORTED: the plan has steps that depend on data of the run (shapes that depend on data, control flow); error->node
 *   is the first such node.
 * - E_MEMORY. */
OB_API ob_status ob_worker_create(ob_session *session, const ob_worker_config *config, ob_worker **out, ob_error *error);
/** Frees the worker and sets *worker to NULL. NULL and *NULL are allowed. */
OB_API void ob_worker_close(ob_worker **worker);

/** Runs the plan as ob_session_run() does. Allocates no memory, except for the bytes of string elements that the model
 * creates. The inputs must have the types, shapes and strides of the plan. Inputs whose elements decide shapes must also have
 * the elements of the plan. outputs[i].data NULL: the worker provides the memory, valid until its next run or close.
 *
 * Errors: E_TYPE, E_SHAPE (an input that does not fit the plan; the message names both types or shapes), E_MEMORY (no memory
 * for results, or the block of ob_worker_set_memory() is too small; the message names both sizes), and those errors of
 * ob_session_run() that depend on arguments and data. */
OB_API ob_status ob_worker_run(ob_worker *worker, const ob_view *inputs, size_t n_inputs, ob_view *outputs, size_t n_outputs,
                               ob_error *error);

/** Describes output `index` of the worker's plan: type, sizes and contiguous strides, data NULL. The caller can so provide memory
 * for it. E_ARGUMENT (NULL), E_NOT_FOUND (index out of range). */
OB_API ob_status ob_worker_output(const ob_worker *worker, size_t index, ob_view *out);
/** Like ob_session_set_memory(), for the worker. Errors: E_ARGUMENT. */
OB_API ob_status ob_worker_set_memory(ob_worker *worker, void *block, size_t n_bytes, ob_error *error);
/** Facts about the plan of the worker. n_plans is 1, and session_bytes is the memory that the worker itself holds from its
 * allocator. */
OB_API void ob_worker_get_memory(const ob_worker *worker, ob_session_memory *out);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
