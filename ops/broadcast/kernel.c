/* Expand, Broadcast, BroadcastInDim: views of the input with stride 0 along every stretched axis. Nothing is copied.
 *
 * Expand(X, shape)              opset 8..; two-way: the result is the broadcast of X's shape and `shape`.
 * Broadcast(X0 .. Xn)           domain onnx_broadcast, 1..; every output has the common shape of all inputs.
 * BroadcastInDim(X[, shape])    domain onnx_broadcast, 1..; dimension i of X becomes dimension broadcast_dimensions[i]; without
 * the attribute the identity, which needs equal ranks (or a scalar). Every element type, by width. The dims of the
 * output are known before planning; E_SHAPE if an input does not broadcast to them. */
#include "ops/broadcast/params.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"

static ob_status stretch(const ob_view *in, const int64_t *dimensions, ob_view *out, ob_error *error) {
    for (int32_t a = 0; a < out->rank; a++) out->strides[a] = 0;
    for (int32_t i = 0; i < in->rank; i++) {
        int32_t axis = (int32_t)dimensions[i];
        if (in->dims[i] == out->dims[axis]) {
            out->strides[axis] = in->strides[i];
            continue;
        }
        if (in->dims[i] == 1) continue;
        if (error) error->axis = axis;
        return ob__fail(error, OB_E_SHAPE, "axis %d: %lld does not broadcast to %lld", axis, (long long)in->dims[i],
                        (long long)out->dims[axis]);
    }
    out->data = in->data;
    return OB_OK;
}

static ob_status broadcast_view_of(const void *params, const ob_kernel_args *args, uint32_t i, ob_view *out, ob_error *error) {
    (void)params;
    OB_FAIL_IF(!ob__given(args, i), error, OB_E_MODEL, "output %u has no input", i);
    const ob_view *in = &args->in[i];
    OB_FAIL_IF(in->rank > out->rank, error, OB_E_SHAPE, "rank %d does not broadcast to rank %d", in->rank, out->rank);
    int64_t dimensions[OB_MAX_RANK];
    for (int32_t a = 0; a < in->rank; a++) dimensions[a] = out->rank - in->rank + a;
    return stretch(in, dimensions, out, error);
}

static ob_status broadcast_view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    (void)site;
    return ob__view_outputs(NULL, args, broadcast_view_of, error);
}

OB_RUN(ob__run_broadcast) {
    return ob__copy_outputs(NULL, args, broadcast_view_of, error);
}

/* At planning, only the length of the target may be known; a size other than 1 then stays. When the target's elements are known,
 * they must agree with the result. */
static ob_status check_target(const ob_kernel_args *args, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    int64_t target[OB_MAX_RANK];
    int32_t n;
    OB_FAIL_IF(!ob__given(args, 1), error, OB_E_MODEL, "the target is left out");
    OB_TRY(ob__read_ints(&args->in[1], target, out->rank, &n, error));
    for (int32_t k = 0; k < n; k++) {
        int32_t axis = out->rank - n + k, own = axis - (out->rank - in->rank);
        int64_t from = own >= 0 ? in->dims[own] : 1;
        if (target[k] == out->dims[axis] || (target[k] == 1 && from == out->dims[axis])) continue;
        if (error) error->axis = axis;
        return ob__fail(error, OB_E_SHAPE, "axis %d: %lld must broadcast with %lld", axis, (long long)from, (long long)target[k]);
    }
    return OB_OK;
}

static ob_status expand_view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    (void)site;
    OB_TRY(check_target(args, error)); /* E_UNSUPPORTED if the target is not known yet; `run` checks it then */
    return ob__view_outputs(NULL, args, broadcast_view_of, error);
}

OB_RUN(ob__run_expand) {
    OB_TRY(check_target(args, error));
    return ob__copy_outputs(NULL, args, broadcast_view_of, error);
}

const ob_kernel ob__kernel_expand = {
    .name = "expand", .flags = OB_KERNEL_VIEW | OB_KERNEL_STRIDED, .view = expand_view, OB_RUNS(ob__run_expand)};
const ob_kernel ob__kernel_broadcast = {
    .name = "broadcast", .flags = OB_KERNEL_VIEW | OB_KERNEL_STRIDED, .view = broadcast_view, OB_RUNS(ob__run_broadcast)};

static const ob_member in_dim_members[] = {OB_NESTED(ob_in_dim_params, dimensions, &ob__ints_struct),
                                           OB_NESTED(ob_in_dim_params, shape, &ob__ints_struct)};
static const ob_struct in_dim_struct = OB_STRUCT(ob_in_dim_params, in_dim_members);

static ob_status in_dim_view_of(const void *params, const ob_kernel_args *args, uint32_t i, ob_view *out, ob_error *error) {
    (void)i;
    const ob_ints *given = &((const ob_in_dim_params *)params)->dimensions;
    const ob_view *in = &args->in[0];
    int64_t dimensions[OB_MAX_RANK];
    OB_FAIL_IF(given->given && given->n != (uint32_t)in->rank, error, OB_E_ARGUMENT, "%u broadcast_dimensions for rank %d",
               given->n, in->rank);
    OB_FAIL_IF(!given->given && in->rank != 0 && in->rank != out->rank, error, OB_E_ARGUMENT,
               "rank %d to rank %d needs broadcast_dimensions", in->rank, out->rank);
    for (int32_t a = 0; a < in->rank; a++) {
        dimensions[a] = given->given ? given->at[a] : a;
        bool bad = dimensions[a] < 0 || dimensions[a] >= out->rank || (a > 0 && dimensions[a] <= dimensions[a - 1]);
        OB_FAIL_IF(bad, error, OB_E_ARGUMENT, "broadcast_dimensions[%d] = %lld is out of range or order", a,
                   (long long)dimensions[a]);
    }
    return stretch(in, dimensions, out, error);
}

/* As for Expand: the result must have the shape that the operand states. */
static ob_status check_stated(const ob_kernel_args *args, ob_error *error) {
    const ob_view *out = &args->out[0];
    int64_t stated[OB_MAX_RANK];
    int32_t n;
    if (!ob__given(args, 1)) return OB_OK;
    OB_TRY(ob__read_ints(&args->in[1], stated, out->rank, &n, error));
    for (int32_t axis = 0; axis < n; axis++) {
        if (stated[axis] == out->dims[axis]) continue;
        if (error) error->axis = axis;
        return ob__fail(error, OB_E_SHAPE, "axis %d: %lld does not broadcast to %lld", axis, (long long)out->dims[axis],
                        (long long)stated[axis]);
    }
    return OB_OK;
}

static ob_status in_dim_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    (void)error;
    ob_in_dim_params *params = args->state;
    params->dimensions = ob__in_dim_params(site->node).dimensions;
    return ob__keep_list(site, &params->dimensions);
}

static ob_status in_dim_view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    const ob_in_dim_params params = ob__in_dim_params(site->node);
    OB_TRY(check_stated(args, error));
    return ob__view_outputs(&params, args, in_dim_view_of, error);
}

OB_RUN(ob__run_broadcast_in_dim) {
    OB_TRY(check_stated(args, error));
    return ob__copy_outputs(args->state, args, in_dim_view_of, error);
}

const ob_kernel ob__kernel_broadcast_in_dim = {.name = "broadcast_in_dim",
                                               .flags = OB_KERNEL_VIEW | OB_KERNEL_STRIDED,
                                               .state_bytes = sizeof(ob_in_dim_params),
                                               .plan = in_dim_plan,
                                               .view = in_dim_view,
                                               OB_RUNS(ob__run_broadcast_in_dim),
                                               .state = &in_dim_struct};
