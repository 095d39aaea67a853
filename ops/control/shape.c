/* Shape rules of control flow. */
#include <string.h>

#include "core/base/error.h"
#include "ops/control/params.h"
#include "ops/infer/body_values.h"
#include "ops/infer/contents.h"
#include "ops/table/op.h"

OB_RULE(if);
OB_RULE(loop);
OB_RULE(scan);

static const ob_type unknown_type = {.shape = {OB_RANK_UNKNOWN, NULL}};

/* Reports that no body fits. The results stay unknown. */
static void tell(ob_infer *infer, const ob_control_problem *problem) {
    ob__problem(infer, problem->counts ? OB0603 : OB0602, -1, -1, "%s", problem->text);
}

static bool same_range(const ob_range *a, const ob_range *b) {
    return a == b || (a && b && a->lowest == b->lowest && a->highest == b->highest && a->reached == b->reached);
}

/* Keeps the elements that are equal in both. */
static ob_status unify_contents(ob_infer *infer, ob_content *into, ob_content other) {
    if (!into->elems || !other.elems || into->n != other.n) {
        *into = (ob_content){.range = same_range(into->range, other.range) ? into->range : NULL,
                             .trace = into->trace == other.trace ? into->trace : NULL};
        return OB_OK;
    }
    into->extent = ob_dim_max(infer->dims, into->extent, other.extent);
    if (into->extent == OB_DIM_UNKNOWN) *into = (ob_content){0};
    if (into->elems == other.elems || !into->elems) return OB_OK;
    ob_dim *elems = ob__new_dims(infer, into->n);
    if (!elems) return OB_E_MEMORY;
    for (uint32_t i = 0; i < into->n; i++) elems[i] = into->elems[i] == other.elems[i] ? into->elems[i] : OB_DIM_UNKNOWN;
    into->elems = elems;
    return OB_OK;
}

/* ---- If ---- */

/* The boolean in input i as 0 or 1, the only elements of such contents; OB_DIM_UNKNOWN: it depends on data. */
static ob_dim truth_of(const ob_infer *infer, uint32_t i) {
    ob_dim term = ob__in_scalar(infer, i);
    if (ob_dim_is_const(term)) return term != 0;
    return ob__in_dtype(infer, i) == OB_BOOL ? term : OB_DIM_UNKNOWN;
}

/* The same, decided if the facts are for one case. */
static ob_dim chosen_truth(ob_infer *infer, uint32_t i) {
    const ob_dim term = truth_of(infer, i);
    if (ob_dim_is_const(term) || term == OB_DIM_UNKNOWN || !infer->is_chosen) return term;
    const ob_truth truth = infer->is_chosen(infer, term);
    return truth == OB_UNDECIDED ? term : truth == OB_TRUE;
}

/* Terms that are 1 if the branch runs; OB_DIM_UNKNOWN: it depends on data. */
static void branch_guards(ob_infer *infer, ob_dim guards[2]) {
    ob_dim term = chosen_truth(infer, 0);
    guards[0] = term;
    guards[1] = ob_dim_sub(infer->dims, 1, term);
}

ob_status ob__infer_if(ob_infer *infer) {
    ob_if_params params;
    ob_control_problem problem;
    ob_dim guards[2];
    uint32_t n = infer->node->n_outputs;
    bool first = true;
    if (!ob__if_params(infer->node, &params, &problem)) {
        tell(infer, &problem);
        return OB_OK;
    }
    OB_TRY(ob__require_one(infer, 0));
    branch_guards(infer, guards);
    for (int k = 0; k < 2 && infer->subgraph; k++) {
        /* a branch that is never taken may contradict its condition */
        if (guards[k] == 0) continue;
        ob_body_values out;
        if (!ob__branch_fits(infer->node, params.branches[k], &problem)) {
            tell(infer, &problem);
            continue;
        }
        if (!ob__make_body_values(infer, n, &out)) return OB_E_MEMORY;
        OB_TRY(infer->subgraph(infer, params.branches[k], guards[k], NULL, NULL, out.types, out.contents));
        for (uint32_t i = 0; i < n; i++) {
            if (first) {
                infer->out_types[i] = out.types[i];
                infer->out_contents[i] = out.contents[i];
                continue;
            }
            OB_TRY(ob__unify_types(infer, &infer->out_types[i], &out.types[i]));
            OB_TRY(unify_contents(infer, &infer->out_contents[i], out.contents[i]));
        }
        first = false;
    }
    return OB_OK;
}

/* ---- Loop ---- */

static bool same_type(const ob_type *a, const ob_type *b) {
    if (a->kind != b->kind || a->dtype != b->dtype || a->shape.rank != b->shape.rank) return false;
    for (int32_t axis = 0; axis < a->shape.rank; axis++)
        if (a->shape.dims[axis] != b->shape.dims[axis]) return false;
    if (!a->element || !b->element) return a->element == b->element;
    return a->element == b->element || same_type(a->element, b->element);
}

static bool same_content(ob_content a, ob_content b) {
    return (a.elems == NULL) == (b.elems == NULL) && (a.items == NULL) == (b.items == NULL) && a.n == b.n &&
           a.extent == b.extent && same_range(a.range, b.range) && a.trace == b.trace &&
           (!a.elems || a.n == 0 || memcmp(a.elems, b.elems, a.n * sizeof *a.elems) == 0);
}

/* Infers a body whose outputs first_out .. become inputs first_in .. of the next iteration, until the types of the n state values
 * no longer change. Each round only removes knowledge: after FEW_ROUNDS a value that still changes becomes unknown, and after
 * MOST_ROUNDS all state does. So the iteration ends, and its last round is the result. */
static ob_status fixed_point(ob_infer *infer, ob_graph *body, ob_dim guard, ob_body_values in, ob_body_values out,
                             uint32_t first_in, uint32_t first_out, uint32_t n) {
    enum { FEW_ROUNDS = 4, MOST_ROUNDS = 8 };
    for (int round = 0;; round++) {
        bool stable = true;
        OB_TRY(infer->subgraph(infer, body, guard, in.types, in.contents, out.types, out.contents));
        for (uint32_t i = 0; i < n; i++) {
            ob_type *state = &in.types[first_in + i], before = *state;
            ob_content *content = &in.contents[first_in + i], content_before = *content;
            OB_TRY(ob__unify_types(infer, state, &out.types[first_out + i]));
            OB_TRY(unify_contents(infer, content, out.contents[first_out + i]));
            bool kept = same_type(&before, state) && same_content(content_before, *content);
            stable &= kept;
            if ((!kept && round >= FEW_ROUNDS) || round >= MOST_ROUNDS) {
                *state = unknown_type;
                *content = (ob_content){0};
            }
        }
        if (stable || round > MOST_ROUNDS) return OB_OK;
    }
}

/* Outputs of all iterations are stacked, so they must have one shape; a size that is known only at run time may differ between
 * iterations. */
static ob_status ask_one_shape(ob_infer *infer, const ob_type *item, ob_dim n) {
    if (ob_dim_is_const(n) && n <= 1) return OB_OK;
    bool known = item->kind == OB_TYPE_TENSOR && item->shape.rank >= 0;
    for (int32_t axis = 0; known && axis < item->shape.rank; axis++)
        known = !ob_dim_is_anonymous(infer->dims, item->shape.dims[axis]);
    if (known) return OB_OK;
    const char *reason = "iterations may give different shapes to stack";
    const ob_condition unknown = {OB_COND_EQUAL, OB_DIM_UNKNOWN, OB_DIM_UNKNOWN};
    ob_dim guard = n == OB_DIM_UNKNOWN ? 1 : ob_dim_sub(infer->dims, n, 1); /* shapes can differ from two iterations on */
    if (guard == OB_DIM_UNKNOWN || ob_dim_is_const(guard)) return ob__unverified(infer, -1, -1, reason);
    return infer->condition ? infer->condition(infer, &unknown, guard, -1, -1, reason) : OB_OK;
}

static bool is_true(ob_content content) {
    return content.elems && content.n == 1 && content.elems[0] == 1;
}

/* A term that is 1 or more if the body runs; OB_DIM_UNKNOWN: it depends on data. */
static ob_dim loop_guard(ob_infer *infer) {
    ob_dim count = ob__in_given(infer, 0) ? ob__in_scalar(infer, 0) : 1, begins = ob__in_given(infer, 1) ? truth_of(infer, 1) : 1;
    if (begins == 0 || (ob_dim_is_const(count) && count < 1)) return 0;
    return ob_dim_mul(infer->dims, begins, count);
}

ob_status ob__infer_loop(ob_infer *infer) {
    const ob_node *node = infer->node;
    ob_loop_params params;
    ob_control_problem problem;
    if (!ob__loop_params(node, &params, &problem)) {
        tell(infer, &problem);
        return OB_OK;
    }
    ob_graph *body = params.body;
    uint32_t n_state = params.n_state;
    for (uint32_t i = 0; i < 2; i++) OB_TRY(ob__require_one(infer, i));
    if (!infer->subgraph) return OB_OK;
    ob_body_values in, out;
    if (!ob__make_body_values(infer, body->n_inputs, &in) || !ob__make_body_values(infer, body->n_outputs, &out))
        return OB_E_MEMORY;
    static const ob_dim one = 1;
    in.types[0] = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = OB_INT64, .shape = {params.own_rank[0], &one}};
    in.types[1] = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = OB_BOOL, .shape = {params.own_rank[1], &one}};
    for (uint32_t i = 0; i < n_state; i++) {
        in.types[i + 2] = *ob__in_type(infer, i + 2);
        in.contents[i + 2] = ob__in_content(infer, i + 2);
    }
    ob_dim guard = loop_guard(infer);
    OB_TRY(fixed_point(infer, body, guard, in, out, 2, 1, n_state));
    for (uint32_t i = 0; i < n_state; i++) {
        infer->out_types[i] = guard == 0 ? *ob__in_type(infer, i + 2) : in.types[i + 2];
        infer->out_contents[i] = guard == 0 ? ob__in_content(infer, i + 2) : in.contents[i + 2];
    }
    ob_content trips = ob__in_content(infer, 0);
    bool all = (!ob__in_given(infer, 1) || is_true(ob__in_content(infer, 1))) &&
               (is_true(out.contents[0]) || body->outputs[0] == body->inputs[1]);
    ob_dim n = all && trips.elems && trips.n == 1 ? trips.elems[0] : OB_DIM_UNKNOWN;
    n = guard == 0 ? 0 : ob__term_max(infer, n, 0);
    for (uint32_t i = n_state; i < node->n_outputs; i++) {
        if (guard == 0) out.types[i + 1].shape = ob__item_shape(&out.types[i + 1], body->outputs[i + 1]);
        OB_TRY(ask_one_shape(infer, &out.types[i + 1], n));
        OB_TRY(ob__out_stacked(infer, i, &out.types[i + 1], n, 0));
    }
    return OB_OK;
}

/* ---- Scan ---- */

/* Removes an axis from a type; *removed is its dim. */
static ob_status without_axis(ob_infer *infer, ob_type *type, int64_t axis, ob_dim *removed) {
    ob_shape from = type->shape;
    int32_t at;
    *removed = OB_DIM_UNKNOWN;
    if (type->kind != OB_TYPE_TENSOR || from.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    type->shape = unknown_type.shape;
    if (!ob__axis_in(infer, axis, from.rank, &at)) return OB_OK;
    ob_dim *dims = ob__new_dims(infer, (size_t)from.rank);
    if (!dims) return OB_E_MEMORY;
    for (int32_t k = 0, i = 0; k < from.rank; k++)
        if (k != at) dims[i++] = from.dims[k];
    *removed = from.dims[at];
    type->shape = (ob_shape){from.rank - 1, dims};
    return OB_OK;
}

/* Scan-8 has a batch axis in front of everything and the sequence lengths as operand 0. */
static ob_status scan_inputs(ob_infer *infer, uint32_t first, uint32_t n_state, uint32_t n_scan, ob_body_values in, ob_dim *batch,
                             ob_dim *length) {
    *batch = *length = OB_DIM_UNKNOWN;
    for (uint32_t i = 0; i < n_state + n_scan; i++) {
        ob_type type = *ob__in_type(infer, first + i);
        ob_dim size;
        if (first) {
            OB_TRY(without_axis(infer, &type, 0, &size));
            if (*batch == OB_DIM_UNKNOWN)
                OB_TRY(ob__require(infer, OB_COND_AT_LEAST, size, 1, (int32_t)(first + i), 0, OB0601));
            else
                OB_TRY(ob__require(infer, OB_COND_EQUAL, size, *batch, (int32_t)(first + i), 0, OB0601));
            *batch = ob__dim_prefer(infer->dims, *batch, size);
        }
        if (i >= n_state) {
            OB_TRY(without_axis(infer, &type, ob__scan_axis(infer->node, false, i - n_state), &size));
            if (*length != OB_DIM_UNKNOWN)
                OB_TRY(ob__require(infer, OB_COND_EQUAL, size, *length, (int32_t)(first + i), -1, OB0601));
            *length = ob__dim_prefer(infer->dims, *length, size);
        }
        in.types[i] = type;
    }
    return OB_OK;
}

ob_status ob__infer_scan(ob_infer *infer) {
    const ob_node *node = infer->node;
    ob_loop_params params;
    ob_control_problem problem;
    if (!ob__loop_params(node, &params, &problem)) {
        tell(infer, &problem);
        return OB_OK;
    }
    ob_graph *body = params.body;
    uint32_t first = params.first, n_state = params.n_state;
    if (!infer->subgraph) return OB_OK;
    ob_body_values in, out;
    ob_dim batch, length;
    if (!ob__make_body_values(infer, body->n_inputs, &in) || !ob__make_body_values(infer, body->n_outputs, &out))
        return OB_E_MEMORY;
    OB_TRY(scan_inputs(infer, first, n_state, params.n_scanned, in, &batch, &length));
    if (first) OB_TRY(ob__require_shape(infer, 0, (ob_shape){1, &batch}, OB0601));
    /* The sequence lengths of a Scan-8, its first operand, may end a sequence earlier. */
    ob_dim guard = !first ? length : ob__in_given(infer, 0) ? OB_DIM_UNKNOWN : ob_dim_mul(infer->dims, batch, length);
    OB_TRY(fixed_point(infer, body, guard, in, out, 0, 0, n_state));
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        bool keeps = i < n_state && guard == 0 && !first; /* without iterations the state is unchanged */
        const ob_type *item = keeps ? ob__in_type(infer, i) : i < n_state ? &in.types[i] : &out.types[i];
        if (i >= n_state && guard == 0) out.types[i].shape = ob__item_shape(&out.types[i], body->outputs[i]);
        if (i >= n_state) OB_TRY(ask_one_shape(infer, item, length));
        if (i >= n_state && first) {
            OB_TRY(ob__out_stacked(infer, i, item, length, 0));
            ob_type sequence = infer->out_types[i];
            OB_TRY(ob__out_stacked(infer, i, &sequence, batch, 0));
        } else if (i >= n_state)
            OB_TRY(ob__out_stacked(infer, i, item, length, ob__scan_axis(node, true, i - n_state)));
        else if (first)
            OB_TRY(ob__out_stacked(infer, i, item, batch, 0));
        else
            infer->out_types[i] = *item;
    }
    return OB_OK;
}
