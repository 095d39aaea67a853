/* Copies in parts, shared among the threads that ONNX Runtime has for an operator. */
#include "ort/plugin.h"

/* Below the one a thread costs more than it brings; the other is what a part of the work is, small enough that the last ones even
 * out. */
enum { SHARED_BYTES = 256 << 10, PART_BYTES = 128 << 10 };

typedef struct work {
    const ob_view *to, *from;
    int64_t n_elems, part;
} work;

static void copy_part(void *context, size_t index) {
    const work *w = context;
    int64_t first = (int64_t)index * w->part, n = w->n_elems - first < w->part ? w->n_elems - first : w->part;
    ob_view_assign_part(w->to, w->from, first, n, NULL); /* the views were checked with the first */
}

OrtStatus *ob__ort_copy(const ob__ort_kernel *kernel, const OrtKernelContext *context, const ob_view *to, const ob_view *from) {
    int64_t width = (int64_t)ob_dtype_size(to->dtype), n_elems = ob_view_count(to);
    ob_error error;
    ob_error_clear(&error);
    if (n_elems < SHARED_BYTES / width) {
        error.code = ob_view_assign(to, from, &error);
        return error.code == OB_OK ? NULL : ob__ort_fail(kernel, &error);
    }
    work w = {.to = to, .from = from, .n_elems = n_elems, .part = PART_BYTES / width};
    error.code = ob_view_assign_part(to, from, 0, 0, &error);
    if (error.code != OB_OK) return ob__ort_fail(kernel, &error);
    size_t n_parts = (size_t)(n_elems / w.part + (n_elems % w.part != 0));
    return kernel->api->KernelContext_ParallelFor(context, copy_part, n_parts, 0, &w);
}
