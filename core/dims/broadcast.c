/* Broadcasting of shapes: one inference for all rule books. */
#include "onnx_broadcast/broadcast.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/dims/clash.h"
#include "core/dims/shape.h"
#include "core/dims/terms.h"

/* A failure at an axis of the result, -1 for none. */
static ob_status fail_at(ob_error *error, ob_status status, int32_t axis, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static ob_status fail_at(ob_error *error, ob_status status, int32_t axis, const char *format, ...) {
    if (!error) return status;
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ob_error_clear(error);
    error->axis = axis;
    return ob__fail(error, status, "%s", message);
}

/* Hands a condition to the caller. */
static ob_status send(ob_condition_sink sink, void *context, const ob_condition *condition, size_t operand, int32_t axis,
                      ob_error *error) {
    ob_status status = sink(context, condition, operand, axis);
    if (status == OB_OK) return OB_OK;
    return fail_at(error, status, axis, "axis %d: the caller did not accept a condition: %s", (int)axis, ob_status_text(status));
}

/* A dim as text for messages. */
typedef struct dim_text {
    char text[96];
} dim_text;

static dim_text text_of(const ob_dims *pool, ob_dim d) {
    dim_text out;
    ob__dim_shown(pool, d, out.text, sizeof out.text);
    return out;
}

void ob__clash_text(const ob_dims *pool, const ob_clash *clash, bool numbered, char *out, size_t n_bytes) {
    static const char *const verbs[] = {
        [OB_CLASH_NONE] = "broadcasts with",          [OB_CLASH_SIZES] = "does not broadcast with",
        [OB_CLASH_STRETCH] = "does not broadcast to", [OB_CLASH_RANKS] = "does not broadcast to",
        [OB_CLASH_INTO] = "does not fit into",        [OB_CLASH_PLACE] = "within"};
    char a_number[40] = "", b_number[40] = "", begin[64] = "";
    if (numbered) snprintf(a_number, sizeof a_number, " (operand %zu)", clash->a_operand);
    if (numbered) snprintf(b_number, sizeof b_number, " (operand %zu)", clash->b_operand);
    if (clash->axis >= 0) snprintf(begin, sizeof begin, "axis %d: ", (int)clash->axis);
    if (clash->kind == OB_CLASH_PLACE) snprintf(begin, sizeof begin, "axis = %lld does not place ", (long long)clash->place);
    const char *rank = clash->axis < 0 ? "rank " : "";
    snprintf(out, n_bytes, "%s%s%s%s %s %s%s%s", begin, rank, text_of(pool, clash->a).text, a_number, verbs[clash->kind], rank,
             text_of(pool, clash->b).text, b_number);
}

/* The end of a public function: turns the clash into its message. */
static ob_status tell_clash(const ob_dims *pool, const ob_clash *clash, ob_status status, ob_error *error) {
    if (status != OB_E_SHAPE || clash->kind == OB_CLASH_NONE) return status;
    char text[sizeof error->message];
    ob__clash_text(pool, clash, true, text, sizeof text);
    return fail_at(error, status, clash->axis, "%s", text);
}

static ob_status check_dim(ob_dim d, const ob_dims *pool, const char *who, size_t index, int32_t axis, ob_error *error) {
    if (d >= 0 && ob_dim_is_const(d)) return OB_OK;
    if (d == OB_DIM_UNKNOWN) return OB_OK;
    if (d < 0)
        return fail_at(error, OB_E_ARGUMENT, -1, "dimension %d of %s %zu is negative: %lld", (int)axis, who, index, (long long)d);
    if (!ob__term(pool, d))
        return fail_at(error, OB_E_ARGUMENT, -1, "dimension %d of %s %zu is not a term of the pool", (int)axis, who, index);
    return OB_OK;
}

static ob_status check_shape(const ob_shape *shape, const ob_dims *pool, const char *who, size_t index, ob_error *error) {
    int32_t rank = shape->rank;
    if (rank == OB_RANK_UNKNOWN || rank == 0) return OB_OK;
    if (rank < 0) return fail_at(error, OB_E_ARGUMENT, -1, "%s %zu has a negative rank: %d", who, index, (int)rank);
    if (rank > OB_MAX_RANK)
        return fail_at(error, OB_E_LIMIT, -1, "%s %zu has rank %d, more than %d", who, index, (int)rank, OB_MAX_RANK);
    if (!shape->dims) return fail_at(error, OB_E_ARGUMENT, -1, "%s %zu has no dimensions", who, index);
    for (int32_t i = 0; i < rank; i++) OB_TRY(check_dim(shape->dims[i], pool, who, index, i, error));
    return OB_OK;
}

/* ---- One axis ---- */

/* Terms already seen on an axis. A term needs its condition only once. If there are more than MAX_SEEN terms, a condition may
 * be repeated, which is harmless. */
enum { MAX_SEEN = 32 };

typedef struct axis_state {
    ob_dims *pool;
    const ob_shape *shapes;
    size_t n;
    int32_t rank, axis;     /* of the result */
    ob_condition_sink sink; /* NULL while looking for errors */
    void *context;
    ob_clash *clash;
    ob_error *error;
    bool undecided; /* set when some condition must be reported */
    ob_dim seen[MAX_SEEN];
    size_t n_seen;
} axis_state;

/* The size of an operand along the axis; 1 where the operand's rank ends or is unknown. */
static ob_dim dim_at(const axis_state *state, size_t operand) {
    const ob_shape *shape = &state->shapes[operand];
    int32_t i = state->axis - (state->rank - shape->rank);
    return shape->rank < 0 || i < 0 ? 1 : shape->dims[i];
}

static ob_status sizes_clash(const axis_state *state, size_t a, ob_dim a_size, size_t b, ob_dim b_size) {
    *state->clash = a < b ? (ob_clash){OB_CLASH_SIZES, state->axis, a_size, b_size, a, b, 0}
                          : (ob_clash){OB_CLASH_SIZES, state->axis, b_size, a_size, b, a, 0};
    return OB_E_SHAPE;
}

static bool was_seen(axis_state *state, ob_dim d) {
    for (size_t i = 0; i < state->n_seen; i++)
        if (state->seen[i] == d) return true;
    if (state->n_seen < MAX_SEEN && d != OB_DIM_UNKNOWN) state->seen[state->n_seen++] = d;
    return false;
}

/* Decides a condition between two operands: an error, nothing, or one more condition. */
static ob_status require(axis_state *state, const ob_condition *condition, size_t operand, size_t other) {
    switch (ob_condition_decide(state->pool, condition)) {
    case OB_TRUE: return OB_OK;
    case OB_FALSE: return sizes_clash(state, operand, condition->a, other, condition->b);
    default: break;
    }
    state->undecided = true;
    if (!state->sink) return OB_OK;
    return send(state->sink, state->context, condition, operand, state->axis, state->error);
}

/* Every term must be 1 or the constant. */
static ob_status require_constant(axis_state *state, size_t constant_operand, int64_t constant) {
    state->n_seen = 0;
    for (size_t i = 0; i < state->n; i++) {
        const ob_condition condition = {OB_COND_BROADCAST_TO, dim_at(state, i), constant};
        if (ob_dim_is_const(condition.a) || was_seen(state, condition.a)) continue;
        OB_TRY(require(state, &condition, i, constant_operand));
    }
    return OB_OK;
}

/* The common size of the terms met so far: one broadcast term, which bounds how many different sizes may meet. Every two of
 * them are a condition, so without a limit the conditions of a node would grow with the square of its operands. */
typedef struct common {
    ob_dim dim;
    size_t operand; /* where it began */
    bool any;
} common;

static ob_status meet(axis_state *state, common *met, ob_dim d, size_t operand) {
    if (!met->any) {
        *met = (common){d, operand, true};
        return OB_OK;
    }
    if (d == met->dim && d != OB_DIM_UNKNOWN) return OB_OK;
    const ob_condition condition = {OB_COND_BROADCAST, d, met->dim};
    OB_TRY(require(state, &condition, operand, met->operand));
    if (d == OB_DIM_UNKNOWN) return OB_OK;
    ob_dim folded = ob_dim_bcast(state->pool, met->dim, d);
    if (folded == OB_DIM_UNKNOWN)
        return fail_at(state->error, OB_E_LIMIT, state->axis, "axis %d: more than %d different sizes meet", (int)state->axis,
                       OB_TERM_MEMBERS);
    met->dim = folded;
    return OB_OK;
}

/* Folds known terms only. Unknown sizes are compared with the result last: folded earlier, they would hide a clash of two known
 * terms. */
static ob_status fold_terms(axis_state *state, ob_dim *result) {
    common met = {.dim = OB_DIM_UNKNOWN};
    bool lost = false;
    for (int unknown = 0; unknown < 2; unknown++)
        for (size_t i = 0; i < state->n; i++) {
            ob_dim d = dim_at(state, i);
            if (ob_dim_is_const(d) || (d == OB_DIM_UNKNOWN) != unknown) continue;
            lost |= unknown;
            OB_TRY(meet(state, &met, d, i));
        }
    *result = lost ? OB_DIM_UNKNOWN : met.dim;
    return OB_OK;
}

static ob_status infer_axis(axis_state *state, ob_dim *result) {
    ob_dim constant = 1;
    size_t constant_operand = 0;
    bool has_terms = false;
    for (size_t i = 0; i < state->n; i++) {
        ob_dim d = dim_at(state, i);
        if (d == 1) continue;
        if (!ob_dim_is_const(d)) {
            has_terms = true;
        } else if (constant == 1) {
            constant = d;
            constant_operand = i;
        } else if (d != constant) {
            return sizes_clash(state, constant_operand, constant, i, d);
        }
    }
    *result = constant;
    if (!has_terms) return OB_OK;
    return constant != 1 ? require_constant(state, constant_operand, constant) : fold_terms(state, result);
}

/* ---- All axes ---- */

static ob_status infer_axes(axis_state *state, ob_broadcast_result *result) {
    for (int32_t axis = 0; axis < state->rank; axis++) {
        state->axis = axis;
        OB_TRY(infer_axis(state, &result->dims[axis]));
    }
    return OB_OK;
}

static void copy_dims(ob_broadcast_result *result, int32_t rank, const ob_dim *dims) {
    result->rank = rank;
    if (rank > 0) memcpy(result->dims, dims, (size_t)rank * sizeof *dims);
}

static ob_status infer(const ob_shape *shapes, size_t n, bool skip_unranked, ob_dims *pool, ob_condition_sink sink, void *context,
                       ob_broadcast_result *result, ob_clash *clash, ob_error *error) {
    if ((n > 0 && !shapes) || !result) return fail_at(error, OB_E_ARGUMENT, -1, "no shapes or no result given");
    clash->kind = OB_CLASH_NONE;
    clash->axis = -1;
    int32_t rank = 0;
    size_t n_ranked = 0;
    for (size_t i = 0; i < n; i++) {
        OB_TRY(check_shape(&shapes[i], pool, "operand", i, error));
        if (shapes[i].rank > rank) rank = shapes[i].rank;
        n_ranked += shapes[i].rank >= 0;
    }
    if (n == 2 && ob__same_shape(&shapes[0], &shapes[1])) {
        copy_dims(result, rank, shapes[0].dims);
        return OB_OK;
    }
    /* Errors first: nothing is reported from a broadcast that fails. */
    axis_state state = {.pool = pool, .shapes = shapes, .n = n, .rank = rank, .context = context, .clash = clash, .error = error};
    ob_broadcast_result inferred;
    OB_TRY(infer_axes(&state, &inferred));
    if (state.undecided && sink) {
        state.sink = sink;
        OB_TRY(infer_axes(&state, &inferred));
    }
    copy_dims(result, rank, inferred.dims);
    if (n_ranked < n && (!skip_unranked || n_ranked == 0)) result->rank = OB_RANK_UNKNOWN;
    return OB_OK;
}

ob_status ob__try_broadcast(const ob_shape *shapes, size_t n, ob_dims *pool, ob_condition_sink sink, void *context,
                            ob_broadcast_result *result, ob_clash *clash, ob_error *error) {
    return infer(shapes, n, false, pool, sink, context, result, clash, error);
}

ob_status ob_broadcast_shapes(const ob_shape *shapes, size_t n, ob_dims *pool, ob_condition_sink sink, void *context,
                              ob_broadcast_result *result, ob_error *error) {
    ob_clash clash = {.kind = OB_CLASH_NONE};
    return tell_clash(pool, &clash, infer(shapes, n, false, pool, sink, context, result, &clash, error), error);
}

ob_status ob_broadcast_mlir(const ob_shape *shapes, size_t n, ob_dims *pool, ob_condition_sink sink, void *context,
                            ob_broadcast_result *result, ob_error *error) {
    if (n == 0) return fail_at(error, OB_E_ARGUMENT, -1, "a broadcastable operation has at least one operand");
    ob_clash clash = {.kind = OB_CLASH_NONE};
    return tell_clash(pool, &clash, infer(shapes, n, true, pool, sink, context, result, &clash, error), error);
}

/* ---- One way ---- */

/* Dimension by dimension, from.dims[i] against to.dims[axes[i]]. */
static ob_status stretch(const ob_shape *from, const ob_shape *to, const int64_t *axes, size_t operand, ob_dims *pool,
                         ob_condition_sink sink, void *context, ob_clash *clash, ob_error *error) {
    bool undecided = false;
    for (int pass = 0; pass < (undecided && sink ? 2 : 1); pass++)
        for (int32_t i = 0; i < from->rank; i++) {
            int32_t axis = (int32_t)axes[i];
            const ob_condition condition = {OB_COND_BROADCAST_TO, from->dims[i], to->dims[axis]};
            ob_truth truth = ob_condition_decide(pool, &condition);
            if (truth == OB_FALSE) {
                *clash = (ob_clash){OB_CLASH_STRETCH, axis, condition.a, condition.b, operand, 1 - operand, 0};
                return OB_E_SHAPE;
            }
            undecided |= truth == OB_UNDECIDED;
            if (pass == 1 && truth == OB_UNDECIDED) OB_TRY(send(sink, context, &condition, operand, axis, error));
        }
    return OB_OK;
}

ob_status ob__try_stretch(const ob_shape *from, const ob_shape *to, ob_dims *pool, ob_condition_sink sink, void *context,
                          ob_clash *clash, ob_error *error) {
    clash->kind = OB_CLASH_NONE;
    clash->axis = -1;
    if (!from || !to) return fail_at(error, OB_E_ARGUMENT, -1, "no shape given");
    OB_TRY(check_shape(from, pool, "operand", 0, error));
    OB_TRY(check_shape(to, pool, "operand", 1, error));
    if (from->rank < 0 || to->rank < 0) return OB_OK;
    if (from->rank > to->rank) {
        *clash = (ob_clash){OB_CLASH_RANKS, -1, from->rank, to->rank, 0, 1, 0};
        return OB_E_SHAPE;
    }
    int64_t axes[OB_MAX_RANK];
    for (int32_t i = 0; i < from->rank; i++) axes[i] = to->rank - from->rank + i;
    return stretch(from, to, axes, 0, pool, sink, context, clash, error);
}

ob_status ob_broadcast_to(const ob_shape *from, const ob_shape *to, ob_dims *pool, ob_condition_sink sink, void *context,
                          ob_error *error) {
    ob_clash clash = {.kind = OB_CLASH_NONE};
    return tell_clash(pool, &clash, ob__try_stretch(from, to, pool, sink, context, &clash, error), error);
}

/* ---- Explicit mapping ---- */

ob_status ob_align_in_dim(const ob_shape *operand, const int64_t *broadcast_dimensions, size_t n_dimensions, int32_t result_rank,
                          ob_broadcast_result *aligned, ob_error *error) {
    if (!operand || !aligned || (n_dimensions > 0 && !broadcast_dimensions))
        return fail_at(error, OB_E_ARGUMENT, -1, "no operand, no broadcast_dimensions or no result given");
    if (result_rank < 0) return fail_at(error, OB_E_ARGUMENT, -1, "the result's rank is negative: %d", (int)result_rank);
    if (result_rank > OB_MAX_RANK)
        return fail_at(error, OB_E_LIMIT, -1, "the result has rank %d, more than %d", (int)result_rank, OB_MAX_RANK);
    if (operand->rank > OB_MAX_RANK || operand->rank < OB_RANK_UNKNOWN || (operand->rank > 0 && !operand->dims))
        return fail_at(error, operand->rank > OB_MAX_RANK ? OB_E_LIMIT : OB_E_ARGUMENT, -1, "operand of rank %d",
                       (int)operand->rank);
    if (operand->rank >= 0 && n_dimensions != (size_t)operand->rank)
        return fail_at(error, OB_E_ARGUMENT, -1, "broadcast_dimensions has %zu entries for an operand of rank %d", n_dimensions,
                       (int)operand->rank);
    for (size_t i = 0; i < n_dimensions; i++) {
        int64_t axis = broadcast_dimensions[i];
        if (axis < 0 || axis >= result_rank)
            return fail_at(error, OB_E_ARGUMENT, -1, "broadcast_dimensions[%zu] is %lld, outside of 0 .. %d", i, (long long)axis,
                           (int)result_rank - 1);
        if (i > 0 && axis == broadcast_dimensions[i - 1])
            return fail_at(error, OB_E_ARGUMENT, -1, "broadcast_dimensions repeats %lld at %zu", (long long)axis, i);
        if (i > 0 && axis < broadcast_dimensions[i - 1])
            return fail_at(error, OB_E_ARGUMENT, -1, "broadcast_dimensions must increase: %lld follows %lld at %zu",
                           (long long)axis, (long long)broadcast_dimensions[i - 1], i);
    }
    ob_dim dims[OB_MAX_RANK];
    for (int32_t i = 0; i < result_rank; i++) dims[i] = 1;
    for (size_t i = 0; i < n_dimensions; i++)
        dims[broadcast_dimensions[i]] = operand->rank < 0 ? OB_DIM_UNKNOWN : operand->dims[i];
    copy_dims(aligned, result_rank, dims);
    return OB_OK;
}

static ob_status check_identity(const int64_t *broadcast_dimensions, size_t n_dimensions, int32_t rank, ob_error *error) {
    if (n_dimensions == 0) return OB_OK;
    if (n_dimensions != (size_t)rank)
        return fail_at(error, OB_E_ARGUMENT, -1, "broadcast_dimensions has %zu entries for operands of rank %d", n_dimensions,
                       (int)rank);
    for (size_t i = 0; i < n_dimensions; i++)
        if (broadcast_dimensions[i] != (int64_t)i)
            return fail_at(error, OB_E_ARGUMENT, -1,
                           "operands of equal rank take the identity, broadcast_dimensions[%zu] is %lld", i,
                           (long long)broadcast_dimensions[i]);
    return OB_OK;
}

ob_status ob_broadcast_xla(const ob_shape *lhs, const ob_shape *rhs, const int64_t *broadcast_dimensions, size_t n_dimensions,
                           ob_dims *pool, ob_condition_sink sink, void *context, ob_broadcast_result *result, ob_error *error) {
    if (!lhs || !rhs || !result || (n_dimensions > 0 && !broadcast_dimensions))
        return fail_at(error, OB_E_ARGUMENT, -1, "no operand, no broadcast_dimensions or no result given");
    ob_shape both[2] = {*lhs, *rhs};
    OB_TRY(check_shape(lhs, pool, "operand", 0, error));
    OB_TRY(check_shape(rhs, pool, "operand", 1, error));
    if (lhs->rank < 0 || rhs->rank < 0) {
        result->rank = OB_RANK_UNKNOWN;
        return OB_OK;
    }
    ob_broadcast_result aligned;
    if (lhs->rank == rhs->rank) {
        OB_TRY(check_identity(broadcast_dimensions, n_dimensions, lhs->rank, error));
    } else {
        size_t lower = lhs->rank < rhs->rank ? 0 : 1;
        int32_t rank = both[1 - lower].rank;
        if (n_dimensions == 0 && both[lower].rank > 0)
            return fail_at(error, OB_E_SHAPE, -1,
                           "rank %d (operand 0) and rank %d (operand 1) differ and no broadcast_dimensions are given",
                           (int)lhs->rank, (int)rhs->rank);
        OB_TRY(ob_align_in_dim(&both[lower], broadcast_dimensions, n_dimensions, rank, &aligned, error));
        both[lower] = (ob_shape){rank, aligned.dims};
    }
    return ob_broadcast_shapes(both, 2, pool, sink, context, result, error);
}

/* ---- ONNX opset 1-6 ---- */

ob_status ob__try_legacy(const ob_shape *a, const ob_shape *b, bool axis_given, int64_t axis, ob_dims *pool,
                         ob_condition_sink sink, void *context, int64_t *dimensions, ob_clash *clash, ob_error *error) {
    clash->kind = OB_CLASH_NONE;
    clash->axis = -1;
    if (!a || !b || !dimensions) return fail_at(error, OB_E_ARGUMENT, -1, "no shape or no dimensions given");
    OB_TRY(check_shape(a, pool, "operand", 0, error));
    OB_TRY(check_shape(b, pool, "operand", 1, error));
    if (a->rank < 0 || b->rank < 0) return fail_at(error, OB_E_ARGUMENT, -1, "the mapping needs operands of known rank");
    if (b->rank > a->rank) {
        *clash = (ob_clash){OB_CLASH_INTO, -1, b->rank, a->rank, 1, 0, 0};
        return OB_E_SHAPE;
    }
    int64_t first = a->rank - b->rank;
    if (axis_given) {
        int64_t start = axis < 0 && axis >= -a->rank ? axis + a->rank : axis;
        bool fits = start >= 0 && start <= first;
        if (!fits && !ob__is_single(b)) { /* a single element fits everywhere */
            *clash = (ob_clash){OB_CLASH_PLACE, -1, b->rank, a->rank, 1, 0, axis};
            return OB_E_SHAPE;
        }
        if (fits) first = start;
    }
    int64_t axes[OB_MAX_RANK];
    for (int32_t i = 0; i < b->rank; i++) axes[i] = first + i;
    OB_TRY(stretch(b, a, axes, 1, pool, sink, context, clash, error));
    if (b->rank > 0) memcpy(dimensions, axes, (size_t)b->rank * sizeof *axes);
    return OB_OK;
}

ob_status ob_broadcast_legacy(const ob_shape *a, const ob_shape *b, bool axis_given, int64_t axis, ob_dims *pool,
                              ob_condition_sink sink, void *context, int64_t *dimensions, ob_error *error) {
    ob_clash clash = {.kind = OB_CLASH_NONE};
    return tell_clash(pool, &clash, ob__try_legacy(a, b, axis_given, axis, pool, sink, context, dimensions, &clash, error),
                      error);
}

/* ---- MLIR: the declared result ---- */

ob_status ob_verify_mlir(const ob_shape *operands, size_t n, const ob_shape *declared, ob_dims *pool, ob_error *error) {
    if (!declared) return fail_at(error, OB_E_ARGUMENT, -1, "no declared shape given");
    OB_TRY(check_shape(declared, pool, "result", 0, error));
    ob_broadcast_result inferred;
    OB_TRY(ob_broadcast_mlir(operands, n, pool, NULL, NULL, &inferred, error));
    if (declared->rank < 0 || inferred.rank < 0) return OB_OK;
    if (declared->rank != inferred.rank)
        return fail_at(error, OB_E_SHAPE, -1, "the operands give rank %d, the result is declared with rank %d",
                       (int)inferred.rank, (int)declared->rank);
    for (int32_t i = 0; i < declared->rank; i++) {
        ob_dim here = inferred.dims[i], there = declared->dims[i];
        if (!ob_dim_is_const(there) || here == there) continue;
        return fail_at(error, OB_E_SHAPE, i, "axis %d: the operands give %s, the result is declared as %s", (int)i,
                       text_of(pool, here).text, text_of(pool, there).text);
    }
    return OB_OK;
}
