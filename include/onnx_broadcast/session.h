/** @file
 * Sessions: a model made ready to run.
 *
 * A session plans once for the concrete shapes of its inputs (operator loops resolved, views instead of copies, one block of
 * memory with every tensor at a fixed offset) and runs many times. A run with shapes that have a plan already allocates nothing,
 * unless the model has results whose size depends on data (NonZero and kin).
 *
 *     ob_session_config config;
 *     ob_session_config_init(&config);
 *     ob_session *session;
 *     if (ob_session_create(model, &config, &session, &error) != OB_OK) ...
 *     ob_view in, out = {0};
 *     ob_view_init(&in, data, OB_FLOAT, 2, (int64_t[]){1, 64});
 *     if (ob_session_run(session, &in, 1, &out, 1, &error) != OB_OK) ...
 *     ob_session_close(&session);
 *
 * Any number of sessions may run at once, also of one model; one session is used by one thread at a time. */
#ifndef ONNX_BROADCAST_SESSION_H
#define ONNX_BROADCAST_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/dtype.h"
#include "onnx_broadcast/model.h"
#include "onnx_broadcast/status.h"
#include "onnx_broadcast/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_session ob_session;

/** A size for a symbolic dimension of the model. Borrows name. */
typedef struct ob_named_size {
    const char *name;
    int64_t size;
} ob_named_size;

/** Something in the model that this build cannot run. The texts are valid during the call only. */
typedef struct ob_unsupported {
    const char *domain, *op_type; /**< "" for what is not an operator */
    int64_t opset;                /**< the version of the domain that governs the node, 0 when none is imported */
    const char *node;             /**< the first node of this kind, "" when unnamed */
    size_t n_nodes;               /**< how many nodes are concerned */
    const char *reason;           /**< one sentence */
} ob_unsupported;

/** One executed step. The texts live as long as the session. */
typedef struct ob_trace_event {
    const char *node, *op_type; /**< node name ("" when unnamed), operator; "copy" for a step that the planner added */
    const char *kernel;
    uint64_t start_ns, duration_ns; /**< monotonic clock */
    const ob_view *output;          /**< the first result, or NULL */
    size_t n_bytes;                 /**< of all results */
} ob_trace_event;

/** How to make a session. Always start from ob_session_config_init. */
typedef struct ob_session_config {
    size_t struct_bytes;           /**< set by ob_session_config_init */
    const ob_allocator *allocator; /**< NULL: the default */
    int n_threads;      /**< 1 (default): the calling thread; more: a pool (E_UNSUPPORTED in a build without pthreadpool) */
    bool optimize;      /**< true (default): fold constants, drop dead nodes, compute in place. Results are the same bits */
    bool external_data; /**< true (default): weights in other files may be read, from external_folder or below only */
    const char *external_folder; /**< NULL: the folder of the model's file. Borrows during ob_session_create */
    const ob_named_size *dims;   /**< sizes of symbolic dimensions; borrows during ob_session_create */
    size_t n_dims;
    uint64_t max_memory; /**< bytes that a plan, its outputs and folded constants may take; 0: 2^40 */
    uint32_t max_plans;  /**< shapes remembered, the least recently used one gives way; 0: 8 */
    /** Receives everything that cannot be run, one call each, before ob_session_create returns E_UNSUPPORTED; and, for element
     * types and attributes that only planning can judge, before ob_session_prepare or ob_session_run does. May be NULL. */
    void (*unsupported)(void *context, const ob_unsupported *item);
    /** Receives every step after it ran; NULL (default): steps are not timed. */
    void (*trace)(void *context, const ob_trace_event *event);
    void *context; /**< of the two callbacks */
} ob_session_config;

OB_API void ob_session_config_init(ob_session_config *config);

/** Makes a session for `model`, which must outlive it and is not changed (weights stay borrowed). config may be NULL. Returns
 * owned: ob_session_close. Errors: E_UNSUPPORTED (operators, versions or types, all of them named to config->unsupported; the
 * message lists the first), E_MODEL (an ill-formed graph), E_SHAPE, E_TYPE, E_IO, E_NOT_FOUND, E_LIMIT (external data), E_MEMORY,
 * E_ARGUMENT. */
OB_API ob_status ob_session_create(const ob_model *model, const ob_session_config *config, ob_session **out, ob_error *error);
/** Frees the session and sets *session to NULL. NULL and *NULL are allowed. */
OB_API void ob_session_close(ob_session **session);

/* ---- What goes in and comes out. Inputs that have a default among the initializers are not counted: they are weights. --------
 */

/** An input or output as the model declares it. Texts and dims live as long as the session. */
typedef struct ob_session_value {
    const char *name;
    ob_dtype dtype;         /**< OB_NONE: not declared and not inferred */
    ob_shape shape;         /**< of terms; rank OB_RANK_UNKNOWN when nothing is known */
    const char *shape_text; /**< "[N, 3, 224, 224]", "[?]", "[...]" for an unknown rank */
} ob_session_value;

OB_API size_t ob_session_input_count(const ob_session *session);
OB_API size_t ob_session_output_count(const ob_session *session);
/** Returns false, and leaves *out alone, when there is no such index. */
OB_API bool ob_session_input(const ob_session *session, size_t index, ob_session_value *out);
OB_API bool ob_session_output(const ob_session *session, size_t index, ob_session_value *out);
/** E_NOT_FOUND when there is no input (output) of that name. */
OB_API ob_status ob_session_input_index(const ob_session *session, const char *name, size_t *index);
OB_API ob_status ob_session_output_index(const ob_session *session, const char *name, size_t *index);
/** The pool that the dims in ob_session_value belong to. */
OB_API const ob_dims *ob_session_dims(const ob_session *session);

/* ---- Running ------------------------------------------------------------------------------------------------------------------
 */

/** Plans for the shapes (and types and strides) of these inputs without running; data may be NULL where the model's shapes do not
 * depend on it. Afterwards a run with such inputs allocates nothing. Errors as ob_session_run. */
OB_API ob_status ob_session_prepare(ob_session *session, const ob_view *inputs, size_t n_inputs, ob_error *error);

/** Runs. inputs: ob_session_input_count views in that order, any strides, elements aligned to their size
 * (at most 8 bytes), borrowed during the call. outputs:
 * ob_session_output_count views, or fewer when the later ones are not wanted.
 * - outputs[i].data NULL: the session provides the memory, valid until its next run, prepare or close.
 * - outputs[i].data not NULL: dtype, dims and contiguous strides must be those of the result (E_SHAPE, E_TYPE otherwise); the
 * result goes there, and the memory may serve for intermediate results before. It must not overlap an input. On success every
 * outputs[i] is the result, contiguous. On failure outputs are as they were, the memory they point to may not be. Errors:
 * E_ARGUMENT (count, NULL data), E_SHAPE, E_TYPE (inputs that the model does not take: named with both shapes), E_CONDITION (a
 * condition of the model's shape contract is broken by these sizes: node, condition and sizes are named; nothing was computed),
 * E_LIMIT (max_memory), E_MEMORY, E_UNSUPPORTED, and errors that depend on data (E_ARGUMENT: an index out of range ...). */
OB_API ob_status ob_session_run(ob_session *session, const ob_view *inputs, size_t n_inputs, ob_view *outputs, size_t n_outputs,
                                ob_error *error);

/** Facts about the plan used last. All zero before the first. */
typedef struct ob_session_memory {
    size_t n_steps;          /**< kernels and copies that a run executes */
    size_t n_views;          /**< results that are views: nothing is computed or copied for them */
    size_t n_folded;         /**< nodes computed while planning */
    size_t n_in_place;       /**< results that took the memory of an operand */
    size_t n_dynamic;        /**< steps whose shapes are known only during the run */
    size_t n_plans;          /**< plans remembered */
    uint64_t arena_bytes;    /**< intermediate results */
    uint64_t output_bytes;   /**< results, when the session provides their memory */
    uint64_t scratch_bytes;  /**< working memory of kernels, shared by all steps */
    uint64_t constant_bytes; /**< folded constants and weights that had to be copied */
} ob_session_memory;

OB_API void ob_session_get_memory(const ob_session *session, ob_session_memory *out);

#ifdef __cplusplus
}
#endif
#endif
