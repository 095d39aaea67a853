/* Results of kernels that use cells, given as tensors or cells. */
#include "ops/kernel/cells.h"

#include "ops/kernel/common.h"

ob_status ob__set_output(const ob_kernel_args *args, uint32_t i, const ob_view *shape, ob_error *error) {
    const ob_view *out = &args->out[i];
    if (out->rank == OB_RANK_UNKNOWN) return ob__kernel_output(args, i, shape->rank, shape->dims, error);
    bool same = out->rank == shape->rank;
    for (int32_t a = 0; same && a < out->rank; a++) same = out->dims[a] == shape->dims[a];
    OB_FAIL_IF(!same, error, OB_E_SHAPE,
               "a tensor of a sequence does not have the shape that the model declares for its elements");
    return OB_OK;
}

typedef struct owning {
    ob_arena *strings;
    bool failed;
    obk_pace pace;
} owning;

static void own_loop(char *const *pointers, const int64_t *strides, int64_t n, const void *parameters) {
    owning *own = (owning *)(uintptr_t)parameters;
    char *at = pointers[0];
    for (int64_t i = 0; i < n && !obk_stops(&own->pace, 32); i++, at += strides[0]) {
        ob_string element;
        memcpy(&element, at, sizeof element);
        element.data = ob__arena_strndup(own->strings, element.data, element.n);
        own->failed |= !element.data;
        memcpy(at, &element, sizeof element);
    }
}

ob_status ob__own_strings(const ob_kernel_args *args, uint32_t i, ob_error *error) {
    const ob_view *out = &args->out[i];
    owning own = {args->strings, false, ob__pace(args->threads)};
    if (out->dtype != OB_STRING || ob__count(out) == 0) return OB_OK;
    OB_FAIL_IF(!own.strings, error, OB_E_UNSUPPORTED, "strings cannot be stored here");
    OB_TRY(ob_for_each(NULL, 0, out, 1, own_loop, &own, NULL, error));
    return own.failed ? ob__fail(error, OB_E_MEMORY, "no memory for strings") : OB_OK;
}

/* Strings are copied as a whole, because they are read next. */
static void copy_tensor(const ob_kernel_args *args, const ob_view *to, const ob_view *from) {
    ob__copy_view(to, from, to->dtype == OB_STRING ? NULL : args->threads);
}

ob_status ob__give_cell(const ob_kernel_args *args, uint32_t i, ob_cell *cell, ob_error *error) {
    ob_view view, *out = &args->out[i];
    ob_status status = OB_OK;
    if (out->dtype == OB_NONE) {
        args->cells->out[i] = cell;
        return OB_OK;
    }
    if (!ob_cell_view(cell, &view) || view.dtype != out->dtype)
        status = ob__fail(error, OB_E_TYPE, "the element is not a tensor of %s", ob_dtype_name(out->dtype));
    else if (out->rank == OB_RANK_UNKNOWN && view.dtype != OB_STRING) {
        *out = view;
        args->cells->out[i] = cell;
        return OB_OK;
    }
    if (status == OB_OK) status = ob__set_output(args, i, &view, error);
    if (status == OB_OK) copy_tensor(args, out, &view);
    if (status == OB_OK) status = ob__own_strings(args, i, error);
    ob_cell_close(&cell);
    return status;
}
