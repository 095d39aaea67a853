/* The frame of a run: everything that a run changes. One for a session, one for each worker; a plan is only read.
 *
 * The plan has the places of tensors (buffer and offset) and the steps. The frame has the addresses of one run, the memory behind
 * them, and the temporary results of kernels. For runtime/ only. */
#ifndef OB_RUNTIME_FRAME_H
#define OB_RUNTIME_FRAME_H

#include "core/base/arena.h"
#include "onnx_broadcast/cell.h"
#include "onnx_broadcast/session.h"
#include "ops/kernel/kernel.h"
#include "runtime/memory.h"

struct ob_plan;
struct ob_step;

/* Memory of the allocator, `data` aligned to OB_ALIGNMENT; data NULL: none. */
typedef struct ob_memory {
    char *data;
    void *raw;
    uint64_t n_bytes;
} ob_memory;

/* The position in the active plan. */
typedef struct ob_frame_place {
    const struct ob_plan *plan; /* NULL: none */
    ob_view *views;             /* of the current step */
    char **bases;               /* by number of the buffer */
    ob_memory tables;           /* memory of views and bases */
    ob_memory work;
    char *lent; /* the caller's memory, used instead of `work`; NULL: none */
    uint64_t lent_bytes;
} ob_frame_place;

/* Memory of one level of nested parts. */
typedef struct ob_level {
    ob_frame_place at;
    ob_memory entries; /* views of the part's operands */
} ob_level;

typedef struct ob_frame {
    ob_session *session; /* model, constants and limits: a run only reads them */
    ob_allocator allocator;
    const ob_threads *threads;
    bool caller_memory;
    ob_frame_place at;
    ob_memory outputs;
    ob_view *results; /* of the last run, one for each graph output */
    ob_arena strings; /* bytes that kernels made for string elements in the last run */
    /* For steps whose shapes are known only during the run: */
    const ob_view **dynamic;        /* by value id: their results in the last run; NULL before there was such a plan */
    ob_cell **cells;                /* by value id: values that are not tensors, or tensors in a cell; allocated with `dynamic` */
    ob_arena dynamic_arena;         /* the views of these */
    ob_owned_memory *dynamic_owned; /* and their elements */
    ob_owned_memory *spare;         /* blocks of the run before, for these */
    ob_level *levels;               /* of parts; NULL before the first */
    uint32_t n_levels;              /* number of active parts */
} ob_frame;

/* allocator is copied. E_MEMORY leaves a frame that may be released. */
ob_status ob__frame_init(ob_frame *frame, ob_session *session, const ob_allocator *allocator, const ob_threads *threads,
                         bool caller_memory);
void ob__frame_release(ob_frame *frame);
/* Uses the caller's block as work memory; NULL: no longer. E_ARGUMENT if it is not aligned. */
ob_status ob__frame_lend(ob_frame *frame, void *block, size_t n_bytes, ob_error *error);
/* Allocates the memory for a run of the plan, except that given by the caller, so that a run allocates nothing. */
ob_status ob__frame_reserve(ob_frame *frame, const struct ob_plan *plan, ob_error *error);
/* Allocates memory for results without memory of the caller (E_MEMORY if the caller must give all memory), and tests the given
 * ones. */
ob_status ob__frame_reserve_outputs(ob_frame *frame, const struct ob_plan *plan, const ob_view *outputs, size_t n_outputs,
                                    ob_error *error);
/* The inputs and outputs of a run, as described for ob_session_run_cells(). */
typedef struct ob_run_data {
    const ob_view *inputs;
    const ob_cell *const *input_cells; /* NULL: all inputs are tensors */
    ob_view *outputs;
    const ob_cell **output_cells; /* NULL: all outputs must be tensors */
    size_t n_outputs;
} ob_run_data;
/* Runs the plan. Memory was reserved and the data were checked before. */
ob_status ob__frame_run(ob_frame *frame, const struct ob_plan *plan, const ob_run_data *data, ob_error *error);
/* Runs the steps of the plan and the part after them. */
ob_status ob__frame_steps(ob_frame *frame, const struct ob_plan *plan, const ob_run_data *data, ob_error *error);
/* Frees memory that only the last run needs: work memory, results. False: there was none. */
bool ob__frame_shrink(ob_frame *frame);
/* Call it before the plan is freed. */
void ob__frame_forget_plan(ob_frame *frame, const struct ob_plan *plan);

/* runtime/run/part.c */
void ob__release_levels(ob_frame *frame);
void ob__forget_in_levels(ob_frame *frame, const struct ob_plan *plan);

/* Allocates memory for empty views; false: no memory, and they stay empty. */
bool ob__memory_alloc(ob_memory *memory, const ob_allocator *allocator, uint64_t n_bytes);
void ob__memory_free(ob_memory *memory, const ob_allocator *allocator);

#endif
