/* Transpose, Slice, Split: views with permuted, scaled or shifted strides. Every element type, by width.
 *
 * Transpose 1..: attribute perm, reversed order by default.
 * Slice 1 (attributes starts, ends, axes), 10.. (inputs, with steps): a negative step gives a negative stride. As in NumPy,
 * starts and ends beyond the axis are clamped. Split 1.. (attribute split or input 1; num_outputs since 18): consecutive parts of
 * one axis; their sizes are known before planning. */
#include "core/base/integers.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/movement/params.h"

/* ---- Transpose ---- */

static ob_status transpose_view_of(const void *params, const ob_kernel_args *args, uint32_t i, ob_view *out, ob_error *error) {
    (void)i;
    const ob_view *in = &args->in[0];
    const ob_ints *order = params;
    const int64_t *perm = order->at;
    OB_FAIL_IF(out->rank != in->rank || (perm && order->n != (uint32_t)in->rank), error, OB_E_ARGUMENT,
               "perm does not fit a tensor of rank %d", in->rank);
    uint32_t seen = 0;
    for (int32_t a = 0; a < in->rank; a++) {
        int32_t from = in->rank - 1 - a;
        if (perm) OB_TRY(ob__axis(perm[a], in->rank, &from, error));
        OB_FAIL_IF(seen >> from & 1, error, OB_E_ARGUMENT, "perm names axis %d twice", from);
        seen |= UINT32_C(1) << from;
        OB_FAIL_IF(out->dims[a] != in->dims[from], error, OB_E_SHAPE, "axis %d of the result is not axis %d of the input", a,
                   from);
        out->strides[a] = in->strides[from];
    }
    out->data = in->data;
    return OB_OK;
}

static ob_status transpose_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    (void)error;
    ob_ints *order = args->state;
    *order = ob__transpose_order(site->node);
    return ob__keep_list(site, order);
}

static ob_status transpose_view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    const ob_ints order = ob__transpose_order(site->node);
    return ob__view_outputs(&order, args, transpose_view_of, error);
}

OB_RUN(ob__run_transpose) {
    return ob__copy_outputs(args->state, args, transpose_view_of, error);
}

const ob_kernel ob__kernel_transpose = {.name = "transpose",
                                        .flags = OB_KERNEL_VIEW | OB_KERNEL_STRIDED,
                                        .state_bytes = sizeof(ob_ints),
                                        .state = &ob__ints_struct,
                                        .plan = transpose_plan,
                                        .view = transpose_view,
                                        OB_RUNS(ob__run_transpose)};

/* ---- Slice ---- */

static const ob_member slice_members[] = {OB_NESTED(ob_slice_params, starts, &ob__ints_struct),
                                          OB_NESTED(ob_slice_params, ends, &ob__ints_struct),
                                          OB_NESTED(ob_slice_params, axes, &ob__ints_struct)};
static const ob_struct slice_struct = OB_STRUCT(ob_slice_params, slice_members);

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

/* The first element and the number of elements along one axis. */
static void slice_axis(int64_t dim, int64_t start, int64_t end, int64_t step, int64_t *first, int64_t *count) {
    if (start < 0) start = start < -dim ? -1 : start + dim;
    if (end < 0) end = end < -dim ? -1 : end + dim;
    if (step > 0) {
        start = clamp(start, 0, dim);
        end = clamp(end, 0, dim);
        *count = end > start ? ob__ceil_div(end - start, step) : 0;
    } else {
        start = clamp(start, dim > 0 ? 0 : -1, dim - 1);
        end = clamp(end, -1, dim - 1);
        uint64_t stride = 0 - (uint64_t)step;
        *count = start > end ? (int64_t)ob__ceil_div_u64((uint64_t)(start - end), stride) : 0;
    }
    *first = start;
}

static ob_status slice_view_of(const void *params, const ob_kernel_args *args, uint32_t i, ob_view *out, ob_error *error) {
    (void)i;
    const ob_view *in = &args->in[0];
    int64_t starts[OB_MAX_RANK], ends[OB_MAX_RANK], axes[OB_MAX_RANK], steps[OB_MAX_RANK];
    int32_t n, n_ends, n_axes, n_steps;
    const ob_slice_params *given = params;
    OB_TRY(ob__read_either(&given->starts, args, 1, starts, OB_MAX_RANK, &n, error));
    OB_TRY(ob__read_either(&given->ends, args, 2, ends, OB_MAX_RANK, &n_ends, error));
    OB_TRY(ob__read_either(&given->axes, args, 3, axes, OB_MAX_RANK, &n_axes, error));
    OB_TRY(ob__read_either(&(ob_ints){0}, args, 4, steps, OB_MAX_RANK, &n_steps, error));
    bool bad = n < 0 || n_ends != n || (n_axes >= 0 && n_axes != n) || (n_steps >= 0 && n_steps != n) || n > in->rank;
    OB_FAIL_IF(bad, error, OB_E_ARGUMENT, "starts, ends, axes and steps differ in length");
    OB_FAIL_IF(out->rank != in->rank, error, OB_E_SHAPE, "the rank changes from %d to %d", in->rank, out->rank);
    int64_t offset = 0;
    uint32_t seen = 0;
    for (int32_t a = 0; a < in->rank; a++) out->strides[a] = in->strides[a];
    for (int32_t k = 0; k < n; k++) {
        int32_t axis;
        OB_TRY(ob__axis(n_axes >= 0 ? axes[k] : k, in->rank, &axis, error));
        int64_t step = n_steps >= 0 ? steps[k] : 1, first, count;
        OB_FAIL_IF(step == 0 || seen >> axis & 1, error, OB_E_ARGUMENT, "axis %d occurs twice or has step 0", axis);
        seen |= UINT32_C(1) << axis;
        slice_axis(in->dims[axis], starts[k], ends[k], step, &first, &count);
        OB_FAIL_IF(count != out->dims[axis], error, OB_E_SHAPE, "axis %d has %lld elements, not the planned %lld", axis,
                   (long long)count, (long long)out->dims[axis]);
        if (count == 0) continue;
        if (count == 1) step = 1; /* a very large step over one element would overflow the stride */
        offset += first * in->strides[axis];
        out->strides[axis] = step * in->strides[axis];
    }
    for (int32_t a = 0; a < in->rank; a++)
        OB_FAIL_IF(!(seen >> a & 1) && in->dims[a] != out->dims[a], error, OB_E_SHAPE,
                   "axis %d changes its size but is not sliced", a);
    out->data = ob__count(out) ? ob__offset(in->data, offset) : in->data;
    return OB_OK;
}

static ob_status slice_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    (void)error;
    ob_slice_params *params = args->state;
    *params = ob__slice_params(site->node);
    OB_TRY(ob__keep_list(site, &params->starts));
    OB_TRY(ob__keep_list(site, &params->ends));
    return ob__keep_list(site, &params->axes);
}

static ob_status slice_view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    const ob_slice_params params = ob__slice_params(site->node);
    return ob__view_outputs(&params, args, slice_view_of, error);
}

OB_RUN(ob__run_slice) {
    return ob__copy_outputs(args->state, args, slice_view_of, error);
}

const ob_kernel ob__kernel_slice = {.name = "slice",
                                    .flags = OB_KERNEL_VIEW | OB_KERNEL_STRIDED,
                                    .state_bytes = sizeof(ob_slice_params),
                                    .state = &slice_struct,
                                    .plan = slice_plan,
                                    .view = slice_view,
                                    OB_RUNS(ob__run_slice)};

/* ---- Split ---- */

typedef struct split_params {
    int64_t axis;
    ob_ints sizes;
} split_params;

static const ob_member split_members[] = {OB_VALUE(split_params, axis), OB_NESTED(split_params, sizes, &ob__ints_struct)};
static const ob_struct split_struct = OB_STRUCT(split_params, split_members);

/* The size of part k, which may be an omitted output: from the sizes, or without them equal parts, of which the last may be
 * smaller. */
static ob_status split_size(const ob_ints *sizes, const ob_kernel_args *args, uint32_t k, int32_t axis, int64_t whole,
                            int64_t *size, ob_error *error) {
    if (ob__wanted(args, k)) {
        OB_FAIL_IF(args->out[k].rank <= axis, error, OB_E_SHAPE, "part %u has rank %d", k, args->out[k].rank);
        *size = args->out[k].dims[axis];
        return OB_OK;
    }
    if (sizes->at) {
        OB_FAIL_IF(k >= sizes->n, error, OB_E_ARGUMENT, "%u sizes for %u outputs", sizes->n, args->n_out);
        *size = sizes->at[k];
    } else if (ob__given(args, 1)) {
        const ob_view *operand = &args->in[1];
        OB_FAIL_IF(operand->rank != 1 || ob__count(operand) <= k, error, OB_E_ARGUMENT, "%lld sizes for %u outputs",
                   (long long)ob__count(operand), args->n_out);
        OB_FAIL_IF(!operand->data, error, OB_E_UNSUPPORTED, "the sizes are not known before the run");
        ob_view one = *operand;
        one.data = (char *)operand->data + (int64_t)k * operand->strides[0];
        one.dims[0] = 1;
        int32_t n_read;
        OB_TRY(ob__read_ints(&one, size, 1, &n_read, error));
    } else {
        int64_t part = ob__ceil_div(whole, args->n_out), before = part * (int64_t)k;
        *size = before >= whole ? 0 : part < whole - before ? part : whole - before;
    }
    OB_FAIL_IF(*size < 0 || *size > whole, error, OB_E_SHAPE, "part %u has size %lld of %lld", k, (long long)*size,
               (long long)whole);
    return OB_OK;
}

static ob_status split_view_of(const void *params, const ob_kernel_args *args, uint32_t i, ob_view *out, ob_error *error) {
    const split_params *given = params;
    const ob_view *in = &args->in[0];
    int32_t axis;
    OB_TRY(ob__axis(given->axis, in->rank, &axis, error));
    OB_FAIL_IF(out->rank != in->rank, error, OB_E_SHAPE, "the rank changes from %d to %d", in->rank, out->rank);
    int64_t first = 0;
    for (uint32_t k = 0; k < i; k++) {
        int64_t size = 0;
        OB_TRY(split_size(&given->sizes, args, k, axis, in->dims[axis], &size, error));
        first += size;
    }
    OB_FAIL_IF(first + out->dims[axis] > in->dims[axis], error, OB_E_SHAPE, "the parts exceed axis %d of size %lld", axis,
               (long long)in->dims[axis]);
    for (int32_t a = 0; a < in->rank; a++) {
        OB_FAIL_IF(a != axis && in->dims[a] != out->dims[a], error, OB_E_SHAPE, "axis %d changes size", a);
        out->strides[a] = in->strides[a];
    }
    out->data = ob__count(out) ? ob__offset(in->data, first * in->strides[axis]) : in->data;
    return OB_OK;
}

static split_params read_split(const ob_node *node) {
    return (split_params){ob__split_axis(node), ob__split_sizes(node)};
}

static ob_status split_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    (void)error;
    split_params *params = args->state;
    *params = read_split(site->node);
    return ob__keep_list(site, &params->sizes);
}

static ob_status split_view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    const split_params params = read_split(site->node);
    return ob__view_outputs(&params, args, split_view_of, error);
}

OB_RUN(ob__run_split) {
    return ob__copy_outputs(args->state, args, split_view_of, error);
}

const ob_kernel ob__kernel_split = {.name = "split",
                                    .flags = OB_KERNEL_VIEW | OB_KERNEL_STRIDED,
                                    .state_bytes = sizeof(split_params),
                                    .state = &split_struct,
                                    .plan = split_plan,
                                    .view = split_view,
                                    OB_RUNS(ob__run_split)};
