/** @defgroup elementwise Elementwise operators
 * @brief ONNX's elementwise operators on plain arrays, without a model.
 *
 * Every unary, binary, variadic, comparison, logical and bitwise operator, Where, Clip, Cast, PRelu, of every opset, in every
 * element type that ONNX lists for it (docs/operators.md). Operands are views: they broadcast in place. Source: the
 * ONNX text of each operator in the opset that is asked for.
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

/** Which member of an ob_option holds its value. */
typedef enum ob_option_kind {
    OB_OPTION_INT,  /**< integer */
    OB_OPTION_REAL, /**< real */
    OB_OPTION_TEXT  /**< text */
} ob_option_kind;

/** An attribute of the operator, as ONNX names them; those that the operator does not have are without effect. All pointers
 * borrow for the call. */
typedef struct ob_option {
    const char *name;    /**< "alpha", "axis", "direction", "to" ... */
    ob_option_kind kind; /**< which of the following counts */
    int64_t integer;     /**< "axis", "to" (an ob_dtype), "fmod" ... */
    float real;          /**< "alpha", "beta", "min" ... */
    const char *text;    /**< "direction", "approximate" ...; terminated */
} ob_option;

/** What the operator gives for these inputs: *output becomes a contiguous view with data NULL. Data pointers are not looked at.
 * - op: operator type of domain ai.onnx, "Add". opset: the version that its meaning is taken from; 0: the newest.
 * - inputs: an optional one with dtype OB_NONE is left out.
 * - options: n_options (at most 16) attributes; NULL with 0. What is not given has ONNX's default.
 *
 * Errors: E_NOT_FOUND (no such elementwise operator in that opset), E_TYPE (message names operand and type), E_SHAPE (axis),
 * E_LIMIT (rank over OB_MAX_RANK, too many bytes), E_ARGUMENT (NULL, a number of inputs or options out of range). Thread-safe. */
OB_API ob_status ob_elementwise_output(const char *op, int64_t opset, const ob_view *inputs, size_t n_inputs,
                                       const ob_option *options, size_t n_options, ob_view *output, ob_error *error);

/** Computes output = op(inputs...). The output has the shape and type that ob_elementwise_output gives and any strides without 0
 * along axes larger than 1. It may have the data of an input of equal shape, element size and strides, and must not overlap one
 * otherwise. Memory is allocated only for more than three inputs, by the default allocator. Thread-safe; the work is done in the
 * calling thread.
 *
 * Errors: those of ob_elementwise_output(); E_TYPE and E_SHAPE also for the output, E_ARGUMENT for an output with stride 0,
 * E_UNSUPPORTED (Cast to string: use a plan), E_MODEL (an option with a value that the operator does not have), E_FORMAT (Cast of
 * a string that is no number), E_MEMORY. */
OB_API ob_status ob_elementwise(const char *op, int64_t opset, const ob_view *inputs, size_t n_inputs, const ob_option *options,
                                size_t n_options, const ob_view *output, ob_error *error);

/** An operator planned once for shapes, strides and types, and run many times with other data. */
typedef struct ob_elementwise_plan ob_elementwise_plan;

/** Plans; data pointers are not looked at. Returns owned: ob_elementwise_destroy(). allocator NULL: the default; the rest and the
 * errors as for ob_elementwise(). */
OB_API ob_status ob_elementwise_create(const char *op, int64_t opset, const ob_view *inputs, size_t n_inputs,
                                       const ob_option *options, size_t n_options, const ob_view *output,
                                       const ob_allocator *allocator, ob_elementwise_plan **plan, ob_error *error);
/** Runs a plan. Only the data pointers of the views are used; they come as many and in the order they had when the plan was made.
 * Allocates nothing, except for Cast to string: those strings live until the plan's next run or its end, and only one thread may
 * run such a plan at a time. Any other plan can run in several threads at once; with more than three inputs all but one of them
 * take some KiB by the default allocator for as long as they run.
 * Errors: E_ARGUMENT (NULL), E_FORMAT (Cast of a string that is no number), E_MEMORY (Cast to string; more than three inputs). */
OB_API ob_status ob_elementwise_run(ob_elementwise_plan *plan, const ob_view *inputs, const ob_view *output, ob_error *error);
/** Frees the plan and sets *plan to NULL. NULL and *NULL are allowed. */
OB_API void ob_elementwise_destroy(ob_elementwise_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
