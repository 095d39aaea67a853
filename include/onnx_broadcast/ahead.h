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
#define OB_AHEAD_FORM 1

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

/** A conversion of elements that kernels ask for while they run. */
typedef struct ob_ahead_conversion {
    uint8_t from;           /**< an ob_dtype */
    uint8_t to;             /**< an ob_dtype */
    uint8_t n_steps;        /**< 1, or 2 through float */
    void (*steps[2])(void); /**< functions of the library; NULL: none */
} ob_ahead_conversion;

/** A plan for some sizes. */
typedef struct ob_ahead_plan {
    const ob_ahead_step *steps;             /**< in order */
    const ob_ahead_value *values;           /**< of all steps */
    const int32_t *sizes;                   /**< of all values */
    const ob_ahead_place *places;           /**< of all values */
    const void *const *constants;           /**< in read-only memory */
    const ob_ahead_conversion *conversions; /**< of all steps */
    uint32_t n_steps;                       /**< entries of steps */
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
