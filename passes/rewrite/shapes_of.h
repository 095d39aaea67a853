/* Shape operands for new nodes: constants, Shape nodes and combinations of them; each is made once and shared. */
#ifndef OB_PASSES_REWRITE_SHAPES_OF_H
#define OB_PASSES_REWRITE_SHAPES_OF_H

#include "core/base/text.h"
#include "passes/check/work.h"
#include "passes/rewrite/patch.h"

typedef struct ob_shape_maker {
    ob_work *work;
    ob_patch *patch;
    ob_arena arena;
    ob_map made; /* graph and contents, or graph and value -> ob_value of the shape */
    ob_text key;
} ob_shape_maker;

void ob__shape_maker_init(ob_shape_maker *maker, ob_work *work, ob_patch *patch);
void ob__shape_maker_release(ob_shape_maker *maker);

/* A 1-d int64 constant, made before `before` or found in the same graph. NULL: out of memory (the patch has then failed). */
ob_value *ob__shape_constant(ob_shape_maker *maker, ob_node *before, const int64_t *dims, int32_t n);
/* Shape(value), likewise. */
ob_value *ob__shape_of_value(ob_shape_maker *maker, ob_node *before, ob_value *value);
/* The shape as an operand: a constant if every size is, Shape of an input of `before` with exactly this shape, or a combination
 * of the sizes of its inputs. NULL with *possible false if a size cannot be computed from them. */
ob_value *ob__shape_as_operand(ob_shape_maker *maker, ob_node *before, const ob_shape *shape, bool *possible);
/* Facts for a value made by a pass. */
ob_status ob__set_tensor_fact(ob_work *work, const ob_value *value, ob_dtype dtype, const ob_shape *shape);

#endif
