/* Concat 1.. (axis, 1 by default in version 1), Tile 1 (tiles, axis) and 6.. (repeats), DepthToSpace 1.. (mode DCR, since 11 also
 * CRD), SpaceToDepth 1..: copies of blocks. Every element type, by width; inputs may be strided. The dims of the result are known
 * before planning. */
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/movement/params.h"

typedef struct concat {
    int32_t axis;
} concat;

static const ob_member concat_members[] = {OB_VALUE(concat, axis)};
static const ob_struct concat_struct = OB_STRUCT(concat, concat_members);

static ob_status concat_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    return ob__axis(ob__concat_axis(site->node), args->out[0].rank, &((concat *)args->state)->axis, error);
}

/* Whether operand i fits after the `done` elements of those before it. */
static ob_status check_fit(const ob_kernel_args *args, uint32_t i, int32_t axis, int64_t done, ob_error *error) {
    const ob_view *in = &args->in[i], *out = &args->out[0];
    OB_FAIL_IF(in->rank != out->rank || in->dtype != out->dtype, error, OB_E_SHAPE, "input %u has another rank or type", i);
    for (int32_t a = 0; a < in->rank; a++) {
        bool bad = a == axis ? in->dims[a] > out->dims[a] - done : in->dims[a] != out->dims[a];
        if (bad && error) error->axis = a;
        OB_FAIL_IF(bad, error, OB_E_SHAPE, "input %u does not fit along axis %d", i, a);
    }
    return OB_OK;
}

OB_RUN(ob__run_concat) {
    const ob_view *out = &args->out[0];
    const int32_t axis = ((const concat *)args->state)->axis;
    size_t width = ob_dtype_size(out->dtype);
    int64_t done = 0;
    for (uint32_t i = 0; i < args->n_in; i++) {
        if (!ob__given(args, i)) continue;
        const ob_view *in = &args->in[i];
        char *to = (char *)out->data + done * out->strides[axis];
        OB_TRY(check_fit(args, i, axis, done, error));
        if (ob__count(in) > 0 && in->data != to)
            ob__copy_shared(in->rank, in->dims, width, to, out->strides, in->data, in->strides, args->threads);
        done += in->dims[axis];
    }
    OB_FAIL_IF(done != out->dims[axis], error, OB_E_SHAPE, "%lld of %lld elements along axis %d", (long long)done,
               (long long)out->dims[axis], axis);
    return OB_OK;
}

static bool concat_places(const ob_kernel_args *args, int64_t *offsets) {
    const ob_view *out = &args->out[0];
    const int32_t axis = ((const concat *)args->state)->axis;
    int64_t done = 0;
    for (int32_t a = 0; a < axis; a++)
        if (out->dims[a] != 1) return false;
    for (uint32_t i = 0; i < args->n_in; i++) {
        offsets[i] = done * out->strides[axis];
        if (!ob__given(args, i)) continue;
        if (check_fit(args, i, axis, done, NULL) != OB_OK) return false;
        done += args->in[i].dims[axis];
    }
    return done == out->dims[axis];
}

const ob_kernel ob__kernel_concat = {.name = "concat",
                                     .flags = OB_KERNEL_STRIDED,
                                     .state_bytes = sizeof(concat),
                                     .plan = concat_plan,
                                     OB_RUNS(ob__run_concat),
                                     .state = &concat_struct,
                                     .places = concat_places};

/* Each axis becomes two, repeats x size; the input has stride 0 along repeats. */
OB_RUN(ob__run_tile) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    int64_t dims[OB__COPY_RANK], to[OB__COPY_RANK], from[OB__COPY_RANK];
    OB_FAIL_IF(in->rank != out->rank, error, OB_E_SHAPE, "the rank changes from %d to %d", in->rank, out->rank);
    if (ob__count(out) == 0) return OB_OK;
    for (int32_t a = 0; a < in->rank; a++) {
        OB_FAIL_IF(in->dims[a] == 0 || out->dims[a] % in->dims[a] != 0, error, OB_E_SHAPE,
                   "axis %d: %lld is not a multiple of %lld", a, (long long)out->dims[a], (long long)in->dims[a]);
        dims[2 * a] = out->dims[a] / in->dims[a];
        to[2 * a] = in->dims[a] * out->strides[a];
        from[2 * a] = 0;
        dims[2 * a + 1] = in->dims[a];
        to[2 * a + 1] = out->strides[a];
        from[2 * a + 1] = in->strides[a];
    }
    ob__copy_shared(2 * in->rank, dims, ob_dtype_size(out->dtype), out->data, to, in->data, from, args->threads);
    return OB_OK;
}

/* Only axes of size 1 are repeated, as Expand does it. */
static ob_status tile_view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    (void)site;
    const ob_view *in = &args->in[0];
    ob_view *out = &args->out[0];
    OB_FAIL_IF(in->rank != out->rank, error, OB_E_SHAPE, "the rank changes from %d to %d", in->rank, out->rank);
    for (int32_t a = 0; a < in->rank; a++)
        OB_FAIL_IF(in->dims[a] != out->dims[a] && in->dims[a] != 1, error, OB_E_UNSUPPORTED, "axis %d is repeated", a);
    for (int32_t a = 0; a < in->rank; a++) out->strides[a] = in->dims[a] != out->dims[a] ? 0 : in->strides[a];
    out->data = in->data;
    return OB_OK;
}

const ob_kernel ob__kernel_tile = {
    .name = "tile", .flags = OB_KERNEL_VIEW | OB_KERNEL_STRIDED, .view = tile_view, OB_RUNS(ob__run_tile)};

static const ob_member depth_members[] = {OB_VALUE(ob_depth_params, to_space), OB_VALUE(ob_depth_params, channels_first),
                                          OB_VALUE(ob_depth_params, block)};
static const ob_struct depth_struct = OB_STRUCT(ob_depth_params, depth_members);

/* Both copy over (n, c, h, w, i, j): channel c of the tensor with more channels, element (i, j) of the block. */
static ob_status depth_space_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    ob_depth_params *params = args->state;
    *params = ob__depth_params(site->node);
    int64_t b = params->block;
    const ob_view *in = &args->in[0], *out = &args->out[0];
    const ob_view *deep = params->to_space ? in : out, *wide = params->to_space ? out : in;
    OB_FAIL_IF(in->rank != 4 || out->rank != 4 || b <= 0 || b > INT32_MAX, error, OB_E_ARGUMENT, "rank %d, blocksize %lld",
               in->rank, (long long)b);
    bool fits = deep->dims[0] == wide->dims[0] && deep->dims[1] == wide->dims[1] * b * b && wide->dims[2] == deep->dims[2] * b &&
                wide->dims[3] == deep->dims[3] * b;
    OB_FAIL_IF(!fits, error, OB_E_SHAPE, "shapes do not fit blocksize %lld", (long long)b);
    return OB_OK;
}

OB_RUN(ob__run_depth_space) {
    (void)error;
    const ob_depth_params *params = args->state;
    const ob_view *in = &args->in[0], *out = &args->out[0];
    bool to_space = params->to_space, channels_first = params->channels_first;
    const ob_view *deep = to_space ? in : out, *wide = to_space ? out : in;
    int64_t b = params->block;
    int64_t channels = wide->dims[1];
    const int64_t dims[6] = {deep->dims[0], channels, deep->dims[2], deep->dims[3], b, b};
    const int64_t *d = deep->strides, *w = wide->strides;
    const int64_t deep_strides[6] = {d[0],
                                     channels_first ? b * b * d[1] : d[1],
                                     d[2],
                                     d[3],
                                     channels_first ? b * d[1] : b * channels * d[1],
                                     channels_first ? d[1] : channels * d[1]};
    const int64_t wide_strides[6] = {w[0], w[1], b * w[2], b * w[3], w[2], w[3]};
    /* in the order of the output's memory: n c h i w j, or n i j c h w */
    static const int space_order[6] = {0, 1, 2, 4, 3, 5}, depth_order[6] = {0, 4, 5, 1, 2, 3};
    int64_t ordered[6], to[6], from[6];
    for (int k = 0; k < 6; k++) {
        int a = to_space ? space_order[k] : depth_order[k];
        ordered[k] = dims[a];
        to[k] = to_space ? wide_strides[a] : deep_strides[a];
        from[k] = to_space ? deep_strides[a] : wide_strides[a];
    }
    if (ob__count(out) > 0) ob__copy_shared(6, ordered, ob_dtype_size(out->dtype), out->data, to, in->data, from, args->threads);
    return OB_OK;
}

const ob_kernel ob__kernel_depth_space = {.name = "depth_space",
                                          .flags = OB_KERNEL_STRIDED,
                                          .state_bytes = sizeof(ob_depth_params),
                                          .plan = depth_space_plan,
                                          OB_RUNS(ob__run_depth_space),
                                          .state = &depth_struct};
