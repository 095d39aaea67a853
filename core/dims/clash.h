/* Sizes that do not broadcast, as fields: the reporter adds the operands in its own words. */
#ifndef OB_CORE_DIMS_CLASH_H
#define OB_CORE_DIMS_CLASH_H

#include <stdbool.h>

#include "onnx_broadcast/broadcast.h"

typedef enum ob_clash_kind {
    OB_CLASH_NONE,
    OB_CLASH_SIZES,   /* a and b meet on an axis; operand a comes before operand b */
    OB_CLASH_STRETCH, /* a does not stretch to b */
    OB_CLASH_RANKS,   /* ranks: a is above b, so a does not stretch to b */
    OB_CLASH_INTO,    /* ranks: a is above b, so a does not fit into b (opset 1-6) */
    OB_CLASH_PLACE    /* ranks: with attribute axis, a is not within b (opset 1-6) */
} ob_clash_kind;

typedef struct ob_clash {
    ob_clash_kind kind;
    int32_t axis;                /* of the result, -1: ranks */
    ob_dim a, b;                 /* sizes, or ranks */
    size_t a_operand, b_operand; /* as the operands were given to the broadcast */
    int64_t place;               /* OB_CLASH_PLACE: the attribute */
} ob_clash;

/* "axis 1: 3 (operand 0) does not broadcast with 4 (operand 2)", without the operands unless they are `numbered`. */
void ob__clash_text(const ob_dims *pool, const ob_clash *clash, bool numbered, char *out, size_t n_bytes);

/* As the public functions without "try" (broadcast.h), except that a clash is handed to the caller instead of a message: then
 * the status is E_SHAPE, clash->kind is set and `error` is not touched. */
ob_status ob__try_broadcast(const ob_shape *shapes, size_t n, ob_dims *pool, ob_condition_sink sink, void *context,
                            ob_broadcast_result *result, ob_clash *clash, ob_error *error);
ob_status ob__try_stretch(const ob_shape *from, const ob_shape *to, ob_dims *pool, ob_condition_sink sink, void *context,
                          ob_clash *clash, ob_error *error);
ob_status ob__try_legacy(const ob_shape *a, const ob_shape *b, bool axis_given, int64_t axis, ob_dims *pool,
                         ob_condition_sink sink, void *context, int64_t *dimensions, ob_clash *clash, ob_error *error);

#endif
