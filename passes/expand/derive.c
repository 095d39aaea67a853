/* The derivative of one operator, by its row, with the sum over stretched axes. */
#include <string.h>

#include "core/base/error.h"
#include "passes/check/names.h"
#include "passes/expand/tape.h"

const ob_body ob__ones_like = {"", "Gradient", 1, "(X) -> (Y) { Y = Expand(CastLike(1, X), Shape(X)); }"};
const ob_body ob__zeros_like = {"", "Gradient", 1, "(X) -> (Y) { Y = Expand(CastLike(0, X), Shape(X)); }"};
const ob_body ob__plus = {"", "Gradient", 1, "(A, B) -> (C) { C = A + B; }"};

/* Sums the gradient of a stretched X: along these axes, or along those where a run finds one element. */
static const ob_body sum_along = {"", "Gradient", 1,
                                  "(X, axes, G) -> (D) {"
                                  "    D = Reshape(ReduceSum(G, axes, keepdims = 1), Shape(X), allowzero = 1);"
                                  "}"};
static const ob_body sum_like = {"", "Gradient", 1,
                                 "(X, lacks, G) -> (D) {"
                                 "    size = Concat(Expand(1, lacks), Shape(X), axis = 0);"
                                 "    axes = Squeeze(NonZero(Equal(size, 1)), [0]);"
                                 "    sum = ReduceSum(G, axes, keepdims = 1, noop_with_empty_axes = 1);"
                                 "    D = Reshape(sum, Shape(X), allowzero = 1);"
                                 "}"};

/* The number of each element of X, from 1; 0 marks padding. */
static const ob_body places = {"", "Gradient", 1,
                               "(X) -> (P) {"
                               "    P = Reshape(Range(1, Size(X) + 1, 1), Shape(X), allowzero = 1);"
                               "}"};
static const ob_body put_back = {
    "", "Gradient", 1,
    "(X, P, G) -> (D) {"
    "    n = Reshape(Size(X) + 1, [1]);"
    "    all = ScatterElements(Expand(CastLike(0, X), n), Reshape(P, [-1]), Reshape(G, [-1]), reduction = \"add\");"
    "    D = Reshape(Slice(all, [1], n), Shape(X), allowzero = 1);"
    "}"};

enum { MOST_AXES = 64 };

/* The axes along which the operand has one element and the gradient has more. false: known only during a run. */
static bool stretched_axes(const ob_shape *x, const ob_shape *g, int64_t *axes, uint32_t *n) {
    const int32_t lacks = g->rank - x->rank;
    *n = 0;
    for (int32_t i = 0; i < lacks; i++) axes[(*n)++] = i;
    for (int32_t i = 0; i < x->rank; i++) {
        const ob_dim size = x->dims[i], got = g->dims[lacks + i];
        if (size == OB_DIM_UNKNOWN || (!ob_dim_is_const(size) && size != got)) return false;
        if (size == 1 && got != 1) axes[(*n)++] = lacks + i;
    }
    return true;
}

/* The gradient in the shape of the operand, which was stretched to it. */
static ob_status unstretch(ob_tape *tape, const ob_node *node, ob_value *operand, ob_value **gradient) {
    const ob_shape x = ob__tape_type(tape, operand).shape, g = ob__tape_type(tape, *gradient).shape;
    int64_t axes[MOST_AXES];
    uint32_t n;
    OB_FAIL_IF(node->op->broadcast == OB_BCAST_LEGACY && ob__node_attribute(node, "axis"), tape->error,
               ob__at_node(tape->error, node, OB_E_UNSUPPORTED), "its derivative is known only without attribute axis");
    if (x.rank < 0 || g.rank < x.rank || g.rank > MOST_AXES) {
        ob__at_node(tape->error, node, OB_E_UNSUPPORTED);
        return ob__fail(tape->error, OB_E_UNSUPPORTED, "its derivative needs the rank of %s, which it may stretch",
                        operand->name);
    }
    const bool known = stretched_axes(&x, &g, axes, &n);
    if (known && n == 0) return OB_OK;
    const int64_t lacks = g.rank - x.rank;
    ob_value *list = ob__graph_add_int64s(tape->gradient->graph, "axes", known ? axes : &lacks, known ? n : 1);
    if (!list) return OB_E_MEMORY;
    return ob__tape_write_one(tape, known ? &sum_along : &sum_like, operand, list, *gradient, gradient);
}

/* Operands, results and their gradients, as the text of a row has them; its results are gradients of the first operands. */
static ob_status derive_whole(ob_tape *tape, const ob_body *row, const ob_back_step *step) {
    const ob_node *node = step->node;
    const ob_op *op = node->op;
    const uint32_t n_in = op->in_max == INT16_MAX ? node->n_inputs : (uint32_t)op->in_max;
    const uint32_t n_out = op->out_max == INT16_MAX ? node->n_outputs : (uint32_t)op->out_max;
    const uint32_t n = n_in + 2 * n_out;
    uint32_t n_results = ob__body_results(row);
    if (n_results > node->n_inputs) n_results = node->n_inputs;
    ob_value **all = OB_ARENA_ARRAY(&tape->arena, ob_value *, n);
    if (!all) return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_inputs; i++) all[i] = step->in[i];
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        all[n_in + i] = step->out[i];
        all[n_in + n_out + i] = step->d_out[i];
    }
    return ob__tape_write(tape, row, node, all, n, step->wanted, step->d_in, n_results);
}

static ob_status derive_each(ob_tape *tape, const ob_body *row, const ob_back_step *step) {
    for (uint32_t i = 0; i < step->node->n_inputs; i++)
        if (step->wanted[i] && step->d_out[i])
            OB_TRY(ob__tape_write_one(tape, row, step->in[i], step->out[i], step->d_out[i], &step->d_in[i]));
    return OB_OK;
}

/* Runs the operator on positions; each gradient is added to the element that it came from. */
static ob_status derive_moves(ob_tape *tape, const ob_derivative *row, const ob_back_step *step) {
    const ob_node *node = step->node;
    ob_value **in = OB_ARENA_ARRAY(&tape->arena, ob_value *, node->n_inputs);
    ob_value **out = OB_ARENA_ARRAY(&tape->arena, ob_value *, node->n_outputs);
    if (!in || !out) return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_inputs; i++) in[i] = step->in[i];
    if (row->fill >= 0 && (uint32_t)row->fill < node->n_inputs) {
        OB_FAIL_IF(step->wanted[row->fill], tape->error, ob__at_node(tape->error, node, OB_E_UNSUPPORTED),
                   "it has no derivative by operand %d here", row->fill);
        in[row->fill] = NULL;
    }
    OB_TRY(ob__tape_write_one(tape, &places, step->in[0], NULL, NULL, &in[0]));
    OB_TRY(ob__tape_copy(tape, node, in, out));
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        ob_value *part, *sum = step->d_in[0];
        if (!step->d_out[i]) continue;
        OB_TRY(ob__tape_write_one(tape, &put_back, step->in[0], out[i], step->d_out[i], &part));
        step->d_in[0] = part;
        if (sum) OB_TRY(ob__tape_write_one(tape, &ob__plus, sum, part, NULL, &step->d_in[0]));
    }
    return OB_OK;
}

ob_status ob__derive(ob_tape *tape, const ob_derivative *row, const ob_back_step *step) {
    const ob_node *node = step->node;
    switch (row->kind) {
    case OB_DERIVATIVE_MOVES: return derive_moves(tape, row, step);
    case OB_DERIVATIVE_EACH: OB_TRY(derive_each(tape, &row->body, step)); break;
    case OB_DERIVATIVE_WHOLE:
    case OB_DERIVATIVE_PAIRS: OB_TRY(derive_whole(tape, &row->body, step)); break;
    case OB_DERIVATIVE_ZERO: break;
    }
    for (uint32_t i = 0; i < node->n_inputs && node->op->broadcast != OB_BCAST_NONE; i++)
        if (step->d_in[i]) OB_TRY(unstretch(tape, node, step->in[i], &step->d_in[i]));
    return OB_OK;
}
