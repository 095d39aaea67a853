/** @defgroup session Sessions
 * @brief Runs a model.
 *
 * A session makes a plan for the concrete shapes of its inputs, and then runs it many times. The plan resolves the loops of
 * operators, uses views instead of copies, and places every tensor at a fixed offset in one block of work memory. All plans of a
 * session share this block. A run with shapes that already have a plan allocates no memory. There are three exceptions: models
 * with results whose size depends on data (NonZero and similar operators), models that make strings, and models with values that
 * are not tensors (ob_session_run_cells()).
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
 * Stack of the calling thread: creating a session takes at most 32 KiB, preparing and running it at most 16 KiB, unless another
 * library computes an operator (docs/embedding.md). Threads that the session starts have stacks of 1 MiB.
 *
 * Threads: any number of sessions may run at the same time, including sessions of the same model. Only one thread at a time may
 * use a session. With workers (worker.h), several threads can run one plan of a session.
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

/** A model with its plans and the memory of these plans. */
typedef struct ob_session ob_session;

/** A part of the model that this build cannot run. The texts are valid only during the call. */
typedef struct ob_unsupported {
    const char *domain;  /**< domain of the operator; "" is ai.onnx */
    const char *op_type; /**< type of the operator; "" when the problem is not an operator */
    int64_t opset;       /**< imported version of the domain; 0 when the model does not import the domain */
    const char *node;    /**< name of the first such node; "" when it has no name */
    size_t n_nodes;      /**< number of such nodes */
    const char *reason;  /**< one sentence */
} ob_unsupported;

/** One executed step. The texts live as long as the session. */
typedef struct ob_trace_event {
    const char *node;      /**< node name; "" when the node has no name; "scale+shift" for nodes that are computed together */
    const char *op_type;   /**< operator type; "Mul+Add" likewise; "copy" for a step that the planner added */
    const char *kernel;    /**< kernel that computed the step: "binary", "matmul", "copy" ... */
    uint64_t start_ns;     /**< start time in nanoseconds (CLOCK_MONOTONIC) */
    uint64_t duration_ns;  /**< duration of this step in nanoseconds */
    const ob_view *output; /**< the first result, valid during the call; or NULL */
    size_t n_bytes;        /**< bytes of all results */
} ob_trace_event;

/** How sums and products of floats and doubles are computed. All other results are the same in both modes. */
typedef enum ob_numerics {
    /** Only the library's own kernels compute. Every promise about bits holds (docs/numerics.md). */
    OB_NUMERICS_EXACT = 0,
    /** Sums may use another order, and other libraries may compute, where this is faster. OpenBLAS multiplies large matrices
     * (MatMul, Gemm, Einsum) where the build and the machine have it. Convolutions of floats, 3 x 3 with stride 1 and constant
     * weights, use Winograd's F(2 x 2, 3 x 3). Products of dequantized bytes that are quantized again are computed with
     * integers. docs/numerics.md states a bound for each. The bits of results are the same for
     * every number of threads, in workers and from run to run. They may differ between processors and between versions of
     * OpenBLAS. */
    OB_NUMERICS_RELAXED = 1
} ob_numerics;

/** Settings of a session. Always start from ob_session_config_init(). */
typedef struct ob_session_config {
    size_t struct_bytes;           /**< set by ob_session_config_init() */
    const ob_allocator *allocator; /**< allocator of the session, its plans and results; NULL: the default */
    /** Number of threads, at most 1024. 0 or 1 (default): only the calling thread computes. More: the session has its own thread
     * pool. The pool, including the calling thread, has at most ob_machine_processors() threads. It is smaller when the system
     * cannot start all of them; the logger then receives a warning. E_UNSUPPORTED in a build without threads. Pool threads poll
     * for work for 0.1 ms, and sleep after the call or, when calls follow each other closely, 0.1 ms after it. Signals are
     * blocked in them. In a child process of fork(), the session continues with only the calling thread. The bits of results are
     * the same for every number of threads, and in workers. With `share` no pool is started. */
    int n_threads;
    /** Threads of the host program, in place of a pool of the session's own. It calls part(work, i) once for each i below
     * n_parts, in any order and in any threads, and returns when all calls have returned. n_parts is at most n_threads, which
     * may be more than the host has threads. `pool` is share_pool, or that of a worker. Parts call no function of this
     * library's API. NULL (default): none. The bits of results do not depend on it */
    void (*share)(void *pool, void (*part)(void *work, size_t index), size_t n_parts, void *work);
    void *share_pool; /**< passed to `share` in runs of the session */
    /** true (default): fold constants, remove unused nodes, compute in place. The bits of results do not change */
    bool optimize;
    /** true (default): the model may have weights in other files, but only in external_folder and below. These files are mapped,
     * and the rule for changes to the model's file applies to them too (ob_model_load()). Weights are read instead when their
     * elements are packed or not aligned to the element type, and when mapping is not possible. */
    bool external_data;
    const char *external_folder; /**< NULL: the folder of the model's file. Borrowed during ob_session_create() */
    const ob_named_size *dims;   /**< sizes of symbolic dimensions; borrowed during ob_session_create() */
    size_t n_dims;               /**< number of entries in dims */
    /** Bytes that the session and its workers may hold from their allocators at any time: the copy of the model, weights that
     * are copied or read, folded constants, plans, work memory, scratch memory, results. Constants that do not fit are not
     * folded. Plans that are not in use are freed when memory is short. Memory that the caller lends does not count. 0: 2^40 */
    uint64_t max_memory;
    uint32_t max_plans; /**< number of plans that the session keeps; the least recently used one is freed first. 0: 8 */
    /** Receives each problem that makes a run impossible, one call for each, before the function returns E_UNSUPPORTED.
     * ob_session_create() reports operators, and element types and attributes that no sizes make valid. ob_session_prepare() and
     * ob_session_run() report the problems that only planning finds. May be NULL. */
    void (*unsupported)(void *context, const ob_unsupported *item);
    /** Receives every step after it ran. NULL (default): steps are not timed. */
    void (*trace)(void *context, const ob_trace_event *event);
    void *context; /**< passed to the callbacks */
    /** true: the caller provides the memory of runs, and plans allocate none: work memory with ob_session_set_memory(), results
     * with outputs[i].data. Three kinds of memory still come from the allocator: results whose shapes depend on data
     * (ob_session_memory.n_dynamic > 0), cells, and the bytes of string elements that a run creates. false (default): the session
     * allocates all memory that the caller does not provide. */
    bool caller_memory;
    const ob_logger *logger; /**< copied; receives the log messages of this session. NULL (default): the model's logger, if any */
    /** Returns true to cancel the current call, which then ends with E_CANCELLED. Called with `context` by the thread that called
     * ob_session_create(), ob_session_prepare(), ob_session_run() or ob_worker_run(): before every step of a run or of planning,
     * every 16 MiB while external data is read that cannot be mapped, and every few milliseconds within long steps. A step is
     * never interrupted when an operator library computes it or when it only moves elements. Workers call it from their threads,
     * so with workers it must be thread-safe. It must not use the session. After E_CANCELLED the session or the worker can still
     * be used; memory for outputs that the caller provided has undefined contents. NULL (default): calls cannot be cancelled */
    bool (*cancelled)(void *context);
    /** Time limit in nanoseconds (CLOCK_MONOTONIC) of each call: create, prepare or run. The time is checked at the places where
     * `cancelled` is called. Over the limit: E_LIMIT. 0: no limit */
    uint64_t max_run_ns;
    uint64_t max_output_bytes; /**< bytes of all outputs of a run together; over the limit: E_LIMIT. 0: no separate limit */
    /** Number of nodes in all graphs after the model's functions are inlined. It is computed before any function is inlined. Over
     * the limit: E_LIMIT. 0: 2^17 plus 16 for each node of the model and its functions */
    uint64_t max_nodes;
    /** Treatment of a wrong shape or element type that the model declares for one of its results. false (default): the logger
     * receives a warning when the session is created, and runs return the results of the operators. true: ob_session_create()
     * returns E_SHAPE or E_TYPE. When only the sizes or the data of a run show the error, the run returns E_CONDITION or E_SHAPE
     */
    bool strict_declarations;
    /** true: kernels read weights from their original place, for example from the read-only memory of a device. false (default):
     * kernels may keep a second copy of weights in their own layout, which is faster. The copy is made once for all plans and
     * workers, and its bytes count in ob_session_memory.constant_bytes. The last bits of results may differ between the two. */
    bool constants_in_place;
    /** OB_NUMERICS_EXACT (default) or OB_NUMERICS_RELAXED; another value is E_ARGUMENT. ob_session_create() loads OpenBLAS for a
     * relaxed session: a private copy for each thread and worker, at most 8. Nothing else in the process uses or sees these
     * copies, and the host program's own OpenBLAS keeps its settings. Each copy takes some MiB of memory, which max_memory does
     * not count, and 128 MiB of address space. Without OpenBLAS, or when OpenBLAS itself computes with threads, products are
     * those of an exact session. The logger receives the choice at OB_LOG_INFO. */
    ob_numerics numerics;
    /** true: plans are for ob_session_emit(), for any processor: they do without code that only some processors have. Runs give
     * the same bits, and may be slower. false (default) */
    bool ahead_of_time;
    bool note_loops; /**< true: planning notes the loops that it takes, for ob_session_each_loop(). false (default) */
} ob_session_config;

/** Sets the defaults that are given above. NULL is allowed and does nothing. */
OB_API void ob_session_config_init(ob_session_config *config);

/** Creates a session for `model`. The model must outlive the session and is not changed. The session borrows or maps the weights;
 * it copies weights that are not aligned to their element type. config may be NULL. Returns owned: ob_session_close(). When all
 * input shapes are numbers, the plan is made at once.
 *
 * Errors:
 * - E_UNSUPPORTED: operators, versions, types or attributes that this build cannot run. config->unsupported receives all of them;
 * the message lists the first ones, and error->node is the first node. Also: inputs that are sparse tensors, sparse weights,
 * threads in a build without threads, external data that config does not allow.
 * - E_MODEL: an ill-formed graph.
 * - E_SHAPE, E_TYPE: with strict_declarations, a declared shape or type that differs from the result of the operator;
 * error->value names the result.
 * - E_NOT_FOUND: a size for a symbol that the model does not have.
 * - E_IO, E_FORMAT: external data that cannot be opened, is outside the folder, has a second name (a hard link, which may be
 * outside the folder), or does not have the size of its tensor.
 * - E_LIMIT: over max_memory, max_nodes or max_run_ns. The message names the limit, and for memory the purpose and the size.
 * - E_CANCELLED: config->cancelled returned true.
 * - E_ARGUMENT: model or out is NULL, config was not initialised, a thread count or size is out of range, unknown numerics.
 * - E_MEMORY. */
OB_API ob_status ob_session_create(const ob_model *model, const ob_session_config *config, ob_session **out, ob_error *error);
/** Lists the operators and versions of the model that have no kernel, without creating a session. Each kind is listed once. Nodes
 * of subgraphs and of called functions are included. Element types and attributes that a kernel does not support are not listed:
 * they show only when sizes are planned.
 * - model: borrows; looks up the operators of its nodes, so only one thread at a time may use the model.
 * - tell: called for each kind, in the order of the first nodes; may be NULL.
 *
 * Errors: E_UNSUPPORTED (at least one kind; the message lists the first ones), E_ARGUMENT (model is NULL), E_MEMORY. */
OB_API ob_status ob_model_unsupported(ob_model *model, void (*tell)(void *context, const ob_unsupported *item), void *context,
                                      ob_error *error);
/** Frees the session and sets *session to NULL. NULL and *NULL are allowed. */
OB_API void ob_session_close(ob_session **session);

/* ---- Inputs and outputs ---- */

/** An input or output. An input has its declared type and shape, an output the inferred ones. An input size without a name is a
 * symbol with the name of its place: "x[0]". Sizes in ob_session_config.dims replace their symbols. Texts and dims live as long
 * as the session. */
typedef struct ob_session_value {
    const char *name;       /**< as in the file */
    ob_dtype dtype;         /**< OB_NONE: neither declared nor inferred */
    ob_shape shape;         /**< sizes are constants or terms; rank OB_RANK_UNKNOWN when nothing is known */
    const char *shape_text; /**< "[N, 3, 224, 224]", "[x[0]]", "[...]" for an unknown rank */
    const ob_type *type;    /**< the complete type, including sequence, optional and map types; never NULL */
} ob_session_value;

/** Number of inputs of a run. Inputs with a default value among the initializers do not count: they are weights. */
OB_API size_t ob_session_input_count(const ob_session *session);
/** Number of outputs of the model. */
OB_API size_t ob_session_output_count(const ob_session *session);
/** Describes input `index`, in the order of ob_session_run(). Returns false and does not change *out when `index` is out of
 * range. */
OB_API bool ob_session_input(const ob_session *session, size_t index, ob_session_value *out);
/** Describes output `index`. Returns false and does not change *out when `index` is out of range. */
OB_API bool ob_session_output(const ob_session *session, size_t index, ob_session_value *out);
/** Finds the index of an input by name. E_NOT_FOUND: no input has this name. */
OB_API ob_status ob_session_input_index(const ob_session *session, const char *name, size_t *index);
/** Finds the index of an output by name. E_NOT_FOUND: no output has this name. */
OB_API ob_status ob_session_output_index(const ob_session *session, const char *name, size_t *index);
/** Makes a contiguous view of input `index` over the caller's memory. The sizes are the declared ones. `dtype` is the type of the
 * elements at `data`. An input without a declared type accepts any type.
 * Errors: E_TYPE (the input has another type), and those of ob_session_input_view(). */
OB_API ob_status ob_session_typed_input_view(const ob_session *session, size_t index, ob_dtype dtype, void *data, ob_view *view,
                                             ob_error *error);
/** Makes a contiguous view of input `index` over `data`, with the declared type and sizes. `data` may be NULL: for
 * ob_session_prepare(), or to get the type and the number of elements (ob_view_count()) before memory is allocated. The bytes at
 * `data` are taken as elements of the declared type without a check; ob_session_typed_input_view() checks the type.
 * Errors: E_NOT_FOUND (index out of range), E_TYPE (no declared type), E_SHAPE with axis (unknown rank, or a symbolic size:
 * ob_session_config.dims gives sizes to symbols), E_LIMIT, E_ARGUMENT (NULL). */
OB_API ob_status ob_session_input_view(const ob_session *session, size_t index, void *data, ob_view *view, ob_error *error);
/** The pool of the dims in ob_session_value; a view, valid as long as the session. */
OB_API const ob_dims *ob_session_dims(const ob_session *session);

/* ---- Running ---- */

/** Makes the plan for the shapes, types and strides of these inputs, without running it. data may be NULL where the model's
 * shapes do not depend on it. Also allocates the memory of the results: a later run with such inputs allocates no memory, with
 * the exceptions at the top of this page. Errors as ob_session_run(). */
OB_API ob_status ob_session_prepare(ob_session *session, const ob_view *inputs, size_t n_inputs, ob_error *error);

/** Computes the outputs of the model for these inputs.
 * - inputs: ob_session_input_count() views in that order, with any strides, elements aligned to their size (at most 8 bytes);
 *   borrowed during the call.
 * - outputs: ob_session_output_count() views, or fewer when the last ones are not needed; NULL with n_outputs 0.
 *   - data NULL: the session provides the memory, valid until its next run, prepare or close. With config->caller_memory this is
 *     E_MEMORY, also for an output that is not needed, unless the output has no bytes or its shape depends on data.
 *   - data not NULL: dtype, dims and contiguous strides must be those of the result. The result is written there. The memory may
 *     hold intermediate results before that. It must not overlap an input.
 *
 * On success every outputs[i] is the result, contiguous. On failure the views in outputs are unchanged; the memory at their data
 * may be changed.
 *
 * Errors:
 * - E_ARGUMENT: a wrong count, NULL data, an invalid view, data that is not aligned; an index in the data that is out of range.
 * - E_SHAPE, E_TYPE: inputs that do not fit the model, memory for an output with another shape or type than the result (the
 *   message names both); operands inside the model that do not fit for these sizes.
 * - E_CONDITION: these sizes break a condition of the model's shape contract, or its conditions contradict each other. The
 * message names node, condition and sizes; nothing was computed. Sizes of inputs without a name are "x[0]".
 * - E_UNSUPPORTED: an element type or attribute that no kernel supports, found during planning.
 * - E_LIMIT: over max_memory, max_output_bytes or max_run_ns.
 * - E_CANCELLED: config->cancelled returned true.
 * - E_MEMORY: the allocator failed, or memory of the caller is missing or too small.
 * - E_MODEL: an error of the model that shows only with these sizes. */
OB_API ob_status ob_session_run(ob_session *session, const ob_view *inputs, size_t n_inputs, ob_view *outputs, size_t n_outputs,
                                ob_error *error);

/** Like ob_session_run(), for a model whose inputs or outputs may be sequences, optionals and maps (ob_session_value.type).
 * - inputs: views of the inputs that are tensors. For all others dtype is OB_NONE, also in ob_session_prepare().
 * - input_cells: one entry for each input: a cell when the input is not a tensor, NULL when it is one. May be NULL when all
 * inputs are tensors. Borrowed during the call. An optional without an element is a cell of kind OB_CELL_NONE.
 * - outputs: as in ob_session_run(). Where the result is not a tensor, dtype becomes OB_NONE.
 * - output_cells: n_outputs entries. Receives the result where it is not a tensor (an optional is never a tensor), otherwise
 * NULL. The session owns these cells. They are valid until its next run, prepare or close; ob_cell_copy() keeps one for longer.
 * May be NULL when all outputs are tensors.
 *
 * Errors: those of ob_session_run(). E_TYPE, E_SHAPE also for a cell that does not have the declared type, and when the model has
 * such inputs or outputs but no array for cells is given. E_ARGUMENT for a missing cell, or for a cell given for a tensor. */
OB_API ob_status ob_session_run_cells(ob_session *session, const ob_view *inputs, const ob_cell *const *input_cells,
                                      size_t n_inputs, ob_view *outputs, const ob_cell **output_cells, size_t n_outputs,
                                      ob_error *error);

/** Facts about the plan that was used last. All are zero before the first plan. */
typedef struct ob_session_memory {
    size_t n_steps;          /**< kernels and copies that a run executes */
    size_t n_views;          /**< results that are views, without computing or copying */
    size_t n_folded;         /**< nodes computed while planning */
    size_t n_in_place;       /**< results that share the memory of operands */
    size_t n_dynamic;        /**< steps whose shapes are known only while the run executes */
    size_t n_plans;          /**< plans that the session keeps */
    uint64_t arena_bytes;    /**< bytes of intermediate results */
    uint64_t output_bytes;   /**< bytes of results whose memory the session provides */
    uint64_t scratch_bytes;  /**< bytes of scratch memory of kernels, shared by all steps */
    uint64_t constant_bytes; /**< bytes of folded constants, of weights that were copied or unpacked (4- and 2-bit elements), and
                                of weights in a kernel's own layout */
    uint64_t work_bytes;     /**< arena_bytes plus scratch_bytes: the minimum size of a block for ob_session_set_memory() */
    size_t work_alignment;   /**< alignment of that block: 64 */
    uint64_t session_bytes;  /**< all memory that the session holds from its allocator: the copy of the model, plans, blocks */
} ob_session_memory;

/** Tells how large the buffer of ob_fixed_allocator() has to be for a session of this model: with exactly *n_bytes, aligned to 16
 * bytes, the session is created, planned and run for these inputs. It makes such a session in growing buffers from
 * config->allocator (NULL: the default), which it frees again; the figure includes what the buffer's allocator needs and the gaps
 * that it leaves. The memory of the model, of workers, and what the caller lends does not count. A machine with another width of
 * pointers, another instruction-set level or another build needs another buffer.
 * - config: as for ob_session_create(), with one thread; NULL: the defaults. Its callbacks are called.
 * - inputs: as for ob_session_prepare(). With data in all of them the session also runs, three times. NULL with n_inputs 0: the
 *   declared sizes, which config->dims completes.
 *
 * Errors: those of ob_session_create() and ob_session_run(). E_ARGUMENT: several threads; inputs without data for a model whose
 * runs allocate (the exceptions at the top of this page), because the data decide how much. E_UNSUPPORTED: such a model with
 * caller_memory; inputs that are not tensors. E_MEMORY: no buffer is large enough. */
OB_API ob_status ob_session_memory_bytes(const ob_model *model, const ob_session_config *config, const ob_view *inputs,
                                         size_t n_inputs, size_t *n_bytes, ob_error *error);

/** Fills *out; never fails. After ob_session_prepare() work_bytes is known, also before the first run. */
OB_API void ob_session_get_memory(const ob_session *session, ob_session_memory *out);

/** A step of a plan, in the order of execution. Pointers are valid during the call that gets it. */
typedef struct ob_step_info {
    const char *nodes;      /**< label of the node (its name, or its results'); "a+b" for nodes that are computed together */
    const char *op_type;    /**< operator type; "Mul+Add" likewise; "copy" for a step that the planner added */
    const char *kernel;     /**< kernel, as in ob_trace_event; "subgraphs" for If, Loop and Scan, "dynamic" for a node that is
                                 planned during each run */
    const char *level;      /**< instruction-set level of the kernels: "baseline", "avx2", "avx512", "neon", "rvv" */
    const ob_view *output;  /**< type and sizes of the first result, without data; NULL: known only during a run */
    uint64_t read_bytes;    /**< bytes of the operands, each element counted once: those of a broadcast operand are few */
    uint64_t written_bytes; /**< bytes of the results */
    bool in_place;          /**< the first result is in the memory of its operand, or of all operands side by side */
    unsigned depth;         /**< number of subgraphs around the step; 0 in the main graph */
} ob_step_info;

/** Calls `visit` for each step of the plan that the last run or ob_session_prepare() used. Values that are views of others and
 * results that were computed in advance have no step. It must not use the session. E_ARGUMENT: there is no plan yet. */
OB_API ob_status ob_session_each_step(const ob_session *session, void (*visit)(void *context, const ob_step_info *step),
                                      void *context, ob_error *error);

/** An operator that a session needs. */
typedef struct ob_operator_use {
    const char *domain; /**< "ai.onnx" for the standard domain; static */
    const char *name;   /**< operator type; static */
    int since;          /**< the version of the operator: the first opset with it */
    uint64_t types; /**< element types of its operands and results, one bit for each ob_dtype number; 0: not known, or nodes of
                         it were replaced */
} ob_operator_use;

/** Calls `visit` for each operator of the library's table that the session needs: those of the model, of bodies that define
 * operators, and of nodes that replace others; in the order of the table. A build with these operators only (OB_OPS) makes the
 * same session. E_ARGUMENT, E_MEMORY. */
OB_API ob_status ob_session_each_operator(const ob_session *session, void (*visit)(void *context, const ob_operator_use *use),
                                          void *context, ob_error *error);

/** Calls `visit` for each loop that plans of the session have taken so far, or several that are taken together, by its name in
 * OB_OPS, which is static; in the order in which they were first taken. A build with these loops only makes the same plans at
 * this instruction-set level, and results have the same bits. Call it after ob_session_prepare(), or after a run when steps are
 * planned only while it executes (ob_session_memory.n_dynamic > 0).
 *
 * E_ARGUMENT: ob_session_config.note_loops is not set; session or visit is NULL. */
OB_API ob_status ob_session_each_loop(const ob_session *session, void (*visit)(void *context, const char *name), void *context,
                                      ob_error *error);

/** Lends the session a block of n_bytes for intermediate results and scratch memory. With block NULL it takes the last block
 * back; n_bytes is then ignored. The block must be aligned to 64 bytes and must not overlap inputs, outputs or weights. It must
 * stay valid until the caller takes it back, lends another one or closes the session. Its contents are undefined. All plans use
 * the block, one run at a time. When a plan needs more, the run returns E_MEMORY with both sizes in the message, and nothing is
 * computed. The session frees its own block. Without a lent block the session allocates one again, unless config->caller_memory
 * is set; all plans share it, and it grows when a plan needs more. Errors: E_ARGUMENT (alignment, session is NULL). */
OB_API ob_status ob_session_set_memory(ob_session *session, void *block, size_t n_bytes, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
