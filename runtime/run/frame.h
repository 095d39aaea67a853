/* The frame of a run: everything that a run changes. One for a session, one for each worker; a plan is only read.
 *
 * The plan says where tensors lie (buffer and offset) and which kernel reads which; the frame holds the addresses that this
 * means in one run, the memory behind them, and what kernels make on the way. For runtime/ only. */
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

/* Where the plan at work is. */
typedef struct ob_frame_place {
    const struct ob_plan *plan; /* NULL: none */
    ob_view *views;             /* of the step at hand */
    char **bases;               /* by number of the buffer */
    ob_memory tables;           /* holds views and bases */
    ob_memory work;
    char *lent; /* the caller's memory, which stands for `work`; NULL: none */
    uint64_t lent_bytes;
} ob_frame_place;

/* Memory of the n-th part within another. */
typedef struct ob_level {
    ob_frame_place at;
    ob_memory entries; /* views of what the part reads */
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
    /* Steps whose shapes only the run can tell: */
    const ob_view **dynamic;        /* by value id: their results in the last run; NULL before there was such a plan */
    ob_cell **cells;                /* by value id: those that are no tensors, or lie in a cell; allocated with `dynamic` */
    ob_arena dynamic_arena;         /* the views of these */
    ob_owned_memory *dynamic_owned; /* and their elements */
    ob_level *levels;               /* of parts; NULL before the first */
    uint32_t n_levels;              /* parts at work */
} ob_frame;

/* allocator is copied. E_MEMORY leaves a frame that may be released. */
ob_status ob__frame_init(ob_frame *frame, ob_session *session, const ob_allocator *allocator, const ob_threads *threads,
                         bool caller_memory);
void ob__frame_release(ob_frame *frame);
/* Takes the caller's block for work memory, or gives it up (NULL). E_ARGUMENT when it is not aligned. */
ob_status ob__frame_lend(ob_frame *frame, void *block, size_t n_bytes, ob_error *error);
/* Gets the memory that a run of the plan needs (but for what the caller gives), so that running allocates nothing. */
ob_status ob__frame_reserve(ob_frame *frame, const struct ob_plan *plan, ob_error *error);
/* Memory for the results that the caller gives none for, E_MEMORY when all must be given. Checks those that are. */
ob_status ob__frame_reserve_outputs(ob_frame *frame, const struct ob_plan *plan, const ob_view *outputs, size_t n_outputs,
                                    ob_error *error);
/* What goes into a run and comes out of it, as ob_session_run_cells() describes it. */
typedef struct ob_run_data {
    const ob_view *inputs;
    const ob_cell *const *input_cells; /* NULL: all inputs are tensors */
    ob_view *outputs;
    const ob_cell **output_cells; /* NULL: all outputs must be tensors */
    size_t n_outputs;
} ob_run_data;
/* Runs the plan, for which memory was reserved; the data were checked before. */
ob_status ob__frame_run(ob_frame *frame, const struct ob_plan *plan, const ob_run_data *data, ob_error *error);
/* The steps of the plan, and what follows them. */
ob_status ob__frame_steps(ob_frame *frame, const struct ob_plan *plan, const ob_run_data *data, ob_error *error);
/* Gives back what only the last run needs: work memory, results. False: there was nothing. */
bool ob__frame_shrink(ob_frame *frame);
/* The plan is about to go. */
void ob__frame_forget_plan(ob_frame *frame, const struct ob_plan *plan);

/* runtime/run/part.c */
void ob__release_levels(ob_frame *frame);
void ob__forget_in_levels(ob_frame *frame, const struct ob_plan *plan);

/* What is empty gets memory, or stays empty: false. */
bool ob__memory_alloc(ob_memory *memory, const ob_allocator *allocator, uint64_t n_bytes);
void ob__memory_free(ob_memory *memory, const ob_allocator *allocator);

#endif
