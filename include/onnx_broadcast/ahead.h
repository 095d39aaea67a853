/** @defgroup ahead Ahead-of-time models
 * @brief The tables that ob_session_emit() writes, and the function that runs them.
 *
 * Only emitted files use this header. They link the library `onnx_broadcast_ahead`, which has the kernels and this function: no
 * file is read, nothing is allocated, no thread is started, and nothing is planned. The tables are constant, so they stay in
 * read-only memory.
 *
 * Threads: any number of calls may run the same tables at the same time, each with its own arena.
 * @{ */
#ifndef ONNX_BROADCAST_AHEAD_H
#define ONNX_BROADCAST_AHEAD_H

#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/status.h"
#include "onnx_broadcast/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The form of the tables. Emitted files refuse to compile with another one. */
#define OB_AHEAD_FORM 3

struct ob_kernel_args;

/** @cond */
#ifndef __cplusplus
_Static_assert(sizeof(ob_dtype) == sizeof(int), "tables have enumerations of the size of int: compile with -fno-short-enums");
#endif
/** @endcond */

/** What an ob_ahead_place counts from. */
enum {
    OB_AHEAD_ARENA,               /**< `at` bytes into the arena */
    OB_AHEAD_INPUT,               /**< input number `at` */
    OB_AHEAD_OUTPUT,              /**< output number `at` */
    OB_AHEAD_CONSTANT,            /**< constant number `at` */
    OB_AHEAD_NOWHERE = UINT16_MAX /**< in ob_ahead_value.place: the value has no memory */
};

/** A block of memory. */
typedef struct ob_ahead_place {
    uint32_t kind; /**< OB_AHEAD_ARENA ... */
    uint32_t at;   /**< see there */
} ob_ahead_place;

/** An operand or result of a step: a view without its address. */
typedef struct ob_ahead_value {
    uint16_t place; /**< number of its place; OB_AHEAD_NOWHERE */
    uint8_t dtype;  /**< an ob_dtype; OB_NONE: omitted */
    uint8_t rank;   /**< number of axes */
    int32_t offset; /**< bytes from the beginning of the place to element (0, ..., 0) */
    uint32_t sizes; /**< first entry of its dims, then its strides in bytes, in ob_ahead_plan.sizes */
} ob_ahead_value;

/** One call of a kernel. */
typedef struct ob_ahead_step {
    ob_status (*run)(const struct ob_kernel_args *args, ob_error *error); /**< of the kernel */
    const void *state;                                                    /**< what the kernel planned; NULL: nothing */
    const void *const *prepared;                                          /**< constants in the kernel's own form; NULL: none */
    uint32_t values;   /**< first entry of its operands, then its results, in ob_ahead_plan.values */
    uint16_t n_in;     /**< number of operands */
    uint16_t n_others; /**< of n_in, the last ones: those that only an epilogue reads */
    uint16_t n_out;    /**< number of results */
    uint32_t lane;     /**< where its lane memory begins, in bytes after the begin of scratch memory */
} ob_ahead_step;

/** In control steps, for a place: there is none. */
#define OB_AHEAD_NONE UINT32_MAX

/** An operand of a control step. */
typedef struct ob_ahead_at {
    int64_t offset; /**< bytes from the beginning of the place */
    uint32_t place; /**< number of its place; OB_AHEAD_NONE: omitted, or without elements */
} ob_ahead_at;

/** State that an iteration passes to the next: two areas take turns, and the first one is the result. */
typedef struct ob_ahead_carried {
    ob_ahead_at initial;  /**< contiguous elements */
    int64_t initial_step; /**< bytes between the initial states of a batch */
    int64_t n_bytes;      /**< of the state */
    uint32_t in;          /**< the place where the body reads it */
    uint32_t out;         /**< the place where the body writes it; OB_AHEAD_NONE: it stays as it is */
    uint32_t areas[2];    /**< places; the first has the states of the whole batch */
} ob_ahead_carried;

/** A value of which each iteration reads or writes a slice. */
typedef struct ob_ahead_sliced {
    ob_ahead_at whole;  /**< all slices */
    int64_t start;      /**< bytes to the slice of the first iteration */
    int64_t step;       /**< bytes between slices of two iterations */
    int64_t batch_step; /**< bytes between sequences of a batch */
    int64_t n_bytes;    /**< of a whole that is written */
    uint32_t slice;     /**< the place where the body reads or writes the slice */
} ob_ahead_sliced;

/** An If, Loop or Scan, as sessions execute it, too. The places of slices and states move between iterations. */
typedef struct ob_ahead_control {
    const ob_ahead_carried *carried; /**< the states */
    const ob_ahead_sliced *scanned;  /**< operands */
    const ob_ahead_sliced *stacked;  /**< results */
    uint32_t n_carried;              /**< entries of carried */
    uint32_t n_scanned;              /**< entries of scanned */
    uint32_t n_stacked;              /**< entries of stacked */
    uint32_t counter;      /**< the place where the body reads the number of the iteration; OB_AHEAD_NONE: it does not */
    ob_ahead_at condition; /**< a bool; omitted: true */
    ob_ahead_at trips;     /**< an int64, the number of iterations; omitted: n_trips */
    ob_ahead_at lengths;   /**< an int64 for each sequence of a batch; omitted: n_trips each */
    ob_ahead_at again;     /**< a bool of the body: it runs again; omitted: true */
    int64_t n_trips;       /**< the most iterations */
    int64_t n_batches;     /**< sequences of a batch; 1: no batch */
    uint32_t is_loop;      /**< 0: an If */
    uint32_t bodies[3];    /**< in ob_ahead_plan.steps: the first step of the body or of the branch for true; of the
                                branch for false; behind it. Sessions do not use them */
} ob_ahead_control;

/** A conversion of elements that kernels ask for while they run. */
typedef struct ob_ahead_conversion {
    uint8_t from;           /**< an ob_dtype */
    uint8_t to;             /**< an ob_dtype */
    uint8_t n_steps;        /**< 1, or 2 through float */
    void (*steps[2])(void); /**< functions of the library; NULL: none */
} ob_ahead_conversion;

/** A plan for some sizes. */
typedef struct ob_ahead_plan {
    const ob_ahead_step *steps;             /**< in order, then those of bodies of control steps */
    const ob_ahead_value *values;           /**< of all steps */
    const int32_t *sizes;                   /**< of all values */
    const ob_ahead_place *places;           /**< of all values */
    const void *const *constants;           /**< in read-only memory */
    const ob_ahead_conversion *conversions; /**< of all steps */
    uint32_t n_steps;                       /**< those that are not in a body */
    uint32_t n_places;                      /**< entries of places */
    uint32_t n_conversions;                 /**< entries of conversions */
    uint32_t n_inputs;                      /**< inputs of the model */
    uint32_t n_outputs;                     /**< outputs of the model */
    uint32_t scratch;                       /**< where scratch memory begins in the arena, in bytes */
    uint32_t align;                         /**< of the arena, in bytes: a power of two */
} ob_ahead_plan;

/** Runs the steps.
 * - inputs, outputs: contiguous elements of each input and output, with the shapes of the plan, aligned as their type; none is
 *   NULL unless it has no elements. An output may not overlap an input.
 * - arena: the bytes that the emitted header states, aligned to plan->align. Its contents before and after the call have no
 *   meaning.
 * - views, bases: room for the operands and results of the largest step, and for plan->n_places addresses.
 *
 * Errors: E_ARGUMENT (NULL, memory that is not aligned), and those of kernels that depend on elements, such as E_ARGUMENT for an
 * index outside its axis. Outputs have undefined contents then. */
ob_status ob_ahead_run(const ob_ahead_plan *plan, const void *const *inputs, void *const *outputs, void *arena, ob_view *views,
                       char **bases);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
