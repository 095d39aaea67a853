/** @file
 * The elementwise operators on plain arrays, without a model: every unary, binary, variadic, comparison, logical and bitwise
 * operator, Where, Clip, Cast, PRelu, of every opset, in every element type that ONNX lists for it. Operands are views: they
 * broadcast in place. */
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

typedef enum ob_option_kind { OB_OPTION_INT, OB_OPTION_REAL, OB_OPTION_TEXT } ob_option_kind;

/** An attribute of the operator: "alpha", "axis", "direction", "to" ... as ONNX names them. All pointers borrow for the call. */
typedef struct ob_option {
    const char *name;
    ob_option_kind kind;
    int64_t integer;
    float real;
    const char *text;
} ob_option;

/** What the operator gives for these inputs: *output becomes a contiguous view with data NULL. An input with dtype OB_NONE is
 * omitted. opset 0: the newest. Data pointers are not looked at. Errors: E_NOT_FOUND (no such elementwise operator), E_TYPE
 * (message names operand and type), E_SHAPE (axis), E_ARGUMENT. */
OB_API ob_status ob_elementwise_output(const char *op, int64_t opset, const ob_view *inputs, size_t n_inputs,
                                       const ob_option *options, size_t n_options, ob_view *output, ob_error *error);

/** Computes output = op(inputs...). The output has the shape and type that ob_elementwise_output gives and any strides without 0
 * along axes larger than 1. It may have the data of an input of equal shape, element size and strides, and must not overlap one
 * otherwise. Memory is allocated only for more than three inputs. One thread; thread-safe. Errors as above, E_UNSUPPORTED (Cast
 * to string: use a plan), E_MODEL (bad option), E_FORMAT (Cast of a string that is no number), E_MEMORY.
 *
 *     float a[6], b[3], c[6];
 *     ob_view in[2], out;
 *     ob_view_init(&in[0], a, OB_FLOAT, 2, (int64_t[]){2, 3});
 *     ob_view_init(&in[1], b, OB_FLOAT, 1, (int64_t[]){3});
 *     ob_view_init(&out, c, OB_FLOAT, 2, (int64_t[]){2, 3});
 *     ob_elementwise("Add", 0, in, 2, NULL, 0, &out, NULL);
 */
OB_API ob_status ob_elementwise(const char *op, int64_t opset, const ob_view *inputs, size_t n_inputs, const ob_option *options,
                                size_t n_options, const ob_view *output, ob_error *error);

/** The same, planned once for shapes, strides and types and run many times with other data. */
typedef struct ob_elementwise_plan ob_elementwise_plan;

/** Returns owned: ob_elementwise_destroy. allocator NULL: the default. */
OB_API ob_status ob_elementwise_create(const char *op, int64_t opset, const ob_view *inputs, size_t n_inputs,
                                       const ob_option *options, size_t n_options, const ob_view *output,
                                       const ob_allocator *allocator, ob_elementwise_plan **plan, ob_error *error);
/** Only the data pointers of the views are used; they come as many and in the order they had when the plan was made. Allocates
 * nothing, except for Cast to string: those strings live until the plan's next run or its end. One run at a time per plan then;
 * otherwise plans can run in several threads at once. */
OB_API ob_status ob_elementwise_run(ob_elementwise_plan *plan, const ob_view *inputs, const ob_view *output, ob_error *error);
/** Frees and sets *plan to NULL. NULL and *NULL are allowed. */
OB_API void ob_elementwise_destroy(ob_elementwise_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
