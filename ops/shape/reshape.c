/* Reshape, Flatten, Squeeze, Unsqueeze, Identity: the same elements in the same order under other dims.
 *
 * Reshape 1.., Flatten 1.., Squeeze 1.., Unsqueeze 1.., Identity 1..; every element type, by width. The output's dims are
 * known before planning, so all five share one kernel: a view if the input's strides allow it, otherwise a copy. */
#include "ops/kernel/cells.h"
#include "ops/kernel/common.h"

/* Finds strides for `out` in the memory of `in`; both have the same number of elements, which is not 0. It divides both shapes
 * into groups of axes with equal products; within a group the strides of the input must be even. */
static bool find_strides(const ob_view *in, ob_view *out) {
    int64_t dims[OB_MAX_RANK], strides[OB_MAX_RANK];
    int32_t rank = 0;
    for (int32_t a = 0; a < in->rank; a++) {
        if (in->dims[a] == 1) continue;
        dims[rank] = in->dims[a];
        strides[rank++] = in->strides[a];
    }
    int32_t i = 0, o = 0;
    while (i < rank && o < out->rank) {
        int32_t i_end = i + 1, o_end = o + 1;
        int64_t n_in = dims[i], n_out = out->dims[o];
        while (n_in != n_out) {
            if (n_in < n_out)
                n_in *= dims[i_end++];
            else
                n_out *= out->dims[o_end++];
        }
        for (int32_t a = i; a + 1 < i_end; a++)
            if (strides[a] != strides[a + 1] * dims[a + 1]) return false;
        int64_t stride = strides[i_end - 1];
        for (int32_t a = o_end - 1; a >= o; a--) {
            out->strides[a] = stride;
            stride *= out->dims[a];
        }
        i = i_end;
        o = o_end;
    }
    for (; o < out->rank; o++) out->strides[o] = 0; /* axes of size 1 at the end */
    return true;
}

static ob_status check_counts(const ob_kernel_args *args, ob_error *error) {
    int64_t n_in = ob__count(&args->in[0]), n_out = ob__count(&args->out[0]);
    OB_FAIL_IF(n_in != n_out, error, OB_E_SHAPE, "%lld elements do not fill a shape of %lld", (long long)n_in, (long long)n_out);
    return OB_OK;
}

static ob_status reshape_view(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    (void)site;
    OB_TRY(check_counts(args, error));
    ob_view view = args->out[0];
    view.data = args->in[0].data;
    if (ob__count(&view) == 0)
        ob__contiguous_strides(view.rank, view.dims, ob_dtype_size(view.dtype), view.strides);
    else if (!find_strides(&args->in[0], &view))
        return ob__fail(error, OB_E_UNSUPPORTED, "these strides allow no view");
    args->out[0] = view;
    return OB_OK;
}

OB_RUN(ob__run_reshape) {
    OB_TRY(check_counts(args, error));
    ob__copy_contiguous(&args->in[0], args->out[0].data, args->threads);
    return OB_OK;
}

const ob_kernel ob__kernel_reshape = {
    .name = "reshape", .flags = OB_KERNEL_VIEW | OB_KERNEL_STRIDED, .view = reshape_view, OB_RUNS(ob__run_reshape)};

OB_RUN(ob__run_identity) {
    ob_kernel_cells *cells = args->cells;
    if (!cells || !cells->in[0]) return ob__run_reshape(args, error);
    ob_cell *cell = cells->in[0];
    cells->in[0] = NULL;
    return ob__give_cell(args, 0, cell, error);
}

const ob_kernel ob__kernel_identity = {.name = "identity",
                                       .flags = OB_KERNEL_VIEW | OB_KERNEL_STRIDED | OB_KERNEL_CELLS,
                                       .view = reshape_view,
                                       OB_RUNS(ob__run_identity)};
