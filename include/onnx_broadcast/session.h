/** @defgroup session Sessions
 * @brief A model made ready to run.
 *
 * A session plans once for the concrete shapes of its inputs (operator loops resolved, views instead of copies, every tensor at
 * a fixed offset in one block of work memory, which all plans share) and runs many times. A run with shapes that have a plan
 * already allocates nothing, unless the model has results whose size depends on data (NonZero and kin), or values that are no
 * tensors (ob_session_run_cells()).
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
 * Creating a session takes at most 32 KiB of the calling thread's stack, preparing and running it 16 KiB, where no other library
 * does an operator's work (docs/embedding.md). Threads that it starts have stacks of 1 MiB.
 *
 * Any number of sessions may run at once, also of one model; one session is used by one thread at a time. Workers (worker.h) let
 * several threads run one plan of a session.
 * @{ */
#ifndef ONNX_BROADCAST_SESSION_H
#define ONNX_BROADCAST_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/cell.h"
#include "onnx_broadcast/dim.h"
#include "onnx_broadcast/dtype.h"
#include "onnx_broadcast/logger.h"
#include "onnx_broadcast/model.h"
#include "onnx_broadcast/status.h"
#include "onnx_broadcast/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A model with its plans and their memory. */
typedef struct ob_session ob_session;

/** Something in the model that this build cannot run. The texts are valid during the call only. */
typedef struct ob_unsupported {
    const char *domain;  /**< "" is ai.onnx */
    const char *op_type; /**< "" for what is not an operator */
    int64_t opset;       /**< the version of the domain that governs the node, 0 when none is imported */
    const char *node;    /**< the first node of this kind, "" when unnamed */
    size_t n_nodes;      /**< how many nodes are concerned */
    const char *reason;  /**< one sentence */
} ob_unsupported;

/** One executed step. The texts live as long as the session. */
typedef struct ob_trace_event {
    const char *node;      /**< node name, "" when unnamed */
    const char *op_type;   /**< operator; "copy" for a step that the planner added */
    const char *kernel;    /**< what computed it: "binary", "matmul", "copy" ... */
    uint64_t start_ns;     /**< CLOCK_MONOTONIC */
    uint64_t duration_ns;  /**< of this step alone */
    const ob_view *output; /**< the first result, valid during the call; or NULL */
    size_t n_bytes;        /**< of all results */
} ob_trace_event;

/** What sums and products of floats and doubles may differ by. Everything else, integers included, is the same in both. */
typedef enum ob_numerics {
    /** The library's own kernels alone: each promise about bits holds (docs/numerics.md). */
    OB_NUMERICS_EXACT = 0,
    /** Where it is faster, another order of summation, and other libraries: OpenBLAS multiplies large matrices (MatMul, Gemm,
     * Einsum) where the build and the machine have one. Results are as close to the true ones as sums of that length are in any
     * order: the bound stands in docs/numerics.md. They have the same bits for every number of threads, in workers and from run
     * to run, but not on every processor, nor with every version of OpenBLAS. */
    OB_NUMERICS_RELAXED = 1
} ob_numerics;

/** How to make a session. Always start from ob_session_config_init. */
typedef struct ob_session_config {
    size_t struct_bytes;           /**< set by ob_session_config_init */
    const ob_allocator *allocator; /**< of session, plans and results; NULL: the default */
    int n_threads;                 /**< 0, 1 (default): the calling thread; up to 1024: a pool of its own, of no more threads than
                                      ob_machine_processors(), the calling one counted, and of fewer where the system starts no more, which
                                      the logger hears as a warning (E_UNSUPPORTED in a build without threads). They poll for work for 0.1 ms,
                                      and sleep when the call is over; signals are blocked in them. In a child of fork() the session goes on
                                      with the calling thread. Results have the same bits for every number, and in workers */
    bool optimize;      /**< true (default): fold constants, drop dead nodes, compute in place. Results are the same bits */
    bool external_data; /**< true (default): weights in other files may be used, from external_folder or below only. They are
                           mapped like the model's file, with the same rule for who writes to it (ob_model_load); what is
                           packed or not aligned to its element type is read, and so is all where nothing can be mapped */
    const char *external_folder; /**< NULL: the folder of the model's file. Borrows during ob_session_create */
    const ob_named_size *dims;   /**< sizes of symbolic dimensions; borrows during ob_session_create */
    size_t n_dims;               /**< entries of dims */
    uint64_t max_memory; /**< bytes that the session and its workers may have from their allocators at a time: the model's copy,
                            weights that are copied or read, folded constants, plans, work memory, scratch, results. Constants
                            that do not fit are not folded, plans that are not in use give way. What the caller lends does not
                            count. 0: 2^40 */
    uint32_t max_plans;  /**< shapes remembered, the least recently used one gives way; 0: 8 */
    /** Receives everything that cannot be run, one call each, before ob_session_create returns E_UNSUPPORTED: operators, and
     * element types and attributes, whatever the sizes are; and, for what only planning can judge, before ob_session_prepare or
     * ob_session_run does. May be NULL. */
    void (*unsupported)(void *context, const ob_unsupported *item);
    /** Receives every step after it ran; NULL (default): steps are not timed. */
    void (*trace)(void *context, const ob_trace_event *event);
    void *context; /**< of the callbacks */
    /** true: the memory of runs is the caller's, and no plan allocates any: work memory by ob_session_set_memory, results by
     * outputs[i].data. Results whose shapes depend on data (ob_session_memory.n_dynamic > 0), cells, and the bytes of string
     * elements that a run makes, come from the allocator all the same. false (default): the session allocates what the caller
     * does not give. */
    bool caller_memory;
    const ob_logger *logger; /**< copied; hears of this session. NULL (default): the model's, if it has one */
    /** Asked whether to go on: true ends the call at hand with E_CANCELLED. It is called with `context` by the thread that called
     * ob_session_create(), ob_session_prepare(), ob_session_run() or ob_worker_run(): before every step of a run or of planning,
     * while external data is read that cannot be mapped (every 16 MiB), and within long steps every few milliseconds; a step of
     * an operator from a library, or one that only moves elements, is never cut. Workers ask it from their threads, so with
     * workers it must be safe for several at once. It must not use the session. After E_CANCELLED the session, or the worker, can
     * be used as before; the memory of outputs that the caller gave has undefined contents. NULL (default): nobody is asked */
    bool (*cancelled)(void *context);
    uint64_t max_run_ns; /**< a call that takes longer than this many nanoseconds (CLOCK_MONOTONIC) ends with E_LIMIT, at the
                            places where `cancelled` is asked: creation, prepare and run, each for itself. 0: no limit */
    uint64_t max_output_bytes; /**< bytes of all outputs of a run together; E_LIMIT over it. 0: no limit of its own */
    uint64_t max_nodes;        /**< nodes when the model's functions are written out, over all graphs, known before any is
                                * written; 0: 2^17, and 16 for each node of the model and its functions */
    /** What is made of a shape or element type that the model declares for one of its results and that is wrong. false (default):
     * it is told to the logger as a warning when the session is made, and runs give what the operators give. true: E_SHAPE or
     * E_TYPE from ob_session_create(); E_CONDITION or E_SHAPE from a run where only its sizes, or its data, show it */
    bool strict_declarations;
    /** true: weights are used where they lie, as a device wants it that has them in its read-only memory. false (default):
     * kernels may hold them once more in a form of their own, made once for all plans and workers, which is faster; these bytes
     * are part of ob_session_memory.constant_bytes. The last bits of results may differ between the two. */
    bool constants_in_place;
    /** OB_NUMERICS_EXACT (default) or OB_NUMERICS_RELAXED; another value is E_ARGUMENT. A relaxed session loads OpenBLAS when it
     * is made, a copy for each thread and worker, at most 8, which nothing else in the process uses or sees; what the host
     * program does with its own keeps its settings. A copy takes some MiB that max_memory does not count, and 128 MiB of
     * addresses. Where there is none, or only one that computes with threads, the session computes as an exact one; the logger
     * hears which at OB_LOG_INFO. */
    ob_numerics numerics;
} ob_session_config;

/** Fills in the defaults named above. NULL is allowed and does nothing. */
OB_API void ob_session_config_init(ob_session_config *config);

/** Makes a session for `model`, which must outlive it and is not changed (weights stay borrowed or mapped, those that are not
 * aligned to their element type are copied). config may be NULL. Returns owned: ob_session_close(). A model whose input shapes
 * are all numbers is planned at once.
 *
 * Errors:
 * - E_UNSUPPORTED: operators, versions, types or attributes, all of them named to config->unsupported; the message lists the
 * first, and error->node is the first node. Inputs that are sparse tensors, sparse weights, threads without a pool, external data
 * that config does not allow.
 * - E_MODEL: an ill-formed graph.
 * - E_SHAPE, E_TYPE: with strict_declarations, a declared shape or type that is not what the operators give; value names it.
 * - E_NOT_FOUND: a size for a symbol that the model does not have.
 * - E_IO, E_FORMAT: external data that cannot be opened, lies outside the folder, has a second name (a hard link, which may lie
 * outside), or does not have the size of its tensor.
 * - E_LIMIT: over max_memory, max_nodes or max_run_ns; the message names which, and for memory what wanted how much.
 * - E_CANCELLED: config->cancelled said so.
 * - E_ARGUMENT: model or out NULL, a config that was not initialised, a thread count or size out of range, unknown numerics.
 * - E_MEMORY. */
OB_API ob_status ob_session_create(const ob_model *model, const ob_session_config *config, ob_session **out, ob_error *error);
/** What of the model a session could not run, without making one: operators and versions without a kernel, each kind once, nodes
 * of subgraphs and of functions that are called included. Element types and attributes that a kernel does not take show only when
 * sizes are planned.
 * - model: borrows; the operators of its nodes are looked up, so one thread per model.
 * - tell: called for each kind, in the order of the first nodes; may be NULL.
 *
 * Errors: E_UNSUPPORTED (at least one; the message lists the first), E_ARGUMENT (no model), E_MEMORY. */
OB_API ob_status ob_model_unsupported(ob_model *model, void (*tell)(void *context, const ob_unsupported *item), void *context,
                                      ob_error *error);
/** Frees the session and sets *session to NULL. NULL and *NULL are allowed. */
OB_API void ob_session_close(ob_session **session);

/* ---- What goes in and comes out ---- */

/** An input or output: the input as the model declares it, the output as it was inferred; sizes of inputs without a name are
 * symbols by place, "x[0]"; sizes given in the config stand in place of their symbols. Texts and dims live as long as the
 * session. */
typedef struct ob_session_value {
    const char *name;       /**< as in the file */
    ob_dtype dtype;         /**< OB_NONE: not declared and not inferred */
    ob_shape shape;         /**< of terms; rank OB_RANK_UNKNOWN when nothing is known */
    const char *shape_text; /**< "[N, 3, 224, 224]", "[x[0]]", "[...]" for an unknown rank */
    const ob_type *type;    /**< all of the type, never NULL: what is a sequence, an optional or a map, and of what */
} ob_session_value;

/** Inputs that a run takes. Inputs that have a default among the initializers are not counted: they are weights. */
OB_API size_t ob_session_input_count(const ob_session *session);
/** Outputs of the model. */
OB_API size_t ob_session_output_count(const ob_session *session);
/** Describes input `index`, in the order of ob_session_run(). Returns false, and leaves *out alone, when there is none. */
OB_API bool ob_session_input(const ob_session *session, size_t index, ob_session_value *out);
/** Describes output `index`. Returns false, and leaves *out alone, when there is none. */
OB_API bool ob_session_output(const ob_session *session, size_t index, ob_session_value *out);
/** The index of the input of that name. E_NOT_FOUND: there is none. */
OB_API ob_status ob_session_input_index(const ob_session *session, const char *name, size_t *index);
/** The index of the output of that name. E_NOT_FOUND: there is none. */
OB_API ob_status ob_session_output_index(const ob_session *session, const char *name, size_t *index);
/** The view of an input over memory of the caller's: `dtype` is the type of the elements that `data` points to, the sizes are
 * those that the model declares, contiguous. An input whose type the model leaves open takes any.
 * Errors: E_TYPE (the input has another type), and those of ob_session_input_view(). */
OB_API ob_status ob_session_typed_input_view(const ob_session *session, size_t index, ob_dtype dtype, void *data, ob_view *view,
                                             ob_error *error);
/** The view of an input as the model declares it: its type and sizes, contiguous, over `data`, which may be NULL: for
 * ob_session_prepare(), or to learn the type and size (ob_view_count()) before there is memory. It takes whatever lies at `data`
 * as elements of the declared type: where the program knows which type it has there, ob_session_typed_input_view() compares.
 * Errors: E_NOT_FOUND (no such index), E_TYPE (no declared type), E_SHAPE with axis (an unknown rank, or a size that is open:
 * ob_session_config.dims gives sizes to symbols), E_LIMIT, E_ARGUMENT (NULL). */
OB_API ob_status ob_session_input_view(const ob_session *session, size_t index, void *data, ob_view *view, ob_error *error);
/** The pool that the dims in ob_session_value belong to; a view, valid as long as the session. */
OB_API const ob_dims *ob_session_dims(const ob_session *session);

/* ---- Running ---- */

/** Plans for the shapes (and types and strides) of these inputs without running; data may be NULL where the model's shapes do not
 * depend on it. Takes the memory of the results too: afterwards a run with such inputs allocates nothing. Errors as
 * ob_session_run(). */
OB_API ob_status ob_session_prepare(ob_session *session, const ob_view *inputs, size_t n_inputs, ob_error *error);

/** Runs: what the model gives for these inputs.
 * - inputs: ob_session_input_count() views in that order, any strides, elements aligned to their size (at most 8 bytes); borrowed
 *   during the call.
 * - outputs: ob_session_output_count() views, or fewer when the later ones are not wanted; NULL with n_outputs 0.
 *   - data NULL: the session provides the memory, valid until its next run, prepare or close (with config->caller_memory:
 *     E_MEMORY, also for an output that is not wanted, unless it has no bytes or a shape that depends on data).
 *   - data not NULL: dtype, dims and contiguous strides must be those of the result; the result goes there, and the memory may
 *     serve for intermediate results before. It must not overlap an input.
 *
 * On success every outputs[i] is the result, contiguous. On failure outputs are as they were, the memory they point to may not
 * be.
 *
 * Errors:
 * - E_ARGUMENT: a count, NULL data, a view that is none, data that is not aligned; an index out of range in the data.
 * - E_SHAPE, E_TYPE: inputs that the model does not take, memory for an output that does not have its shape or type (both are
 *   named); operands inside the model that do not fit for these sizes.
 * - E_CONDITION: a condition of the model's shape contract is broken by these sizes, or its conditions contradict each other:
 * node, condition and sizes are named; nothing was computed. Sizes of inputs without a name are "x[0]".
 * - E_UNSUPPORTED: an element type or attribute that no kernel takes, found while planning.
 * - E_LIMIT: over max_memory, max_output_bytes or max_run_ns. E_CANCELLED: config->cancelled said so. E_MEMORY: the allocator, or
 * memory of the caller that is missing or too small. E_MODEL: an error of the model that only these sizes show. */
OB_API ob_status ob_session_run(ob_session *session, const ob_view *inputs, size_t n_inputs, ob_view *outputs, size_t n_outputs,
                                ob_error *error);

/** As ob_session_run(), of a model whose inputs or outputs may be sequences, optionals and maps (ob_session_value.type).
 * - inputs: of those that are tensors; of the others dtype is OB_NONE, as it is for ob_session_prepare().
 * - input_cells: a cell for each input that is no tensor, NULL for each that is one; may be NULL when all are tensors. Borrowed
 *   during the call. An optional without an element is a cell of kind OB_CELL_NONE.
 * - outputs: as there; where the result is no tensor, dtype becomes OB_NONE.
 * - output_cells: n_outputs places; receives the result where it is no tensor (an optional never is one), else NULL. These cells
 *   are the session's, valid until its next run, prepare or close: ob_cell_copy() keeps one for longer. May be NULL when all
 *   outputs are tensors.
 *
 * Errors: those of ob_session_run(); E_TYPE, E_SHAPE too for a cell that is not of the declared type, and for a run without
 * places for cells of a model that has such inputs or outputs; E_ARGUMENT for a cell that is missing, or given for a tensor. */
OB_API ob_status ob_session_run_cells(ob_session *session, const ob_view *inputs, const ob_cell *const *input_cells,
                                      size_t n_inputs, ob_view *outputs, const ob_cell **output_cells, size_t n_outputs,
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
    uint64_t constant_bytes; /**< folded constants, weights that had to be copied or unpacked (4- and 2-bit elements), and those
                                in a kernel's own form */
    uint64_t work_bytes;     /**< arena_bytes and scratch_bytes: what a block for ob_session_set_memory must hold */
    size_t work_alignment;   /**< of that block: 64 */
    uint64_t session_bytes;  /**< everything that the session has from its allocator: the model's copy, plans, blocks */
} ob_session_memory;

/** Fills *out; never fails. After ob_session_prepare, work_bytes is known before anything has run. */
OB_API void ob_session_get_memory(const ob_session *session, ob_session_memory *out);

/** Lends the session a block of n_bytes for intermediate results and scratch, or takes the last one back (block NULL, n_bytes
 * ignored). The block must be aligned to 64 bytes, must not overlap inputs, outputs or weights, and must stay until it is taken
 * back, another is lent or the session is closed; its content is undefined. It serves all plans, one run at a time: a run whose
 * plan needs more gives E_MEMORY with both sizes, and nothing is computed. What the session had allocated itself is freed.
 * Without a block the session allocates again, unless config->caller_memory. All plans of a session share one block anyway; it
 * grows when a plan needs more. Errors: E_ARGUMENT (alignment, no session). */
OB_API ob_status ob_session_set_memory(ob_session *session, void *block, size_t n_bytes, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
