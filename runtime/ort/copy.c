/* Copies in parts, shared among the threads that ONNX Runtime has for an operator. */
#include "ort/plugin.h"

/* Below SHARED_BYTES a second thread costs more than it saves. A part has at least PART_BYTES, and more in a large copy,
 * because each part stretches its operand again. */
enum { SHARED_BYTES = 2 << 20, PART_BYTES = 256 << 10, MAX_PARTS = 64 };

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
    ob_error error; /* cleared only if needed: most copies are small */
    if (n_elems < SHARED_BYTES / width) {
        if (ob_view_assign(to, from, NULL) == OB_OK) return NULL;
    } else if (ob_view_assign_part(to, from, 0, 0, NULL) == OB_OK) {
        int64_t least = PART_BYTES / width, part = n_elems / MAX_PARTS;
        work w = {.to = to, .from = from, .n_elems = n_elems, .part = part > least ? part : least};
        size_t n_parts = (size_t)(n_elems / w.part + (n_elems % w.part != 0));
        return kernel->api->KernelContext_ParallelFor(context, copy_part, n_parts, 0, &w);
    }
    ob_error_clear(&error);
    error.code = ob_view_assign_part(to, from, 0, 0, &error);
    return ob__ort_fail(kernel, &error);
}
