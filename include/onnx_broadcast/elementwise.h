/** @defgroup elementwise Elementwise operators
 * @brief ONNX's elementwise operators on plain arrays, without a model.
 *
 * Includes every unary, binary, variadic, comparison, logical and bitwise operator, Where, Clip, Cast and PRelu, of every opset,
 * in every element type that ONNX lists for it (docs/operators.md). Operands are views, and a broadcast makes no copies. Source:
 * the ONNX specification of each operator in the given opset.
 *
 *     float a[6], b[3], c[6];
 *     ob_view in[2], out;
 *     ob_view_init(&in[0], a, OB_FLOAT, 2, (int64_t[]){2, 3});
 *     ob_view_init(&in[1], b, OB_FLOAT, 1, (int64_t[]){3});
 *     ob_view_init(&out, c, OB_FLOAT, 2, (int64_t[]){2, 3});
 *     ob_elementwise("Add", 0, in, 2, NULL, 0, &out, NULL);
 * @{ */
#ifndef ONNX_BROADCAST_ELEMENTWISE_H
#define ONNX_BROADCAST_ELEMENTWISE_H

#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/status.h"
#include "onnx_broadcast/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Selects the member of an ob_option with the value. */
typedef enum ob_option_kind {
    OB_OPTION_INT,  /**< integer */
    OB_OPTION_REAL, /**< real */
    OB_OPTION_TEXT  /**< text */
} ob_option_kind;

/** An attribute of the operator, with its ONNX name. Attributes that the operator does not have are ignored. All pointers are
 * borrowed during the call. */
typedef struct ob_option {
    const char *name;    /**< "alpha", "axis", "direction", "to" ... */
    ob_option_kind kind; /**< selects one of the members below */
    int64_t integer;     /**< "axis", "to" (an ob_dtype), "fmod" ... */
    float real;          /**< "alpha", "beta", "min" ... */
    const char *text;    /**< "direction", "approximate" ...; terminated by NUL */
} ob_option;

/** Infers shape and type of the output: *output becomes a contiguous view with data NULL. The data of the inputs is not read.
 * - op: operator type of domain ai.onnx, for example "Add".
 * - opset: version of the operator set that defines the operator; 0: the newest.
 * - inputs: dtype OB_NONE omits an optional input.
 * - options: n_options (at most 16) attributes; NULL with 0. Other attributes have ONNX's defaults.
 *
 * Errors: E_NOT_FOUND (no such elementwise operator in that opset), E_TYPE (the message names operand and type), E_SHAPE (with
 * axis), E_LIMIT (rank over OB_MAX_RANK, too many bytes), E_ARGUMENT (NULL, a number of inputs or options out of range).
 * Thread-safe. */
OB_API ob_status ob_elementwise_output(const char *op, int64_t opset, const ob_view *inputs, size_t n_inputs,
                                       const ob_option *options, size_t n_options, ob_view *output, ob_error *error);

/** Computes output = op(inputs...). The output must have the shape and type from ob_elementwise_output(). Its strides are
 * free, except that an axis larger than 1 must not have stride 0. The output may use the data of an input with the same shape,
 * element size and strides; otherwise it must not overlap an input. Memory is allocated only for more than three inputs, from
 * the default allocator. Thread-safe; computes in the calling thread.
 *
 * Errors: those of ob_elementwise_output(); E_TYPE and E_SHAPE also for the output, E_ARGUMENT for an output with stride 0,
 * E_UNSUPPORTED (Cast to string: use a plan), E_MODEL (an option with a value that the operator does not allow), E_FORMAT
 * (Cast of a string that is not a number), E_MEMORY. */
OB_API ob_status ob_elementwise(const char *op, int64_t opset, const ob_view *inputs, size_t n_inputs, const ob_option *options,
                                size_t n_options, const ob_view *output, ob_error *error);

/** An operator that is planned once for shapes, strides and types, and runs many times with different data. */
typedef struct ob_elementwise_plan ob_elementwise_plan;

/** Makes a plan; data is not read. Returns owned: ob_elementwise_destroy(). allocator NULL: the default. Other parameters and
 * errors as in ob_elementwise(). */
OB_API ob_status ob_elementwise_create(const char *op, int64_t opset, const ob_view *inputs, size_t n_inputs,
                                       const ob_option *options, size_t n_options, const ob_view *output,
                                       const ob_allocator *allocator, ob_elementwise_plan **plan, ob_error *error);
/** Runs a plan. Only the data pointers of the views are used; number and order of the inputs must be those of the plan.
 * Allocates no memory, with two exceptions. Cast to string: the strings live until the next run or the end of the plan, and
 * only one thread at a time may run such a plan. More than three inputs: any other plan can run in several threads at the same
 * time, and each run except one then takes some KiB from the default allocator while it runs.
 * Errors: E_ARGUMENT (NULL), E_FORMAT (Cast of a string that is not a number), E_MEMORY (Cast to string; more than three
 * inputs). */
OB_API ob_status ob_elementwise_run(ob_elementwise_plan *plan, const ob_view *inputs, const ob_view *output, ob_error *error);
/** Frees the plan and sets *plan to NULL. NULL and *NULL are allowed. */
OB_API void ob_elementwise_destroy(ob_elementwise_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
