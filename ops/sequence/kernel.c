/* SequenceEmpty, SequenceConstruct, SequenceAt, SequenceInsert, SequenceErase, SequenceLength 11; SplitToSequence 11.., 24;
 * ConcatFromSequence 11; Optional 15, OptionalGetElement and OptionalHasElement 15, 18: values that are cells. Every element
 * type. */
#include "core/base/integers.h"
#include "ops/kernel/cells.h"
#include "ops/kernel/common.h"
#include "ops/sequence/params.h"

/* ---- operands and results ---- */

/* Operand i as a cell that the caller holds: the operand's cell, or a copy of the tensor. */
static ob_status take(const ob_kernel_args *args, uint32_t i, ob_cell **out, ob_error *error) {
    ob_kernel_cells *cells = args->cells;
    obk_pace pace = ob__pace(args->threads);
    if (!cells->in[i]) return ob__cell_copy(&args->in[i], cells->allocator, out, &pace, error);
    *out = cells->in[i];
    cells->in[i] = NULL;
    return OB_OK;
}

/* A sequence that the caller holds, to read or to change. */
static ob_status take_sequence(const ob_kernel_args *args, uint32_t i, ob_cell **out, ob_error *error) {
    OB_FAIL_IF(ob_cell_get_kind(args->cells->in[i]) != OB_CELL_SEQUENCE, error, OB_E_TYPE, "operand %u is not a sequence", i);
    return take(args, i, out, error);
}

static const ob_cell *sequence_in(const ob_kernel_args *args, uint32_t i) {
    const ob_cell *cell = args->cells->in[i];
    return ob_cell_get_kind(cell) == OB_CELL_SEQUENCE ? cell : NULL;
}

/* The integer in operand i as a position in a sequence of n, from the end if negative. With `behind`, n is a position too. */
static ob_status read_place(const ob_kernel_args *args, uint32_t i, size_t n, bool behind, size_t *out, ob_error *error) {
    int64_t at, count = (int64_t)n;
    int32_t n_read;
    OB_TRY(ob__read_ints(&args->in[i], &at, 1, &n_read, error));
    OB_FAIL_IF(n_read != 1, error, OB_E_ARGUMENT, "the position has %d elements instead of 1", n_read);
    OB_FAIL_IF(at < -count || at >= count + behind, error, OB_E_ARGUMENT, "position %lld is outside a sequence of %lld",
               (long long)at, (long long)count);
    *out = (size_t)(at < 0 ? at + count : at);
    return OB_OK;
}

/* ---- kernels ---- */

static ob_status plan_params(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    ob_sequence_params *params = args->state;
    ob__sequence_params(site->node, params);
    OB_FAIL_IF(params->dtype == OB_NONE, error, OB_E_ARGUMENT, "its dtype is not an element type");
    return OB_OK;
}

static ob_status empty_run(const ob_kernel_args *args, ob_error *error) {
    const ob_sequence_params *params = args->state;
    return ob__cell_new_list(OB_CELL_SEQUENCE, params->dtype, 0, args->cells->allocator, &args->cells->out[0], error);
}

static ob_status construct_run(const ob_kernel_args *args, ob_error *error) {
    ob_cell *list, *item = NULL;
    OB_TRY(ob__cell_new_list(OB_CELL_SEQUENCE, OB_NONE, args->n_in, args->cells->allocator, &list, error));
    for (uint32_t i = 0; i < args->n_in; i++) {
        ob_status status = take(args, i, &item, error);
        if (status == OB_OK) status = ob__cell_insert(&list, i, item, error);
        if (status == OB_OK) continue;
        ob_cell_close(&list);
        return status;
    }
    args->cells->out[0] = list;
    return OB_OK;
}

static ob_status at_run(const ob_kernel_args *args, ob_error *error) {
    const ob_cell *list = sequence_in(args, 0);
    size_t at, n = ob_cell_count(list);
    OB_FAIL_IF(!list, error, OB_E_TYPE, "operand 0 is not a sequence");
    OB_TRY(read_place(args, 1, n, false, &at, error));
    return ob__give_cell(args, 0, ob__cell_hold(ob_cell_at(list, at)), error);
}

static ob_status insert_run(const ob_kernel_args *args, ob_error *error) {
    ob_cell *list = NULL, *item = NULL;
    OB_TRY(take_sequence(args, 0, &list, error));
    size_t at = ob_cell_count(list);
    ob_status status = ob__given(args, 2) ? read_place(args, 2, at, true, &at, error) : OB_OK;
    if (status == OB_OK) status = take(args, 1, &item, error);
    if (status == OB_OK) status = ob__cell_insert(&list, at, item, error);
    if (status == OB_OK)
        args->cells->out[0] = list;
    else
        ob_cell_close(&list);
    return status;
}

static ob_status erase_run(const ob_kernel_args *args, ob_error *error) {
    ob_cell *list = NULL;
    OB_TRY(take_sequence(args, 0, &list, error));
    size_t n = ob_cell_count(list), at = n ? n - 1 : 0;
    ob_status status = OB_OK;
    if (ob__given(args, 1))
        status = read_place(args, 1, n, false, &at, error);
    else if (n == 0)
        status = ob__fail(error, OB_E_ARGUMENT, "an empty sequence has no last element");
    if (status == OB_OK) status = ob__cell_erase(&list, at, error);
    if (status == OB_OK)
        args->cells->out[0] = list;
    else
        ob_cell_close(&list);
    return status;
}

static ob_status length_run(const ob_kernel_args *args, ob_error *error) {
    const ob_cell *list = sequence_in(args, 0);
    OB_FAIL_IF(!list, error, OB_E_TYPE, "operand 0 is not a sequence");
    *(int64_t *)args->out[0].data = (int64_t)ob_cell_count(list);
    return OB_OK;
}

/* ---- SplitToSequence ---- */

/* Element i of an integer operand with at most one axis. */
static int64_t int_at(const ob_view *view, int64_t i) {
    const char *at = (const char *)view->data + (view->rank ? i * view->strides[0] : 0);
    int32_t narrow;
    int64_t wide;
    if (view->dtype == OB_INT32) return memcpy(&narrow, at, sizeof narrow), narrow;
    return memcpy(&wide, at, sizeof wide), wide;
}

/* The lengths of the parts: their number, and each length. */
typedef struct parts {
    const ob_view *lengths; /* has one axis; NULL: all parts have length `each`, but the last may be shorter */
    int64_t n, each;
} parts;

static ob_status read_parts(const ob_kernel_args *args, int64_t size, parts *out, ob_error *error) {
    *out = (parts){.n = size, .each = 1};
    if (!ob__given(args, 1)) return OB_OK;
    const ob_view *split = &args->in[1];
    OB_FAIL_IF(split->rank > 1, error, OB_E_SHAPE, "the lengths of the parts have rank %d, which is over 1", split->rank);
    if (split->rank == 0) {
        out->each = int_at(split, 0);
        OB_FAIL_IF(out->each < 1, error, OB_E_ARGUMENT, "parts of length %lld", (long long)out->each);
        out->n = size / out->each + (size % out->each != 0);
        return OB_OK;
    }
    int64_t sum = 0;
    out->lengths = split;
    out->n = split->dims[0];
    for (int64_t i = 0; i < out->n; i++) {
        int64_t length = int_at(split, i);
        OB_FAIL_IF(length < 0, error, OB_E_ARGUMENT, "part %lld has length %lld", (long long)i, (long long)length);
        if (ob__add_overflows(sum, length, &sum)) sum = INT64_MAX;
    }
    OB_FAIL_IF(sum != size, error, OB_E_SHAPE, "the lengths of the parts make %lld, the axis has %lld", (long long)sum,
               (long long)size);
    return OB_OK;
}

static void drop_axis(ob_view *view, int32_t axis) {
    for (int32_t a = axis; a + 1 < view->rank; a++) {
        view->dims[a] = view->dims[a + 1];
        view->strides[a] = view->strides[a + 1];
    }
    view->rank--;
}

static ob_status split_run(const ob_kernel_args *args, ob_error *error) {
    const ob_sequence_params *params = args->state;
    const ob_view *in = &args->in[0];
    int32_t axis = 0;
    parts p;
    OB_TRY(ob__axis(params->axis, in->rank, &axis, error));
    OB_TRY(read_parts(args, in->dims[axis], &p, error));
    ob_cell *list, *item = NULL;
    OB_TRY(ob__cell_new_list(OB_CELL_SEQUENCE, in->dtype, (size_t)p.n, args->cells->allocator, &list, error));
    obk_pace pace = ob__pace(args->threads);
    for (int64_t i = 0, done = 0; i < p.n && !obk_stops(&pace, 128); i++) {
        int64_t rest = in->dims[axis] - done, length = p.lengths ? int_at(p.lengths, i) : p.each < rest ? p.each : rest;
        ob_view part = *in;
        part.data = ob__offset(in->data, done * in->strides[axis]);
        part.dims[axis] = length;
        if (params->drops) drop_axis(&part, axis);
        ob_status status = ob__cell_copy(&part, args->cells->allocator, &item, &pace, error);
        if (status == OB_OK) status = ob__cell_insert(&list, (size_t)i, item, error);
        if (status != OB_OK) {
            ob_cell_close(&list);
            return status;
        }
        done += length;
    }
    args->cells->out[0] = list;
    return OB_OK;
}

/* ---- ConcatFromSequence ---- */

/* The shape of the result in `out`, and the axis along which the items are joined. */
static ob_status joined_shape(const ob_cell *list, const ob_sequence_params *params, ob_view *out, int32_t *axis,
                              ob_error *error) {
    size_t n = ob_cell_count(list);
    OB_FAIL_IF(n == 0, error, OB_E_ARGUMENT, "an empty sequence has nothing to concatenate");
    for (size_t i = 0; i < n; i++) {
        ob_view item;
        OB_FAIL_IF(!ob_cell_view(ob_cell_at(list, i), &item), error, OB_E_TYPE, "item %zu of the sequence is not a tensor", i);
        if (i == 0) {
            *out = item;
            OB_FAIL_IF(params->stacks && item.rank == OB_MAX_RANK, error, OB_E_LIMIT, "the result has more than %d axes",
                       OB_MAX_RANK);
            OB_TRY(ob__axis(params->axis, item.rank + params->stacks, axis, error));
            continue;
        }
        bool same = item.rank == out->rank && item.dtype == out->dtype;
        for (int32_t a = 0; same && a < item.rank; a++) same = item.dims[a] == out->dims[a] || (a == *axis && !params->stacks);
        OB_FAIL_IF(!same, error, OB_E_SHAPE, "item %zu of the sequence does not have the shape of item 0", i);
        bool overflow = !params->stacks && ob__add_overflows(out->dims[*axis], item.dims[*axis], &out->dims[*axis]);
        OB_FAIL_IF(overflow, error, OB_E_LIMIT, "the result is too large");
    }
    if (!params->stacks) return OB_OK;
    memmove(&out->dims[*axis + 1], &out->dims[*axis], (size_t)(out->rank - *axis) * sizeof *out->dims);
    out->dims[*axis] = (int64_t)n;
    out->rank++;
    return OB_OK;
}

static ob_status concat_run(const ob_kernel_args *args, ob_error *error) {
    const ob_sequence_params *params = args->state;
    const ob_cell *list = sequence_in(args, 0);
    ob_view shape;
    int32_t axis = 0;
    OB_FAIL_IF(!list, error, OB_E_TYPE, "operand 0 is not a sequence");
    OB_TRY(joined_shape(list, params, &shape, &axis, error));
    OB_TRY(ob__set_output(args, 0, &shape, error));
    const ob_view *out = &args->out[0];
    int64_t done = 0;
    for (size_t i = 0; i < ob_cell_count(list); i++) {
        ob_view item, to = *out;
        ob_cell_view(ob_cell_at(list, i), &item);
        to.data = ob__offset(out->data, done * out->strides[axis]);
        if (params->stacks)
            drop_axis(&to, axis);
        else
            to.dims[axis] = item.dims[axis];
        ob__copy_view(&to, &item,
                      out->dtype == OB_STRING ? NULL : args->threads); /* strings are read next, so they are copied as a whole */
        done += params->stacks ? 1 : item.dims[axis];
    }
    return ob__own_strings(args, 0, error);
}

/* ---- optionals ---- */

static ob_status optional_run(const ob_kernel_args *args, ob_error *error) {
    ob_kernel_cells *cells = args->cells;
    if (args->n_in == 0 || (!cells->in[0] && !ob__given(args, 0))) return ob_cell_none(cells->allocator, &cells->out[0], error);
    return take(args, 0, &cells->out[0], error);
}

/* A tensor counts as its own element. */
static ob_status get_view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    (void)site;
    (void)error;
    args->out[0] = args->in[0];
    return OB_OK;
}

static ob_status get_run(const ob_kernel_args *args, ob_error *error) {
    ob_cell *cell = NULL;
    if (!args->cells || !args->cells->in[0]) { /* a tensor counts as its own element */
        OB_TRY(ob__set_output(args, 0, &args->in[0], error));
        ob__copy_view(&args->out[0], &args->in[0], args->threads);
        return OB_OK;
    }
    OB_FAIL_IF(ob_cell_get_kind(args->cells->in[0]) == OB_CELL_NONE, error, OB_E_ARGUMENT, "the optional has no element");
    OB_TRY(take(args, 0, &cell, error));
    return ob__give_cell(args, 0, cell, error);
}

static ob_status has_run(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const ob_cell *cell = args->n_in && args->cells ? args->cells->in[0] : NULL;
    bool has = cell ? ob_cell_get_kind(cell) != OB_CELL_NONE : ob__given(args, 0);
    *(char *)args->out[0].data = has;
    return OB_OK;
}

enum { SEES_CELLS = OB_KERNEL_CELLS | OB_KERNEL_STRIDED };

const ob_kernel ob__kernel_sequence_empty = {.name = "sequence_empty",
                                             .flags = SEES_CELLS,
                                             .state_bytes = sizeof(ob_sequence_params),
                                             .plan = plan_params,
                                             .run = empty_run};
const ob_kernel ob__kernel_sequence_construct = {.name = "sequence_construct", .flags = SEES_CELLS, .run = construct_run};
const ob_kernel ob__kernel_sequence_at = {.name = "sequence_at", .flags = SEES_CELLS, .run = at_run};
const ob_kernel ob__kernel_sequence_insert = {.name = "sequence_insert", .flags = SEES_CELLS, .run = insert_run};
const ob_kernel ob__kernel_sequence_erase = {.name = "sequence_erase", .flags = SEES_CELLS, .run = erase_run};
const ob_kernel ob__kernel_sequence_length = {.name = "sequence_length", .flags = SEES_CELLS, .run = length_run};
const ob_kernel ob__kernel_split_to_sequence = {.name = "split_to_sequence",
                                                .flags = SEES_CELLS,
                                                .state_bytes = sizeof(ob_sequence_params),
                                                .plan = plan_params,
                                                .run = split_run};
const ob_kernel ob__kernel_concat_from_sequence = {.name = "concat_from_sequence",
                                                   .flags = SEES_CELLS | OB_KERNEL_DYNAMIC,
                                                   .state_bytes = sizeof(ob_sequence_params),
                                                   .plan = plan_params,
                                                   .run = concat_run};
/* Before planning, the executor replaces it by a Loop. */
const ob_kernel ob__kernel_sequence_map = {.name = "sequence_map", .flags = OB_KERNEL_CONTROL};
const ob_kernel ob__kernel_optional = {.name = "optional", .flags = SEES_CELLS, .run = optional_run};
const ob_kernel ob__kernel_optional_get = {
    .name = "optional_get", .flags = SEES_CELLS | OB_KERNEL_DYNAMIC | OB_KERNEL_VIEW, .view = get_view, .run = get_run};
const ob_kernel ob__kernel_optional_has = {.name = "optional_has", .flags = SEES_CELLS, .run = has_run};
